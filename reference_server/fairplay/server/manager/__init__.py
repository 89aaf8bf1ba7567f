"""The manager: signs players up, runs tournaments, keeps and checks their records."""

"""What authors of players are given: projects, protos, the games and formats, and a check of test data of theirs."""

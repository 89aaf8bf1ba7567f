"""The Q game: the game as the referee, its players and the conformance suite know it."""

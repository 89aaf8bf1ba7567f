"""The lobby for people, in a terminal: tables, chat, games to watch and, where a game has a front end, to play."""

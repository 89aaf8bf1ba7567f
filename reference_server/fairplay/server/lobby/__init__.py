"""The lobby: where people and programs meet at tables. See proto/fairplay/v1/lobby.proto."""

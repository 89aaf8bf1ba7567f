"""The games: one folder each, and in game.py the contract that each of them fulfils."""

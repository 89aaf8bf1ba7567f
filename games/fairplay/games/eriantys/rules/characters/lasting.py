"""Characters 4, 6 and 8: looked up where Mother Nature moves and where influence is counted."""

from __future__ import annotations

from fairplay.games.eriantys.rules.characters.piece import Piece, lasting

POSTMAN = Piece("postman", 1, lasting, helps_move_only=True)
"""Mother Nature may move up to two steps more."""

CENTAUR = Piece("centaur", 3, lasting, helps_move_only=True)
"""Towers give no influence."""

KNIGHT = Piece("knight", 2, lasting, helps_move_only=True)
"""Two more influence for the player's side."""

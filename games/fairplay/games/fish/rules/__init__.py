"""Fish: the rules, pure (fish.md sections 1 to 6, and the settings of section 9 that concern a game).

A cell is numbered ``row * columns + column``; a set of cells is an int with one bit a cell. Seats are numbered in
turn order. Every value here is immutable, and nothing is checked twice: `violation` says whether an action is
legal, `apply` carries out one that is.
"""

from __future__ import annotations

from fairplay.games.fish.rules.board import Board, board_of, board_of_rows, neighbours
from fairplay.games.fish.rules.geometry import Action, Geometry, Move, Place, geometry
from fairplay.games.fish.rules.invariants import invariant
from fairplay.games.fish.rules.legality import legal, moves, reach, violation
from fairplay.games.fish.rules.results import ranking, scores
from fairplay.games.fish.rules.rulebook import RULES
from fairplay.games.fish.rules.settings import (
    FISH_LIMIT,
    MAX_SEATS,
    MAX_SIDE,
    MIN_SEATS,
    ActionList,
    AnnounceOrder,
    LoneSurvivor,
    PenguinCountBasis,
    Settings,
    settings_problem,
)
from fairplay.games.fish.rules.setup import fix_penguins, initial, state_of
from fairplay.games.fish.rules.state import COLORS, State, holes, placing, tiles, turn
from fairplay.games.fish.rules.turns import apply, eliminate, skipped

__all__ = [
    "COLORS",
    "FISH_LIMIT",
    "MAX_SEATS",
    "MAX_SIDE",
    "MIN_SEATS",
    "RULES",
    "Action",
    "ActionList",
    "AnnounceOrder",
    "Board",
    "Geometry",
    "LoneSurvivor",
    "Move",
    "PenguinCountBasis",
    "Place",
    "Settings",
    "State",
    "apply",
    "board_of",
    "board_of_rows",
    "eliminate",
    "fix_penguins",
    "geometry",
    "holes",
    "initial",
    "invariant",
    "legal",
    "moves",
    "neighbours",
    "placing",
    "ranking",
    "reach",
    "scores",
    "settings_problem",
    "skipped",
    "state_of",
    "tiles",
    "turn",
    "violation",
]

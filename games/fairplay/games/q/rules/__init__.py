"""The Q game: the rules, pure (q.md sections 1 to 6, and the knobs of section 10 that concern a game).

A turn is `apply`, which carries out a legal action and draws the tiles that go with it. `State.delivery` then names
the player that is still to be told of these tiles: after telling it, go on from `delivered(state)`; where that
player fails, from `eliminate(state, seat)`. Who does not care may apply the next action at once.

What is here stands in modules of a noun each: board, settings, state, legality, turns, results, invariants.
"""

from __future__ import annotations

from fairplay.games.q.rules.board import (
    COLORS,
    FARTHEST,
    KINDS,
    SHAPES,
    Board,
    Coordinate,
    Placement,
    placements,
    tile_name,
    tile_of,
)
from fairplay.games.q.rules.invariants import invariant
from fairplay.games.q.rules.legality import Legal, breach, choices, legal, one_line, violation
from fairplay.games.q.rules.results import notifications, ranking, winners
from fairplay.games.q.rules.rulebook import RULES
from fairplay.games.q.rules.settings import (
    MAX_SEATS,
    MIN_SEATS,
    FitRule,
    LoneSurvivor,
    Settings,
    SetupArgument,
    UndeliveredTiles,
    settings_problem,
)
from fairplay.games.q.rules.state import (
    PASS,
    REPLACE,
    Action,
    Delivery,
    Extension,
    State,
    View,
    Word,
    initial,
    remaining,
    resumed,
    scores,
    turn,
    view,
)
from fairplay.games.q.rules.turns import apply, delivered, eliminate, score

__all__ = [
    "COLORS",
    "FARTHEST",
    "KINDS",
    "MAX_SEATS",
    "MIN_SEATS",
    "PASS",
    "REPLACE",
    "RULES",
    "SHAPES",
    "Action",
    "Board",
    "Coordinate",
    "Delivery",
    "Extension",
    "FitRule",
    "Legal",
    "LoneSurvivor",
    "Placement",
    "Settings",
    "SetupArgument",
    "State",
    "UndeliveredTiles",
    "View",
    "Word",
    "apply",
    "breach",
    "choices",
    "delivered",
    "eliminate",
    "initial",
    "invariant",
    "legal",
    "notifications",
    "one_line",
    "placements",
    "ranking",
    "remaining",
    "resumed",
    "score",
    "scores",
    "settings_problem",
    "tile_name",
    "tile_of",
    "turn",
    "view",
    "violation",
    "winners",
]

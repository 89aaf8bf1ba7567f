"""The rules of Eriantys, pure (eriantys.md sections 1 to 6, and the settings of section 8 that concern a game).

A game is driven by `turn`, `legal`, `violation` and `apply`; everything that nobody decides (refills, the order of
turns, the ends of turns and rounds) happens within `apply`. Tower colours may also be asked for at the same time:
`choosers`, `choice_violation`, `choose`.
"""

from __future__ import annotations

from fairplay.games.eriantys.rules.actions import (
    Action,
    ChooseTowers,
    EndTurn,
    MoveMotherNature,
    PlayAssistant,
    PlayCharacter,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.eriantys.rules.characters import NAMES, PIECES, character_cost, choices
from fairplay.games.eriantys.rules.characters.piece import Choice, Exchange
from fairplay.games.eriantys.rules.invariants import invariant
from fairplay.games.eriantys.rules.islands import address, addresses, group_of, influences
from fairplay.games.eriantys.rules.leaving import disconnect, eliminate, reconnect
from fairplay.games.eriantys.rules.legality import (
    canonical,
    character_options,
    choice_violation,
    due_actions,
    free_tower_colors,
    legal,
    most_steps,
    playable_assistants,
    violation,
)
from fairplay.games.eriantys.rules.results import ranking, scores, winners
from fairplay.games.eriantys.rules.rulebook import RULES
from fairplay.games.eriantys.rules.settings import MAX_SEATS, MIN_SEATS, TILE_COUNT, Settings, settings_problem
from fairplay.games.eriantys.rules.setup import initial
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COLORS,
    NOBODY,
    STUDENTS_PER_COLOR,
    TABLE_SEATS,
    TOWER_COLORS,
    Card,
    Counts,
    Group,
    Phase,
    Reason,
    Standing,
    State,
    assistant_steps,
    choosers,
    holder,
    members,
    public_view,
    size_of,
    turn,
    unseen,
    view,
)
from fairplay.games.eriantys.rules.turns import apply, choose

__all__ = [
    "ASSISTANTS",
    "COLORS",
    "MAX_SEATS",
    "MIN_SEATS",
    "NAMES",
    "NOBODY",
    "PIECES",
    "RULES",
    "STUDENTS_PER_COLOR",
    "TABLE_SEATS",
    "TILE_COUNT",
    "TOWER_COLORS",
    "Action",
    "Card",
    "Choice",
    "ChooseTowers",
    "Counts",
    "EndTurn",
    "Exchange",
    "Group",
    "MoveMotherNature",
    "Phase",
    "PlayAssistant",
    "PlayCharacter",
    "Reason",
    "Settings",
    "Standing",
    "State",
    "TakeCloud",
    "ToDiningRoom",
    "ToIsland",
    "address",
    "addresses",
    "apply",
    "assistant_steps",
    "canonical",
    "character_cost",
    "character_options",
    "choice_violation",
    "choices",
    "choose",
    "choosers",
    "disconnect",
    "due_actions",
    "eliminate",
    "free_tower_colors",
    "group_of",
    "holder",
    "influences",
    "initial",
    "invariant",
    "legal",
    "members",
    "most_steps",
    "playable_assistants",
    "public_view",
    "ranking",
    "reconnect",
    "scores",
    "settings_problem",
    "size_of",
    "turn",
    "unseen",
    "view",
    "violation",
    "winners",
]

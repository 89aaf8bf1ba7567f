"""The rules of Eriantys, pure (eriantys.md sections 1 to 6, and the knobs of section 8 that concern a game).

A game is driven by `turn`, `legal`, `violation` and `apply`; everything that nobody decides (refills, the order of
turns, the ends of turns and rounds) happens within `apply`. Tower colours may also be asked for at the same time:
`choosers`, `choice_violation`, `choose`.
"""

from __future__ import annotations

from games.eriantys.rules.actions import (
    apply,
    canonical,
    character_options,
    choice_violation,
    choose,
    due_actions,
    legal,
    most_steps,
    violation,
)
from games.eriantys.rules.characters import NAMES, character_cost
from games.eriantys.rules.ends import ranking, scores, winners
from games.eriantys.rules.invariants import invariant
from games.eriantys.rules.islands import address, group_of, influences
from games.eriantys.rules.leaving import disconnect, eliminate, reconnect
from games.eriantys.rules.rulebook import RULES
from games.eriantys.rules.settings import MAX_SEATS, MIN_SEATS, Settings, settings_problem
from games.eriantys.rules.setup import initial
from games.eriantys.rules.state import (
    COLORS,
    NOBODY,
    TABLE_SEATS,
    TOWER_COLORS,
    Action,
    Card,
    ChooseTowers,
    Counts,
    EndTurn,
    Group,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    Reason,
    Standing,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
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

__all__ = [
    "COLORS",
    "MAX_SEATS",
    "MIN_SEATS",
    "NAMES",
    "NOBODY",
    "RULES",
    "TABLE_SEATS",
    "TOWER_COLORS",
    "Action",
    "Card",
    "ChooseTowers",
    "Counts",
    "EndTurn",
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
    "apply",
    "assistant_steps",
    "canonical",
    "character_cost",
    "character_options",
    "choice_violation",
    "choose",
    "choosers",
    "disconnect",
    "due_actions",
    "eliminate",
    "group_of",
    "holder",
    "influences",
    "initial",
    "invariant",
    "legal",
    "members",
    "most_steps",
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

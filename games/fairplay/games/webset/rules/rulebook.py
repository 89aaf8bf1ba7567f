"""The ids of the rules of Webset, each with a sentence. Only the first costs a player its place in the game."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

RULES: Mapping[str, str] = MappingProxyType(
    {
        "webset.act.required": (
            "The answer to act is one of nothing, call set, more cards, show solutions and end solutions."
        ),
        "webset.act.playing": "Only players that are in the game can do anything.",
        "webset.act.game-over": "Nothing can be done once the game is over.",
        "webset.act.rounds": "In rounds players pick cards or pass, and do nothing else.",
        "webset.call.first": "While a call is open nobody can call, not even the same player again.",
        "webset.call.open": "A set can be called while the table is open, not while solutions are shown.",
        "webset.call.lockout": "A player that is locked out cannot call until the table changes.",
        "webset.take.caller": "Only the player that has called can pick cards, and only until its time is over.",
        "webset.take.window": "A call must be followed by three cards within the window; at its very end is too late.",
        "webset.take.three": "A player picks exactly three cards, in a puzzle exactly three for each set.",
        "webset.take.card-range": "A card is a number from 0 to 80; with three aspects from 0 to 26.",
        "webset.take.distinct": "The three cards are different ones.",
        "webset.take.on-table": "All three cards lie on the table.",
        "webset.take.set": "In each aspect the three cards are all alike or all different.",
        "webset.take.outrun": "In rounds only one of those that have found a set gets it.",
        "webset.take.once": "In a puzzle each set is named once.",
        "webset.more.open": "More cards can be asked for while the table is open, not during a call or a showing.",
        "webset.more.cards": "More cards can be dealt only while the deck has some and the table has room.",
        "webset.more.auto": "Where the referee deals by itself, nobody asks for more cards.",
        "webset.more.no-set": "Under the rule if_no_set more cards are dealt only while there is no set on the table.",
        "webset.more.once": "A player asks for more cards once; it is counted until the table changes.",
        "webset.show.open": "Solutions can be shown while the table is open, not during a call.",
        "webset.show.enabled": "Solutions can be shown only where the settings say so.",
        "webset.show.sets": "Solutions can be shown only if there is a set on the table.",
        "webset.end.showing": "The showing can be ended only while solutions are shown.",
    }
)

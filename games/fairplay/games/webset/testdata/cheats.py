"""Wrong answers on purpose, for whole games of test data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from random import Random
from types import MappingProxyType

from fairplay.games.conformance import Mutation
from fairplay.games.webset.protocol.codec import ACT, PICK_CARDS
from fairplay.games.webset.rules.cards import EMPTY, Cards, is_set, third
from fairplay.webset.v1.webset_player_pb2 import ActRequest, ActResponse, PickCardsRequest, PickCardsResponse

UNKNOWN_ACTION = 6


def _unknown_act(request: ActRequest, reply: ActResponse, rng: Random) -> ActResponse:
    return ActResponse(action=UNKNOWN_ACTION)  # type: ignore[arg-type]  # there is no such action


def _picking(wrong: Callable[[Cards], Cards | None]) -> Mutation:
    """Return the cheat that picks wrong cards, made from those on the table."""

    def answer(request: PickCardsRequest, reply: PickCardsResponse, rng: Random) -> PickCardsResponse | None:
        cards = wrong(tuple([card for card in request.state.slots if card != EMPTY]))
        return None if cards is None else PickCardsResponse(cards=cards)

    return Mutation("", "", PICK_CARDS.name, "", (), answer)


def _no_set(table: Cards) -> Cards | None:
    return next((triple for triple in combinations(table, 3) if not is_set(*triple)), None)


def _absent(table: Cards) -> Cards | None:
    pairs = combinations(table, 2)
    return next(((*pair, absent) for pair in pairs if (absent := third(*pair)) not in table), None)


CHEATS: Mapping[str, Mutation] = MappingProxyType(
    {
        "unknown-act": Mutation("", "", ACT.name, "", (), _unknown_act),
        "no-set": _picking(_no_set),
        "absent-card": _picking(_absent),
        "card-twice": _picking(lambda table: (table[0], table[0], table[1])),
        "two-cards": _picking(lambda table: table[:2]),
    }
)
"""By name: an act that there is not eliminates its player, wrong cards cost points."""

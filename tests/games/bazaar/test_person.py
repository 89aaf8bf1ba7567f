"""Bazaar by hand: what may be chosen, what is drawn, and that a reply is what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from itertools import permutations, product
from typing import Any
from xml.etree import ElementTree

import pytest
from google.protobuf.message import Message
from rich.cells import cell_len

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_player_pb2 import (
    RequestCardsRequest,
    RequestPebbleOrExchangesRequest,
)
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.person import FRONTEND, buying, requesting
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import Card, EquationTable, Exchange, parse_bag, unpack
from fairplay.games.bazaar.rules.state import PEBBLE, Request, TurnView
from fairplay.games.bazaar.views.seats import NO_EXCHANGE_PART, PEBBLE_PART
from fairplay.games.frontends import IllegalChoiceError
from fairplay.games.kit.person import Draft
from tests.games.at_table import AtTable, asking
from tests.games.pointing import SVG, pieces

NAMES = ("ann", "[bob]")


def equation(left: str, right: str) -> Exchange:
    return Exchange(parse_bag(left), parse_bag(right))


TABLE = EquationTable((equation("r", "bb"), equation("bb", "gg"), equation("y", "w")))
VIEW = TurnView(
    bank=parse_bag("rrwwbbggyy"),
    visible=(Card(parse_bag("rrwbg"), False), Card(parse_bag("rrwwb"), True)),
    wallet=parse_bag("rrrrwwbb"),
    score=3,
    cards=(),
    scores=(5,),
    revision=7,
)


def turn_state(view: TurnView = VIEW) -> bazaar_pb2.TurnState:
    return bazaar_pb2.TurnState(
        revision=view.revision,
        table=codec.build_table(TABLE),
        bank=unpack(view.bank),
        visible=[codec.build_card(card) for card in view.visible],
        wallet=unpack(view.wallet),
        score=view.score,
        other_scores=view.scores,
    )


# --- the first half of a turn ---


def test_every_legal_request_of_up_to_two_exchanges_is_found_and_no_other() -> None:
    ways = TABLE.exchanges
    legal: list[Request] = [
        PEBBLE,
        *(
            request
            for length in range(3)
            for request in product(ways, repeat=length)
            if rules.request_violation(TABLE, VIEW.wallet, VIEW.bank, request) is None
        ),
    ]
    found = list(map(codec.build_request, legal))
    replies = [draft.reply for draft in drafts(requesting(TABLE, VIEW), 2)]
    assert sorted(map(key, replies)) == sorted(map(key, found))


def test_every_legal_purchase_is_found_and_no_other() -> None:
    view = VIEW._replace(wallet=parse_bag("rrrrwwwbbbg"))
    places = (order for count in range(3) for order in permutations(range(2), count))
    legal = [
        codec.build_purchase(cards)
        for cards in (tuple(view.visible[place] for place in order) for order in places)
        if rules.purchase_violation(view.wallet, view.visible, cards) is None
    ]
    replies = [draft.reply for draft in drafts(buying(view), 2)]
    assert len(legal) > 2
    assert sorted(map(key, replies)) == sorted(map(key, legal))


def key(reply: Message | None) -> bytes:
    """Return a reply as bytes, to compare it."""
    assert reply is not None
    return reply.SerializeToString(deterministic=True)


def drafts(draft: Draft, most: int) -> list[Draft]:
    """Return all complete drafts to which at most so many choices lead."""
    complete = [draft] if draft.reply is not None else []
    if not most:
        return complete
    return complete + [end for choice in draft.choices for end in drafts(draft.choose(choice.part), most - 1)]


@pytest.mark.parametrize(
    ("before", "part", "words"),
    [
        ([], "equation-1-right", "You do not have all the pebbles of this side"),
        ([], "equation-9-left", rules.RULES["bazaar.exchange.in-table"]),
        (["equation-0-left"], "equation-0-left", "The bank does not have"),
    ],
)
def test_an_illegal_exchange_is_refused_with_the_reason(before: Sequence[str], part: str, words: str) -> None:
    draft = requesting(TABLE, VIEW)
    for chosen in before:
        draft = draft.choose(chosen)
    with pytest.raises(IllegalChoiceError, match=words):
        draft.choose(part)


@pytest.mark.parametrize(("before", "part"), [(PEBBLE_PART, NO_EXCHANGE_PART), ("equation-0-left", PEBBLE_PART)])
def test_a_turn_asks_for_one_kind_only(before: str, part: str) -> None:
    with pytest.raises(IllegalChoiceError, match="not for both"):
        requesting(TABLE, VIEW).choose(before).choose(part)


# --- a person ---


class Table(AtTable):
    def __init__(self) -> None:
        super().__init__(FRONTEND, NAMES)

    def asked(
        self, request: RequestPebbleOrExchangesRequest | RequestCardsRequest
    ) -> AbstractAsyncContextManager[asyncio.Task[Any]]:
        if isinstance(request, RequestCardsRequest):
            return asking(self.person.request_cards(request))
        return asking(self.person.request_pebble_or_exchanges(request))


async def test_what_spectators_see_is_shown_with_the_own_wallet_and_fits() -> None:
    table = Table()
    async with table.asked(RequestPebbleOrExchangesRequest(game_id="game", turn_state=turn_state())):
        pass
    players = [bazaar_pb2.Player(score=3), bazaar_pb2.Player(score=5)]
    seen = bazaar_pb2.State(revision=9, bank=[1] * 5, visible=[], players=players, active_seat=1)
    seen.table.CopyFrom(codec.build_table(TABLE))
    seen.last_action.CopyFrom(bazaar_pb2.LastAction(seat=1, pebble=bazaar_pb2.Pebble()))
    table.person.update(seen)
    assert table.lines == ["[bob] got a pebble."]
    assert "your wallet  r   4" in table.board
    assert max(cell_len(line) for line in table.board.splitlines()) <= 56
    assert max(cell_len(line) for line in table.side.splitlines()) <= 22
    assert "[bob]" in table.side


async def test_the_picture_shows_wallet_and_bank_as_the_choices_leave_them() -> None:
    table = Table()
    async with table.asked(RequestPebbleOrExchangesRequest(game_id="game", turn_state=turn_state())):
        assert drawn_counts(table.person.svg()) == {"bank": [2, 2, 2, 2, 2], "own": [4, 2, 2, 0, 0]}
        table.person.choose("equation-0-left")
        assert drawn_counts(table.person.svg()) == {"bank": [3, 2, 0, 2, 2], "own": [3, 2, 4, 0, 0]}
        assert NO_EXCHANGE_PART not in pieces(table.person.svg())
        table.person.undo()
        assert drawn_counts(table.person.svg()) == {"bank": [2, 2, 2, 2, 2], "own": [4, 2, 2, 0, 0]}


def drawn_counts(document: str) -> dict[str, list[int]]:
    """Return the numbers of pebbles in the bank and in the person's wallet."""
    groups = [each for each in ElementTree.fromstring(document).iter() if each.get("class") in ("bank", "own")]
    return {
        group.get("class", ""): [
            int(count) for text in group.iter(f"{SVG}text") if (count := text.text or "").isdigit()
        ]
        for group in groups
    }


async def test_what_was_done_last_is_told_once_and_is_not_shown_with_a_newer_turn() -> None:
    table = Table()
    seen = bazaar_pb2.State(revision=6, bank=[1] * 5, players=[bazaar_pb2.Player(), bazaar_pb2.Player()])
    seen.last_action.CopyFrom(bazaar_pb2.LastAction(seat=0, purchase=bazaar_pb2.Purchase()))
    table.person.update(seen)
    async with table.asked(RequestPebbleOrExchangesRequest(game_id="game", seat=0, turn_state=turn_state())):
        assert "bought" not in table.side
    assert table.lines == ["ann bought nothing."]


async def test_of_many_choices_those_around_the_cursor_are_shown() -> None:
    table = Table()
    async with table.asked(RequestPebbleOrExchangesRequest(game_id="game", seat=0, turn_state=turn_state())):
        assert table.board.splitlines()[-5:][0].startswith("► a pebble of the bank")
        assert table.board.splitlines()[-1] == "  (2 more below)"
        for _ in range(5):
            table.person.press("down")
        assert table.board.splitlines()[-2].startswith("► no exchange")
        assert table.board.splitlines()[-1] == "  (2 more above)"

"""Bazaar's messages: what goes in comes out, what cannot be is refused by name, what is hidden stays behind."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_pb2 import Exchanges, Pebble
from fairplay.bazaar.v1.bazaar_player_pb2 import RequestCardsResponse, RequestPebbleOrExchangesResponse
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.game import GAME
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import Card, EquationTable, Exchange, parse_bag, parse_card, parse_exchange
from fairplay.games.bazaar.rules.state import PEBBLE, Phase, Player, Settings, Standing, State
from fairplay.games.kit.judging import MalformedReplyError

COUNTS = st.lists(st.integers(0, 400), min_size=5, max_size=5)
BAGS = COUNTS.map(codec.read_bag)
CARDS = st.builds(Card, BAGS, st.booleans())
EXCHANGES = st.builds(Exchange, BAGS, BAGS)


def row(text: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, text.split()))


@st.composite
def states(draw: st.DrawFn) -> State:
    """Draw a state in the middle of a game, or at its end; in some somebody was eliminated."""
    rng = Random(draw(st.integers(0, 2**32)))
    chosen = Settings(
        pebbles_per_color=draw(st.integers(1, 6)),
        cards_total=draw(st.integers(1, 12)),
        bonus=draw(st.sampled_from(["none", "rwb", "sey"])),
        lone_survivor=draw(st.sampled_from(["play_on", "stop"])),
        equal_turns=draw(st.booleans()),
        check_end_mid_turn=draw(st.booleans()),
    )
    state = rules.initial(chosen, draw(st.integers(2, 6)), rng)
    for _ in range(draw(st.integers(0, 60))):
        seat = rules.turn(state)
        if seat is None:
            break
        out = rng.random() < 0.05
        state = rules.eliminate(state, seat) if out else rules.apply(state, rng.choice(rules.legal(state)))
    if rules.turn(state) is None and draw(st.booleans()):
        for seat, _ in rules.notifications(state)[:2]:
            state = rules.eliminate(state, seat)
    return state


def random_state(seed: int = 1, turns: int = 40, seats: int = 3) -> State:
    rng = Random(seed)
    state = rules.initial(Settings(winning_score=1000), seats, rng)
    while state.turns < turns or state.phase is not Phase.REQUEST:
        state = rules.apply(state, PEBBLE if state.phase is Phase.REQUEST else rules.legal(state)[-1])
    return state


def turn_state(state: State, seat: int) -> bazaar_pb2.TurnState:
    data = codec.turn_state_data(state, seat)
    message = bazaar_pb2.TurnState.FromString(data)
    assert message.SerializeToString() == data
    return message


# Settings


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (bazaar_pb2.Settings(side_min=5), "side_min is 5: it must be at most side_max, 4."),
        (bazaar_pb2.Settings.FromString(b"\x80\x01\x09"), "bonus has the unknown value 9."),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(wrong: bazaar_pb2.Settings, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        GAME.full_settings(wrong)


# Pieces


@pytest.mark.parametrize("counts", [[1, 2, 3, 4], [401, 0, 0, 0, 0]])
def test_other_counts_are_no_bag(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="five counts"):
        codec.read_bag(counts)


def test_a_pebble_no_exchange_and_nothing_are_three_things() -> None:
    empty = RequestPebbleOrExchangesResponse(exchanges=Exchanges())
    assert codec.read_request(RequestPebbleOrExchangesResponse(pebble=Pebble()), 64) is PEBBLE
    assert codec.read_request(empty, 64) == ()
    assert len({reply.SerializeToString() for reply in (empty, codec.build_request(PEBBLE))} | {b""}) == 3
    with pytest.raises(MalformedReplyError) as refused:
        codec.read_request(RequestPebbleOrExchangesResponse(), 64)
    assert refused.value.rule_id == "bazaar.request.required"


def exchange(left: list[int], right: list[int]) -> bazaar_pb2.Equation:
    return bazaar_pb2.Equation(left=left, right=right)


FINE = exchange([1, 0, 0, 0, 0], [0, 1, 0, 0, 0])


@pytest.mark.parametrize(
    ("steps", "rule_id", "given_text"),
    [
        ([FINE] * 200_000, "bazaar.exchange.too-many", "200000 of at most 64"),
        ([FINE, exchange([1], [])], "bazaar.pebble.counts", "exchange 2, [1] for []"),
        (
            [exchange([1, 0, 0, 0, 0], [401, 0, 0, 0, 0])],
            "bazaar.pebble.counts",
            "exchange 1, [1, 0, 0, 0, 0] for [401",
        ),
        ([exchange([7] * 100_000, [])], "bazaar.pebble.counts", "[7, 7, 7, 7, 7, ...] with 100000 counts for []"),
    ],
)
def test_a_malformed_request_names_its_rule(steps: list[bazaar_pb2.Equation], rule_id: str, given_text: str) -> None:
    with pytest.raises(MalformedReplyError) as refused:
        codec.read_request(RequestPebbleOrExchangesResponse(exchanges=Exchanges(steps=steps)), 64)
    assert refused.value.rule_id == rule_id
    assert given_text in refused.value.given
    assert len(refused.value.given) < 200


def test_a_malformed_purchase_names_its_rule() -> None:
    cards = [bazaar_pb2.Card(pebbles=[1, 1, 1, 1, 1]), bazaar_pb2.Card(pebbles=[5])]
    with pytest.raises(MalformedReplyError) as refused:
        codec.read_purchase(RequestCardsResponse(cards=cards), 4)
    assert refused.value.args == ("bazaar.pebble.counts", "card 2, [5]")


def test_of_a_long_purchase_no_more_is_read_than_it_takes_to_refuse_it() -> None:
    card = bazaar_pb2.Card(pebbles=[1, 1, 1, 1, 1])
    assert len(codec.read_purchase(RequestCardsResponse(cards=[card] * 100_000), 4)) == 5


@given(states(), st.data())
@settings(max_examples=50)
def test_any_illegal_action_is_told_in_few_words(state: State, data: st.DataObject) -> None:
    kind: st.SearchStrategy[Any] = EXCHANGES if state.phase is Phase.REQUEST else CARDS
    action = tuple(data.draw(st.lists(kind, min_size=1, max_size=5)))
    if rules.violation(state, action) not in (None, "bazaar.turn.game-over"):
        assert len(codec.describe_action(state, action)) < 150


# States


def test_the_bonus_is_shown_once_the_game_is_over_and_never_read() -> None:
    chosen = Settings(bonus="rwb")
    ann = Player(parse_bag("rrwwb"), 3, row("rrwwb"))
    state = rules.resume(
        chosen,
        EquationTable(()),
        bank=parse_bag("g"),
        visible=row("ggggg"),
        pile=(),
        players=(ann, Player()),
    )
    assert [player.bonus for player in codec.build_state(state).players] == [0, 0]
    over = codec.build_state(rules.apply(state, ()))
    assert [player.bonus for player in over.players] == [10, 0]
    over.players[1].bonus = 99
    assert rules.scores(codec.resume(over, chosen, Random(0))) == (13, 0)


BY_HAND: dict[str, Any] = {
    "table": {"equations": [{"left": [1, 0, 1, 0, 0], "right": [0, 0, 0, 3, 0]}]},
    "bank": [0, 1, 2, 1, 2],
    "visible": [{"pebbles": [1, 1, 1, 1, 1], "face": True}],
    "players": [{"wallet": [0, 0, 5, 1, 0]}, {"wallet": [3, 0, 1, 1, 1], "score": 4}],
}


def by_hand(**changes: Any) -> bazaar_pb2.State:
    return json_format.ParseDict({**BY_HAND, **changes}, bazaar_pb2.State())


def test_a_state_written_by_hand_needs_no_bookkeeping() -> None:
    state = codec.resume(by_hand(), Settings(), Random(7))
    assert (state.active, state.phase, state.turns, state.revision) == (0, Phase.REQUEST, 0, 0)
    assert state.draw_state == Random(7).getrandbits(64)
    assert [player.standing for player in state.players] == [Standing.IN] * 2
    assert state.table.equations == (parse_exchange("rb=ggg"),)
    assert GAME.check_state(bazaar_pb2.Settings(), by_hand()) == 2
    assert GAME.check_state(bazaar_pb2.Settings(), by_hand(players=[])) == 0  # which are too few for any plan


def test_a_state_written_by_hand_may_be_over() -> None:
    players = [{"wallet": [0] * 5, "score": 20}, {"wallet": [0] * 5}]
    assert codec.resume(by_hand(players=players), Settings(), Random(0)).phase is Phase.OVER
    with pytest.raises(ValueError, match=r"^A call is due, although the game is over\.$"):
        codec.resume(by_hand(players=players, phase="PHASE_REQUEST"), Settings(), Random(0))


# What is hidden


def test_bought_cards_are_hidden_from_their_owner_where_the_settings_say_so() -> None:
    state = random_state()
    seat = next(seat for seat, player in enumerate(state.players) if player.cards)
    hiding = state._replace(settings=Settings(turn_active_has_cards=False))
    assert turn_state(state, seat).cards
    assert not turn_state(hiding, seat).cards

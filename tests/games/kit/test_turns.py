"""Games in turn order, by the example of Nim: all that the kit makes of its rules and messages."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from fairplay.games.steps import Call, CallAll, CallKind, Eliminate, Outcome, Show
from fairplay.player.handlers import reply_of
from fairplay.v1.misconduct_pb2 import Overrun, RuleBreak
from fairplay_nim import rules
from fairplay_nim.game import FRONTEND, GAME, RESEARCH, TESTDATA
from fairplay_nim.v1 import nim_pb2 as pb
from tests.games.at_table import AtTable, asking, plain
from tests.games.pointing import point_at_random

SOUND: Mapping[str, Any] = MappingProxyType({})
STATE = pb.State(revision=4, heaps=[1, 0, 3], most=2, players=[1, 0])


def played(
    state: pb.State | None = None, count: int = 2, replies: Mapping[str, Any] = MappingProxyType({})
) -> tuple[list[Any], Outcome]:
    """Return the steps of a game and its outcome; players are sound but for `replies`, e.g. to "Take 1"."""
    sound, steps = GAME.player("best"), list[Any]()
    conversation, sent = GAME.play("g", pb.Settings(heaps=2), list("abcd"[:count]), Random(1), state), None

    def answer(call: Call) -> Any:
        return replies.get(f"{call.method.name} {call.seat}") or reply_of(sound, call)

    while True:
        try:
            steps.append(conversation.send(sent))
        except StopIteration as stop:
            return steps, stop.value
        step = steps[-1]
        sent = answer(step) if isinstance(step, Call) else None
        if isinstance(step, CallAll):
            sent = {call.seat: answer(call) for call in step.calls}


def test_all_are_told_their_seat_and_then_asked_in_turn_and_every_state_is_shown() -> None:
    steps, outcome = played(STATE)
    assert [call.kind for call in steps[1].calls] == [CallKind.NOTIFICATION] * 2
    asked = [step for step in steps if isinstance(step, Call)]
    assert [call.seat for call in asked] == [1, 0, 1][: len(asked)]
    assert all(call.request.state.players[0] == call.seat and call.request.game_id == "g" for call in asked)
    shown = [GAME.public_state(step.state) for step in steps if isinstance(step, Show)]
    assert shown[0] == STATE
    assert len(shown) == 1 + len(asked)
    assert [[seat for seat, _ in group] for group in outcome.ranking] == [[asked[-1].seat], [1 - asked[-1].seat]]


@pytest.mark.parametrize("failing", ["PlayAs 2", "Take 0"])
def test_who_fails_is_out_and_the_others_play_on(failing: str) -> None:
    steps, outcome = played(count=3, replies={failing: Overrun()})
    out = int(failing[-1])
    [place] = [place for place, step in enumerate(steps) if isinstance(step, Eliminate)]
    assert (steps[place].seat, steps[place].cause) == (out, Overrun())
    assert isinstance(steps[place + 1], Show)
    assert not any(isinstance(step, Call) and step.seat == out for step in steps[place:])
    assert sorted(seat for group in outcome.ranking for seat, _ in group) == [seat for seat in range(3) if seat != out]


@pytest.mark.parametrize(
    ("reply", "rule", "given"),
    [
        (pb.TakeResponse(match_count=1), "nim.take.required", "an incomplete answer"),
        (pb.TakeResponse(heap=1, match_count=1), "nim.take.heap", "1 from heap 1"),
        (pb.TakeResponse(heap=2, match_count=3), "nim.take.count", "3 from heap 2"),
    ],
)
def test_a_reply_that_breaks_a_rule_is_named_with_the_legal_ones(reply: pb.TakeResponse, rule: str, given: str) -> None:
    steps, _ = played(STATE, replies={"Take 1": reply})
    [cause] = [step.cause for step in steps if isinstance(step, Eliminate)]
    assert isinstance(cause, RuleBreak)
    assert (cause.rule_id, cause.explanation) == (rule, f"{rules.RULES[rule]} Given: {given}.")
    assert cause.legal_reply_count == len(cause.legal_replies) == 3


def test_settings_and_states_are_those_of_their_messages() -> None:
    assert GAME.full_settings(pb.Settings(heaps=2)) == pb.Settings(heaps=2, largest=9, most=3)
    assert GAME.check_state(pb.Settings(), STATE) == 2
    with pytest.raises(ValueError, match="heaps is 10: it must be between 1 and 9"):
        GAME.full_settings(pb.Settings(heaps=10))
    with pytest.raises(ValueError, match=r"players is \[1, 1\]"):
        GAME.check_state(pb.Settings(), pb.State(heaps=[1], most=1, players=[1, 1]))


def test_pictures_have_what_there_is_and_names_do_no_harm() -> None:
    assert "&lt;b&gt;: 0, waits" in GAME.svg(STATE, ["<b>", "bob"])
    assert "[b]: 0, waits" in plain(GAME.text(STATE, ["[b]", "bob"]))
    assert "seat 1: 1, has won" in plain(GAME.text(pb.State(heaps=[0], most=1, players=[0, 1]), ["ann"]))


async def test_a_person_chooses_one_of_what_is_legal() -> None:
    for seed in range(5):
        table = AtTable(FRONTEND, ["ann", "bob"])
        await table.person.play_as(pb.PlayAsRequest())
        async with asking(table.person.take(pb.TakeRequest(game_id="g", seat=1, state=STATE))) as reply:
            assert table.status.startswith("Choose what to do: Take 1 from heap 0.")
            point_at_random(table.person, Random(seed))
            taken = await reply
            assert rules.violation(rules.State((1, 0, 3), 2, (1, 0)), rules.Take(taken.heap, taken.match_count)) is None
    view = FRONTEND.view_of(STATE, ["ann", "bob"])
    assert [plain(text) for text in (view.board, view.side)] == [
        "0  |  1\n1  0\n2  |  |  |  3",
        "ann: 0, waits\nbob: 0, to move",
    ]


def test_every_action_has_a_number_and_the_observer_sees_the_heaps() -> None:
    encoding = RESEARCH.encode(pb.Settings(heaps=2, largest=4, most=2), 2)
    position = encoding.initial(Random(2))
    while (seat := encoding.turn(position)) is not None:
        legal = encoding.legal(position)
        assert [encoding.number(position.state, encoding.action(position.state, each)) for each in legal] == [*legal]
        assert encoding.observe(position, seat) == [*position.state.heaps, 0]
        position = encoding.apply(position, legal[-1])
    assert encoding.legal(position) == []


def test_questions_are_about_messages_in_json() -> None:
    state = {"heaps": [1, 0, 3], "most": 2, "players": [1, 0]}
    take = {"heap": 2, "match_count": 2}
    assert TESTDATA["legal"].answer(state)[-1] == take
    assert TESTDATA["refusal"].answer(state, take) is None
    assert TESTDATA["refusal"].answer(state, {"heap": 1, "match_count": 1}) == "nim.take.heap"
    assert TESTDATA["apply"].answer(state, take)["heaps"] == [1, 0, 1]
    assert TESTDATA["apply"].answer(state, {"heap": 0, "match_count": 2}) is False
    assert TESTDATA["refusal"].answer(state, {"heap": 0}) == "nim.take.required"
    assert TESTDATA["apply"].answer(state, {"heap": 0}) is False
    assert TESTDATA["step"].answer(state, "best") == {"heap": 0, "match_count": 1}
    assert TESTDATA["start"].answer({"heaps": 2}, 2, 7)["players"] == [0, 1]
    assert TESTDATA["game"].answer(state, [["ann", "best"], ["bob", "best", "take"]]) == [["ann"]]
    for kind, values, complaint in [
        ("legal", ([],), r"state is \[\]: it must be an object"),
        ("legal", ({"heap": 1},), 'state: .*no field named "heap"'),
        ("step", ({"heaps": [0], "most": 1, "players": [0, 1]}, "best"), "The game is over"),
    ]:
        with pytest.raises(ValueError, match=complaint):
            TESTDATA[kind].answer(*values)

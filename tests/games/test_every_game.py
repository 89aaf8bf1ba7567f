"""What holds in every game, whatever its rules: of settings, states, players that fail, strategies and persons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from random import Random
from typing import Any

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairplay.games.frontends import find_frontend
from fairplay.games.game import Game, find
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Eliminate, Show, Step
from fairplay.player.handlers import snake_case
from fairplay.v1.misconduct_pb2 import CallError
from tests.games.at_table import AtTable
from tests.games.pointing import point_at_random
from tests.games.test_seats import GAMES

NAMES = ["ann", "[bob]", "cid", "dora"]
IN_NO_USUAL_GAME = {"ShowDisconnection", "PickCards"}
"""Methods that a game with the usual settings calls for other reasons than its course, or never late enough."""
MOST_STEPS = 250

each_game = pytest.mark.parametrize("name", GAMES)


@st.composite
def some_settings(draw: st.DrawFn, name: str, *, numbers: bool = True) -> Message:
    """Draw allowed settings of a game: choices, truth values and, if wanted, numbers from end to end."""
    game = find(name)
    message, limits = game.settings_type(**GAMES[name]), {each.name: each.limits for each in game.settings}
    for field in message.DESCRIPTOR.fields:
        if field.is_repeated or field.message_type is not None or not draw(st.booleans()):
            continue
        if field.enum_type is not None:
            setattr(message, field.name, draw(st.sampled_from(sorted(field.enum_type.values_by_number))))
        elif field.type == FieldDescriptor.TYPE_BOOL:
            setattr(message, field.name, draw(st.booleans()))
        elif numbers and (limit := limits.get(field.name)):
            setattr(message, field.name, draw(st.integers(*limit)))
    try:
        game.read_settings(message)
    except ValueError:
        assume(False)
    return message


def players(game: Game, strategy: str, count: int = len(NAMES)) -> Callable[[Call], Any]:
    """Return what reference players of a strategy answer."""
    seated = [game.player(strategy) for _ in range(count)]

    def answer(call: Call) -> Any:
        reply = getattr(seated[call.seat], snake_case(call.method.name))(call.request)
        return call.method.response() if reply is None else reply

    return answer


def without_news(state: Message) -> Message:
    """Return a state without what led to it, which some games do not take up."""
    kept = type(state)()
    kept.CopyFrom(state)
    for field in {"last_action", "last_events"} & set(kept.DESCRIPTOR.fields_by_name):
        kept.ClearField(field)
    return kept


def steps_of(game: Game, chosen: Message, count: int, seed: int, answer: Callable[[Call], Any]) -> Iterator[Step]:
    """Yield the first steps of a fresh game."""
    machine = GameMachine(game.play("g", chosen, NAMES[:count], Random(seed), None))
    return islice(machine.play(answer), MOST_STEPS)


@each_game
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_settings_survive_the_way_through_messages(name: str, data: st.DataObject) -> None:
    game, message = find(name), data.draw(some_settings(name))
    full = game.full_settings(message)
    assert game.read_settings(full) == game.read_settings(message)
    assert game.full_settings(full) == full
    assert json_format.Parse(json_format.MessageToJson(full), game.settings_type()) == full
    for field, value in message.ListFields():
        if value or field.enum_type is None:  # a choice that is given as unspecified has its default
            assert getattr(full, field.name) == value


@each_game
def test_settings_that_are_not_given_have_their_defaults_and_unknown_choices_are_refused(name: str) -> None:
    game = find(name)
    assert game.read_settings(game.settings_type()) == import_module(f"fairplay.games.{name}.rules").Settings()
    for field in game.settings_type.DESCRIPTOR.fields:
        if field.enum_type is not None:
            with pytest.raises(ValueError, match=f"^{field.name} has the unknown value 99.$"):
                game.full_settings(game.settings_type(**{field.name: 99}))


@each_game
def test_as_many_players_as_a_game_has_no_seats_for_are_refused(name: str) -> None:
    game = find(name)
    for count in (1, max(game.seats) + 1):
        with pytest.raises(ValueError, match=rf"2 to {max(game.seats)} players, not (by )?{count}"):
            game.play("g", game.settings_type(), ["player"] * count, Random(0), None)


@each_game
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_a_game_goes_on_from_any_state_that_was_shown_and_from_no_public_one(name: str, data: st.DataObject) -> None:
    game, seed = find(name), data.draw(st.integers(0, 2**32))
    chosen, count = data.draw(some_settings(name, numbers=False)), data.draw(st.integers(2, len(NAMES)))
    assume(count in game.seats_with(chosen))
    healthy, lost = players(game, "random"), data.draw(st.tuples(st.integers(0, 3), st.integers(5, 200)))
    calls = iter(range(100_000))

    def answer(call: Call) -> Any:
        return CallError() if next(calls) > lost[1] and call.seat == lost[0] else healthy(call)

    shown = [step.state for step in steps_of(game, chosen, count, seed, answer) if isinstance(step, Show)]
    seen: list[Any] = [game.public_state(each) for each in shown]
    begun, revisions = seen[0], [state.revision for state in seen]
    assert revisions == sorted(set(revisions)) or (name == "fish" and revisions == sorted(revisions))
    if begun != game.full_state(shown[0]):
        with pytest.raises(ValueError, match=r"\.$"):
            game.check_state(chosen, begun)
    for state in data.draw(st.lists(st.sampled_from(shown), min_size=1, max_size=4)):
        full, public = game.full_state(state), game.public_state(state)
        assert json_format.Parse(json_format.MessageToJson(full), game.state_type()) == full
        left = game.check_state(chosen, full)
        first = next(game.play("g", chosen, NAMES[:left], Random(seed + 1), full))
        assert isinstance(first, Show)
        assert without_news(game.full_state(first.state)) == without_news(full)
        assert without_news(game.public_state(first.state)) == without_news(public)


@pytest.mark.parametrize(("name", "method"), [(name, each.name) for name in GAMES for each in find(name).methods])
def test_a_player_that_fails_in_any_call_is_out_and_never_called_again(name: str, method: str) -> None:
    game = find(name)
    healthy, count = players(game, "first"), max(game.seats[:3])

    def answer(call: Call) -> Any:
        return CallError(message="gone") if (call.seat, call.method.name) == (1, method) else healthy(call)

    machine = GameMachine(game.play("g", game.settings_type(**GAMES[name]), NAMES[:count], Random(3), None))
    out, failed = False, False
    for step in machine.play(answer):
        calls = [step] if isinstance(step, Call) else getattr(step, "calls", ())
        assert not out or all(call.seat != 1 for call in calls)
        failed = failed or any((call.seat, call.method.name) == (1, method) for call in calls)
        out = out or isinstance(step, Eliminate)
    assert out == failed
    assert failed or method in IN_NO_USUAL_GAME
    assert machine.outcome is not None
    assert any(1 in {seat for seat, _ in group} for group in machine.outcome.ranking) == (not out)


@pytest.mark.parametrize(("name", "strategy"), [(name, each) for name in GAMES for each in find(name).strategies])
def test_every_answer_of_a_strategy_is_legal_and_the_same_for_the_same_question(name: str, strategy: str) -> None:
    game = find(name)
    count = min(3, max(game.seats))
    one, other = players(game, strategy, count), players(game, strategy, count)

    def answer(call: Call) -> Any:
        reply = one(call)
        assert reply == other(call)
        return reply

    steps = list(islice(steps_of(game, game.tournament_settings, count, 7, answer), 120))
    assert not [step for step in steps if isinstance(step, Eliminate)]


@pytest.mark.parametrize("name", [name for name in GAMES if name != "webset"])  # of which the person has to be in time
@pytest.mark.parametrize("count", [2, 4])
async def test_who_points_at_random_at_what_the_pictures_offer_breaks_no_rule(name: str, count: int) -> None:
    game, rng = find(name), Random(count)
    frontend, bots = find_frontend(name), players(game, "random", count)
    assert frontend is not None
    table = AtTable(frontend, NAMES[:count])
    conversation, sent = game.play("g", game.tournament_settings, NAMES[:count], rng, None), None
    for _ in range(MOST_STEPS):
        try:
            step = conversation.send(sent)
        except StopIteration:
            break
        assert not isinstance(step, Eliminate)
        if isinstance(step, Show):
            table.person.update(game.public_state(step.state))
        calls = [step] if isinstance(step, Call) else getattr(step, "calls", ())
        replies = {call.seat: await pointed(table, call, rng) if call.seat == 0 else bots(call) for call in calls}
        sent = replies[step.seat] if isinstance(step, Call) else replies or None


async def pointed(table: AtTable, call: Call, rng: Random) -> Any:
    """Return what the person replies that points at random."""
    task = asyncio.ensure_future(getattr(table.person, snake_case(call.method.name))(call.request))
    await asyncio.sleep(0)
    if not task.done():
        point_at_random(table.person, rng)
    return await task or call.method.response()

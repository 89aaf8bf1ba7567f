"""Messages of Eriantys: they say what the rules say, and what is wrong with them is named."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_player_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.game import GAME
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules.state import (
    Action,
    EndTurn,
    MoveMotherNature,
    Phase,
    PlayCharacter,
    Settings,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    view_of,
)
from fairplay.games.machine import drive
from fairplay.games.steps import Call, answer_step, calls_in
from tests.games.eriantys.playing import ASKS, a_middle, middles, sound, talk_from
from tests.games.eriantys.tables import CHOICES, canonical, expert, fresh, students, table

some_settings = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()}).map(
    lambda chosen: Settings(**chosen)
)
some_states = st.builds(a_middle, some_settings, st.integers(2, 4), st.integers(0, 2**32))


# Settings


# States


@settings(deadline=None, max_examples=30)
@given(some_settings, st.integers(2, 4), st.integers(0, 2**32))
def test_a_board_that_is_brought_up_to_date_is_the_one_that_is_written_anew(
    chosen: Settings, seat_count: int, seed: int
) -> None:
    message, before = eriantys_pb2.State(), None
    for state in middles(chosen, seat_count, seed):
        codec.put_public(message, state, before)
        assert message == codec.build_public(state)
        before = state


@settings(deadline=None)
@given(some_states)
def test_a_player_is_given_the_view_of_its_seat(state: State) -> None:
    assume(state.phase is not Phase.OVER)
    talk = talk_from(state)
    step, calls = next(talk), list[Call]()
    while not any(call.method.name in ASKS for call in calls):
        step = talk.send(answer_step(step, lambda call: call.method.response()))
        calls = list(calls_in(step))
    for call in calls:
        assert codec.read_view(call.request) == view_of(state, call.seat)


def test_a_state_without_luck_gets_it_from_the_seed() -> None:
    message = codec.build_state(fresh(Settings()))
    message.ClearField("draw_state")
    lucks = [codec.resume(message, Settings(), Random(seed)).draw_state for seed in (1, 1, 2)]
    assert lucks[0] == lucks[1] != lucks[2]


@pytest.mark.parametrize(
    ("name", "most_items", "most"),
    [("sides", 4, 4), ("group_sizes", 12, 12), ("group_students", 60, 26), ("hand_sizes", 4, 10)],
)
def test_nobody_builds_what_is_larger_than_any_game_has(name: str, most_items: int, most: int) -> None:
    with pytest.raises(ValueError, match=f"{name} has {most_items + 1} entries: at most {most_items} are possible"):
        codec.read_view(asked(eriantys_pb2.State(**{name: [0] * (most_items + 1)})))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"{name} has the value {most + 1}: at most {most} is possible"):
        codec.read_view(asked(eriantys_pb2.State(**{name: [0, most + 1]})))  # type: ignore[arg-type]


def test_a_hand_has_assistants_that_there_are() -> None:
    state = codec.build_public(fresh(Settings()))
    state.hand_sizes[:] = [1, 10]
    assert codec.read_view(asked(state, 10)).hands == ((10,), (0,) * 10)  # what the other player holds is hidden
    with pytest.raises(ValueError, match="hand has the assistant 11: assistants are 1 to 10"):
        codec.read_view(asked(state, 11))
    state.hand_sizes[1] = 11
    with pytest.raises(ValueError, match="hand_sizes has the value 11"):
        codec.read_view(asked(state, 10))


def asked(state: eriantys_pb2.State, *hand: int) -> eriantys_player_pb2.AskActionRequest:
    return eriantys_player_pb2.AskActionRequest(state=state, hand=hand)


# What can be done


def multiplied(options: eriantys_pb2.Options) -> Iterator[Action]:
    """Return the actions that options stand for, by what the proto says and nothing else."""
    yield from (ToDiningRoom(color - 1) for color in options.dining_colors)
    yield from (ToIsland(color - 1, island) for color, island in product(options.island_colors, options.islands))
    yield from (MoveMotherNature(steps) for steps in range(1, options.max_steps + 1))
    yield from map(TakeCloud, options.clouds)
    yield from [EndTurn()] * (eriantys_pb2.ACTION_KIND_END_TURN in options.kinds)
    for character in options.characters:
        yield from uses(character)


def uses(options: eriantys_pb2.CharacterOptions) -> Iterator[PlayCharacter]:
    if options.HasField("exchange"):
        yield from exchanges(options.character, options.exchange)
        return
    for color, island in product(options.colors or [None], options.islands or [None]):
        yield PlayCharacter(options.character, None if color is None else color - 1, island)


def exchanges(character: int, bounds: eriantys_pb2.ExchangeOptions) -> Iterator[PlayCharacter]:
    for count in range(bounds.min_count, bounds.max_count + 1):
        for given_, taken in product(combinations_with_replacement(range(5), count), repeat=2):
            if all(given_.count(color) <= bounds.given_counts[color] for color in range(5)) and all(
                taken.count(color) <= bounds.taken_counts[color] for color in range(5)
            ):
                gained = [given_.count(color) - taken.count(color) for color in range(5)]
                if all(more <= free for more, free in zip(gained, bounds.free_seats, strict=False)):
                    left, right = (taken, given_) if character == 7 else (given_, taken)
                    yield PlayCharacter(character, swaps=tuple(zip(left, right, strict=True)))


def options_of(state: State) -> eriantys_pb2.Options:
    options = eriantys_pb2.Options()
    answers.put_options(options, state)
    return options


def check_options(state: State) -> None:
    options = options_of(state)
    found = list(multiplied(options))
    assert len(set(found)) == len(found)
    assert set(found) == {canonical(state, action) for action in rules.legal(state)}
    kinds = {
        ToDiningRoom: eriantys_pb2.ACTION_KIND_TO_DINING_ROOM,
        ToIsland: eriantys_pb2.ACTION_KIND_TO_ISLAND,
        MoveMotherNature: eriantys_pb2.ACTION_KIND_MOVE_MOTHER_NATURE,
        TakeCloud: eriantys_pb2.ACTION_KIND_TAKE_CLOUD,
        PlayCharacter: eriantys_pb2.ACTION_KIND_PLAY_CHARACTER,
        EndTurn: eriantys_pb2.ACTION_KIND_END_TURN,
    }
    assert sorted(options.kinds) == sorted({kinds[type(action)] for action in found})


@settings(deadline=None)
@given(some_states)
def test_the_options_are_the_legal_actions_and_no_others(state: State) -> None:
    assume(state.phase not in (Phase.TOWERS, Phase.ASSISTANT, Phase.OVER))
    check_options(state)


@pytest.mark.parametrize("room", ["GREEN10 RED", "GREEN9 RED9"])
@pytest.mark.parametrize("zero", [False, True])
def test_the_bounds_of_exchanges_are_exact_at_full_tables(room: str, zero: bool) -> None:
    chosen = expert(10, 7, 5, allow_zero_swaps=zero, no_entry_stack=False)
    check_options(
        table(2, chosen, phase=Phase.STUDENTS, entrances=["GREEN2 RED"], rooms=[room, ""], coins=(9, 0), reserve=11)
    )


def test_hundreds_of_ways_to_exchange_are_a_few_bytes() -> None:
    held, seated = ["GREEN2 RED2 YELLOW2 PINK2 BLUE"], ["GREEN3 RED3 YELLOW3 PINK3 BLUE3"]
    chosen = expert(7, 10, 1)
    state = table(3, chosen, phase=Phase.STUDENTS, entrances=held, rooms=seated, coins=(9, 0, 0), reserve=11)
    jester = state.cards[0]._replace(students=students("GREEN2 RED YELLOW PINK BLUE"))
    state = state._replace(cards=(jester, *state.cards[1:]))
    assert len(rules.legal(state)) > 800
    assert options_of(state).ByteSize() < 120
    check_options(state)


# Actions


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (PlayCharacter(1, color=4, island=11), {"character": 1, "color": 5, "island": 11}),
        (PlayCharacter(7, swaps=((0, 1), (2, 3))), {"character": 7, "given": [2, 4], "taken": [1, 3]}),
        (PlayCharacter(10, swaps=((0, 1), (2, 3))), {"character": 10, "given": [1, 3], "taken": [2, 4]}),
    ],
)
def test_a_character_says_what_is_given_from_the_entrance_and_taken(
    action: PlayCharacter, message: dict[str, Any]
) -> None:
    played = eriantys_pb2.PlayCharacter(**message)
    assert answers.build_reply(action).action.play_character == played  # type: ignore[union-attr]
    assert answers.read_action(eriantys_pb2.Action(play_character=played)) == action


@settings(deadline=None, max_examples=50)
@given(some_states)
def test_the_legal_replies_of_evidence_are_legal(state: State) -> None:
    assume(state.phase not in (Phase.OVER, Phase.TOWERS))
    replies = answers.legal_replies(state)
    assert replies
    assert all(rules.violation(state, answers.read_reply(state, reply)) is None for reply in replies)
    assert len(replies) <= len(rules.legal(state))


def test_of_exchanges_the_evidence_has_those_of_one_student() -> None:
    held, seated = ["GREEN2 RED2"], ["GREEN3 RED3 BLUE"]
    state = table(2, expert(10, 7, 5), phase=Phase.STUDENTS, entrances=held, rooms=seated, coins=(9, 0), reserve=11)
    swaps = [
        len(action.swaps)
        for action in (answers.read_reply(state, reply) for reply in answers.legal_replies(state))
        if isinstance(action, PlayCharacter) and action.character == 10
    ]
    assert swaps == [1] * 6  # a green or a red one, for a green, a red or a blue one


# States from outside


@settings(deadline=None, max_examples=150)
@given(some_states, st.data())
def test_a_state_that_was_changed_by_chance_is_refused_or_can_be_played_to_its_end(state: State, data: Any) -> None:
    """No field, whatever it holds, leads the referee into an error or a dead end."""
    message = codec.build_state(state)
    for _ in range(data.draw(st.integers(1, 2))):
        change_one_value(message, data)
    chosen = codec.build_settings(state.settings)
    try:
        seat_count = GAME.check_state(chosen, message)
    except ValueError:
        return
    names = list("abcd"[:seat_count])
    outcome = drive(GAME.play("g", chosen, names, Random(0), message), sound("first"))
    assert {seat for group in outcome.ranking for seat, _ in group} <= set(range(seat_count))


def change_one_value(message: eriantys_pb2.State, data: Any) -> None:
    """Put another value in one place of a state."""
    field = data.draw(st.sampled_from([field for field, _ in message.ListFields()] or message.DESCRIPTOR.fields[:3]))
    value = data.draw(st.integers(0, 12))
    held = getattr(message, field.name)
    if isinstance(held, bool):
        setattr(message, field.name, not held)
    elif isinstance(held, bytes):
        setattr(message, field.name, held[value:])
    elif isinstance(held, int):
        setattr(message, field.name, value)
    elif data.draw(st.booleans()) and len(held) > 1:  # what is conserved stays conserved
        at, other = data.draw(st.integers(0, len(held) - 1)), data.draw(st.integers(0, len(held) - 1))
        held[at], held[other] = held[other], held[at]
    else:
        held[data.draw(st.integers(0, len(held) - 1))] = value

"""Eriantys by hand: every legal answer can be found, step by step, and a reply is what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_player_pb2 import (
    AskAssistantCardRequest,
    AskTowerColorRequest,
    ShowEndGameRequest,
    ShowLastRoundRequest,
    StartGameRequest,
    UpdateGameBoardRequest,
)
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.person import FRONTEND, Deciding
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules.state import Phase, PlayAssistant, Settings, State
from fairplay.games.frontends import IllegalChoiceError
from tests.games.at_table import AtTable, asking

NAMES = ("ann", "[bob]")
EXPERT = Settings(mode="expert")


def played(settings: Settings, steps: int, rng: Random) -> State:
    """Return a state after that many random answers, or the last one before the end."""
    state = rules.initial(settings, 2, rng)
    for _ in range(steps):
        after = rules.apply(state, rng.choice(rules.legal(state)))
        if rules.turn(after) is None:
            return state
        state = after
    return state


def fresh(seed: int = 1) -> State:
    return rules.initial(Settings(), 2, Random(seed))


def after(state: State, phase: Phase) -> State:
    """Return the first state of a phase, after first legal answers."""
    while state.phase is not phase:
        state = rules.apply(state, rules.legal(state)[0])
    return state


def key(reply: Message | None) -> bytes:
    """Return a reply as bytes, to compare it in sets."""
    assert reply is not None
    return reply.SerializeToString(deterministic=True)


def found(draft: Deciding) -> list[Deciding]:
    """Return all complete drafts to which choices lead, of exchanges those with one pair."""
    complete = [draft] if draft.reply is not None else []
    if draft.swaps:
        return complete
    return complete + [end for choice in draft.choices for end in found(draft.choose(choice.part))]


@hypothesis_settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 90), st.booleans())
def test_every_legal_answer_is_found_and_no_other(seed: int, steps: int, expert: bool) -> None:
    state = played(EXPERT if expert else Settings(), steps, Random(seed))
    replies = [draft.reply for draft in found(Deciding(state))]
    legal = answers.legal_replies(state)
    assert sorted(map(key, replies)) == sorted(map(key, legal))


def test_students_are_exchanged_pair_by_pair() -> None:
    rng = Random(3)
    drafts = (Deciding(played(EXPERT, steps, rng)) for steps in range(5, 200))
    exchangers = "character-7", "character-10"
    draft, part = next((each, choice.part) for each in drafts for choice in each.choices if choice.part in exchangers)
    chosen = draft.choose(part)
    assert chosen.reply is None
    half = chosen.choose(chosen.choices[0].part)
    assert half.reply is None
    assert half.choices
    one = half.choose(half.choices[0].part)
    assert one.reply is not None
    assert len(answers.read_reply(draft.view, one.reply).swaps) == 1  # type: ignore[union-attr]
    assert one.prompt.endswith(("or send:", "?"))


def students_first() -> State:
    """Return a state in which students are to be moved, and the entrance lacks a colour."""
    states = (after(fresh(seed), Phase.STUDENTS) for seed in range(100))
    return next(state for state in states if 0 in state.entrances[state.active])


def lacking() -> int:
    """Return the colour that the entrance lacks then."""
    return students_first().entrances[students_first().active].index(0)


@pytest.mark.parametrize(
    ("state", "steps", "part", "sentence"),
    [
        (fresh, [], "cloud-7", rules.RULES["eriantys.action.phase"]),
        (lambda: after(fresh(), Phase.ASSISTANT), [], "assistant-11", rules.RULES["eriantys.assistant.range"]),
        (students_first, [], "island-0", "Choose a student of your entrance first"),
        (students_first, [], "student-", rules.RULES["eriantys.student.entrance"]),
        (students_first, ["student"], "island-12", rules.RULES["eriantys.island.known"]),
        (students_first, [], "character-1", rules.RULES["eriantys.character.expert"]),
        (lambda: after(fresh(), Phase.MOTHER_NATURE), [], "here", rules.RULES["eriantys.mother-nature.steps"]),
    ],
)
def test_what_is_illegal_is_refused_with_the_rule(
    state: Callable[[], State], steps: list[str], part: str, sentence: str
) -> None:
    draft = Deciding(state())
    if steps:
        draft = draft.choose(draft.choices[0].part)
    if part == "here":
        part = f"island-{draft.view.groups[draft.view.mother_nature].tiles[0]}"
    if part.startswith("student-"):
        part = f"student-{lacking()}"
    with pytest.raises(IllegalChoiceError) as refused:
        draft.choose(part)
    assert str(refused.value).startswith(sentence)


def test_another_student_may_be_chosen_in_place_of_the_first() -> None:
    draft = Deciding(students_first())
    one, other = (choice.part for choice in draft.choices[:2])
    assert draft.choose(one).choose(other) == draft.choose(other)


def test_where_two_ways_lead_mother_nature_to_an_island_the_number_of_steps_is_chosen_too() -> None:
    state = after(fresh(), Phase.MOTHER_NATURE)
    joined = state.groups[0]._replace(tiles=tuple(tile for group in state.groups[:9] for tile in group.tiles))
    few = state._replace(groups=(joined, *state.groups[9:]), mother_nature=0, assistants=(10, 10))
    draft = Deciding(few)
    ways = [draft.choose(choice.part) for choice in draft.choices if choice.part.startswith("island-")]
    assert [way.reply for way in ways] == [None] * len(draft.view.groups)
    assert [len(way.choices) for way in ways] == [2, 1, 1, 1]
    replies = [way.choose(choice.part).reply for way in ways for choice in way.choices]
    assert sorted(map(key, replies)) == sorted(map(key, answers.legal_replies(few)))


# --- a person ---


class Table(AtTable):
    def __init__(self) -> None:
        super().__init__(FRONTEND, NAMES)

    def asked(self, request: Any) -> AbstractAsyncContextManager[asyncio.Task[Any]]:
        match request:
            case AskTowerColorRequest():
                return asking(self.person.ask_tower_color(request))
            case AskAssistantCardRequest():
                return asking(self.person.ask_assistant_card(request))
        return asking(self.person.ask_action(request))


def public(state: State) -> eriantys_pb2.State:
    return codec.build_public(state)


async def test_boards_and_ends_are_told() -> None:
    table, state = Table(), after(fresh(), Phase.ASSISTANT)
    await table.person.start_game(StartGameRequest(state=public(state), hand=range(1, 11)))
    played = rules.apply(state, PlayAssistant(3))
    after_it = codec.build_public(played, codec.LastAction(state.active, PlayAssistant(3)))
    await table.person.update_game_board(UpdateGameBoardRequest(state=after_it))
    await table.person.show_last_round(ShowLastRoundRequest())
    await table.person.show_end_game(ShowEndGameRequest(seat=1, state=after_it, winner_seats=[1]))
    name = NAMES[state.active]
    assert table.lines == [f"{name} played assistant 3", "This is the last round.", "You have won."]
    assert max(cell_len(line) for line in table.side.splitlines()) <= 22
    assert "[bob]" in table.side


async def test_a_refused_answer_is_said() -> None:
    table, state = Table(), after(fresh(), Phase.ASSISTANT)
    request = AskAssistantCardRequest(seat=state.active, state=public(state), hand=[1, 2])
    request.refusal.explanation = "An assistant that somebody has played cannot be played."
    async with table.asked(request):
        assert table.lines == ["An assistant that somebody has played cannot be played."]

"""What the tests of Eriantys over messages share: players, and conversations written down step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.eriantys.v1.eriantys_pb2 import Action
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.game import GAME
from fairplay.games.eriantys.protocol import codec, conversation
from fairplay.games.eriantys.rules.state import Settings, State
from fairplay.games.game import Start
from fairplay.games.steps import Call, CallAll, Conversation, Eliminate, Outcome, Show
from tests.games.playing import Answer, failing_player, sound_players

ASKS = ("AskTowerColor", "AskAssistantCard", "AskAction")


# Players


def sound(*specs: str) -> Answer:
    """Answer as reference players do, the last strategy in all seats that have none of their own."""
    return sound_players(GAME, *(specs or ("first",)))


def failing(
    seat: int, method: str, failure: Any, after: int = 0, times: int = 1_000, others: Answer | None = None
) -> Answer:
    """Answer as sound players do; one answers `times` calls of a method with `failure`, after `after` of them."""
    return failing_player(others or sound(), seat, method, failure, after, times)


# Conversations written down


class Said(NamedTuple):
    """A call and its answer, with how many steps came before it."""

    step: int
    call: Call
    answer: Any

    @property
    def what(self) -> tuple[int, str]:
        return self.call.seat, self.call.method.name


class Played(NamedTuple):
    """All steps of a game, all that was said, and its outcome."""

    steps: Sequence[Any]
    said: Sequence[Said]
    outcome: Outcome

    def calls(self, *without: str) -> list[tuple[int, str]]:
        return [said.what for said in self.said if said.call.method.name not in without]

    def of(self, *methods: str) -> list[Said]:
        return [said for said in self.said if said.call.method.name in methods]

    def eliminated(self) -> list[Eliminate]:
        return [step for step in self.steps if isinstance(step, Eliminate)]

    def states(self) -> list[State]:
        return [step.state.state for step in self.steps if isinstance(step, Show)]

    def last(self) -> State:
        return self.states()[-1]

    def groups(self) -> list[list[int]]:
        return [[seat for seat, _ in group] for group in self.outcome.ranking]

    def after(self, kind: type) -> list[tuple[int, str]]:
        """Return the calls behind the first step of a kind."""
        first = next(place for place, step in enumerate(self.steps) if isinstance(step, kind))
        return [said.what for said in self.said if said.step > first]


def written(conversation: Conversation, answer: Answer) -> Played:
    """Drive a conversation to its end and return its steps and calls."""
    steps: list[Any] = []
    said: list[Said] = []
    sent: Any = None
    while True:
        try:
            step = conversation.send(sent)
        except StopIteration as stop:
            return Played(steps, said, stop.value)
        sent = None
        steps.append(step)
        if isinstance(step, Call):
            sent = answer(step)
            said.append(Said(len(steps) - 1, step, sent))
        elif isinstance(step, CallAll):
            sent = {call.seat: answer(call) for call in step.calls}
            said += [Said(len(steps) - 1, call, sent[call.seat]) for call in step.calls]


def messages(**settings: Any) -> eriantys_settings_pb2.Settings:
    """Return settings as a message: choices by the end of their names, e.g. mode="EXPERT"."""
    named = {name: f"{name}_{value}".upper() for name, value in settings.items() if isinstance(value, str)}
    return eriantys_settings_pb2.Settings(**{**settings, **named})


def game(answer: Answer, seat_count: int = 2, seed: int = 1, **settings: Any) -> Played:
    """Play a whole fresh game."""
    names = list("abcd"[:seat_count])
    return written(GAME.play("g", messages(**settings), names, Random(seed), None), answer)


def resumed(answer: Answer, state: State, seed: int = 1) -> Played:
    """Play a game that goes on from a state."""
    names = list("abcd"[: len(state.sides)])
    settings = GAME.full_settings(settings_of(state))
    return written(GAME.play("g", settings, names, Random(seed), codec.build_state(state)), answer)


def talk_from(state: State, *names: str) -> Conversation:
    """Return the conversation of a game that goes on from a state."""
    return conversation.play(Start("g", state.settings, names or "abcd"[: len(state.sides)], state, fresh=False))


def settings_of(state: State) -> eriantys_settings_pb2.Settings:
    return codec.build_settings(state.settings)


# Answers


def tower(name: str) -> AskTowerColorResponse:
    return AskTowerColorResponse(color=eriantys_pb2.TowerColor.Value(f"TOWER_COLOR_{name}"))


def card(value: int) -> AskAssistantCardResponse:
    return AskAssistantCardResponse(card=value)


def does(**choice: Any) -> AskActionResponse:
    """Return the reply with an action: does(to_island=ToIsland(color=..., island=3))."""
    return AskActionResponse(action=Action(**choice))


# Games in the middle


def middles(settings: Settings, seat_count: int, seed: int) -> Iterator[State]:
    """Yield the states of a game in which players are lost, return and are eliminated by chance."""
    rng = Random(seed)
    state = rules.initial(settings, seat_count, rng)
    yield state
    while rules.turn(state) is not None:
        state = _step(state, rng)
        yield state


def _step(state: State, rng: Random) -> State:
    chance = rng.random()
    if chance < 0.01:
        return rules.disconnect(state, rng.randrange(len(state.sides)))
    if chance < 0.013:
        return rules.eliminate(state, rng.randrange(len(state.sides)))
    if chance < 0.05:
        return rules.reconnect(state, rng.randrange(len(state.sides)))
    return rules.apply(state, rng.choice(rules.legal(state)))


def a_middle(settings: Settings, seat_count: int, seed: int) -> State:
    """Return one of the states of such a game."""
    return Random(seed).choice(list(middles(settings, seat_count, seed)))

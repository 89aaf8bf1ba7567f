"""What the tests of the Q game share: tiles by name, tables, players, and conversations written down step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from fairplay.games.kit.wire import Heads
from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import Coordinate, Placement, tile_of
from fairplay.games.q.rules.state import PASS, Action, Extension, Settings, State
from fairplay.games.steps import Call, Conversation, Eliminate, Outcome, Show
from fairplay.player.handlers import snake_case
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse

DEFAULTS = Settings()
HEADS = Heads(TakeTurnRequest, "g")
Answer = Callable[[Call], Any]


# Tiles and tables


def tile(name: str) -> int:
    color, shape = name.split()
    return tile_of(shape, color)


def tiles(names: str) -> tuple[int, ...]:
    """The tiles of a list such as "red star, blue circle"."""
    return tuple(tile(name.strip()) for name in names.split(",") if name.strip())


def extension(*placed: tuple[int, int, str]) -> Extension:
    return Extension(tuple(Placement(row, column, tile(name)) for row, column, name in placed))


def reply(action: Action) -> TakeTurnResponse:
    return TakeTurnResponse(action=codec.build_action(action))


def turn_request(state: State, seat: int) -> TakeTurnRequest:
    return TakeTurnRequest.FromString(codec.turn_request(HEADS, state, seat, codec.Laid(state.board)))


def table(
    *hands: str,
    pile: str = "",
    on_map: Mapping[Coordinate, str] | None = None,
    points: Sequence[int] | None = None,
    settings: Settings = DEFAULTS,
) -> State:
    """A state at the beginning of a round, with a red star at (0, 0) unless `on_map` says otherwise."""
    laid = {cell: tile(name) for cell, name in (on_map or {(0, 0): "red star"}).items()}
    return rules.resumed(settings, laid, [tiles(hand) for hand in hands], points or [0] * len(hands), tiles(pile))


def randomly_played(settings: Settings, seat_count: int, steps: int, rng: Random) -> codec.Shown:
    """A game after that many random steps, which may be turns, deliveries and eliminations; or at its end."""
    shown = codec.Shown(rules.initial(settings, seat_count, rng))
    for _ in range(steps):
        if rules.turn(shown.state) is None:
            break
        shown = _step(shown.state, rng)
    return shown


def _step(state: State, rng: Random) -> codec.Shown:
    seat = rules.turn(state)
    assert seat is not None
    chance = rng.random()
    if chance < 0.03:
        return codec.Shown(rules.eliminate(state, rng.randrange(len(state.hands))))
    if chance < 0.5 and state.delivery is not None:
        return codec.Shown(rules.delivered(state))
    listed = rules.legal(state)
    action = listed[0] if chance < 0.9 else rng.choice(listed)
    after = rules.apply(state, action)
    return codec.Shown(after, codec.Turn(seat, action, after.points[seat] - state.points[seat]))


# Conversations


class Played(NamedTuple):
    """All steps of a conversation, the answers to its calls in the same places, and its outcome."""

    steps: list[Any]
    answers: list[Any]
    outcome: Outcome

    @property
    def calls(self) -> list[Call]:
        return [step for step in self.steps if isinstance(step, Call)]

    @property
    def asked(self) -> list[tuple[int, str]]:
        """Who was called in what, in order."""
        return [(call.seat, call.method.name) for call in self.calls]

    @property
    def out(self) -> list[Eliminate]:
        return [step for step in self.steps if isinstance(step, Eliminate)]

    @property
    def shown(self) -> list[codec.Shown]:
        return [step.state for step in self.steps if isinstance(step, Show)]

    @property
    def end(self) -> State:
        return self.shown[-1].state

    @property
    def ranking(self) -> list[list[int]]:
        return [[seat for seat, _ in group] for group in self.outcome.ranking]

    @property
    def won(self) -> list[int]:
        return self.ranking[0] if self.ranking else []

    def of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method.name == method]

    def requests(self, method: str) -> list[Any]:
        return [call.request for call in self.of(method)]

    @property
    def ends(self) -> list[tuple[int, bool]]:
        """Who was told the end, and whether it has won."""
        return [(call.seat, request.won) for call, request in zip(self.of("Win"), self.requests("Win"), strict=True)]


def play_steps(conversation: Conversation, answer: Answer) -> Played:
    """Drives a conversation with these answers, and writes everything down."""
    played = Played([], [], Outcome([]))
    sent: Any = None
    while True:
        try:
            step = conversation.send(sent)
        except StopIteration as stop:
            return played._replace(outcome=stop.value)
        sent = answer(step) if isinstance(step, Call) else None
        played.steps.append(step)
        played.answers.append(sent)


def fresh(answer: Answer, seat_count: int = 2, seed: int = 1, **settings: Any) -> Played:
    """A game from its beginning."""
    return play_steps(GAME.play("g", q_pb2.Settings(**settings), list("abcd"[:seat_count]), Random(seed), None), answer)


def resumed(state: State, answer: Answer) -> Played:
    """A game that goes on from a state, which is given as a message."""
    message, chosen = codec.build_state(codec.Shown(state)), codec.build_settings(state.settings)
    return play_steps(GAME.play("g", chosen, list("abcd"[: len(state.hands)]), Random(0), message), answer)


# Players


def sound(*specs: str) -> Answer:
    """Reference players in all seats; the last strategy is that of all further ones."""
    players = [GAME.player(spec) for spec in specs or ("dag",)]

    def answer(call: Call) -> Any:
        player = players[min(call.seat, len(players) - 1)]
        given = getattr(player, snake_case(call.method.name))(call.request)
        return call.method.response() if given is None else given

    return answer


def failing(seat: int, method: str, failure: Any, after: int = 0, others: Answer | None = None) -> Answer:
    """Sound players, one of which gives `failure` as its answer in one method, from its call number `after` on."""
    healthy, counted = others or sound(), {"calls": 0}

    def answer(call: Call) -> Any:
        if (call.seat, call.method.name) == (seat, method):
            counted["calls"] += 1
            if counted["calls"] > after:
                return failure
        return healthy(call)

    return answer


def scripted(*turns: Action) -> Answer:
    """Players whose turns are these, in the order in which they come; afterwards all pass."""
    waiting = list(turns)

    def answer(call: Call) -> Any:
        if call.method.name != "TakeTurn":
            return call.method.response()
        return reply(waiting.pop(0) if waiting else PASS)

    return answer

"""What the tests of the Q game share: tiles by name, tables, players, and conversations written down step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from fairplay.games.kit.wire import Heads
from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import Coordinate, Placement, tile_of
from fairplay.games.q.rules.state import PASS, Action, Extension, Settings, State
from fairplay.games.steps import Call
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest, TakeTurnResponse
from tests.games.playing import Answer, Played, failing_player, play_steps, sound_players

DEFAULTS = Settings()
HEADS = Heads(TakeTurnRequest, "g")


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


def resumed(state: State, answer: Answer) -> Played:
    """A game that goes on from a state, which is given as a message."""
    message, chosen = codec.build_state(codec.Shown(state)), codec.build_settings(state.settings)
    return play_steps(GAME.play("g", chosen, list("abcd"[: len(state.hands)]), Random(0), message), answer)


# Players


def sound(*specs: str) -> Answer:
    """Reference players in all seats; the last strategy is that of all further ones."""
    return sound_players(GAME, *(specs or ("dag",)))


def failing(seat: int, method: str, failure: Any, after: int = 0, others: Answer | None = None) -> Answer:
    """Sound players, one of which gives `failure` as its answer in one method, from its call number `after` on."""
    return failing_player(others or sound(), seat, method, failure, after)


def scripted(*turns: Action) -> Answer:
    """Players whose turns are these, in the order in which they come; afterwards all pass."""
    waiting = list(turns)

    def answer(call: Call) -> Any:
        if call.method.name != "TakeTurn":
            return call.method.response()
        return reply(waiting.pop(0) if waiting else PASS)

    return answer

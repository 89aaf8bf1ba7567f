"""Whole games of Q as text, one line a call: who was asked what, and what the answer was.

    python -m tests.games.q.golden_games        writes golden/ anew

The files change only when the rules, the messages, the order of calls or a strategy does: look at what has changed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import tile_name
from fairplay.games.q.rules.state import Extension
from fairplay.games.steps import Call, Eliminate
from fairplay.q.v1 import q_pb2
from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak
from tests.games.q.playing import Answer, Played, extension, fresh, reply, sound

GOLDEN = Path(__file__).parent / "golden"


def _with_failures() -> Answer:
    """Four players, three of which fail: in new-tiles, by an illegal extension, and by taking too long."""
    healthy, turns = sound("dag", "ldasg", "random", "dag"), {0: 0, 1: 0, 2: 0, 3: 0}

    def answer(call: Call) -> Any:
        turns[call.seat] += call.method.name == "TakeTurn"
        match call.seat, call.method.name, turns[call.seat]:
            case 0, "NewTiles", 2:
                return CallError(message="IndexError: list index out of range")
            case 1, "TakeTurn", 3:
                return reply(extension((9, 9, "red star")))
            case 2, "TakeTurn", 4:
                return Overrun()
        return healthy(call)

    return answer


GAMES: Mapping[str, Callable[[], Played]] = {
    "dag-ldasg-best": lambda: fresh(sound("dag", "ldasg", "best"), 3, 7, copies_per_kind=1),
    "failures": lambda: fresh(
        _with_failures(), 4, 11, copies_per_kind=2, undelivered_tiles=q_pb2.UNDELIVERED_TILES_RETURN
    ),
    "qwirkle": lambda: fresh(sound("random"), 2, 5, copies_per_kind=1, fit_rule=q_pb2.FIT_RULE_QWIRKLE),
}


def retold(name: str) -> str:
    """A game as text."""
    return "\n".join([*_lines(GAMES[name]()), ""])


def _lines(played: Played) -> Iterator[str]:
    for step, answer in zip(played.steps, played.answers, strict=True):
        if isinstance(step, Call):
            yield f"{step.seat} {step.method.name:8} {_request(step.request)} -> {_answer(answer)}"
        elif isinstance(step, Eliminate):
            cause = step.cause
            yield f"{step.seat} is out: {cause.rule_id if isinstance(cause, RuleBreak) else _answer(cause)}"
    yield f"result: {[list(group) for group in played.outcome.ranking]}"


def _request(request: Any) -> str:
    parts = {field.name: value for field, value in request.ListFields() if field.name != "game_id"}
    state = parts.pop("state", None)
    words = [_state(state)] if state is not None else []
    if "tiles" in request.DESCRIPTOR.fields_by_name:
        words.append(f"tiles: {_tiles(request.tiles)}")
    if "won" in request.DESCRIPTOR.fields_by_name:
        words.append(f"won: {request.won}")
    return "; ".join(words)


def _state(state: q_pb2.State) -> str:
    scores = " ".join(f"{player.seat}:{player.score}" for player in state.players)
    newest = f"({state.rows[-1]}, {state.columns[-1]}) {_tiles(state.tiles[-1:])}"
    table = f"revision {state.revision}, {len(state.tiles)} on the map up to {newest}, pile {state.pile_left}"
    return f"{table}, scores {scores}, hand {_tiles(state.players[0].hand)}"


def _tiles(numbers: Iterable[int]) -> str:
    return ", ".join(map(tile_name, codec.read_tiles(numbers))) or "none"


def _answer(answer: Any) -> str:
    if isinstance(answer, CallError):
        return f"error {answer.message!r}"
    if isinstance(answer, Overrun):
        return "no answer in time"
    if "action" not in answer.DESCRIPTOR.fields_by_name:
        return "ok"
    action = codec.read_reply(answer)
    if not isinstance(action, Extension):
        return action.value
    return ", ".join(f"({row}, {column}) {tile_name(tile)}" for row, column, tile in action.placements)


def main() -> None:
    """Writes all games anew."""
    GOLDEN.mkdir(exist_ok=True)
    for name in GAMES:
        path = GOLDEN / f"{name}.txt"
        path.write_text(retold(name), encoding="utf-8")
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()

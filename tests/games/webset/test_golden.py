"""Whole games of Webset as text, one line a call: who was asked what, and what the answer was.

After a change that is meant, the files are written anew by
    .venv/bin/python -m tests.games.webset.test_golden
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairplay.games.steps import FAILURES, Arrival, Call, CallAll, Eliminate, Race
from fairplay.games.webset.game import GAME
from fairplay.games.webset.rules.cards import EMPTY, format_card
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.webset.v1 import webset_pb2, webset_player_pb2
from fairplay.webset.v1.webset_player_pb2 import ActResponse, PickCardsResponse
from tests.games.webset.tables import format_cards, message, sound

GOLDEN = Path(__file__).parent / "golden"


def transcript(
    seed: int, settings: webset_pb2.Settings, answer: Callable[[Call], Any], seat_count: int
) -> Iterator[str]:
    """Play a game in which one call of each race is answered, drawn by lot, after up to two seconds."""
    rng = Random(seed)
    game = GAME.play("g", GAME.full_settings(settings), list("abcd"[:seat_count]), Random(seed), None)
    sent: Any = None
    while True:
        try:
            step = game.send(sent)
        except StopIteration as stop:
            yield f"ranking {[list(group) for group in stop.value.ranking]}"
            return
        sent = None
        if isinstance(step, Race):
            call, elapsed_s = rng.choice(step.calls), rng.randrange(2000) / 1000
            sent = [Arrival(call.seat, answer(call), elapsed_s)]
            yield f"{line(call, sent[0].answer)} after {elapsed_s} s of {seats(step)}"
        elif isinstance(step, CallAll):
            sent = {call.seat: answer(call) for call in rng.sample(step.calls, len(step.calls))}
            yield from (line(call, sent[call.seat]) for call in step.calls)
        elif isinstance(step, Eliminate):
            yield f"{step.seat} is out: {type(step.cause).__name__} {getattr(step.cause, 'rule_id', '')}".rstrip()


def seats(race: Race) -> str:
    asked = " ".join(f"{call.method.name} {call.seat}" for call in race.calls)
    hold = f", held {race.hold_s} s" if race.hold_s else ""
    later = "".join(f", {seat} later by {handicap_s} s" for seat, handicap_s in race.handicap_s.items())
    return f"[{asked}]{hold}{later}"


def line(call: Call, answer: Any) -> str:
    return f"{call.seat} {call.method.name} {asked(call.request)}-> {replied(answer)}"


def asked(request: Any) -> str:
    state = request.state
    cards = " ".join("----" if card == EMPTY else format_card(card) for card in state.slots)
    points = "/".join(str(player.points) for player in state.players)
    kinds = [webset_pb2.EventKind.Name(each.kind)[11:].lower() for each in getattr(request, "events", [])]
    status = webset_player_pb2.Status.Name(request.status)[7:] if getattr(request, "status", 0) else ""
    said = f"{status} {' '.join(kinds)} ".lstrip()
    ranks = f"ranks {list(request.ranks)} won={request.won} " if hasattr(request, "ranks") else ""
    return (
        f"rev {state.revision} deck {state.deck_left} points {points} [{cards}] {said if said.strip() else ''}{ranks}"
    )


def replied(answer: Any) -> str:
    if isinstance(answer, FAILURES):
        return type(answer).__name__
    if isinstance(answer, ActResponse):
        return webset_player_pb2.Action.Name(answer.action)[7:].lower()
    return format_cards(answer.cards) or "pass" if isinstance(answer, PickCardsResponse) else "ok"


def faulty() -> Callable[[Call], Any]:
    """Return the answers of three sound players and one that is late, wrong and lost in its first three calls."""
    healthy, picks = sound("first", "solver:error=0.3", "random"), iter([Overrun(), None, CallError()])

    def answer(call: Call) -> Any:
        if call.seat == 3 and call.method.name == "PickCards":
            failure = next(picks)
            return failure or PickCardsResponse(cards=[0, 1])
        return healthy(call)

    return answer


GAMES: Mapping[str, Callable[[], Iterator[str]]] = {
    "contest-small-deck": lambda: transcript(1, message(aspects=3), sound("first", "solver:error=0.4", "random"), 3),
    "seed-profile": lambda: transcript(2, message(profile="seed", aspects=3), sound("random", "solver:error=0.3"), 2),
    "published-with-faults": lambda: transcript(
        3, message(profile="published", aspects=3, penalty_expired=2), faulty(), 4
    ),
    "rounds-by-lot": lambda: transcript(
        4, message(rounds="lot", aspects=3), sound("first", "solver:error=0.5", "random"), 3
    ),
    "held-and-handicapped": lambda: transcript(
        5,
        message(aspects=3, min_reaction_ms=900, handicaps_ms=(0, 250), lockout_ms=1500),
        sound("first", "solver:error=0.5"),
        2,
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_the_golden_game_is_played_as_ever(name: str) -> None:
    assert "\n".join([*GAMES[name](), ""]) == (GOLDEN / f"{name}.txt").read_text("utf-8")


if __name__ == "__main__":
    for name, game in GAMES.items():
        (GOLDEN / f"{name}.txt").write_text("\n".join([*game(), ""]), "utf-8")

"""Every answer comes in time."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance import blame
from fairplay.conformance.bench import Bench
from fairplay.conformance.case import Case, case
from fairplay.conformance.rehearsal import Performance, Rehearsal
from fairplay.conformance.subject import Breaker
from fairplay.games.game import Game

GAMES_AT_ONCE = 8
DECISIONS = 10


@case(blame.FIRST_ANSWER, "The first decision of a game comes within its own, longer limit.")
def first_answer(bench: Bench) -> None:
    """Players load and compile what they need when they are first asked."""
    bench.judge_owned(blame.FIRST_ANSWER)


@case(blame.EVERY_ANSWER, "Every call returns within its limit.")
def every_answer(bench: Bench) -> None:
    """A player that takes too long is out of the game."""
    bench.judge_owned(blame.EVERY_ANSWER)


@case("time.under-load", "Every call returns within its limit, in several games at once.")
def under_load(bench: Bench) -> None:
    """A tournament plays many games at the same time, and a player may be in several of them."""
    beginnings = bench.beginnings(GAMES_AT_ONCE, DECISIONS)
    for performance in beginnings:
        situation = performance.situation
        bench.whole_game(situation.seat, situation.player_count)
    for each in _crowd(bench, beginnings) and _crowd(bench, beginnings):  # who is slow under load is so every time
        bench.judge_condition(each, ("memory.back-to-back", bench.sequence), ("memory.two-games-at-once", bench.pair))


def _crowd(bench: Bench, beginnings: Sequence[Performance]) -> list[Rehearsal]:
    """Those of several games at once in which the player misbehaved."""
    with bench.subject.fresh(breaker=Breaker()) as connection:
        return [found for found in bench.together(beginnings, connection) if found.misconduct is not None]


def cases(game: Game) -> Sequence[Case]:
    """The cases of this module."""
    return (first_answer, every_answer, under_load)

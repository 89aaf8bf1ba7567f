"""States drawn at random, and shrunk to the smallest that still fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from fairplay.conformance import blame
from fairplay.conformance.bench import Bench
from fairplay.conformance.case import Case, NotTested, SuiteError, case
from fairplay.conformance.positions import position
from fairplay.conformance.rehearsal import Performance, Rehearsal, rival_names
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

SEEDS = 12
STEPS = 40
SHRINK_LIMIT_S = 10.0
RULE = MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION
EXCEPTION = MisconductKind.MISCONDUCT_KIND_EXCEPTION
TIMEOUT = MisconductKind.MISCONDUCT_KIND_TIMEOUT
Try: TypeAlias = Callable[[Performance], Rehearsal]


@case("rules.drawn-states", "Every answer keeps the rules, in whatever state it is asked for.")
def keeps_the_rules(bench: Bench) -> None:
    """What a player gets wrong shows in positions that its author never thought of."""
    _try_states(bench, RULE)


@case("exceptions.drawn-states", "No valid request is answered with an error status.")
def never_raises(bench: Bench) -> None:
    """A player that raises is out of the game, whatever the position was."""
    _try_states(bench, EXCEPTION)


@case("time.drawn-states", "Every answer comes within the limit of its call.")
def answers_in_time(bench: Bench) -> None:
    """Some positions take longer than others."""
    _try_states(bench, TIMEOUT)


def _try_states(bench: Bench, kind: MisconductKind.ValueType) -> None:
    """Draws states until the player misbehaves in one of them in this way."""
    with bench.shared() as connection:

        def attempt(performance: Performance) -> Rehearsal:
            return bench.rehearse(performance, connection)

        worst = _Search(bench, kind, attempt).run()
    if worst is not None:
        bench.judge(worst)


class _Search:
    """Looks for the smallest position in which the player misbehaves."""

    def __init__(self, bench: Bench, kind: MisconductKind.ValueType, attempt: Try) -> None:
        self._bench = bench
        self._kind = kind
        self._attempt = attempt
        self._tried: dict[tuple[int, int, int, str], Rehearsal] = bench.drawn
        self._worst: Rehearsal | None = None
        self._give_up: float | None = None
        self._stopped: NotTested | SuiteError | None = None

    def run(self) -> Rehearsal | None:
        """The misconduct in the smallest position found, or None. NotTested: the player is not asked any more."""
        import hypothesis
        from hypothesis import strategies as st

        count = st.integers(self._bench.game.seats.start, self._bench.game.seats.stop - 1)
        step, seed = st.integers(0, STEPS), st.integers(0, SEEDS - 1)
        strategy = st.sampled_from(rival_names(self._bench.game))

        @hypothesis.seed(self._bench.seed)
        @hypothesis.settings(
            max_examples=self._bench.examples,
            database=None,
            deadline=None,
            derandomize=False,
            report_multiple_bugs=False,
            print_blob=False,
            verbosity=hypothesis.Verbosity.quiet,
            suppress_health_check=list(hypothesis.HealthCheck),
            phases=[hypothesis.Phase.generate, hypothesis.Phase.shrink],
        )
        @hypothesis.given(step, count, seed, strategy)
        def search(step: int, count: int, seed: int, strategy: str) -> None:
            self._look(step, count, seed, strategy)

        with contextlib.suppress(_FoundError, hypothesis.errors.Flaky):
            search()
        if self._stopped is not None and self._worst is None:
            raise self._stopped
        return self._worst

    def _look(self, step: int, count: int, seed: int, strategy: str) -> None:
        if self._stopped is not None or (self._give_up is not None and time.monotonic() > self._give_up):
            return
        try:
            found = self._rehearsed(step, count, seed, strategy)
        except (NotTested, SuiteError) as stopped:
            self._stopped = stopped
            return
        misconduct = found.misconduct
        if misconduct is not None and misconduct.kind == self._kind:
            self._worst = found
            self._give_up = self._give_up or time.monotonic() + SHRINK_LIMIT_S
            raise _FoundError(blame.signature(found))

    def _rehearsed(self, step: int, count: int, seed: int, strategy: str) -> Rehearsal:
        key = step, count, seed, strategy
        if key not in self._tried:
            bench = self._bench
            place = position(bench.game, bench.settings, count, seed, strategy, step / STEPS)
            name = f"drawn-{step}-{count}-{seed}-{strategy}"
            self._tried[key] = self._attempt(Performance(name, place.situation(1), seed))
        return self._tried[key]


class _FoundError(Exception):
    """The player misbehaved in the position that was tried."""


def cases(game: Game) -> Sequence[Case]:
    """The cases of this module."""
    return (keeps_the_rules, never_raises, answers_in_time)

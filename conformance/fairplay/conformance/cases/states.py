"""Cases about states drawn at random, and shrunk to the smallest that still fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import hypothesis
from hypothesis import strategies as st

from fairplay.conformance import attribution
from fairplay.conformance.case import Case, case
from fairplay.conformance.case_errors import NotTested, SuiteError
from fairplay.conformance.context import Context
from fairplay.conformance.drawing import elsewhere
from fairplay.conformance.positions import position
from fairplay.conformance.reference_players import rival_names
from fairplay.conformance.trial import Scenario, Trial
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

SEEDS = 12
STEPS = 40
SHRINK_LIMIT_S = 10.0
RULE = MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION
EXCEPTION = MisconductKind.MISCONDUCT_KIND_EXCEPTION
TIMEOUT = MisconductKind.MISCONDUCT_KIND_TIMEOUT
Try: TypeAlias = Callable[[Scenario], Trial]


@case("rules.drawn-states", "Every answer keeps the rules, in whatever state it is asked for.")
def keeps_the_rules(context: Context) -> None:
    """What a player gets wrong shows in positions that its author never thought of."""
    _try_states(context, RULE)


@case("exceptions.drawn-states", "No valid request is answered with an error status.")
def never_raises(context: Context) -> None:
    """A player that raises is out of the game, whatever the position was."""
    _try_states(context, EXCEPTION)


@case("time.drawn-states", "Every answer comes within the limit of its call.")
def answers_in_time(context: Context) -> None:
    """Some positions take longer than others."""
    _try_states(context, TIMEOUT)


def _try_states(context: Context, kind: MisconductKind.ValueType) -> None:
    """Draw states until the player misbehaves in one of them in this way."""
    with context.shared() as connection:

        def attempt(scenario: Scenario) -> Trial:
            return context.play(scenario, connection)

        worst = _Search(context, kind, attempt).run()
    if worst is not None:
        context.judge(worst)


class _Search:
    """Looks for the smallest position in which the player misbehaves."""

    def __init__(self, context: Context, kind: MisconductKind.ValueType, attempt: Try) -> None:
        self._context = context
        self._kind = kind
        self._attempt = attempt
        self._tried: dict[tuple[int, int, int, str], Trial] = context.drawn
        self._worst: Trial | None = None
        self._give_up: float | None = None
        self._stopped: NotTested | SuiteError | None = None

    def run(self) -> Trial | None:
        """Return the trial with misconduct in the smallest position found, or None.

        Raises NotTested if the player is not asked any more.
        """
        count = st.integers(self._context.game.seats.start, self._context.game.seats.stop - 1)
        step, seed = st.integers(0, STEPS), st.integers(0, SEEDS - 1)
        strategy = st.sampled_from(rival_names(self._context.game))

        @hypothesis.seed(self._context.seed)
        @hypothesis.settings(
            max_examples=self._context.examples,
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

        with elsewhere(), contextlib.suppress(_FoundError, hypothesis.errors.Flaky):
            search()
        if self._stopped is not None and self._worst is None:
            raise self._stopped
        return self._worst

    def _look(self, step: int, count: int, seed: int, strategy: str) -> None:
        if self._stopped is not None or (self._give_up is not None and time.monotonic() > self._give_up):
            return
        try:
            found = self._played(step, count, seed, strategy)
        except (NotTested, SuiteError) as stopped:
            self._stopped = stopped
            return
        misconduct = found.misconduct
        if misconduct is not None and misconduct.kind == self._kind:
            self._worst = found
            self._give_up = self._give_up or time.monotonic() + SHRINK_LIMIT_S
            raise _FoundError(attribution.signature(found))

    def _played(self, step: int, count: int, seed: int, strategy: str) -> Trial:
        key = step, count, seed, strategy
        if key not in self._tried:
            context = self._context
            place = position(context.game, context.settings, count, seed, strategy, step / STEPS)
            name = f"drawn-{step}-{count}-{seed}-{strategy}"
            self._tried[key] = self._attempt(Scenario(name, place.situation(1), seed))
        return self._tried[key]


class _FoundError(Exception):
    """Raised if the player misbehaves in the position that is tried."""


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (keeps_the_rules, never_raises, answers_in_time)

"""Cases about states drawn at random, and shrunk to the smallest that still fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import hypothesis
from hypothesis import strategies as st

from fairplay.conformance import attribution, positions
from fairplay.conformance.case import Case, case
from fairplay.conformance.case_errors import NotTested, SuiteError
from fairplay.conformance.context import Context
from fairplay.conformance.drawing import elsewhere
from fairplay.conformance.positions import Source, find_position
from fairplay.conformance.reference_players import rival_names
from fairplay.conformance.trial import Scenario, Trial
from fairplay.games.game import Game
from fairplay.v1.misconduct_pb2 import MisconductKind

GAMES = 12
"""From so many games under the usual settings states are drawn, or from one for each number of players and strategy."""
STEPS = 40
DECISIONS = 3
"""The player decides so often from each state."""
MAX_DECISIONS = 120
"""Games under unusual settings are followed so far: there are many of them."""
SHRINK_LIMIT_S = 10.0
FEW_STATES, AMPLE_S = 40, 60.0
"""After so many seconds so many states are enough: a player may be slow."""
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
        self._tried: dict[tuple[int, int], Trial | None] = context.once("drawn states", dict)
        self._sources = _sources(context)
        self._began = time.monotonic()
        self._worst: Trial | None = None
        self._give_up: float | None = None
        self._stopped: NotTested | SuiteError | None = None

    def run(self) -> Trial | None:
        """Return the trial with misconduct in the smallest position found, or None.

        Raises NotTested if the player is not asked any more.
        """
        source, step = st.integers(0, len(self._sources) - 1), st.integers(0, STEPS)

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
        @hypothesis.given(source, step)
        def search(source: int, step: int) -> None:
            self._look(source, step)

        with elsewhere(), contextlib.suppress(_FoundError, hypothesis.errors.Flaky):
            search()
        if self._stopped is not None and self._worst is None:
            raise self._stopped
        return self._worst

    def _look(self, source: int, step: int) -> None:
        if self._stopped is not None or self._is_over():
            return
        try:
            found = self._played(source, step)
        except (NotTested, SuiteError) as stopped:
            self._stopped = stopped
            return
        misconduct = None if found is None else found.misconduct
        if found is not None and misconduct is not None and misconduct.kind == self._kind:
            self._worst = found
            self._give_up = self._give_up or time.monotonic() + SHRINK_LIMIT_S
            raise _FoundError(attribution.signature(found))

    def _is_over(self) -> bool:
        """Return whether no more time is left for shrinking, or for looking where that takes long."""
        now = time.monotonic()
        if self._give_up is not None:
            return now > self._give_up
        return len(self._tried) >= FEW_STATES and (self._context.is_slow or now > self._began + AMPLE_S)

    def _played(self, source: int, step: int) -> Trial | None:
        if (source, step) not in self._tried:
            drawn = self._sources[source]
            place = find_position(self._context.game, drawn, step / STEPS)
            scenario = place and Scenario(f"drawn-{source}-{step}", place.situation(DECISIONS), drawn.seed)
            self._tried[source, step] = scenario and self._attempt(scenario)
        return self._tried[source, step]


def _sources(context: Context) -> list[Source]:
    """Return the games from which states are drawn, those under the usual settings first."""
    names, counts = rival_names(context.game), context.game.seats
    usual = [(context.settings, count, name, positions.MAX_DECISIONS) for count in counts for name in names]
    several = usual * max(1, GAMES // len(usual))
    unusual = [
        (each.settings, each.player_count, names[index % len(names)], MAX_DECISIONS)
        for index, each in enumerate(context.variations)
    ]
    return [
        Source(settings, count, context.rng("drawn", index).getrandbits(32), name, most)
        for index, (settings, count, name, most) in enumerate([*several, *unusual])
    ]


class _FoundError(Exception):
    """Raised if the player misbehaves in the position that is tried."""


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (keeps_the_rules, never_raises, answers_in_time)

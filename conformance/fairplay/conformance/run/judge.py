"""Judging cases one after the other, the events of that, and what was found so far."""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

from fairplay.certificate import MET, Verdict
from fairplay.certificate.terms import may_be_inapplicable
from fairplay.conformance.blame.verdicts import Judged, Slowness, charge, excuse
from fairplay.conformance.case import Case, Failure, NotApplicable, NotTested
from fairplay.conformance.case_ids import BACK_TO_BACK
from fairplay.conformance.evidence import Evidence, clipped
from fairplay.conformance.games.coverage import Coverage
from fairplay.conformance.games.trial import Trial
from fairplay.conformance.requirements import sentence_of
from fairplay.conformance.run.options import Options
from fairplay.conformance.run.report import (
    Departed,
    Report,
    Run,
    count_decisions,
    count_departures,
    distribution,
    measure,
)
from fairplay.games.conformance import Level
from fairplay.v1.player_pb2 import PlayerDescription


class Result(NamedTuple):
    """What judging a case has shown."""

    judged: Judged
    times: Mapping[str, Sequence[float]]
    """Method -> the seconds of each call since the case before."""
    decisions: Mapping[str, int]
    """Method -> the decisions judged since the case before."""
    player: PlayerDescription
    """What the player says about itself; empty if it has not been asked yet."""
    coverage: Coverage | None = None
    """What the drawn states cover, if they were drawn since the case before."""
    urgent: Sequence[str] = ()
    """The ids of cases that are to be judged next: what was seen meanwhile tells that they may fail."""
    departures: Mapping[Departed, int] = MappingProxyType({})
    """In how many games since the case before a rival has left in a phase, and in which place."""


class AnyContext(Protocol):
    """What cases work with, of a player or a server."""

    @property
    def trials(self) -> Sequence[Trial]:
        """Return the games whose times are reported, in order."""

    @property
    def description(self) -> PlayerDescription:
        """Return what the player says about itself, or what is known of the server."""

    def take_coverage(self) -> Coverage | None:
        """Return what the drawn states cover, once; None if none were drawn since."""

    def take_urgent(self) -> Sequence[str]:
        """Return the ids of the cases to judge next, once."""

    def try_again(self, *, settled: bool) -> bool:
        """Return whether the last case is to be tried again, without what others handed on.

        `settled`: it is met, or another attempt would show nothing else.
        """


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is to do: the cases to judge, and everything that they need."""

    run: Run
    """What is judged, and under which conditions."""
    cases: Sequence[Case]
    known: frozenset[str]
    """The ids of the known failures."""
    open_context: Callable[[], AbstractContextManager[AnyContext]]
    """Returns what cases work with; the end of its `with` block lets go of the player or the server."""
    repeat_command: Callable[[str, str], str]
    """Returns the command that judges a case again, after a history ("": its own), or "" if there is none."""
    remade: Callable[[], Plan]
    """Makes the same plan in another process."""
    options: Options | None = None
    """The options of a run on a player."""
    beside: Sequence[str] = ()
    """The ids of cases that another process may judge beside the rest, where the cases are judged in this one."""
    fail_fast: bool = False
    """The run is over as soon as a MUST is not met."""


RESTART = "Only a new process of the player shows it: start the player anew, then play it these games."
RESTART_RUN = (
    "Only a new process of the player shows it, after all that was asked before: start the player anew, then run the"
    " suite as before."
)


class Judge:
    """Judges cases of a plan with one context. `close`, or the end of a `with` block, lets go of the player."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._stack = ExitStack()
        self._context: AnyContext | None = None
        self._trial_count = 0
        self._slowness = Slowness(plan.run.limits)

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the player."""
        self._stack.close()

    @property
    def context(self) -> AnyContext:
        """Return the context of the cases, opened for the first of them."""
        return self.reach()

    def reach(self) -> AnyContext:
        """Open the context, unless it is open, and return it. Without that, the first case to be judged opens it.

        Raises OSError, with one sentence, if something on this machine keeps what is judged from being reached.
        """
        if self._context is None:
            self._context = self._stack.enter_context(self._plan.open_context())
        return self._context

    def prepare(self, cases: Iterable[Case]) -> None:
        """Begin what cases that are judged later will need. They are judged in the same way without that."""
        for case in cases:
            if case.prepare is not None:
                case.prepare(self.context)

    def judge(self, case: Case) -> Result:
        """Judge a case."""
        context, plan = self.context, self._plan
        judged = judge(case, context, plan.repeat_command, known=case.id in plan.known)
        judged = _checked(judged, plan.run)
        new, self._trial_count = context.trials[self._trial_count :], len(context.trials)
        judged = _with_guises(_with_what_was_left_out(self._slowness.look_at(judged, new), new), new)
        found = measure(new), count_decisions(new), context.description, context.take_coverage()
        return Result(judged, *found, context.take_urgent(), count_departures(new))


def judge(case: Case, context: AnyContext, repeat: Callable[[str, str], str], *, known: bool = False) -> Judged:
    """Judge a case. `repeat` returns the command that judges it again, for its evidence."""
    began = time.monotonic()
    verdict, sentence, evidence, see, _ = _try_twice(case, context)
    if evidence is not None:
        command = _again(evidence, case.id, repeat)
        required = "\n".join(f"{each}: {sentence_of(each)}" for each in case.checks)
        sections = (("Required", required), ("Again", command))
        evidence = evidence.with_sections(*((title, text) for title, text in sections if text))
    return Judged(case.id, case.level, verdict, sentence, time.monotonic() - began, evidence, known, see)


def _again(evidence: Evidence, case_id: str, repeat: Callable[[str, str], str]) -> str:
    """Return the command that shows a failure again, and what is to be done before; empty if there is none."""
    if evidence.history:
        command = repeat(BACK_TO_BACK, evidence.history)
    else:
        command = repeat("" if evidence.restarts else case_id, "")
    return f"{RESTART if evidence.history else RESTART_RUN}\n{command}" if evidence.restarts and command else command


def _checked(judged: Judged, run: Run) -> Judged:
    """Return a verdict, or SUITE ERROR in place of a NOT APPLICABLE that the contract does not allow."""
    facts = run.reached_by, run.game, run.profile
    if judged.verdict is not Verdict.NOT_APPLICABLE or may_be_inapplicable(judged.id, *facts):
        return judged
    sentence = f"the suite failed: this case concerns every player that is reached by {run.reached_by}"
    return replace(judged, verdict=Verdict.SUITE_ERROR, sentence=sentence, evidence=Evidence(sentence))


def _with_what_was_left_out(judged: Judged, trials: Iterable[Trial]) -> Judged:
    """Return a verdict; that of a case which has passed but for calls that were left out says so."""
    left_out = next((each.left_out for each in trials if each.left_out is not None), None)
    if judged.verdict is not Verdict.PASS or left_out is None:
        return judged
    sentence = "; ".join(filter(None, (judged.sentence, f"but for calls that were left out: {left_out.reason}")))
    return replace(judged, sentence=sentence, see=left_out.see)


def _with_guises(judged: Judged, trials: Iterable[Trial]) -> Judged:
    """Return a verdict; one of a case which has passed but for what games carry that no rule fixes says so."""
    shown = next((each.wrong_in_guise for each in trials if each.wrong_in_guise is not None), None)
    if judged.verdict is not Verdict.PASS or shown is None:
        return judged
    return replace(judged, verdict=Verdict.NOT_TESTED, sentence=shown.reason, evidence=shown.evidence, see=shown.see)


class _Outcome(NamedTuple):
    verdict: Verdict
    sentence: str = ""
    evidence: Evidence | None = None
    see: str = ""
    given_up: bool = False
    """Whether another attempt would show nothing else."""


def _try_twice(case: Case, context: AnyContext) -> _Outcome:
    """Try a case, and once more if it was not met where the player had a past: that is misconduct all the same."""
    first = _try(case, context)
    if not context.try_again(settled=first.verdict in MET or first.given_up):
        return first
    again = _try(case, context)
    if again.verdict not in MET or first.evidence is None:
        return again
    if first.verdict is Verdict.WARN:  # what is not demanded is nothing that others could be blamed with
        return first
    see = first.see or BACK_TO_BACK
    return _Outcome(Verdict.NOT_TESTED, f"it fails only after other games: see {see}", first.evidence, see)


def _try(case: Case, context: AnyContext) -> _Outcome:
    try:
        remark = case.run(context)
    except Failure as failure:
        verdict = Verdict.FAIL if case.level is Level.MUST else Verdict.WARN
        return _Outcome(verdict, failure.evidence.sentence, failure.evidence)
    except NotTested as untested:
        return _Outcome(Verdict.NOT_TESTED, untested.reason, untested.evidence, untested.see, untested.given_up)
    except NotApplicable as inapplicable:
        return _Outcome(Verdict.NOT_APPLICABLE, inapplicable.reason)
    except Exception as error:  # an error of the suite is no fault of the player
        sentence = f"the suite failed: {type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
        shown = Evidence(sentence, sections=[("Trace", clipped(trace, from_end=True))])
        return _Outcome(Verdict.SUITE_ERROR, sentence, shown)
    return _Outcome(Verdict.PASS, remark or "")


@dataclass(frozen=True, slots=True)
class Began:
    """These cases are going to be judged, in about this order."""

    run: Run
    cases: Sequence[Case]


@dataclass(frozen=True, slots=True)
class CaseBegan:
    """A case is being judged. With several jobs, several cases are at the same time."""

    case_id: str


@dataclass(frozen=True, slots=True)
class CaseJudged:
    """A case has its verdict. At the end of a run it may get another one: see `blame.verdicts.charge`."""

    judged: Judged


@dataclass(frozen=True, slots=True)
class Ended:
    """All cases are judged, or the run was interrupted. The last event."""

    report: Report


Event: TypeAlias = Began | CaseBegan | CaseJudged | Ended


class Writer(Protocol):
    """Shows or keeps the events of a run."""

    def take(self, event: Event) -> None:
        """Take the next event: first Began, then those of the cases, then Ended."""


class Tally:
    """Collects the results of a run, tells the writers its events, and returns the report."""

    def __init__(self, plan: Plan, writers: Sequence[Writer]) -> None:
        self.plan = plan
        self._writers = writers
        self._judged: dict[str, Judged] = {}
        self._times: dict[str, list[float]] = {}
        self._decisions: Counter[str] = Counter()
        self._player = PlayerDescription()
        self._coverage: Coverage | None = None
        self._departures: Counter[Departed] = Counter()

    def begin(self, cases: Sequence[Case]) -> None:
        """Tell that these cases are going to be judged."""
        self._began, self._since = datetime.now(UTC), time.monotonic()
        self._case_count = len(cases)
        self._tell(Began(self.plan.run, cases))

    def begin_case(self, case_id: str) -> None:
        """Tell that a case is being judged."""
        self._tell(CaseBegan(case_id))

    def add(self, result: Result) -> None:
        """Add the result of a case."""
        judged = result.judged
        self._judged[judged.id] = judged
        self._player = result.player if result.player.ByteSize() else self._player
        for method, seconds in result.times.items():
            self._times.setdefault(method, []).extend(seconds)
        self._decisions.update(result.decisions)
        self._departures.update(result.departures)
        self._coverage = result.coverage or self._coverage  # several processes that draw them draw the same
        self._tell(CaseJudged(judged))

    @property
    def has_failed_fast(self) -> bool:
        """Return whether the run is over because a MUST is not met that the author has not listed as a failure.

        What misconduct keeps from being tested is charged to a case in the end, or excused by a known failure.
        """
        if not self.plan.fail_fast:
            return False
        return any(self._is_refused_for(each) for each in self._judged.values() if each.level is Level.MUST)

    def _is_refused_for(self, judged: Judged) -> bool:
        is_kept_by_misconduct = judged.verdict is Verdict.NOT_TESTED and judged.evidence is not None
        return not judged.known and (judged.verdict is Verdict.FAIL or (is_kept_by_misconduct and not self.plan.known))

    def end(self) -> Report:
        """Tell the end and return the report. It is complete if every case was judged.

        In a run that was not interrupted, misconduct for which no case has failed is charged to the case that it
        belongs to. What known failures keep from being tested is known, too.
        """
        complete = len(self._judged) == self._case_count
        for charged in charge(list(self._judged.values())) if complete or self.has_failed_fast else ():
            self._judged[charged.id] = charged
            self._tell(CaseJudged(charged))
        self._judged |= {excused.id: excused for excused in excuse(list(self._judged.values()))}
        report = Report(
            self.plan.run,
            self._player,
            [self._judged[case.id] for case in self.plan.cases if case.id in self._judged],
            {method: distribution(seconds) for method, seconds in self._times.items()},
            self._began,
            time.monotonic() - self._since,
            complete,
            dict(sorted(self._decisions.items())),
            self._coverage,
            self._departures,
        )
        self._tell(Ended(report))
        return report

    def _tell(self, event: Event) -> None:
        for writer in self._writers:
            writer.take(event)

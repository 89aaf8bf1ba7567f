"""What writers are given: the run, each case as it begins and as it is judged, and the report."""

from __future__ import annotations

import pytest

from fairplay.conformance.run.engine import run
from fairplay.conformance.run.judge import Began, CaseBegan, CaseJudged, Ended, Event
from fairplay.conformance.run.options import Options
from tests.conformance.harness import player


class Recorder:
    """Keeps all events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def take(self, event: Event) -> None:
        self.events.append(event)


def test_writers_get_each_case_as_it_begins_and_as_it_is_judged_between_beginning_and_end() -> None:
    first, second = Recorder(), Recorder()
    report = run(Options("fish", player, only="contract", limit_s=5.0), (first, second))
    began, *reported, ended = first.events
    assert isinstance(began, Began)
    assert isinstance(ended, Ended)
    assert ended.report is report
    ids = [case.id for case in began.cases]
    assert len(ids) > 1
    assert [type(event) for event in reported] == [CaseBegan, CaseJudged] * len(ids)
    assert [event.case_id for event in reported if isinstance(event, CaseBegan)] == ids
    assert [event.judged for event in reported if isinstance(event, CaseJudged)] == report.judged
    assert second.events == first.events


def test_with_jobs_each_case_begins_before_it_is_judged_and_the_report_has_their_order() -> None:
    recorder = Recorder()
    report = run(Options("fish", "bot:first", only="contract,memory", jobs=2), (recorder,))
    began, *reported, ended = recorder.events
    assert isinstance(began, Began)
    assert isinstance(ended, Ended)
    ids = [case.id for case in began.cases]
    begun = [event.case_id for event in reported if isinstance(event, CaseBegan)]
    judged = [event.judged.id for event in reported if isinstance(event, CaseJudged)]
    assert sorted(begun) == sorted(judged) == sorted(ids)
    for case_id in ids:
        places = [index for index, event in enumerate(reported) if case_of(event) == case_id]
        assert [type(reported[index]) for index in places] == [CaseBegan, CaseJudged]
    assert [each.id for each in report.judged] == ids
    assert report.complete


def case_of(event: Event) -> str:
    assert isinstance(event, CaseBegan | CaseJudged)
    return event.case_id if isinstance(event, CaseBegan) else event.judged.id


def test_nothing_begins_where_no_case_is_meant() -> None:
    recorder = Recorder()
    with pytest.raises(ValueError, match="no case matches 'contrakt'"):
        run(Options("fish", player, only="contrakt"), (recorder,))
    assert recorder.events == []

"""What started players hold: the mutants of the zoo hold too much, and sound ones may collect their garbage late."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from itertools import accumulate, zip_longest
from signal import SIGKILL
from subprocess import PIPE, Popen
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested
from fairplay.conformance.cases import growth
from fairplay.conformance.cases.growth import (
    Growth,
    Holding,
    ProcessSize,
    files,
    keeps_growing,
    memory,
    output,
    processes,
    threads,
)
from fairplay.conformance.cases.robustness import memory_growth
from fairplay.conformance.engine import run
from fairplay.conformance.options import Options
from fairplay.conformance.transports import make_transport
from fairplay.conformance.verdicts import Verdict
from fairplay.games.game import find
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of

MIB = 1_048_576


def test_a_player_that_collects_garbage_late_may_grow_for_a_while() -> None:
    assert _verdicts("collects-late") == {Verdict.PASS}


def test_threads_that_end_by_themselves_are_not_held() -> None:
    assert _verdicts("lingers") == {Verdict.PASS}


def test_what_other_players_hold_is_not_known() -> None:
    report = run(Options("fish", "bot:first", only="growth"))
    assert {each.verdict for each in report.judged} == {Verdict.NOT_APPLICABLE}


def holdings(*mib_of_rounds: int) -> Growth:
    sizes = [{1: ProcessSize(size * MIB, 1, 1)} for size in accumulate(mib_of_rounds, initial=100)]
    return Growth(holdings=[Holding(each, 0) for each in sizes])


@pytest.mark.parametrize(
    "mib_of_rounds",
    [
        pytest.param([50] * 20, id="fifty every round"),
        pytest.param([0, 80, 0], id="one of three"),
        pytest.param([300] * 4 + [-10], id="much, and collected before anything is said"),
        pytest.param([60] * 9 + [0], id="grows nine times"),
    ],
)
def test_heaps_that_are_made_larger_now_and_then_are_no_growth(mib_of_rounds: list[int]) -> None:
    assert not keeps_growing(holdings(*mib_of_rounds))


@pytest.mark.parametrize("mib_of_rounds", [[60] * 10, [60] * 10 + [0], [2000] * 3])
def test_memory_that_grows_with_every_round_is_growth(mib_of_rounds: list[int]) -> None:
    assert keeps_growing(holdings(*mib_of_rounds))


def in_bytes(*more_of_rounds: int) -> Growth:
    """Return the growth of a player whose rounds add so many bytes."""
    return Growth(holdings=[Holding({1: ProcessSize(size, 1, 1)}, 0) for size in accumulate(more_of_rounds, initial=0)])


@pytest.mark.parametrize(
    ("more_of_rounds", "grows"),
    [
        ([53_687_091] * 10, False),  # a twentieth of a gibibyte
        ([53_687_092] * 10, True),
        ([53_687_092] * 9, False),
        ([4 * 1_073_741_824], False),
        ([4 * 1_073_741_824 + 1], True),
    ],
)
def test_growth_begins_beyond_the_limits(more_of_rounds: list[int], grows: bool) -> None:
    assert keeps_growing(in_bytes(*more_of_rounds)) is grows


# What is said of a player that holds too much


def held(*sizes: dict[int, ProcessSize], output: Sequence[int] = (), kind: str = "games") -> Growth:
    return Growth(kind, [Holding(each, size) for each, size in zip_longest(sizes, output, fillvalue=0)])  # type: ignore[arg-type]


def judge(case: Case, *growths: Growth, link: str = "exec") -> tuple[str, str]:
    """Return the title and text of the evidence that a case finds in the growth of a player; nothing if it passes."""
    opened = Opened(lambda: None)
    with context_of(opened.as_started() if link == "exec" else opened.as_objects()) as context:
        context.once("growth", lambda: growths)
        try:
            case.run(context)
        except Failure as found:
            return found.evidence.sentence, "".join(text for _, text in found.evidence.sections)
    return "", ""


def test_memory_that_grows_beyond_a_gibibyte_is_shown_round_by_round() -> None:
    assert judge(memory, holdings(*[60] * 17)) == ("", "")
    found = holdings(*[60] * 18)
    sentence, table = judge(memory, holdings(), found)
    assert sentence == "450 games more made the player 1,080 MiB larger."
    assert table.splitlines()[:2] == ["after 25 games: 100.0 MiB", "after 50 games: 160.0 MiB"]
    assert table.splitlines()[-1] == "after 475 games: 1,180.0 MiB"
    assert judge(memory, holdings(*[51] * 20), holdings(*[60] * 18, 51)) == ("", "")  # 51 MiB are allowed
    assert judge(memory, holdings(*[64] * 16)) == ("", "")  # a gibibyte, and no more
    assert judge(memory, holdings(600, 600)) == ("", "")  # as a heap may grow before it is cleared


def test_memory_that_grows_in_ten_rounds_in_a_row_is_a_weakness() -> None:
    assert judge(memory_growth, holdings(*[60] * 9), link="object") == ("", "")
    sentence, _ = judge(memory_growth, holdings(0), holdings(*[60] * 10), link="object")
    assert sentence == "250 games more made the player 600 MiB larger."


@pytest.mark.parametrize("case", [memory, memory_growth])
def test_misconduct_in_one_of_many_games_is_held_against_games_in_a_row(case: Case) -> None:
    broken = held({}, {}, {})
    broken.failed = trial_of(find("fish"), player(setup=raises))
    judged: list[tuple[Any, list[str]]] = []
    context: Any
    with context_of(Opened(player).as_started()) as context:
        context.once("growth", lambda: [holdings(0, 0), broken])
        context.judge_condition = lambda found, *controls: judged.append((found, [name for name, _ in controls]))
        case.run(context)
    assert judged == [(broken.failed, ["memory.back-to-back"])]


def test_a_started_player_holds_what_all_processes_of_its_guard_hold() -> None:
    with Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=PIPE, text=True) as shell:
        assert shell.stdout is not None
        grandchild = int(shell.stdout.readline())
        try:
            connection: Any = SimpleNamespace(process=SimpleNamespace(guard_id=os.getpid(), output_bytes=7))
            with context_of(Opened(player).as_started()) as context:
                found = growth._measure_of(context, connection)()
        finally:
            os.kill(grandchild, SIGKILL)
    assert found.output_bytes == 7
    assert {shell.pid, grandchild} <= found.processes.keys()
    assert os.getpid() not in found.processes
    size = found.processes[grandchild]
    assert size.threads == 1
    assert size.memory_bytes > 4_096
    assert 3 <= size.files < 100


def test_a_reference_player_holds_what_this_process_holds() -> None:
    nobody: Any = SimpleNamespace(process=None)
    bots = make_transport(find("fish"), "bot:first", listen="", start_limit_s=1.0)
    with context_of(bots) as context:
        found = growth._measure_of(context, nobody)()
    assert found.processes.keys() == {os.getpid()}
    assert found.output_bytes == 0
    with (
        context_of(Opened(player).as_objects()) as context,
        pytest.raises(NotApplicable, match="known only where the player was started here"),
    ):
        growth._measure_of(context, nobody)


def test_a_process_that_has_ended_holds_nothing() -> None:
    with Popen(["sh", "-c", "read line"], stdin=PIPE) as shell:
        gone = psutil.Process(shell.pid)
    assert growth._sizes([gone, psutil.Process()]).keys() == {os.getpid()}


@pytest.mark.parametrize(("case", "what"), [(threads, "threads"), (files, "open files")])
def test_what_is_left_by_each_of_some_games_is_counted(case: Case, what: str) -> None:
    def sizes(*counts: int) -> list[dict[int, ProcessSize]]:
        return [{1: ProcessSize(0, count, count), 2: ProcessSize(0, 1, 1)} for count in counts]

    assert judge(case, held(*sizes(5, 25, 44))) == ("", "")
    sentence, table = judge(case, held(*sizes(5, 26, 46), kind="games to their end"))
    assert sentence == f"Each 25 games to their end made the player keep 20 {what} or more."
    assert table.splitlines() == [
        f"after {25 * n} games to their end: {count}" for n, count in ((1, 6), (2, 27), (3, 47))
    ]
    new = [{number: ProcessSize(0, 100, 100)} for number in range(3)]
    assert judge(case, held(*new)) == ("", "")  # not of processes that were there before


def test_processes_that_are_left_are_counted() -> None:
    def sizes(*counts: int) -> list[dict[int, ProcessSize]]:
        return [{number: ProcessSize(0, 1, 1) for number in range(count)} for count in counts]

    assert judge(processes, held(*sizes(1, 21, 40))) == ("", "")
    sentence, table = judge(processes, held(*sizes(1, 21, 41)))
    assert sentence == "Each 25 games made the player keep 20 processes or more."
    assert table.splitlines() == ["after 25 games: 1", "after 50 games: 21", "after 75 games: 41"]


def test_a_game_may_add_a_mebibyte_of_output() -> None:
    most = 75 * MIB + 74
    assert judge(output, held(*[{}] * 3, output=[0, 0, most])) == ("", "")
    sentence, _ = judge(output, held(*[{}] * 3, output=[0, 0, most + 1]))
    assert sentence == "The player has written 1.0 MiB a game, in 75 games."
    later = [held(*[{}] * 3, output=[0, 0, most]), held(*[{}] * 2, output=[0, most + 100 * MIB], kind="lost games")]
    assert judge(output, *later)[0] == "The player has written 2.0 MiB a game, in 50 lost games."


@pytest.mark.parametrize("case", [memory, threads, files, processes, output])
def test_what_is_held_is_judged_of_started_players_only(case: Case) -> None:
    with pytest.raises(NotApplicable, match="known only where the player was started here"):
        judge(case, holdings(0, 0), link="object")


@pytest.mark.parametrize("case", [threads, files, processes, output])
def test_a_player_that_fails_on_the_way_is_not_judged_by_what_it_holds(case: Case) -> None:
    broken = held({}, {}, {})
    broken.failed = trial_of(find("fish"), player(setup=raises))
    with pytest.raises(NotTested, match="not all games could be played"):
        judge(case, broken)


def _verdicts(program: str) -> set[Verdict]:
    link = f"exec:{shlex.join([sys.executable, '-m', 'tests.conformance.program', program])}"
    report = run(Options("fish", link, only="growth", limit_s=30.0, first_limit_s=30.0, start_limit_s=20.0))
    return {each.verdict for each in report.judged}

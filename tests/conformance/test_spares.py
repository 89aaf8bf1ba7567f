"""Processes that are started ahead of need, and that cases hand on to each other."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from fairplay.conformance.case import case
from fairplay.conformance.case_errors import failure
from fairplay.conformance.connection import Connection
from fairplay.conformance.context import Context
from fairplay.conformance.judging import judge
from fairplay.conformance.options import Options
from fairplay.conformance.owners import AFTER_OTHERS
from fairplay.conformance.plan import make_plan
from fairplay.conformance.spares import renewed
from fairplay.conformance.verdicts import Verdict
from fairplay.conformance.ways import DIALLING, SERVING
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.server.links.process import ProcessLink
from fairplay.v1.player_pb2 import DescribeRequest
from tests.conformance.harness import again

PLAYER = """
import os
from fairplay.games.game import find
from fairplay.player.command import reach_from, run_player
run_player(find("fish").player("first"), reach_from(os.environ, serves="FAIRPLAY_CONNECT" not in os.environ))
"""


class Started:
    """A command that notes each of its starts and then plays, but for the starts with some numbers."""

    def __init__(self, folder: Path) -> None:
        self._notes = folder / "starts"
        self._script = folder / "player.sh"
        self.fail_at()

    def fail_at(self, *numbers: int, before: str = "") -> None:
        """Let the starts with these numbers end at once. `before` is a command that comes before the player."""
        fails = "|".join(map(str, numbers)) or "none"
        self._script.write_text(
            f"echo start >> {self._notes}\n"
            f"case $(wc -l < {self._notes}) in {fails}) exit 1;; esac\n{before}\n"
            f"exec {sys.executable} -c '{PLAYER}'\n"
        )

    @property
    def link(self) -> str:
        return f"exec:sh {self._script}"

    @property
    def count(self) -> int:
        return self._notes.read_text().count("start")


@pytest.fixture
def started(tmp_path: Path) -> Started:
    return Started(tmp_path)


@pytest.fixture
def context(started: Started) -> Iterator[Context]:
    with make_plan(Options("fish", started.link)).open_context() as found:
        yield found


def answers(context: Context, connection: Connection) -> bool:
    outcome, _ = context.ask(DESCRIBE, DescribeRequest(), connection, 5.0)
    return isinstance(outcome, bytes)


def test_who_needs_one_process_starts_one(context: Context, started: Started) -> None:
    assert answers(context, context.player.connection())
    context.player.close()
    assert started.count == 1


def test_processes_are_started_ahead_and_ended_at_the_end(context: Context, started: Started) -> None:
    for _ in range(3):
        with context.player.fresh() as connection:
            assert answers(context, connection)
    before = len(psutil.Process().children(recursive=True))
    context.player.close()
    assert 4 <= started.count <= 7
    assert len(psutil.Process().children(recursive=True)) < before


def test_a_process_that_did_not_come_up_ahead_is_started_again(context: Context, started: Started) -> None:
    with context.player.fresh(), context.player.quiet():
        assert started.count == 4
    started.fail_at(5)
    for _ in range(4):
        with context.player.fresh() as connection:
            assert answers(context, connection)


def test_a_process_that_does_not_come_up_at_all_is_blamed(context: Context, started: Started) -> None:
    started.fail_at(2, 3, 4, 5, 6, 7)
    context.player.begin()

    @case("test.fresh")
    def fresh(context: Context) -> None:
        with context.player.fresh():
            pass

    assert judge(fresh, context, again).verdict is Verdict.NOT_TESTED
    assert "exit code 1" in context.player.unreachable


def test_a_case_hands_its_process_on(context: Context) -> None:
    with context.player.separate() as first:
        assert answers(context, first)
    with context.player.separate() as second:
        assert second is first
    with context.player.fresh() as third:
        assert third is not first


def test_a_case_that_is_not_met_on_a_process_with_a_past_is_tried_again_on_a_new_one(context: Context) -> None:
    seen: list[int] = []

    @case("test.past")
    def past(context: Context) -> None:
        with context.player.separate() as connection:
            answers(context, connection)
            seen.append(connection.call_count)
            if connection.call_count > 1:
                raise failure("It has a past.")

    assert judge(past, context, again).verdict is Verdict.PASS
    found = judge(past, context, again)
    assert (found.verdict, found.see) == (Verdict.NOT_TESTED, AFTER_OTHERS)
    assert found.evidence is not None
    assert seen == [1, 2, 1]


class EndedLink(ProcessLink):
    """The link to a process that has ended before it was called."""

    def __init__(self) -> None:
        self.closed = False

    @property
    def ended(self) -> bool:
        return True

    async def close(self) -> None:
        self.closed = True


async def test_a_process_that_has_ended_before_it_was_called_is_started_again() -> None:
    old, new = EndedLink(), DeadLink(Clock(), disconnected("the new one"))

    async def start() -> Link:
        return new

    assert await renewed(old, start) is new
    assert old.closed
    assert await renewed(new, start) is new


def test_the_way_that_is_not_supported_is_not_waited_for_to_the_start_limit(started: Started) -> None:
    started.fail_at(before='test -n "$FAIRPLAY_CONNECT" || exec sleep 100')
    began = time.monotonic()
    with make_plan(Options("fish", started.link, start_limit_s=90.0)).open_context() as context:
        ways = context.player.open_ways()
        for connection in ways.values():
            context.player.loop.run(connection.close())
    assert {way: connection.lost for way, connection in ways.items()} == {SERVING: True, DIALLING: False}
    assert time.monotonic() - began < 80

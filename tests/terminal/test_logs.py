"""The log of a server, and what `serve` says of options for operators that it cannot take."""

from __future__ import annotations

import json
import logging

import pytest
from google.protobuf.duration_pb2 import Duration
from typer.testing import CliRunner

from fairplay.games.game import find
from fairplay.terminal.commands.app import app
from fairplay.terminal.operator.server import JsonFormatter, RepeatFilter, TextFormatter
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan
from tests.server.harness import dialled_in, serving
from tests.server.played import until

FORGED = "enough\n2026-01-01 00:00:00,000 ERROR fairplay.server: everything is lost\x1b[31m"


def test_an_entry_is_a_line_of_json() -> None:
    logger = logging.getLogger("fairplay.test")
    try:
        raise ValueError("two\nlines")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    record = logger.makeRecord(logger.name, logging.ERROR, "file", 1, 'the "%s" failed', ("disk",), info)
    text = JsonFormatter().format(record)
    assert "\n" not in text
    line = json.loads(text)
    assert (line["level"], line["logger"], line["message"]) == ("error", "fairplay.test", 'the "disk" failed')
    assert line["exception"].endswith("ValueError: two\nlines")
    assert line["time"].endswith("+00:00")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--metrics", "nonsense"], "fairplay: --metrics 'nonsense' is not an address: give HOST:PORT"),
        (["--log-format", "xml"], "fairplay: --log-format 'xml': there are text and json"),
    ],
)
def test_options_that_make_no_sense(options: list[str], sentence: str) -> None:
    said = CliRunner().invoke(app, ["serve", "--listen", "127.0.0.1:0", *options])
    assert said.exit_code == 2
    assert said.stderr.startswith(sentence)


def test_what_is_said_again_and_again_is_logged_some_times_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 0.0
    caplog.handler.addFilter(repeats := RepeatFilter(lambda: now_s))
    log = logging.getLogger("fairplay.repeated")
    for number in range(1_000):
        log.error("no descriptor for %s", number)
        log.error("something else") if number == 500 else None
    assert caplog.messages == [*(f"no descriptor for {number}" for number in range(10)), "something else"]
    caplog.clear()
    now_s = 61.0
    log.error("no descriptor for %s", "anybody")
    assert caplog.messages == ["990 more times: no descriptor for %s", "no descriptor for anybody"]
    caplog.handler.removeFilter(repeats)


async def test_the_log_tells_of_a_tournament_from_sign_up_to_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    policy = SignUpPolicy(min_entrant_count=2, waiting_period=Duration())
    plan = TournamentPlan(
        game="fish",
        sign_up=policy,
        entrants=[Player(name="house", link="bot:first"), Player(name="lost", link="grpc://127.0.0.1:1")],
    )
    async with serving() as server:
        await server.manager.create("cup", plan)
        async with dialled_in(server, ("alice", find("fish").player("greedy"))):
            await server.manager.sign_up("cup", Player(name="alice", link="dial-in:alice"), "token")
            await server.manager.start("cup")
            await until(lambda: "cup" not in server.manager.open_ids)
        await until(lambda: "has ended: alice" in caplog.messages[-1])
    told = [message for message in caplog.messages if not message.startswith(("dialled in", "the connection"))]
    assert told == [
        "tournament cup of fish is open for sign-up; entrants: house, lost",
        "tournament cup: alice has signed up (dial-in)",
        "tournament cup begins with 3 entrants: alice, house, lost",
        "tournament cup: lost failed in Start (call 3): exception",
        "game cup/r1g1 of fish begins: alice, house",
        "game cup/r1g1 is over, won by alice",
        "tournament cup is over, won by alice",
    ]
    assert caplog.messages[1].startswith("dialled in from ipv4:127.0.0.1:")


async def test_what_strangers_write_forges_no_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with serving() as server:
        await server.manager.create("cup", TournamentPlan(game="fish"))
        await server.manager.cancel("cup", FORGED)
    logging.getLogger("fairplay.test").error("lost", exc_info=ValueError(FORGED))
    lines = [line for record in caplog.records for line in TextFormatter().format(record).splitlines()]
    assert "cancelled: enough\\x0a2026" in lines[1]
    assert not [line for line in lines if line.startswith("2026-01-01") or "\x1b" in line]

"""The log of a server, and what `serve` says of options for operators that it cannot take."""

from __future__ import annotations

import json
import logging

import pytest
from typer.testing import CliRunner

from fairplay.terminal.commands.app import app
from fairplay.terminal.operator.server import JsonFormatter, RepeatFilter


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

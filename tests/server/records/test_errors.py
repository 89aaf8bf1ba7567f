from __future__ import annotations

import sqlite3

import pytest
from sqlalchemy.exc import OperationalError

from fairplay.server.records.errors import Diverged, first_line


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("wrong"), "wrong"),
        (ValueError("\n wrong \nHINT: be right\n"), "wrong "),
        (OperationalError("SELECT secret", {}, sqlite3.Error("locked\nfor now")), "locked"),
        (ValueError(" "), "ValueError"),
        (KeyError(), "KeyError"),
    ],
)
def test_what_a_driver_says_is_told_in_one_line_without_the_statement(error: Exception, said: str) -> None:
    assert first_line(error) == said


def test_an_entry_that_the_rules_do_not_lead_to_is_named_by_its_number() -> None:
    diverged = Diverged(7, "it is another call")
    assert (diverged.entry, diverged.problem, str(diverged)) == (7, "it is another call", "entry 7: it is another call")

"""Which names and texts are allowed in the lobby, at their limits and beyond."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fairplay.server.errors import Refusal
from fairplay.server.lobby.text import bot_name, check_table_name, check_text, check_user_name, fold


@pytest.mark.parametrize(
    ("check", "allowed", "refused"),
    [
        (
            check_user_name,
            ["a", "A-b_c.9", "x" * 20, "bot-", "bot-x", "robot-1"],
            ["", "x" * 21, "a b", "a\n", "bot-1", "BOT-007"],
        ),
        (check_table_name, ["t", "my table-1", "x" * 20, "bot-1"], ["", "x" * 21, " t", "t ", "t\n", "a/b"]),
        (check_text, ["x" * 500, " x ", "h\u00e9llo \u4e16\u754c"], ["", " ", "x" * 501, "a\nb", "\x1b[2J"]),
    ],
)
def test_what_is_allowed_comes_back_and_all_else_is_refused(
    check: Callable[[str], str], allowed: list[str], refused: list[str]
) -> None:
    assert [check(text) for text in allowed] == allowed
    for text in refused:
        with pytest.raises(Refusal) as refusal:
            check(text)
        assert refusal.value.reason in {"NAME_INVALID", "TEXT_INVALID"}


def test_a_text_that_is_too_long_says_so() -> None:
    with pytest.raises(Refusal, match="the text has 1,501 characters: at most 500 are allowed"):
        check_text("x" * 1_501)


def test_capital_and_small_letters_make_no_difference() -> None:
    assert fold("Ann-B") == fold("aNN-b") == "ann-b"
    assert fold(bot_name(3)) == "bot-3"

"""Patterns that names must match."""

from __future__ import annotations

import pytest

from fairplay.server.manager.plan import NamePattern


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("[a-zA-Z]{1,12}", ["a", "Twelveletter"], ["", "thirteenchars", "a1", "ä"]),
        ("team-[0-9]+", ["team-1", "team-42"], ["team-", "team-x", "ateam-1", "team-1\n"]),
        ("(red|blue)(-team)?", ["red", "blue-team"], ["green", "red-"]),
        (r"\w+\.\d{3}", ["x_1.007"], ["x1007", "x.07"]),
        ("a{1000}", ["a" * 1000], ["a" * 999]),
    ],
)
def test_a_name_matches_as_a_whole(pattern: str, yes: list[str], no: list[str]) -> None:
    read = NamePattern(pattern)
    assert [name for name in yes if not read.matches(name)] == []
    assert [name for name in no if read.matches(name)] == []


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a", "missing ): (a"),
        ("*a", "no argument for repetition operator"),
        ("(?=a)", "invalid perl operator"),
        ("(((((a{100}){100}){100}){100}){100})", "invalid repetition size"),
        ("a" * 201, "it has 201 characters; at most 200 are allowed"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    pattern: str, problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        NamePattern(pattern)
    assert problem in str(refusal.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pattern", ["(a*)*b", "((((a*)*)*)*)*", "(.*){10}(.*){10}(.*){10}x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert not NamePattern(pattern).matches("a" * 63 + "!")  # re would not come back from some of these

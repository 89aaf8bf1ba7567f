"""Patterns that names must match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.manager.names import NamePattern


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("[a-zA-Z]{1,12}", ["a", "Twelveletter"], ["", "thirteenchars", "a1", "ä"]),
        ("", [""], ["a"]),
        ("team-[0-9]+", ["team-1", "team-42"], ["team-", "team-x", "ateam-1"]),
        ("(red|blue)(-team)?", ["red", "blue-team"], ["green", "red-"]),
        ("^[a-z]+$", ["abc"], ["ab1"]),
        ("a|b|", ["a", "b", ""], ["ab"]),
        (r"\w+\.\d{3}", ["x_1.007"], ["x1007", "x.07"]),
        (r"a\$", ["a$"], ["a"]),
        ("a{2,}", ["aa", "aaaa"], ["a"]),
        ("a{2}", ["aa"], ["a", "aaa"]),
        ("(?:ab)*?c", ["c", "ababc"], ["abab"]),
        ("(?P<team>x)y", ["xy"], ["x"]),
        ("[^a-c]", ["d", "-"], ["a", "dd"]),
        ("[]x]+", ["]x"], ["["]),
        (".{3}", ["a-b"], ["ab"]),
        ("a^b", [], ["ab", "a^b"]),
    ],
)
def test_a_name_matches_as_a_whole(pattern: str, yes: list[str], no: list[str]) -> None:
    read = NamePattern(pattern)
    assert [name for name in yes if not read.matches(name)] == []
    assert [name for name in no if read.matches(name)] == []


@pytest.mark.parametrize(
    "pattern",
    [
        "(a",
        "a)",
        "[a",
        "*a",
        "a**",
        "a{3,2}",
        "a{1001}",
        "a{000015}",
        "a{",
        "(?i)a",
        r"\1",
        r"\pL",
        "(?=a)",
        "[[:alpha:]]",
        "[a&&b]",
        "[z-a]",
        "((((((a))))))",
        "a" * 201,
    ],
)
def test_what_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        NamePattern(pattern)


ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", ".", r"\w", r"\-"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({})".format, inner),
        st.builds("{}{}".format, inner, inner),
        st.builds("({}|{})".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "+?"])),
    ),
    max_leaves=5,
)


@given(pattern=PATTERNS, name=st.text(alphabet="ab-", max_size=6))
def test_it_agrees_with_regular_expressions(pattern: str, name: str) -> None:
    try:
        read = NamePattern(pattern)
    except ValueError:
        assert pattern.count("(") > 5
        return
    assert read.matches(name) == bool(re.fullmatch(pattern, name))


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)*", "(a*)*b", "((((a*)*)*)*)*", "((((a?){64,}){64,}){64,}){64,}"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert not NamePattern(pattern).matches("a" * 63 + "!")  # re would not come back from some of these

"""Limits as people type and read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.sandbox.limits import DEFAULT_LIMITS, MAX_NUMBER, Limits, excess, limits_text, parse_limits

whole_limits = st.builds(Limits, *[st.integers(1, MAX_NUMBER // 2)] * len(Limits._fields))


@given(whole_limits)
def test_limits_are_read_as_they_are_written(limits: Limits) -> None:
    assert parse_limits(limits_text(limits)) == limits


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("", {}),
        ("memory=1GiB,processes=64", {"memory": 2**30, "processes": 64}),
        (" cpu = 10m , open-files=100,", {"cpu": 600, "open_files": 100}),
        ("memory=1.5gib,temp=512", {"memory": 3 * 2**29, "temp": 512}),
    ],
)
def test_only_what_is_named_differs_from_the_defaults(text: str, changes: dict[str, int]) -> None:
    assert parse_limits(text) == DEFAULT_LIMITS._replace(**changes)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("memory", "'memory' is not a limit: give NAME=NUMBER, where NAME is one of memory, processes, threads, cpu"),
        ("ram=1GiB", "'ram=1GiB' is not a limit: give NAME=NUMBER"),
        ("Memory=1GiB", "is not a limit: give NAME=NUMBER"),
        ("memory=1GB", "give a number above 0 with one of the units KiB, MiB, GiB, TiB"),
        ("processes=64MiB", "'processes=64MiB' is not a limit: give a number above 0"),
        ("cpu=0", "give a number above 0 with one of the units s, m, h"),
        ("memory=-1", "give a number above 0"),
        ("memory=9999TiB", "give a number above 0"),
        ("memory=1e9", "give a number above 0"),
        ("memory=" + "9" * 5_000, "give a number above 0"),
    ],
)
def test_what_is_no_limit_is_refused_with_what_to_give(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match="is not a limit") as refused:
        parse_limits(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("field", "used", "allowed", "sentence"),
    [
        ("memory", 2**31 + 2**28, 2**31, "limit memory: it used 2.25 GiB, 2 GiB is allowed"),
        ("open_files", 5_000, 4_096, "limit open-files: it used 5,000, 4,096 is allowed"),
        ("cpu", 3600.04, 3600, "limit cpu: it used 3,600.04 s, 3,600 s is allowed"),
        ("temp", 600, 512, "limit temp: it used 600 bytes, 512 bytes is allowed"),
    ],
)
def test_excess_names_the_limit_what_was_used_and_what_is_allowed(
    field: str, used: float, allowed: float, sentence: str
) -> None:
    assert excess(field, used, allowed) == f"the program went over its {sentence}"

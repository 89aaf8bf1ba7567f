"""Limits as people type and read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.sandbox.limits import DEFAULT_LIMITS, MAX_NUMBER, Limits, limits_text, parse_limits

whole_limits = st.builds(Limits, *[st.integers(1, MAX_NUMBER // 2)] * len(Limits._fields))


@given(whole_limits)
def test_limits_are_read_as_they_are_written(limits: Limits) -> None:
    assert parse_limits(limits_text(limits)) == limits


def test_only_what_is_named_differs_from_the_defaults() -> None:
    for text, changes in [
        ("", {}),
        ("memory=1GiB,processes=64", {"memory": 2**30, "processes": 64}),
        (" cpu = 10m , open-files=100,", {"cpu": 600, "open_files": 100}),
        ("memory=1.5gib,temp=512", {"memory": 3 * 2**29, "temp": 512}),
    ]:
        assert parse_limits(text) == DEFAULT_LIMITS._replace(**changes)


def test_what_is_no_limit_is_refused_with_what_to_give() -> None:
    for text, sentence in [
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
    ]:
        with pytest.raises(ValueError, match="is not a limit") as refused:
            parse_limits(text)
        assert sentence in str(refused.value)

"""How often somebody may ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.net.peers import TokenBucket


@given(st.lists(st.floats(0, 0.5), max_size=200), st.integers(1, 50), st.integers(1, 50))
def test_never_more_is_granted_than_the_burst_and_the_rate_allow(gaps: list[float], rate: int, burst: int) -> None:
    now, granted = 0.0, 0
    bucket = TokenBucket(rate, burst, now)
    for gap in gaps:
        now += gap
        wait = bucket.take(now)
        granted += wait == 0.0
        assert granted <= burst + now * rate + 1e-6
        assert 0 <= wait <= 1.0 + 1 / rate


def test_whoever_waits_as_long_as_it_is_told_is_granted_the_next_request() -> None:
    bucket = TokenBucket(20, 1, 0.0)
    bucket.take(0.0)
    for _ in range(100):
        wait = bucket.take(0.0)
    assert wait == pytest.approx(1.0)
    assert bucket.take(wait + 1e-9) == 0.0

"""How often somebody may ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.errors import Refusal
from fairplay.server.lobby.limits import MAX_PEERS, MAX_WAIT_S, PeerBuckets, TokenBucket


def test_a_burst_is_granted_and_then_so_many_a_second() -> None:
    bucket = TokenBucket(20, 5, 100.0)
    assert [bucket.take(100.0) for _ in range(5)] == [0.0] * 5
    assert bucket.take(100.0) == pytest.approx(0.05)
    assert bucket.take(100.0) == pytest.approx(0.1)  # what is refused counts too
    assert bucket.take(100.15) == 0.0


@given(st.lists(st.floats(0, 0.5), max_size=200), st.integers(1, 50), st.integers(1, 50))
def test_never_more_is_granted_than_the_burst_and_the_rate_allow(gaps: list[float], rate: int, burst: int) -> None:
    now, granted = 0.0, 0
    bucket = TokenBucket(rate, burst, now)
    for gap in gaps:
        now += gap
        wait = bucket.take(now)
        granted += wait == 0.0
        assert granted <= burst + now * rate + 1e-6
        assert 0 <= wait <= MAX_WAIT_S + 1 / rate


def test_whoever_waits_as_long_as_it_is_told_is_granted_the_next_request() -> None:
    bucket = TokenBucket(20, 1, 0.0)
    bucket.take(0.0)
    for _ in range(100):
        wait = bucket.take(0.0)
    assert wait == pytest.approx(MAX_WAIT_S)
    assert bucket.take(wait + 1e-9) == 0.0


def test_connections_are_counted_each_and_forgotten_at_last() -> None:
    peers = PeerBuckets(1, 1)
    peers.take("a", 0.0)
    with pytest.raises(Refusal, match="ask again in"):
        peers.take("a", 0.0)
    for number in range(MAX_PEERS):
        peers.take(str(number), 0.0)
    peers.take("a", 0.0)
    assert len(peers._buckets) == MAX_PEERS

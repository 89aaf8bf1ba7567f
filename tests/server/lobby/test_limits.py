"""How often somebody may ask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairplay.server.errors import Refusal
from fairplay.server.lobby.limits import LobbyLimits, PeerBuckets, TokenBucket


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
        assert 0 <= wait <= 1.0 + 1 / rate


def test_whoever_waits_as_long_as_it_is_told_is_granted_the_next_request() -> None:
    bucket = TokenBucket(20, 1, 0.0)
    bucket.take(0.0)
    for _ in range(100):
        wait = bucket.take(0.0)
    assert wait == pytest.approx(1.0)
    assert bucket.take(wait + 1e-9) == 0.0


def test_connections_are_counted_each_and_forgotten_at_last() -> None:
    peers = PeerBuckets(1, 1)
    peers.take("a", 0.0)
    for number in range(9_999):
        peers.take(str(number), 0.0)
    with pytest.raises(Refusal, match="that is more often than 1 times a second: ask again in 1000 ms") as refused:
        peers.take("a", 0.0)
    assert refused.value.reason == "TOO_MANY_REQUESTS"
    assert refused.value.retry_s == 1.0
    for number in range(10_000):
        peers.take(str(number), 100.0)
    peers.take("a", 0.0)  # as if it had never asked


def test_what_flows_in_while_nobody_asks_is_no_more_than_the_burst() -> None:
    bucket = TokenBucket(10, 3, 0.0)
    assert [bucket.take(60.0) for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.1)]


def test_more_than_is_held_is_granted_once_and_missing_later() -> None:
    bucket = TokenBucket(10, 5, 0.0)
    assert bucket.take(0.0, 8) == 0.0
    assert bucket.take(0.0) == pytest.approx(0.4)
    assert bucket.take(0.0) == pytest.approx(0.5)
    assert bucket.take(0.5) == pytest.approx(0.1)
    bucket = TokenBucket(10, 5, 0.0)
    assert bucket.take(0.0, 1_000) == 0.0
    assert bucket.take(0.0) == pytest.approx(1.0)


def test_the_limits_of_a_lobby_are_those_that_its_page_says() -> None:
    limits = LobbyLimits()
    assert (limits.grace_s, limits.empty_s) == (10, 60)
    assert (limits.requests_per_second, limits.burst, limits.enter_burst) == (20, 40, 100)
    assert (limits.max_user_count, limits.max_host_user_count) == (5_000, 500)
    assert (limits.max_table_count, limits.max_owned_count) == (1_000, 10)

"""Room for connections: who waits makes room for who comes, and nobody who is served does."""

from __future__ import annotations

from fairplay.player.accepting import MOST_OF_HOST, Connection, Connections


def admitted(connections: Connections, host: str, count: int) -> list[Connection]:
    """Admit connections of a host, all of which there must be room for."""
    found = [connections.admit(host) for _ in range(count)]
    return [each for each in found if each is not None]


def test_a_new_connection_takes_the_place_of_the_oldest_that_waits() -> None:
    connections, ended = Connections(most=2), list[str]()
    first, second = admitted(connections, "192.0.2.1", 2)
    first.waiting = False
    second.end = lambda: ended.append("second")
    assert connections.admit("192.0.2.2") is not None
    assert ended == ["second"]


def test_nobody_who_is_served_makes_room() -> None:
    connections = Connections(most=1)
    (first,) = admitted(connections, "192.0.2.1", 1)
    first.waiting = False
    assert connections.admit("192.0.2.2") is None
    connections.remove(first)
    assert connections.admit("192.0.2.2") is not None


def test_a_host_has_its_share_and_this_machine_may_be_a_proxy() -> None:
    connections = Connections(most=3 * MOST_OF_HOST)
    for each in admitted(connections, "192.0.2.1", MOST_OF_HOST):
        each.waiting = False
    assert connections.admit("192.0.2.1") is None
    assert len(admitted(connections, "127.0.0.1", MOST_OF_HOST + 1)) == MOST_OF_HOST + 1


def test_a_proxy_on_another_machine_has_room_for_more_than_one_host() -> None:
    connections = Connections(most=3 * MOST_OF_HOST, is_proxy="192.0.2.9".__eq__)
    for each in admitted(connections, "192.0.2.9", MOST_OF_HOST):
        each.waiting = False
    assert connections.admit("192.0.2.9") is not None

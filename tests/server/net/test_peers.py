"""The host of a connection, which quotas count."""

from __future__ import annotations

import pytest

from fairplay.server.net.peers import host_of


@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("ipv4:10.0.0.7:51234", "10.0.0.7"),
        ("ipv4:127.0.0.1:51234", "ipv4:127.0.0.1:51234"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:51234", "2001:db8:1:2::"),
        ("ipv6:[::ffff:10.0.0.7]:9", "10.0.0.7"),
        ("ipv6:[::ffff:127.0.0.1]:9", "ipv6:[::ffff:127.0.0.1]:9"),
        ("unix:/tmp/socket", "unix:/tmp/socket"),
    ],
)
def test_hosts_count_and_on_this_machine_connections(peer: str, host: str) -> None:
    assert host_of(peer) == host

"""The networks in which a server calls players."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any

import pytest

from fairplay.server.links.networks import ANYWHERE, NOWHERE, DialNetworks, NotAllowedError
from fairplay.server.net.errors import Refusal

SOME = "10.0.0.0/8, 2001:db8::/32,,192.0.2.7"


def allowed(networks: DialNetworks, target: str) -> bool:
    try:
        networks.check(target, "plan.players[0].link")
    except Refusal as refusal:
        assert (refusal.reason, refusal.field) == ("ADDRESS_NOT_ALLOWED", "plan.players[0].link")
        said = f"this server does not call players at {target}: have the player dial in (see --dial-networks)"
        assert refusal.message == said
        return False
    return True


@pytest.mark.parametrize(
    ("target", "some"),
    [
        ("10.1.2.3:50051", True),
        ("11.1.2.3:50051", False),
        ("[2001:db9::1]:1", False),
        ("[::ffff:11.0.0.1]:1", False),
        ("host.example:1", True),
    ],
)
def test_an_address_has_to_be_in_one_of_the_networks_and_a_name_is_looked_up_later(target: str, some: bool) -> None:
    assert allowed(DialNetworks.parse(SOME), target) is some
    assert allowed(ANYWHERE, target)
    assert not allowed(NOWHERE, target)
    assert not allowed(DialNetworks.parse(" "), target)


@pytest.mark.parametrize("text", ["10.0.0.1/8", "host"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=rf"'{text}' is not a network, e\.g\. 10\.0\.0\.0/8: "):
        DialNetworks.parse(f"10.0.0.0/8,{text}")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of every name."""
    addresses: list[str] = []

    def look_up(host: str, port: int, _family: int, kind: int, *_: int) -> Sequence[Any]:
        assert (host, port, kind) == ("host.example", 50051, socket.SOCK_STREAM)
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, f"{host} has no address")
        return [(socket.AF_INET, kind, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return addresses


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (["11.0.0.7", "10.0.0.7", "10.0.0.8"], "10.0.0.7:50051"),
        (["2001:db8::7%eth0"], "[2001:db8::7]:50051"),
        (["::ffff:10.0.0.7"], f"[{ip_address('::ffff:10.0.0.7')}]:50051"),  # Python 3.13 writes it otherwise
        (["11.0.0.7"], None),
    ],
)
async def test_a_name_is_called_at_its_first_address_that_may_be_called(
    found: list[str], addresses: list[str], expected: str | None
) -> None:
    found.extend(addresses)
    networks = DialNetworks.parse(SOME)
    assert await ANYWHERE.resolve("host.example:50051") == "host.example:50051"
    if expected is not None:
        assert await networks.resolve("host.example:50051") == expected
    else:
        with pytest.raises(NotAllowedError, match=r"does not call players at host\.example:50051"):
            await networks.resolve("host.example:50051")


async def test_a_name_that_is_not_known_is_not_called(found: list[str]) -> None:
    with pytest.raises(NotAllowedError, match=r"^host\.example is not known: host\.example has no address$"):
        await DialNetworks.parse(SOME).resolve("host.example:50051")


async def test_a_name_that_no_machine_can_have_is_not_called() -> None:
    with pytest.raises(NotAllowedError, match=r"^a\.\.b is not known: it is not the name of a machine$"):
        await DialNetworks.parse(SOME).resolve("a..b:50051")

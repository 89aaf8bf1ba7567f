"""The networks in which the server calls players: strangers must not make it try the ports of others."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from fairplay.server.net.errors import Refusal

Network: TypeAlias = IPv4Network | IPv6Network


class NotAllowedError(Exception):
    """Raised, with one sentence, if an address is in none of the networks, or is not known."""


class DialNetworks:
    """The networks that may be called; None: all of them, and names are resolved by gRPC."""

    def __init__(self, networks: Sequence[Network] | None) -> None:
        self._networks = networks

    @classmethod
    def parse(cls, text: str) -> DialNetworks:
        """Read networks with commas between them, e.g. "10.0.0.0/8,2001:db8::/32"; empty: none at all.

        Raises ValueError, with one sentence, if one cannot be read.
        """
        networks = []
        for part in filter(None, (part.strip() for part in text.split(","))):
            try:
                networks.append(ip_network(part))
            except ValueError as error:
                raise ValueError(f"{part!r} is not a network, e.g. 10.0.0.0/8: {error}") from None
        return cls(networks)

    @property
    def named(self) -> bool:
        """Return whether somebody has said which networks may be called."""
        return self._networks is not None

    def check(self, target: str, field: str) -> None:
        """Check the address in HOST:PORT, if it is no name. Raises Refusal, which names the field, if it is wrong."""
        try:
            address = ip_address(_host(target))
        except ValueError:
            if self._networks is None or self._networks:
                return
            allowed = False
        else:
            allowed = self._allows(address)
        if not allowed:
            raise Refusal("ADDRESS_NOT_ALLOWED", _sentence(target), field, given=target)

    async def resolve(self, target: str) -> str:
        """Return the HOST:PORT to call for one that was named: with the address that was checked.

        Raises NotAllowedError if there is none that may be called.
        """
        if self._networks is None:
            return target
        host, port = _host(target), target.rpartition(":")[2]
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, int(port), type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # the latter for names that no machine can have
            problem = error.strerror or error if isinstance(error, OSError) else "it is not the name of a machine"
            raise NotAllowedError(f"{host} is not known: {problem}") from None
        for *_, place in found:
            address = ip_address(str(place[0]).partition("%")[0])
            if self._allows(address):
                return f"[{address}]:{port}" if address.version == 6 else f"{address}:{port}"
        raise NotAllowedError(_sentence(target))

    def _allows(self, address: IPv4Address | IPv6Address) -> bool:
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return self._networks is None or any(address in network for network in self._networks)


ANYWHERE, NOWHERE = DialNetworks(None), DialNetworks(())


def _host(target: str) -> str:
    return target.rpartition(":")[0].strip("[]")


def _sentence(target: str) -> str:
    return f"this server does not call players at {target[:128]}: have the player dial in (see --dial-networks)"

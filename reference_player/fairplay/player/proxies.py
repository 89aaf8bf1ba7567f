"""HTTP proxies between a caller and other machines, as the environment names them: gRPC tunnels through them."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import ipaddress
import os
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

VARIABLES = ("grpc_proxy", "https_proxy", "http_proxy")
EXCEPTIONS = ("no_grpc_proxy", "no_proxy")
SCHEME = re.compile(r"(dns:(//[^/]*/)?|ipv[46]:)?")
"""How the target of a channel may begin, before its host."""
USUAL_PORT = 80
CONNECT_LIMIT_S = 5.0
NOT_THE_PROXY = range(500, 600)
"""Status codes with which a proxy says that it does not reach the address: that is not its own fault."""


class ProxyError(OSError):
    """The proxy on the way to an address is of no use; one sentence."""


class Proxy(NamedTuple):
    """A proxy, and the variable of the environment that names it."""

    variable: str
    url: str

    @property
    def shown(self) -> str:
        """Return how messages name the proxy, without a password."""
        return f"the proxy {self.url.rpartition('@')[2].removeprefix('http://')}, which {self.variable} names,"


def host_of(target: str) -> str:
    """Return the host of a target of gRPC, as HOST:PORT, in small letters."""
    return SCHEME.sub("", target, count=1).rpartition(":")[0].strip("[]").lower()


def is_this_machine(host: str) -> bool:
    """Return whether a host is the machine itself, whatever its networks."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def names_proxy() -> bool:
    """Return whether the environment names a proxy for any address."""
    return any(os.environ.get(name) for name in VARIABLES)


def find_proxy(target: str) -> Proxy | None:
    """Return the proxy through which HOST:PORT or unix:PATH is called; None: it is called directly.

    This machine is always called directly. For others it is decided as gRPC decides.
    """
    host = host_of(target)
    if target.startswith("unix") or is_this_machine(host):
        return None
    variable = next((name for name in VARIABLES if name in os.environ), "")
    url = os.environ.get(variable, "")
    if not re.match(r"http://[^/]", url):
        return None
    exceptions = next((os.environ[name] for name in EXCEPTIONS if os.environ.get(name)), "")
    if any(_covers(each.strip().lower(), host) for each in exceptions.split(",")):
        return None
    return Proxy(variable, url)


def _covers(exception: str, host: str) -> bool:
    """Return whether an exception concerns a host: it is the end of its name, or a network that its address is in."""
    if exception in ("", "*"):
        return bool(exception)
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host) in ipaddress.ip_network(exception, strict=False)
    return host.endswith(exception.removeprefix("*"))


def without_proxies_here(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment whose proxies, if it names any, do not concern this machine, whatever reads it."""
    given = dict(environment)
    if any(name.lower() in (*VARIABLES, "all_proxy") for name in given):
        for name in ("no_proxy", "NO_PROXY", *(["no_grpc_proxy"] if "no_grpc_proxy" in given else [])):
            given[name] = ",".join(filter(None, (given.get(name), "127.0.0.1", "localhost")))
    return given


async def check_proxy(target: str) -> None:
    """Raise ProxyError if HOST:PORT is called through a proxy that cannot be reached or refuses to connect to it."""
    proxy = find_proxy(target)
    if proxy is None:
        return
    try:
        status = await asyncio.wait_for(_ask(proxy, target), CONNECT_LIMIT_S)
    except (OSError, ValueError) as error:
        problem = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        why = f" within {CONNECT_LIMIT_S:g} s" if isinstance(error, TimeoutError) else f": {problem}"
        raise ProxyError(f"{proxy.shown} cannot be reached{why}; {_advice(proxy, target)}") from None
    if status >= 300 and status not in NOT_THE_PROXY:
        raise ProxyError(
            f"{proxy.shown} refuses to connect to {target}, with status {status}; {_advice(proxy, target)}"
        )


def _advice(proxy: Proxy, target: str) -> str:
    return f"to call {target} directly, unset {proxy.variable} or add {host_of(target)} to no_proxy"


async def _ask(proxy: Proxy, target: str) -> int:
    """Return the status with which a proxy answers a request to connect to an address."""
    url = urlsplit(proxy.url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port or USUAL_PORT)
    try:
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if url.username is not None:
            user = f"{unquote(url.username)}:{unquote(url.password or '')}"
            lines.append(f"Proxy-Authorization: Basic {base64.b64encode(user.encode()).decode()}")
        writer.write("\r\n".join([*lines, "", ""]).encode())
        words = (await reader.readline()).split()
        if len(words) < 2 or not words[1].isdigit():
            raise ValueError("what answers there is no HTTP proxy")
        return int(words[1])
    finally:
        writer.close()

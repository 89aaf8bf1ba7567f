"""Whether strangers reach an address that is listened on, and what keeps them apart there."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping

UNIX = "unix:"
"""How the address of a Unix socket begins."""


class ExposedError(OSError):
    """A listener would be open to strangers on the network; one sentence says what to add."""


def check_exposure(listen: str, needed: Mapping[str, bool], *, insecure: bool) -> None:
    """Raise ExposedError if an address can be reached from other machines, and what keeps strangers apart is missing.

    `needed` says of each option that is needed whether it is given; with `insecure` none is.
    """
    missing = [name for name, given in needed.items() if not given]
    if insecure or not missing or is_loopback(listen):
        return
    message = f"{listen} can be reached from other machines: add {' and '.join(missing)}"
    raise ExposedError(f"{message}, or --insecure if you trust everybody who reaches it")


def is_loopback(listen: str) -> bool:
    """Return whether only this machine reaches an address, HOST:PORT or unix:PATH."""
    if listen.startswith(UNIX):
        return True
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"

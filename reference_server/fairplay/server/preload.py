"""What a server that runs for long loads before it is ready: later the machine may be out of descriptors."""

from __future__ import annotations

import logging
from importlib import import_module

from fairplay.formats import format as formats
from fairplay.games import game as games

log = logging.getLogger("fairplay.server")

MODULES = (
    "concurrent.futures.thread",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "cryptography.hazmat.primitives.serialization",
    "encodings.idna",
    "fairplay.certificate.signing",
    "fairplay.formats.pairing",
    "fairplay.standings.points",
    "fairplay.standings.ratings",
    "fairplay.standings.results",
    "rustworkx",
)
"""What is imported only where it is needed, as commands that end soon do without it."""


def load() -> None:
    """Load all games and formats that are installed, and what tournaments and certificates need."""
    for module in MODULES:
        import_module(module)
    for kind, registered, find in (
        ("game", games.registered, games.find),
        ("format", formats.registered, formats.find),
    ):
        for name in registered():
            try:
                find(name)
            except Exception as error:  # one of somebody else's; whoever asks for it is told
                log.warning("the %s %s cannot be loaded: %s", kind, name, error)

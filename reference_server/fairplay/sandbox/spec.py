"""What the server tells the guard of a program, as one word on the guard's command line. It holds no secrets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from fairplay.sandbox.limits import Limits


class Walls(NamedTuple):
    """A sandbox as the guard builds it, and the Unix sockets outside by which its program is reached."""

    bubblewrap: Sequence[str]
    """The command of bubblewrap with the options that say what is seen inside."""
    server_socket: str
    """Where the server waits for the player."""
    player_socket: str
    """Where the guard waits for the server, to reach a player that serves."""


class Spec(NamedTuple):
    """What a guard has to know besides the command."""

    limits: Limits
    report: int = -1
    """The file descriptor to which the guard writes which limit was exceeded; below 0: it does not say."""
    walls: Walls | None = None


def write_spec(spec: Spec) -> str:
    """Return a spec as text."""
    return json.dumps([list(spec.limits), spec.report, spec.walls and list(spec.walls)])


def read_spec(text: str) -> Spec:
    """Return the spec that a text holds."""
    limits, report, walls = json.loads(text)
    return Spec(Limits(*limits), report, walls and Walls(*walls))

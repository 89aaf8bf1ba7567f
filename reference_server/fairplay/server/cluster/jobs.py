"""What travels between a server and its cluster: a game to be played goes out, its record comes back."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from fairplay.server.ways import Ways

LENGTH = struct.Struct("!Q")
KEPT_CHILDREN = {"RAY_kill_child_processes_on_worker_exit": "false"}
"""The environment of workers: Ray must not kill the guards of programs, which end the programs and then themselves."""


@dataclass(frozen=True, slots=True)
class Job:
    """A game to be played. `plan` is a serialised GamePlan, with the secrets of its players."""

    game_id: str
    tournament_id: str
    plan: bytes
    ways: Ways
    folder: str
    """The current folder of the server, to which the commands of programs refer."""
    programs: Sequence[str]
    """The programs of players that are there on the server's machine, and so have to be on that of the worker."""
    version: str
    """The version of fairplay."""


class JobError(Exception):
    """A game could not be played, for a reason that its plan has; one sentence."""


class WorkerError(Exception):
    """Games cannot be played on a worker, for a reason that it has; one sentence."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Which cluster plays games: one of `jobs` processes on this machine, or the one of Ray at an address.

    `address` "auto": the one that runs on this machine. `wait`: when it has lost all its workers, wait for new ones.
    """

    jobs: int = 0
    address: str = ""
    wait: bool = True


def packed(message: tuple[Any, ...]) -> bytes:
    """Return a message as a frame, its length first."""
    data = pickle.dumps(message)
    return LENGTH.pack(len(data)) + data


def read_message(source: BinaryIO) -> tuple[Any, ...] | None:
    """Return the next message of a stream of frames; None at its end."""
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    data = source.read(length)
    if len(data) < length:
        return None
    message: tuple[Any, ...] = pickle.loads(data)
    return message

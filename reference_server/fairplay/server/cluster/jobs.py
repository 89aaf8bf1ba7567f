"""What travels between a process and its workers: work goes out as a job, what comes of it comes back."""

from __future__ import annotations

import asyncio
import os
import pickle
import shlex
import shutil
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from fairplay.server import __version__
from fairplay.server.links.spec import parse_link

LENGTH = struct.Struct("!Q")
MOST_LOSSES = 100
"""How often a job is done again whose worker was lost: one that ends every worker must not go on for ever."""
KEPT_CHILDREN = {"RAY_kill_child_processes_on_worker_exit": "false"}
"""The environment of workers: Ray must not kill the guards of programs, which end the programs and then themselves."""


class Work(Protocol):
    """Something for a worker to do, that can be pickled."""

    def run(self) -> bytes:
        """Do it and return what comes of it. For a process that does nothing else meanwhile.

        Raises JobError if it cannot be done, WorkerError if it cannot be done here.
        """


OWN_PREFIX = "FAIRPLAY_"
"""How the variables begin that say whom a process trusts, and who it is."""
VARIABLES_OF_RAY = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT", "SPT_NOENV")
"""Those that Ray sets in its workers, beside its own that begin with RAY_: players are to think as elsewhere."""


@dataclass(frozen=True, slots=True)
class Job:
    """Work, and what a worker needs for it. It is unpickled only where that is there."""

    title: str
    """What it is: the process of the worker calls itself so."""
    work: bytes
    folder: str
    """The current folder of who gives the job, to which the commands of programs refer; empty: that of the worker."""
    programs: Sequence[str]
    """The programs of players that are there on that machine, and so have to be on that of the worker."""
    version: str
    """The version of fairplay."""
    environment: Mapping[str, str] = field(repr=False)
    """What `travelling_variables` found there; with secrets."""


def to_shipped(job: Job) -> Job:
    """Return a job for workers that have been sent its folder: what lies in there is found from their current one."""
    inside = (Path(each).is_relative_to(job.folder) for each in job.programs)
    there = [
        f".{os.sep}{Path(program).relative_to(job.folder)}" if is_inside else program
        for program, is_inside in zip(job.programs, inside, strict=True)
    ]
    return replace(job, folder="", programs=there)


class ClusterError(OSError):
    """There is no cluster; one sentence."""


class LostError(Exception):
    """There is nobody to do the work, and nobody wants to wait for others; one sentence."""


class JobError(Exception):
    """A job could not be done, for a reason that its work has; one sentence."""


class WorkerError(Exception):
    """Jobs cannot be done by a worker, for a reason that it has; one sentence."""


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Who does the work: a pool of `jobs` processes on this machine, or the cluster of Ray at an address.

    `address` "auto": the one that runs on this machine. `wait`: when it has lost all its workers, wait for new ones.
    `shipped`: a folder that is sent to the machines of the workers, where their work finds it as the current folder,
    without the folders in it that `kept` names; empty: none.
    """

    jobs: int = 0
    address: str = ""
    wait: bool = True
    shipped: str = ""
    kept: Sequence[str] = ()


def make_job(title: str, work: Work, links: Iterable[str]) -> Job:
    """Return work with players on these links as a job, to be done as this process would do it."""
    folder = str(Path.cwd())
    found = [find_program(spec.value, folder) for spec in map(parse_link, links) if spec.kind == "exec"]
    programs = [program for program in found if program is not None]
    return Job(title, pickle.dumps(work), folder, programs, __version__, travelling_variables())


def travelling_variables() -> dict[str, str]:
    """Return the variables of this process that stand for those of the worker."""
    return {name: os.environ[name] for name in os.environ if name.startswith(OWN_PREFIX) or name in VARIABLES_OF_RAY}


def find_program(command: str, folder: str) -> str | None:
    """Return the program that a command starts: its path, or its name if it is looked for; None if there is none."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if not words:
        return None
    if os.sep in words[0]:
        return shutil.which(str(Path(folder, words[0])))
    return words[0] if shutil.which(words[0]) is not None else None


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


async def read_answer(source: asyncio.StreamReader) -> tuple[Any, ...] | None:
    """Return the next message of a process that is asked; None when it is gone."""
    try:
        (length,) = LENGTH.unpack(await source.readexactly(LENGTH.size))
        message: tuple[Any, ...] = pickle.loads(await source.readexactly(length))
    except (asyncio.IncompleteReadError, OSError):
        return None
    return message

"""What a worker of a cluster does: it plays one game, with players of its own, and returns the record."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import socket
from pathlib import Path

from fairplay.games.game import find
from fairplay.server import __version__
from fairplay.server.cluster.jobs import Job, JobError, WorkerError
from fairplay.server.errors import Refusal
from fairplay.server.fresh import fresh_game
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.links.secrets import take_secrets
from fairplay.server.plans import full_game_plan
from fairplay.server.records.journal import MemoryJournal
from fairplay.server.records.summaries import begun_game
from fairplay.server.running import Running
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan


def play(job: Job) -> bytes:
    """Play a game and return its record, serialised. For a process that does nothing else meanwhile.

    Raises JobError if the game cannot be played, WorkerError if it cannot be played here.
    """
    _check_here(job)
    try:
        return asyncio.run(_play(job)).SerializeToString()
    except Refusal as refusal:
        raise JobError(refusal.message) from None


def find_program(command: str, folder: str) -> str | None:
    """Return the path of the program that a command starts, None if there is none, or it cannot be read."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    if not words:
        return None
    return shutil.which(str(Path(folder, words[0])) if os.sep in words[0] else words[0])


def _check_here(job: Job) -> None:
    here = socket.gethostname()
    if job.version != __version__:
        raise WorkerError(f"{here} has fairplay {__version__}, and not {job.version}: install the same version there")
    if Path(job.folder).is_dir():
        os.chdir(job.folder)
    for program in job.programs:
        if shutil.which(program) is None:
            raise WorkerError(f"{here} has no program {program}: put it there, or in a folder that all machines share")


async def _play(job: Job) -> Record:
    clock = Clock()
    hub = Hub(clock)
    programs, links = job.ways.open(hub, clock)
    given = GamePlan.FromString(job.plan)
    secrets = take_secrets(given.players, "plan.players")
    plan = full_game_plan(given, links.check)
    replayer = fresh_game(plan, job.game_id, job.tournament_id, links)
    journal = MemoryJournal(RecordEntry(game=replayer.header).SerializeToString())
    replayer.transcript.append = journal.append
    running = Running(begun_game(replayer.header), replayer, journal)
    game = find(plan.game)
    try:
        opened = await asyncio.gather(*(links.open(each, game, secrets.get(each.name, "")) for each in plan.players))
        running.begin(opened)
        await running.over
        await asyncio.gather(*(link.close() for link in opened))
    finally:
        await programs.close()
    return journal.record()

"""Attack a server, or a player that serves, with what no sound caller sends, and watch what it costs: `make fuzz`.

A `fairplay serve` or `fairplay player` of its own gets, in turn, random bytes and random valid messages as requests
of every method, and connections of random HTTP/2 frames (`server`, `player`, and `players`, the address for players
alone); or streams of players that dial in, as strangers and as entrants (`dial-in`, at that address). Beside that a
neighbour has small games played, one after the other; where a player is attacked, with that player. At the end what was
attacked must still serve, no game may have failed, and its memory must not have grown beyond a bound, nor its records
beyond what games are worth.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

import psutil

from fairplay.games.game import find
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.server.server import SERVICES
from tools.fuzz.attack import GAME, Attack, Report
from tools.fuzz.dial_in import DialInAttack

TARGETS = ("server", "dial-in", "players", "player")
NEWS = b" INFO "
"""What a line of the log has that tells of a game or a player."""
FIRST_FRAMES = 2_000
"""What a target holds anyway, it holds after so many frames."""


@contextmanager
def running(*command: str) -> Iterator[tuple[int, tuple[str, str], IO[bytes]]]:
    """Run a `fairplay` command that serves; yield its process id, where it listens, and a file with what it says.

    Where it listens for players, that is the second address, and else the same one.
    """
    with tempfile.TemporaryFile() as said:
        whole = [sys.executable, "-m", "fairplay.terminal", *command, "--listen", "127.0.0.1:0"]
        with subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=said) as process:
            try:
                assert process.stdout is not None
                ports = re.findall(rb"(?:127\.0\.0\.1:|port )(\d+)", process.stdout.readline())
                if not ports:
                    raise RuntimeError(f"{command[0]} does not say where it listens")
                yield process.pid, (f"127.0.0.1:{int(ports[0])}", f"127.0.0.1:{int(ports[-1])}"), said
            finally:
                process.terminate()
                process.wait()


def fuzz(frames: int, limit_s: float, seed: int, target: str = "server") -> Report:
    """Attack a server or a player of its own, and return what came of it."""
    with ExitStack() as stack:
        records = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        options = ("--players", "127.0.0.1:0", "--records", str(records))
        pid, (server, players), said = stack.enter_context(running("serve", *options))
        attack: Attack | DialInAttack
        if target == "dial-in":
            attack = DialInAttack(server, players, seed)
        elif target == "players":
            attack = Attack(players, SERVICES[1:2], server, "bot:first", seed)
        elif target == "player":
            pid, (address, _), said = stack.enter_context(running("player", GAME))
            attack = Attack(address, player_services(), server, f"grpc://{address}", seed)
        else:
            attack = Attack(server, SERVICES, server, "bot:first", seed)
        asyncio.run(_run(attack, psutil.Process(pid), records, frames, limit_s))
        said.seek(0)
        attack.report.problem_bytes = sum(len(line) for line in said if NEWS not in line)
    return attack.report


async def _run(
    attack: Attack | DialInAttack, process: psutil.Process, records: Path, frames: int, limit_s: float
) -> None:
    """Run an attack, and note what it has changed of the process and the records."""
    await attack.run(min(frames, FIRST_FRAMES), limit_s)
    before = _size(records)
    attack.report = Report(memory_before_mib=process.memory_info().rss / 2**20)
    await attack.run(frames, limit_s)
    attack.report.memory_after_mib = process.memory_info().rss / 2**20
    attack.report.record_bytes = max(0, _size(records) - before)


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def player_services() -> tuple[str, ...]:
    """Return the names of the services that a player serves."""
    paths = [method.path for method in (*find(GAME).methods, *PLAYER_METHODS.values())]
    return tuple(dict.fromkeys(path.split("/")[1] for path in paths))


def main() -> int:
    """Run the attacks that the options ask for; return 0 if all targets have stood them."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000, help="of all targets together")
    parser.add_argument("--limit", type=float, default=1_800.0, help="seconds, of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("target", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)}; by default server dial-in")
    options = parser.parse_args()
    targets = options.target or ["server", "dial-in"]
    if unknown := [each for each in targets if each not in TARGETS]:
        parser.error(f"there is no target {unknown[0]}: give {', '.join(TARGETS)}")
    frames, limit_s = options.frames // len(targets), options.limit / len(targets)
    reports = {target: fuzz(frames, limit_s, options.seed, target) for target in targets}
    print(json.dumps({target: asdict(report) for target, report in reports.items()}, indent=2))
    return 0 if all(report.sound for report in reports.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

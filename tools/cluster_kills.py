"""Kill workers that play the games of a tournament, and see whether one is lost or repeated: `make cluster-kills`.

A round robin of cheap bots in small games of Fish is played twice with the same seed: in one process, and with
`--jobs 2`, where workers are killed with -9, after as many games as the seed draws. In the
records of the second one every game of the schedule must be there once, as the record of the tournament and the games'
own records say, `records verify` must find them intact, and the result must be that of the first one.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import psutil

from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import at
from fairplay.server.records.store import Store
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.referee_pb2 import Game
from tests.robustness.harness import Command, listings, until, workers

PLAYERS = {"ann": "greedy", "bob": "first", "cid": "random", "dot": "greedy", "eve": "random"}
SETTINGS = ("rows=4", "columns=4", "holes=0")
PAIRINGS = [*itertools.permutations(PLAYERS, 2)]
"""The games of a deal, each by its players in turn order."""
MOST_GAMES = 1_000 * len(PAIRINGS)
LEAST_S = 600.0
A_GAME_S = 1.0
"""How long a command may take, at the least and for each game: a machine may be busy with something else."""


class TroubleError(Exception):
    """The trial came to no end; one sentence."""


@dataclass(frozen=True)
class Report:
    """What came of it. `kills` are the counts of recorded games at which a worker was killed."""

    game_count: int
    kills: list[int]
    alone_s: float
    cluster_s: float
    recorded: int
    lost: int
    repeated: int
    problems: list[str]
    """What differs from the tournament in one process, and what `records verify` finds; one sentence each."""

    @property
    def sound(self) -> bool:
        """Return whether nothing is lost, repeated, or otherwise than in one process."""
        return not (self.lost or self.repeated or self.problems)


def trial(game_count: int, kill_count: int, seed: int) -> Report:
    """Play the tournament in one process and by workers that are killed; return what came of it.

    Raises TroubleError if a command fails or takes too long, or is over before all its workers were killed.
    """
    with TemporaryDirectory(prefix="fairplay-kills-") as folder:
        alone, cluster = Path(folder, "alone"), Path(folder, "cluster")
        for each in (alone, cluster):
            each.mkdir()
        kill_at = sorted(Random(seed).sample(range(game_count - 1), kill_count))
        alone_s, _ = _play(alone, game_count, seed, (), [])
        cluster_s, kills = _play(cluster, game_count, seed, ("--jobs", "2"), kill_at)
        lost, repeated, count = counted(cluster, game_count // len(PAIRINGS))
        problems = [*differences(alone, cluster), *_found(cluster)]
        return Report(game_count, kills, round(alone_s, 1), round(cluster_s, 1), count, lost, repeated, problems)


# --- the tournaments ---


def tournament(folder: Path, game_count: int, seed: int, *options: str) -> list[str]:
    """Return the command that plays it, with its records and its result in a folder."""
    players = [word for name, strategy in PLAYERS.items() for word in ("-p", f"{name}=bot:{strategy}")]
    settings = [word for setting in SETTINGS for word in ("--set", setting)]
    terms = ["--format", "round-robin", "--deals", str(game_count // len(PAIRINGS)), "--seed", str(seed)]
    kept = ["--records", str(folder), "--json", str(folder / "result.json")]
    return ["tournament", "fish", *players, *settings, *terms, "--limit", "1m", *kept, *options]


def _play(
    folder: Path, game_count: int, seed: int, options: Sequence[str], kill_at: Sequence[int]
) -> tuple[float, list[int]]:
    """Play it, and kill a worker at each of these counts of games; return how long it took, and the counts."""
    limit_s = LEAST_S + A_GAME_S * game_count
    with Command(folder, *tournament(folder, game_count, seed, *options)) as command:
        kills = [_kill(command, folder, count_before, limit_s) for count_before in kill_at]
        ran = command.end(limit_s)
        if ran.code != 0:
            raise TroubleError(f"a command ended with exit code {ran.code}: {ran.err.strip()}")
        until(lambda: not command.left(), "the end of everything that the command has started")
    return ran.took_s, kills


def _kill(command: Command, folder: Path, count_before: int, limit_s: float) -> int:
    """Kill a worker once so many games are recorded; return how many there are."""
    count = partial(recorded_count, folder)
    until(lambda: command.over or count() >= count_before, f"{count_before} recorded games", limit_s)
    until(lambda: command.over or _kill_one(command), "a worker", limit_s)
    if command.over:
        raise TroubleError(f"the tournament was over before a worker was killed after {count_before} games")
    return count()


def _kill_one(command: Command) -> bool:
    """Kill a worker; return whether there was one."""
    for found in workers(command):
        with contextlib.suppress(psutil.NoSuchProcess):
            found.kill()
            return True
    return False


# --- what has become of them ---


def recorded_count(folder: Path) -> int:
    """Return how many games are recorded while workers play them: its records come as a whole, after the first."""
    try:
        with Store.read_only(folder) as store:
            newest, _ = store.list("game", limit=1)
    except RecordsError:
        return 0
    return newest[0].number - 1 if newest else 0


def counted(folder: Path, deal_count: int) -> tuple[int, int, int]:
    """Return how many games are lost, how many records or results there are too many, and how many records of games.

    A game is known by its players in turn order and its seed, which is that of its deal. It is there if it has a record
    with an end, and an entry in the record of the tournament.
    """
    found = listings(at(folder))
    [ended] = [each.record_id for each in found if each.kind == "tournament"]
    records = [each for each in found if each.kind == "game"]
    with Store.read_only(folder) as store:
        entries = [RecordEntry.FromString(each.entry) for each in store.read(ended).entries]
    played = Counter(each.played.game_id for each in entries if each.HasField("played"))
    plans = [Game.FromString(each.summary).plan for each in records if each.finished and each.record_id in played]
    deals = Counter(
        players for players, _ in {(tuple(each.name for each in plan.players), plan.seed) for plan in plans}
    )
    there = sum(min(deal_count, deals[pairing]) for pairing in PAIRINGS)
    repeated = len(records) - there + played.total() - len(played)
    return deal_count * len(PAIRINGS) - there, repeated, len(records)


def differences(one: Path, other: Path) -> list[str]:
    """Return in which parts the results of two tournaments differ, beside the id."""
    result, other_result = (_result(folder) for folder in (one, other))
    return [f"the results differ in {key!r}" for key in result if result[key] != other_result.get(key)]


def _result(folder: Path) -> dict[str, object]:
    text = (folder / "result.json").read_text()
    result: dict[str, object] = json.loads(text.replace(json.loads(text)["tournamentId"], "ID"))
    return result


def _found(folder: Path) -> list[str]:
    """Return what `records verify` finds, with its sentences."""
    with Command(folder, "records", "verify", str(folder), "--json") as command:
        ran = command.end(LEAST_S)
    return [] if ran.code == 0 else [f"records verify ends with exit code {ran.code}: {ran.out}{ran.err}"]


# --- the command ---


def main(arguments: Sequence[str] | None = None, take: Callable[[int, int, int], Report] = trial) -> int:
    """Run the trial that the options ask for; return 0 if nothing was lost, repeated or otherwise."""
    parser = argparse.ArgumentParser(prog="make cluster-kills", description=__doc__)
    parser.add_argument("--games", type=int, default=10_000, help=f"a multiple of {len(PAIRINGS)}")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if options.games % len(PAIRINGS) or not 0 < options.games <= MOST_GAMES:
        parser.error(f"--games must be a multiple of {len(PAIRINGS)} up to {MOST_GAMES}, and not {options.games}")
    if not 0 <= options.kills < options.games:
        parser.error(f"--kills must be less than the games, and not {options.kills}")
    try:
        report = take(options.games, options.kills, options.seed)
    except (TroubleError, AssertionError) as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(asdict(report), indent=2))
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main())

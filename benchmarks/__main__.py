"""`python -m benchmarks`: takes the measures, prints the table, keeps the results.

It measures and does not judge: the exit code is 0 also where a figure is missed, and 1 only where a measure could not
be taken.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from benchmarks import bots, cluster, idle, languages, lobby, programs, servers, sessions, spectators
from benchmarks.figures import FULL, QUICK, Figure, Pace, Unmeasurable, measured
from benchmarks.report import DOCS, RESULTS, compare, print_table, write_docs, write_json
from fairplay.games.game import registered

RESULTS_HELP = "where results are kept; by default only those of a whole run are, in benchmarks/results.json"
NAMES = (
    *("rules", *sessions.LOADS, "languages", "idle", "idle-most", "lobby", "watch", "opening", "league", "postgresql"),
    *("cluster", "servers", "relay", "worker", "scale", "help"),
)


class Measure(NamedTuple):
    """Something to measure: what it is called while it runs, and what takes it."""

    title: str
    take: Callable[[], list[Figure]]


def measures(names: Sequence[str], games: Sequence[str], pace: Pace, *, machine: bool) -> Iterator[Measure]:
    """Return what is to be measured, in order; `machine`: also what no game is played for."""
    for each in map(measured, games):
        if "rules" in names and "rules" in each.reaches:
            yield Measure(f"rules of {each.game}", partial(sessions.measure_rules, each, pace))
    for each in map(measured, games):
        if wanted := [name for name in names if name in sessions.LOADS and name in each.reaches]:
            yield Measure(f"games of {each.game}", partial(_run, sessions.measure, each, wanted, pace))
    for each in map(measured, games):
        if "worker" in names:
            yield Measure(f"a worker's games of {each.game}", partial(cluster.measure_worker, each, pace))
    if machine:
        yield from (measure for name, measure in _of_machine(pace).items() if name in names)


def _of_machine(pace: Pace) -> Mapping[str, Measure]:
    """Return what is measured once, not for each game, by its name."""
    return {
        "languages": Measure("players in other languages", partial(_run, languages.measure, pace)),
        "idle": Measure("idle players", partial(_run, idle.measure)),
        "idle-most": Measure("many idle players", partial(_run, idle.measure_most)),
        "lobby": Measure("the lobby", partial(_run, lobby.measure_lobby, pace)),
        "watch": Measure("spectators", partial(_run, spectators.measure, pace)),
        "opening": Measure("the page of a lobby", partial(_run, lobby.measure_opening, pace)),
        "league": Measure("the standings of a league", partial(_run, bots.measure_league, pace)),
        "postgresql": Measure("records in PostgreSQL", partial(_run, bots.measure_stores, pace)),
        "cluster": Measure("games of several processes", partial(_run, cluster.measure_cluster, pace)),
        "servers": Measure("two servers", partial(servers.measure_servers, pace)),
        "relay": Measure("relayed calls", partial(_run, servers.measure_relay, pace)),
        "scale": Measure("the command of a cluster", partial(_run, cluster.measure_scale, pace)),
        "help": Measure("fairplay --help", programs.measure_help),
    }


def _run(measure: Callable[..., Coroutine[Any, Any, list[Figure]]], *arguments: Any) -> list[Figure]:
    return asyncio.run(measure(*arguments))


def take(chosen: Iterable[Measure]) -> tuple[list[Figure], bool]:
    """Return all figures that can be taken, and whether those were all."""
    figures: list[Figure] = []
    complete = True
    for measure in chosen:
        say(f"measuring: {measure.title}")
        try:
            figures += measure.take()
        except Exception as error:
            complete = False
            say(f"{measure.title} cannot be measured: {type(error).__name__}: {error}")
    return figures, complete


def say(sentence: str) -> None:
    """Tell whoever waits; the table goes to standard output alone."""
    print(sentence, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    options = _parser().parse_args(arguments)
    results: Path | None = options.results or (None if options.only or options.game else RESULTS)
    try:
        if options.docs:
            write_docs(options.results or RESULTS, DOCS)
            return 0
        if options.against:
            compare(options.against, _chosen(options), _console())
            return 0
        complete = _measure(options, results)
    except (OSError, ValueError, Unmeasurable) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("stopped")
        return 130
    return 0 if complete else 1


def _measure(options: argparse.Namespace, results: Path | None) -> bool:
    pace = QUICK if options.quick else FULL
    games = options.game or list(registered())
    chosen = measures(options.only or NAMES, games, pace, machine=bool(options.only) or not options.game)
    figures, complete = take(chosen)
    print_table(figures, _console())
    if results is not None:
        write_json(figures, results)
    return complete


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else 140)


def _chosen(options: argparse.Namespace) -> list[str]:
    """Return the arguments that choose the same measures in another tree; each is taken quickly and often."""
    names, games = options.only or [], options.game or []
    return ["--quick", *(f"--only={name}" for name in names), *(f"--game={game}" for game in games)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("--quick", action="store_true", help="everything in under a minute, less precisely")
    parser.add_argument("--only", action="append", metavar="NAME", choices=NAMES, help=", ".join(NAMES))
    parser.add_argument("--game", action="append", choices=list(registered()), help="only this game; may be repeated")
    parser.add_argument("--against", metavar="REVISION", help="measure another revision in turn, and print ratios")
    parser.add_argument("--results", type=Path, metavar="FILE", help=RESULTS_HELP)
    parser.add_argument("--docs", action="store_true", help="measure nothing: put the results kept into the docs")
    return parser


if __name__ == "__main__":
    sys.exit(main())

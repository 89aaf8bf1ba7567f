"""How long a call to a player takes, as the server's records measure it: one game at a time, whatever its language.

A wait that is part of every call, such as that of Nagle's algorithm for an acknowledgement, shows in the median; a
machine that is busy does not.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from tools.language_players import FAIRPLAY, START_LIMIT, Failed, execute, free_address, running

LEAST_CALLS = 200
MOST_MS = 10.0
TOURNAMENT = shlex.split("--set rows=8 --set columns=8 --concurrency 1 --seed 1 --json /dev/null")
FORMAT = ("--format", "round-robin cycles=8")
"""With the settings above, games that have enough calls to each of two players."""
LIMITS = ("--start-limit", START_LIMIT, "--limit", "10s")


class CallTimes(NamedTuple):
    """The times of all calls to a player, and how it was reached."""

    way: str
    milliseconds: Sequence[float]


def dialled_in(command: str) -> Iterator[CallTimes]:
    """Yield the times of a player of Fish that dials in at each address of a server. Raises Failed."""
    with tempfile.TemporaryDirectory() as records, ExitStack() as stack:
        listen, players = free_address(), free_address()
        serve = f"serve --listen {listen} --players {players} --records {records} --start-limit {START_LIMIT}"
        stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} {serve}"))
        for option, address in (("listen", listen), ("players", players)):
            stack.enter_context(running(f"{command} --connect {address} --name {option}"))
            _play(f"{option}=dial-in:{option}", "--server", listen)
            yield CallTimes(f"dialled in at --{option}", _times(Path(records), option))


def linked(command: str) -> Iterator[CallTimes]:
    """Yield the times of a player of Fish that serves, and of one that is started in each way. Raises Failed."""
    with ExitStack() as stack:
        address = free_address()
        stack.enter_context(running(f"{command} --listen {address}"))
        yield _linked("serving", f"grpc://{address}")
        for sandbox in ("off", "require") if shutil.which("bwrap") else ("off",):
            for way, options in (("dialling in", ""), ("serving", " --serve")):
                link, inside = f"exec:{command}{options}", f"sandbox {sandbox}"
                yield _linked(f"started, {way}, {inside}", link, "--sandbox", sandbox)


def _linked(way: str, link: str, *options: str) -> CallTimes:
    with tempfile.TemporaryDirectory() as records:
        _play(f"me={link}", "--records", records, *options)
        return CallTimes(way, _times(Path(records), "me"))


def _play(player: str, *options: str) -> None:
    players = ("--player", player, "--player", "bot:first")
    execute([FAIRPLAY, "tournament", "fish", *players, *TOURNAMENT, *FORMAT, *LIMITS, *options])


def _times(records: Path, player: str) -> list[float]:
    """Return the milliseconds of all calls to a player. Raises Failed if they are too few to say anything."""
    found = []
    with Store.read_only(records) as store:
        for listing in store.list("game", limit=1_000)[0]:
            header, *entries = parsed(store.read(listing.record_id))
            seats = [seat for seat, each in enumerate(header.game.players) if each.name == player]
            calls = [entry.call for entry in entries if entry.HasField("call") and entry.call.seat in seats]
            found += [call.elapsed.ToNanoseconds() / 1e6 for call in calls]
    if len(found) < LEAST_CALLS:
        raise Failed(f"{player} was called {len(found)} times only")
    return found


def check_call_times(command: str) -> str:
    """Check that no way to a player has a wait in each call, and return the medians. Raises Failed."""
    medians = {each.way: median(each.milliseconds) for way in (dialled_in, linked) for each in way(command)}
    table = "\n".join(f"  {way}: {ms:.2f} ms" for way, ms in medians.items())
    if max(medians.values()) > MOST_MS:
        raise Failed(f"{command}\nwaits in each call: the medians of one game are\n{table}")
    return table

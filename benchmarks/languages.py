"""Games between two players that strangers have written, in the languages of examples/, reached in each way.

A wait that is part of every call of one stack, or of one way, shows here alone: players of our own kit may not have it.
"""

from __future__ import annotations

import itertools
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from benchmarks.arena import Arena, Load, open_link
from benchmarks.echo import echo
from benchmarks.figures import LANGUAGE_REACHES, WAYS, Figure, Pace, figure, measured
from benchmarks.sample import play_sample
from fairplay.player.channels import Credentials
from fairplay.player.tls import TlsFiles
from fairplay.sandbox.bubblewrap import choose_sandbox
from fairplay.server.links.link import Link
from fairplay.server.links.program import ProgramOptions
from fairplay.server.server import Config, Server
from tools.language_players import FAIRPLAY, KIT, LANGUAGES, ROOT, Language, execute, free_address, running

COUNTS = (1, 64)
"""How many games there are at a time."""
KIT_WAY = "kit"
"""The way to the kit's players, which dial in at --players, as others do in the first of WAYS."""
GUARDED = ("players-tls", "sandbox")
"""The ways of the server that speaks TLS and starts programs in sandboxes."""
GAME = replace(measured("fish"), most_seats=2)
SHARE_OF_PACE = 0.25
"""Fourteen stretches of time are measured in each repetition for each language: each is shorter than others are."""
START_LIMIT_S = 60.0


class Round(NamedTuple):
    """The calls a second of one repetition, and those of a bare echo."""

    rates: Mapping[Load, float]
    echo: float


class Servers(NamedTuple):
    """A server as it is by default, and one that speaks TLS and starts programs in sandboxes, with its authority."""

    plain: Server
    guarded: Server
    certificate: Path
    key: Path
    ca: Path
    numbers: Iterator[int]
    """Those of the names under which players dial in."""


def built() -> list[Language]:
    """Return the languages whose players are there, the kit's first."""
    found = []
    for language in (KIT, *LANGUAGES):
        words = shlex.split(language.player("fish"))
        if all((ROOT / word).exists() for word in words if word.startswith("examples/")):
            found.append(language)
    return found


async def measure(pace: Pace) -> list[Figure]:
    """Return the figures of all languages that are built."""
    return [found for language in built() for found in figures(language, await rounds(language, pace))]


def figures(language: Language, taken: Sequence[Round]) -> Iterator[Figure]:
    """Yield the figures of a language: of one game and of many, against the kit's, and in each way."""
    of, reaches = f"fish, {language.folder}", LANGUAGE_REACHES.get(language.folder, {})
    for name, games in zip(("languages-one", "languages-many"), COUNTS, strict=True):
        ratios = [each.rates[Load(games, "players")] / each.rates[Load(games, KIT_WAY)] for each in taken]
        yield figure(name, ratios, reaches.get(name), game=of)
        for way in WAYS:
            yield figure(f"{name}-{way}", [each.rates[Load(games, way)] for each in taken], game=of)
    yield figure("languages-echo", [each.echo for each in taken], game=of)


async def rounds(language: Language, pace: Pace) -> list[Round]:
    """Return the repetitions of a language: all ways and both loads take turns with the kit's players, and an echo."""
    sample, seconds = play_sample(GAME), pace.seconds * SHARE_OF_PACE
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fairplay-bench-")))
        servers = await _servers(folder, stack)
        kit = await _links(KIT, "players", servers, stack)
        links = {way: await _links(language, way, servers, stack) for way in WAYS}
        plain, guarded = (
            Arena(server, GAME, {KIT_WAY: [kit], **{way: [found] for way, found in links.items()}}, [], sample)
            for server in (servers.plain, servers.guarded)
        )
        bare = await stack.enter_async_context(echo(sample.exchanges))
        loads = [Load(games, way) for games in COUNTS for way in (KIT_WAY, *WAYS)]
        return [
            Round(
                {load: await _rate(guarded if load.way in GUARDED else plain, load, seconds) for load in loads},
                await bare.rate(seconds),
            )
            for _ in range(pace.repeats)
        ]


async def _rate(arena: Arena, load: Load, seconds: float) -> float:
    taken = await arena.run(load, seconds)
    return taken.calls / taken.wall_s


async def _servers(folder: Path, stack: AsyncExitStack) -> Servers:
    execute([FAIRPLAY, "tls", "new", str(folder), "--host", "127.0.0.1"])
    certificate, key, ca = (folder / f"{name}.pem" for name in ("server", "server-key", "ca"))
    sandbox, _ = choose_sandbox("require")
    shared = Config(allow_exec=True, players="127.0.0.1:0", start_limit_s=START_LIMIT_S)
    plain = replace(shared, records=folder / "plain", credentials=Credentials(ca=ca))
    guarded = replace(
        shared,
        records=folder / "guarded",
        tls=TlsFiles(certificate, key),
        programs=ProgramOptions(sandbox, folders=[ROOT]),
    )
    servers = [await Server.start(config) for config in (plain, guarded)]
    for server in servers:
        stack.push_async_callback(server.stop)
    return Servers(servers[0], servers[1], certificate, key, ca, itertools.count(1))


async def _links(language: Language, way: str, servers: Servers, stack: AsyncExitStack) -> list[Link]:
    """Return the links to the players of a language that are reached in one way, until the stack is closed."""
    return [await _open(language, way, servers, stack) for _ in range(GAME.seat_count)]


async def _open(language: Language, way: str, servers: Servers, stack: AsyncExitStack) -> Link:
    """Start a player, or have it started, and return the link to it."""
    server = servers.guarded if way in GUARDED else servers.plain
    command, name = language.player("fish"), f"player{next(servers.numbers)}"
    match way:
        case "players" | "listen" | "players-tls":
            address = server.address if way == "listen" else server.players_address
            trust = {"FAIRPLAY_CA": str(servers.ca)} if way == "players-tls" else {}
            stack.enter_context(running(f"{command} --connect {address} --name {name}", trust))
            link = f"dial-in:{name}"
        case "served" | "served-tls":
            address, secure = free_address(), way == "served-tls"
            shown = language.secure(servers.certificate, servers.key) if secure else ""
            stack.enter_context(running(f"{command} --listen {address} {shown}"))
            link = f"grpc{'s' * secure}://{address}"
        case _:
            link = f"exec:{command}"
    opened = await open_link(server, GAME, link)
    stack.push_async_callback(opened.close)
    return opened

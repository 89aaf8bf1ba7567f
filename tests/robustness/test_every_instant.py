"""A server that dies leaves on disk a prefix of what was appended. From such prefixes a tournament goes on.

A tournament is played once, and what is saved is taped. Then a store is made of many a prefix of the tape, and a server
started with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fairplay.conformance.zoo.registry import make_player
from fairplay.games.game import find
from fairplay.server.records.database import Batch, Database, Listing
from fairplay.server.records.place import at
from fairplay.server.records.store import Store
from fairplay.server.records.writer import Journal, Writer
from fairplay.server.server import Config, Server
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan, TournamentResult, TournamentStatus
from tests.robustness.harness import findings
from tests.server.harness import dialled_in
from tests.server.manager import harness
from tests.slow import all_but_first_slow

STRIDE = 3
"""The server dies after every so many entries; in two tests, which can run at once."""

LINKS = {
    "a": "bot:minimax",
    "b": "dial-in:mute",
    "c": "bot:random",
    "d": "dial-in:quitter",
    "e": "bot:first",
    "f": "bot:greedy",
    "g": "bot:random",
}


class Ending(NamedTuple):
    """What is known of a tournament that is over: its result, and those of its games by their ids."""

    result: TournamentResult
    games: dict[str, GameResult]


class Appended(NamedTuple):
    """An entry as it was appended. `begun` is the record that it begins, `finished` the one that it ends."""

    record: int
    entry: bytes
    begun: Listing | None
    finished: Listing | None


class Quitter:
    """A player that fails before the first game."""

    game = "fish"

    def start(self, request: object) -> None:
        raise RuntimeError("this player does not want to")


def mute() -> Any:
    """Return a player that breaks a rule in its first turn, and would do so again."""
    return make_player(find("fish"), "says-nothing")


def plan() -> TournamentPlan:
    made = harness.plan(min_entrant_count=2, max_entrant_count=len(LINKS))
    made.entrants.extend(Player(name=name, link=link) for name, link in LINKS.items())
    return made


# --- what is on the tape ---


def taping(directory: Path, tape: list[Batch]) -> Store:
    """A store as Store.open makes it, that keeps what it saves on a tape."""
    directory.mkdir()
    with ExitStack() as closing:
        database = closing.enter_context(Database.writable(at(directory)))

        def save(batch: Batch) -> None:
            tape.append(batch)
            database.save(batch)

        return Store(database, Writer(save, 1), 1, closing.pop_all())


def appended(tape: Sequence[Batch]) -> list[Appended]:
    """Return what is on the tape, in order."""
    begun = {listing.number: listing for batch in tape for listing in batch.begun}
    finished = {trail.number: listing for batch in tape for trail, listing in batch.finished}
    items = [(trail.number, entry) for batch in tape for trail, _, entry in batch.items]
    last = {record: index for index, (record, _) in enumerate(items)}
    return [
        Appended(record, entry, begun.pop(record, None), finished.get(record) if last[record] == index else None)
        for index, (record, entry) in enumerate(items)
    ]


def append(store: Store, journals: dict[int, Journal], each: Appended) -> None:
    if (new := each.begun) is not None:
        journals[each.record] = store.begin(
            new.kind, new.record_id, each.entry, game=new.game, parent=new.parent, start_time_ns=new.start_time_ns
        )
    elif (end := each.finished) is not None and end.end_time_ns is not None:
        journals[each.record].finish(each.entry, end.summary, end.end_time_ns)
    else:
        journals[each.record].append(each.entry)


async def left_behind(directory: Path, tape: Sequence[Appended]) -> None:
    """Return a store in which these entries are on disk, and nothing else."""
    store = Store.open(directory)
    journals: dict[int, Journal] = {}
    for each in tape:
        append(store, journals, each)
    await store.close()


# --- the tournament ---


async def play(directory: Path, plan: TournamentPlan) -> list[Appended]:
    """Play the tournament without interruption."""
    tape: list[Batch] = []
    async with harness.environment(store=taping(directory, tape)) as environment:
        environment.stage.actors |= {"b": mute(), "d": Quitter()}  # type: ignore[dict-item]  # any players will do
        await environment.play("cup", plan)
    return appended(tape)


async def go_on(directory: Path, plan: TournamentPlan) -> None:
    """Let a server go on with what is there, repeat the requests to it, and stop it when the tournament is over."""
    server = await Server.start(Config(records=directory))
    try:
        async with dialled_in(server, ("mute", mute()), ("quitter", Quitter())):
            cup = await server.manager.create("cup", plan)
            if cup.status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP:
                await server.manager.start("cup")
            async with asyncio.timeout(30):
                async for _ in server.manager.watch("cup"):
                    pass
    finally:
        await server.stop()


def ending(directory: Path) -> Ending:
    with Store.read_only(directory) as store:
        cup = store.find("cup")
        assert cup is not None
        games = {one.record_id: GameMessage.FromString(one.summary).result for one in store.list("game", limit=99)[0]}
        return Ending(Tournament.FromString(cup.summary).result, games)


async def check_instants(tmp_path: Path, plan: TournamentPlan, choose: Callable[[int], Iterable[int]]) -> Ending:
    """Check that the tournament ends alike after each chosen number of entries; return how it ends undisturbed.

    `choose` returns the numbers, given how many entries there are in all.
    """
    tape = await play(tmp_path / "undisturbed", plan)
    expected = ending(tmp_path / "undisturbed")
    for count in choose(len(tape)):
        directory = tmp_path / str(count)
        await left_behind(directory, tape[:count])
        await go_on(directory, plan)
        assert ending(directory) == expected, f"the first {count} of {len(tape)} entries were on disk"
        assert not list(findings(directory))
    return expected


@pytest.mark.parametrize("first", all_but_first_slow(range(2)))
async def test_a_tournament_ends_alike_whenever_the_server_dies(first: int, tmp_path: Path) -> None:
    found = await check_instants(tmp_path, plan(), lambda total: range(first * STRIDE, total, 2 * STRIDE))
    assert [failure.misconduct.player for failure in found.result.failures] == ["d", "b"]
    assert len(found.games) > 2

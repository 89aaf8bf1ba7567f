"""Our players in a server of a course: through both bridges they play the games that they play without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from fairplay.bridge.joining import Joined, Joining, join
from fairplay.bridge.player import CoursePlayer
from fairplay.bridge.pool import SignedUp, listen, receive_name
from fairplay.bridge.stream import Connection
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Clock
from fairplay.server.records.chain import parsed
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from fairplay.v1.referee_pb2 import Game, GamePlan
from tests.bridge.course_servers import Client, serve
from tests.bridge.playing import face_of
from tests.server.harness import dialled_in, seconds, serving
from tests.slow import SLOW

GAMES = ("bazaar", "fish", "q")
QUICK = [("bazaar", "best"), ("fish", "greedy"), ("q", "dag")]
"""One of each game is enough for `make test`."""
OTHERS = [
    (name, strategy)
    for name in GAMES
    for strategy in find(name).strategies
    if (name, strategy) not in {*QUICK, ("bazaar", "random"), ("fish", "random")}
]
"""Without the two whose choice follows from the revision, which no course tells its players."""
NAMES = "abcdef"


def joins(game: str, name: str, strategy: str, joined: list[Joined]) -> Client:
    """Return a client that is a reference player of ours, and adds how it went for it."""
    found = find(game)

    async def client(port: int) -> None:
        link = BotLink(Clock(), found.player(strategy))
        joining = Joining(game=found, face=face_of(game), host="127.0.0.1", port=port, limit_s=10)
        joined.extend(await join(joining, [(name, link)]))
        await link.close()

    return client


class Connections:
    """Connections of a reference player of ours to a bridge: one for each game, or for all."""

    is_ready = is_coming = False

    def __init__(self, game: str, name: str, strategy: str) -> None:
        self._client = joins(game, name, strategy, [])
        self.playing = list[asyncio.Future[Any]]()

    async def take(self) -> SignedUp:
        arrived = asyncio.Queue[Connection]()

        def arrive() -> Connection:
            arrived.put_nowait(connection := Connection())
            return connection

        port, listening = await listen(arrive)
        self.playing.append(asyncio.ensure_future(self._client(port)))
        connection = await arrived.get()
        for each in listening:
            each.close()
        return SignedUp(await receive_name(connection, ".*"), connection)


def planned(name: str, links: Sequence[str], seed: int) -> GamePlan:
    """Return the plan of a game with the usual settings and with much time, between players on these links."""
    players = [Player(name=each, link=link) for each, link in zip(NAMES, links, strict=False)]
    limits = TimeControl(decision_limit=seconds(30), first_decision_limit=seconds(30))
    plan = GamePlan(game=name, players=players, seed=seed, time_control=limits)
    plan.settings.CopyFrom(wrap(GameSettings, find(name), find(name).settings_type()))
    return plan


async def calls_of(plan: GamePlan, players: Sequence[tuple[str, CoursePlayer]] = ()) -> Sequence[tuple[Any, ...]]:
    """Return the seat, the method, the request and the reply of each call in the record of a game.

    `players` dial in before.
    """
    async with serving() as server, AsyncExitStack() as stack:
        if players:
            await stack.enter_async_context(dialled_in(server, *players))
        await server.referee.play(plan, "g")
        calls = [entry.call for entry in parsed(server.store.read("g")) if entry.HasField("call")]
    assert calls
    return [(each.seat, each.method_name, each.request, each.reply, each.error) for each in calls]


async def through_both_bridges(name: str, strategy: str, count: int) -> Sequence[tuple[Any, ...]]:
    """Return the calls of a game between reference players of ours with two bridges, and TCP, before each."""
    connections = [Connections(name, each, strategy) for each in NAMES[:count]]
    players = [CoursePlayer(find(name), face_of(name), each, "bot") for each in connections]
    try:
        links = [f"dial-in:{each}" for each in NAMES[:count]]
        return await calls_of(planned(name, links, count), list(zip(NAMES, players, strict=False)))
    finally:
        for player in players:
            player.close()
        await asyncio.gather(*(task for each in connections for task in each.playing))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "strategy"), [*QUICK, *(pytest.param(*each, marks=SLOW) for each in OTHERS)])
async def test_a_record_through_both_bridges_is_the_record_without_them(name: str, strategy: str) -> None:
    for count in find(name).seats:
        directly = await calls_of(planned(name, [f"bot:{strategy}"] * count, count))
        assert await through_both_bridges(name, strategy, count) == directly


async def directly(plan: GamePlan) -> Game:
    """Return a game that the referee plays with players that it calls itself."""
    async with serving() as server:
        return await server.referee.play(plan)


def shown(game: Game) -> Any:
    return [[(one.name, one.score) for one in group.players] for group in game.result.ranking], game.result.misconducts


@pytest.mark.parametrize(("name", "strategy"), [each for each in QUICK if each[0] != "fish"])
async def test_a_game_in_the_server_of_a_course_is_the_game_without_it(name: str, strategy: str) -> None:
    for count in (2, find(name).seats.stop - 1):
        names, joined = NAMES[:count], list[Joined]()
        run = await serve(name, [joins(name, each, strategy, joined) for each in names], seed=count, limit_s=10)
        assert run.played.game is not None
        assert shown(run.played.game) == shown(await directly(planned(name, [f"bot:{strategy}"] * count, count)))
        assert sorted(each.name for each in joined if each.won) == sorted(run.played.winners)
        assert [each.problem for each in joined] == [""] * count


async def test_players_of_fish_play_a_whole_tournament_on_one_connection_each() -> None:
    joined = list[Joined]()
    clients = [
        joins("fish", each, strategy, joined) for each, strategy in zip(NAMES, ["greedy", "minimax"] * 3, strict=True)
    ]
    run = await serve("fish", clients, limit_s=10)
    assert (run.played.failed, run.played.aborted) == ([], "")
    assert sorted(each.name for each in joined if each.won) == sorted(run.played.winners)
    assert [each.problem for each in joined] == [""] * len(NAMES)


async def test_a_server_that_hangs_up_or_speaks_nonsense_is_named() -> None:
    async def problem(text: str) -> str:
        async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert await reader.readline() == b'"ann"\n'
            writer.write(text.encode())
            writer.close()
            await writer.wait_closed()

        server = await asyncio.start_server(speak, "127.0.0.1", 0)
        joined = list[Joined]()
        await joins("q", "ann", "dag", joined)(server.sockets[0].getsockname()[1])
        server.close()
        await server.wait_closed()
        return joined[0].problem

    assert await problem("") == "the server closed the connection before the first call"
    assert (await problem("setup ")).startswith("the server sent setup")
    assert (await problem('["win", true]')).endswith(
        "the arguments of win are not nested: 1 behind the name must be in an array"
    )
    assert "there is no method 'shuffle'" in await problem('["shuffle", []]')

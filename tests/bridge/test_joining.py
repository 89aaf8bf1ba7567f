"""Our players in a server of a course: through both bridges they play the games that they play without."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from fairplay.bridge.joining import Joined, Joining, join
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.server.links.bot import BotLink
from fairplay.server.links.link import Clock
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.referee_pb2 import Game, GamePlan
from tests.bridge.course_servers import Client, serve
from tests.bridge.playing import face_of
from tests.server.harness import serving
from tests.slow import SLOW

STRATEGIES = [("bazaar", "best"), ("q", "dag")]
"""One of each game is enough for `make test`."""
OTHERS = [(name, strategy) for name in ("bazaar", "q") for strategy in find(name).strategies]
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


async def directly(name: str, strategy: str, names: Sequence[str], seed: int) -> Game:
    """Return a game between reference players that the referee calls itself."""
    game = find(name)
    players = [Player(name=each, link=f"bot:{strategy}") for each in names]
    plan = GamePlan(game=name, players=players, seed=seed)
    plan.settings.CopyFrom(wrap(GameSettings, game, game.settings_type()))
    async with serving() as server:
        return await server.referee.play(plan)


def shown(game: Game) -> Any:
    return [[(one.name, one.score) for one in group.players] for group in game.result.ranking], game.result.misconducts


@pytest.mark.parametrize(
    ("name", "strategy"),
    [*STRATEGIES, *(pytest.param(*each, marks=SLOW) for each in OTHERS if each not in STRATEGIES)],
)
async def test_a_game_through_both_bridges_is_the_game_without_them(name: str, strategy: str) -> None:
    for count in (2, find(name).seats.stop - 1):
        names, joined = NAMES[:count], list[Joined]()
        run = await serve(name, [joins(name, each, strategy, joined) for each in names], seed=count, limit_s=10)
        assert run.played.game is not None
        assert shown(run.played.game) == shown(await directly(name, strategy, names, count))
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

"""Any mix of broken players: everything ends on time, exactly the broken ones are out, each for what it did."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any, NamedTuple

import pytest

from conformance.zoo.faults import FAULTS, Fault, Method
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import GameStatus
from fairplay.v1.tournament_pb2 import TournamentStatus
from games.game import find
from reference_server.server import Config, Server
from tests.manager import harness as manager_harness
from tests.robustness.harness import exec_player, zoo_player
from tests.server.harness import ByHand, dialled_in, plan, serving, sound

LIMIT_S = 0.4
LATE_S = 0.2
BUSY_S = 1.0
"""What a machine that is busy with other tests may add."""

RULE = MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION
EXCEPTION = MisconductKind.MISCONDUCT_KIND_EXCEPTION
TIMEOUT = MisconductKind.MISCONDUCT_KIND_TIMEOUT

KINDS = {"raises": EXCEPTION, "hangs": TIMEOUT, "says-nothing": RULE, "garbage": EXCEPTION, "leaves": EXCEPTION}
HOSTED = ("raises", "hangs", "says-nothing")
BY_HAND = ("garbage", "leaves", "hangs")
STRATEGIES = ("first", "random", "greedy", "minimax")
CALLS = ("play_as", "play_with", "setup", "take_turn")
DECISIONS = ("setup", "take_turn")


class Role(NamedTuple):
    """Who plays, and what is wrong with it: nothing, or a fault in a method from the call behind the first `after`."""

    name: str
    strategy: str
    way: str
    fault: str = ""
    method: str = ""
    after: int = 0


def cast(random: Random, names: Sequence[str], calls: Sequence[str] = CALLS) -> list[Role]:
    """About every other player is broken."""
    return [_role(random, name, calls) for name in names]


def _role(random: Random, name: str, calls: Sequence[str]) -> Role:
    strategy, way = random.choice(STRATEGIES), random.choice(("bot", "hosted", "hosted", "by hand"))
    if way == "bot" or random.random() < 0.4:
        return Role(name, strategy, "hosted" if way == "by hand" else way)
    fault = random.choice(HOSTED if way == "hosted" else BY_HAND)
    method = random.choice(DECISIONS if fault == "says-nothing" else calls)
    return Role(name, strategy, way, fault, method, random.randrange(3) if method in DECISIONS else 0)


class Stage:
    """Players as their roles have it, dialled in to a server. `fired` are those whose fault has shown itself."""

    def __init__(self, server: Server) -> None:
        self.fired: dict[str, MisconductKind.ValueType] = {}
        self.released = threading.Event()
        self._server = server

    def hosted(self, role: Role) -> Any:
        """A player object."""
        player: Any = find("fish").player(role.strategy)
        if role.fault:
            method: Method = getattr(player, role.method, lambda _: None)
            setattr(player, role.method, self._faulty(role, method))
            player.quick = False
        return player

    def _faulty(self, role: Role, method: Method) -> Method:
        fault: Fault = self._hangs if role.fault == "hangs" else FAULTS[role.fault]()
        count = 0

        def faulty(request: Any) -> Any:
            nonlocal count
            count += 1
            if count <= role.after:
                return method(request)
            self.fired[role.name] = KINDS[role.fault]
            return fault(method, request, count)

        return faulty

    def _hangs(self, *_: object) -> None:
        self.released.wait()

    def answers(self, role: Role, leave: Callable[[], object]) -> Callable[[Call], Sequence[Reply]]:
        """What a program that dials in by hand makes of a call."""
        answer, name, count = sound(role.strategy), role.method.replace("_", ""), 0

        def replies(call: Call) -> Sequence[Reply]:
            nonlocal count
            count += call.method.rpartition("/")[2].lower() == name
            if count <= role.after or call.method.rpartition("/")[2].lower() != name:
                return [answer(call), Reply(id=call.id + 10**9)]  # and one that nobody asked for
            self.fired[role.name] = KINDS[role.fault]
            if role.fault == "leaves":
                leave()
            return [Reply(id=call.id, response=b"\xff\xff")] if role.fault == "garbage" else []

        return replies

    @asynccontextmanager
    async def by_hand(self, role: Role) -> AsyncIterator[None]:
        async with ByHand(self._server, role.name) as program:
            await program.say_hello()
            playing = asyncio.create_task(program.play(self.answers(role, program.stream.cancel)))
            try:
                yield
            finally:
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)

    @asynccontextmanager
    async def set(self, roles: Sequence[Role]) -> AsyncIterator[None]:
        """All players of the cast are there: those that are hosted share two streams."""
        hosted = [(role.name, self.hosted(role)) for role in roles if role.way == "hosted"]
        async with AsyncExitStack() as stack:
            for shared in filter(None, (hosted[::2], hosted[1::2])):
                await stack.enter_async_context(dialled_in(self._server, *shared))
            for role in roles:
                if role.way == "by hand":
                    await stack.enter_async_context(self.by_hand(role))
            stack.callback(self.released.set)
            yield


def link(role: Role) -> str:
    return f"bot:{role.strategy}" if role.way == "bot" else f"dial-in:{role.name}"


def check(misconducts: Sequence[Misconduct], fired: Mapping[str, MisconductKind.ValueType], took_s: float) -> None:
    """Those out are those whose fault has shown itself, for what they did, and they cost no more time than they may."""
    assert {misconduct.player: misconduct.kind for misconduct in misconducts} == fired
    assert len(misconducts) == len(fired)
    overruns = [each.overrun for each in misconducts if each.kind == TIMEOUT]
    for overrun in overruns:
        elapsed_s = overrun.elapsed.seconds + overrun.elapsed.nanos / 1e9
        assert LIMIT_S <= elapsed_s < LIMIT_S + LATE_S + BUSY_S
    assert took_s < len(overruns) * (LIMIT_S + LATE_S) + BUSY_S


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving(Config(allow_exec=True, start_limit_s=20.0)) as running:
        yield running


async def play_game(server: Server, seed: int, prefix: str = "") -> None:
    random = Random(seed)
    roles = cast(random, [f"{prefix}{name}" for name in "abcd"[: random.randint(2, 4)]])
    made = plan(*map(link, roles), seed=seed, limit_s=LIMIT_S, rows=6, random_fish=True)
    for player, role in zip(made.players, roles, strict=True):
        player.name = role.name
    loop = asyncio.get_running_loop()
    stage = Stage(server)
    async with stage.set(roles):
        began = loop.time()
        game = await server.referee.play(made)
        took_s = loop.time() - began
    assert game.status == GameStatus.GAME_STATUS_FINISHED
    check(game.result.misconducts, stage.fired, took_s)
    ranked = sorted(player.name for group in game.result.ranking for player in group.players)
    assert ranked == sorted(role.name for role in roles if role.name not in stage.fired)


@pytest.mark.parametrize("seed", range(16))
async def test_a_game_ends_on_time_without_exactly_those_that_are_broken(server: Server, seed: int) -> None:
    await play_game(server, seed)


async def test_games_with_broken_players_do_not_disturb_each_other(server: Server) -> None:
    await asyncio.gather(*(play_game(server, seed, f"g{seed}-") for seed in range(100, 116)))


@pytest.mark.parametrize("seed", range(8))
async def test_a_tournament_ends_on_time_without_exactly_those_that_are_broken(server: Server, seed: int) -> None:
    random = Random(1_000 + seed)
    roles = cast(random, "abcdefghi"[: random.randint(4, 9)], ["start", *CALLS, "end"])
    made = manager_harness.plan(limit_s=LIMIT_S, min_entrant_count=2, max_entrant_count=len(roles))
    made.entrants.extend(Player(name=role.name, link=link(role)) for role in roles)
    loop = asyncio.get_running_loop()
    stage = Stage(server)
    async with stage.set(roles):
        began = loop.time()
        cup = await server.manager.create("", made)
        await server.manager.start(cup.tournament_id)
        async with asyncio.timeout(30):
            async for _ in server.manager.watch(cup.tournament_id):
                pass
        took_s = loop.time() - began
    over = server.manager.get(cup.tournament_id)
    assert over.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    check([failure.misconduct for failure in over.result.failures], stage.fired, took_s)
    left = sorted([*over.result.winners, *over.result.others])
    assert left == sorted(role.name for role in roles if role.name not in stage.fired)


async def test_players_in_processes_that_die_cost_nothing(server: Server) -> None:
    links = [
        zoo_player("take_turn", "dies", "1"),
        exec_player("-s", "greedy"),
        zoo_player("setup", "dies"),
        "bot:first",
    ]
    game = await server.referee.play(plan(*links, limit_s=600, rows=6))
    elapsed = {misconduct.player: misconduct for misconduct in game.result.misconducts}
    assert {name: misconduct.kind for name, misconduct in elapsed.items()} == {"a": EXCEPTION, "c": EXCEPTION}
    assert sorted(player.name for group in game.result.ranking for player in group.players) == ["b", "d"]

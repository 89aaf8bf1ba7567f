"""Any mix of broken players over real connections: all ends on time, without exactly the broken ones.

That a referee blames the right one in any game is shown by the transcripts and by the suite for servers; here streams
and processes fail, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import NamedTuple

import pytest

from fairplay.conformance.zoo import registry
from fairplay.conformance.zoo.mutants import Symptom
from fairplay.conformance.zoo.player import MutantPlayer
from fairplay.games.game import find
from fairplay.server.server import Config, Server
from fairplay.v1.connection_pb2 import Call, Reply
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import GameStatus
from fairplay.v1.tournament_pb2 import TournamentStatus
from tests.server.harness import ByHand, dialled_in, plan, serving, sound
from tests.server.manager import harness as manager_harness
from tests.slow import all_but_first_slow

LIMIT_S = 3.0
LATE_S = 0.2
BUSY_S = 30.0
"""What a machine that is busy with other tests may add."""

RULE = MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION
EXCEPTION = MisconductKind.MISCONDUCT_KIND_EXCEPTION
TIMEOUT = MisconductKind.MISCONDUCT_KIND_TIMEOUT

FISH = find("fish")
KINDS = {Symptom.RULE: RULE, Symptom.STATUS: EXCEPTION, Symptom.TIMEOUT: TIMEOUT}
HOSTED = {
    name: KINDS[next(iter(kind.symptoms))]
    for name, kind in registry.find_mutants(FISH).items()
    if len(kind.symptoms) == 1 and kind.symptoms <= KINDS.keys() and not kind.lacks and not kind.program
}
"""The defects that players have who dial in with the SDK, and what a referee finds."""
OF_TOURNAMENTS = ("raises-in-start", "hangs-in-start", "raises-in-end", "hangs-in-end", "raises-when-it-has-lost")
BY_HAND = {"garbage": EXCEPTION, "leaves": EXCEPTION, "hangs": TIMEOUT}
CALLS = ("PlayAs", "PlayWith", "Setup", "TakeTurn")


class Role(NamedTuple):
    """Who plays, and what is wrong with it: nothing, or a defect, which the first `after` calls are spared."""

    name: str
    strategy: str
    way: str
    defect: str = ""
    method: str = ""
    """Of a player that dials in by hand: where the defect is."""
    after: int = 0


def cast(random: Random, names: Sequence[str], more_faults: Sequence[str] = ()) -> list[Role]:
    """Return roles of which about half are mutants."""
    return [_role(random, name, more_faults) for name in names]


def _role(random: Random, name: str, more_faults: Sequence[str]) -> Role:
    strategy, way = random.choice(list(FISH.strategies)), random.choice(("bot", "hosted", "hosted", "by hand"))
    if way == "bot" or random.random() < 0.4:
        return Role(name, strategy, "hosted" if way == "by hand" else way)
    after = random.choice((0, 0, 1, 2))
    if way == "by hand":
        return Role(name, strategy, way, random.choice(list(BY_HAND)), random.choice(CALLS), after)
    rare = more_faults and random.random() < 0.5
    return Role(name, strategy, way, random.choice(more_faults if rare else list(HOSTED)), after=0 if rare else after)


class Stage:
    """Players as their roles have it, dialled in to a server."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._mutants: dict[str, tuple[MutantPlayer, Role]] = {}
        self._by_hand: dict[str, MisconductKind.ValueType] = {}

    @property
    def fired(self) -> dict[str, MisconductKind.ValueType]:
        """Return those whose defects have shown themselves, and what they did."""
        shown = {name: HOSTED[role.defect] for name, (mutant, role) in self._mutants.items() if mutant.occurrences}
        return shown | self._by_hand

    def hosted(self, role: Role) -> object:
        """Return a player object."""
        if not role.defect:
            return FISH.player(role.strategy)
        mutant = registry.make_player(FISH, role.defect, role.strategy, LIMIT_S, role.after)
        self._mutants[role.name] = mutant, role
        return mutant

    def answers(self, role: Role, leave: Callable[[], object]) -> Callable[[Call], Sequence[Reply]]:
        """Return the function with which a program that dialled in by hand answers calls."""
        answer, count = sound(role.strategy), 0

        def replies(call: Call) -> Sequence[Reply]:
            nonlocal count
            here = call.method_name.endswith(f"/{role.method}")
            count += here
            if not here or count <= role.after:
                return [answer(call), Reply(id=call.id + 10**9)]  # and one that nobody asked for
            self._by_hand[role.name] = BY_HAND[role.defect]
            if role.defect == "leaves":
                leave()
            return [Reply(id=call.id, response=b"\xff\xff")] if role.defect == "garbage" else []

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
        """Connect all players of the cast; those that are hosted share two streams."""
        hosted = [(role.name, self.hosted(role)) for role in roles if role.way == "hosted"]
        async with AsyncExitStack() as stack:
            for shared in filter(None, (hosted[::2], hosted[1::2])):
                await stack.enter_async_context(dialled_in(self._server, *shared))
            for role in roles:
                if role.way == "by hand":
                    await stack.enter_async_context(self.by_hand(role))
            stack.callback(self._release)
            yield

    def _release(self) -> None:
        for mutant, _ in self._mutants.values():
            mutant.released.set()


def link(role: Role) -> str:
    return f"bot:{role.strategy}" if role.way == "bot" else f"dial-in:{role.name}"


def check(misconducts: Sequence[Misconduct], fired: Mapping[str, MisconductKind.ValueType], took_s: float) -> None:
    """Check that those out are those whose defect has shown itself, for what they did, and that all ended on time."""
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


async def test_games_with_broken_players_do_not_disturb_each_other(server: Server) -> None:
    await asyncio.gather(*(play_game(server, seed, f"g{seed}-") for seed in range(100, 116)))


@pytest.mark.parametrize("seed", all_but_first_slow(range(3)))
async def test_a_tournament_ends_on_time_without_exactly_those_that_are_broken(server: Server, seed: int) -> None:
    random = Random(1_000 + seed)
    roles = cast(random, "abcdefghi"[: random.randint(4, 9)], OF_TOURNAMENTS)
    made = manager_harness.plan(limit_s=LIMIT_S, min_entrant_count=2, max_entrant_count=len(roles))
    made.entrants.extend(Player(name=role.name, link=link(role)) for role in roles)
    loop = asyncio.get_running_loop()
    stage = Stage(server)
    async with stage.set(roles):
        began = loop.time()
        cup = await server.manager.create("", made)
        await server.manager.start(cup.tournament_id)
        async with asyncio.timeout(120):
            async for _ in server.manager.watch(cup.tournament_id):
                pass
        took_s = loop.time() - began
    over = server.manager.get(cup.tournament_id)
    assert over.status == TournamentStatus.TOURNAMENT_STATUS_FINISHED
    check([failure.misconduct for failure in over.result.failures], stage.fired, took_s)
    left = sorted([*over.result.winners, *over.result.others])
    assert left == sorted(role.name for role in roles if role.name not in stage.fired)

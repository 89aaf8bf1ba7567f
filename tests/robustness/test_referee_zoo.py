"""Any mix of broken players in any game: it ends on time, and exactly those are out whose defects have shown.

Players are in two games at once, so that defects of memory can show themselves, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from fairplay.conformance.zoo.mutants import Mutant, Symptom
from fairplay.conformance.zoo.registry import find_mutants
from fairplay.games.conformance import find_conformance
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game, find, registered
from fairplay.server.game.plans import seconds
from fairplay.server.game.referee import Referee
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock, Link, duration
from fairplay.server.links.ways import Links
from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store
from fairplay.server.records.verify import verify
from fairplay.v1.game_pb2 import GameSettings, Player, TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, GameStatus
from tests.robustness.stage import ReceivedCall, StageLink, on_stage, trace
from tests.server.quick import in_no_time, quick_clock, quick_store
from tests.slow import SLOW, all_but_first_slow

GAMES = [name for name in registered() if find_conformance(name).mutations]
GAME_COUNT = 200
SHARES = 4
"""How many tests the games of one kind are spread over."""
AT_ONCE = 25
"""How many pairs of games are played at the same time."""
LIMIT_S = 0.5
EXACT_S = 0.001
LONG = ("bazaar", "eriantys")
"""Games of which a quarter takes more than a few seconds."""
SHORTER = {"webset": {"act_cap": 200}}
"""Settings by game, without which players that are wrong without end make games long."""
SOUND = ("first", "random")
SOUND_SHARE = 0.4
ELSEWHERE = {
    "raises-in-third-game",
    "raises-after-other-settings",
    "forgets-after-a-while",
    "raises-in-a-known-state",
    "mixes-up-seats",
}
"""Mutants whose defect shows itself in other games than two at once, in different seats, with the same settings."""


class Role(NamedTuple):
    """A player of two games, and the defect that it has."""

    game: str
    name: str
    link: Link
    kind: Mutant | None


class Scene:
    """Two games at the same time between the same players, in different seats."""

    def __init__(self, game: Game, referee: Referee, clock: Clock, seed: int) -> None:
        self.game = game
        self._referee = referee
        self._rng = Random(f"{game.name}/{seed}")
        self._seed = seed
        self.settings = game.full_settings(game.tournament_settings)
        for name, value in SHORTER.get(game.name, {}).items():
            setattr(self.settings, name, value)
        count = self._rng.choice(game.seats)
        self.roles = [self._role(clock, f"p{number}") for number in range(count)]

    def _role(self, clock: Clock, name: str) -> Role:
        rng, game = self._rng, self.game
        if rng.random() < SOUND_SHARE:
            return Role(game.name, name, BotLink(clock, game.player(rng.choice(SOUND))), None)
        kind = rng.choice(faulty(game.name))
        strategy, spared = rng.choice(list(game.strategies)[:3]), rng.choice((0, 0, 0, 1, 4))
        player = kind.make(game, strategy, on_stage(LIMIT_S), spared)
        return Role(game.name, name, StageLink(clock, game, self.settings, kind, player), kind)

    async def play(self) -> list[GameMessage]:
        """Play both games to their ends."""
        orders = [self.roles, self._rng.sample(self.roles, len(self.roles))]
        return await asyncio.gather(*(self._play(index, order) for index, order in enumerate(orders)))

    async def _play(self, index: int, order: Sequence[Role]) -> GameMessage:
        plan = GamePlan(
            game=self.game.name,
            settings=wrap(GameSettings, self.game, self.settings),
            players=[Player(name=role.name, link="bot:first") for role in order],
            seed=2 * self._seed + index,
            time_control=TimeControl(decision_limit=duration(LIMIT_S), first_decision_limit=duration(LIMIT_S)),
        )
        game_id = f"{self.game.name}.{self._seed}.{index}"
        return await self._referee.play(plan, game_id, links=[role.link for role in order])


@cache
def faulty(name: str) -> list[Mutant]:
    """Return the mutants whose defect can show itself in a game."""
    return [
        kind
        for kind in find_mutants(find(name)).values()
        if kind.program is None
        and not kind.name.endswith(("-describe", "-start", "-end"))
        and kind.name not in ELSEWHERE
    ]


def check(scene: Scene, played: GameMessage) -> None:
    """Check that those out are those who did wrong, for what they did, and that all others are ranked."""
    assert played.status == GameStatus.GAME_STATUS_FINISHED, played.result.aborted
    misconducts = {misconduct.player: misconduct for misconduct in played.result.misconducts}
    assert len(misconducts) == len(played.result.misconducts)
    for role in scene.roles:
        received = role.link.received.get(played.game_id, []) if isinstance(role.link, StageLink) else []
        check_player(role, received, misconducts.get(role.name))
    ranked = sorted(player.name for group in played.result.ranking for player in group.players)
    assert ranked == sorted(role.name for role in scene.roles if role.name not in misconducts)


def check_player(role: Role, received: Sequence[ReceivedCall], misconduct: Misconduct | None) -> None:
    received = [call for call in received if not call.cancelled]
    for call, following in pairwise(received):
        assert not call.surely_wrong or call.forgiven or asked_again(following), (role.kind, call)
    if misconduct is None:
        assert not received or not received[-1].surely_wrong or received[-1].forgiven, (role.kind, received[-1])
        return
    assert role.kind is not None, misconduct
    assert misconduct.method_name == received[-1].method, role.kind
    assert trace(misconduct) in received[-1].traces, (role.kind, misconduct)
    if misconduct.HasField("rule_break"):
        rule_id = misconduct.rule_break.rule_id
        assert rule_id == role.kind.rule or (not role.kind.rule and rule_id in find(role.game).rules)


def asked_again(call: ReceivedCall) -> bool:
    """Return whether a call is a second chance, which some games give after a reply that breaks a rule."""
    return "refusal" in call.request.DESCRIPTOR.fields_by_name and bool(call.request.HasField("refusal"))


def check_times(entries: Sequence[RecordEntry]) -> float:
    """Check that a player that does not answer costs its limit and no more; return the seconds of all calls."""
    for misconduct in (entry.misconduct for entry in entries if entry.HasField("misconduct")):
        if misconduct.HasField("overrun"):
            overrun = misconduct.overrun
            assert 0 <= seconds(overrun.elapsed) - seconds(overrun.limit) < EXACT_S, overrun
    return sum(seconds(entry.call.elapsed) for entry in entries if entry.HasField("call"))


async def play_share(name: str, share: int, store: Store) -> list[Symptom]:
    """Play and check one share of the pairs of games, and return what the referee has found in them."""
    clock, found = quick_clock(), list[Symptom]()
    referee = Referee(Links(Hub(clock), clock), store)
    seeds = range(share, GAME_COUNT // 2, SHARES)
    for first in range(0, len(seeds), AT_ONCE):
        scenes = [Scene(find(name), referee, clock, seed) for seed in seeds[first : first + AT_ONCE]]
        began = clock.time()
        played = await asyncio.gather(*(scene.play() for scene in scenes))
        took_s, calls_s = clock.time() - began, 0.0
        for scene, game in ((scene, game) for scene, both in zip(scenes, played, strict=True) for game in both):
            check(scene, game)
            record = store.read(game.game_id)
            assert verify(record) == []
            calls_s += check_times(list(parsed(record)))
            found.extend(map(trace, game.result.misconducts))
        assert took_s <= calls_s + EXACT_S  # nobody waits but for players
    return found


async def stored(name: str, share: int, directory: Path) -> list[Symptom]:
    store = quick_store(directory)
    try:
        return await play_share(name, share, store)
    finally:
        await store.close()


@pytest.mark.parametrize("share", all_but_first_slow(range(SHARES)))
@pytest.mark.parametrize("name", [pytest.param(name, marks=[SLOW] if name in LONG else []) for name in GAMES])
def test_games_end_on_time_without_exactly_those_whose_faults_have_shown(name: str, share: int, tmp_path: Path) -> None:
    found = in_no_time(stored(name, share, tmp_path))
    assert len(found) >= GAME_COUNT / SHARES / 4
    assert len(set(found)) >= 3


def test_there_are_faults_of_any_game_and_of_this_one() -> None:
    for name in GAMES:
        assert len(faulty(name)) >= 50

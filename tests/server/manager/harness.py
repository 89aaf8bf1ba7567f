"""What the tests of the manager share: a manager with a real referee, real records and players in this process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration

from fairplay.games.game import Game, find
from fairplay.server.game.referee import Referee
from fairplay.server.game.runner import LocalRunner
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock, Link, duration
from fairplay.server.links.ways import Links
from fairplay.server.manager.examiner import Examiner
from fairplay.server.manager.history import check_tournament
from fairplay.server.manager.manager import Manager
from fairplay.server.manager.signup import Later
from fairplay.server.net.errors import Refusal
from fairplay.server.records.store import Store
from fairplay.server.records.verify import CHECKS, verify
from fairplay.v1.game_pb2 import Player, TimeControl
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.player_pb2 import EndRequest, StartRequest
from fairplay.v1.tournament_pb2 import SignUpPolicy, Tournament, TournamentPlan, TournamentStatus

OVER = (TournamentStatus.TOURNAMENT_STATUS_FINISHED, TournamentStatus.TOURNAMENT_STATUS_CANCELLED)
SHORT_S = 0.25
"""A limit that sound players keep on a busy machine, and that a hung one may cost a test."""


class Actor:
    """A player in this process that keeps its calls, and does in Start, End and its turns what a test wants.

    `fault` maps the name of a method to "raise", "hang" or "hold" (until `release` is set).
    """

    game = "fish"

    def __init__(self, log: list[tuple[str, str]], name: str, strategy: str, fault: Mapping[str, str]) -> None:
        self._log = log
        self._name = name
        self._player: Any = find("fish").player(strategy)
        self._fault = fault
        self.release = asyncio.Event()
        self._reached: dict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def at(self, method: str) -> None:
        """Wait until the player is called."""
        async with asyncio.timeout(30):
            await self._reached[method].wait()

    async def _act(self, method: str) -> None:
        self._reached[method].set()
        match self._fault.get(method):
            case "raise":
                raise RuntimeError(f"{self._name} fails in {method}")
            case "hang":
                await asyncio.Event().wait()
            case "hold":
                await self.release.wait()

    async def start(self, request: StartRequest) -> None:
        self._log.append((self._name, "start"))
        await self._act("start")

    async def end(self, request: EndRequest) -> None:
        self._log.append((self._name, f"end {request.won}"))
        await self._act("end")

    async def play_as(self, request: Any) -> None:
        await self._act("play_as")

    async def play_with(self, request: Any) -> None:
        self._player.play_with(request)

    async def setup(self, request: Any) -> Any:
        await self._act("setup")
        return self._player.setup(request)

    async def take_turn(self, request: Any) -> Any:
        await self._act("take_turn")
        return self._player.take_turn(request)


class Stage(Links):
    """Links to actors, by the names of the players; other links are real."""

    def __init__(self, hub: Hub, clock: Clock) -> None:
        super().__init__(hub, clock, start_limit_s=SHORT_S)
        self._own_clock = clock
        self.actors: dict[str, Actor] = {}
        self.log: list[tuple[str, str]] = []
        self.open_count = 0
        self.forbidden: set[str] = set()

    def act(self, name: str, strategy: str = "first", **fault: str) -> Actor:
        self.actors[name] = Actor(self.log, name, strategy, fault)
        return self.actors[name]

    def check(self, player: Player, game: Game, field: str) -> None:
        if player.name in self.forbidden:
            raise Refusal("EXEC_NOT_ALLOWED", "this server does not start programs for others", f"{field}.link")
        if player.name not in self.actors:
            super().check(player, game, field)

    def lost(self, link: Link) -> bool:
        assert isinstance(link, _Counted)
        return super().lost(link.link)

    async def open(self, player: Player, game: Game, secret: str = "") -> Link:
        self.open_count += 1
        link = BotLink(self._own_clock, self.actors[player.name]) if player.name in self.actors else None
        return _Counted(self, link or await super().open(player, game, secret))


class _Counted:
    """A link whose closing is noticed."""

    def __init__(self, stage: Stage, link: Link) -> None:
        self._stage = stage
        self.link = link
        self.call = link.call

    async def close(self) -> None:
        self._stage.open_count -= 1
        await self.link.close()


class Timers:
    """Waiting periods that end when a test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, seconds: float, call: Callable[[], None]) -> Any:
        entry = (seconds, call)
        self.waiting.append(entry)
        return _Timer(lambda: self.waiting.remove(entry))

    def ring(self) -> None:
        [(_, call)] = self.waiting
        self.waiting.clear()
        call()


class _Timer(NamedTuple):
    cancel: Callable[[], None]


class Environment(NamedTuple):
    """A manager and what it works with."""

    manager: Manager
    referee: Referee
    stage: Stage
    hub: Hub
    store: Store

    async def play(self, tournament_id: str, plan: TournamentPlan, within_s: float = 60) -> Tournament:
        """Create a tournament, start it and wait for its end."""
        await self.manager.create(tournament_id, plan)
        await self.manager.start(tournament_id)
        return await self.over(tournament_id, within_s)

    async def over(self, tournament_id: str, within_s: float = 60) -> Tournament:
        async with asyncio.timeout(within_s):
            async for _ in self.manager.watch(tournament_id):
                pass
        over = self.manager.get(tournament_id)
        assert over.status in OVER
        return over

    async def gone(self) -> None:
        """Wait until nothing runs of any tournament."""
        async with asyncio.timeout(60):
            while self.manager.open_ids:
                await asyncio.sleep(0)

    def findings(self) -> list[object]:
        """Return the defects of the records of everything that is over."""
        listings = [*self.store.list("game", limit=1_000)[0], *self.store.list("tournament", limit=1_000)[0]]
        checks = {**CHECKS, "tournament": check_tournament}
        return [
            (listing.record_id, finding)
            for listing in listings
            for finding in verify(self.store.read(listing.record_id), finished=listing.finished, checks=checks)
        ]


@asynccontextmanager
async def environment(
    records: Path | None = None,
    later: Later | None = None,
    store: Any = None,
    clock: Clock | None = None,
    examiner: Examiner | None = None,
) -> AsyncIterator[Environment]:
    """Run a manager; at the end suspend everything, and check that no link is left open."""
    kept = store or Store.open(records)
    clock = clock or Clock()
    hub = Hub(clock)
    stage = Stage(hub, clock)
    referee = Referee(stage, kept)
    manager = Manager(LocalRunner(referee, kept), stage, hub, kept, clock, later, examiner=examiner)
    try:
        yield Environment(manager, referee, stage, hub, kept)
    finally:
        await manager.suspend_all()
        await kept.close()
    assert stage.open_count == 0


def plan(names: Iterable[str] = (), link: str = "bot:first", limit_s: float = 5.0, **policy: Any) -> TournamentPlan:
    """Return the plan of a tournament of Fish between these players; without periods unless the policy has them."""
    policy.setdefault("waiting_period", Duration())
    return TournamentPlan(
        game="fish",
        sign_up=SignUpPolicy(**policy),
        time_control=TimeControl(decision_limit=duration(limit_s), first_decision_limit=duration(limit_s)),
        seed=7,
        entrants=[Player(name=name, link=link) for name in names],
    )


def kinds(events: Iterable[WatchTournamentResponse]) -> list[str]:
    return [event.WhichOneof("event") or "" for event in events]

"""Who plays the games that tournaments and comparisons plan. A runner is asked for one game at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from fairplay.games.kit.processors import processors
from fairplay.server.game.referee import Referee
from fairplay.server.links.link import Link
from fairplay.server.net.errors import Refusal
from fairplay.server.records.store import Store
from fairplay.v1.game_pb2 import Player
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult

LIGHT_GAMES = 64
"""How many games are played at once between players that take their time elsewhere."""

OpenLinks: TypeAlias = Callable[[], Awaitable[Sequence[Link]]]
"""Returns the links to the players of a game, by seat, for a runner that calls them from this process."""


def shutting_down() -> Refusal:
    """Return the refusal of a request that has to wait until the server is back."""
    return Refusal("SHUTTING_DOWN", "the server shuts down; the tournament goes on when it is back")


class NobodyPlaysError(Refusal):
    """Nobody can play games at the moment: tournaments stay where they are, and go on from their records."""

    def __init__(self, message: str) -> None:
        super().__init__("INTERNAL", message)


class PlayedGame(NamedTuple):
    """How a game ended, and the last chain hash of its record, empty if it has none."""

    result: GameResult
    chain_hash: bytes = b""


class Runner(Protocol):
    """Plays planned games. When one is over its record is in the store of the server, once, by its id."""

    @property
    def processors(self) -> int:
        """Return how many processors there are for games; it may change."""

    def room(self, *, programs: bool) -> int:
        """Return how many games suit this runner at once; `programs`: some of the players are started for them."""

    def has_several(self, player: Player) -> bool:
        """Return whether a player can be in several games at once, since each of them has one of its own."""

    async def play(
        self, plan: GamePlan, game_id: str, tournament_id: str, links: OpenLinks, stop: asyncio.Future[str]
    ) -> PlayedGame:
        """Play a game to its end, or return how the game of this id ended. `stop` says why to end it before.

        Raises Refusal if it cannot be played, NobodyPlaysError if none can be, RecordsError if it cannot be recorded.
        """

    async def suspend(self) -> None:
        """Leave all games where they are, with nothing of them left open; those that are waited for are refused."""


class LocalRunner:
    """Has the referee of this process play the games."""

    def __init__(self, referee: Referee, store: Store) -> None:
        self._referee = referee
        self._store = store

    @property
    def processors(self) -> int:
        """Return how many processors this process may use."""
        return processors()

    def room(self, *, programs: bool) -> int:
        """Return how many games to play at once.

        In a game one player thinks at a time, so that programs which run on this machine have a processor each.
        """
        return self.processors if programs else LIGHT_GAMES

    def has_several(self, player: Player) -> bool:
        """Return False: a player has one link for all games of its tournament."""
        return False

    async def play(
        self, plan: GamePlan, game_id: str, tournament_id: str, links: OpenLinks, stop: asyncio.Future[str]
    ) -> PlayedGame:
        """Play a game through these links; see Runner."""
        playing = asyncio.ensure_future(self._referee.play(plan, game_id, tournament_id, await links()))
        await asyncio.wait((playing, stop), return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            await self._referee.stop(game_id, stop.result())
        return PlayedGame((await playing).result, self._store.last_hash(game_id))

    async def suspend(self) -> None:
        """Leave all games of the referee where they are."""
        await self._referee.suspend_all()

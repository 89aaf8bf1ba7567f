"""Two players compared by deals that both play from every seat, until it is known whether one is better."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from fairplay.client.errors import UsageError
from fairplay.games.game import Game, find
from fairplay.server.game.plans import full_game_plan
from fairplay.server.links.link import Link
from fairplay.server.server import Config, Server
from fairplay.standings.sprt import Answer, Bounds, SequentialTest
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult

NEW, OLD = 0, 1
"""The numbers of the two players; those of the others follow."""
MAX_ABORTED = 3
"""After so many deals with a game that was aborted the comparison gives up: the fault is none of the players'."""


def seatings(count: int) -> list[tuple[int, ...]]:
    """Return who sits where in the games of a deal: each player in every seat, and the two in each other's place."""
    others = tuple(range(OLD + 1, count))
    orders = [(NEW, OLD, *others)] if count == 2 else [(NEW, OLD, *others), (OLD, NEW, *others)]
    return [order[turn:] + order[:turn] for order in orders for turn in range(count)]


def deal_seed(seed: int, deal: int) -> int:
    """Return the seed of the games of a deal; deals count from 1."""
    return int.from_bytes(sha256(f"compare/{seed}/{deal}".encode()).digest()[:8], "big") >> 11


def result_for_new(seating: Sequence[int], result: GameResult) -> float:
    """Return what the new player won from the old one: 1, 0.5 or 0. Whoever failed is behind all who did not."""
    places = {player.seat: place for place, group in enumerate(result.ranking) for player in group.players}
    last = len(result.ranking)
    new, old = (places.get(seating.index(player), last) for player in (NEW, OLD))
    return 1.0 if new < old else 0.0 if new > old else 0.5


class Comparison:
    """What has been played so far. Deals count in their order, not in that in which they end: chance alone decides.

    `names` are those of all players, the two first.
    """

    def __init__(self, names: Sequence[str], bounds: Bounds, max_games: int) -> None:
        self.names = names
        self.seatings = seatings(len(names))
        self.test = SequentialTest(bounds, len(self.seatings))
        self.max_deals = max(1, max_games // len(self.seatings))
        self.failures: list[Misconduct] = []
        """The first failure of each player."""
        self.failed_games: Counter[int] = Counter()
        """In how many games each player failed."""
        self.results: Counter[float] = Counter()
        self.aborted = ""
        self._aborted_count = 0
        self._waiting: dict[int, Sequence[GameResult]] = {}
        self._next = 1

    @property
    def game_count(self) -> int:
        """Return how many games count so far."""
        return self.results.total()

    @property
    def over(self) -> bool:
        """Return whether there is an answer, or the most games have been played, or games cannot be played."""
        return self.answer is not Answer.UNDECIDED or self._next > self.max_deals or bool(self.aborted)

    @property
    def answer(self) -> Answer:
        """Return what the games so far say."""
        return self.test.answer

    def add(self, deal: int, results: Sequence[GameResult]) -> None:
        """Add the results of the games of a deal, in the order of `seatings`."""
        self._waiting[deal] = results
        while not self.over and self._next in self._waiting:
            self._count(self._waiting.pop(self._next))
            self._next += 1

    def _count(self, results: Sequence[GameResult]) -> None:
        aborted = next((result.aborted for result in results if result.aborted), "")
        if aborted:
            self._aborted_count += 1
            self.aborted = aborted if self._aborted_count >= MAX_ABORTED else ""
            return
        scores = [result_for_new(seating, each) for seating, each in zip(self.seatings, results, strict=True)]
        self.results.update(scores)
        for seating, result in zip(self.seatings, results, strict=True):
            self._note_failures(seating, result)
        self.test.add(sum(scores) / len(scores))

    def _note_failures(self, seating: Sequence[int], result: GameResult) -> None:
        for misconduct in result.misconducts:
            player = seating[misconduct.seat]
            if not self.failed_games[player]:
                self.failures.append(misconduct)
            self.failed_games[player] += 1

    def always_failed(self) -> list[str]:
        """Return the names of the players that failed in every game so far."""
        return [name for number, name in enumerate(self.names) if 0 < self.game_count == self.failed_games[number]]

    def games_left(self) -> int | None:
        """Return about how many games an answer takes if it goes on like this; None if that is not known."""
        deals = self.test.deals_left()
        return None if deals is None else deals * len(self.seatings)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison as plain values."""
        low, high = self.test.interval()
        bounds = self.test.bounds
        return {
            "answer": self.answer.value,
            "new": self.names[NEW],
            "old": self.names[OLD],
            "with": list(self.names[OLD + 1 :]),
            "games": self.game_count,
            "deals": self.test.deal_count,
            "wins": self.results[1.0],
            "ties": self.results[0.5],
            "losses": self.results[0.0],
            "score": self.test.score,
            "elo": self.test.elo,
            "eloLow": low,
            "eloHigh": high,
            "logLikelihoodRatio": self.test.ratio,
            "limit": bounds.limit,
            "elo0": bounds.elo0,
            "elo1": bounds.elo1,
            "error": bounds.error,
            "failedGames": {name: self.failed_games[number] for number, name in enumerate(self.names)},
        }


def check_players(game: Game, players: Sequence[Player]) -> None:
    """Raise UsageError if a game cannot be played by so many, or two have one name."""
    if len(players) not in game.seats:
        few, many = game.seats.start, game.seats.stop - 1
        more = "name more players with --with" if len(players) < few else "name fewer players with --with"
        raise UsageError(f"{game.title} is played by {few} to {many} players, not by {len(players)}: {more}")
    if len({player.name for player in players}) < len(players):
        raise UsageError("two players have the same name: give each a name of its own, NAME=LINK")


async def play_deals(
    config: Config, plan: GamePlan, comparison: Comparison, counted: Callable[[], None], concurrency: int = 0
) -> None:
    """Play deals on a server of our own until a comparison is over, `concurrency` games at once (0: one for each core).

    `plan` is what all games share; `counted` is called after each deal.
    """
    server = await Server.start(config)
    try:
        full_game_plan(plan, server.links.check)  # what makes no sense is refused before any program is started
        await server.links.check_proxies(plan.players)
        count = concurrency or server.runner.processors
        tables = [_Table(server, find(plan.game), plan, comparison) for _ in range(count)]
        deals = iter(range(1, comparison.max_deals + 1))
        async with asyncio.TaskGroup() as group:
            for table in tables:
                group.create_task(table.run(deals, counted))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await server.stop()


class _Table:
    """Where one game after the other is played, with players of its own: a program that is started plays one game."""

    def __init__(self, server: Server, game: Game, plan: GamePlan, comparison: Comparison) -> None:
        self._server = server
        self._game = game
        self._plan = plan
        self._comparison = comparison
        self._links: dict[int, Link] = {}
        self._never: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Games are not stopped: those that are not wanted any more are cancelled."""
        self._id = f"compare-{secrets.token_hex(6)}"

    async def run(self, deals: Iterator[int], counted: Callable[[], None]) -> None:
        """Play deal after deal until the comparison is over."""
        try:
            for deal in deals:
                if self._comparison.over:
                    return
                results = [await self._game_of(deal, seating) for seating in self._comparison.seatings]
                self._comparison.add(deal, results)
                counted()
        finally:
            await asyncio.gather(*(link.close() for link in self._links.values()))

    async def _game_of(self, deal: int, seating: Sequence[int]) -> GameResult:
        if self._comparison.over:
            return GameResult(aborted="the comparison is over")
        players = self._plan.players
        plan = GamePlan()
        plan.CopyFrom(self._plan)
        plan.ClearField("players")
        plan.players.extend(players[player] for player in seating)
        plan.seed = deal_seed(self._plan.seed, deal)
        game_id = f"{self._id}/d{deal}-{'-'.join(map(str, seating))}"
        links = partial(self._links_of, seating)
        result = (await self._server.runner.play(plan, game_id, "", links, self._never)).result
        for misconduct in result.misconducts:  # a program that failed is started again for the next game
            if (link := self._links.pop(seating[misconduct.seat], None)) is not None:
                await link.close()
        return result

    async def _links_of(self, seating: Sequence[int]) -> Sequence[Link]:
        return [await self._link(player, self._plan.players[player]) for player in seating]

    async def _link(self, number: int, player: Player) -> Link:
        if number not in self._links:
            self._links[number] = await self._server.links.open(player, self._game, player.secret)
        return self._links[number]

"""`fairplay compare`: play deals between two players until it is known whether one is better, and show that."""

from __future__ import annotations

import asyncio
import secrets
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import find_game, parse_players
from fairplay.client.wording import draw_failure, harmless
from fairplay.games.game import Game
from fairplay.player.interrupts import run
from fairplay.server.game.plans import full_game_plan
from fairplay.server.links.link import Link
from fairplay.server.server import Server
from fairplay.standings.sprt import Answer, Bounds, SequentialTest
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.commands.play import CompareOptions
from fairplay.terminal.playing.setup import seed_of, server_config, settings_of, time_control_of
from fairplay.terminal.printing import make_console, open_output, write_json
from fairplay.terminal.roster import read_roster
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.result_pb2 import GameResult

NEW, OLD = 0, 1
"""The numbers of the two players; those of the others follow."""
MAX_ABORTED = 3
"""After so many deals with a game that was aborted the comparison gives up: the fault is none of the players'."""
UNDECIDED = 3
"""The exit code of a comparison without an answer."""
CODES = {Answer.BETTER: DONE, Answer.NOT_BETTER: FAILED, Answer.UNDECIDED: UNDECIDED}
REFRESH_PER_S = 4


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


# --- the command ---


def compare_players(options: CompareOptions) -> int:
    """Compare two players, show the answer and return the exit code.

    Raises FailedError if games cannot be played, or neither player ever played one without failing.
    """
    output = open_output(options.json)
    game = find_game(options.game)
    plan = _plan(options, game)
    try:
        bounds = Bounds(options.elo0, options.elo1, options.error)
    except ValueError as error:
        raise UsageError(str(error)) from None
    comparison = Comparison([player.name for player in plan.players], bounds, options.games)
    console = make_console(errors=options.json == "-")
    console.print(harmless(_heading(game, plan, comparison)), soft_wrap=True)
    run(_play(options, game, plan, comparison, console))
    _show(console, comparison)
    if options.setup.records is not None:
        console.print(f"Look closer: fairplay records list {shlex.quote(str(options.setup.records))}", soft_wrap=True)
    write_json({"game": game.name, "seed": plan.seed, **comparison.as_json()}, output)
    if comparison.aborted:
        raise FailedError(f"games cannot be played: {comparison.aborted}")
    if {comparison.names[NEW], comparison.names[OLD]} <= set(comparison.always_failed()):
        raise FailedError("both players failed in every game: nothing can be said of them")
    return CODES[comparison.answer]


def _plan(options: CompareOptions, game: Game) -> GamePlan:
    """Return what all games share. Raises UsageError if an option cannot be read, or the players do not fit."""
    players = _players([options.new, options.old, *(options.with_ or ())], options.roster)
    if len(players) not in game.seats:
        few, many = game.seats.start, game.seats.stop - 1
        more = "name more players with --with" if len(players) < few else "name fewer players with --with"
        raise UsageError(f"{game.title} is played by {few} to {many} players, not by {len(players)}: {more}")
    if len({player.name for player in players}) < len(players):
        raise UsageError("two players have the same name: give each a name of its own, NAME=LINK")
    return GamePlan(
        game=game.name,
        settings=settings_of(options.setup, game, plain=options.plain),
        players=players,
        seed=seed_of(options.setup),
        time_control=time_control_of(options.setup),
    )


def _players(specs: Sequence[str], roster: Path | None) -> list[Player]:
    """Return the players that are named in the roster, or given as links. Raises UsageError if one is neither."""
    listed = read_roster(roster).entrants if roster is not None else ()
    known = {entrant.name: entrant for entrant in listed}
    players = parse_players([f"{spec}={known[spec].link}" if spec in known else spec for spec in specs])
    for spec, player in zip(specs, players, strict=True):
        if spec in known:
            player.secret = known[spec].secret
    return players


# --- playing ---


async def _play(options: CompareOptions, game: Game, plan: GamePlan, comparison: Comparison, console: Console) -> None:
    config = server_config(options.setup, options.cluster, plan.players, resume=None)
    server = await Server.start(config)
    try:
        full_game_plan(plan, server.links.check)  # what makes no sense is refused before any program is started
        await server.links.check_proxies(plan.players)
        with Live(console=console, refresh_per_second=REFRESH_PER_S, transient=True) as live:
            tables = [
                _Table(server, game, plan, comparison) for _ in range(options.concurrency or server.runner.processors)
            ]
            deals = iter(range(1, comparison.max_deals + 1))
            async with asyncio.TaskGroup() as group:
                for table in tables:
                    group.create_task(table.run(deals, live if console.is_terminal else None))
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

    async def run(self, deals: Iterator[int], live: Live | None) -> None:
        """Play deal after deal until the comparison is over."""
        try:
            for deal in deals:
                if self._comparison.over:
                    return
                results = [await self._game_of(deal, seating) for seating in self._comparison.seatings]
                self._comparison.add(deal, results)
                if live is not None:
                    live.update(Text.from_markup(_progress(self._comparison)))
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


# --- showing ---


def _heading(game: Game, plan: GamePlan, comparison: Comparison) -> str:
    names = [escape(name) for name in comparison.names]
    others = f", with {', '.join(names[2:])}" if names[2:] else ""
    bounds = comparison.test.bounds
    return (
        f"[bold]{game.title}[/], seed {plan.seed}: is {names[NEW]} better than {names[OLD]}{others}? "
        f"(better by {bounds.elo1:g} Elo against {bounds.elo0:g}, wrong in {bounds.error:.3g} of all cases)"
    )


def _progress(comparison: Comparison) -> str:
    left = comparison.games_left()
    most = comparison.max_deals * len(comparison.seatings)
    return f"{_figures(comparison)}  about {min(left, most)} games more" if left is not None else _figures(comparison)


def _figures(comparison: Comparison) -> str:
    test, results = comparison.test, comparison.results
    low, high = test.interval()
    return (
        f"{comparison.game_count} games ({test.deal_count} deals): {results[1.0]} won, {results[0.5]} tied, "
        f"{results[0.0]} lost  {test.elo:+.0f} Elo ({low:+.0f} to {high:+.0f})  "
        f"log-likelihood ratio {test.ratio:+.2f} of ±{test.bounds.limit:.2f}"
    )


def _show(console: Console, comparison: Comparison) -> None:
    console.print(harmless(_figures(comparison)), soft_wrap=True)
    for misconduct in comparison.failures:
        number = comparison.names.index(misconduct.player)
        count = comparison.failed_games[number]
        console.print(f"  {draw_failure(misconduct)}  [dim](failed in {count} of {comparison.game_count} games)[/]")
    for name in comparison.always_failed():
        sentence = f"{escape(name)} failed in every game: what is compared is that, and not how well it plays."
        console.print(harmless(f"[yellow]{sentence}[/]"), soft_wrap=True)
    new, old = escape(comparison.names[NEW]), escape(comparison.names[OLD])
    words = {
        Answer.BETTER: f"[bold green]{new} is better than {old}.[/]",
        Answer.NOT_BETTER: f"[bold]{new} is not better than {old}.[/]",
        Answer.UNDECIDED: f"[yellow]Undecided[/] after the most games that were asked for; about "
        f"{comparison.games_left() or 'many'} more may decide: --games.",
    }
    console.print(harmless(words[comparison.answer]), soft_wrap=True)

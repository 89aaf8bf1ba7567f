"""The standings and the rounds of a tournament: kept while it goes on, so that no game waits for them."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import NamedTuple

from fairplay.formats.format import chosen
from fairplay.games.kit.tournament import Failures, Played
from fairplay.server.manager.plan import derive_seed
from fairplay.standings.rating import Start
from fairplay.standings.results import Outcome, read_outcome
from fairplay.standings.scoreboard import Conduct, Scoreboard
from fairplay.v1.tournament_pb2 import Round, RoundGame, Standings, Tournament, TournamentResult, WithdrawnGames

SHOWN_GAMES = 5_000
"""How many games a tournament shows: all of its latest rounds with no more games than these, and at least one."""

SHARE = 0.005
"""The share of the time that computing live standings may take: with what else standings cost, less than 1 %."""
BURST_S = 0.25
"""What computing may take beyond that: the standings of a short tournament are computed after each game."""


class Packed(NamedTuple):
    """A round that is over."""

    game_count: int
    data: bytes


class Archive:
    """The rounds of a tournament that are not shown any more. `message` holds the later ones."""

    def __init__(self, message: Tournament, shown_games: int = SHOWN_GAMES) -> None:
        self._message = message
        self._most = shown_games
        self._packed: list[Packed] = []
        self._shown = 0

    def begin(self, game_count: int) -> None:
        """Take note of a round that the message has got."""
        self._shown += game_count

    def pack(self, last: int) -> None:
        """Pack the first rounds of the message, up to the one of this number, until few enough games are left."""
        count = 0
        for round_ in self._message.rounds:
            if self._shown <= self._most or round_.number > last or count == len(self._message.rounds) - 1:
                break
            self._packed.append(Packed(len(round_.games), round_.SerializeToString()))
            self._shown -= len(round_.games)
            count += 1
        if count:
            del self._message.rounds[:count]

    def games(self, after: int, limit: int | None = None) -> list[RoundGame]:
        """Return the games after the first `after`, at most `limit`, each with the number of its round."""
        return list(islice(self._games(after), limit))

    def _games(self, after: int) -> Iterator[RoundGame]:
        for game_count, round_ in self._rounds():
            if after >= game_count:
                after -= game_count
                continue
            read = round_ if isinstance(round_, Round) else Round.FromString(round_)
            for game in read.games[after:]:
                found = RoundGame(round_number=read.number)
                found.MergeFrom(game)
                yield found
            after = 0

    def _rounds(self) -> Iterator[tuple[int, Round | bytes]]:
        yield from self._packed
        yield from ((len(round_.games), round_) for round_ in self._message.rounds)


async def load() -> None:
    """Load what computes standings, in a thread: it takes as long as some hundred calls, and no game waits for it."""
    await asyncio.to_thread(import_module, "fairplay.standings.ratings")


class LiveStandings:
    """The standings of one tournament. `failures` says how often entrants have failed; it is the tournament's own."""

    def __init__(self, message: Tournament, failures: Failures) -> None:
        self.ranked = chosen(message.plan.format).format.ranks
        self._names = [player.name for player in message.entrants]
        self._failures = failures
        self._struck = message.plan.withdrawn_games == WithdrawnGames.WITHDRAWN_GAMES_STRUCK
        self._scoreboard = Scoreboard(self._names, derive_seed(message.secret, "lot"))
        self._start = Start()
        self._players: set[int] = set()
        """Those who have finished a game after making a decision."""
        self.round_count = 0
        """How many rounds are over."""
        self._latest: Standings | None = None
        self._changed = True
        self._result: TournamentResult | None = None
        self._began_s = time.monotonic()
        self._took_s = 0.0
        self._lock = asyncio.Lock()

    def add(self, game: Played) -> None:
        """Add a game that is over."""
        self._changed = True
        outcome = read_outcome(game.pairing.entrants, game.result, game.pairing.deal)
        if outcome is not None:
            self._scoreboard.add(outcome)
        self._players.update(game.finishers)

    def add_byes(self, entrants: Sequence[int]) -> None:
        """Add a game that counts as won for each of the entrants; one may be there several times."""
        for entrant in entrants:
            self._changed = True
            self._scoreboard.add(Outcome((entrant,), (1,), (0,)))

    def finish(self, result: TournamentResult) -> None:
        """Take note of the result: no further game counts."""
        self._result = result
        self._changed = True

    @property
    def due(self) -> bool:
        """Return whether there is something new, and computing has not taken more than its share of the time."""
        allowed_s = BURST_S + SHARE * (time.monotonic() - self._began_s)
        return self._changed and (self._took_s <= allowed_s or self._result is not None)

    async def latest(self) -> Standings:
        """Return the standings, computed again where that is due."""
        async with self._lock:
            if self._latest is None or self.due:
                self._changed = False
                began = time.monotonic()
                self._latest = await self._computed()
                self._took_s += time.monotonic() - began
            return self._latest

    async def _computed(self) -> Standings:
        unplayed = self._failures.counts.keys() - self._players
        conduct = Conduct(dict(self._failures.counts), frozenset(self._failures.withdrawn), self._struck, unplayed)
        round_count, complete = self.round_count, self._result is not None
        # The last ones depend on the games alone, not on the live ones before them.
        start = None if complete else self._start
        standings = await asyncio.to_thread(copy.deepcopy(self._scoreboard).compute, conduct, self._order(), start)
        standings.round_count, standings.complete = round_count, complete
        return standings

    def _order(self) -> Sequence[Sequence[int]]:
        """Return the order at the end, which is the format's: points say nothing of stages, nor of who sat out."""
        if self._result is None:
            return ()
        numbers = {name: number for number, name in enumerate(self._names)}
        winners = [numbers[name] for name in self._result.winners]
        return [*filter(None, [winners]), *([numbers[name]] for name in self._result.others)]

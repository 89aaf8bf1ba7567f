"""Tournaments that are looked at: one stream from the server for each, and the tournament as it is after its events."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import grpc

from fairplay.client.wording import describe_error
from fairplay.v1.manager_pb2 import GetStandingsRequest, GetTournamentRequest, WatchTournamentRequest
from fairplay.v1.referee_pb2 import GameStatus, ListGamesRequest
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Standings, Tournament, TournamentStatus
from fairplay.web.changes import Changes
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream

PAUSE_S = 1.0
MAX_CONTESTS = 50
SHOWN_STANDINGS = 200
MOST_STOPPED = 1_000
"""More games than are stopped when a tournament is cancelled: so many may not run at once."""
NOT_BEGUN = (RoundGameStatus.ROUND_GAME_STATUS_WAITING, RoundGameStatus.ROUND_GAME_STATUS_SKIPPED)
ENDED = (TournamentStatus.TOURNAMENT_STATUS_FINISHED, TournamentStatus.TOURNAMENT_STATUS_CANCELLED)


class Fetched(NamedTuple):
    """What the server says of a tournament."""

    tournament: Tournament
    standings: Standings
    """Those of the first entrants; of none before it starts."""
    unplayed: Set[str]
    """The ids of the games that had not begun when it was cancelled."""


class Contest:
    """One tournament, and its standings."""

    def __init__(self, upstream: Upstream, fetched: Fetched) -> None:
        self.tournament, self.standings, self.unplayed = fetched
        self.away = ""
        """Why the tournament cannot be followed just now; empty if it can."""
        self.changes = Changes()
        self.drawn_parts: tuple[int, Mapping[str, str]] | None = None
        """The parts of its page as they were drawn last, behind the version of that."""
        self._upstream = upstream
        self._happened = asyncio.Event()
        self._tasks = [asyncio.create_task(work()) for work in (self._listen, self._refresh)] if not self.over else []

    @property
    def over(self) -> bool:
        """Return whether the tournament is over."""
        return self.tournament.status in ENDED

    @property
    def games(self) -> Sequence[RoundGame]:
        """Return the games of the rounds that the server shows."""
        return [game for round_ in self.tournament.rounds for game in round_.games]

    def has_begun(self, game: RoundGame) -> bool:
        """Return whether a game runs, or was played: the server knows it, and it has a page of its own."""
        return game.status not in NOT_BEGUN and game.game_id not in self.unplayed

    @property
    def running(self) -> Sequence[RoundGame]:
        """Return the games that run, and can be watched."""
        return [game for game in self.games if self.has_begun(game) and not game.HasField("result")]

    async def _listen(self) -> None:
        """Follow the events of the tournament, through lost connections."""
        while not self.over:
            request = WatchTournamentRequest(tournament_id=self.tournament.tournament_id)
            stream = self._upstream.manager.WatchTournament(request)
            try:
                async for _ in stream:
                    self._happened.set()
            except grpc.aio.AioRpcError as error:
                self.away = describe_error(error)
                self.changes.notify()
            finally:
                stream.cancel()
            self._happened.set()
            await asyncio.sleep(PAUSE_S)

    async def _refresh(self) -> None:
        """Fetch the tournament when something has happened, at most once a second."""
        while not self.over:
            await self._happened.wait()
            self._happened.clear()
            try:
                await self.renew()
            except grpc.aio.AioRpcError as error:
                self.away = describe_error(error)
                self.changes.notify()
            if not self.over:
                await asyncio.sleep(PAUSE_S)

    async def renew(self) -> None:
        """Fetch the tournament as it is now. Raises grpc.aio.AioRpcError if the server does not answer."""
        self.tournament, self.standings, self.unplayed = await fetch(self._upstream, self.tournament.tournament_id)
        self.away, self.drawn_parts = "", None
        self.changes.notify()

    def stop(self) -> None:
        """Stop following the tournament."""
        for task in self._tasks:
            task.cancel()


async def fetch(upstream: Upstream, tournament_id: str) -> Fetched:
    """Return a tournament as it is now."""
    wanted = GetTournamentRequest(tournament_id=tournament_id)
    tournament = (await upstream.manager.GetTournament(wanted, timeout=ANSWER_LIMIT_S)).tournament
    asked = GetStandingsRequest(tournament_id=tournament_id, page_size=SHOWN_STANDINGS)
    standings = await upstream.manager.GetStandings(asked, timeout=ANSWER_LIMIT_S)
    unplayed: Set[str] = frozenset()
    if tournament.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        begun = ListGamesRequest(
            tournament_id=tournament_id, status=GameStatus.GAME_STATUS_ABORTED, page_size=MOST_STOPPED
        )
        stopped = {game.game_id for game in (await upstream.referee.ListGames(begun, timeout=ANSWER_LIMIT_S)).games}
        games = [game for round_ in tournament.rounds for game in round_.games if game.status not in NOT_BEGUN]
        unplayed = {game.game_id for game in games if game.result.aborted and game.game_id not in stopped}
    return Fetched(tournament, standings.standings, unplayed)


class Contests:
    """The tournaments that are looked at; those that nobody has asked for longest are forgotten."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._contests: OrderedDict[str, Contest] = OrderedDict()

    @property
    def changes(self) -> Sequence[Changes]:
        """Return the changes of all tournaments that are looked at."""
        return [contest.changes for contest in self._contests.values()]

    async def find(self, tournament_id: str) -> Contest:
        """Return a tournament. Raises grpc.aio.AioRpcError if the server does not know it."""
        contest = self._contests.get(tournament_id)
        if contest is None:
            fetched = await fetch(self._upstream, tournament_id)
            contest = self._contests.get(tournament_id) or Contest(self._upstream, fetched)
            self._contests[tournament_id] = contest
        self._contests.move_to_end(tournament_id)
        while len(self._contests) > MAX_CONTESTS:
            self._contests.popitem(last=False)[1].stop()
        return contest

    def close(self) -> None:
        """Stop following all tournaments."""
        for contest in self._contests.values():
            contest.stop()

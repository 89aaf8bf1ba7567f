"""The referee: all games of a server, each played once, under its id, recorded, and shown to spectators."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from fairplay.games.evidence import result_with_evidence
from fairplay.games.game import find
from fairplay.games.steps import Method
from fairplay.server import __version__
from fairplay.server.game.fresh import fresh_game
from fairplay.server.game.plans import checked_id, full_game_plan, now, same_plan
from fairplay.server.game.running import Running
from fairplay.server.game.spectators import live, replayed
from fairplay.server.links.link import Link, disconnected
from fairplay.server.links.secrets import take_secret, take_secrets
from fairplay.server.links.ways import Links
from fairplay.server.net.errors import Refusal
from fairplay.server.net.exhaustion import RETRY_S, waiting_for
from fairplay.server.observing.log import log_game_begun, log_game_left
from fairplay.server.observing.observer import Observer
from fairplay.server.records.chain import parsed
from fairplay.server.records.database import Selection
from fairplay.server.records.errors import RecordExists, RecordsError
from fairplay.server.records.published import begun_game, listed_game
from fairplay.server.records.replay import resume
from fairplay.server.records.store import Store
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import RecordEntry, Resumed
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan, GameStatus, WatchGameResponse

log = logging.getLogger("fairplay.referee")

MAX_READ = 1_000
"""How many games one page reads at most, where the players or the result of a game decide whether it is wanted."""


@dataclass(frozen=True, slots=True)
class WantedGames:
    """Which games are wanted: those that fulfil all conditions."""

    selection: Selection
    player: str = ""
    """Only those with a player of this name; empty: all."""
    status: GameStatus.ValueType = GameStatus.GAME_STATUS_UNSPECIFIED
    """Only those of this status; not said: all."""

    @property
    def needs_no_game(self) -> bool:
        """Return whether the selection says all."""
        return not self.player and self.status in (
            GameStatus.GAME_STATUS_UNSPECIFIED,
            GameStatus.GAME_STATUS_RUNNING,
        )

    def fits(self, game: GameMessage) -> bool:
        """Return whether a game of the selection is wanted."""
        if self.status and game.status != self.status:
            return False
        return not self.player or any(player.name == self.player for player in game.plan.players)


class Referee:
    """All games of this server: each is played once, under its id."""

    def __init__(self, links: Links, store: Store, observers: Sequence[Observer] = ()) -> None:
        self._links = links
        self._store = store
        self._observers = observers
        self._running: dict[str, Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = False

    async def check_proxies(self, players: Iterable[Player]) -> None:
        """Raise Refusal if one of these players is called through a proxy that is of no use."""
        await self._links.check_proxies(players)

    async def play(
        self, plan: GamePlan, game_id: str = "", tournament_id: str = "", links: Sequence[Link] | None = None
    ) -> GameMessage:
        """Play a game to its end, wait for the running game of this id, or return the game of this id that is over.

        `links` are those of a tournament, which keeps them; otherwise they are opened and closed with the game.
        Raises Refusal if it cannot be played, or the id belongs to another game.
        """
        begun = self.create(plan, game_id, tournament_id, links)
        if not isinstance(begun, Running):
            return begun
        message = await asyncio.shield(begun.over)
        await begun.released.wait()
        return message

    def create(
        self, plan: GamePlan, game_id: str = "", tournament_id: str = "", links: Sequence[Link] | None = None
    ) -> Running | GameMessage:
        """Begin a game and return it, or return the game of this id: running, or over. Raises Refusal as `play`."""
        secrets = take_secrets(plan.players, "plan.players")
        given, plan = plan, full_game_plan(plan, self._links.check)
        game_id = checked_id(game_id or uuid.uuid4().hex, "game_id")
        running = self._running.get(game_id)
        if running is None:
            if links is None:
                self._check_room(game_id)
            try:
                running = self._start(plan, game_id, tournament_id, links, secrets)
                if links is None:
                    end = self._links.quota.begin()
                    running.over.add_done_callback(lambda _: end())
            except RecordExists:
                message = self._message(game_id)
                if message is not None and same_plan(given, message.plan, plan):
                    if message.status != GameStatus.GAME_STATUS_RUNNING:
                        return message
                    running = self._resume(game_id, links)
        if running is None or not same_plan(given, running.message.plan, plan):
            problem = f"the id {game_id} belongs to something made of another request: choose another one"
            raise Refusal("ID_REUSED", problem, "game_id", given=game_id)
        return running

    def _check_room(self, game_id: str) -> None:
        """Raise Refusal if the caller may begin no further game, and there is none of this id."""
        try:
            self._links.quota.check_room()
        except Refusal:
            if self._store.find(game_id) is None:
                raise

    def get(self, game_id: str) -> GameMessage:
        """Return a game as it stands. Raises Refusal if there is none of this id."""
        message = self._message(game_id)
        if message is None:
            raise Refusal("GAME_NOT_FOUND", f"there is no game {game_id!r}", "game_id", given=game_id)
        return message

    def revealed(self, game: GameMessage) -> bool:
        """Return whether all of a game may be seen: it is over, and so is the tournament that it belongs to.

        Other games of the tournament may have been dealt the same.
        """
        if game.status == GameStatus.GAME_STATUS_RUNNING:
            return False
        return not self._store.has_open(game.tournament_id)

    def list(
        self, wanted: WantedGames, limit: int, cursor: int | None, *, oldest_first: bool
    ) -> tuple[list[GameMessage], int | None]:
        """Return a page of games and the cursor of the next one, None if there is none. May be called in any thread."""
        rows = limit if wanted.needs_no_game else MAX_READ
        listings, end = self._store.select(wanted.selection, limit=rows, cursor=cursor, oldest_first=oldest_first)
        games: list[GameMessage] = []
        for index, listing in enumerate(listings):
            if len(games) == limit:
                return games, listings[index - 1].number
            if wanted.fits(game := listed_game(listing)):
                games.append(game)
        return games, end

    async def stop(self, game_id: str, reason: str) -> GameMessage:
        """End a running game without a winner."""
        running = self._running.get(game_id)
        if running is None:
            return self.get(game_id)
        running.stop(reason)
        return await asyncio.shield(running.over)

    @property
    def running_ids(self) -> Collection[str]:
        """Return the ids of the games that are not over."""
        return [game_id for game_id, running in self._running.items() if not running.over.done()]

    def seat_count(self, game_id: str) -> int | None:
        """Return how many players a running game has, with those who are to join it; None if it does not run."""
        running = self._running.get(game_id)
        return running.seat_count if running is not None and not running.over.done() else None

    def join(self, game_id: str, player: Player) -> None:
        """Let a checked player join a running game, behind all others, as soon as the game lets it in."""
        running = self._running[game_id]
        game, secret = find(running.message.plan.game), take_secret(player, "player")
        if secret:
            self._links.secrets.keep(game_id, {player.name: secret})
        opening = asyncio.get_running_loop().create_task(self._links.open(player, game, secret))
        known = self._links.identify(player, game)
        known.link = player.link
        running.join(known, opening)

    def leave(self, game_id: str, seat: int, why: str) -> None:
        """Count the player of a seat as disconnected from now on. A game that is over stays as it is."""
        running = self._running.get(game_id)
        if running is not None:
            running.leave(seat, self._links.gone(why), disconnected(why))

    def come_back(self, game_id: str, seat: int) -> bool:
        """Call the player of a seat again that has left. Return False if it is out, or the game is over."""
        running = self._running.get(game_id)
        return running is not None and running.come_back(seat)

    def resume_all(self) -> None:
        """Go on with the games that the records say are not over, except those of tournaments."""
        for listing in self._store.unfinished():
            if listing.kind == "game" and not listing.parent and listing.record_id not in self._running:
                self._resume_or_log(listing.record_id)

    def _resume_or_log(self, game_id: str) -> None:
        try:
            self._resume(game_id, None)
        except Exception as error:
            self._wait_or_log(game_id, error)

    async def suspend_all(self) -> None:
        """Leave all games where they are, with nothing of them left open."""
        self._closing = True
        for running in list(self._running.values()):
            running.suspend()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def watch(self, game_id: str, after: int) -> AsyncIterator[WatchGameResponse]:
        """Yield the events of a game after the event number `after`; see WatchGame."""
        message = self.get(game_id)
        game = find(message.plan.game)
        running = self._running.get(game_id)
        missed: Iterable[WatchGameResponse] = ()
        if running is None or after:
            missed = replayed(game, self._store.read(game_id), after, ended=self.revealed(message))
        if running is None:
            for event in missed:
                yield event
            return
        async for event in live(game, running, after, missed, single=not message.tournament_id):
            yield event

    # --- from record to game ---

    def _message(self, game_id: str) -> GameMessage | None:
        if (running := self._running.get(game_id)) is not None:
            return running.message
        listing = self._store.find(game_id)
        if listing is None or listing.kind != "game":
            return None
        game = listed_game(listing)
        if game.result.misconducts:
            methods = {method.path: method for method in _methods(game.plan.game)}
            entries = parsed(self._store.read(game_id))
            game.result.CopyFrom(result_with_evidence(game.result, entries, methods))
        return game

    def _start(
        self,
        plan: GamePlan,
        game_id: str,
        tournament_id: str,
        links: Sequence[Link] | None,
        secrets: Mapping[str, str],
    ) -> Running:
        if self._closing:
            raise Refusal("SHUTTING_DOWN", "the server shuts down: ask again when it is back")
        fresh = fresh_game(plan, game_id, tournament_id, self._links)
        journal = self._store.begin(
            "game",
            game_id,
            RecordEntry(game=fresh.header).SerializeToString(),
            game=plan.game,
            parent=tournament_id,
            start_time_ns=fresh.time_ns,
        )
        self._links.secrets.keep(game_id, secrets)
        fresh.machine.transcript.append = journal.append
        return self._run(Running(begun_game(fresh.header), fresh, journal, self._observers), links)

    def _resume(self, game_id: str, links: Sequence[Link] | None) -> Running:
        journal = self._store.reopen(game_id)
        replayer = resume(self._store.read(game_id), journal.append)
        resumed = RecordEntry(resumed=Resumed(time=now(), server_version=__version__))
        journal.append(resumed.SerializeToString())
        begun = begun_game(replayer.header, [newcomer.player for newcomer in replayer.newcomers])
        return self._run(Running(begun, replayer, journal, self._observers), links)

    def _run(self, running: Running, links: Sequence[Link] | None) -> Running:
        self._running[running.message.game_id] = running
        task = asyncio.get_running_loop().create_task(self._see_through(running, links))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return running

    async def _see_through(self, running: Running, links: Sequence[Link] | None) -> None:
        game_id, own = running.message.game_id, list[Link]()
        log_game_begun(running.message)
        for each in self._observers:
            each.game_begun(running.message)
        try:
            if links is None:
                links = own = [*await self._opened(running)]
            running.begin(links)
            await running.over
            self._links.secrets.forget(game_id)
        except Refusal as refusal:
            running.suspend(refusal)
            log.info("game %s is left where it is: %s", game_id, refusal.message)
            if not running.message.tournament_id:  # those of tournaments are the manager's
                self._wait(game_id)
        finally:
            del self._running[game_id]
            log_game_left(running.message)
            for each in self._observers:
                each.game_left(running.message)
            late = await asyncio.gather(*running.openings, return_exceptions=True)
            own += [link for link in late if not isinstance(link, BaseException)]
            await asyncio.gather(*(link.close() for link in own))
            running.released.set()

    async def _opened(self, running: Running) -> Sequence[Link]:
        """Return the links to the players of a game; what is raised meanwhile ends the game, or has it wait."""
        message, secrets = running.message, self._links.secrets
        game, players = find(message.plan.game), message.plan.players
        opening = (self._links.open(each, game, secrets.of(message.game_id, each.name)) for each in players)
        try:
            return await self._links.open_all(opening, running.over, "the game was stopped")
        except Exception as error:
            running.fail(error)
            return ()

    def _wait(self, game_id: str) -> None:
        """Take up a game again later that the machine has stopped."""
        if not self._closing and self._store.failure is None:
            asyncio.get_running_loop().call_later(RETRY_S, self._take_up, game_id)

    def _take_up(self, game_id: str) -> None:
        if not self._closing and game_id not in self._running:
            try:
                if self._store.has_open(game_id):
                    self._resume(game_id, None)
            except Exception as error:
                self._wait_or_log(game_id, error)

    def _wait_or_log(self, game_id: str, error: Exception) -> None:
        """Have a game that cannot go on wait, if the machine is to blame; otherwise only this one is lost to us."""
        if waiting_for(error) is not None:
            self._wait(game_id)
        else:
            log.error("game %s cannot go on: %s", game_id, error, exc_info=not isinstance(error, RecordsError))


def _methods(name: str) -> Sequence[Method]:
    """Return the methods of a game; none if it is not installed any more."""
    try:
        return find(name).methods
    except ValueError:
        return ()

"""The server of a course, with our referee in it: programs dial and sign up, and play a game or a tournament."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.bridge.player import ask
from fairplay.bridge.pool import NAME_LIMIT_S, ProgramError, SignedUp, listen, receive_name
from fairplay.bridge.stream import ClosedError, Connection
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.games.kit.course import Config, Face, Request
from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import Method
from fairplay.player.answering import Answering
from fairplay.player.handlers import CallFailed, Handlers, snake_case
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import duration
from fairplay.server.links.stream import called_services
from fairplay.server.server import Server
from fairplay.v1.connection_pb2 import DialInResponse, Hello, HostedPlayer
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import AgeOrder, SignUpPolicy, TournamentPlan

NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
MAX_NAME_CHARS = 60

STOP_LIMIT_S = 10.0
"""How long the end of an interrupted game may take to be on disk."""

CLOSE_LIMIT_S = 2.0
"""How long a program may take, at the end, to read what it was told."""

Say = Callable[[str], None]
"""Tells whoever watches a sentence."""


class TooFewError(Exception):
    """Too few programs have signed up; one sentence."""


class Played(NamedTuple):
    """How the game or the tournament has ended, by the names with which the programs signed up."""

    winners: Sequence[str]
    failed: Sequence[str]
    """Who was eliminated, in this order."""
    misconducts: Sequence[Misconduct]
    """What they did, by their names in the record."""
    aborted: str
    """Why there is no result; empty: there is one."""
    game: GameMessage | None = None
    """The game; None: it was a tournament."""


class SignUp:
    """Those who have signed up, in this order. Who sends no name in time, or a bad one, is hung up on."""

    def __init__(self, pattern: str, most: int, name_limit_s: float, say: Say, *, newline: bool = True) -> None:
        self.players: list[SignedUp] = []
        self._pattern = pattern
        self._most = most
        self._name_limit_s = name_limit_s
        self._say = say
        self._newline = newline
        self._full = asyncio.Event()
        self._closed = False
        self._naming: dict[asyncio.Task[None], Connection] = {}

    def arrive(self) -> Connection:
        """Return what takes a new connection, and wait for its name."""
        connection = Connection(newline=self._newline)
        task = asyncio.create_task(self._name(connection))
        self._naming[task] = connection
        task.add_done_callback(self._naming.pop)
        return connection

    async def _name(self, connection: Connection) -> None:
        try:
            name = await receive_name(connection, self._pattern, self._name_limit_s)
        except ClosedError:
            self._say("A program closed its connection before it had sent a name.")
        except ProgramError as problem:
            self._say(f"{problem} It is not let in.")
        else:
            if not self._closed:
                self.players.append(SignedUp(name, connection))
                self._say(f"{name} signs up, as number {len(self.players)} of at most {self._most}.")
                if len(self.players) == self._most:
                    self.close()
                    self._full.set()
                return
        connection.close()

    async def wait(self, least: int, periods: int, period_s: float) -> None:
        """Wait until enough have signed up: to the end of a period, or until it is full. Raises TooFewError."""
        for _ in range(periods):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(period_s):
                    await self._full.wait()
            if len(self.players) >= least:
                return
        names = ", ".join(each.name for each in self.players) or "nobody"
        raise TooFewError(f"too few have signed up: {names}, where at least {least} are needed")

    def close(self) -> None:
        """Let nobody sign up any more, and hang up on those that have sent no name."""
        self._closed = True
        for task, connection in self._naming.items():
            if task is not asyncio.current_task() and not task.done():
                task.cancel()
                connection.close()


class SignedUpPlayer:
    """A player whose answers come on the one connection of a program that has signed up."""

    def __init__(self, game: Game, face: Face, signed_up: SignedUp, say: Say) -> None:
        self.game = game.name
        self.name = signed_up.name
        self.signed_up = signed_up
        self._face = face
        self._say = say
        for method in (START, END, *game.methods):
            setattr(self, snake_case(method.name), partial(self._answer, method))

    async def _answer(self, method: Method, message: Any) -> Message:
        """Return the response to a call. Raises CallFailed with what the program did wrong."""
        if method.name not in self._face.names:
            return method.response()
        connection = self.signed_up.connection
        try:
            response = await ask(self._face, self.signed_up, Request(method, message))
        except asyncio.CancelledError:
            rest = f"this much of its answer: {connection.rest}" if connection.rest else "nothing"
            self._say(f"{self.name} was not waited for any longer in {self._face.names[method.name]}; it sent {rest}")
            connection.close()
            raise
        except CallFailed as error:
            self._say(f"{self.name} in {self._face.names[method.name]}: {error.message}")
            connection.close()
            raise
        if method.name == self._face.last:
            connection.close()
        return response


@asynccontextmanager
async def hosted(server: Server, name: str, player: SignedUpPlayer) -> AsyncIterator[None]:
    """Have a player dial in to a server of this process: it can be called by its name."""
    handlers = Handlers(player)

    async def reply(replies: Any) -> None:
        stream.calls.take(replies)

    async def write(frame: DialInResponse) -> None:
        answering.cancel(frame.cancelled)
        answering.answer({0: handlers}, frame.calls)

    answering = Answering(reply)
    hello = Hello(players=[HostedPlayer(name=name, description=handlers.description)])
    stream = server.hub.admit(hello, write, lambda: None)
    try:
        yield
    finally:
        stream.detach(write, left=True)
        await answering.close()


class CourseServer:
    """One run of the course's server: sign-up, then a game or a tournament under `record_id`."""

    def __init__(
        self, server: Server, game: Game, face: Face, config: Config, seed: int, record_id: str, say: Say
    ) -> None:
        self._server = server
        self._game = game
        self._face = face
        self._config = config
        self._seed = seed
        self._record_id = record_id
        self._say = say
        self._state_seats = 0 if config.state is None else game.check_state(config.settings, config.state)
        self._players: dict[str, SignedUpPlayer] = {}
        """By their names in the record, where no two are the same."""

    async def run(
        self,
        host: str,
        port: int,
        pattern: str,
        ready: Callable[[int], None] = lambda port: None,
        *,
        newline: bool = True,
    ) -> Played:
        """Listen on an address, let programs sign up, and play with them.

        `ready` is called with the port. Raises TooFewError, OSError if the address cannot be listened on, and Refusal
        if the game cannot be played.
        """
        config, policy = self._config, self._game.sign_up
        given_s, limit_s = config.wait_s, config.name_limit_s
        period_s = seconds(policy.waiting_period) if given_s is None else given_s
        most = self._state_seats or policy.max_entrant_count
        sign_up = SignUp(pattern, most, NAME_LIMIT_S if limit_s is None else limit_s, self._say, newline=newline)
        await asyncio.to_thread(called_services)  # a welcome names them: let no program wait for the games
        bound, listening = await listen(sign_up.arrive, port, host)
        try:
            try:
                ready(bound)
                periods = policy.period_count if config.periods is None else config.periods
                await sign_up.wait(self._state_seats or policy.min_entrant_count, periods, period_s)
            finally:
                for each in listening:
                    each.close()
                sign_up.close()
            return await self._play(sign_up.players)
        finally:
            await asyncio.gather(*(each.connection.hang_up(CLOSE_LIMIT_S) for each in sign_up.players))

    async def _play(self, signed_up: Sequence[SignedUp]) -> Played:
        if self._game.sign_up.age_order == AgeOrder.AGE_ORDER_REVERSE_SIGN_UP:
            signed_up = signed_up[::-1]
        for each in signed_up:
            name = record_name(each.name, self._players)
            if name != each.name:
                self._say(f"In the record {each.name} is called {name}: no two names may be the same there.")
            self._players[name] = SignedUpPlayer(self._game, self._face, each, self._say)
        async with contextlib.AsyncExitStack() as stack:
            for name, player in self._players.items():
                await stack.enter_async_context(hosted(self._server, name, player))
            following = set[asyncio.Task[None]]()
            try:
                return await (
                    self._play_tournament(following) if self._face.is_tournament else self._play_game(following)
                )
            finally:
                for task in following:
                    task.cancel()
                await asyncio.gather(*following, return_exceptions=True)

    async def _play_game(self, following: set[asyncio.Task[None]]) -> Played:
        referee, game_id = self._server.referee, self._record_id
        plan = GamePlan(game=self._game.name, players=self._entrants(), seed=self._seed, time_control=self._limits())
        plan.settings.CopyFrom(wrap(GameSettings, self._game, self._config.settings))
        if self._config.state is not None:
            plan.initial_state.CopyFrom(wrap(GameState, self._game, self._config.state))
        playing = asyncio.ensure_future(referee.play(plan, game_id))
        await asyncio.sleep(0)
        try:
            if not playing.done():
                following.add(asyncio.create_task(self._follow(game_id)))
            game = await asyncio.shield(playing)
        except asyncio.CancelledError:
            await _briefly(referee.stop(game_id, "interrupted"))
            raise
        winners = [one.name for group in game.result.ranking[:1] for one in group.players]
        return self._played(winners, game.result.misconducts, game.result.aborted, game)

    async def _play_tournament(self, following: set[asyncio.Task[None]]) -> Played:
        manager, tournament_id, count = self._server.manager, self._record_id, len(self._players)
        plan = TournamentPlan(
            game=self._game.name,
            settings=wrap(GameSettings, self._game, self._config.settings),
            sign_up=SignUpPolicy(min_entrant_count=count, max_entrant_count=count, waiting_period=Duration()),
            time_control=self._limits(),
            seed=self._seed,
            entrants=self._entrants(),
        )
        await manager.create(tournament_id, plan)
        try:
            await manager.start(tournament_id)
            async for event in manager.watch(tournament_id):
                if event.game_started:
                    following.add(asyncio.create_task(self._follow(event.game_started)))
        except asyncio.CancelledError:
            await _briefly(manager.cancel(tournament_id, "interrupted"))
            raise
        over = manager.get(tournament_id)
        misconducts = [each.misconduct for each in over.result.failures]
        return self._played(over.result.winners, misconducts, over.reason)

    async def _follow(self, game_id: str) -> None:
        """Hang up on whoever is eliminated in a game: nothing that it sends may count any more."""
        async for event in self._server.referee.watch(game_id, 0):
            if event.HasField("eliminated"):
                self._players[event.eliminated.player].signed_up.connection.close()

    def _entrants(self) -> list[Player]:
        return [Player(name=name, link=f"dial-in:{name}") for name in self._players]

    def _limits(self) -> TimeControl:
        """Return the limits that the course's configuration says; the game's own otherwise."""
        limit_s = self._config.limit_s
        if limit_s is None:
            return TimeControl()
        limit = duration(limit_s)
        return TimeControl(decision_limit=limit, first_decision_limit=limit)

    def _played(
        self,
        winners: Sequence[str],
        misconducts: Sequence[Misconduct],
        aborted: str,
        game: GameMessage | None = None,
    ) -> Played:
        names = {name: player.name for name, player in self._players.items()}
        failed = dict.fromkeys(each.player for each in misconducts)
        return Played([names[each] for each in winners], [names[each] for each in failed], misconducts, aborted, game)


def record_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that records allow and nobody has, also in other letters of case; the name itself if it is one."""
    allowed = NOT_IN_NAMES.sub("-", name)[:MAX_NAME_CHARS].strip(".") or "player"
    lower = {each.lower() for each in taken}
    number, found = 1, allowed
    while found.lower() in lower:
        number += 1
        found = f"{allowed}-{number}"
    return found


async def _briefly(stopping: Awaitable[object]) -> None:
    """Wait a little for the end of what is stopped."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(STOP_LIMIT_S):
            await stopping

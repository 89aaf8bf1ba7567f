"""What cases for servers work with: the server's services, scripted players, and what was sent and came back."""

from __future__ import annotations

import asyncio
import copy
import itertools
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import Body, Case, Failure, NotApplicable, case, failure
from fairplay.conformance.evidence import VARYING, Evidence, readable
from fairplay.conformance.games.trial import Trial
from fairplay.conformance.player.loop import LoopThread
from fairplay.conformance.servers.facts import take_reply, watcher
from fairplay.conformance.servers.facts.calls import check_calls
from fairplay.conformance.servers.facts.known import GAME_OVER, TOURNAMENT_OVER, Facts
from fairplay.conformance.servers.facts.requests import check_error
from fairplay.conformance.servers.players import COMPRESSED, PLAIN_ONLY, Cast, Served, Stream, description, hello
from fairplay.conformance.servers.scenes import NAMES, Expected, Scene, Script, expect, small
from fairplay.games.conformance import Level
from fairplay.games.game import find
from fairplay.player.channels import NO_CREDENTIALS, Credentials, open_channel, reach_server
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.server.net.limits import METHODS
from fairplay.v1 import (
    account_pb2_grpc,
    certification_pb2_grpc,
    lobby_pb2_grpc,
    manager_pb2_grpc,
    record_service_pb2_grpc,
    referee_pb2_grpc,
    rules_pb2,
    rules_pb2_grpc,
    server_pb2_grpc,
)
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import GetTournamentRequest
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.record_pb2 import Record
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    Game,
    GamePlan,
    GetGameRequest,
    PlayGameRequest,
)

Value = TypeVar("Value")
Traced: TypeAlias = tuple[str, Message | str]
"""A title, and a message that was sent or came back, or an error. Most are never shown, so they are no text yet."""
CASE_LIMIT_S = 60.0
RPC_LIMIT_S = 30.0
TIMED = 3
"""So many attempts has what depends on how busy the machine is."""
STANDSTILL_S = 11.0
"""A server that has itself stood still may call players again, with their full time, up to 10 s later."""
HANDSHAKE_S = 30.0
MAX_TRACE = 30
MOST_PAGES = 1_000
SILENCE_S = 7.0
"""How long nothing comes of a method until the server is asked whether that is over for which it waits."""
WAITS_FOR = {
    "PlayGame": "game_id",
    "WatchGame": "game_id",
    "WatchTournament": "tournament_id",
    "GetRecord": "record_id",
}
"""Method -> the field of its request with the id of the game or tournament at whose end it ends."""
QUESTIONS = {method.name for method in rules_pb2.DESCRIPTOR.services_by_name["RulesService"].methods}
BUSY_S = 0.2
"""So long after a server has been too busy for a question it is asked again."""
FULL_NAMES = {name.rpartition(".")[2]: name for name in METHODS}
MOST_BYTES = "most bytes of a reply"
"""Under this name is kept what the last welcome says."""
LATE_CAUSE = "the server does not come to an end"
CAUSES = {
    grpc.StatusCode.DEADLINE_EXCEEDED: LATE_CAUSE,
    grpc.StatusCode.UNAVAILABLE: "the server is gone",
}
"""The cause of what fails with a status, whatever was asked."""
REQUEST = re.compile(r"^The request of call \d+, \w+ to \w+, is wrong: ")
PLAYERS = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")
"""What differs between failures with one cause, as numbers do: which request it is, and which player."""
SMALL_WINDOW = (("grpc.http2.lookahead_bytes", 1_024), ("grpc.http2.bdp_probe", 0))
CHANNEL_OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the server is, and where it reaches players that serve."""

    address: str
    players_host: str = "127.0.0.1"
    credentials: Credentials = NO_CREDENTIALS


@dataclass(slots=True)
class Played:
    """A game that the server played."""

    scene: Scene
    game_id: str
    expected: Expected
    cast: Cast
    game: Game
    trace: list[Traced]


@dataclass(slots=True)
class Stage:
    """Players that are there, and the request for a game between them."""

    scene: Scene
    cast: Cast
    request: PlayGameRequest
    stream: Stream | None = None
    """The connection of the players; None: they serve."""
    names: Sequence[str] = ()
    """The names under which they dialled in."""


class ServerContext:
    """The server under test. Ordinary games are played once, and several cases look at them."""

    def __init__(self, place: Place, loop: LoopThread) -> None:
        self.place = place
        self.trials: list[Trial] = []
        self.description = PlayerDescription(display_name=place.address)
        self.trace: list[Traced] = []
        """What the case sent and what came back."""
        self._loop = loop
        self._mark = secrets.token_hex(4)
        self._count = itertools.count(1)
        self._played: dict[str, Played] = {}
        self.kept: dict[str, Any] = {}
        """What cases keep for each other, by name."""
        self._begun: dict[str, Future[None]] = {}
        self._facts = Facts()
        self._channel = loop.run(self._open_channel())
        self._stubs = _stubs(self._channel)

    async def _open_channel(self, *options: tuple[str, Any]) -> grpc.aio.Channel:
        return open_channel(self.place.address, self.place.credentials, [*CHANNEL_OPTIONS, *options])

    @asynccontextmanager
    async def reading_slowly(self) -> AsyncIterator[ServerContext]:
        """Yield a context of the same server that takes hardly more of a stream than is read of it."""
        other = self.apart()
        other._channel = await self._open_channel(*SMALL_WINDOW)
        other._stubs = _stubs(other._channel)
        try:
            yield other
        finally:
            await other.close()

    async def reach(self) -> None:
        """Wait until the server can be called. Raises NoServerError or ProxyError if it cannot be."""
        await reach_server(self._channel, self.place.address, self.place.credentials)

    def run(self, work: Coroutine[Any, Any, Value], limit_s: float = CASE_LIMIT_S) -> Value:
        """Return what `work` returns. Raises Failure if the server fails or takes too long."""
        self.trace = []
        return self._loop.run(self.traced(work, limit_s))

    async def traced(self, work: Coroutine[Any, Any, Value], limit_s: float = CASE_LIMIT_S) -> Value:
        """Return what `work` returns. Raises Failure, with the end of the trace, if the server fails or is too slow."""
        try:
            async with asyncio.timeout(limit_s):
                return await work
        except grpc.aio.AioRpcError as error:
            asked = self.trace[-1][0].partition("Came from ")[2] if self.trace else ""
            cause = CAUSES.get(error.code()) or VARYING.sub("…", _status(error))
            found = Failure(Evidence(f"{asked or 'The server'} failed with {_status(error)}", cause=cause))
        except TimeoutError:
            found = Failure(Evidence(f"The server did not do this within {limit_s:g} s.", cause=LATE_CAUSE))
        except Failure as failed:
            sentence = REQUEST.sub("", failed.evidence.sentence)
            found = Failure(failed.evidence.with_cause(VARYING.sub("…", PLAYERS.sub("…", sentence))))
        shown = ((title, each if isinstance(each, str) else readable(each)) for title, each in self.trace[-MAX_TRACE:])
        raise Failure(found.evidence.with_sections(*shown))

    def begin(self, case_id: str, work: Callable[[ServerContext], Coroutine[Any, Any, None]]) -> None:
        """Begin a case that mostly waits, beside those that come before it."""
        beside = self.apart()
        self._begun[case_id] = self._loop.begin(beside.traced(work(beside)))

    def has_passed(self, case_id: str) -> bool:
        """Wait for a case that was begun; return whether it was, and is met.

        Raises NotApplicable if it is, and Failure if that is final.
        """
        begun = self._begun.pop(case_id, None)
        try:
            if begun is not None:
                begun.result()
        except Failure as found:
            if found.evidence.final:
                raise
            return False  # it may be so because of what was done beside it
        return begun is not None

    def wait_for_begun(self) -> bool:
        """Wait until nothing is done beside the case any more; return False if nothing was."""
        running = [each for each in self._begun.values() if not each.done()]
        wait(running)
        return bool(running)

    def apart(self) -> ServerContext:
        """Return a context of the same server with a trace of its own, for what is done beside other things."""
        other = copy.copy(self)
        other.trace = []
        return other

    def take_coverage(self) -> None:
        """Return None: nothing is drawn by features."""

    def take_urgent(self) -> Sequence[str]:
        """Return nothing: no case tells of another one."""
        return ()

    def try_again(self, *, settled: bool) -> bool:
        """Return False: no case hands anything on to another."""
        return False

    async def close(self) -> None:
        """Let go of the server."""
        await self._channel.close()

    # --- requests ---

    def new_id(self, word: str = "game") -> str:
        """Return an id that nothing else on the server has."""
        return f"certify-{self._mark}-{next(self._count)}-{word}"

    def new_short_name(self) -> str:
        """Return a name for a user or a table of the lobby that nothing else has: at most 20 characters."""
        return f"c-{self._mark}-{next(self._count)}"

    def _method(self, name: str) -> Any:
        return next(getattr(stub, name) for stub in self._stubs if hasattr(stub, name))

    async def ask(self, name: str, request: Message, limit_s: float = RPC_LIMIT_S, token: str = "") -> Any:
        """Return the reply of a method. Raises AioRpcError if the server answers with an error.

        `token` is that of an account; empty: none is shown. A question about rules is asked again where the server is
        busy with others.
        """
        until_s = time.monotonic() + limit_s
        while True:
            try:
                return await self._ask(name, request, limit_s, token)
            except grpc.aio.AioRpcError as error:
                if name not in QUESTIONS or reason_of(error) != "TOO_MANY_REQUESTS":
                    raise
            if time.monotonic() > until_s:
                raise NotApplicable(f"this server is too busy to answer {name}")
            await asyncio.sleep(BUSY_S)

    async def _ask(self, name: str, request: Message, limit_s: float, token: str) -> Any:
        self.trace.append((f"Sent: {name}", copy.copy(request)))
        shown = (("authorization", f"Bearer {token}"),) if token else ()
        call, sent_s = self._method(name)(request, timeout=limit_s, metadata=shown), time.monotonic()
        try:
            reply: Message = await self._coming(name, request, call)
        except grpc.aio.AioRpcError as error:
            self.trace.append((f"Came from {name}", _status(error)))
            check_error(FULL_NAMES[name], request, error)
            raise
        self.trace.append((f"Came from {name}", reply))
        take_reply(self._facts, name, request, reply, sent_s)
        return reply

    async def stream(self, name: str, request: Message, limit_s: float = RPC_LIMIT_S) -> AsyncIterator[Any]:
        """Yield the messages of a streaming method. Raises AioRpcError if the server answers with an error."""
        self.trace.append((f"Sent: {name}", copy.copy(request)))
        call, sent_s = self._method(name)(request, timeout=limit_s), time.monotonic()
        watching = watcher(self._facts, name, request)
        try:
            while (message := await self._coming(name, request, call.read())) is not grpc.aio.EOF:
                self.trace.append((f"Came from {name}", message))
                watching(message, sent_s)
                yield message
            watching(None, sent_s)
        except grpc.aio.AioRpcError as error:
            self.trace.append((f"Came from {name}", _status(error)))
            check_error(FULL_NAMES[name], request, error)
            raise
        finally:
            call.cancel()

    async def _coming(self, name: str, request: Any, message: Awaitable[Value]) -> Value:
        """Return what comes of a method. Raises Failure if nothing does though what it waits for has long been over."""
        waits_for = getattr(request, WAITS_FOR.get(name, ""), "")
        if not waits_for:
            return await message
        coming, over = asyncio.ensure_future(message), ""
        try:
            while not (await asyncio.wait([coming], timeout=SILENCE_S))[0]:
                if over:
                    raise await self.hung(
                        f"{name} must come to its end when the {over} is over; the server says that it is, and "
                        f"nothing has come for {SILENCE_S:g} s since."
                    )
                over = await self._what_is_over(waits_for)
            return coming.result()
        finally:
            coming.cancel()

    async def hung(self, sentence: str) -> Failure:
        """Return the failure of a server that was silent too long: final, as no load explains it, if it answers now."""
        nothing = GetGameRequest(game_id=self.new_id("nothing"))
        try:
            await self.ask("GetGame", nothing, SILENCE_S)
        except grpc.aio.AioRpcError as error:
            return Failure(Evidence(sentence, final=error.code() is grpc.StatusCode.NOT_FOUND))
        return Failure(Evidence(sentence))

    async def _what_is_over(self, id_: str) -> str:
        """Return what has an id, "game" or "tournament"; empty: it is not over, or the server does not say so."""
        with suppress(grpc.aio.AioRpcError):
            game = (await self.ask("GetGame", GetGameRequest(game_id=id_), SILENCE_S)).game
            return "game" if game.status in GAME_OVER else ""
        with suppress(grpc.aio.AioRpcError):
            shown = (await self.ask("GetTournament", GetTournamentRequest(tournament_id=id_), SILENCE_S)).tournament
            return "tournament" if shown.status in TOURNAMENT_OVER else ""
        return ""

    async def stream_all(self, name: str, request: Message, limit_s: float = RPC_LIMIT_S) -> list[Any]:
        """Return all messages of a streaming method."""
        async with aclosing(self.stream(name, request, limit_s)) as messages:  # type: ignore[type-var]
            return [message async for message in messages]

    async def pages(self, name: str, request: Any) -> AsyncIterator[Any]:
        """Yield the pages of a method, one after the other. Raises Failure if there is no last one."""
        asked = copy.copy(request)
        for _ in range(MOST_PAGES):
            page = await self.ask(name, asked)
            yield page
            if not page.next_page_token:
                return
            asked.page_token = page.next_page_token
        raise failure(
            f"{name} has no last page: {MOST_PAGES:,} pages with a page_size of {request.page_size} have come."
        )

    async def list_all(self, name: str, request: Any, field: str) -> list[Any]:
        """Return what a method lists in a field of its reply, over all pages."""
        return [each async for page in self.pages(name, request) for each in getattr(page, field)]

    async def refused(self, name: str, request: Message, *reasons: str, about: str = "") -> grpc.aio.AioRpcError:
        """Return the error with which a method refuses a request. Raises Failure if it is not one of these reasons.

        It is asked twice: what was refused must not be known to be sound then. `about` says what is wrong with the
        request, e.g. "the seed 2^53".
        """
        await self._refused(name, request, *reasons, about=about)
        return await self._refused(name, request, *reasons, about=f"{about or 'the same request'}, asked for again")

    async def _refused(self, name: str, request: Message, *reasons: str, about: str) -> grpc.aio.AioRpcError:
        wanted = " or ".join(f"{STATUS[reason].name} and {reason}" for reason in reasons)
        due = f"{name}{f' with {about}' if about else ''} must be refused with {wanted}"
        method = self._method(name)
        try:
            if isinstance(method, grpc.aio.UnaryStreamMultiCallable):
                await self.stream_all(name, request)
            else:
                await self.ask(name, request)
        except grpc.aio.AioRpcError as error:
            reason = reason_of(error)
            if reason not in reasons or error.code() is not STATUS[reason]:
                raise failure(f"{due}; it failed with {_status(error)}") from None
            return error
        except Failure as found:  # what came is wrong in itself
            raise Failure(replace(found.evidence, sentence=f"{due}. {found.evidence.sentence}")) from None
        raise failure(f"{due}; it was granted.")

    async def call_raw(self, path: str) -> grpc.StatusCode:
        """Return the status with which the server ends a call of any method with an empty request."""
        call = self._channel.unary_unary(path)(b"", timeout=RPC_LIMIT_S)
        code: grpc.StatusCode = await call.code()
        return code

    async def call_without_request(self, path: str, within_s: float) -> tuple[grpc.StatusCode | None, str]:
        """Return how the server ends a call in which nothing comes, by status and reason; None: it does not."""

        async def nothing() -> AsyncIterator[bytes]:
            await asyncio.sleep(2 * within_s)
            yield b""

        call = self._channel.stream_unary(path)(nothing())
        try:
            async with asyncio.timeout(within_s):
                await call
        except TimeoutError:
            return None, ""
        except grpc.aio.AioRpcError as error:
            return error.code(), reason_of(error)
        finally:
            call.cancel()
        return grpc.StatusCode.OK, ""

    # --- players and games ---

    def open_stream(
        self,
        cast: Cast,
        seats: Sequence[int] = (),
        *,
        compression: grpc.Compression = grpc.Compression.NoCompression,
        deadline_s: float | None = None,
    ) -> Stream:
        """Return a connection of its own for players, which has said nothing yet. It compresses what it sends."""
        options = [*CHANNEL_OPTIONS, ("grpc.default_compression_algorithm", compression.value)]
        options += PLAIN_ONLY if compression is grpc.Compression.NoCompression else ()
        return Stream(open_channel(self.place.address, self.place.credentials, options), cast, seats, deadline_s)

    def new_names(self, count: int) -> list[str]:
        """Return names to dial in with that nobody else has."""
        return [self.new_id("player") for _ in range(count)]

    @asynccontextmanager
    async def dialled_in(
        self,
        cast: Cast,
        names: Sequence[str],
        *,
        token: str = "",
        window_s: float = 0.0,
        resume: bytes = b"",
        seats: Sequence[int] = (),
        deadline_s: float | None = None,
    ) -> AsyncIterator[Stream]:
        """Dial in with players; `resume` is a resume token. Raises Failure if the server does not welcome them.

        `seats` are those of the names; empty: from 0.
        """
        stream = self.open_stream(cast, seats, deadline_s=deadline_s)
        try:
            try:
                async with asyncio.timeout(HANDSHAKE_S):
                    welcomed = await stream.open(hello(cast.game, names, token, window_s, resume))
            except TimeoutError:
                raise await self.hung(
                    f"The server must welcome players that dial in; it did not within {HANDSHAKE_S:g} s."
                ) from None
            if not welcomed:
                raise failure(f"The server did not welcome players that dialled in: {stream.status} {stream.reason}")
            assert stream.welcome is not None
            self.kept[MOST_BYTES] = stream.welcome.max_reply_bytes
            yield stream
            check_calls(self._facts, stream)
        finally:
            await stream.close()

    @asynccontextmanager
    async def staged(self, scene: Scene, *, served: bool = False, window_s: float = 0.0) -> AsyncIterator[Stage]:
        """Make the players of a scene ready, and yield them with the request for their game."""
        cast = Cast(scene.game, scene.actors())
        if served:
            players = Served(cast, self.place.players_host, self.kept.get(MOST_BYTES, 0))
            try:
                yield Stage(scene, cast, self.request(scene, await players.open()))
            finally:
                await players.close()
            return
        names = self.new_names(scene.player_count)
        async with self.dialled_in(cast, names, window_s=window_s) as stream:
            yield Stage(scene, cast, self.request(scene, [f"dial-in:{name}" for name in names]), stream, names)

    def request(self, scene: Scene, links: list[str] | None = None) -> PlayGameRequest:
        """Return the request for the game of a scene; without links, between players that are not there."""
        plan: GamePlan = scene.plan()
        links = links or [f"dial-in:{name}" for name in self.new_names(scene.player_count)]
        plan.players.extend(Player(name=name, link=link) for name, link in zip(scene.names, links, strict=True))
        return PlayGameRequest(game_id=self.new_id(scene.game.name), plan=plan)

    async def play(self, scene: Scene, *, served: bool = False) -> Played:
        """Have the server play a scene."""
        async with self.staged(scene, served=served) as stage:
            reply = await self.ask_for_game("PlayGame", stage.request)
            expected = expect(scene, stage.request.game_id)
            if any(COMPRESSED in each.call_error.message for each in reply.game.result.misconducts):
                raise failure("The server must not compress what it sends to players that serve.")
            if not served and any(each.description != description(scene.game) for each in reply.game.players):
                raise failure("The game must tell of players that have dialled in what their hello says.")
            return Played(scene, stage.request.game_id, expected, stage.cast, reply.game, list(self.trace))

    async def ask_for_game(self, name: str, request: PlayGameRequest | CreateGameRequest) -> Any:
        """Return the reply of a method that begins a game. Raises NotApplicable if the server may lack it, and does."""
        game = request.plan.game
        try:
            return await self.ask(name, request)
        except grpc.aio.AioRpcError as error:
            if reason_of(error) != "UNKNOWN_GAME" or game in GAMES:
                raise
            raise NotApplicable(f"this server does not have {find(game).title}") from None

    async def record(self, record_id: str) -> Record:
        """Return a record. Raises NotApplicable if the server hands out none."""
        record = Record()
        try:
            for part in await self.stream_all("GetRecord", GetRecordRequest(record_id=record_id)):
                record.entries.extend(part.entries)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                raise NotApplicable("this server has no RecordService") from None
            raise
        return record

    async def whole_game(self, game: str) -> Played:
        """Return a whole game of sound players, played once."""
        if game not in self._played:
            self._played[game] = await self.play(ordinary(game))
        self.trace = list(self._played[game].trace)
        return self._played[game]


SETTINGS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("fish", 3, {"rows": 5, "columns": 4, "random_fish": True}),
    ("q", 3, {"copies_per_kind": 1, "hand_size": 4}),
)
"""The games that are played, with how many players and which settings: short ones, with hidden things and without."""
GAMES = tuple(name for name, _, _ in SETTINGS)
OPEN, HIDDEN = GAMES
"""A game in which nothing is hidden, and one with hidden things."""
MORE: tuple[tuple[str, int, dict[str, Any]], ...] = (("bazaar", 3, {}), ("eriantys", 2, {}), ("webset", 3, {}))
"""Games that a server may lack, in the same way."""
TRADING, FORGIVING, RACE = (name for name, _, _ in MORE)
"""A game with two questions a turn, one in which a player may come back, and one whose course depends on the time."""
ALL_GAMES = (*GAMES, TRADING, FORGIVING, RACE)
"""The games that cases of every game are about."""


async def together(doing: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do several things at once. What one of them raises is raised when the others are cancelled, and have ended."""
    tasks = [asyncio.ensure_future(each) for each in doing]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def ordinary(game: str, script: Script | None = None, count: int = 0, seed: int = 1, **values: Any) -> Scene:
    """Return a short scene of a game. `values` are settings beside the usual ones."""
    [(player_count, settings)] = [(many, given) for name, many, given in (*SETTINGS, *MORE) if name == game]
    scene = small(game, count or player_count, seed, **{**settings, **values})
    return scene if script is None else replace(scene, script=script)


def server_case(
    case_id: str,
    *checks: str,
    level: Level = Level.MUST,
    attempts: int = 1,
    rest_s: float = 0.0,
    mostly_waits: bool = False,
    limit_s: float = CASE_LIMIT_S,
) -> Callable[[Callable[[ServerContext], Coroutine[Any, Any, None]]], Case]:
    """Declare a case for servers: the decorated coroutine is its body, as with `case`.

    A case in which fractions of a second decide has more `attempts`, of which one has to pass, with a rest between. One
    that `mostly_waits` is begun before, beside others. What is wrong beside others is tried again alone, unless it is
    final.
    """

    def declare(work: Callable[[ServerContext], Coroutine[Any, Any, None]]) -> Case:
        def body(context: ServerContext) -> None:
            if context.has_passed(case_id):
                return
            left = attempts
            while True:
                try:
                    context.run(work(context), limit_s)
                    return
                except Failure as found:
                    left -= not context.wait_for_begun()
                    if not left or found.evidence.final:
                        raise
                    time.sleep(rest_s)

        body.__doc__ = work.__doc__
        run: Body = body
        begin = (lambda context: context.begin(case_id, work)) if mostly_waits else None
        return case(case_id, *checks, level=level, prepare=begin)(run)

    return declare


def _stubs(channel: grpc.aio.Channel) -> Sequence[Any]:
    return (
        referee_pb2_grpc.RefereeServiceStub(channel),
        manager_pb2_grpc.ManagerServiceStub(channel),
        record_service_pb2_grpc.RecordServiceStub(channel),
        lobby_pb2_grpc.LobbyServiceStub(channel),
        server_pb2_grpc.ServerServiceStub(channel),
        rules_pb2_grpc.RulesServiceStub(channel),
        account_pb2_grpc.AccountServiceStub(channel),
        certification_pb2_grpc.CertificationServiceStub(channel),
    )


@contextmanager
def open_server_context(place: Place) -> Iterator[ServerContext]:
    """Yield a context, and let go of the server at the end.

    Raises NoServerError if no server answers, ProxyError if a proxy on the way to it is of no use.
    """
    loop = LoopThread()
    try:
        context = ServerContext(place, loop)
        try:
            loop.run(context.reach())
            yield context
        finally:
            loop.run(context.close())
    finally:
        loop.close()


def _status(error: grpc.aio.AioRpcError) -> str:
    reason = reason_of(error)
    return f"{error.code().name}{f' and {reason}' if reason else ''}: {error.details()}"

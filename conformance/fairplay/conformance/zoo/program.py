"""A mutant as a program of its own, which serves or dials in by hand, with the defects that only a program has."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import math
import os
import signal
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import psutil
from google.protobuf.message import DecodeError

from fairplay.conformance.zoo.mutants import InvalidRequests, Mutant, Others, ProgramBehaviour, Start
from fairplay.conformance.zoo.player import TOLD_S, WAIT_S, Environment
from fairplay.games.game import Game
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.player.channels import NO_CREDENTIALS, PLAIN, open_channel
from fairplay.player.command import Reach, reach_from
from fairplay.player.dialing import CHANNEL_OPTIONS
from fairplay.player.handlers import Callee, CallFailed, describe, snake_case
from fairplay.player.interrupts import run
from fairplay.player.secrets import SECRET_KEY, SECRET_VARIABLE
from fairplay.player.threads import DaemonThreads
from fairplay.server.game.plans import full_time_control, seconds
from fairplay.server.links.link import duration
from fairplay.v1.connection_pb2 import (
    Call,
    DialInRequest,
    DialInResponse,
    Failure,
    GoodbyeReason,
    Hello,
    HostedPlayer,
    Reply,
)
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub
from fairplay.v1.game_pb2 import TimeControl


class MutantHandlers(Callee):
    """The methods of a mutant. Bytes that a method returns are sent as they are."""

    def __init__(self, game: Game, player: Any, behaviour: ProgramBehaviour, die: Callable[[], None]) -> None:
        self.description = describe(player)
        self._player = player
        self._invalid_requests = behaviour.invalid_requests
        self._die = die
        self._threads = DaemonThreads()
        self._methods = {method.path: method for method in (*PLAYER_METHODS.values(), *game.methods)}

    @property
    def paths(self) -> Sequence[str]:
        """Return the full names of all methods, including those that the player lacks."""
        return list(self._methods)

    async def call(self, path: str, request: bytes, told_s: float = math.inf) -> bytes:
        """Call a method in a thread. Raises CallFailed if it is missing or the request is unreadable.

        `told_s` is the limit of which the player is told.
        """
        method = self._methods.get(path)
        function = None if method is None else getattr(self._player, snake_case(method.name), None)
        if method is None or function is None:
            return self.refuse(grpc.StatusCode.UNIMPLEMENTED, f"this player has no method {path}")
        try:
            asked = method.request.FromString(request)
        except DecodeError:
            return self.refuse(grpc.StatusCode.INVALID_ARGUMENT, f"the request of {path} is unreadable")
        context = copy_context()
        context.run(TOLD_S.set, told_s)
        reply: Any = await asyncio.get_running_loop().run_in_executor(self._threads, context.run, function, asked)
        if isinstance(reply, bytes):
            return reply
        return b"" if reply is None else bytes(reply.SerializeToString())

    def refuse(self, code: grpc.StatusCode, message: str) -> bytes:
        """React to a call that cannot be answered. Raises CallFailed if the player refuses it with an error."""
        if self._invalid_requests is InvalidRequests.DIES:
            self._die()
        if self._invalid_requests is InvalidRequests.ANSWERS:
            return b""
        raise CallFailed(code, message)


PAUSE_S, POLL_S = 0.1, 0.05


async def dial_in(handlers: MutantHandlers, reach: Reach, behaviour: ProgramBehaviour, die: Callable[[], None]) -> None:
    """Dial in and answer calls until the server no longer needs the player, or is away for longer than its patience."""
    assert reach.connect is not None and reach.name is not None
    token = reach.token[: behaviour.token_chars]
    hosted = HostedPlayer(name=reach.name, token=token, description=handlers.description)
    hosted.description.software_version = behaviour.hello_version or hosted.description.software_version
    hello, past = Hello(players=[hosted], resume_window=duration(reach.patience_s)), _Past(set(), [], {})
    loop = asyncio.get_running_loop()
    give_up, insists = loop.time() + reach.patience_s, behaviour.insists
    is_let_in, stays, restarts = not behaviour.insists_at_first, behaviour.stays, False
    async with open_channel(f"{PLAIN}{reach.connect}", NO_CREDENTIALS, CHANNEL_OPTIONS) as channel:
        while loop.time() < give_up:
            stream = _Stream(ConnectionServiceStub(channel).DialIn(), handlers, behaviour, die, past)
            try:
                reason = await stream.run(hello)
                restarts |= behaviour.expects_restarts and reason == GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN
                if not (restarts or _returns(behaviour, reason, stream.methods)):
                    await asyncio.sleep(WAIT_S if stays else 0)
                    return
            except grpc.aio.AioRpcError as error:
                stays |= behaviour.stays_after_errors and stream.was_up
                if behaviour.ends_at(error) and is_let_in:
                    if not insists:
                        return
                    insists -= 1
            behaviour.changes_hello(hello.players[0].description)
            if behaviour.forgets_its_token:
                hello.players[0].token = ""
            if stream.was_up:
                is_let_in = True
                give_up = loop.time() + reach.patience_s
            await asyncio.sleep(PAUSE_S)


def _returns(behaviour: ProgramBehaviour, reason: GoodbyeReason.ValueType, methods: Collection[str]) -> bool:
    """Return whether the program dials in again after a goodbye for this reason."""
    if reason == GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN:
        return behaviour.comes_back
    if reason == GoodbyeReason.GOODBYE_REASON_FINISHED:
        return behaviour.returns_when_finished
    return reason == GoodbyeReason.GOODBYE_REASON_REPLACED and behaviour.returns_when_replaced(methods)


class _Past(NamedTuple):
    """What a program remembers of all its streams."""

    seen: set[int]
    """The ids of all calls that have come."""
    unsent: list[Reply]
    """Replies that the last stream has not taken."""
    answers: dict[int, bytes]
    """The answers to all calls, by the ids of the calls."""


class _Stream:
    """One stream to the server, from hello to goodbye."""

    def __init__(
        self,
        stream: Any,
        handlers: MutantHandlers,
        behaviour: ProgramBehaviour,
        die: Callable[[], None],
        past: _Past,
    ) -> None:
        self._past = past
        self._stream = stream
        self._handlers = handlers
        self._behaviour = behaviour
        self._die = die
        self._tasks: set[asyncio.Task[None]] = set()
        self._received: dict[int, str] = {}
        """The ids of the calls that have come, and the names of their methods."""
        self._answered: set[int] = set()
        self._dropped: set[int] = set()
        """The ids of the calls that it never answers."""
        self._stuck = False
        self._is_over = False
        self._writing = asyncio.Lock()
        self.was_up = False
        """Whether the server has sent anything."""

    @property
    def methods(self) -> Collection[str]:
        """Return the names of the methods that were called."""
        return self._received.values()

    async def run(self, hello: Hello) -> GoodbyeReason.ValueType:
        """Answer calls until the server says goodbye. Raises AioRpcError if the stream is lost."""
        try:
            if self._behaviour.waits_for_headers:
                await self._stream.initial_metadata()
            replies = [Reply(id=1)] if self._behaviour.replies_with_hello else self._past.unsent
            await self._send(DialInRequest(hello=hello, replies=replies))
            self._past.unsent.clear()
            if self._behaviour.repeats_hello and self._past.seen:
                await self._send(DialInRequest(hello=hello))
            while (frame := await self._read()) is not grpc.aio.EOF:
                self.was_up = True
                self._take(frame)
                is_missed = self._behaviour.misses_goodbyes and (frame.cancelled or frame.calls)
                if frame.HasField("goodbye") and not is_missed:
                    reason: GoodbyeReason.ValueType = frame.goodbye.reason
                    return reason
            return GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN
        finally:
            self._is_over = True
            if self._behaviour.keeps_replies:
                await asyncio.gather(*self._tasks)
            for task in self._tasks:
                task.cancel()
            self._stream.cancel()

    async def _read(self) -> Any:
        """Return the next frame, or EOF; end the stream or the program where it has no patience for that."""
        patience_s = min(self._behaviour.patience_s, self._behaviour.silence_s)
        try:
            async with asyncio.timeout(None if math.isinf(patience_s) else patience_s):
                return await self._stream.read()
        except TimeoutError:
            if patience_s == self._behaviour.patience_s:
                self._die()
            return grpc.aio.EOF

    def _take(self, frame: DialInResponse) -> None:
        if frame.cancelled and self._behaviour.dies_when_cancelled:
            self._die()
        if self._behaviour.dies_of(frame, self._answered):
            self._die()
        if self._behaviour.dies_when_cancelled_in in {self._received.get(each) for each in frame.cancelled}:
            self._die()
        self._stuck = self._stuck or (
            self._behaviour.stuck_when_cancelled and not self._received.keys().isdisjoint(frame.cancelled)
        )
        open_calls = [each for each in self._received if each not in self._answered]
        if cancelled := {*open_calls}.intersection(frame.cancelled):
            self._dropped.update(self._behaviour.drops(open_calls))
            for _ in cancelled:
                self._behaviour.when_cancelled()
        calls = frame.calls[:1] if self._behaviour.one_call_a_frame else frame.calls
        for call in calls if not self._stuck else ():
            if self._behaviour.answers_once and call.id in self._past.seen:
                continue
            self._past.seen.add(call.id)
            self._received[call.id] = call.method_name.rpartition("/")[2]
            task = asyncio.ensure_future(self._answer(call, len(self._tasks)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, call: Call, open_count: int) -> None:
        try:
            if self._behaviour.refuses(call, open_count):
                response = self._handlers.refuse(grpc.StatusCode.UNKNOWN, "this player is broken: it refuses this call")
            else:
                told_s = self._behaviour.limit_s(call)
                if not self._behaviour.keeps_answers or call.id not in self._past.answers:
                    answer = await self._handlers.call(call.method_name, call.request, told_s)
                    self._past.answers[call.id] = answer
                response = self._past.answers[call.id]
            reply = Reply(id=call.id, response=response)
        except CallFailed as failed:
            reply = Reply(id=call.id, failure=Failure(code=failed.code.value[0], message=failed.message))
        except Exception as error:
            code = grpc.StatusCode.UNKNOWN.value[0]
            reply = Reply(id=call.id, failure=Failure(code=code, message=f"{type(error).__name__}: {error}"))
        if call.id in self._dropped:
            return
        self._answered.add(call.id)
        if self._is_over and self._behaviour.keeps_replies:
            self._past.unsent.append(reply)
            return
        await self._send(DialInRequest(replies=[reply] * self._behaviour.reply_count))
        if len(self._answered) == self._behaviour.calls_a_stream:
            await self._stream.done_writing()

    async def _send(self, frame: DialInRequest) -> None:
        async with self._writing:
            await self._stream.write(frame)


def run_program(
    mutant: Mutant,
    game: Game,
    strategy: str,
    variables: Mapping[str, str],
    after: int = 0,
    limit_s: float | None = None,
    *,
    serves: bool = False,
) -> int:
    """Run a mutant where the variables that a server gives to its programs say, and return the exit code.

    The program serves if `serves` is set or if it cannot dial in. Raises ValueError if no variable says where.
    """
    behaviour = mutant.behaviour
    if variables.get("FAIRPLAY_CONNECT", "").startswith(NO_WAY.get(behaviour.start, ())):
        return 1
    if behaviour.start is Start.SLEEPS or (behaviour.start is Start.ALONE and _runs_already()):
        time.sleep(WAIT_S)
    if behaviour.start in LOADS_S and not _load(mutant.name, behaviour.start):
        return 1
    if not {"FAIRPLAY_LISTEN", "FAIRPLAY_CONNECT"} & set(variables):
        raise ValueError(f"such players are started by a server: fairplay certify {game.name} exec:COMMAND")
    serves = serves or behaviour.start is Start.ONE_HOST or "FAIRPLAY_CONNECT" not in variables
    reach = reach_from(variables, serves=serves)
    harmless = behaviour.only_served and reach.listen is None
    player = mutant.make(game, strategy, _environment(game, limit_s), after=10**9 if harmless else after)
    run(_play(game, MutantHandlers(game, player, behaviour, _die), reach, mutant))
    return 0


NO_WAY: Mapping[Start, tuple[str, ...]] = {Start.EXITS: ("",), Start.NOT_IPV6: ("[",), Start.NO_NAMES: ("localhost",)}
"""Start -> how the addresses of servers begin with which a program ends at once."""


async def _play(game: Game, handlers: MutantHandlers, reach: Reach, mutant: Mutant) -> None:
    if reach.listen is None:
        await dial_in(handlers, reach, mutant.behaviour, _die)
        return
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((_Served(handlers, mutant.behaviour, os.environ.get(SECRET_VARIABLE, "")),))
    listen = reach.listen
    if mutant.behaviour.start is Start.ONE_HOST:
        listen = f"{HOST}:{listen.rpartition(':')[2]}"
    has_door = mutant.behaviour.others is not Others.SERVED
    port = server.add_insecure_port(f"{HOST}:0" if has_door else listen)
    await server.start()
    try:
        async with _door(listen, port, mutant.behaviour.others) if has_door else contextlib.nullcontext():
            await asyncio.gather(server.wait_for_termination(), _end_alone(mutant.behaviour.alone_s))
    finally:
        await asyncio.shield(server.stop(0))


HOST = "127.0.0.1"
PLACES = 16
"""A program that counts its connections serves so many."""


@contextlib.asynccontextmanager
async def _door(listen: str, port: int, others: Others) -> AsyncIterator[None]:
    """Lead connections from the address HOST:PORT of a program to the port where it serves, not all or not at once."""
    is_counted = others is Others.COUNTED
    places = asyncio.Semaphore(PLACES if is_counted else 1)

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if others is not Others.WAIT and places.locked():
            writer.close()
            return
        await places.acquire()
        try:
            inside = await asyncio.open_connection(HOST, port)
            await asyncio.gather(_pump(reader, inside[1]), _pump(inside[0], writer))
        finally:
            if not is_counted:
                places.release()

    host, _, number = listen.rpartition(":")
    async with await asyncio.start_server(lead, host.strip("[]"), int(number)):
        yield


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Write what is read until there is no more, or nobody takes it."""
    with contextlib.suppress(OSError):
        while data := await reader.read(2**16):
            writer.write(data)
            await writer.drain()
    writer.close()


class _Served(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpcio has no types for it
    """Serves the methods of a mutant to those whom it admits."""

    def __init__(self, handlers: MutantHandlers, behaviour: ProgramBehaviour, secret: str) -> None:
        self._handlers = handlers
        self._behaviour = behaviour
        self._secret = secret

    def service(self, details: Any) -> grpc.RpcMethodHandler | None:
        metadata = details.invocation_metadata or ()
        shown = ",".join(value for key, value in metadata if key == SECRET_KEY)
        answer = self._answer if self._behaviour.admits(details.method, shown, self._secret) else self._refuse
        if not self._behaviour.knows_library(dict(metadata).get("user-agent", "")):
            answer = self._fail
        return grpc.unary_unary_rpc_method_handler(partial(answer, details.method))

    async def _answer(self, path: str, request: bytes, context: Any) -> bytes:
        try:
            told_s = context.time_remaining()
            return await self._handlers.call(path, request, math.inf if told_s is None else told_s)
        except CallFailed as failed:
            await context.abort(failed.code, failed.message)
        except Exception as error:
            await context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}")
        raise AssertionError("abort raises")

    async def _fail(self, _: str, __: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.UNKNOWN, "this player is broken: it does not know this library")
        raise AssertionError("abort raises")

    async def _refuse(self, _: str, __: bytes, context: Any) -> bytes:
        await context.abort(self._behaviour.refuses_strangers_with, "this player wants its secret")
        raise AssertionError("abort raises")


async def _end_alone(alone_s: float) -> None:
    """End the program when somebody has been connected to it, and for so long nobody is."""
    last = math.inf
    while not math.isinf(alone_s):
        if any(each.status == psutil.CONN_ESTABLISHED for each in psutil.Process().net_connections("tcp")):
            last = time.monotonic()
        elif time.monotonic() - last >= alone_s:
            _die()
        await asyncio.sleep(POLL_S)


LOADS_S = {Start.IN_TURN: 10.5, Start.FIRST: 4.0}
"""How long programs load something that start so: two in turn take longer than the usual limit of a start."""


def _load(name: str, start: Start) -> bool:
    """Load something in the place of all processes that one server has started, and return whether that was to be had.

    Who is not the first one waits for it, or has to do without.
    """
    folder = Path(tempfile.gettempdir())
    with (folder / f"fairplay-zoo-{name}-{_server_of(psutil.Process()).pid}").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (fcntl.LOCK_NB if start is Start.FIRST else 0))
        except BlockingIOError:
            return False
        time.sleep(LOADS_S[start])
    return True


def _runs_already() -> bool:
    """Return whether the server that has started this program has started it before, and that process still runs."""
    own = psutil.Process()
    server = _server_of(own)
    return any(
        other.pid != own.pid and other.cmdline() == own.cmdline() and other.create_time() < own.create_time()
        for other in server.children(recursive=True)
    )


def _server_of(program: psutil.Process) -> psutil.Process:
    """Return the process that has started a program, under a guard, and maybe by a shell."""
    return [each for each in program.parents() if each.name() != "sh"][1]


def _environment(game: Game, limit_s: float | None) -> Environment:
    """Return the limits of a game, or `limit_s` for all decisions if it is given."""
    control = full_time_control(game, TimeControl())
    decision_s, first_decision_s = seconds(control.decision_limit), seconds(control.first_decision_limit)
    return Environment(limit_s or decision_s, limit_s or first_decision_s, _die, threading.Event.wait)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)

"""Whether programs that dial in, are lost, come back and take each other over are told and called as they must be."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

import grpc

from fairplay.conformance.case import Failure, failure
from fairplay.conformance.servers.cases.connection import (
    CLOSED,
    END_LIMIT_S,
    FRAME_REPLIES,
    STRAY,
    check_ended,
    check_replaced,
)
from fairplay.conformance.servers.cases.tournaments import make_request
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import HANDSHAKE_S, OPEN, ServerContext, ordinary, server_case, together
from fairplay.conformance.servers.players import Cast, Received, Stream, hello
from fairplay.conformance.servers.scenes import Act, Asked, Manner, control
from fairplay.conformance.servers.stream_walk import (
    ALONE,
    AMONG_STRAYS,
    DOUBLED,
    FREEING,
    TOGETHER,
    TWICE,
    WRONGS,
    Kind,
    Person,
    Program,
    Step,
    Walk,
    Window,
)
from fairplay.server.net.errors import STATUS
from fairplay.v1 import connection_pb2
from fairplay.v1.connection_pb2 import DialInRequest, Hello, Reply
from fairplay.v1.manager_pb2 import CancelTournamentRequest
from fairplay.v1.misconduct_pb2 import CallErrorReason
from fairplay.v1.referee_pb2 import GameStatus, PlayGameRequest, StopGameRequest

WALKS, STEPS = 4, 60
WALK_S = 30.0
"""A walk ends after so long: a server that stood still on a busy machine waits longer for those who are lost."""
GAMES = 2
"""So many games has a player that has any."""
LASTING_S = 120.0
"""No call is out of time in a walk."""
PAUSE_S = 0.005
AGAIN_S = 0.1
UNKNOWN_TOKEN = b"a token of nobody"


class _Game(NamedTuple):
    """A game of a player of a walk against the partner, and its end, for which somebody waits."""

    request: PlayGameRequest
    playing: asyncio.Future[Any]


class _Programs:
    """The programs of a walk on the server under test, and the games and tournaments that their players are in."""

    def __init__(self, context: ServerContext, people: Sequence[Person]) -> None:
        self._context = context
        limits = control(LASTING_S, LASTING_S, LASTING_S, bank_s=LASTING_S)
        scene = replace(ordinary(OPEN, _hold, count=2), control=limits)
        actor, partner = scene.actors()[0], ordinary(OPEN, count=2).actors()[1]
        self._scene = scene
        self._cast = Cast(scene.game, [actor] * len(people))
        self.partners = Cast(scene.game, [partner])
        self._people = people
        *names, self.partner = context.new_names(len(people) + 1)
        self._names = dict(zip(people, names, strict=True))
        self._streams: dict[Program, Stream] = {}
        self._lost_s: dict[Program, float] = {}
        """When the loss of a stream began."""
        self._games: dict[Person, list[_Game]] = {}
        self._open: dict[Person, dict[str, Received]] = {}
        """The open calls of each player, by the ids of its games."""
        self._cups: dict[Person, str] = {}
        self._done: list[str] = []

    async def walk(self, steps: Iterable[Step]) -> None:
        """Take steps, as long as it is known what must come of them. Raises Failure if something else does."""
        until_s = time.monotonic() + WALK_S
        try:
            for step in steps:
                self._done.append(f"{len(self._done) + 1}. {step.what}")
                if time.monotonic() > until_s or self._is_late(step, 0.5) or self._is_kept(step):
                    return
                if not await self._take(step):
                    return
                for program in step.up:
                    if (stream := self._streams[program]).ended.is_set():
                        raise failure(
                            f"After {step.what} another stream has ended with {stream.status} and "
                            f"{stream.reason or 'no reason'}; nothing was done to it."
                        )
            for person in [*self._games]:
                await self._stop(person)
            self._check_calls()
        except Failure as found:
            raise Failure(found.evidence.with_sections(("What was done", "\n".join(self._done)))) from None

    async def close(self) -> None:
        """Let go of all streams, games and tournaments."""
        for game in itertools.chain.from_iterable(self._games.values()):
            game.playing.cancel()
            await self._context.ask("StopGame", StopGameRequest(game_id=game.request.game_id))
        for cup in self._cups.values():
            await self._context.ask("CancelTournament", CancelTournamentRequest(tournament_id=cup))
        await asyncio.gather(*(stream.close() for stream in self._streams.values()))

    def _is_late(self, step: Step, share: float) -> bool:
        """Return whether a hello comes after such a share of a window whose end it changes."""
        until_s = min((self._lost_s[each] + share * each.window.value for each in step.closing), default=math.inf)
        return step.kind is Kind.HELLO and time.monotonic() > until_s

    def _is_kept(self, step: Step) -> bool:
        """Return whether a hello shows the resume token of a stream that is over, and another one has the same."""
        others = {self._token(each) for each in step.up if each not in (step.program, step.resume)}
        return step.resume is not None and self._token(step.resume) in others

    def _token(self, program: Program) -> bytes:
        welcome = self._streams[program].welcome
        return welcome.resume_token if welcome is not None else b""

    async def _take(self, step: Step) -> bool:
        """Take a step, and check what comes of it. Return False if it took so long that nobody can say what must."""
        begun_s = time.monotonic()
        self._lost_s.update((each, begun_s) for each in step.replaced)
        stream = self._streams.get(step.program) if step.program is not None else None
        match step.kind:
            case Kind.HELLO:
                await self._hello(step)
                if self._is_late(step, 0.9):
                    return False
            case Kind.MALFORMED:
                await self._malformed(step)
            case Kind.WAIT:
                await asyncio.sleep(0 if step.failing else Window.SHORT.value)
            case Kind.BEGIN:
                await self._begin(step.people[0], stream)
            case Kind.STOP:
                await self._stop(step.people[0], stream if step.program in step.up else None)
            case Kind.ENTER:
                links = [f"dial-in:{name}" for name in (self._names[step.people[0]], self.partner)]
                request = make_request(self._context, links)
                await self._context.ask("CreateTournament", request)
                self._cups[step.people[0]] = request.tournament_id
            case Kind.CANCEL:
                cup = CancelTournamentRequest(tournament_id=self._cups.pop(step.people[0]))
                await self._context.ask("CancelTournament", cup)
            case _:
                assert stream is not None and step.program is not None
                self._lost_s[step.program] = begun_s
                await self._on_stream(step, stream)
        for person in step.failing:
            await self._fail(person, step)
        return True

    # --- hellos ---

    async def _hello(self, step: Step) -> None:
        assert step.program is not None
        stream = await self._dial(step.program, step)
        outcome = "admitted" if step.admitted else "refused with ALREADY_EXISTS and NAME_TAKEN"
        due = f"A{step.what[1:]} must be {outcome}"
        ended = f"{due}; its stream ended with {stream.status} and {stream.reason or 'no reason'}."
        if step.admitted is (stream.welcome is None):
            raise failure(f"{due}; it was admitted." if stream.welcome is not None else ended)
        if stream.welcome is None:
            if (stream.status, stream.reason) != (STATUS["NAME_TAKEN"], "NAME_TAKEN"):
                raise failure(ended)
            return
        self._streams[step.program] = stream
        if step.resumed is not None:
            same(f"Whether the welcome to {step.what} says that it was resumed", step.resumed, stream.welcome.resumed)
        self._check_named(step, stream.welcome.open_calls)
        for program in step.replaced:
            await check_replaced(self._context, self._streams[program])
            same("How a stream ended that was replaced", grpc.StatusCode.OK, self._streams[program].status)
        for person in step.people:
            if person in step.again:
                await self._come_again(person, stream, step)
            elif person in self._games:
                await self._is_called(person, stream, "after its hello")

    def _say(self, step: Step, window_s: float) -> Hello:
        said = hello(self._scene.game, [self._names[each] for each in step.people], window_s=window_s)
        for player, token in zip(said.players, step.shown, strict=True):
            player.token = token
        if step.resume is not None:
            said.resume_token = self._token(step.resume)
        elif step.unknown_resume:
            said.resume_token = UNKNOWN_TOKEN
        return said

    async def _malformed(self, step: Step) -> None:
        """Say a hello that would be admitted, but for what is wrong with it."""
        said = self._say(step, 0.0)
        reason = MALFORMED[step.manner](said)
        stream = self._context.open_stream(self._cast)
        try:
            await stream.open(said)
            if (stream.status, stream.reason, stream.welcome) != (STATUS[reason], reason, None):
                raise failure(
                    f"A{step.what[1:]} must be refused with {reason}; its stream ended with {stream.status} "
                    f"and {stream.reason or 'no reason'}."
                )
        finally:
            await stream.close()

    async def _dial(self, program: Program, step: Step) -> Stream:
        """Say hello, and again where a name may not be free yet that was left a moment ago."""
        said = self._say(step, program.window.value)
        until_s = time.monotonic() + END_LIMIT_S
        while True:
            stream = self._context.open_stream(self._cast, [self._people.index(each) for each in step.people])
            async with asyncio.timeout(HANDSHAKE_S):
                welcomed = await stream.open(said)
            if welcomed or not step.admitted or stream.reason != "NAME_TAKEN" or time.monotonic() > until_s:
                return stream
            await stream.close()
            await asyncio.sleep(AGAIN_S)

    def _check_named(self, step: Step, named: Sequence[int]) -> None:
        due = {call.call_id for each in step.again for call in self._open[each].values()}
        wrong = {*named} & {each.call_id for each in self._cast.received} - due
        if due - {*named} or wrong or len({*named}) < len(named):
            raise failure(
                f"The welcome must name the open calls of its players, {sorted(due)}; to {step.what} it names "
                f"{sorted(named)}."
            )

    async def _come_again(self, person: Person, stream: Stream, step: Step) -> None:
        for game_id, before in self._open[person].items():
            again = await self._find(
                partial(_call_of, stream, before.call_id),
                f"The open call of {person.letter} must come again after {step.what}",
            )
            what = f"of the open call of {person.letter}, which came again after {step.what},"
            same(f"The player {what}", self._people.index(person), again.seat)
            same(f"The method {what}", before.path, again.path)
            same(f"The request {what}", before.request, again.request)
            same(f"The metadata {what}", before.metadata, again.metadata)
            first_s = next(each.limit_s for each in self._cast.received if each.call_id == before.call_id)
            if not 0 < again.limit_s <= first_s:
                raise failure(f"The time limit {what} was {first_s:g} s; it is {again.limit_s:g} s.")
            self._open[person][game_id] = again

    # --- games ---

    async def _begin(self, person: Person, stream: Stream | None) -> None:
        links = [f"dial-in:{name}" for name in (self._names[person], self.partner)]
        requests = [self._context.request(self._scene, links) for _ in range(GAMES)]
        asked = [(each, self._context.ask("PlayGame", each, LASTING_S)) for each in requests]
        self._games[person] = [_Game(each, asyncio.ensure_future(asking)) for each, asking in asked]
        if stream is not None:
            await self._is_called(person, stream, "at the beginning of its games")

    async def _is_called(self, person: Person, stream: Stream, when: str) -> None:
        """Wait for the first call to a player in each of its games."""
        ids = [each.request.game_id for each in self._games[person]]
        self._open[person] = {each: await self._called(person, stream, each, when) for each in ids}

    async def _called(
        self, person: Person, stream: Stream, game_id: str, when: str, known: Collection[int] = ()
    ) -> Received:
        """Return the call to a player in a game, on its stream, that is none of those that are known."""
        called = await self._find(
            partial(_next_of, stream, game_id, known),
            f"{person.letter} must be called {when}",
        )
        same(f"The player of a call in a game of {person.letter}", self._people.index(person), called.seat)
        return called

    async def _find(self, find: Callable[[], Received | None], due: str) -> Received:
        until_s = time.monotonic() + END_LIMIT_S
        while (found := find()) is None:
            if time.monotonic() > until_s:
                raise await self._context.hung(f"{due}; it was not within {END_LIMIT_S:g} s.")
            await asyncio.sleep(PAUSE_S)
        return found

    async def _stop(self, person: Person, stream: Stream | None = None) -> None:
        """Stop the games of a player, and check that nobody suffers, and that calls on the stream are cancelled."""
        open_calls = self._open.pop(person, {}).values() if stream is not None else ()
        for game in self._games.pop(person):
            stopped = (await self._context.ask("StopGame", StopGameRequest(game_id=game.request.game_id))).game
            await game.playing
            same(f"The status of a game of {person.letter}", GameStatus.GAME_STATUS_ABORTED, stopped.status)
            same(f"Who failed in a game of {person.letter}, which was stopped,", [], [*stopped.result.misconducts])
        for each in open_calls:
            await self._find(
                partial(_cancelled, each),
                f"The open call of {person.letter} must be cancelled when its game is stopped",
            )

    async def _fail(self, person: Person, step: Step) -> None:
        """Check that a player fails in its games, as it is disconnected, and not before its window is over."""
        del self._open[person]
        for game in self._games.pop(person):
            what = f"{person.letter} must fail in its games after {step.what}"
            try:
                async with asyncio.timeout(END_LIMIT_S):
                    result = (await game.playing).game.result
            except TimeoutError:
                raise await self._context.hung(f"{what}; it did not within {END_LIMIT_S:g} s.") from None
            for program in step.closing if step.kind is Kind.WAIT else ():
                kept_s = time.monotonic() - self._lost_s[program]
                if person in program.people and kept_s < program.window.value:
                    raise failure(f"{what}, of {program.window.value:g} s; it did so after {kept_s:.2f} s.")
            blamed = [(each.player, CallErrorReason.Name(each.call_error.reason)) for each in result.misconducts]
            due = [(self._scene.names[0], CallErrorReason.Name(CallErrorReason.CALL_ERROR_REASON_DISCONNECTED))]
            same(f"Who failed in a game of {person.letter}, and why, after {step.what},", due, blamed)

    # --- streams ---

    async def _on_stream(self, step: Step, stream: Stream) -> None:
        match step.kind:
            case Kind.RESET:
                await stream.close()
            case Kind.BREAK:
                await stream.write(DialInRequest(hello=hello(self._scene.game, [self._context.new_id("player")])))
                await check_ended(self._context, stream, "a stream with a second hello")
            case Kind.FLOOD:
                strays = [Reply(id=STRAY + number) for number in range(FRAME_REPLIES)]
                await stream.write(DialInRequest(replies=strays))
                await check_ended(self._context, stream, "a stream with too many stray replies")
            case Kind.LEAVE:
                await stream.leave()
                await check_ended(self._context, stream, CLOSED)
                same("How a stream ends whose caller has closed its side", grpc.StatusCode.OK, stream.status)
            case Kind.INTRUDE:
                refusals = [_refusal(each.call_id) for each in self._open[step.people[0]].values()]
                await stream.write(DialInRequest(replies=refusals))
            case Kind.ANSWER:
                await self._answer(step.people[0], stream, step.manner)

    async def _answer(self, person: Person, stream: Stream, manner: str) -> None:
        """Answer open calls of a player, and wait for what it is called with next."""
        known, open_calls = {each.call_id for each in self._cast.received}, self._open[person]
        answered = [*open_calls.items()] if manner == TOGETHER else [next(iter(open_calls.items()))]
        answers = [Reply(id=call.call_id, response=call.act.data) for _, call in answered if call.act is not None]
        refusal = _refusal(answers[0].id)
        frames = {
            ALONE: [answers],
            TOGETHER: [answers[::-1]],
            DOUBLED: [[*answers, refusal]],
            TWICE: [answers, [refusal]],
            AMONG_STRAYS: [[_refusal(STRAY), *answers, _refusal(STRAY + 1)]],
        }[manner]
        for replies in frames:
            await stream.write(DialInRequest(replies=replies))
        for game_id, _ in answered:
            del open_calls[game_id]
            when = f"when it has answered its call {manner}"
            open_calls[game_id] = await self._called(person, stream, game_id, when, known)

    def _check_calls(self) -> None:
        """Check that each call has come to the player of its game, once on a stream."""
        for stream in self._streams.values():
            ids = [each.call_id for each in stream.calls]
            if len({*ids}) < len(ids):
                raise failure("A call must come once on a stream; one came again.")


def _call_of(stream: Stream, call_id: int) -> Received | None:
    return next((each for each in stream.calls if each.call_id == call_id), None)


def _next_of(stream: Stream, game_id: str, known: Collection[int]) -> Received | None:
    """Return a question in a game that is none of those that are known; None: none has come."""
    calls = (each for each in stream.calls if each.act is not None and each.act.manner is Manner.HANG)
    in_game = (each for each in calls if getattr(each.asked, "game_id", "") == game_id)
    return next((each for each in in_game if each.call_id not in known), None)


def _cancelled(call: Received) -> Received | None:
    return call if call.cancelled_after_s is not None else None


def _twice(said: Hello) -> str:
    said.players.append(said.players[0])
    return "MALFORMED_HELLO"


def _token(said: Hello) -> str:
    said.players[-1].token = "x" * 257
    return "MALFORMED_HELLO"


def _window(said: Hello) -> str:
    said.resume_window.seconds = -1
    return "MALFORMED_HELLO"


def _name(said: Hello) -> str:
    said.players.add(name="a b")
    return "NAME_INVALID"


MALFORMED: Mapping[str, Callable[[Hello], str]] = dict(zip(WRONGS, (_twice, _token, _window, _name), strict=True))
"""What is wrong with a hello -> what makes it so, and returns the reason for which it is refused."""


def _refusal(call_id: int) -> Reply:
    return Reply(id=call_id, failure=connection_pb2.Failure(code=13, message="not the first reply"))


def _hold(asked: Asked) -> Act | None:
    """Leave a question open, with the answer that is given later."""
    return Act(Manner.HANG, asked.sound) if asked.sound else None


@server_case(
    "connection.walk",
    "TOKEN-1",
    "TOKEN-2",
    "TOKEN-3",
    "TOKEN-4",
    "TOKEN-5",
    "TOKEN-6",
    "RESUME-1",
    "RESUME-2",
    "RESUME-3",
    "RESUME-4",
    "RESUME-5",
    "RESUME-6",
    "RESUME-11",
    "DIAL-8",
    "DIAL-9",
    "BYE-1",
    "BYE-2",
    "BYE-9",
    "CALL-5",
    "LATE-1",
    "LATE-3",
    "META-5",
    mostly_waits=True,
)
async def walk_of_programs(context: ServerContext) -> None:
    """Whatever programs do, one thing after the other: who has a name, and which calls come again, follows from it."""
    covered: set[tuple[object, ...]] = set()
    walks = [(walk, walk.steps(STEPS)) for walk in (Walk(Random(seed), covered) for seed in range(WALKS))]
    for end, window in FREEING:
        walk = Walk(Random(WALKS), set())
        walks.append((walk, walk.freeing(end, window)))
    async with contextlib.AsyncExitStack() as stack:
        planned = [(_Programs(context.apart(), walk.people), [*steps]) for walk, steps in walks]
        for programs, _ in planned:
            await stack.enter_async_context(context.dialled_in(programs.partners, [programs.partner]))
            stack.push_async_callback(programs.close)
        await together(programs.walk(steps) for programs, steps in planned)


CASES = (walk_of_programs,)

"""A player whose answers come from programs that speak the protocol of a course."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import Message

from fairplay.bridge.pool import ProgramError, SignedUp, Source
from fairplay.bridge.stream import ClosedError, NotJsonError, UnaskedError, write
from fairplay.games.game import Game
from fairplay.games.kit.course import Face, Request, shown
from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import Method
from fairplay.player.handlers import CallFailed, current_call, snake_case

QUIET_S = 1.0
"""A connection of a tournament that was not called for so long is given to another game before a new one is."""
GROW_S = 0.3
"""How long a game waits for a connection of others before another program is started for it."""
DRAIN_S = 5.0
"""How long the answer to a call that was cancelled is waited for, before the connection is closed."""
PATIENCE, MOST_PATIENCE_S = 0.7, 4.0
"""The share of the time of a call that only tells something for which a program that comes up is waited for, and no
longer than so; then it is told later."""
LATE = 0.2
"""A program that comes up after this share of that time is told later, too: it must have time to answer."""
MOST_GAMES = 48

GameKey: TypeAlias = "tuple[str, int]"
"""A game and a seat in it."""


class Line:
    """A connection in use: one call at a time, of the game that it has heard of last."""

    def __init__(self, signed_up: SignedUp) -> None:
        self.signed_up = signed_up
        self.game: GameKey | None = None
        self.is_told = False
        """Whether it has heard of its game."""
        self.greeted = False
        self.busy = False
        self.used_s = 0.0

    @property
    def is_free(self) -> bool:
        """Return whether a call can be made on it now."""
        return not self.busy and self.signed_up.connection.is_usable

    @property
    def is_quiet(self) -> bool:
        """Return whether its last game is over, as far as anybody can tell."""
        return not self.game or asyncio.get_running_loop().time() - self.used_s > QUIET_S


class CoursePlayer:
    """A player of a game: a method for each method of its service, which asks a program.

    A game has a connection. Where connections last for a tournament, they are used for one game after the other, or for
    several in turns, and a game that comes back to one is announced again. A call that fails closes its connection, and
    so does one that is cancelled, unless its answer comes soon: nothing that comes late can answer another call.
    """

    def __init__(self, game: Game, face: Face, source: Source, name: str, most_games: int = MOST_GAMES) -> None:
        self.game = game.name
        self.name = name
        self._face = face
        self._source = source
        self._most_games = most_games
        self._lines: list[Line] = []
        self._draining = set[asyncio.Task[None]]()
        self._greetings = {each.method for each in face.greeting}
        self._freed = asyncio.Event()
        """Set when a connection has become free, or is gone."""
        for method in (START, END, *game.methods):
            setattr(self, snake_case(method.name), partial(self._answer, method))

    async def _answer(self, method: Method, message: Any) -> Message:
        """Return the response to a call. Raises CallFailed with what the program did wrong."""
        face, request = self._face, Request(method, message)
        is_end = face.is_tournament and method.name == face.last
        if method.name not in face.names or (is_end and not self._can_part()):
            return method.response()
        try:
            face.write_call(request, self.name)
        except ValueError as problem:
            raise CallFailed(grpc.StatusCode.FAILED_PRECONDITION, f"{problem}") from None
        key = (message.game_id, message.seat) if "game_id" in message.DESCRIPTOR.fields_by_name else None
        line = next((each for each in self._lines if key and each.game == key and not each.busy), None)
        before = () if line is not None and line.is_told else face.before(method, message)
        if before is None:
            return method.response()
        if line is None:
            line = await self._claim_line(method, key)
            if line is None:
                return method.response()
        told = [*([] if line.greeted or method in self._greetings else face.greeting), *before]
        line.game, line.busy, line.is_told, line.greeted = key, True, True, True
        try:
            for each in told:
                await self._ask(line, each)
            response = await self._ask(line, request)
        except asyncio.CancelledError:
            self._say_late(line, request)
            if face.is_tournament:
                line.game = None
                self._draining.add(task := asyncio.create_task(self._drain(line)))
                task.add_done_callback(self._draining.discard)
            else:
                self._close(line)
            raise
        except BaseException:
            self._close(line)
            raise
        line.busy, line.used_s = False, asyncio.get_running_loop().time()
        self._freed.set()
        if method.name == face.last:
            self._close(line)
        return response

    async def _claim_line(self, method: Method, key: GameKey | None) -> Line | None:
        """Return a connection for a game that has none; None if what the call tells is not told now.

        A program that comes up late is told with the first decision, and has that time to come up and to answer.
        """
        if method in self._greetings and not self._source.is_ready and any(each.is_free for each in self._lines):
            return None  # each connection has heard it already, and a program may be slow to come up
        loop, limit_s = asyncio.get_running_loop(), current_call().limit_s
        if method.asks:
            limit_s = None
        began_s = loop.time()
        try:
            async with asyncio.timeout(None if limit_s is None else min(PATIENCE * limit_s, MOST_PATIENCE_S)):
                line = await self._find_line(fresh=method in self._greetings)
        except TimeoutError:
            return None
        line.game, line.is_told, line.used_s = key, False, loop.time()
        if limit_s is None or line.used_s - began_s <= LATE * limit_s:
            return line
        line.busy = False
        self._freed.set()
        return None

    def _can_part(self) -> bool:
        """Return whether a program can be told that its tournament is over, after which it is called no more.

        One that has not played need not hear it. One whose place no other can take yet goes on playing: the next game
        may come at once, and must not wait for a program that is slow to come up.
        """
        return bool(self._lines) and (self._source.is_ready or not self._source.is_coming)

    async def _drain(self, line: Line) -> None:
        """Wait for the answer to a call that was cancelled: then the next game can have the connection."""
        try:
            async with asyncio.timeout(DRAIN_S):
                await line.signed_up.connection.receive()
        except (TimeoutError, NotJsonError, ClosedError):
            self._close(line)
        else:
            line.busy = False
            self._freed.set()

    async def _find_line(self, *, fresh: bool) -> Line:
        """Return a connection for a game that has none; in a tournament perhaps one that other games use, too."""
        if fresh or not self._face.is_tournament:
            return await self._new_line()
        loop, coming = asyncio.get_running_loop(), None
        grow_s = loop.time() + GROW_S
        try:
            while True:
                for closed in [line for line in self._lines if not line.busy and not line.is_free]:
                    self._close(closed)
                free = sorted((line for line in self._lines if line.is_free), key=lambda line: line.used_s)
                if free and (not self._source.is_ready or free[0].is_quiet):
                    return free[0]
                left_s: float | None = None if coming else grow_s - loop.time()
                if left_s is not None and (left_s <= 0 or not self._lines or self._source.is_ready):
                    coming, left_s = asyncio.create_task(self._new_line()), None
                self._freed.clear()
                freed = asyncio.create_task(self._freed.wait())
                waited = {freed, coming} if coming else {freed}
                await asyncio.wait(waited, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
                freed.cancel()
                if coming is None or not coming.done():
                    continue
                if coming.exception() is None or not self._lines:
                    claimed, coming = coming, None
                    return claimed.result()
                await self._freed.wait()
        finally:
            if coming is not None:
                coming.cancel()
                coming.add_done_callback(self._free_unclaimed)

    def _free_unclaimed(self, coming: asyncio.Task[Line]) -> None:
        """Let games have a connection that came when its game had found another one."""
        if not coming.cancelled() and coming.exception() is None:
            coming.result().busy = False
            self._freed.set()

    async def _new_line(self) -> Line:
        """Return a new connection, which nobody else gets until it has been called. Raises CallFailed if none comes."""
        idle = sorted((line for line in self._lines if not line.busy), key=lambda line: line.used_s)
        for line in idle[: max(0, len(self._lines) + 1 - self._most_games)]:
            self._close(line)
        try:
            line = Line(await self._source.take())
        except ProgramError as error:
            raise CallFailed(grpc.StatusCode.UNKNOWN, str(error)) from None
        line.busy = True
        self._lines.append(line)
        return line

    async def _ask(self, line: Line, request: Request) -> Message:
        """Make a call, and return the response. Raises CallFailed with what the program did wrong."""
        try:
            return await ask(self._face, line.signed_up, request)
        except CallFailed as error:
            note(f"{self._face.names[request.method.name]}: {error.message}")
            raise

    def _say_late(self, line: Line, request: Request) -> None:
        rest = line.signed_up.connection.rest
        came = f"of its answer had come: {rest}" if rest else "nothing had come"
        note(
            f"{self._face.names[request.method.name]}: The program had not answered when the call was cancelled; {came}"
        )

    def _close(self, line: Line) -> None:
        line.signed_up.connection.close()
        if line in self._lines:
            self._lines.remove(line)
            self._freed.set()

    def close(self) -> None:
        """Close all connections."""
        for task in self._draining:
            task.cancel()
        for line in list(self._lines):
            self._close(line)


async def ask(face: Face, signed_up: SignedUp, request: Request) -> Message:
    """Make a call on a connection, and return the response. Raises CallFailed with what the program did wrong."""
    try:
        value = await signed_up.connection.ask(face.write_call(request, signed_up.name))
    except NotJsonError as error:
        verb = "sent" if isinstance(error, UnaskedError) else "answered"
        raise failed(f"The program {verb} {error}.") from None
    except ClosedError:
        raise failed(await signed_up.explain_close()) from None
    try:
        return face.read_answer(request, value)
    except ValueError as problem:
        raise failed(f"The program answered {shown(write(value))}: {problem}.") from None


def failed(sentence: str) -> CallFailed:
    """Return what fails a call with a sentence about the program."""
    return CallFailed(grpc.StatusCode.UNKNOWN, sentence)


def note(sentence: str) -> None:
    """Write to standard error, which is kept with the game."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()

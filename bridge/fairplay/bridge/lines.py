"""A player whose answers come from a program that reads calls from its standard input and writes answers, as JSON.

    {"game_id": "g1", "method": "TakeTurn", "limit_ms": 1000, "request": {...}}
    {"response": {...}}        or {"failure": {"message": "..."}}

Each is one line. Messages have protobuf's form in JSON, with the names of the protos, values of enums by name, all
numbers as numbers, and fields that are zero. One call is open at a time, and one process answers for all games. Values
of enums that are not known here are told as unspecified, as what every player must take them for.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.bridge.player import failed, note
from fairplay.bridge.stream import Decoder, NotJsonError, text_of, write
from fairplay.games.game import Game
from fairplay.games.kit.course import shown
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.kit.testdata import Json, read_message, write_message
from fairplay.games.steps import Method
from fairplay.player.handlers import CallFailed, current_call, snake_case
from fairplay.sandbox.limits import NO_LIMITS
from fairplay.server.links.program import Program
from fairplay.v1.player_pb2 import DescribeRequest

NO_LIMIT_S = 3_600.0
"""How long a call may take whose limit is not known."""
FLUSH_S = 1.0
"""How long a program that is late may take to end once its input has ended: it may write what it had not flushed."""
NEWLINE_SHARE = 0.9
"""The share of its limit after which an answer is refused that only lacks its newline, and none is remarked on."""
DESCRIBE_S, PROBE_S = 2.0, 3.0
"""After so long without an answer to the first call, a second program is asked; so long, and then its input ends."""
CHUNK_BYTES = 65_536
_WHOLE = {FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64}
_NUMBERS = _WHOLE | {FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32}
_LEAST = {FieldDescriptor.CPPTYPE_UINT32: 0, FieldDescriptor.CPPTYPE_UINT64: 0}


class _LateError(Exception):
    """The program has not answered in time; one sentence says what had come."""


class _Process:
    """A process of the command, and the call that it answers."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, echo: bool = True) -> None:
        reads, self._writes = os.pipe()
        self._reads, writes = os.pipe()
        try:
            self.program = Program.start(command, environment, NO_LIMITS, stdin=reads, stdout=writes, echo=echo)
        except BaseException:
            os.close(self._writes)
            os.close(self._reads)
            raise
        finally:
            os.close(reads)
            os.close(writes)
        os.set_blocking(self._writes, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._reads, self._read)
        self._came = bytearray()
        self._unsent = b""
        self._echo = echo
        self._changed = asyncio.Event()
        self._ended = False

    def _read(self) -> None:
        chunk = os.read(self._reads, CHUNK_BYTES)
        self._came += chunk
        if not chunk:
            self._loop.remove_reader(self._reads)
            self._ended = True
        self._changed.set()

    def _send(self, data: bytes = b"") -> None:
        self._unsent += data
        try:
            self._unsent = self._unsent[os.write(self._writes, self._unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._unsent = b""
        self._loop.remove_writer(self._writes)
        if self._unsent:
            self._loop.add_writer(self._writes, self._send)

    async def ask(self, call: Json, limit_s: float) -> bytes:
        """Write a call and return the line that answers it, without its end.

        Raises CallFailed if something else came or the program has ended, _LateError if nothing came in time.
        """
        if self._came:
            raise failed(f"The program wrote {text_of(self._came)} when nobody had asked. {_ONLY}")
        self._send(write(call).encode() + b"\n")
        started_s = self._loop.time()
        is_noted = not self._echo
        while b"\n" not in self._came:
            if self._ended:
                raise failed(await self._explain_end())
            passed_s = self._loop.time() - started_s
            refused = passed_s >= NEWLINE_SHARE * limit_s and _is_value(self._came)
            if refused:
                raise failed(_unended(self._came))
            if passed_s >= NEWLINE_SHARE * limit_s and not self._came and not is_noted:
                is_noted = True  # while the call is open: what is written later is not kept with the failure
                note(f"{call['method']}: the program has not answered yet: {_EACH}")
            if passed_s >= limit_s:
                raise _LateError(await self._explain_late())
            due_s = NEWLINE_SHARE * limit_s if passed_s < NEWLINE_SHARE * limit_s else limit_s
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(started_s + due_s - self._loop.time()):
                    await self._changed.wait()
        line, _, rest = bytes(self._came).partition(b"\n")
        self._came[:] = rest
        return line

    async def _explain_end(self) -> str:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self.program.ended.wait()
        code = self.program.exit_code
        ended = "closed its standard output" if code is None else f"ended with exit code {code}"
        lines = [line.strip() for line in self.program.output.splitlines() if line.strip()]
        if not lines:
            return f"The program {ended} when it was asked: it must read and answer calls until its input ends."
        telling = (line for line in reversed(lines) if "rror" in line or "xception" in line)
        return f"The program {ended} when it was asked. It wrote: {shown(next(telling, lines[-1]))}"

    @property
    def has_written(self) -> bool:
        """Return whether part of an answer has come."""
        return bool(text_of(self._came))

    async def _explain_late(self) -> str:
        """Return a sentence about a program that is late, whose input ends now."""
        before = bytes(self._came)
        self._close_input()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                while not self._ended:
                    self._changed.clear()
                    await self._changed.wait()
        if not before and self._came:
            return (
                f"The program wrote {text_of(self._came)} only when its input ended: answer each line when it comes, "
                "and flush the output after each answer."
            )
        if _is_value(before):
            return _unended(before)
        return f"The program had not answered in time; what had come: {text_of(before) or 'nothing'}."

    def _close_input(self) -> None:
        if self._writes >= 0:
            self._loop.remove_writer(self._writes)
            os.close(self._writes)
            self._writes = -1

    async def end(self) -> None:
        """End the program and everything that it started."""
        self._close_input()
        if self._reads >= 0:
            self._loop.remove_reader(self._reads)
            os.close(self._reads)
            self._reads = -1
        await self.program.end()


class LinesPlayer:
    """A player of a game: a method for each method of its service, which asks a program.

    A program that is late, has ended, or writes what is no answer is started anew for the next call.
    """

    def __init__(self, game: Game, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.game = game.name
        self._game = game
        self.name = os.path.basename(command[0])  # noqa: PTH119 - it may be no path
        self._command = command
        self._environment = environment
        self._process: _Process | None = None
        self._turn = asyncio.Lock()
        self._asking = set[asyncio.Task[Message]]()
        for method in (START, END, *game.methods):
            setattr(self, snake_case(method.name), partial(self._answer, method))

    async def open(self) -> None:
        """Start the program, and wait until it has answered Describe. Raises CallFailed if it answers wrongly."""
        async with self._turn:
            await self._ready()

    async def close(self) -> None:
        """End the program."""
        for task in self._asking:
            task.cancel()
        await asyncio.gather(*self._asking, return_exceptions=True)
        await self._drop()

    async def _answer(self, method: Method, message: Any) -> Message:
        """Return the response to a call. Raises CallFailed with what the program did wrong."""
        limit_s = current_call().limit_s or NO_LIMIT_S
        until_s = asyncio.get_running_loop().time() + limit_s
        # A call that is cancelled is answered all the same, if in time: what comes must not answer another one.
        task = asyncio.create_task(self._ask_in_turn(method, message, until_s))
        self._asking.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Message]) -> None:
        self._asking.discard(task)
        if not task.cancelled():
            task.exception()  # whoever waited for it may have been cancelled

    async def _ask_in_turn(self, method: Method, message: Any, until_s: float) -> Message:
        async with self._turn:
            try:
                process = await self._ready()
                left_s = until_s - asyncio.get_running_loop().time()
                if left_s <= 0:
                    raise failed("The program was busy with other calls, or coming up, all the time.")
                return await self._ask(process, method, message, left_s)
            except CallFailed as error:
                note(f"{method.name}: {error.message}")
                raise

    async def _ready(self) -> _Process:
        """Return a process that has answered Describe."""
        if self._process is not None and not self._process.program.ended.is_set():
            return self._process
        await self._drop()
        try:
            self._process = process = _Process(self._command, self._environment)
        except (OSError, ValueError) as error:
            raise failed(f"The command cannot be started: {error}.") from None
        explaining = asyncio.create_task(self._explain_silence())
        try:
            described: Any = await self._ask(process, DESCRIBE, DescribeRequest(), NO_LIMIT_S)
        finally:
            explaining.cancel()
            await asyncio.gather(explaining, return_exceptions=True)
        self.name = described.description.display_name or self.name
        return process

    async def _explain_silence(self) -> None:
        """Tell the author what may be wrong with a program that does not answer Describe.

        A second one is asked, whose input ends then: ending that of the first would break a program that is only slow.
        """
        await asyncio.sleep(DESCRIBE_S)
        probe = _Process(self._command, self._environment, echo=False)
        try:
            await probe.ask(_write_call(self._game, DESCRIBE, DescribeRequest(), NO_LIMIT_S), PROBE_S)
        except _LateError as error:
            note(str(error) if probe.has_written else f"The program has not answered Describe yet: {_EACH}")
        except CallFailed as error:
            note(error.message)
        finally:
            await probe.end()

    async def _ask(self, process: _Process, method: Method, message: Any, limit_s: float) -> Message:
        """Return the response of a process, which is dropped if it is not known to answer the next call."""
        try:
            line = await process.ask(_write_call(self._game, method, message, limit_s), limit_s)
            value = _read_line(line)
        except _LateError as error:
            await self._drop()
            raise failed(str(error)) from None
        except BaseException:
            await self._drop()
            raise
        try:
            return read_answer(value, method)
        except ValueError as problem:
            raise failed(f"The program answered {text_of(line)}: {problem}.") from None

    async def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()


def _unended(answer: bytes | bytearray) -> str:
    return f"The program answered {text_of(answer)} without a newline behind it: every answer ends with one."


_ONLY = 'Its output holds one line for each call, {"response": {...}}; everything else belongs on standard error.'
_EACH = 'each call has its line, at least {"response": {}}, and the output is flushed after each line.'


def _write_call(game: Game, method: Method, message: Any, limit_s: float) -> Json:
    return {
        "game_id": getattr(message, "game_id", ""),
        "method": method.name,
        "limit_ms": int(limit_s * 1_000),
        "request": to_json(game, message),
    }


def _read_line(line: bytes) -> Json:
    """Return the value of a line. Raises CallFailed if it is none."""
    decoder = Decoder()
    try:
        values = [*decoder.feed(line), *decoder.finish()]
    except NotJsonError:
        values = []
        if line.lstrip().startswith(b"{"):
            raise failed(
                f"The program answered {text_of(line)}, which is no JSON: an answer is one line, and names and texts "
                "stand in double quotes."
            ) from None
    if len(values) != 1 or not isinstance(values[0], dict):
        raise failed(f"The program wrote {text_of(line) or 'an empty line'} in place of an answer. {_ONLY}")
    return values[0]


def read_answer(value: Json, method: Method) -> Message:
    """Return the response in an answer. Raises ValueError if it has another form, CallFailed if it is a failure."""
    match value:
        case {"failure": dict(failure)} if len(value) == 1:
            raise CallFailed(grpc.StatusCode.UNKNOWN, shown(str(failure.get("message", ""))))
        case {"response": dict(response)} if len(value) == 1:
            _check(response, method.response.DESCRIPTOR, "response")
            return read_message(response, method.response, "response")
    raise ValueError('an answer is {"response": {...}} or {"failure": {"message": "..."}}')


def to_json(game: Game, request: Message) -> Json:
    """Return a request as JSON, all its numbers as numbers; protobuf itself writes those of 64 bits as texts.

    A value of an enum that is not known here is unspecified, and left out of lists of choices: those outside the state.
    """
    return _with_names_and_numbers(game, write_message(request), request.DESCRIPTOR)


def _with_names_and_numbers(game: Game, value: Json, kind: Any, *, in_state: bool = False) -> Json:
    in_state = in_state or kind is game.state_type.DESCRIPTOR
    for name, each in value.items():
        field = kind.fields_by_name[name]
        parts = each if isinstance(each, list) else [each]
        if field.message_type is not None and not _has_own_form(field):
            for part in parts:
                _with_names_and_numbers(game, part, field.message_type, in_state=in_state)
        elif field.enum_type is not None:
            kept = [part for part in parts if isinstance(part, str) or in_state or not field.is_repeated]
            names = [part if isinstance(part, str) else field.enum_type.values[0].name for part in kept]
            value[name] = names if isinstance(each, list) else names[0]
        elif field.cpp_type in _WHOLE:
            value[name] = [int(part) for part in parts] if isinstance(each, list) else int(each)
    return value


def _check(value: Json, kind: Any, where: str) -> None:
    """Raise ValueError, with a sentence for beginners, if an object has not the form of a message."""
    for name, each in value.items():
        field = kind.fields_by_name.get(name) or kind.fields_by_camelcase_name.get(name)
        path = f"{where}.{name}"
        if field is None:
            known = ", ".join(field.name for field in kind.fields)
            raise ValueError(f"{path} is not known, {where} has {known or 'no fields'}")
        if each is None or _has_own_form(field):
            continue
        if field.is_repeated and not isinstance(each, list):
            raise ValueError(f"{path} is {write(each)}: it must be a list, [...]")
        for part in each if field.is_repeated else [each]:
            _check_field(part, field, path)


def _has_own_form(field: FieldDescriptor) -> bool:
    """Return whether protobuf writes a message as something else than an object with its fields."""
    kind = field.message_type
    return kind is not None and (kind.full_name.startswith("google.protobuf.") or kind.GetOptions().map_entry)


def _check_field(value: Json, field: FieldDescriptor, where: str) -> None:
    given = f"{where} is {shown(write(value))}"
    if field.message_type is not None:
        if not isinstance(value, dict):
            raise ValueError(f"{given}: it must be an object, {{...}}")
        _check(value, field.message_type, where)
    elif field.enum_type is not None:
        names = [each.name for each in field.enum_type.values]
        if value not in names and (isinstance(value, bool) or not isinstance(value, int)):
            raise ValueError(f"{given}: it must be one of {', '.join(names[1:])}")
    elif field.cpp_type in _NUMBERS:
        if isinstance(value, str):
            raise ValueError(f"{given}: a number stands without quotes")
        whole = value.is_integer() if isinstance(value, float) else type(value) is int
        if not whole:
            raise ValueError(f"{given}: it must be a whole number")
        if value < _LEAST.get(field.cpp_type, value):
            raise ValueError(f"{given}: it must not be negative")


def _is_value(data: bytes | bytearray) -> bool:
    decoder = Decoder()
    try:
        return len([*decoder.feed(bytes(data)), *decoder.finish()]) == 1
    except NotJsonError:
        return False

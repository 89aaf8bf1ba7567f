"""JSON values on a connection, back to back, without a length and without anything between them.

A value may come in many pieces, and two values in one piece; white space between them means nothing.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from typing import Any

from fairplay.games.kit.course import SHOWN_CHARS, shown
from fairplay.games.kit.testdata import Json

MAX_BYTES = 4 * 1024 * 1024
"""How long one value may be; a number, true, false or null, 64 bytes."""
MAX_SCALAR_BYTES = 64

_BLANKS = re.compile(rb"[ \t\r\n]+")
_MARKS = re.compile(rb'["\[\]{}]')
_END_OF_STRING = re.compile(rb'["\\]')
_NUMBER = re.compile(rb"[-+.0-9eE]+")
_WORD = re.compile(rb"[^\s\[\]{}\",:]+")
_LITERALS = {b"t": b"true", b"f": b"false", b"n": b"null"}
_WORDS_OF_PYTHON = {b"True": "true", b"False": "false", b"None": "null"}


class NotJsonError(ValueError):
    """What came is no JSON value; `text` is what came, and the sentence says what is wrong with it."""

    def __init__(self, text: str, problem: str) -> None:
        super().__init__(f"{text}: {problem}" if text else problem)
        self.text = text


class UnaskedError(NotJsonError):
    """A value came for which nobody had asked; `text` is the value."""


class ClosedError(ConnectionError):
    """The other side has closed the connection; one sentence says where."""


class Decoder:
    """Makes values of bytes, as they come.

    An array, an object or a text is complete with the byte that closes it, a number with the byte behind it. What can
    never become a value is an error at once; behind an error nothing more is read.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._looked = 0
        """How much of the data has been looked at for the end of the value."""
        self._depth = 0
        self._in_text = False

    def feed(self, data: bytes) -> list[Json]:
        """Return the values that are complete with these bytes. Raises NotJsonError if there is something else."""
        self._data += data
        return self._values(ended=False)

    def finish(self) -> list[Json]:
        """Return the number that the end of all bytes completes, if there is one.

        Raises NotJsonError if a value is cut, or if what is left is none.
        """
        values = self._values(ended=True)
        if self._data:
            raise NotJsonError(text_of(self._data), "the value is not complete")
        return values

    @property
    def rest(self) -> str:
        """Return the beginning of the value that is not complete; empty if none has begun."""
        return text_of(self._data)

    @property
    def is_at_number(self) -> bool:
        """Return whether the value that is not complete is a number."""
        return _NUMBER.match(self._data) is not None

    def _values(self, *, ended: bool) -> list[Json]:
        values = []
        while (end := self._find_end(ended=ended)) is not None:
            data = bytes(self._data[:end])
            del self._data[:end]
            self._looked = 0
            values.append(_decode(data))
        return values

    def _find_end(self, *, ended: bool) -> int | None:
        """Return where the first value ends; None if it is not complete, or has not begun."""
        data = self._data
        if not self._looked and (blanks := _BLANKS.match(data)):
            del data[: blanks.end()]
        if not data:
            return None
        first = bytes(data[:1])
        if first in b'[{"':
            end = self._find_close()
            if (len(data) if end is None else end) > MAX_BYTES:
                raise NotJsonError(text_of(data), f"the value is longer than {MAX_BYTES:,} bytes")
            return end
        if literal := _LITERALS.get(first):
            if data.startswith(literal):
                return len(literal)
            if literal.startswith(data) and not ended:
                return None
        if found := first in b"-0123456789" and _NUMBER.match(data):
            end = found.end()
            if end > MAX_SCALAR_BYTES:
                raise NotJsonError(text_of(data), f"the number is longer than {MAX_SCALAR_BYTES} bytes")
            if end < len(data) or ended:
                return end
            return None
        raise NotJsonError(text_of(data), _explain(data))

    def _find_close(self) -> int | None:
        """Return where the array, the object or the text ends with which the data begin; None if it has not come."""
        data, at = self._data, self._looked
        while found := (_END_OF_STRING if self._in_text else _MARKS).search(data, at):
            mark, at = found[0], found.end()
            if mark == b"\\":
                if at == len(data):  # what is escaped has not come
                    self._looked = found.start()
                    return None
                at += 1
            elif mark == b'"':
                self._in_text = not self._in_text
            else:
                self._depth += 1 if mark in b"[{" else -1
            if not self._in_text and not self._depth:
                return at
        self._looked = max(len(data), 1)
        return None


def _decode(data: bytes) -> Json:
    """Return the value of bytes whose brackets are closed. Raises NotJsonError if they are none."""
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise NotJsonError(text_of(data), "it is not in UTF-8") from None
    except RecursionError:
        raise NotJsonError(text_of(data), "it is nested too deeply") from None
    except json.JSONDecodeError as error:
        rest = data.decode("utf-8")[error.pos :].encode()
        word = _WORD.match(rest)
        if word and error.msg == "Expecting value" and not rest.startswith((b"'", b"-", b"+", b".")):
            raise NotJsonError(text_of(data), _quotes_needed(word[0])) from None
        raise NotJsonError(text_of(data), f"it is not JSON: {error.msg}, at character {error.pos + 1}") from None
    except ValueError as error:
        raise NotJsonError(text_of(data), f"it is not JSON: {error}") from None


def _refuse(word: str) -> None:
    raise ValueError(f"there is no {word} in JSON")


def _explain(data: bytes | bytearray) -> str:
    """Return what is wrong with bytes with which no value begins."""
    if data.startswith(b"\xef\xbb\xbf"):
        return "it begins with a byte order mark, which JSON has not"
    if data.startswith(b"'"):
        return 'a string needs double quotes, "'
    if data[0] < 0x20:
        return "it begins with a byte that no JSON value begins with; values are sent without their length"
    word = _WORD.match(data)
    if word and data[:1].isalpha():
        begun = (whole for whole in (b"void", *_WORDS_OF_PYTHON) if whole.startswith(word[0]))
        return _quotes_needed(next(begun, word[0]))
    return "no JSON value begins like this"


def _quotes_needed(word: bytes) -> str:
    if written := _WORDS_OF_PYTHON.get(word):
        return f"in JSON it is {written}, as json.dumps writes it"
    return f'a string needs quotes, "{word[:40].decode(errors="replace")}"'


def text_of(data: bytes | bytearray) -> str:
    """Return bytes that came as errors show them."""
    return shown(bytes(data[: 4 * SHOWN_CHARS]).decode("utf-8", errors="replace").rstrip("\r\n"))


class Connection(asyncio.Protocol):
    """A connection on which JSON values go both ways. One task at a time reads from it."""

    def __init__(self, *, newline: bool = True) -> None:
        self._newline = newline
        """Whether each value that is written ends with a newline."""
        self._decoder = Decoder()
        self._values = deque[Json]()
        self._problem: Exception | None = None
        self._came = asyncio.Event()
        self._transport: asyncio.Transport | None = None
        self.closed = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what is written to."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        if self._problem is None:
            self._take(lambda: self._decoder.feed(data))
            if len(self._values) > 1:  # nobody may say so much unasked: let it wait
                assert self._transport is not None
                self._transport.pause_reading()

    def eof_received(self) -> None:
        """Take the end of what comes; the connection is closed."""
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end of the connection."""
        self._end()
        self.closed.set()

    def _end(self) -> None:
        if self._problem is None:
            self._take(self._decoder.finish)
            self._problem = self._problem or ClosedError("the connection was closed")
        self._came.set()

    def _take(self, read: Any) -> None:
        try:
            self._values += read()
        except NotJsonError as error:
            self._problem = error
        self._came.set()

    @property
    def rest(self) -> str:
        """Return the beginning of a value that is not complete; empty if none has begun."""
        return self._decoder.rest

    @property
    def is_usable(self) -> bool:
        """Return whether nothing has come that nobody has read, and the other side has not closed the connection."""
        return not self._values and self._problem is None and not self._decoder.rest

    @property
    def is_closed(self) -> bool:
        """Return whether the other side has closed the connection, and has said nothing before that nobody has read."""
        return not self._values and isinstance(self._problem, ClosedError)

    async def receive(self, *, number_waits: bool = True) -> Json:
        """Return the next value. Raises NotJsonError if it is none, ClosedError if the other side is gone.

        `number_waits`: whether a number is waited for until something behind it says that it is complete.
        """
        while not self._values:
            if self._problem is not None:
                raise self._problem
            if not number_waits and self._decoder.is_at_number:
                return self._decoder.finish()[0]
            self._came.clear()
            await self._came.wait()
        if self._transport is not None:
            self._transport.resume_reading()
        return self._values.popleft()

    async def ask(self, value: Json) -> Json:
        """Write a value and return what is answered, as `receive` does. What came before was not asked for."""
        if self._values:
            raise UnaskedError(shown(write(self._values[0])), "nobody had asked for it")
        self.send(value)
        return await self.receive()

    def send(self, value: Json) -> None:
        """Write a value."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(write(value).encode() + (b"\n" if self._newline else b""))

    def close(self) -> None:
        """Close the connection once what was written is sent: what comes late can answer nothing."""
        if self._transport is not None:
            self._transport.close()

    async def hang_up(self, limit_s: float) -> None:
        """Close the connection and wait until it is closed; cut it off if the other side does not read in time."""
        self.close()
        try:
            async with asyncio.timeout(limit_s):
                await self.closed.wait()
        except TimeoutError:
            assert self._transport is not None
            self._transport.abort()


def write(value: Json) -> str:
    """Return a value as JSON on one line."""
    return json.dumps(value, separators=(",", ":"))

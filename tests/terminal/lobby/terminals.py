"""The program `fairplay lobby` in a terminal of its own: started, driven with keys and looked at."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

LIMIT_S = 60.0
SEQUENCE = re.compile(rb"\x1b\[[0-9;?<>=]*[A-Za-z]")
PROGRAM = [sys.executable, "-c", "from fairplay.terminal import main; main()", "lobby"]
RESTORED = b"\x1b[?1049l"
"""What a terminal is sent when the program gives the screen back."""


class Terminal:
    """The program in a terminal of 80 by 24."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": str(directory)}
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True
        )
        os.close(slave)
        self.raw = b""
        self._looked_at = 0
        self._news = asyncio.Event()
        asyncio.get_running_loop().add_reader(self._master, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # the program has ended
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._master)
        self.raw += data
        self._news.set()

    @property
    def printed(self) -> str:
        """Return what was printed since the last look, without colours and places."""
        return SEQUENCE.sub(b"", self.raw[self._looked_at :]).decode(errors="replace")

    async def _until(self, is_so: Callable[[], bool]) -> None:
        try:
            async with asyncio.timeout(LIMIT_S):
                while not is_so():
                    await self._news.wait()
                    self._news.clear()
        except TimeoutError:
            raise AssertionError(self.printed) from None

    async def sees(self, text: str) -> None:
        await self._until(lambda: text in self.printed)
        self._looked_at = len(self.raw)

    async def printed_more(self) -> None:
        """Wait until something is printed."""
        seen = len(self.raw)
        await self._until(lambda: len(self.raw) > seen)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    async def ended(self) -> int:
        """Wait for the end, and return the exit code."""
        async with asyncio.timeout(LIMIT_S):
            return await asyncio.to_thread(self.process.wait)

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@asynccontextmanager
async def terminal(directory: Path, *arguments: str) -> AsyncIterator[Terminal]:
    made = Terminal(directory, *arguments)
    try:
        yield made
    finally:
        made.close()

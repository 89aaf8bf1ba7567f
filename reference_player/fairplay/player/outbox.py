"""When a frame is written on a stream of calls or replies.

A frame costs about as much as handling ten calls, whatever it holds, so calls per frame decide the speed. What is put
into the outbox leaves at once when it is half of all open calls (and at least 4) or all of them, otherwise after two
more turns of the event loop: long enough for what is due at the same time to join, and no wait at all where nothing
else is due. No frame grows beyond what gRPC takes by default.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from fairplay.v1.connection_pb2 import Call, Reply

Item = TypeVar("Item", Call, Reply)

MIN_FRAME = 4
OPEN_SHARE = 2
FRAME_BYTES = 3 * 1024 * 1024


class Outbox(Generic[Item]):
    """Items waiting for the next frame of one stream.

    `write` sends one frame; it is never called again before it has returned. `open_count` returns how many calls are
    open on the stream. `failed` is called once, with what `write` raised; nothing is written from then on. An outbox in
    which nothing waits is only memory: it has no task.
    """

    __slots__ = ("_byte_count", "_failed", "_items", "_loop", "_nudged", "_open_count", "_timed", "_write", "_writer")

    def __init__(
        self,
        write: Callable[[list[Item]], Awaitable[None]],
        open_count: Callable[[], int],
        failed: Callable[[Exception], None],
    ) -> None:
        self._write: Callable[[list[Item]], Awaitable[None]] = write
        self._open_count = open_count
        self._failed: Callable[[Exception], None] | None = failed
        self._items: list[Item] = []
        self._byte_count = 0
        self._loop = asyncio.get_running_loop()
        self._writer: asyncio.Task[None] | None = None
        self._timed = False
        self._nudged = False

    def put(self, item: Item, byte_count: int) -> None:
        """Add an item of about so many bytes to the next frame."""
        self._items.append(item)
        self._byte_count += byte_count
        if self._writer is None and self._is_worth_a_frame():
            self._start()
        elif not self._timed:
            self._timed = True
            self._loop.call_soon(self._one_more_turn)

    def _is_worth_a_frame(self) -> bool:
        count, open_count = len(self._items), self._open_count()
        return count >= max(MIN_FRAME, open_count // OPEN_SHARE) or count >= open_count

    def nudge(self) -> None:
        """Write a frame soon, even an empty one."""
        self._nudged = True
        self._start()

    def close(self) -> None:
        """Write nothing any more."""
        self._failed = None
        if self._writer is not None:
            self._writer.cancel()

    def _one_more_turn(self) -> None:
        self._loop.call_soon(self._start)

    def _start(self) -> None:
        if self._writer is None and self._failed is not None and (self._items or self._nudged):
            self._writer = self._loop.create_task(self._write_all())

    async def _write_all(self) -> None:
        try:
            while self._items or self._nudged:
                frame = self._frame()
                self._timed = self._nudged = False
                await self._write(frame)
        except Exception as error:
            failed, self._failed = self._failed, None
            if failed is not None:
                failed(error)
        finally:
            self._writer = None

    def _frame(self) -> list[Item]:
        items = self._items
        if self._byte_count <= FRAME_BYTES:
            self._items, self._byte_count = [], 0
            return items
        frame, byte_count = [items[0]], items[0].ByteSize()
        for item in items[1:]:
            byte_count += item.ByteSize()
            if byte_count > FRAME_BYTES:
                break
            frame.append(item)
        self._items = items[len(frame) :]
        self._byte_count = sum(item.ByteSize() for item in self._items)
        return frame

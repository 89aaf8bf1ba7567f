"""When frames are written: what the speed of the protocol rests on."""

from __future__ import annotations

import asyncio

from fairplay.player.outbox import FRAME_BYTES, Outbox
from fairplay.v1.connection_pb2 import Reply


class Wire:
    """A write function that keeps the ids of every frame, and waits in each write while `gate` is not set."""

    def __init__(self, open_count: int = 1_000) -> None:
        self.frames: list[list[int]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.errors: list[Exception] = []
        self.outbox: Outbox[Reply] = Outbox(self._write, lambda: open_count, self.errors.append)

    async def _write(self, replies: list[Reply]) -> None:
        self.frames.append([reply.id for reply in replies])
        await self.gate.wait()

    def put(self, *ids: int) -> None:
        for number in ids:
            self.outbox.put(Reply(id=number), 0)

    async def turns(self, count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)


async def test_frames_are_written_one_after_another_and_grow_while_one_is_written() -> None:
    wire = Wire()
    wire.gate.clear()
    wire.put(1)
    await wire.turns(4)
    wire.put(2)
    await wire.turns(4)
    wire.put(3)
    await wire.turns(4)
    assert wire.frames == [[1]]
    wire.gate.set()
    await wire.turns(4)
    assert wire.frames == [[1], [2, 3]]


async def test_a_frame_is_never_larger_than_grpc_takes() -> None:
    wire = Wire()
    size = FRAME_BYTES // 3
    for number in range(7):
        wire.outbox.put(Reply(id=number, response=b"x" * size), size)
    await wire.turns(8)
    assert [number for frame in wire.frames for number in frame] == list(range(7))
    assert all(len(frame) <= 3 for frame in wire.frames)


async def test_an_item_that_is_larger_than_a_frame_still_goes() -> None:
    wire = Wire()
    wire.outbox.put(Reply(id=1, response=b"x" * (FRAME_BYTES + 1)), FRAME_BYTES + 1)
    wire.put(2)
    await wire.turns(8)
    assert wire.frames == [[1], [2]]


async def test_a_closed_outbox_writes_nothing() -> None:
    wire = Wire()
    wire.put(1)
    wire.outbox.close()
    await wire.turns(4)
    assert wire.frames == []

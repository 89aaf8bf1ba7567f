from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import pytest

from fairplay.server.records.chunks import Item, Trail
from fairplay.server.records.database import Batch
from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.writer import Writer

TRAIL = Trail(1)


def item(number: int, trail: Trail = TRAIL) -> Item:
    return trail, bytes(32), f"{number}".encode()


class Disk:
    """A save function that keeps the batches, and waits while `gate` is closed."""

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        self.busy = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        self.broken = False

    def save(self, batch: Batch) -> None:
        self.busy.set()
        self.gate.wait()
        if self.broken:
            raise OSError("the disk is gone")
        self.batches.append(batch)

    @property
    def entries(self) -> list[bytes]:
        return [entry for batch in self.batches for _, _, entry in batch.items]


class Watch:
    """A clock that stands still until a test sets it."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def read(self) -> float:
        return self.now_s


@contextmanager
def writing(disk: Disk, *, delay_s: float = 0.003, behind_s: float = 0.25) -> Iterator[Writer]:
    writer = Writer(disk.save, 1, delay_s=delay_s, behind_s=behind_s)
    try:
        yield writer
    finally:
        disk.gate.set()
        writer.stop()


def wait(saved: Future[None]) -> None:
    saved.result(timeout=30)


def test_one_who_no_longer_waits_disturbs_nobody() -> None:
    disk = Disk()
    disk.gate.clear()
    with writing(disk) as writer:
        writer.put(item(1))
        gone, here = writer.saved(), writer.saved()
        assert gone.cancel()
        disk.gate.set()
        wait(here)


def test_who_cannot_keep_it_is_behind_and_who_has_lost_it_fails() -> None:
    disk, gate, failed = Disk(), threading.Event(), threading.Event()

    def keep() -> None:
        gate.wait(30)
        raise StoreInUse("another one has it")

    writer = Writer(disk.save, 1, keep=keep, keep_s=0.001)
    writer.failed = failed.set
    while not writer.behind:
        assert writer.failure is None
    gate.set()
    assert failed.wait(30)
    with pytest.raises(RecordsError, match="another one has it"):
        writer.check()
    writer.put(item(1))
    writer.stop()
    assert disk.batches == []


def test_a_writer_without_a_sign_of_life_for_two_intervals_is_behind() -> None:
    disk, watch, gate, tries = Disk(), Watch(), threading.Semaphore(0), threading.Semaphore(0)
    away = threading.Event()

    def keep() -> None:
        tries.release()
        gate.acquire(timeout=30)
        if away.is_set():
            raise RecordsError("it is away")

    writer = Writer(disk.save, 1, keep=keep, keep_s=0.25, now_s=watch.read)
    assert tries.acquire(timeout=30)
    watch.now_s = 100.5
    assert not writer.behind
    watch.now_s = 100.625
    assert writer.behind
    gate.release()
    assert tries.acquire(timeout=30)
    assert not writer.behind, "it was kept in between"
    watch.now_s = 101.25
    away.set()
    gate.release()
    assert tries.acquire(timeout=30)
    assert writer.behind, "nothing was kept since"
    writer.put(item(1))
    saved = writer.saved()
    gate.release()
    wait(saved)
    assert not writer.behind, "what is saved is a sign of life too"
    gate.release(100)
    writer.stop()


def test_a_database_that_is_away_while_nothing_is_written_is_no_failure_but_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk, tried = Disk(), threading.Semaphore(0)

    def keep() -> None:
        tried.release()
        raise RecordsError("it is away")

    writer = Writer(disk.save, 1, keep=keep, keep_s=0.001)
    for _ in range(3):
        assert tried.acquire(timeout=30)
    writer.put(item(1))
    wait(writer.saved())
    writer.stop()
    assert (disk.entries, writer.failure) == ([b"1"], None)
    assert "it is away" in caplog.messages

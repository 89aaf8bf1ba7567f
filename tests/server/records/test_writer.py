from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import pytest

from fairplay.server.records.chunks import Item, Trail
from fairplay.server.records.database import Batch, Listing
from fairplay.server.records.errors import RecordsError, StoreInUse
from fairplay.server.records.writer import Writer

TRAIL = Trail(1)
SPIN = range(10_000)
"""In which a thread that does not wait for anything gets its turn."""

LISTING = Listing(1, "r1", "game", "nim", "", 0, None, b"", b"")


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


def test_items_are_saved_in_order_and_in_few_batches() -> None:
    disk = Disk()
    with writing(disk) as writer:
        for number in range(1000):
            writer.put(item(number))
        wait(writer.saved())
        assert writer.unsaved_count == 0
    assert disk.entries == [f"{number}".encode() for number in range(1000)]
    assert len(disk.batches) < 100
    assert [batch.number for batch in disk.batches] == list(range(1, len(disk.batches) + 1))


def test_nothing_to_save_is_saved_at_once() -> None:
    with writing(Disk()) as writer:
        assert writer.saved().done()
        writer.put(item(1))
        wait(writer.saved())
        assert writer.saved().done()


def test_a_hurry_does_not_wait_for_the_batch_to_grow() -> None:
    with writing(Disk(), delay_s=3600) as writer:
        writer.put(item(1))
        assert not writer.saved().done()
        wait(writer.saved(hurry=True))


def test_a_batch_that_nobody_hurries_or_that_is_large_already_grows_for_its_time() -> None:
    disk = Disk()
    with writing(disk, delay_s=3600) as writer:
        writer.put(item(0))
        wait(writer.saved(hurry=True))
        for number in range(1, 101):
            writer.put(item(number))
            waiting = writer.saved(hurry=True) if number >= 64 else writer.saved()
        for _ in SPIN:
            assert not waiting.done()
        assert writer.unsaved_count == 100
    assert [len(batch.items) for batch in disk.batches] == [1, 100]


def test_what_is_appended_while_the_disk_is_busy_goes_into_the_next_batch() -> None:
    disk = Disk()
    disk.gate.clear()
    with writing(disk) as writer:
        writer.put(item(1))
        disk.busy.wait(30)
        first = writer.saved()
        writer.put(item(2))
        writer.put(item(3))
        later = writer.saved()
        assert writer.unsaved_count == 3
        disk.gate.set()
        wait(later)
        assert first.done()
    assert [len(batch.items) for batch in disk.batches] == [1, 2]


def test_the_items_that_are_not_saved_are_counted_in_every_batch() -> None:
    disk = Disk()
    with writing(disk) as writer:
        for number in range(3):
            writer.put(item(number))
        wait(writer.saved())
        assert writer.unsaved_count == 0
        disk.gate.clear()
        disk.busy.clear()
        writer.put(item(4))
        disk.busy.wait(30)
        writer.put(item(5))
        assert writer.unsaved_count == 2


def test_a_writer_is_behind_while_a_batch_waits_too_long() -> None:
    disk = Disk()
    disk.gate.clear()
    with writing(disk, behind_s=0.001) as writer:
        assert not writer.behind
        writer.put(item(1))
        saved = writer.saved()
        while not writer.behind:
            assert not saved.done()
        disk.gate.set()
        wait(saved)
        assert not writer.behind


def test_a_writer_is_behind_only_beyond_its_time() -> None:
    disk, watch = Disk(), Watch()
    disk.gate.clear()
    writer = Writer(disk.save, 1, now_s=watch.read)
    writer.put(item(1))
    disk.busy.wait(30)
    watch.now_s = 100.25
    assert not writer.behind
    watch.now_s = 100.375
    assert writer.behind
    saved = writer.saved()
    disk.gate.set()
    wait(saved)
    assert not writer.behind
    writer.stop()


def test_an_end_is_saved_when_all_up_to_it_is() -> None:
    disk, trail = Disk(), Trail(7)
    with writing(disk) as writer:
        writer.put(item(1))
        wait(writer.saved())
        disk.gate.clear()
        disk.busy.clear()
        writer.put(item(2))
        disk.busy.wait(30)
        writer.begin(item(3, trail), LISTING)
        end = writer.finish(item(4, trail), LISTING)
        whole = writer.take(trail, [item(5, trail), item(6, trail)], LISTING, LISTING)
        assert not writer.is_saved(end)
        assert not writer.is_saved(whole)
        saved = writer.saved()
        disk.gate.set()
        wait(saved)
        assert writer.is_saved(end)
        assert writer.is_saved(whole)
        assert not writer.is_saved(whole + 1)
    assert [batch.finished for batch in disk.batches] == [[], [], [(trail, LISTING), (trail, LISTING)]]


def test_the_first_and_the_last_item_of_a_record_and_a_whole_one_need_nothing_else_to_be_saved() -> None:
    disk = Disk()
    with writing(disk) as writer:
        writer.begin(item(1), LISTING)
        wait(writer.saved())
        writer.finish(item(2), LISTING)
        wait(writer.saved())
        writer.take(TRAIL, [item(3), item(4)], LISTING, LISTING)
        wait(writer.saved())
    assert disk.entries == [b"1", b"2", b"3", b"4"]
    ended = [(TRAIL, LISTING)]
    assert [(batch.begun, batch.finished) for batch in disk.batches] == [
        ([LISTING], []),
        ([], ended),
        ([LISTING], ended),
    ]


def test_a_record_and_its_row_are_in_one_batch_at_both_ends() -> None:
    disk = Disk()
    with writing(disk) as writer:
        for number in range(300):
            trail = Trail(number)
            writer.begin(item(1, trail), LISTING)
            assert not writer.is_saved(writer.finish(item(2, trail), LISTING) + 1)
        wait(writer.saved())
    for batch in disk.batches:
        assert len(batch.begun) == sum(entry == b"1" for _, _, entry in batch.items)
        assert len(batch.finished) == sum(entry == b"2" for _, _, entry in batch.items)


def test_an_item_is_either_on_disk_or_known_to_be_unsaved() -> None:
    disk = Disk()
    trail, other = Trail(7), Trail(8)
    with writing(disk) as writer:
        writer.put(item(1, trail))
        wait(writer.saved())
        disk.gate.clear()
        disk.busy.clear()
        writer.put(item(2, trail))
        writer.put(item(3, other))
        disk.busy.wait(30)
        writer.put(item(4, trail))
        unsaved = writer.unsaved(trail)
        assert unsaved.chunks == [1]
        assert [entry for _, _, entry in unsaved.items] == [b"2", b"4"]
        disk.gate.set()
        wait(writer.saved())
        assert writer.unsaved(trail).items == []
        assert writer.unsaved(trail).chunks == list(trail.chunks)


def test_after_a_failure_everybody_who_waits_is_told_and_nothing_more_is_written() -> None:
    disk = Disk()
    disk.gate.clear()
    with writing(disk) as writer:
        writer.put(item(1))
        disk.busy.wait(30)
        early = writer.saved()
        writer.put(item(2))
        later = writer.saved()
        disk.broken = True
        disk.gate.set()
        for saved in (early, later, writer.saved()):
            with pytest.raises(RecordsError, match="cannot write records: the disk is gone"):
                wait(saved)
        assert writer.behind
        assert isinstance(writer.failure, RecordsError)
        writer.put(item(3))
        with pytest.raises(RecordsError, match="the disk is gone"):
            wait(writer.saved(hurry=True))
        assert [entry for _, _, entry in writer.unsaved(TRAIL).items][:2] == [b"1", b"2"]
        disk.broken = False
    assert disk.batches == []


def test_one_who_no_longer_waits_disturbs_nobody() -> None:
    disk = Disk()
    disk.gate.clear()
    with writing(disk) as writer:
        writer.put(item(1))
        gone, here = writer.saved(), writer.saved()
        assert gone.cancel()
        disk.gate.set()
        wait(here)


def test_stopping_saves_what_is_left() -> None:
    disk = Disk()
    writer = Writer(disk.save, 1, delay_s=3600)
    for number in range(10):
        writer.put(item(number))
    writer.stop()
    assert len(disk.entries) == 10
    with pytest.raises(RecordsError, match="the store is closed"):
        writer.put(item(11))
    with pytest.raises(RecordsError, match="the store is closed"):
        writer.check()


def test_a_process_ends_although_a_writer_was_not_stopped() -> None:
    with writing(Disk()):
        threads = [thread for thread in threading.enumerate() if thread.name == "fairplay-records"]
        assert threads
        assert all(thread.daemon for thread in threads)


def test_what_is_not_written_to_is_kept() -> None:
    disk, kept = Disk(), threading.Semaphore(0)
    writer = Writer(disk.save, 1, keep=kept.release, keep_s=0.001)
    for _ in range(3):
        assert kept.acquire(timeout=30)
    writer.put(item(1))
    wait(writer.saved())
    assert kept.acquire(timeout=30)
    writer.stop()
    assert disk.entries == [b"1"]


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


def test_a_writer_that_has_nothing_to_write_is_never_behind() -> None:
    with writing(Disk(), delay_s=3600, behind_s=0.0) as writer:
        for number in range(3):
            writer.put(item(number))
            wait(writer.saved(hurry=True))
            for _ in SPIN:  # in which another batch would begin
                assert not writer.behind

"""Records of strangers: whatever was written into them, each command ends, and says what is wrong in a sentence."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from fairplay.client.results import check_record
from fairplay.server.records.chain import chained
from fairplay.server.records.files import load, save
from fairplay.v1.record_pb2 import Record, RecordEntry
from tests.server.strange import change
from tests.terminal.running import Run, done

COMMANDS = (
    "records verify {}",
    "records list {}",
    "records show {}",
    "records replay {}",
    "records export {} -o again.fairplay",
    "records export {} -o tables --format jsonl",
    "standings {} --json",
)


def recorded(fairplay: Run) -> list[Record]:
    """Return the records of a tournament and of its games."""
    done(fairplay("tournament", "fish", "-p", "bot:first", "-p", "bot:greedy", "--seed", "3", "--records", "cup"))
    done(fairplay("records", "export", "cup", "--all", "all"))
    return [load(path) for path in sorted(Path("all").iterdir())]


def changed(record: Record, rng: Random) -> Record:
    """Return a record of which an entry was changed, and whose chain is intact."""
    entries = [linked.entry for linked in record.entries]
    at = rng.choice([0, rng.randrange(len(entries))])
    if rng.random() < 0.7:
        entry = RecordEntry.FromString(entries[at])
        change(entry, rng)
        entries[at] = entry.SerializeToString()
    else:
        data = bytearray(entries[at])
        data[rng.randrange(len(data))] = rng.randrange(256)
        entries[at] = bytes(data)
    return chained(entries)


def test_a_plan_that_would_never_end_is_found(fairplay: Run) -> None:
    record = recorded(fairplay)[-1]
    header = RecordEntry.FromString(record.entries[0].entry)
    assert header.HasField("tournament")
    header.tournament.plan.format.knockout.games_per_match = 2**32 - 1
    save(chained([header.SerializeToString(), *(each.entry for each in record.entries[1:])]), Path("odd.fairplay"))
    ran = fairplay("records", "verify", "odd.fairplay")
    assert ran.code == 1
    assert "entry 1: the tournament cannot be played: " in ran.out


@pytest.mark.parametrize(("seed", "count"), [(1, 60), pytest.param(2, 3_000, marks=pytest.mark.slow)])
def test_whatever_is_changed_in_a_record_is_a_finding_or_harmless(fairplay: Run, seed: int, count: int) -> None:
    records, rng = recorded(fairplay), Random(seed)
    for _ in range(count):
        assert all(isinstance(each, str) for each in check_record(changed(rng.choice(records), rng)))


@pytest.mark.parametrize(("seed", "count"), [(1, 2), pytest.param(2, 100, marks=pytest.mark.slow)])
def test_commands_that_read_records_end_with_a_sentence(fairplay: Run, seed: int, count: int) -> None:
    records, rng = recorded(fairplay), Random(seed)
    for _ in range(count):
        save(changed(rng.choice(records), rng), Path("odd.fairplay"))
        for command in COMMANDS:
            ran = fairplay(*command.format("odd.fairplay").split())
            assert ran.code in (0, 1, 2)
            assert "Traceback" not in ran.err

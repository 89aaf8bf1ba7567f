"""A record as a file of its own: a serialised fairplay.v1.Record, under a name that ends with .fairplay."""

from __future__ import annotations

import os
from pathlib import Path

from google.protobuf.message import DecodeError

from fairplay.server.records.chain import HASH_BYTES
from fairplay.server.records.errors import RecordsError
from fairplay.v1.record_pb2 import LinkedEntry, Record, RecordEntry

SUFFIX = ".fairplay"
MAX_FILE_BYTES = 2**31 - 1
"""Protocol Buffers allow no larger message."""

ENTRY_TAG = 0x0A
"""How each entry of a serialised Record begins: field 1, length-delimited."""


def save(record: Record, path: Path) -> None:
    """Write a record to a file, whole or not at all. Raises RecordsError if the file cannot be written."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(record.SerializeToString())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise RecordsError(f"cannot write {path}: {error.strerror}") from None


def load(path: Path) -> Record:
    """Read a record from a file. Raises RecordsError if it cannot be read, is not a record, or is cut off or damaged.

    `verify` checks that the chain is intact and the game was played by the rules.
    """
    data = _read(path)
    entries, whole = _entries(data)
    if not entries or not _begins(entries[0]):
        raise RecordsError(f"{path} is not a Fairplay record")
    for number, entry in enumerate(entries, start=1):
        if len(entry.chain_hash) != HASH_BYTES:
            raise RecordsError(f"{path} is damaged: entry {number} has no proper hash")
    if not whole:
        raise RecordsError(f"{path} is cut off or damaged after entry {len(entries)}")
    return Record(entries=entries)


def _read(path: Path) -> bytes:
    try:
        check_size(path, path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise RecordsError(f"cannot read {path}: {error.strerror}") from None


def check_size(path: Path, size: int) -> None:
    """Raise RecordsError if a file of so many bytes is too large to be a record."""
    if size > MAX_FILE_BYTES:
        raise RecordsError(f"{path} is too large for a Fairplay record: more than 2 GiB")


def _entries(data: bytes) -> tuple[list[LinkedEntry], bool]:
    """Return the whole entries from the start, and whether the data holds nothing else."""
    entries: list[LinkedEntry] = []
    at = 0
    while at < len(data):
        start, end = _bounds(data, at)
        if data[at] != ENTRY_TAG or end > len(data):
            return entries, False
        try:
            entries.append(LinkedEntry.FromString(data[start:end]))
        except DecodeError:
            return entries, False
        at = end
    return entries, True


def _bounds(data: bytes, at: int) -> tuple[int, int]:
    """Return where the message after the tag at `at` begins and ends; its length is in base 128, lowest digit first."""
    length = shift = 0
    for start in range(at + 1, min(at + 11, len(data))):
        length |= (data[start] & 0x7F) << shift
        shift += 7
        if data[start] < 0x80:
            return start + 1, start + 1 + length
    return len(data), len(data) + 1


def _begins(entry: LinkedEntry) -> bool:
    try:
        return RecordEntry.FromString(entry.entry).WhichOneof("entry") in ("game", "tournament", "table")
    except DecodeError:
        return False

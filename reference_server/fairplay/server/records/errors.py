"""Errors of records. Every message is one sentence for people."""

from __future__ import annotations


class RecordsError(Exception):
    """Records cannot be read or written, or are not what they should be."""


class StoreInUse(RecordsError):  # noqa: N818 - says what is the matter, as FileExistsError does
    """Another server writes its records to this directory."""


class RecordExists(RecordsError):  # noqa: N818 - likewise
    """The store has a record of this id already."""


class Diverged(RecordsError):  # noqa: N818 - a verdict on a record
    """An entry of a record is not what the rules lead to. `entry` is the number of the entry, from 1."""

    def __init__(self, entry: int, problem: str) -> None:
        super().__init__(f"entry {entry}: {problem}")
        self.entry = entry
        self.problem = problem


def first_line(error: Exception) -> str:
    """Return what the driver of a database says, in one line: some add hints, and the statement."""
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__

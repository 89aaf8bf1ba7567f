"""Errors of records. Every message is one sentence for people."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fairplay.server.net.errors import Refusal


class RecordsError(Exception):
    """Records cannot be read or written, or are not what they should be."""


class RecordsUnavailable(RecordsError):  # noqa: N818 - says what is the matter, as those below do
    """Records cannot be read or written at the moment; what is there is sound."""


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


@contextmanager
def sound(entry: int, problem: str = "it cannot be") -> Iterator[None]:
    """Turn every error into Diverged at an entry, with what is said of values that are not allowed.

    A record may come from anybody, and what is wrong with it may show anywhere in the rules of any game.
    """
    try:
        yield
    except Diverged:
        raise
    except (Refusal, ValueError) as error:
        raise Diverged(entry, f"{problem}: {error}") from error
    except Exception as error:
        raise Diverged(entry, f"the rules fail here with {type(error).__name__}: {error}") from error


def first_line(error: Exception) -> str:
    """Return what the driver of a database says, in one line: some add hints, and the statement."""
    said = str(getattr(error, "orig", None) or error).strip()
    return said.splitlines()[0] if said else type(error).__name__

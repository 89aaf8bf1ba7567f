"""Migrations: everything that a server keeps in a place is brought to the formats of this version, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import sqlalchemy as sa

from fairplay.server.records import database, formats
from fairplay.server.records.database import saying
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.formats import META, STEPS
from fairplay.server.records.parts import SMALL, opened
from fairplay.server.records.place import Place


class Migrated(NamedTuple):
    """A database that was brought from one format to another."""

    part: str
    """"records", "accounts" or "secrets"."""
    before: int
    after: int


def migrate(place: Place) -> Sequence[Migrated]:
    """Bring a place to the formats of this version, and return what was changed; it is locked meanwhile.

    Each database changes in a transaction, and none of them ends before all steps are done. Raises StoreInUse if a
    server writes there, RecordsError if there are no records, they are damaged, of a newer format, or cannot be
    written; then everything is as it was.
    """
    place.reading().dispose()  # says if there are no records, before a place that is locked would be made
    with saying(f"cannot migrate the records in {place}", place), ExitStack() as closing:
        records = closing.enter_context(place.writing())
        connections = {database.PART: closing.enter_context(records.begin())}
        connections |= {part: closing.enter_context(opened(place, part)) for part in SMALL if place.has(part)}
        return [*_steps(place, connections)]


def _steps(place: Place, connections: dict[str, sa.Connection]) -> Iterator[Migrated]:
    tables = {database.PART: database.TABLES, **SMALL}
    for part, connection in connections.items():
        if damage := place.damage(connection):
            raise RecordsError(f"the {part} in {place} are damaged, and stay as they are: {damage[0]}")
        found = formats.find(connection, part, tables[part], place)
        formats.refuse_newer(found, part, place)
        if 0 < found < formats.newest(part):
            _say(connection, formats.name(part, formats.newest(part)))
            for step in STEPS[part][found - 1 :]:
                step(connection)
            yield Migrated(part, found, formats.newest(part))


def _say(connection: sa.Connection, name: str) -> None:
    """Write the new format down; before anything else, since with SQLite a transaction begins with the first row."""
    META.create(connection, checkfirst=True)
    if not connection.execute(sa.update(META), {"format": name}).rowcount:
        connection.execute(sa.insert(META), {"format": name})

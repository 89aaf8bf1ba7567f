"""The formats of the databases of a place: each database says its own, and one that is not of this version is refused.

There is one format of each up to now. The second one of a database brings what leads from one to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place

FORMAT = 1
"""The number of the format in which this version reads and writes each database."""
SMALL = ("accounts", "certifications", "secrets")
"""The small databases that a place may have beside that of the records."""

META = sa.Table("fairplay_store", sa.MetaData(), sa.Column("format", sa.String(64), primary_key=True))


def is_made(connection: sa.Connection, part: str, place: Place, tables: sa.MetaData | None = None) -> bool:
    """Return whether a database has been made. Raises RecordsError if it is not one of ours, or of another format.

    `tables` are those that it has, where that is known.
    """
    there = {*sa.inspect(connection).get_table_names()}
    said = connection.scalars(sa.select(META.c.format)).all() if META.name in there else []
    if not said:
        if tables is not None and not there <= {META.name, *tables.tables}:
            raise RecordsError(f"there is something else than Fairplay {part} in {place}")
        return bool(there - {META.name})  # accounts and secrets of format 1 do not always say it
    number = re.fullmatch(rf"fairplay {part} ([1-9][0-9]{{0,8}})", str(said[0]))
    if number is None or len(said) > 1:
        wanted = f"fairplay {part} {FORMAT}"
        raise RecordsError(f"the {part} in {place} have another format than {wanted!r}: {', '.join(map(repr, said))}")
    if int(number[1]) > FORMAT:
        problem = f"the {part} in {place} were written by a newer version of Fairplay"
        raise RecordsError(f"{problem}: their format is {number[1]}, and this version reads formats up to {FORMAT}")
    return True


def prepare(connection: sa.Connection, part: str, tables: sa.MetaData, place: Place) -> None:
    """Make the tables of a database that has none yet. Raises RecordsError if it is not in this version's format."""
    is_made(connection, part, place, tables)
    META.create(connection, checkfirst=True)
    if connection.scalar(sa.select(META.c.format)) is None:
        # The row first: with SQLite a transaction begins with it, so that the tables are made with it or not at all.
        connection.execute(sa.insert(META), {"format": f"fairplay {part} {FORMAT}"})
        tables.create_all(connection)


def open_small(place: Place, part: str, tables: sa.MetaData) -> sa.Engine:
    """Return a small database with its tables, made if there is none; only its owner may read it.

    Raises RecordsError if it is not in this version's format, SQLAlchemyError if it cannot be read or written.
    """
    engine = place.small(part)
    try:
        with engine.begin() as connection:
            prepare(connection, part, tables, place)
    except (RecordsError, SQLAlchemyError):
        engine.dispose()
        raise
    return engine


@contextmanager
def opened(place: Place, part: str) -> Iterator[sa.Connection]:
    """Yield a connection to a small database, within a transaction."""
    engine = place.small(part)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


def check_small(place: Place) -> None:
    """Check the formats of the small databases that there are. Raises RecordsError if one is not this version's.

    One that cannot be read at all is left to those who need it.
    """
    for part in SMALL:
        if place.has(part):
            with suppress(SQLAlchemyError), opened(place, part) as connection:
                is_made(connection, part, place)

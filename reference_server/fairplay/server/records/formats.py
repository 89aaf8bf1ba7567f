"""The formats of the databases of a place. Each database says its own; steps lead from each format to the next."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

import sqlalchemy as sa

from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place

Step = Callable[[sa.Connection], None]
"""Brings a database from one format to the next, in a transaction that others end.

Once released it stays as it is for ever: it names tables as its two formats have them, whatever today's are.
"""

STEPS: dict[str, Sequence[Step]] = {"records": (), "accounts": (), "secrets": ()}
"""The steps of each database of a place. The first one leads from format 1 to format 2: as yet there is one format."""

META = sa.Table("fairplay_store", sa.MetaData(), sa.Column("format", sa.String(64), primary_key=True))


def newest(part: str) -> int:
    """Return the number of the format in which this version writes a database."""
    return len(STEPS[part]) + 1


def name(part: str, number: int) -> str:
    """Return what a database of this format says of itself."""
    return f"fairplay {part} {number}"


def find(connection: sa.Connection, part: str, tables: sa.MetaData, place: Place) -> int:
    """Return the number of the format of a database; 0: nothing was made there yet.

    Raises RecordsError if it is not one of ours, or its format is one that no version of ours has written.
    """
    there = {*sa.inspect(connection).get_table_names()}
    said = connection.scalars(sa.select(META.c.format)).all() if META.name in there else []
    if not said:
        if not there <= {META.name, *tables.tables}:
            raise RecordsError(f"there is something else than Fairplay {part} in {place}")
        return int(bool(there - {META.name}))  # accounts and secrets of format 1 do not always say it
    number = re.fullmatch(rf"fairplay {part} ([1-9][0-9]{{0,8}})", str(said[0]))
    if number is None or len(said) > 1:
        wanted = name(part, newest(part))
        raise RecordsError(f"the {part} in {place} have another format than {wanted!r}: {', '.join(map(repr, said))}")
    return int(number[1])


def prepare(connection: sa.Connection, part: str, tables: sa.MetaData, place: Place) -> None:
    """Make the tables of a database that has none yet. Raises RecordsError if it is not in this version's format."""
    if found := find(connection, part, tables, place):
        check(found, part, place)
    META.create(connection, checkfirst=True)
    if connection.scalar(sa.select(META.c.format)) is None:
        # The row first: with SQLite a transaction begins with it, so that the tables are made with it or not at all.
        connection.execute(sa.insert(META), {"format": name(part, newest(part))})
        tables.create_all(connection)


def check(found: int, part: str, place: Place) -> None:
    """Check the number of a database's format. Raises RecordsError if it is not the one of this version."""
    refuse_newer(found, part, place)
    if found < newest(part):
        problem = f"the {part} in {place} were written by an older version of Fairplay"
        raise RecordsError(f"{problem}: run fairplay records migrate {shlex.quote(str(place))}")


def refuse_newer(found: int, part: str, place: Place) -> None:
    """Raise RecordsError if a database is in a format of the future."""
    if found > newest(part):
        problem = f"the {part} in {place} were written by a newer version of Fairplay"
        raise RecordsError(f"{problem}: their format is {found}, and this version reads formats up to {newest(part)}")

"""The small databases of a place, which belong to that of the records: what is done with all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from fairplay.server.records import accounts, formats, secrets
from fairplay.server.records.place import Place

SMALL = {accounts.PART: accounts.TABLES, secrets.PART: secrets.TABLES}


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
    for part, tables in SMALL.items():
        if place.has(part):
            with suppress(SQLAlchemyError), opened(place, part) as connection:
                if found := formats.find(connection, part, tables, place):
                    formats.check(found, part, place)

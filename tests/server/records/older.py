"""A made-up older format of a store, and the steps from it to today's.

As a process: it migrates a place, and stands still after as many changes as it is told, to be killed.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import sqlalchemy as sa

from fairplay.server.records import formats
from fairplay.server.records.migrating import migrate
from fairplay.server.records.parts import SMALL, opened
from fairplay.server.records.place import Place, parse_place

CHANGES = ("INSERT", "UPDATE", "DELETE", "CREATE", "ALTER")


def _name_summaries(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE records RENAME COLUMN words TO summary"))


def _turn_chunks(connection: sa.Connection) -> None:
    for number, data in connection.execute(sa.text("SELECT number, data FROM chunks")).all():
        turned = {"number": number, "data": bytes(data)[::-1]}
        connection.execute(sa.text("UPDATE chunks SET data = :data WHERE number = :number"), turned)


def _name_accounts(connection: sa.Connection) -> None:
    connection.execute(sa.text("ALTER TABLE accounts RENAME COLUMN called TO name"))


STEPS: Mapping[str, Sequence[formats.Step]] = {
    "records": (_name_summaries, _turn_chunks),
    "accounts": (_name_accounts,),
}


def age(place: Place, *parts: str) -> None:
    """Bring a place back to format 1, or only some of its databases."""
    if not parts or "records" in parts:
        with place.writing() as engine, engine.begin() as connection:
            connection.execute(sa.update(formats.META).values(format="fairplay records 1"))
            connection.execute(sa.text("ALTER TABLE records RENAME COLUMN summary TO words"))
            _turn_chunks(connection)
    if not parts or "accounts" in parts:
        with opened(place, "accounts") as connection:
            connection.execute(sa.text("DROP TABLE fairplay_store"))  # they did not say their format then
            connection.execute(sa.text("ALTER TABLE accounts RENAME COLUMN name TO called"))


def contents(place: Place) -> dict[str, list[Any]]:
    """Return the columns and rows of all tables of a place."""
    found: dict[str, list[Any]] = {}
    reading = place.reading()
    with reading.connect() as connection:
        found |= {f"records {name}": rows for name, rows in _rows(connection)}
    reading.dispose()
    for part in SMALL:
        if place.has(part):
            with opened(place, part) as connection:
                found |= {f"{part} {name}": rows for name, rows in _rows(connection)}
    return found


def _rows(connection: sa.Connection) -> list[tuple[str, list[Any]]]:
    names = sorted(sa.inspect(connection).get_table_names())
    results = [(name, connection.execute(sa.text(f"SELECT * FROM {name} ORDER BY 1"))) for name in names]
    return [(name, [tuple(result.keys()), *map(tuple, result)]) for name, result in results]


def stand_still_after(wanted: int) -> None:
    """Have this process say so, and do no more, when it has changed something so many times."""
    changes = count(1)

    def check(_: object, __: object, statement: str, *___: object) -> None:
        if statement.startswith(CHANGES) and next(changes) == wanted:
            sys.stdout.write("stands still\n")
            sys.stdout.flush()
            signal.pause()

    sa.event.listen(sa.Engine, "after_cursor_execute", check)


if __name__ == "__main__":
    formats.STEPS.update(STEPS)
    stand_still_after(int(sys.argv[2]))
    migrate(parse_place(sys.argv[1]))
    sys.stdout.write("done\n")

"""The database of certifications, beside that of the records: what was asked, how it went, and the reports."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from fairplay.server.records import formats, sqlite
from fairplay.server.records.errors import RecordsUnavailable, first_line
from fairplay.server.records.place import Place, at

PART = "certifications"

TABLES = sa.MetaData()
CERTIFICATIONS = sa.Table(
    "certifications",
    TABLES,
    sa.Column("number", sqlite.NUMBER, primary_key=True, autoincrement=False),
    sa.Column("account", sa.String(64), nullable=False),
    sa.Column("message", sa.LargeBinary, nullable=False),
)
REPORTS = sa.Table(
    "reports",
    TABLES,
    sa.Column("number", sqlite.NUMBER, primary_key=True, autoincrement=False),
    sa.Column("form", sa.String(16), primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
)


class CertificationRow(NamedTuple):
    """A certification: its number in the order in which they were asked for, whose it is, and what is told of it."""

    number: int
    account: str
    message: bytes


class CertificationsDatabase:
    """The database of a place, made with the first certification; None: it is kept until the server ends.

    Its methods raise RecordsError if it cannot be read or written. They may be called in any thread: a thread goes on
    when whoever has waited for it is cancelled, and nothing is left of it once the database is closed.
    """

    def __init__(self, place: Place | None) -> None:
        self._closing = ExitStack()
        self._place = place
        self._engine: sa.Engine | None = None
        self._turn = threading.Lock()
        self._closed = False

    def all(self) -> Sequence[CertificationRow]:
        """Return all certifications, the oldest first."""
        if self._place is None or not self._place.has(PART):
            return ()
        with self._transaction() as connection:
            rows = connection.execute(sa.select(CERTIFICATIONS).order_by(CERTIFICATIONS.c.number)).all()
        return [CertificationRow(*row) for row in rows]

    def put(self, row: CertificationRow, reports: Mapping[str, bytes] | None = None) -> None:
        """Keep a certification as it is now, and its report by the forms that it has, if there is one."""
        with self._transaction() as connection:
            connection.execute(sa.delete(CERTIFICATIONS).where(CERTIFICATIONS.c.number == row.number))
            connection.execute(sa.insert(CERTIFICATIONS), row._asdict())
            for form, content in (reports or {}).items():
                connection.execute(sa.insert(REPORTS), {"number": row.number, "form": form, "content": content})

    def report(self, number: int, form: str) -> bytes | None:
        """Return the report of a certification in a form; None if there is none."""
        wanted = sa.select(REPORTS.c.content).where(REPORTS.c.number == number, REPORTS.c.form == form)
        with self._transaction() as connection:
            content: bytes | None = connection.scalar(wanted)
        return content

    def remove(self, numbers: Sequence[int]) -> None:
        """Remove certifications and their reports."""
        with self._transaction() as connection:
            for table in (CERTIFICATIONS, REPORTS):
                connection.execute(sa.delete(table).where(table.c.number.in_(numbers)))

    def close(self) -> None:
        """Close the database, after what is written to it. What comes later is refused."""
        with self._turn:
            self._closed = True
            if self._engine is not None:
                self._engine.dispose()
            self._closing.close()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        try:
            with self._turn, self._opened().begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise RecordsUnavailable(
                f"the certifications in {self._place} cannot be used: {first_line(error)}"
            ) from None

    def _opened(self) -> sa.Engine:
        if self._closed:
            raise RecordsUnavailable(f"the certifications in {self._place} are closed")
        if self._engine is None:
            if self._place is None:
                directory = TemporaryDirectory(prefix="fairplay-certifications-")
                self._place = at(Path(self._closing.enter_context(directory)))
            self._engine = formats.open_small(self._place, PART, TABLES)
        return self._engine

"""Tables of rows as Parquet files. Needs pyarrow, of the extra "data"."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from fairplay.server.records.dataset import INTEGER, INTEGERS, JSON, NUMBER, TEXT, TEXTS, TIME, Row

TYPES = {
    TEXT: pyarrow.string(),
    INTEGER: pyarrow.int64(),
    NUMBER: pyarrow.float64(),
    TIME: pyarrow.timestamp("us", "UTC"),
    JSON: pyarrow.string(),
    TEXTS: pyarrow.list_(pyarrow.string()),
    INTEGERS: pyarrow.list_(pyarrow.int64()),
}
ROWS_AT_ONCE = 5_000
"""How many rows a group of a file has at the least, but for the last: what is kept in memory."""


@contextmanager
def open_parquet(path: Path, columns: Mapping[str, str]) -> Iterator[ParquetTable]:
    """Open a new file for rows. `columns`: name of each column -> its type."""
    schema = pyarrow.schema([(name, TYPES[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        table = ParquetTable(writer, schema, [name for name, kind in columns.items() if kind == JSON])
        yield table
        table.flush()


class ParquetTable:
    """A Parquet file that takes rows; columns of JSON are texts there."""

    def __init__(self, writer: Any, schema: Any, json_columns: Sequence[str]) -> None:
        self._writer = writer
        self._schema = schema
        self._json_columns = json_columns
        self._rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the rows, and write them once they are enough for a group."""
        self._rows.extend(row | {name: _packed(row[name]) for name in self._json_columns} for row in rows)
        if len(self._rows) >= ROWS_AT_ONCE:
            self.flush()

    def flush(self) -> None:
        """Write the rows that are kept."""
        if self._rows:
            self._writer.write_table(pyarrow.Table.from_pylist(self._rows, self._schema))
            self._rows = []


def _packed(value: object) -> str | None:
    return None if value is None else json.dumps(value, separators=(",", ":"))

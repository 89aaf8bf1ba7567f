"""Tables of rows as files for research: JSON Lines and Parquet. Rows are written as they come, however many.

Parquet needs pyarrow, of the extra "data", which is loaded where such a file is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from fairplay.client.errors import UsageError
from fairplay.games.kit.files import whole_file
from fairplay.server.records.dataset import INTEGER, INTEGERS, JSON, NUMBER, TEXT, TEXTS, TIME, Row
from fairplay.terminal.commands.extras import missing_module

JSONL, PARQUET = "jsonl", "parquet"
ROWS_AT_ONCE = 5_000
"""How many rows a group of a Parquet file has at the least, but for the last: what is kept in memory."""

Add: TypeAlias = Callable[[Sequence[Row]], None]
"""Appends rows to a file. Raises OSError if it cannot be written."""


@contextmanager
def open_table(path: Path, columns: Mapping[str, str]) -> Iterator[Add]:
    """Open a new file by its suffix, .jsonl or .parquet. It is there under its name once all rows are in it.

    `columns`: name of each column -> its type. Raises OSError, with one sentence, if it cannot be written.
    """
    try:
        with (
            whole_file(path) as new,
            _open_jsonl(new) if path.suffix == f".{JSONL}" else _open_parquet(new, columns) as add,
        ):
            yield add
    except OSError as error:
        if error.strerror is None:  # a sentence of the other table's
            raise
        raise OSError(f"cannot write {path}: {error.strerror}") from None


def check_format(form: str) -> None:
    """Raise UsageError if tables of this format cannot be written here."""
    if form == PARQUET and (sentence := missing_module("pyarrow", "--format parquet", "data")) is not None:
        raise UsageError(sentence)


@contextmanager
def _open_jsonl(path: Path) -> Iterator[Add]:
    with path.open("w", encoding="utf-8") as file:
        yield lambda rows: file.writelines(f"{_packed(row)}\n" for row in rows)


@contextmanager
def _open_parquet(path: Path, columns: Mapping[str, str]) -> Iterator[Add]:
    import pyarrow
    from pyarrow import parquet

    types = {
        TEXT: pyarrow.string(),
        INTEGER: pyarrow.int64(),
        NUMBER: pyarrow.float64(),
        TIME: pyarrow.timestamp("us", "UTC"),
        JSON: pyarrow.string(),
        TEXTS: pyarrow.list_(pyarrow.string()),
        INTEGERS: pyarrow.list_(pyarrow.int64()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    json_columns = [name for name, kind in columns.items() if kind == JSON]
    kept: list[Row] = []

    def flush() -> None:
        if kept:
            writer.write_table(pyarrow.Table.from_pylist(kept, schema))
            kept.clear()

    def add(rows: Sequence[Row]) -> None:
        texts = ({name: _packed(row[name]) for name in json_columns if row[name] is not None} for row in rows)
        kept.extend(row | text for row, text in zip(rows, texts, strict=True))
        if len(kept) >= ROWS_AT_ONCE:
            flush()

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        yield add
        flush()


def _packed(value: object) -> str:
    return json.dumps(value, default=datetime.isoformat, separators=(",", ":"))

"""The author's list of known failures: one case id on each line, # begins a comment."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from fairplay.conformance.selection import suggest


def read_known_failures(file: Path, case_ids: Collection[str]) -> frozenset[str]:
    """Return the ids in a file. Raises ValueError if it cannot be read or names an unknown case."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found = {line.partition("#")[0].strip() for line in lines} - {""}
    for case_id in sorted(found):
        if case_id not in case_ids:
            raise ValueError(f"{file} names {case_id!r}, and there is no such case{suggest(case_id, case_ids)}")
    return frozenset(found)

"""Patterns that name cases."""

from __future__ import annotations

import fnmatch


def matches(case_id: str, pattern: str) -> bool:
    """Return whether a pattern names a case: by its id, its group, or with * for anything; "a,b" is a or b."""
    return any(
        fnmatch.fnmatchcase(case_id, each) or case_id.startswith(f"{each}.") for each in pattern.split(",") if each
    )

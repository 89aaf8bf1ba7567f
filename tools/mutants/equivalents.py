"""The mutants that are named equivalent: nothing that anybody could observe tells them from the code.

equivalent/ROOM.txt has a paragraph for each: the path, the changed lines as `make mutants` prints them (`-` before, `+`
after, without indentation), and the reason in lines that begin with `#`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PAGES = Path(__file__).parent / "equivalent"


class Change(NamedTuple):
    """The lines of a file that a mutation removes and adds, without indentation. Line numbers do not count."""

    path: str
    removed: tuple[str, ...]
    added: tuple[str, ...]

    def __str__(self) -> str:
        """Return the paragraph that names this change, without a reason."""
        return "\n".join((self.path, *(f"- {line}" for line in self.removed), *(f"+ {line}" for line in self.added)))


def compare(path: str, before: str, after: str) -> tuple[int, Change]:
    """Return the number of the first line in which two texts of a file differ, and how they differ."""
    old, new = before.splitlines(), after.splitlines()
    blocks = [
        code for code in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if code[0] != "equal"
    ]
    first, last = blocks[0], blocks[-1]
    removed, added = old[first[1] : last[2]], new[first[3] : last[4]]
    return first[1] + 1, Change(path, _strip(removed), _strip(added))


def read_equivalents(pages: Path = PAGES) -> frozenset[Change]:
    """Return the changes that the pages in a folder name. Raises ValueError if one has no reason or no change."""
    paragraphs = (part for page in sorted(pages.glob("*.txt")) for part in page.read_text("utf-8").split("\n\n"))
    return frozenset(_read(paragraph.strip().splitlines()) for paragraph in paragraphs if paragraph.strip())


def find_outdated(changes: Iterable[Change], root: Path) -> list[Change]:
    """Return the changes whose lines are not in their files any more."""
    return [change for change in sorted(changes) if not _is_there(change, root / change.path)]


def _is_there(change: Change, file: Path) -> bool:
    lines = _strip(file.read_text(encoding="utf-8").splitlines()) if file.exists() else ()
    size = len(change.removed)
    return any(lines[at : at + size] == change.removed for at in range(len(lines)))


def _read(lines: list[str]) -> Change:
    removed, added, reasons = (
        tuple(line[1:].strip() for line in lines[1:] if line.startswith(mark)) for mark in ("-", "+", "#")
    )
    if not removed or not added or not any(reasons):
        raise ValueError(f"an equivalent mutant needs lines with -, + and #: {' / '.join(lines)}")
    return Change(lines[0].strip(), removed, added)


def _strip(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in lines)

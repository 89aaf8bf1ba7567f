"""The digests of transcripts: a file a game, with a line for each of its games, and some transcripts whole.

A line has the number of the game, a digest of the transcript, and a mark for each four entries, which says where a
transcript differs from that of before. `python -m tests.server.transcripts.digests` writes the files anew, which is
right only where a change is wanted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from string import ascii_letters, digits
from tempfile import TemporaryDirectory

from tests.server.quick import in_no_time, quick_store
from tests.server.transcripts.play import Entry, transcript

FOLDER = Path(__file__).parent
GAMES = ("fish", "q", "bazaar", "eriantys", "webset")
COUNT = 100
WHOLE = (12,)
"""The games whose transcripts are kept whole."""
BLOCK = 4
MARKS = ascii_letters + digits + "+-"


def play(name: str, numbers: Sequence[int]) -> Iterator[list[Entry]]:
    """Yield the transcripts of games, each on a store of its own."""
    for number in numbers:
        with TemporaryDirectory() as directory:

            async def playing(number: int = number, directory: str = directory) -> list[Entry]:
                store = quick_store(Path(directory))
                try:
                    return await transcript(name, number, store)
                finally:
                    await store.close()

            yield in_no_time(playing())


def digest_line(number: int, entries: Sequence[Entry]) -> str:
    """Return the line of a transcript."""
    blocks = [entries[start : start + BLOCK] for start in range(0, len(entries), BLOCK)]
    marks = "".join(MARKS[_hash(block)[0] % len(MARKS)] for block in blocks)
    return f"{number} {_hash(entries).hex()[:24]} {marks}"


def _hash(entries: Sequence[Entry]) -> bytes:
    whole = sha256()
    for entry in entries:
        whole.update(sha256(entry.text.encode()).digest() + sha256(entry.data).digest())
    return whole.digest()


def shown(entries: Sequence[Entry]) -> list[str]:
    """Return the lines of a transcript that is kept whole."""
    return [entry.show() for entry in entries]


def lines_of(name: str) -> list[str]:
    """Return the lines of a game's file, by number."""
    return _file(name).read_text("utf-8").splitlines()


def whole_of(name: str, number: int) -> list[str] | None:
    """Return the lines of a transcript that is kept whole; None: it is not."""
    return _file(f"{name}-{number}").read_text("utf-8").splitlines() if number in WHOLE else None


def difference(name: str, number: int, entries: Sequence[Entry]) -> str | None:
    """Return where a transcript first differs from the one that was kept; None: it is the same."""
    kept, made = lines_of(name)[number], digest_line(number, entries)
    if kept == made:
        return None
    before = whole_of(name, number)
    if before is not None:
        for at, (old, new) in enumerate(zip([*before, ""], [*shown(entries), ""], strict=False)):
            if old != new:
                return f"{name} {number} differs in entry {at}:\n  before {old}\n  now    {new}"
    old, new = kept.split(" ")[2], made.split(" ")[2]
    same = [mark == other for mark, other in zip(old, new, strict=False)]
    start = BLOCK * (same.index(False) if False in same else len(same))
    now = "\n".join(f"  {at} {entry.show(400)}" for at, entry in enumerate(entries[start : start + BLOCK], start))
    return f"{name} {number} differs first in one of the entries from {start} on, which now are\n{now or '  missing'}"


def _file(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def write() -> None:
    """Write the files of all games."""
    for name in GAMES:
        lines = []
        for number, entries in enumerate(play(name, range(COUNT))):
            lines.append(digest_line(number, entries))
            if number in WHOLE:
                _file(f"{name}-{number}").write_text("\n".join(shown(entries)) + "\n", "utf-8")
        _file(name).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    write()

"""Zips of strangers, unpacked into a folder and nowhere else."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from fairplay.client.wording import cut
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.terminal.classroom.exports import LITTER

MAX_BYTES = 256 << 20
MAX_FILES = 20_000
MAX_DEPTH = 32
MAX_NAME_BYTES = 255
CHUNK_BYTES = 1 << 20
ENCRYPTED = 1
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class _Budget:
    """How much may still be unpacked, whatever a zip says about itself."""

    def __init__(self) -> None:
        self._bytes = MAX_BYTES
        self._files = MAX_FILES

    def take_file(self) -> None:
        self._files -= 1
        if self._files < 0:
            raise ValueError(f"has more than {MAX_FILES:,} files")

    def take_bytes(self, count: int) -> None:
        self._bytes -= count
        if self._bytes < 0:
            raise ValueError(f"has more than {MAX_BYTES >> 20} MiB when it is unpacked")


class Unpacked(NamedTuple):
    """What was handed in, in a folder of its own: where its program lies, and the sha256 of its files."""

    root: Path
    digest: str


def unpack(source: Path, target: Path) -> Unpacked:
    """Write the files of a zip, or of a folder, into a new folder. Links are left out.

    Raises ValueError, with the rest of a sentence that begins with the name of the source, if it is damaged, too large,
    or names a file outside of itself.
    """
    target.mkdir(parents=True)
    try:
        if source.is_dir():
            _copy(source, target, _Budget())
        else:
            _extract(source, target, _Budget())
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError) as error:
        raise ValueError(f"is damaged, or no zip: {_quoted(str(error))}") from None
    except OSError as error:
        raise ValueError(f"cannot be unpacked: {error.strerror or _quoted(str(error))}") from None
    return Unpacked(root_of(target), _digest(target))


def root_of(folder: Path) -> Path:
    """Return the folder in which the files lie, where they are in a folder in a folder."""
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir():
        folder = inside[0]
    return folder


def _extract(source: Path, target: Path, budget: _Budget) -> None:
    with zipfile.ZipFile(source) as archive:
        for member in archive.infolist():
            if _is_litter(parts := _parts(member.filename)) or stat.S_ISLNK(member.external_attr >> 16):
                continue
            budget.take_file()
            path = target.joinpath(*parts)
            if member.is_dir():
                path.mkdir(parents=True, exist_ok=True)
                continue
            if member.flag_bits & ENCRYPTED:
                raise ValueError("needs a password")
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as content:
                _write(content, path, budget, runs=bool(member.external_attr >> 16 & 0o111))


def _parts(name: str) -> tuple[str, ...]:
    """Return the path of a member of a zip. Raises ValueError if it leads out of the folder, or is no path."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or any(":" in part for part in path.parts):
        raise ValueError(f"names a file outside of itself: {_quoted(name)}")
    if any(CONTROL.search(part) or len(part.encode()) > MAX_NAME_BYTES for part in path.parts):
        raise ValueError(f"names a file as no file should be called: {_quoted(name)}")
    if len(path.parts) > MAX_DEPTH:
        raise ValueError(f"has more than {MAX_DEPTH} folders in each other")
    return path.parts


def _is_litter(parts: tuple[str, ...]) -> bool:
    return not parts or parts[0] in LITTER or parts[-1] == ".DS_Store"


def _copy(source: Path, target: Path, budget: _Budget) -> None:
    for folder, folders, files in os.walk(source):
        here = target / Path(folder).relative_to(source)
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        parts = here.relative_to(target).parts
        if len(parts) > MAX_DEPTH:
            raise ValueError(f"has more than {MAX_DEPTH} folders in each other")
        here.mkdir(exist_ok=True)
        for name in files:
            path = Path(folder) / name
            if path.is_symlink() or not path.is_file() or _is_litter((*parts, name)):
                continue
            budget.take_file()
            with path.open("rb") as content:
                _write(content, here / name, budget, runs=bool(path.stat().st_mode & 0o111))


def _write(content: IO[bytes], path: Path, budget: _Budget, *, runs: bool) -> None:
    with path.open("xb") as file:  # a zip may name a file twice
        while data := content.read(CHUNK_BYTES):
            budget.take_bytes(len(data))
            file.write(data)
    path.chmod(0o755 if runs else 0o644)


def _digest(root: Path) -> str:
    """Return the sha256 of all files of a folder, with their names."""
    found = hashlib.sha256()
    for name, path in sorted(_files(root)):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(f"{digest} {name}\n".encode())
    return found.hexdigest()


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for path in root.rglob("*"):
        if path.is_file():
            yield path.relative_to(root).as_posix(), path


def _quoted(text: str) -> str:
    return f"'{cut(text, 100).translate(UNPRINTABLE)}'"


def remove(folder: Path) -> None:
    """Remove a folder and what is in it, if it is there."""
    if folder.exists():
        shutil.rmtree(folder)

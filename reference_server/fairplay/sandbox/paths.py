"""What a program may see of the file system: the system's programs and libraries, and its own folder."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

BIN_FOLDERS = ("bin", "shims", "Scripts")
PRIVATE = tuple(map(Path, ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var/run")))
"""Nothing in here is anybody's own folder."""
MAX_PARENTS = 3


class Visibility(NamedTuple):
    """What may be seen of the programs that a server starts."""

    folder: Path
    """The folder in which commands are read: the current one of the server."""
    search: str
    """Where commands are looked for, as in PATH."""
    home: Path
    hidden: Sequence[Path] = ()
    """Folders of which nothing may be seen: records, and what else is the server's own."""
    added: Sequence[Path] = ()
    """Folders that the operator lets all programs see."""
    confined: bool = False
    """Whether programs must lie in `folder` or in `added`: others than the operator say what is started."""


def visible(visibility: Visibility, words: Sequence[str]) -> list[Path]:
    """Return the absolute paths, files and folders, that the program of a command may read besides the system's."""
    found = [*_python(), *map(Path.absolute, visibility.added)]
    found += filter(visibility_allows(visibility), _of_command(visibility, words))
    chosen: list[Path] = []
    for path in sorted({path for path in found if path.exists()}, key=lambda path: (len(path.parts), path)):
        if not any(path.is_relative_to(each) for each in chosen):
            chosen.append(path)
    return chosen


class visibility_allows:  # noqa: N801 - reads as a function
    """Whether a path may be seen because a command names it."""

    def __init__(self, visibility: Visibility) -> None:
        self._visibility = visibility
        self._roots = [each.resolve() for each in (visibility.folder, *visibility.added)]
        self._hidden = [each.resolve() for each in visibility.hidden]

    def __call__(self, path: Path) -> bool:
        """Return whether the path may be seen."""
        real = path.resolve()
        # A link in /etc leads to a program elsewhere, as the alternatives of Debian do; /etc is the system's own.
        if any(each.is_relative_to(folder) for each in (path, real) for folder in (*PRIVATE, *self._hidden)):
            return False
        return not self._visibility.confined or any(real.is_relative_to(root) for root in self._roots)


def _python() -> Iterator[Path]:
    """Return this Python with what is installed in its environment: the gate needs it, and players in Python, too."""
    yield from {Path(sys.prefix), Path(sys.base_prefix), *map(Path, _linked_packages(Path(sys.prefix)))}


def _linked_packages(prefix: Path) -> Iterator[str]:
    """Return the folders that packages of an environment are in which were installed where they are developed."""
    for file in prefix.glob("lib/python*/site-packages/*.pth"):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        yield from (line for line in lines if os.path.isabs(line) and os.path.isdir(line))  # noqa: PTH117, PTH112


def _of_command(visibility: Visibility, words: Sequence[str]) -> Iterator[Path]:
    """Return the installation of what a command runs, and the folders of the files that it names."""
    executable = (
        shutil.which(words[0], path=visibility.search) if "/" not in words[0] else str(visibility.folder / words[0])
    )
    if executable is not None:
        yield from _installations(visibility, Path(executable))
        if Path(executable).name.startswith("python") and "-m" in words:  # a module lies in the current folder
            yield from _narrowed(visibility, visibility.folder, ())
    for word in words:
        for part in word.split(os.pathsep):
            path = visibility.folder / part
            if part and os.path.isdir(path):  # noqa: PTH112 - of words that cannot be paths, pathlib raises errors
                yield from _narrowed(visibility, path, ())
            elif part and os.path.isfile(path):  # noqa: PTH113
                yield from _own_folder(visibility, path)


def _installations(visibility: Visibility, executable: Path) -> Iterator[Path]:
    """Return the folders of an executable, of the files that it links to, and of the environment that it belongs to."""
    for _ in range(10):
        yield executable
        if executable.parent.name in BIN_FOLDERS:
            prefix = executable.parent.parent
            yield from _narrowed(visibility, prefix, ())
            yield from map(Path, _linked_packages(prefix)) if (prefix / "pyvenv.cfg").is_file() else ()
        if not executable.is_symlink():
            return
        executable = executable.parent / executable.readlink()


def _own_folder(visibility: Visibility, file: Path) -> Iterator[Path]:
    """Return the folder of a file, and what Node looks for above it; only the file where its folder holds too much."""
    folder = Path(os.path.normpath(file)).parent
    yield from _narrowed(visibility, folder, (file,))
    if file.is_symlink():
        real = file.resolve()
        yield from _narrowed(visibility, real.parent, (real,))
    for parent in (folder, *folder.parents[:MAX_PARENTS]):
        if (parent / "package.json").is_file():
            yield from (parent / "package.json", parent / "node_modules")
            return


def _narrowed(visibility: Visibility, folder: Path, instead: Iterable[Path]) -> Iterator[Path]:
    """Return a folder, or what is shown instead if it is nobody's own: a home, the root, what is right below it."""
    folder = Path(os.path.normpath(folder))
    real, home = folder.resolve(), visibility.home.resolve()
    nobodys = len(real.parts) <= 2 or home.is_relative_to(real) or real.is_relative_to(home / ".local")
    yield from instead if nobodys else (folder,)

"""What a program may see of the file system: the system's programs and libraries, and its own folder.

The words of a command and the operator's own environment say what that is. What lies in the folder of a program is the
program's: a link in it, or a file that names other folders, opens nothing outside of that folder.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SYSTEM_FOLDERS = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")))
"""All programs see these as wholes."""
BIN_FOLDERS = ("bin", ".bin", "shims", "Scripts")
"""What lies in a folder of such a name belongs to the folder above."""
PRIVATE = tuple(map(Path, ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var/run")))
"""Nothing in here is anybody's own folder."""
MAX_PARENTS = 3
MAX_LINKS = 10


class Visibility(NamedTuple):
    """What may be seen of the programs that a server starts."""

    folder: Path
    """The folder in which commands are read: the current one of the server."""
    search: str
    """Where commands are looked for, as in PATH."""
    home: Path
    hidden: Sequence[Path] = ()
    """Files and folders of which nothing may be seen: records, keys, and what else is the server's own."""
    added: Sequence[Path] = ()
    """Folders that the operator lets all programs see."""
    confined: bool = False
    """Whether others than the operator say what is started: programs must lie below `folder`, see one folder there,
    whatever their commands name, or lie in one of `added`."""


class View(NamedTuple):
    """What the program of a command sees."""

    paths: list[Path]
    """The absolute paths, of files and folders, that it may read besides the system's."""
    left_out: list[str]
    """What its command names and it does not see: a link leads there, or it lies outside of the folder that is its own
    by what somebody else has typed. That is said of such paths whether there is something or not."""


def view(visibility: Visibility, words: Sequence[str]) -> View:
    """Return what the program of a command sees."""
    command = _Command(visibility, words)
    found = {path for path in (*command.everybodys, *command.shown()) if path.exists()}
    paths: list[Path] = []
    for path in sorted(found, key=lambda path: (len(path.parts), path)):
        if not any(path.is_relative_to(each) for each in paths):
            paths.append(path)
    left_out = [*command.left_out, *map(str, command.outside(paths))] if visibility.confined else command.left_out
    return View([path for path in paths if path not in SYSTEM_FOLDERS], left_out)


def real(path: Path) -> Path:
    """Return where a path leads, with all links followed; loops of links lead nowhere, and are left as they are."""
    return Path(os.path.realpath(path))


class _Command:
    """The command of a program, and what is the program's own."""

    def __init__(self, visibility: Visibility, words: Sequence[str]) -> None:
        self._visibility = visibility
        self._words = words
        self._home = real(visibility.home)
        self._roots = [real(each) for each in (visibility.folder, *visibility.added)]
        self._operators = {Path("/"), *self._roots[0].parents}
        """Folders on the way to the current one: links in there are the operator's."""
        self._closed = [*PRIVATE, *map(real, visibility.hidden)]
        added = [each for folder in visibility.added for each in (folder.absolute(), real(folder))]
        self.everybodys = [*SYSTEM_FOLDERS, *_python(), *added]
        self.left_out: list[str] = []

    def shown(self) -> Iterator[Path]:
        """Return what the program sees because of its command."""
        yield from filter(self._may_be_shown, (*self._found(self._words[0]), *self._of_words()))

    def _may_be_shown(self, path: Path) -> bool:
        where = real(path)
        # A link in /etc leads to a program elsewhere, as the alternatives of Debian do; /etc is the system's own.
        if any(each.is_relative_to(folder) for each in (path, where) for folder in self._closed):
            return False
        return not self._visibility.confined or any(where.is_relative_to(root) for root in self._roots)

    def outside(self, shown: Sequence[Path]) -> Iterator[Path]:
        """Return what words name that lies neither below the current folder nor in what is shown or is the system's."""
        known = (self._visibility.folder.absolute(), *shown, *SYSTEM_FOLDERS, *PRIVATE)
        return (path for path in self._read() if not any(map(path.is_relative_to, known)))

    # --- what the operator's PATH leads to ---

    def _found(self, name: str) -> Iterator[Path]:
        """Return the installation of a program in PATH; its links are followed wherever they lead."""
        found = None if "/" in name else shutil.which(name, path=self._visibility.search)
        path = Path(found) if found is not None else None
        for _ in range(MAX_LINKS):
            if path is None:
                return
            yield path
            if path.parent.name in BIN_FOLDERS and not self._is_nobodys(prefix := path.parent.parent):
                yield prefix
                yield from map(Path, _linked_packages(prefix)) if (prefix / "pyvenv.cfg").is_file() else ()
            path = path.parent / path.readlink() if path.is_symlink() else None

    def _name_in_path(self, path: Path) -> str:
        """Return by which name PATH leads to the program that a path leads to; "" if by none."""
        for name in (path.name, real(path).name):
            found = shutil.which(name, path=self._visibility.search)
            if found is not None and real(Path(found)) == real(path):
                return name
        return ""

    # --- what the words name ---

    def _of_words(self) -> Iterator[Path]:
        """Return what is the program's own; of a command that somebody else has typed, one folder."""
        own: Path | None = None
        if Path(self._words[0]).name.startswith("python") and "-m" in self._words:  # it lies in the current folder
            yield from () if self._is_nobodys(self._visibility.folder) else (self._visibility.folder,)
        for path in self._named():
            if name := self._name_in_path(path):
                yield from self._found(name)
            if any(map(path.is_relative_to, self.everybodys)):
                continue
            folder = self._own(path)
            if folder is None or not self._may_be_shown(folder) or not self._is_owned(path, folder):
                continue
            if self._visibility.confined:
                own = folder if own is None or (path.is_file() and own.is_relative_to(folder)) else own
                if not folder.is_relative_to(own):
                    continue
            yield folder
            yield from self._node_modules(folder) if path.is_file() else ()

    def _named(self) -> Iterator[Path]:
        """Return the absolute paths of what words name and what is there."""
        # Of words that cannot be paths, pathlib raises errors.
        return (path for path in self._read() if os.path.lexists(path))

    def _read(self) -> Iterator[Path]:
        """Return words as absolute paths."""
        first, *rest = self._words
        for word in (first, *rest) if "/" in first else rest:
            for part in filter(None, word.split(os.pathsep)):
                yield Path(os.path.normpath(self._visibility.folder.absolute() / part))

    def _own(self, path: Path) -> Path | None:
        """Return what is shown because a path is named: a folder, only the file where its folder is nobody's own."""
        file = not path.is_dir()
        above = [path.parent.parent] if file and path.parent.name in BIN_FOLDERS else []
        for folder in (*above, path.parent) if file else (path,):
            if not self._is_nobodys(folder):
                return folder
        return path if file else None

    def _is_nobodys(self, folder: Path) -> bool:
        """Return whether a folder is too large to be one program's own: the root, what is right below it, a home."""
        where = real(folder)
        above = self._visibility.confined and any(root.is_relative_to(where) for root in self._roots)
        local = where.is_relative_to(self._home / ".local")
        return above or local or len(where.parts) <= 2 or self._home.is_relative_to(where)

    def _is_owned(self, path: Path, folder: Path) -> bool:
        """Return whether what is to be shown is there itself; take note of what a link of the program leads out to."""
        alone = folder == path and not path.is_dir()
        owned = not self._leads_out(path.parent if alone else folder) and not (alone and path.is_symlink())
        where = real(path)
        seen = owned and any(map(where.is_relative_to, (real(folder), *self.everybodys)))
        if not seen and not self._name_in_path(path):
            self.left_out.append(str(path))
        return owned

    def _leads_out(self, path: Path) -> bool:
        """Return whether there is a link on the way to a path that leads out of the folder which it is in."""
        where = Path("/")
        for part in path.parts[1:]:
            step = real(where / part)
            if where not in self._operators and not step.is_relative_to(where):
                return True
            where = step
        return False

    def _node_modules(self, folder: Path) -> Iterator[Path]:
        """Return what Node looks for above the folder of a file."""
        for parent in (folder, *folder.parents[:MAX_PARENTS]):
            if (parent / "package.json").is_file():
                found = (parent / "package.json", parent / "node_modules")
                yield from (path for path in found if not self._leads_out(path))
                return


def _python() -> Iterator[Path]:
    """Return this Python with what is installed in its environment: the gate needs it, and players in Python, too."""
    yield from {Path(sys.prefix), Path(sys.base_prefix), *map(Path, _linked_packages(Path(sys.prefix)))}


def _linked_packages(prefix: Path) -> Iterator[str]:
    """Return the folders that packages of an environment are in which were installed where they are developed."""
    for file in prefix.glob("lib/python*/site-packages/*.pth"):
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        yield from (line for line in lines if os.path.isabs(line) and os.path.isdir(line))  # noqa: PTH117, PTH112

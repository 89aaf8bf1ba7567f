"""Sandboxes of bubblewrap: whether there can be any here, and the command that builds one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fairplay.sandbox import gate
from fairplay.sandbox.gate import GATE, TEMP_FOLDERS
from fairplay.sandbox.limits import Limits
from fairplay.sandbox.paths import SYSTEM_FOLDERS, Visibility, real, view

MODES = ("auto", "require", "off")
MODE_VARIABLE = "FAIRPLAY_SANDBOX"
"""The variable of the environment that says what the mode "auto" is."""
TRIAL_LIMIT_S = 20.0

SETTINGS = (
    *("alternatives", "ca-certificates", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "pki", "ssl"),
    "java*",
)
"""What programs need of /etc and everybody may know."""
KEYS = tuple(map(Path, ("/etc/ssl/private", "/etc/pki/tls/private", "/etc/pki/CA/private")))
"""What is in there and nobody may know."""
OWN_SETTINGS = Path(__file__).with_name("etc")
NAMED_VARIABLES = ("LANG", "LANGUAGE", "PATH", "TZ")
NAMED_PREFIX = "LC_"
WALLS = (
    *("--unshare-user", "--disable-userns", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
    *("--unshare-cgroup-try", "--uid", "1000", "--gid", "1000", "--hostname", "player", "--cap-drop", "ALL"),
    *("--new-session", "--die-with-parent"),
)
ADVICE = "programs of others can then read and end what belongs to you; docs/security.md says more"


class SandboxMissingError(OSError):
    """There can be no sandbox here; the sentence says what is missing and how to get it."""


class Sandbox(NamedTuple):
    """A way to build sandboxes."""

    program: str
    """The path of bubblewrap."""

    def command(self, visibility: Visibility, own: Sequence[Path], limits: Limits, temp: str = "") -> list[str]:
        """Return the command that builds the sandbox of a program; what is run in it is still to be added.

        `own` are the paths that the program sees besides the system's, see `view`. `temp` is the folder that it has for
        temporary files, with others; empty: one of its own.
        """
        settings = [path for pattern in SETTINGS for path in sorted(Path("/etc").glob(pattern))]
        shown = [*(folder for folder in SYSTEM_FOLDERS if not folder.is_symlink()), *settings, *own]
        return [
            *(self.program, *WALLS, *_system(settings), *_temp(limits.temp)),
            *(("--bind", temp, TEMP_FOLDERS[0]) if temp else ()),
            *(word for path in own for word in _read_only(path)),
            *_covers([*visibility.hidden, *KEYS], shown),
            *_closed(visibility),
        ]


def find_sandbox() -> Sandbox:
    """Return the way to build sandboxes here. Raises SandboxMissingError if there is none."""
    if sys.platform != "linux":
        raise SandboxMissingError("sandboxes need Linux")
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxMissingError(
            "bubblewrap is not installed: install the package bubblewrap of your system, e.g. apt install bubblewrap"
        )
    sandbox = Sandbox(program)
    visibility = Visibility(Path("/"), os.defpath, Path("/nobody"))
    try:
        trial = [*sandbox.command(visibility, view(visibility, ["true"]).paths, Limits()), "--", "true"]
        done = subprocess.run(trial, capture_output=True, timeout=TRIAL_LIMIT_S, check=False, text=True)
        problem = done.stderr.strip().partition("\n")[0] if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        problem = str(error)
    if problem:
        raise SandboxMissingError(
            f"bubblewrap cannot build a sandbox here ({problem}): it has to be 0.8 or newer, and the system, or the "
            "container that this runs in, has to allow user namespaces"
        )
    return sandbox


def choose_mode(typed: str, environ: Mapping[str, str]) -> str:
    """Return the mode that was typed, or the one of the environment in place of "auto".

    Raises ValueError, with a sentence that says what to give instead, if there is no such mode.
    """
    mode = environ.get(MODE_VARIABLE, typed) if typed == "auto" else typed
    if mode not in MODES:
        raise ValueError(f"there is no sandbox {mode!r}: give {', '.join(MODES[:-1])} or {MODES[-1]}")
    return mode


def choose_sandbox(mode: str) -> tuple[Sandbox | None, str]:
    """Return the sandbox for a mode, and a sentence to say if there is none though it was wished for.

    Raises SandboxMissingError if one is required and there is none.
    """
    if mode == "off":
        return None, ""
    try:
        return find_sandbox(), ""
    except SandboxMissingError as missing:
        if mode == "require":
            raise
        return None, f"programs run without a sandbox, because {missing}; {ADVICE}"


def sandbox_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program in a sandbox: of ours only what is named here."""
    kept = {name: value for name, value in environ.items() if name in NAMED_VARIABLES or name.startswith(NAMED_PREFIX)}
    return {"PATH": os.defpath, **kept, "HOME": "/tmp", "TMPDIR": "/tmp", "USER": "player", "LOGNAME": "player"}


def _system(settings: Iterable[Path]) -> Iterator[str]:
    for folder in SYSTEM_FOLDERS:
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from _read_only(folder)
    for path in settings:
        yield from _read_only(path)
    for path in sorted(OWN_SETTINGS.iterdir()):
        yield from ("--ro-bind", str(path), f"/etc/{path.name}")
    yield from ("--ro-bind", gate.__file__, GATE)
    yield from ("--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev")


def _temp(size: int) -> Iterator[str]:
    """Return the private temporary folders; each has room for a little more than is allowed, so that excess is seen."""
    for folder in TEMP_FOLDERS:
        yield from ("--perms", "1777", "--size", str(size + size // 16 + 2**20), "--tmpfs", folder)


def _covers(hidden: Iterable[Path], shown: Sequence[Path]) -> Iterator[str]:
    """Return what covers the hidden files and folders, wherever they are seen, with something empty."""
    sources = set(map(real, hidden))
    for source in sorted(source for source in sources if not sources.intersection(source.parents)):
        for path in shown:
            if source.is_relative_to(real(path)):
                place = str(path / source.relative_to(real(path)))
                yield from ("--tmpfs", place, "--remount-ro", place) if source.is_dir() else ()
                yield from ("--ro-bind", os.devnull, place) if source.is_file() else ()


def _closed(visibility: Visibility) -> Iterator[str]:
    folder = str(visibility.folder.absolute())
    yield from ("--dir", folder, "--chdir", folder, "--remount-ro", "/dev", "--remount-ro", "/")


def _read_only(path: Path) -> tuple[str, str, str]:
    return "--ro-bind", str(path.resolve()), str(path.absolute())

"""Check that generated/python is what proto/ gives. Run by `make check` in the environment of .tools."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.generate import GENERATED, generate


def contents(folder: Path) -> dict[str, bytes]:
    """Return the bytes of each file below a folder, by its path in there. Caches of Python do not count."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def differences(kept: Mapping[str, bytes], fresh: Mapping[str, bytes]) -> list[str]:
    """Return the paths that are in one of the two only, or not the same in both."""
    return sorted(path for path in kept.keys() | fresh.keys() if kept.get(path) != fresh.get(path))


def main() -> int:
    """0: the stubs are fresh. 1: they are not, or the protos do not compile."""
    with TemporaryDirectory() as scratch:
        if generate(Path(scratch)) != 0:
            return 1
        stale = differences(contents(GENERATED / "fairplay"), contents(Path(scratch) / "fairplay"))
    if not stale:
        return 0
    named = ", ".join(stale[:3]) + (", ..." if len(stale) > 3 else "")
    print(
        f"generated/python is not what proto/ gives ({len(stale)} files differ: {named}): "
        "run `make generate` and commit what changes.",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())

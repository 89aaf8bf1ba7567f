"""Make the files of a release in dist/: packages, SHA256SUMS and a bill of materials.

Run in the root of a tree without changes: python -m tools.release [PACKAGE ...] [--output DIR]
The same commit gives the same bytes. A release that the folder holds goes, and all that is in dist/.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.generate_languages import ROOT, FailedError
from tools.release.bill import write_bill
from tools.release.files import SUMS, write_sums
from tools.release.packages import PACKAGES_MADE, VERSION, Made, Package

DIST = ROOT / "dist"


def main(arguments: Sequence[str]) -> int:
    """0: the files are there. 1: one could not be made. 2: this machine or tree lacks something."""
    titles = [each.title for each in PACKAGES_MADE]
    parser = argparse.ArgumentParser(prog="make release", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", metavar="PACKAGE", nargs="*", help=f"of {', '.join(titles)}; default: all")
    parser.add_argument("--output", metavar="DIR", type=Path, default=DIST, help="default: dist")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.packages).difference(titles):
        parser.error(f"there is no package {', '.join(sorted(unknown))}: choose of {', '.join(titles)}")
    if _git("status", "--porcelain"):
        parser.error("the tree has changes: commit them, or make the release in a clean clone")
    out: Path = chosen.output.resolve()
    if out != DIST and not (out / SUMS).exists() and out.exists() and any(out.iterdir()):
        parser.error(f"{out} has other files: name a folder that is new or empty, or that holds a release")
    packages = [each for each in PACKAGES_MADE if not chosen.packages or each.title in chosen.packages]
    if lacking := {each for package in packages for each in package.programs if shutil.which(each) is None}:
        parser.error(f"{', '.join(sorted(lacking))} is missing: install it, or name the packages to make")
    os.environ["SOURCE_DATE_EPOCH"] = _git("log", "-1", "--format=%ct")
    try:
        make_release(packages, out)
    except FailedError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def make_release(packages: Sequence[Package], out: Path) -> None:
    """Make packages in an emptied folder, with checksums and a bill of materials. Raises FailedError."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    made: dict[Package, Made] = {}
    for package in packages:
        began = time.monotonic()
        with TemporaryDirectory() as scratch:
            made[package] = package.make(Path(scratch), out)
        names = ", ".join(path.name for path in made[package].files)
        print(f"{package.title}: {names}; {time.monotonic() - began:.1f} s", flush=True)
    write_bill(out / f"fairplay-{VERSION}.cdx.json", made)
    write_sums(out)
    print(f"{out / SUMS} has their checksums", flush=True)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

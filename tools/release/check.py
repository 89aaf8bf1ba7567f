"""Try a release as strangers would: make it again, and have a player certified with each file and nothing else of ours.

Run in the root of the tree after `make release`: python -m tools.release.check [PACKAGE ...] [--input DIR] [--once]
The README in a package shows a player, file by file, and the commands from the package to the certificate. They run in
a folder that holds the package alone, with the wheel of the release in an environment of its own for `fairplay`.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.docs.pages import blocks, commands, script
from tools.generate_languages import GO_MODULE, ROOT, FailedError, execute
from tools.release.files import SUMS
from tools.release.packages import NAME, VERSION

LIMIT_S = 3600.0
"""For all that a README says, on a machine that is busy and has fetched nothing yet."""
FILE = re.compile(r"(?://|#|<!--) (\S+\.\w+)(?: -->)?\n")
"""The first line of a block that is a file."""
CERTIFY, CERTIFY_BUSY = "fairplay certify fish", "fairplay certify fish --limit 10s --start-limit 60s --budget 60m"
"""What a README shows, and what does not fail for a machine on which much else goes on."""
PYTHON = '```console\n$ fairplay new fish my-fish\n$ fairplay certify fish exec:"python my-fish/player.py"\n```\n'
"""What the README of the wheel shows, for users of it alone."""
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read()))
"""


def read_member(archive: Path, name: str) -> str:
    """Return a text in a package."""
    if zipfile.is_zipfile(archive):
        return zipfile.ZipFile(archive).read(name).decode()
    with tarfile.open(archive) as opened:
        found = opened.extractfile(name)
        assert found is not None, f"{archive.name} has no {name}"
        return found.read().decode()


def check_readme(text: str, files: Sequence[Path], programs: Path) -> None:
    """Write the files that a README shows and run its commands, beside packages. Raises FailedError."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for each in files:
            shutil.copy(each, folder)
        for block in blocks(text):
            if found := FILE.match(block.text):
                (folder / found[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / found[1]).write_text(block.text, "utf-8")
        in_shell = script(commands(text.replace(CERTIFY, CERTIFY_BUSY)))
        done = subprocess.run(
            ["bash", "-c", in_shell],
            cwd=folder,
            env=alone(programs, folder / ".caches"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if done.returncode != 0:
            raise FailedError(done.stdout[-8000:])


def alone(programs: Path, caches: Path) -> Mapping[str, str]:
    """Return the variables of somebody who has none of this tree and fetched nothing yet, with programs on the PATH."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    fresh = {
        "CARGO_HOME": f"{caches}/cargo",
        "GOCACHE": f"{caches}/go-build",
        "GOFLAGS": "-modcacherw",  # which can be removed
        "GOMODCACHE": f"{caches}/go",
        "MAVEN_OPTS": f"-Dmaven.repo.local={caches}/maven",
        "npm_config_cache": f"{caches}/npm",
    }
    return {**kept, **fresh, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def install(wheel: Path, programs: Path) -> None:
    """Install the wheel in an environment of its own, with what makes players and certifies them."""
    execute(wheel.parent, sys.executable, "-m", "venv", str(programs.parent))
    python = str(programs / "python")
    execute(wheel.parent, python, "-m", "pip", "install", "--quiet", "--no-cache-dir", f"{wheel}[certify,terminal]")


def check_language(archive: str, readme: str) -> Callable[[Path, Path], None]:
    """Return the check of a package: what its README says leads to a certificate."""
    return lambda files, programs: check_readme(read_member(files / archive, readme), [files / archive], programs)


def check_python(_: Path, programs: Path) -> None:
    """Check that the wheel alone makes a player and certifies it."""
    check_readme(PYTHON, [], programs)


def check_protos(files: Path, _: Path) -> None:
    """Check that buf takes the archive for a module, and finds in it what must not be broken."""
    archive = f"{files / f'fairplay-protos-{VERSION}.tar.gz'}#strip_components=1"
    buf = str(Path(sys.executable).with_name("buf"))
    execute(ROOT, buf, "lint", archive)
    execute(ROOT, buf, "breaking", archive, "--against", str(ROOT / "proto" / "image.binpb"))


def check_bill(files: Path, programs: Path) -> None:
    """Check the bill of materials by the schema of CycloneDX."""
    python = str(programs / "python")
    execute(files, python, "-m", "pip", "install", "--quiet", "cyclonedx-python-lib[json-validation]")
    execute(files, python, "-c", VALIDATE, f"fairplay-{VERSION}.cdx.json")


CHECKS: Mapping[str, Callable[[Path, Path], None]] = {
    "bill": check_bill,
    "protos": check_protos,
    "python": check_python,
    "npm": check_language(f"{NAME}-{VERSION}.tgz", "package/README.md"),
    "go": check_language(f"fairplay-go-{VERSION}.zip", f"{GO_MODULE}@v{VERSION}/README.md"),
    "crate": check_language(f"{NAME}-{VERSION}.crate", f"{NAME}-{VERSION}/README.md"),
    "maven": check_language(f"{NAME}-{VERSION}.jar", "META-INF/README.md"),
    "cpp": check_language(f"{NAME}-cpp-{VERSION}.tar.gz", f"{NAME}-cpp-{VERSION}/README.md"),
}


def check_again(files: Path) -> None:
    """Check that the same commit gives the same bytes again. Raises FailedError with what differs."""
    with TemporaryDirectory() as scratch:
        execute(ROOT, sys.executable, "-m", "tools.release", "--output", scratch, limit_s=LIMIT_S)
        kept, again = ((folder / SUMS).read_text().splitlines() for folder in (files, Path(scratch)))
    if differing := set(kept) ^ set(again):
        raise FailedError("not the same bytes again: " + ", ".join(sorted({line.split()[1] for line in differing})))


def passes(name: str, check: Callable[[], None]) -> bool:
    """Say how long a check took, and a processor with it, or why it failed, and return whether all is well."""
    began, used = time.monotonic(), _used()
    try:
        check()
    except FailedError as error:
        print(f"{name}: FAILED: {error}", flush=True)
        return False
    print(f"{name}: {(time.monotonic() - began) / 60:.1f} min, {(_used() - used) / 60:.1f} of a processor", flush=True)
    return True


def _used() -> float:
    """Return how many seconds of a processor all programs have taken that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(arguments: Sequence[str]) -> int:
    """0: all is well. 1: a file is at fault. 2: there is no release."""
    parser = argparse.ArgumentParser(prog="make release-check", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", metavar="PACKAGE", nargs="*", help=f"of {', '.join(CHECKS)}; default: all")
    parser.add_argument("--input", metavar="DIR", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--once", action="store_true", help="do not make the release again, to compare")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.packages).difference(CHECKS):
        parser.error(f"there is no package {', '.join(sorted(unknown))}: choose of {', '.join(CHECKS)}")
    files = chosen.input.resolve()
    wheel = files / f"fairplay_protocol-{VERSION}-py3-none-any.whl"
    if not wheel.exists():
        parser.error(f"there is no {wheel}: `make release` first")
    with TemporaryDirectory() as scratch:
        programs = Path(scratch, "own", "bin")
        if not passes("wheel", partial(install, wheel, programs)):
            return 1
        wanted = [name for name in CHECKS if not chosen.packages or name in chosen.packages]
        checks = {name: partial(CHECKS[name], files, programs) for name in wanted}
        again = {} if chosen.once else {"again": partial(check_again, files)}
        failed = [name for name, check in (again | checks).items() if not passes(name, check)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

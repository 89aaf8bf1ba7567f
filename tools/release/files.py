"""Files of a release: templates filled in, archives with the same bytes each time, and their checksums."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tools.generate_languages import ROOT

PACKAGES = ROOT / "packages"
"""What a package has beside the stubs, a folder a language."""
SUMS = "SHA256SUMS"
VALUE = re.compile(r"@([A-Z-]{2,})@")
SHOWN = re.compile(r"^@(examples/\S+)@$", re.MULTILINE)


def epoch() -> int:
    """Return the time of the release in seconds since 1970, which build tools read from the environment, too."""
    return int(os.environ["SOURCE_DATE_EPOCH"])


def fill_in(source: Path, target: Path, values: Mapping[str, str], stubs: tuple[str, str]) -> None:
    """Write a template with @NAME@ replaced by the value of NAME, and @examples/PATH@ by the text of this file.

    `stubs`: what the example imports its stubs from, and what whoever has the package does. Raises KeyError if there is
    no value.
    """

    def show(found: re.Match[str]) -> str:
        return (ROOT / found[1]).read_text("utf-8").rstrip().replace(*stubs)

    target.parent.mkdir(parents=True, exist_ok=True)
    filled = VALUE.sub(lambda found: values[found[1]], source.read_text("utf-8"))
    target.write_text(SHOWN.sub(show, filled), "utf-8")


def below(folder: Path) -> Iterable[tuple[str, bytes]]:
    """Yield the files below a folder in the order of their paths: path, bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def write_tar(target: Path, folder: Path) -> Path:
    """Write a .tar.gz of a folder, below the name of the archive without its ending, and return its path."""
    top = target.name.removesuffix(".tar.gz")
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=epoch()) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, content in below(folder):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size, member.mtime = len(content), epoch()
            archive.addfile(member, io.BytesIO(content))
    return target


def write_zip(target: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    """Write a zip of files, each a path and its bytes, in this order, and return its path."""
    time = datetime.fromtimestamp(epoch(), UTC).timetuple()[:6]
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files:
            member = zipfile.ZipInfo(name, time)
            member.external_attr = 0o100644 << 16
            archive.writestr(member, content, zipfile.ZIP_DEFLATED)
    return target


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS of all files in a folder, as `sha256sum --check` reads it."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != SUMS)
    (folder / SUMS).write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files), "utf-8")

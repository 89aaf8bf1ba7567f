"""What can be said of a release in a second: `make release-check` makes all of it, and tries it as strangers would."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, commands
from tools.release.check import FILE
from tools.release.packages import VERSION, make_protos


def test_the_same_protos_give_the_same_bytes_wherever_and_whenever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    made = []
    for name in ("first", "second"):
        folder, out = tmp_path / name / "folder", tmp_path / name / "out"
        folder.mkdir(parents=True)
        out.mkdir()
        [archive] = make_protos(folder, out).files
        os.utime(archive, (1, 1))
        made.append(archive)
    assert made[0].read_bytes() == made[1].read_bytes()
    with tarfile.open(made[0]) as opened:
        names = opened.getnames()
        assert {member.mtime for member in opened.getmembers()} == {1800000000}
    assert {f"fairplay-protos-{VERSION}/{name}" for name in ("buf.yaml", "fairplay/v1/player.proto")} <= set(names)


def test_each_package_shows_a_player_and_ends_with_its_certificate() -> None:
    pages = sorted((ROOT / "packages").glob("*/README.md"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text("utf-8")
        assert any(FILE.match(block.text) for block in blocks(text)), page
        assert commands(text)[-1].text.startswith("fairplay certify fish exec:"), page


def test_no_release_is_made_of_what_there_is_not() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.release", "gopher"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "there is no package gopher: choose of python, protos, site, npm" in done.stderr


def test_a_folder_with_other_files_keeps_them(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), tmp_path / "tree"], check=True)
    kept = tmp_path / "mine" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("of mine")
    done = subprocess.run(
        [sys.executable, "-m", "tools.release", "protos", "--output", kept.parent],
        cwd=tmp_path / "tree",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "has other files: name a folder that is new or empty, or that holds a release" in done.stderr
    assert kept.read_text() == "of mine"


def test_an_image_is_built_of_all_that_the_wheel_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    needed = {path.partition("/")[0] for path in project["targets"]["wheel"]["packages"]}
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()}
    assert needed <= sent

"""What can be said of a release in a second: `make release-check` makes all of it, and tries it as strangers would."""

from __future__ import annotations

import tomllib

from tests.docs.pages import ROOT, blocks, commands
from tools.release.check import FILE


def test_each_package_shows_a_player_and_ends_with_its_certificate() -> None:
    pages = sorted((ROOT / "packages").glob("*/README.md"))
    assert len(pages) == 5
    for page in pages:
        text = page.read_text("utf-8")
        assert any(FILE.match(block.text) for block in blocks(text)), page
        assert commands(text)[-1].text.startswith("fairplay certify fish exec:"), page


def test_an_image_is_built_of_all_that_the_wheel_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    needed = {path.partition("/")[0] for path in project["targets"]["wheel"]["packages"]}
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()}
    assert needed <= sent

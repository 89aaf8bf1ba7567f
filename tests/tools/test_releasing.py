"""What docs/releasing.md has typed before a release: the lines that change files. The rest is `make`, git and gpg."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from tests.docs.pages import ROOT


def test_the_version_its_classifier_and_the_changelog_become_those_of_the_release(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    typed = re.findall(r"^sed .+$", (ROOT / "docs" / "releasing.md").read_text("utf-8"), re.MULTILINE)
    subprocess.run(["bash", "-euc", "\n".join(typed)], cwd=tmp_path, check=True)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == "1.0.0"
    assert "Development Status :: 5 - Production/Stable" in project["classifiers"]
    headings = re.findall(r"^## (\[.+)$", (tmp_path / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(r"\[1\.0\.0\] - \d{4}-\d\d-\d\d", headings[1])

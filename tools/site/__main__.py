"""Make build/site: the pages of the tree as a site, with search, every link checked.

Run in .venv, in the root of the tree, with mkdocs in .tools: python -m tools.site [--output DIR]
The list of the certified that `make certified` has written, if it has, is at certified/.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.site.source import ROOT, write_source

CERTIFIED = ROOT / "build" / "certified" / "site"
QUIET = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
"""mkdocs-material warns of mkdocs 2, which tools/requirements.txt keeps away."""
MKDOCS = ROOT / ".tools" / "bin" / "mkdocs"


def main() -> int:
    """0: the site is there. 1: a link of it leads nowhere."""
    parser = argparse.ArgumentParser(prog="make site", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--output", metavar="DIR", type=Path, default=ROOT / "build" / "site", help="default: build/site"
    )
    parser.add_argument(
        "--certified", metavar="DIR", type=Path, default=CERTIFIED, help="the list of the certified, if it is there"
    )
    given = parser.parse_args()
    out: Path = given.output.resolve()
    with TemporaryDirectory() as scratch:
        pages, config = Path(scratch, "pages"), Path(scratch, "mkdocs.yml")
        navigation = write_source(pages)
        if given.certified.exists():
            shutil.copytree(given.certified, pages / "certified")
            navigation.append({"Certified": "certified/index.html"})
        settings = {"INHERIT": str(Path(__file__).with_name("mkdocs.yml")), "nav": navigation}
        config.write_text(json.dumps({**settings, "docs_dir": str(pages), "site_dir": str(out)}), "utf-8")
        built = subprocess.run([MKDOCS, "build", "--strict", "--config-file", config], cwd=ROOT, check=False, env=QUIET)
    if built.returncode == 0:
        print(out)
    return built.returncode


if __name__ == "__main__":
    sys.exit(main())

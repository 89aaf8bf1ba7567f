"""Write the files of the tree into the pages that show them.

A page shows a file in the fenced block that follows the line `<!-- code: PATH -->`.
Run in .venv, in the root of the tree: python -m tools.docs_code
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "docs" / "add-a-game.md",)
LANGUAGES = {".py": "python", ".proto": "proto", ".toml": "toml"}
SHOWN = re.compile(r"^<!-- code: (\S+) -->\n```.*?^```$", re.MULTILINE | re.DOTALL)


def with_code(text: str) -> str:
    """Return a page with the present text of each file that it shows."""
    return SHOWN.sub(lambda found: _block(found[1]), text)


def _block(name: str) -> str:
    path = ROOT / name
    return f"<!-- code: {name} -->\n```{LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8')}```"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_code(page.read_text(encoding="utf-8")), encoding="utf-8")

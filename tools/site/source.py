"""Gather what the site consists of: all that pages link to, from README.md on, and the pages of the games.

Everything keeps its place in the tree, so that links stay as they are. A file that is no page becomes one that shows
it, and a folder one that lists its files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tools.site.games import write_games

ROOT = Path(__file__).resolve().parents[2]
FIRST = "README.md"
INDEX = "docs/README.md"
WIDE = "---\nhide: [navigation, toc]\n---\n\n"
"""How the first page begins: it has three columns of its own."""
SERVED = {".json", ".png", ".svg"}
"""What a browser shows by itself."""
LANGUAGES = {".cc": "cpp", ".rs": "rust", ".ts": "typescript", ".yml": "yaml"}
"""The names that Pygments has for what it does not know by the ending."""
FENCED = re.compile(r"(^ *(?:````.*?^ *````|```.*?^ *```)$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^()\s]+)(?=\))")
TAG = re.compile(r"<(table|tr)\b|<(td)\b")
PART = re.compile(r"^## \d+\. (.+)$|^\| \[([^\]]+)\]\(([^)]+)\)", re.MULTILINE)


def write_source(out: Path) -> list[dict[str, Any]]:
    """Write what mkdocs reads into a folder, and return the navigation."""
    left, known = [FIRST, INDEX], {FIRST, INDEX}
    while left:
        name = left.pop()
        for link in _write(name, out):
            if link not in known:
                known.add(link)
                left.append(link)
    for each in ("web/fairplay/web/static/icon.svg", "tools/site/site.css"):
        shutil.copy(ROOT / each, out)
    return [*_parts(), {"Games": write_games(out)}, {"All pages": INDEX}]


def page_of(name: str) -> str:
    """Return where the site has a file or folder of the tree."""
    path = ROOT / name
    if path.is_dir():
        return f"{name}/index.md"
    return name if path.suffix in SERVED | {".md"} else f"{name}.md"


def _write(name: str, out: Path) -> Iterator[str]:
    """Write one file, and yield what it links to."""
    path, target = ROOT / name, out / page_of(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        files = _files(name)
        target.write_text(_listing(name, files), "utf-8")
        yield from files
    elif path.suffix == ".md":
        text, links = _page(path)
        target.write_text(WIDE + text if name == FIRST else text, "utf-8")
        yield from links
    elif path.suffix in SERVED:
        shutil.copy(path, target)
    else:
        target.write_text(_shown(path), "utf-8")


def _page(path: Path) -> tuple[str, list[str]]:
    """Return the text of a page with its links as the site has them, and what they lead to in the tree."""
    links: list[str] = []

    def led(found: re.Match[str]) -> str:
        parts = urlsplit(found[0])
        target = (path.parent / parts.path).resolve()
        if parts.scheme or not parts.path or not target.exists():
            return found[0]  # mkdocs names those that lead nowhere
        name = target.relative_to(ROOT).as_posix()
        links.append(name)
        return parts._replace(path=parts.path.rstrip("/") + page_of(name).removeprefix(name)).geturl()

    def read(text: str) -> str:
        marked = TAG.sub(lambda tag: tag[0] + (' markdown="block"' if tag[2] else ' markdown="1"'), text)
        return LINK.sub(led, marked)

    pieces = FENCED.split(path.read_text("utf-8"))
    return "".join(piece if number % 2 else read(piece) for number, piece in enumerate(pieces)), links


def _shown(path: Path) -> str:
    language = LANGUAGES.get(path.suffix, path.suffix.removeprefix("."))
    name = path.relative_to(ROOT).as_posix()
    return f"{_source_head(name)}````{language}\n{path.read_text('utf-8').rstrip()}\n````\n"


def _listing(name: str, files: list[str]) -> str:
    shown = (each.removeprefix(f"{name}/") for each in files)
    return _source_head(name) + "".join(
        f"- [{each}]({page_of(f'{name}/{each}').removeprefix(f'{name}/')})\n" for each in shown
    )


def _source_head(name: str) -> str:
    """Return how a page of a file begins, which a search does not find."""
    return f"---\nsearch:\n  exclude: true\n---\n\n# {name}\n\n"


def _files(folder: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def _parts() -> Iterator[dict[str, Any]]:
    """Yield the parts of the index, with their pages."""
    pages: list[dict[str, str]] = []
    for title, page, link in PART.findall((ROOT / INDEX).read_text("utf-8")):
        if title:
            pages = []
            yield {title: pages}
        else:
            pages.append({page: (ROOT / "docs" / link).resolve().relative_to(ROOT).as_posix()})

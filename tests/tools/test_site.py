"""What mkdocs is given for the site: every page in its place, and no link that leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fairplay.games.frontends import find_frontend
from fairplay.games.game import registered
from tests.docs.pages import PAGES, name_of
from tools.site.source import FENCED, write_source

LINK = re.compile(r"\]\(([^()\s]+)\)")


def pages_of(navigation: list[Any]) -> set[str]:
    """Return the pages of a navigation, whatever part they are in."""
    entries = [each if isinstance(each, str) else next(iter(each.values())) for each in navigation]
    return {page for each in entries for page in (pages_of(each) if isinstance(each, list) else {each})}


def test_the_site_has_every_page_and_every_game_and_its_links_lead_to_what_it_has(tmp_path: Path) -> None:
    navigation = write_source(tmp_path)
    assert pages_of(navigation) >= {name_of(page) for page in PAGES}
    links = 0
    for page in tmp_path.rglob("*.md"):
        prose = "".join(FENCED.split(page.read_text())[::2])
        for link in (found[1] for found in LINK.finditer(prose) if not found[1].startswith(("https://", "#"))):
            links += 1
            assert (page.parent / link.partition("#")[0]).is_file(), f"{page}: {link}"
    assert links > 500
    for name in registered():
        frontend = find_frontend(name)
        if frontend and frontend.guide:
            shown = (tmp_path / "games" / f"{name}.md").read_text()
            assert frontend.guide.goal in shown
            assert all(sentence in shown for sentence in (*frontend.guide.turn, *frontend.guide.scoring))
            assert (tmp_path / "games" / f"{name}-0.svg").read_text().startswith("<svg")

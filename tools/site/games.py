"""Write a page for each game, for people: goal, course, scoring and pictures, as its guide says them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from fairplay.games.frontends import Guide, find_frontend
from fairplay.games.game import Game, find, registered

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
DOCS = PICTURES.parent


def write_games(out: Path) -> list[str | dict[str, str]]:
    """Write a page for each game that has a guide, and one that lists them; return their navigation."""
    folder = out / "games"
    folder.mkdir(parents=True, exist_ok=True)
    found = ((find(name), find_frontend(name)) for name in registered())
    guided = [(game, frontend, frontend.guide) for game, frontend in found if frontend and frontend.guide]
    for game, frontend, guide in guided:
        for number, figure in enumerate(guide.figures):
            (folder / f"{game.name}-{number}.svg").write_text(figure.draw(), "utf-8")
        (folder / f"{game.name}.md").write_text("\n".join(_page(game, guide, frontend.help)), "utf-8")
    listed = (f"## [{game.title}]({game.name}.md)\n\n{guide.goal} {_seats(game)}\n" for game, _, guide in guided)
    (folder / "index.md").write_text("\n".join(["# Games\n", *listed]), "utf-8")
    return ["games/index.md", *({game.title: f"games/{game.name}.md"} for game, _, _ in guided)]


def _page(game: Game, guide: Guide, keys: str) -> Iterator[str]:
    yield f"# {game.title}\n\n{guide.goal} {_seats(game)}\n"
    picture = f"web-table-{game.name}.png"
    if (PICTURES / picture).exists():
        yield f"![A table of {game.title} in a browser](../docs/pictures/{picture})\n"
    yield from ("## A turn\n", *_items(guide.turn))
    for number, figure in enumerate(guide.figures):
        yield f"![{figure.caption}]({game.name}-{number}.svg)\n\n*{figure.caption}*\n"
    yield from ("## What counts\n", *_items(guide.scoring))
    if guide.more:
        yield "## What else there is\n\n| | |\n|---|---|"
        yield from (f"| **{word}** | {sentence} |" for word, sentence in guide.more.items())
        yield ""
    yield "## Play it\n"
    yield f"By hand [in a browser](../docs/web.md), or [in a terminal](../docs/play-at-a-table.md): {keys}\n"
    yield "## Write a player\n"
    yield f"- [The rules](../docs/rules.md#{game.name}), a sentence each, by the ids that failures name"
    yield f"- [Calls and messages](../docs/reference/{game.service.rpartition('.')[0]}.md)"
    if (DOCS / f"{game.name}.md").exists():
        yield f"- [More about {game.title}](../docs/{game.name}.md), for programs"
    yield ""


def _seats(game: Game) -> str:
    return f"For {game.seats.start} to {game.seats.stop - 1} players."


def _items(sentences: Sequence[str]) -> Iterator[str]:
    yield from (f"- {sentence}" for sentence in sentences)
    yield ""

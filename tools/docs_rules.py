"""Write docs/rules.md from the rules of the installed games.

Run in .venv, in the root of the tree: python -m tools.docs_rules
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fairplay.games.game import Game, find, registered

PAGE = Path(__file__).parent.parent / "docs" / "rules.md"
HEAD = """\
# Rule ids

<!-- Made by `python -m tools.docs_rules` from the games themselves: change the sentences there. -->

When a player breaks a rule, its misconduct names the id of that rule. Ids are stable: none is ever renamed or given
another meaning. `fairplay games NAME` prints the same list. An id is `GAME.THING.ASPECT`. Some are for answers that
are malformed, so that no state would allow them; the others are for what the game forbids.
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *(line for name in registered() for line in _section(find(name)))])


def _section(game: Game) -> Iterator[str]:
    yield f"## {game.title}\n"
    yield "| rule | what it asks |"
    yield "|---|---|"
    for rule_id, sentence in sorted(game.rules.items()):
        yield f"| `{rule_id}` | {sentence.replace('|', chr(92) + '|')} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

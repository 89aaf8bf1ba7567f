"""How a state of Nim looks, as SVG and in a terminal. The part of a match takes it and all to the right of it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fairplay.games.frontends import Choice
from fairplay.games.kit.person import Marks, bracketed
from fairplay.games.kit.pictures import document, outline, piece
from fairplay.games.kit.turns import Looks
from fairplay_nim.rules import State, Take

ROW, MATCH, MARGIN = 44, 18, 24  # pixels: the height of a heap, the width of a match, the edge of the picture


def find_choice(state: State, take: Take) -> Choice:
    """Return the match that stands for an action: the leftmost that is taken."""
    place = state.heaps[take.heap] - take.match_count
    return Choice(f"match-{take.heap}-{place}", f"Take {take.match_count} from heap {take.heap}", place, take.heap)


def board(state: State, marks: Marks) -> str:
    """Return the heaps in rich's console markup."""
    lines = []
    for heap, size in enumerate(state.heaps):
        matches = [bracketed("[yellow]|[/]", f"match-{heap}-{place}", marks) for place in range(size)]
        lines.append(f"[dim]{heap}[/] {''.join(matches)} [dim]{size}[/]")
    return "\n".join(lines)


def svg(state: State, players: Sequence[str], marks: Marks) -> str:
    """Return the heaps and the lines about the players as one SVG document."""
    width = max(280, 2 * MARGIN + MATCH * max(state.heaps))
    height, parts = ROW * len(state.heaps) + 22 * len(players) + 2 * MARGIN, []
    for heap, size in enumerate(state.heaps):
        for place in range(size):
            part, at = f"match-{heap}-{place}", f"translate({MARGIN + MATCH * place} {MARGIN + ROW * heap})"
            parts.append(piece("match", f"heap {heap}, match {place}", part=part, transform=at))
            parts.append('<path d="M0 0v34" stroke="#d9a75b" stroke-width="5"/><circle r="5"/>')
            parts.append(outline('circle r="7"', part, marks, 2.0) + "</g>")
    for number, line in enumerate(players, 1):
        y = MARGIN + ROW * len(state.heaps) + 22 * number
        parts.append(f'<text x="{MARGIN}" y="{y}" font-size="15">{escape(line)}</text>')
    return document(width, height, "Nim", parts, ground="#f5f1e6", ink="#333333")


LOOKS = Looks(board=board, svg=svg, find_choice=find_choice)

"""Pictures of Nim: a state as SVG, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from fairplay.games.kit.lettering import literally, short_name
from fairplay_nim import rules

ROW, MATCH, MARGIN = 44, 14, 24  # pixels: the height of a heap, the width of a match, the edge of the picture


def text(state: rules.State, players: Sequence[str]) -> str:
    """Return the heaps and the players in rich's console markup."""
    heaps = [f"[dim]{heap}[/] [yellow]{'|' * size}[/] [dim]{size}[/]" for heap, size in enumerate(state.heaps)]
    return "\n".join([*heaps, *(literally(line) for line in _standing(state, players))])


def svg(state: rules.State, players: Sequence[str]) -> str:
    """Return the heaps and the players as one SVG document."""
    lines = list(_standing(state, players))
    width = max(280, 2 * MARGIN + MATCH * max(state.heaps, default=0))
    height = ROW * len(state.heaps) + 22 * len(lines) + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
        "<title>Nim</title>",
        '<rect width="100%" height="100%" rx="12" fill="#f5f1e6"/>',
    ]
    for at, row in ((at, row) for row, size in enumerate(state.heaps) for at in range(size)):
        x, y = MARGIN + MATCH * at, MARGIN + ROW * row
        parts.append(f'<path d="M{x} {y}v34" stroke="#d9a75b" stroke-width="5"/><circle cx="{x}" cy="{y}" r="5"/>')
    for number, line in enumerate(lines, 1):
        y = MARGIN + ROW * len(state.heaps) + 22 * number
        parts.append(f'<text x="{MARGIN}" y="{y}" font-size="15" fill="#333">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>"])


def _standing(state: rules.State, players: Sequence[str]) -> Iterator[str]:
    over, winner = rules.turn(state) is None, state.players[-1:]
    for seat in sorted(state.players):
        name = short_name(players[seat], 24) if seat < len(players) else ""
        status = "has won" if (seat,) == winner else "has lost"
        yield f"{name or f'seat {seat}'}: {status if over else 'to move' if seat == state.players[0] else 'waits'}"

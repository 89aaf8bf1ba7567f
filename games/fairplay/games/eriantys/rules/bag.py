"""Eriantys: students drawn from the bag (eriantys.md section 3.1.a)."""

from __future__ import annotations

from fairplay.games.eriantys.rules.settings import DrawModel
from fairplay.games.eriantys.rules.state import NONE, Counts, plus
from fairplay.games.kit.draws import draw_below


def draw_one(draw_state: int, bag: Counts, model: DrawModel) -> tuple[int, int, Counts]:
    """Return the next draw state, the colour of a drawn student, and the bag, not empty before, without it."""
    if model == "uniform_color":
        left = [color for color, count in enumerate(bag) if count]
        draw_state, place = draw_below(draw_state, len(left))
        return draw_state, left[place], plus(bag, left[place], -1)
    draw_state, place = draw_below(draw_state, sum(bag))
    color = 0
    while place >= bag[color]:
        place -= bag[color]
        color += 1
    return draw_state, color, plus(bag, color, -1)


def draw(draw_state: int, bag: Counts, count: int, model: DrawModel) -> tuple[int, Counts, Counts]:
    """Return the next draw state, at most `count` drawn students, and the bag without them."""
    drawn = NONE
    for _ in range(min(count, sum(bag))):
        draw_state, color, bag = draw_one(draw_state, bag, model)
        drawn = plus(drawn, color)
    return draw_state, drawn, bag

"""Eriantys: drawing students, and everything else that is left to chance (eriantys.md section 3.1.a).

Chance is a number in the state, so that a replay draws the same again.
"""

from __future__ import annotations

from fairplay.games.eriantys.rules.settings import DrawModel
from fairplay.games.eriantys.rules.state import NONE, Counts, plus

_MASK = 0xFFFF_FFFF_FFFF_FFFF


def random_below(luck: int, bound: int) -> tuple[int, int]:
    """The next hidden bits, and a number from 0 to bound - 1 (splitmix64)."""
    luck = luck + 0x9E37_79B9_7F4A_7C15 & _MASK
    bits = (luck ^ luck >> 30) * 0xBF58_476D_1CE4_E5B9 & _MASK
    bits = (bits ^ bits >> 27) * 0x94D0_49BB_1331_11EB & _MASK
    return luck, (bits ^ bits >> 31) * bound >> 64


def draw_one(luck: int, bag: Counts, model: DrawModel) -> tuple[int, int, Counts]:
    """The next hidden bits, the colour of a student drawn, and the bag without it. The bag must not be empty."""
    if model == "uniform_color":
        left = [color for color, count in enumerate(bag) if count]
        luck, place = random_below(luck, len(left))
        return luck, left[place], plus(bag, left[place], -1)
    luck, place = random_below(luck, sum(bag))
    color = 0
    while place >= bag[color]:
        place -= bag[color]
        color += 1
    return luck, color, plus(bag, color, -1)


def draw(luck: int, bag: Counts, count: int, model: DrawModel) -> tuple[int, Counts, Counts]:
    """The next hidden bits, students drawn, and the bag without them: as many as there are, at most `count`."""
    drawn = NONE
    for _ in range(min(count, sum(bag))):
        luck, color, bag = draw_one(luck, bag, model)
        drawn = plus(drawn, color)
    return luck, drawn, bag

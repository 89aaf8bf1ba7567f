"""Random numbers drawn from a number in the state of a game, so that whoever goes on from the state draws the same.

Pure: rules import it.
"""

from __future__ import annotations

_MASK = 0xFFFF_FFFF_FFFF_FFFF


def draw_below(draw_state: int, bound: int) -> tuple[int, int]:
    """Return the next draw state, of 64 bits, and a number from 0 to `bound` - 1 (splitmix64)."""
    draw_state = draw_state + 0x9E37_79B9_7F4A_7C15 & _MASK
    bits = (draw_state ^ draw_state >> 30) * 0xBF58_476D_1CE4_E5B9 & _MASK
    bits = (bits ^ bits >> 27) * 0x94D0_49BB_1331_11EB & _MASK
    return draw_state, (bits ^ bits >> 31) * bound >> 64

"""Names and words in pictures: strangers' names too, in any language, that must neither break nor steer anything.

Rich is imported when a picture is drawn: players, who import their game too, do without it.
"""

from __future__ import annotations

from collections.abc import Sequence

# a backslash is doubled, but rich halves it only before a tag; a colon is parted from what could make it an emoji
_LITERALLY = str.maketrans({"\\": r"\\[b][/b]", "[": r"\[", ":": ":[b][/b]"})


def literally(text: str) -> str:
    """Return the text in rich's console markup, in which it stands for itself."""
    return text.translate(_LITERALLY)


def short_name(name: str, cells: int) -> str:
    """Return a name without what cannot be printed, at most so many cells of a terminal wide; it may be empty."""
    from rich.cells import cell_len, set_cell_size

    name = "".join(filter(str.isprintable, name)).strip()
    if len(name) <= cells >= cell_len(name):
        return name
    return set_cell_size(name[:cells], cells - 1).rstrip() + "…"


def seat_name(seat: int, names: Sequence[str], cells: int) -> str:
    """Return the short name of the player in a seat, e.g. "player 2" where there is none that can be printed."""
    return short_name(names[seat] if seat < len(names) else "", cells) or f"player {seat + 1}"


def name_column(name: str, cells: int) -> str:
    """Return a short name, filled up to so many cells, in rich's console markup."""
    from rich.cells import set_cell_size

    return literally(set_cell_size(name, cells))


def font_size(name: str, room: float, largest: float) -> float:
    """Return the pixels, at most `largest`, at which a name fits into `room` in the widest of the usual fonts."""
    return min(largest, room / text_width(name, 1.0)) if name else largest


def text_width(text: str, size: float) -> float:
    """Return how wide a text is at most in the usual fonts, in pixels, at a size in pixels."""
    return size * sum(map(_em, text))


def _em(letter: str) -> float:
    from rich.cells import cell_len

    if letter in "MWmw@%" or cell_len(letter) > 1:
        return 1.12
    return 0.82 if letter.isupper() else 0.7

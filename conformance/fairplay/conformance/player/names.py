"""Names and ids as a real tournament has them: nothing in a request tells a player that it is being certified."""

from __future__ import annotations

import secrets
import uuid
from random import Random

VISIBLE = "".join(map(chr, range(0x21, 0x7F)))
"""The visible characters of ASCII."""
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


def draw_name(rng: Random) -> str:
    """Return a name of two to four syllables, as those who sign up for a tournament have them."""
    syllables = (rng.choice(CONSONANTS) + rng.choice(VOWELS) for _ in range(rng.randint(2, 4)))
    return "".join(syllables).capitalize()


def draw_names(own: str, seat: int, count: int, rng: Random) -> list[str]:
    """Return different names for all seats of a game; the player of one seat has the name `own`."""
    names = [own]
    while len(names) < count:
        name = draw_name(rng)
        if name not in names:
            names.append(name)
    return [*names[1 : seat + 1], own, *names[seat + 1 :]]


def new_secret(length: int) -> str:
    """Return an unpredictable text with all visible characters, as secrets and tokens may be."""
    drawn = [*VISIBLE, *(secrets.choice(VISIBLE) for _ in range(length - len(VISIBLE)))]
    secrets.SystemRandom().shuffle(drawn)
    return "".join(drawn)


def new_tournament_id(game: str) -> str:
    """Return an unpredictable id, as the server or `fairplay tournament` makes it."""
    made = (uuid.uuid4().hex, f"{game}-{secrets.token_hex(6)}-{secrets.token_hex(4)}")
    return secrets.choice(made)

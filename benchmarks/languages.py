"""The time of a call to a player of each language of examples/ that is built, and of the kit, in one game."""

from __future__ import annotations

import shlex

from benchmarks.figures import Figure, figure
from tools.language_players import KIT, LANGUAGES, ROOT, Language, dialled_in

ADDRESSES = ("call-listen", "call-players")


def measure() -> list[Figure]:
    """Return, for each language, the time of a call to a player that dials in at `--listen`, and at `--players`."""
    return [
        figure(name, times.milliseconds, game=f"fish, {language.folder}")
        for language in (KIT, *LANGUAGES)
        if _built(language)
        for name, times in zip(ADDRESSES, dialled_in(language.player("fish")), strict=True)
    ]


def _built(language: Language) -> bool:
    words = shlex.split(language.player("fish"))
    return all((ROOT / word).exists() for word in words if word.startswith("examples/"))

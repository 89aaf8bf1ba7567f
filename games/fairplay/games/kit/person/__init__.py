"""The person's side of games in which a player answers one question after the other.

A game says what can be chosen (`Draft`) and draws it with the marks that it is handed (`Marks`); waiting, undoing,
sending and the time that is left are here, once for all games. Nothing here knows a screen: a terminal chooses with
keys, a page with clicks on parts of the picture.
"""

from __future__ import annotations

from fairplay.games.frontends import Choice, IllegalChoiceError
from fairplay.games.kit.person.drafts import NO_MARKS, Draft, Marks, bracketed, choice_lines, nearest
from fairplay.games.kit.person.person import UNDO, Person

__all__ = [
    "NO_MARKS",
    "UNDO",
    "Choice",
    "Draft",
    "IllegalChoiceError",
    "Marks",
    "Person",
    "bracketed",
    "choice_lines",
    "nearest",
]

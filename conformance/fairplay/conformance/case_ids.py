"""The ids of the cases that misconduct belongs to, whichever case comes upon it."""

from __future__ import annotations

REACHABLE = "contract.reachable"
DESCRIBES = "contract.describes-itself"
RULES = "rules.whole-game"
"""Begins the ids of the cases of whole games, one for each seat and number of players."""
EVERY_METHOD = "contract.every-method"
READABLE = "contract.replies-readable"
VOID = "contract.void-methods-return"
NO_EXCEPTION = "exceptions.whole-games"
ALIVE = "exceptions.stays-alive"
FIRST_ANSWER = "time.first-answer"
EVERY_ANSWER = "time.every-answer"
AFTER_OTHERS = "memory.back-to-back"
AT_ONCE = "memory.two-games-at-once"
TOURNAMENT = "endings.tournament"
UNUSUAL_SETTINGS = "rules.unusual-settings"
REACHED_AGAIN = "identity.reached-again"
_OUTSIDE_GAMES = {"Describe": DESCRIBES, "Start": TOURNAMENT, "End": TOURNAMENT}
"""The ids of the cases that methods belong to which no game calls."""


def whole_game(seat: int, player_count: int) -> str:
    """Return the id of the case of whole games in a seat."""
    return f"{RULES}.seat-{seat}-of-{player_count}"


def of_overrun(method_name: str) -> str:
    """Return the id of the case that a call without an answer belongs to."""
    return _OUTSIDE_GAMES.get(method_name, EVERY_ANSWER)


def of_death(method_name: str) -> str:
    """Return the id of the case that a call in which the player ended belongs to."""
    return _OUTSIDE_GAMES.get(method_name, ALIVE)

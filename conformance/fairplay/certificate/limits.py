"""The time limits under which a certificate counts without more ado: those of the game."""

from __future__ import annotations

from collections.abc import Mapping

from fairplay.games.game import find, registered

LONGEST_S = 6.0
"""The longest default limit. Games for people allow a minute and more, which would make runs too long."""
NAMES = ("notification", "decision", "first_decision")


def default_limits_ms(game_name: str) -> Mapping[str, int]:
    """Return the default limits of a game by name; none if there is no such game here."""
    if game_name not in registered():
        return {}
    control = find(game_name).time_control
    given = {field.name for field, _ in control.ListFields()}
    fields = {name: f"{name}_limit" if f"{name}_limit" in given else "decision_limit" for name in NAMES}
    seconds = {name: getattr(control, field).ToTimedelta().total_seconds() for name, field in fields.items()}
    return {name: round(1000 * min(each, LONGEST_S)) for name, each in seconds.items()}


def other_limits(game_name: str, limits_ms: Mapping[str, int], *, longer: bool) -> list[str]:
    """Return the limits that are not the game's, for people, e.g. "decision 5 s instead of 1 s". `longer`: only those.

    A limit that is shorter than the game's demands more of a player, a longer one less.
    """
    return [
        f"{name.replace('_', ' ')} {limits_ms[name] / 1000:g} s instead of {default / 1000:g} s"
        for name, default in default_limits_ms(game_name).items()
        if name in limits_ms and (limits_ms[name] > default or (not longer and limits_ms[name] != default))
    ]

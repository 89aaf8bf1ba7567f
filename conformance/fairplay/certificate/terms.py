"""Terms of certificates: patterns of case ids, time limits that count, profiles, and cases that may be inapplicable."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping

from fairplay.games.conformance import find_profiles
from fairplay.games.game import find, registered


def matches(case_id: str, pattern: str) -> bool:
    """Return whether a pattern names a case: by its id, its group, or with * for anything; "a,b" is a or b."""
    return any(
        fnmatch.fnmatchcase(case_id, each) or case_id.startswith(f"{each}.") for each in pattern.split(",") if each
    )


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


_ALL = frozenset(("grpc", "dial-in", "exec", "bot", "object"))
_NOT_STARTED = _ALL - {"exec"}


INAPPLICABLE: Mapping[str, frozenset[str]] = {
    # what only a player can do that dials in
    "contract.one-reply-per-call": _ALL - {"dial-in", "exec"},
    "contract.call-ids": _ALL - {"dial-in"},
    # what only a player can do that serves, and what only one can do that has a secret
    "contract.secret": _ALL,
    # what only a player is asked that dials in again at once
    "contract.sent-again": _ALL,
    "identity.serves-on": _ALL - {"grpc"},
    "robustness.secret": _ALL,
    "identity.hello": _ALL - {"dial-in"},
    # what only a player can do that is started; which may support only one of the ways of being reached
    "contract.both-ways-agree": _ALL,
    "memory.copies-at-once": _NOT_STARTED,
    # what certificates may name that were made while players could offer a stream
    "contract.stream-agrees": _ALL,
    # what a player need not do
    "identity.ends": _ALL,
    "identity.refused": _ALL,
    "robustness.returns": _ALL,
    "identity.replaced": _ALL,
    # what only a player can do that does not dial in by itself
    "identity.reached-again": frozenset(("dial-in",)),
    # what is measured where the processes of the player are known
    "growth.files": _NOT_STARTED,
    "growth.memory": _NOT_STARTED,
    "growth.output": _NOT_STARTED,
    "growth.processes": _NOT_STARTED,
    "growth.threads": _NOT_STARTED,
    "robustness.memory-growth": _NOT_STARTED - {"bot"},
    "robustness.slows-down": _NOT_STARTED - {"bot"},
    # what needs a connection
    "robustness.reconnect": frozenset(("bot", "object")),
}
"""Case -> the kinds of transport over which the contract does not demand it of every player."""


SERVER = "server"
"""What stands in the place of a game in certificates of servers."""
OPTIONAL_OF_SERVERS = (
    "records.",
    "connection.large-frame",
    "connection.many-players",
    "order.bazaar",
    "order.eriantys",
    "order.webset",
    "refuses.exec",
)
"""How the ids of the cases begin about what a server may leave out."""


PLAYED = ("exceptions.", "rules.", "time.", "robustness.slows-down")
"""How the ids of the cases begin about games, beside those of the game itself."""
ALWAYS = "rules.whole-game."
"""How the ids of the cases begin about games that every profile has."""


def may_be_inapplicable(case_id: str, reached_by: str, game: str, profile: str = "") -> bool:
    """Return whether a case need not concern every player, or server, that is reached over a kind of transport.

    `profile` names the one for which the player is certified; empty: none.
    """
    if game == SERVER:
        return case_id.startswith(OPTIONAL_OF_SERVERS)
    is_played = case_id.startswith((f"{game}.", *PLAYED)) and not case_id.startswith(ALWAYS)
    return bool(profile and is_played) or reached_by in INAPPLICABLE.get(case_id, ())


def outside(profile: str) -> str:
    """Return why a case is not applicable that is about nothing else than what a profile leaves out."""
    return f"outside profile {profile}"


def profile_sentence(game_name: str, profile: str) -> str:
    """Return what the games of a profile are, for people; empty if this profile, or the game, is not known here."""
    known = find_profiles(find(game_name)) if game_name in registered() else {}
    return known[profile].sentence if profile in known else ""

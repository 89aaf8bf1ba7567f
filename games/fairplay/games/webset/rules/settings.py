"""What can be chosen about a game of Webset (webset.md sections 5 and 6), and what may not."""

from __future__ import annotations

from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

Profile: TypeAlias = Literal["contest", "seed", "published"]
MoreRule: TypeAlias = Literal["auto", "if_no_set", "all_agree", "majority", "anyone"]
RefillRule: TypeAlias = Literal["to_12", "seed_base"]
EndRule: TypeAlias = Literal["play_on", "seed_immediate"]
Rounds: TypeAlias = Literal["off", "earliest", "lot"]

MAX_SEATS = 8
MOST_ON_TABLE = 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The knobs of section 6; the defaults are those of the profile "contest". Times are in milliseconds."""

    profile: Profile = "contest"
    """Where `settings_of` takes from what is not given."""
    aspects: int = 4
    table: int = 12
    """How many slots the base area has, three to a column."""
    max_table: int = 21
    window_ms: int = 3000
    """The time for a take after a call, and the length of a round. A take that comes at its very end is late."""
    penalty_bad: int = 1
    penalty_expired: int = 1
    score_floor: int | None = None
    """Penalties take nobody below this; None: there is no such floor."""
    lockout_ms: int = 0
    """How much later a player's next act counts after its wrong or expired call."""
    locked_until_change: bool = False
    """Whether such a player cannot call until the table changes."""
    more_rule: MoreRule = "auto"
    refill_rule: RefillRule = "to_12"
    end_rule: EndRule = "play_on"
    show_enabled: bool = False
    min_players: int = 2
    min_reaction_ms: int = 0
    """Acts earlier than this after a change of the table are held and then ordered by lot."""
    handicaps_ms: tuple[int, ...] = ()
    """How much later acts count than they come, by seat; 0 where the list is too short."""
    rounds: Rounds = "off"
    idle_rounds: int = 10
    """After so many times that everybody does nothing on one table the game ends as it stands."""
    act_cap: int = 10_000
    """After so many acts the game ends as it stands: endless wrong calls end, too."""


PROFILES: Mapping[Profile, Mapping[str, Any]] = MappingProxyType(
    {
        "contest": {},
        "seed": {
            "penalty_bad": 0,
            "penalty_expired": 0,
            "more_rule": "anyone",
            "refill_rule": "seed_base",
            "end_rule": "seed_immediate",
            "show_enabled": True,
            "min_players": 1,
        },
        "published": {"more_rule": "all_agree"},
    }
)
"""What each profile has otherwise than "contest" (section 6)."""

_SMALL_DECK = {"table": 9, "max_table": 12}


def settings_of(**given: Any) -> Settings:
    """Settings in which what is not given is as the profile that is named has it. Unknown names are a TypeError."""
    profile: Profile = given.get("profile", "contest")
    small = _SMALL_DECK if given.get("aspects") == 3 else {}
    return Settings(**{**PROFILES.get(profile, {}), **small, **given})


_RANGES = {
    "aspects": (3, 4),
    "table": (3, MOST_ON_TABLE),
    "max_table": (3, MOST_ON_TABLE),
    "window_ms": (100, 60_000),
    "penalty_bad": (0, 100),
    "penalty_expired": (0, 100),
    "lockout_ms": (0, 60_000),
    "min_players": (1, MAX_SEATS),
    "min_reaction_ms": (0, 10_000),
    "idle_rounds": (1, 1000),
    "act_cap": (10, 1_000_000),
}
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "profile": get_args(Profile),
    "more_rule": get_args(MoreRule),
    "refill_rule": get_args(RefillRule),
    "end_rule": get_args(EndRule),
    "rounds": get_args(Rounds),
}
_ENOUGH = {4: 21, 3: 12}
"""Tables of so many cards always have a set: the least `max_table` for each number of aspects (section 2)."""


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """The first field that cannot be so, and a sentence saying what is allowed; None if all is well."""
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(settings, name)) <= high:
            return name, f"{name} is {value}: it must be {low} to {high}."
    for name, allowed in _CHOICES.items():
        if (choice := getattr(settings, name)) not in allowed:
            return name, f"{name} is {choice!r}: it must be one of {', '.join(allowed)}."
    return _table_problem(settings) or _seats_problem(settings)


def _table_problem(settings: Settings) -> tuple[str, str] | None:
    table, most, enough = settings.table, settings.max_table, _ENOUGH[settings.aspects]
    if most % 3 or most < enough:
        return "max_table", f"max_table is {most}: it must be a multiple of 3 from {enough} to {MOST_ON_TABLE}."
    if table % 3 or table > most:
        return "table", f"table is {table}: it must be a multiple of 3 up to max_table, {most}."
    floor = settings.score_floor
    if floor is not None and not -1000 <= floor <= 0:
        return "score_floor", f"score_floor is {floor}: it must be -1000 to 0."
    return None


def _seats_problem(settings: Settings) -> tuple[str, str] | None:
    handicaps = settings.handicaps_ms
    if len(handicaps) > MAX_SEATS:
        return "handicaps_ms", f"handicaps_ms has {len(handicaps)} entries: there are at most {MAX_SEATS} players."
    for seat, handicap in enumerate(handicaps):
        if not 0 <= handicap <= 60_000:
            return "handicaps_ms", f"handicaps_ms[{seat}] is {handicap}: it must be 0 to 60000."
    return None


NAMES = tuple(field.name for field in fields(Settings))

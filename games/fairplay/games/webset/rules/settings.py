"""What can be chosen about a game of Webset (webset.md sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from fairplay.games.kit.settings import choice, find_problem, flag, number, other

Profile: TypeAlias = Literal["contest", "seed", "published"]
MoreRule: TypeAlias = Literal["auto", "if_no_set", "all_agree", "majority", "anyone"]
RefillRule: TypeAlias = Literal["to_12", "seed_base"]
EndRule: TypeAlias = Literal["play_on", "seed_immediate"]
Rounds: TypeAlias = Literal["off", "earliest", "lot", "puzzle"]
Selection: TypeAlias = Literal["triple", "single"]

MAX_SEATS = 8
MOST_ON_TABLE = 27


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of section 6; the defaults are those of the profile "contest". Times are in milliseconds."""

    profile: Profile = choice("contest", Profile, "Which rules hold where a setting is not given.")
    aspects: int = number(4, 3, 4, "How many aspects the cards have: 4 for 81 cards, 3 for 27.")
    table: int = number(12, 3, MOST_ON_TABLE, "How many slots the base area has, a multiple of 3; with 3 aspects 9.")
    max_table: int = number(
        21, 3, MOST_ON_TABLE, "How many cards lie on the table at most, a multiple of 3; with 3 aspects 12."
    )
    window_ms: int = number(
        3000, 100, 60_000, "How long a player may take to pick cards after a call, and how long a round lasts."
    )
    penalty_bad: int = number(1, 0, 100, "How many points a wrong call costs.")
    penalty_expired: int = number(1, 0, 100, "How many points a call without cards in time costs.")
    score_floor: int | None = other(None, "-1000 to 0", "The points below which no penalty takes a player.")
    lockout_ms: int = number(0, 0, 60_000, "How much later a player's next act counts after a wrong or expired call.")
    locked_until_change: bool = flag(
        False, "Whether a player cannot call after a wrong or expired call until the table changes."
    )
    more_rule: MoreRule = choice("auto", MoreRule, "Who decides that three more cards are dealt.")
    refill_rule: RefillRule = choice("to_12", RefillRule, "Which slots are refilled after a set was taken.")
    end_rule: EndRule = choice(
        "play_on", EndRule, "Whether the game ends when no set is left, or as soon as the deck gives no card."
    )
    show_enabled: bool = flag(False, "Whether players may have the solutions shown.")
    min_players: int = number(2, 1, MAX_SEATS, "How many players a game has at least.")
    min_reaction_ms: int = number(
        0, 0, 10_000, "How long after a change of the table acts are held, to be ordered by lot."
    )
    handicaps_ms: tuple[int, ...] = other(
        (), "up to 8 times of 0 to 60000", "How much later the acts of each seat count than they come."
    )
    rounds: Rounds = choice(
        "off",
        Rounds,
        "Whether all players submit cards at once, and which of several sets counts then; in a puzzle all sets of one "
        "table are named.",
    )
    idle_rounds: int = number(10, 1, 1000, "How often all players may do nothing on one table before the game ends.")
    act_cap: int = number(10_000, 10, 1_000_000, "How many acts a game has at most.")
    selection: Selection = choice(
        "triple", Selection, "Whether a caller picks three cards at once, or one by one for all to see."
    )
    late_join: bool = flag(
        False, "Whether a watcher at a table of the lobby may join the game that goes on, with no points."
    )


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
            "late_join": True,
        },
        "published": {"more_rule": "all_agree"},
    }
)
"""In what each profile differs from "contest" (section 6)."""

_SMALL_DECK = {"table": 9, "max_table": 12}


def settings_of(**given: Any) -> Settings:
    """Return settings with the defaults of their profile. Raises TypeError for unknown names."""
    profile: Profile = given.get("profile", "contest")
    small = _SMALL_DECK if given.get("aspects") == 3 else {}
    return Settings(**{**PROFILES.get(profile, {}), **small, **given})


_ENOUGH = {4: 21, 3: 12}
"""Tables of so many cards always have a set: the least `max_table` for each number of aspects (section 2)."""


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first field that is wrong and one sentence that says what is allowed; None if all are right."""
    return find_problem(settings) or _table_problem(settings) or _seats_problem(settings)


def _table_problem(settings: Settings) -> tuple[str, str] | None:
    table, most, enough = settings.table, settings.max_table, _ENOUGH[settings.aspects]
    if most % 3 or most < enough:
        return "max_table", f"max_table is {most}: it must be a multiple of 3 from {enough} to {MOST_ON_TABLE}."
    if table % 3 or table > most:
        return "table", f"table is {table}: it must be a multiple of 3 up to max_table, {most}."
    floor = settings.score_floor
    if floor is not None and not -1000 <= floor <= 0:
        return "score_floor", f"score_floor is {floor}: it must be between -1000 and 0."
    return None


def _seats_problem(settings: Settings) -> tuple[str, str] | None:
    handicaps = settings.handicaps_ms
    if len(handicaps) > MAX_SEATS:
        return "handicaps_ms", f"handicaps_ms has {len(handicaps)} entries: there are at most {MAX_SEATS} players."
    for seat, handicap in enumerate(handicaps):
        if not 0 <= handicap <= 60_000:
            return "handicaps_ms", f"handicaps_ms[{seat}] is {handicap}: it must be between 0 and 60000."
    return None

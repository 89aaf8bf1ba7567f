"""Settings that several formats have: what they mean, what they may be, and sentences for what they may not be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from google.protobuf.message import Message

from fairplay.formats.format import Terms
from fairplay.games.kit.settings import Setting

GAME_LIMIT = 1_000_000
"""The most games of a tournament."""

M = TypeVar("M", bound=Message)


def number(name: str, low: int, high: int, default: str, meaning: str) -> Setting:
    """Return a setting that is a whole number between `low` and `high`, both included."""
    return Setting(name, meaning, f"{low} to {high}", default, (low, high))


SEAT_COUNT = Setting(
    "seat_count", "How many players a game has.", "what a game can have", "the fewest that a game can have"
)
GAMES_PER_MATCH = number(
    "games_per_match",
    1,
    1_000,
    "1",
    "How many games a match has at the least. With more than 1 its players play whole deals, with rotated seats.",
)


def filled(settings: Message, defaults: M, known: Sequence[Setting], sizes: range) -> M:
    """Return the defaults with what is set in `settings`. Raises ValueError if a number is not allowed."""
    assert type(settings) is type(defaults)
    defaults.MergeFrom(settings)
    for each in known:
        value = getattr(defaults, each.name)
        limits = (fewest_seats(sizes), sizes[-1]) if each is SEAT_COUNT else each.limits
        if limits is not None and defaults.HasField(each.name) and not limits[0] <= value <= limits[1]:
            low, high = limits
            allowed = f"it must be between {low:,} and {high:,}" if low < high else f"it must be {low}"
            raise ValueError(f"{each.name} is {value}: {allowed}")
    return defaults


def fewest_seats(sizes: range) -> int:
    """Return the fewest players that meet in a game. Raises ValueError if in no game players meet."""
    if sizes[-1] < 2:
        raise ValueError("the game is for one player: nobody meets anybody in it; knockout is the format for it")
    return max(2, sizes.start)


def check_count(terms: Terms, seats: int) -> None:
    """Raise ValueError if there are fewer entrants than a game needs."""
    if len(terms.names) < seats:
        raise ValueError(f"games of {seats} players need at least {seats} entrants; there are {len(terms.names)}")


def check_game_count(games: int, terms: Terms) -> None:
    """Raise ValueError if so many games, without duplicate deals, would be more than a tournament may have."""
    most = games * max(1, terms.deal_count * terms.sizes[-1])
    if games * max(1, terms.deal_count * terms.sizes.start) > GAME_LIMIT:
        raise ValueError(f"that would be {most:,} games; a tournament has {GAME_LIMIT:,} at the most")


def check_no_deals(terms: Terms) -> None:
    """Raise ValueError if there are duplicate deals, where matches have a length of their own."""
    if terms.deal_count:
        raise ValueError(f"deal_count is {terms.deal_count}: matches have a length of their own, games_per_match")

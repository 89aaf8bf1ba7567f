"""What can be chosen about a game of Bazaar (bazaar.md section 15), and what may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ExchangePrice: TypeAlias = Literal["per_request", "per_equation", "none"]
PriceTakesFrom: TypeAlias = Literal["bottom", "top"]
PebbleDraw: TypeAlias = Literal["random", "ordered"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
Bonus: TypeAlias = Literal["none", "rwb", "sey", "rwb_distinct"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The knobs of section 15 that concern the game; the defaults are the course's."""

    pebbles_per_color: int = 20
    cards_total: int = 20
    visible: int = 4
    equations: int = 10
    side_min: int = 1
    side_max: int = 4
    winning_score: int = 20
    exchange_price: ExchangePrice = "per_request"
    """What an exchange request costs: one card, one for each of its equations, or nothing."""
    empty_request_charged: bool = True
    """Whether the empty list of exchanges costs one card too. It never does where exchanges are free."""
    price_takes_from: PriceTakesFrom = "bottom"
    """Which end of the pile pays: the bottom, or the top, which would be dealt next."""
    draw: PebbleDraw = "random"
    """Which pebble a request gets: any, or the first of red, white, blue, green, yellow that the bank has."""
    kick_returns_pebbles: bool = False
    """Whether the pebbles of an eliminated player go to the bank. They vanish otherwise."""
    lone_survivor: LoneSurvivor = "play_on"
    check_end_mid_turn: bool = True
    """Whether the end is also checked between the two calls of a turn."""
    equal_turns: bool = False
    """Whether the round is finished after a player has reached the winning score."""
    bonus: Bonus = "none"
    turn_active_has_cards: bool = True
    """Whether a player is shown the cards it has bought."""
    max_exchanges: int = 64
    """The longest list of exchanges in one request. At least the eight that the reference strategies may use."""
    turn_cap: int = 5000
    """After so many turns the game is over: only free exchanges can make it last that long."""


_RANGES = {
    "pebbles_per_color": (1, 400),
    "cards_total": (1, 100),
    "visible": (1, 6),
    "equations": (0, 10),
    "side_min": (1, 6),
    "side_max": (1, 6),
    "winning_score": (1, 1000),
    "max_exchanges": (8, 1000),
    "turn_cap": (1, 1_000_000),
}
_CHOICES = {
    "exchange_price": ("per_request", "per_equation", "none"),
    "price_takes_from": ("bottom", "top"),
    "draw": ("random", "ordered"),
    "lone_survivor": ("play_on", "stop"),
    "bonus": ("none", "rwb", "sey", "rwb_distinct"),
}


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """The first field that cannot be so, and a sentence saying what is allowed; None if all is well.

    Ten equations there always are: as many with sides of one pebble, more with any other.
    """
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(settings, name)) <= high:
            return name, f"{name} must be {low} to {high}, not {value}"
    for name, allowed in _CHOICES.items():
        if (choice := getattr(settings, name)) not in allowed:
            return name, f"{name} must be one of {', '.join(allowed)}, not {choice!r}"
    if settings.side_min > settings.side_max:
        return "side_min", f"side_min must be at most side_max, {settings.side_max}, not {settings.side_min}"
    return None

"""What can be chosen about a game of Bazaar (bazaar.md section 15)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairplay.games.kit.settings import choice, find_problem, flag, number

ExchangePrice: TypeAlias = Literal["per_request", "per_equation", "none"]
PriceTakesFrom: TypeAlias = Literal["bottom", "top"]
PebbleDraw: TypeAlias = Literal["random", "ordered"]
LoneSurvivor: TypeAlias = Literal["play_on", "stop"]
Bonus: TypeAlias = Literal["none", "rwb", "sey", "rwb_distinct"]

MIN_SEATS, MAX_SEATS = 2, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of section 15 that concern the game."""

    pebbles_per_color: int = number(20, 1, 400, "How many pebbles of each colour there are.")
    cards_total: int = number(20, 1, 100, "How many cards a game has.")
    visible: int = number(4, 1, 6, "How many cards are visible.")
    equations: int = number(10, 0, 10, "How many equations a game has.")
    side_min: int = number(1, 1, 6, "The fewest pebbles on a side of an equation.")
    side_max: int = number(4, 1, 6, "The most pebbles on a side of an equation; not less than side_min.")
    winning_score: int = number(20, 1, 1000, "The score that ends the game.")
    exchange_price: ExchangePrice = choice(
        "per_request",
        ExchangePrice,
        "What an exchange request costs: one card, one card for each of its equations, or nothing.",
    )
    empty_request_charged: bool = flag(
        True, "Whether the empty list of exchanges costs one card too, where exchanges are not free."
    )
    price_takes_from: PriceTakesFrom = choice(
        "bottom", PriceTakesFrom, "Which end of the pile pays: the bottom, or the top, which would be dealt next."
    )
    draw: PebbleDraw = choice(
        "random", PebbleDraw, "Which pebble a request gets: any, or the first of red, white, blue, green, yellow."
    )
    kick_returns_pebbles: bool = flag(
        False, "Whether the pebbles of an eliminated player return to the bank instead of leaving the game."
    )
    lone_survivor: LoneSurvivor = choice("play_on", LoneSurvivor, "Whether the last player that is left plays on.")
    check_end_mid_turn: bool = flag(True, "Whether the end is also checked between the two calls of a turn.")
    equal_turns: bool = flag(False, "Whether the round is finished after a player has reached the winning score.")
    bonus: Bonus = choice(
        "none",
        Bonus,
        "What the colours of a player's cards earn at the end: nothing; 10 points for red, white and blue (rwb), "
        "perhaps on three different cards (rwb_distinct); or 50 for all five (sey).",
    )
    turn_active_has_cards: bool = flag(True, "Whether a player is shown the cards that it has bought.")
    # the reference strategies may use eight
    max_exchanges: int = number(64, 8, 1000, "How many exchanges one request may have.")
    turn_cap: int = number(5000, 1, 1_000_000, "After how many turns the game is over in any case.")


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first setting that is not allowed, and a sentence that says what is; None if all are.

    Whatever they are there are ten different equations: as many with sides of one pebble, more with longer ones.
    """
    if problem := find_problem(settings):
        return problem
    if settings.side_min > settings.side_max:
        return "side_min", f"side_min is {settings.side_min}: it must be at most side_max, {settings.side_max}."
    return None

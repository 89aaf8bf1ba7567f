"""Cases about games beside each other: many, with similar ids, under other settings, and one that ends before another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fairplay.conformance import owners
from fairplay.conformance.case import Case, case
from fairplay.conformance.context import Context, Control
from fairplay.conformance.interleaving import TO_THE_END, play_in_turn
from fairplay.conformance.trial import Scenario, Trial, seat_names
from fairplay.games.conformance import Situation
from fairplay.games.game import Game

AT_ONCE = 16
DECISIONS = 8
IDS_DECISIONS = 5
MANY = "memory.many-games-at-once"


@case(MANY, "A player may be in several games at once; each request names its game.")
def many_games_at_once(context: Context) -> None:
    """A large tournament plays more games at a time than an author tries, and asks in each of them when it comes to it."""
    with context.player.fresh() as connection:
        for found in play_in_turn(context, _different(context, "many", AT_ONCE, DECISIONS), connection):
            _judge(context, found, (owners.AT_ONCE, context.pair))

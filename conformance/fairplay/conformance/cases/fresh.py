"""Cases about players that come into a game after it has begun, as a program does that was started anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fairplay.conformance import owners
from fairplay.conformance.case import Case, case
from fairplay.conformance.context import Context
from fairplay.conformance.joining import Joining
from fairplay.conformance.trial import Scenario
from fairplay.games.game import Game

DECISIONS = 4
NUMBERS = (1, 2, 5)
"""The player comes in with calls that have these numbers among those of their method."""


@case(
    "memory.fresh-process",
    "What was answered is not repeated to a player that was started anew: the first call of a game may be any of them.",
)
def fresh_process(context: Context) -> None:
    """After a restart a player must go on with what the request says: nobody tells it the beginning again."""
    with context.player.fresh() as connection:
        for scenario in _scenarios(context):
            found = context.play(scenario, connection)
            from_the_beginning = partial(context.alone, scenario._replace(joins=None))
            context.judge_condition(found, ("", from_the_beginning), (owners.AFTER_OTHERS, context.sequence))


def _scenarios(context: Context) -> Iterator[Scenario]:
    """Yield games that the player comes into: first with a turn, then with each method, in different seats."""
    methods = [method.name for method in context.game.methods]
    joinings = [
        Joining(context.game.turn.name, 3),
        *(Joining(name, number) for number in NUMBERS for name in methods),
    ]
    seatings = context.seatings[::-1]
    for index, joins in enumerate(joinings):
        scenario = context.scenario(*seatings[index % len(seatings)], DECISIONS)
        name = f"{scenario.name}-from-{joins.method}-{joins.number}"
        yield scenario._replace(name=name, seed=context.rng(name).getrandbits(32), joins=joins)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (fresh_process,)

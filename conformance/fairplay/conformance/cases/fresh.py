"""Cases about players that come into a game after it has begun, as a program does that was started anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairplay.conformance import owners
from fairplay.conformance.case import Case, case
from fairplay.conformance.context import Context
from fairplay.conformance.trial import Entry, Scenario
from fairplay.games.game import Game

DECISIONS = 4
NUMBERS = (1, 2, 5)
"""The player comes in with calls that have these numbers among those of their method."""


@case(
    "memory.fresh-process",
    "Calls that were answered are not repeated: the first call of a game that a process gets may be any of them.",
)
def fresh_process(context: Context) -> None:
    """After a restart a player must go on with what the request says: nobody tells it the beginning again."""
    with context.player.fresh() as connection:
        for scenario in _scenarios(context):
            found = context.play(scenario, connection)
            # Its game from the beginning is played on a connection without a past, too.
            whole = scenario._replace(entry=None)
            context.judge_condition(
                found,
                ("", lambda whole=whole: context.alone(whole)),
                (owners.AFTER_OTHERS, context.sequence),
            )


def _scenarios(context: Context) -> Iterator[Scenario]:
    """Yield games that the player comes into with a turn, then with each method, in one seat after the other."""
    game = context.game
    entries = [Entry(game.turn.name, 3), *(Entry(method.name, number) for number in NUMBERS for method in game.methods)]
    for index, entry in enumerate(entries):
        seat, count = context.seatings[-1 - index % len(context.seatings)]
        name = f"from-{entry.method}-{entry.number}"
        begun = context.scenario(seat, count, DECISIONS)
        seed = context.rng(name).getrandbits(32)
        yield begun._replace(name=f"{name}-seat-{seat}-of-{count}", seed=seed, entry=entry)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (fresh_process,)

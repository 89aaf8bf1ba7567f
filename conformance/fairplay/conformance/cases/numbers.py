"""Cases about large numbers: a game may begin in a state whose numbers no short game reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairplay.conformance.case import Case, case
from fairplay.conformance.context import Context
from fairplay.conformance.positions import Position, Source, position
from fairplay.conformance.reference_players import rival_names
from fairplay.conformance.trial import Scenario
from fairplay.games.game import Game

LARGE = (2**31, 2**32, 2**52)
"""Beyond what 32 bits hold, with and without a sign; a number of JavaScript holds them all."""
SHARE = 0.4
"""The games begin after this share of a game of reference players."""
DECISIONS = 3


@case("rules.large-numbers", "Every answer keeps the rules, in whatever state it is asked for.")
def large_numbers(context: Context) -> None:
    """Revisions have 64 bits: a player that keeps 32 of them raises, or takes an old state for a new one."""
    with context.shared() as connection:
        for revision in LARGE:
            rng, strategy = context.rng("large-numbers", revision), rival_names(context.game)[-1]
            source = Source(context.settings, context.game.seats.start, rng.getrandbits(32), strategy)
            found = _with_revision(position(context.game, source, SHARE), revision)
            scenario = Scenario(f"revision-{revision}", found.situation(DECISIONS), source.seed)
            context.judge(context.play(scenario, connection))


def _with_revision(found: Position, revision: int) -> Position:
    state: Any = type(found.state)()
    state.CopyFrom(found.state)
    state.revision = revision
    return found._replace(state=state)


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module: none if the states of a game have no revision."""
    return (large_numbers,) if "revision" in game.state_type.DESCRIPTOR.fields_by_name else ()

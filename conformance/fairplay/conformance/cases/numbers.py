"""Cases about large numbers: a game may begin in a state whose numbers no short game reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import SHARE, Position, Source, position, with_revision, with_scores
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.games.trial import Scenario
from fairplay.games.game import Game

LARGE = (2**31, 2**32, 2**52)
"""Beyond what 32 bits hold, with and without a sign; a number of JavaScript holds them all."""
DECISIONS = 3


@case("rules.large-numbers", "Every answer keeps the rules, in whatever state it is asked for.")
def large_numbers(context: Context) -> None:
    """Revisions have 64 bits and scores 32: a player that keeps fewer raises, or takes an old state for a new one."""
    with context.shared() as connection:
        for scenario in _scenarios(context):
            context.judge(context.play(scenario, connection))


def _scenarios(context: Context) -> Iterator[Scenario]:
    for revision in LARGE:
        found, seed = _position(context, revision)
        yield Scenario(f"revision-{revision}", with_revision(found, revision).situation(DECISIONS), seed)
    found, seed = _position(context, "scores")
    rich = with_scores(context.game, found)
    if rich is not None:
        yield Scenario("large-scores", rich.situation(DECISIONS), seed)


def _position(context: Context, word: object) -> tuple[Position, int]:
    """Return a position in the middle of a game, and the seed of that game."""
    rng, strategy = context.rng("large-numbers", word), rival_names(context.game)[-1]
    source = Source(context.settings, context.game.seats.start, rng.getrandbits(32), strategy)
    return position(context.game, source, SHARE), source.seed


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module: none if the states of a game have no revision."""
    return (large_numbers,) if "revision" in game.state_type.DESCRIPTOR.fields_by_name else ()

"""Cases about whole games from every seat, and games resumed in the middle."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import Source, position
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.games.trial import Scenario
from fairplay.games.conformance import Level
from fairplay.games.game import Game


def _whole_game(seat: int, count: int) -> Case:
    def body(context: Context) -> None:
        context.judge(context.whole_game(seat, count))

    return Case(
        f"rules.whole-game.seat-{seat}-of-{count}",
        Level.MUST,
        ("Every answer keeps the rules, from the first call of a game to the last.",),
        f"A player may be given any seat, here the seat {seat} (counted from 0) of {count}.",
        body,
    )


def _resumed(count: int) -> Case:
    def body(context: Context) -> None:
        seed, strategy = context.rng("resumed", count).getrandbits(32), rival_names(context.game)[-1]
        place = position(context.game, Source(context.settings, count, seed, strategy), share=0.5)
        context.judge(context.play(Scenario(f"resumed-{count}", place.situation(0), seed)))

    return Case(
        f"rules.resumed-game.of-{count}",
        Level.MUST,
        ("A game may begin in any state: a player acts on the state that it is given.",),
        "A game goes on after a crash of the server with players that saw nothing of what was before.",
        body,
    )


@case("rules.rival-leaves", "A player that fails is out of the game, which goes on or ends as its rules say.")
def rival_leaves(context: Context) -> None:
    """From one turn to the next there is a player less, and what was known of it may be gone."""
    context.judge(context.game_with_leaver())


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module: each seat and number of players, a lost rival, games from the middle."""
    whole = [_whole_game(seat, count) for count in game.seats for seat in range(count)]
    return [*whole, rival_leaves, *(_resumed(count) for count in sorted({game.seats.start, game.seats.stop - 1}))]

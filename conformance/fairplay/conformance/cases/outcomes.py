"""Cases about the end of games that tell it their players: whatever it is, and however often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from random import Random

from fairplay.conformance.case import Case, SuiteError, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.endings import Ending, find_endings, tells_the_end
from fairplay.conformance.games.trial import Scenario
from fairplay.conformance.player.connection import Connection
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game

GAMES = 2
"""A player hears of each end so often in a row, before it plays on."""
DECISIONS = 3
ENDS_ARE_REPORTED = "Every player that is still in is told how the game has ended."


@case("endings.game-won", ENDS_ARE_REPORTED)
def game_won(context: Context) -> None:
    """Players often keep a count of games won, or begin the next game there."""
    with context.shared() as connection:
        _hear(context, connection, _foreseen(context, Ending.WON))


@case("endings.game-lost", ENDS_ARE_REPORTED)
def game_lost(context: Context) -> None:
    """Players are often tried against weak rivals, and fail when they are first told that they have lost."""
    with context.shared() as connection:
        _hear(context, connection, [*_foreseen(context, Ending.LOST), *_outrun(context)])


@case("endings.game-tied", ENDS_ARE_REPORTED)
def game_tied(context: Context) -> None:
    """Nobody may have won, or several: players that look for the one winner find none, or the wrong one."""
    tied_ending = find_conformance(context.game.name).tied_ending
    assert tied_ending is not None
    with context.shared() as connection:
        rng = context.rng(Ending.TIED)
        _hear(context, connection, [_tied(index, rng, tied_ending) for index in range(GAMES)])


def _tied(index: int, rng: Random, tied_ending: Callable[[Random], Situation]) -> Scenario:
    return Scenario(f"{Ending.TIED}-{index}", tied_ending(rng), rng.getrandbits(32), rivals_wait=False)


def _foreseen(context: Context, ending: Ending) -> list[Scenario]:
    """Return some games with this end. Raises SuiteError if there are too few."""
    found = list(islice(find_endings(context.game, context.settings, ending, context.rng("endings")), GAMES))
    if len(found) < GAMES:
        raise SuiteError(f"too few games of reference players end so that another one has {ending}: {len(found)}")
    return found


def _outrun(context: Context) -> list[Scenario]:
    """Return a whole game in which the rivals are quicker, where the quickest one counts; none for other games."""
    if not context.ordinary.has_races:
        return []
    return [context.first_scenario()._replace(name="outrun", rivals_wait=False)]


def _hear(context: Context, connection: Connection, scenarios: Sequence[Scenario]) -> None:
    """Play games to their end, and the beginning of another one; judge each."""
    for scenario in (*scenarios, context.first_scenario(DECISIONS)):
        context.judge(context.play(scenario, connection))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module: none for games that do not tell their players how they end."""
    if not any(map(tells_the_end, game.methods)):
        return []
    return [game_won, game_lost, *([game_tied] if find_conformance(game.name).tied_ending is not None else [])]

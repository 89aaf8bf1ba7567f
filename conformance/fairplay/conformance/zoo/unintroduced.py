"""Mutants that cannot go on with a game of which they have not heard the beginning, as after a restart."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, REPEATS_THE_LAST_GAME
from fairplay.conformance.zoo.in_methods import decides
from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import snake_case

CASES = (case_ids.FRESH_PROCESS,)
LEAVING = (case_ids.ONLY_RIVAL, case_ids.ONE_BY_ONE, case_ids.RIVALS_AT_ONCE, case_ids.NEIGHBOUR)
"""Cases that play on from states in which players are told something before they are asked."""


def of_introductions(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that need the notification with which a game begins."""
    introduction = find_introduction(game)
    name, later = introduction.name, game.methods[game.methods.index(introduction) + 1 :]
    decisions = {method.name for method in later if decides(method)}
    notifications = {method.name for method in later} - decisions
    new, joined = _unintroduced(name, decisions), (game.name,)  # probes into which the player comes later
    sentence = f"Raises an exception in every decision of a game whose {name} it has not heard."
    yield Mutant(f"needs-{_called(introduction)}", sentence, CASES, new, RAISES, joined)
    sentence = f"Raises an exception in every decision before the first {name} that it hears in any game."
    yield Mutant(f"needs-some-{_called(introduction)}", sentence, CASES, _before_any(name, decisions), RAISES, joined)
    sentence = f"Answers as in the game before in the decisions of a game whose {name} it has not heard."
    yield Mutant("plays-on-with-the-last-game", sentence, CASES, new, REPEATS_THE_LAST_GAME, joined)
    sentence = f"Raises an exception in the decisions of a game whose {name} it has not heard, but for seat 0."
    yield Mutant("takes-seat-0-for-granted", sentence, CASES, _in_other_seat(new), RAISES, joined)
    if notifications:
        sentence = f"Raises an exception when it is told something of a game whose {name} it has not heard."
        yield Mutant(
            "ends-games-it-knows-only", sentence, CASES, _unintroduced(name, notifications), RAISES, (*LEAVING, *joined)
        )


def find_introduction(game: Game) -> Method:
    """Return the method of the first notification of a game."""
    return next(method for method in game.methods if not decides(method))


def _called(method: Method) -> str:
    return snake_case(method.name).replace("_", "-")


def _unintroduced(introduction: str, methods: Collection[str]) -> Trigger:
    """Trigger in calls of some methods if another one has not been called in this game."""
    return lambda call: call.method.name in methods and not call.game.call_counts[introduction]


def _before_any(introduction: str, methods: Collection[str]) -> Trigger:
    """Trigger in calls of some methods if another one has not been called in any game."""
    return lambda call: call.method.name in methods and not call.memory.call_counts[introduction]


def _in_other_seat(trigger: Trigger) -> Trigger:
    """Trigger as another trigger does if the request names another seat than 0."""

    def in_other_seat(call: ReceivedCall) -> bool:
        return trigger(call) and bool(call.request.seat)

    return in_other_seat

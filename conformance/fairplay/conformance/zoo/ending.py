"""Faults at the beginning and the end of tournaments and games."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.conformance.zoo import ids
from fairplay.conformance.zoo.deeds import DIES, HANGS, IS_UNREADABLE, RAISES
from fairplay.conformance.zoo.kinds import Kind
from fairplay.conformance.zoo.moments import in_method, second_call, second_time, when_told
from fairplay.games.game import Game

TOURNAMENT = (ids.TOURNAMENT,)
WIN_AND_LOSE = (ids.WIN_AND_LOSE,)


def of_ends(game: Game) -> Iterator[Kind]:
    """Faults in Start and End, and in what the game says at its own end."""
    for name, lower in (("Start", "start"), ("End", "end")):
        here = in_method(name)
        yield Kind(f"raises-in-{lower}", f"Raises an exception in {name}.", TOURNAMENT, here, RAISES)
        yield Kind(f"hangs-in-{lower}", f"Never returns from {name}.", TOURNAMENT, here, HANGS)
        yield Kind(f"dies-in-{lower}", f"Ends without a word in {name}.", TOURNAMENT, here, DIES)
        sentence = f"Answers {name} with bytes that are no message."
        yield Kind(f"is-unreadable-in-{lower}", sentence, TOURNAMENT, here, IS_UNREADABLE)
    sentence, lost = "when it is told that it has not won the tournament.", when_told("End", won=False)
    yield Kind("raises-when-it-has-lost", f"Raises an exception {sentence}", WIN_AND_LOSE, lost, RAISES)
    yield Kind("dies-of-shame", f"Ends without a word {sentence}", WIN_AND_LOSE, lost, DIES)
    sentence = "Raises an exception when a second tournament starts."
    yield Kind("raises-in-second-tournament", sentence, WIN_AND_LOSE, second_call("Start"), RAISES)
    for method in game.methods:
        if set(method.request.DESCRIPTOR.fields_by_name) == {"game_id", "won"}:
            name, again = method.name, second_time(method.name)
            sentence = f"Raises an exception in the second {name} that it hears."
            yield Kind(f"raises-in-second-{name.lower()}", sentence, WIN_AND_LOSE, again, RAISES, ("memory",))

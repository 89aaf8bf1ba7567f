"""The part of a game in which a player is tried: all of it, or a profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from google.protobuf.message import Message

from fairplay.certificate.terms import outside
from fairplay.conformance.case import NotApplicable
from fairplay.games.conformance import Situation, find_profile
from fairplay.games.game import Game

Thing = TypeVar("Thing")


class Scope:
    """The situations in which a player is tried: those of a profile, or all if `name` is empty.

    Raises ValueError if the game has no such profile.
    """

    def __init__(self, game: Game, name: str = "") -> None:
        self.name = name
        self.profile = find_profile(game, name) if name else None
        self._game = game
        self._usual = game.full_settings(game.settings_type())

    def allows(self, settings: Message) -> bool:
        """Return whether games are played under some settings."""
        return self.profile is None or self.profile.allows(self._usual, self._game.full_settings(settings))

    def holds(self, situation: Situation) -> bool:
        """Return whether a game is played from a situation."""
        if self.profile is None:
            return True
        state = situation.state
        return self.allows(situation.settings) and (state is None or self.profile.holds(state))

    def check(self, situations: Iterable[Situation]) -> None:
        """Raise NotApplicable if a game is not played from one of these."""
        if not all(map(self.holds, situations)):
            raise self.outside()

    def choose(self, things: Iterable[Thing], situation: Callable[[Thing], Situation]) -> Iterator[Thing]:
        """Yield the things with a situation from which games are played.

        Raises NotApplicable at the end if there were things, but none of them is in the profile.
        """
        was_any = found_any = False
        for each in things:
            was_any = True
            if self.holds(situation(each)):
                found_any = True
                yield each
        if was_any and not found_any:
            raise self.outside()

    def at_once(self, number: int) -> int:
        """Return how many of so many games are played at the same time."""
        most = self.profile.games_at_once if self.profile is not None else None
        return number if most is None else min(number, most)

    def outside(self) -> NotApplicable:
        """Return what a case raises that is about nothing else than what the profile leaves out."""
        return NotApplicable(outside(self.name))

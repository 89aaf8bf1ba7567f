"""The format double elimination: whoever has lost two matches is out."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import GAMES_PER_MATCH, Terms, check_count, check_no_deals, filled
from fairplay.formats.knockout import matches_of
from fairplay.games.kit.knockout import deal
from fairplay.games.kit.tournament import Order, Schedule
from fairplay.v1.tournament_pb2 import DoubleElimination

LIVES = 2
"""How many matches an entrant loses before it is out."""
FRUITLESS_ROUNDS = 3
"""After how many rounds in a row in which nobody lost a match those that are left share the win."""


class _DoubleEliminationFormat:
    """Rounds of matches between those who have lost none, and between those who have lost one."""

    name = "double-elimination"
    title = "double elimination"
    summary = "Whoever has lost two matches is out; the last one left wins."
    settings = (GAMES_PER_MATCH,)
    failures_allowed = 0
    strikes_withdrawn = False
    ranks = False

    def full_settings(self, settings: Message, sizes: range) -> DoubleElimination:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return filled(settings, DoubleElimination(games_per_match=1), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if there are too few entrants for a game, or duplicate deals."""
        check_count(terms, terms.sizes.start)
        check_no_deals(terms)

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule of the rounds.

        Those who have lost no match play among themselves, and those who have lost one do too. Where they are too few
        for a match they wait; where nobody could play, all play together. The order of the others is that in which
        they went out, the last first. Whoever is withdrawn is out.
        """
        assert isinstance(settings, DoubleElimination)
        play = matches_of(settings.games_per_match, terms.sizes)
        losses = dict.fromkeys(entrants, 0)
        out: list[int] = []
        fruitless = 0
        while len(losses) > 1 and len(losses) >= terms.sizes.start and fruitless < FRUITLESS_ROUNDS:
            groups = [
                group
                for lost in range(LIVES)
                for group in deal([each for each in losses if losses[each] == lost], terms.sizes)
            ]
            matches = yield from play(groups or deal([*losses], terms.sizes))
            fruitless += 1
            for match in matches:
                for entrant in match.beaten | match.withdrawn:
                    losses[entrant] = LIVES if entrant in match.withdrawn else losses[entrant] + 1
                    fruitless = 0
            out = [entrant for entrant, lost in losses.items() if lost == LIVES] + out
            losses = {entrant: lost for entrant, lost in losses.items() if lost < LIVES}
        return Order(tuple(losses), tuple(out))


FORMAT = _DoubleEliminationFormat()

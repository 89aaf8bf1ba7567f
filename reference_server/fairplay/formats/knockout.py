"""The format knockout: the winners of each game go on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import Terms
from fairplay.formats.matches import matches_of
from fairplay.formats.settings import GAMES_PER_MATCH, check_no_deals, filled
from fairplay.games.kit import knockout
from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Plan
from fairplay.v1.tournament_pb2 import Knockout


class _KnockoutFormat:
    """Knock-out rounds, see fairplay.games.kit.knockout."""

    name = "knockout"
    title = "knockout"
    summary = "The winners of each game go on, until those left fit into one game."
    settings = (
        GAMES_PER_MATCH,
        Setting("end_failure_is_failure", "Whether a player that fails End counts as failed.", "true or false", "true"),
    )
    failures_allowed = 0
    strikes_withdrawn = False
    ranks = False

    def full_settings(self, settings: Message, sizes: range) -> Knockout:
        """Return the settings with every default filled in. Raises ValueError if a value is not allowed."""
        return filled(settings, Knockout(end_failure_is_failure=True, games_per_match=1), self.settings, sizes)

    def check(self, settings: Message, terms: Terms) -> None:
        """Accept any number of entrants. Raises ValueError if there are duplicate deals."""
        check_no_deals(terms)

    def plan(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Plan:
        """Return the plan of the rounds."""
        assert isinstance(settings, Knockout)
        return knockout.plan(entrants, terms.sizes, matches_of(settings.games_per_match, terms.sizes))


FORMAT = _KnockoutFormat()

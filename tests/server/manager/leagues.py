"""A format of a test's own: everybody plays everybody, in rounds of one game for each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message

from fairplay.formats import format as formats
from fairplay.formats.format import Terms
from fairplay.formats.schedules import Deals
from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Order, PlayRound, Schedule
from fairplay.v1.tournament_pb2 import CustomFormat, TournamentFormat

NAME = "pairs"


class Pairs:
    """Every pair meets once, in an order drawn by lot; rounds are named `ahead` rounds before they are needed."""

    name = NAME
    title = "pairs"
    summary = "Every pair meets once."
    settings = (Setting("ahead", "How many rounds are named before they are needed.", "0 to 100", "3"),)
    failures_allowed = 3
    strikes_withdrawn = True
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> CustomFormat:
        assert isinstance(settings, CustomFormat)
        full = CustomFormat(name=NAME)
        given = {each.name: each.value for each in settings.settings}
        if unknown := sorted(given.keys() - {"ahead"}):
            raise ValueError(f"{NAME} has no setting {unknown[0]!r}")
        if not 0 <= int(given.get("ahead", 3)) <= 100:
            raise ValueError("ahead must be between 0 and 100")
        full.settings.add(name="ahead", value=given.get("ahead", "3"))
        return full

    def check(self, settings: Message, terms: Terms) -> None:
        if len(terms.names) < 3:
            raise ValueError(f"it needs 3 entrants at the least, not {len(terms.names)}")

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        assert isinstance(settings, CustomFormat)
        ahead = int(settings.settings[0].value)
        pairs = list(combinations(entrants, 2))
        rng.shuffle(pairs)
        deals, wins, withdrawn = Deals(terms.deal_count), Counter[int](), frozenset[int]()
        for pair in [*pairs, ()]:
            if not withdrawn.isdisjoint(pair):
                continue
            games = deals.games(pair) if pair else ()
            results = yield PlayRound(games, ahead if pair else 0)
            withdrawn = results.withdrawn
            for game in results.played:
                first = game.result.ranking[0].players if game.result.ranking else ()
                wins.update(game.pairing.entrants[player.seat] for player in first)
        order = sorted(entrants, key=lambda entrant: (-wins[entrant], entrant))
        return Order(tuple(order[:1]), tuple(order[1:]))


FORMAT = Pairs()


def install(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Install a distribution in a folder that has the format beside the others."""
    metadata = folder / "pairs-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pairs\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[{formats.ENTRY_POINTS}]\n{NAME} = {__name__}:FORMAT\n")
    patch.syspath_prepend(str(folder))
    formats.registered.cache_clear()


def chosen(**settings: Any) -> TournamentFormat:
    """Return the choice of the format."""
    custom = CustomFormat(name=NAME)
    for name, value in settings.items():
        custom.settings.add(name=name, value=str(value))
    return TournamentFormat(custom=custom)

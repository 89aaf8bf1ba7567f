"""What another process finds is what would be found here."""

from operator import truediv
from typing import Any

from fairplay.conformance.cases.states import sources
from fairplay.conformance.games.beforehand import Search
from fairplay.conformance.games.context import open_context
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.player.transports import make_transport
from fairplay.games.game import find

FISH = find("fish")
LIMITS = CallLimits(1.0, 1.0, 1.0)


def test_another_process_finds_the_same_with_the_same_seed() -> None:
    with open_context(FISH, make_transport(FISH, "bot:first", "", 0.0), 7, LIMITS, 1) as context:
        assert Search(context, sources).finish() == sources(context)


def test_nothing_is_found_by_a_process_that_fails() -> None:
    divide: Any = truediv
    with open_context(FISH, make_transport(FISH, "bot:first", "", 0.0), 7, LIMITS, 1) as context:
        assert Search(context, divide).finish() is None

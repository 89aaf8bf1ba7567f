"""What another process finds is what would be found here."""

from operator import truediv
from typing import Any

from fairplay.conformance.cases.states import sources
from fairplay.conformance.games.beforehand import Searcher, found_beforehand, prepare
from fairplay.conformance.games.context import Context, open_context
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.player.transports import make_transport
from fairplay.games.game import find

FISH = find("fish")
LIMITS = CallLimits(1.0, 1.0, 1.0)


def found_by(context: Context, search: Any) -> Any:
    searcher = Searcher(context)
    searcher.begin(search)
    return searcher.finish(search)


def test_another_process_finds_the_same_with_the_same_seed() -> None:
    with open_context(FISH, make_transport(FISH, "bot:first", "", 0.0), 7, LIMITS, 1) as context:
        assert found_by(context, sources) == sources(context)


def test_what_was_asked_for_too_early_can_be_found_beforehand_later() -> None:
    with open_context(FISH, make_transport(FISH, "bot:first", "", 0.0), 7, LIMITS, 100) as context:
        assert found_beforehand(context, sources) is None
        prepare(sources)(context)
        assert found_beforehand(context, sources) == sources(context)


def test_nothing_is_found_by_a_process_that_fails() -> None:
    divide: Any = truediv
    with open_context(FISH, make_transport(FISH, "bot:first", "", 0.0), 7, LIMITS, 1) as context:
        assert found_by(context, divide) is None
        assert Searcher(context).finish(sources) is None

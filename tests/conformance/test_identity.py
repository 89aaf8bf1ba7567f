"""What cases about who a player is say of what they have seen."""

from __future__ import annotations

from typing import Any

import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested
from fairplay.conformance.cases import identity
from fairplay.conformance.lives import Departure, Life, Tournament
from fairplay.games.game import find, registered
from fairplay.player.handlers import describe
from fairplay.v1.misconduct_pb2 import CallError
from fairplay.v1.player_pb2 import DescribeResponse, PlayerDescription
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of

ME = describe(player())
OTHER = PlayerDescription(display_name="somebody else")
WHERE = "in a new process"


def judge(case: Case, life: Life | None = None, tournament: Tournament | None = None, **methods: Any) -> str:
    """Run a case on a started player of which this is known; return what it says of a failure, nothing if it passes."""
    with context_of(Opened(lambda: player(**methods)).as_started()) as context:
        context.once("life", lambda: life)
        context.once("tournament", lambda: tournament)
        try:
            case.run(context)
        except Failure as found:
            return found.evidence.sentence
    return ""


def life(
    *said: tuple[str, PlayerDescription | None],
    hello: PlayerDescription | None = None,
    agrees: bool = True,
    departure: Departure | None = None,
) -> Life:
    return Life(hello, agrees, said or [(WHERE, ME)], departure)


# Description


def test_a_player_says_the_same_of_itself_whenever_it_is_asked() -> None:
    case = identity.description_stays
    assert judge(case, life((WHERE, ME), ("after a game", ME))) == ""
    said = "The player says something else about itself after a game than when it was asked first."
    assert judge(case, life((WHERE, ME), ("after a game", OTHER))) == said
    said = "Describe has no readable answer during a game."
    assert judge(case, life((WHERE, ME), ("during a game", None))) == said


def test_a_player_that_cannot_make_up_its_mind_is_not_held_to_it() -> None:
    with pytest.raises(NotTested, match=r"not to be relied on: see contract\.describes-itself"):
        judge(identity.description_stays, life(agrees=False))
    with pytest.raises(NotTested, match="what the player says is not to be relied on"):
        judge(identity.description_stays, life(), describe=raises)


def test_a_hello_says_the_same_as_describe_or_nothing() -> None:
    case = identity.hello
    with pytest.raises(NotApplicable, match="only a player that dials in says hello"):
        judge(case, life())
    for hello in (PlayerDescription(), ME):
        assert judge(case, life(hello=hello)) == ""
    said = "The player says something else about itself in its hello than in Describe."
    assert judge(case, life(hello=OTHER)) == said
    assert judge(case, life((WHERE, OTHER), hello=OTHER)) == ""
    assert judge(case, life((WHERE, None), hello=ME)) == ""


# Other games


def offer_all(_: Any, request: Any) -> DescribeResponse:
    """Say that the player serves every game there is."""
    offered = PlayerDescription(display_name="all")
    for name in registered():
        offered.services.extend(describe(find(name).player("random")).services)
    return DescribeResponse(description=offered)


def test_every_service_that_is_named_is_looked_for() -> None:
    said = judge(identity.offered_games, describe=offer_all)
    assert said.startswith("The player says that it serves fairplay.")
    assert ", and does not implement /fairplay." in said
    assert judge(identity.offered_games) == ""


# Tournaments


def test_a_tournament_that_cannot_be_played_is_said_to_be_so() -> None:
    sound = trial_of(find("fish"), player())
    assert judge(identity.in_tournaments, tournament=Tournament([sound], None, None)) == ""
    with pytest.raises(NotTested, match=r"cannot be played with this player: see endings\.tournament"):
        judge(identity.in_tournaments, tournament=Tournament([sound], CallError(message="no"), None))


# Goodbyes


def departed(returned: bool = False, ended: bool = True) -> Departure:
    return Departure(returned, ended, "what it wrote")


def test_a_player_that_is_replaced_stays_away() -> None:
    def judged(departure: Departure | None) -> str:
        return judge(identity.replaced, tournament=Tournament([], None, departure))

    assert judged(departed(ended=False)) == ""
    assert judged(departed(returned=True)) == "The player dialled in again after the goodbye REPLACED."
    with pytest.raises(NotApplicable, match="only a player that is started here, and dials in, is told goodbye"):
        judged(None)


def test_a_player_that_is_not_needed_ends() -> None:
    def judged(departure: Departure | None) -> str:
        return judge(identity.ends, life(departure=departure))

    assert judged(departed()) == ""
    assert judged(departed(returned=True)) == "The player dialled in again after the goodbye FINISHED."
    said = "The player's process did not end within 5 s after the goodbye FINISHED."
    assert judged(departed(ended=False)) == said
    with pytest.raises(NotApplicable):
        judged(None)

"""What cases about who a player is say of what they have seen."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested
from fairplay.conformance.cases import identity
from fairplay.conformance.lives import Departure, Life, Tournament
from fairplay.conformance.player_under_test import PlayerUnderTest
from fairplay.conformance.transports import DialInTransport, PlayerServer
from fairplay.conformance.trial import Scenario, Trial, play_trial
from fairplay.games.conformance import Situation
from fairplay.games.game import find, registered
from fairplay.player.handlers import describe
from fairplay.v1.misconduct_pb2 import CallError
from fairplay.v1.player_pb2 import DescribeResponse, GameService, PlayerDescription
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
    assert judge(case, life((WHERE, OTHER), ("after a game", ME), hello=OTHER)) == ""


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


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, ""),
        ({"setup": raises}, ""),  # how it plays is another case's business
        (
            {"setup": None},
            "The player says that it serves games.v1.Other, and does not implement"
            " /fairplay.fish.v1.FishPlayerService/Setup.",
        ),
    ],
)
def test_a_player_lacks_a_game_if_it_lacks_a_method_of_it(
    wrong: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    games: dict[str, Any] = {"fish": find("fish"), "other": copy(find("fish"))}
    games["other"].service = "games.v1.Other"
    monkeypatch.setattr(identity, "registered", lambda: games)
    monkeypatch.setattr(identity, "find", games.__getitem__)
    played: list[Scenario] = []

    async def play(game: Any, connection: Any, scenario: Scenario, *more: Any) -> Trial:
        played.append(scenario)
        return await play_trial(game, connection, scenario, *more)

    monkeypatch.setattr(identity, "play_trial", play)

    def offer(_: Any, request: Any) -> DescribeResponse:
        services = [GameService(name=game.service, revision=1) for game in games.values()]
        return DescribeResponse(description=PlayerDescription(display_name="two", services=services))

    def make() -> Any:
        made = player(describe=offer, **{name: each for name, each in wrong.items() if each})
        for name, each in wrong.items():
            if each is None:
                setattr(made, name, None)
        return made

    with context_of(Opened(make).as_objects()) as context:
        if said:
            with pytest.raises(Failure) as caught:
                identity.offered_games.run(context)
            assert caught.value.evidence.sentence == said
        else:
            identity.offered_games.run(context)
        [scenario] = played
        settings = games["fish"].full_settings(games["fish"].settings_type())
        assert scenario.situation == Situation(settings, player_count=2, seat=0)
        assert scenario.seed == context.rng("offered", "fish").getrandbits(32)


# Coming again


def reach(transport: Any, before: int = 0) -> PlayerUnderTest:
    """Run the case about a player that is reached again, after so many other connections, and return the player."""
    with context_of(transport) as context:
        for _ in range(before):
            context.player.begin()
            context.player.loop.run(context.player.open().close())
        identity.reached_again.run(context)
        return context.player


def asked_to_describe() -> tuple[Callable[[], Any], list[str]]:
    """Return what makes players, and a list that grows by each call of Describe."""
    calls: list[str] = []

    def describe(sound: Any, request: Any) -> Any:
        calls.append("Describe")
        return sound(request)

    return lambda: player(describe=describe), calls


def test_a_player_is_reached_again_unless_it_has_been() -> None:
    make, calls = asked_to_describe()
    assert reach(Opened(make).as_started()).reach_count == 2
    assert len(calls) == 2  # it is called on each connection
    assert reach(Opened(make).as_started(), before=1).reach_count == 2
    assert len(calls) == 3
    assert reach(Opened(make).as_objects(), before=1).reach_count == 2


@pytest.mark.parametrize("before", [0, 1])
def test_a_player_that_serves_is_reached_again_when_no_connection_is_open(before: int) -> None:
    open_counts: list[int] = []

    def count(number: int) -> None:
        open_counts.append(opened.open_count)

    make, calls = asked_to_describe()
    opened = Opened(make, count)
    reached = reach(opened.as_served(), before)
    assert open_counts[:1] + open_counts[before + 1 :] == [0, 0, 0]  # the last one is for those that follow
    assert reached.reach_count == before + 3
    assert len(calls) == 2


def test_a_process_that_is_there_goes_on_when_another_is_reached() -> None:
    opened = Opened(player)
    with context_of(opened.as_started()) as context:
        identity.reached_again.run(context)
        assert context.player.reach_count == 2
        assert not opened.links[0].closed


@pytest.mark.parametrize("kind", ["started", "served"])
def test_a_player_that_is_not_there_again_is_told_apart_from_one_that_never_was(kind: str) -> None:
    def transport(dead_from: int) -> Any:
        opened = Opened(player, lambda number: "it is gone" if number >= dead_from else None)
        return opened.as_started() if kind == "started" else opened.as_served()

    with pytest.raises(NotTested, match=r"^the player cannot be reached: see contract\.reachable"):
        reach(transport(1))
    with pytest.raises(Failure, match=r"^The player was there, but could not be reached again: it is gone$"):
        reach(transport(2))


def test_a_player_that_dials_in_comes_by_itself() -> None:
    with pytest.raises(NotApplicable, match="reached over the stream that it opens"):
        reach(DialInTransport("me", PlayerServer("127.0.0.1:0", 0.1)))


# Tournaments


def test_a_tournament_that_cannot_be_played_is_said_to_be_so() -> None:
    sound = trial_of(find("fish"), player())
    assert judge(identity.in_tournaments, tournament=Tournament([sound], None, None)) == ""
    with pytest.raises(NotTested, match=r"cannot be played with this player: see endings\.tournament"):
        judge(identity.in_tournaments, tournament=Tournament([sound], CallError(message="no"), None))


def test_games_of_a_tournament_are_held_against_those_after_others() -> None:
    sound, broken = trial_of(find("fish"), player()), trial_of(find("fish"), player(setup=raises))
    judged: list[tuple[Any, list[str]]] = []
    context: Any
    with context_of(Opened(player).as_started()) as context:
        context.once("tournament", lambda: Tournament([sound, broken], None, None))
        context.judge_condition = lambda found, *controls: judged.append((found, [name for name, _ in controls]))
        identity.in_tournaments.run(context)
    assert judged == [(sound, ["memory.back-to-back"]), (broken, ["memory.back-to-back"])]


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


def test_cases_are_about_tournaments_descriptions_and_how_a_player_comes_and_goes() -> None:
    names = ["in-tournaments", "description-stays", "hello", "offered-games", "reached-again", "replaced", "ends"]
    assert [each.id for each in identity.cases(find("fish"))] == [f"identity.{name}" for name in names]


def test_a_player_that_is_not_needed_ends() -> None:
    def judged(departure: Departure | None) -> str:
        return judge(identity.ends, life(departure=departure))

    assert judged(departed()) == ""
    assert judged(departed(returned=True)) == "The player dialled in again after the goodbye FINISHED."
    said = "The player's process did not end within 5 s after the goodbye FINISHED."
    assert judged(departed(ended=False)) == said
    with pytest.raises(NotApplicable):
        judged(None)

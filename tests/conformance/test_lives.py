"""The life of a player from its first call to a goodbye, and a tournament as the manager plays it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fairplay.conformance.context import Context
from fairplay.conformance.lives import Departure, life_of, parse_description, tournament_of, watch_departure
from fairplay.conformance.objects import Gone, ObjectLink
from fairplay.conformance.spares import Spares
from fairplay.server.links.link import Clock, Link, disconnected
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import DescribeResponse, PlayerDescription
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, StartedLink, context_of
from tests.conformance.test_ahead import run

FINISHED = GoodbyeReason.GOODBYE_REASON_FINISHED


# Goodbyes


class Leaving(StartedLink):
    """The link to a player whose stream ends and comes back, and whose process ends, some seconds after a goodbye."""

    def __init__(self, gone_s: float = 1e9, back_s: float = 1e9, ended_s: float = 1e9) -> None:
        super().__init__()
        self.goodbyes: list[tuple[Any, str]] = []
        self._gone_s, self._back_s, self._ended_s = gone_s, back_s, ended_s
        self._said_s: float | None = None

    def dismiss(self, reason: Any, message: str) -> None:
        self.goodbyes.append((reason, message))
        self._said_s = asyncio.get_running_loop().time()

    @property
    def _since_s(self) -> float:
        return -1.0 if self._said_s is None else asyncio.get_running_loop().time() - self._said_s

    @property
    def connected(self) -> bool:
        return self._since_s < self._gone_s or self._since_s >= self._back_s

    @property
    def ended(self) -> bool:
        return self._since_s >= self._ended_s

    @property
    def output(self) -> str:
        return "what it wrote"


@pytest.mark.parametrize(
    ("link", "returned", "ended", "takes_s"),
    [
        (Leaving(), False, False, 5.0),
        (Leaving(gone_s=0.5), False, False, 5.0),
        (Leaving(gone_s=0.5, ended_s=0.9), False, True, 0.9),
        (Leaving(ended_s=0.5), False, True, 0.5),
        (Leaving(gone_s=0.5, back_s=0.9), True, False, 0.9),
        (Leaving(gone_s=0.0, back_s=0.3), True, False, 0.3),
        (Leaving(gone_s=0.0, ended_s=0.0), False, True, 0.0),
        (Leaving(gone_s=4.0, back_s=6.0), False, False, 5.0),
    ],
    ids=lambda value: None,
)
def test_a_player_is_watched_until_it_has_ended_or_returned(
    link: Leaving, returned: bool, ended: bool, takes_s: float
) -> None:
    async def test() -> None:
        await asyncio.sleep(100)
        began = asyncio.get_running_loop().time()
        assert await watch_departure(link, FINISHED, 5.0) == Departure(returned, ended, "what it wrote")
        assert asyncio.get_running_loop().time() - began == pytest.approx(takes_s, abs=0.025)
        assert link.goodbyes == [(FINISHED, "this player is no longer needed here")]

    run(test())


def test_a_player_is_not_watched_any_more_once_the_time_is_over() -> None:
    async def test() -> None:
        await watch_departure(Leaving(), FINISHED, 0.02)
        assert asyncio.get_running_loop().time() == 0.02

    run(test())


# Lives


class Talking:
    """A player whose descriptions have different versions, by a function of how often it was asked."""

    def __init__(self, version: Any = lambda count: "1", wrong: Any = None) -> None:
        self.asked: list[str] = []
        self._version = version
        self._wrong = wrong

    def __call__(self) -> object:
        asked: list[str] = []
        self.asked = asked

        def describe(sound: Any, request: Any) -> Any:
            asked.append("Describe")
            version = self._version(asked.count("Describe"))
            return DescribeResponse(description=PlayerDescription(software_version=version))

        def note(name: str) -> Any:
            def answer(sound: Any, request: Any) -> Any:
                asked.append(name)
                return self._wrong(sound, request) if self._wrong is not None else sound(request)

            return answer

        return player(describe=describe, play_as=note("PlayAs"), setup=note("Setup"), take_turn=note("TakeTurn"))


def test_a_player_is_asked_who_it_is_twice_at_once_and_during_and_after_games() -> None:
    talking = Talking()
    with context_of(Opened(talking).as_objects()) as context:
        life = life_of(context)
        assert life_of(context) is life
        one = PlayerDescription(software_version="1")
        assert life.said == [("later", one), ("during a game", one), ("after a game", one)]
        assert (life.hello, life.agrees_at_once, life.departure) == (None, True, None)
        assert [each.scenario.situation.turn_count for each in context.trials] == [3, 0]
        assert [each.scenario.name for each in context.trials] == ["seat-0-of-2"] * 2
    assert talking.asked[:3] == ["Describe", "Describe", "PlayAs"]
    assert talking.asked.count("Describe") == 4
    assert talking.asked.index("Describe", 2) == 2 + 1 + 3


def test_a_player_that_is_started_is_asked_in_a_new_process() -> None:
    with context_of(Opened(Talking(str)).as_started()) as context:
        life = life_of(context)
    assert [when for when, _ in life.said] == ["in a new process", "during a game", "after a game"]
    assert [each.software_version for _, each in life.said if each is not None] == ["1", "3", "4"]
    assert not life.agrees_at_once


def dies(sound: Any, request: Any) -> Any:
    raise Gone


def test_a_player_that_is_gone_is_asked_no_more() -> None:
    with context_of(Opened(Talking(wrong=dies)).as_objects()) as context:
        assert [when for when, _ in life_of(context).said] == ["later"]
        assert len(context.trials) == 1


def test_a_description_is_what_a_readable_reply_says() -> None:
    one = PlayerDescription(software_version="1")
    assert parse_description(DescribeResponse(description=one).SerializeToString()) == one
    assert parse_description(b"") == PlayerDescription()
    assert parse_description(b"\xff") is None
    assert parse_description(Overrun()) is None
    assert parse_description(disconnected("it is gone")) is None


# Tournaments


def tournaments(**wrong: Any) -> tuple[Any, list[tuple[str, Any]]]:
    """Return what makes players, and a list of what they are asked by the tournament itself."""
    asked: list[tuple[str, Any]] = []

    def note(name: str) -> Any:
        def answer(sound: Any, request: Any) -> Any:
            asked.append((name, request))
            return wrong[name](sound, request) if name in wrong else sound(request)

        return answer

    return lambda: player(
        start=note("Start"), end=note("End"), **{k: v for k, v in wrong.items() if k.islower()}
    ), asked


def test_a_tournament_has_a_start_a_game_a_round_and_an_end() -> None:
    make, asked = tournaments()
    with context_of(Opened(make).as_objects()) as context:
        played = tournament_of(context)
        assert tournament_of(context) is played
        situations = [each.scenario.situation for each in played.trials]
        assert [each.player_count for each in situations] == [4, 3, 2]
        assert [each.turn_count for each in situations] == [24, 24, 0]
        seats = [context.rng("tournament", count).randrange(count) for count in (4, 3, 2)]
        assert [each.seat for each in situations] == seats
        assert (played.problem, played.departure) == (None, None)
    assert [name for name, _ in asked] == ["Start", "End"]
    tournament_id = asked[0][1].tournament_id
    assert asked[1][1].tournament_id == tournament_id
    assert asked[1][1].won
    ids = [each.exchanges[0].method.request.FromString(each.exchanges[0].request) for each in played.trials]
    assert [each.game_id for each in ids] == [f"{tournament_id}/r{number}g1" for number in (1, 2, 3)]  # type: ignore[attr-defined]


def test_a_tournament_that_cannot_begin_has_no_games() -> None:
    make, asked = tournaments(Start=raises)
    with context_of(Opened(make).as_objects()) as context:
        played = tournament_of(context)
    assert isinstance(played.problem, CallError)
    assert played.trials == []
    assert [name for name, _ in asked] == ["Start"]


def test_a_tournament_ends_for_a_player_with_the_game_that_eliminates_it() -> None:
    make, asked = tournaments(setup=raises)
    with context_of(Opened(make).as_objects()) as context:
        played = tournament_of(context)
    assert [each.misconduct is not None for each in played.trials] == [True]
    assert [name for name, _ in asked] == ["Start", "End"]


def test_a_tournament_may_end_for_a_player_with_a_later_game() -> None:
    games: list[str] = []

    def is_wrong_in_the_second(sound: Any, request: Any) -> Any:
        if request.game_id not in games:
            games.append(request.game_id)
        return raises(sound, request) if len(games) == 2 else sound(request)

    make, _ = tournaments(setup=is_wrong_in_the_second)
    with context_of(Opened(make).as_objects()) as context:
        played = tournament_of(context)
    assert [each.misconduct is not None for each in played.trials] == [False, True]


# Processes


class Living(Leaving):
    """The link to a process that plays."""

    dialled_in = True

    def __init__(self, **after: float) -> None:
        super().__init__(**after)
        self._inner = ObjectLink(Clock(), player())

    def call(self, *arguments: Any, **more: Any) -> Any:
        return self._inner.call(*arguments, **more)

    @property
    def connected(self) -> bool:
        return self.dialled_in and super().connected

    @property
    def description(self) -> PlayerDescription | None:
        return PlayerDescription(display_name="at first") if self.dialled_in else None


class Serving(Living):
    """The link to a process that plays, and serves."""

    dialled_in = False


@contextmanager
def living(link: Callable[[], Living]) -> Iterator[tuple[Context, list[Living]]]:
    """Yield a context whose player is in processes, and the links that are opened."""
    links: list[Living] = []

    async def start() -> Link:
        links.append(link())
        return links[-1]

    transport = Opened(player).as_started()
    transport.spares = Spares(start)
    with context_of(transport) as context, context.player.quiet():
        yield context, links


def test_at_the_end_of_its_life_a_process_that_has_dialled_in_is_told_that_all_is_over() -> None:
    with living(lambda: Living(ended_s=0.0)) as (context, links):
        life = life_of(context)
        assert life.departure == Departure(False, True, "what it wrote")
        assert life.hello == PlayerDescription(display_name="at first")
        said = [link.goodbyes for link in links if link.goodbyes]
        assert said == [[(FINISHED, "this player is no longer needed here")]]
        assert [link.closed for link in links if link.goodbyes] == [True], "it is not handed on"


def test_at_the_end_of_a_tournament_another_one_takes_the_place_of_a_process_that_has_dialled_in() -> None:
    with living(lambda: Living(gone_s=0.0, back_s=0.05)) as (context, links):
        assert tournament_of(context).departure == Departure(True, False, "what it wrote")
        [[(reason, _)]] = [link.goodbyes for link in links if link.goodbyes]
        assert reason == GoodbyeReason.GOODBYE_REASON_REPLACED


def test_nobody_says_goodbye_to_a_process_that_serves() -> None:
    with living(Serving) as (context, links):
        assert life_of(context).departure is None
        assert life_of(context).hello is None
        assert tournament_of(context).departure is None
        assert not any(link.goodbyes for link in links)
        assert len([link for link in links if not link.closed]) == 2, "the shared one, and one that is handed on"

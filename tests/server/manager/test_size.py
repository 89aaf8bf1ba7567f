"""Tournaments with the most entrants: what is sent about them stays small, and their sign-up is not quadratic."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import pytest

from fairplay.games.kit.player_service import END
from fairplay.server.manager.course import Course
from fairplay.server.manager.plan import MAX_ENTRANTS
from fairplay.server.servicers.public import public_event, public_tournament, tournament_summary
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import TournamentStarted, WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import CallError, Misconduct, MisconductKind
from fairplay.v1.player_pb2 import EndResponse, GameService, PlayerDescription, StartResponse
from fairplay.v1.result_pb2 import GameResult, RankedPlayer, RankGroup
from fairplay.v1.tournament_pb2 import RoundRobin, Tournament, TournamentStatus
from tests.server.manager.harness import Environment, environment, plan
from tests.slow import SLOW

GRPC_LIMIT = 4 * 1024 * 1024
"""The most bytes of a message that gRPC's clients accept by default."""


def described(name: str, text: str) -> Player:
    services = [GameService(name="fairplay.fish.v1.FishPlayerService", revision=1)]
    description = PlayerDescription(display_name=text, software_version=text, services=services)
    return Player(name=name, link=f"grpc://player.example.org:{10_000 + len(name)}", description=description)


def failing(seat: int, name: str, words: str) -> Misconduct:
    """Return a misconduct as it is recorded of a program that ends in its turn."""
    error = CallError(message=words, output=words)
    method = "/fairplay.fish.v1.FishPlayerService/TakeTurn"
    kind = MisconductKind.MISCONDUCT_KIND_EXCEPTION
    return Misconduct(seat=seat, player=name, kind=kind, call_error=error, method_name=method, call_number=99)


def result(players: Sequence[str], failed: int, words: str) -> GameResult:
    """Return the result of a game whose last players failed, and whose first one won."""
    ranked = [RankedPlayer(seat=seat, name=name, score=42) for seat, name in enumerate(players)]
    stayed = len(players) - min(failed, len(players) - 1)
    return GameResult(
        ranking=[RankGroup(players=[each]) for each in ranked[:stayed]],
        misconducts=[failing(seat, players[seat], words) for seat in range(stayed, len(players))],
    )


def played(
    entrants: Iterable[Player], failed: int = 0, words: str = "it failed", round_robin: bool = False
) -> tuple[Tournament, list[WatchTournamentResponse]]:
    """Return a tournament that was played to its end, and its events."""
    message = Tournament(tournament_id="t" * 64, plan=plan(), entrants=entrants)
    if round_robin:
        message.plan.format.round_robin.MergeFrom(RoundRobin(seat_count=2, cycle_count=1))
    message.status = TournamentStatus.TOURNAMENT_STATUS_RUNNING
    events = [WatchTournamentResponse(started=TournamentStarted(entrants=message.entrants))]
    course = Course(message, lambda _: None, events.append)
    while not course.over:
        for seat, asked in [*course.open_calls.items()]:
            answer = EndResponse() if asked.call.method is END else StartResponse()
            course.apply_outcome(seat, answer.SerializeToString())
        for game_id, game in [*course.open_games.items()]:
            course.apply_result(game_id, result(game.shown.players, failed, words))
    assert course.result is not None
    message.status = TournamentStatus.TOURNAMENT_STATUS_FINISHED
    message.result.CopyFrom(course.result)
    return message, [*events, WatchTournamentResponse(finished=course.result)]


def largest(message: Tournament, events: Iterable[WatchTournamentResponse]) -> int:
    return max(public_tournament(message).ByteSize(), *(public_event(event).ByteSize() for event in events))


def test_the_largest_tournament_fits_with_all_that_is_known_of_it() -> None:
    message, events = played(described(f"player{number}", "Some Player 1.0") for number in range(MAX_ENTRANTS))
    public = public_tournament(message)
    assert len(public.entrants) == MAX_ENTRANTS and len(public.rounds) > 5
    assert all(player.description.display_name and not player.link for player in public.entrants)
    assert [game.result.ranking for game in public.rounds[0].games] == [
        game.result.ranking for game in message.rounds[0].games
    ]
    assert largest(message, events) < GRPC_LIMIT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failed", "name_chars", "words"),
    [(3, 12, 1_000), *(pytest.param(*each, marks=SLOW) for each in [(2, 64, 80)])],
)
def test_the_largest_tournament_fits_also_where_names_are_long_and_many_fail(
    failed: int, name_chars: int, words: int
) -> None:
    names = (f"{number:0{name_chars}}" for number in range(MAX_ENTRANTS))
    message, events = played((described(name, "d" * 80) for name in names), failed, "w" * words)
    assert largest(message, events) < GRPC_LIMIT
    public = public_tournament(message)
    assert public.result.winners == message.result.winners
    failures = [failure.misconduct.player for failure in message.result.failures]
    assert [failure.misconduct.player for failure in public.result.failures] == failures


def test_a_list_counts_the_rounds_that_are_not_shown_any_more_too() -> None:
    message, _ = played((Player(name=f"p{number}") for number in range(110)), round_robin=True)
    assert tournament_summary(message).round_count == message.round_count > len(message.rounds)


def test_of_a_tournament_that_fits_nothing_is_cut() -> None:
    message, _ = played((described(f"p{number}", "d" * 80) for number in range(60)), 2, "w" * 2_000)
    public = public_tournament(message)
    assert public.result.failures[0].misconduct.call_error == message.result.failures[0].misconduct.call_error
    assert public.rounds[0].games[0].result == message.rounds[0].games[0].result


@SLOW
async def test_ten_thousand_sign_ups_send_little_to_each_and_to_a_watcher() -> None:
    async with environment() as here:
        await here.manager.create("t", plan(max_entrant_count=MAX_ENTRANTS, name_pattern="p[0-9]+"))
        watching = asyncio.create_task(_watched_bytes(here))
        await asyncio.sleep(0)
        players = [Player(name=f"p{number}", link="bot:first") for number in range(1, MAX_ENTRANTS)]
        responses = await asyncio.gather(*(here.manager.sign_up("t", player, "") for player in players))
        assert [response.number for response in responses] == [*range(1, MAX_ENTRANTS)]
        assert sum(response.ByteSize() for response in responses) < 20 * MAX_ENTRANTS
        await here.manager.cancel("t", "rain")
        assert await watching < 200 * MAX_ENTRANTS


async def _watched_bytes(here: Environment) -> int:
    return sum([public_event(event).ByteSize() async for event in here.manager.watch("t")])

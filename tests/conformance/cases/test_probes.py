"""Probes are asked more than once of the same player: what goes wrong later is found, with what came before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.cases.probes import ROUNDS
from fairplay.conformance.games.context import open_context
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.player.transports import make_transport
from fairplay.fish.v1.fish_player_pb2 import TakeTurnResponse
from fairplay.games.conformance import find_conformance
from fairplay.games.fish import protocol, rules
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.v1.player_pb2 import DescribeRequest
from fairplay.webset.v1.webset_pb2 import EVENT_KIND_PICKED
from tests.conformance.harness import AMPLE_S, judged, player

PROBE = "fish.turn.single-legal-move"
FREE_CHOICE = "fish.move.even-rows"
"""Many moves are legal here, and one is made."""
TWINS = "bazaar.cards.twins"
FEW_PENGUINS = 2
"""A player of the probe has so many, and of no game of two under the usual settings."""


def fails_with_few_penguins(number: int) -> Any:
    """Return a player that raises an exception when it is asked in such a game for this time, from 1."""
    asked = Counter[int]()

    def take_turn(sound: Any, request: Any) -> Any:
        penguins = request.state.penguin_count
        asked[penguins] += 1
        if penguins == FEW_PENGUINS and asked[penguins] == number:
            raise RuntimeError("this player is broken")
        return sound(request)

    return player(take_turn=take_turn)


def test_what_fails_in_a_probe_the_second_time_is_charged_to_the_games_before() -> None:
    report = judged(lambda: fails_with_few_penguins(2), only=f"{PROBE},memory.back-to-back")
    assert report.verdict(PROBE) is Verdict.NOT_TESTED
    [found] = [each for each in report.judged if each.verdict is Verdict.FAIL]
    assert found.id == "memory.back-to-back"
    assert found.evidence is not None
    assert f"the game {PROBE}" in dict(found.evidence.sections)["Games before"]
    assert report.exit_code == 1


def test_what_fails_in_a_probe_the_first_time_is_charged_to_the_probe() -> None:
    report = judged(lambda: fails_with_few_penguins(1), only=f"{PROBE},memory.back-to-back")
    assert report.verdict(PROBE) is Verdict.FAIL
    assert report.verdict("memory.back-to-back") is Verdict.PASS


def test_the_second_time_alone_is_enough_where_nothing_else_is_judged() -> None:
    report = judged(lambda: fails_with_few_penguins(2), only=PROBE)
    assert report.verdict(PROBE) is Verdict.FAIL


def draws_lots(number: int) -> Any:
    """Return a player that makes any move in turn, and raises an exception when it is asked for this time, from 1."""
    asked = count(1)

    def take_turn(sound: Any, request: Any) -> Any:
        now = next(asked)
        if now == number:
            raise RuntimeError("this player is broken")
        moves = list(rules.moves(protocol.read_view(request.state), 0))
        return TakeTurnResponse(action=protocol.build_action(moves[now % len(moves)]))

    return player(take_turn=take_turn)


def test_a_player_that_answers_differently_plays_a_probe_more_often() -> None:
    report = judged(lambda: draws_lots(ROUNDS), only=f"{FREE_CHOICE},memory.back-to-back")
    assert report.exit_code == 1
    assert judged(lambda: draws_lots(ROUNDS), only=FREE_CHOICE).exit_code == 1
    assert judged(lambda: draws_lots(ROUNDS + 1), only=FREE_CHOICE).exit_code == 0


def test_a_player_that_always_answers_the_same_plays_a_probe_twice() -> None:
    assert judged(lambda: fails_with_few_penguins(3), only=PROBE).exit_code == 0


def test_a_probe_with_several_draws_is_played_in_as_many_situations() -> None:
    [probe] = [each for each in find_conformance("bazaar").probes if each.id == TWINS]
    rows: list[str] = []

    def watched() -> Any:
        made: Any = find("bazaar").player("first")
        sound = made.request_cards

        def request_cards(request: Any) -> Any:
            rows.append(str(request.turn_state.visible))
            return sound(request)

        made.request_cards = request_cards
        return made

    assert judged(watched, only=TWINS, game="bazaar").exit_code == 0
    assert len(rows) == probe.draws + 1
    assert len(set(rows)) == probe.draws


@pytest.mark.parametrize("call_count", [0, 1])
def test_a_single_call_is_a_past(call_count: int) -> None:
    game = find("fish")
    transport = make_transport(game, player, listen="", start_limit_s=AMPLE_S)
    with (
        open_context(game, transport, 0, CallLimits(AMPLE_S, AMPLE_S, AMPLE_S), 1) as context,
        context.player.fresh() as connection,
    ):
        for _ in range(call_count):
            context.ask(DESCRIBE, DescribeRequest(), connection)
        found = context.play(context.scenario(0, 2, turn_count=1), connection)
    assert found.had_past == bool(call_count)


def raises_where(method: str, wrong: Callable[[Any], bool]) -> Any:
    """Return a player of Webset that raises an exception in requests of a method."""
    made: Any = find("webset").player("first")
    sound = getattr(made, method)

    def answer(request: Any) -> Any:
        if wrong(request):
            raise RuntimeError("this player is broken")
        return sound(request)

    setattr(made, method, answer)
    return made


@pytest.mark.parametrize(
    ("case", "method", "wrong"),
    [
        (
            "webset.race.one-by-one",
            "report",
            lambda request: any(event.kind == EVENT_KIND_PICKED for event in request.events),
        ),
        (
            "webset.resume.below-zero",
            "game_over",
            lambda request: request.state.players[request.seat].points < 0,
        ),
    ],
)
def test_what_only_notifications_tell_is_met_in_probes(case: str, method: str, wrong: Callable[[Any], bool]) -> None:
    report = judged(lambda: raises_where(method, wrong), only=case, game="webset")
    assert report.verdict(case) is Verdict.FAIL

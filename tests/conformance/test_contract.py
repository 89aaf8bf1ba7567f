"""What cases about the contract say of players in this process."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import DecodeError

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure
from fairplay.conformance.cases import contract, robustness
from fairplay.conformance.cases.contract import newer
from fairplay.games.game import find
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, GameService, PlayerDescription
from tests.conformance.harness import player, raises
from tests.conformance.opened import Opened, context_of

FISH = GameService(name="fairplay.fish.v1.FishPlayerService", revision=1)


def judge(case: Case, **methods: Any) -> str:
    """Return what a case says of the failure of a player with these methods; nothing if it passes."""
    with context_of(Opened(lambda: player(**methods)).as_objects()) as context:
        try:
            case.run(context)
        except Failure as found:
            return found.evidence.sentence
    return ""


def described(*services: GameService, name: str = "me", version: str = "") -> str:
    """Return what is said of a player that describes itself so."""
    answer = DescribeResponse(
        description=PlayerDescription(display_name=name, software_version=version, services=services)
    )
    return judge(contract.describes_itself, describe=lambda sound, request: answer)


def others(count: int) -> list[GameService]:
    return [GameService(name=f"games.v1.S{number}", revision=9) for number in range(count)]


NAMES = "display_name must have 1 to 80 characters."
VERSIONS = "software_version must have at most 80 characters."
SERVICES = "services must hold each service once, and at most 64 of them."
REVISIONS = "services name a revision that does not exist: the latest is 1."


@pytest.mark.parametrize(
    ("said", "services", "words"),
    [
        ("", [FISH], {"name": "m" * 80, "version": "v" * 80}),
        (NAMES, [FISH], {"name": ""}),
        (NAMES, [FISH], {"name": "m" * 81}),
        (VERSIONS, [FISH], {"version": "v" * 81}),
        ("", [*others(63), FISH], {}),
        (SERVICES, [*others(64), FISH], {}),
        (SERVICES, [FISH, *others(1), *others(1)], {}),
        (f"services must hold {FISH.name}.", others(1), {}),
        (REVISIONS, [GameService(name=FISH.name, revision=2)], {}),
        (REVISIONS, [FISH, GameService(name="fairplay.q.v1.QPlayerService", revision=2)], {}),
        ("", [GameService(name=FISH.name, revision=0)], {}),
    ],
)
def test_what_a_player_says_of_itself_has_its_limits(said: str, services: list[GameService], words: Any) -> None:
    assert described(*services, **words) == said


def test_a_player_says_the_same_twice() -> None:
    def describe(_: Any, request: Any) -> DescribeResponse:
        return DescribeResponse(description=PlayerDescription(display_name=next(answers), services=[FISH]))

    said = "Asked twice, the player must say the same about itself."
    answers = iter("aab")  # it is asked once when it is reached
    assert judge(contract.describes_itself, describe=describe) == said


def test_a_player_that_fails_to_describe_itself() -> None:
    assert judge(contract.describes_itself, describe=raises).startswith("Describe failed: ")


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (CallError(message="boom"), "failed: boom"),
        (Overrun(), "did not answer within 0 s."),
    ],
)
def test_what_is_said_of_calls_that_failed(outcome: Any, said: str) -> None:
    if isinstance(outcome, Overrun):
        outcome.limit.FromMilliseconds(1_500)
        said = "did not answer within 1.5 s."
    assert contract._problem(outcome) == said


def test_a_newer_request_has_two_more_fields_in_each_of_its_messages() -> None:
    request: Any = find("fish").turn.request(game_id="g")
    request.state.last_action.skip = True
    request.state.players.add(score=2)
    changed = type(request).FromString(newer(request))
    parts = (changed, changed.state, changed.state.last_action, changed.state.players[0])
    for part in parts:
        assert b"\xc2\xbb\x1e\x03new\xc8\xbb\x1e*" in part.SerializeToString()
    changed.DiscardUnknownFields()
    assert changed == request
    assert request.SerializeToString() != newer(request)


# Requests that are none


class Outcomes:
    """Stands for a context whose player answers requests that are none with these outcomes."""

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome

    def ask(self, *_: Any) -> tuple[Any, float]:
        return self._outcome, 0.0


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (b"", "was answered as if it were one."),
        (Overrun(), "was not answered."),
        (
            CallError(message="gone", reason=CallErrorReason.CALL_ERROR_REASON_DISCONNECTED),
            "ended the player: gone",
        ),
        (CallError(message="no such method", status_code=12), ""),
    ],
)
def test_a_request_that_nobody_can_read_is_refused_and_no_more(outcome: Any, said: str) -> None:
    context: Any = Outcomes(outcome)
    connection: Any = type("Silent", (), {"output": ""})()

    def check() -> None:
        robustness._check_refused(context, connection, find("fish").turn, b"\xff")

    if not said:
        check()
    else:
        with pytest.raises(Failure) as caught:
            check()
        assert caught.value.evidence.sentence == f"A request of TakeTurn that nobody can read {said}"
        assert dict(caught.value.evidence.sections)["Request"]


def test_unreadable_requests_are_of_the_turn_and_describe_and_one_of_no_method() -> None:
    with context_of(Opened(player).as_objects()) as context:
        found = [(method.path.rpartition("/")[2], request) for method, request in robustness._invalid_requests(context)]
    assert [name for name, _ in found] == ["TakeTurn", "Describe", "TakeTurnTwice"]
    types: list[Any] = [find("fish").turn.request, DescribeRequest]
    for type_, (_, request) in zip(types, found, strict=False):
        with pytest.raises(DecodeError):
            type_.FromString(request)

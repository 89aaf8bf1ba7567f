"""The steps in which the conversation of a game speaks to its driver.

A conversation is a generator. It yields steps and is sent their answers; it never awaits and knows no socket, clock
or thread. The referee, replays, simulations and the conformance suite drive the same generators.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from fairplay.v1.misconduct_pb2 import CallError, Overrun, RuleBreak


class Method(NamedTuple):
    """A method of a player's service.

    `path` is the full gRPC name with a leading slash, e.g. "/fairplay.fish.v1.FishPlayerService/TakeTurn".
    """

    path: str
    request: type[Message]
    response: type[Message]

    @property
    def name(self) -> str:
        """Return the last part of the path, e.g. "TakeTurn"."""
        return self.path.rpartition("/")[2]

    @property
    def asks(self) -> bool:
        """Return whether it asks for something: the response of a method that only tells something is empty."""
        return bool(self.response.DESCRIPTOR.fields)


def build_methods(service: str, types: Mapping[str, tuple[type[Message], type[Message]]]) -> dict[str, Method]:
    """Return the methods of a service by name, from the types of each method's request and response."""
    return {name: Method(f"/{service}/{name}", *pair) for name, pair in types.items()}


def methods_of(service: ServiceDescriptor) -> dict[str, Method]:
    """Return the methods of a service of the protos by name, in the order in which they stand there."""
    types = {
        each.name: (GetMessageClass(each.input_type), GetMessageClass(each.output_type)) for each in service.methods
    }
    return build_methods(service.full_name, types)


class CallKind(Enum):
    """The kind of a call: it decides which limit of the time control holds."""

    NOTIFICATION = "notification"
    DECISION = "decision"
    FIRST_DECISION = "first decision"


class Call:
    """Ask one player. The answer is a message of type `method.response`, or a Failure.

    `request` is a message of type `method.request`, or its bytes: where several players are told the same, or much of
    what they are told stays the same, a game need not write it again for each of them. `limit_s` is a limit set by the
    rules of the game, which replaces that of the time control.
    """

    __slots__ = ("_data", "_message", "kind", "limit_s", "method", "seat")

    def __init__(self, seat: int, method: Method, request: Any, kind: CallKind, limit_s: float | None = None) -> None:
        self.seat = seat
        self.method = method
        self.kind = kind
        self.limit_s = limit_s
        is_data = isinstance(request, bytes)
        self._data: bytes | None = request if is_data else None
        self._message: Any = None if is_data else request

    @property
    def request(self) -> Any:
        """Return the request as a message."""
        if self._message is None:
            self._message = self.method.request.FromString(self.data)
        return self._message

    @property
    def data(self) -> bytes:
        """Return the request serialised."""
        if self._data is None:
            self._data = self._message.SerializeToString()
        return self._data

    def __repr__(self) -> str:
        """Return the call as text, for logs and failed tests."""
        return f"Call(seat={self.seat}, {self.method.name}, {self.kind.value})"


class CallAll(NamedTuple):
    """Ask several players at once, each at most once. The answer is a dict from seat to message or Failure."""

    calls: Sequence[Call]


class Race(NamedTuple):
    """Set the open calls: send new ones, cancel missing ones. The answer is a list of Arrival, one or more.

    There is at most one call to a seat. A call that was in the previous race (the very same object) stays open. The
    outcome of a cancelled call is dropped. Arrivals are in the order in which they count. Those that came at the same
    instant come together, in an order drawn by lot.
    """

    calls: Sequence[Call]
    hold_s: float = 0.0
    """Replies that arrive within this time from now on count as arrived at the same instant, at its end."""
    handicap_s: Mapping[int, float] = MappingProxyType({})
    """Seat -> the delay after which an arrival from this seat counts."""
    next_seat: int | None = None
    """The seat that a player gets who joins the game now, behind all others; None: nobody can join."""


class Joined:
    """The answer in an arrival at `Race.next_seat`: from now on the game has one more player."""


class Arrival(NamedTuple):
    """A reply or failure in a race, `elapsed_s` seconds (in whole nanoseconds) after its call was sent.

    Or a player that has joined, so long after the race was set.
    """

    seat: int
    answer: Any  # a message of type method.response, a Failure, or Joined
    elapsed_s: float


class Eliminate(NamedTuple):
    """Eliminate a player, because of its reply to the last call to it or because that call failed. Answer: None."""

    seat: int
    cause: Cause


class Show(NamedTuple):
    """Publish the state of the game. The answer is None."""

    state: Any  # of the type that the game itself uses


class Outcome(NamedTuple):
    """What a conversation returns: groups of (seat, score), best first. Eliminated seats are in no group."""

    ranking: Sequence[Sequence[tuple[int, int]]]


def rank(ranking: Sequence[Sequence[int]], scores: Sequence[int]) -> Outcome:
    """Return the outcome with these groups of seats, best first, and the score of each seat."""
    return Outcome([[(seat, scores[seat]) for seat in group] for group in ranking])


Failure: TypeAlias = CallError | Overrun
FAILURES = (CallError, Overrun)
"""The types of Failure, for isinstance: a tuple is several times cheaper than a union built for each call."""
Cause: TypeAlias = RuleBreak | CallError | Overrun
Step: TypeAlias = Call | CallAll | Race | Eliminate | Show
Conversation: TypeAlias = Generator[Step, Any, Outcome]


def calls_in(step: Step) -> Sequence[Call]:
    """Return the calls that a step asks for; empty for a step that asks nobody."""
    if isinstance(step, Call):
        return (step,)
    return step.calls if isinstance(step, CallAll | Race) else ()


def join_answers(step: Step, arrivals: Sequence[Arrival]) -> Any:
    """Return the answer to a step from the answers to its calls, in the order in which they arrived."""
    if isinstance(step, Call):
        return arrivals[0].answer
    if isinstance(step, CallAll):
        return {arrival.seat: arrival.answer for arrival in arrivals}
    return list(arrivals) if isinstance(step, Race) else None


def answer_step(step: Step, answer: Callable[[Call], Any]) -> Any:
    """Return the answer to a step in which every call is answered at once by `answer`."""
    return join_answers(step, [Arrival(call.seat, answer(call), 0.0) for call in calls_in(step)])

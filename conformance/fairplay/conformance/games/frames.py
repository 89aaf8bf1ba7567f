"""Unusual frames for who dials in: those of a newer server, cancellations that cross replies, other limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fairplay.conformance.blame.judge import judge_condition, where
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.trial import Manner, Outgoing
from fairplay.conformance.player.player import Answered, Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.server.links.link import duration
from fairplay.server.links.stream import Change
from fairplay.v1.connection_pb2 import DialInResponse

DECISIONS, FEW_DECISIONS = 8, 3
"""The player decides so often in each game; the second number is for players that are slow."""
SLOW_SHARE, GIVEN_UP_SHARE = 0.25, 0.5
"""A limit is not told of which the player needs more than the first share for a decision. That it fails is no fault
after more than the second one."""
UNKNOWN_FIELDS = bytes([0xC2, 0xBB, 0x1E, 3]) + b"new" + bytes([0xC8, 0xBB, 0x1E, 42])
"""Fields 62,392 (text) and 62,393 (a number) of a message of a later revision."""


def _with_unknown_fields(frame: DialInResponse) -> Iterator[DialInResponse]:
    for message in (frame, *frame.calls):
        message.MergeFromString(UNKNOWN_FIELDS)
    yield frame


def _after_unknown(frame: DialInResponse) -> Iterator[DialInResponse]:
    yield DialInResponse.FromString(UNKNOWN_FIELDS)
    yield frame


def _after_nothing(frame: DialInResponse) -> Iterator[DialInResponse]:
    yield DialInResponse()
    yield frame


NEWER: dict[str, Change] = {
    "With unknown fields in frames of the stream, and in the calls in them": _with_unknown_fields,
    "With frames of the stream in which nothing is but unknown fields": _after_unknown,
    "With frames of the stream in which nothing is": _after_nothing,
}


def play_newer(context: Context, connection: Connection) -> None:
    """Judge games in which frames have fields that this revision does not know, or nothing that it knows.

    Raises Failure if the player misbehaves, and does not where frames are as usual.
    """
    for what, change in NEWER.items():
        _play(context, connection, what, change)


class _LateCancellations:
    """Cancels each call when it has been answered: by turns alone, and in the frame of the next call."""

    def __init__(self) -> None:
        self._answered: list[int] = []
        self._alone = True

    def __call__(self, frame: DialInResponse) -> Iterable[DialInResponse]:
        answered, self._answered = self._answered, [call.id for call in frame.calls]
        self._alone = not self._alone
        if self._alone:
            return [DialInResponse(cancelled=answered), frame]
        frame.cancelled.extend(answered)
        return [frame]


def play_late_cancellations(context: Context, connection: Connection) -> None:
    """Judge a game in which calls are cancelled that the player has answered, as where the two cross on the wire.

    Raises Failure if the player misbehaves, and does not where no such cancellations come.
    """
    _play(context, connection, "With cancellations of calls that it has answered", _LateCancellations())


def _play(context: Context, connection: Connection, what: str, change: Change) -> None:
    """Play a game in which frames with calls of it are changed, and judge it; none if the player has not dialled in."""
    if connection.hello is None:
        return

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        return await ask_with_change(context, reached, due, change)

    scenario = context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS)
    with where(what):
        judge_condition(context, context.play(scenario, connection, Manner(ask=ask)))


async def ask_with_change(context: Context, connection: Connection, due: Outgoing, change: Change) -> Answered:
    """Make a call to a player that has dialled in, of which the frame is changed."""
    transport = context.player.transport
    assert isinstance(transport, DialInTransport | ExecTransport)
    hub = (await transport.server.server()).hub
    usual = hub.change

    def change_own(frame: DialInResponse) -> Iterable[DialInResponse]:
        return change(frame) if any(call.request == due.request for call in frame.calls) else usual(frame)

    hub.change = change_own
    try:
        return await connection.ask(due.call.method, due.request, due.limit_s)
    finally:
        hub.change = usual


async def ask_telling(context: Context, connection: Connection, due: Outgoing, limit_s: float, text: str) -> Answered:
    """Make a call with its usual limit, and tell the player another one; `text` is how gRPC writes that."""
    if (link := connection.served) is not None:
        usual, link.write_limit = link.write_limit, lambda _: text
        try:
            return await connection.ask(due.call.method, due.request, due.limit_s)
        finally:
            link.write_limit = usual

    def change(frame: DialInResponse) -> Iterable[DialInResponse]:
        for call in frame.calls:
            call.time_limit.CopyFrom(duration(limit_s))
        yield frame

    return await ask_with_change(context, connection, due, change)

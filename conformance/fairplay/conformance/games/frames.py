"""Unusual frames for who dials in: those of a newer server, cancellations that cross replies, other limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fairplay.conformance.blame.judge import judge_condition, where
from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.encodings import UNKNOWN_FIELDS
from fairplay.conformance.games.trial import Manner, Outgoing
from fairplay.conformance.player.farewells import COMES_BACK_S, process_shows
from fairplay.conformance.player.player import Answered, Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport, PlayerServer
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.steps import Failure as CallFailure
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import duration, too_large
from fairplay.server.links.stream import Change
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason
from fairplay.v1.player_pb2 import DescribeRequest

DECISIONS, FEW_DECISIONS = 8, 3
"""The player decides so often in each game; the second number is for players that are slow."""
SLOW_SHARE, GIVEN_UP_SHARE = 0.25, 0.5
"""A limit is not told of which the player needs more than the first share for a decision. That it fails is no fault
after more than the second one."""


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


def _unchanged(frame: DialInResponse) -> Iterable[DialInResponse]:
    return [frame]


def _with_newer_welcome(frame: DialInResponse) -> Iterator[DialInResponse]:
    if frame.HasField("welcome"):
        for service in frame.welcome.services:
            service.revision += 1
        frame.welcome.services.add(name="fairplay.not_known_yet.v1.PlayerService", revision=1)
        for message in (frame.welcome, *frame.welcome.services):
            message.MergeFromString(UNKNOWN_FIELDS)
    yield frame


def _with_other_limits(frame: DialInResponse) -> Iterator[DialInResponse]:
    if frame.HasField("welcome"):
        welcome = frame.welcome
        welcome.max_frame_bytes = welcome.max_reply_bytes = MOST_BYTES
        welcome.max_player_count, welcome.server_version = 1, ""
    yield frame


def _with_least_limits(frame: DialInResponse) -> Iterator[DialInResponse]:
    if frame.HasField("welcome"):
        frame.welcome.max_reply_bytes = LEAST_BYTES
    yield frame


MOST_BYTES, LEAST_BYTES = 2**40, 2**14
"""More than 32 bits hold, as servers may say that read all that comes; and more than any answer needs."""
WELCOMES: dict[str, Change] = {
    "the welcome has unknown fields, later revisions of services and a service of a new game": _with_newer_welcome,
    f"the welcome allows {MOST_BYTES:,} bytes and one player, and says no version of the server": _with_other_limits,
}


def play_newer(context: Context, connection: Connection) -> None:
    """Judge games in which frames have fields that this revision does not know, or nothing that it knows.

    Raises Failure if the player misbehaves, and does not where frames are as usual.
    """
    for what, change in NEWER.items():
        _play(context, connection, what, change)
    for what, change in WELCOMES.items():
        check_welcome(context, connection, what, change=change)
    _play_with_least_limits(context, connection)


def _play_with_least_limits(context: Context, connection: Connection) -> None:
    """Judge games, one to its end, after a welcome that allows replies of LEAST_BYTES, if the player dials in again."""
    what = f"the welcome allows replies of {LEAST_BYTES:,} bytes"
    if not check_welcome(context, connection, what, change=_with_least_limits):
        return

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        outcome, elapsed_s = await reached.ask(due.call.method, due.request, due.limit_s)
        if isinstance(outcome, bytes) and len(outcome) > LEAST_BYTES:
            outcome = too_large(len(outcome), LEAST_BYTES)
        return outcome, elapsed_s

    for scenario in (context.first_scenario(FEW_DECISIONS), context.ending(context.game.seats.start)):
        with where(f"Where {what}"):
            judge_condition(context, context.play(scenario, connection, Manner(ask=ask)))


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


@contextmanager
def changing(hub: Hub, change: Change) -> Iterator[None]:
    """Have the frames for players that dial in changed meanwhile."""
    usual, hub.change = hub.change, change
    try:
        yield
    finally:
        hub.change = usual


async def ask_with_change(
    context: Context,
    connection: Connection,
    due: Outgoing,
    change: Change,
    welcome: Change | None = None,
    bank_s: float = 0.0,
) -> Answered:
    """Make a call to a player that has dialled in, of which the frame is changed.

    `welcome` changes the frames of welcomes meanwhile; None: they are as usual. `bank_s` of the limit are its bank.
    """
    transport = context.player.transport
    assert isinstance(transport, DialInTransport | ExecTransport)
    hub = (await transport.server.server()).hub
    usual = hub.change

    def change_own(frame: DialInResponse) -> Iterable[DialInResponse]:
        if welcome is not None and frame.HasField("welcome"):
            return welcome(frame)
        return change(frame) if any(call.request == due.request for call in frame.calls) else usual(frame)

    with changing(hub, change_own):
        return await connection.ask(due.call.method, due.request, due.limit_s, bank_s)


async def ask_telling(
    context: Context, connection: Connection, due: Outgoing, limit_s: float, text: str, bank_s: float = 0.0
) -> Answered:
    """Make a call with its usual limit, and tell the player another one; `text` is how gRPC writes that.

    Calls at the same time with longer limits are told theirs. `bank_s` of the limit are told as the player's bank.
    """
    if (link := connection.served) is not None:
        usual = link.write_limit
        link.write_limit = lambda left_s: text if left_s <= due.limit_s else usual(left_s)
        try:
            return await connection.ask(due.call.method, due.request, due.limit_s, bank_s)
        finally:
            link.write_limit = usual

    def change(frame: DialInResponse) -> Iterable[DialInResponse]:
        for call in frame.calls:
            if call.request == due.request:
                call.time_limit.CopyFrom(duration(limit_s))
        yield frame

    return await ask_with_change(context, connection, due, change, bank_s=bank_s)


def check_welcome(
    context: Context, connection: Connection, what: str, number: int = 0, change: Change = _unchanged
) -> bool:
    """Return whether a program answers after a welcome that is unusual in this way. Raises Failure if it does not.

    `number` is that of its player, and `change` says which frames are sent for that of the welcome. It is judged only
    if it dials in again by itself after a goodbye.
    """
    answer = _answer_after(context, connection, number, change)
    if answer is None or isinstance(answer, bytes):
        return answer is not None
    with context.player.fresh() as other:
        if not isinstance(_answer_after(context, other, 0, _unchanged), bytes):
            return False
        answer = _answer_after(context, other, number, change)  # it may have been slow once
        if answer is not None and not isinstance(answer, bytes):
            sections = ("Answer", readable(answer)), ("Output of the player", other.output)
            raise failure(f"Where {what}, Describe is not answered.", *sections)
    return False


def _answer_after(context: Context, connection: Connection, number: int, change: Change) -> bytes | CallFailure | None:
    """Return the answer to Describe of a program that was welcomed anew; None if it has not dialled in for that."""
    transport, process = context.player.transport, connection.process
    if process is None or not process.connected or not isinstance(transport, ExecTransport):
        return None

    async def describe(server: PlayerServer) -> bytes | CallFailure | None:
        hub, count = (await server.server()).hub, process.hello_count
        hub.first_number = number
        try:
            with changing(hub, change):
                process.dismiss(GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, "the server says goodbye and stays")
                if not await process_shows(process, lambda: process.hello_count > count, COMES_BACK_S):
                    return None
                request = DescribeRequest().SerializeToString()
                return (await connection.ask(DESCRIBE, request, context.limits.notification_s))[0]
        finally:
            hub.first_number = 0

    return context.player.loop.run(describe(transport.server))

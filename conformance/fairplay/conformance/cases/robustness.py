"""Cases about what every good player does: survive invalid requests, come back when it is lost, and not grow."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_after_others, judge_condition, where
from fairplay.conformance.case import Case, NotApplicable, case, failure
from fairplay.conformance.cases.calls import TOO_LATE_SHARE
from fairplay.conformance.cases.copies import returns, started_secret
from fairplay.conformance.cases.growth import can_be_measured, grown, growth_of, judge_failed, keeps_growing, slower
from fairplay.conformance.cases.settings import long_games, slowed_down
from fairplay.conformance.evidence import hexadecimal, readable, sent
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.frames import ask_with_change
from fairplay.conformance.games.trial import Manner, Outgoing, Trial
from fairplay.conformance.player.breaker import is_disconnection
from fairplay.conformance.player.machine import is_busy
from fairplay.conformance.player.player import Answered, Connection
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.games.conformance import Level, find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.steps import CallKind, Method
from fairplay.server.links.dial_in import cut
from fairplay.server.links.link import duration
from fairplay.server.links.stream import LOSS_S
from fairplay.v1.connection_pb2 import DialInResponse, Welcome
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import DescribeRequest, PlayerDescription

SHOULD = Level.SHOULD
DECISIONS = 6
UNREADABLE = b"\xff\xff\xff\xff\xff"
LOSS_LIMIT_S, BUSY_LOSS_LIMIT_S = 0.5, 5.0
"""How long a stream may take to end after the goodbye; the second number is for a machine that is busy."""
RETURN_LIMIT_S = 10.0
POLL_S = 0.02
TENTHS = 10


@case(
    "robustness.out-of-contract",
    "CALL-18",
    level=SHOULD,
)
def out_of_contract(context: Context) -> None:
    """A bug of a referee must not end the player."""
    turn = context.game.turn
    unknown = Method(turn.path + "Twice", turn.request, turn.response)
    with context.player.separate() as connection:
        for method, request in ((turn, UNREADABLE), (DESCRIBE, UNREADABLE), (unknown, b"")):
            _check_refused(context, connection, method, request)
        judge_after_others(context, context.play(context.first_scenario(DECISIONS), connection))


def _check_refused(context: Context, connection: Connection, method: Method, request: bytes) -> None:
    outcome, _ = context.ask(method, request, connection)
    what = (("Method", method.path), ("Request", hexadecimal(request)), ("Output of the player", connection.output))
    if isinstance(outcome, bytes):
        raise failure(f"A request of {method.name} that nobody can read was answered as if it were one.", *what)
    if isinstance(outcome, Overrun):
        raise failure(f"A request of {method.name} that nobody can read was not answered.", *what)
    if is_disconnection(outcome):
        raise failure(f"A request of {method.name} that nobody can read ended the player: {outcome.message}", *what)


@case("robustness.reconnect", "CALL-19", "BYE-8", level=SHOULD)
def reconnect(context: Context) -> None:
    """Networks fail, and servers are restarted in the middle of a tournament."""
    transport = context.player.transport
    if isinstance(transport, DialInTransport | ExecTransport):
        _dial_in_again(context, transport)
    elif transport.kind == "grpc":
        with context.player.fresh() as first:
            context.play(context.first_scenario(1), first)
        context.player.renew()
        with context.player.fresh() as second:
            judge_after_others(context, context.play(context.first_scenario(DECISIONS), second))
    else:
        raise NotApplicable("there is no connection to a player in this process")


def _dial_in_again(context: Context, transport: DialInTransport | ExecTransport) -> None:
    with context.player.separate() as connection:
        judge_after_others(context, context.play(context.first_scenario(1), connection))
        context.player.loop.run(transport.hang_up())
        if not _answers_again(context, connection):
            sentence = (
                f"The player did not dial in again within {RETURN_LIMIT_S:g} s after the server had said goodbye."
            )
            raise failure(sentence, ("Output of the player", connection.output))
        judge_after_others(context, context.play(context.first_scenario(DECISIONS), connection))


def _answers_again(context: Context, connection: Connection) -> bool:
    """Wait until the stream is lost, if there is one, and return whether the player can be called again in time."""

    async def wait() -> bool:
        loop = asyncio.get_running_loop()
        lost, began = False, loop.time()
        loss_limit_s = BUSY_LOSS_LIMIT_S if is_busy() else LOSS_LIMIT_S
        while (waited_s := loop.time() - began) < RETURN_LIMIT_S:
            outcome, _ = await connection.ask(DESCRIBE, DescribeRequest().SerializeToString(), 1.0)
            gone = is_disconnection(outcome)
            lost = lost or gone
            if not gone and (lost or waited_s > loss_limit_s):
                return True
            await asyncio.sleep(POLL_S)
        return False

    return context.player.loop.run(wait())


class Loss(NamedTuple):
    """How a connection is lost with a call that is open."""

    after_s: float = 0.0
    """So many seconds after the call."""
    has_call: bool = True
    """Whether the call has reached the player."""
    is_forgotten: bool = False
    """Whether nothing is resumed, and the call comes again in the frame of the welcome, which may have anything."""


LOSSES = {1: Loss(LOSS_S), 3: Loss(is_forgotten=True), 5: Loss(has_call=False)}
"""Numbers of the decisions in which the connection is lost, and how."""
TOLD_AGAIN = Loss(LOSS_S)
"""How it is lost in the first notification of each method: a player that counts along must not count it twice."""
AGAIN_LIMIT_S, ANSWER_S = 12.0, 6.0
"""How long these stay open, and how long a player must have been back at least that has not answered by then."""


LONGER, SIMILAR = 16, 0.8
"""So many decisions a player has in a game of which one is asked again: the first that takes so much of the longest."""
SHORT_S, LEFT = 2.0, (0.4, 0.7)
"""A limit, and the least and the greatest share of the player's usual time that is left when a call comes again."""
LEAST_S = 0.3
"""Less time than that is not asked about."""
ROUNDS = (True, True, False, True, False)
"""Whether the connection is lost in further games with a call that is late, or less time is told from the first."""


@case(case_ids.SENT_AGAIN, "RESUME-9", "TIME-5", "STREAM-1", "CALL-17", "DIAL-2", "DESC-5")
def sent_again(context: Context) -> None:
    """Networks fail while a player is asked, and who is back is asked again, under the same id."""
    transport = context.player.transport
    if not isinstance(transport, DialInTransport | ExecTransport):
        raise NotApplicable("only a player that dials in can lose its stream")
    with context.player.separate() as connection:
        if connection.hello is None:
            raise NotApplicable("only a player that dials in can lose its stream")

        judge_after_others(context, context.play(context.first_scenario(1), connection))
        told = set[Method]()

        async def ask(reached: Connection, due: Outgoing) -> Answered:
            loss = LOSSES.get(due.decision + 1)
            if due.number == 0:
                told.clear()  # of another game
            if due.call.kind is CallKind.NOTIFICATION:
                loss = TOLD_AGAIN if due.call.method not in told else None
                told.add(due.call.method)
            if loss is None:
                return await reached.ask(due.call.method, due.request, due.limit_s)
            return await _ask_and_lose(context, reached, due, loss)

        with where("After its connection was lost while it was asked"):
            scenario = context.first_scenario(DECISIONS if context.is_slow else LONGER)
            judge_condition(context, context.play(scenario, connection, Manner(ask=ask)))
            _judge_under_settings(context, connection)
        _judge_what_is_left(context, connection)


def _judge_under_settings(context: Context, connection: Connection) -> None:
    """Judge games under unusual settings, in which the first question comes again: of some it is another method."""

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        if due.call.kind is CallKind.NOTIFICATION or due.decision:
            return await reached.ask(due.call.method, due.request, due.limit_s)
        return await _ask_and_lose(context, reached, due, LOSSES[1])

    for number, each in enumerate(() if context.is_slow else context.variations):
        scenario = context.varied(each, f"asked-again-{number}", 1)
        found = context.play(scenario, connection, Manner(ask=ask))
        judge_condition(context, found, ("", partial(context.play, scenario)))


def _judge_what_is_left(context: Context, connection: Connection) -> None:
    """Judge whether a call that comes again is answered in what is left of its limit, which it says.

    It is one for which the player takes long. To take longer is a fault where it keeps a limit that is as short
    from the first.
    """

    def play(count: int, number: int, limit_s: float, loses_after_s: float = 0.0) -> tuple[Trial, float, float]:
        """Return a game, and what was left and taken of the limit of the call of this number when it came last.

        It is over after so many decisions.
        """
        told_s = took_s = 0.0

        async def ask(reached: Connection, due: Outgoing) -> Answered:
            nonlocal told_s, took_s
            is_chosen, times = due.number == number, list[float]()

            def change(frame: DialInResponse) -> Iterator[DialInResponse]:
                nonlocal told_s
                times.append(time.monotonic())
                left_s = (limit_s if is_chosen else SHORT_S) - (times[-1] - times[0])
                if is_chosen:
                    told_s = left_s
                    if loses_after_s and len(times) == 1:
                        reached.lose(loses_after_s)  # an answer that comes until then is not read
                for call in frame.calls:
                    call.time_limit.CopyFrom(duration(max(left_s, LOSS_S)))
                yield frame

            answered = await ask_with_change(context, reached, due._replace(limit_s=AGAIN_LIMIT_S), change)
            if is_chosen and times:
                took_s = time.monotonic() - times[-1]
            return answered

        found = context.play(context.first_scenario(count), connection, Manner(ask=ask))
        return found, told_s, took_s

    found, _, _ = play(DECISIONS if context.is_slow else LONGER, -1, SHORT_S)
    times = [each.elapsed_s for each in found.exchanges]
    longest_s = max(times, default=0.0)
    if found.misconduct is not None or not LEAST_S / LEFT[0] < longest_s < SHORT_S:
        return
    number = next(at for at, each in enumerate(times) if each > SIMILAR * longest_s)
    count = sum(each.kind is not CallKind.NOTIFICATION for each in found.exchanges[: number + 1])
    left_s = told_s = longest_s * context.rng("what is left").uniform(*LEFT)
    for is_lost in (True, *ROUNDS):
        limit_s, loses_after_s = (SHORT_S, SHORT_S - left_s) if is_lost else (told_s, 0.0)
        found, told_s, took_s = play(count, number, limit_s, loses_after_s)
        if told_s < LEAST_S / 2 or (took_s > TOO_LATE_SHARE * told_s) is not is_lost:
            return
    name = found.exchanges[number].method.name
    raise failure(
        f"{name} was open when the connection was lost, and came again with what was left of its limit of {SHORT_S:g} "
        f"s, {left_s:.1f} s or less: it took longer than that, and does not where its limit is as short from the first."
    )


async def _ask_and_lose(context: Context, connection: Connection, due: Outgoing, loss: Loss) -> Answered:
    """Make a call, and lose the connection with it, or with the answer to it.

    Raises NotApplicable if the player does not come back for it, or too late to tell whether it answers.
    """
    times, refused_before, welcomes = list[float](), connection.refused_count, list[Welcome]()

    def change(frame: DialInResponse) -> Iterator[DialInResponse]:
        times.append(time.monotonic())
        if len(times) == 1:  # its answer is not read
            connection.lose(loss.after_s)
            if not loss.has_call:
                return
        if welcomes:
            frame.welcome.CopyFrom(welcomes.pop())
        yield frame

    def welcome(frame: DialInResponse) -> Iterator[DialInResponse]:
        frame.welcome.resumed = frame.welcome.resumed and not loss.is_forgotten
        if loss.is_forgotten and frame.welcome.open_calls:
            welcomes.append(frame.welcome)
        else:
            yield frame

    answered = await ask_with_change(context, connection, due._replace(limit_s=AGAIN_LIMIT_S), change, welcome)
    if connection.refused_count > refused_before:
        sentence = f"The player dialled in again after its connection was lost, and was refused: {connection.refusal}"
        raise failure(sentence, ("Output of the player", connection.output))
    if isinstance(answered[0], bytes):
        _check_hello(context, connection)
        return answered
    if len(times) < 2 or (isinstance(answered[0], Overrun) and time.monotonic() - times[1] < ANSWER_S):
        raise NotApplicable("only a player that dials in again at once is asked again")
    name, elapsed_s = due.call.method.name, time.monotonic() - times[1]
    sections = ("Call", due.call.method.path), ("Request", sent(due.call.method.request, due.request))
    how = "was not answered" if isinstance(answered[0], Overrun) else "failed"
    lost = "was open when the connection was lost, came again" if loss.has_call else "was lost with it, came"
    again = "in the frame of the welcome" if loss.is_forgotten else "when the player was back"
    raise failure(
        f"{name} {lost} under its id {again}, and {how} within {elapsed_s:.1f} s.",
        *sections,
    )


def _check_hello(context: Context, connection: Connection) -> None:
    said, described = connection.hello or PlayerDescription(), cut(context.description)
    if said not in (PlayerDescription(), described):
        sections = (("Hello", readable(said)), ("Describe", readable(described)))
        sentence = "Dialling in again, the player said something else about itself in its hello than in Describe."
        raise failure(sentence, *sections)


@case(
    "robustness.memory-growth",
    "PROG-12",
    level=SHOULD,
)
def memory_growth(context: Context) -> None:
    """A tournament may have thousands of games."""
    for found in growth_of(context):
        judge_failed(context, found)
        if keeps_growing(found):
            raise grown(found)


@case(case_ids.SLOWS_DOWN, "TIME-5", level=SHOULD)
def slows_down(context: Context) -> None:
    """Who searches all that was before takes longer with each turn, and after enough of them too long."""
    if find_conformance(context.game.name).long_games:
        _judge_long_games(context)
        if not can_be_measured(context):
            return
    for found in growth_of(context):
        if (failed := slower(context, found)) is not None:
            raise failed


def _judge_long_games(context: Context) -> None:
    games = long_games(context)
    if not games:
        raise context.scope.outside()
    for found in games:
        judge_after_others(context, found)
        if said := slowed_down(found):
            raise failure(f"The player takes longer the longer a game is: {said}.", ("Times", _times(found)))


def _times(found: Trial) -> str:
    """Return how long decisions took in the course of a game: each tenth of them in a line."""
    taken = [each.elapsed_s for each in found.exchanges if each.kind is not CallKind.NOTIFICATION]
    size = max(1, len(taken) // TENTHS)
    return "\n".join(
        f"decision {start + 1} and later: {1000 * fmean(taken[start : start + size]):,.1f} ms on average"
        for start in range(0, len(taken), size)
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (out_of_contract, started_secret, returns, reconnect, sent_again, memory_growth, slows_down)

"""Cases about what may come with a call: a bank, metadata, a large id, a large request, Describe at the same time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count
from statistics import median
from typing import Any, TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import judge_condition, judge_guises, where
from fairplay.conformance.case import Case, NotApplicable, NotTested, case, failure
from fairplay.conformance.cases.copies import begin_copies, copies_of, play_as_foreigner
from fairplay.conformance.cases.memory import renamed
from fairplay.conformance.cases.probes import games_of_probes
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.encodings import FILLER
from fairplay.conformance.games.frames import GIVEN_UP_SHARE, SLOW_SHARE, ask_telling, check_welcome
from fairplay.conformance.games.guises import TRACE, UNKNOWN_KEY, UNKNOWN_VALUE, names_in
from fairplay.conformance.games.outside import judge_outside_games
from fairplay.conformance.games.trial import Entry, Exchange, Manner, Outgoing, Scenario, Trial, may_use_a_bank
from fairplay.conformance.games.variations import fits, unusual_part
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.machine import is_busy
from fairplay.conformance.player.player import Answered, Connection, parse_description
from fairplay.conformance.player.transports import DialInTransport, ExecTransport
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.kit.wire import varint
from fairplay.games.steps import CallKind
from fairplay.games.steps import Failure as CallFailure
from fairplay.server.links.link import TRACE_KEY, Metadata, duration
from fairplay.server.net.limits import limit_of
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import DescribeRequest

DECISIONS, FEW_DECISIONS = 8, 3
"""The player decides so often in each game; the second number is for players that are slow."""


def _play(context: Context, connection: Connection, what: str, manner: Manner) -> None:
    """Play a game in which the player is called in this manner, and judge it. `what` begins the sentence of a failure.

    Raises Failure if the player misbehaves, and does not where it is called as usual.
    """
    found = context.play(context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS), connection, manner)
    with where(what):
        judge_condition(context, found)


# --- what the metadata says ---

BANKS_S = (2.5, 1.2, 0.333, 0.04, 0.002, 0.0)
"""What is left of the bank at each decision of a game; nothing at later ones."""
MOST_ENTRIES = limit_of("Call.metadata").max_items


@case(case_ids.BANK, "META-3", "TIME-5")
def bank(context: Context) -> None:
    """Where players have a bank, it is told with each call, and is used up in the course of a game."""

    async def ask(connection: Connection, due: Outgoing) -> Answered:
        bank_s = BANKS_S[min(due.decision, len(BANKS_S) - 1)] if may_use_a_bank(due) else 0.0
        return await connection.ask(due.call.method, due.request, due.limit_s + bank_s, bank_s)

    with context.player.separate() as connection:
        _play(context, connection, "With a bank that is used up", Manner(ask=ask))
        _play_mostly_on_the_bank(context, connection)
        _play(context, connection, "Without a bank, after a game with one", Manner())


WHOLE_S, OF_BANK_S = 0.6, 0.56
"""A short limit of decisions, and how much of it is the bank: who takes the bank for more time has nearly twice it."""


def _play_mostly_on_the_bank(context: Context, connection: Connection) -> None:
    """Judge a game in which most of the short limit of each decision is its bank.

    To take longer is a fault of a player that keeps the same limit where none of it is a bank.
    """
    if connection.hello is None and connection.served is None:
        return

    def play(bank_s: float) -> Trial:
        async def ask(reached: Connection, due: Outgoing) -> Answered:
            if not may_use_a_bank(due):
                return await reached.ask(due.call.method, due.request, due.limit_s)
            return await ask_telling(context, reached, due, WHOLE_S, f"{round(1_000 * WHOLE_S)}m", bank_s)

        return context.play(context.first_scenario(FEW_DECISIONS), connection, Manner(ask=ask))

    told = f"With a limit of {WHOLE_S:g} s for decisions, {OF_BANK_S:g} s of which are its bank"
    with where(told):
        judge_condition(context, found := play(OF_BANK_S))
    kinds = [kind for kind in EVERY_KIND if kind is not CallKind.NOTIFICATION]
    again, other = partial(play, OF_BANK_S), partial(play, 0.0)
    _judge_late(found, again, other, partial(_timed, limit_s=WHOLE_S, kinds=kinds), told, "where none of it is")


LONGEST_S, SHORTEST_S = 3_600.0, 0.001
"""The longest limit, and the longest bank, that an organiser may choose, and the shortest limit."""


@case(case_ids.TIME_LIMITS, "TIME-5", "TIME-7", "META-3", "LATE-2")
def time_limits(context: Context) -> None:
    """An organiser may give an hour and a bank of another, or next to nothing: a player must be able to read both."""

    async def ask_for_long(connection: Connection, due: Outgoing) -> Answered:
        if due.call.limit_s is not None:
            return await connection.ask(due.call.method, due.request, due.limit_s)
        bank_s = LONGEST_S if may_use_a_bank(due) else 0.0
        try:
            call = connection.ask(due.call.method, due.request, LONGEST_S + bank_s, bank_s)
            return await asyncio.wait_for(call, due.limit_s)
        except TimeoutError:  # it has an hour, and is not to take it
            limit = duration(due.limit_s)
            return Overrun(limit=limit, elapsed=limit), due.limit_s

    async def ask_for_the_bank(connection: Connection, due: Outgoing) -> Answered:
        bank_s = due.limit_s if may_use_a_bank(due) else 0.0
        limit_s = SHORTEST_S + bank_s if bank_s else due.limit_s
        return await connection.ask(due.call.method, due.request, limit_s, bank_s)

    with context.player.fresh() as connection:
        _play(context, connection, "With limits and a bank of an hour", Manner(ask=ask_for_long))
        _play(context, connection, "With a limit of 1 ms for a decision, and a bank", Manner(ask=ask_for_the_bank))
        for scenario in (context.first_scenario(), context.ending(context.game.seats.start)):
            few = scenario.situation._replace(turn_count=FEW_DECISIONS if context.is_slow else DECISIONS)
            _play_with_one_short_limit(context, connection, scenario._replace(situation=few))
        _play_with_long_settings(context, connection)
        _play_below_a_second(context, connection)
        _ask_in_no_time(context, connection)
        _play(context, connection, "After a decision with a limit of 1 ms", Manner())


SHORT_S, LONG_S = (0.2, 0.2, 1.0), 5.0
"""Short limits, tried until the player keeps one in all calls, the first one twice; and the least of longer ones."""
EVERY_KIND = tuple(CallKind)
_Numbered: TypeAlias = tuple[int, str]
"""The number of a call in its game, and its method."""
Play: TypeAlias = Callable[[], Trial]
"""Plays a game."""
BESIDE_S = 1.0
"""The calls of a game beside it have limits that are so much longer."""
ROUNDS = (True, True, False, True, False, True, False)
"""In which further games a call that takes too long does so again, and in which it does not: others are late now and
then, of players whose times vary, or on a busy machine.
"""


def _play_with_one_short_limit(context: Context, connection: Connection, scenario: Scenario) -> None:
    """Judge games in which the calls of one kind have a short limit, and all others a longer one.

    The call names the short limit, and is given up after the usual one. To take longer is a fault where the player
    keeps the short limit in all calls, or where a new process of it does: the one on the connection was told longer
    limits before.
    """
    if connection.hello is None and connection.served is None:
        return

    def manner(short_s: float, kinds: Collection[CallKind], more_s: float = 0.0) -> Manner:
        async def ask(reached: Connection, due: Outgoing) -> Answered:
            if due.call.limit_s is None and due.call.kind in kinds:
                return await ask_telling(context, reached, due, short_s, f"{round(1_000 * short_s)}m")
            limit_s = due.limit_s if due.call.limit_s is not None else max(due.limit_s, LONG_S) + more_s
            return await reached.ask(due.call.method, due.request, limit_s)

        return Manner(ask=ask)

    def play(short_s: float, kinds: Collection[CallKind], reached: Connection = connection) -> Trial:
        return context.play(scenario, reached, manner(short_s, kinds))

    def play_anew(short_s: float) -> Trial:
        with context.player.fresh(breaker=Breaker()) as new:
            return play(short_s, EVERY_KIND, new)

    def play_beside(short_s: float) -> Trial:
        """Return the first of two games that call at the same moments; the calls of the other have longer limits."""
        manners = manner(short_s, EVERY_KIND), manner(short_s, (), BESIDE_S)
        return context.play_abreast([scenario, scenario._replace(name="beside")], connection, 0, manners)[0]

    def judge(found: Trial, again: Play, other: Play, told: str, otherwise: str) -> None:
        _judge_late(found, again, other, partial(_timed, limit_s=short_s, kinds=kinds), told, otherwise)

    kinds: Collection[CallKind] = EVERY_KIND
    for short_s in SHORT_S:
        alone = partial(play, short_s, EVERY_KIND)
        found = alone()
        if found.misconduct is None and not _timed(found, short_s, EVERY_KIND)[True]:
            break
        told = f"With a limit of {short_s:g} s for all calls"
        judge(found, alone, partial(play_anew, short_s), f"{told}, after games with longer ones", "in a new process")
    else:
        return
    beside = partial(play_beside, short_s)
    told = f"With a limit of {short_s:g} s for all calls, and longer ones in another game at the same time"
    with where(told):
        judge_condition(context, found := beside())
    judge(found, beside, alone, told, "in a game alone")
    for kind in EVERY_KIND:
        kinds = (kind,)
        again = partial(play, short_s, kinds)
        told = f"With a limit of {short_s:g} s for a {kind.value}, and longer ones for others"
        with where(told):
            judge_condition(context, found := again())
        judge(found, again, alone, told, "where all limits are as short")


def _judge_late(
    found: Trial,
    again: Play,
    other: Play,
    timed: Callable[[Trial], Mapping[bool, set[_Numbered]]],
    told: str,
    otherwise: str,
) -> None:
    """Raise Failure if calls that were late are so each time, and never in another game."""
    late = timed(found)[True]
    for is_told in ROUNDS:
        if not late:
            return
        late = late & timed(again() if is_told else other())[is_told]
    if late:
        names = " and ".join(sorted({name for _, name in late}))
        raise failure(f"{told}, {names} takes longer than that, and not {otherwise}.")


def _timed(found: Trial, limit_s: float, kinds: Collection[CallKind]) -> Mapping[bool, set[_Numbered]]:
    """Return which calls of these kinds took clearly longer than a limit, by True, and which were in time, by False."""
    calls: Mapping[bool, set[_Numbered]] = {True: set(), False: set()}
    for number, each in enumerate(found.exchanges):
        if each.kind in kinds and not 1 < each.elapsed_s / limit_s <= TOO_LATE_SHARE:
            calls[each.elapsed_s > limit_s].add((number, each.method.name))
    return calls


LONGER = 5
"""A limit that is shorter than the times of settings is so many times what the player usually takes, or a second."""


def _short_s(context: Context, kind: CallKind) -> float:
    times = [each.elapsed_s for each in context.ordinary.exchanges if each.kind is kind]
    return max([1.0, *(LONGER * each for each in times)])


BEYOND = 1.2
"""The times of settings are so many times as long as a decision may take."""


def _play_with_long_settings(context: Context, connection: Connection) -> None:
    """Judge decisions that have a shorter limit than the times that the settings name, in games whose settings do."""
    limit_s = min(_short_s(context, CallKind.DECISION), context.limits.decision_s)

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        return await reached.ask(due.call.method, due.request, limit_s if may_use_a_bank(due) else due.limit_s)

    names = [each.name for each in context.settings.DESCRIPTOR.fields if each.message_type is Duration.DESCRIPTOR]
    for usual, changed in [(context.first_scenario(1), names), *_with_own_times(context, names)]:
        settings = with_times(usual.situation.settings, usual.situation.player_count, BEYOND * limit_s, changed)
        long = usual._replace(name=f"long-times-{usual.name}", situation=usual.situation._replace(settings=settings))
        is_fit = fits(context.game, settings, usual.situation.player_count)
        if settings != usual.situation.settings and is_fit and context.scope.holds(long.situation):
            with where("With a shorter limit for a decision than the times that the settings name"):
                judge_condition(context, context.play(long, connection, Manner(ask=ask)))


def _with_own_times(context: Context, names: Sequence[str]) -> Iterator[tuple[Scenario, Sequence[str]]]:
    """Yield the games of probes that begin in a state in which a time matters, and which times of `names` these are."""
    for each in games_of_probes(context) if names else ():
        situation = each.situation
        unusual = {field.name for field, _ in unusual_part(context.game, situation.settings).ListFields()}
        if situation.state is not None and each.joins is None and (own := [name for name in names if name in unusual]):
            yield each, own


def with_times(settings: Message, player_count: int, time_s: float, names: Collection[str]) -> Message:
    """Return settings with another time in the place of those of these names; for each player, where each has one."""
    changed, time = type(settings)(), Duration()
    changed.CopyFrom(settings)
    time.FromMilliseconds(round(1_000 * time_s))
    for field in changed.DESCRIPTOR.fields:
        if field.name in names:
            changed.ClearField(field.name)
            named: Any = getattr(changed, field.name)
            if field.is_repeated:
                named.extend([time] * player_count)
            else:
                named.CopyFrom(time)
    return changed


BELOW_A_SECOND = (("m", 1_000, 0.999), ("u", 1_000_000, 0.9), ("n", 1_000_000_000, 0.0999))
"""Units of limits to players that serve, how many of each are a second, and limits that are told."""
HARDLY_BELOW_S, TOO_LATE_SHARE = 0.5, 1.3
"""A limit from the first number on gives a player that needs little of it no reason to give up; nobody takes the second
one times of it by accident."""
TOO_LATE_FACTOR = 4
"""On a busy machine it has to take so many times as long as usual."""


def _play_below_a_second(context: Context, connection: Connection) -> None:
    """Judge a game in which limits below a second are told, in all units, and the usual ones hold.

    Who needs longer than it is told, or has not had the processor for so long, may give up: that is no fault. It is one
    to be too late twice where the player usually needs little of what it is told.
    """
    told = [each for each in BELOW_A_SECOND if context.ordinary.mean_decision_s < SLOW_SHARE * each[2]]
    if not told or (connection.hello is None and connection.served is None):
        return

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        unit, number, limit_s = told[due.number % len(told)]
        return await ask_telling(context, reached, due, limit_s, f"{round(limit_s * number)}{unit}")

    few = context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS)
    found = context.play(few, connection, Manner(ask=ask))
    limits_s = [told[number % len(told)][2] for number in range(len(found.exchanges))]
    if _late_below_a_second(found, limits_s):  # the machine may have been slow once
        found, usual = context.play(few, connection, Manner(ask=ask)), context.play(few, connection)
        late = _late_below_a_second(found, limits_s)
        if late is not None and not (is_busy() and _median_s(found, late) < TOO_LATE_FACTOR * _median_s(usual, late)):
            took = f"{1000 * late.elapsed_s:,.0f} ms, and {1000 * _median_s(usual, late):,.0f} ms with a longer limit"
            raise failure(f"With a limit of less than a second {late.method.name} took {took}.")
    elif found.exchanges and found.exchanges[-1].elapsed_s < GIVEN_UP_SHARE * limits_s[-1]:
        with where("With limits of less than a second"):
            judge_condition(context, found)


def _late_below_a_second(found: Trial, limits_s: Sequence[float]) -> Exchange | None:
    """Return a call that took longer than its player is told, where that is no reason to give up; None if none did."""
    both = zip(found.exchanges, limits_s, strict=False)
    late = (each for each, limit_s in both if HARDLY_BELOW_S <= limit_s < each.elapsed_s / TOO_LATE_SHARE)
    return next(late, None)


def _median_s(found: Trial, call: Exchange) -> float:
    """Return how long calls of the same method took usually; 0.0 if there were none."""
    times = [each.elapsed_s for each in found.exchanges if each.method is call.method]
    return median(times) if times else 0.0


def _ask_in_no_time(context: Context, connection: Connection) -> None:
    """Ask for a decision that has next to no time, and wait until the player has done with it, in time or not."""
    opening = context.ordinary.opening
    if not opening:
        return

    def ask(reached: Connection) -> Sequence[Trial]:
        new_id = context.new_id()
        for number, each in enumerate(renamed(one, new_id) for one in opening):
            limit_s = SHORTEST_S if number + 1 == len(opening) else each.limit_s
            context.player.loop.run(reached.ask(each.method, each.request, limit_s))
        context.player.loop.run(reached.ask(DESCRIBE, DescribeRequest().SerializeToString(), _limit_s(context)))
        return ()

    context.record(connection, Entry(ask, "a decision with a limit of 1 ms"))


@case(case_ids.METADATA, "META-3", "FAIL-2", prepare=begin_copies)
def metadata(context: Context) -> None:
    """A server that sends traces names them in the metadata of calls, and others may say more there, or less."""
    judge_guises(context, case_ids.METADATA, context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS))
    both: Metadata = {TRACE_KEY: TRACE, UNKNOWN_KEY: UNKNOWN_VALUE}
    most: Metadata = {**both, **{f"{UNKNOWN_KEY}-{number}": "" for number in range(MOST_ENTRIES - len(both))}}

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        return await reached.ask(due.call.method, due.request, due.limit_s, extra=most)

    with context.player.separate() as connection:
        judge_outside_games(context, connection, "With a trace and an unknown key in the metadata", extra=both)
        what = f"With {MOST_ENTRIES} entries in the metadata"
        judge_outside_games(context, connection, what, extra=most)
        _play(context, connection, what, Manner(ask=ask))
        found = play_as_foreigner(context, connection)
    if found is None and isinstance(context.player.transport, ExecTransport):
        found = copies_of(context).foreign
    if found is not None:
        with where("Where the user-agent of its caller names another library, or there is none"):
            judge_condition(context, found)


# --- numbers and sizes ---

ID_STEP = 256
"""No two calls have one id, also where others are made at the same time."""
IDS = (
    ("that begin with 0", 0, 0),
    ("from 2,147,483,648 on", 2**31, ID_STEP),
    ("that fall from one call to the next, all beyond 32 bits", 2**32 + 2**24, -ID_STEP),
    (f"from {2**53 - 2**20:,} on", 2**53 - 2**20, ID_STEP),
)
"""Ids of calls in words, the first one, and the step to the next: beyond what 31 and 32 bits hold, and the largest.

Without a step they are as usual from the second call of a game on.
"""
MIB = 2**20
SIZES = (4_096, 4 * MIB - 65_536, 0, 65_536, MIB, 3 * MIB)
"""The calls of a game are made larger by so many bytes, in this order. With their frames they are below 4 MiB."""
LARGEST = SIZES.index(max(SIZES))
READING_S = 12.0
"""Who reads slowly gets so much more time for them: no limit of an organiser has to do with such requests."""


@case(case_ids.CALL_IDS, "CALL-3", "CALL-16")
def call_ids(context: Context) -> None:
    """A server that has run for long has made many calls, and may begin with any number."""
    transport = context.player.transport
    if not isinstance(transport, DialInTransport | ExecTransport):
        raise NotApplicable("only a player that dials in is told the ids of calls")
    numbers = context.once("large ids", count)
    with context.player.separate() as connection:
        if connection.hello is None:
            raise NotApplicable("only a player that dials in is told the ids of calls")
        for what, first, step in IDS:
            _play(context, connection, f"With ids of calls {what}", _with_ids(transport, numbers, first, step))
        what = f"the welcome gives its player the number {PLAYER_NUMBER}"
        if check_welcome(context, connection, what, PLAYER_NUMBER):
            _, first, step = IDS[1]
            again = _with_ids(transport, count(), first + AGAIN * step, -step)
            _play(context, connection, "With ids of calls that the server gave before it was started anew", again)


def _with_ids(transport: DialInTransport | ExecTransport, numbers: Iterator[int], first: int, step: int) -> Manner:
    """Return how calls are made with ids from a first one on."""

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        server = await transport.server.server()
        usual = server.clock.ids
        if step:
            server.clock.ids = count(first + step * next(numbers))
        elif not due.number:
            server.clock.ids = chain((first, first), usual)  # the link to a program takes an id, too
        try:
            return await reached.ask(due.call.method, due.request, due.limit_s)
        finally:
            server.clock.ids = usual

    return Manner(ask=ask)


AGAIN = 9
"""The falling ids begin so many steps above the former ones: an odd number, so that of two methods that take turns each
gets the ids of the other.
"""
PLAYER_NUMBER = 7
"""A server may number the players of a stream as it likes."""


@case(case_ids.LARGE_REQUESTS, "CALL-7", "FAIL-2", "TIME-5")
def large_requests(context: Context) -> None:
    """A request may have up to 4 MiB, with all that a newer referee says in it."""

    def encode(request: Message, number: int) -> bytes:
        return request.SerializeToString() + _filler(number)

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        return await reached.ask(due.call.method, due.request, due.limit_s + READING_S)

    what = "With requests of up to 4 MiB, most of them an unknown field"
    with context.player.separate() as connection:
        judge_outside_games(context, connection, what, lambda request, _: encode(request, LARGEST), more_s=READING_S)
        scenario = context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS)
        found = context.play(scenario, connection, Manner(encode))
        if found.is_late:
            context.ask(DESCRIBE, DescribeRequest(), connection, READING_S)  # answered once all before it is read
            with context.player.fresh(breaker=Breaker()) as other:
                found = context.play(scenario, other, Manner(encode, ask))
        with where(what):
            judge_condition(context, found)


def _filler(number: int) -> bytes:
    """Return an unknown field for a call of this number, which makes its request larger."""
    size = SIZES[number % len(SIZES)]
    return FILLER + varint(size) + b"x" * size if size else b""


# --- names ---


@case(case_ids.LONG_NAMES, "FAIL-2")
def long_names(context: Context) -> None:
    """Who signs up under which name is the organiser's business, and tables that are printed are not wide enough."""
    judge_guises(context, case_ids.LONG_NAMES, context.first_scenario(FEW_DECISIONS if context.is_slow else DECISIONS))


# --- beside others ---

MOST_AT_ONCE, TURN_COUNT = 25, 2
"""The player decides so often in each of so many games at the same time."""


@case(case_ids.CALLS_AT_ONCE, "CALL-12", "STREAM-1")
def calls_at_once(context: Context) -> None:
    """The calls of 25 games may come at the same moment, and those to one stream in one frame."""
    if context.scope.at_once(MOST_AT_ONCE) < MOST_AT_ONCE:
        raise context.scope.outside()
    beginnings = context.beginnings(MOST_AT_ONCE, TURN_COUNT)
    special = Manner()  # not the usual one: these games are tried again together, and none of them alone
    is_repeated = False
    with context.player.fresh() as connection, context.player.quiet():
        found = _failed(context.play_together(beginnings, connection, special))
        if found is not None and found.is_late:  # the machine may have been slow once
            with contextlib.suppress(NotTested):  # it was late so often that it is not asked again: that stands
                found = _failed(context.play_together(beginnings, connection, special))
                is_repeated = found is not None and found.is_late and not is_busy()
    if found is not None:
        with where(f"In {MOST_AT_ONCE} games at the same time"):
            judge_condition(context, found, is_repeated=is_repeated)


def _failed(trials: Sequence[Trial]) -> Trial | None:
    return next((each for each in trials if each.misconduct is not None), None)


@case(case_ids.DESCRIBED_WHILE_ASKED, "DESC-3", "DESC-4")
def described_while_asked(context: Context) -> None:
    """Who signs a player up, or wants to show it, asks who it is while it plays."""
    with context.player.separate() as connection:
        first, _ = context.ask(DESCRIBE, DescribeRequest(), connection)
        usual = parse_description(first)
        if usual is None:
            evidence = failure("The player does not describe itself.").evidence
            raise NotTested("what the player says is not to be relied on", evidence, case_ids.DESCRIBES)
        answers = _described(context, connection)
        if any(isinstance(each, Overrun) for each in answers):  # the machine may have been slow once
            with contextlib.suppress(NotTested):
                answers = _described(context, connection)
    for answer in answers:
        said = parse_description(answer)
        if said != usual:
            what = said if said is not None else answer
            shown = "unreadable" if isinstance(what, bytes) else readable(what)
            sections = (("First answer", readable(usual)), ("Answer while a call was open", shown))
            raise failure("While a call of a game is open, Describe is not answered as before.", *sections)


def _limit_s(context: Context) -> float:
    """Return the limit of Describe where a decision is open: a player with one thread answers that before."""
    return context.limits.notification_s + context.limits.first_decision_s


def _described(context: Context, connection: Connection) -> Sequence[bytes | CallFailure]:
    """Return the answers to Describe that come with each call of a game, before it and behind it by turns.

    The game is judged, too.
    """
    answers: list[bytes | CallFailure] = []

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        played = reached.ask(due.call.method, due.request, due.limit_s)
        described = reached.ask(DESCRIBE, DescribeRequest().SerializeToString(), _limit_s(context))
        if due.number % 2:
            answered, (said, _) = await asyncio.gather(played, described)
        else:
            (said, _), answered = await asyncio.gather(described, played)
        answers.append(said)
        return answered

    _play(context, connection, "With Describe at the same time", Manner(ask=ask))
    return answers


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    names = [long_names] if any(any(names_in(each.request.DESCRIPTOR)) for each in game.methods) else []
    return (bank, time_limits, metadata, call_ids, large_requests, *names, calls_at_once, described_while_asked)

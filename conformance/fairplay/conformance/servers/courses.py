"""The whole course of a game as the rules lead to it, and the first place where a server left it, in one sentence.

Where the state and the replies decide, the course is known beforehand (`Course.of`). Where chance or time decide, too,
it is followed from the record of the game (`follow`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.message import DecodeError, Message

from fairplay.conformance.case import Failure, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.servers.compare import check_ranking, difference, ranking_text, short_text, unpacked
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import NAMES, Expected, Manner, is_banked
from fairplay.games.envelopes import unwrap
from fairplay.games.evidence import without_evidence
from fairplay.games.game import Game
from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import Call, Eliminate
from fairplay.server.links.link import BANK_KEY
from fairplay.server.records.chain import parsed as entries_of
from fairplay.server.records.errors import Diverged
from fairplay.server.records.replay import Called, Eliminated, Ended, Replayer, Shown
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind, RuleBreak
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import WatchGameResponse
from fairplay.v1.result_pb2 import GameResult

BEFORE, AFTER = 4, 3
"""How many calls before and after the first wrong one are shown."""
CLOCK_S, MS_S = 0.01, 0.002
"""Times that differ by less are the same, and limits, of which the bank is told in whole milliseconds."""
LONG_S = 0.04
"""What takes longer has not just been under way."""
BEGIN_S = 10.0
"""So long before it comes may the first call of a game have been made."""
ROUNDED, UNDER_WAY_S = 1.01, 10.0
"""The deadline of a call may be rounded up by this factor, and so much of it may be gone when the call comes."""
FREE = {"explanation", "message", "output", "elapsed", "limit"}
"""Fields of a misconduct that are for people, or depend on the time."""


# The course of a game


@dataclass(frozen=True)
class Course:
    """What the rules make of a game."""

    calls: Sequence[Call]
    numbers: Sequence[int]
    """The number of each call in the game."""
    steps: Sequence[int]
    """The number of the step of each call, in ascending order; those of one step may come in any order."""
    misconducts: Sequence[Misconduct]
    result: GameResult
    states: Sequence[Any]
    """The states of the rules, in order. Those of most games are never looked at, so they are no messages yet."""
    elapsed_s: Mapping[int, float] = field(default_factory=dict)
    """What the calls have taken by the record, by their numbers."""

    @classmethod
    def of(cls, expected: Expected) -> Course:
        """Return the course that is expected of a scene."""
        numbers = range(1, len(expected.calls) + 1)
        return cls(expected.calls, numbers, expected.steps, expected.misconducts, expected.result, expected.states)


def in_order(course: Course, received: Sequence[Received]) -> Sequence[Received]:
    """Return the calls that came, those that are made at once in the order in which they are expected."""
    found = list(received)
    start = 0
    while start < len(course.steps):
        end = start + 1
        while end < len(course.steps) and course.steps[end] == course.steps[start]:
            end += 1
        seats = [call.seat for call in course.calls[start:end]]
        came = found[start:end]
        if sorted(seats) == sorted(each.seat for each in came):
            found[start:end] = sorted(came, key=lambda each: seats.index(each.seat))
        start = end
    return found


def _steps_of(calls: Sequence[Call]) -> Sequence[int]:
    """Return the numbers of the steps of a recorded game: calls of one method to several seats may be made at once."""
    steps: list[int] = []
    seats: set[int] = set()
    for before, call in zip([None, *calls], calls, strict=False):
        begins = before is None or before.method is not call.method or call.seat in seats
        seats = {call.seat} if begins else {*seats, call.seat}
        steps.append(len(steps) if begins else steps[-1])
    return steps


def first_wrong_call(course: Course, received: Sequence[Received]) -> int | None:
    """Return the index of the first call that is to another player or of another method than it must be, or None."""
    wanted = [(call.seat, call.method.path) for call in course.calls]
    came = [(each.seat, each.path) for each in received]
    if wanted == came:
        return None
    return next(
        (at for at, pair in enumerate(zip(wanted, came, strict=False)) if pair[0] != pair[1]),
        min(len(wanted), len(came)),
    )


def check_calls(course: Course, received: Sequence[Received], result: GameResult) -> None:
    """Check calls and eliminations in the order in which they happened; raise Failure for the first that is wrong."""
    wrong = first_wrong_call(course, received)
    for index, (call, each) in enumerate(zip(course.calls[:wrong], received[:wrong], strict=wrong is None)):
        if (found := _wrong_request(index, call, each)) is not None:
            check_misconducts(course, result, index)
            raise found
    check_misconducts(course, result, wrong)
    if wrong is not None:
        raise _wrong_call(course, received, wrong)


def check_begun(course: Course, received: Sequence[Received]) -> None:
    """Check the calls of a game that was not played to its end."""
    count = min(len(received), len(course.calls))
    begun = replace(course, calls=course.calls[:count], misconducts=[])
    check_calls(begun, received[:count], GameResult())


def check_order(expected: Expected, received: Sequence[Received], result: GameResult | None = None) -> None:
    """Check that the right players were called with the right methods, in the right order.

    Where a player was wrongly eliminated, or kept, that says more than the calls do.
    """
    course = Course.of(expected)
    if (wrong := first_wrong_call(course, received)) is not None:
        if result is not None:
            check_misconducts(course, result, wrong)
        raise _wrong_call(course, received, wrong)


def check_requests(expected: Sequence[Call], received: Sequence[Received]) -> None:
    """Check what the players were told in each call, as far as the order is right."""
    for index, (call, each) in enumerate(zip(expected, received, strict=False)):
        if (each.seat, each.path) != (call.seat, call.method.path):
            return
        if (wrong := _wrong_request(index, call, each)) is not None:
            raise wrong


def _wrong_request(index: int, call: Call, received: Received) -> Failure | None:
    """Return the failure of a call with another request than expected; None if it has that."""
    asked = received.asked
    if asked == call.request:
        return None
    found = "it cannot be read" if asked is None else difference(call.request, asked) or "it has unknown fields"
    return failure(
        f"The request of call {index + 1}, {received.method} to {NAMES[received.seat]}, is wrong: {found}.",
        ("Expected request", readable(call.request)),
        ("Request that came", "(unreadable)" if asked is None else readable(asked)),
    )


def _wrong_call(course: Course, received: Sequence[Received], index: int) -> Failure:
    """Return the failure of a game whose call of this index is to another player or of another method."""
    wanted = [(call.seat, f"{call.method.name} to {NAMES[call.seat]}") for call in course.calls]
    came = [(each.seat, f"{each.method} to {NAMES[each.seat]}") for each in received]
    one = wanted[index][1] if index < len(wanted) else "no call, because the game is over"
    other = came[index][1] if index < len(came) else "no call"
    why = _circumstances(course, wanted, came, index)
    shown = slice(max(0, index - BEFORE), index + AFTER)
    return failure(
        f"Call {index + 1} of the game must be {one}; it was {other}{why}.",
        ("Expected calls", _numbered([call for _, call in wanted], shown)),
        ("Calls that came", _numbered([call for _, call in came], shown)),
    )


def _circumstances(
    course: Course, wanted: Sequence[tuple[int, str]], came: Sequence[tuple[int, str]], index: int
) -> str:
    """Return what is special about the player that was called in the place of another one; empty: nothing."""
    if not 0 < index < min(len(wanted), len(came)):
        return ""
    (due, call), (seat, other) = wanted[index], came[index]
    out = {each.seat: each.player for each in course.misconducts if each.call_number == index}
    left = wanted[index + 1 :]
    is_out = any(each.seat == seat for each in course.misconducts if each.call_number <= index)
    if is_out and all(each != seat for each, _ in left):
        return f", though {NAMES[seat]} is eliminated"
    if out:
        return f", after {' and '.join(out.values())} had been eliminated"
    if call.split()[0] != other.split()[0]:
        return ""
    until = next((at for at, each in enumerate(left) if each == (due, call)), len(left))
    return f", who comes after {NAMES[due]}" if (seat, other) in left[:until] else ", who has nothing to decide then"


def _numbered(lines: Sequence[str], shown: slice) -> str:
    return "\n".join(f"{shown.start + index + 1}. {line}" for index, line in enumerate(lines[shown])) or "(none)"


def check_misconducts(course: Course, result: GameResult, until: int | None = None) -> None:
    """Check who was eliminated, up to a call of this number, and why."""
    wanted, got = (_charges(kept) for kept in (course.misconducts, result.misconducts))
    charged = {key: one.call_number for key, one in [*got.items(), *wanted.items()]}
    for key in sorted(charged, key=lambda key: charged[key]):
        if until is not None and charged[key] > until:
            return
        one, other = wanted.get(key), got.get(key)
        if problem := _charge_problem(one, other):
            shown = (("Expected misconduct", one), ("Misconduct that came", other))
            raise failure(problem, *((title, readable(each)) for title, each in shown if each is not None))


def _charges(misconducts: Sequence[Misconduct]) -> Mapping[tuple[str, int], Misconduct]:
    """Return misconducts by the player, and how many of it came before."""
    count = Counter[str]()
    found = {}
    for each in misconducts:
        found[each.player, count[each.player]] = each
        count[each.player] += 1
    return found


def _charge_problem(wanted: Misconduct | None, got: Misconduct | None) -> str:
    """Return what is wrong with who is eliminated in one call, where at least one of the two is."""
    charge = wanted or got
    assert charge is not None
    where = f"call {charge.call_number}, {charge.method_name.rpartition('/')[2]}"
    if wanted is None:
        return f"{charge.player} must not be eliminated for its reply to {where}; it was, for {_cause(charge)}."
    due = f"{wanted.player} must be eliminated for {_cause(wanted)} in {where}"
    if got is None:
        return f"{due}; it was not."
    if _cause(wanted) != _cause(got) or wanted.method_name != got.method_name:
        return f"{due}; it was, for {_cause(got)} in call {got.call_number}, {got.method_name.rpartition('/')[2]}."
    if found := _misconduct_difference(wanted, got):
        return f"The misconduct of {wanted.player} in {where} is wrong: {found}."
    return ""


def _cause(misconduct: Misconduct) -> str:
    kind = enum_word(MisconductKind, misconduct.kind)
    match misconduct.WhichOneof("cause"):
        case "rule_break":
            return f"{kind} of {misconduct.rule_break.rule_id}"
        case "call_error":
            error = misconduct.call_error
            return f"{kind} {enum_word(CallErrorReason, error.reason)} with the code {error.status_code}"
        case cause:
            return f"{kind}, {cause}"


def _misconduct_difference(wanted: Misconduct, got: Misconduct) -> str:
    if found := difference(wanted, got, free={*FREE, "legal_replies"}):
        return found
    if not got.rule_break.explanation and wanted.rule_break.explanation:
        return "rule_break.explanation must not be empty"
    if got.call_error.status_code and got.call_error.message != wanted.call_error.message:
        return f"call_error.message must be {wanted.call_error.message}; it is {got.call_error.message}"
    limits_s = [each.overrun.limit.ToNanoseconds() / 1e9 for each in (wanted, got)]
    if abs(limits_s[0] - limits_s[1]) > 0.001:
        return f"overrun.limit must be {limits_s[0]:g} s; it is {limits_s[1]:g} s"
    return legal_difference(wanted.rule_break, got.rule_break)


def legal_difference(wanted: RuleBreak, got: RuleBreak) -> str:
    """Return how the legal replies differ, in whatever order. Of more than can be listed nobody says which are."""
    legal, listed = list(wanted.legal_replies), list(got.legal_replies)
    if len(legal) == wanted.legal_reply_count:
        for each in listed:
            if each not in legal:
                return f"rule_break.legal_replies must not have {short_text(unpacked(each) or each)}"
        for each in legal:
            if each not in listed:
                return f"rule_break.legal_replies must have {short_text(unpacked(each) or each)}"
    if len(legal) != len(listed):
        return f"rule_break.legal_replies must have {len(legal)} elements; it has {len(listed)}"
    return ""


def check_result(course: Course, result: GameResult, where: str) -> None:
    """Check the ranking of a game, and who is listed as eliminated, in which order."""
    check_ranking(course.result, result, where)
    order, listed = ([each.player for each in kept] for kept in (course.result.misconducts, result.misconducts))
    if order != listed:
        raise failure(f"Eliminated in {where} must be, in this order, {_listed(order)}; it is {_listed(listed)}.")
    if bool(result.aborted) is not bool(course.result.aborted):
        ended = "stopped" if course.result.aborted else "played to its end"
        raise failure(f"The game was {ended}; in {where} `aborted` is {result.aborted!r}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "nobody"


# What spectators see


def check_events(
    game: Game, course: Course, events: Sequence[WatchGameResponse], *, live: bool, since: int = 0
) -> None:
    """Check what a spectator was told; `live`: while the game ran, when nothing hidden may be told.

    One that came while the call of the number `since` was open need not be told who was eliminated before.
    """
    where = "the events of a running game" if live else "the events of a finished game"
    check_states(game, course, events, live=live)
    told = [event.eliminated for event in events if event.HasField("eliminated")]
    wanted = [without_evidence(each) if live else each for each in course.misconducts]
    before = sum(each.call_number < since for each in wanted)
    wanted = wanted[min(before, max(0, len(wanted) - len(told))) :]
    if [each.player for each in told] != [each.player for each in wanted]:
        names = _listed([each.player for each in wanted]), _listed([each.player for each in told])
        raise failure(f"Eliminated in {where} must be {names[0]}; it is {names[1]}.")
    for one, other in zip(wanted, told, strict=True):
        if wrong := difference(one, other, free=FREE | ({"legal_replies"} if not live else set())):
            raise failure(f"The elimination of {one.player} in {where} is wrong: {wrong}.")
    if not events or not events[-1].HasField("finished"):
        raise failure(f"The last of {where} must be the result.")
    check_result(course, events[-1].finished, where)


def check_states(game: Game, course: Course, events: Sequence[WatchGameResponse], *, live: bool) -> None:
    """Check the states that a spectator was told, in their order; those between may be left out."""
    where = "the events of a running game" if live else "the events of a finished game"
    shows = game.public_state if live else game.full_state
    states = [shows(state) for state in course.states]
    place = -1
    for event in events:
        if event.HasField("state"):
            shown = unwrap(event.state, game, game.state_type)
            found = next((index for index in range(place + 1, len(states)) if states[index] == shown), None)
            if found is None:
                raise _wrong_state(states, place, shown, where)
            place = found
    if states and place != len(states) - 1:
        raise failure(f"The last state in {where} must be that in which the game ended.")


def _wrong_state(states: Sequence[Message], place: int, shown: Message | None, where: str) -> Failure:
    """Return the failure of a state that the game does not have, with how it differs from the next one it has."""
    due = states[min(place + 1, len(states) - 1)]
    found = "it is missing" if shown is None else difference(due, shown)
    if shown is not None and any(state == shown for state in states):
        found = "the game had it earlier"
    elif place == len(states) - 1:
        found = "the game is over with the state before it"
    return failure(
        f"A state in {where} is wrong: {found}.",
        ("Expected state", readable(due)),
        ("State that came", "(none)" if shown is None else readable(shown)),
    )


# Records


def follow(game: Game, record: Record) -> Course:
    """Return the course of a game that follows from its record. Raises Failure where the record leaves the rules."""
    entries = list(entries_of(record))
    calls: list[tuple[int, Call]] = []
    states: list[Any] = []
    misconducts: list[Misconduct] = []
    result: GameResult | None = None
    due = ""
    try:
        replayer = Replayer(entries[0] if entries else RecordEntry(), None, lambda _: game)
        for number in range(1, len(entries) + 1):
            for event in replayer.events():
                if isinstance(event, Called):
                    calls.append((event.number, event.call))
                elif isinstance(event, Shown):
                    states.append(event.state)
                elif isinstance(event, Eliminated):
                    misconducts.append(event.misconduct)
                elif isinstance(event, Ended):
                    result = event.result
            if number < len(entries):
                due = _due(replayer, entries[number])
                replayer.feed(entries[number])
    except Diverged as error:
        raise failure(f"The record leaves the rules: entry {error.entry}: {error.problem}{due}.") from None
    if result is None:
        raise failure("The record ends before the game does.")
    calls.sort(key=lambda each: each[0])
    made = [call for _, call in calls]
    elapsed_s = {each.call.number: each.call.elapsed.ToNanoseconds() / 1e9 for each in entries if each.HasField("call")}
    return Course(made, [number for number, _ in calls], _steps_of(made), misconducts, result, states, elapsed_s)


def _due(replayer: Replayer, entry: RecordEntry) -> str:
    """Return how an entry differs from what the rules lead to; empty if that is said otherwise."""
    machine = replayer.machine
    if entry.HasField("call") and (asked := machine.open_calls.get(entry.call.seat)) is not None:
        try:
            found = difference(asked.call.request, asked.call.method.request.FromString(entry.call.request))
        except DecodeError:
            return ""
        return f": {found}" if found else ""
    if entry.HasField("misconduct") and isinstance(machine.step, Eliminate):
        due = machine.transcript.build_misconduct(machine.step)
        found = difference(due, entry.misconduct, free={"request", "reply", "unparsable_reply"})
        return f": {found}" if found else ""
    if entry.HasField("result") and machine.outcome is not None:
        return f"; the ranking there is {ranking_text(entry.result.result.ranking)}"
    return ""


def check_received(course: Course, received: Sequence[Received], control: TimeControl) -> None:
    """Check that each call of a record was given to its player, in its time. A race has cancelled ones beside them.

    A server may notice that a player is gone by a call that reaches it no more.
    """
    gone = {each.seat for each in received if each.act is not None and each.act.manner is Manner.VANISH}
    left = {seat: [each for each in received if each.seat == seat] for seat in range(len(NAMES))}
    given: list[tuple[int, Call, Received]] = []
    for number, call in zip(course.numbers, course.calls, strict=True):
        came = [each for each in left[call.seat] if each.path == call.method.path]
        found = next((each for each in came if each.asked == call.request), None)
        if found is None and call.seat in gone:
            continue
        if found is None:
            asked = came[0].asked if came else None
            wrong = "it did not come" if asked is None else difference(call.request, asked)
            name = f"call {number}, {call.method.name} to {NAMES[call.seat]}"
            raise failure(f"The request of {name}, is wrong: {wrong}.", ("Expected request", readable(call.request)))
        left[call.seat].remove(found)
        given.append((number, call, found))
    cancelled = [each for seat in left.values() for each in seat]
    check_times(given, control, cancelled)
    _check_elapsed(course, given)


def _check_elapsed(course: Course, given: Sequence[tuple[int, Call, Received]]) -> None:
    """Check what the record says that calls have taken, of which not all may count: the server may have stood still."""
    came_s = [each.at_s for *_, each in given]
    for number, _, received in given:
        elapsed_s = course.elapsed_s.get(number, 0.0)
        took_s = (received.answered_s or received.at_s) - received.at_s
        most_s = max(came_s) - min(came_s) + took_s + 2 * BEGIN_S
        if not (took_s / 4 if took_s > LONG_S else 0.0) <= elapsed_s <= most_s:
            raise failure(
                f"{NAMES[received.seat]} has answered call {number}, {received.method}, after {took_s:.3f} s; by the "
                f"record it took {elapsed_s:.3f} s."
            )


# Time


def check_times(
    given: Sequence[tuple[int, Call, Received]], control: TimeControl, cancelled: Sequence[Received] = ()
) -> None:
    """Check that each call, by its number, names its limit, and the bank of its player where that has one.

    `cancelled` are calls that had no outcome: their method says what they name.
    """
    limits = CallLimits.of(control)
    banks = _Banks(control, [each for *_, each in given], crossing=bool(cancelled))
    kinds: dict[str, Call] = {}
    for number, call, received in given:
        kinds[received.path] = call
        name = f"call {number}, {received.method} to {NAMES[received.seat]}"
        check_limit(name, limits.limit_s(call) + banks.take(name, call, received), received)
    for received in cancelled:
        if (like := kinds.get(received.path)) is not None and like.limit_s is None:
            name = f"a call of {received.method} to {NAMES[received.seat]} that was cancelled"
            check_limit(name, limits.limit_s(like) + banks.told_s(name, like, received), received)


class _Banks:
    """The bank of each seat, as far as its calls and answers show. `crossing`: calls may come after they are over."""

    def __init__(self, control: TimeControl, received: Sequence[Received], *, crossing: bool) -> None:
        self._limits = CallLimits.of(control)
        self._whole_s = control.bank.ToNanoseconds() / 1e9
        self._left_s = dict[int, float]()
        self._crossing = crossing
        self._came = [] if crossing else received
        self._begun_s = min((each.at_s for each in received), default=0.0) - BEGIN_S
        self._before = dict[int, tuple[float, Received]]()
        """The last decision of each seat, with its own limit."""

    def told_s(self, name: str, call: Call, received: Received) -> float:
        """Return what a call says of the bank; check that it does where there may be one, and only there."""
        told = received.metadata.get(BANK_KEY)
        if told is None:
            left_s = self._left_s.get(call.seat, self._whole_s)
            if is_banked(call) and self._least_s(received) > CLOCK_S:
                raise failure(f"The bank of {NAMES[received.seat]} is {left_s:.2f} s; {name}, says nothing of it.")
            return 0.0
        if not is_banked(call) or not told.isdecimal() or not int(told):
            raise failure(f"There is no bank for {name}, which says that {told} ms are left of it.")
        left_s = int(told) / 1000
        if left_s > self._whole_s + CLOCK_S:
            raise failure(f"The bank of {NAMES[received.seat]} was {self._whole_s:g} s; {name}, says {left_s:g} s.")
        return left_s

    def take(self, name: str, call: Call, received: Received) -> float:
        """Return what a call says of the bank, in seconds; check that by what its player took before."""
        left_s = self.told_s(name, call, received)
        if not is_banked(call):
            return left_s
        least_s, most_s = self._least_s(received), self._most_s(received.seat)
        if not least_s - CLOCK_S <= left_s <= most_s + CLOCK_S:
            raise failure(
                f"The bank of {NAMES[received.seat]} must be {least_s:.2f} to {most_s:.2f} s in {name}, by what it "
                f"took of it before; it is {left_s:.2f} s."
            )
        self._left_s[received.seat] = left_s
        self._before[received.seat] = self._limits.limit_s(call), received
        return left_s

    def _least_s(self, received: Received) -> float:
        """Return how much is left at least: the last decision was asked for after the call before it had come."""
        left_s = self._left_s.get(received.seat, self._whole_s)
        if received.seat not in self._before:  # a decision that another one was faster than may have been answered
            return left_s - (received.at_s - self._begun_s if self._crossing else 0.0)
        limit_s, decision = self._before[received.seat]
        before = (each.at_s for each in self._came if each.seat == received.seat and each.at_s < decision.at_s)
        asked_s = max(before, default=self._begun_s)
        return left_s - max(0.0, received.at_s - asked_s - limit_s)

    def _most_s(self, seat: int) -> float:
        """Return how much is left at most. How much of its time counts depends on whether the server stood still."""
        left_s = self._left_s.get(seat, self._whole_s)
        if seat not in self._before:
            return left_s
        limit_s, decision = self._before[seat]
        took_s = (decision.answered_s or decision.at_s) - decision.at_s
        return left_s - max(0.0, took_s - limit_s) / 4 if took_s > limit_s + CLOCK_S else left_s


def check_limit(name: str, limit_s: float, received: Received) -> None:
    """Check that a call names its limit, or what is left of it: to a player that serves, or if it is sent again."""
    if not received.call_id:
        least_s, most_s = limit_s - UNDER_WAY_S, limit_s * ROUNDED + 1
    else:
        least_s, most_s = 0.0 if received.again else limit_s - MS_S, limit_s + MS_S
    if not least_s <= received.limit_s <= most_s:
        raise failure(f"The limit of {name}, must be {limit_s:g} s; it is {received.limit_s:g} s.")

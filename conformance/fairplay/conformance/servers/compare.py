"""Comparing what a server did with what the contract and the rules lead to. What differs raises Failure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import NAMES
from fairplay.games.kit.messages import enum_word
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.result_pb2 import GameResult, RankGroup

CONSEQUENCES = frozenset(
    (
        "act_count",
        "actions",
        "active_seat",
        "call_count",
        "call_number",
        "caller",
        "draw_state",
        "end_reason",
        "events",
        "first_request",
        "last_action",
        "last_events",
        "last_turn",
        "next_seats",
        "phase",
        "placed_in_round",
        "planned_seats",
        "revision",
        "students_to_move",
        "turn",
        "turn_count",
        "winner_seats",
    )
)
"""Fields that differ where others do: they are told of last."""
SHORT = 160
"""Values of fewer characters are told in the sentence itself."""


def same(what: str, wanted: object, got: object) -> None:
    """Raise Failure if two values differ, with the first difference of long ones."""
    if wanted == got:
        return
    one, other = _text(wanted), _text(got)
    short = len(one + other) < SHORT and "\n" not in one + other
    wrong = f"must be {one}; it is {other}" if short else f"is wrong: {_first_difference(wanted, got)}"
    raise failure(f"{what} {wrong}.", ("Expected", one), ("Came", other))


def _first_difference(wanted: object, got: object) -> str:
    if isinstance(wanted, Message) and isinstance(got, Message):
        return difference(wanted, got)
    if isinstance(wanted, Sequence) and isinstance(got, Sequence) and not isinstance(wanted, str):
        for number, (one, other) in enumerate(zip(wanted, got, strict=False), start=1):
            if one != other and isinstance(one, Message) and isinstance(other, Message):
                return f"in number {number} {difference(one, other)}"
            if one != other:
                return f"number {number} must be {short_text(one)}; it is {short_text(other)}"
        return f"it must have {len(wanted)} elements; it has {len(got)}"
    return f"it must be {short_text(wanted)}; it is {short_text(got)}"


def _text(value: object) -> str:
    if isinstance(value, Message):
        return readable(value)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    between = "\n---\n" if any(isinstance(each, Message) for each in value) else ", "
    return between.join(map(_text, value)) or "nothing"


def difference(wanted: Message, got: Message, path: str = "", free: Collection[str] = ()) -> str:
    """Return the first difference of two messages of one type, e.g. "state.row must be 3; it is 4"; empty: none.

    Fields with these names are not compared, and what follows from other fields is compared after these.
    """
    if wanted == got:
        return ""
    if isinstance(wanted, Packed) and isinstance(got, Packed):
        return _packed_difference(wanted, got, path)
    fields = wanted.DESCRIPTOR.fields
    telling, last = ([each for each in fields if (each.name in CONSEQUENCES) is late] for late in (False, True))
    for field in [*telling, *last]:
        if field.name in free:
            continue
        name = f"{path}.{field.name}" if path else field.name
        one, other = getattr(wanted, field.name), getattr(got, field.name)
        if field.is_repeated:
            if found := _list_difference(list(one), list(other), name, free):
                return found
        elif field.has_presence and wanted.HasField(field.name) != got.HasField(field.name):
            missing = wanted.HasField(field.name)
            return f"{name} must {'' if missing else 'not '}be there; it is {'not' if missing else short_text(other)}"
        elif found := _value_difference(one, other, name, free):
            return found
    return ""


def _value_difference(wanted: Any, got: Any, name: str, free: Collection[str]) -> str:
    if isinstance(wanted, Message):
        return difference(wanted, got, name, free)
    return "" if wanted == got else f"{name} must be {short_text(wanted)}; it is {short_text(got)}"


def _list_difference(wanted: Sequence[Any], got: Sequence[Any], name: str, free: Collection[str]) -> str:
    for index, (one, other) in enumerate(zip(wanted, got, strict=False)):
        if found := _value_difference(one, other, f"{name}[{index}]", free):
            return found
    if len(wanted) != len(got):
        return f"{name} must have {len(wanted)} elements; it has {len(got)}"
    return ""


def _packed_difference(wanted: Packed, got: Packed, path: str) -> str:
    one, other = unpacked(wanted), unpacked(got)
    if one is None or other is None or type(one) is not type(other):
        return "" if wanted == got else f"{path} must be {short_text(one or wanted)}; it is {short_text(other or got)}"
    return difference(one, other, path)


def unpacked(packed: Packed) -> Message | None:
    """Return the message in an Any; None if its type is unknown or it cannot be read."""
    try:
        return GetMessageClass(Default().FindMessageTypeByName(packed.TypeName())).FromString(packed.value)
    except (KeyError, DecodeError):
        return None


def short_text(value: object) -> str:
    """Return a value in one line of about 80 characters."""
    text = readable(value, one_line=True) if isinstance(value, Message) else str(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def check_times(over: Any, what: str, begun: Timestamp) -> None:
    """Check that what is over, e.g. a "stopped game", says when it ended, not before it was begun."""
    if not begun.ToNanoseconds() or not over.HasField("end_time"):
        raise failure(f"A {what} must say when it began and when it ended.")
    if begun.ToNanoseconds() > over.end_time.ToNanoseconds():
        raise failure(f"The {what} ended before it began.")


def check_limits(limits_s: Sequence[float], received: Sequence[Received]) -> None:
    """Check that each call names the limit of the time control."""
    for number, (limit_s, each) in enumerate(zip(limits_s, received, strict=False), start=1):
        if abs(limit_s - each.limit_s) > 0.001:
            raise failure(
                f"Call {number}, {each.method} to {NAMES[each.seat]}, has {each.limit_s:g} s; "
                f"the time control gives it {limit_s:g} s."
            )


def check_ranking(wanted: GameResult, got: GameResult, where: str = "") -> None:
    """Check the ranking of a game."""
    if wanted.ranking != got.ranking:
        due, came = ranking_text(wanted.ranking), ranking_text(got.ranking)
        why = _ranking_problem(wanted.ranking, got.ranking)
        raise failure(f"The ranking{where and f' in {where}'} must be {due}; it is {came}{why and f': {why}'}.")


def ranking_text(ranking: Sequence[RankGroup]) -> str:
    """Return a ranking in one line, e.g. "anna (seat 0) 7, bert (seat 1) 7 | cleo (seat 2) 5"."""
    groups = (", ".join(f"{one.name} (seat {one.seat}) {one.score}" for one in group.players) for group in ranking)
    return " | ".join(group or "nobody" for group in groups) or "empty"


def _ranking_problem(wanted: Sequence[RankGroup], got: Sequence[RankGroup]) -> str:
    """Return what is wrong with a ranking in one clause; empty if the two rankings say it best."""
    due, came = ({one.name: one.score for group in each for one in group.players} for each in (wanted, got))
    for name in [*due, *came]:
        if name not in came:
            return f"{name} is missing"
        if name not in due:
            return f"{name} must not be ranked"
        if due[name] != came[name]:
            return f"the score of {name} must be {due[name]}"
    places = {one.name: place for place, group in enumerate(got) for one in group.players}
    for group in wanted:
        tied = [one.name for one in group.players]
        if len({places[name] for name in tied}) > 1:
            return f"{' and '.join(tied)} tie, and must share a place"
    if len(got) < len(wanted):
        return "players that do not tie must not share a place"
    return ""


def check_blame(wanted: Sequence[Misconduct], got: Sequence[Misconduct]) -> None:
    """Check who was eliminated, of which kind, why and in which call."""
    due, came = ([_blame(each) for each in kept] for kept in (wanted, got))
    for each in wanted:
        if each.player not in [one.player for one in got]:
            raise failure(f"{each.player} must be eliminated; it was not: {_blame(each)}.")
    for each in got:
        if each.player not in [one.player for one in wanted]:
            raise failure(f"{each.player} must not be eliminated; it was: {_blame(each)}.")
    same("Who was eliminated, and why,", due, came)


def _blame(misconduct: Misconduct) -> str:
    kind = enum_word(MisconductKind, misconduct.kind)
    cause, error = misconduct.WhichOneof("cause"), misconduct.call_error
    fine = misconduct.rule_break.rule_id or f"reason {error.reason} status {error.status_code}"
    where = f"call {misconduct.call_number}, {misconduct.method_name}"
    return f"{misconduct.player} (seat {misconduct.seat}): {kind}, {cause}, {fine}, in {where}"


def check_evidence(wanted: Sequence[Misconduct], got: Sequence[Misconduct]) -> None:
    """Check the request and the reply that each misconduct holds as evidence."""
    for one, other in zip(wanted, got, strict=False):
        same(f"The evidence in the misconduct of {one.player}", _evidence(one), _evidence(other))


def _evidence(misconduct: Misconduct) -> Misconduct:
    evidence = Misconduct(unparsable_reply=misconduct.unparsable_reply)
    for name in ("request", "reply"):
        if misconduct.HasField(name):
            getattr(evidence, name).CopyFrom(getattr(misconduct, name))
    return evidence

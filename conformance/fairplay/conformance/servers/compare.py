"""Comparing what a server did with what the contract and the rules lead to. What differs raises Failure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.players import Received, parsed
from fairplay.conformance.servers.scenes import NAMES
from fairplay.games.game import Game
from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import Call
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.result_pb2 import GameResult

BEFORE, AFTER = 4, 3
"""How many calls before and after the first difference are shown."""
SHORT = 160
"""Values of fewer characters are told in the sentence itself."""


def same(what: str, wanted: object, got: object) -> None:
    """Raise Failure if two values differ."""
    if wanted == got:
        return
    one, other = _text(wanted), _text(got)
    short = len(one + other) < SHORT and "\n" not in one + other
    wrong = f"must be {one}; it is {other}" if short else "is not as it must be"
    raise failure(f"{what} {wrong}.", ("Expected", one), ("Came", other))


def _text(value: object) -> str:
    if isinstance(value, Message):
        return readable(value)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    between = "\n---\n" if any(isinstance(each, Message) for each in value) else ", "
    return between.join(map(_text, value)) or "nothing"


def check_order(expected: Sequence[Call], received: Sequence[Received]) -> None:
    """Check that the right players were called with the right methods, in the right order."""
    wanted = [f"{call.method.name} to {NAMES[call.seat]}" for call in expected]
    got = [f"{each.method} to {NAMES[each.seat]}" for each in received]
    if wanted == got:
        return
    pairs = zip([*wanted, "nothing"], [*got, "nothing"], strict=False)
    place = next(index for index, (one, other) in enumerate(pairs) if one != other)
    one = wanted[place] if place < len(wanted) else "no call"
    other = got[place] if place < len(got) else "no call"
    shown = slice(max(0, place - BEFORE), place + AFTER)
    raise failure(
        f"Call {place + 1} of the game must be {one}; it was {other}.",
        ("Expected calls", _numbered(wanted, shown)),
        ("Calls that came", _numbered(got, shown)),
    )


def _numbered(lines: Sequence[str], shown: slice) -> str:
    return "\n".join(f"{shown.start + index + 1}. {line}" for index, line in enumerate(lines[shown])) or "(none)"


def check_requests(game: Game, expected: Sequence[Call], received: Sequence[Received]) -> None:
    """Check what the players were told in each call, as far as the order is right."""
    for number, (call, each) in enumerate(zip(expected, received, strict=False), start=1):
        if each.method != call.method.name or each.seat != call.seat:
            return
        asked = parsed(game, each)
        if asked is None or asked != call.request:
            raise failure(
                f"The request of call {number}, {each.method} to {NAMES[each.seat]}, is not what the rules lead to.",
                ("Expected request", readable(call.request)),
                ("Request that came", "(unreadable)" if asked is None else readable(asked)),
            )


def check_limits(limits_s: Sequence[float], received: Sequence[Received]) -> None:
    """Check that each call names the limit of the time control."""
    for number, (limit_s, each) in enumerate(zip(limits_s, received, strict=False), start=1):
        if abs(limit_s - each.limit_s) > 0.001:
            raise failure(
                f"Call {number}, {each.method} to {NAMES[each.seat]}, has {each.limit_s:g} s; "
                f"the time control gives it {limit_s:g} s."
            )


def check_ranking(wanted: GameResult, got: GameResult) -> None:
    """Check the ranking of a game."""
    same("The ranking", list(wanted.ranking), list(got.ranking))


def check_blame(wanted: Sequence[Misconduct], got: Sequence[Misconduct]) -> None:
    """Check who was eliminated, of which kind, why and in which call."""
    same("Who was eliminated, and why,", [_blame(each) for each in wanted], [_blame(each) for each in got])


def _blame(misconduct: Misconduct) -> str:
    kind = enum_word(MisconductKind, misconduct.kind)
    cause, error = misconduct.WhichOneof("cause"), misconduct.call_error
    fine = misconduct.rule_break.rule_id or f"reason {error.reason} status {error.status_code}"
    where = f"call {misconduct.call_number}, {misconduct.method_name}"
    return f"{misconduct.player} (seat {misconduct.seat}): {kind}, {cause}, {fine}, in {where}"


def check_evidence(wanted: Sequence[Misconduct], got: Sequence[Misconduct]) -> None:
    """Check the request and the reply that each misconduct holds as evidence."""
    for one, other in zip(wanted, got, strict=False):
        for name in ("request", "reply", "unparsable_reply"):
            same(f"The {name} in the misconduct of {one.player}", getattr(one, name), getattr(other, name))

"""Comparing what a server did with what the contract and the rules lead to. What differs raises Failure."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import Message

from fairplay.conformance.case import failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import NAMES
from fairplay.games.kit.messages import enum_word
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.result_pb2 import GameResult, RankGroup

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

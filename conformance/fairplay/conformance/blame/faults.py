"""The attribution of misconduct to cases: a defect fails the case that names it, and not forty others."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TypeAlias

from fairplay.conformance.case_ids import (
    ALIVE,
    EVERY_ANSWER,
    EVERY_METHOD,
    EVERY_WHOLE_GAME,
    FIRST_ANSWER,
    NO_EXCEPTION,
    READABLE,
    VOID,
    whole_game,
)
from fairplay.conformance.evidence import (
    KINDS,
    Evidence,
    cause_key,
    cause_of,
    gone_cause,
    readable,
    refusal_of_size,
    sections_of,
    sent,
)
from fairplay.conformance.games.trial import Trial, seat_names
from fairplay.conformance.games.variations import unusual_part
from fairplay.games.game import Game
from fairplay.games.steps import CallKind
from fairplay.server.links.link import GONE
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind

UNIMPLEMENTED = 12
UNREADABLE = (CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, CallErrorReason.CALL_ERROR_REASON_TOO_LARGE)
Signature: TypeAlias = tuple[str, ...]


def signature(found: Trial) -> Signature | None:
    """Return which kind of misconduct ended a trial, in which method; None if none did."""
    misconduct = found.misconduct
    if misconduct is None:
        return None
    detail = misconduct.rule_break.rule_id if breaks_rule(found) else owning_case(found)
    if detail == ALIVE:  # a player that is gone fails whatever comes next
        return (ALIVE,)
    return (misconduct.method_name, MisconductKind.Name(misconduct.kind), detail)


def same(one: Trial, other: Trial) -> bool:
    """Return whether two trials ended with the same kind of misconduct, or both with none."""
    return signature(one) == signature(other)


def breaks_rule(found: Trial) -> bool:
    """Return whether a trial ended with a reply that breaks a rule, rather than with a failed call."""
    return found.misconduct is not None and found.misconduct.HasField("rule_break")


def owning_case(found: Trial) -> str:
    """Return the id of the case that owns the misconduct of a trial."""
    assert found.misconduct is not None
    last = found.exchanges[-1]
    owner = owning_case_of(found.misconduct, last.kind, first=_first(found))
    situation = found.scenario.situation
    return whole_game(situation.seat, situation.player_count) if owner == EVERY_WHOLE_GAME else owner


def owning_case_of(misconduct: Misconduct, kind: CallKind, *, first: bool) -> str:
    """Return the id of the case that owns a misconduct. `first`: it is in the first decision of a game."""
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION:
        return EVERY_WHOLE_GAME
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT:
        return FIRST_ANSWER if first else EVERY_ANSWER
    error = misconduct.call_error
    if error.reason in UNREADABLE:
        return READABLE
    if error.reason in GONE:
        return ALIVE
    if error.status_code == UNIMPLEMENTED:
        return EVERY_METHOD
    return VOID if kind is CallKind.NOTIFICATION else NO_EXCEPTION


def _first(found: Trial) -> bool:
    """Return whether the last call was the first decision of the game, or had the limit of first decisions."""
    last = found.exchanges[-1]
    return last.kind is CallKind.FIRST_DECISION or (last.kind is CallKind.DECISION and found.decision_count == 1)


def evidence_of(game: Game, found: Trial) -> Evidence:
    """Return the evidence of the misconduct that ended a trial."""
    misconduct = found.misconduct
    assert misconduct is not None
    last = found.exchanges[-1]
    request = sent(last.method.request, last.request)
    method = misconduct.method_name.rpartition("/")[2]
    rule = misconduct.rule_break.rule_id
    what = f"{rule}: {game.rules.get(rule, '')}" if rule else cause_of(misconduct)
    what = refusal_of_size(misconduct, len(last.request)) or what
    situation, departures = found.scenario.situation, found.scenario.departures
    where = f"{found.scenario.name}: seat {situation.seat} of {situation.player_count}, seed {found.scenario.seed}"
    # A game that goes on from a state may number its seats anew: colours say more than names that may be wrong.
    names = seat_names(situation) if situation.state is None else []
    state = game.full_state(found.shown)
    unusual = unusual_part(game, situation.settings)
    error = misconduct.call_error
    detail = rule or f"{error.status_code} {error.message}" if misconduct.WhichOneof("cause") != "overrun" else ""
    cause = gone_cause(error.message) if error.reason in GONE else cause_key(method, misconduct.kind, detail)
    return Evidence(
        f"{method} {KINDS[misconduct.kind]}: {what}",
        (rule,) if rule else (),
        [
            ("Game", where),
            *([("Settings", readable(unusual))] if unusual.ListFields() else []),
            *([("Unusual", str(found.scenario.guise))] if any(found.scenario.guise or ()) else []),
            *([("Rivals that leave", "\n".join(map(str, departures)))] if departures else []),
            *sections_of(misconduct, request, last.limit_s, last.elapsed_s, found.output),
        ],
        game.text(state, names),
        game.svg(state, names),
        cause=cause,
    )


MAX_ROUNDS = 8
SIGNIFICANT = 0.05
"""A difference that chance makes more rarely than this is due to the circumstances."""


def due_to_circumstances(with_them: Callable[[], bool], without: Callable[[], bool]) -> bool:
    """Return whether misconduct shows with circumstances, and significantly less often without them.

    Both functions try it once more and return whether it showed. Without the circumstances it was tried once before,
    and did not show. What always shows with them is settled after three rounds.
    """
    shown = 0
    for rounds in range(1, MAX_ROUNDS + 1):
        if rounds > 1 and without():
            return False
        shown += with_them()
        if probability(shown, rounds) <= SIGNIFICANT:
            return True
        if not shown and rounds >= MAX_ROUNDS // 2:
            return False
    return False


def probability(shown: int, rounds: int) -> float:
    """Return how probable it is that what shows so often in all rounds does so only with the circumstances."""
    return comb(rounds, shown) / comb(2 * rounds, shown)

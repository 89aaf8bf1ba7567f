"""Which case a misconduct belongs to, so that one fault fails the case that names it and not forty others."""

from __future__ import annotations

from typing import TypeAlias

from fairplay.conformance.evidence import KINDS, Evidence, cause_of, sections_of
from fairplay.conformance.trial import Trial, seat_names
from fairplay.games.game import Game
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct, MisconductKind

UNIMPLEMENTED = 12
UNREADABLE = (CallErrorReason.CALL_ERROR_REASON_UNPARSABLE, CallErrorReason.CALL_ERROR_REASON_TOO_LARGE)
RULES = "rules.whole-game"
EVERY_METHOD = "contract.every-method"
READABLE = "contract.replies-readable"
VOID = "contract.void-methods-return"
NO_EXCEPTION = "exceptions.whole-games"
ALIVE = "exceptions.stays-alive"
FIRST_ANSWER = "time.first-answer"
EVERY_ANSWER = "time.every-answer"

Signature: TypeAlias = tuple[str, ...]


def signature(found: Trial) -> Signature | None:
    """What kind of misconduct ended a game, in which method; None: nothing did."""
    misconduct = found.misconduct
    if misconduct is None:
        return None
    detail = misconduct.rule_break.rule_id if breaks_rule(found) else owner(found)
    if detail == ALIVE:  # a player that is gone fails whatever comes next
        return (ALIVE,)
    return (misconduct.method_name, MisconductKind.Name(misconduct.kind), detail)


def breaks_rule(found: Trial) -> bool:
    """Whether a reply broke a rule, rather than failing to come."""
    return found.misconduct is not None and found.misconduct.HasField("rule_break")


def owner(found: Trial) -> str:
    """The id of the case that an ordinary misconduct fails."""
    assert found.misconduct is not None
    last = found.exchanges[-1]
    return owner_of(found.misconduct, last.kind, first=_first(found))


def owner_of(misconduct: Misconduct, clock: CallKind, *, first: bool) -> str:
    """The same, from the call: which clock ran, and whether it was the first decision of its kind."""
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION:
        return RULES
    if misconduct.kind == MisconductKind.MISCONDUCT_KIND_TIMEOUT:
        return FIRST_ANSWER if first else EVERY_ANSWER
    error = misconduct.call_error
    if error.reason in UNREADABLE:
        return READABLE
    if error.reason == CallErrorReason.CALL_ERROR_REASON_DISCONNECTED:
        return ALIVE
    if error.status_code == UNIMPLEMENTED:
        return EVERY_METHOD
    return VOID if clock is CallKind.NOTIFICATION else NO_EXCEPTION


def _first(found: Trial) -> bool:
    """Whether the last call was the first decision of the game, or one with the longer limit of first decisions."""
    last = found.exchanges[-1]
    return last.kind is CallKind.FIRST_DECISION or (last.kind is CallKind.DECISION and found.decision_count == 1)


def evidence(game: Game, found: Trial) -> Evidence:
    """What shows the misconduct that ended a game."""
    misconduct = found.misconduct
    assert misconduct is not None
    last = found.exchanges[-1]
    method = misconduct.method_name.rpartition("/")[2]
    rule = misconduct.rule_break.rule_id
    what = f"{rule}: {game.rules.get(rule, '')}" if rule else cause_of(misconduct)
    situation = found.scenario.situation
    where = f"{found.scenario.name}: seat {situation.seat} of {situation.player_count}, seed {found.scenario.seed}"
    # A game that goes on from a state may number its seats anew: colours say more than names that may be wrong.
    names = seat_names(situation) if situation.state is None else []
    state = game.full_state(found.shown)
    return Evidence(
        f"{method} {KINDS[misconduct.kind]}: {what}",
        (rule,) if rule else (),
        [("Game", where), *sections_of(misconduct, last.limit_s, last.elapsed_s, found.output)],
        game.text(state, names),
        game.svg(state, names),
    )

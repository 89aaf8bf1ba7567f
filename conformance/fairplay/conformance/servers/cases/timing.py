"""Whether the server keeps the time limits that were asked for: to the player's cost, and to its benefit."""

from __future__ import annotations

from dataclasses import replace

from fairplay.conformance.case import Case, failure
from fairplay.conformance.servers.acts import Script, at, both, hang, slow
from fairplay.conformance.servers.compare import check_blame, check_ranking
from fairplay.conformance.servers.context import OPEN, Played, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import AMPLE_S, control, span
from fairplay.games.conformance import Level
from fairplay.v1.game_pb2 import TimeControl

SHORT_S = 0.6
SLACK_S = 1.5
"""What a call may take beyond its limit before the server gives it up, on a busy machine."""


async def _timed(context: ServerContext, script: Script, limits: TimeControl) -> Played:
    played = await context.play(replace(ordinary(OPEN, script), control=limits))
    check_blame(played.expected.misconducts, played.game.result.misconducts)
    check_ranking(played.expected.result, played.game.result)
    return played


def _limited(case_id: str, why: str, script: Script, limits: TimeControl, *checks: str) -> Case:
    async def limited(context: ServerContext) -> None:
        await _timed(context, script, limits)

    limited.__doc__ = why
    return server_case(case_id, *checks)(limited)


SHORT = control(SHORT_S, SHORT_S)
BOTH_LIMITS = control(SHORT_S, 3.0)

limits = (
    _limited(
        "time.decision",
        "A player that does not answer may not hold up the others for ever.",
        at(1, "TakeTurn", hang, 2),
        SHORT,
        "TimeControl.decision_limit; MISCONDUCT_KIND_TIMEOUT",
    ),
    _limited(
        "time.notification",
        "A player that hangs when it is told something holds up the others as well.",
        at(0, "PlayWith", hang),
        control(notification_s=SHORT_S),
        "TimeControl.notification_limit",
    ),
    _limited(
        "time.not-too-early",
        "A player may use its time: a reply within the limit counts.",
        at(0, "TakeTurn", slow(SHORT_S / 2), 2),
        SHORT,
        "TimeControl.decision_limit",
    ),
    _limited(
        "time.late-reply",
        "A reply after the limit does not count, however good it is.",
        at(0, "TakeTurn", slow(SHORT_S + 0.4, late=True), 2),
        SHORT,
        "Any reply after the deadline eliminates the player.",
    ),
    _limited(
        "time.first-decision",
        "The first turn has a limit of its own: programs may have to warm up.",
        at(1, "TakeTurn", slow(2 * SHORT_S)),
        BOTH_LIMITS,
        "TimeControl.first_decision_limit",
    ),
    _limited(
        "time.only-the-first",
        "The limit of the first turn is for the first turn alone.",
        at(1, "TakeTurn", slow(2 * SHORT_S, late=True), 2),
        BOTH_LIMITS,
        "TimeControl.first_decision_limit",
    ),
    _limited(
        "time.bank",
        "What a player has in its bank it may use for a long thought.",
        at(1, "TakeTurn", slow(2 * SHORT_S), 2),
        TimeControl(**{**{f.name: v for f, v in SHORT.ListFields()}, "bank": span(4.0)}),
        "TimeControl.bank",
    ),
    _limited(
        "time.bank-runs-out",
        "What was drawn from the bank is gone for the rest of the game.",
        both(at(1, "TakeTurn", slow(SHORT_S + 0.5)), at(1, "TakeTurn", slow(SHORT_S + 0.8, late=True), 2)),
        TimeControl(**{**{f.name: v for f, v in SHORT.ListFields()}, "bank": span(0.9)}),
        "TimeControl.bank",
    ),
)


@server_case("time.overrun", "Misconduct.overrun: limit and elapsed")
async def overrun(context: ServerContext) -> None:
    """The misconduct says which limit was overrun and after how long the server gave up: not before, not much later."""
    played = await context.play(replace(ordinary(OPEN, at(1, "TakeTurn", hang)), control=SHORT))
    for misconduct in played.game.result.misconducts:
        limit_s = misconduct.overrun.limit.ToNanoseconds() / 1e9
        elapsed_s = misconduct.overrun.elapsed.ToNanoseconds() / 1e9
        if abs(limit_s - SHORT_S) > 0.001:
            raise failure(f"The limit was {SHORT_S:g} s; the misconduct says {limit_s:g} s.")
        if not SHORT_S - 0.01 <= elapsed_s <= SHORT_S + SLACK_S:
            raise failure(f"The limit was {SHORT_S:g} s; the call was given up after {elapsed_s:.2f} s.")
    check_blame(played.expected.misconducts, played.game.result.misconducts)


@server_case("time.cancelled", "DialInResponse.cancelled", level=Level.SHOULD)
async def cancelled(context: ServerContext) -> None:
    """A player that is told that its time is over stops thinking in vain."""
    played = await context.play(replace(ordinary(OPEN, at(1, "TakeTurn", hang)), control=SHORT))
    [hung] = [each for each in played.cast.received if each.act is not None and each.act.manner.value == "hang"][:1]
    if hung.cancelled_after_s is None:
        raise failure("The call whose time was over was not cancelled.")


@server_case("time.others-unhurried", "Limits hold for each call on its own.")
async def others_unhurried(context: ServerContext) -> None:
    """A player is not charged for the time that others took."""
    script = both(at(0, "TakeTurn", slow(SHORT_S / 2)), at(1, "TakeTurn", slow(SHORT_S / 2)))
    played = await _timed(
        context, both(script, at(2, "TakeTurn", slow(SHORT_S / 2))), control(SHORT_S, SHORT_S, AMPLE_S)
    )
    check_ranking(played.expected.result, played.game.result)


CASES = (*limits, overrun, cancelled, others_unhurried)

"""Whether the server blames rightly: the right player, for the right kind of misconduct, with the evidence."""

from __future__ import annotations

from fairplay.conformance.case import Case
from fairplay.conformance.servers.acts import Script, at, both, fail, mutated, oversize, reply, vanish
from fairplay.conformance.servers.compare import check_blame, check_evidence, check_order, check_ranking, same
from fairplay.conformance.servers.context import GAMES, OPEN, Played, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import Scene
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find

GARBAGE = b"\xff\xff\xff\xff"
"""No message in protobuf's encoding."""


async def _judged(context: ServerContext, scene: Scene) -> Played:
    played = await context.play(scene)
    check_blame(played.expected.misconducts, played.game.result.misconducts)
    return played


def _rules_of(game: str) -> Case:
    @server_case(f"blame.{game}-rules", "RuleBreak.rule_id", "MISCONDUCT_KIND_RULE_VIOLATION")
    async def rules(context: ServerContext) -> None:
        """Each wrong reply breaks one rule, and the misconduct names it: authors search for their bugs by it."""
        for mutation in find_conformance(game).mutations:
            if mutation.rule:
                await _judged(context, ordinary(game, mutated(find(game), mutation, 0), count=2))

    return rules


def _misconduct(case_id: str, why: str, script: Script, *checks: str) -> Case:
    async def misconduct(context: ServerContext) -> None:
        await _judged(context, ordinary(OPEN, script))

    misconduct.__doc__ = why
    return server_case(case_id, *checks)(misconduct)


FAILS = at(0, "TakeTurn", fail(13, "scripted failure"))

failures = (
    _misconduct(
        "blame.exception",
        "A player that answers with an error status has failed: a bug in its safety.",
        FAILS,
        "MISCONDUCT_KIND_EXCEPTION, CALL_ERROR_REASON_STATUS",
    ),
    _misconduct(
        "blame.notification",
        "A player that fails when it is told something has failed, too.",
        at(1, "PlayAs", fail(2, "scripted failure")),
        "Any error status eliminates the player from the game.",
    ),
    _misconduct(
        "blame.unparsable-reply",
        "A reply that is no message is an exception, and no broken rule.",
        at(1, "TakeTurn", reply(GARBAGE)),
        "CALL_ERROR_REASON_UNPARSABLE",
    ),
    _misconduct(
        "blame.empty-reply",
        "A reply without its required parts breaks a rule.",
        at(2, "TakeTurn", reply(b"")),
        "MISCONDUCT_KIND_RULE_VIOLATION",
    ),
    _misconduct(
        "blame.several",
        "Those who fail are listed in the order in which they were eliminated.",
        both(FAILS, at(2, "Setup", reply(GARBAGE))),
        "GameResult.misconducts",
    ),
)


@server_case("blame.too-large-reply", "CALL_ERROR_REASON_TOO_LARGE; Welcome.max_reply_bytes")
async def too_large_reply(context: ServerContext) -> None:
    """A reply that is larger than the server accepts counts as the failure of that player, and of nobody else."""
    await _judged(context, ordinary(OPEN, at(1, "TakeTurn", oversize)))


@server_case("blame.evidence", "Misconduct.request, reply, unparsable_reply")
async def evidence(context: ServerContext) -> None:
    """The author of a player mends it from what it was asked and what it answered."""
    scripts = (at(1, "TakeTurn", reply(GARBAGE)), at(0, "TakeTurn", reply(b""), 2), FAILS)
    for script in scripts:
        played = await context.play(ordinary(OPEN, script))
        check_evidence(played.expected.misconducts, played.game.result.misconducts)


@server_case("blame.message", "CallError.message")
async def message(context: ServerContext) -> None:
    """The player's own error message is kept for its author."""
    played = await context.play(ordinary(OPEN, FAILS))
    found = [each.call_error.message for each in played.game.result.misconducts]
    same("The message of the misconduct", ["scripted failure"], found)


@server_case("blame.disconnected", "CALL_ERROR_REASON_DISCONNECTED; Hello.resume_window 0")
async def disconnected(context: ServerContext) -> None:
    """A player whose connection ends during a call is disconnected at once, and not a timeout."""
    played = await context.play(ordinary(OPEN, at(0, "TakeTurn", vanish), count=2))
    first = played.game.result.misconducts[:1]
    check_blame(played.expected.misconducts[:1], first)


@server_case("blame.ranking-without-the-eliminated", "Eliminated players are in no group.")
async def ranking_without(context: ServerContext) -> None:
    """Whoever was eliminated has no rank, however many points it had."""
    played = await context.play(ordinary(OPEN, at(0, "TakeTurn", reply(b""), 2)))
    check_ranking(played.expected.result, played.game.result)
    check_order(played.expected.calls, played.cast.received)


CASES = (
    *map(_rules_of, GAMES),
    *failures,
    too_large_reply,
    evidence,
    message,
    disconnected,
    ranking_without,
)

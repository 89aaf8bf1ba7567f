"""Cases about who is blamed for what, and about time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import grpc

from fairplay.conformance.case import Case, failure
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.servers.cases.refusals import LIMITS
from fairplay.conformance.servers.cases.results import INVENTED
from fairplay.conformance.servers.compare import check_blame, check_evidence, check_limits, check_ranking, same
from fairplay.conformance.servers.context import (
    GAMES,
    HIDDEN,
    OPEN,
    TIMED,
    Played,
    ServerContext,
    ordinary,
    server_case,
)
from fairplay.conformance.servers.courses import check_order
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    FAILED,
    GARBAGE,
    NAMES,
    Act,
    Asked,
    Manner,
    Scene,
    Script,
    any_of,
    at,
    control,
    expect,
    fail,
    fill,
    hang,
    mutated,
    oversize,
    reply,
    slow,
    span,
    vanish,
    with_unknown_values,
)
from fairplay.conformance.servers.texts import LETTERS, size_of
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find
from fairplay.games.steps import CallKind
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import TimeControl
from fairplay.v1.misconduct_pb2 import CallErrorReason, Overrun


async def _judged(context: ServerContext, scene: Scene, *, served: bool = False) -> Played:
    played = await context.play(scene, served=served)
    check_blame(played.expected.misconducts, played.game.result.misconducts)
    return played


def _rules_of(game: str) -> Case:
    @server_case(f"blame.{game}-rules", "FAIL-3")
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
        "FAIL-5",
        "FAIL-16",
        "REPLY-1",
    ),
    _misconduct(
        "blame.notification",
        "A player that fails when it is told something has failed, too.",
        at(1, "PlayAs", FAILED),
        "FAIL-10",
    ),
    _misconduct(
        "blame.unparsable-reply",
        "A reply that is no message is an exception, and no broken rule.",
        at(1, "TakeTurn", reply(GARBAGE)),
        "FAIL-6",
    ),
    _misconduct(
        "blame.empty-reply",
        "A reply without its required parts breaks a rule.",
        at(2, "TakeTurn", reply(b"")),
        "FAIL-4",
    ),
    _misconduct(
        "blame.several",
        "Those who fail are listed in the order in which they were eliminated.",
        any_of(FAILS, at(2, "Setup", reply(GARBAGE))),
        "FAIL-18",
    ),
)


@server_case("blame.each-status", "FAIL-5", "REPLY-1")
async def each_status(context: ServerContext) -> None:
    """A player that answers with an error status has failed by that status, whatever it means in gRPC."""
    codes = [code.value[0] for code in grpc.StatusCode if code is not grpc.StatusCode.OK]
    scene = ordinary(OPEN, count=4)
    for served, said in ((False, codes), (True, [code for code in codes if code not in INVENTED])):
        for first in range(0, len(said), scene.player_count):
            given = enumerate(said[first : first + scene.player_count])
            failing = [at(seat, "PlayAs", fail(code, "scripted failure")) for seat, code in given]
            await _judged(context, replace(scene, script=any_of(*failing)), served=served)


@server_case("blame.too-large-reply", "FAIL-7", "LIMIT-1")
async def too_large_reply(context: ServerContext) -> None:
    """A reply that is larger than the server accepts is a failure of its player; one that is as large is none."""
    for served in (False, True):
        script = any_of(at(1, "TakeTurn", oversize), at(0, "TakeTurn", fill))
        await _judged(context, ordinary(OPEN, script), served=served)


@server_case("blame.evidence", "FAIL-17")
async def evidence(context: ServerContext) -> None:
    """The author of a player mends it from what it was asked and what it answered."""
    scripts = (at(1, "TakeTurn", reply(GARBAGE)), at(0, "TakeTurn", reply(b""), 2), FAILS)
    for script in scripts:
        played = await context.play(ordinary(OPEN, script))
        check_evidence(played.expected.misconducts, played.game.result.misconducts)


LONGEST_MESSAGE = limit_of("CallError.message").cut_characters


@server_case("blame.message", "FAIL-5")
async def message(context: ServerContext) -> None:
    """The player's own error message is kept for its author, up to its limit, however the player is reached."""
    # A status has room for a few KiB, in which each byte of other letters takes three.
    said = ["scripted failure: ".ljust(LONGEST_MESSAGE - 200, "x") + 199 * letter + "z" for letter in LETTERS]
    failing = [at(seat, "PlayAs", fail(13, f"{each} and more")) for seat, each in enumerate(said)]
    for served in (False, True):
        played = await context.play(ordinary(OPEN, any_of(*failing), count=len(said)), served=served)
        check_blame(played.expected.misconducts, played.game.result.misconducts)
        for each in played.game.result.misconducts:
            found, due = each.call_error.message, said[each.seat]
            if found != due:
                reached = "that serves" if served else "that has dialled in"
                raise failure(
                    f"The message of a player {reached}, with letters of {size_of(LETTERS[each.seat])}, must be cut "
                    f"after {len(due):,} characters; of {len(due) + 9:,} the misconduct has {len(found):,}.",
                    ("Message", found),
                )


@server_case("blame.disconnected", "FAIL-8", "RESUME-2")
async def disconnected(context: ServerContext) -> None:
    """A player whose connection ends during a call is disconnected at once, and not a timeout."""
    played = await context.play(ordinary(OPEN, at(0, "TakeTurn", vanish), count=2))
    first = played.game.result.misconducts[:1]
    check_blame(played.expected.misconducts[:1], first)


@server_case("blame.ranking-without-the-eliminated", "GAME-15", "FAIL-11")
async def ranking_without(context: ServerContext) -> None:
    """Whoever was eliminated has no rank, however many points it had."""
    played = await context.play(ordinary(OPEN, at(0, "TakeTurn", reply(b""), 2)))
    check_ranking(played.expected.result, played.game.result)
    check_order(played.expected, played.cast.received, played.game.result)


@server_case("blame.winner-fails-win", "Q-6")
async def winner_fails_win(context: ServerContext) -> None:
    """Whoever cannot hear that it has won has not won, and nobody moves up."""

    def script(asked: Asked) -> Act | None:
        return FAILED(asked) if asked.method == "Win" and asked.request.won else None

    played = await _judged(context, ordinary(HIDDEN, script))
    check_ranking(played.expected.result, played.game.result)


@server_case("blame.no-outcome", "REPLY-2")
async def no_outcome(context: ServerContext) -> None:
    """A reply that says nothing is no empty answer, and a failure without a code is none of gRPC's."""
    for code in (0, 17):
        played = await context.play(ordinary(OPEN, at(0, "TakeTurn", fail(code, "scripted failure"))))
        found = [each.call_error.reason for each in played.game.result.misconducts]
        same(f"The reason of a failure with the code {code}", [CallErrorReason.CALL_ERROR_REASON_UNPARSABLE], found)


LONGEST_KEY, LONGEST_VALUE = "k" * 64, "~ " * 128
FREE_METADATA: Sequence[Mapping[str, str]] = (
    {"nobody": "knows this key"},
    {f"{number:x}{LONGEST_KEY[1:]}": LONGEST_VALUE for number in range(16)},
    {"a_b.c-9": "", "bin": "", "grpc": "", "x-grpc-x": ""},
)
WRONG_METADATA: Sequence[Mapping[str, str]] = (
    {f"key-{number}": "" for number in range(17)},
    {"Key": ""},
    {f"{LONGEST_KEY}k": ""},
    {"": ""},
    {"grpc-key": ""},
    {"key-bin": ""},
    {"key": f"{LONGEST_VALUE}x"},
    {"key": "\N{LATIN SMALL LETTER E WITH ACUTE}"},
    {"key": "", "other": "\n"},
    {"a key": "", "key": ""},
)
"""What a reply must not say of itself."""


@server_case("blame.metadata", "META-3", "META-4")
async def metadata(context: ServerContext) -> None:
    """What a reply says of itself is read by nobody yet, but it has limits."""

    def say(seat: int, said: Mapping[str, str], failing: bool) -> Script:
        act = FAILED if failing else lambda asked: Act(Manner.REPLY, asked.sound)
        return at(seat, "TakeTurn", lambda asked: replace(act(asked), metadata=said))

    for failing in (False, True):
        free = (say(seat, said, failing) for seat, said in enumerate(FREE_METADATA))
        await _judged(context, ordinary(OPEN, any_of(*free)))
        kind = "failures" if failing else "responses"
        for one, other in zip(WRONG_METADATA[::2], WRONG_METADATA[1::2], strict=True):
            played = await context.play(ordinary(OPEN, any_of(say(0, one, failing), say(1, other, failing))))
            found = [CallErrorReason.Name(each.call_error.reason) for each in played.game.result.misconducts]
            title = f"The reasons of {kind} with the metadata {str(one)[:40]} and {str(other)[:40]}"
            same(title, ["CALL_ERROR_REASON_UNPARSABLE"] * 2, found)


@server_case("blame.unknown-value", "CALL-9")
async def unknown_value(context: ServerContext) -> None:
    """A value that the server does not know is no answer to its question."""
    await _judged(context, ordinary(HIDDEN, with_unknown_values(find(HIDDEN))))


BLAME = (
    *map(_rules_of, GAMES),
    *failures,
    each_status,
    too_large_reply,
    evidence,
    message,
    disconnected,
    ranking_without,
    winner_fails_win,
    no_outcome,
    metadata,
    unknown_value,
)


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
    return server_case(case_id, *checks, attempts=TIMED, mostly_waits=True)(limited)


BANK_S = 7.5
LONG_FIRST_S = 3.0
SHORT = control(SHORT_S, SHORT_S)
BOTH_LIMITS = control(SHORT_S, LONG_FIRST_S)

limits = (
    _limited(
        "time.decision",
        "A player that does not answer may not hold up the others for ever.",
        at(1, "TakeTurn", hang, 2),
        SHORT,
        "TIME-9",
        "FAIL-9",
    ),
    _limited(
        "time.notification",
        "A player that hangs when it is told something holds up the others as well.",
        at(0, "PlayWith", hang),
        control(notification_s=SHORT_S),
        "TIME-4",
        "TIME-9",
    ),
    _limited(
        "time.not-too-early",
        "A player may use its time: a reply within the limit counts.",
        at(0, "TakeTurn", slow(SHORT_S / 2), 2),
        SHORT,
        "TIME-8",
    ),
    _limited(
        "time.late-reply",
        "A reply after the limit does not count, however good it is.",
        at(0, "TakeTurn", slow(SHORT_S + 0.4, late=True), 2),
        SHORT,
        "TIME-9",
    ),
    _limited(
        "time.first-decision",
        "The first turn has a limit of its own: programs may have to warm up.",
        at(1, "TakeTurn", slow(2 * SHORT_S)),
        BOTH_LIMITS,
        "TIME-4",
        "FISH-4",
    ),
    _limited(
        "time.only-the-first",
        "The limit of the first turn is for the first turn alone.",
        at(1, "TakeTurn", slow(2 * SHORT_S, late=True), 2),
        BOTH_LIMITS,
        "TIME-4",
    ),
    _limited(
        "time.bank",
        "What a player has in its bank it may use for a long thought.",
        at(1, "TakeTurn", slow(2 * SHORT_S), 2),
        control(SHORT_S, SHORT_S, bank_s=4.0),
        "TIME-11",
    ),
    _limited(
        "time.bank-runs-out",
        "What was drawn from the bank is gone for the rest of the game.",
        any_of(at(1, "TakeTurn", slow(SHORT_S + 0.5)), at(1, "TakeTurn", slow(SHORT_S + 0.8, late=True), 2)),
        control(SHORT_S, SHORT_S, bank_s=0.9),
        "TIME-12",
    ),
)


@server_case("time.own-bank", "TIME-13", attempts=TIMED, mostly_waits=True)
async def own_bank(context: ServerContext) -> None:
    """What one player takes from its bank, the others still have in theirs."""
    limits = control(SHORT_S, SHORT_S, bank_s=0.9)
    thinks = slow(SHORT_S + 0.5)
    await _timed(context, any_of(at(0, "TakeTurn", thinks), at(1, "TakeTurn", thinks)), limits)


@server_case("time.told-bank", "META-1", "META-2")
async def told_bank(context: ServerContext) -> None:
    """A player that knows how much of its time is its bank can save it, however it is reached."""
    limits = control(bank_s=BANK_S)
    for served in (False, True):
        played = await context.play(replace(ordinary(OPEN, count=2), control=limits), served=served)
        decisions = {call.method.name for call in played.expected.calls if call.kind is not CallKind.NOTIFICATION}
        for each in played.cast.received:
            told = each.metadata.get("fairplay-bank-ms")
            same(f"The bank that {each.method} names", "7500" if each.method in decisions else None, told)


@server_case("time.bank-spent", "TIME-11", "TIME-12", "TIME-13", "META-2", attempts=TIMED, mostly_waits=True)
async def bank_spent(context: ServerContext) -> None:
    """What a decision took beyond its own limit is gone from the bank of its player, and nothing else."""
    for first_s in (SHORT_S, LONG_FIRST_S):
        played = await _timed(context, at(0, "TakeTurn", slow(2 * SHORT_S)), control(SHORT_S, first_s, bank_s=BANK_S))
        _check_banks(played.cast.received, first_s)


def _check_banks(received: Sequence[Received], first_s: float) -> None:
    """Check what each turn says of the bank; `first_s` is the limit of the first turn of each player."""
    most_s, least_s, own_s = [BANK_S] * len(NAMES), [BANK_S] * len(NAMES), [first_s] * len(NAMES)
    for index, each in enumerate(received):
        if each.method != "TakeTurn":
            continue
        limit_s, own_s[each.seat] = own_s[each.seat], SHORT_S
        left_s = int(each.metadata.get("fairplay-bank-ms", "0")) / 1000
        most, least = most_s[each.seat], least_s[each.seat]
        if not least - 0.01 <= left_s <= most + 0.01:
            raise failure(
                f"The bank of {NAMES[each.seat]} in call {index + 1} must be {least:.2f} to {most:.2f} s, "
                f"by what it took of it before; it is {left_s:.2f} s."
            )
        if abs(limit_s + left_s - each.limit_s) > 0.01:
            raise failure(
                f"The limit of call {index + 1} must be {limit_s + left_s:.2f} s, its own and the bank; "
                f"it is {each.limit_s:.2f} s."
            )
        took_s = each.act.wait_s if each.act is not None else 0.0
        until_s = received[index + 1].at_s if index + 1 < len(received) else each.at_s + took_s + AMPLE_S
        since_s = received[index - 1].at_s if index else each.at_s
        if took_s > limit_s:  # how much the server counts of it depends on whether it stood still meanwhile
            most_s[each.seat] -= (took_s - limit_s) / 4
        least_s[each.seat] -= max(0.0, until_s - since_s - limit_s)


@server_case("time.defaults", "TIME-4", "TIME-15", "TIME-17")
async def defaults(context: ServerContext) -> None:
    """Whoever plans one limit has planned all of them, and who plans none has those of the game."""
    usual = await _planned(context, {})
    for given in _limits_given(usual):
        found = await _planned(context, given)
        named = " and ".join(f"a {name} of {limit_s:g} s" for name, limit_s in given.items())
        for name, limit_s in {**usual, **_following(usual, given), **given}.items():
            same(f"The {name} of a plan with {named}, in seconds,", limit_s, found[name])


async def _planned(context: ServerContext, given: Mapping[str, float]) -> Mapping[str, float]:
    """Return the limits of a game whose plan gives these, in seconds. Check that its calls name them."""
    async with context.staged(ordinary(OPEN, count=2)) as stage:
        limits = stage.request.plan.time_control
        limits.Clear()
        for name, limit_s in given.items():
            getattr(limits, name).CopyFrom(span(limit_s))
        found = (await context.ask("PlayGame", stage.request)).game.plan.time_control
    missing = next((name for name in LIMITS if not found.HasField(name)), None)
    if missing is not None:
        raise failure(f"A plan must come back with all limits; it has no {missing}.")
    calls, told = expect(stage.scene, stage.request.game_id).calls, CallLimits.of(found)
    bank_s = found.bank.ToNanoseconds() / 1e9
    banks_s = [0.0 if call.kind is CallKind.NOTIFICATION else bank_s for call in calls]
    due_s = [told.limit_s(call) + own_s for call, own_s in zip(calls, banks_s, strict=True)]
    check_limits(due_s, stage.cast.received)
    return {name: getattr(found, name).ToNanoseconds() / 1e9 for name in (*LIMITS, "bank")}


def _limits_given(usual: Mapping[str, float]) -> Sequence[Mapping[str, float]]:
    """Return which limits plans give: each alone, and decisions longer and shorter than the game's first one."""
    longer_s, shorter_s = (usual["first_decision_limit"] * share for share in (2.0, 0.9))
    alone = [{name: longer_s} for name in (*LIMITS, "bank")]
    return [*alone, {"decision_limit": shorter_s}, {"decision_limit": longer_s, "notification_limit": shorter_s}]


def _following(usual: Mapping[str, float], given: Mapping[str, float]) -> Mapping[str, float]:
    """Return the limits that follow from a given decision_limit, in seconds."""
    if "decision_limit" not in given:
        return {}
    decision_s = given["decision_limit"]
    return {
        "notification_limit": decision_s,
        "first_decision_limit": max(decision_s, usual["first_decision_limit"]),
    }


@server_case("time.first-decision-of-q", "Q-5", attempts=TIMED, mostly_waits=True)
async def first_decision_of_q(context: ServerContext) -> None:
    """The first turn may take longer also where calls came before it."""
    script = at(0, "TakeTurn", slow(2 * SHORT_S))
    played = await _judged(context, replace(ordinary(HIDDEN, script, count=2), control=BOTH_LIMITS))
    check_ranking(played.expected.result, played.game.result)


@server_case("time.overrun", "FAIL-9", attempts=TIMED, mostly_waits=True)
async def overrun(context: ServerContext) -> None:
    """The misconduct says which limit was overrun and after how long the server gave up: not before, not much later."""
    for bank_s, served in itertools.product((0.0, SHORT_S), (False, True)):
        limits = control(SHORT_S, SHORT_S, bank_s=bank_s)
        scene = replace(ordinary(OPEN, at(1, "TakeTurn", hang)), control=limits)
        played = await _judged(context, scene, served=served)
        for misconduct in played.game.result.misconducts:
            _check_overrun(misconduct.overrun, SHORT_S + bank_s, "and the bank" if bank_s else "")


def _check_overrun(told: Overrun, due_s: float, beside: str) -> None:
    """Check what is said of a call that was not answered; `beside` says what belongs to its limit, too."""
    limit_s, elapsed_s = (each.ToNanoseconds() / 1e9 for each in (told.limit, told.elapsed))
    due = " ".join(filter(None, ("The limit", beside, f"was {due_s:g} s")))
    if abs(limit_s - due_s) > 0.001:
        raise failure(f"{due}; the misconduct says {limit_s:g} s.")
    if not told.HasField("elapsed"):
        raise failure("The misconduct of a player that is too late must say after what time it was given up.")
    if not due_s - 0.01 <= elapsed_s <= due_s + SLACK_S:
        raise failure(f"{due}; the call was given up after {elapsed_s:.2f} s.")


@server_case("time.cancelled", "LATE-1", attempts=TIMED, mostly_waits=True)
async def cancelled(context: ServerContext) -> None:
    """A player that is told that its time is over stops thinking in vain."""
    played = await context.play(replace(ordinary(OPEN, at(1, "TakeTurn", hang)), control=SHORT))
    [hung] = [each for each in played.cast.received if each.act is not None and each.act.manner.value == "hang"][:1]
    if hung.cancelled_after_s is None:
        raise failure("The call whose time was over was not cancelled.")


@server_case("time.others-unhurried", "TIME-10", attempts=TIMED, mostly_waits=True)
async def others_unhurried(context: ServerContext) -> None:
    """A player is not charged for the time that others took."""
    script = any_of(at(0, "TakeTurn", slow(SHORT_S / 2)), at(1, "TakeTurn", slow(SHORT_S / 2)))
    played = await _timed(
        context, any_of(script, at(2, "TakeTurn", slow(SHORT_S / 2))), control(SHORT_S, SHORT_S, AMPLE_S)
    )
    check_ranking(played.expected.result, played.game.result)


TIMING = (*limits, own_bank, told_bank, bank_spent, defaults, first_decision_of_q, overrun, cancelled, others_unhurried)


CASES = (*BLAME, *TIMING)

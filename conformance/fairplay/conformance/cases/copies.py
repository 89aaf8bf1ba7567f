"""Cases about programs that are started more than once, and about players that serve: who may call them, and how long.

Two processes are started, each to be reached in one way, and followed once: they say who they are, play alone and in
one game, refuse strangers, and wait for a new connection.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import NamedTuple, TypeAlias, TypeVar

import grpc

from fairplay.conformance import case_ids
from fairplay.conformance.blame.judge import ONLY, judge_condition, where
from fairplay.conformance.case import Case, Failure, NotApplicable, NotTested, case, failure
from fairplay.conformance.cases.memory import of_each_method, renamed
from fairplay.conformance.evidence import Evidence, hexadecimal, readable, sent
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.races import Rotation
from fairplay.conformance.games.trial import Entry, Exchange, Manner, Outgoing, Trial, play_trial
from fairplay.conformance.player.farewells import AT_ONCE, REFUSED_S, Ended, Farewells
from fairplay.conformance.player.loop import side_by_side
from fairplay.conformance.player.machine import is_busy, wait_until_quiet
from fairplay.conformance.player.player import Answered, Connection, parse_description
from fairplay.conformance.player.spares import SERVING, beside_another, digits, ports_of
from fairplay.conformance.player.transports import ExecTransport, GrpcTransport
from fairplay.games.conformance import Level
from fairplay.games.game import Game
from fairplay.games.kit.player_service import DESCRIBE, START
from fairplay.games.steps import CallKind, Method
from fairplay.games.steps import Failure as CallFailure
from fairplay.player.secrets import MAX_SECRET_CHARS, SECRET_KEY
from fairplay.server.links.dial_out import TIMEOUT_KEY
from fairplay.server.links.link import NO_EXTRA
from fairplay.server.links.programs import USUAL, Start
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import DescribeRequest, PlayerDescription, StartRequest

DECISIONS, FEW_DECISIONS = 8, 3
"""The player decides so often in each game; the second number is for players that are slow, and after other questions.
"""
DENIALS = (grpc.StatusCode.UNAUTHENTICATED.value[0], grpc.StatusCode.PERMISSION_DENIED.value[0])
"""The statuses of calls that are refused because of who makes them."""
NEW_CONNECTIONS = 40
"""So many are made to a program that serves, one after the other: each server, and each tournament, makes one."""
IDLE_S = 1.5
"""How long nobody is connected to a player that serves. One that is started here waits while other cases are judged."""
FEW_ATTEMPTS = 3
"""So many ways to show no secret, or another one, are tried in a game that has begun with the right one."""
Result = TypeVar("Result")
Idle: TypeAlias = "asyncio.Task[bytes | CallFailure]"
"""The answer of a player to Describe, after a while in which nobody was connected to it."""


class Strangers(NamedTuple):
    """How a player that serves takes calls that do not show its secret."""

    knows: bool
    """Whether it has refused any of them for what it shows: who does knows that it has a secret."""
    problem: Evidence | None
    """The first call that was not refused as it should be."""
    after: Trial | None = None
    """A game after these calls, with its secret; None if there was a problem."""


class Copies(NamedTuple):
    """What was seen of two processes of a program at once, each of which was offered one way of being reached."""

    said: Mapping[str, bytes | CallFailure]
    """Way in which one came up -> what it answered to its first Describe."""
    trials: Mapping[str, Trial]
    """Way -> the most ordinary game, if the program came up in both."""
    together: Sequence[Trial]
    """A game as two copies see it that sit in it; none if only one came up, or the machine was too busy for it."""
    strangers: Strangers | None
    """None: no process serves."""
    idle: Idle | None
    """None: no process serves."""
    foreign: Trial | None
    """A game of one that serves, whose calls another library makes; None: no process serves."""
    served: Connection | None
    beside: bytes | CallFailure | None
    """The answer to Describe on a connection beside others that stay open; None: no process serves."""

    missing: Evidence | None
    """What became of a copy that does not come up where another one is started at the same time; None: they come up."""
    in_one_network: Sequence[Start]
    """How to start one in the network of another one, where that could be in its way."""


def copies_of(context: Context) -> Copies:
    """Return what was seen of copies of the player, followed once. Raises NotApplicable if it is not started here."""
    if not isinstance(context.player.transport, ExecTransport):
        raise NotApplicable("only a player that is started here can be started more than once")
    return context.once("copies", lambda: _follow(context))


def begin_copies(context: Context) -> None:
    """Start the copies, once, and return without waiting for them."""
    context.once("copies begun", context.player.begin_ways)


def _follow(context: Context) -> Copies:
    connections = list((opened := context.player.open_ways()).values())
    strangers, idle, beside, foreign, served = None, None, None, None, opened.get(SERVING)
    try:
        if served is not None and not served.lost:
            strangers = _describe_as_stranger(context, served)
        offered = {way: each for way, each in opened.items() if not each.lost}
        said = {way: context.ask(DESCRIBE, DescribeRequest(), each)[0] for way, each in offered.items()}
        both = offered if len(offered) > 1 else {}
        trials = {way: context.play(context.first_scenario(), each) for way, each in both.items()}
        copies, missing = ([], None) if both else _open_two(context)
        connections += copies
        alive = [each for each in connections if not each.lost]
        together = _play_together(context, alive[-2:]) if len(alive) > 1 else ()
        in_one_network = _starts_beside(context, alive) if together else ()
        if served is not None and strangers is not None and not served.lost:
            strangers = ask_as_strangers(context, served, strangers)
            beside = None if served.lost else _ask_beside(context, served)
            foreign = None if served.lost else play_as_foreigner(context, served)
            if not served.lost:
                idle = _leave_alone(context, served)
                connections.remove(served)
        for each in [each for each in connections if not each.lost and each.hello is not None]:
            context.player.part_with(each)
            connections.remove(each)
    finally:
        for each in connections:
            context.player.loop.run(each.close())
    return Copies(said, trials, together, strangers, idle, foreign, served, beside, missing, in_one_network)


# --- both ways of being reached ---


@case(case_ids.BOTH_WAYS, "PROG-3", prepare=begin_copies)
def both_ways_agree(context: Context) -> None:
    """The server decides nothing for the player, so either way must do."""
    if not isinstance(context.player.transport, ExecTransport):
        raise NotApplicable("only a player that is started here can choose between the ways")
    copies = copies_of(context)
    if not copies.said:
        raise NotApplicable("the player comes up only where it is offered both ways")
    if len(copies.said) == 1:
        raise NotApplicable(f"the player supports only {next(iter(copies.said))}")
    descriptions: list[PlayerDescription] = []
    for way, outcome in copies.said.items():
        if (said := parse_description(outcome)) is None:
            shown = hexadecimal(outcome) if isinstance(outcome, bytes) else readable(outcome)
            raise failure(f"{ONLY[way]}: Describe has no readable answer.", ("Answer", shown))
        descriptions.append(said)
    for way, found in copies.trials.items():
        with where(ONLY[way]):
            judge_condition(context, found)
    if descriptions[0] != descriptions[1]:
        sections = [(f"When {way}", readable(said)) for way, said in zip(copies.said, descriptions, strict=True)]
        raise failure("The player says different things about itself when serving and when dialling in.", *sections)


# --- two copies in one game ---


def _play_together(context: Context, connections: Sequence[Connection]) -> Sequence[Trial]:
    """Return a game as each of two copies sees it, whose calls come by turns.

    None where one of them was late on a machine that is busy with other work.
    """
    one, other = connections[:2]
    count = context.game.seats.start
    turn_count = FEW_DECISIONS if context.is_slow else DECISIONS

    async def play(game_id: str) -> Sequence[Trial]:
        rotation = Rotation([1, 1])

        async def play_as(place: int, seat: int, connection: Connection) -> Trial:
            scenario, turn = context.scenario(seat, count, turn_count), partial(rotation.turn, place)
            try:
                return await play_trial(context.game, connection, scenario, context.limits, game_id, turn=turn)
            finally:
                rotation.leave(place)

        return await side_by_side([play_as(0, 0, one), play_as(1, count - 1, other)])

    entry = Entry(lambda _: context.player.loop.run(play(context.new_id())), "a game of two copies of the player")
    for _ in range(2):
        found = context.record(one, entry)
        if not any(each.is_late for each in found):
            return found
    return () if is_busy() else found


AGAIN, QUIET_S = 6, 5.0
"""How often a player is started again that has not come up once; the longest wait for less load before each start."""
STARTS = 2
"""So often two copies are started at once of which one does not come up: that may be bad luck once."""


def _open_two(context: Context) -> tuple[list[Connection], Evidence | None]:
    """Start two copies at once, and return them; if not both come up, each time, return what is wrong with that.

    The time in which a program waits for a processor of a busy machine does not count.
    """
    for _ in range(STARTS):
        both = context.player.open_copies(2)
        lost = [each for each in both if each.lost]
        if not lost:
            return both, None
        why = context.player.excuse(lost[0])
        for each in both:
            context.player.loop.run(each.close())
    if len(lost) == 1:
        sentence = "Of two copies that are started at once one does not come up, and the other does"
    elif is_busy() or not context.player.comes_up():
        return [], None
    else:
        sentence = "No copy comes up where others are or were before, with the same folder for temporary files"
    return [], failure(f"{sentence}: {why}").evidence


def _starts_beside(context: Context, copies: Sequence[Connection]) -> Sequence[Start]:
    """Return how to start the player in the network of another copy: once for each port that all of them had to have.

    In sandboxes each has a network of its own, and does not find such a port taken that nobody has told it.
    """
    transport = context.player.transport
    assert isinstance(transport, ExecTransport)
    found = [ports_of(each.process) for each in copies if each.process is not None and transport.server.has_sandbox]
    ports = set[str]().union(*found).intersection(*found) - set(map(digits, USUAL.ports))
    return [USUAL._replace(before=beside_another(port)) for port in sorted(ports)]


def _check_told(context: Context, others: Sequence[Start]) -> None:
    """Raise Failure if the player does not come up and answer, twice, where it is started in an unusual way."""
    transport = context.player.transport
    assert isinstance(transport, ExecTransport)
    for unusual in (*transport.unreached, *transport.untried, *others):
        for told, is_missing in ((unusual, True), (USUAL, False), (unusual, True)):
            [copy] = context.player.open_copies(1, told)
            outcome, _ = context.ask(DESCRIBE, DescribeRequest(), copy)
            context.player.loop.run(copy.close())
            if isinstance(outcome, bytes) is is_missing:
                break
        else:
            does = "come up" if copy.lost else "answer Describe"
            output = outcome.output if isinstance(outcome, CallError) else ""
            sentence = (
                f"The player does not {does} where {transport.text(unusual)}; it does where {transport.text(USUAL)}."
            )
            raise failure(sentence, ("Output of the player", output))


def _check_starts(context: Context) -> None:
    """Start a player again that has not come up once. Raises Failure if one of several more starts fails, too."""
    transport = context.player.transport
    assert isinstance(transport, ExecTransport)
    for number in range(1, AGAIN + 1 if transport.missed_starts else 0):
        wait_until_quiet(QUIET_S)
        [copy] = context.player.open_copies(1)
        context.player.loop.run(copy.close())
        if copy.lost and not is_busy():
            missed = f"not in {transport.missed_starts} starts of this run, and not in start {number} of {AGAIN} more"
            raise failure(f"The player does not come up each time: {missed}: {context.player.excuse(copy)}")


@case(case_ids.COPIES, "PROG-4", "REACH-4", "CALL-14", prepare=begin_copies)
def copies_at_once(context: Context) -> str | None:
    """Whoever enters a program twice has two copies of it in one game, which see each other's files."""
    copies = copies_of(context)
    _check_told(context, copies.in_one_network)
    _check_starts(context)
    if copies.missing is not None:
        raise Failure(copies.missing)
    for found in copies.together:
        with where("With another copy of the program in the same game, and one folder for temporary files"):
            judge_condition(context, found)
    return None if copies.together else "no two copies of it could be asked in one game"


# --- calls without the secret ---


class Attempt(NamedTuple):
    """What a stranger shows in the place of a secret."""

    what: str
    """How evidence calls it."""
    values: Sequence[str]
    """The values of the metadata, at most two."""


def _attempts(secret: str) -> Iterator[Attempt]:
    """Yield what strangers show in the place of a secret."""
    yield Attempt("without its secret", ())
    yield Attempt("with an empty secret", ("",))
    yield Attempt("with another secret", (secrets.token_hex(MAX_SECRET_CHARS // 2)[: max(len(secret), 2)],))
    for place, where_other in ((0, "begins"), (len(secret) // 2, "is in the middle"), (len(secret) - 1, "ends")):
        other = "0" if secret[place] != "0" else "1"
        yield Attempt(f"with a secret that {where_other} otherwise", (f"{secret[:place]}{other}{secret[place + 1 :]}",))
    if len(secret) > 1:
        yield Attempt("with the first character of its secret", (secret[:1],))
        yield Attempt("with all but the last character of its secret", (secret[:-1],))
        yield Attempt("with all but the first character of its secret", (secret[1:],))
        yield Attempt("with its secret in two parts", (secret[:-1], secret[-1:]))
    if len(secret) < MAX_SECRET_CHARS:
        yield Attempt("with its secret and more behind it", (f"{secret}0",))
        yield Attempt("with its secret and more before it", (f"0{secret}",))
    if secret[::-1] != secret:
        yield Attempt("with the characters of its secret in another order", (secret[::-1],))
    if secret.swapcase() != secret:
        yield Attempt("with its secret in other letters", (secret.swapcase(),))


def _describe_as_stranger(context: Context, connection: Connection) -> Strangers:
    """Ask a player that serves for its description as strangers would, before any call shows its secret."""
    return _call_as_stranger(context, connection, [_without_content(DESCRIBE)])


def ask_as_strangers(context: Context, connection: Connection, before: Strangers) -> Strangers:
    """Make calls of all methods to a player that serves, without its secret and with others; then play a game.

    `before`: how it took such calls when it had got none with its secret.
    """
    found = _call_as_stranger(context, connection, _calls(context), before)
    if found.problem is not None or connection.lost:
        return found
    known_id = context.new_id()
    context.ask(START, StartRequest(tournament_id=known_id), connection)
    context.play_as(context.first_scenario(1), connection, known_id)
    found = _call_as_stranger(context, connection, _calls(context), found, known_id)
    if found.problem is not None:
        return found
    return found._replace(after=context.play(context.first_scenario(FEW_DECISIONS), connection))


def _call_as_stranger(
    context: Context,
    connection: Connection,
    calls: Sequence[Exchange],
    before: Strangers | None = None,
    known_id: str = "",
) -> Strangers:
    """Make calls as strangers would, as long as they tell something new, and return what is known by then.

    `known_id` is that of a game and a tournament that have begun with the secret; empty: each call has a new id.
    """
    where_known = " of a game or tournament that has begun with its secret" if known_id else ""
    limit_s = max(context.limits.notification_s, context.limits.first_decision_s)
    knows, problem = (before.knows, before.problem) if before is not None else (False, None)

    async def call(reached: Connection, each: Exchange, attempt: Attempt) -> None:
        nonlocal knows, problem
        request = renamed(each, known_id or context.new_id()).request
        extra = {SECRET_KEY: attempt.values[0]} if attempt.values else NO_EXTRA
        outcome, _ = await reached.ask(each.method, request, limit_s, extra=extra)
        if isinstance(outcome, Overrun):  # the machine may have been slow once
            outcome, _ = await reached.ask(each.method, request, limit_s, extra=extra)
        knows = knows or _refuses(context, each, outcome)
        if problem is None and (wrong := _problem(outcome)):
            sections = ("Call", each.method.path), ("Request", sent(each.method.request, request))
            sentence = f"A call of {each.method.name}{where_known} {attempt.what} {wrong}."
            problem = failure(sentence, *sections).evidence

    async def call_all(reached: Connection) -> Sequence[Trial]:
        link = reached.served
        assert link is not None
        right = link.secret
        try:
            for attempt in islice(_attempts(right), FEW_ATTEMPTS if known_id else None):
                link.secret = "".join(attempt.values[1:])
                for each in calls:
                    if (knows and problem is not None) or reached.lost:
                        return ()
                    await call(reached, each, attempt)
                if before is not None and not knows:  # it looks at no secret, whatever it is shown
                    return ()
        finally:
            link.secret = right
        return ()

    entry = Entry(lambda reached: context.player.loop.run(call_all(reached)), "calls without the secret of the player")
    context.record(connection, entry)
    return Strangers(knows, problem)


def _refuses(context: Context, exchange: Exchange, outcome: bytes | CallFailure) -> bool:
    """Return whether the player has refused a stranger's call because it has a secret."""
    if not isinstance(outcome, CallError) or not outcome.status_code:
        return False
    is_otherwise_answered = exchange.method is DESCRIBE and isinstance(context.player.described, bytes)
    return is_otherwise_answered or outcome.status_code in DENIALS


def _calls(context: Context) -> Sequence[Exchange]:
    """Return a call of every method; one that does not come in an ordinary game has an empty request."""
    found = list(of_each_method(context))
    missing = {method.path: method for method in context.game.methods}
    for each in found:
        missing.pop(each.method.path, None)
    return [*found, *map(_without_content, missing.values())]


def _without_content(method: Method) -> Exchange:
    """Return a call whose request is empty."""
    return Exchange(method, b"", CallKind.NOTIFICATION, 0.0, 0.0, method.response())


def _problem(outcome: bytes | CallFailure) -> str:
    """Return what is wrong with the answer to a stranger's call; empty if it was refused as it should be."""
    due = "in place of being refused with UNAUTHENTICATED"
    if isinstance(outcome, bytes):
        return f"was answered, {due}"
    if isinstance(outcome, CallError):
        if outcome.status_code == grpc.StatusCode.UNAUTHENTICATED.value[0]:
            return ""
        named = next((code.name for code in grpc.StatusCode if code.value[0] == outcome.status_code), "another status")
        return f"failed with {named}, {due}: {outcome.message or readable(outcome)}"
    return f"was not answered in time, {due}"


@case(case_ids.SECRET, "SERVE-7", prepare=begin_copies)
def secret(context: Context) -> None:
    """Who finds the address of a player can ask it what it would do, and play in its name, unless it wants a secret."""
    transport = context.player.transport
    if isinstance(transport, GrpcTransport) and transport.secret:
        with context.player.separate() as connection:
            strangers = ask_as_strangers(context, connection, Strangers(knows=True, problem=None))
    else:
        if not isinstance(transport, ExecTransport):
            raise NotApplicable("only a player that serves is asked, whose secret was given: in FAIRPLAY_SECRET")
        strangers = _strangers_of_copies(context)
        if not strangers.knows:
            raise NotApplicable("the player answers calls that do not show its secret: it has none")
    if strangers.problem is not None:
        raise Failure(strangers.problem)
    if strangers.after is not None:
        with where("After calls without its secret, which it has refused"):
            judge_condition(context, strangers.after)


@case(case_ids.STARTED_SECRET, "PROG-13", level=Level.SHOULD, prepare=begin_copies)
def started_secret(context: Context) -> None:
    """Other programs on the machine can call one that was started here, unless it wants the secret of its start."""
    strangers = _strangers_of_copies(context)
    if strangers.problem is not None and not strangers.knows:  # what else is wrong with them belongs to the case above
        raise Failure(strangers.problem)


def _strangers_of_copies(context: Context) -> Strangers:
    """Return how a program that serves takes strangers. Raises NotApplicable if it does not, or is not started here."""
    strangers = copies_of(context).strangers
    if strangers is None:
        raise NotApplicable("only a program that serves can be called by others")
    return strangers


# --- callers that others have written ---

AGENTS: Sequence[Mapping[str, str]] = ({}, {"user-agent": "grpc-go/1.76.0"})
"""The headers, by turns, in which a caller says what has written it: none have to be there."""


def play_as_foreigner(context: Context, connection: Connection) -> Trial | None:
    """Return a game whose calls another library makes than grpcio; None if the player does not serve without TLS."""
    if connection.served is None or not connection.served.target:
        return None
    from fairplay.conformance.player import http2

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        link, began_s = reached.served, time.monotonic()
        assert link is not None
        headers = {**AGENTS[due.number % len(AGENTS)], TIMEOUT_KEY: link.write_limit(due.limit_s)}
        if link.secret:
            headers[SECRET_KEY] = link.secret
        outcome = await http2.call(link.target, due.call.method.path, due.request, headers, due.limit_s)
        return outcome, time.monotonic() - began_s

    return context.play(context.first_scenario(FEW_DECISIONS), connection, Manner(ask=ask))


# --- connections beside others, and after them ---


def _ask_beside(context: Context, served: Connection) -> bytes | CallFailure:
    """Call Describe on new connections to a program that serves, one after the other, beside one that is open.

    Return the first failure, a late answer only if the next one is late as well, or the last answer.
    """
    for _ in range(NEW_CONNECTIONS):
        for _ in range(2):
            other = context.player.open_second(served)
            try:
                outcome, _elapsed_s = context.ask(DESCRIBE, DescribeRequest(), other)
            finally:
                context.player.loop.run(other.close())
            if not isinstance(outcome, Overrun):
                break
        if not isinstance(outcome, bytes):
            break
    return outcome


def _leave_alone(context: Context, connection: Connection) -> Idle:
    """Hang up on a program that serves, and call it again after a while; return without waiting for that."""
    link = connection.served
    assert link is not None
    limit_s = context.limits.notification_s + context.limits.first_decision_s

    async def call_later() -> bytes | CallFailure:
        try:
            await link.hang_up(IDLE_S)
            outcome, _ = await connection.ask(DESCRIBE, DescribeRequest().SerializeToString(), limit_s)
            return outcome
        finally:
            await connection.close()

    async def begin() -> Idle:
        return asyncio.ensure_future(call_later())

    return context.player.loop.run(begin())


@case(case_ids.SERVES_ON, "SERVE-4", "TIME-5", prepare=begin_copies)
def serves_on(context: Context) -> None:
    """Between two tournaments nobody is connected to a player, and the next server connects anew, or one beside it."""
    player = context.player
    player.connection()
    if isinstance(player.transport, GrpcTransport):
        player.renew()
        player.loop.run(asyncio.sleep(IDLE_S))
        with suppress(NotTested), player.fresh() as connection:
            context.ask(DESCRIBE, DescribeRequest(), connection)
        if player.unreachable:
            raise _ended(player.unreachable, player.last_output)
        return
    copies = copies_of(context)
    if copies.idle is None or copies.served is None:
        raise NotApplicable("only a player that serves is asked")
    if copies.beside is not None and not isinstance(copies.beside, bytes):
        sections = ("Answer", readable(copies.beside)), ("Output of the player", copies.served.output)
        others = f"each of {NEW_CONNECTIONS} others, one after the other"
        sentence = f"While a connection to it is open, the player does not answer Describe on {others}."
        raise failure(sentence, *sections)
    outcome = player.loop.run(_outcome(copies.idle))
    if not isinstance(outcome, bytes):
        reason = outcome.message if isinstance(outcome, CallError) else "Describe was not answered in time"
        raise _ended(reason, copies.served.output)


async def _outcome(task: asyncio.Task[Result]) -> Result:
    return await task


# --- whose hello is refused ---


def _farewells_of(context: Context) -> Farewells:
    """Return what players do whose hellos are refused. Raises NotApplicable if it is not started, or does not dial in.

    Processes that other cases needed no more have been asked; others are started for what is left.
    """
    copies_of(context)
    player, farewells = context.player, context.player.farewells
    while not farewells.is_over:
        player.loop.run(farewells.wait(AT_ONCE - 1))
        if farewells.is_over:
            break
        connection = player.open()
        dials_in = connection.hello is not None
        player.part_with(connection)
        if not dials_in:
            break
    player.loop.run(farewells.wait())
    if not (farewells.final or farewells.passing):
        raise NotApplicable("only a player that is started here, and dials in again by itself, is refused")
    return farewells


@case(case_ids.REFUSED, "BYE-7", prepare=begin_copies)
def refused(context: Context) -> None:
    """Who asks for ever for a name that another program has fills the log of a server, and keeps its author waiting."""
    if copies_of(context) and context.player.connection().hello is not None:
        _refuse_first(context)
    for found in _farewells_of(context).final:
        if found.came_back:
            sentence = f"The player sent its hello again after it was refused for good, with {found.ending}."
            raise failure(sentence, ("Output", found.output))


def _refuse_first(context: Context) -> None:
    """Raise Failure if a new process sends its first hello again that is refused for good."""
    transport, ending = context.player.transport, context.player.farewells.choose_first()
    assert isinstance(transport, ExecTransport)
    if not context.player.loop.run(transport.is_refused_once(Ended(ending), REFUSED_S)):
        raise failure(f"The player sent the first hello after its start again when it was refused with {ending}.")


@case(case_ids.RETURNS, "BYE-8", level=Level.SHOULD, prepare=begin_copies)
def returns(context: Context) -> None:
    """A server that is full, or away for a moment, is there again soon, and libraries make statuses of their own."""
    for found in _farewells_of(context).passing:
        if not found.came_back:
            sentence = (
                f"The player did not dial in again after its hello was refused with {found.ending}, which passes."
            )
            raise failure(sentence, ("Output", found.output))


def _ended(reason: str, output: str) -> Failure:
    sections = [("Output of the player", output)] if output else []
    return failure(
        f"The player cannot be called {IDLE_S:g} s after the last connection to it has ended: {reason}", *sections
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module that are not asked for later."""
    return (both_ways_agree, secret, copies_at_once)

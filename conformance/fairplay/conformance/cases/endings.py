"""Cases about the beginning and the end of games and tournaments: whatever it is, and however often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias

from google.protobuf.message import DecodeError, Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import judge, judge_after_others, where
from fairplay.conformance.case import Case, Failure, NotTested, SuiteError, case, failure
from fairplay.conformance.cases.identity import Notification, notify, tournament_of
from fairplay.conformance.evidence import hexadecimal, readable
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.endings import Ending, find_endings, tells_the_end
from fairplay.conformance.games.guises import each_value, tournament_id_in
from fairplay.conformance.games.trial import Manner, Outgoing, Scenario
from fairplay.conformance.player.player import Answered, Connection
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import Method
from fairplay.server.game.plans import seconds
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import EndRequest, StartRequest

DECISIONS, FEW_DECISIONS, DECISIONS_BESIDE = 3, 1, 6
"""The player decides so often in each game; the second number is for players that are slow, the third for a game beside
which tournaments are played.
"""
TOURNAMENT_GAMES = 2
Problem: TypeAlias = Failure | NotTested | None
"""What goes wrong with notifications, or None."""


@case(case_ids.TOURNAMENT, "TOUR-3")
def tournament(context: Context) -> None:
    """A player that fails in Start or End is out of the tournament, even if it has won it."""
    with context.player.fresh() as connection:
        problem = _whole_tournament(context, connection, won=True)
    if problem is not None:
        raise problem
    played = tournament_of(context)
    if played.end is not None and (problem := _problem(played.end)) is not None:
        with where(f"After the {len(played.trials)} games of a tournament"):
            raise problem


def _whole_tournament(context: Context, connection: Connection, *, won: bool) -> Problem:
    name = context.new_tournament_id()
    start, end = StartRequest(tournament_id=name), EndRequest(tournament_id=name, won=won)
    problem = _notify(context, connection, START, start)
    turn_count = FEW_DECISIONS if context.is_slow else DECISIONS
    for scenario in context.beginnings(TOURNAMENT_GAMES, turn_count) if problem is None else ():
        found = context.play(scenario, connection)
        judge_after_others(context, found)
    return problem or _notify(context, connection, END, end)


def _notify(context: Context, connection: Connection, method: Method, request: Message) -> Problem:
    """Notify the player, and return what goes wrong with it, or None."""
    return _problem(notify(context, connection, method, request))


def _problem(found: Notification) -> Problem:
    """Return what is wrong with what came of a notification, or None."""
    method, outcome = found.method, found.outcome
    if isinstance(outcome, CallError) and outcome.status_code == faults.UNIMPLEMENTED:
        missing = failure(f"The player does not implement {method.path.removeprefix('/')}.").evidence
        return NotTested(f"the player has no method {method.name}", missing, case_ids.EVERY_METHOD)
    shown = (
        ("Request", readable(found.request)),
        ("Time", f"{found.elapsed_s:.3f} s"),
        ("Output of the player", found.output),
    )
    if isinstance(outcome, Overrun):
        return failure(f"{method.name} did not return within {seconds(outcome.limit):g} s.", *shown)
    if isinstance(outcome, CallError):
        return failure(f"{method.name} failed: {outcome.message}", *shown)
    try:
        method.response.FromString(outcome)
    except DecodeError:
        return failure(f"The reply to {method.name} is unreadable.", *shown, ("Reply", hexadecimal(outcome)))
    return None


@case(
    "endings.win-and-lose",
    "TOUR-3",
)
def win_and_lose(context: Context) -> None:
    """Players are often tried in tournaments that they win, and fail when they lose, or the other way round."""
    with context.player.separate() as connection:
        problem = _whole_tournament(context, connection, won=True)
        if isinstance(problem, Failure | NotTested):
            raise NotTested("a tournament cannot be played with this player", problem.evidence, case_ids.TOURNAMENT)
        for won in (False, True, False):
            problem = _whole_tournament(context, connection, won=won)
            if problem is not None:
                raise problem


@case(case_ids.UNUSUAL_TOURNAMENTS, "TOUR-3", "RESUME-9", "FAIL-2")
def unusual_tournaments(context: Context) -> None:
    """The organiser chooses the ids of tournaments, plays several at a time, and programs are started anew in them."""
    for what, notify_some in _unusual(context):
        with context.player.separate() as connection, where(what):
            problem = notify_some(connection)
        if problem is None:
            continue
        with context.player.fresh() as connection:
            usual = _whole_tournament(context, connection, won=True)
            usual = usual or _whole_tournament(context, connection, won=False)
        if usual is not None:
            raise NotTested("no tournament can be played with this player", usual.evidence, case_ids.WIN_AND_LOSE)
        with context.player.fresh() as connection, where(what):
            again = notify_some(connection)
            if isinstance(again, Failure):
                raise again


def _unusual(context: Context) -> Iterator[tuple[str, Callable[[Connection], Problem]]]:
    """Yield what is unusual about calls of tournaments, and a function that makes them and returns what goes wrong."""
    for what, calls in _unusual_calls(context):
        yield what, partial(_notify_all, context, calls=calls)
    yield "Where tournaments begin and end while a call of a game is open", partial(_notify_beside, context)


def _unusual_calls(context: Context) -> Iterator[tuple[str, Sequence[tuple[Method, Message]]]]:
    """Yield what is unusual about calls of tournaments, and these calls."""
    one, other, third = (context.new_tournament_id() for _ in range(3))
    end = END, EndRequest(tournament_id=one, won=True)
    yield (
        "In two tournaments at a time",
        [
            (START, StartRequest(tournament_id=one)),
            (START, StartRequest(tournament_id=other)),
            end,
            (END, EndRequest(tournament_id=other)),
        ],
    )
    yield "In a process that has seen no Start of the tournament", [end]
    again, over_again = StartRequest(tournament_id=third), EndRequest(tournament_id=third)
    yield "Where a server that was started again calls Start again", [(START, again), (START, again)]
    yield (
        "Where a server that was started again calls End again",
        [(START, again), (END, over_again), (END, over_again)],
    )
    for guise in each_value(case_ids.UNUSUAL_IDS):
        name = tournament_id_in(guise, context.game)
        start, over = StartRequest(tournament_id=name), EndRequest(tournament_id=name, won=True)
        yield f"In a tournament whose id is {name}", [(START, start), (END, over)]


def _notify_all(context: Context, connection: Connection, calls: Sequence[tuple[Method, Message]]) -> Problem:
    """Notify the player one time after the other, and return the first thing that goes wrong, or None."""
    for method, request in calls:
        problem = _notify(context, connection, method, request)
        if problem is not None:
            return problem
    return None


def _notify_beside(context: Context, connection: Connection) -> Problem:
    """Begin and end tournaments by turns beside the calls of a game, before them and behind; return what goes wrong.

    Who takes one call at a time answers each when it has answered the other. The game is judged, too.
    """
    said, limit_s = list[Notification](), context.limits.notification_s + context.limits.first_decision_s
    due_calls = _tournaments(context)

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        method, request = next(due_calls)
        calls = [(due.call.method, due.request, due.limit_s), (method, request.SerializeToString(), limit_s)]
        order = slice(None, None, 1 if due.number % 4 < 2 else -1)
        answered, notified = (await asyncio.gather(*(reached.ask(*each) for each in calls[order])))[order]
        said.append(Notification(method, request, *notified, reached.output))
        return answered

    found = context.play(context.first_scenario(DECISIONS_BESIDE), connection, Manner(ask=ask))
    for problem in map(_problem, said):
        if problem is not None:
            return problem
    judge_after_others(context, found)
    return None


def _tournaments(context: Context) -> Iterator[tuple[Method, Message]]:
    """Yield the calls of tournaments that are over at once: Start and End by turns."""
    while True:
        name = context.new_tournament_id()
        yield START, StartRequest(tournament_id=name)
        yield END, EndRequest(tournament_id=name)


GAMES = 2
"""A player hears of each end so often in a row, before it plays on."""


@case("endings.game-won", "CALL-15")
def game_won(context: Context) -> None:
    """Players often keep a count of games won, or begin the next game there."""
    with context.shared() as connection:
        _hear(context, connection, _foreseen(context, Ending.WON))


@case("endings.game-lost", "CALL-15")
def game_lost(context: Context) -> None:
    """Players are often tried against weak rivals, and fail when they are first told that they have lost."""
    if context.ordinary.has_races:
        judge(context, context.outrun_game())
    with context.shared() as connection:
        _hear(context, connection, _foreseen(context, Ending.LOST))


@case("endings.game-tied", "CALL-15")
def game_tied(context: Context) -> None:
    """Nobody may have won, or several: players that look for the one winner find none, or the wrong one."""
    with context.shared() as connection:
        rng = context.rng(Ending.TIED)
        tied = [
            Scenario(f"{Ending.TIED}-{index}", make(rng), rng.getrandbits(32), rivals_wait=False)
            for index, make in enumerate([*find_conformance(context.game.name).tied_endings] * GAMES)
        ]
        _hear(context, connection, tied)


def _foreseen(context: Context, ending: Ending) -> list[Scenario]:
    """Return some games with this end. Raises SuiteError if there are too few."""
    found = list(islice(find_endings(context.game, context.settings, ending, context.rng("endings")), GAMES))
    if len(found) < GAMES:
        raise SuiteError(f"too few games of reference players end so that another one has {ending}: {len(found)}")
    return found


def _hear(context: Context, connection: Connection, scenarios: Sequence[Scenario]) -> None:
    """Play games to their end, and the beginning of another one; judge each."""
    for scenario in (*scenarios, context.first_scenario(DECISIONS)):
        judge(context, context.play(scenario, connection))


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module; some games do not tell their players how they end."""
    told = [game_won, game_lost] if any(map(tells_the_end, game.methods)) else []
    tied = [game_tied] if told and find_conformance(game.name).tied_endings else []
    return [tournament, win_and_lose, unusual_tournaments, *told, *tied]

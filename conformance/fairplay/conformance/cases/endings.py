"""Cases about the beginning and the end of games and tournaments."""

from __future__ import annotations

from collections.abc import Sequence

from google.protobuf.message import DecodeError, Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.case import Case, Failure, NotTested, case, failure
from fairplay.conformance.evidence import hexadecimal, readable
from fairplay.conformance.games.context import Context
from fairplay.conformance.player.connection import Connection
from fairplay.games.game import Game
from fairplay.games.kit.player_service import END, START
from fairplay.games.steps import Method
from fairplay.server.game.plans import seconds
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import EndRequest, StartRequest

DECISIONS = 3
GAMES = 2


@case(case_ids.TOURNAMENT, "Start comes before the first game of a tournament, End after the last one.")
def tournament(context: Context) -> None:
    """A player that fails in Start or End is out of the tournament, even if it has won it."""
    with context.player.fresh() as connection:
        problem = _whole_tournament(context, connection, won=True)
    if problem is not None:
        raise problem


def _whole_tournament(context: Context, connection: Connection, *, won: bool) -> Failure | NotTested | None:
    name = context.new_tournament_id()
    start, end = StartRequest(tournament_id=name), EndRequest(tournament_id=name, won=won)
    problem = _notify(context, connection, START, start)
    for scenario in context.beginnings(GAMES, DECISIONS) if problem is None else ():
        found = context.play(scenario, connection)
        context.judge_condition(found, (case_ids.BACK_TO_BACK, context.sequence))
    return problem or _notify(context, connection, END, end)


def _notify(context: Context, connection: Connection, method: Method, request: Message) -> Failure | NotTested | None:
    """Notify the player, and return what goes wrong with it, or None."""
    outcome, elapsed_s = context.ask(method, request, connection)
    if isinstance(outcome, CallError) and outcome.status_code == faults.UNIMPLEMENTED:
        missing = failure(f"The player does not implement {method.path.removeprefix('/')}.").evidence
        return NotTested(f"the player has no method {method.name}", missing, case_ids.EVERY_METHOD)
    shown = (
        ("Request", readable(request)),
        ("Time", f"{elapsed_s:.3f} s"),
        ("Output of the player", connection.output),
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
    "End tells every player that is still in whether it has won the tournament.",
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


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (tournament, win_and_lose)

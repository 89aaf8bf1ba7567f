"""What a player says about itself, and does, from its first call to a goodbye: what several cases look at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from google.protobuf.message import DecodeError

from fairplay.conformance.games.context import BESIDE_OTHERS, Context
from fairplay.conformance.games.trial import Scenario, Trial
from fairplay.conformance.player.connection import Connection
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.steps import Failure
from fairplay.server.links.programs import ProcessLink
from fairplay.server.manager.plan import game_id_of
from fairplay.v1.connection_pb2 import GoodbyeReason
from fairplay.v1.player_pb2 import DescribeRequest, DescribeResponse, EndRequest, PlayerDescription, StartRequest

DECISIONS = 3
RETURN_S = 2.0
"""How long a player is watched that must not dial in again."""
END_LIMIT_S = 5.0
"""How long a player is watched that should end."""
POLL_S = 0.02


class Departure(NamedTuple):
    """What a player did after a goodbye for good."""

    returned: bool
    """Whether it dialled in again."""
    ended: bool
    """Whether its process ended."""
    output: str


class Life(NamedTuple):
    """What a new player says about itself, from its first call to its last, and how it goes."""

    hello: PlayerDescription | None
    """What it says when it dials in; None if it does not."""
    agrees_at_once: bool
    """Whether its first two answers to Describe are the same."""
    said: Sequence[tuple[str, PlayerDescription | None]]
    """(when, its answer to Describe); None: no readable answer."""
    departure: Departure | None
    """None if it was not started here, or did not dial in."""


class Tournament(NamedTuple):
    """A tournament that a player took part in."""

    trials: Sequence[Trial]
    problem: Failure | None
    """What went wrong with Start, or None."""
    departure: Departure | None


def tournament_of(context: Context) -> Tournament:
    """Return the tournament of a player, played once."""
    return context.once("tournament", lambda: _play_tournament(context))


def _play_tournament(context: Context) -> Tournament:
    """Play a tournament as the manager does: Start, a game a round under ids that follow from its own, End."""
    tournament_id, trials, problem = context.new_tournament_id(), list[Trial](), None
    with context.player.fresh() as connection:
        outcome, _ = context.ask(START, StartRequest(tournament_id=tournament_id), connection)
        if not isinstance(outcome, bytes):
            problem = outcome
        else:
            for number, scenario in enumerate(_rounds(context), 1):
                trials.append(context.play_as(scenario, connection, game_id_of(tournament_id, number, 1)))
                if trials[-1].misconduct is not None:
                    break
            context.ask(END, EndRequest(tournament_id=tournament_id, won=True), connection)
        departure = _departure(context, connection, GoodbyeReason.GOODBYE_REASON_REPLACED, RETURN_S)
    return Tournament(trials, problem, departure)


def _rounds(context: Context) -> Iterator[Scenario]:
    """Yield the beginnings of games of the most players and of fewer, and a whole one of the fewest: the final."""
    few, many = context.game.seats.start, context.game.seats.stop - 1
    for count in sorted({few, (few + many) // 2, many}, reverse=True):
        seat = context.rng("tournament", count).randrange(count)
        yield context.scenario(seat, count, 0 if count == few else BESIDE_OTHERS)


def life_of(context: Context) -> Life:
    """Return the life of a player, followed once."""
    return context.once("life", lambda: _follow(context))


def _follow(context: Context) -> Life:
    where = "in a new process" if context.player.transport.kind == "exec" else "later"
    with context.player.fresh() as connection:
        greeting, first = connection.hello, _ask(context, connection)
        agrees, said = _ask(context, connection) == first, [(where, first)]
        for when, turn_count in (("during a game", DECISIONS), ("after a game", 0)):
            context.play(context.first_scenario(turn_count), connection)
            if connection.lost:
                break
            said.append((when, _ask(context, connection)))
        departure = _departure(context, connection, GoodbyeReason.GOODBYE_REASON_FINISHED, END_LIMIT_S)
    return Life(greeting, agrees, said, departure)


def _ask(context: Context, connection: Connection) -> PlayerDescription | None:
    outcome, _ = context.ask(DESCRIBE, DescribeRequest(), connection)
    return parse_description(outcome)


def parse_description(outcome: bytes | Failure) -> PlayerDescription | None:
    """Return the description in a reply to Describe, or None if it is not readable."""
    try:
        return DescribeResponse.FromString(outcome).description if isinstance(outcome, bytes) else None
    except DecodeError:
        return None


def _departure(
    context: Context, connection: Connection, reason: GoodbyeReason.ValueType, limit_s: float
) -> Departure | None:
    """Say goodbye to a started player that has dialled in, and return what it does; None for any other player."""
    process = connection.process
    if process is None or not process.connected:
        return None
    connection.lost = True
    return context.player.loop.run(watch_departure(process, reason, limit_s))


async def watch_departure(process: ProcessLink, reason: GoodbyeReason.ValueType, limit_s: float) -> Departure:
    """Say goodbye to a player, and return what it does until it has ended or returned, or the time is over."""
    clock = asyncio.get_running_loop().time
    began, lost, returned = clock(), False, False
    process.dismiss(reason, "this player is no longer needed here")
    while not (returned or process.ended) and clock() - began < limit_s:
        await asyncio.sleep(POLL_S)
        lost = lost or not process.connected
        returned = lost and process.connected
    return Departure(returned, process.ended, process.output)

"""Cases about who a player is: the same in tournaments as elsewhere, each time it is asked, started and reached."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import judge_condition, where
from fairplay.conformance.case import Case, NotApplicable, NotTested, case, failure
from fairplay.conformance.cases.contract import check_implemented
from fairplay.conformance.cases.copies import begin_copies, copies_of, refused, serves_on
from fairplay.conformance.cases.states import alone, sources
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.context import BESIDE_OTHERS, Context
from fairplay.conformance.games.frames import changing
from fairplay.conformance.games.positions import find_position
from fairplay.conformance.games.trial import Manner, Outgoing, Scenario, Trial, play_trial
from fairplay.conformance.player.farewells import AT_ONCE, END_LIMIT_S, FOR_GOOD, dismiss
from fairplay.conformance.player.player import Answered, Connection, parse_description
from fairplay.conformance.player.spares import DIALLING, SERVING
from fairplay.conformance.player.transports import DialInTransport, ExecTransport, PlayerServer
from fairplay.games.conformance import Situation
from fairplay.games.game import Game, find, registered
from fairplay.games.kit.player_service import DESCRIBE, END, START
from fairplay.games.steps import Failure, Method
from fairplay.server.links.dial_in import cut
from fairplay.server.links.programs import ProcessLink
from fairplay.server.manager.plan import game_id_of
from fairplay.v1.connection_pb2 import DialInResponse, GoodbyeReason
from fairplay.v1.player_pb2 import DescribeRequest, EndRequest, PlayerDescription, StartRequest

DECISIONS = 3
POSITIONS, FEW_POSITIONS, MIDDLE = 30, 6, 0.4
"""A tournament goes on with so many decisions in positions of other games, of a slow player with fewer; behind this
share of these games.
"""
QUICK_GAMES, FEW_QUICK_GAMES, QUICK_GAMES_S = 10, 3, 2.0
"""A tournament begins with so many games with one decision; with fewer where these take more than so many seconds."""
RETURN_S = 2.0
"""How long a player is watched that must not dial in again."""


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


class Notification(NamedTuple):
    """A call of Start or End, and what came of it."""

    method: Method
    request: Message
    outcome: bytes | Failure
    elapsed_s: float
    output: str
    """What the player had written by then."""


class Tournament(NamedTuple):
    """A tournament that a player took part in."""

    trials: Sequence[Trial]
    problem: Failure | None
    """What went wrong with Start, or None."""
    end: Notification | None
    """What came of End; None if it was not reached."""
    departure: Departure | None


def tournament_of(context: Context) -> Tournament:
    """Return the tournament of a player, played once."""
    return context.once("tournament", lambda: _play_tournament(context))


def _play_tournament(context: Context) -> Tournament:
    """Play a tournament as the manager does: Start, a game a round under ids that follow from its own, End."""
    tournament_id, trials, problem, end = context.new_tournament_id(), list[Trial](), None, None
    with context.player.fresh() as connection:
        outcome, _ = context.ask(START, StartRequest(tournament_id=tournament_id), connection)
        if not isinstance(outcome, bytes):
            problem = outcome
        else:
            for number, scenario in enumerate(_rounds(context), 1):
                trials += context.play_as(scenario, connection, game_id_of(tournament_id, number, 1))
                if trials[-1].misconduct is not None:
                    break
            said = notify(context, connection, END, EndRequest(tournament_id=tournament_id, won=True))
            end = said if trials[-1].misconduct is None else None
        departure = _departure(context, connection, GoodbyeReason.GOODBYE_REASON_REPLACED, RETURN_S)
    return Tournament(trials, problem, end, departure)


def notify(context: Context, connection: Connection, method: Method, request: Message) -> Notification:
    """Call Start or End."""
    outcome, elapsed_s = context.ask(method, request, connection)
    return Notification(method, request, outcome, elapsed_s, connection.output)


def _rounds(context: Context) -> Iterator[Scenario]:
    """Yield quick games, the beginnings of others of the most players and of fewer, and a game that is played out.

    The quick ones make the tournament long, for players that do more in End the more games they have played.
    """
    began_s = time.monotonic()
    for number, scenario in enumerate(context.beginnings(QUICK_GAMES, 1)):
        if number < FEW_QUICK_GAMES or time.monotonic() - began_s < QUICK_GAMES_S:
            yield scenario
    few, many = context.game.seats.start, context.game.seats.stop - 1
    for count in sorted({few, (few + many) // 2, many}, reverse=True):
        seat = context.rng("tournament", count).randrange(count)
        yield context.scenario(seat, count, BESIDE_OTHERS)
    yield context.ending(few)
    yield from _positions(context)


def _positions(context: Context) -> Iterator[Scenario]:
    """Yield games that go on from positions of others, in which the player is ahead or behind."""
    rng = context.rng("positions of a tournament")
    for number in range(FEW_POSITIONS if context.is_slow else POSITIONS):
        source = rng.choice(sources(context))
        if (place := find_position(context.game, source, rng.uniform(MIDDLE, 1.0))) is not None:
            yield Scenario(f"tournament-{number}", place.situation(1), source.seed)


def life_of(context: Context) -> Life:
    """Return the life of a player, followed once."""
    return context.once("life", lambda: _follow(context))


def _follow(context: Context) -> Life:
    where = "in a new process" if context.player.transport.kind == "exec" else "later"
    with context.player.fresh() as connection:
        greeting, first = connection.hello, _ask(context, connection)
        agrees, said = _ask(context, connection) == first, [(where, first)]
        games = context.first_scenario(DECISIONS), context.ending(context.game.seats.start)
        for when, scenario in zip(("during a game", "after a game"), games, strict=True):
            context.play(scenario, connection)
            if connection.lost:
                break
            said.append((when, _ask(context, connection)))
        name = context.new_tournament_id()
        for when, method, request in (
            ("in a tournament", START, StartRequest(tournament_id=name)),
            ("after a tournament that it has won", END, EndRequest(tournament_id=name, won=True)),
        ):
            if not connection.lost:
                context.ask(method, request, connection)
                said.append((when, _ask(context, connection)))
        departure = _departure(context, connection, GoodbyeReason.GOODBYE_REASON_FINISHED, END_LIMIT_S)
    return Life(greeting, agrees, said, departure)


def _ask(context: Context, connection: Connection) -> PlayerDescription | None:
    outcome, _ = context.ask(DESCRIBE, DescribeRequest(), connection)
    return parse_description(outcome)


def _departure(
    context: Context, connection: Connection, reason: GoodbyeReason.ValueType, limit_s: float
) -> Departure | None:
    """Say goodbye to a started player that has dialled in, and return what it does; None for any other player."""
    process, transport = connection.process, context.player.transport
    if process is None or not process.connected or not isinstance(transport, ExecTransport):
        return None
    connection.lost = True
    return context.player.loop.run(_watch_departure(process, transport.server, reason, limit_s))


async def _watch_departure(
    process: ProcessLink, player_server: PlayerServer, reason: GoodbyeReason.ValueType, limit_s: float
) -> Departure:
    """Say goodbye to a player, and return what it does until it has ended or returned, or the time is over.

    The frame of the goodbye cancels a call, too, as where a game is stopped because nobody needs it any more.
    """
    server = await player_server.server()

    def cancel_beside(frame: DialInResponse) -> Iterator[DialInResponse]:
        if frame.HasField("goodbye"):
            frame.cancelled.append(next(server.clock.ids))  # that of a call which was not sent yet
        yield frame

    with changing(server.hub, cancel_beside):
        returned = await dismiss(process, reason, limit_s)
    return Departure(returned, process.ended, process.output)


# --- in a tournament ---


@case(
    "identity.in-tournaments",
    "ROLE-9",
)
def in_tournaments(context: Context) -> None:
    """What counts is how a player plays where it counts."""
    played = tournament_of(context)
    for found in played.trials:
        if found.misconduct is not None:
            with where("In a tournament"):
                judge_condition(context, found, alone(context, found), (case_ids.BACK_TO_BACK, context.sequence))
    if played.problem is not None:
        evidence = failure("The player fails Start.", ("Failure", readable(played.problem))).evidence
        raise NotTested("a tournament cannot be played with this player", evidence, case_ids.TOURNAMENT)


# --- what it says about itself ---


@case(
    "identity.description-stays",
    "DESC-3",
    "DESC-4",
    prepare=begin_copies,
)
def description_stays(context: Context) -> None:
    """The certificate, the sign-up and the games name the same player and version."""
    first, life = _description(context), life_of(context)
    if not life.agrees_at_once:
        raise _untested("Asked twice in a row, the player says different things about itself.")
    for when, said in (*life.said, *_said_by_a_copy(context)):
        if said is None:
            raise failure(f"Describe has no readable answer {when}.", ("First answer", readable(first)))
        if said != first:
            sections = (("First answer", readable(first)), ("Answer", readable(said)))
            raise failure(
                f"The player says something else about itself {when} than when it was asked first.", *sections
            )


def _said_by_a_copy(context: Context) -> Iterator[tuple[str, PlayerDescription | None]]:
    """Yield what another process says about itself, if the player is started here, and one is reached in the same way.

    Its number differs from that of every other one, which in a sandbox is the same for all of them.
    """
    if isinstance(context.player.transport, ExecTransport):
        way = SERVING if context.player.connection().hello is None else DIALLING
        if (outcome := copies_of(context).said.get(way)) is not None:
            yield "in another process", parse_description(outcome)


@case("identity.hello", "DESC-5")
def hello(context: Context) -> None:
    """A server shows a player by its hello, and checks its certificate by Describe."""
    first, life = _description(context), life_of(context)
    if life.hello is None:
        raise NotApplicable("only a player that dials in says hello")
    described = life.said[0][1] or first
    if life.hello not in (PlayerDescription(), cut(described)):
        sections = (("Hello", readable(life.hello)), ("Describe", readable(described)))
        raise failure("The player says something else about itself in its hello than in Describe.", *sections)


def _description(context: Context) -> PlayerDescription:
    """Return the answer to the first Describe. Raises NotTested if there is none."""
    context.player.connection()
    said = parse_description(context.player.described)
    if said is None:
        raise _untested("The player does not describe itself.")
    return said


def _untested(sentence: str) -> NotTested:
    return NotTested("what the player says is not to be relied on", failure(sentence).evidence, case_ids.DESCRIBES)


@case("identity.offered-games", "ROLE-2", "CALL-11", "CALL-17")
def offered_games(context: Context) -> None:
    """A manager seats a player in any game that it offers, and may seat it in any other."""
    offered = {service.name for service in _description(context).services} | {context.game.service}
    games = [find(name) for name in registered() if name != context.game.name]
    for game in games:
        if game.service in offered:
            _check_served(context, game)
    _play_beside(context, [game for game in games if game.service not in offered])


def _play_beside(context: Context, others: Sequence[Game]) -> None:
    """Judge a game beside which the player is called for other games, that it does not offer; it may refuse that."""

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        for other in others[max(0, due.decision - 1) : due.decision]:
            method = other.methods[0]
            request = method.request(game_id=context.new_id()).SerializeToString()
            await reached.ask(method, request, context.limits.notification_s)
        return await reached.ask(due.call.method, due.request, due.limit_s)

    with context.player.separate() as connection, where("In a game beside calls of others, which it does not play"):
        scenario = context.first_scenario(1 + len(others))
        judge_condition(context, context.play(scenario, connection, Manner(ask=ask)))


def _check_served(context: Context, game: Game) -> None:
    """Raise Failure if the player lacks a method of another game, whatever it answers."""
    situation = Situation(game.full_settings(game.settings_type()), game.seats.start, 0)
    scenario = Scenario(f"offered-{game.name}", situation, context.rng("offered", game.name).getrandbits(32))
    with context.shared() as connection:
        work = play_trial(game, connection, scenario, context.limits, context.new_id())
        found = context.player.loop.run(work)
    if found.misconduct is not None and found.misconduct.call_error.status_code == faults.UNIMPLEMENTED:
        raise failure(
            f"The player says that it serves {game.service}, and does not implement {found.misconduct.method_name}.",
            ("Description", readable(context.description)),
        )
    with context.player.separate() as connection, where("The player says that it serves another game"):
        for method in game.methods:
            check_implemented(context, connection, method)


# --- how it comes and goes ---


@case(
    case_ids.REACHED_AGAIN,
    "PROG-4",
    "SERVE-4",
)
def reached_again(context: Context) -> None:
    """A player that can be reached once plays in one tournament."""
    player = context.player
    if isinstance(player.transport, DialInTransport):
        raise NotApplicable("a player that dials in is reached over the stream that it opens")
    player.begin()
    if player.reach_count == 1 or player.transport.kind == "grpc":
        _reach_again(context)
    if player.unreachable and player.reach_count:
        raise failure(f"The player was there, but could not be reached again: {player.unreachable}")
    player.connection()


def _reach_again(context: Context) -> None:
    """Open a connection to a player, where it serves with no other one open, and call it."""
    if context.player.transport.kind == "grpc":
        context.player.renew()
    with suppress(NotTested), context.player.fresh() as connection:
        context.ask(DESCRIBE, DescribeRequest(), connection)


@case(
    "identity.replaced",
    "BYE-4",
    "STREAM-1",
)
def replaced(context: Context) -> None:
    """The two would take the name from each other without end."""
    departure = _departed(context, tournament_of(context).departure)
    if departure.returned:
        raise failure("The player dialled in again after the goodbye REPLACED.", ("Output", departure.output))
    _check_in_a_game(context, GoodbyeReason.GOODBYE_REASON_REPLACED, "REPLACED")


@case(
    "identity.ends",
    "BYE-5",
    "BYE-6",
    "STREAM-1",
)
def ends(context: Context) -> None:
    """Programs that nobody needs fill up the machine of those who play."""
    departure = _departed(context, life_of(context).departure)
    if departure.returned:
        raise failure("The player dialled in again after the goodbye FINISHED.", ("Output", departure.output))
    if not departure.ended:
        sentence = f"The player's process did not end after the goodbye FINISHED, for {END_LIMIT_S:g} s or more."
        raise failure(sentence, ("Output", departure.output))
    _check_in_a_game(context, GoodbyeReason.GOODBYE_REASON_FINISHED, "FINISHED")
    if (output := context.player.farewells.stayed) is not None:
        sentence = (
            "The player's process did not end after the goodbye FINISHED, which came in the middle of a game and after"
        )
        raise failure(f"{sentence} a stream that was lost, for {END_LIMIT_S:g} s or more.", ("Output", output))


def _check_in_a_game(context: Context, reason: GoodbyeReason.ValueType, name: str) -> None:
    """Raise Failure if a player dials in again after a goodbye in the middle of a game.

    Processes that other cases needed no more have been told so, or others are started for that.
    """
    player, farewells = context.player, context.player.farewells
    for _ in FOR_GOOD:
        if farewells.wants_a_game:
            player.loop.run(farewells.wait(AT_ONCE - 1))
            connection = player.open()
            context.play(context.first_scenario(1), connection)
            player.part_with(connection)
    player.loop.run(farewells.wait())
    if (output := farewells.returned.get(reason)) is not None:
        sentence = f"The player dialled in again after the goodbye {name}, which came in the middle of a game."
        raise failure(sentence, ("Output", output))


def _departed(context: Context, departure: Departure | None) -> Departure:
    if departure is None:
        raise NotApplicable("only a player that is started here, and dials in, is told goodbye and started again")
    return departure


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (in_tournaments, description_stays, hello, offered_games, reached_again, serves_on, replaced, refused, ends)

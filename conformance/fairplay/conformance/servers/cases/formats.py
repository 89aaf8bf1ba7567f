"""Whether formats other than knockout play the games that the contract says, and what failures cost in them."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import combinations, groupby, product
from typing import NamedTuple

import grpc

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.servers.cases.tournaments import (
    WAIT_S,
    Ended,
    calls_of,
    create,
    ends_by_itself,
    entered,
    make_request,
    outcome_of,
    play,
)
from fairplay.conformance.servers.compare import ranking_text, same
from fairplay.conformance.servers.context import ServerContext, server_case
from fairplay.conformance.servers.facts.requests import LARGEST_PAGE
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.points import Table, check_standings
from fairplay.conformance.servers.scenes import FAILED, NAMES, PATIENT, Act, Asked, Script, hang, sound_script, wait_for
from fairplay.games.conformance import find_conformance
from fairplay.server.manager.course import Course
from fairplay.server.net.errors import reason_of
from fairplay.server.records.chain import parsed
from fairplay.v1.manager_pb2 import (
    GetStandingsRequest,
    GetTournamentRequest,
    ListTournamentGamesRequest,
    StartTournamentRequest,
)
from fairplay.v1.referee_pb2 import GetGameRequest, ListGamesRequest, StopGameRequest, WatchGameRequest
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    RoundGameStatus,
    Standings,
    Tournament,
    TournamentFailure,
    TournamentPlan,
    TournamentStatus,
)

ENTRANTS = 4
FIRST_GAME = "/r1g1"
"""The end of the id of the first game of a tournament."""
OTHER_LOTS = 100
CYCLES, MANY_FAILURES = 4, 100
"""So often everybody meets in a long tournament, and so often somebody may fail there."""
MOST_SET = 1_000
LIMITS = {
    ("knockout", "games_per_match"): (1, MOST_SET),
    ("double_elimination", "games_per_match"): (1, MOST_SET),
    ("round_robin", "cycle_count"): (1, MOST_SET),
    ("swiss", "round_count"): (1, MOST_SET),
    ("gauntlet", "meeting_count"): (1, MOST_SET),
    ("ladder", "precision"): (1, MOST_SET),
    ("ladder", "game_limit"): (1, 1_000_000),
    **dict.fromkeys(product(("round_robin", "swiss", "gauntlet", "ladder"), ("seat_count",)), (2, 4)),
}
"""Format and setting -> its smallest and its largest value in the game of the tournaments."""
SOON_S, COUNTED_WITHIN_S = 1.0, 10.0
PAGE_SIZE = 3
NOT_BEGUN = (RoundGameStatus.ROUND_GAME_STATUS_WAITING, RoundGameStatus.ROUND_GAME_STATUS_SKIPPED)


def _add_stages(plan: TournamentPlan, top_count: int, last: str) -> None:
    """Make the format of a plan a round robin of which some get on to a format."""
    plan.format.stages.stages.add(top_count=top_count).format.round_robin.SetInParent()
    getattr(plan.format.stages.stages.add().format, last).SetInParent()


def _larger(kind: str) -> Callable[[TournamentPlan], None]:
    """Return what makes the format of a plan one of games of three."""
    return lambda plan: setattr(getattr(plan.format, kind), "seat_count", 3)


def _larger_later(plan: TournamentPlan) -> None:
    _add_stages(plan, 2, "round_robin")
    plan.format.stages.stages[-1].format.round_robin.seat_count = 3


def _deals(kind: str) -> Callable[[TournamentPlan], None]:
    """Return what makes the format of a plan one that has matches, with deals besides."""

    def change(plan: TournamentPlan) -> None:
        getattr(plan.format, kind).SetInParent()
        plan.deal_count = 1

    return change


UNFIT: Mapping[str, Callable[[TournamentPlan], None]] = {
    **{f"games of three of a {kind}": _larger(kind) for kind in ("round_robin", "swiss", "gauntlet", "ladder")},
    "a gauntlet whose challengers they are": lambda plan: plan.format.gauntlet.challengers.extend(NAMES[:2]),
    "a stage of which three get on": lambda plan: _add_stages(plan, 3, "knockout"),
    "a second stage of two of games of three": _larger_later,
    **{f"deals in a {kind}": _deals(kind) for kind in ("knockout", "double_elimination")},
}
"""Formats that cannot be played by two -> what makes the format of a plan that."""


def everybody_meets(plan: TournamentPlan) -> None:
    """Make the format of a plan a round robin."""
    plan.format.round_robin.SetInParent()


def _end_alone(change: Callable[[TournamentPlan], None], plan: TournamentPlan) -> None:
    """Have games end as soon as a single player is left: what comes later decides nothing here."""
    change(plan)
    getattr(plan.settings, plan.game).MergeFrom(find_conformance(plan.game).leaving_settings[-1])


def _games(ended: Ended) -> list[RoundGame]:
    return [game for round_ in ended.tournament.rounds for game in round_.games]


def _meetings(games: Sequence[RoundGame]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(game.players)) for game in games)


async def league(context: ServerContext) -> Ended:
    """Return a round robin of sound players, played once."""
    if "league" not in context.kept:
        context.kept["league"] = (await play(context, change=everybody_meets, count=ENTRANTS), list(context.trace))
    ended, context.trace = context.kept["league"][0], list(context.kept["league"][1])
    found: Ended = ended
    return found


@server_case("format.round-robin", "ROBIN-1", "ROBIN-3")
async def round_robin(context: ServerContext) -> None:
    """Everybody plays everybody, and nobody begins more often than others."""
    games = _games(await league(context))
    same("The meetings of pairs", dict(Counter(combinations(NAMES[:ENTRANTS], 2))), dict(_meetings(games)))
    firsts = Counter(game.players[0] for game in games)
    counts = [firsts[name] for name in NAMES[:ENTRANTS]]
    if max(counts) - min(counts) > 1:
        raise failure("Some entrants have the first seat more often than others.", ("First seats", str(firsts)))


@server_case("format.standings", "STAND-1", "STAND-2", "STAND-7")
async def standings(context: ServerContext) -> None:
    """The standings and the games of a tournament can be had in pages, and the standings while it goes on."""
    await _check_counted_at_once(context)
    ended = await league(context)
    tournament_id, games = ended.tournament.tournament_id, _games(ended)
    reply = await context.ask("GetStandings", GetStandingsRequest(tournament_id=tournament_id))
    lines = reply.standings.standings
    same("Who is in the standings", sorted(NAMES[:ENTRANTS]), sorted(line.name for line in lines))
    same("The games of each", [ENTRANTS - 1] * ENTRANTS, [line.game_count for line in lines])
    same("The points together", float(len(games)), round(sum(line.points for line in lines), 6))
    same("The order of points", sorted((line.points for line in lines), reverse=True), [line.points for line in lines])
    for size in (*range(1, ENTRANTS + 2), 0, LARGEST_PAGE + 1):
        few = GetStandingsRequest(tournament_id=tournament_id, page_size=size)
        pages = [page async for page in context.pages("GetStandings", few)]
        came = [line for page in pages for line in page.standings.standings]
        same(f"The standings over all pages of {size}", list(lines), came)
        for page in pages:
            page.standings.ClearField("standings")
            same(f"The counts of the standings on a page of {size}", _counts(reply.standings), page.standings)
    for size in (*range(1, len(games) + 2), LARGEST_PAGE + 1):
        await check_games_listed(context, ended.tournament, size)


def _counts(standings: Standings) -> Standings:
    """Return what standings say besides of those who are in them."""
    counts = Standings()
    counts.CopyFrom(standings)
    counts.ClearField("standings")
    return counts


async def _check_counted_at_once(context: ServerContext) -> None:
    """Check that the standings count a game of a tournament while the next one is played."""
    called, gates = ([asyncio.Event() for _ in range(ENTRANTS - 1)] for _ in range(2))

    def script(asked: Asked) -> Act | None:
        if asked.method != "TakeTurn":
            return None
        number = int(asked.request.game_id.rpartition("/r")[2].partition("g")[0])
        called[number - 1].set()
        return replace(FAILED(asked), gate=gates[number - 1]) if number > 1 else wait_for(gates[0])(asked)

    async with entered(context, script, ENTRANTS - 1) as players:
        request = players.request
        request.plan.time_control.CopyFrom(PATIENT)
        everybody_meets(request.plan)
        await create(context, request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        try:
            await _until_one_counts(context, request.tournament_id, called, gates)
        finally:
            for gate in gates:
                gate.set()
        await ends_by_itself(context, request)
    got = await _standings(context, request.tournament_id)
    same(
        "The games that count, and whether the standings are those at its end",
        (3, True),
        (got.game_count, got.complete),
    )


async def _until_one_counts(
    context: ServerContext, tournament_id: str, called: Sequence[asyncio.Event], gates: Sequence[asyncio.Event]
) -> None:
    """Let games end, one after another, until the last one counts some time later, when nobody has asked meanwhile.

    Raises Failure if it does not soon, and the next one does not within COUNTED_WITHIN_S either.
    """
    same("The games that count while the first one is played", 0, (await _standings(context, tournament_id)).game_count)
    for number, within_s in enumerate((SOON_S, COUNTED_WITHIN_S), start=1):
        async with asyncio.timeout(WAIT_S):
            await called[number - 1].wait()
        gates[number - 1].set()
        await context.stream_all("WatchGame", WatchGameRequest(game_id=f"{tournament_id}/r{number}g1"))
        await asyncio.sleep(within_s)
        got = await _standings(context, tournament_id)
        if got.game_count >= number:
            break
    else:
        raise failure(
            f"A game must count in the standings when it is over; {COUNTED_WITHIN_S:g} s after the end of game "
            f"{number} the standings, for which nobody had asked meanwhile, count {got.game_count}."
        )
    same(f"The games that count while game {number + 1} is played", number, got.game_count)
    same(
        "The games of those who have played them",
        {1: [0, 1, 1], 2: [1, 1, 2]}[number],
        sorted(line.game_count for line in got.standings),
    )
    same("Whether the standings of a tournament that goes on are those at its end", False, got.complete)


async def _standings(context: ServerContext, tournament_id: str) -> Standings:
    asked = GetStandingsRequest(tournament_id=tournament_id)
    found: Standings = (await context.ask("GetStandings", asked)).standings
    return found


async def check_games_listed(context: ServerContext, shown: Tournament, page_size: int = PAGE_SIZE) -> None:
    """Check that all games of a tournament are listed, those that wait and those that were skipped included."""
    request = ListTournamentGamesRequest(tournament_id=shown.tournament_id, page_size=page_size)
    listed = await context.list_all("ListTournamentGames", request, "games")
    wanted = [(round_.number, *_listed_part(game)) for round_ in shown.rounds for game in round_.games]
    same("The games in ListTournamentGames", *([each[1] for each in wanted], [each.game_id for each in listed]))
    came = [(game.round_number, *_listed_part(game)) for game in listed]
    same("Round, id, players, deal, state and ranking of the games in ListTournamentGames", wanted, came)
    begun = {each.game_id for each in listed if each.status not in NOT_BEGUN}
    games = await context.list_all("ListGames", ListGamesRequest(tournament_id=shown.tournament_id), "games")
    same("The games in ListGames with the id of the tournament", sorted(begun), sorted(each.game_id for each in games))


def _listed_part(game: RoundGame) -> tuple[str, list[str], int, str, str]:
    state = RoundGameStatus.Name(game.status)
    return game.game_id, list(game.players), game.deal, state, ranking_text(game.result.ranking)


@server_case("format.listed", "STAND-7", "ASK-10")
async def listed(context: ServerContext) -> None:
    """Whoever follows a tournament sees which games are still to come, and which are not played any more."""
    called, gate = asyncio.Event(), asyncio.Event()

    def script(asked: Asked) -> Act | None:
        first_turn = asked.method == "TakeTurn" and asked.request.game_id.endswith(FIRST_GAME) and not called.is_set()
        if first_turn:
            called.set()
        return replace(FAILED(asked), gate=gate) if first_turn else None

    async with entered(context, script, ENTRANTS - 1) as players:
        request = players.request
        request.plan.failures_allowed = 0
        request.plan.time_control.CopyFrom(PATIENT)
        everybody_meets(request.plan)
        await context.ask("CreateTournament", request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        async with asyncio.timeout(WAIT_S):
            await called.wait()
        starting = StartTournamentRequest(tournament_id=request.tournament_id)
        status = (await context.ask("StartTournament", starting)).tournament.status  # a repeat changes nothing
        same("The status of a tournament that is started again", TournamentStatus.TOURNAMENT_STATUS_RUNNING, status)
        got = GetTournamentRequest(tournament_id=request.tournament_id)
        try:  # everybody else waits for who is in this game
            await check_games_listed(context, (await context.ask("GetTournament", got)).tournament)
        finally:
            gate.set()
        shown = await ends_by_itself(context, request)
    same("How often Start was called", ENTRANTS - 1, len(calls_of(players.cast.received, "Start")))
    check_course(shown, sound_script)
    await _check_left_out(context, shown)
    await check_games_listed(context, shown)


async def _check_left_out(context: ServerContext, shown: Tournament) -> None:
    """Check that the record of a tournament, where the server hands out any, says who was left out of which game."""
    with suppress(NotApplicable):
        entries = parsed(await context.record(shown.tournament_id))
        left_out = {each.played.game_id: [*each.played.left_out] for each in entries if each.HasField("played")}
        games = [game for each in shown.rounds for game in each.games]
        gone = {each.player for game in games for each in game.result.misconducts}
        for game in (each for each in games if each.status == RoundGameStatus.ROUND_GAME_STATUS_SKIPPED):
            due = [name for name in game.players if name in gone]
            same(f"Who was left out of {game.game_id}, as is recorded,", due, left_out.get(game.game_id))


@server_case("format.unknown", "FORMAT-1")
async def unknown(context: ServerContext) -> None:
    """A format that is not installed is refused, before anybody has entered."""
    request = make_request(context)
    request.plan.format.custom.name = "no-such-format"
    await context.refused("CreateTournament", request, "INVALID_FORMAT")
    for (format_, setting), (least, most) in LIMITS.items():
        for value in sorted({0, least - 1, most + 1}):
            request = make_request(context)
            setattr(getattr(request.plan.format, format_), setting, value)
            about = f"a {setting} of {value:,} of {format_}"
            await context.refused("CreateTournament", request, "INVALID_FORMAT", about=about)
    for about, count in (("one stage", 1), ("eleven stages", 11)):
        request = make_request(context)
        for number in range(count):
            stage = request.plan.format.stages.stages.add(top_count=0 if number == count - 1 else 2)
            stage.format.round_robin.SetInParent()
        await context.refused("CreateTournament", request, "INVALID_FORMAT", about=about)
    lasting, nested = make_request(context), make_request(context)
    for request in (lasting, nested):
        _add_stages(request.plan, 2, "knockout")
    nested.plan.format.stages.stages[-1].format.CopyFrom(lasting.plan.format)
    lasting.plan.format.stages.stages[-1].top_count = 2
    for about, request in (("a last stage that some get on from", lasting), ("stages in a stage", nested)):
        await context.refused("CreateTournament", request, "INVALID_FORMAT", about=about)


@server_case("format.does-not-fit", "FORMAT-2")
async def does_not_fit(context: ServerContext) -> None:
    """Entrants that cannot play in a format learn it before they have played in vain."""
    request = make_request(context, ["dial-in:nobody", "dial-in:no-one"])
    request.plan.sign_up.max_entrant_count = 2
    request.plan.format.gauntlet.challengers.append(NAMES[ENTRANTS])
    await context.refused("CreateTournament", request, "FORMAT_DOES_NOT_FIT")
    for about, change in UNFIT.items():
        request = make_request(context, ["dial-in:nobody", "dial-in:no-one"])
        change(request.plan)
        try:
            await context.ask("CreateTournament", request)
        except grpc.aio.AioRpcError as error:  # what cannot be whoever enters, or a format that the server lacks
            if reason_of(error) not in ("INVALID_FORMAT", "FORMAT_DOES_NOT_FIT"):
                raise
            continue
        starting = StartTournamentRequest(tournament_id=request.tournament_id)
        await context.refused("StartTournament", starting, "FORMAT_DOES_NOT_FIT", about=f"two entrants for {about}")
        got = GetTournamentRequest(tournament_id=request.tournament_id)
        shown = (await context.ask("GetTournament", got)).tournament
        same("The games of a tournament that could not be played", 0, len(shown.rounds))


class Followed(NamedTuple):
    """What beside a tournament as it is shown says which course it takes."""

    finished: Sequence[str] = ()
    """The ids of its games in the order in which they were over; nothing: in the order of the rounds."""
    idle: Collection[tuple[str, str]] = ()
    """Who has made no decision in which game, by name and id."""


PLAYED_IN_TURN = Followed()


def follow(shown: Tournament, script: Script, by: Followed, where: str = "") -> Course:
    """Return the course that a tournament takes by its plan, its secret and the results of its games.

    `script` says who fails outside of games. Of a cancelled tournament the course goes as far as its games did.

    Raises Failure if a game was not played that this course has; `where` says what is special about the tournament.
    """
    header = Tournament(
        tournament_id=shown.tournament_id, plan=shown.plan, entrants=shown.entrants, secret=shown.secret
    )
    course = Course(header, lambda _: None, lambda _: None)
    games = {game.game_id: game for round_ in shown.rounds for game in round_.games}
    places = {game_id: place for place, game_id in enumerate(by.finished or games)}
    while not course.over:
        for seat in list(course.open_calls):
            call, place = course.open_calls[seat].call, NAMES.index(shown.entrants[seat].name)
            course.apply_outcome(seat, outcome_of(script, call, place))
        if not course.open_games:
            continue
        game_id = min(course.open_games, key=lambda each: places.get(each, -1))
        if game_id not in games or not games[game_id].HasField("result"):
            if shown.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
                break
            _check_round(course, shown, game_id, where)
            raise failure(f"The game {game_id}{where} must be played; it was not.")
        _take(course, shown, games[game_id], [name for name, each in by.idle if each == game_id], where)
    return course


def _check_round(course: Course, shown: Tournament, game_id: str, where: str) -> None:
    """Check that the round of an open game has as many games, of the deals and the players, as it must have."""
    number = course.open_games[game_id].round_number
    due, came = (
        [
            f"{'-'.join(game.players)}{f' (deal {game.deal})' if game.deal else ''}"
            for each in rounds
            for game in (each.games if each.number == number else ())
        ]
        for rounds in (course.message.rounds, shown.rounds)
    )
    if due != came:
        raise failure(
            f"Round {number}{where} must have the games {', '.join(due)}; it has {', '.join(came) or 'none'}."
        )


def _take(course: Course, shown: Tournament, game: RoundGame, idle: Sequence[str], where: str) -> None:
    """Go on from a game that is over. Raises Failure if somebody was left out of it that was not withdrawn."""
    names = [each.name for each in course.message.entrants]
    entrants = {*course.open_games[game.game_id].pairing.entrants}
    skipped = game.status == RoundGameStatus.ROUND_GAME_STATUS_SKIPPED
    gone = course.withdrawn & entrants if skipped else {each for each in entrants if names[each] not in game.players}
    if wrong := [names[each] for each in gone - course.withdrawn]:
        _check_round(course, shown, game.game_id, where)
        raise failure(f"In {game.game_id}{where} {wrong[0]} must play: it was not withdrawn.")
    if not skipped and len(game.players) != len(entrants - gone):
        raise failure(f"The game {game.game_id} must have {len(entrants - gone)} players; it had {len(game.players)}.")
    course.leave_out(game.game_id, gone)
    if course.is_playable(game.game_id) is skipped:
        raise failure(f"The game {game.game_id} must {'not ' * (not skipped)}be played.")
    course.apply_result(game.game_id, game.result, [names.index(each) for each in idle])


class LotsFailure(Failure):
    """A course that the lots of a server do not explain, where other lots lead to another one."""


def check_course(
    shown: Tournament, script: Script, where: str = "", by: Followed = PLAYED_IN_TURN, tries: int = OTHER_LOTS
) -> Tournament:
    """Check the games and the order of a tournament; `where` says what is special about it.

    The generator that draws lots is a server's own: the course may be that of other lots, of which so many are tried.
    Return the tournament with a secret of which its lots follow. Raises LotsFailure, and not Failure, if lots decide.
    """
    found = wrong_course(shown, script, where, by)
    if found is None:
        return shown
    sentences = {found.evidence.sentence}
    for number in range(tries):
        other = with_other_lots(shown, number)
        if (wrong := wrong_course(other, script, where, by)) is None:
            return other
        sentences.add(wrong.evidence.sentence)
    raise LotsFailure(found.evidence) if len(sentences) > 1 or not tries else found


def with_other_lots(shown: Tournament, number: int) -> Tournament:
    """Return a tournament with another secret."""
    other = Tournament()
    other.CopyFrom(shown)
    other.secret = sha256(f"other lots {number}".encode()).digest()
    return other


def wrong_course(shown: Tournament, script: Script, where: str, by: Followed) -> Failure | None:
    """Return what is wrong with the games and the order of a tournament, with the lots that follow from its secret."""
    try:
        _compare_courses(shown, script, where, by)
    except Failure as found:
        return found
    return None


def _compare_courses(shown: Tournament, script: Script, where: str, by: Followed) -> None:
    where = where and f", {where},"
    course = follow(shown, script, by, where)
    rounds = _rounds(course.message)
    if shown.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED:
        same(f"The rounds{where}", rounds[: len(shown.rounds)], _rounds(shown))
        return
    assert course.result is not None
    same(f"The rounds{where}", rounds, _rounds(shown))
    same(f"The winners{where}", list(course.result.winners), list(shown.result.winners))
    same(f"The others{where}", list(course.result.others), list(shown.result.others))
    same(f"The failures{where}", *(list(map(_failure, result.failures)) for result in (course.result, shown.result)))
    for name in ("game_count", "round_count", "skipped_game_count"):
        same(f"The {name} of the tournament{where}", getattr(course.message, name), getattr(shown, name))


def _failure(failed: TournamentFailure) -> str:
    """Return who failed in what, e.g. "anna in End" or "bert in TakeTurn of certify-1-cup/r1g1"."""
    method = failed.misconduct.method_name.rpartition("/")[2]
    return f"{failed.misconduct.player} in {method}{f' of {failed.game_id}' if failed.game_id else ''}"


def _rounds(shown: Tournament) -> list[list[tuple[str, list[str], int]]]:
    return [[(game.game_id, list(game.players), game.deal) for game in each.games] for each in shown.rounds]


def _in_game(suffix: str, act: Callable[[Asked], Act]) -> Script:
    """Return the script in which the first entrant does something in its turns of one game of a tournament."""

    def script(asked: Asked) -> Act | None:
        if asked.seat == 0 and asked.method == "TakeTurn" and asked.request.game_id.endswith(suffix):
            return act(asked)
        return None

    return script


async def _stopped(context: ServerContext, count: int) -> None:
    """Stop the first game of a tournament, and check what becomes of the tournament."""
    async with entered(context, _in_game(FIRST_GAME, hang), count) as players:
        request = players.request
        await context.ask("CreateTournament", request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        await players.cast.hung.wait()
        await context.ask("StopGame", StopGameRequest(game_id=f"{request.tournament_id}{FIRST_GAME}"))
        shown = await ends_by_itself(context, request)
    check_course(shown, sound_script)


@server_case("format.aborted-game", "TOUR-10", "KNOCKOUT-3")
async def aborted_game(context: ServerContext) -> None:
    """A game that was stopped has decided nothing, and nobody is out for it."""
    await _stopped(context, ENTRANTS + 1)


@server_case("format.all-aborted", "TOUR-10", "KNOCKOUT-7")
async def all_aborted(context: ServerContext) -> None:
    """Where no game could be played nobody has won."""
    await _stopped(context, 2)


@server_case("format.one-game-at-a-time", "TOUR-11")
async def one_game_at_a_time(context: ServerContext) -> None:
    """A player that is in one game has all its time for it."""
    received_in_league = (await league(context)).cast.received
    for seat in range(ENTRANTS):
        _check_one_at_a_time([each for each in received_in_league if each.seat == seat], f"{NAMES[seat]} was in")
    ended = await play(context, change=_one_game_at_once, count=ENTRANTS)
    _check_one_at_a_time(ended.cast.received, "A tournament whose concurrent_game_limit is 1 had")


def _one_game_at_once(plan: TournamentPlan) -> None:
    everybody_meets(plan)
    plan.concurrent_game_limit = 1


def _check_one_at_a_time(received: Sequence[Received], what: str) -> None:
    """Check that calls of one game come behind all those of another one."""
    turns = [game_id for game_id, _ in groupby(filter(None, (getattr(each.asked, "game_id", "") for each in received)))]
    if len(set(turns)) < len(turns):
        raise failure(f"{what} two games at once.", ("The games in turn", ", ".join(turns)))


@server_case("format.points", "STAND-2", "STAND-3", "STAND-6", "RATING-1", "RATING-2", "SEED-3")
async def points(context: ServerContext) -> None:
    """Points, tie-breaks, ratings and bands follow from the games, and everybody can compute them again."""
    ended = await league(context)
    await check_standings(context, Table(ended.tournament))
    asking = GetStandingsRequest(tournament_id=ended.tournament.tournament_id)
    shown = (await context.ask("GetStandings", asking)).standings
    told = [each.standings for each in ended.events if each.HasField("standings")][-1:]
    lines = [(each.complete, [(one.place, one.name, one.points) for one in each.standings]) for each in (shown, *told)]
    same("The last standings that WatchTournament tells", lines[0], lines[-1] if told else "none")
    ended = await play(context, _earlier_wins(), partial(_end_alone, _meets_often), ENTRANTS - 1)
    where = " in a long tournament that the earlier one of two wins"
    await check_standings(context, Table(ended.tournament), where)


def _meets_often(plan: TournamentPlan) -> None:
    plan.format.round_robin.cycle_count = CYCLES
    plan.failures_allowed = MANY_FAILURES


def _earlier_wins() -> Script:
    """Return the script in which of two in a game the later entrant fails, but in the first game the earlier one.

    After some games of three the intervals of the first and the last one overlap no more, but both with that of the
    other.
    """
    seats = defaultdict[str, set[int]](set)

    def script(asked: Asked) -> Act | None:
        game_id = getattr(asked.request, "game_id", "")
        seats[game_id].add(asked.seat)
        if asked.method != "TakeTurn":
            return None
        fails = min if game_id.endswith(FIRST_GAME) else max
        return FAILED(asked) if asked.seat == fails(seats[game_id]) else None

    return script


@server_case("format.seeds", "SEED-1", "SEED-2")
async def seeds(context: ServerContext) -> None:
    """Whoever knows the secret of a tournament that is over can draw its games again."""
    shown = (await league(context)).tournament
    same(
        "The secret of the tournament", sha256(f"fairplay tournament {shown.plan.seed}".encode()).digest(), shown.secret
    )
    for round_ in shown.rounds:
        for table, game in enumerate(round_.games, 1):
            drawn = hmac.digest(shown.secret, f"game/{round_.number}/{table}".encode(), "sha256")
            plan = (await context.ask("GetGame", GetGameRequest(game_id=game.game_id))).game.plan
            same(f"The seed of the game {game.game_id}", int.from_bytes(drawn[:8], "big") >> 11, plan.seed)


CASES: tuple[Case, ...] = (
    round_robin,
    standings,
    listed,
    unknown,
    does_not_fit,
    aborted_game,
    all_aborted,
    one_game_at_a_time,
    points,
    seeds,
)

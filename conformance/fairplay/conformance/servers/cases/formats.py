"""Whether formats other than knockout play the games that the contract says, and what failures cost in them."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import combinations, groupby, product

from fairplay.conformance.case import Case, Failure, failure
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
from fairplay.conformance.servers.context import OPEN, ServerContext, server_case
from fairplay.conformance.servers.scenes import NAMES, PATIENT, Act, Asked, Script, at, fail, hang, sound_script
from fairplay.games.conformance import find_conformance
from fairplay.server.manager.course import Course
from fairplay.v1.manager_pb2 import (
    GetStandingsRequest,
    GetTournamentRequest,
    ListTournamentGamesRequest,
    StartTournamentRequest,
)
from fairplay.v1.referee_pb2 import GetGameRequest, ListGamesRequest, StopGameRequest
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    RoundGameStatus,
    Standing,
    Tournament,
    TournamentFailure,
    TournamentPlan,
    TournamentStatus,
    WithdrawnGames,
)

ENTRANTS = 4
FIRST_GAME = "/r1g1"
"""The end of the id of the first game of a tournament."""
FAILED = fail(2, "scripted failure")
MEETINGS = 2
"""So often a challenger meets each other entrant."""
MOST_GAMES, PRECISION = 12, 50
"""The most games of a ladder, and the half width of an interval, in Elo, at which it may end before."""
OTHER_LOTS = 40
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
COUNTED_WITHIN_S, PAUSE_S = 10.0, 0.1
PAGE_SIZE = 3
NOT_BEGUN = (RoundGameStatus.ROUND_GAME_STATUS_WAITING, RoundGameStatus.ROUND_GAME_STATUS_SKIPPED)
COUNTED = ("game_count", "win_count", "tie_count", "loss_count", "failure_count", "withdrawn", "unplayed")
"""What the standings count of each entrant beside its points."""


def _everybody_meets(plan: TournamentPlan) -> None:
    plan.format.round_robin.SetInParent()


def _end_alone(change: Callable[[TournamentPlan], None], plan: TournamentPlan) -> None:
    """Have games end as soon as a single player is left: what comes later decides nothing here."""
    change(plan)
    getattr(plan.settings, plan.game).MergeFrom(find_conformance(plan.game).leaving_settings[-1])


def _games(ended: Ended) -> list[RoundGame]:
    return [game for round_ in ended.tournament.rounds for game in round_.games]


def _meetings(games: Sequence[RoundGame]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(sorted(game.players)) for game in games)


async def _league(context: ServerContext) -> Ended:
    """Return a round robin of sound players, played once."""
    if "league" not in context.kept:
        context.kept["league"] = (await play(context, change=_everybody_meets, count=ENTRANTS), list(context.trace))
    ended, context.trace = context.kept["league"][0], list(context.kept["league"][1])
    found: Ended = ended
    return found


@server_case("format.round-robin", "ROBIN-1", "ROBIN-3")
async def round_robin(context: ServerContext) -> None:
    """Everybody plays everybody, and nobody begins more often than others."""
    games = _games(await _league(context))
    same("The meetings of pairs", dict(Counter(combinations(NAMES[:ENTRANTS], 2))), dict(_meetings(games)))
    firsts = Counter(game.players[0] for game in games)
    counts = [firsts[name] for name in NAMES[:ENTRANTS]]
    if max(counts) - min(counts) > 1:
        raise failure("Some entrants have the first seat more often than others.", ("First seats", str(firsts)))


@server_case("format.deals", "FORMAT-4", "FORMAT-5", "FORMAT-6")
async def deals(context: ServerContext) -> None:
    """Neither the luck of the deal nor that of the seat decides."""

    def change(plan: TournamentPlan) -> None:
        _everybody_meets(plan)
        plan.deal_count = 1

    games = _games(await play(context, change=change, count=3))
    same("How many games each pair plays", [2, 2, 2], [*_meetings(games).values()])
    by_deal: dict[int, list[RoundGame]] = {}
    for game in games:
        by_deal.setdefault(game.deal, []).append(game)
    same("How many deals there are", 3, len(by_deal))
    for dealt in by_deal.values():
        first, *rest = (list(game.players) for game in dealt)
        same("The seats in the second game of a deal", [[*first[1:], *first[:1]]], rest)
        seeds = [(await context.ask("GetGame", GetGameRequest(game_id=game.game_id))).game.plan.seed for game in dealt]
        same("How many seeds the games of a deal have", 1, len({*seeds}))


@server_case("format.failure", "TOUR-6")
async def one_failure(context: ServerContext) -> None:
    """In a league a failure costs the game in which it happens, and nothing else."""
    failed: list[str] = []

    def script(asked: Asked) -> Act | None:
        if asked.seat != 0 or asked.method != "TakeTurn" or failed not in ([], [asked.request.game_id]):
            return None
        failed.append(asked.request.game_id)
        return FAILED(asked)

    ended = await play(context, script, _everybody_meets, ENTRANTS)
    same("Who failed", [NAMES[0]], [each.misconduct.player for each in ended.tournament.result.failures])
    same("The meetings of pairs", dict(Counter(combinations(NAMES[:ENTRANTS], 2))), dict(_meetings(_games(ended))))
    same("Who is told End", list(range(ENTRANTS)), sorted(each.seat for each in calls_of(ended.cast.received, "End")))


@server_case("format.withdrawn", "TOUR-4", "TOUR-5", "ROBIN-4")
async def withdrawn(context: ServerContext) -> None:
    """Whoever fails again and again is out, and everybody else plays on."""

    def change(plan: TournamentPlan) -> None:
        _everybody_meets(plan)
        plan.failures_allowed = 0

    def script(asked: Asked) -> Act | None:
        return FAILED(asked) if asked.seat == 0 and asked.method == "Start" else None

    ended = await play(context, script, change, ENTRANTS)
    later = [each.method for each in ended.cast.received if each.seat == 0 and each.method != "Start"]
    same("The calls to the player that was withdrawn", [], later)
    same(
        "The meetings of the others",
        dict(Counter(combinations(NAMES[1:ENTRANTS], 2))),
        dict(_meetings(_games(ended))),
    )


@server_case("format.standings", "STAND-1", "STAND-2", "STAND-7", "ASK-11")
async def standings(context: ServerContext) -> None:
    """The standings and the games of a tournament can be had in pages, and the standings while it goes on."""
    await _check_counted_at_once(context)
    ended = await _league(context)
    tournament_id, games = ended.tournament.tournament_id, _games(ended)
    reply = await context.ask("GetStandings", GetStandingsRequest(tournament_id=tournament_id))
    lines = reply.standings.standings
    same("Who is in the standings", sorted(NAMES[:ENTRANTS]), sorted(line.name for line in lines))
    same("The games of each", [ENTRANTS - 1] * ENTRANTS, [line.game_count for line in lines])
    same("The points together", float(len(games)), round(sum(line.points for line in lines), 6))
    same("The order of points", sorted((line.points for line in lines), reverse=True), [line.points for line in lines])
    for method, kind in (("GetStandings", GetStandingsRequest), ("ListTournamentGames", ListTournamentGamesRequest)):
        wrong = kind(tournament_id=tournament_id, page_token="no-such-page")
        await context.refused(method, wrong, "INVALID_PAGE_TOKEN", about="a page token of nobody")
    few = GetStandingsRequest(tournament_id=tournament_id, page_size=PAGE_SIZE)
    pages = await context.list_pages("GetStandings", few)
    other = ListTournamentGamesRequest(tournament_id=tournament_id, page_token=pages[0].next_page_token)
    await context.refused("ListTournamentGames", other, "INVALID_PAGE_TOKEN", about="a page token of GetStandings")
    same("The standings over all pages", list(lines), [line for page in pages for line in page.standings.standings])
    await _check_games_listed(context, ended.tournament)


async def _check_counted_at_once(context: ServerContext) -> None:
    """Check that the standings count the first game of a tournament while the second one is played."""
    gate = asyncio.Event()

    def script(asked: Asked) -> Act | None:
        waits = asked.method == "TakeTurn" and not asked.request.game_id.endswith(FIRST_GAME)
        return replace(FAILED(asked), gate=gate) if waits else None

    async with entered(context, script, ENTRANTS - 1) as players:
        request = players.request
        request.plan.time_control.CopyFrom(PATIENT)
        _everybody_meets(request.plan)
        await create(context, request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        try:
            await _until_one_counts(context, request.tournament_id)
        finally:
            gate.set()
        await ends_by_itself(context, request)


async def _until_one_counts(context: ServerContext, tournament_id: str) -> None:
    """Wait until the standings count a game. Raises Failure if they count none in time, or more."""
    until = asyncio.get_running_loop().time() + COUNTED_WITHIN_S
    while not (
        got := (await context.ask("GetStandings", GetStandingsRequest(tournament_id=tournament_id))).standings
    ).game_count:
        if asyncio.get_running_loop().time() > until:
            raise failure(
                f"A game must count in the standings when it is over; it did not within {COUNTED_WITHIN_S:g} s."
            )
        await asyncio.sleep(PAUSE_S)
    same("The games that count while the second one is played", 1, got.game_count)
    same(
        "The games of those who have played the first one", [0, 1, 1], sorted(line.game_count for line in got.standings)
    )
    same("Whether the standings of a tournament that goes on are those at its end", False, got.complete)


async def _check_games_listed(context: ServerContext, shown: Tournament) -> None:
    """Check that all games of a tournament are listed, those that wait and those that were skipped included."""
    request = ListTournamentGamesRequest(tournament_id=shown.tournament_id, page_size=PAGE_SIZE)
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
        _everybody_meets(request.plan)
        await context.ask("CreateTournament", request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        async with asyncio.timeout(WAIT_S):
            await called.wait()
        starting = StartTournamentRequest(tournament_id=request.tournament_id)
        status = (await context.ask("StartTournament", starting)).tournament.status  # a repeat changes nothing
        same("The status of a tournament that is started again", TournamentStatus.TOURNAMENT_STATUS_RUNNING, status)
        got = GetTournamentRequest(tournament_id=request.tournament_id)
        try:  # everybody else waits for who is in this game
            await _check_games_listed(context, (await context.ask("GetTournament", got)).tournament)
        finally:
            gate.set()
        shown = await ends_by_itself(context, request)
    same("How often Start was called", ENTRANTS - 1, len(calls_of(players.cast.received, "Start")))
    _check_course(shown, sound_script)
    await _check_games_listed(context, shown)


@server_case("format.fails-end", "TOUR-4", "TOUR-7", "TOUR-8", "TOUR-9")
async def fails_end(context: ServerContext) -> None:
    """What it costs to fail End depends on who fails, and on what the plan allows."""
    who = {"the winner": lambda won: won, "the loser": lambda won: not won, "everybody": lambda _: True}
    for (title, fails), (format_, change), allowed in product(who.items(), ENDS.items(), (0, 1)):

        def script(asked: Asked, fails: Callable[[bool], bool] = fails) -> Act | None:
            return FAILED(asked) if asked.method == "End" and fails(asked.request.won) else None

        plan = partial(_allow, change, allowed)
        where = f"where {title} fails End in {format_} with failures_allowed {allowed}"
        shown = (await play(context, script, plan, 2)).tournament
        _check_course(shown, script, where)


def _allow(change: Callable[[TournamentPlan], None], allowed: int, plan: TournamentPlan) -> None:
    change(plan)
    plan.failures_allowed = allowed


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


@server_case("format.does-not-fit", "FORMAT-2")
async def does_not_fit(context: ServerContext) -> None:
    """Entrants that cannot play in a format learn it before they have played in vain."""
    request = make_request(context, ["dial-in:nobody", "dial-in:no-one"])
    request.plan.sign_up.max_entrant_count = 2
    request.plan.format.gauntlet.challengers.append(NAMES[ENTRANTS])
    await context.refused("CreateTournament", request, "FORMAT_DOES_NOT_FIT")
    request = make_request(context, ["dial-in:nobody", "dial-in:no-one"])
    request.plan.format.round_robin.seat_count = 3
    await context.ask("CreateTournament", request)
    starting = StartTournamentRequest(tournament_id=request.tournament_id)
    await context.refused("StartTournament", starting, "FORMAT_DOES_NOT_FIT", about="two entrants for games of three")
    shown = (await context.ask("GetTournament", GetTournamentRequest(tournament_id=request.tournament_id))).tournament
    same("The games of a tournament that could not be played", 0, len(shown.rounds))


def follow(shown: Tournament, script: Script = sound_script, idle: Collection[tuple[str, str]] = ()) -> Course:
    """Return the course that a tournament takes by its plan, its secret and the results of its games.

    `script` says who fails outside of games, `idle` who has made no decision in which game, by name and id.

    Raises Failure if a game was not played that this course has.
    """
    header = Tournament(
        tournament_id=shown.tournament_id, plan=shown.plan, entrants=shown.entrants, secret=shown.secret
    )
    course = Course(header, lambda _: None, lambda _: None)
    games = {game.game_id: game for round_ in shown.rounds for game in round_.games}
    while not course.over:
        for seat in list(course.open_calls):
            course.apply_outcome(seat, outcome_of(script, course.open_calls[seat].call))
        for game_id in list(course.open_games):
            if game_id not in games:
                raise failure(f"The game {game_id} must be played; it was not.")
            if games[game_id].status == RoundGameStatus.ROUND_GAME_STATUS_SKIPPED:
                gone = course.withdrawn & {*course.open_games[game_id].pairing.entrants}
                course.leave_out(game_id, gone)
            numbers = enumerate(shown.entrants)
            idlers = [number for number, each in numbers if (each.name, game_id) in idle]
            course.apply_result(game_id, games[game_id].result, idlers)
    return course


def _course(
    name: str, why: str, change: Callable[[TournamentPlan], None], *checks: str, script: Script = sound_script
) -> Case:
    @server_case(f"format.{name}", *checks)
    async def takes_its_course(context: ServerContext) -> None:
        shown = (await play(context, script, change)).tournament
        await _check_lines(context, _check_course(shown, script), script)
        await _check_games_listed(context, shown)

    return replace(takes_its_course, why=why)


def _check_course(shown: Tournament, script: Script, where: str = "") -> Tournament:
    """Check the games and the order of a tournament in which lots decide little; `where` says what is special about it.

    The generator that draws them is a server's own: the course may be that of other lots. Return the tournament with a
    secret of which its lots follow.
    """
    found = _wrong_course(shown, script, where)
    if found is None:
        return shown
    other = Tournament()
    other.CopyFrom(shown)
    for number in range(OTHER_LOTS):
        other.secret = sha256(f"other lots {number}".encode()).digest()
        if _wrong_course(other, script) is None:
            return other
    raise found


def _wrong_course(shown: Tournament, script: Script, where: str = "") -> Failure | None:
    """Return what is wrong with the games and the order of a tournament, with the lots that follow from its secret."""
    try:
        _compare_courses(shown, script, where)
    except Failure as found:
        return found
    return None


def _compare_courses(shown: Tournament, script: Script, where: str) -> None:
    course = follow(shown, script)
    assert course.result is not None
    where = where and f", {where},"
    same(f"The rounds{where}", _rounds(course.message), _rounds(shown))
    same(f"The winners{where}", list(course.result.winners), list(shown.result.winners))
    same(f"The others{where}", list(course.result.others), list(shown.result.others))
    same(f"The failures{where}", *(list(map(_failure, result.failures)) for result in (course.result, shown.result)))
    for name in ("game_count", "round_count", "skipped_game_count"):
        same(f"The {name} of the tournament", getattr(course.message, name), getattr(shown, name))


def _failure(failed: TournamentFailure) -> str:
    """Return who failed in what, e.g. "anna in End" or "bert in TakeTurn of certify-1-cup/r1g1"."""
    method = failed.misconduct.method_name.rpartition("/")[2]
    return f"{failed.misconduct.player} in {method}{f' of {failed.game_id}' if failed.game_id else ''}"


def _rounds(shown: Tournament) -> list[list[tuple[str, list[str], int]]]:
    return [[(game.game_id, list(game.players), game.deal) for game in each.games] for each in shown.rounds]


def _three_each(plan: TournamentPlan) -> None:
    plan.format.knockout.games_per_match = 3  # two deals between two


def _lose_twice(plan: TournamentPlan) -> None:
    plan.format.double_elimination.SetInParent()


def _games_of_three(plan: TournamentPlan) -> None:
    plan.format.round_robin.seat_count = 3


def _end_does_not_count(plan: TournamentPlan) -> None:
    plan.format.knockout.end_failure_is_failure = False


ENDS: dict[str, Callable[[TournamentPlan], None]] = {
    "a knockout": lambda plan: plan.format.knockout.SetInParent(),
    "a knockout without end_failure_is_failure": _end_does_not_count,
    "a round robin": _everybody_meets,
}
"""Formats, by what failures in End come to in them."""


TIES: dict[str, Callable[[TournamentPlan], None]] = {
    "a knockout": lambda plan: plan.format.knockout.SetInParent(),
    "a knockout of matches": _three_each,
    "a double elimination": _lose_twice,
    "a round robin": _everybody_meets,
}
"""Formats in which it follows from the games alone who has won, also where all of them are tied."""


def _swiss(plan: TournamentPlan) -> None:
    plan.format.swiss.round_count = 4


def _gauntlet(plan: TournamentPlan) -> None:
    plan.format.gauntlet.meeting_count = MEETINGS


def _gauntlet_of_three(plan: TournamentPlan) -> None:
    plan.format.gauntlet.seat_count = 3
    plan.format.gauntlet.meeting_count = MEETINGS


def _ladder(plan: TournamentPlan) -> None:
    plan.format.ladder.game_limit = MOST_GAMES
    plan.format.ladder.precision = PRECISION


def _fails_turns(asked: Asked) -> Act | None:
    """Fail in every turn of the second entrant."""
    return FAILED(asked) if asked.seat == 1 and asked.method == "TakeTurn" else None


def _challenger_fails(asked: Asked) -> Act | None:
    return FAILED(asked) if asked.seat == 0 and asked.method == "TakeTurn" else None


def _one_failure(change: Callable[[TournamentPlan], None], plan: TournamentPlan) -> None:
    """Have an entrant withdrawn for its first failure."""
    change(plan)
    plan.failures_allowed = 0


def _two_stages(plan: TournamentPlan) -> None:
    stages = plan.format.stages.stages
    stages.add(top_count=3).format.round_robin.SetInParent()
    stages.add().format.knockout.SetInParent()


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
    _check_course(shown, sound_script)


@server_case("format.aborted-game", "TOUR-10", "KNOCKOUT-3")
async def aborted_game(context: ServerContext) -> None:
    """A game that was stopped has decided nothing, and nobody is out for it."""
    await _stopped(context, ENTRANTS + 1)


@server_case("format.all-aborted", "TOUR-10", "KNOCKOUT-7")
async def all_aborted(context: ServerContext) -> None:
    """Where no game could be played nobody has won."""
    await _stopped(context, 2)


@server_case("format.ties", "KNOCKOUT-6", "KNOCKOUT-8", "DOUBLE-3", "STAND-2")
async def ties(context: ServerContext) -> None:
    """Who are level whenever they meet share what there is to win, and meet no more often than the format says."""
    for title, change in TIES.items():
        shown = (await play(context, change=partial(_where_nobody_moves, change), count=ENTRANTS + 1)).tournament
        _check_course(shown, sound_script, f"where all games of {title} are tied")


def _where_nobody_moves(change: Callable[[TournamentPlan], None], plan: TournamentPlan) -> None:
    """Have games played on a board of a single row, on which no tile has a neighbour."""
    change(plan)
    board = getattr(plan.settings, OPEN)
    board.rows, board.columns = 1, 12


@server_case("format.one-game-at-a-time", "TOUR-11")
async def one_game_at_a_time(context: ServerContext) -> None:
    """A player that is in one game has all its time for it."""
    league = await _league(context)
    for seat in range(ENTRANTS):
        received = [each for each in league.cast.received if each.seat == seat]
        games = [getattr(each.asked, "game_id", "") for each in received]
        turns = [game_id for game_id, _ in groupby(filter(None, games))]
        if len(set(turns)) < len(turns):
            raise failure(f"{NAMES[seat]} was in two games at once.", ("Its games in turn", ", ".join(turns)))


courses = (
    _course("matches", "A match of several games decides who goes on.", _three_each, "KNOCKOUT-8", "SEED-3", "NAME-10"),
    _course(
        "double-elimination",
        "Who has lost once can still win.",
        _lose_twice,
        "DOUBLE-1",
        "DOUBLE-2",
        "DOUBLE-3",
    ),
    _course("larger-games", "In games of three everybody meets everybody, too.", _games_of_three, "ROBIN-2", "ROBIN-5"),
    _course(
        "swiss", "Nobody meets the same player twice.", _swiss, "SWISS-1", "SWISS-2", "SWISS-3", "SWISS-4", "SWISS-6"
    ),
    _course(
        "swiss-withdrawn",
        "Who is left of a game that is not played is not to blame for that.",
        partial(_one_failure, _swiss),
        "SWISS-5",
        "TOUR-14",
        script=_fails_turns,
    ),
    _course(
        "stages-withdrawn",
        "Who has played no game of a stage to its end is in no other one.",
        _two_stages,
        "STAGE-2",
        script=_fails_turns,
    ),
    _course("stages", "The best of a stage play the next one.", _two_stages, "STAGE-1", "STAGE-3", "STAGE-4"),
)


@server_case("format.gauntlet", "GAUNTLET-1", "GAUNTLET-3", "STAND-3")
async def gauntlet(context: ServerContext) -> None:
    """A challenger is measured against all others."""
    ended = await play(context, change=_gauntlet)
    games = _games(ended)
    others = NAMES[1 : len(ended.tournament.entrants)]
    same("The meetings of pairs", {(NAMES[0], name): MEETINGS for name in others}, dict(_meetings(games)))
    first_list = _meetings(games[: len(others)])
    same("Whom the challenger meets before it meets anybody again", len(others), len(first_list))
    same("The games of each round", [1] * len(games), [len(each.games) for each in ended.tournament.rounds])
    _check_seats(games)
    await _check_ratings_decide(context, ended.tournament)
    everybody = partial(_end_alone, lambda plan: plan.format.gauntlet.SetInParent())
    ended = await play(context, _challenger_wins_once, everybody, ENTRANTS)
    await _check_lines(context, ended.tournament, where=", who has as many points as others that it has not met,")


def _challenger_wins_once(asked: Asked) -> Act | None:
    """Have the challenger win its first game and lose all others: those who beat it have as many points as it has."""
    first = asked.method == "TakeTurn" and asked.request.game_id.endswith(FIRST_GAME)
    return FAILED(asked) if asked.method == "TakeTurn" and (asked.seat == 0) is not first else None


@server_case("format.gauntlet-withdrawn", "GAUNTLET-2", "TOUR-14")
async def gauntlet_of_the_others(context: ServerContext) -> None:
    """A challenger goes on against those who are left, and nobody goes on without the challenger."""
    ended = await play(context, _fails_turns, partial(_one_failure, _gauntlet))
    await _check_games_listed(context, ended.tournament)
    played = [each for each in _games(ended) if each.status != RoundGameStatus.ROUND_GAME_STATUS_SKIPPED]
    challenger, failing, *others = NAMES[: len(ended.tournament.entrants)]
    wanted = {(challenger, failing): 1} | {(challenger, name): MEETINGS for name in others}
    same("The meetings of pairs", wanted, dict(_meetings(played)))
    result = ended.tournament.result
    same("Who failed", [failing], [each.misconduct.player for each in result.failures])
    same("Who is ranked", sorted([challenger, *others]), sorted([*result.winners, *result.others]))
    ended = await play(context, _challenger_fails, partial(_one_failure, _gauntlet_of_three), ENTRANTS)
    played = [each for each in _games(ended) if each.status != RoundGameStatus.ROUND_GAME_STATUS_SKIPPED]
    first = [each.game_id for each in _games(ended)][:1]
    same("The games of a gauntlet whose challenger is withdrawn in the first", first, [each.game_id for each in played])


@server_case("format.ladder", "LADDER-1", "LADDER-2", "LADDER-3")
async def ladder(context: ServerContext) -> None:
    """Those play first of whom least is known."""
    ended = await play(context, change=_ladder)
    paired = [[name for game in each.games for name in game.players] for each in ended.tournament.rounds]
    for number, names in enumerate(paired, 1):
        if len({*names}) < len(names):
            raise failure(f"Somebody is in two games of round {number}.", ("Its players", ", ".join(names)))
    if len(paired) > 2:  # of the first round alone the results are known before the third one
        waiting = {each.name for each in ended.tournament.entrants}.difference(paired[0])
        same("Who waited in round 1 and plays in round 3", sorted(waiting), sorted(waiting.intersection(paired[2])))
    _check_seats(_games(ended))
    lines = await _check_ratings_decide(context, ended.tournament)
    wide = any(each.rating.high - each.rating.low > 2 * PRECISION for each in lines)
    if wide or len(_games(ended)) > MOST_GAMES:
        same("The number of games", MOST_GAMES, len(_games(ended)))


def _check_seats(games: Sequence[RoundGame]) -> None:
    """Check that two who meet in single games take the seats that they have had less often."""
    had: Counter[tuple[str, int]] = Counter()
    for game in games:
        one, other = game.players
        if had[one, 0] + had[other, 1] > had[other, 0] + had[one, 1]:
            raise failure(
                f"In {game.game_id} {one} and {other} must sit the other way round: so they have sat less often."
            )
        had.update([(one, 0), (other, 1)])


async def _check_ratings_decide(context: ServerContext, shown: Tournament) -> Sequence[Standing]:
    """Check that the ratings decide the order of a tournament, where the server gives any. Return its standings."""
    got = await context.ask("GetStandings", GetStandingsRequest(tournament_id=shown.tournament_id))
    lines: Sequence[Standing] = got.standings.standings
    order = [*shown.result.winners, *shown.result.others]
    same("The names in the standings", order, [each.name for each in lines])
    ratings = [round(each.rating.value, 3) for each in lines if each.HasField("rating")]
    same("The order of the ratings", sorted(ratings, reverse=True), ratings)
    return lines


@server_case("format.points", "STAND-2", "STAND-3", "STAND-6", "RATING-1", "RATING-2", "SEED-3")
async def points(context: ServerContext) -> None:
    """Points, tie-breaks, ratings and bands follow from the games, and everybody can compute them again."""
    await _check_standings(context, (await _league(context)).tournament)
    ended = await play(context, _earlier_wins(), partial(_end_alone, _meets_often), ENTRANTS - 1)
    await _check_standings(context, ended.tournament, where=" in a long tournament that the earlier one of two wins")


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


def _fails_after_the_first_round(asked: Asked) -> Act | None:
    """Fail in the turns of the first entrant, but for those of its first game."""
    if asked.seat != 0 or asked.method != "TakeTurn" or "/r1g" in asked.request.game_id:
        return None
    return FAILED(asked)


@server_case("format.points-of-withdrawn", "STAND-4", "STAND-5", "RATING-3")
async def points_of_withdrawn(context: ServerContext) -> None:
    """Who was withdrawn comes last, and its games count for nobody, or for everybody, alike."""
    counted, struck = WithdrawnGames.WITHDRAWN_GAMES_COUNTED, WithdrawnGames.WITHDRAWN_GAMES_STRUCK
    at_once, later = at(0, "Start", FAILED), _fails_after_the_first_round
    for script, given in ((at_once, None), (later, None), (later, counted)):

        def change(plan: TournamentPlan, given: WithdrawnGames.ValueType | None = given) -> None:
            _everybody_meets(plan)
            plan.failures_allowed = 0
            if given is not None:
                plan.withdrawn_games = given

        shown = (await play(context, script, change, ENTRANTS)).tournament
        wanted = WithdrawnGames.Name(struck if given is None else given)
        same("The withdrawn_games of a round robin", wanted, WithdrawnGames.Name(shown.plan.withdrawn_games))
        same("Who failed", [NAMES[0]], [each.misconduct.player for each in shown.result.failures])
        where = f", where the games of {NAMES[0]}, who was withdrawn, {'count' if given else 'do not count'},"
        await _check_standings(context, shown, script, where)


@server_case("format.unplayed", "STAND-5", "RATING-3")
async def unplayed(context: ServerContext) -> None:
    """Who has failed and never shown how it plays comes last, and has no rating, however many points it has."""
    change = partial(_allow, partial(_end_alone, _everybody_meets), 1)
    shown = (await play(context, _nobody_decides, change, 2)).tournament
    idle = {(shown.entrants[0].name, f"{shown.tournament_id}{FIRST_GAME}")}
    await _check_standings(context, shown, _nobody_decides, " who has failed and made no decision", idle)
    for script, allowed in ((_bye_fails_end, 1), (_all_fail_end, 0)):
        shown = (await play(context, script, partial(_allow, _one_round, allowed), ENTRANTS - 1)).tournament
        where = f" where failures_allowed is {allowed} and who fails End has sat out its only round"
        await _check_standings(context, shown, script, where)


def _nobody_decides(asked: Asked) -> Act | None:
    """Have the first entrant fail Start, and the second one its games before anybody has made a decision."""
    return FAILED(asked) if (asked.seat, asked.method) in ((0, "Start"), (1, "PlayAs")) else None


def _one_round(plan: TournamentPlan) -> None:
    plan.format.swiss.round_count = 1


def _bye_fails_end(asked: Asked) -> Act | None:
    """Have the last entrant, who sits out the first round, fail End, and all others Start too."""
    return FAILED(asked) if asked.method == "End" or (asked.method == "Start" and asked.seat != ENTRANTS - 2) else None


def _all_fail_end(asked: Asked) -> Act | None:
    return FAILED(asked) if asked.method == "End" else None


async def _check_standings(
    context: ServerContext,
    shown: Tournament,
    script: Script = sound_script,
    where: str = "",
    idle: Collection[tuple[str, str]] = (),
) -> None:
    """Check the standings of a tournament; `where` says what is special about it, `idle` is as in `follow`."""
    wanted, lines = await _check_lines(context, shown, script, where, idle)
    same(
        f"The places and what decides them{where}",
        *([(each.place, _decides(each)) for each in kept] for kept in (wanted, lines)),
    )


async def _check_lines(
    context: ServerContext,
    shown: Tournament,
    script: Script = sound_script,
    where: str = "",
    idle: Collection[tuple[str, str]] = (),
) -> tuple[Sequence[Standing], Sequence[Standing]]:
    """Check what the standings say of each entrant, in whatever order. Return them as they must be, and as they are."""
    got = await context.ask("GetStandings", GetStandingsRequest(tournament_id=shown.tournament_id))
    due = await follow(shown, script, idle).standings.latest()
    for name in ("entrant_count", "game_count", "round_count", "complete"):
        same(f"The {name} of the standings{where}", getattr(due, name), getattr(got.standings, name))
    wanted = due.standings
    lines: Sequence[Standing] = got.standings.standings
    came = {each.name: each for each in lines}
    same("The names in the standings", sorted(each.name for each in wanted), sorted(each.name for each in lines))
    rates = any(each.HasField("rating") for each in lines)
    for one in wanted:
        other = came[one.name]
        same(f"The points of {one.name}{where}", round(one.points, 6), round(other.points, 6))
        same(f"The tie-breaks of {one.name}{where}", _tie_breaks(one), _tie_breaks(other))
        for name in COUNTED:
            same(f"The {name} of {one.name}{where}", getattr(one, name), getattr(other, name))
        if rates:
            same(f"The rating of {one.name}, its interval and its band{where}", _rating(one), _rating(other))
    return wanted, lines


def _decides(line: Standing) -> tuple[bool, float, list[tuple[str, float]]]:
    """Return what decides the place of an entrant, but for the lot, for which a server has a generator of its own."""
    return line.withdrawn, round(line.points, 6), _tie_breaks(line)


def _tie_breaks(line: Standing) -> list[tuple[str, float]]:
    """Return the tie-breaks but for the lot, rounded: the last digits depend on the machine."""
    return [(each.name, round(each.value, 6)) for each in line.tie_breaks if each.name != "lot"]


def _rating(line: Standing) -> list[float]:
    """Return the rating, the interval and the band of a line; nothing if it has no rating."""
    if not line.HasField("rating"):
        return []
    return [*(round(value, 3) for value in (line.rating.value, line.rating.low, line.rating.high)), line.band]


@server_case("format.seeds", "SEED-1", "SEED-2")
async def seeds(context: ServerContext) -> None:
    """Whoever knows the secret of a tournament that is over can draw its games again."""
    shown = (await _league(context)).tournament
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
    deals,
    one_failure,
    withdrawn,
    standings,
    listed,
    fails_end,
    unknown,
    does_not_fit,
    *courses,
    gauntlet,
    gauntlet_of_the_others,
    ladder,
    aborted_game,
    all_aborted,
    ties,
    one_game_at_a_time,
    points,
    points_of_withdrawn,
    unplayed,
    seeds,
)

"""Whether formats other than knockout play the games that the contract says, and what failures cost in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from fairplay.conformance.case import Case, failure
from fairplay.conformance.servers.cases.tournaments import Ended, calls_of, make_request, play
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import ServerContext, server_case
from fairplay.conformance.servers.scenes import NAMES, Act, Asked, fail
from fairplay.games.conformance import Level
from fairplay.v1.manager_pb2 import GetStandingsRequest, ListTournamentGamesRequest
from fairplay.v1.referee_pb2 import GetGameRequest
from fairplay.v1.tournament_pb2 import RoundGame, TournamentPlan

ENTRANTS = 4
FAILED = fail(2, "scripted failure")


def _everybody_meets(plan: TournamentPlan) -> None:
    plan.format.round_robin.SetInParent()


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


@server_case("format.round-robin", "ROBIN-1", "ROBIN-3", level=Level.SHOULD)
async def round_robin(context: ServerContext) -> None:
    """Everybody plays everybody, and nobody begins more often than others."""
    games = _games(await _league(context))
    same("The meetings of pairs", dict(Counter(combinations(NAMES[:ENTRANTS], 2))), dict(_meetings(games)))
    firsts = Counter(game.players[0] for game in games)
    counts = [firsts[name] for name in NAMES[:ENTRANTS]]
    if max(counts) - min(counts) > 1:
        raise failure("Some entrants have the first seat more often than others.", ("First seats", str(firsts)))


@server_case("format.deals", "FORMAT-4", "FORMAT-5", "FORMAT-6", level=Level.SHOULD)
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


@server_case("format.failure", "TOUR-6", level=Level.SHOULD)
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


@server_case("format.withdrawn", "TOUR-4", "TOUR-5", "ROBIN-4", level=Level.SHOULD)
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


@server_case("format.standings", "STAND-2", "STAND-7", level=Level.SHOULD)
async def standings(context: ServerContext) -> None:
    """The standings and the games of a tournament can be had in pages."""
    ended = await _league(context)
    tournament_id, games = ended.tournament.tournament_id, _games(ended)
    reply = await context.ask("GetStandings", GetStandingsRequest(tournament_id=tournament_id))
    lines = reply.standings.standings
    same("Who is in the standings", sorted(NAMES[:ENTRANTS]), sorted(line.name for line in lines))
    same("The games of each", [ENTRANTS - 1] * ENTRANTS, [line.game_count for line in lines])
    same("The points together", float(len(games)), round(sum(line.points for line in lines), 6))
    same("The order of points", sorted((line.points for line in lines), reverse=True), [line.points for line in lines])
    listed: list[str] = []
    token = ""
    while True:
        request = ListTournamentGamesRequest(tournament_id=tournament_id, page_size=4, page_token=token)
        page = await context.ask("ListTournamentGames", request)
        listed += [game.game_id for game in page.games]
        if not (token := page.next_page_token):
            break
    same("The games", [game.game_id for game in games], listed)


@server_case("format.unknown", "FORMAT-1", level=Level.SHOULD)
async def unknown(context: ServerContext) -> None:
    """A format that is not installed is refused, before anybody has entered."""
    request = make_request(context)
    request.plan.format.custom.name = "no-such-format"
    await context.refused("CreateTournament", request, "INVALID_FORMAT")


CASES: tuple[Case, ...] = (round_robin, deals, one_failure, withdrawn, standings, unknown)

"""Tournaments: sign-up, rounds, standings with ratings, running games, failures; and the page of an entrant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client.results import Meeting, band_warning, meetings, played_game
from fairplay.v1.manager_pb2 import ListTournamentGamesRequest, ListTournamentsRequest
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.tournament_pb2 import Round, RoundGame, RoundGameStatus, Standing, Tournament
from fairplay.web.contests import Contest
from fairplay.web.pages.organising import organiser_of
from fairplay.web.site import page, render, site_of, stream
from fairplay.web.upstream import ANSWER_LIMIT_S, Upstream

PAGE_SIZE = 50
GAMES_PAGE_SIZE = 100
MAX_LISTED_GAMES = 100
"""How many games the page of a tournament lists by round, and how many failures: the latest. Another page has all."""
MAX_BOARDS = 12
MAX_CROSS = 24
MAX_TIMED_GAMES = 20
BAR_WIDTH = 100.0


async def tournaments(request: Request) -> Response:
    """List the tournaments."""
    asked = ListTournamentsRequest(page_size=PAGE_SIZE, page_token=request.query_params.get("page", ""))
    reply = await site_of(request).upstream.manager.ListTournaments(asked, timeout=ANSWER_LIMIT_S)
    return page(
        request,
        "tournaments.html",
        listed=reply.tournaments,
        next_page=reply.next_page_token,
        organises=await organiser_of(request) is not None,
    )


async def tournament(request: Request) -> Response:
    """Show a tournament; with `?screen` for a projector, one part after the other."""
    contest = await site_of(request).contests.find(request.path_params["id"])
    screen = "screen" in request.query_params
    return page(
        request,
        "tournament.html",
        contest=contest,
        screen=screen,
        parts=_parts(request, contest),
        organises=not contest.over and not screen and await organiser_of(request) is not None,
    )


async def events(request: Request) -> Response:
    """Stream the parts of a tournament as they change."""
    contest = await site_of(request).contests.find(request.path_params["id"])
    changes = contest.changes
    return stream(
        request, lambda: _parts(request, contest), changes.wait, lambda: changes.version, lambda: contest.over
    )


def _parts(request: Request, contest: Contest) -> Mapping[str, str]:
    """Return the parts of a tournament that change. They are drawn once for all who look at it."""
    version = contest.changes.version
    if contest.drawn_parts is None or contest.drawn_parts[0] != version:
        shown = contest.tournament
        values = {
            "contest": contest,
            "tournament": shown,
            "bars": bars(contest.standings.standings),
            "warning": band_warning(contest.standings.standings),
            "cross": cross_table(contest),
            "boards": contest.running[:MAX_BOARDS],
            "rounds": latest_rounds(contest),
            "failures": failures(shown, contest.games)[-MAX_LISTED_GAMES:],
        }
        names = ("state", "standings", "boards", "rounds", "failures")
        parts = {name: render(request, f"parts/tournament_{name}.html", **values) for name in names}
        contest.drawn_parts = (version, parts)
    return contest.drawn_parts[1]


async def games(request: Request) -> Response:
    """List the games of a tournament in the order of its rounds, a page of them."""
    site = site_of(request)
    contest = await site.contests.find(request.path_params["id"])
    asked = ListTournamentGamesRequest(
        tournament_id=contest.tournament.tournament_id,
        page_size=GAMES_PAGE_SIZE,
        page_token=request.query_params.get("page", ""),
    )
    reply = await site.upstream.manager.ListTournamentGames(asked, timeout=ANSWER_LIMIT_S)
    return page(request, "tournament_games.html", contest=contest, games=reply.games, next_page=reply.next_page_token)


class RoundView(NamedTuple):
    """A round: the latest games that have begun, how many before them are left out, and how many others there are."""

    number: int
    stage: int
    games: Sequence[RoundGame]
    earlier_count: int
    waiting_count: int
    skipped_count: int
    unplayed_count: int


def latest_rounds(contest: Contest) -> Sequence[RoundView]:
    """Return the latest rounds that are shown, the first of them maybe in part. There may be thousands of games."""
    views: list[RoundView] = []
    room = MAX_LISTED_GAMES
    for round_ in reversed(contest.tournament.rounds):
        if room <= 0:
            break
        views.insert(0, round_view(contest, round_, room))
        room -= len(views[0].games)
    return views


def round_view(contest: Contest, round_: Round, room: int) -> RoundView:
    """Return what is shown of a round where there is room for so many games. Those that wait are only counted."""
    begun = [game for game in round_.games if contest.has_begun(game)]
    skipped = sum(game.status == RoundGameStatus.ROUND_GAME_STATUS_SKIPPED for game in round_.games)
    unplayed = sum(game.game_id in contest.unplayed for game in round_.games)
    waiting = len(round_.games) - len(begun) - skipped - unplayed
    shown = begun[-room:]
    return RoundView(round_.number, round_.stage, shown, len(begun) - len(shown), waiting, skipped, unplayed)


class Bar(NamedTuple):
    """A rating with its interval, as places on a line of BAR_WIDTH."""

    low: float
    value: float
    high: float


def bars(standings: Sequence[Standing]) -> Mapping[str, Bar]:
    """Return the error bar of each entrant that has a rating, all on one scale."""
    rated = [standing for standing in standings if standing.HasField("rating")]
    if not rated:
        return {}
    least, most = min(each.rating.low for each in rated), max(each.rating.high for each in rated)
    scale = BAR_WIDTH / ((most - least) or 1.0)
    return {
        each.name: Bar(*((value - least) * scale for value in (each.rating.low, each.rating.value, each.rating.high)))
        for each in rated
    }


class Cross(NamedTuple):
    """What each entrant has won from each other one, by both names."""

    names: Sequence[str]
    cells: Mapping[tuple[str, str], Meeting]


def cross_table(contest: Contest) -> Cross | None:
    """Return the cross table of a tournament in which few meet often; None where rounds show it better."""
    names = [standing.name for standing in contest.standings.standings]
    knockout = contest.tournament.plan.format.WhichOneof("format") in (None, "knockout", "double_elimination")
    if knockout or not 1 < len(names) <= MAX_CROSS:
        return None
    return Cross(names, meetings(played_game(game) for game in contest.games if game.HasField("result")))


class Failed(NamedTuple):
    """A failure of an entrant, and the game in which its evidence is; empty for Start and End."""

    game_id: str
    misconduct: object


def failures(shown: Tournament, games: Sequence[RoundGame]) -> Sequence[Failed]:
    """Return all failures, those in games first."""
    found = [Failed(game.game_id, each) for game in games for each in game.result.misconducts]
    outside = [Failed("", each.misconduct) for each in shown.result.failures if not each.game_id]
    return [*found, *outside]


# --- an entrant ---


class Timing(NamedTuple):
    """How long an entrant took for its calls, in seconds."""

    call_count: int
    median_s: float
    most_s: float


async def entrant(request: Request) -> Response:
    """Show one entrant: its standing, its games, its failures and its time per call."""
    contest = await site_of(request).contests.find(request.path_params["id"])
    name = request.path_params["name"]
    player = next((each for each in contest.tournament.entrants if each.name == name), None)
    if player is None:
        raise HTTPException(404, "There is no such entrant in this tournament.")
    games = [game for game in contest.games if name in game.players and contest.has_begun(game)]
    played = [game for game in games if not game.result.aborted]  # others may have no record
    timing = await _timing(site_of(request).upstream, name, played[-MAX_TIMED_GAMES:]) if contest.over else None
    return page(
        request,
        "entrant.html",
        contest=contest,
        player=player,
        standing=next((each for each in contest.standings.standings if each.name == name), None),
        games=games,
        failures=[each for each in failures(contest.tournament, games) if each.misconduct.player == name],  # type: ignore[attr-defined]
        timing=timing,
    )


async def _timing(upstream: Upstream, name: str, games: Sequence[RoundGame]) -> Timing | None:
    """Return how long the calls of an entrant took in some games, from their records; None if there were none."""
    elapsed: list[float] = []
    for game in games:
        seat = list(game.players).index(name)
        async for part in upstream.records.GetRecord(GetRecordRequest(record_id=game.game_id), timeout=ANSWER_LIMIT_S):
            for linked in part.entries:
                entry = RecordEntry.FromString(linked.entry)
                if entry.HasField("call") and entry.call.seat == seat:
                    elapsed.append(entry.call.elapsed.seconds + entry.call.elapsed.nanos / 1e9)
    return Timing(len(elapsed), median(elapsed), max(elapsed)) if elapsed else None


ROUTES: Sequence[Route] = (
    Route("/tournaments", tournaments),
    Route("/tournaments/{id}", tournament),
    Route("/tournaments/{id}/games", games),
    Route("/tournaments/{id}/entrants/{name}", entrant),
    Route("/live/tournament/{id}", events),
)

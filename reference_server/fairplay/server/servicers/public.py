"""The public view of games and tournaments, without addresses and hidden things, and pages of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from google.protobuf.descriptor import Descriptor

from fairplay.games.evidence import without_evidence
from fairplay.server.net.errors import Refusal
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import Game, GameSummary
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    Tournament,
    TournamentFailure,
    TournamentResult,
    TournamentStatus,
    TournamentSummary,
)

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = limit_of("ListGamesRequest.page_size").clamp
MAX_CURSOR = 2**63 - 1
CURSOR_DIGITS = len(str(MAX_CURSOR))
"""More are no token of ours, and Python reads no more than 4,300 digits."""

MAX_BYTES = 4 * 1024 * 1024 - 64 * 1024
"""gRPC's default limit, less some room for what is around the tournament."""
MAX_WORDS_CHARS = 100
"""How much is kept of what misconducts say in words, where that is cut."""
OPEN = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)


def page_size(asked: int) -> int:
    """Return how many rows a page has: what is asked for, within bounds; 0 stands for the default."""
    return min(asked, MAX_PAGE_SIZE) or DEFAULT_PAGE_SIZE


class PagedRequest(Protocol):
    """A request for a page."""

    DESCRIPTOR: Descriptor
    page_token: str


def cursor_of(request: PagedRequest) -> int | None:
    """Return where a page begins. Raises Refusal if its token is not one that this server gave for the method."""
    if not request.page_token:
        return None
    kind, _, cursor = request.page_token.rpartition("-")
    is_number = cursor.isascii() and cursor.isdigit() and len(cursor) <= CURSOR_DIGITS
    if kind != request.DESCRIPTOR.name or not is_number or int(cursor) > MAX_CURSOR:
        message = "the page token is not one that this method returned"
        raise Refusal("INVALID_PAGE_TOKEN", message, "page_token", given=request.page_token)
    return int(cursor)


def token_of(request: PagedRequest, cursor: int | None) -> str:
    """Return the token for the page after that of a request; empty if there is none."""
    return "" if cursor is None else f"{request.DESCRIPTOR.name}-{cursor}"


def fit_tournament(tournament: Tournament) -> None:
    """Cut a tournament until it fits, a step at a time; the comment of GetTournament says what is left out."""
    for cut in (_cut_all_words, _drop_misconducts_of_games, _drop_descriptions, _drop_lower_ranks):
        if tournament.ByteSize() <= MAX_BYTES:
            return
        cut(tournament)


def fit_result(result: TournamentResult) -> None:
    """Cut a result until it fits."""
    if result.ByteSize() > MAX_BYTES:
        _cut_words_of_failures(result)


def _cut_all_words(tournament: Tournament) -> None:
    for result in _results(tournament):
        for misconduct in result.misconducts:
            _cut_words(misconduct)
    _cut_words_of_failures(tournament.result)


def _cut_words_of_failures(result: TournamentResult) -> None:
    for failure in result.failures:
        _cut_words(failure.misconduct)


def _cut_words(misconduct: Misconduct) -> None:
    if misconduct.HasField("call_error"):
        misconduct.call_error.ClearField("output")
        misconduct.call_error.message = misconduct.call_error.message[:MAX_WORDS_CHARS]
    elif misconduct.HasField("rule_break"):
        misconduct.rule_break.explanation = misconduct.rule_break.explanation[:MAX_WORDS_CHARS]


def _drop_misconducts_of_games(tournament: Tournament) -> None:
    for result in _results(tournament):
        result.ClearField("misconducts")


def _drop_descriptions(tournament: Tournament) -> None:
    for player in tournament.entrants:
        player.ClearField("description")
        player.ClearField("certificate")


def _drop_lower_ranks(tournament: Tournament) -> None:
    for result in _results(tournament):
        del result.ranking[1:]


def _results(tournament: Tournament) -> Iterator[GameResult]:
    """Yield the results of all games that are over."""
    return (game.result for round_ in tournament.rounds for game in round_.games if game.HasField("result"))


def public_game(game: Game, *, revealed: bool) -> Game:
    """Return the game without the links of its players; until it is `revealed`, without what tells of hidden things."""
    public = Game()
    public.CopyFrom(game)
    for player in public.plan.players:
        player.ClearField("link")
    if not revealed:
        _drop_evidence(public.result)
        public.plan.ClearField("seed")
        public.plan.ClearField("initial_state")
    return public


def game_summary(game: Game) -> GameSummary:
    """Return what a list says of a game."""
    return GameSummary(
        game_id=game.game_id,
        game=game.plan.game,
        players=[player.name for player in game.plan.players],
        status=game.status,
        start_time=game.start_time,
        end_time=game.end_time if game.HasField("end_time") else None,
        tournament_id=game.tournament_id,
        ranking=game.result.ranking,
        misconduct_count=len(game.result.misconducts),
    )


def public_tournament(tournament: Tournament) -> Tournament:
    """Return the tournament without links, services and evidence; until it is over, without its seed and secret.

    The seeds of its games follow from them.
    """
    public = Tournament()
    public.CopyFrom(tournament)
    del public.plan.entrants[:]
    _hide_ways([*public.entrants, *(each.player for each in public.examinations)])
    for round_ in public.rounds:
        for game in round_.games:
            _drop_evidence(game.result)
    _drop_all_evidence(public.result.failures)
    if not tournament.HasField("result"):
        public.ClearField("result")
    if tournament.status in OPEN:
        public.plan.ClearField("seed")
        public.ClearField("secret")
    fit_tournament(public)
    return public


def public_round_game(game: RoundGame) -> RoundGame:
    """Return a game of a tournament without evidence."""
    public = RoundGame()
    public.CopyFrom(game)
    if game.HasField("result"):
        _drop_evidence(public.result)
    return public


def tournament_summary(tournament: Tournament) -> TournamentSummary:
    """Return what a list says of a tournament."""
    return TournamentSummary(
        tournament_id=tournament.tournament_id,
        title=tournament.plan.title,
        game=tournament.plan.game,
        status=tournament.status,
        entrant_count=len(tournament.entrants),
        round_count=tournament.round_count,
        winners=tournament.result.winners,
        reason=tournament.reason,
        create_time=tournament.create_time,
        end_time=tournament.end_time if tournament.HasField("end_time") else None,
    )


def _hide_ways(entrants: Iterable[Player]) -> None:
    """Drop how entrants are reached, and by which services: nobody who watches needs that of up to 10,000 of them."""
    for player in entrants:
        player.ClearField("link")
        if player.HasField("description"):
            player.description.ClearField("services")


def _drop_all_evidence(failures: Iterable[TournamentFailure]) -> None:
    for failure in failures:
        failure.misconduct.CopyFrom(without_evidence(failure.misconduct))


def _drop_evidence(result: GameResult) -> None:
    for misconduct in result.misconducts:
        misconduct.CopyFrom(without_evidence(misconduct))


def public_event(event: WatchTournamentResponse) -> WatchTournamentResponse:
    """Return the event without links and evidence, and with the public view of its tournament."""
    if event.HasField("tournament"):
        return WatchTournamentResponse(tournament=public_tournament(event.tournament))
    public = WatchTournamentResponse()
    public.CopyFrom(event)
    match event.WhichOneof("event"):
        case "signed_up":
            _hide_ways([public.signed_up])
        case "examination":
            _hide_ways([public.examination.player])
        case "started":
            _hide_ways(public.started.entrants)
        case "game_finished":
            _drop_evidence(public.game_finished.result)
        case "failed":
            _drop_all_evidence([public.failed])
        case "finished":
            _drop_all_evidence(public.finished.failures)
            fit_result(public.finished)
    return public

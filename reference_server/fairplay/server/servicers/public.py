"""The public view of games and tournaments: without addresses of players, and without what reveals hidden things."""

from __future__ import annotations

from collections.abc import Iterable

from fairplay.server.game.evidence import without_evidence
from fairplay.server.servicers.fitting import fit_result, fit_tournament
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.referee_pb2 import Game, GameSummary
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.tournament_pb2 import RoundGame, Tournament, TournamentFailure, TournamentStatus, TournamentSummary

OPEN = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)


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
        round_count=len(tournament.rounds),
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

"""The public view of games and tournaments: without addresses of players, and without what reveals hidden things."""

from __future__ import annotations

from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.referee_pb2 import Game, GameStatus
from fairplay.v1.tournament_pb2 import Tournament, TournamentStatus

OPEN = (TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, TournamentStatus.TOURNAMENT_STATUS_RUNNING)


def public_game(game: Game) -> Game:
    """Return the game without the links of its players; while it runs, without its seed and initial state."""
    public = Game()
    public.CopyFrom(game)
    for player in public.plan.players:
        player.ClearField("link")
    if game.status == GameStatus.GAME_STATUS_RUNNING:
        public.plan.ClearField("seed")
        public.plan.ClearField("initial_state")
    return public


def public_tournament(tournament: Tournament) -> Tournament:
    """Return the tournament; until it is over, without its seed, from which those of its games follow."""
    if tournament.status not in OPEN:
        return tournament
    public = Tournament()
    public.CopyFrom(tournament)
    public.plan.ClearField("seed")
    return public


def public_event(event: WatchTournamentResponse) -> WatchTournamentResponse:
    """Return the event with the public view of its tournament."""
    if not event.HasField("tournament"):
        return event
    return WatchTournamentResponse(tournament=public_tournament(event.tournament))

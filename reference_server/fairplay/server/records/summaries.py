"""Games as listings have them: from the summary of one that is over, from the header of one that is not."""

from __future__ import annotations

from fairplay.server.records.database import Listing
from fairplay.v1.record_pb2 import GameHeader, RecordedResult, RecordEntry
from fairplay.v1.referee_pb2 import Game, GameStatus


def listed_game(listing: Listing) -> Game:
    """Return the game of a listing of kind "game"."""
    if listing.finished:
        return Game.FromString(listing.summary)
    return begun_game(RecordEntry.FromString(listing.header).game)


def begun_game(header: GameHeader) -> Game:
    """Return a game that is not over."""
    return Game(
        game_id=header.game_id,
        plan=header.plan,
        status=GameStatus.GAME_STATUS_RUNNING,
        start_time=header.start_time,
        tournament_id=header.tournament_id,
        players=header.players,
    )


def ended_game(header: GameHeader, end: RecordedResult) -> Game:
    """Return a game that is over, from the first and the last entry of its record."""
    game = begun_game(header)
    game.status = GameStatus.GAME_STATUS_ABORTED if end.result.aborted else GameStatus.GAME_STATUS_FINISHED
    game.result.CopyFrom(end.result)
    game.end_time.CopyFrom(end.end_time)
    return game

"""Games as listings have them: from the summary of one that is over, from the header of one that is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairplay.server.records.database import Listing
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import GameHeader, RecordEntry
from fairplay.v1.referee_pb2 import Game, GameStatus


def listed_game(listing: Listing) -> Game:
    """Return the game of a listing of kind "game"."""
    if listing.finished:
        return Game.FromString(listing.summary)
    return begun_game(RecordEntry.FromString(listing.header).game)


def begun_game(header: GameHeader, newcomers: Iterable[Player] = ()) -> Game:
    """Return a game that is not over, with the players that have joined since it began."""
    game = Game(
        game_id=header.game_id,
        plan=header.plan,
        status=GameStatus.GAME_STATUS_RUNNING,
        start_time=header.start_time,
        tournament_id=header.tournament_id,
        players=header.players,
    )
    for player in newcomers:
        add_player(game, player)
    return game


def add_player(game: Game, player: Player) -> None:
    """Add a player that has joined, with its link and, where the server knows it, its description."""
    game.plan.players.add(name=player.name, link=player.link)
    game.players.add(name=player.name, description=player.description if player.HasField("description") else None)


def ended_game(entries: Sequence[RecordEntry]) -> Game:
    """Return a game that is over, from its whole record."""
    end = entries[-1].result
    game = begun_game(entries[0].game, [entry.joined.player for entry in entries if entry.HasField("joined")])
    game.status = GameStatus.GAME_STATUS_ABORTED if end.result.aborted else GameStatus.GAME_STATUS_FINISHED
    game.result.CopyFrom(end.result)
    game.end_time.CopyFrom(end.end_time)
    return game

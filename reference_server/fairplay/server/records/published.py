"""Records and games as they are shown: without the links of players, and as listings have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fairplay.server.records.chain import chained
from fairplay.server.records.database import Listing
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import GameHeader, LinkedEntry, Record, RecordEntry
from fairplay.v1.referee_pb2 import Game, GameStatus

MAX_PART_BYTES = 1_000_000
OVERHEAD_BYTES = 16
"""What an entry takes in a message beside its bytes, at most."""


def published(record: Record) -> Record:
    """Return a record without the links of its players; the chain is that of the entries as they are there."""
    return chained(_without_links(linked.entry) for linked in record.entries)


def parts(record: Record) -> Iterator[list[LinkedEntry]]:
    """Yield the entries, as many together as fit into MAX_PART_BYTES; a larger one by itself."""
    part: list[LinkedEntry] = []
    size = 0
    for linked in record.entries:
        entry_size = linked.ByteSize() + OVERHEAD_BYTES
        if part and size + entry_size > MAX_PART_BYTES:
            yield part
            part, size = [], 0
        part.append(linked)
        size += entry_size
    if part:
        yield part


def _without_links(serialised: bytes) -> bytes:
    entry = RecordEntry.FromString(serialised)
    found = [player for player in _players(entry) if player.link]
    for player in found:
        player.ClearField("link")
    return entry.SerializeToString() if found else serialised


def _players(entry: RecordEntry) -> Iterable[Player]:
    match entry.WhichOneof("entry"):
        case "game":
            return entry.game.plan.players
        case "tournament":
            return entry.tournament.plan.entrants
        case "joined":
            return [entry.joined.player]
        case "change":
            return [entry.change.signed_up, entry.change.examination.player, *entry.change.started.entrants]
        case _:
            return ()


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

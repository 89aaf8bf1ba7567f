"""Recorded games, with what it takes to draw their states."""

from __future__ import annotations

from typing import NamedTuple

from google.protobuf.message import Message
from rich.console import RenderableType

from fairplay.client.errors import FailedError, UsageError
from fairplay.games.game import Game, find
from fairplay.games.kit.printable import UNPRINTABLE
from fairplay.server.records.replay import state_at
from fairplay.terminal.boards import draw_board
from fairplay.terminal.records.choosing import choose_game
from fairplay.terminal.records.overview import summarize
from fairplay.terminal.records.sources import Source
from fairplay.v1.record_pb2 import Record


def find_installed(name: str) -> Game:
    """Return the game of this name. Raises FailedError if it is not installed."""
    try:
        return find(name)
    except ValueError as error:
        raise FailedError(f"the record cannot be shown: {error}") from None


class RecordedGame(NamedTuple):
    """A game of a record. `players` are the names by seat."""

    record_id: str
    record: Record
    game: Game
    players: list[str]

    def state(self, entry: int) -> Message:
        """Return all of the state after an entry.

        Raises UsageError if there is no such entry, and RecordsError if there is no state by then.
        """
        count = len(self.record.entries)
        if not 1 <= entry <= count:
            raise UsageError(f"there is no entry {entry}: the record of {self.record_id} has the entries 1 to {count}")
        return self.game.full_state(state_at(self.record, entry).state)

    def board(self, state: Message, title: str) -> RenderableType:
        """Return a state as a framed picture for a terminal."""
        return draw_board(self.game, state, self.players, title)

    def svg(self, state: Message) -> str:
        """Return a state as one SVG document."""
        return self.game.svg(state, self.players)


def choose_recorded_game(source: Source, wanted: str | None) -> RecordedGame:
    """Return a game of a source. Raises UsageError if it is not clear which one, or not a game."""
    return read_game(source.read(choose_game(source, wanted, "has no states")))


def read_game(record: Record) -> RecordedGame:
    """Return the game of a record. Raises FailedError if it is not installed."""
    overview = summarize(record)
    players = [name.translate(UNPRINTABLE) for name in overview.players]
    return RecordedGame(overview.record_id, record, find_installed(overview.game), players)

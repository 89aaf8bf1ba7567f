"""A table: who sits there, who watches, and whether its game goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fairplay.games.game import Game, find
from fairplay.server.manager.signup import Timer
from fairplay.server.records.journal import Journal
from fairplay.v1.misconduct_pb2 import Misconduct, RuleBreak
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Seat as SeatMessage
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import TableStatus


@dataclass(slots=True)
class Seat:
    """A seat that is taken: by whom, how the player is reached, and the key of the user's token.

    `present`: the user is here. `left`: it has left for good, and only its game keeps the seat. Neither: it was here
    before the server was started again, and may come back.
    """

    name: str
    link: str
    key: bytes
    present: bool = True
    left: bool = False


class Table:
    """A table. `number` grows with every new table; `journal` is its record.

    `spoken` is the sequence number of the last thing that was said here; `deadline` is when it is deleted if it stays
    empty, and `gone` whether it was.
    """

    def __init__(self, message: TableMessage, owner_key: bytes, number: int, seats: list[Seat]) -> None:
        self.number = number
        self.owner_key = owner_key
        self.seats = seats
        self.watchers: dict[str, None] = {}
        self.journal: Journal | None = None
        self.spoken = 0
        self.deadline: Timer | None = None
        self.gone = False
        self._message = message

    # --- what it is ---

    @property
    def name(self) -> str:
        """Its name, unique in the lobby."""
        return self._message.name

    @property
    def owner(self) -> str:
        """The name of the user who may delete it."""
        return self._message.owner

    @property
    def game(self) -> Game:
        """The game that is played here."""
        return find(self._message.game)

    @property
    def game_id(self) -> str:
        """The id of the game that was started last; empty: none yet."""
        return self._message.game_id

    @property
    def running(self) -> bool:
        """Whether its game goes on."""
        return self._message.status == TableStatus.TABLE_STATUS_RUNNING

    @property
    def full(self) -> bool:
        """Whether all seats are taken."""
        return len(self.seats) >= self._message.max_seat_count

    @property
    def members(self) -> Iterator[str]:
        """The names of all who are here."""
        yield from (seat.name for seat in self.seats if seat.present)
        yield from self.watchers

    @property
    def empty(self) -> bool:
        """Whether nobody is here, or expected back."""
        return not self.watchers and all(seat.left for seat in self.seats)

    def shown(self) -> TableMessage:
        """The table as everybody may see it. The message is the table's own: it is not to be kept."""
        message = self._message
        del message.seats[:], message.watchers[:]
        message.seats.extend(SeatMessage(name=seat.name, present=seat.present) for seat in self.seats)
        message.watchers.extend(self.watchers)
        return message

    # --- who is here ---

    def seat(self, name: str) -> Seat | None:
        """The seat of a user who has not left it."""
        return next((seat for seat in self.seats if seat.name == name and not seat.left), None)

    def keeps(self, name: str) -> bool:
        """Whether this name must not be had by somebody else."""
        return name == self.owner or any(seat.name == name for seat in self.seats)

    def watch(self, name: str) -> None:
        """A user is here to watch; it has no seat any more."""
        self.seats = [seat for seat in self.seats if seat.name != name or seat.left]
        self.watchers[name] = None

    def sit(self, seat: Seat) -> None:
        """A user takes a seat."""
        self.watchers.pop(seat.name, None)
        self.seats.append(seat)

    def leave(self, name: str) -> int | None:
        """A user is not here any more. Returns its seat in the game that goes on, if it had one."""
        if name in self.watchers:
            del self.watchers[name]
            return None
        seat = self.seat(name)
        assert seat is not None
        if self.running:
            seat.present, seat.left = False, True
            return self.seats.index(seat)
        self.seats.remove(seat)
        return None

    def give_up_seats(self) -> bool:
        """Nobody is waited for any more. Returns whether there was anybody."""
        before = len(self.seats)
        if not self.running:
            self.seats = [seat for seat in self.seats if seat.present]
        return len(self.seats) < before

    # --- its game ---

    def begin(self, game_id: str) -> None:
        """A game begins with those who sit here."""
        self._message.game_id = game_id
        self._message.status = TableStatus.TABLE_STATUS_RUNNING
        self._message.ClearField("result")

    def call_off(self, before: TableMessage) -> None:
        """The game could not begin: all is as it was."""
        self._message.CopyFrom(before)

    def end(self, result: GameResult) -> None:
        """The game is over. Seats that were left are free; those who may come back keep theirs."""
        self._message.status = TableStatus.TABLE_STATUS_OVER
        self._message.result.CopyFrom(in_short(result))
        self.seats = [seat for seat in self.seats if not seat.left]


def in_short(result: GameResult) -> GameResult:
    """The result without what misconducts are proved with: it is long, and names addresses of players."""
    misconducts = [
        Misconduct(
            seat=each.seat,
            player=each.player,
            kind=each.kind,
            rule_break=RuleBreak(rule_id=each.rule_break.rule_id) if each.HasField("rule_break") else None,
            method=each.method,
            call_number=each.call_number,
        )
        for each in result.misconducts
    ]
    return GameResult(ranking=result.ranking, misconducts=misconducts, aborted=result.aborted)

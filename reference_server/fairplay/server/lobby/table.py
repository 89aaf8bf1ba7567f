"""A table: who has a seat there, who watches, and whether its game is running."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from fairplay.games.game import Game, find
from fairplay.server.manager.signup import Timer
from fairplay.server.net.text import bot_name
from fairplay.server.records.writer import Journal
from fairplay.v1.misconduct_pb2 import Misconduct, RuleBreak
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.table_pb2 import Seat as SeatMessage
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import TableStatus


@dataclass(slots=True)
class Seat:
    """A seat that is taken: by whom, how the player is reached, and the hash of the user's token.

    `secret` is the player's own, with which it is called; it is in no record.

    `present` says that the user is at the table; `left` that it has left a running game, with which the seat ends
    unless the user comes back. A user that is neither was there before the server was restarted, and may come back.
    `ready` says that it waits for the next game; `bot` that no user has this seat.
    """

    name: str
    link: str
    key: bytes
    present: bool = True
    left: bool = False
    ready: bool = False
    bot: bool = False
    secret: str = field(default="", repr=False)

    def to_message(self) -> SeatMessage:
        """Return the seat as everybody may see it."""
        bot = self.link if self.bot else ""
        return SeatMessage(name=self.name, present=self.present, ready=self.ready or self.bot, bot=bot)


class Table:
    """A table. `number` grows with every new table; `journal` is its record.

    `last_spoken` is the sequence number of the last thing that was said here; `deadline` is when the table is deleted
    if it stays empty, and `deleted` whether it was.
    """

    def __init__(self, message: TableMessage, owner_key: bytes, number: int, seats: list[Seat]) -> None:
        self.number = number
        self.owner_key = owner_key
        self.seats = seats
        self.watchers: dict[str, None] = {}
        self.journal: Journal | None = None
        self.last_spoken = 0
        self.deadline: Timer | None = None
        self.deleted = False
        self._message = message

    # --- properties ---

    @property
    def name(self) -> str:
        """Return the name, which is unique in the lobby."""
        return self._message.name

    @property
    def owner(self) -> str:
        """Return the name of the user who may delete the table."""
        return self._message.owner

    @property
    def game(self) -> Game:
        """Return the game that is played here."""
        return find(self._message.game)

    @property
    def game_id(self) -> str:
        """Return the id of the game that was started last; empty if none was."""
        return self._message.game_id

    @property
    def running(self) -> bool:
        """Return whether the game is running."""
        return self._message.status == TableStatus.TABLE_STATUS_RUNNING

    @property
    def seat_count(self) -> int:
        """Return for how many players the table was made; 0: any number that the game allows."""
        return self._message.seat_count

    @property
    def min_seat_count(self) -> int:
        """Return with how many players a game can start."""
        return self._message.min_seat_count

    @property
    def late_join(self) -> bool:
        """Return whether a free seat can be taken while the game runs, too."""
        return self._message.late_join

    @property
    def missing_count(self) -> int:
        """Return how many must still join before a game can start; 0 if enough have."""
        return max(0, self.min_seat_count - len(self.seats))

    @property
    def free_count(self) -> int:
        """Return how many seats are free."""
        return self._message.max_seat_count - len(self.seats)

    @property
    def complete(self) -> bool:
        """Return whether all seats are taken of a table that was made for a number of players."""
        return self.seat_count > 0 and self.full

    @property
    def all_ready(self) -> bool:
        """Return whether enough have joined, and all of them are ready."""
        return not self.missing_count and all(seat.ready or seat.bot for seat in self.seats)

    @property
    def full(self) -> bool:
        """Return whether all seats are taken."""
        return self.free_count <= 0

    @property
    def members(self) -> Iterator[str]:
        """Yield the names of all users at the table."""
        yield from (seat.name for seat in self.seats if seat.present and not seat.bot)
        yield from self.watchers

    @property
    def empty(self) -> bool:
        """Return whether nobody is at the table, or expected back."""
        return not self.watchers and all(seat.left or seat.bot for seat in self.seats)

    def to_message(self) -> TableMessage:
        """Return the table as everybody may see it. The message is the table's own: callers must not keep it."""
        message = self._message
        del message.seats[:], message.watchers[:]
        message.seats.extend(seat.to_message() for seat in self.seats)
        message.watchers.extend(self.watchers)
        return message

    # --- users ---

    def seat(self, name: str) -> Seat | None:
        """Return the seat of a user, or None if it has none or has left it."""
        return next((seat for seat in self.seats if seat.name == name and not seat.left), None)

    def left_seat(self, name: str, key: bytes) -> Seat | None:
        """Return the seat of the running game that a user has left, or None if it has left none."""
        left = (seat for seat in self.seats if seat.left and seat.name == name and seat.key == key)
        return next(left, None) if self.running else None

    def needs_name(self, name: str) -> bool:
        """Return whether nobody else may have this name: the owner's, or that of a user's seat."""
        return name == self.owner or any(seat.name == name for seat in self.seats if not seat.bot)

    def rename(self, name: str, new_name: str) -> bool:
        """Give the owner, or a user who is here, another name. Return whether the table changes."""
        owns, seat, watches = name == self.owner, self.seat(name), name in self.watchers
        if owns:
            self._message.owner = new_name
        if seat is not None:
            seat.name = new_name
            seat.link = f"dial-in:{new_name}" if seat.link == f"dial-in:{name}" else seat.link
        if watches:
            self.watchers = {new_name if each == name else each: None for each in self.watchers}
        return owns or seat is not None or watches

    def watch(self, name: str) -> None:
        """Make a user a watcher, who has no seat any more."""
        self.seats = [seat for seat in self.seats if seat.name != name or seat.left]
        self.watchers[name] = None

    def sit(self, seat: Seat) -> None:
        """Give a user a seat, before those of bots; or the one again that it has left.

        While a game runs, the seat is behind all others, as it is in the game.
        """
        self.watchers.pop(seat.name, None)
        if seat.left:
            seat.present, seat.left = True, False
            return
        users = sum(not each.bot for each in self.seats)
        self.seats.insert(len(self.seats) if self.running else users, seat)

    def set_bots(self, count: int, link: str) -> bool:
        """Have so many bots behind the users, or as many as there are free seats. Return whether a seat changes."""
        users = [seat for seat in self.seats if not seat.bot]
        count = min(count, self._message.max_seat_count - len(users))
        bots = [Seat(bot_name(number), link, b"", bot=True) for number in range(1, count + 1)]
        before, self.seats = self.seats, [*users, *bots]
        return self.seats != before

    def leave(self, name: str) -> int | None:
        """Remove a user. Return the number of its seat if it played in a running game, else None."""
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

    def free_absent_seats(self) -> bool:
        """Free the seats of absent users, unless the game is running. Return whether there were any."""
        before = len(self.seats)
        if not self.running:
            self.seats = [seat for seat in self.seats if seat.present]
        return len(self.seats) < before

    # --- the game ---

    def begin(self, game_id: str) -> None:
        """Begin a game with those who have seats."""
        self._message.game_id = game_id
        self._message.status = TableStatus.TABLE_STATUS_RUNNING
        for seat in self.seats:
            seat.ready = False
        self._message.ClearField("result")

    def call_off(self, before: TableMessage) -> None:
        """Undo `begin`, as the game could not begin; nobody is ready any more."""
        self._message.CopyFrom(before)

    def end(self, result: GameResult) -> None:
        """End the game. Seats that were left are free; users who may come back keep theirs, before those of bots."""
        self._message.status = TableStatus.TABLE_STATUS_OVER
        self._message.result.CopyFrom(summarise(result))
        self.seats = sorted((seat for seat in self.seats if not seat.left), key=lambda seat: seat.bot)


def summarise(result: GameResult) -> GameResult:
    """Return a result without the evidence of misconducts, which is long and names addresses of players."""
    misconducts = [
        Misconduct(
            seat=each.seat,
            player=each.player,
            kind=each.kind,
            rule_break=RuleBreak(rule_id=each.rule_break.rule_id) if each.HasField("rule_break") else None,
            method_name=each.method_name,
            call_number=each.call_number,
        )
        for each in result.misconducts
    ]
    return GameResult(ranking=result.ranking, misconducts=misconducts, aborted=result.aborted)

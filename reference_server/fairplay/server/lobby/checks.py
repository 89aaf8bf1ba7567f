"""What must hold before a request of a user is granted, and which links a user may give."""

from __future__ import annotations

from fairplay.server.game.plans import check_player_count, full_settings, full_time_control, game_of, now
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.spec import parse_link
from fairplay.server.links.ways import Links
from fairplay.server.lobby.table import Seat, Table
from fairplay.server.lobby.users import User
from fairplay.server.net.errors import Refusal
from fairplay.server.net.text import bot_name, check_table_name
from fairplay.v1.game_pb2 import Player
from fairplay.v1.lobby_pb2 import CreateTableRequest
from fairplay.v1.table_pb2 import Table as TableMessage
from fairplay.v1.table_pb2 import TableStatus


class SeatLinks:
    """Checks the links of seats."""

    def __init__(self, links: Links, hub: Hub) -> None:
        self._links = links
        self._hub = hub

    def check(self, user: User, table: Table, link: str, *, by_visitor: bool = False) -> None:
        """Raise Refusal if a user may not have this link, or its player is not there."""
        self._check_link(user.name, table, link)
        if by_visitor:
            self._links.check_visitor(link, "link")
        spec = parse_link(link)
        if spec.kind == "dial-in":
            self._check_here(spec.value)
            if spec.value != user.name and not self._hub.holds(spec.value, user.token):
                message = f"{spec.value} has not dialled in with your token: only who has dialled in with it may play"
                raise Refusal("WRONG_TOKEN", message, "link", given=spec.value)

    def check_bot(self, table: Table, link: str) -> str:
        """Return the link of bots, by default of the game's first strategy. Raises Refusal if it is not one."""
        link = link or f"bot:{next(iter(table.game.strategies))}"
        if not link.startswith("bot:"):
            message = f"{link[:80]!r} is not the link of a bot: give bot:STRATEGY"
            raise Refusal("INVALID_LINK", message, "link", given=link, allowed="bot:STRATEGY")
        self._check_link(bot_name(1), table, link)
        return link

    def _check_link(self, name: str, table: Table, link: str) -> None:
        try:
            self._links.check(Player(name=name, link=link), table.game, "")
        except Refusal as refusal:
            raise refusal.with_field("link") from None

    def check_all_here(self, table: Table) -> None:
        """Raise Refusal if a player of a table that dials in is not there."""
        for spec in (parse_link(seat.link) for seat in table.seats):
            if spec.kind == "dial-in":
                self._check_here(spec.value)

    def _check_here(self, name: str) -> None:
        if not self._hub.here(name):
            message = f"no player has dialled in under the name {name}: have it dial in first, or give its address"
            raise Refusal("NOT_DIALLED_IN", message, given=name)


def table_of(user: User) -> Table:
    """Return the table where a user is. Raises Refusal if it is at none."""
    if user.table is None:
        raise Refusal("NOT_AT_TABLE", "the user is at no table: watch or join one first")
    return user.table


def without_you(table: Table) -> Refusal:
    """Return the refusal of a seat in the running game of a table."""
    message = f"the game of the table {table.name} goes on: watch it, and join when it is over"
    return Refusal("TABLE_RUNNING", message, given=table.name)


def check_joinable(table: Table) -> None:
    """Raise Refusal if nobody can take a seat now."""
    if table.running and not table.late_join:
        raise without_you(table)
    if table.full:
        taken = len(table.seats)
        message = f"all {taken} seats of the table {table.name} are taken"
        raise Refusal("TABLE_FULL", message, given=table.name, limit=taken)


def seat_of(user: User) -> tuple[Table, Seat]:
    """Return the table where a user has a seat, and the seat. Raises Refusal if it has none."""
    seat = user.table.seat(user.name) if user.table is not None else None
    if user.table is None or seat is None:
        raise Refusal("NOT_SEATED", "only who has a seat at a table can be ready: join one first")
    return user.table, seat


def check_not_running(table: Table) -> None:
    """Raise Refusal if the game of a table is running."""
    if table.running:
        message = f"the game of the table {table.name} goes on already: wait for its end"
        raise Refusal("TABLE_RUNNING", message, given=table.name)


def check_startable(table: Table) -> None:
    """Raise Refusal if a table is gone, its game is running, or too few have joined."""
    if table.deleted:
        raise Refusal("TABLE_NOT_FOUND", f"the table {table.name} was deleted", given=table.name)
    check_not_running(table)
    if missing := table.missing_count:
        seated, players = len(table.seats), table.seat_count or f"at least {table.min_seat_count}"
        joined = f"{seated} {'has' if seated == 1 else 'have'} joined" if seated else "nobody has joined"
        message = f"this table of {table.game.title} needs {players} players, and {joined}: {missing} more must join"
        raise Refusal("TOO_FEW_SEATS", message, given=seated, limit=seated + missing)


def check_not_playing(user: User) -> None:
    """Raise Refusal if the user has a seat in a running game."""
    if user.playing:
        assert user.table is not None
        message = f"you play at the table {user.table.name}: leave that table first, or wait for the end of its game"
        raise Refusal("SEATED", message, given=user.table.name)


def check_name_changeable(user: User) -> None:
    """Raise Refusal if the user has a seat in a running game, which knows it by its name."""
    if user.playing:
        assert user.table is not None
        message = f"you play at the table {user.table.name} under this name: change it when that game is over"
        raise Refusal("SEATED", message, given=user.table.name)


def table_message(request: CreateTableRequest, owner: str) -> TableMessage:
    """Return the table that is asked for. Raises Refusal if there cannot be such a table."""
    name, game = check_table_name(request.name), game_of(request.game, "game")
    try:
        settings = full_settings(game, request.settings)
        full_time_control(game, request.time_control)
    except Refusal as refusal:
        raise refusal.with_field(refusal.field.removeprefix("plan.")) from None
    seats = game.seats_with(settings)
    if request.seat_count:
        check_player_count(game, settings, request.seat_count, "seat_count")
    return TableMessage(
        name=name,
        game=game.name,
        settings=request.settings if request.HasField("settings") else None,
        time_control=request.time_control if request.HasField("time_control") else None,
        owner=owner,
        status=TableStatus.TABLE_STATUS_OPEN,
        min_seat_count=request.seat_count or seats.start,
        max_seat_count=request.seat_count or seats.stop - 1,
        seat_count=request.seat_count,
        create_time=now(),
        late_join=game.may_join_late(settings),
    )

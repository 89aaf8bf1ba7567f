"""Cases about the lobby: names, tables, seats, how games start there, and what everybody is told."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import NotApplicable, failure
from fairplay.conformance.servers.compare import check_ranking, difference, same
from fairplay.conformance.servers.context import HIDDEN, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import Cast, Stream, hello
from fairplay.conformance.servers.scenes import PATIENT, UNKNOWN_FIELD, Scene, at, control, wait_for
from fairplay.games.envelopes import wrap
from fairplay.games.game import find
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.v1 import lobby_pb2
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.lobby_pb2 import AttendRequest, EnterRequest, Lobby, LobbyEvent
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.referee_pb2 import Game, GetGameRequest, WatchGameRequest
from fairplay.v1.table_pb2 import Part, Table, TableStatus

OPEN_, RUNNING, OVER = (
    TableStatus.TABLE_STATUS_OPEN,
    TableStatus.TABLE_STATUS_RUNNING,
    TableStatus.TABLE_STATUS_OVER,
)
ASKED_BY_TOKEN: Mapping[str, Mapping[str, object]] = {
    "Rename": {"name": "zora"},
    "ListTables": {},
    "CreateTable": {"name": "zora", "game": OPEN},
    "WatchTable": {"table": "zora"},
    "JoinTable": {"table": "zora"},
    "SetBots": {},
    "SetReady": {},
    "LeaveTable": {},
    "DeleteTable": {"table": "zora"},
    "StartTable": {},
    "Say": {"text": "hello"},
    "Leave": {},
    "Attend": {},
}
"""Each method that only a user may call -> a request of it, without the token."""
BAD_NAMES = ("", "a b", "ä", "a/b", "x" * 21, "bot-1")
BAD_TABLE_NAMES = ("", " a", "a ", "a/b", "ä", "x" * 21)
BAD_TEXTS = ("", "  ", "a\nb", "a\u202eb", "x" * 501)
LONGEST_GRACE_S = 15.0
"""A longer grace period is not waited for."""
TOLD_WITHIN_S = 10.0
PAUSE_S = 0.2
PLAY_AS = "PlayAs"


class _User:
    """A user of the lobby."""

    def __init__(self, context: ServerContext, name: str, token: str, grace_s: float = 0.0) -> None:
        self._context = context
        self.name = name
        self.token = token
        self.grace_s = grace_s
        """How long it may be without a stream."""

    @classmethod
    async def enter(cls, context: ServerContext, name: str = "", token: str = "") -> _User:
        """Enter the lobby. Raises NotApplicable if there is none."""
        wanted = name or context.new_short_name()
        try:
            entered = await context.ask("Enter", EnterRequest(name=wanted, token=token))
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                raise NotApplicable("this server has no LobbyService") from None
            raise
        if not entered.token or not entered.requests_per_second or not entered.grace_period.ToNanoseconds():
            raise failure("Enter must tell the user's token, its grace period, and how often it may ask.")
        return cls(context, entered.name, entered.token, entered.grace_period.ToNanoseconds() / 1e9)

    def request(self, method: str, **fields: object) -> Message:
        """Return a request of this user."""
        request: Message = getattr(lobby_pb2, f"{method}Request")(token=self.token, **fields)
        return request

    async def ask(self, method: str, **fields: object) -> Any:
        """Return the reply to a request of this user; that with a table is the table."""
        reply = await self._context.ask(method, self.request(method, **fields))
        return reply.table if "table" in reply.DESCRIPTOR.fields_by_name else reply

    async def refused(self, method: str, reason: str, about: str = "", **fields: object) -> None:
        """Check that a request of this user is refused."""
        await self._context.refused(method, self.request(method, **fields), reason, about=about)

    async def lobby(self) -> Lobby:
        """Return the whole lobby as a new stream of this user begins."""
        async with aclosing(self._context.stream("Attend", AttendRequest(token=self.token))) as told:  # type: ignore[type-var]
            first = next(iter((await anext(told)).events), LobbyEvent())
        if not first.HasField("lobby"):
            raise failure("The first that a new stream of Attend tells must be the whole lobby.")
        return first.lobby

    async def place(self) -> tuple[str, str]:
        """Return the table where this user is, by name, and its part there; both empty: at none."""
        for each in (await self.lobby()).users:
            if each.name == self.name:
                return each.table, Part.Name(each.part) if each.part else ""
        raise failure(f"The user {self.name} is missing in the whole lobby that its stream begins with.")


@asynccontextmanager
async def _hosted(context: ServerContext, scene: Scene) -> AsyncIterator[tuple[Sequence[_User], Stream]]:
    """Yield users whose players have dialled in under their names, one for each player of a scene, and the connection.

    Raises NotApplicable if there is no lobby.
    """
    cast = Cast(scene.game, scene.actors())
    names = [context.new_short_name() for _ in range(scene.player_count)]
    async with context.dialled_in(cast, names) as stream:
        yield [await _User.enter(context, name) for name in names], stream


def _asked_for(context: ServerContext, scene: Scene, **fields: object) -> dict[str, Any]:
    """Return what asks for a table at which the game of a scene is played."""
    settings = wrap(GameSettings, scene.game, scene.settings)
    told = {"game": scene.game.name, "settings": settings, "time_control": scene.control}
    return {"name": context.new_short_name(), **told, **fields}


async def _result(context: ServerContext, table: Table) -> Game:
    """Return the game of a table when it is over."""
    await context.stream_all("WatchGame", WatchGameRequest(game_id=table.game_id))
    game: Game = (await context.ask("GetGame", GetGameRequest(game_id=table.game_id))).game
    return game


async def _until(user: _User, name: str, status: TableStatus.ValueType) -> Table:
    """Return a table as soon as it has a status. Raises Failure if it has not in time."""
    until = asyncio.get_running_loop().time() + TOLD_WITHIN_S
    while (table := _named(await user.ask("ListTables"), name)).status != status:
        if asyncio.get_running_loop().time() > until:
            raise failure(f"The table must be {TableStatus.Name(status)}; it is {TableStatus.Name(table.status)}.")
        await asyncio.sleep(PAUSE_S)
    return table


def _named(listed: Any, name: str) -> Table:
    for table in listed.tables:
        if table.name == name:
            found: Table = table
            return found
    raise failure(f"ListTables does not list the table {name}.")


async def _leave_all(users: Collection[_User]) -> None:
    for user in users:
        await user.ask("Leave")


@server_case("lobby.names", "ROLE-6")
async def names(context: ServerContext) -> None:
    """A name in the lobby is one user's, whose token alone asks for it."""
    one, other = await _User.enter(context), await _User.enter(context)
    if one.token == other.token:
        raise failure("Enter must give each user a token of its own.")
    for name in (one.name, one.name.upper()):
        await context.refused("Enter", EnterRequest(name=name), "NAME_TAKEN", about="the name of somebody else")
        wrong = EnterRequest(name=name, token=other.token)
        await context.refused("Enter", wrong, "WRONG_TOKEN", about="the token of somebody else")
    for name in BAD_NAMES:
        await context.refused("Enter", EnterRequest(name=name), "NAME_INVALID", about=f"the name {name!r}")
    back = await _User.enter(context, one.name.upper(), one.token)
    same("The name of a user that comes back", one.name, back.name)
    same("The token of a user that comes back", one.token, back.token)
    await other.refused("Rename", "NAME_TAKEN", "the name of somebody else", name=one.name.upper())
    await other.refused("Rename", "NAME_INVALID", "a name with a space", name="a b")
    former, other.name = other.name, context.new_short_name()
    for _ in range(2):
        same("The name that Rename tells", other.name, (await other.ask("Rename", name=other.name)).name)
    same("Where a user is that has another name", ("", ""), await other.place())
    third = await _User.enter(context, former)
    stream = context.open_stream(Cast(find(OPEN), ordinary(OPEN).actors()))
    try:
        if await stream.open(hello(find(OPEN), [one.name])):
            raise failure("While a user is in the lobby nobody else must be able to dial in under its name.")
    finally:
        await stream.close()
    await one.ask("Leave")
    again = await _User.enter(context, one.name)
    await _leave_all([other, third, again])
    for stranger in (one, _User(context, "", "no-such-token")):
        for method, fields in ASKED_BY_TOKEN.items():
            await stranger.refused(method, "UNKNOWN_USER", "the token of nobody in the lobby", **fields)


@server_case("lobby.tables", "ROLE-6")
async def tables(context: ServerContext) -> None:
    """A table is as it was asked for, and its owner's: who only watches has no say there."""
    owner, other = await _User.enter(context), await _User.enter(context)
    scene = ordinary(OPEN)
    wanted = _asked_for(context, scene)
    made: Table = await owner.ask("CreateTable", **wanted)
    seats = scene.game.seats_with(scene.settings)
    due = Table(
        **wanted,
        owner=owner.name,
        status=OPEN_,
        watchers=[owner.name],
        min_seat_count=seats.start,
        max_seat_count=seats.stop - 1,
    )
    if wrong := difference(due, made, free={"create_time"}):
        raise failure(f"The table that CreateTable returns is wrong: {wrong}.")
    for about, (reason, fields) in _bad_tables(wanted).items():
        await other.refused("CreateTable", reason, about, **{**_asked_for(context, scene), **fields})
    newer: Table = await other.ask("CreateTable", name=context.new_short_name(), game=HIDDEN, seat_count=2)
    same("The fewest and the most seats of a table for two", (2, 2), (newer.min_seat_count, newer.max_seat_count))
    pages = await context.list_pages("ListTables", owner.request("ListTables", page_size=1))
    listed = [table.name for page in pages for table in page.tables]
    same(
        "The tables that ListTables lists first",
        [newer.name, made.name],
        [n for n in listed if n in (newer.name, made.name)],
    )
    if any(len(page.tables) > 1 for page in pages):
        raise failure("A page of ListTables must have at most as many tables as page_size says.")
    same(
        "The games of ListTables of one game",
        {OPEN},
        {each.game for each in (await owner.ask("ListTables", game=OPEN)).tables},
    )
    await owner.refused("ListTables", "INVALID_PAGE_TOKEN", "a page token of nobody", page_token="no-such-page")
    await _check_watcher(context, owner, other, made.name)
    await owner.ask("DeleteTable", table=made.name.upper())
    same("Where a user of a deleted table is", ("", ""), await other.place())
    await other.refused("WatchTable", "TABLE_NOT_FOUND", "a deleted table", table=made.name)
    await other.ask("DeleteTable", table=newer.name)
    await _leave_all([owner, other])


def _bad_tables(wanted: Mapping[str, Any]) -> Mapping[str, tuple[str, Mapping[str, object]]]:
    """Return what is wrong with a table -> the reason for which it is refused, and the wrong fields."""
    unknown, wide = GameSettings(), GameSettings()
    unknown.MergeFromString(UNKNOWN_FIELD)
    getattr(wide, OPEN).rows = 1_000
    names = {f"the name {name!r}": ("NAME_INVALID", {"name": name}) for name in BAD_TABLE_NAMES}
    return {
        **names,
        "the name of another table": ("NAME_TAKEN", {"name": wanted["name"].upper()}),
        "a game that there is not": ("UNKNOWN_GAME", {"game": "no-such-game", "settings": None}),
        "1,000 rows": ("INVALID_SETTINGS", {"settings": wide}),
        "an unknown field in the settings": ("UNKNOWN_FIELDS", {"settings": unknown}),
        "seats for one": ("INVALID_PLAYERS", {"seat_count": 1}),
        "seats for 99": ("INVALID_PLAYERS", {"seat_count": 99}),
        "a decision_limit of -1 s": ("INVALID_TIME_CONTROL", {"time_control": control(-1.0)}),
    }


async def _check_watcher(context: ServerContext, owner: _User, other: _User, name: str) -> None:
    """Check what somebody may do who has no seat at a table."""
    await other.ask("LeaveTable")
    await other.ask("LeaveTable")
    same("Where a user is that has left its table", ("", ""), await other.place())
    await other.refused("Say", "NOT_AT_TABLE", "a user at no table", text="hello")
    await other.refused("JoinTable", "NOT_AT_TABLE", "a user at no table")
    await other.refused("SetBots", "NOT_AT_TABLE", "a user at no table", count=1)
    for method in ("WatchTable", "JoinTable", "DeleteTable"):
        await other.refused(method, "TABLE_NOT_FOUND", "a table that there is not", table="no-such-table")
    watched: Table = await other.ask("WatchTable", table=name.upper())
    same("Who watches the table", [owner.name, other.name], list(watched.watchers))
    same("Where a user is that watches", (name, "PART_WATCHER"), await other.place())
    await other.refused("SetReady", "NOT_SEATED", "a user who only watches", ready=True)
    await other.refused("StartTable", "NOT_SEATED", "a user who only watches")
    await other.refused("SetBots", "NOT_SEATED", "a user who only watches", count=1)
    await other.refused("DeleteTable", "NOT_OWNER", "a table of somebody else", table=name)
    await other.refused("JoinTable", "NOT_DIALLED_IN", "a player that has not dialled in")
    await other.refused("JoinTable", "INVALID_LINK", "a link of no kind", link="carrier-pigeon:anna")
    await owner.refused("StartTable", "TOO_FEW_SEATS", "a table where nobody has a seat")
    for text in BAD_TEXTS:
        await other.refused("Say", "TEXT_INVALID", f"the text {text[:9]!r}", text=text)


@server_case("lobby.starts", "ROLE-6")
async def starts(context: ServerContext) -> None:
    """A game starts when all who have seats are ready, or the last seat is taken, and is of those who have seats."""
    scene = ordinary(OPEN)
    async with _hosted(context, scene) as (users, _):
        first, *_ = users
        name = (await first.ask("CreateTable", **_asked_for(context, scene))).name
        for user in users[::-1]:
            await user.ask("JoinTable", table=name)
            await user.ask("JoinTable")
        same("Where a user is that has a seat", (name, "PART_PLAYER"), await first.place())
        await users[-1].ask("WatchTable", table=name)
        await users[-1].ask("JoinTable")
        seated = [users[1], users[0], users[2]]
        for ready, user in [(True, users[0]), (True, users[1]), (False, users[0]), (True, users[2])]:
            table = await user.ask("SetReady", ready=ready)
            if table.status != OPEN_:
                raise failure("The game of a table has started before all who have seats are ready.")
        same("The seats of the table", [each.name for each in seated], [seat.name for seat in table.seats])
        same("Who is ready", [True, False, True], [seat.ready for seat in table.seats])
        table = await users[0].ask("SetReady", ready=True)
        if table.status == OPEN_:
            raise failure("The game of a table must start when all who have seats are ready.")
        games = [await _played(context, first, table, seated)]
        await first.refused("SetBots", "INVALID_LINK", "a link that is no bot's", count=1, link="dial-in:anna")
        games.append(await _played(context, first, await first.ask("StartTable"), seated))
        if games[0].game_id == games[1].game_id or games[0].plan.seed == games[1].plan.seed:
            raise failure("A game that is started anew at a table must have another id and another seed.")
        await users[1].ask("LeaveTable")
        small = await first.ask("CreateTable", **_asked_for(context, scene, seat_count=2))
        for user, is_open in zip(users[:2], (True, False), strict=True):
            table = await user.ask("JoinTable", table=small.name)
            if (table.status == OPEN_) is not is_open:
                raise failure("The game of a table for two must start when the last seat is taken, and not before.")
        await _played(context, first, table, users[:2])
        await users[2].refused("JoinTable", "TABLE_FULL", "a table without a free seat", table=small.name)
        await first.ask("LeaveTable")
        await users[1].refused("StartTable", "TOO_FEW_SEATS", "one player at a table for two")
        if (await users[1].ask("SetBots", count=1)).game_id == table.game_id:
            raise failure("The game of a table for two must start when a bot takes the last seat.")
        await _until(first, small.name, OVER)
        await first.ask("DeleteTable", table=small.name)
        await first.ask("DeleteTable", table=name)
        await _leave_all(users)


async def _played(context: ServerContext, user: _User, begun: Table, seated: Sequence[_User]) -> Game:
    """Return the game of a table when it is over, and check what the table says of it."""
    game = await _result(context, begun)
    same("The players of the game of a table", [each.name for each in seated], [one.name for one in game.players])
    table = await _until(user, begun.name, OVER)
    check_ranking(game.result, table.result, "the table")
    same("Who is ready after a game", [False] * len(seated), [seat.ready for seat in table.seats])
    same("The seats after a game", [each.name for each in seated], [seat.name for seat in table.seats])
    same("The settings of the game of a table", table.settings, game.plan.settings)
    return game


@server_case("lobby.running", "ROLE-6")
async def running(context: ServerContext) -> None:
    """While a game runs its players stay; who leaves is out of it as if it had lost its connection."""
    gate = asyncio.Event()
    scene = replace(ordinary(OPEN, at(0, PLAY_AS, wait_for(gate))), control=PATIENT)
    async with _hosted(context, scene) as (users, _):
        first, other, third = users
        spare = await _User.enter(context)
        wanted = _asked_for(context, scene)
        for user in users:
            if user is first:
                await user.ask("CreateTable", **wanted)
            await user.ask("JoinTable", table=wanted["name"])
        try:
            table: Table = await first.ask("StartTable")
            same(
                "The status of a table whose game was started",
                TableStatus.Name(RUNNING),
                TableStatus.Name(table.status),
            )
            await other.refused("StartTable", "TABLE_RUNNING", "a running game")
            await other.refused("SetReady", "TABLE_RUNNING", "a running game", ready=True)
            await other.refused("SetBots", "TABLE_RUNNING", "a running game", count=1)
            await first.refused("DeleteTable", "TABLE_RUNNING", "a running game of others", table=table.name)
            await spare.refused("JoinTable", "TABLE_RUNNING", "a running game", table=table.name)
            await other.refused("Rename", "SEATED", "a player of a running game", name="zora")
            await other.refused("WatchTable", "SEATED", "a player of a running game", table=table.name)
            await other.refused("CreateTable", "SEATED", "a player of a running game", **_asked_for(context, scene))
            await spare.ask("WatchTable", table=table.name)
            await third.ask("LeaveTable")
            left = _named(await spare.ask("ListTables"), table.name)
            same("Who is at the table after one has left", [True, True, False], [seat.present for seat in left.seats])
        finally:
            gate.set()
        game = await _result(context, table)
        [charged] = game.result.misconducts or [None]
        if charged is None or charged.player != third.name:
            raise failure("Who leaves the running game of a table must be eliminated as if it had lost its connection.")
        same("The kind of misconduct of who leaves", MisconductKind.MISCONDUCT_KIND_EXCEPTION, charged.kind)
        over = await _until(spare, table.name, OVER)
        same("The seats after a game that one has left", [first.name, other.name], [seat.name for seat in over.seats])
        await first.ask("DeleteTable", table=table.name)
        await _leave_all([*users, spare])


class _Told:
    """What a stream of Attend has told a user, and the lobby that follows from it."""

    def __init__(self) -> None:
        self.sequences: list[int] = []
        self.users: dict[str, Any] = {}
        self.tables: dict[str, Table] = {}
        self.spoken: list[tuple[str, str]] = []
        self.gone: dict[str, Any] = {}
        self.changed = asyncio.Event()

    async def read(self, context: ServerContext, user: _User, after: int = 0) -> None:
        """Take all that a stream tells, to its end."""
        async with aclosing(context.stream("Attend", user.request("Attend", after_sequence=after))) as told:  # type: ignore[type-var]
            async for response in told:
                for event in response.events:
                    self._take(event)
                self.changed.set()

    def _take(self, event: LobbyEvent) -> None:
        self.sequences.append(event.sequence)
        match event.WhichOneof("event"):
            case "lobby":
                self.users = {each.name: each for each in event.lobby.users}
                self.tables = {each.name: each for each in event.lobby.tables}
            case "user":
                self.users[event.user.name] = event.user
            case "user_gone":
                self.gone[event.user_gone.name] = event.user_gone
                self.users.pop(event.user_gone.name, None)
            case "table":
                self.tables[event.table.name] = event.table
            case "table_deleted":
                self.tables.pop(event.table_deleted, None)
            case "spoken":
                self.spoken.append((event.spoken.speaker, event.spoken.text))

    async def until(self, met: Callable[[], bool], what: str) -> None:
        """Wait until something has been told. Raises Failure if it is not in time."""
        try:
            async with asyncio.timeout(TOLD_WITHIN_S):
                while not met():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            raise failure(
                f"Users of the lobby must be told {what}; this user was not within {TOLD_WITHIN_S:g} s."
            ) from None


@asynccontextmanager
async def _attending(context: ServerContext, user: _User, after: int = 0) -> AsyncIterator[_Told]:
    """Yield what a user is told of the lobby; with `after`, from that event on."""
    told, beside = _Told(), context.apart()
    reading = asyncio.create_task(told.read(beside, user, after))
    try:
        await told.until(lambda: bool(told.sequences), "the whole lobby, or what they have missed")
        yield told
    finally:
        reading.cancel()
        await asyncio.wait([reading])


@server_case("lobby.told", "ROLE-6")
async def told(context: ServerContext) -> None:
    """Who attends the lobby is told the whole of it and then each change; what is said is told at its table alone."""
    one, other, third = [await _User.enter(context) for _ in range(3)]
    name, text = context.new_short_name(), "good luck"
    async with _attending(context, one) as near, _attending(context, third) as far:
        await one.ask("CreateTable", name=name, game=OPEN)
        await other.ask("WatchTable", table=name)
        await other.ask("Say", text=text)
        await near.until(lambda: bool(near.spoken), "what is said at their table")
        same("What is said at the table, and by whom", [(other.name, text)], near.spoken)
        seen = near.sequences[-1]
        former, other.name = other.name, context.new_short_name()
        await other.ask("Rename", name=other.name)
        await other.ask("Leave")
        for about in (near, far):
            await about.until(lambda about=about: {former, other.name} <= set(about.gone), "who is gone")  # type: ignore[misc]
        same("The new name of a user, as others are told", other.name, near.gone[former].new_name)
        gone = near.gone[other.name]
        same("The new name of a user that is gone, and whether it was lost", ("", False), (gone.new_name, gone.lost))
        same("What is said at another table", [], far.spoken)
        spare = context.new_short_name()
        await third.ask("CreateTable", name=spare, game=OPEN)
        await third.ask("DeleteTable", table=spare)
        await third.ask("WatchTable", table=name)
        last = (name, Part.PART_WATCHER)
        await near.until(lambda: _place(near.users, third.name) == last and name in near.tables, "where users are")
        await near.until(lambda: third.name in near.tables[name].watchers, "who watches a table")
        await _check_whole(one, near, [one.name, third.name, other.name], [name, spare])
        if any(before >= after for before, after in itertools.pairwise(near.sequences)):
            raise failure("The sequence numbers of the lobby's events must grow.")
    async with _attending(context, one, seen) as later:
        await later.until(lambda: other.name in later.gone, "what they have missed")
    if later.sequences[0] <= seen or any(not event for event in later.sequences):
        raise failure(f"A stream of Attend that goes on after the event {seen} must begin behind it.")
    await one.ask("DeleteTable", table=name)
    await _leave_all([one, third])


def _place(users: Mapping[str, Any], name: str) -> tuple[str, int] | None:
    return (users[name].table, users[name].part) if name in users else None


async def _check_whole(user: _User, told: _Told, users: Sequence[str], tables: Sequence[str]) -> None:
    """Check that the changes of the lobby have led to what the whole of it is. It has ended the stream before."""
    whole = await user.lobby()
    for name in users:
        found = next((each for each in whole.users if each.name == name), None)
        same(f"The user {name}, as the changes of the lobby tell,", found, told.users.get(name))
    for name in tables:
        one = next((each for each in whole.tables if each.name == name), None)
        same(f"The table {name}, as the changes of the lobby tell,", one, told.tables.get(name))


@server_case("lobby.one-stream", "ROLE-6")
async def one_stream(context: ServerContext) -> None:
    """One stream a user counts: the former one ends, and says why."""
    user = await _User.enter(context)
    async with aclosing(context.stream("Attend", user.request("Attend"))) as former:  # type: ignore[type-var]
        await anext(former)
        await user.lobby()
        try:
            async with asyncio.timeout(TOLD_WITHIN_S):
                async for _ in former:
                    continue
        except grpc.aio.AioRpcError as error:
            same("Why the former stream ends", "STREAM_REPLACED", reason_of(error))
            same("The status of the former stream", STATUS["STREAM_REPLACED"], error.code())
        except TimeoutError:
            raise failure("A new stream of Attend must end the user's former one; it goes on.") from None
        else:
            raise failure("The former stream of a user must end with ABORTED and STREAM_REPLACED; it ended well.")
    await user.ask("Leave")


@server_case("lobby.lost", "ROLE-6", mostly_waits=True)
async def lost(context: ServerContext) -> None:
    """A user without a stream is lost after the grace period, and everybody is told; its seat is free then."""
    witness, user = await _User.enter(context), await _User.enter(context)
    if user.grace_s > LONGEST_GRACE_S:
        raise NotApplicable(f"this server waits {user.grace_s:g} s for a user that is gone")
    async with _attending(context, witness) as told:
        name = context.new_short_name()
        await witness.ask("CreateTable", name=name, game=OPEN)
        await user.ask("WatchTable", table=name)
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(user.grace_s)
        await told.until(lambda: user.name in told.gone, "who is lost")
        if asyncio.get_running_loop().time() - began < user.grace_s:
            raise failure(f"A user must have {user.grace_s:g} s to open a stream; it was lost before.")
        gone = told.gone[user.name]
        same("Whether a user was lost, and its new name", (True, ""), (gone.lost, gone.new_name))
        await told.until(lambda: list(told.tables[name].watchers) == [witness.name], "who still watches a table")
        await user.refused("LeaveTable", "UNKNOWN_USER", "the token of a user that was lost")
        back = await _User.enter(context, user.name, user.token)
        if back.token == user.token:
            raise failure("A user that was lost must be told a new token when it comes back.")
        await witness.ask("DeleteTable", table=name)
    await _leave_all([witness, back])


CASES = (names, tables, starts, running, told, one_stream, lost)

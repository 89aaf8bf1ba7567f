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
from fairplay.conformance.servers.compare import difference, same
from fairplay.conformance.servers.context import HIDDEN, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import Cast, Served, secret_of
from fairplay.conformance.servers.scenes import PATIENT, UNKNOWN_FIELD, Scene, control
from fairplay.games.envelopes import wrap
from fairplay.player.secrets import SECRET_KEY
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.v1 import lobby_pb2
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.lobby_pb2 import AttendRequest, EnterRequest, Lobby, LobbyEvent
from fairplay.v1.referee_pb2 import GetGameRequest, WatchGameRequest
from fairplay.v1.table_pb2 import Part, Table, TableStatus

LONGEST_GRACE_S = 15.0
"""A longer grace period is not waited for."""
TOLD_WITHIN_S = 10.0
PAUSE_S = 0.2
LONGEST_TEXT = 500
OPEN_TABLE = TableStatus.TABLE_STATUS_OPEN


class User:
    """A user of the lobby."""

    def __init__(self, context: ServerContext, name: str, token: str, grace_s: float = 0.0) -> None:
        self._context = context
        self.name = name
        self.token = token
        self.grace_s = grace_s
        """How long it may be without a stream."""

    @classmethod
    async def enter(cls, context: ServerContext, name: str = "", token: str = "") -> User:
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
        request: Message = getattr(lobby_pb2, f"{method}Request")(**{"token": self.token, **fields})
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


def _asked_for(context: ServerContext, scene: Scene, **fields: object) -> dict[str, Any]:
    """Return what asks for a table at which the game of a scene is played."""
    settings = wrap(GameSettings, scene.game, scene.settings)
    told = {"game": scene.game.name, "settings": settings, "time_control": scene.control}
    return {"name": context.new_short_name(), **told, **fields}


async def _leave_all(users: Collection[User]) -> None:
    for user in users:
        await user.ask("Leave")


@server_case("lobby.tables", "ROLE-6")
async def tables(context: ServerContext) -> None:
    """A table is as it was asked for, and its owner's: who only watches has no say there."""
    owner, other = await User.enter(context), await User.enter(context)
    scene = ordinary(OPEN)
    wanted = _asked_for(context, scene)
    made: Table = await owner.ask("CreateTable", **wanted)
    seats = scene.game.seats_with(scene.settings)
    due = Table(
        **wanted,
        owner=owner.name,
        status=TableStatus.TABLE_STATUS_OPEN,
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
    await owner.ask("DeleteTable", table=made.name)
    await other.ask("DeleteTable", table=newer.name)
    await _leave_all([owner, other])


def _bad_tables(wanted: Mapping[str, Any]) -> Mapping[str, tuple[str, Mapping[str, object]]]:
    """Return what is wrong with a table -> the reason for which it is refused, and the wrong fields."""
    unknown, wide = GameSettings(), GameSettings()
    unknown.MergeFromString(UNKNOWN_FIELD)
    getattr(wide, OPEN).rows = 1_000
    return {
        "the name of another table": ("NAME_TAKEN", {"name": wanted["name"].upper()}),
        "a game that there is not": ("UNKNOWN_GAME", {"game": "no-such-game", "settings": None}),
        "1,000 rows": ("INVALID_SETTINGS", {"settings": wide}),
        "an unknown field in the settings": ("UNKNOWN_FIELDS", {"settings": unknown}),
        "seats for one": ("INVALID_PLAYERS", {"seat_count": 1}),
        "seats for 99": ("INVALID_PLAYERS", {"seat_count": 99}),
        "a decision_limit of -1 s": ("INVALID_TIME_CONTROL", {"time_control": control(-1.0)}),
    }


class Told:
    """What a stream of Attend has told a user, and the lobby that follows from it."""

    def __init__(self) -> None:
        self.sequences: list[int] = []
        self.users: dict[str, Any] = {}
        self.tables: dict[str, Table] = {}
        self.spoken: list[tuple[str, str]] = []
        self.whole_count = 0
        """How often the whole lobby was told: chat that was missed is lost then."""
        self.gone: dict[str, Any] = {}
        self.changed = asyncio.Event()

    async def read(self, context: ServerContext, user: User, after: int = 0) -> None:
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
                self.whole_count += 1
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
async def _attending(context: ServerContext, user: User, after: int = 0) -> AsyncIterator[Told]:
    """Yield what a user is told of the lobby; with `after`, from that event on."""
    told, beside = Told(), context.apart()
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
    one, other, third = [await User.enter(context) for _ in range(3)]
    name, text = context.new_short_name(), " good  luck".ljust(LONGEST_TEXT)
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


async def _check_whole(user: User, told: Told, users: Sequence[str], tables: Sequence[str]) -> None:
    """Check that the changes of the lobby have led to what the whole of it is. It has ended the stream before."""
    whole = await user.lobby()
    for name in users:
        found = next((each for each in whole.users if each.name == name), None)
        same(f"The user {name}, as the changes of the lobby tell,", found, told.users.get(name))
    for name in tables:
        one = next((each for each in whole.tables if each.name == name), None)
        same(f"The table {name}, as the changes of the lobby tell,", one, told.tables.get(name))


@server_case("lobby.links", "ROLE-6", "SERVE-5")
async def links(context: ServerContext) -> None:
    """A game starts when all players are there, by the links and secrets given last; else the table hears why not."""
    scene = replace(ordinary(OPEN, count=2), control=PATIENT)
    one, other = await User.enter(context), await User.enter(context)
    wanted = _asked_for(context, scene, seat_count=2)
    name, former, far = wanted["name"], one.name, context.new_short_name()
    near, apart = (Cast(scene.game, scene.actors()) for _ in range(2))
    async with _attending(context, one) as told, _attending(context, other):
        await one.ask("CreateTable", **wanted)
        async with context.dialled_in(near, [former], token=one.token):
            await one.ask("JoinTable", table=name)
        async with context.dialled_in(near, [other.name], token=other.token, seats=[1]):
            await _does_not_start(one, told, "the last seat was taken", await other.ask("JoinTable", table=name))
            await one.ask("SetReady", ready=True)
            await _does_not_start(one, told, "all are ready", await other.ask("SetReady", ready=True))
            one.name = context.new_short_name()
            await one.ask("Rename", name=one.name)
            async with context.dialled_in(near, [former], token=one.token):
                about = "the game of a table where the player of a user is there by its former name only"
                await one.refused("StartTable", "NOT_DIALLED_IN", about)
            async with (
                context.dialled_in(near, [one.name], token=one.token),
                context.dialled_in(apart, [far], token=other.token, seats=[1]),
            ):
                again: Table = await other.ask("JoinTable", table=name, link=f"dial-in:{far}")
                same("The status of a table where a user has given another link", OPEN_TABLE, again.status)
                begun: Table = await one.ask("StartTable")
                await context.stream_all("WatchGame", WatchGameRequest(game_id=begun.game_id))
                await _check_secrets(context, scene, (one, other), told, name)
    game = (await context.ask("GetGame", GetGameRequest(game_id=begun.game_id))).game
    same("The players of the game of a table", [one.name, other.name], [each.name for each in game.players])
    same("Who is eliminated in a game whose players are there", [], [each.player for each in game.result.misconducts])
    called = [{each.seat for each in cast.received} for cast in (near, apart)]
    same("Who is called by the links of before and by the last ones", [{0}, {1}], called)
    await one.ask("DeleteTable", table=name)
    await _leave_all([one, other])


async def _check_secrets(context: ServerContext, scene: Scene, users: Sequence[User], told: Told, name: str) -> None:
    """Check that a player that serves is called with the secret that was given last, in each game of a table."""
    cast, (one, other) = Cast(scene.game, scene.actors()), users
    served = Served(cast, context.place.players_host)
    try:
        link = await served.serve(1)
        for secret in (secret_of(0), secret_of(1)):
            await told.until(lambda: told.tables[name].HasField("result"), "that the game of their table is over")
            await other.ask("JoinTable", table=name, link=link, secret=secret)
            begun: Table = await one.ask("StartTable")
            await told.until(lambda: not told.tables[name].HasField("result"), "that the game of their table begins")
            await context.stream_all("WatchGame", WatchGameRequest(game_id=begun.game_id))
            shown = {each.metadata.get(SECRET_KEY) for each in cast.received}
            same("The secret that each call to a player of a table shows", {secret}, shown)
            cast.received.clear()
    finally:
        await served.close()


async def _does_not_start(user: User, told: Told, when: str, table: Table) -> None:
    """Check that a game has not started whose player is gone, and that everybody at the table is told why."""
    same(f"The status of a table when {when}, and a player is gone", OPEN_TABLE, table.status)
    await told.until(lambda: any(not speaker and text for speaker, text in told.spoken), f"why no game starts, {when}")
    told.spoken.clear()
    await user.refused("StartTable", "NOT_DIALLED_IN", f"the game of a table when {when}, and a player is gone")


@server_case("lobby.one-stream", "ROLE-6")
async def one_stream(context: ServerContext) -> None:
    """One stream a user counts: the former one ends, and says why. The last one ends when the user leaves."""
    user = await User.enter(context)
    async with aclosing(context.stream("Attend", user.request("Attend"))) as former:  # type: ignore[type-var]
        await anext(former)
        await user.lobby()
        error = await _end_of(former, "A new stream of Attend must end the user's former one; it goes on.")
        if error is None:
            raise failure("The former stream of a user must end with ABORTED and STREAM_REPLACED; it ended well.")
        same("Why the former stream ends", "STREAM_REPLACED", reason_of(error))
        same("The status of the former stream", STATUS["STREAM_REPLACED"], error.code())
    async with aclosing(context.stream("Attend", user.request("Attend"))) as last:  # type: ignore[type-var]
        await anext(last)
        await user.ask("Leave")
        await _end_of(last, "The stream of a user that leaves the lobby must end; it goes on.")


async def _end_of(told: AsyncIterator[Any], endless: str) -> grpc.aio.AioRpcError | None:
    """Return the error with which a stream ends, None if with none. Raises Failure, with a sentence, if it goes on."""
    try:
        async with asyncio.timeout(TOLD_WITHIN_S):
            async for _ in told:
                continue
    except grpc.aio.AioRpcError as error:
        return error
    except TimeoutError:
        raise failure(endless) from None
    return None


@server_case("lobby.lost", "ROLE-6", mostly_waits=True)
async def lost(context: ServerContext) -> None:
    """A user without a stream is lost after the grace period, and everybody is told; its seat is free then.

    So is one whose stream has ended.
    """
    clock = asyncio.get_running_loop()
    entered_s = clock.time()
    witness, user, former = [await User.enter(context) for _ in range(3)]
    if user.grace_s > LONGEST_GRACE_S:
        raise NotApplicable(f"this server waits {user.grace_s:g} s for a user that is gone")
    async with _attending(context, witness) as told:
        name = context.new_short_name()
        await witness.ask("CreateTable", name=name, game=OPEN)
        await user.ask("WatchTable", table=name)
        await asyncio.sleep(user.grace_s / 10)
        ended_s = clock.time()
        await former.lobby()
        await asyncio.sleep(user.grace_s * 0.8)
        for each, since_s in ((user, entered_s), (former, ended_s)):
            if each.name in told.gone and clock.time() - since_s < user.grace_s:
                raise failure(f"A user must have {user.grace_s:g} s to open a stream; it was lost before.")
        await asyncio.sleep(user.grace_s / 5)
        await told.until(lambda: user.name in told.gone, "who is lost")
        await told.until(lambda: former.name in told.gone, "who is lost as its stream has ended")
        for gone in (told.gone[user.name], told.gone[former.name]):
            same("Whether a user was lost, and its new name", (True, ""), (gone.lost, gone.new_name))
        await told.until(lambda: list(told.tables[name].watchers) == [witness.name], "who still watches a table")
        await user.refused("LeaveTable", "UNKNOWN_USER", "the token of a user that was lost")
        back = await User.enter(context, user.name, user.token)
        if back.token == user.token:
            raise failure("A user that was lost must be told a new token when it comes back.")
        await witness.ask("DeleteTable", table=name)
    await _leave_all([witness, back])


CASES = (tables, told, links, one_stream, lost)

"""Cases in which people ask for one thing after the other, each in states to which what came before has led."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from typing import Any

import grpc

from fairplay.conformance.case import Failure, NotApplicable, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.cases.races import setting
from fairplay.conformance.servers.cases.refusals import granted
from fairplay.conformance.servers.cases.tables import PAUSE_S, TOLD_WITHIN_S, Told, User
from fairplay.conformance.servers.compare import check_ranking, difference, same
from fairplay.conformance.servers.context import FORGIVING, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.lobby_walk import OVER, RUNNING, Person, Step, Table, Walk
from fairplay.conformance.servers.players import Cast, hello
from fairplay.conformance.servers.scenes import PATIENT, Scene, any_of, at, wait_for
from fairplay.conformance.servers.texts import fit
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.server.net.errors import STATUS, reason_of
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.misconduct_pb2 import Misconduct, MisconductKind
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GameStatus, GetGameRequest, WatchGameRequest
from fairplay.v1.table_pb2 import Part, TableStatus
from fairplay.v1.table_pb2 import Table as TableMessage

SEED, MORE_STEPS = 1, 70
LOOK_EVERY = 50
"""After so many steps everything in the lobby is looked at."""
LISTENERS = (0, 3, 4)
"""Who keeps a stream of Attend open, by their places: a player, and two who own tables and watch."""
LISTEN_ANEW_EVERY = 7
"""After so many steps those who listen are without a stream for one step."""
SMALL = {"rows": 3, "columns": 3}
"""A board on which games are short."""
FREE = {"create_time", "game_id", "result"}
"""What of a table does not follow from the requests."""


class _Lobby:
    """The lobby of the server under test, and what must be there."""

    def __init__(self, context: ServerContext, scene: Scene, walk: Walk, gates: dict[str, asyncio.Event]) -> None:
        self._gates = gates
        """The id of a game -> the gate for which its players wait."""
        self._context = context
        self._walk = walk
        self._told = {
            "game": scene.game.name,
            "settings": wrap(GameSettings, scene.game, scene.settings),
            "time_control": scene.control,
        }
        self._ids: dict[Table, list[str]] = defaultdict(list)
        """The ids of the games of each table."""
        self._ears: dict[Person, _Ear] = defaultdict(lambda: _Ear(context.apart()))
        self._entered_s: dict[Person, float] = {}
        self._seeds: set[int] = set()
        self._grace_s = self._pause_s = 1.0

    async def take(self, step: Step, number: int) -> None:
        """Ask for one thing, and look at what comes of it."""
        await self._stay(step.person)
        if not step.method:
            assert step.table is not None
            await self._end(step.table)
        elif step.reason:
            await self._refused(step)
        else:
            await self._granted(step)
        if step.effect is not None or (step.method == "Say" and not step.reason):
            await self._hear(step)
        if number % LISTEN_ANEW_EVERY == 0:
            for ear in self._ears.values():
                await ear.close()
        changed = step.effect is not None and step.table is None and step.method not in ("Enter", "Leave")
        if step.person.here and (changed or number % LOOK_EVERY == 0):
            await self._look(step, places=number % LOOK_EVERY == 0)

    async def _stay(self, asking: Person) -> None:
        """Enter once more for those who could be lost, as they have no stream."""
        now_s = asyncio.get_running_loop().time()
        for person, entered_s in self._entered_s.items():
            if person.here and person is not asking and now_s - entered_s > self._grace_s / 3:
                await self._enter(person, {"name": person.name, "token": person.token})

    async def ask(self, person: Person, method: str, fields: dict[str, Any]) -> Any:
        """Return the reply to a request of a person; to Attend, the whole lobby. Too many requests are asked again."""
        if method == "CreateTable":
            fields = {**self._told, **fields}
        user = User(self._context, person.name, person.token)
        while True:
            try:
                if method == "Attend":
                    await self._ears[person].close()
                    return await user.lobby()
                return await self._context.ask(method, user.request(method, **fields))
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                    raise NotApplicable("this server has no LobbyService") from None
                if reason_of(error) != "TOO_MANY_REQUESTS":
                    raise
            await asyncio.sleep(self._pause_s)

    async def _refused(self, step: Step) -> None:
        due = f"{step.what} must be refused with {STATUS[step.reason].name} and {step.reason}"
        try:
            await self.ask(step.person, step.method, step.fields)
        except grpc.aio.AioRpcError as error:
            if (error.code(), reason_of(error)) != (STATUS[step.reason], step.reason):
                raise failure(f"{due}; it failed with {error.code().name} and {reason_of(error)}.") from None
        else:
            raise failure(f"{due}; it was granted.")

    async def _granted(self, step: Step) -> None:
        try:
            if step.method == "Enter":
                await self._enter(step.person, step.fields, is_here=step.effect is None)
                return
            reply = await self.ask(step.person, step.method, step.fields)
        except grpc.aio.AioRpcError as error:
            failed = f"{error.code().name} and {reason_of(error)}: {error.details()}"
            raise failure(f"{step.what} must be granted; it failed with {failed}") from None
        if step.table is not None:
            self._check(step.table, reply.table, f"the reply to {step.what}")
        if step.method == "DeleteTable":
            await self._check_stopped(step)

    async def _enter(self, person: Person, fields: dict[str, Any], *, is_here: bool = True) -> None:
        reply = await self.ask(person, "Enter", fields)
        same("The name that Enter tells", person.name, reply.name)
        if is_here:
            same("The token of a user that comes back", person.token, reply.token)
        elif reply.token in ("", *(each.token for each in self._walk.people if each is not person)):
            raise failure("Enter must give each user a token of its own.")
        person.token = reply.token
        self._entered_s[person] = asyncio.get_running_loop().time()
        self._grace_s = reply.grace_period.ToNanoseconds() / 1e9
        self._pause_s = 2 / max(reply.requests_per_second, 1)

    def _due(self, table: Table) -> TableMessage:
        due = TableMessage(**self._told)
        due.MergeFrom(table.message())
        return due

    def _check(self, table: Table, told: TableMessage, where: str) -> None:
        """Check what is told of a table."""
        same(f"The table in {where}", TableStatus.Name(table.status), TableStatus.Name(told.status))
        due = self._due(table)
        if wrong := difference(due, _sorted(told), free=FREE):
            raise failure(f"The table in {where} is wrong: {wrong}.", ("Expected", readable(due)))
        same(f"Whether a game is over whose result is in {where}", table.status == OVER, told.HasField("result"))
        known = self._ids[table]
        if len(known) < len(table.games):
            known.append(told.game_id)
        same(f"The id of the last game in {where}", ["", *known][-1], told.game_id)
        if (table.games and not told.game_id) or len({*known}) < len(known):
            raise failure(f"A game that begins at a table must have an id of its own in {where}.")

    async def _hear(self, step: Step) -> None:
        """Check that who listens is told how things are after a step, and what is said at its table alone."""
        for person in [self._walk.people[place] for place in LISTENERS]:
            if not person.here:
                if (gone := self._ears.pop(person, None)) is not None:
                    await gone.close()
                continue
            ear = self._ears[person]
            if step.method == "Say" and person.table is step.person.table:
                ear.due.append((step.person.name, step.fields["text"]))
            ear.open(person, self._pause_s)
            await self._expect_told(ear, step)

    async def _expect_told(self, ear: _Ear, step: Step) -> None:
        """Wait until somebody has been told what comes of a step. Raises Failure if that takes too long."""
        try:
            await ear.told.until(lambda: not self._untold(ear), "all changes")
        except Failure:
            raise failure(
                f"A user must be told on its stream of Attend what comes of {step.what} within"
                f" {TOLD_WITHIN_S:g} s; it was not told {self._untold(ear)} as it is."
            ) from None

    def _untold(self, ear: _Ear) -> str:
        """Return what somebody has not been told, empty if nothing."""
        told, tables = ear.told, {each.name: each for each in self._walk.tables}
        for name in {*tables, *self._walk.deleted}:
            table, got = tables.get(name), told.tables.get(name)
            if (table is None) != (got is None):
                return f"the table {name}"
            if table is not None and got is not None:
                wrong = difference(self._due(table), _sorted(got), free=FREE)
                if wrong or (table.status == OVER) != got.HasField("result"):
                    return f"the table {name}"
        for person in self._walk.people:
            got_user = told.users.get(person.name)
            place = None if got_user is None else (got_user.table, got_user.part)
            if place != (_place(person) if person.here else None) or {*person.former} & {*told.users}:
                return f"where {person.name} is"
        said = [each for each in told.spoken if each[0]]
        due = ear.due[len(ear.due) - len(said) :] if told.whole_count > 1 else ear.due
        return "" if said == due else "what was said at its table, and nothing else,"

    async def close(self) -> None:
        """End the streams of those who listen."""
        for ear in self._ears.values():
            await ear.close()

    async def _look(self, after: Step, *, places: bool) -> None:
        """Check all tables and, with `places`, where everybody is."""
        listed = (await self.ask(after.person, "ListTables", {"page_size": 1_000})).tables
        found = {each.name: each for each in listed}
        tables = self._walk.tables[::-1]
        names = [each.name for each in tables]
        same(
            f"The tables, newest first, after {after.what}",
            names,
            [each.name for each in listed if each.name in {*names, *self._walk.deleted}],
        )
        for table in tables:
            self._check(table, found[table.name], f"ListTables after {after.what}")
        if places:
            users = (await self.ask(after.person, "Attend", {})).users
            got = {each.name: (each.table, each.part) for each in users}
            for person in self._walk.people:
                due = _place(person) if person.here else None
                same(f"The table and the part of {person.name} after {after.what}", due, got.get(person.name))

    async def _end(self, table: Table) -> None:
        """Have the game of a table played to its end."""
        game_id = self._ids[table][-1]
        self._gates[game_id].set()
        game = await self._over(game_id)
        same("The players of the game of a table", table.games[-1], [one.name for one in game.players])
        left = [name for name in table.games[-1] if name not in table.names()]
        charged = [(each.player, each.kind) for each in game.result.misconducts]
        due = [(name, MisconductKind.MISCONDUCT_KIND_EXCEPTION) for name in left]
        same("Who is eliminated, as it has left the running game of a table, and why", due, sorted(charged))
        if game.plan.seed in self._seeds:
            raise failure("A game that is started anew at a table must have another seed.")
        self._seeds.add(game.plan.seed)
        same("The settings of the game of a table", self._told["settings"], game.plan.settings)
        until_s = asyncio.get_running_loop().time() + TOLD_WITHIN_S
        asking = next(each for each in self._walk.people if each.here)
        while asyncio.get_running_loop().time() < until_s:
            listed = (await self.ask(asking, "ListTables", {"page_size": 1_000})).tables
            [told] = [each for each in listed if each.name == table.name]
            if told.status == OVER:
                break
            await asyncio.sleep(PAUSE_S)
        self._check(table, told, "ListTables after the end of its game")
        check_ranking(game.result, told.result, "the table")
        same(
            "The misconducts that the table tells",
            *(list(map(_told, each.result.misconducts)) for each in (game, told)),
        )

    async def _over(self, game_id: str) -> GameMessage:
        """Return a game when it is over."""
        await self._context.stream_all("WatchGame", WatchGameRequest(game_id=game_id))
        game: GameMessage = (await self._context.ask("GetGame", GetGameRequest(game_id=game_id))).game
        return game

    async def _check_stopped(self, step: Step) -> None:
        """Check that the game of a table that was deleted while it ran is stopped."""
        for table, ids in self._ids.items():
            if table.status == RUNNING and table not in self._walk.tables and not self._gates[ids[-1]].is_set():
                status = GameStatus.Name((await self._over(ids[-1])).status)
                same(f"The status of the game after {step.what}", "GAME_STATUS_ABORTED", status)
                self._gates[ids[-1]].set()


class _Ear:
    """The stream of Attend of one user, which goes on after what it has told before it was closed."""

    def __init__(self, context: ServerContext) -> None:
        self.told = Told()
        self.due: list[tuple[str, str]] = []
        """Who has said what at the table of the user."""
        self._context = context
        self._reading: asyncio.Task[None] | None = None

    def open(self, person: Person, pause_s: float) -> None:
        """Have the user attend, if it does not."""
        if self._reading is None or self._reading.done():
            user = User(self._context, person.name, person.token)
            self._reading = asyncio.create_task(self._read(user, pause_s))

    async def _read(self, user: User, pause_s: float) -> None:
        while True:
            try:
                await self.told.read(self._context, user, [0, *self.told.sequences][-1])
            except grpc.aio.AioRpcError as error:
                if reason_of(error) != "TOO_MANY_REQUESTS":
                    raise
                await asyncio.sleep(pause_s)
            else:
                return

    async def close(self) -> None:
        """End the stream."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])
            self._reading = None


def _sorted(table: TableMessage) -> TableMessage:
    """Return a table with its watchers, which come in any order, by name."""
    got = TableMessage()
    got.CopyFrom(table)
    got.watchers.sort()
    return got


def _told(misconduct: Misconduct) -> tuple[object, ...]:
    """Return what a table tells of a misconduct that breaks no rule."""
    return tuple(getattr(misconduct, name) for name in ("seat", "player", "kind", "method_name", "call_number"))


def _place(person: Person) -> tuple[str, Part.ValueType]:
    if person.table is None:
        return "", Part.PART_UNSPECIFIED
    return person.table.name, Part.PART_PLAYER if person.table.seat(person) is not None else Part.PART_WATCHER


@server_case("lobby.walk", "ROLE-6", mostly_waits=True)
async def lobby_walk(context: ServerContext) -> None:
    """Whatever users ask for at tables, one thing after the other, each is granted or refused as the lobby says."""
    gates: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
    scene = replace(
        ordinary(OPEN, lambda asked: wait_for(gates[asked.request.game_id])(asked), **SMALL), control=PATIENT
    )
    links = [f"bot:{strategy}" for strategy in list(scene.game.strategies)[:2]]
    seat_counts = scene.game.seats_with(scene.settings)
    walk = Walk(SEED, lambda: fit("EnterRequest.name", context.new_short_name()), seat_counts, links)
    lobby = _Lobby(context, scene, walk, gates)
    try:
        async with context.dialled_in(
            Cast(scene.game, scene.actors()), [each.name for each in walk.people if each.plays]
        ):
            for number, step in enumerate(walk.steps(MORE_STEPS)):
                await lobby.take(step, number)
            await _check_name_is_held(context, scene.game, walk.people[0])
            for person in walk.people:
                if person.here:
                    await lobby.ask(person, "Leave", {})
    finally:
        await lobby.close()
        for gate in gates.values():
            gate.set()


async def _check_name_is_held(context: ServerContext, game: Game, person: Person) -> None:
    stream = context.open_stream(Cast(game, []))
    try:
        if await stream.open(hello(game, [person.name])):
            raise failure("While a user is in the lobby nobody else must be able to dial in under its name.")
    finally:
        await stream.close()


@server_case("lobby.comes-back", "ROLE-6")
async def comes_back(context: ServerContext) -> None:
    """Who has left a running game whose rules keep its player comes back to its seat, and is called again."""
    gate = asyncio.Event()
    held = any_of(*(at(seat, "AskAssistantCard", wait_for(gate)) for seat in range(2)))
    kept = setting("on_disconnect", "ON_DISCONNECT_SKIP_TURNS", FORGIVING)
    scene = replace(ordinary(FORGIVING, held, **kept), control=PATIENT)
    names = [context.new_short_name() for _ in range(scene.player_count)]
    async with context.dialled_in(Cast(scene.game, scene.actors()), names) as stream:
        users = [await User.enter(context, name) for name in names]
        wanted = {"game": scene.game.name, "settings": wrap(GameSettings, scene.game, scene.settings)}
        wanted |= {"name": context.new_short_name(), "time_control": scene.control, "seat_count": len(users)}
        try:
            try:
                await users[0].ask("CreateTable", **wanted)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) != "UNKNOWN_GAME":
                    raise
                raise NotApplicable(f"this server does not have {scene.game.title}") from None
            begun = [await user.ask("JoinTable", table=wanted["name"]) for user in users][-1]
            same("The status of a table whose last seat is taken", RUNNING, begun.status)
            while not any(each.method == "AskAssistantCard" for each in stream.cast.received):
                stream.called.clear()
                await stream.called.wait()
            for leave in ("LeaveTable", "Leave"):
                await users[1].ask(leave)
                if leave == "LeaveTable":
                    await _check_plays_elsewhere(context, users[1], wanted)
                else:
                    users[1] = await User.enter(context, names[1], users[1].token)
                about = f"JoinTable of the running game that a user has left with {leave}, and in which it is not out,"
                joining = users[1].request("JoinTable", table=wanted["name"])
                table = (await granted(context, "JoinTable", joining, about)).table
                same(f"Who is at the table after {about}", [True, True], [seat.present for seat in table.seats])
            called = len(stream.cast.received)
            gate.set()
            await context.stream_all("WatchGame", WatchGameRequest(game_id=begun.game_id))
            if not any(each.seat == 1 for each in stream.cast.received[called:]):
                raise failure("The player of a user that has come back to its running game must be called again.")
        finally:
            gate.set()
            for user in users:
                await user.ask("Leave")


async def _check_plays_elsewhere(context: ServerContext, user: User, wanted: dict[str, Any]) -> None:
    """Check that a user that plays at a table of its own does not come back to the one that it has left before."""
    own = {**wanted, "name": context.new_short_name(), "seat_count": 2}
    await user.ask("CreateTable", **own)
    await user.ask("JoinTable", table=own["name"])
    same("The status of a table whose last seat has a bot", RUNNING, (await user.ask("SetBots", count=1)).status)
    about = "the running game that a user has left, and who plays elsewhere"
    await user.refused("JoinTable", "SEATED", about, table=wanted["name"])
    await user.ask("DeleteTable", table=own["name"])


CASES = (lobby_walk, comes_back)

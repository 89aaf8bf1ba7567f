"""Whether players can dial in, are who they say, come back, and cannot disturb each other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import grpc

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.servers.compare import check_blame, check_ranking, same
from fairplay.conformance.servers.context import OPEN, TIMED, ServerContext, ordinary, server_case, together
from fairplay.conformance.servers.courses import check_order
from fairplay.conformance.servers.players import Cast, Stream, hello
from fairplay.conformance.servers.scenes import (
    UNKNOWN_FIELD,
    Act,
    Asked,
    Manner,
    any_of,
    at,
    control,
    expect,
    vanish,
)
from fairplay.conformance.servers.texts import LETTERS, fit, misfits, size_of
from fairplay.server.net.errors import STATUS
from fairplay.server.net.limits import LIMITS, limit_of
from fairplay.v1.connection_pb2 import DialInRequest, GoodbyeReason, Hello, Reply
from fairplay.v1.player_pb2 import GameService, PlayerDescription
from fairplay.v1.referee_pb2 import CreateGameRequest, StopGameRequest

END_LIMIT_S = 20.0
STRAY = 2**52
"""No call has this id, nor those behind it."""
FLOOD_FRAMES = 50
FRAME_REPLIES = 2_000
PAUSE_S = 0.02
ATTEMPTS = 3
MANY = 10_000
SHORT_S = 0.5
CLOSED = "a connection whose caller has closed its side"
MOST_STRAYS = 1_000
"""So many at once do not end a stream."""
LATE = 5
"""So many replies come late: too many for a busy server to have forgiven them when it has read them all."""
FRAMES, FRAME_S = 500, 0.04
"""A stream ends before so many frames of FORGIVEN stray replies are sent, one each FRAME_S."""
FORGIVEN_S, FORGIVEN = 2.0, 20
"""So long after MOST_STRAYS so many more do not end a stream: MOST_STRAYS a minute are allowed."""
MAX_SERVICES = limit_of("PlayerDescription.services").max_items
MAX_FRAME_BYTES = 64 * 2**20


def make_cast() -> Cast:
    """Return the players of a small game."""
    scene = ordinary(OPEN, count=2)
    return Cast(scene.game, scene.actors())


async def check_ended(context: ServerContext, stream: Stream, what: str) -> None:
    """Wait until the server has ended a connection. Raises Failure if it does not."""
    try:
        async with asyncio.timeout(END_LIMIT_S):
            await stream.ended.wait()
    except TimeoutError:
        raise await context.hung(f"The server must end {what}; it did not within {END_LIMIT_S:g} s.") from None


async def check_replaced(context: ServerContext, stream: Stream) -> None:
    """Wait until the server has ended a connection whose players another one has. Raises Failure if it is not told."""
    await check_ended(context, stream, "the connection whose players another one has")
    if stream.goodbye is None or stream.goodbye.reason != GoodbyeReason.GOODBYE_REASON_REPLACED:
        raise failure("The former connection must be told goodbye, because it was replaced.")


async def _rejected(
    context: ServerContext, reasons: Sequence[str], *frames: DialInRequest, what: str = "this connection"
) -> None:
    """Check that a connection with these frames is ended for one of these reasons."""
    stream = context.open_stream(make_cast())
    try:
        stream.start()
        for frame in frames:
            if not stream.ended.is_set():
                await stream.write(frame)
                await asyncio.sleep(PAUSE_S)  # a status that meets frames under way may get lost in gRPC
        await check_ended(context, stream, what)
    finally:
        await stream.close()
    if stream.goodbye is not None:
        raise failure(f"The server must not say goodbye on {what}, whose caller has broken the contract.")
    if stream.reason not in reasons or stream.status is not STATUS[stream.reason]:
        wanted = " or ".join(f"{STATUS[reason].name} and {reason}" for reason in reasons)
        raise failure(f"The connection must end with {wanted}; it ended with {stream.status} {stream.reason}")


def _bad_hello(case_id: str, why: str, build: Callable[[ServerContext], Hello], reason: str, *checks: str) -> Case:
    async def bad_hello(context: ServerContext) -> None:
        await _rejected(context, [reason], DialInRequest(hello=build(context)))

    bad_hello.__doc__ = why
    return server_case(case_id, *checks)(bad_hello)


def make_hello(names: Sequence[str], token: str = "") -> Hello:
    """Return the hello of players of a small game."""
    return hello(ordinary(OPEN).game, names, token)


hellos = (
    _bad_hello("connection.nobody", "A hello is of somebody.", lambda _: make_hello([]), "MALFORMED_HELLO", "DIAL-6"),
    _bad_hello(
        "connection.same-player-twice",
        "A player is there once.",
        lambda context: make_hello(context.new_names(1) * 2),
        "MALFORMED_HELLO",
        "DIAL-6",
    ),
    _bad_hello(
        "connection.long-token",
        "A token has at most 256 bytes.",
        lambda context: make_hello(context.new_names(1), "x" * 257),
        "MALFORMED_HELLO",
        "DIAL-6",
    ),
)


@server_case("connection.name", "NAME-1", "LIMIT-1")
async def name(context: ServerContext) -> None:
    """Names are what the contract says."""

    async def refused(what: str, wrong: str) -> None:
        said = DialInRequest(hello=make_hello([wrong]))
        await _rejected(context, ["NAME_INVALID"], said, what=f"a connection of a name with {what}")

    wrong = {"two dots alone": "..", "a slash": "a/b", **misfits("HostedPlayer.name")}
    await together(refused(*each) for each in wrong.items())
    async with context.dialled_in(make_cast(), [fit("HostedPlayer.name", *context.new_names(1))], seats=[0]):
        pass


@server_case("connection.welcome", "ROLE-4", "DIAL-9", "STREAM-6")
async def welcome(context: ServerContext) -> None:
    """The welcome tells a program how its players are called, and what it may send."""
    async with context.dialled_in(make_cast(), context.new_names(2)) as stream:
        said = stream.welcome
    assert said is not None
    if len(said.players) != 2 or len(set(said.players)) != 2:
        raise failure("The welcome must have a number of its own for each player of the hello.")
    if not said.resume_token:
        raise failure("The welcome must have a resume token.")
    if not said.max_frame_bytes or not said.max_reply_bytes or not said.max_player_count:
        raise failure("The welcome must say the largest frame, the largest reply and the most players.")


@server_case("connection.hello-first", "DIAL-4")
async def hello_first(context: ServerContext) -> None:
    """Before the hello nobody knows who speaks."""
    for first in (DialInRequest(replies=[Reply(id=1)]), DialInRequest()):
        await _rejected(context, ["PROTOCOL_BROKEN"], first)


@server_case("connection.one-hello", "DIAL-5")
async def one_hello(context: ServerContext) -> None:
    """A connection has one hello: players do not change while it lasts."""
    said = DialInRequest(hello=make_hello(context.new_names(1)))
    for second in (said, DialInRequest(hello=said.hello, replies=[Reply(id=STRAY)])):
        await _rejected(context, ["PROTOCOL_BROKEN"], said, second, what="a connection with a second hello")


@server_case("connection.reply-flood", "LATE-5", "STREAM-9")
async def reply_flood(context: ServerContext) -> None:
    """A connection that floods the server is ended, and no other is touched."""
    frame = DialInRequest(replies=[Reply(id=STRAY + number) for number in range(FRAME_REPLIES)])
    async with context.staged(ordinary(OPEN)) as stage:
        said = DialInRequest(hello=make_hello(context.new_names(1)))
        for attempt in range(1, ATTEMPTS + 1):
            try:
                await _rejected(context, ["REPLY_FLOOD"], said, *[frame] * FLOOD_FRAMES)
                break
            except Failure as found:
                if attempt == ATTEMPTS or found.evidence.final:
                    raise
        await _flood_with_nothing(context)
        await context.ask("PlayGame", stage.request)
    check_order(expect(stage.scene, stage.request.game_id), stage.cast.received)


async def _flood_with_nothing(context: ServerContext) -> None:
    """Check that a connection is ended on which too many frames without replies come."""
    async with context.dialled_in(make_cast(), context.new_names(1)) as stream:
        for _ in range(FRAME_REPLIES):
            await stream.write(DialInRequest())
        await check_ended(context, stream, f"a connection with {FRAME_REPLIES:,} frames without replies")


@server_case("connection.large-frame", "STREAM-2", "STREAM-9")
async def large_frame(context: ServerContext) -> None:
    """A frame that is too large ends its connection, and no other."""
    async with context.staged(ordinary(OPEN)) as stage:
        async with context.dialled_in(make_cast(), context.new_names(1)) as stream:
            assert stream.welcome is not None
            if stream.welcome.max_frame_bytes > MAX_FRAME_BYTES:
                raise NotApplicable(f"this server reads frames of {stream.welcome.max_frame_bytes:,} bytes")
            await stream.reply(STRAY, b"\0" * stream.welcome.max_frame_bytes)
            await check_ended(context, stream, "a connection with too large a frame")
            if stream.status is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise failure(f"The connection must end with RESOURCE_EXHAUSTED; it ended with {stream.status}")
        await context.ask("PlayGame", stage.request)
    check_order(expect(stage.scene, stage.request.game_id), stage.cast.received)


@server_case("connection.compressed", "STREAM-5")
async def compressed(context: ServerContext) -> None:
    """A library may compress what a player sends; a small frame that becomes a large one ends its connection."""
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        stream = context.open_stream(make_cast(), compression=compression)
        try:
            async with asyncio.timeout(END_LIMIT_S):
                if not await stream.open(make_hello(context.new_names(1))):
                    raise failure(f"The server must read what is compressed with {compression.name.lower()}.")
            assert stream.welcome is not None
            if stream.welcome.max_frame_bytes > MAX_FRAME_BYTES:
                continue
            await stream.reply(STRAY, b"\0" * stream.welcome.max_frame_bytes)
            await check_ended(context, stream, "a connection with a frame that is too large when it is inflated")
            if stream.status is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise failure(f"The connection must end with RESOURCE_EXHAUSTED; it ended with {stream.status}")
        finally:
            await stream.close()


@server_case("connection.two-games", "NAME-5", "GAME-14")
async def two_games(context: ServerContext) -> None:
    """Games that are played at the same time by the same players do not mix."""
    scene = ordinary(OPEN, count=2)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    async with context.dialled_in(cast, names):
        requests = [context.request(scene, [f"dial-in:{name}" for name in names]) for _ in range(2)]
        replies = await asyncio.gather(*(context.ask("PlayGame", request) for request in requests))
    for request, reply in zip(requests, replies, strict=True):
        check_ranking(expect(scene, request.game_id).result, reply.game.result)


@server_case("connection.one-fails", "STREAM-9", "FAIL-15")
async def one_fails(context: ServerContext) -> None:
    """A player whose connection ends does not end those of others."""
    scene = ordinary(OPEN, any_of(at(0, "TakeTurn", vanish), at(1, "TakeTurn", vanish)), count=2)
    async with context.staged(ordinary(OPEN)) as quiet:
        await context.play(scene)
        game = (await context.ask("PlayGame", quiet.request)).game
    check_ranking(expect(quiet.scene, quiet.request.game_id).result, game.result)


@server_case("connection.create-waits", "ASK-5", "REACH-5")
async def create_waits(context: ServerContext) -> None:
    """Players may dial in after their game was begun, within the start limit."""
    scene = ordinary(OPEN, count=2)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(2)
    request = context.request(scene, [f"dial-in:{name}" for name in names])
    await context.ask("CreateGame", CreateGameRequest(game_id=request.game_id, plan=request.plan))
    async with context.dialled_in(cast, names):
        game = (await context.ask("PlayGame", request)).game
    check_ranking(expect(scene, request.game_id).result, game.result)


@server_case("connection.silence", "DIAL-3", mostly_waits=True)
async def silence(context: ServerContext) -> None:
    """A connection that never says hello is ended, so that nobody fills the server with silence."""
    await _rejected(context, ["HELLO_MISSING"])


@server_case("connection.many-players", "DIAL-7")
async def many_players(context: ServerContext) -> None:
    """A program that hosts more players than a stream may have opens another stream."""
    async with context.dialled_in(make_cast(), context.new_names(1)) as stream:
        assert stream.welcome is not None
        most = stream.welcome.max_player_count
    if most > MANY:
        raise NotApplicable(f"this server lets a stream host {most:,} players")
    names = [f"{context.new_id('player')}-{number}" for number in range(most + 1)]
    await _rejected(context, ["TOO_MANY_PLAYERS"], DialInRequest(hello=make_hello(names, "a token")))
    async with context.dialled_in(make_cast(), names[:most], token="another token", seats=[0] * most):
        pass


@server_case("connection.token-bytes", "DIAL-10")
async def token_bytes(context: ServerContext) -> None:
    """A token of 128 letters that take two bytes each is at the limit, and one of 129 is beyond."""
    async with context.dialled_in(make_cast(), context.new_names(1), token="\N{LATIN SMALL LETTER E WITH ACUTE}" * 128):
        pass
    said = make_hello(context.new_names(1), "\N{LATIN SMALL LETTER E WITH ACUTE}" * 129)
    await _rejected(context, ["MALFORMED_HELLO"], DialInRequest(hello=said))


@server_case("connection.replies-beside-hello", "DIAL-4")
async def replies_beside_hello(context: ServerContext) -> None:
    """A frame that says two things at once has no order: who is there, and what is answered."""
    frame = DialInRequest(hello=make_hello(context.new_names(1)), replies=[Reply(id=STRAY)])
    await _rejected(context, ["PROTOCOL_BROKEN"], frame)


@server_case("connection.negative-window", "DIAL-6")
async def negative_window(context: ServerContext) -> None:
    """Nobody can come back before it has left."""
    said = make_hello(context.new_names(1))
    for window_ns in (-1_000_000_000, -1):
        said.resume_window.FromNanoseconds(window_ns)
        await _rejected(context, ["MALFORMED_HELLO"], DialInRequest(hello=said))


def _says_more(asked: Asked) -> Act:
    """Answer with a field that nobody knows behind what a sound player says."""
    return Act(Manner.REPLY, asked.sound + UNKNOWN_FIELD)


@server_case("connection.long-description", "LIMIT-3", "CALL-7")
async def long_description(context: ServerContext) -> None:
    """A player that says more than fits, or than is known, plays like any other, and what it says is cut."""
    scene, names = ordinary(OPEN, _says_more, count=len(LETTERS)), context.new_names(len(LETTERS))
    said, due = hello(scene.game, names), list[PlayerDescription]()
    said.MergeFromString(UNKNOWN_FIELD)
    said.players[1].MergeFromString(UNKNOWN_FIELD)
    for player, letter in zip(said.players, LETTERS, strict=True):
        due.append(_say_too_much(player.description, letter))
    cast = Cast(scene.game, scene.actors())
    stream = context.open_stream(cast)
    try:
        if not await stream.open(said):
            raise failure(f"The server did not welcome players that say too much: {stream.status} {stream.reason}")
        request = context.request(scene, [f"dial-in:{each}" for each in names])
        game = (await context.ask("PlayGame", request)).game
    finally:
        await stream.close()
    check_blame([], game.result.misconducts)
    for letter, wanted, player in zip(LETTERS, due, game.players, strict=True):
        same(f"What is kept of a description with letters of {size_of(letter)}", wanted, player.description)


def _say_too_much(description: PlayerDescription, letter: str) -> PlayerDescription:
    """Fill a description with this letter beyond all limits, and return what a server must keep of it."""
    due = PlayerDescription()
    due.CopyFrom(description)
    for part, kept in ((description, due), (description.services.add(revision=1), due.services.add(revision=1))):
        for field in part.DESCRIPTOR.fields:
            if isinstance(getattr(part, field.name), str):
                most = LIMITS[field.full_name].max_characters
                setattr(part, field.name, letter * 2 * most)
                setattr(kept, field.name, letter * most)
    services = [GameService(name=f"a.service.of.Nobody{number}", revision=1) for number in range(MAX_SERVICES)]
    description.services.extend(services)
    due.services.extend(services[: -len(due.services)])
    return due


@server_case("connection.late-replies", "LATE-4", "LATE-5", "LATE-6", attempts=TIMED, mostly_waits=True)
async def late_replies(context: ServerContext) -> None:
    """An answer that crosses the cancellation of its call is no fault, and a few more are forgiven, again and again."""
    kinds = itertools.product((False, True), (False, True))
    await together(_check_late(context.apart(), stops=stops, first=first) for stops, first in kinds)


async def _check_late(context: ServerContext, *, stops: bool, first: bool) -> None:
    """Check that a stream goes on with late replies, whose game was stopped or whose time was over, among strays.

    The late replies come `first`, or when as many strays have come as may come at once. It ends when strays go on.
    """
    all_hang, hung = asyncio.Event(), itertools.count(1)

    def hang_at_first(asked: Asked) -> Act:
        if all_hang.is_set():
            return Act(Manner.REPLY, asked.sound)
        if next(hung) == LATE:
            all_hang.set()
        return Act(Manner.HANG)

    limits = control() if stops else control(SHORT_S, SHORT_S)
    async with context.staged(replace(ordinary(OPEN, at(1, "TakeTurn", hang_at_first)), control=limits)) as stage:
        assert stage.stream is not None
        links = [f"dial-in:{name}" for name in stage.names]
        requests = [context.request(stage.scene, links) for _ in range(LATE)]
        playing = asyncio.gather(*(context.ask("PlayGame", each) for each in requests))
        async with asyncio.timeout(END_LIMIT_S):
            await all_hang.wait()
            for each in requests if stops else ():
                await context.ask("StopGame", StopGameRequest(game_id=each.game_id))
            await playing
        await stage.stream.was_cancelled(END_LIMIT_S, LATE)
        late = [Reply(id=each.call_id) for each in stage.stream.calls if each.cancelled_after_s is not None]
        strays = [Reply(id=STRAY + number) for number in range(MOST_STRAYS)]
        await stage.stream.write(DialInRequest(replies=[*late, *strays] if first else [*strays, *late]))
        await asyncio.sleep(FORGIVEN_S)
        await stage.stream.write(DialInRequest(replies=strays[:FORGIVEN]))
        try:
            game = (await context.ask("PlayGame", context.request(ordinary(OPEN), links))).game
        finally:
            if stage.stream.reason:
                raise failure(
                    f"A stream must go on after {MOST_STRAYS:,} stray replies, the first replies to {LATE} calls that "
                    f"were cancelled, and {FORGIVEN} stray ones {FORGIVEN_S:g} s later; it ended with "
                    f"{stage.stream.reason}."
                )
        for _ in range(FRAMES):
            if stage.stream.ended.is_set():
                break
            await stage.stream.write(DialInRequest(replies=strays[:FORGIVEN]))
            await asyncio.sleep(FRAME_S)
        await check_ended(context, stage.stream, f"a connection with {FORGIVEN / FRAME_S:g} stray replies a second")
    check_blame([], game.result.misconducts)


CASES = (
    welcome,
    *hellos,
    name,
    hello_first,
    one_hello,
    reply_flood,
    large_frame,
    compressed,
    two_games,
    one_fails,
    create_waits,
    silence,
    many_players,
    token_bytes,
    replies_beside_hello,
    negative_window,
    long_description,
    late_replies,
)

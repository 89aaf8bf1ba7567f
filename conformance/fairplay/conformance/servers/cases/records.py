"""Whether the server hands out records that prove how games went. A server without RecordService has none."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.tournaments import create, entered, whole_tournament
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import HIDDEN, OPEN, Played, ServerContext, ordinary, server_case
from fairplay.conformance.servers.scenes import (
    FAILED,
    GARBAGE,
    UNKNOWN_FIELD,
    Act,
    Asked,
    Manner,
    Script,
    any_of,
    at,
    hang,
    reply,
    slow,
)
from fairplay.server.manager.history import check_tournament
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.v1.manager_pb2 import CancelTournamentRequest, StartTournamentRequest, WatchTournamentRequest
from fairplay.v1.record_pb2 import Record, RecordedCall, RecordEntry
from fairplay.v1.record_service_pb2 import GetRecordRequest
from fairplay.v1.referee_pb2 import CreateGameRequest, StopGameRequest

THOUGHT_S = 0.5
PADDING_BYTES = 15_000
"""A reply with so much more is kept as evidence."""
LARGE_BOARD = {"rows": 10, "columns": 10}
WHOLE_BYTES, UNPARSABLE_BYTES = 16_384, 4_096
"""So long a reply is kept as it came, and so much of a longer one that cannot be parsed."""
TURN = "TakeTurn"


async def _offered(context: ServerContext) -> Played:
    """Return a game whose record can be had. Raises NotApplicable if the server hands out no records."""
    played = await context.whole_game(OPEN)
    await context.record(played.game_id)
    return played


def _check(record: Record) -> None:
    findings = verify(record, checks={"tournament": check_tournament})
    if findings:
        raise failure(f"The record does not verify: {findings[0]}", ("Findings", "\n".join(map(str, findings))))


@server_case("records.verify", "RECORD-1", "RECORD-6")
async def verifies(context: ServerContext) -> None:
    """A record from which the game follows proves the result to people who do not trust the server."""
    for game in (OPEN, HIDDEN):
        _check(await context.record((await context.whole_game(game)).game_id))


@server_case("records.verify-misconduct", "RECORD-4")
async def verifies_misconduct(context: ServerContext) -> None:
    """The record of a game in which players failed proves that they did."""
    script = any_of(at(0, "TakeTurn", FAILED), at(1, "TakeTurn", reply(b""), 2))
    played = await context.play(ordinary(OPEN, script))
    _check(await context.record(played.game_id))


@server_case("records.complete", "RECORD-1", "RECORD-3")
async def complete(context: ServerContext) -> None:
    """What players were asked and what they answered is in the record, in the order in which it happened."""
    played = await _offered(context)
    calls = [each.call for each in parsed(await context.record(played.game_id)) if each.HasField("call")]
    wanted = [(each.seat, each.path, each.request) for each in played.cast.received]
    same("The numbers of the recorded calls", [*range(1, len(wanted) + 1)], [call.number for call in calls])
    same("The recorded calls", wanted, [(call.seat, call.method_name, call.request) for call in calls])
    replies = [each.act.data for each in played.cast.received if each.act is not None]
    same("The recorded replies", replies, [call.reply for call in calls])


@server_case("records.long", "RECORD-1", "RECORD-6", "RECORD-7", "CALL-7")
async def long(context: ServerContext) -> None:
    """A record is one chain, however many messages it is handed out in."""
    padding = UNKNOWN_FIELD * (PADDING_BYTES // len(UNKNOWN_FIELD))
    scene = ordinary(OPEN, lambda asked: Act(Manner.REPLY, asked.sound + padding), count=2, **LARGE_BOARD)
    played = await context.play(scene)
    same("Who failed, as replies had fields that nobody knows,", [], list(played.game.result.misconducts))
    _check(await context.record(played.game_id))


@server_case("records.header", "RECORD-2", "DRAW-1")
async def header(context: ServerContext) -> None:
    """The record says what the game was made of, who played, and in which state it began."""
    played = await _offered(context)
    entry = next(iter(parsed(await context.record(played.game_id))), RecordEntry())
    same("The id in the header", played.game_id, entry.game.game_id)
    same("The start state in the header", played.scene.plan().initial_state, entry.game.start_state)
    same("The players in the header", list(played.scene.names), [each.name for each in entry.game.players])


@server_case("records.running", "RECORD-1", "RECORD-8")
async def running(context: ServerContext) -> None:
    """The record of a running game holds hidden things: nobody gets it, until the game is over, or was stopped."""
    await _offered(context)
    async with context.staged(ordinary(HIDDEN, at(0, "TakeTurn", hang))) as stage:
        game_id = stage.request.game_id
        await context.ask("CreateGame", CreateGameRequest(game_id=game_id, plan=stage.request.plan))
        await stage.cast.hung.wait()
        await context.refused("GetRecord", GetRecordRequest(record_id=game_id), "RECORD_OPEN")
        await context.ask("StopGame", StopGameRequest(game_id=game_id))
    _check(await context.record(game_id))


@server_case("records.unknown-id", "RECORD-9")
async def unknown_id(context: ServerContext) -> None:
    """A record that is not there cannot be had."""
    await _offered(context)
    await context.refused("GetRecord", GetRecordRequest(record_id=context.new_id("nothing")), "RECORD_NOT_FOUND")


@server_case("records.unparsable-reply", "RECORD-3", "RECORD-5")
async def unparsable(context: ServerContext) -> None:
    """What a player answered is in the record as it came, whatever it is, and how long it took."""
    await _offered(context)
    script = any_of(at(0, "TakeTurn", slow(THOUGHT_S)), at(1, "TakeTurn", reply(GARBAGE)))
    calls = await _recorded_calls(context, script)
    if GARBAGE not in [call.reply for call in calls]:
        raise failure("The record does not have the reply that could not be parsed.")
    longest_s = max(call.elapsed.ToNanoseconds() / 1e9 for call in calls)
    if longest_s < THOUGHT_S / 4:  # a server leaves out time in which it stood still
        raise failure(f"A reply took {THOUGHT_S:g} s; the record says that none took more than {longest_s:.3f} s.")
    for size in (WHOLE_BYTES, WHOLE_BYTES + 1):
        await _check_kept(context, size)


async def _check_kept(context: ServerContext, size: int) -> None:
    """Check what is kept of a right reply with unknown fields, and of one that cannot be parsed, of so many bytes."""
    garbage = (GARBAGE * size)[:size]
    kept = {1: garbage[:UNPARSABLE_BYTES]}

    def padded(asked: Asked) -> Act:
        kept[0] = asked.sound
        count = (size - len(asked.sound)) // len(UNKNOWN_FIELD) + size % 2
        return Act(Manner.REPLY, asked.sound + UNKNOWN_FIELD * count)

    turns = [at(0, TURN, padded), at(1, TURN, reply(garbage))]
    played = await context.play(ordinary(OPEN, any_of(*turns), count=2))
    sent = {each.seat: each.act.data for each in played.cast.received[::-1] if each.method == TURN and each.act}
    calls = [each.call for each in parsed(await context.record(played.game_id)) if each.HasField("call")]
    for call in {each.seat: each for each in calls[::-1] if each.method_name.endswith(f"/{TURN}")}.values():
        whole, shortened = sent[call.seat], (kept[call.seat], sha256(sent[call.seat]).digest())
        if (call.reply, call.reply_digest) not in ((whole, b""), shortened if len(whole) > WHOLE_BYTES else ()):
            what = "that cannot be parsed" if call.seat else "with unknown fields"
            raise failure(
                f"Of a reply {what} of {len(whole):,} bytes the record has {len(call.reply):,}, and a digest of "
                f"{len(call.reply_digest)} bytes; of up to {WHOLE_BYTES:,} bytes it must have all, and of more what "
                "RecordedCall says, with the digest of the whole."
            )


async def _recorded_calls(context: ServerContext, script: Script) -> Sequence[RecordedCall]:
    """Return the calls in the record of a game in which players do as a script says."""
    played = await context.play(ordinary(OPEN, script, count=2))
    return [each.call for each in parsed(await context.record(played.game_id)) if each.HasField("call")]


@server_case("records.no-links", "RECORD-7")
async def no_links(context: ServerContext) -> None:
    """How a player is reached is nobody else's business, not even afterwards."""
    played = await _offered(context)
    entry = next(iter(parsed(await context.record(played.game_id))), RecordEntry())
    if any(player.link for player in (*entry.game.players, *entry.game.plan.players)):
        raise failure("The record tells how the players were reached.")


@server_case("records.tournament", "RECORD-8", "RECORD-10")
async def of_a_tournament(context: ServerContext) -> None:
    """A record from which the course of a tournament follows proves who has won it."""
    await _offered(context)
    await _check_open(context)
    ended = await whole_tournament(context)
    record = await context.record(ended.tournament.tournament_id)
    _check(record)
    played = [each.played for each in parsed(record) if each.HasField("played")]
    if not played:
        raise failure("The record has no games.")
    hashes = [each.chain_hash for each in played if not each.result.aborted]
    if not all(hashes) or len(set(hashes)) < len(hashes):
        raise failure("The record of a tournament must have the last hash of the record of each of its games.")


async def _check_open(context: ServerContext) -> None:
    """Check that of a tournament and the games of it records can be had when it is cancelled, and none before."""
    async with entered(context) as players:
        await create(context, players.request)
        tournament_id = players.request.tournament_id
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=tournament_id))
        ids: Sequence[str] = ()
        async for event in context.stream("WatchTournament", WatchTournamentRequest(tournament_id=tournament_id)):
            if event.HasField("game_finished") and not event.game_finished.skipped:
                ids = (event.game_finished.game_id, tournament_id)
                break
        for record_id in ids:
            await context.refused("GetRecord", GetRecordRequest(record_id=record_id), "RECORD_OPEN")
        await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=tournament_id))
    for record_id in ids:
        _check(await context.record(record_id))


CASES = (
    verifies,
    verifies_misconduct,
    complete,
    long,
    header,
    running,
    unknown_id,
    unparsable,
    no_links,
    of_a_tournament,
)

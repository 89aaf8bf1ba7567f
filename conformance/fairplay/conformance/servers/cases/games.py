"""Cases about all that a game comes to: who is asked what, who fails, who wins, what spectators and the record show."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

import grpc

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.games.trial import CallLimits
from fairplay.conformance.servers.compare import check_ranking, difference, same
from fairplay.conformance.servers.context import ALL_GAMES, RACE, ServerContext, Stage, server_case
from fairplay.conformance.servers.courses import (
    Course,
    check_begun,
    check_calls,
    check_events,
    check_limit,
    check_misconducts,
    check_received,
    check_result,
    check_states,
    first_wrong_call,
    follow,
    in_order,
)
from fairplay.conformance.servers.drawn import (
    Drawn,
    cut_short,
    draw_endings,
    draw_failures,
    draw_leavers,
    draw_rare_beginnings,
    draw_rare_states,
    draw_settings,
    draw_situations,
    draw_wrong_replies,
    without_most_long,
)
from fairplay.conformance.servers.first_states import check_first_state
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import NAMES, Scene, expect
from fairplay.games.envelopes import unwrap
from fairplay.games.steps import CallKind
from fairplay.server.records.chain import parsed as entries_of
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    Game,
    GameStatus,
    GetGameRequest,
    WatchGameRequest,
    WatchGameResponse,
)

STANDS_STILL_S = 14.0
AT_ONCE = 8
"""So many games are played at the same time."""
RECORDS = 2
"""Of games whose course is known beforehand each of this number has its record looked at."""
LIMIT_S = 600.0
"""For all games of a case, each of which has a limit of its own."""
KINDS: dict[str, tuple[Callable[[str], Sequence[Drawn]], str, tuple[str, ...]]] = {
    "situations": (
        draw_situations,
        "In rare situations a referee decides by rules that it hardly ever needs.",
        ("GAME-10", "GAME-11", "GAME-12", "GAME-14", "GAME-15", "WATCH-4", "WATCH-5", "RECORD-1"),
    ),
    "settings": (
        lambda name: [*draw_settings(name), *draw_rare_states(name)],
        "Settings change the rules, and two of them together may change them in another way.",
        ("GAME-10", "GAME-11", "GAME-14", "GAME-15", "TIME-4", "WATCH-4", "RECORD-1"),
    ),
    "endings": (
        draw_endings,
        "Whoever shares a place shares it, and whoever ends a game may be paid for it.",
        ("GAME-10", "GAME-14", "GAME-15", "GAME-16", "WATCH-5"),
    ),
    "wrong-replies": (
        draw_wrong_replies,
        "Whoever breaks a rule is charged with it, and the evidence says what would have been legal.",
        ("FAIL-3", "FAIL-4", "FAIL-11", "FAIL-13", "FAIL-16", "FAIL-17", "FAIL-18", "RECORD-4"),
    ),
    "failures": (
        draw_failures,
        "A game goes on without those who fail, in whatever call that is, as its rules say.",
        ("FAIL-5", "FAIL-6", "FAIL-10", "FAIL-12", "FAIL-13", "FAIL-17", "FAIL-18", "WATCH-4"),
    ),
}
"""Kind of scenes -> what draws them, why it matters, and what it checks."""


async def play_drawn(context: ServerContext, name: str, scenes: Sequence[Drawn], *, fresh: bool = False) -> None:
    """Have games played, some at once. Raises the Failure of the first that is not as it must be, also alone, or final.

    `fresh`: the server draws the first states itself.
    """
    wrong: dict[int, Drawn] = {}
    final: list[Failure] = []
    left = list(enumerate(scenes))[::-1]
    offered = True

    async def play(index: int, drawn: Drawn) -> None:
        nonlocal offered
        apart = context.apart()
        try:
            offered = await apart.traced(_play(apart, drawn, index, fresh=fresh, records=offered))
        except Failure as failed:
            about = ("Game", drawn.title), ("Settings", readable(drawn.scene.settings))
            raise Failure(failed.evidence.with_sections(*about)) from None

    async def work() -> None:
        while left and not wrong:
            index, drawn = left.pop()
            try:
                await play(index, drawn)
            except (Failure, NotApplicable) as found:
                wrong[index] = drawn
                if isinstance(found, Failure) and found.evidence.final:
                    final.append(found)

    while left:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(work())
        if final:
            raise final[0]
        for index in sorted(wrong):
            await play(index, wrong.pop(index))
    if not offered and (fresh or name == RACE):
        raise NotApplicable("this server has no RecordService")


async def _play(context: ServerContext, drawn: Drawn, index: int, *, fresh: bool, records: bool) -> bool:
    """Have a game played, and check all of it. Return whether the server hands out records."""
    scene, game, limits = drawn.scene, drawn.scene.game, CallLimits.of(drawn.scene.control)
    live: list[WatchGameResponse] = []
    async with context.staged(scene) as stage:
        if fresh:
            stage.request.plan.ClearField("initial_state")
        game_id = stage.request.game_id
        expected = None if fresh or game.name == RACE else expect(scene, game_id)
        try:
            if index % 3 == 0:
                live = await _watched(context, stage, goes_on=index % 2 == 0)
            played: Game = (await context.ask_for_game("PlayGame", stage.request)).game
        except (grpc.aio.AioRpcError, TimeoutError):
            if expected is not None:
                check_begun(Course.of(expected), in_order(expected, stage.cast.received))
            await _check_goes_on(context, stage)
            raise
    received: Sequence[Received] = stage.cast.received
    course = None
    if expected is not None:
        course, received = Course.of(expected), in_order(expected, received)
        await _check_course(context, scene, course, received, played)
        for number, (limit_s, each) in enumerate(zip(expected.limits_s, received, strict=True), start=1):
            check_limit(f"call {number}, {each.method} to {NAMES[each.seat]}", limit_s, each)
        check_result(course, played.result, "the result")
    is_looked_up = records and (expected is None or index % RECORDS == 0)
    record = await _record(context, game_id) if is_looked_up else None
    if record is not None:
        recorded = _followed(scene, record, fresh=fresh)
        check_received(recorded, received, limits)
        if game.name == RACE:
            check_misconducts(recorded, played.result)
        else:
            check_calls(recorded, received, played.result)
        course = course or recorded
        check_result(recorded, played.result, "the result")
    if course is not None and live:
        check_events(game, course, live, live=True)
    if course is not None:
        await _check_finished(context, drawn, game_id, course, index)
    if index % 3 == 2 and (
        wrong := difference(played, (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game)
    ):
        raise failure(f"GetGame does not return what PlayGame has returned: {wrong}.")
    return record is not None if is_looked_up else records


async def _check_goes_on(context: ServerContext, stage: Stage) -> None:
    """Check that a game that is not over in time does not stand still."""
    if stage.stream is not None and stage.stream.idle_s > STANDS_STILL_S:
        raise await context.hung(
            f"A game must go on when all calls are answered; nobody has been called for {STANDS_STILL_S:g} s."
        )


def _followed(scene: Scene, record: Record, *, fresh: bool) -> Course:
    """Return the course of a game by its record. `fresh`: its first state must be one that the settings lead to."""
    header = next(iter(entries_of(record)), RecordEntry()).game
    state = unwrap(header.start_state, scene.game, scene.game.state_type)
    if fresh and state is not None:
        check_first_state(scene, state)
    return follow(scene.game, record)


async def _check_course(
    context: ServerContext, scene: Scene, course: Course, received: Sequence[Received], played: Game
) -> None:
    """Check calls and eliminations.

    Where another call came, a state that is wrong says more than the call does; where players were to be told how the
    game ended, the ranking does.
    """
    if (wrong := first_wrong_call(course, received)) is not None:
        check_misconducts(course, played.result, wrong)
        events = await context.stream_all("WatchGame", WatchGameRequest(game_id=played.game_id))
        check_states(scene.game, course, events, live=False)
        if wrong == len(course.calls) or course.calls[wrong].kind is CallKind.NOTIFICATION:
            check_ranking(course.result, played.result, "the result")
    check_calls(course, received, played.result)


async def _check_finished(context: ServerContext, drawn: Drawn, game_id: str, course: Course, number: int) -> None:
    """Check what a spectator is told of a game that is over, also after an event: after another one in each game."""
    events = await context.stream_all("WatchGame", WatchGameRequest(game_id=game_id))
    check_events(drawn.scene.game, course, events, live=False)
    if number % 3 != 1:
        return
    after = events[number % max(1, len(events) - 1)].sequence
    rest = await context.stream_all("WatchGame", WatchGameRequest(game_id=game_id, after_sequence=after))
    where = f"What a spectator of a finished game is told that goes on after event {after}"
    same(where, [each for each in events if each.sequence > after], rest)


async def _watched(context: ServerContext, stage: Stage, *, goes_on: bool) -> list[WatchGameResponse]:
    """Begin a game, and return what a spectator is told from its first state to its end.

    `goes_on`: another spectator goes on after the second event, and is told the same.
    """
    stage.cast.may_answer.clear()
    beside = context.apart()
    later: asyncio.Task[list[WatchGameResponse]] | None = None
    begun = CreateGameRequest(game_id=stage.request.game_id, plan=stage.request.plan)
    game: Game = (await context.ask_for_game("CreateGame", begun)).game
    if game.plan.HasField("seed") or game.plan.HasField("initial_state"):
        raise failure("CreateGame tells the seed or the first state of a running game.")
    if any(player.link for player in (*game.plan.players, *game.players)):
        raise failure("CreateGame tells how the players are reached.")
    request = WatchGameRequest(game_id=stage.request.game_id)
    events: list[WatchGameResponse] = []
    try:
        async with aclosing(context.stream("WatchGame", request)) as told:  # type: ignore[type-var]
            async for event in told:
                events.append(event)
                if goes_on and len(events) == 2:
                    stage.cast.may_answer.clear()  # the game must not be over before the other spectator is there
                    later = await _goes_on(context, beside, stage.request.game_id, event.sequence)
                stage.cast.may_answer.set()
        if later is not None:
            _check_told_again(events, await later, events[1].sequence)
    finally:
        stage.cast.may_answer.set()
        if later is not None:
            later.cancel()
    return events


async def _goes_on(
    context: ServerContext, beside: ServerContext, game_id: str, after: int
) -> asyncio.Task[list[WatchGameResponse]] | None:
    """Have another spectator go on after an event; return what it is told, or None if the game is over before."""
    later = asyncio.create_task(beside.stream_all("WatchGame", WatchGameRequest(game_id=game_id, after_sequence=after)))
    await asyncio.sleep(0)
    game = (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game
    if game.status == GameStatus.GAME_STATUS_RUNNING:
        return later
    later.cancel()
    return None


def _check_told_again(events: Sequence[WatchGameResponse], rest: Sequence[WatchGameResponse], after: int) -> None:
    """Check that a spectator of a running game that went on after an event was told what another was."""
    told = {event.sequence: event for event in events if not event.HasField("asked")}
    for event in (each for each in rest if not each.HasField("asked")):
        where = f"what a spectator of a running game is told that goes on after event {after}"
        if event.sequence <= after:
            raise failure(f"In {where} is the event {event.sequence}.")
        if wrong := difference(told.get(event.sequence, event), event, free={"time"}):
            raise failure(f"In {where} the event {event.sequence} is wrong: {wrong}.")
    due = {event.sequence for event in events if event.HasField("eliminated") and event.sequence > after}
    if missing := due.difference(event.sequence for event in rest):
        raise failure(f"In {where} the event {min(missing)} is missing, in which a player is eliminated.")
    if not rest or not rest[-1].HasField("finished"):
        raise failure("The last event that a spectator is told must be the result of the game.")


async def _record(context: ServerContext, game_id: str) -> Record | None:
    try:
        return await context.record(game_id)
    except NotApplicable:
        return None


def _games_of(name: str, kind: str) -> Case:
    draw, why, checks = KINDS[kind]

    @server_case(f"games.{name}-{kind}", *checks, limit_s=LIMIT_S)
    async def games(context: ServerContext) -> None:
        await play_drawn(context, name, without_most_long(draw(name)))

    return replace(games, why=why)


def _fresh_games_of(name: str) -> Case:
    @server_case(
        f"games.{name}-fresh", "DRAW-1", "DRAW-2", "GAME-10", "GAME-14", "RECORD-1", "RECORD-3", limit_s=LIMIT_S
    )
    async def fresh(context: ServerContext) -> None:
        """What a server draws itself must follow from the settings, and the game from what was drawn."""
        begun = [*draw_rare_beginnings(name), *map(cut_short, draw_settings(name)[::3])]
        left = without_most_long([*draw_failures(name)[::3], *draw_leavers(name)])
        await play_drawn(context, name, [*begun, *left], fresh=True)

    return fresh


CASES = [case for name in ALL_GAMES for case in (*(_games_of(name, kind) for kind in KINDS), _fresh_games_of(name))]

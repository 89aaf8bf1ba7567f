"""Cases about all that a game comes to: who is asked what, who fails, who wins, what spectators and the record show."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import grpc

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.circumstances import (
    Circumstances,
    Company,
    Loss,
    Reach,
    Watching,
    draw_circumstances,
    gathered,
    settle,
)
from fairplay.conformance.servers.compare import check_ranking, difference, same
from fairplay.conformance.servers.context import ALL_GAMES, RACE, ServerContext, server_case
from fairplay.conformance.servers.courses import (
    Course,
    check_begun,
    check_calls,
    check_events,
    check_misconducts,
    check_received,
    check_result,
    check_states,
    check_times,
    first_wrong_call,
    follow,
    in_order,
)
from fairplay.conformance.servers.drawn import (
    Drawn,
    cut_short,
    draw_endings,
    draw_failures,
    draw_late_failures,
    draw_leavers,
    draw_rare_beginnings,
    draw_rare_states,
    draw_settings,
    draw_situations,
    draw_stopped,
    draw_wrong_replies,
    without_most_long,
)
from fairplay.conformance.servers.first_states import check_first_state
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import Expected, Scene, expect
from fairplay.games.envelopes import unwrap
from fairplay.games.steps import CallKind
from fairplay.server.records.chain import parsed as entries_of
from fairplay.v1.record_pb2 import Record, RecordEntry
from fairplay.v1.referee_pb2 import (
    CreateGameRequest,
    Game,
    GameStatus,
    GetGameRequest,
    ListGamesRequest,
    PlayGameRequest,
    StopGameRequest,
    WatchGameRequest,
    WatchGameResponse,
)

STANDS_STILL_S = 14.0
SOON, LATER = 12, 40
"""A pause is within so many calls, where nobody knows how many there will be and otherwise."""
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
        (
            *("GAME-10", "GAME-11", "GAME-14", "GAME-15", "WATCH-4", "RECORD-1", "META-2", "META-5"),
            *("RESUME-3", "RESUME-4", "RESUME-5", "TIME-4", "TIME-11", "TIME-12", "TIME-13"),
        ),
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
        lambda name: [*draw_failures(name), *draw_late_failures(name), *draw_stopped(name)],
        "A game goes on without those who fail, in whatever call that is, as its rules say.",
        (
            *("FAIL-5", "FAIL-6", "FAIL-10", "FAIL-12", "FAIL-13", "FAIL-17", "FAIL-18", "WATCH-4", "WATCH-8"),
            *("META-1", "META-2", "META-5", "RESUME-3", "RESUME-4", "RESUME-5", "TIME-13", "ASK-7"),
        ),
    ),
}
"""Kind of scenes -> what draws them, why it matters, and what it checks."""


async def play_drawn(
    context: ServerContext, name: str, kind: str, scenes: Sequence[Drawn], *, fresh: bool = False
) -> None:
    """Have games played, some at once. Raises the Failure of the first that is not as it must be, also alone, or final.

    Every other one is played under circumstances of its own. `fresh`: the server draws the first states itself.
    """
    wrong: dict[int, Drawn] = {}
    final: list[Failure] = []
    left = list(enumerate(scenes))[::-1]
    offered, circumstances = True, draw_circumstances(f"{name}/{kind}")

    async def play(index: int, drawn: Drawn) -> None:
        nonlocal offered
        apart, around = context.apart(), Circumstances()
        if index % 2 == 0:
            around = circumstances[index // 2 % len(circumstances)]
        if drawn.parts:
            around = around._replace(reach=Reach.APART, loss=Loss.NONE)
        try:
            offered = await apart.traced(_play(apart, drawn, around, index, fresh=fresh, records=offered))
        except Failure as failed:
            about = (("Game", drawn.title), ("Settings", readable(drawn.scene.settings)), ("Played", str(around)))
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


async def _play(
    context: ServerContext, drawn: Drawn, around: Circumstances, index: int, *, fresh: bool, records: bool
) -> bool:
    """Have a game played, and check all of it. Return whether the server hands out records."""
    scene, game = drawn.scene, drawn.scene.game
    async with gathered(context, scene, around) as company:
        if fresh:
            company.request.plan.ClearField("initial_state")
        game_id = company.request.game_id
        expected = None if fresh or game.name == RACE else expect(scene, game_id)
        call_count = SOON if expected is None else min(len(expected.calls), LATER)
        paused_at = drawn.stop_at or 1 + Random(drawn.title).randrange(max(1, call_count))
        if around.has_pause or drawn.stop_at:
            company.cast.pause_at(paused_at)
        try:
            played, events = await _watched(context, company, around, stops=bool(drawn.stop_at))
        except (grpc.aio.AioRpcError, TimeoutError):
            if expected is not None:
                check_begun(Course.of(expected), in_order(Course.of(expected), company.received()))
            if company.idle_s > STANDS_STILL_S:
                raise await context.hung(
                    f"A game must go on when all calls are answered; nobody has been called for {STANDS_STILL_S:g} s."
                ) from None
            raise
    received, limits = company.received(), company.request.plan.time_control
    course = None
    if expected is not None:
        course = _course(drawn, expected, len(received), played)
        received = in_order(course, received)
        await _check_course(context, scene, course, received, played)
        check_times(list(zip(itertools.count(1), expected.calls, received, strict=False)), limits)
        check_result(course, played.result, "the result")
    is_looked_up = records and (expected is None or index % RECORDS == 0)
    record = await _record(context, game_id) if is_looked_up else None
    if record is not None:
        recorded = _followed(scene, record, fresh=fresh)
        if game.name == RACE:
            check_received(recorded, received, limits)
            check_misconducts(recorded, played.result)
        else:
            answered = received[: drawn.stop_at - 1 if drawn.stop_at else None]
            check_received(recorded, answered, limits)
            check_calls(recorded, answered if around.is_in_order else in_order(recorded, answered), played.result)
        course = course or recorded
        check_result(recorded, played.result, "the result")
    if course is not None and events:
        check_events(game, course, events, live=True, since=paused_at if around.watching is Watching.LATE else 0)
    if course is not None:
        await _check_finished(context, drawn, game_id, course, index)
    if index % 3 == 2 and (
        wrong := difference(played, (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game)
    ):
        raise failure(f"GetGame does not return what PlayGame has returned: {wrong}.")
    return record is not None if is_looked_up else records


def _course(drawn: Drawn, expected: Expected, call_count: int, played: Game) -> Course:
    """Return the course of a game in which so many calls came. Check who is listed in the result of a stopped one."""
    if not drawn.stop_at:
        return Course.of(expected)
    course = Course.of(expected.stopped(drawn.stop_at, call_count))
    check_result(course, played.result, "the result of a game that was stopped")
    return course


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


class _Spectator:
    """Reads what it is told of a running game, from an event on."""

    def __init__(self, context: ServerContext, game_id: str, after: int = 0) -> None:
        self.events: list[WatchGameResponse] = []
        self.after = after
        self._told = asyncio.Event()
        request = WatchGameRequest(game_id=game_id, after_sequence=after)
        self.reading = asyncio.create_task(self._read(context.apart(), request))

    async def _read(self, context: ServerContext, request: WatchGameRequest) -> None:
        try:
            async for event in context.stream("WatchGame", request):
                self.events.append(event)
                self._told.set()
        finally:
            self._told.set()

    async def told(self) -> None:
        """Wait for the first event."""
        await self._told.wait()


async def _watched(
    context: ServerContext, company: Company, around: Circumstances, *, stops: bool
) -> tuple[Game, Sequence[WatchGameResponse]]:
    """Have a game played, and return it with what a spectator was told while it ran. `stops`: it is stopped."""
    cast, request, spectators = company.cast, company.request, list[_Spectator]()
    stopped: list[Game] = []

    async def pause() -> None:
        if not (around.has_pause or stops):
            return
        await cast.paused.wait()
        await settle()
        await context.apart().ask("GetGame", GetGameRequest(game_id=request.game_id))  # whose reply Facts look at
        if around.watching is Watching.LATE:
            spectators.append(_Spectator(context, request.game_id))
            await spectators[-1].told()
        if around.watching is Watching.GOING_ON:
            after = next((event.sequence for event in spectators[0].events), 0)
            spectators.append(_Spectator(context, request.game_id, after))
        if around.loss is not Loss.NONE:
            await company.lose()
        await settle()
        if stops:
            apart, listing = context.apart(), ListGamesRequest(status=GameStatus.GAME_STATUS_ABORTED)
            stopped.append((await apart.ask("StopGame", StopGameRequest(game_id=request.game_id))).game)
            await apart.ask("ListGames", listing)  # whose reply Facts look at
        cast.may_answer.set()

    if around.watching in (Watching.ALWAYS, Watching.GOING_ON):
        cast.may_answer.clear()
        await _create(context, request)
        spectators.append(_Spectator(context, request.game_id))
        await spectators[0].told()
        if not cast.paused.is_set():
            cast.may_answer.set()
    playing, pausing = asyncio.create_task(context.ask_for_game("PlayGame", request)), asyncio.create_task(pause())
    try:
        await asyncio.wait([playing, pausing], return_when=asyncio.FIRST_COMPLETED)
        if pausing.done():
            pausing.result()
        played: Game = (await playing).game
        if stops and cast.paused.is_set():
            await pausing
        for game in stopped:
            same("What StopGame has returned", played, game)
        for each in spectators:
            await each.reading
    finally:
        cast.may_answer.set()
        for task in (playing, pausing, *(each.reading for each in spectators)):
            task.cancel()
    if len(spectators) > 1:
        _check_told_again(spectators[0].events, spectators[1].events, spectators[1].after)
    return played, spectators[0].events if spectators else []


async def _create(context: ServerContext, request: PlayGameRequest) -> None:
    """Begin a game."""
    begun = CreateGameRequest(game_id=request.game_id, plan=request.plan)
    game: Game = (await context.ask_for_game("CreateGame", begun)).game
    if game.plan.HasField("seed") or game.plan.HasField("initial_state"):
        raise failure("CreateGame tells the seed or the first state of a running game.")
    if any(player.link for player in (*game.plan.players, *game.players)):
        raise failure("CreateGame tells how the players are reached.")


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
        await play_drawn(context, name, kind, without_most_long(draw(name)))

    return replace(games, why=why)


def _fresh_games_of(name: str) -> Case:
    @server_case(
        f"games.{name}-fresh", "DRAW-1", "DRAW-2", "GAME-10", "GAME-14", "RECORD-1", "RECORD-3", limit_s=LIMIT_S
    )
    async def fresh(context: ServerContext) -> None:
        """What a server draws itself must follow from the settings, and the game from what was drawn."""
        begun = [*draw_rare_beginnings(name), *map(cut_short, draw_settings(name)[::3])]
        left = without_most_long([*draw_failures(name)[::3], *draw_leavers(name)])
        await play_drawn(context, name, "fresh", [*begun, *left], fresh=True)

    return fresh


CASES = [case for name in ALL_GAMES for case in (*(_games_of(name, kind) for kind in KINDS), _fresh_games_of(name))]

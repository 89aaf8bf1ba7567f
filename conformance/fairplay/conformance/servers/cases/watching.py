"""Whether spectators see what they may see, and whether games can be found and stopped."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.case import NotApplicable, failure
from fairplay.conformance.evidence import readable
from fairplay.conformance.servers.cases.lost_streams import wait_for_call
from fairplay.conformance.servers.cases.tournaments import create, make_request
from fairplay.conformance.servers.circumstances import TOKEN, Circumstances, Reach, gathered, settle
from fairplay.conformance.servers.compare import check_ranking, check_times, same
from fairplay.conformance.servers.context import (
    ALL_GAMES,
    HIDDEN,
    OPEN,
    RACE,
    STANDSTILL_S,
    TIMED,
    ServerContext,
    Stage,
    ordinary,
    server_case,
    together,
)
from fairplay.conformance.servers.courses import check_states, follow
from fairplay.conformance.servers.players import Cast, Received
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    NAMES,
    PATIENT,
    Act,
    Actor,
    Asked,
    Expected,
    Manner,
    Scene,
    Script,
    SoundPlayer,
    any_of,
    at,
    control,
    expect,
    hang,
    reply,
    slow,
    wait_for,
)
from fairplay.games.conformance import Level
from fairplay.games.envelopes import unwrap, wrap
from fairplay.games.evidence import without_evidence
from fairplay.games.game import find
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    GetTournamentRequest,
    ListTournamentGamesRequest,
    StartTournamentRequest,
    WatchTournamentRequest,
)
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.referee_pb2 import (
    AskedPlayer,
    CreateGameRequest,
    Game,
    GamePlan,
    GameStatus,
    GetGameRequest,
    StopGameRequest,
    WatchGameRequest,
    WatchGameResponse,
)
from fairplay.v1.tournament_pb2 import TournamentPlan

PAUSE_S = 0.4
FINALISTS = 5
"""So many do not fit into one game."""
ASKED_FIRST = 3
"""This call and those that are made with it are open when a game is stopped."""
METHOD = "TakeTurn"
"""A method of both games."""
ACT = find(RACE).turn
MORE_CARDS = ACT.response(action="ACTION_MORE_CARDS").SerializeToString()
MOST_AT_ONCE, ANSWERS = 8, 6
"""So many players are asked at the same time, and so many answers are given, one by one."""


@asynccontextmanager
async def _begun(context: ServerContext, game: str, script: Script) -> AsyncIterator[Stage]:
    """Begin a game in which the players do as a script says."""
    async with context.staged(ordinary(game, script)) as stage:
        await context.ask("CreateGame", CreateGameRequest(game_id=stage.request.game_id, plan=stage.request.plan))
        yield stage


async def _watched(context: ServerContext, game: str, script: Script) -> tuple[list[WatchGameResponse], Expected]:
    """Return what a spectator sees from the beginning of a game, and what is expected of the game."""
    paused = any_of(at(0, METHOD, slow(PAUSE_S)), script)
    async with _begun(context, game, paused) as stage:
        events = await context.stream_all("WatchGame", WatchGameRequest(game_id=stage.request.game_id))
        return events, expect(stage.scene, stage.request.game_id)


def _sound(_: Any) -> None:
    """Play soundly."""


def _states(context: ServerContext, game: str, events: list[WatchGameResponse]) -> list[Any]:
    scene = ordinary(game)
    shown = [event.state for event in events if event.HasField("state")]
    return [unwrap(state, scene.game, scene.game.state_type) for state in shown]


@server_case("watch.hides", "WATCH-4")
async def hides(context: ServerContext) -> None:
    """A spectator that sees hidden things can tell them to a player."""
    events, expected = await _watched(context, HIDDEN, _sound)
    states = _states(context, HIDDEN, events)
    if not states:
        raise failure("The spectators of the game saw no state.")
    for state in states:
        if state in expected.full_states and state not in expected.public_states:
            raise failure("The spectators of a running game saw all of a state, hidden things included.")
        if state not in expected.public_states:
            raise failure("The spectators saw a state that the game never had.", ("State", readable(state)))


@server_case("watch.hides-evidence", "WATCH-4")
async def hides_evidence(context: ServerContext) -> None:
    """What a player was asked and answered shows its hand."""
    events, expected = await _watched(context, HIDDEN, at(1, METHOD, reply(b"")))
    found = [event.eliminated for event in events if event.HasField("eliminated")]
    same("Who was eliminated", [each.player for each in expected.misconducts], [each.player for each in found])
    for each in found:
        if each.HasField("request") or each.HasField("reply") or each.rule_break.legal_replies:
            raise failure("The spectators of a running game saw what an eliminated player was asked or answered.")


@server_case("watch.running-game", "WATCH-4")
async def running_game(context: ServerContext) -> None:
    """Hidden things follow from the seed, and from the state in which the game began."""
    async with _begun(context, HIDDEN, at(0, METHOD, slow(2 * PAUSE_S))) as stage:
        game = (await context.ask("GetGame", GetGameRequest(game_id=stage.request.game_id))).game
        same("The status of the game", GameStatus.GAME_STATUS_RUNNING, game.status)
        if game.plan.HasField("seed"):
            raise failure("A running game tells its seed.")
        if game.plan.HasField("initial_state"):
            raise failure("A running game tells the state in which it began.")
        _check_no_links(game)
        played = (await context.ask("PlayGame", stage.request)).game
        got = (await context.ask("GetGame", GetGameRequest(game_id=stage.request.game_id))).game
    same("The game in GetGame, which has told it while it ran, when it is over", played, got)


@server_case("watch.no-links", "WATCH-6")
async def no_links(context: ServerContext) -> None:
    """How a player is reached is nobody else's business."""
    played = await context.whole_game(OPEN)
    _check_no_links(played.game)
    for method, kind in (("GetGame", GetGameRequest), ("StopGame", StopGameRequest)):
        _check_no_links((await context.ask(method, kind(game_id=played.game_id))).game)


def _check_no_links(game: Game) -> None:
    if any(player.link for player in (*game.plan.players, *game.players)):
        raise failure("The game tells how its players are reached.")


@server_case("watch.to-the-end", "WATCH-1")
async def to_the_end(context: ServerContext) -> None:
    """A spectator learns how the game ended."""
    events, expected = await _watched(context, OPEN, _sound)
    if not events or not events[-1].HasField("finished"):
        raise failure("The last event of a game that is over must be its result.")
    check_ranking(expected.result, events[-1].finished)
    if sum(event.HasField("finished") for event in events) > 1:
        raise failure("The result must come once.")


@server_case("watch.sequence", "WATCH-2")
async def sequence(context: ServerContext) -> None:
    """Spectators resume by the number of the last event that they saw."""
    events, _ = await _watched(context, OPEN, at(1, METHOD, reply(b"")))
    numbers = [event.sequence for event in events if not event.HasField("asked")]
    if any(one >= other for one, other in itertools.pairwise(numbers)):
        raise failure("The numbers of the events do not grow.", ("Numbers", ", ".join(map(str, numbers))))


@server_case("watch.order", "WATCH-1")
async def in_order(context: ServerContext) -> None:
    """Spectators see the states in the order in which the game had them."""
    events, expected = await _watched(context, OPEN, _sound)
    if not events[0].HasField("state"):
        raise failure("The first event must be the state of the game.")
    left = iter(expected.public_states)
    for state in _states(context, OPEN, events):
        if not any(state == each for each in left):
            raise failure("A state came that the game did not have then.", ("State", readable(state)))


@server_case("watch.finished-game", "WATCH-5")
async def finished_game(context: ServerContext) -> None:
    """Whoever was not there sees the game afterwards, as it went."""
    played = await context.whole_game(OPEN)
    events = await context.stream_all("WatchGame", WatchGameRequest(game_id=played.game_id))
    same("The states of the game", list(played.expected.full_states)[-1:], _states(context, OPEN, events)[-1:])
    if not events[-1].HasField("finished"):
        raise failure("The last event of a game that is over must be its result.")
    check_ranking(played.expected.result, events[-1].finished)


@server_case("watch.finished-shows-all", "WATCH-5")
async def finished_shows_all(context: ServerContext) -> None:
    """Whether a game was fair can be seen only if all of it can be seen."""
    played = await context.whole_game(HIDDEN)
    events = await context.stream_all("WatchGame", WatchGameRequest(game_id=played.game_id))
    left = iter(played.expected.full_states)
    for state in _states(context, HIDDEN, events):
        if not any(state == each for each in left):
            raise failure(
                "A state of a finished game lacks something, or the game never had it.", ("State", readable(state))
            )


@server_case("watch.asked", "WATCH-7", level=Level.SHOULD)
async def asked(context: ServerContext) -> None:
    """Spectators see whom the game waits for, and until when, whenever it does."""
    events, _ = await _watched(context, OPEN, at(1, METHOD, slow(PAUSE_S), 2))
    waiting = [each for event in events for each in event.asked.players]
    for seat in (0, 1):
        if not any(each.seat == seat and each.method_name.endswith(f"/{METHOD}") for each in waiting):
            raise failure(f"The spectators were not told that the game waited for {NAMES[seat]}.")


@server_case("watch.resume", "WATCH-3")
async def resume(context: ServerContext) -> None:
    """A spectator that lost its stream goes on behind the last event that it saw."""
    played = await context.whole_game(OPEN)
    events = await context.stream_all("WatchGame", WatchGameRequest(game_id=played.game_id))
    after = events[len(events) // 2].sequence
    rest = await context.stream_all("WatchGame", WatchGameRequest(game_id=played.game_id, after_sequence=after))
    wanted = [event for event in events if event.sequence > after]
    same("What comes after the event that was seen", wanted, rest)


@server_case("watch.resumed-running", "WATCH-3", "WATCH-4", "WATCH-8", mostly_waits=True)
async def resumed_running(context: ServerContext) -> None:
    """A spectator that comes back sees no more of a running game than one that stayed, and misses no elimination."""
    gate = asyncio.Event()
    script = any_of(at(1, METHOD, reply(b"")), at(2, METHOD, wait_for(gate)))
    scene = replace(ordinary(HIDDEN, script), control=PATIENT)
    async with context.staged(scene) as stage:
        game_id = stage.request.game_id
        stage.cast.may_answer.clear()
        await context.ask("CreateGame", CreateGameRequest(game_id=game_id, plan=stage.request.plan))
        try:
            first = await _until_it_waits(context, stage, 0, AMPLE_S)
            if not first:
                raise failure(f"A spectator must be told the state of a game; it was not within {AMPLE_S:g} s.")
            await wait_for_call(stage.cast, lambda each: (each.seat, each.method) == (2, METHOD))
            rest = await _until_it_waits(context, stage, first[0].sequence, AMPLE_S)
            events = [*first, *rest, *await _until_it_waits(context, stage, 2)]
            running = (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game
        finally:
            stage.cast.may_answer.set()
            gate.set()
        await context.ask("PlayGame", stage.request)
    expected = expect(scene, game_id)
    if not any(event.HasField("eliminated") for event in rest):
        raise failure("A spectator that came back to a running game was not told who was eliminated meanwhile.")
    told = [event.eliminated for event in events if event.HasField("eliminated")]
    for each in (*told, *running.result.misconducts):
        if each.HasField("request") or each.HasField("reply") or each.rule_break.legal_replies:
            raise failure("A spectator that came back to a running game saw what an eliminated player was asked.")
        same("Who was eliminated", expected.misconducts[0].player, each.player)
    for state in _states(context, HIDDEN, events):
        if state not in expected.public_states:
            raise failure("A spectator that came back to a running game saw a state that it must not see.")


async def _until_it_waits(
    context: ServerContext, stage: Stage, after: int, within_s: float = PAUSE_S
) -> list[WatchGameResponse]:
    """Return what a spectator is told for a moment, after which the game waits for a player.

    The first event may take `within_s`.
    """
    events: list[WatchGameResponse] = []
    request = WatchGameRequest(game_id=stage.request.game_id, after_sequence=after)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s) as limit, aclosing(context.stream("WatchGame", request)) as told:  # type: ignore[type-var]
            async for event in told:
                if not events:
                    limit.reschedule(asyncio.get_running_loop().time() + PAUSE_S)
                events.append(event)
                stage.cast.may_answer.set()
                if not event.HasField("asked") and event.sequence <= after:
                    raise failure(f"The event {event.sequence} came to a spectator that has seen the event {after}.")
    return events


@server_case("watch.deadlines", "WATCH-7", attempts=TIMED, rest_s=STANDSTILL_S, mostly_waits=True)
async def deadlines(context: ServerContext) -> None:
    """Whoever watches, and since when, is told the same time at which a call is over: that of the call, and its bank.

    It stays what it was when the call is sent again.
    """
    await asyncio.gather(*(_check_deadlines(context.apart(), bank_s) for bank_s in (0.0, AMPLE_S)))


async def _check_deadlines(context: ServerContext, bank_s: float) -> None:
    limits = control(4 * AMPLE_S, 5 * AMPLE_S, 6 * AMPLE_S, bank_s=bank_s)
    scene = replace(ordinary(OPEN, at(0, METHOD, hang)), control=limits)
    cast, names = Cast(scene.game, scene.actors()), context.new_names(scene.player_count)
    request = context.request(scene, [f"dial-in:{name}" for name in names])
    told: list[_Asked] = []
    watching: list[asyncio.Future[None]] = []

    async def watch(after: int = 0) -> None:
        begun_s = time.monotonic()
        events = context.apart().stream("WatchGame", WatchGameRequest(game_id=request.game_id, after_sequence=after))
        async with aclosing(events):  # type: ignore[type-var]
            async for event in events:
                told.extend(_Asked(begun_s, time.monotonic(), event, each) for each in event.asked.players)

    async with contextlib.AsyncExitStack() as stack:
        dial_in = partial(context.dialled_in, cast, names, token=TOKEN, window_s=AMPLE_S)
        first = await stack.enter_async_context(dial_in())
        await context.ask("CreateGame", CreateGameRequest(game_id=request.game_id, plan=request.plan))
        try:
            call = await wait_for_call(cast, lambda each: (each.seat, each.method) == (0, METHOD))
            for after in (0, 0, 1):
                await asyncio.sleep(PAUSE_S)
                watching.append(asyncio.ensure_future(watch(after)))
            await asyncio.sleep(PAUSE_S)
            await first.close()
            await stack.enter_async_context(dial_in())
            watching.append(asyncio.ensure_future(watch()))
            await asyncio.sleep(PAUSE_S)
        finally:
            await context.ask("StopGame", StopGameRequest(game_id=request.game_id))
            await asyncio.gather(*watching)
    for each in told:
        if (each.player.seat, each.player.method_name) != (call.seat, call.path):
            raise failure(f"A game that waits for {NAMES[0]} tells that it waits for {NAMES[each.player.seat]}.")
        left_s = (each.player.deadline.ToNanoseconds() - each.event.time.ToNanoseconds()) / 1e9
        most_s, least_s = (call.limit_s - (at_s - call.at_s) for at_s in (each.begun_s, each.told_s))
        if not least_s - PAUSE_S / 2 <= left_s <= most_s + PAUSE_S / 4:
            raise failure(
                f"Of the {call.limit_s:g} s of a call {least_s:.2f} to {most_s:.2f} s were left when a spectator was "
                f"told its deadline, which was {left_s:.2f} s later."
            )


@server_case("watch.asked-all", "WATCH-7", attempts=TIMED, rest_s=STANDSTILL_S, mostly_waits=True)
async def asked_all(context: ServerContext) -> None:
    """Spectators are told all calls that are open, whichever of those made at the same time is answered first."""
    scenes = [(name, 0) for name in ALL_GAMES] + [(RACE, MOST_AT_ONCE)]
    await together(_check_asked(context.apart(), name, count) for name, count in scenes)


class _Hesitant:
    """Players that answer a call when they are let. In a race every other act of a player cannot be carried out."""

    def __init__(self) -> None:
        self.gates: dict[int, asyncio.Event] = {}

    def __call__(self, asked: Asked) -> Act:
        gate = self.gates[asked.seat] = asyncio.Event()
        is_odd = asked.method == ACT.name and asked.number % 2 == 1
        return Act(Manner.REPLY, MORE_CARDS if is_odd else asked.sound, gate=gate)


async def _check_asked(context: ServerContext, name: str, count: int) -> None:
    """Have the players of a game answer one by one, and check whom it waits for, as a spectator is told."""
    players, rng, events = _Hesitant(), Random(f"{name}/{count}"), list[WatchGameResponse]()
    scene = replace(ordinary(name, players, count), control=PATIENT)
    async with context.staged(scene) as stage:
        game_id, received, before = stage.request.game_id, stage.cast.received, list[Received]()
        with contextlib.suppress(NotApplicable):  # the server may lack the game
            await context.ask_for_game("CreateGame", CreateGameRequest(game_id=game_id, plan=stage.request.plan))

            async def watch() -> None:
                async for event in context.apart().stream("WatchGame", WatchGameRequest(game_id=game_id)):
                    events.append(event)

            watching, known = asyncio.ensure_future(watch()), 0
            try:
                for _ in range(ANSWERS):
                    await asyncio.wait([watching], timeout=PAUSE_S)
                    if watching.done():
                        await watching
                    kept = [each for each in before if each.is_open]
                    for event in events:
                        _check_all_told(scene.game.title, event, kept, [*before, *received[known:]])
                    before, known = [each for each in received if each.is_open], len(received)
                    events.clear()
                    if before:
                        players.gates[rng.choice(before).seat].set()
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
                await context.ask("StopGame", StopGameRequest(game_id=game_id))


def _check_all_told(title: str, event: WatchGameResponse, least: Sequence[Received], most: Sequence[Received]) -> None:
    """Check that a spectator is told of calls that have been open for long, and of none that has not been."""
    told = {(each.seat, each.method_name) for each in event.asked.players}
    due, may_be = ({(each.seat, each.path) for each in calls} for calls in (least, most))
    if event.HasField("asked") and not due <= told <= may_be:
        seat, path = wrong = min(due - told or told - may_be)
        raise failure(
            f"`asked` must tell all calls that are open, and no other; in a game of {title} it "
            f"{'lacks' if wrong in due else 'has'} {path.rpartition('/')[2]} to {NAMES[seat]}."
        )


class _Asked(NamedTuple):
    """A call for which a game waits, as a spectator is told that began to watch at a time."""

    begun_s: float
    told_s: float
    event: WatchGameResponse
    player: AskedPlayer


@server_case("watch.hidden-in-tournament", "WATCH-4", "WATCH-5", "TOUR-19", mostly_waits=True)
async def hidden_in_tournament(context: ServerContext) -> None:
    """What is hidden in a game of a tournament is hidden until the tournament is over, whoever asks how and when."""
    players = _Finalists()
    scene = ordinary(HIDDEN, count=2)
    player = SoundPlayer(scene.game, scene.strategies[0])
    cast = Cast(scene.game, [Actor(seat, players, player) for seat in range(FINALISTS)])
    names = context.new_names(FINALISTS)
    request = make_request(context, [f"dial-in:{name}" for name in names])
    request.plan.game, tournament_id = scene.game.name, request.tournament_id
    request.plan.settings.CopyFrom(wrap(GameSettings, scene.game, scene.settings))
    request.plan.time_control.CopyFrom(PATIENT)
    game_id, shown, watched = f"{tournament_id}/r1g1", list[Message](), list[Sequence[WatchGameResponse]]()

    async def watch(after: int = 0) -> None:
        watching = WatchGameRequest(game_id=game_id, after_sequence=after)
        watched.append(await context.apart().stream_all("WatchGame", watching))

    async with context.dialled_in(cast, names):
        await create(context, request)
        try:
            await context.ask("StartTournament", StartTournamentRequest(tournament_id=tournament_id))
            await _come(players.held)
            shown.append(await context.ask("GetGame", GetGameRequest(game_id=game_id)))
            watching = asyncio.ensure_future(watch())
            await asyncio.sleep(PAUSE_S)
            players.go_on.set()
            await watching
            await _come(players.final)
            for after in (0, 1):
                await watch(after)
            for method, kind in (("GetGame", GetGameRequest), ("StopGame", StopGameRequest)):
                shown.append(await context.ask(method, kind(game_id=game_id)))
            about = GetTournamentRequest(tournament_id=tournament_id)
            shown.append(await context.ask("GetTournament", about))
            shown.append(
                await context.ask("ListTournamentGames", ListTournamentGamesRequest(tournament_id=tournament_id))
            )
            async for event in context.stream("WatchTournament", WatchTournamentRequest(tournament_id=tournament_id)):
                shown.append(event)
                break
        finally:
            players.go_on.set()
            await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=tournament_id))
    whole = await context.stream_all("WatchGame", WatchGameRequest(game_id=game_id))
    got = (await context.ask("GetGame", GetGameRequest(game_id=game_id))).game
    told = got.plan.HasField("seed"), [each.HasField("request") for each in got.result.misconducts]
    same("Whether GetGame tells the seed and the evidence when the tournament is over", (True, [True]), told)
    over = (await context.ask("GetTournament", GetTournamentRequest(tournament_id=tournament_id))).tournament
    listed = await context.list_all(
        "ListTournamentGames", ListTournamentGamesRequest(tournament_id=tournament_id), "games"
    )
    same(
        "Which games are over in ListTournamentGames when the tournament is over",
        [(game.game_id, game.HasField("result")) for each in over.rounds for game in each.games],
        [(game.game_id, game.HasField("result")) for game in listed],
    )
    for message in itertools.chain(shown, *watched):
        _check_hidden(message, f"{type(message).__name__} of a game whose tournament is not over")
    [evidence] = [each.eliminated for each in whole if each.HasField("eliminated")]
    if not evidence.HasField("request") or not whole[-1].finished.misconducts[0].HasField("request"):
        raise failure("A game whose tournament is over must be shown with the evidence.")
    course = follow(scene.game, await context.record(game_id))
    for events in watched:
        check_states(scene.game, course, events, live=True)
    check_states(scene.game, course, whole, live=False)


class _Finalists:
    """The players of a knockout: the second that takes a turn breaks a rule, and the final does not go on."""

    def __init__(self) -> None:
        self.held, self.go_on, self.final = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._first = -1
        self._has_failed = False

    def __call__(self, asked: Asked) -> Act | None:
        if asked.method != METHOD:
            return None
        if asked.request.game_id.endswith("/r2g1"):
            self.final.set()
            return hang(asked)
        if not asked.request.game_id.endswith("/r1g1"):
            return None
        if self._first < 0:
            self._first = asked.seat
            self.held.set()
            return wait_for(self.go_on)(asked)
        if asked.seat == self._first or self._has_failed:
            return None
        self._has_failed = True
        return reply(b"")(asked)


async def _come(event: asyncio.Event) -> None:
    async with asyncio.timeout(4 * AMPLE_S):
        await event.wait()


def _check_hidden(message: Message, where: str) -> None:
    """Check that a message has no evidence, no seed and no state from which a game began, wherever they may be."""
    if isinstance(message, Misconduct) and message != without_evidence(message):
        raise failure(f"{where} has the evidence of a misconduct.", ("Misconduct", readable(message)))
    if isinstance(message, GamePlan | TournamentPlan) and message.HasField("seed"):
        raise failure(f"{where} has a seed.")
    if isinstance(message, GamePlan) and message.HasField("initial_state"):
        raise failure(f"{where} has the state from which a game began.")
    for field, value in message.ListFields():
        if field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for each in value if field.is_repeated else (value,):
                _check_hidden(each, where)


@server_case("stop.running", "ASK-7")
async def stop_running(context: ServerContext) -> None:
    """Whoever runs games can end one that makes no sense any more, and no player suffers for it."""
    async with _begun(context, OPEN, at(0, "Setup", hang)) as stage:
        assert stage.stream is not None
        await stage.stream.called.wait()
        request = StopGameRequest(game_id=stage.request.game_id, reason="scripted stop")
        game = (await context.ask("StopGame", request)).game
        request.reason = "another reason"
        again = (await context.ask("StopGame", request)).game
    for each in (game, again):
        same("The status of a stopped game", GameStatus.GAME_STATUS_ABORTED, each.status)
        if not each.result.aborted:
            raise failure("The result of a stopped game must say why it was ended.")
        if each.result.misconducts:
            raise failure("A stopped game must blame nobody.")
        check_times(each, "stopped game", each.start_time)


@server_case("stop.cancels", "ASK-7", "LATE-1")
async def stop_cancels(context: ServerContext) -> None:
    """A player need not think about a game that is over, however many are asked at once and wherever."""
    for game, reach in itertools.product(ALL_GAMES, (Reach.TOGETHER, Reach.APART, Reach.SERVING)):
        with contextlib.suppress(NotApplicable):  # the server may lack the game
            await _check_cancelled(context, ordinary(game), reach)


async def _check_cancelled(context: ServerContext, scene: Scene, reach: Reach) -> None:
    """Stop a game in which calls are open, and check that all of them are cancelled."""
    async with gathered(context, scene, Circumstances(reach=reach)) as company:
        company.cast.pause_at(ASKED_FIRST)
        begun = CreateGameRequest(game_id=company.request.game_id, plan=company.request.plan)
        await context.ask_for_game("CreateGame", begun)
        await company.cast.paused.wait()
        await settle()
        await context.ask("StopGame", StopGameRequest(game_id=begun.game_id))
        if (open_call := await company.cast.first_open(AMPLE_S)) is not None:
            raise failure(
                f"{open_call.method} to {NAMES[open_call.seat]} was open when its game was stopped, "
                "and was not cancelled."
            )


@server_case("stop.over", "ASK-8")
async def stop_over(context: ServerContext) -> None:
    """A result that is known does not change any more."""
    played = await context.whole_game(OPEN)
    game = (await context.ask("StopGame", StopGameRequest(game_id=played.game_id))).game
    same("The status of the game", GameStatus.GAME_STATUS_FINISHED, game.status)
    check_ranking(played.expected.result, game.result)


CASES = (
    hides,
    hides_evidence,
    running_game,
    no_links,
    to_the_end,
    sequence,
    in_order,
    finished_game,
    finished_shows_all,
    asked,
    resume,
    resumed_running,
    deadlines,
    asked_all,
    hidden_in_tournament,
    stop_running,
    stop_cancels,
    stop_over,
)

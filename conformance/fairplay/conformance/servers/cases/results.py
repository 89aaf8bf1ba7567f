"""Cases about calls in the right order, with the right contents, and about results."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import Case, NotApplicable, SuiteError, failure
from fairplay.conformance.servers.cases.tournaments import ends_by_itself, make_request, whole_tournament
from fairplay.conformance.servers.compare import check_blame, check_limits, check_ranking, check_times, same
from fairplay.conformance.servers.context import (
    FORGIVING,
    GAMES,
    HIDDEN,
    OPEN,
    RACE,
    STANDSTILL_S,
    TIMED,
    TRADING,
    Played,
    ServerContext,
    ordinary,
    server_case,
)
from fairplay.conformance.servers.courses import Course, check_order, check_requests, in_order
from fairplay.conformance.servers.players import SECRET, Cast, check_secrets, secret_of
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    FAILED,
    NAMES,
    Act,
    Asked,
    Manner,
    Scene,
    Script,
    any_of,
    at,
    control,
    expect,
    fail,
    hang,
    reply,
    slow,
    sound_script,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.envelopes import unwrap
from fairplay.games.game import find
from fairplay.server.links.link import BANK_KEY
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpRequest, StartTournamentRequest
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.referee_pb2 import GameStatus, GetGameRequest, WatchGameRequest

PADDING = b"\xfa\x7c\xe8\x07" + bytes(1_000)
"""The field 1999, which nobody knows, with 1,000 bytes: a reply with it is worth being compressed."""
DISTINCT = control(30.0, 40.0, 20.0)
"""Limits that differ, and that players keep on any machine."""
ORDER_OF = {
    OPEN: ("GAME-10", "FISH-1", "FISH-2", "FISH-3", "ROLE-4", "ROLE-8", "CALL-20"),
    HIDDEN: ("GAME-10", "Q-1", "Q-2", "Q-3", "Q-4"),
}
REQUESTS_OF = {OPEN: ("CALL-2", "NAME-9", "FISH-5", "FISH-6"), HIDDEN: ("DRAW-2",)}


def _order_of(game: str) -> Case:
    @server_case(f"order.{game}", *ORDER_OF[game])
    async def order(context: ServerContext) -> None:
        """A server that asks in another order plays another game."""
        played = await context.whole_game(game)
        check_order(played.expected, played.cast.received, played.game.result)

    return order


def _requests_of(game: str) -> Case:
    @server_case(f"order.{game}-requests", "GAME-11", "GAME-12", "NAME-8", *REQUESTS_OF[game])
    async def requests(context: ServerContext) -> None:
        """A player that is told something wrong, or that sees what others hold, plays no fair game."""
        played = await context.whole_game(game)
        check_requests(played.expected.calls, played.cast.received)

    return requests


@server_case("order.game-id", "NAME-7")
async def game_id(context: ServerContext) -> None:
    """A player may be in many games at once, and knows them by their ids."""
    played = await context.whole_game(OPEN)
    for each in played.cast.received:
        if getattr(each.asked, "game_id", None) != played.game_id:
            raise failure(f"A request of {each.method} does not name the game {played.game_id}.")


@server_case("order.served-players", "REACH-1", "SERVE-1", "STREAM-5", "STREAM-6")
async def served_players(context: ServerContext) -> None:
    """Players that serve are asked the same as players that dial in, and may compress what they answer."""
    long = [at(seat, "TakeTurn", lambda asked: Act(Manner.REPLY, asked.sound + PADDING)) for seat in range(3)]
    played = await context.play(ordinary(OPEN, any_of(*long)), served=True)
    check_blame(played.expected.misconducts, played.game.result.misconducts)
    check_order(played.expected, played.cast.received, played.game.result)
    check_requests(played.expected.calls, played.cast.received)


@server_case("order.secrets", "SERVE-5", "SERVE-6")
async def secrets_of_players(context: ServerContext) -> None:
    """A player that serves knows by its secret who may call it, and nobody else learns it."""
    async with context.staged(ordinary(OPEN), served=True) as stage:
        for seat, player in enumerate(stage.request.plan.players):
            player.secret = secret_of(seat)
        game = (await context.ask("PlayGame", stage.request)).game
    events = await context.stream_all("WatchGame", WatchGameRequest(game_id=stage.request.game_id))
    got = await context.ask("GetGame", GetGameRequest(game_id=stage.request.game_id))
    told = [game, got, *events]
    with contextlib.suppress(NotApplicable):
        told.append(await context.record(stage.request.game_id))
    _check_secrets(stage.cast, told)
    await _check_secrets_of_entrants(context)


def _check_secrets(cast: Cast, told: Sequence[Message]) -> None:
    """Check that each call of players that serve shows their secret, and nothing that is told to others."""
    check_secrets(cast.received)
    if any(SECRET.encode() in each.SerializeToString() for each in told):
        raise failure("The server tells the secrets of players.")


async def _check_secrets_of_entrants(context: ServerContext) -> None:
    """Check the same of a tournament with a player that its creator names and another one that signs up."""
    async with context.staged(ordinary(OPEN, count=2), served=True) as stage:
        links = [player.link for player in stage.request.plan.players]
        request = make_request(context, links[1:])
        entrant, tournament_id = Player(name=NAMES[0], link=links[0], secret=secret_of(0)), request.tournament_id
        request.plan.entrants[0].name, request.plan.entrants[0].secret = NAMES[1], secret_of(1)
        created = await context.ask("CreateTournament", request)
        signed_up = await context.ask("SignUp", SignUpRequest(tournament_id=tournament_id, player=entrant))
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=tournament_id))
        told = [created, signed_up, await ends_by_itself(context, request)]
        with contextlib.suppress(NotApplicable):
            told.append(await context.record(tournament_id))
    _check_secrets(stage.cast, told)


INVENTED = tuple(
    code.value[0]
    for code in (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)
)
"""The statuses that libraries make up for calls whose connection has ended: who says which, nobody knows."""


@server_case("order.served-once", "SERVE-2", "FAIL-5", attempts=TIMED, rest_s=STANDSTILL_S)
async def served_once(context: ServerContext) -> None:
    """A call that has failed may have been played: a second one would be another decision."""
    for code in INVENTED:
        played = await context.play(ordinary(OPEN, at(1, "TakeTurn", fail(code, "scripted failure"))), served=True)
        check_order(played.expected, played.cast.received, played.game.result)
        kinds = [MisconductKind.Name(each.kind) for each in played.game.result.misconducts]
        same(
            f"How a player is charged that answers at once with the status {code}", ["MISCONDUCT_KIND_EXCEPTION"], kinds
        )


@server_case("order.one-call-at-a-time", "CALL-10")
async def one_call_at_a_time(context: ServerContext) -> None:
    """A player decides from one state at a time."""
    async with context.staged(ordinary(OPEN, slow(0.01))) as stage:  # whose end looks at all calls: Facts.take_calls
        await context.ask("PlayGame", stage.request)


@server_case("order.frame-size", "STREAM-3")
async def frame_size(context: ServerContext) -> None:
    """Larger frames do not reach programs whose library keeps to its usual limit."""
    async with context.staged(ordinary(HIDDEN)) as stage:  # whose end looks at all frames: Facts.take_calls
        await context.ask("PlayGame", stage.request)


@server_case("order.without-the-eliminated", "FAIL-12", "FAIL-13")
async def without_the_eliminated(context: ServerContext) -> None:
    """The game goes on without a player that was eliminated."""
    played = await context.play(ordinary(OPEN, at(1, "TakeTurn", FAILED)))
    check_order(played.expected, played.cast.received, played.game.result)


@server_case("order.call-ids", "CALL-1")
async def call_ids(context: ServerContext) -> None:
    """Replies name calls by their ids."""
    casts = [(await context.whole_game(game)).cast for game in GAMES] + [(await whole_tournament(context)).cast]
    ids = [each.call_id for cast in casts for each in cast.received]
    if len(set(ids)) < len(ids):
        raise failure("Two calls have the same id.")


@server_case("order.time-limits", "TIME-3", "TIME-4")
async def time_limits(context: ServerContext) -> None:
    """Players plan their time by the limit that the call names."""
    scene = ordinary(OPEN)
    played = await context.play(replace(scene, control=DISTINCT))
    check_limits(played.expected.limits_s, played.cast.received)


def _course_of(case_id: str, game: str, why: str, script: Script, *checks: str) -> Case:
    @server_case(case_id, *checks)
    async def course(context: ServerContext) -> None:
        await _follow(context, ordinary(game, script))

    return replace(course, why=why)


async def _follow(context: ServerContext, scene: Scene) -> None:
    """Check that a game takes the course that follows from its rules and what its players do."""
    played = await context.play(replace(scene, control=DISTINCT))
    received = in_order(Course.of(played.expected), played.cast.received)
    check_order(played.expected, received, played.game.result)
    check_requests(played.expected.calls, received)
    check_limits(played.expected.limits_s, received)
    check_blame(played.expected.misconducts, played.game.result.misconducts)
    check_ranking(played.expected.result, played.game.result)


def _fails_the_end(method: str) -> Script:
    """Return the script in which winners fail when they are told so."""
    return lambda asked: FAILED(asked) if asked.method == method and asked.request.won else None


courses = (
    _course_of(
        "order.bazaar",
        TRADING,
        "A turn has two questions, and the second one follows from the answer to the first.",
        sound_script,
        "BAZAAR-1",
        "BAZAAR-2",
        "BAZAAR-3",
        "BAZAAR-4",
        "GAME-11",
    ),
    _course_of(
        "order.bazaar-win",
        TRADING,
        "Whoever cannot hear that it has won has not won, and nobody moves up.",
        _fails_the_end("Win"),
        "BAZAAR-5",
    ),
    _course_of(
        "order.eriantys",
        FORGIVING,
        "Everybody is told at once what somebody has done.",
        sound_script,
        "ERIANTYS-1",
        "ERIANTYS-3",
        "ERIANTYS-5",
        "ERIANTYS-8",
        "GAME-11",
    ),
    _course_of(
        "order.eriantys-again",
        FORGIVING,
        "An answer that is wrong once is asked for again.",
        any_of(at(0, "AskAssistantCard", reply(b"")), at(1, "AskAction", reply(b""), 2)),
        "ERIANTYS-2",
    ),
)


@server_case("order.eriantys-away", "ERIANTYS-4", "ERIANTYS-6", "ERIANTYS-7")
async def away(context: ServerContext) -> None:
    """A player that fails is away or out, as the settings say, and back when it answers again, in whichever round."""
    leaves = at(0, "AskAction", FAILED, 2)

    def stays_away(asked: Asked) -> Act | None:
        """Return what the player does that is not back before the third round."""
        missed = (asked.seat, asked.method) == (0, "UpdateGameBoard") and asked.request.state.round == 2
        return FAILED(asked) if missed else None

    for settings in find_conformance(FORGIVING).leaving_settings:
        values = {field.name: value for field, value in settings.ListFields()}
        for script in (leaves, any_of(leaves, stays_away)):
            await _follow(context, ordinary(FORGIVING, script, 3, **values))


async def _raced(context: ServerContext, script: Script, **values: Any) -> Played:
    """Have a race played, and check what holds whoever is first: who fails, and the limits."""
    played = await context.play(ordinary(RACE, script, **values))
    _check_race(played, in_rounds=bool(values))
    return played


def _check_race(played: Played, *, in_rounds: bool = False) -> None:
    check_blame([], played.game.result.misconducts)
    game = played.scene.game
    settings: Any = unwrap(played.game.plan.settings, game, game.settings_type)
    picks_s = AMPLE_S if in_rounds else settings.window.ToNanoseconds() / 1e9  # there it is a decision like any other
    for each in played.cast.received:
        same(f"The limit of {each.method}", picks_s if each.method == "PickCards" else AMPLE_S, round(each.limit_s, 3))


@server_case("order.webset", "WEBSET-1", "WEBSET-4", "WEBSET-7", "TIME-14")
async def race(context: ServerContext) -> None:
    """Everybody may call a set, and everybody else is told who has."""
    played = await _raced(context, sound_script)
    everybody = list(range(played.scene.player_count))
    decisions = [each for each in played.cast.received if each.method in ("Act", "PickCards", "Report")]
    same("Who is asked first", everybody, sorted(each.seat for each in decisions[: len(everybody)]))
    for picks, calls in groupby(decisions, lambda each: each.method != "Act"):
        if picks:
            called = list(calls)
            if left_out := [NAMES[seat] for seat in everybody if seat not in {each.seat for each in called}]:
                caller = next(NAMES[each.seat] for each in called if each.method == "PickCards")
                raise failure(f"{' and '.join(left_out)} must be told by Report that {caller} has called; it was not.")
    await _check_window_with_a_bank(context)


async def _check_window_with_a_bank(context: ServerContext) -> None:
    """Check that a bank makes decisions longer, but not the window for cards."""
    played = await context.play(replace(ordinary(RACE), control=control(bank_s=AMPLE_S)))
    settings: Any = played.scene.settings
    for each in [each for each in played.cast.received if each.method in ("Act", "PickCards")]:
        picks = each.method == "PickCards"
        limit_s = settings.window.ToNanoseconds() / 1e9 if picks else 2 * AMPLE_S
        same(f"The limit of {each.method} in a game with a bank", limit_s, round(each.limit_s, 1))
        same(f"Whether {each.method} says how much of its limit is the bank", not picks, BANK_KEY in each.metadata)


@server_case("order.webset-cancelled", "WEBSET-2", "LATE-1")
async def race_is_over(context: ServerContext) -> None:
    """Who was too late need not look for a set that is gone."""
    played = await context.play(ordinary(RACE, any_of(at(1, "Act", hang), at(2, "Act", hang))))
    first = [each for each in played.cast.received if each.method == "Act" and each.seat > 0][:2]
    if any(each.cancelled_after_s is None for each in first):
        raise failure("The calls of those who were slower must be cancelled when somebody has called a set.")
    _check_race(played)


@server_case("order.webset-wrong-cards", "WEBSET-5")
async def wrong_cards(context: ServerContext) -> None:
    """Cards that are no set cost points, and nothing else."""
    await _raced(context, any_of(at(0, "PickCards", reply(b"")), at(1, "PickCards", reply(b""))))


@server_case("order.webset-rounds", "WEBSET-6")
async def in_rounds(context: ServerContext) -> None:
    """Where the time does not count, everybody answers every question."""
    kinds: Any = find(RACE).settings_type.DESCRIPTOR.fields_by_name["rounds"].enum_type
    played = await _raced(context, sound_script, rounds=kinds.values[-1].number)
    methods = {each.method for each in played.cast.received}
    if "Act" in methods:
        raise failure("Act must not be called in rounds.")
    picks = [each.seat for each in played.cast.received if each.method == "PickCards"]
    everybody = list(range(played.scene.player_count))
    same("Who is asked first", everybody, sorted(picks[: len(everybody)]))


ORDER = (
    *(case for game in GAMES for case in (_order_of(game), _requests_of(game))),
    game_id,
    served_players,
    secrets_of_players,
    served_once,
    one_call_at_a_time,
    frame_size,
    without_the_eliminated,
    call_ids,
    time_limits,
    *courses,
    away,
    race,
    race_is_over,
    wrong_cards,
    in_rounds,
)


MAX_SEED = 200
LIMITS = ("decision_limit", "first_decision_limit", "notification_limit")


def _ranking_of(game: str) -> Case:
    @server_case(f"results.{game}", "GAME-14")
    async def ranking(context: ServerContext) -> None:
        """The result of a game follows from its state and the replies, and from nothing else."""
        played = await context.whole_game(game)
        check_ranking(played.expected.result, played.game.result)

    return ranking


@server_case("results.tie", "GAME-15")
async def tie(context: ServerContext) -> None:
    """Players with the same score win together: nobody is put before the other by seat or name."""
    played = await context.play(_tied())
    check_ranking(played.expected.result, played.game.result)


def _tied() -> Scene:
    """Return a scene in which two players share the win and another one does not."""
    for seed in range(MAX_SEED):
        scene = ordinary(OPEN, seed=seed)
        ranking = expect(scene, "search").result.ranking
        if len(ranking) > 1 and len(ranking[0].players) == 2:
            return scene
    raise SuiteError(f"no game of {MAX_SEED} ends with a shared win")


@server_case("results.all-eliminated", "GAME-16")
async def all_eliminated(context: ServerContext) -> None:
    """Where everybody failed the ranking is empty, and the game is over nevertheless."""
    scene = ordinary(OPEN, lambda asked: FAILED(asked) if asked.method == "TakeTurn" else None)
    played = await context.play(scene)
    check_ranking(played.expected.result, played.game.result)
    check_blame(played.expected.misconducts, played.game.result.misconducts)


@server_case("results.status", "GAME-17")
async def status(context: ServerContext) -> None:
    """Pages and rating sites read how and when a game ended."""
    game = (await context.whole_game(OPEN)).game
    same("The status of a game that was played to its end", GameStatus.GAME_STATUS_FINISHED, game.status)
    check_times(game, "finished game", game.start_time)
    if game.result.aborted:
        raise failure(f"The game was played to its end, but counts as aborted: {game.result.aborted}")


@server_case("results.same-by-get", "ASK-9")
async def same_by_get(context: ServerContext) -> None:
    """Whoever was not there reads the result later."""
    played = await context.whole_game(OPEN)
    got = (await context.ask("GetGame", GetGameRequest(game_id=played.game_id))).game
    check_ranking(played.expected.result, got.result)
    same("The names of the players", list(played.scene.names), [player.name for player in got.players])


@server_case("results.plan-with-defaults", "GAME-8", "TIME-15")
async def plan_with_defaults(context: ServerContext) -> None:
    """Whoever repeats a game elsewhere must know all that it was made of."""
    played = await context.whole_game(OPEN)
    scene, plan = played.scene, played.game.plan
    same("The settings of the plan", scene.settings, unwrap(plan.settings, scene.game, scene.game.settings_type))
    for name in LIMITS:
        same(f"The {name} of the plan", getattr(scene.control, name), getattr(plan.time_control, name))
    if not plan.HasField("seed") or plan.seed != scene.plan().seed:
        raise failure("The plan of a finished game must say its seed.")


@server_case("results.drawn-seed", "GAME-7")
async def drawn_seed(context: ServerContext) -> None:
    """A finished game tells the seed that the server drew, another one each time, from which the game follows."""
    seeds, states = list[int](), list[Message]()
    for _ in range(3):
        async with context.staged(ordinary(HIDDEN, count=2)) as stage:
            plan = stage.request.plan
            plan.ClearField("initial_state")
            plan.ClearField("seed")
            if len(seeds) == 2:
                plan.seed = seeds[0]
            plan = (await context.ask("PlayGame", stage.request)).game.plan
        if not plan.HasField("seed") or plan.seed >= 2**53:
            raise failure("The plan of a finished game must say the seed that was drawn, below 2^53.")
        watching = WatchGameRequest(game_id=stage.request.game_id)
        states.append((await context.stream_all("WatchGame", watching))[0].state)
        seeds.append(plan.seed)
    if seeds[0] == seeds[1]:
        raise failure("Two games without a seed must be played from different ones.")
    same("The first state of a game that is played again from the seed that was drawn", states[0], states[2])


@server_case("results.same-seed-same-game", "GAME-13")
async def same_seed(context: ServerContext) -> None:
    """Games that are drawn from a seed can be repeated, whichever seed it is, and another seed draws another game."""
    for name in GAMES:
        first: dict[int, Message] = {}
        for seed in (77, 0, 77, 0):
            async with context.staged(ordinary(name, count=2)) as stage:
                stage.request.plan.ClearField("initial_state")
                stage.request.plan.seed = seed
                await context.ask("PlayGame", stage.request)
            watching = WatchGameRequest(game_id=stage.request.game_id)
            shown = (await context.stream_all("WatchGame", watching))[0].state
            same(
                f"The first state of the second game of {name} from the seed {seed}",
                first.setdefault(seed, shown),
                shown,
            )
        if first[77] == first[0]:
            raise failure(f"The first states of {name} that were drawn from the seeds 77 and 0 are the same.")


RESULTS = (
    *map(_ranking_of, GAMES),
    tie,
    all_eliminated,
    status,
    same_by_get,
    plan_with_defaults,
    drawn_seed,
    same_seed,
)


CASES = (*ORDER, *RESULTS)

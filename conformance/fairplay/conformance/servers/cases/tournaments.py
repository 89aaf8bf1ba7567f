"""Whether tournaments sign up, pair, tell and end as the contract says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import Case, NotApplicable, failure
from fairplay.conformance.servers.compare import check_ranking, check_times, same
from fairplay.conformance.servers.context import OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import Cast, Received
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    FAILED,
    NAMES,
    NOBODY,
    UNKNOWN_FIELD,
    Act,
    Actor,
    Asked,
    Scene,
    Script,
    SoundPlayer,
    control,
    hang,
    slow,
    sound_script,
    span,
    wait_for,
)
from fairplay.conformance.servers.texts import LARGEST
from fairplay.games.envelopes import wrap
from fairplay.games.kit import knockout, tournament
from fairplay.games.kit.player_service import PLAYER_SERVICE
from fairplay.games.steps import CallAll, Eliminate
from fairplay.server.net.errors import reason_of
from fairplay.server.net.limits import limit_of
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    CreateTournamentRequest,
    GetStandingsRequest,
    GetTournamentRequest,
    ListTournamentGamesRequest,
    SignUpRequest,
    StartTournamentRequest,
    WatchTournamentRequest,
    WatchTournamentResponse,
    WithdrawRequest,
)
from fairplay.v1.referee_pb2 import Game, GameStatus, GetGameRequest
from fairplay.v1.tournament_pb2 import SignUpPolicy, Tournament, TournamentPlan, TournamentStatus

ENTRANTS = 5
WAIT_S = 20.0
LATER_S = 0.5
AT_ONCE = 20
MANY_SIGN_UPS = 800
"""So many players come, and half of them go again, while somebody watches who does not read."""


class Entered(NamedTuple):
    """Players that are there, and the request for a tournament between them."""

    cast: Cast
    request: CreateTournamentRequest


class Ended(NamedTuple):
    """A tournament that is over."""

    cast: Cast
    tournament: Tournament
    events: Sequence[WatchTournamentResponse]
    first_game: Game | None
    """The game that was over first, as it was shown then; None: no game was over."""


def small_scene() -> Scene:
    """Return a scene of the games of tournaments."""
    return ordinary(OPEN, count=2)


def make_request(context: ServerContext, links: Sequence[str] = ()) -> CreateTournamentRequest:
    """Return the request for a tournament between entrants, or for one that is open for sign-up."""
    scene = small_scene()
    plan = TournamentPlan(
        game=scene.game.name,
        settings=wrap(GameSettings, scene.game, scene.settings),
        sign_up=SignUpPolicy(min_entrant_count=2, max_entrant_count=8, waiting_period=span(0.0)),
        time_control=control(),
        entrants=[Player(name=name, link=link) for name, link in zip(NAMES, links, strict=False)],
        seed=5,
    )
    plan.format.knockout.SetInParent()
    return CreateTournamentRequest(tournament_id=context.new_id("cup"), plan=plan)


@asynccontextmanager
async def entered(
    context: ServerContext, script: Script = sound_script, count: int = ENTRANTS
) -> AsyncIterator[Entered]:
    """Yield players that have dialled in, and the request for a knockout between them."""
    game = small_scene().game
    player = SoundPlayer(game, small_scene().strategies[0])
    cast = Cast(game, [Actor(seat, script, player) for seat in range(count)])
    names = context.new_names(count)
    async with context.dialled_in(cast, names):
        yield Entered(cast, make_request(context, [f"dial-in:{name}" for name in names]))


async def create(context: ServerContext, request: CreateTournamentRequest) -> None:
    """Have the server create a tournament. Raises NotApplicable if the server may lack its format, and does."""
    try:
        await context.ask("CreateTournament", request)
    except grpc.aio.AioRpcError as error:
        format_ = request.plan.format.WhichOneof("format")
        if reason_of(error) != "INVALID_FORMAT" or format_ == "knockout":
            raise
        raise NotApplicable(f"this server does not have the format {format_}") from None


async def play(
    context: ServerContext,
    script: Script = sound_script,
    change: Callable[[TournamentPlan], None] | None = None,
    count: int = ENTRANTS,
) -> Ended:
    """Have the server play a tournament to its end, watched from its beginning. `change` changes its plan."""
    async with entered(context, script, count) as players:
        if change is not None:
            change(players.request.plan)
        await create(context, players.request)
        tournament_id = players.request.tournament_id
        events: list[WatchTournamentResponse] = []
        first_game: Game | None = None
        async for event in context.stream("WatchTournament", WatchTournamentRequest(tournament_id=tournament_id)):
            if not events:
                await context.ask("StartTournament", StartTournamentRequest(tournament_id=tournament_id))
            events.append(event)
            if event.WhichOneof("event") in ("game_started", "game_finished"):  # facts are told which games run
                await context.ask("ListTournamentGames", ListTournamentGamesRequest(tournament_id=tournament_id))
            if first_game is None and event.HasField("game_finished") and not event.game_finished.skipped:
                first_game = (await context.ask("GetGame", GetGameRequest(game_id=event.game_finished.game_id))).game
        reply = await context.ask("GetTournament", GetTournamentRequest(tournament_id=tournament_id))
    return Ended(players.cast, reply.tournament, events, first_game)


async def whole_tournament(context: ServerContext) -> Ended:
    """Return a tournament of sound players, played once. The first game of its first round is over last."""
    if "tournament" not in context.kept:
        context.kept["tournament"] = (await play(context, _first_game_is_slow), list(context.trace))
    ended, context.trace = context.kept["tournament"][0], list(context.kept["tournament"][1])
    found: Ended = ended
    return found


def _first_game_is_slow(asked: Asked) -> Act | None:
    is_first = (asked.seat, asked.method, asked.number) == (0, "TakeTurn", 1)
    return slow(LATER_S)(asked) if is_first and asked.request.game_id.endswith("/r1g1") else None


def calls_of(received: Sequence[Received], method: str) -> list[Received]:
    """Return the calls of a method of PlayerService."""
    return [each for each in received if each.path == f"/{PLAYER_SERVICE}/{method}"]


@server_case("tournament.start", "ROLE-4", "TOUR-1")
async def start(context: ServerContext) -> None:
    """Players get ready when they are told that a tournament starts."""
    ended = await whole_tournament(context)
    first = ended.cast.received[:ENTRANTS]
    same(
        "Who is told Start before the first game",
        list(range(ENTRANTS)),
        sorted(each.seat for each in calls_of(first, "Start")),
    )
    same("How many Start calls there are", ENTRANTS, len(calls_of(ended.cast.received, "Start")))


@server_case("tournament.end", "TOUR-2")
async def end(context: ServerContext) -> None:
    """Winners hear first that they have won; then the others hear that it is over."""
    ended = await whole_tournament(context)
    ends = calls_of(ended.cast.received, "End")
    same("How many calls come after the first End", ends, ended.cast.received[-len(ends) :] if ends else [])
    sent = [(NAMES[each.seat], bool(getattr(each.asked, "won", False))) for each in ends]
    winners = set(ended.tournament.result.winners)
    wrong = [name for name, won in sent if won != (name in winners)]
    if wrong:
        raise failure(f"{wrong[0]} was told the wrong thing about winning.", ("Told", str(sent)))
    same("Who is told End", sorted(NAMES[:ENTRANTS]), sorted(name for name, _ in sent))
    if [won for _, won in sent] != sorted((won for _, won in sent), reverse=True):
        raise failure("The winners must be told End before the others.", ("Told", str(sent)))


@server_case(
    "tournament.rounds",
    "KNOCKOUT-1",
    "KNOCKOUT-2",
    "KNOCKOUT-4",
    "KNOCKOUT-5",
    "KNOCKOUT-9",
    "FORMAT-3",
    "TOUR-9",
    "TOUR-12",
)
async def rounds(context: ServerContext) -> None:
    """The rounds and the winners follow from the list of entrants and the results of the games, and nothing else."""
    ended = await whole_tournament(context)
    _check_course(ended.tournament, sound_script)


def _check_course(shown: Tournament, script: Script) -> None:
    """Follow the course of a tournament by the rules of the format."""
    names = [player.name for player in shown.entrants]
    conversation = knockout.play(shown.tournament_id, len(names), small_scene().game.seats)
    left = iter(shown.rounds)
    answer: Any = None
    while True:
        try:
            step = conversation.send(answer)
        except StopIteration as stop:
            order = stop.value
            break
        answer = None
        if isinstance(step, tournament.PlayRound):
            games = next(left, None)
            dealt = [[names[seat] for seat in each.entrants] for each in step.games]
            same("The games of a round", dealt, [list(each.players) for each in games.games] if games else [])
            assert games is not None
            answer = tournament.answer_round(0, step, [each.result for each in games.games])
        elif isinstance(step, CallAll):
            answer = {call.seat: outcome_of(script, call) for call in step.calls}
        else:
            assert isinstance(step, Eliminate)
    same("The number of rounds", [], list(left))
    same("The winners", [names[seat] for seat in order.winners], list(shown.result.winners))
    same("The others", [names[seat] for seat in order.others], list(shown.result.others))


def outcome_of(script: Script, call: Any, seat: int | None = None) -> Any:
    """Return the outcome of a call of the manager to a scripted player, whose place in NAMES may be another one."""
    act = script(Asked(call.seat if seat is None else seat, call.method.name, 1, call.request, b""))
    return call.method.response() if act is None else act.outcome


@server_case("tournament.watch", "TOUR-18")
async def watch(context: ServerContext) -> None:
    """A page shows a tournament from its events alone."""
    ended = await whole_tournament(context)
    kinds = [event.WhichOneof("event") for event in ended.events]
    if kinds[:1] != ["tournament"] or "tournament" in kinds[1:]:
        raise failure("The whole tournament must come as the first event and as no other.", ("Events", str(kinds)))
    if kinds[-1:] != ["finished"]:
        raise failure("The last event must be the result.", ("Events", str(kinds)))
    same("How many rounds began", len(ended.tournament.rounds), kinds.count("round_started"))
    same("The winners", list(ended.tournament.result.winners), list(ended.events[-1].finished.winners))
    finished = [each.game_finished for each in ended.events if each.HasField("game_finished")]
    told = {each.game_id: each for each in finished}
    played = [game for round_ in ended.tournament.rounds for game in round_.games]
    same(
        "The games that were told to be over",
        sorted(game.game_id for game in played),
        sorted(each.game_id for each in finished),
    )
    for game in played:
        same(f"The players of {game.game_id}, as is told,", list(game.players), list(told[game.game_id].players))
        check_ranking(game.result, told[game.game_id].result, f"what is told of {game.game_id}")
    begun = ended.events[0].tournament
    same("The entrants in the first event", NAMES[:ENTRANTS], tuple(each.name for each in begun.entrants))
    same("The status in the first event", TournamentStatus.TOURNAMENT_STATUS_SIGN_UP, begun.status)
    await _check_slow_watcher(context)


async def _check_slow_watcher(context: ServerContext) -> None:
    """Check that who reads slowly is told all that happens, or the whole tournament once more."""
    request = make_request(context)
    request.plan.sign_up.max_entrant_count = 2 * MANY_SIGN_UPS
    request.plan.sign_up.name_pattern = "player-[0-9]+"
    await context.ask("CreateTournament", request)
    watching = WatchTournamentRequest(tournament_id=request.tournament_id)
    async with (
        context.reading_slowly() as slow_one,
        aclosing(slow_one.stream("WatchTournament", watching)) as told,  # type: ignore[type-var]
    ):
        entrants = _entrants_after([], await anext(told))
        names = [f"player-{number}" for number in range(MANY_SIGN_UPS)]
        players = [Player(name=name, link=NOBODY) for name in names]
        entering = [SignUpRequest(tournament_id=request.tournament_id, player=player) for player in players]
        leaving = [WithdrawRequest(tournament_id=request.tournament_id, name=name) for name in names[::2]]
        for method, requests in (("SignUp", entering), ("Withdraw", leaving)):
            for first in range(0, len(requests), AT_ONCE):
                await asyncio.gather(*(context.ask(method, each) for each in requests[first : first + AT_ONCE]))
        await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=request.tournament_id))
        async for event in told:
            entrants = _entrants_after(entrants, event)
    same("The entrants, as who reads slowly is told,", sorted(names[1::2]), sorted(entrants))


def _entrants_after(entrants: list[str], event: WatchTournamentResponse) -> list[str]:
    """Return the names of the entrants after an event."""
    match event.WhichOneof("event"):
        case "tournament":
            return [each.name for each in event.tournament.entrants]
        case "signed_up":
            return [*entrants, event.signed_up.name]
        case "withdrawn":
            return [name for name in entrants if name != event.withdrawn]
    return entrants


@server_case("tournament.hides", "TOUR-19", "WATCH-4", "WATCH-6")
async def hides(context: ServerContext) -> None:
    """The seeds of the games follow from that of the tournament; links are nobody else's business."""
    request = make_request(context, ["dial-in:nobody", "dial-in:no-one"])
    created = (await context.ask("CreateTournament", request)).tournament
    got = (await context.ask("GetTournament", GetTournamentRequest(tournament_id=request.tournament_id))).tournament
    none = await context.ask("GetStandings", GetStandingsRequest(tournament_id=request.tournament_id))
    same("The standings of a tournament that has not started", [], list(none.standings.standings))
    await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=request.tournament_id))
    ended = await whole_tournament(context)
    for each in (created, got, ended.events[0].tournament):
        if each.plan.HasField("seed") or each.secret:
            raise failure("A tournament that is not over tells its seed or its secret.")
        if any(player.link for player in (*each.entrants, *each.plan.entrants)):
            raise failure("A tournament tells how its players are reached.")
    if ended.tournament.plan.seed != 5:
        raise failure("A tournament that is over must say its seed.")
    if ended.first_game is not None and ended.first_game.plan.HasField("seed"):
        raise failure("A game of a tournament that is not over tells its seed.")


@server_case("tournament.over", "TOUR-16", "SIGN-1")
async def over(context: ServerContext) -> None:
    """What is over stays as it is."""
    tournament_id = (await whole_tournament(context)).tournament.tournament_id
    await context.refused("StartTournament", StartTournamentRequest(tournament_id=tournament_id), "TOURNAMENT_OVER")
    await context.refused("CancelTournament", CancelTournamentRequest(tournament_id=tournament_id), "TOURNAMENT_OVER")
    await _check_closed(context, tournament_id)


async def _check_closed(context: ServerContext, tournament_id: str) -> None:
    """Check that nobody can enter a tournament, or leave it."""
    entering = SignUpRequest(tournament_id=tournament_id, player=Player(name="gina", link=NOBODY))
    await context.refused("SignUp", entering, "SIGN_UP_CLOSED")
    leaving = WithdrawRequest(tournament_id=tournament_id, name=NAMES[0])
    await context.refused("Withdraw", leaving, "SIGN_UP_CLOSED")


@server_case("tournament.cancel", "TOUR-15", "TOUR-17")
async def cancel(context: ServerContext) -> None:
    """A tournament that makes no sense any more can be cancelled, with a reason."""
    request = make_request(context)
    await context.ask("CreateTournament", request)
    reason = LARGEST * limit_of("CancelTournamentRequest.reason").max_characters
    cancelling = CancelTournamentRequest(tournament_id=request.tournament_id, reason=reason)
    for _ in range(2):  # a repeat changes nothing
        found = (await context.ask("CancelTournament", cancelling)).tournament
        cancelling.reason = "another end"
        same("The status", TournamentStatus.TOURNAMENT_STATUS_CANCELLED, found.status)
        same("The reason, which is as long as it may be,", reason, found.reason)
        check_times(found, "cancelled tournament", found.create_time)
    again = (await context.ask("CreateTournament", request)).tournament
    same("The status, asked for again by CreateTournament,", found.status, again.status)
    starting = StartTournamentRequest(tournament_id=request.tournament_id)
    await context.refused("StartTournament", starting, "TOURNAMENT_OVER", about="the id of a cancelled tournament")
    await _check_closed(context, request.tournament_id)


@server_case("tournament.cancel-running", "TOUR-15", "TOUR-1", "TOUR-2", "SIGN-1", "LATE-1")
async def cancel_running(context: ServerContext) -> None:
    """Whoever was told that a tournament starts is told that it is over, also where it was cancelled."""
    told = [seat for seat in range(ENTRANTS) if seat != 1]
    left = {"Start": {*range(ENTRANTS)}, "End": {*told}}
    gates = {method: asyncio.Event() for method in left}

    def script(asked: Asked) -> Act | None:
        """Answer Start and End when everybody has been called."""
        if asked.method not in left:
            return hang(asked) if asked.method == "TakeTurn" else None
        left[asked.method].discard(asked.seat)
        if not left[asked.method]:
            gates[asked.method].set()
        return FAILED(asked) if (asked.seat, asked.method) == (1, "Start") else wait_for(gates[asked.method])(asked)

    async with entered(context, script) as players:
        request, received = players.request, players.cast.received
        request.plan.time_control.CopyFrom(control(6 * AMPLE_S, 6 * AMPLE_S, AMPLE_S))
        request.plan.failures_allowed = 1  # who fails Start plays, and is told no End all the same
        await context.ask("CreateTournament", request)
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        async with asyncio.timeout(WAIT_S):
            await players.cast.hung.wait()
        await _check_closed(context, request.tournament_id)
        cancelling = CancelTournamentRequest(tournament_id=request.tournament_id, reason="scripted end")
        await context.ask("CancelTournament", cancelling)
        await context.stream_all("WatchTournament", WatchTournamentRequest(tournament_id=request.tournament_id))
        with suppress(TimeoutError):
            async with asyncio.timeout(AMPLE_S):
                await gates["End"].wait()
        game = (await context.ask("GetGame", GetGameRequest(game_id=f"{request.tournament_id}/r1g1"))).game
    _check_cancelled(received)
    ends = calls_of(received, "End")
    same("Who is told End", told, sorted(each.seat for each in ends))
    won = [each.seat for each in ends if getattr(each.asked, "won", False)]
    same("Who is told to have won", [], won)
    same("The calls after the first End", ends, received[-len(ends) :])
    same("The status of the game that was running", GameStatus.GAME_STATUS_ABORTED, game.status)


def _check_cancelled(received: Sequence[Received]) -> None:
    """Check that of the calls of a cancelled tournament those of its games were cancelled, and no Start and End."""
    for each in received:
        cancelled, name = each.cancelled_after_s is not None, NAMES[each.seat]
        if each.method in ("Start", "End") and cancelled:
            raise failure(f"{each.method} must be called for all at once; {name} had to answer before others were.")
        if each.method == "TakeTurn" and not cancelled:
            raise failure(f"The open call to {name}, whose tournament was cancelled, must be cancelled, too.")


@server_case("tournament.unknown-id", "TOUR-21")
async def unknown_id(context: ServerContext) -> None:
    """A tournament that is not there cannot be shown, started, cancelled, entered or left."""
    tournament_id = context.new_id("nothing")
    requests: Sequence[tuple[str, Callable[..., Message]]] = (
        ("GetTournament", GetTournamentRequest),
        ("StartTournament", StartTournamentRequest),
        ("CancelTournament", CancelTournamentRequest),
        ("WatchTournament", WatchTournamentRequest),
        ("GetStandings", GetStandingsRequest),
        ("ListTournamentGames", ListTournamentGamesRequest),
        ("SignUp", partial(SignUpRequest, player=Player(name="gina", link=NOBODY))),
        ("Withdraw", partial(WithdrawRequest, name="gina")),
    )
    for name, kind in requests:
        await context.refused(name, kind(tournament_id=tournament_id), "TOURNAMENT_NOT_FOUND")


async def ends_by_itself(context: ServerContext, request: CreateTournamentRequest) -> Tournament:
    """Wait for the end of a tournament that starts by itself, and return it."""
    watching = WatchTournamentRequest(tournament_id=request.tournament_id)
    try:
        async with asyncio.timeout(WAIT_S):
            await context.stream_all("WatchTournament", watching)
    except TimeoutError:
        raise failure(f"The tournament must start by itself; it was not over within {WAIT_S:g} s.") from None
    got = GetTournamentRequest(tournament_id=request.tournament_id)
    shown: Tournament = (await context.ask("GetTournament", got)).tournament
    same("The status", TournamentStatus.TOURNAMENT_STATUS_FINISHED, shown.status)
    return shown


def _refused(
    case_id: str, why: str, about: str, change: Callable[[TournamentPlan], object], reason: str, *checks: str
) -> Case:
    async def refused(context: ServerContext) -> None:
        request = make_request(context)
        change(request.plan)
        await context.refused("CreateTournament", request, reason, about=about)
        got = GetTournamentRequest(tournament_id=request.tournament_id)
        await context.refused("GetTournament", got, "TOURNAMENT_NOT_FOUND", about="the id of a plan that was refused")

    refused.__doc__ = why
    return server_case(case_id, *checks, "GAME-9")(refused)


def _settings(plan: TournamentPlan) -> None:
    getattr(plan.settings, OPEN).rows = 1_000


def _alike(plan: TournamentPlan) -> None:
    plan.entrants.extend(Player(name=name, link="dial-in:nobody") for name in ("anna", "ANNA"))


def _small_board(plan: TournamentPlan) -> None:
    settings = getattr(plan.settings, OPEN)
    settings.rows, settings.columns = 2, 4


plans = (
    _refused(
        "tournament.unknown-game",
        "A server plays the games that it has.",
        "a game that there is not",
        lambda plan: setattr(plan, "game", "no-such-game"),
        "UNKNOWN_GAME",
        "TOUR-22",
    ),
    _refused(
        "tournament.unknown-fields",
        "What is not known cannot be done.",
        "an unknown field in the plan",
        lambda plan: plan.MergeFromString(UNKNOWN_FIELD),
        "UNKNOWN_FIELDS",
        "TOUR-22",
    ),
    _refused(
        "tournament.unknown-policy",
        "Nor within the sign-up.",
        "an unknown field in the sign-up",
        lambda plan: plan.sign_up.MergeFromString(UNKNOWN_FIELD),
        "UNKNOWN_FIELDS",
        "TOUR-22",
    ),
    _refused(
        "tournament.seed",
        "Programs in JavaScript cannot read it.",
        "the seed 2^53",
        lambda plan: setattr(plan, "seed", 2**53),
        "INVALID_SEED",
        "TOUR-22",
    ),
    _refused(
        "tournament.settings",
        "Settings have their limits.",
        "1,000 rows",
        _settings,
        "INVALID_SETTINGS",
        "TOUR-22",
    ),
    _refused(
        "tournament.no-time",
        "Without time nobody can answer.",
        "a decision_limit of 0 s",
        lambda plan: plan.time_control.decision_limit.CopyFrom(span(0.0)),
        "INVALID_TIME_CONTROL",
        "TOUR-22",
    ),
    _refused(
        "tournament.same-name",
        "People take names for one that differ in capital letters only.",
        "entrants anna and ANNA",
        _alike,
        "INVALID_PLAYERS",
        "NAME-2",
    ),
    _refused(
        "tournament.policy",
        "No more can be needed than may enter.",
        "a minimum of entrants above the maximum",
        lambda plan: setattr(plan.sign_up, "min_entrant_count", 9),
        "INVALID_SIGN_UP",
        "SIGN-11",
    ),
    _refused(
        "tournament.small-board",
        "A game of three may come up in a tournament of eight, and has no room on a board for two.",
        "a board for two",
        _small_board,
        "INVALID_SETTINGS",
        "TOUR-23",
    ),
)


CASES = (
    start,
    end,
    rounds,
    watch,
    hides,
    over,
    cancel,
    cancel_running,
    unknown_id,
    *plans,
)

"""Whether everything that the server tells of drawn tournaments follows from the contract and from their games."""

from __future__ import annotations

import asyncio
import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations, groupby
from typing import Any, NamedTuple

from fairplay.conformance.case import Case, Failure, NotApplicable, failure
from fairplay.conformance.servers.cases.formats import (
    OTHER_LOTS,
    Followed,
    LotsFailure,
    check_course,
    check_games_listed,
    with_other_lots,
    wrong_course,
)
from fairplay.conformance.servers.cases.tournaments import create, make_request
from fairplay.conformance.servers.compare import difference, ranking_text, same
from fairplay.conformance.servers.context import ServerContext, server_case, together
from fairplay.conformance.servers.courses import check_limit
from fairplay.conformance.servers.cups import (
    CANCELLED,
    CANCELLED_IN_END,
    CANCELLED_IN_START,
    FINISHED,
    GAME,
    GIVEN,
    IN_ORDER,
    KINDS,
    KNOCKING_OUT,
    NEVER_STARTED,
    SETUP,
    STOPPED,
    TURN,
    Cup,
    Players,
    draw_cups,
    draw_failures,
)
from fairplay.conformance.servers.players import Cast, Received
from fairplay.conformance.servers.points import Table, check_standings, players_of
from fairplay.conformance.servers.scenes import AMPLE_S, NAMES, NOBODY, Actor, Manner, SoundPlayer, control
from fairplay.games.game import find
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import BANK_KEY
from fairplay.server.manager.history import check_tournament
from fairplay.server.records.chain import parsed
from fairplay.server.records.verify import verify
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    GetTournamentRequest,
    SignUpRequest,
    StartTournamentRequest,
    WatchTournamentRequest,
    WatchTournamentResponse,
    WithdrawRequest,
)
from fairplay.v1.referee_pb2 import GetGameRequest, StopGameRequest
from fairplay.v1.tournament_pb2 import (
    RoundGame,
    RoundGameStatus,
    Tournament,
    TournamentResult,
    TournamentStatus,
)

AT_ONCE = 6
LINGER_S = 0.2
"""So long CancelTournament may take before who is in the midst of Start answers."""
REASON = "scripted end"
VISITOR = "zoe"
"""A player that signs up and leaves again."""
DRAWN_BY_LOT = ("gauntlet", "ladder")
"""Formats in which the order of meetings is drawn."""
LIMITS = control(6 * AMPLE_S, 7 * AMPLE_S, 5 * AMPLE_S, bank_s=4 * AMPLE_S)
"""Limits of which nobody needs the bank."""
LOTS_TRIED, LEAST_CHANCE = 10, 0.01
"""Lots of other secrets that are tried with each tournament; a server has ours if such would have led to all of its
tournaments with a smaller chance than this.
"""
PAUSE_S = 0.02
SKIPPED = RoundGameStatus.ROUND_GAME_STATUS_SKIPPED


@dataclass
class Told:
    """What a server has told of a tournament, and to whom."""

    cup: Cup
    players: Players
    shown: Tournament
    events: Sequence[WatchTournamentResponse]
    received: Sequence[Received]

    @property
    def is_cancelled(self) -> bool:
        """Return whether it was cancelled."""
        return self.shown.status == TournamentStatus.TOURNAMENT_STATUS_CANCELLED

    @property
    def games(self) -> Sequence[RoundGame]:
        """Return the games that were named."""
        return [game for each in self.shown.rounds for game in each.games]

    @cached_property
    def idle(self) -> set[tuple[str, str]]:
        """Return who has made no decision in which game, by name and id."""
        decided = {(NAMES[each.seat], each.asked.game_id) for each in self.received if each.method == TURN}
        failed = {(each.player, game.game_id) for game in self.games for each in game.result.misconducts}
        named = {(name, game.game_id) for game in self.games if game.result.misconducts for name in game.players}
        return named - decided - failed

    @cached_property
    def followed(self) -> Followed:
        """Return what says which course it takes."""
        finished = [each.game_finished.game_id for each in self.events if each.HasField("game_finished")]
        return Followed(finished, self.idle)

    @property
    def lenient(self) -> bool:
        """Return whether End may fail."""
        knockout = self.shown.plan.format.HasField("knockout")
        return knockout and not self.shown.plan.format.knockout.end_failure_is_failure

    @property
    def ends(self) -> Sequence[Received]:
        """Return the calls of End."""
        return [each for each in self.received if each.method == "End"]

    @property
    def called(self) -> set[str]:
        """Return the ids of the games in which somebody was called."""
        return {each.asked.game_id for each in self.received if hasattr(each.asked, "game_id")}

    def fails(self, received: Received) -> bool:
        """Return whether a call was answered with an error."""
        return received.act is not None and received.act.manner is Manner.FAIL

    def silent(self, method: str) -> Sequence[str]:
        """Return who failed Start or End."""
        return [NAMES[each.seat] for each in self.received if each.method == method and self.fails(each)]

    @cached_property
    def table(self) -> Table:
        """Return who failed, and the standings as they must be."""
        in_end = [] if self.is_cancelled or self.lenient else self.silent("End")
        return Table(self.shown, self.silent("Start"), in_end, self.idle)

    @property
    def staying(self) -> Sequence[str]:
        """Return who must be told End: in a cancelled tournament none that failed Start."""
        out = Table(self.shown, self.silent("Start")).withdrawn
        called = {NAMES[each.seat] for each in self.received if each.method == "Start"}
        return [*called - out - ({*self.silent("Start")} if self.is_cancelled else set())]


async def _check_all(context: ServerContext, cups: Sequence[Cup]) -> None:
    """Have tournaments played, some at a time, and check what is told of each.

    Where lots decide who meets whom, a server may have others than ours: it is held to ours where no others explain any
    of its tournaments, and it is hardly by chance that ours do.
    """
    player, room = SoundPlayer(find(GAME), next(iter(find(GAME).strategies))), asyncio.Semaphore(AT_ONCE)
    other_lots: list[Failure] = []
    followed: list[tuple[Told, bool]] = context.kept.setdefault("lots", [])
    tournament_id = context.new_id("cup")

    async def check(cup: Cup, before: int) -> None:
        beside = context.apart()
        async with room:
            try:
                # An id with which others begin that are there already: those are other tournaments.
                told = await _play(beside, cup, player, tournament_id + "s" * (len(cups) - before))
                is_own = False
                try:
                    is_own = not cup.is_searched and _check_course(told)
                except LotsFailure as found:
                    other_lots.append(found)
                else:
                    followed.extend([(told, is_own)] * (not cup.is_searched))
                await _check(beside, told, is_own=is_own)
            except BaseException:
                context.trace = beside.trace
                raise

    await together(check(cup, before) for before, cup in enumerate(cups))
    if other_lots and _has_our_lots(followed):
        raise other_lots[0]


def _has_our_lots(followed: Sequence[tuple[Told, bool]]) -> bool:
    """Return whether all tournaments are such as our lots lead to, and others would hardly have led to all."""
    chance = float(all(is_own for _, is_own in followed))
    for told, _ in followed[::-1]:
        if chance < LEAST_CHANCE:
            break
        others = [with_other_lots(told.shown, number) for number in range(LOTS_TRIED)]
        alike = sum(wrong_course(each, told.players, "", told.followed) is None for each in others)
        chance *= (alike + 1) / (LOTS_TRIED + 1)
    return 0 < chance < LEAST_CHANCE


async def _play(context: ServerContext, cup: Cup, player: SoundPlayer, tournament_id: str) -> Told:
    players, request = Players(cup), make_request(context)
    request.tournament_id = tournament_id
    cast = Cast(find(GAME), [Actor(seat, players, player) for seat in range(cup.count)])
    names = context.new_names(cup.count)
    cup.change(request.plan)
    request.plan.time_control.CopyFrom(LIMITS)
    linked = [Player(name=NAMES[seat], link=f"dial-in:{name}") for seat, name in enumerate(names)]
    request.plan.entrants.extend(linked[: cup.given])
    watching = WatchTournamentRequest(tournament_id=tournament_id)
    async with context.dialled_in(cast, names):
        await create(context, request)
        events: list[WatchTournamentResponse] = []
        begun = asyncio.Event()

        async def follow() -> None:
            async for event in context.stream("WatchTournament", watching):
                events.append(event)
                begun.set()

        following = asyncio.ensure_future(follow())
        try:
            await _until(begun, following)
            await _begin(context, cup, tournament_id, linked[cup.given :])
            await _end(context, players, tournament_id, following)
            await following
        finally:
            players.gate.set()
            following.cancel()
        got = GetTournamentRequest(tournament_id=tournament_id)
        told = Told(cup, players, (await context.ask("GetTournament", got)).tournament, events, cast.received)
        await _until_told(told)
    return told


async def _until(event: asyncio.Event, following: asyncio.Future[None]) -> bool:
    """Wait until something happens or a tournament is over; return whether it has happened."""
    waiting: asyncio.Future[Any] = asyncio.ensure_future(event.wait())
    await asyncio.wait([waiting, following], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    return event.is_set()


async def _begin(context: ServerContext, cup: Cup, tournament_id: str, players: Sequence[Player]) -> None:
    """Have players sign up, and the tournament start."""
    waits = cup.ending == NEVER_STARTED
    visiting = SignUpRequest(tournament_id=tournament_id, player=Player(name=VISITOR, link=NOBODY), token="secret")
    for number, each in enumerate(players[:-1] if waits and cup.is_filled else players):
        if cup.entry == IN_ORDER and number == 1:
            await context.ask("SignUp", visiting)
        reply = await context.ask("SignUp", SignUpRequest(tournament_id=tournament_id, player=each))
        is_open = reply.status == TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
        count = cup.given + number + 1
        due = not cup.is_filled or count < cup.count
        same(f"Whether the sign-up goes on with {count} of {cup.count}, {cup.entry},", due, is_open)
        if cup.entry == IN_ORDER and number == 1:
            leaving = WithdrawRequest(tournament_id=tournament_id, name=VISITOR, token="secret")
            await context.ask("Withdraw", leaving)
    if not cup.is_filled and not waits:
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=tournament_id))


async def _end(context: ServerContext, players: Players, tournament_id: str, following: asyncio.Future[None]) -> None:
    """End a tournament as is planned, where that is not by itself."""
    ending, cancelling = players.cup.ending, CancelTournamentRequest(tournament_id=tournament_id, reason=REASON)
    if ending == NEVER_STARTED:
        await context.ask("CancelTournament", cancelling)
    if ending not in (STOPPED, CANCELLED, CANCELLED_IN_START, CANCELLED_IN_END):
        return
    if not await _until(players.over, following):
        return
    if ending == STOPPED:
        await context.ask("StopGame", StopGameRequest(game_id=players.hung))
    elif ending == CANCELLED_IN_END:
        about = "the id of a tournament of which nothing is left but to call End"
        await context.refused("CancelTournament", cancelling, "TOURNAMENT_OVER", about=about)
    else:
        asked = asyncio.ensure_future(context.ask("CancelTournament", cancelling))
        await asyncio.wait([asked], timeout=LINGER_S if ending == CANCELLED_IN_START else None)
        if not asked.done():  # what is asked after it comes back after it has come: no failure may end it before
            await context.ask("GetTournament", GetTournamentRequest(tournament_id=tournament_id))
        players.gate.set()
        await asked
    players.gate.set()


async def _until_told(told: Told) -> None:
    """Wait a while until those who must be told of the end of a cancelled tournament have been."""
    until = asyncio.get_running_loop().time() + AMPLE_S
    while told.is_cancelled and len(told.ends) < len(told.staying):
        if asyncio.get_running_loop().time() > until:
            return
        await asyncio.sleep(PAUSE_S)


# What must have been told


async def _check(context: ServerContext, told: Told, *, is_own: bool) -> None:
    """Check what was told; `is_own`: our lots lead to the tournament."""
    shown, where = told.shown, f" {told.cup.where}"
    _check_entrants(told, where, context.kept.setdefault("drawn secrets", {}))
    _check_calls(told, where)
    _check_limits(told, where)
    _check_events(told, where)
    await _check_games(context, told, where)
    if told.cup.entry != GIVEN or told.cup.ending != FINISHED:  # the records of others have nothing else
        await _check_record(context, told, where, is_own=is_own)
    if told.is_cancelled:
        return
    await check_games_listed(context, shown, 0)
    await check_standings(context, told.table, where)
    if told.cup.kind in DRAWN_BY_LOT:
        _check_drawn(told, where)
    if told.cup.is_searched:
        _check_searched(told, where)


def _check_drawn(told: Told, where: str) -> None:
    """Check of a gauntlet or ladder what holds whatever the lots say."""
    shown, cup = told.shown, told.cup
    ratings, order = told.table.ratings(), [*shown.result.winners, *shown.result.others]
    rated = [ratings[name][0] for name in order if ratings[name]]
    same(f"The ratings in the order of the result{where}", sorted(rated, reverse=True), rated)
    for each in shown.rounds if cup.kind == "ladder" and not cup.deal_count else ():
        names = players_of(each.games)
        if len({*names}) < len(names):
            raise failure(f"Somebody is in two games of round {each.number}{where}.", ("Its players", ", ".join(names)))
    if cup.failing or cup.deal_count or cup.settings.seat_count != 0:
        return
    _check_seats(told.games, where)
    if cup.kind == "ladder":
        same(f"The number of games{where}", cup.settings.game_limit, len(told.games))
        return
    challengers, meetings = cup.settings.challengers or NAMES[:1], max(1, cup.settings.meeting_count)
    met = Counter(frozenset(game.players) for game in told.games)
    for one, other in combinations(NAMES[: cup.count], 2):
        playing, came = (one in challengers) + (other in challengers), met[frozenset((one, other))]
        due = meetings * playing
        if playing < 2 and came != due:
            raise failure(f"{one} and {other} must meet {due} times; they have met {came} times{where}.")


def _check_searched(told: Told, where: str) -> None:
    """Check of a long Swiss, or of a round robin of larger games, what holds whatever rounds a server finds."""
    shown, cup = told.shown, told.cup
    for game in told.games:
        left = [name for name in game.players if name not in told.table.withdrawn]
        if game.status == SKIPPED and len(left) > 1:
            raise failure(f"{' and '.join(left)} are enough for {game.game_id}, which was skipped{where}.")
    if cup.failing:
        return
    length = max(1, cup.deal_count * len(told.games[0].players))
    met = Counter(pair for game in told.games for pair in combinations(sorted(game.players), 2))
    counts = [met[pair] // length for pair in combinations(sorted(NAMES[: cup.count]), 2)]
    least, most = 0, 1
    if cup.kind == "round_robin":
        least = max(1, cup.settings.cycle_count)
        most = min(counts) + 1
    if min(counts) < least or max(counts) > most:
        raise failure(
            f"Each two must meet {least} to {most} times; some meet {min(counts)} or {max(counts)} times{where}."
        )
    seats = [Counter(game.players[seat] for game in told.games) for seat in range(len(told.games[0].players))]
    for number, had in enumerate(seats if cup.kind == "round_robin" else ()):
        often = [had[name] for name in NAMES[: cup.count]]
        if max(often) > min(often) + 1:
            raise failure(f"Some have seat {number} more often than others{where}.", ("How often", str(often)))
    for each in shown.rounds if cup.kind == "swiss" else ():
        same(f"The players of round {each.number}{where}", cup.count, len({*players_of(each.games)}))


def _check_seats(games: Sequence[RoundGame], where: str) -> None:
    """Check that two who meet in single games take the seats that they have had less often."""
    had: Counter[tuple[str, int]] = Counter()
    for game in games:
        one, other = game.players
        if had[one, 0] + had[other, 1] > had[other, 0] + had[one, 1]:
            raise failure(
                f"In {game.game_id} {one} and {other} must sit the other way round: so they have sat less often{where}."
            )
        had.update([(one, 0), (other, 1)])


def _check_entrants(told: Told, where: str, drawn: dict[bytes, str]) -> None:
    """`drawn`: the ids of tournaments without a seed by their secrets."""
    shown, cup = told.shown, told.cup
    names = [each.name for each in shown.entrants]
    if cup.ending == NEVER_STARTED:
        same(f"The entrants{where}", [*NAMES[: cup.count - cup.is_filled]], names)
    else:
        same(f"The entrants{where}", [*cup.entrants], names)
    wanted = "TOURNAMENT_STATUS_FINISHED"
    if cup.ending in (NEVER_STARTED, CANCELLED_IN_START) or (cup.ending == CANCELLED and told.players.hung):
        wanted = "TOURNAMENT_STATUS_CANCELLED"
    same(f"The status{where}", wanted, TournamentStatus.Name(shown.status))
    same(f"The reason{where}", REASON if told.is_cancelled else "", shown.reason)
    if cup.seed is not None:
        same(f"The secret{where}", sha256(f"fairplay tournament {cup.seed}".encode()).digest(), shown.secret)
    elif drawn.setdefault(shown.secret, shown.tournament_id) != shown.tournament_id:
        raise failure(f"The secret{where}, whose plan has no seed, must be another one than that of other tournaments.")


def _check_course(told: Told) -> bool:
    """Check the games and the order of a tournament, as far as it got; return whether our lots lead to it."""
    if told.cup.ending == NEVER_STARTED:
        return True
    tries = 0 if told.cup.luck else OTHER_LOTS
    return check_course(told.shown, told.players, told.cup.where, told.followed, tries) is told.shown


def _check_calls(told: Told, where: str) -> None:
    """Check who was called, for what and in which order."""
    cup, received = told.cup, told.received
    names = [NAMES[each.seat] for each in received]
    started = sorted(each.name for each in told.shown.entrants) if cup.ending != NEVER_STARTED else []
    first = [(each.method, name) for each, name in zip(received, names, strict=True)][: len(started)]
    same(f"The first calls{where}", [("Start", name) for name in started], sorted(first))
    games = {game.game_id: game for game in told.games}
    for name in NAMES[: cup.count]:
        _check_games_of(told, name, games, where)
    ends = [(NAMES[each.seat], each.asked.won) for each in told.ends]
    same(f"Who is told End{where}", sorted(told.staying), sorted(name for name, _ in ends))
    same(f"Who is told End, the winners first,{where}", sorted(ends, key=lambda each: not each[1]), ends)
    same(
        f"The last calls{where}",
        [each.method for each in told.ends],
        [each.method for each in received][-len(ends) or len(received) :],
    )
    won = {name for name, won in ends if won}
    if told.cup.failures_allowed == 0 or (told.cup.failures_allowed is None and cup.kind in KNOCKING_OUT):
        won -= {NAMES[each.seat] for each in told.ends if each.act and each.act.manner is Manner.FAIL}
    same(
        f"Who has won{where}, as End tells, and did not fail it",
        sorted(won - told.table.withdrawn),
        sorted(told.shown.result.winners),
    )
    for each in received:
        if each.method in ("Start", "End"):
            same(f"The tournament_id of {each.method}", told.shown.tournament_id, each.asked.tournament_id)


def _check_limits(told: Told, where: str) -> None:
    """Check that each call names the limit of its kind, and a decision the whole bank besides."""
    limits = told.shown.plan.time_control
    bank_s, decided = seconds(limits.bank), set[tuple[int, str]]()
    for each in told.received:
        decides, of = each.method == TURN, (each.seat, getattr(each.asked, "game_id", ""))
        limit = limits.decision_limit if of in decided else limits.first_decision_limit
        due_s = bank_s + seconds(limit) if decides else seconds(limits.notification_limit)
        what = f"{each.method} to {NAMES[each.seat]}{where}"
        check_limit(what, due_s, each)
        same(f"The bank in {what}", f"{bank_s * 1000:.0f}" if decides else None, each.metadata.get(BANK_KEY))
        decided.update([of] * decides)


def _check_games_of(told: Told, name: str, games: Mapping[str, RoundGame], where: str) -> None:
    """Check in which games a player was called, one after the other."""
    ids = [each.asked.game_id for each in told.received if NAMES[each.seat] == name and hasattr(each.asked, "game_id")]
    turns = [game_id for game_id, _ in groupby(ids)]
    if len({*turns}) < len(turns):
        raise failure(f"{name} was in two games at once{where}.", ("Its games in turn", ", ".join(turns)))
    failures = sum(each.method == "Start" and told.fails(each) for each in told.received if NAMES[each.seat] == name)
    numbers = [*games]
    for number, game_id in enumerate(turns):
        if game_id not in games or name not in games[game_id].players:
            raise failure(f"{name} was called for the game {game_id}, in which it does not play{where}.")
        if failures > told.shown.plan.failures_allowed:
            raise failure(f"{name} was called for the game {game_id} after it had been withdrawn{where}.")
        if (failures or not number) and any(numbers.index(each) < numbers.index(game_id) for each in turns[number:]):
            raise failure(
                f"{name}, who has {'failed' if failures else 'finished no game'}, must play its games in the order of "
                f"the rounds; it has played {game_id} too early{where}."
            )
        failures += any(each.player == name for each in games[game_id].result.misconducts)


def _check_events(told: Told, where: str) -> None:
    """Check what who watched from the beginning was told."""
    shown, events = told.shown, told.events
    kinds: dict[str, list[Any]] = defaultdict(list)
    for each in events:
        kind = each.WhichOneof("event")
        kinds[str(kind)].append(getattr(each, str(kind)))
    begins = kinds["tournament"][0]
    same(f"The entrants at first{where}", [*NAMES[: told.cup.given]], [each.name for each in begins.entrants])
    visits = [VISITOR] * (told.cup.entry == IN_ORDER)
    entered = sorted([*NAMES[told.cup.given : len(shown.entrants)], *visits])
    same(f"Who signed up, as is told{where},", entered, sorted(each.name for each in kinds["signed_up"]))
    same(f"Who left, as is told{where},", visits, kinds["withdrawn"])
    begun = [[each.name for each in shown.entrants]] if told.cup.ending != NEVER_STARTED else []
    same(f"Who begins, as is told{where},", begun, [[each.name for each in one.entrants] for one in kinds["started"]])
    named = [[(game.game_id, game.deal) for game in each.games] for each in shown.rounds]
    came = [[(game.game_id, game.deal) for game in each.games] for each in kinds["round_started"]]
    same(f"The games of the rounds, as is told{where},", named, came)
    same(
        f"The stages of the rounds, as is told{where},",
        [(each.number, each.stage) for each in shown.rounds],
        [(each.number, each.stage) for each in kinds["round_started"]],
    )
    over = [
        (game.game_id, [*game.players], game.status == SKIPPED, ranking_text(game.result.ranking))
        for game in told.games
        if game.HasField("result")
    ]
    ended = [
        (each.game_id, [*each.players], each.skipped, ranking_text(each.result.ranking))
        for each in kinds["game_finished"]
    ]
    same(f"The games that are over, as is told{where},", sorted(over), sorted(ended))
    counted = ["Start", *["End"] * (not told.is_cancelled and not told.lenient)]
    outside = sorted((name, method) for method in counted for name in told.silent(method))
    for each in kinds["game_finished"]:
        for charge in each.result.misconducts:
            if charge.HasField("request") or charge.HasField("reply") or charge.rule_break.legal_replies:
                raise failure("While a tournament goes on it tells what a player that failed was asked or answered.")
    failed = [(each.misconduct.player, each.misconduct.method_name.rpartition("/")[2]) for each in kinds["failed"]]
    same(f"Who failed in Start and End, as is told{where},", outside, sorted(failed))
    if told.is_cancelled:
        same(f"The reason, as is told{where},", [REASON], kinds["cancelled"])
    elif wrong := difference(shown.result, (kinds["finished"] or [TournamentResult()])[0]):
        raise failure(f"The result, as is told{where}, is wrong: {wrong}.")


async def _check_games(context: ServerContext, told: Told, where: str) -> None:
    """Check of the last game that it was played as the tournament says, with the seed that follows from its secret."""
    named = [(each, table, game) for each in told.shown.rounds for table, game in enumerate(each.games, 1)]
    played = [(each, table, game) for each, table, game in named if game.game_id in told.called]
    for round_, table, game in played[-1:]:
        found = (await context.ask("GetGame", GetGameRequest(game_id=game.game_id))).game
        purpose = f"deal/{game.deal}" if game.deal else f"game/{round_.number}/{table}"
        drawn = hmac.digest(told.shown.secret, purpose.encode(), "sha256")
        same(f"The seed of {game.game_id}{where}", int.from_bytes(drawn[:8], "big") >> 11, found.plan.seed)
        same(f"The tournament of {game.game_id}{where}", told.shown.tournament_id, found.tournament_id)
        same(f"The players of {game.game_id}{where}", [*game.players], [each.name for each in found.players])
        for name in ("game", "settings", "time_control"):
            same(f"The {name} of {game.game_id}{where}", getattr(told.shown.plan, name), getattr(found.plan, name))


async def _check_record(context: ServerContext, told: Told, where: str, *, is_own: bool) -> None:
    """Check the record of a tournament, where the server hands out any; with our lots that it leads to its games."""
    try:
        record = await context.record(told.shown.tournament_id)
    except NotApplicable:
        return
    if findings := verify(record, checks={"tournament": check_tournament} if is_own else {}):
        raise failure(f"The record of a tournament{where} does not verify: {findings[0]}")
    entries = [*parsed(record)]
    head = entries[0].tournament
    same(f"The id in the record{where}", told.shown.tournament_id, head.tournament_id)
    same(f"The secret in the record{where}", told.shown.secret, head.secret)
    changes = [each.change for each in entries if each.HasField("change")]
    for kind, wanted in (
        ("signed_up", [each.signed_up.name for each in told.events if each.HasField("signed_up")]),
        ("withdrawn", [each.withdrawn for each in told.events if each.HasField("withdrawn")]),
    ):
        came = [getattr(each, kind) for each in changes if each.WhichOneof("change") == kind]
        same(f"What the record{where} tells as {kind}", wanted, [getattr(each, "name", each) for each in came])
    calls = [each.call for each in entries if each.HasField("call")]
    places = {each.name: place for place, each in enumerate(told.shown.entrants)}
    made = [each for each in told.received if each.method in ("Start", "End")]
    same(
        f"The calls in the record{where}",
        sorted((places[NAMES[each.seat]], each.path, each.request) for each in made),
        sorted((each.seat, each.method_name, each.request) for each in calls),
    )
    over = {game.game_id: game for game in told.games if game.HasField("result")}
    kept = {each.played.game_id: each.played for each in entries if each.HasField("played")}
    same(f"The games in the record{where}", sorted(over), sorted(kept))
    for game_id, game in over.items():
        if not kept[game_id].chain_hash and game.status != SKIPPED and game_id in told.called:
            raise failure(f"The record{where} must have the last hash of the record of {game_id}.")
        idle = sorted(name for name, each in told.idle if each == game_id) if not game.result.aborted else []
        same(f"Who made no decision in {game_id}, as is recorded{where},", idle, sorted(kept[game_id].idle))


class Share(NamedTuple):
    """The drawn tournaments of a case: those for which `holds`, and that no case before it has."""

    case_id: str
    why: str
    holds: Callable[[Cup], bool]
    checks: Sequence[str]


FAILURES: Sequence[Share] = (
    Share(
        "tournament.end-may-fail",
        "Where End is a courtesy, whoever is not there any more has failed in nothing.",
        lambda cup: cup.format.knockout.HasField("end_failure_is_failure"),
        ("TOUR-8",),
    ),
    Share(
        "tournament.fails-start",
        "A player that is not ready plays no game and is told nothing more, unless it may fail.",
        lambda cup: cup.conduct.method == "Start",
        ("TOUR-4", "TOUR-5", "TOUR-15"),
    ),
    Share(
        "tournament.winner-fails-end",
        "Whoever cannot hear that it has won has not won, and nobody else wins in its place.",
        lambda cup: cup.conduct.method == "End" and cup.kind in KNOCKING_OUT,
        ("TOUR-7",),
    ),
    Share(
        "format.fails-end",
        "What it costs to fail End depends on who fails, and on what the plan allows.",
        lambda cup: cup.conduct.method == "End",
        ("TOUR-4", "TOUR-7", "TOUR-9"),
    ),
    Share(
        "format.unplayed",
        "Who has failed and never shown how it plays comes last, and has no rating, however many points it has.",
        lambda cup: cup.conduct.method == SETUP,
        ("STAND-5", "RATING-3"),
    ),
    Share(
        "tournament.fails-in-a-game",
        "A player that failed in a game plays no more, and is not told End, unless it may fail.",
        lambda cup: cup.kind in KNOCKING_OUT and bool(cup.conduct.games),
        ("TOUR-4", "TOUR-5", "WATCH-4"),
    ),
    Share(
        "format.points-of-withdrawn",
        "Who was withdrawn comes last, and its games count for nobody, or for everybody, alike.",
        lambda cup: bool(cup.conduct.games) and cup.failures_allowed == 0,
        ("STAND-4", "STAND-5", "RATING-3"),
    ),
    Share(
        "format.failure",
        "In a league a failure costs the game in which it happens, and nothing else.",
        lambda cup: bool(cup.conduct.games),
        ("TOUR-6", "TOUR-15"),
    ),
    Share(
        "tournament.endings",
        "However players enter a tournament and however it ends, it is told whole.",
        lambda cup: True,
        ("TOUR-2", "TOUR-10", "TOUR-15", "TOUR-16", "SIGN-10", "RECORD-7", "RECORD-10"),
    ),
)
FORMATS: Sequence[Share] = (
    Share(
        "format.ties",
        "Who are level whenever they meet share what there is to win, and meet no more often than the format says.",
        lambda cup: cup.kind in KNOCKING_OUT and cup.ties,
        ("KNOCKOUT-6", "KNOCKOUT-8", "DOUBLE-3", "STAND-2"),
    ),
    Share(
        "format.matches",
        "A match of several games decides who goes on.",
        lambda cup: cup.kind == "knockout",
        ("KNOCKOUT-8", "SEED-3", "NAME-10"),
    ),
    Share(
        "format.double-elimination",
        "Who has lost once can still win.",
        lambda cup: cup.kind == "double_elimination",
        ("DOUBLE-1", "DOUBLE-2", "DOUBLE-3"),
    ),
    Share(
        "format.withdrawn",
        "Whoever fails again and again is out, and everybody else plays on.",
        lambda cup: cup.kind == "round_robin" and bool(cup.failing),
        ("TOUR-4", "TOUR-5", "ROBIN-4"),
    ),
    Share(
        "format.deals",
        "Neither the luck of the deal nor that of the seat decides.",
        lambda cup: cup.kind == "round_robin" and bool(cup.deal_count),
        ("FORMAT-4", "FORMAT-5", "FORMAT-6"),
    ),
    Share(
        "format.larger-games",
        "In games of three everybody meets everybody, too.",
        lambda cup: cup.kind == "round_robin",
        ("ROBIN-2", "ROBIN-5"),
    ),
    Share(
        "format.swiss-withdrawn",
        "Who is left of a game that is not played is not to blame for that.",
        lambda cup: cup.kind == "swiss" and bool(cup.failing),
        ("SWISS-5", "TOUR-14"),
    ),
    Share(
        "format.swiss",
        "Nobody meets the same player twice, and who sits out is none the worse for it.",
        lambda cup: cup.kind == "swiss",
        ("SWISS-1", "SWISS-2", "SWISS-3", "SWISS-4", "SWISS-6"),
    ),
    Share(
        "format.stages-withdrawn",
        "Who has played no game of a stage to its end is in no other one.",
        lambda cup: cup.kind == "stages" and bool(cup.failing),
        ("STAGE-2",),
    ),
    Share(
        "format.stages",
        "The best of a stage play the next one.",
        lambda cup: cup.kind == "stages",
        ("STAGE-1", "STAGE-3", "STAGE-4"),
    ),
    Share(
        "format.gauntlet-withdrawn",
        "A challenger goes on against those who are left, and nobody goes on without the challenger.",
        lambda cup: cup.kind == "gauntlet" and bool(cup.failing),
        ("GAUNTLET-2", "TOUR-14"),
    ),
    Share(
        "format.gauntlet",
        "A challenger is measured against all others.",
        lambda cup: cup.kind == "gauntlet",
        ("GAUNTLET-1", "GAUNTLET-3", "STAND-3"),
    ),
    Share(
        "format.ladder",
        "Those play first of whom least is known.",
        lambda _: True,
        ("LADDER-1", "LADDER-2", "LADDER-3"),
    ),
)


def _drawn_formats() -> Sequence[Cup]:
    return [cup for kind in KINDS for cup in draw_cups(kind)]


def _share(shares: Sequence[Share], draw: Callable[[], Sequence[Cup]]) -> Sequence[Case]:
    """Return the cases among which drawn tournaments are shared out."""

    def case_of(share: Share) -> Case:
        @server_case(share.case_id, *share.checks)
        async def follows(context: ServerContext) -> None:
            own = [cup for cup in draw() if next(each for each in shares if each.holds(cup)) is share]
            await _check_all(context, own)

        return replace(follows, why=share.why)

    return [case_of(share) for share in shares]


CASES = (*_share(FAILURES, draw_failures), *_share(FORMATS, _drawn_formats))

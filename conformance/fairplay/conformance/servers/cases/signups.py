"""Whether players enter tournaments, leave them and are refused as the plan says, and when a sign-up ends."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from random import Random
from typing import NamedTuple

import grpc
from google.protobuf.message import Message

from fairplay.conformance.case import failure
from fairplay.conformance.servers.cases.refusals import granted
from fairplay.conformance.servers.cases.tournaments import ends_by_itself, make_request, small_scene
from fairplay.conformance.servers.compare import check_times, same
from fairplay.conformance.servers.context import TIMED, ServerContext, server_case, together
from fairplay.conformance.servers.players import Cast
from fairplay.conformance.servers.scenes import NAMES, NOBODY, span
from fairplay.conformance.servers.texts import fit, misfits
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import (
    CancelTournamentRequest,
    CreateTournamentRequest,
    GetTournamentRequest,
    SignUpRequest,
    SignUpResponse,
    StartTournamentRequest,
    WatchTournamentRequest,
    WithdrawRequest,
)
from fairplay.v1.tournament_pb2 import AgeOrder, TournamentStatus

ANOTHER = "grpc://127.0.0.1:10"
"""A link that nobody has entered with."""
PERIOD_S = 1.5
SHORT_PERIOD_S, WHOLE_PERIOD_S = 0.4, 1.0
LATER_PERIODS = 4
"""After so many periods it shows which one SignUp tells of."""
USUAL_PERIODS = 2


def _sign_up(request: CreateTournamentRequest, name: str, token: str = "", link: str = "") -> SignUpRequest:
    player = Player(name=name, link=link or NOBODY)
    return SignUpRequest(tournament_id=request.tournament_id, player=player, token=token)


async def _sign_all_up(
    context: ServerContext, request: CreateTournamentRequest, players: Sequence[str]
) -> Sequence[SignUpResponse]:
    """Sign players up that have dialled in, under the names of NAMES. Return what they are told."""
    entering = [_sign_up(request, name, "token", f"dial-in:{each}") for name, each in zip(NAMES, players, strict=False)]
    return [await context.ask("SignUp", each) for each in entering]


@server_case("tournament.sign-up", "SIGN-1", "SIGN-3", "SIGN-5", "SIGN-6")
async def sign_up(context: ServerContext) -> None:
    """Players enter, learn their number, leave again with their token, and nobody takes another's name."""
    for links in ([NOBODY], []):
        request = make_request(context, links)
        await context.ask("CreateTournament", request)
        for name in (NAMES[0].upper(), NAMES[0]) if links else ():
            about = f"the name {name} where the plan has {NAMES[0]}"
            await context.refused("SignUp", _sign_up(request, name, link=ANOTHER), "NAME_TAKEN", about=about)
    watching = WatchTournamentRequest(tournament_id=request.tournament_id)
    async with aclosing(context.apart().stream("WatchTournament", watching)) as told:  # type: ignore[type-var]
        await anext(told)
        changes = await _enter_and_leave(context, request)
        came = [(event.signed_up.name, event.withdrawn) async for event in told][:-1]
    same("Who has entered and left, as is told,", changes, came)


class _Ask(NamedTuple):
    """Somebody who enters under a name or, without a link, leaves."""

    name: str
    token: str
    link: str

    def request(self, tournament_id: str) -> Message:
        if self.link:
            player = Player(name=self.name, link=self.link)
            return SignUpRequest(tournament_id=tournament_id, player=player, token=self.token)
        return WithdrawRequest(tournament_id=tournament_id, name=self.name, token=self.token)


ASKS = [
    _Ask(name, token, link)
    for word in ("anna", "bert", "cleo")
    for name, token, link in itertools.product((word, word.title()), ("secret", ""), (NOBODY, ANOTHER, ""))
]
FIRST = [_Ask(name, "secret", NOBODY) for name in ("anna", "bert", "anna")]
"""Who enters at first: the number of the first one is not that of the last one."""
STEPS = 120


async def _enter_and_leave(context: ServerContext, request: CreateTournamentRequest) -> Sequence[tuple[str, str]]:
    """Have players enter and leave a tournament, which is cancelled then.

    Return who has entered or left, in order. What nobody has asked for in such a state is asked for first.
    """
    rng, covered = Random(1), set[object]()
    entered, left, changes = dict[str, _Ask](), dict[str, str](), list[tuple[str, str]]()
    for step in range(STEPS):
        asks = [(each, state) for each in ASKS if (state := _state(each, entered, left)) is not None]
        rng.shuffle(asks)
        asked, state = next((each for each in asks if each[1] not in covered), asks[0])
        if step < len(FIRST):
            asked, state = FIRST[step], _state(FIRST[step], entered, left)
        covered.add(state)
        holder, reason = _holder(asked, entered), ""
        if asked.link:
            reason = "NAME_TAKEN" if holder not in (None, asked) else ""
        elif holder is not None and holder.token != asked.token:
            reason = "WRONG_TOKEN"
        method = "SignUp" if asked.link else "Withdraw"
        about = f"the name {asked.name}{_circumstances(asked, entered, left)}"
        if reason:
            await context.refused(method, asked.request(request.tournament_id), reason, about=about)
            continue
        reply = await granted(context, method, asked.request(request.tournament_id), f"{method} with {about}")
        if asked.link and holder is None:
            entered[asked.name] = asked
            changes.append((asked.name, ""))
        elif holder is not None and not asked.link:
            left[asked.name] = entered.pop(asked.name).token
            changes.append(("", asked.name))
        same(f"How many are in after {method} with {about}", len(entered), reply.entrant_count)
        if holder == asked:
            await _check_order(context, request.tournament_id, [*entered], f" after a repeat of {method} with {about}")
        if asked.link:
            signing_up = TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
            told = (reply.number or "none", reply.status, reply.HasField("period_end_time"))
            due = ([*entered].index(asked.name) + 1 if holder is None or not left else reply.number, signing_up, False)
            same(f"The number, the status and whether there is the end of a period, by SignUp with {about}", due, told)
    await _check_order(context, request.tournament_id, [*entered])
    await context.ask("CancelTournament", CancelTournamentRequest(tournament_id=request.tournament_id))
    return changes


async def _check_order(context: ServerContext, tournament_id: str, wanted: Sequence[str], where: str = "") -> None:
    shown = (await context.ask("GetTournament", GetTournamentRequest(tournament_id=tournament_id))).tournament
    same(f"The entrants, in the order of sign-up,{where}", wanted, [each.name for each in shown.entrants])


def _holder(asked: _Ask, entered: Mapping[str, _Ask]) -> _Ask | None:
    """Return who is in under a name, in whatever letters."""
    return next((each for each in entered.values() if each.name.lower() == asked.name.lower()), None)


def _state(asked: _Ask, entered: Mapping[str, _Ask], left: Mapping[str, str]) -> Sequence[object] | None:
    """Return in which class of states something is asked for; None: nothing says what comes of it."""
    holder = _holder(asked, entered)
    if not asked.link and holder is None and left.get(asked.name) != asked.token:
        return None
    if not asked.link and holder is not None and holder.name != asked.name:
        return None
    held = () if holder is None else tuple(one == other for one, other in zip(holder, asked, strict=True))
    return (
        bool(asked.link),
        held,
        asked.name in left,
        {asked.name.lower(), asked.name.title()} & {*left} == {asked.name},
    )


def _circumstances(asked: _Ask, entered: Mapping[str, _Ask], left: Mapping[str, str]) -> str:
    """Return what has been with a name before, in words."""
    holder, words = _holder(asked, entered), ""
    if holder is not None:
        others = [what for what in ("token", "link") if asked.link and getattr(holder, what) != getattr(asked, what)]
        words = " and ".join([f" where {holder.name} is in", *(f"with another {what}" for what in others)])
    gone = [name for name in left if name.lower() == asked.name.lower()]
    return words + "".join(f", and {name} has left before" for name in gone)


@server_case("tournament.names", "SIGN-2", "NAME-1", "LIMIT-1")
async def names(context: ServerContext) -> None:
    """Names are held to the pattern of the sign-up, but for those that the creator gives."""
    request = make_request(context, [NOBODY])
    request.plan.entrants[0].name = "Zoe.1"
    request.plan.sign_up.name_pattern = "[a-z]|[a-z]{2,12}|[0-9]"
    await context.ask("CreateTournament", request)
    for name in ("Anna", "a" * 13, "", "anna\n", "anna.1", "1.anna", "anna.7"):
        about = f"the name {name!r} where the pattern is {request.plan.sign_up.name_pattern}"
        await context.refused("SignUp", _sign_up(request, name), "NAME_INVALID", about=about)
    for name in ("anna", "7"):
        await granted(context, "SignUp", _sign_up(request, name), f"SignUp with the name {name}, which matches")
    wide = make_request(context)
    wide.plan.sign_up.name_pattern = ".*"
    await context.ask("CreateTournament", wide)
    for name in ("", "..", "a/b", *misfits("Player.name").values()):
        about = f"the name {name!r}, which no player has, where the pattern is .*"
        await context.refused("SignUp", _sign_up(wide, name), "NAME_INVALID", about=about)
    longest = _sign_up(wide, fit("Player.name"))
    longest.player.secret = fit("Player.secret")
    await granted(context, "SignUp", longest, "SignUp with a name and a secret of all that they may have")


@server_case("tournament.dialled-in-token", "SIGN-4")
async def dialled_in_token(context: ServerContext) -> None:
    """Nobody enters another's player."""
    request = make_request(context)
    await context.ask("CreateTournament", request)
    game, [name] = small_scene().game, context.new_names(1)
    async with context.dialled_in(Cast(game, small_scene().actors()), [name], token="right"):
        link = f"dial-in:{name}"
        for token in ("wrong", ""):
            about = f"the token {token!r}, which is another one,"
            await context.refused("SignUp", _sign_up(request, "anna", token, link), "WRONG_TOKEN", about=about)
        nobody = _sign_up(request, "anna", "right", f"dial-in:{context.new_id('nobody')}")
        await context.refused("SignUp", nobody, "INVALID_LINK", about="a name that is not dialled in")
        await context.ask("SignUp", _sign_up(request, "anna", "right", link))


@server_case("tournament.too-few", "SIGN-9")
async def too_few(context: ServerContext) -> None:
    """A tournament for which too few signed up does not start; one that the creator filled needs what a game needs."""
    tried = ((0, 1, 0, False), (1, 0, 0, False), (2, 0, 0, True), (1, 1, 0, False), (2, 1, 1, True), (1, 1, 1, False))
    for named, signed_up, withdrawn, starts in tried:
        request = make_request(context, [NOBODY] * named)
        request.plan.sign_up.min_entrant_count = 3 if named else 2
        await context.ask("CreateTournament", request)
        for _ in range(signed_up):
            await context.ask("SignUp", _sign_up(request, NAMES[-1]))
        for _ in range(withdrawn):
            await context.ask("Withdraw", WithdrawRequest(tournament_id=request.tournament_id, name=NAMES[-1]))
        starting = StartTournamentRequest(tournament_id=request.tournament_id)
        if starts:
            await context.ask("StartTournament", starting)
            continue
        least = request.plan.sign_up.min_entrant_count
        about = f"{named} players of the creator and {signed_up - withdrawn} that signed up, of {least} at least"
        await context.refused("StartTournament", starting, "TOO_FEW_ENTRANTS", about=about)


@server_case("tournament.full", "SIGN-7")
async def full(context: ServerContext) -> None:
    """A tournament in which every place is taken has nothing to wait for, and none has more entrants than places."""
    crowded = make_request(context, [NOBODY] * 3)
    crowded.plan.sign_up.max_entrant_count = 2
    about = "three entrants where there may be two"
    await context.refused("CreateTournament", crowded, "INVALID_SIGN_UP", "INVALID_PLAYERS", about=about)
    request = make_request(context)
    request.plan.sign_up.max_entrant_count = 2
    request.plan.sign_up.waiting_period.CopyFrom(span(60.0))
    game, players = small_scene().game, context.new_names(2)
    await context.ask("CreateTournament", request)
    async with context.dialled_in(Cast(game, small_scene().actors()), players, token="token"):
        waits, starts = await _sign_all_up(context, request, players)
        await ends_by_itself(context, request)
    for reply, is_open in ((waits, True), (starts, False)):
        signing_up = TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
        same("Whether the sign-up goes on, as SignUp tells,", is_open, reply.status == signing_up)
        same("Whether SignUp tells the end of the period", is_open, reply.HasField("period_end_time"))


@server_case("tournament.period", "SIGN-8", attempts=TIMED, mostly_waits=True)
async def period(context: ServerContext) -> None:
    """Who has signed up need not wait for ever for others, and need not hurry."""
    game, [named, comes] = small_scene().game, context.new_names(2)
    request = make_request(context, [f"dial-in:{named}"])
    request.plan.sign_up.waiting_period.CopyFrom(span(PERIOD_S))
    async with context.dialled_in(Cast(game, small_scene().actors()), [named, comes], token="token"):
        await context.ask("CreateTournament", request)
        told = await context.ask("SignUp", _sign_up(request, NAMES[1], "token", f"dial-in:{comes}"))
        signing_up = TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
        same("The status, as SignUp tells with two of two entrants within a period,", signing_up, told.status)
        await ends_by_itself(context, request)


@server_case("tournament.next-period", "SIGN-8", attempts=TIMED, mostly_waits=True)
async def next_period(context: ServerContext) -> None:
    """Who comes after the first period finds the sign-up open, for as many periods as the plan says."""
    request = make_request(context)
    request.plan.sign_up.waiting_period.CopyFrom(span(SHORT_PERIOD_S))
    request.plan.sign_up.period_count = 1_000
    game, players = small_scene().game, context.new_names(2)
    async with context.dialled_in(Cast(game, small_scene().actors()), players, token="token"):
        asked_s = time.monotonic()
        created = (await context.ask("CreateTournament", request)).tournament.create_time.ToNanoseconds() / 1e9
        answered_s = time.monotonic()
        for waits_s, entering in ((0.0, players[:1]), (LATER_PERIODS * SHORT_PERIOD_S, players)):
            await asyncio.sleep(waits_s)
            least_s = time.monotonic() - answered_s
            [*_, told] = await _sign_all_up(context, request, entering)
            if told.status != TournamentStatus.TOURNAMENT_STATUS_SIGN_UP:
                raise failure(
                    "A period with one entrant, where two are needed, must be followed by the next; after "
                    f"{LATER_PERIODS} of 1,000 the sign-up is over."
                )
            end_s, most_s = told.period_end_time.ToNanoseconds() / 1e9 - created, time.monotonic() - asked_s
            if not least_s - 2 * SHORT_PERIOD_S <= end_s <= most_s + SHORT_PERIOD_S:
                raise failure(
                    f"SignUp must tell when this period of {SHORT_PERIOD_S:g} s ends; {most_s:.2f} s after the "
                    f"tournament was created it tells {end_s:.2f} s after that."
                )
        await ends_by_itself(context, request)


@server_case("tournament.last-period", "SIGN-8", attempts=TIMED, mostly_waits=True)
async def last_period(context: ServerContext) -> None:
    """A tournament for which too few sign up is cancelled after the last period, neither before nor later."""
    await together(_check_cancelled(context.apart(), count) for count in (1, None, 3))


async def _check_cancelled(context: ServerContext, count: int | None) -> None:
    """Check when a tournament is cancelled that has so many periods; None: the plan does not say how many."""
    request = make_request(context, [NOBODY] * 2)  # StartTournament would need no more, but a period does
    request.plan.sign_up.min_entrant_count = 4
    request.plan.sign_up.waiting_period.CopyFrom(span(WHOLE_PERIOD_S))
    if count is not None:
        request.plan.sign_up.period_count = count
    count = count or USUAL_PERIODS
    await context.ask("CreateTournament", request)
    coming = asyncio.ensure_future(_come_and_go(context.apart(), request))
    watching = WatchTournamentRequest(tournament_id=request.tournament_id)
    try:
        await context.stream_all("WatchTournament", watching)
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
            raise
        raise failure(f"A tournament for which too few enter must be cancelled after {count} periods.") from None
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
    got = GetTournamentRequest(tournament_id=request.tournament_id)
    shown = (await context.ask("GetTournament", got)).tournament
    status = TournamentStatus.Name(shown.status)
    same("The status of a tournament for which too few enter", "TOURNAMENT_STATUS_CANCELLED", status)
    check_times(shown, "cancelled tournament", shown.create_time)
    took_s = (shown.end_time.ToNanoseconds() - shown.create_time.ToNanoseconds()) / 1e9
    if not -0.05 <= took_s - count * WHOLE_PERIOD_S <= 0.75 * WHOLE_PERIOD_S:
        raise failure(
            f"A sign-up of {count} periods of {WHOLE_PERIOD_S:g} s must be over after the last one; it was after "
            f"{took_s:.2f} s."
        )


async def _come_and_go(context: ServerContext, request: CreateTournamentRequest) -> None:
    """Let a player enter and leave a tournament again and again: periods are no longer for that."""
    leaving = WithdrawRequest(tournament_id=request.tournament_id, name=NAMES[-1])
    while True:
        for method, asked in (("SignUp", _sign_up(request, NAMES[-1])), ("Withdraw", leaving)):
            await asyncio.sleep(0.6 * WHOLE_PERIOD_S)
            await context.ask(method, asked)


@server_case("tournament.age-order", "SIGN-10")
async def age_order(context: ServerContext) -> None:
    """The list of entrants decides who plays whom: those who signed up know their place in it."""
    orders = {
        AgeOrder.AGE_ORDER_REVERSE_SIGN_UP: ("youngest first", ["bert", "anna", "zoe", "yan"]),
        AgeOrder.AGE_ORDER_SIGN_UP: ("those of the plan first", ["zoe", "yan", "anna", "bert"]),
    }
    for order, (title, wanted) in orders.items():
        request = make_request(context, [NOBODY] * 2)
        for player, name in zip(request.plan.entrants, ("zoe", "yan"), strict=True):
            player.name = name
        request.plan.sign_up.age_order = order
        await context.ask("CreateTournament", request)
        for name in ("anna", "bert"):
            await context.ask("SignUp", _sign_up(request, name))
        await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))
        got = GetTournamentRequest(tournament_id=request.tournament_id)
        shown = (await context.ask("GetTournament", got)).tournament
        same(f"The entrants, {title},", wanted, [each.name for each in shown.entrants])


@server_case("tournament.certificate", "SIGN-12")
async def certificate(context: ServerContext) -> None:
    """A tournament that asks for certificates has no players without one, but for those that the creator names."""
    request = make_request(context, [NOBODY] * 2)
    request.plan.sign_up.certificate.max_age.CopyFrom(span(3_600.0))
    await context.ask("CreateTournament", request)
    for about, shown in (("no certificate", b""), ("what is no certificate", b"{}")):
        entering = _sign_up(request, NAMES[-1])
        entering.certificate = shown
        await context.refused("SignUp", entering, "CERTIFICATE_REQUIRED", about=about)
    await context.ask("StartTournament", StartTournamentRequest(tournament_id=request.tournament_id))


@server_case("tournament.profile", "SIGN-15")
async def profile(context: ServerContext) -> None:
    """A certificate for a part of the game says nothing of other games: a tournament that takes it plays none."""
    for title, name in [("an unknown profile", "no-such-profile"), ("games outside the profile", "standard")]:
        request = make_request(context)
        request.plan.sign_up.certificate.profile = name
        await context.refused("CreateTournament", request, "INVALID_SIGN_UP", about=title)


CASES = (
    sign_up,
    names,
    dialled_in_token,
    too_few,
    full,
    period,
    next_period,
    last_period,
    age_order,
    certificate,
    profile,
)

"""Making a tournament from a format, starting it, and cancelling it: for organisers."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import grpc
from google.protobuf.duration_pb2 import Duration
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.client.forecast import forecast_games
from fairplay.client.formats import FormatChoice, format_choices, parse_format
from fairplay.client.wording import describe_error
from fairplay.games.game import registered
from fairplay.v1.access_pb2 import Role
from fairplay.v1.game_pb2 import GameSettings, Player
from fairplay.v1.manager_pb2 import CancelTournamentRequest, CreateTournamentRequest, StartTournamentRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.rules_pb2 import SimulateGameRequest
from fairplay.v1.server_pb2 import GameInfo
from fairplay.v1.tournament_pb2 import SignUpPolicy, TournamentPlan
from fairplay.web.pages.settings import chosen_settings, setting_fields, tournament_values
from fairplay.web.site import Form, form_of, go, known_visitor, page, site_of, visitor_of, whole_number
from fairplay.web.upstream import ANSWER_LIMIT_S, PASSING, knows_accounts
from fairplay.web.visitors import Visitor

PREFIX = "format-"
"""Of the names of the fields of the settings of a format."""
MAX_ENTRANTS = 10_000
MAX_BOTS = 16
DECISION_S = "0.1"
"""What a preview takes a decision of a program for, in seconds, where nobody says it."""
GAMES_AT_ONCE = 64
PREVIEW_SEED = 1
NOT_YOURS = "This is for organisers: enter the lobby with the token of an account of that role."
REASON = "the organiser cancelled it"
USUAL: Mapping[str, str] = {"least": "2", "most": "64", "deals": "0", "bots": "0", "decision": DECISION_S}


class Preview(NamedTuple):
    """What a tournament comes to with so many entrants. `games` and `minutes` are None where that is not known."""

    entrants: int
    games: int | None
    minutes: float | None


async def organiser_of(request: Request) -> Visitor | None:
    """Return who asks if it may make tournaments: who has entered the lobby, with an account of the role if needed."""
    visitor, upstream = visitor_of(request), site_of(request).upstream
    if visitor is None or not knows_accounts(await upstream.info()):
        return visitor
    return visitor if await upstream.role(visitor.client.channel) >= Role.ROLE_ORGANISER else None


async def _known_organiser(request: Request) -> Visitor:
    known_visitor(request)
    visitor = await organiser_of(request)
    if visitor is None:
        raise HTTPException(403, NOT_YOURS)
    return visitor


async def new(request: Request) -> Response:
    """Show the form of a new tournament."""
    await _known_organiser(request)
    return await _form(request, {**USUAL, **request.query_params})


async def make(request: Request) -> Response:
    """Make a tournament and go there; or show the form again, with a preview or with what is wrong."""
    visitor, form = await _known_organiser(request), await form_of(request)
    try:
        plan = await _plan(request, form)
        if form.get("do") == "preview":
            return await _form(request, form, previews=await _previews(request, plan, form))
        asked = CreateTournamentRequest(tournament_id=form.get("id", "").strip(), plan=plan)
        made = await ManagerServiceStub(visitor.client.channel).CreateTournament(asked, timeout=ANSWER_LIMIT_S)
    except UsageError as error:
        sentence = str(error).removeprefix("--format: ").removeprefix("--set ").removeprefix("--limit ")
        return await _form(request, form, sentence, 400)
    except grpc.aio.AioRpcError as error:
        if error.code() in PASSING:
            raise
        return await _form(request, form, describe_error(error), 409)
    return go(request, f"/tournaments/{made.tournament.tournament_id}")


async def _form(
    request: Request,
    values: Mapping[str, str],
    refusal: str = "",
    status: int = 200,
    *,
    previews: Sequence[Preview] = (),
) -> Response:
    offered = (await site_of(request).upstream.info()).games
    game = next((each for each in offered if each.name == values.get("game")), offered[0])
    choices = format_choices()
    chosen = choices.get(values.get("format", "")) or choices["round-robin"]
    return page(
        request,
        "new_tournament.html",
        status,
        offered=offered,
        game=game,
        formats=list(choices.values()),
        chosen=chosen,
        values=values,
        refusal=refusal,
        previews=previews,
        prefix=PREFIX,
        fields=setting_fields(game, tournament_values(game), values).values(),
        is_open=bool(refusal),
        max_entrants=MAX_ENTRANTS,
        max_bots=MAX_BOTS,
    )


# --- from the form to the plan ---


async def _plan(request: Request, form: Form) -> TournamentPlan:
    """Return the plan that a form asks for. Raises UsageError if something of it cannot be meant."""
    game = await site_of(request).upstream.game(form.get("game", ""))
    if game is None:
        raise UsageError("choose a game that this server offers")
    choice = format_choices().get(form.get("format", ""))
    if choice is None:
        raise UsageError("choose a format")
    least, most = _number(form, "least", 1, MAX_ENTRANTS), _number(form, "most", 1, MAX_ENTRANTS)
    limit, closes = form.get("limit", "").strip(), form.get("closes", "").strip()
    plan = TournamentPlan(
        game=game.name,
        title=form.get("title", "").strip(),
        settings=_settings(game, form),
        format=parse_format(_format_text(choice, form)),
        deal_count=_number(form, "deals", 0, 1_000),
        sign_up=SignUpPolicy(
            min_entrant_count=least,
            max_entrant_count=most,
            waiting_period=inputs.parse_duration(closes, "“Closes after”") if closes else Duration(),
            period_count=1,
            name_pattern=inputs.ANY_NAME,
        ),
        entrants=_bots(game, form),
    )
    if limit:
        plan.time_control.CopyFrom(inputs.parse_time_control(limit, None, None))
    return plan


def _settings(game: GameInfo, form: Form) -> GameSettings:
    """Return the settings of tournaments with what a form has chosen on top of them."""
    chosen = list(chosen_settings(tournament_values(game), form))
    if not chosen:
        return game.tournament_settings
    found = inputs.find_game(game.name)
    return inputs.parse_settings(found, chosen, None, found.tournament_settings)


def _format_text(choice: FormatChoice, form: Form) -> str:
    """Return a format as it is typed on a command line. No value of a form becomes a further word of it."""
    words = [choice.name]
    for setting in choice.settings:
        value = form.get(f"{PREFIX}{setting.name}", "").strip()
        if any(not letter.isalnum() and letter not in "-_.+" for letter in value):
            raise UsageError(f"{setting.label}: {value[:40]!r} cannot be meant")
        words += [f"{setting.name}={value}"] if value else []
    return " ".join(words)


def _number(form: Form, name: str, least: int, most: int) -> int:
    found = whole_number(form.get(name, "").strip() or USUAL[name], -1)
    if not least <= found <= most:
        labels = {"least": "the fewest entrants", "most": "the most entrants", "deals": "deals", "bots": "house bots"}
        raise UsageError(f"{labels[name]}: give a number between {least} and {most:,}")
    return found


def _bots(game: GameInfo, form: Form) -> Sequence[Player]:
    count, strategy = _number(form, "bots", 0, MAX_BOTS), form.get("strategy", "")
    if count and strategy not in {each.name for each in game.strategies}:
        raise UsageError(f"{game.title} has no strategy {strategy[:40]!r}")
    return [Player(name=f"house-{number}", link=f"bot:{strategy}") for number in range(1, count + 1)]


# --- what it comes to ---


async def _previews(request: Request, plan: TournamentPlan, form: Form) -> Sequence[Preview]:
    """Return what a tournament comes to with the fewest and with the most entrants."""
    decision_s = inputs.parse_seconds(form.get("decision", "").strip() or DECISION_S, "“Time for a decision”")
    counts = dict.fromkeys((plan.sign_up.min_entrant_count, plan.sign_up.max_entrant_count))
    return [await _preview(request, plan, count, decision_s) for count in counts]


async def _preview(request: Request, plan: TournamentPlan, count: int, decision_s: float) -> Preview:
    """Return what a tournament comes to with so many entrants. Raises UsageError if these do not fit the format.

    Each entrant plays one game at a time.
    """
    if plan.game not in registered():
        return Preview(count, None, None)
    try:
        games = await asyncio.to_thread(forecast_games, plan, count)
    except ValueError as error:
        raise UsageError(f"with {count} entrants: {error}") from None
    if games is None:
        return Preview(count, None, None)
    site = site_of(request)
    info = await site.upstream.game(plan.game)
    assert info is not None
    seats = max(2, info.min_player_count)
    asked = SimulateGameRequest(game=plan.game, seed=PREVIEW_SEED, strategies=[info.strategies[0].name] * seats)
    asked.settings.CopyFrom(plan.settings)
    async with site.drawing:
        decisions = (await site.upstream.rules.SimulateGame(asked, timeout=ANSWER_LIMIT_S)).decision_count
    at_once = max(1, min(GAMES_AT_ONCE, count // seats))
    return Preview(count, games, math.ceil(games / at_once) * decisions * decision_s / 60)


# --- what becomes of it ---


async def start(request: Request) -> Response:
    """Close the sign-up of a tournament and start it."""
    visitor, tournament_id = await _known_organiser(request), request.path_params["id"]
    asked = StartTournamentRequest(tournament_id=tournament_id)
    await ManagerServiceStub(visitor.client.channel).StartTournament(asked, timeout=ANSWER_LIMIT_S)
    await (await site_of(request).contests.find(tournament_id)).renew()
    return go(request, f"/tournaments/{tournament_id}")


async def cancel(request: Request) -> Response:
    """Cancel a tournament."""
    visitor, tournament_id = await _known_organiser(request), request.path_params["id"]
    asked = CancelTournamentRequest(tournament_id=tournament_id, reason=REASON)
    await ManagerServiceStub(visitor.client.channel).CancelTournament(asked, timeout=ANSWER_LIMIT_S)
    await (await site_of(request).contests.find(tournament_id)).renew()
    return go(request, f"/tournaments/{tournament_id}")


ROUTES: Sequence[Route] = (
    Route("/tournaments/new", new),
    Route("/tournaments", make, methods=["POST"]),
    Route("/tournaments/{id}/start", start, methods=["POST"]),
    Route("/tournaments/{id}/cancel", cancel, methods=["POST"]),
)

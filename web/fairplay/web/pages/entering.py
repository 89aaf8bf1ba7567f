"""Sign-up for a tournament with a program that dials in: how to start it, and when it is here."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client.signup import is_player_name, sign_up_if_here
from fairplay.client.wording import describe_error
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import SignUpRequest
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub
from fairplay.v1.tournament_pb2 import TournamentStatus
from fairplay.web.contests import Contest
from fairplay.web.site import Form, dial_in_address, form_of, is_quiet, page, site_of, visitor_of
from fairplay.web.upstream import ANSWER_LIMIT_S, PASSING, knows_accounts

TOKEN_BYTES = 18
MAX_TOKEN_CHARS = 256
NOT_A_NAME = "Give a name for the player: 1 to 64 letters, digits, '-', '_' or '.'."
WITH_ACCOUNT = "Enter the lobby with the token of your account first: your player's name will belong to it."


async def show(request: Request) -> Response:
    """Show the form for the name of a player."""
    contest = await _open_contest(request)
    visitor = visitor_of(request)
    return _page(request, contest, visitor.name if visitor is not None else "")


async def begin(request: Request) -> Response:
    """Show how to start the program of a player, and sign it up if it has dialled in.

    A script asks again and again; it is answered with nothing for as long as the player is not here.
    """
    contest, form = await _open_contest(request), await form_of(request)
    name = form.get("name", "").strip()
    if not is_player_name(name):
        return _page(request, contest, name, refusal=NOT_A_NAME, status=400)
    token = form.get("token", "")[:MAX_TOKEN_CHARS] or secrets.token_urlsafe(TOKEN_BYTES)
    try:
        outcome = await _try(request, contest, name, token) if "token" in form else None
    except grpc.aio.AioRpcError as error:
        if error.code() in PASSING:
            raise
        outcome = describe_error(error)
        refused = True
    else:
        refused = False
    if is_quiet(request):
        if outcome is None:
            return Response(status_code=204)
        return page(request, "parts/entered.html", contest=contest, outcome=outcome, refused=refused)
    return await _waiting(request, contest, form, name, token, outcome, refused)


async def _try(request: Request, contest: Contest, name: str, token: str) -> str | None:
    """Sign a player up, and return what became of it in a sentence; None if it has not dialled in."""
    site, visitor = site_of(request), visitor_of(request)
    channel = visitor.client.channel if visitor is not None else site.upstream.channel
    asked = SignUpRequest(
        tournament_id=contest.tournament.tournament_id, player=Player(name=name, link=f"dial-in:{name}"), token=token
    )
    reply = await sign_up_if_here(ManagerServiceStub(channel), asked, ANSWER_LIMIT_S)
    if reply is None:
        return None
    return f"{name} is here and has signed up, as number {reply.number}. Leave it running until the tournament is over."


async def _waiting(
    request: Request, contest: Contest, form: Form, name: str, token: str, outcome: str | None, refused: bool
) -> Response:
    accounts = knows_accounts(await site_of(request).upstream.info())
    words = [
        f"FAIRPLAY_CONNECT={shlex.quote(dial_in_address(request))}",
        f"FAIRPLAY_NAME={name}",
        "FAIRPLAY_TOKEN=" + ("'the token of your account'" if accounts else shlex.quote(token)),
    ]
    return page(
        request,
        "sign_up_waiting.html",
        contest=contest,
        name=name,
        token=token,
        accounts=accounts,
        variables=" ".join(words),
        tried="token" in form,
        outcome=outcome,
        refused=refused,
    )


def _page(request: Request, contest: Contest, name: str, refusal: str = "", status: int = 200) -> Response:
    server = dial_in_address(request)
    return page(request, "sign_up.html", status, contest=contest, name=name, refusal=refusal, server=server)


async def _open_contest(request: Request) -> Contest:
    """Return the tournament that a request is about.

    Raises HTTPException if its sign-up is not open, or the server has accounts and who asks has not entered with one.
    """
    site = site_of(request)
    contest = await site.contests.find(request.path_params["id"])
    if contest.tournament.status != TournamentStatus.TOURNAMENT_STATUS_SIGN_UP and not is_quiet(request):
        raise HTTPException(409, "The sign-up of this tournament is closed.")
    if visitor_of(request) is None and knows_accounts(await site.upstream.info()):
        raise HTTPException(401, WITH_ACCOUNT)
    return contest


ROUTES: Sequence[Route] = (
    Route("/tournaments/{id}/sign-up", show),
    Route("/tournaments/{id}/sign-up", begin, methods=["POST"]),
)

"""Accounts: the form to which an invitation leads. It makes an account, and enters the lobby with it."""

from __future__ import annotations

from collections.abc import Sequence

import grpc
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fairplay.client.wording import describe_error
from fairplay.v1.access_pb2 import Role
from fairplay.web.pages.lobby import remember
from fairplay.web.site import form_of, page, site_of, visitor_of
from fairplay.web.upstream import PASSING, knows_accounts

ROLES = {Role.ROLE_PLAYER: "player", Role.ROLE_ORGANISER: "organiser", Role.ROLE_OPERATOR: "operator"}
NEEDS_BOTH = "Give a name, and the invitation that you were sent."
NO_ACCOUNTS = "This server knows no accounts: enter the lobby under any name."


async def invited(request: Request) -> Response:
    """Show the form of a new account. The invitation stands behind the '#' of the link, which no server is told."""
    return await _form(request)


async def _form(
    request: Request, name: str = "", invitation: str = "", refusal: str = "", status: int = 200
) -> Response:
    if not knows_accounts(await site_of(request).upstream.info()):
        refusal, status = NO_ACCOUNTS, 409
    return page(request, "account.html", status, name=name, invitation=invitation, refusal=refusal, made=None)


async def create(request: Request) -> Response:
    """Make an account, enter the lobby with it, and show its token this once; or the form again with what is wrong."""
    form, site = await form_of(request), site_of(request)
    name, invitation = form.get("name", "").strip(), form.get("invitation", "").strip()
    if not name or not invitation:
        return await _form(request, name, invitation, NEEDS_BOTH, 400)
    try:
        made = await site.upstream.create_account(name, invitation)
    except grpc.aio.AioRpcError as error:
        if error.code() in PASSING:
            raise
        return await _form(request, name, invitation, describe_error(error), 409)
    before = visitor_of(request)
    if before is not None:
        await site.visitors.leave(before)
    key, refusal = await site.visitors.enter(made.account.name, made.token)
    role = ROLES.get(made.account.role, "player")
    response = page(request, "account.html", made=made, role=role, refusal=refusal)
    if key:
        remember(request, response, key)
    return response


ROUTES: Sequence[Route] = (
    Route("/account", invited),
    Route("/account", create, methods=["POST"]),
)

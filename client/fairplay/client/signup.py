"""Sign-up of a player that may have to dial in first."""

from __future__ import annotations

import grpc

from fairplay.server.links.spec import NAME, parse_link
from fairplay.server.net.errors import reason_of
from fairplay.v1.manager_pb2 import SignUpRequest, SignUpResponse
from fairplay.v1.manager_pb2_grpc import ManagerServiceStub


def is_player_name(text: str) -> bool:
    """Return whether a text may be the name of a player."""
    return NAME.fullmatch(text) is not None


async def sign_up_if_here(
    manager: ManagerServiceStub, request: SignUpRequest, limit_s: float | None = None
) -> SignUpResponse | None:
    """Sign a player up; None if it is one that dials in and has not done so yet.

    Raises grpc.aio.AioRpcError if it may not enter.
    """
    try:
        reply: SignUpResponse = await manager.SignUp(request, timeout=limit_s)
    except grpc.aio.AioRpcError as error:
        if reason_of(error) == "INVALID_LINK" and parse_link(request.player.link).kind == "dial-in":
            return None
        raise
    return reply

"""Whether the right players are asked the right things, in the right order and with the right limits."""

from __future__ import annotations

from dataclasses import replace

from fairplay.conformance.case import Case, failure
from fairplay.conformance.servers.acts import at, fail
from fairplay.conformance.servers.compare import check_limits, check_order, check_requests
from fairplay.conformance.servers.context import GAMES, OPEN, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import parsed
from fairplay.conformance.servers.scenes import control

MAX_CALL_ID = 2**53


def _order_of(game: str) -> Case:
    @server_case(f"order.{game}", "The referee asks in the order of the rules.")
    async def order(context: ServerContext) -> None:
        """A server that asks in another order plays another game."""
        played = await context.whole_game(game)
        check_order(played.expected.calls, played.cast.received)

    return order


def _requests_of(game: str) -> Case:
    @server_case(f"order.{game}-requests", "A request holds what the player may know, and no more.")
    async def requests(context: ServerContext) -> None:
        """A player that is told something wrong, or that sees what others hold, plays no fair game."""
        played = await context.whole_game(game)
        check_requests(played.scene.game, played.expected.calls, played.cast.received)

    return requests


@server_case("order.game-id", "Every request names its game.")
async def game_id(context: ServerContext) -> None:
    """A player may be in many games at once, and knows them by their ids."""
    played = await context.whole_game(OPEN)
    for each in played.cast.received:
        asked = parsed(played.scene.game, each)
        if getattr(asked, "game_id", None) != played.game_id:
            raise failure(f"A request of {each.method} does not name the game {played.game_id}.")


@server_case("order.served-players", "RefereeService.PlayGame; Player.link grpc://HOST:PORT")
async def served_players(context: ServerContext) -> None:
    """Players that serve are asked the same as players that dial in."""
    played = await context.play(ordinary(OPEN), served=True)
    check_order(played.expected.calls, played.cast.received)
    check_requests(played.scene.game, played.expected.calls, played.cast.received)


@server_case("order.without-the-eliminated", "An eliminated player is not called again in this game.")
async def without_the_eliminated(context: ServerContext) -> None:
    """The game goes on without a player that was eliminated."""
    played = await context.play(ordinary(OPEN, at(1, "TakeTurn", fail(2, "scripted failure"))))
    check_order(played.expected.calls, played.cast.received)


@server_case("order.call-ids", "Call.id is unique on the server, and below 2^53.")
async def call_ids(context: ServerContext) -> None:
    """Replies name calls by their ids."""
    ids = [each.call_id for game in GAMES for each in (await context.whole_game(game)).cast.received]
    if len(set(ids)) < len(ids):
        raise failure("Two calls have the same id.")
    if any(not 0 <= each < MAX_CALL_ID for each in ids):
        raise failure("The id of a call is not below 2^53: a program in JavaScript cannot read it.")


@server_case("order.time-limits", "Call.time_limit is the limit of the time control.")
async def time_limits(context: ServerContext) -> None:
    """Players plan their time by the limit that the call names."""
    scene = ordinary(OPEN)
    played = await context.play(replace(scene, control=control(3.0, 4.0, 2.0)))
    check_limits(played)


CASES = (
    *(case for game in GAMES for case in (_order_of(game), _requests_of(game))),
    game_id,
    served_players,
    without_the_eliminated,
    call_ids,
    time_limits,
)

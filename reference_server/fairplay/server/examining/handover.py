"""Players that dial in and are examined: their streams are handed over to the suite, whatever is said in them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from fairplay.games.game import Game, find, registered
from fairplay.server.links.dial_in import Hub
from fairplay.server.net.errors import Refusal
from fairplay.server.servicers.requests import sound
from fairplay.v1.connection_pb2 import DialInRequest, GoodbyeReason, Hello
from fairplay.v1.connection_pb2_grpc import ConnectionServiceStub

OPTIONS = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
"""How large a frame may be, say the two sides."""
DETAILS = "grpc-status-details-bin"
AWAY = "the examination of this player is over: dial in again"


class Handover:
    """Knows which players are examined, and where: each by a suite that listens for this player alone."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._addresses: dict[str, str] = {}

    def here(self, name: str) -> bool:
        """Return whether the player of a name can be called now."""
        return self._hub.here(name)

    async def arrived(self, name: str, limit_s: float) -> bool:
        """Return whether the player of a name is here, or comes within some seconds."""
        try:
            async with asyncio.timeout(limit_s):
                await self._hub.arrived(name)
        except TimeoutError:
            return False
        return True

    def problem(self, name: str, game: str) -> str:
        """Return why the player of a name cannot be handed over to be examined in a game; "" if it can be."""
        if name in self._addresses:
            return f"{name} is being examined already"
        if self._hub.pinned(name):
            return f"{name} plays, or is entered in a tournament: have it examined when that is over"
        if not self._hub.here(name):
            return f"{name} has left: have it dial in, and ask again"
        if not self._hub.alone(name):
            return f"{name} shares its stream with other players: have it dial in alone"
        if not self._hub.kept(name):
            return f"the name {name} would be free meanwhile: dial in with a token, or with an account"
        return self._other_game(name, find(game))

    def _other_game(self, name: str, asked: Game) -> str:
        """Return a sentence if a player says that it plays other games alone: nearly all cases would say so, too."""
        description = self._hub.description(name)
        offered = [service.name for service in description.services] if description is not None else []
        if not offered or asked.service in offered:
            return ""
        games = [game.title for game in map(find, registered()) if game.service in offered]
        plays = f"it plays {', '.join(games)}" if games else f"its first service is {offered[0]}"
        return f"{name} does not play {asked.title}: {plays}. Start another player, or ask for another game"

    @contextmanager
    def begun(self, name: str, address: str) -> Iterator[None]:
        """Hand the player of a name over to the suite at an address, unix:PATH, for as long as the context lasts."""
        self._hub.pin(name)
        self._addresses[name] = address
        self._hub.dismiss(name, GoodbyeReason.GOODBYE_REASON_SHUTTING_DOWN, f"{name} is examined now: dial in again")
        try:
            yield
        finally:
            del self._addresses[name]
            self._hub.unpin(name)

    def address(self, hello: Hello, account: str) -> str:
        """Return where a program that dials in is handed over to; "" if it is not.

        Raises Refusal if one of its players is examined and may not be had, or is not alone.
        """
        found = [player.name for player in hello.players if player.name in self._addresses]
        if not found:
            return ""
        self._hub.check(hello, account)
        if len(hello.players) > 1:
            message = f"{found[0]} is examined now, and dials in alone until that is over"
            raise Refusal("NAME_TAKEN", message, given=found[0])
        return self._addresses[found[0]]


async def hand_over(context: Any, hello: Hello, address: str, pay: Callable[[int], None] | None) -> None:
    """Carry all frames between a program that has dialled in and the suite, until one of them ends its stream.

    `pay` is told of the bytes that the program sends. Raises Refusal if these are too many, or the suite is away.
    """
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        suite = ConnectionServiceStub(channel).DialIn()
        sending = asyncio.create_task(_send(context, suite, hello, pay))
        receiving = asyncio.create_task(_receive(context, suite))
        try:
            done, _ = await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
            if sending in done and receiving not in done:
                sending.result()
            await receiving
        finally:
            suite.cancel()
            sending.cancel()
            receiving.cancel()
            await asyncio.gather(sending, receiving, return_exceptions=True)


async def _send(context: Any, suite: Any, hello: Hello, pay: Callable[[int], None] | None) -> None:
    """Send the suite what the program sends, to its half-close."""
    try:
        await suite.write(DialInRequest(hello=hello))
        while (frame := await context.read()) is not grpc.aio.EOF:
            if pay is not None:
                pay(sound(frame).ByteSize())
            await suite.write(sound(frame))
        await suite.done_writing()
    except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
        return  # the suite has ended the stream: who receives knows how


async def _receive(context: Any, suite: Any) -> None:
    """Send the program what the suite sends, and end the stream as the suite does."""
    try:
        while (frame := await suite.read()) is not grpc.aio.EOF:
            await context.write(frame)
    except grpc.aio.AioRpcError as error:
        details = [each for each in error.trailing_metadata() or () if each[0] == DETAILS]
        if not details:
            raise Refusal("SHUTTING_DOWN", AWAY) from None
        await context.abort(error.code(), error.details(), tuple(details))

"""Watching the game of a table: its public state as it changes, and who is eliminated."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import grpc
from google.protobuf.message import Message

from fairplay.client.lobby.wording import elimination_line
from fairplay.games.envelopes import unwrap
from fairplay.games.game import find
from fairplay.v1.referee_pb2 import GetGameRequest, WatchGameRequest, WatchGameResponse
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub

PAUSE_S = 1.0
UNKNOWN = "This game cannot be drawn here: it is not installed."
FINAL = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED)


class Spectator:
    """Watches one game. `on_state` is called with each state, `report` with lines of plain text."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        game: str,
        game_id: str,
        on_state: Callable[[Message], None],
        report: Callable[[str], None],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.game_id = game_id
        self.state: Message | None = None
        self.names: list[str] = []
        self._stub = RefereeServiceStub(channel)
        self._game = game
        self._on_state = on_state
        self._report = report
        self._pause = pause
        self._sequence = 0

    async def watch(self) -> None:
        """Watch until the game is over, through lost connections."""
        while True:
            try:
                await self._follow()
                return
            except grpc.aio.AioRpcError as error:
                if error.code() in FINAL:
                    return
            await self._pause(PAUSE_S)

    async def _follow(self) -> None:
        response = await self._stub.GetGame(GetGameRequest(game_id=self.game_id))
        self.names = [player.name for player in response.game.plan.players]
        stream = self._stub.WatchGame(WatchGameRequest(game_id=self.game_id, after_sequence=self._sequence))
        try:
            async for event in stream:
                self._take(event)
        finally:
            stream.cancel()

    def _take(self, event: WatchGameResponse) -> None:
        self._sequence = event.sequence
        if event.WhichOneof("event") == "joined":
            self.names[event.joined.seat :] = [event.joined.name]
        elif event.WhichOneof("event") == "eliminated":
            self._report(elimination_line(event.eliminated))
        elif event.WhichOneof("event") == "state" and (state := self._unwrapped(event)) is not None:
            self.state = state
            self._on_state(state)

    def _unwrapped(self, event: WatchGameResponse) -> Message | None:
        try:
            game = find(self._game)
            return unwrap(event.state, game, game.state_type)
        except ValueError:  # a game, or a form of its state, that is not installed here
            return None

    def board(self) -> str:
        """Return the last state in rich's console markup; empty before the first."""
        return find(self._game).text(self.state, self.names) if self.state is not None else ""

    def svg(self) -> str:
        """Return the last state as one SVG document; empty before the first."""
        return find(self._game).svg(self.state, self.names) if self.state is not None else ""

"""A person at a table: the player that it plays by hand, which dials in from here, and the spectator of the game."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import grpc
from google.protobuf.message import Message

from fairplay.client.lobby.client import LobbyClient
from fairplay.client.wording import elimination_line
from fairplay.games.envelopes import unwrap
from fairplay.games.frontends import Frontend, HumanPlayer, TableContext
from fairplay.games.game import find
from fairplay.player.dialing import DialInError, Hosted, dial_in_async
from fairplay.player.handlers import current_call
from fairplay.server.game.plans import full_time_control, seconds
from fairplay.v1.referee_pb2 import GetGameRequest, WatchGameRequest, WatchGameResponse
from fairplay.v1.referee_pb2_grpc import RefereeServiceStub
from fairplay.v1.table_pb2 import Table

PAUSE_S = 1.0
UNKNOWN = "This game cannot be drawn here: it is not installed."
FINAL = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNIMPLEMENTED)


class LocalPlayer:
    """A player that dials in, from its creation until it is stopped."""

    def __init__(self, client: LobbyClient, frontend: Frontend, table: Table, on_change: Callable[[], None]) -> None:
        self.table = table.name
        self.name = client.lobby.me
        context = TableContext(
            lambda: player_names(client),
            limit_s(table),
            time.monotonic,
            on_change,
            client.note,
            lambda: current_call().limit_s,
        )
        self.person: HumanPlayer = frontend.create_player(context)
        self._client = client
        self._task = asyncio.create_task(self._dial_in())

    async def _dial_in(self) -> None:
        hosted = [Hosted(self.person, self.name, self._client.token)]
        try:
            await dial_in_async(
                hosted,
                self._client.address,
                resume_s=self._client.grace_s,
                resume_token=self._client.tokens.resume_token,
                on_welcome=self._client.tokens.keep_resume_token,
                on_away=lambda sentence: None,  # the lobby says it
                credentials=self._client.credentials,
            )
        except DialInError as error:
            self._client.note(f"You cannot play from here: {error}.")

    async def stop(self) -> None:
        """End the player."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def player_names(client: LobbyClient) -> Sequence[str]:
    """Return the names of those who have a seat at the user's table, in order."""
    table = client.lobby.table
    return [seat.name for seat in table.seats] if table is not None else []


def limit_s(table: Table) -> float:
    """Return the shortest time limit that a decision has at a table, in seconds."""
    control = full_time_control(find(table.game), table.time_control)
    return min(seconds(control.decision_limit), seconds(control.first_decision_limit))


# --- watching ---


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

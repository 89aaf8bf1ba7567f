"""The player of a person who plays by hand: it runs in this program and dials in to the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from fairplay.client.lobby.client import LobbyClient
from fairplay.games.frontends import Frontend, HumanPlayer, TableContext
from fairplay.games.game import find
from fairplay.player.answering import CALL_LIMIT_S
from fairplay.player.dialing import DialInError, Hosted, dial_in_async
from fairplay.server.game.plans import full_time_control, seconds
from fairplay.v1.table_pb2 import Table

PATIENCE_S = 60.0


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
            lambda: CALL_LIMIT_S.get(None),
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
                patience_s=PATIENCE_S,
                resume_s=self._client.grace_s,
                resume_token=self._client.tokens.resume_token,
                on_welcome=self._client.tokens.keep_resume_token,
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

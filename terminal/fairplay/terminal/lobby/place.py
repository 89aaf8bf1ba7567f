"""The place of a person in the games of a table: a player in this program, which has dialled in to the server."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from fairplay.games.fronts import Chair, Front, Person
from fairplay.games.game import find
from fairplay.player.dialing import DialInError, Hosted, dial_in_async
from fairplay.server.plans import full_time_control, seconds
from fairplay.terminal.lobby.session import Session
from fairplay.v1.table_pb2 import Table

PATIENCE_S = 60.0
RESUME_S = 10.0
"""How long the server keeps a question to this person open when the connection is lost."""


class Place:
    """A person who dials in, from being made until it is given up."""

    def __init__(self, session: Session, front: Front, table: Table, changed: Callable[[], None]) -> None:
        self.table = table.name
        self.person: Person = front.sit(
            Chair(lambda: seated(session), limit_s(table), time.monotonic, changed, session.note)
        )
        self._session = session
        self._task = asyncio.create_task(self._dial_in())

    async def _dial_in(self) -> None:
        hosted = [Hosted(self.person, self._session.lobby.me, self._session.token)]
        try:
            await dial_in_async(hosted, self._session.address, patience_s=PATIENCE_S, resume_s=RESUME_S)
        except DialInError as error:
            self._session.note(f"You cannot play from here: {error}.")

    async def give_up(self) -> None:
        """Ends the player."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def seated(session: Session) -> Sequence[str]:
    """The names of those who sit at the user's table, in order."""
    table = session.lobby.table
    return [seat.name for seat in table.seats] if table is not None else []


def limit_s(table: Table) -> float:
    """The shortest time limit that a decision has at a table."""
    control = full_time_control(find(table.game), table.time_control)
    return min(seconds(control.decision_limit), seconds(control.first_decision_limit))

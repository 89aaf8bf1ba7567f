"""Our players in the server of a course: each dials, signs up with its name, and answers what it is called."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fairplay.bridge.stream import ClosedError, Connection, NotJsonError
from fairplay.games.game import Game
from fairplay.games.kit.course import Face, Memory, read_call, shown
from fairplay.games.steps import Failure
from fairplay.server.game.plans import seconds
from fairplay.server.links.link import Link, outcome_of
from fairplay.v1.misconduct_pb2 import Overrun

DIAL_LIMIT_S = 10.0
"""For how long a server that does not listen yet is tried again."""
RETRY_S = 0.25
LINE_UP_S = 0.05
"""How long after one player the next one dials, so that they sign up in their order."""


class Joined(NamedTuple):
    """How it went for a player in a server of a course."""

    name: str
    call_count: int
    won: bool | None
    """What the server said at the end; None: it said nothing."""
    problem: str
    """Why it did not get to its end, or why that is somebody's fault; empty: it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """Where players of a game sign up, and how long they may take for a call; None: as the game says."""

    game: Game
    face: Face
    host: str
    port: int
    limit_s: float | None = None
    newline: bool = True


async def join(joining: Joining, players: Sequence[tuple[str, Link]]) -> list[Joined]:
    """Let players sign up in a server of a course, in this order, and play until it needs them no longer.

    Raises OSError if the server cannot be reached in DIAL_LIMIT_S.
    """
    playing: list[asyncio.Task[Joined]] = []
    try:
        for name, link in players:
            connection = await _dial(joining)
            connection.send(name)
            playing.append(asyncio.create_task(_Guest(joining, name, link, connection).play()))
            await asyncio.sleep(LINE_UP_S)
        return await asyncio.gather(*playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


async def _dial(joining: Joining) -> Connection:
    loop = asyncio.get_running_loop()
    ends_s = loop.time() + DIAL_LIMIT_S
    while True:
        try:
            _, connection = await loop.create_connection(
                lambda: Connection(newline=joining.newline), joining.host, joining.port
            )
        except OSError:
            if loop.time() >= ends_s:
                raise
            await asyncio.sleep(RETRY_S)
        else:
            return connection


class _Guest:
    """A player of ours and its connection to the server of a course."""

    def __init__(self, joining: Joining, name: str, link: Link, connection: Connection) -> None:
        self._joining = joining
        self._name = name
        self._link = link
        self._connection = connection
        self._memory: Memory = joining.face.remember(name)
        self._call_count = 0
        self._won: bool | None = None
        limits = joining.game.time_control
        first_s, decision_s = seconds(limits.first_decision_limit), seconds(limits.decision_limit)
        self._limit_s = max(first_s, decision_s) if joining.limit_s is None else joining.limit_s

    async def play(self) -> Joined:
        """Answer calls until the server ends the connection."""
        try:
            problem = await self._play()
        finally:
            self._connection.close()
        return Joined(self._name, self._call_count, self._won, problem)

    async def _play(self) -> str:
        """Return why the player did not get to its end; empty if it did."""
        face, connection = self._joining.face, self._connection
        while True:
            try:
                value = await connection.receive()
            except ClosedError:
                where = f"after {self._call_count} calls" if self._call_count else "before the first call"
                return "" if self._won is not None else f"the server closed the connection {where}"
            except NotJsonError as error:
                return f"the server sent {error}"
            try:
                name, arguments = read_call(value)
                request = self._memory.request(name, arguments)
            except ValueError as problem:
                return f"the server sent {shown(json.dumps(value))}: {problem}"
            self._call_count += 1
            sent = request.message.SerializeToString()
            outcome = await outcome_of(self._link, request.method.path, sent, self._limit_s)
            if not isinstance(outcome, bytes):
                return f"the player failed in {name}: {_sentence(outcome)}"
            try:
                connection.send(face.write_answer(request, request.method.response.FromString(outcome)))
            except ValueError as problem:
                return f"the player's answer in {name} cannot be said: {problem}"
            if request.method.name == face.last:
                self._won = bool(request.message.won)


def _sentence(failure: Failure) -> str:
    if isinstance(failure, Overrun):
        return f"it took longer than {seconds(failure.limit):g} s"
    return failure.message

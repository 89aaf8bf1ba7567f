"""Bridges that run until they are no longer needed."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence

from fairplay.bridge.lines import LinesPlayer
from fairplay.bridge.player import MOST_GAMES, CoursePlayer
from fairplay.bridge.pool import Pool, ProgramError, Settings, SignedUp, listen, receive_name
from fairplay.bridge.stream import ClosedError, Connection
from fairplay.games.game import Game
from fairplay.games.kit.course import Face
from fairplay.player.channels import Credentials
from fairplay.player.command import Reach, reach_player
from fairplay.player.dialing import DialInError, Hosted, dial_in_async

log = logging.getLogger("fairplay.bridge")


async def run_programs(
    game: Game,
    face: Face,
    settings: Settings,
    environment: Mapping[str, str],
    reach: Reach,
    name: str | None = None,
    most_games: int = MOST_GAMES,
) -> None:
    """Be a player whose answers come from the programs of a command, until the server needs it no longer.

    `name` is what the player says that it is called; None: as its programs sign up.
    It can be reached once the spare connections are there. Raises ProgramError if a program does not sign up then, and
    as `reach_player` does.
    """
    pool = Pool(settings, environment)
    try:
        first = await pool.fill()
        player = CoursePlayer(game, face, pool, name or first, most_games)
        await reach_player(player, reach)
    finally:
        await pool.close()


async def run_lines(game: Game, command: Sequence[str], environment: Mapping[str, str], reach: Reach) -> None:
    """Be a player whose answers come from a program that speaks lines of JSON, until the server needs it no longer.

    It can be reached once the program has answered Describe. Raises CallFailed if it does not, and as `reach_player`.
    """
    player = LinesPlayer(game, command, environment)
    try:
        await player.open()
        await reach_player(player, reach)
    finally:
        await player.close()


class _Once:
    """A connection that is there already, and no other."""

    is_coming = False

    def __init__(self, signed_up: SignedUp) -> None:
        self._signed_up = signed_up
        self.is_ready = True

    async def take(self) -> SignedUp:
        if not self.is_ready:
            closed = self._signed_up.connection.is_closed
            raise ProgramError(f"The program {'closed' if closed else 'plays no other game on'} its connection.")
        self.is_ready = False
        return self._signed_up


async def bring_in(
    game: Game,
    face: Face,
    address: tuple[str, int],
    server: str,
    token: str,
    credentials: Credentials | None,
    name_pattern: str,
    *,
    newline: bool = True,
    ready: Callable[[int], None] = lambda port: None,
) -> None:
    """Listen on an address as the course's server does, and let whoever signs up dial in to a server under its name.

    Runs until cancelled; `ready` is called with the port. What goes wrong with a program is logged, in one sentence.
    """
    tasks = set[asyncio.Task[None]]()

    def arrive() -> Connection:
        connection = Connection(newline=newline)
        task = asyncio.create_task(bring(connection))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        return connection

    async def bring(connection: Connection) -> None:
        try:
            name = await receive_name(connection, name_pattern)
            log.info("%s signs up", name)
            player = CoursePlayer(game, face, _Once(SignedUp(name, connection)), name)
            dialing = asyncio.create_task(dial_in_async([Hosted(player, name, token)], server, credentials=credentials))
            closed = asyncio.create_task(connection.closed.wait())
            try:
                await asyncio.wait({dialing, closed}, return_when=asyncio.FIRST_COMPLETED)
                if dialing.done():
                    dialing.result()
            finally:
                closed.cancel()
                dialing.cancel()
                await asyncio.gather(dialing, return_exceptions=True)
        except (ProgramError, ClosedError, DialInError) as error:
            log.error("%s", error)
        finally:
            connection.close()

    port, listening = await listen(arrive, address[1], address[0])
    ready(port)
    try:
        await asyncio.Event().wait()
    finally:
        for each in listening:
            each.close()
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)

"""What a person does in the lobby and sees there: all of the program but the screen."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from google.protobuf.message import Message
from rich.text import Text

from fairplay.client import inputs
from fairplay.client.errors import UsageError
from fairplay.client.lobby import keys
from fairplay.client.lobby.client import ConnectionState, LobbyClient
from fairplay.client.lobby.games import PROGRAM_LINKS, frontend_of
from fairplay.client.lobby.table import LocalPlayer, Spectator
from fairplay.client.wording import harmless, heading, missing, places, plain
from fairplay.games.frontends import GameView, HumanPlayer, Key
from fairplay.v1.table_pb2 import Table, TableStatus

BOT = "bot:"
MOST_SEATS = 1000
"""More than any table has: the server gives bots as many seats as are free."""
NUMBER = re.compile(r"[0-9]{1,4}")


class TableView(NamedTuple):
    """The table where the user is, as it is shown. The texts are harmless."""

    heading: str
    board: Text
    side: Text
    status: Text
    talk: Text
    keys: Sequence[Key]
    takes_letters: bool
    ticking: bool


class LobbyController:
    """Does in the lobby what a person wants. `on_change` is called when something else is to be seen.

    Actions return the sentence that refuses them, or an empty text, as the requests of the client do.
    """

    def __init__(self, client: LobbyClient, on_change: Callable[[], None]) -> None:
        self.client = client
        self._on_change = on_change
        self._player: LocalPlayer | None = None
        self._joining = ""
        self._program_at = ""
        self._closed = False
        self._spectator: Spectator | None = None
        self._spectating: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def person(self) -> HumanPlayer | None:
        """Return the player of the person who plays by hand, or None."""
        return self._player.person if self._player is not None else None

    @property
    def spectator(self) -> Spectator | None:
        """Return who watches the game of the table, or None if there is none."""
        return self._spectator

    def follow(self) -> None:
        """Follow a change of the lobby: sit down or stand up, and watch the game of the table."""
        if self._closed:
            return
        table = self.client.lobby.table
        if table is not None and table.name == self._joining and self.client.lobby.seat is not None:
            self._joining = ""
        if not self._joining:
            self._sit(table)
        self._spectate(table)
        self._on_change()

    def _sit(self, table: Table | None) -> None:
        """Have a local player while the user has a seat that is not played by a program, also after a restart."""
        seated = table is not None and self.client.lobby.seat is not None and table.name != self._program_at
        frontend = frontend_of(table.game) if table is not None and seated else None
        player, me = self._player, self.client.lobby.me
        if player is not None and (
            table is None or frontend is None or (player.table, player.name) != (table.name, me)
        ):
            self._stand_up()
        if self._player is None and table is not None and frontend is not None:
            self._player = LocalPlayer(self.client, frontend, table, self._on_change)

    def _spectate(self, table: Table | None) -> None:
        wanted = table.game_id if table is not None else ""
        if self._spectator is not None and self._spectator.game_id == wanted:
            return
        if self._spectating is not None:
            self._spectating.cancel()
            self._keep_until_ended(self._spectating)
            self._spectating = self._spectator = None
        if table is not None and wanted:
            self._spectator = Spectator(self.client.channel, table.game, wanted, self._see, self.client.note)
            self._spectating = asyncio.create_task(self._spectator.watch())

    def _see(self, state: Message) -> None:
        if self._player is not None:
            self._player.person.update(state)
        self._on_change()

    def _stand_up(self) -> None:
        if self._player is not None:
            self._keep_until_ended(asyncio.create_task(self._player.stop()))
            self._player = None

    def _keep_until_ended(self, task: asyncio.Task[None]) -> None:
        """Keep a task that is about to end until it has ended."""
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close(self, *, keep_seat: bool = False) -> None:
        """Leave the lobby, and end the local player and the spectator; with `keep_seat`, leave no seat."""
        self._closed = True
        seated = self.client.lobby.seat is not None
        self._stand_up()
        self._spectate(None)
        await asyncio.gather(*self._ending, return_exceptions=True)
        await (self.client.close() if keep_seat and seated else self.client.leave())

    # --- actions ---

    async def make_table(self, game: str, name: str, settings: str, limit: str, players: str = "") -> str:
        """Make a table. Settings are KEY=VALUE with spaces between, the limit is e.g. 1m; all but names may be empty.

        With a number of players the game starts when so many have joined.
        """
        try:
            seat_count = _number(players, "players")
            found = inputs.find_game(game)
            chosen = inputs.parse_settings(found, settings.split(), None, None) if settings.split() else None
            control = inputs.parse_time_control(limit.strip() or None, None, None)
        except UsageError as error:
            return str(error).removeprefix("--set ").removeprefix("--limit ")
        return await self.client.create(name.strip(), game, chosen, control if limit.strip() else None, seat_count)

    async def rename(self, name: str) -> str:
        """Go on under another name; who plays by hand then dials in under that."""
        return await self.client.rename(name.strip()) if name.strip() else "Give a name."

    async def change_ready(self) -> str:
        """Say that the user is ready, or is not if it was."""
        return await self.client.set_ready(not self.client.lobby.ready)

    async def join(self, table: Table, link: str) -> str:
        """Join with the program that a link names; without a link the person plays, if the game has a front end."""
        if link.strip():
            refusal = await self.client.join(table.name, link.strip())
            self._program_at = self._program_at if refusal else table.name
            return refusal
        frontend = frontend_of(table.game)
        if frontend is None:
            return f"{plain(table.game)} cannot be played by hand here: give the link of a program, {PROGRAM_LINKS}"
        self._stand_up()
        self._player, self._joining, self._program_at = (
            LocalPlayer(self.client, frontend, table, self._on_change),
            table.name,
            "",
        )
        refusal = await self.client.join(table.name)
        if refusal:
            self._joining = ""
        self.follow()
        return refusal

    async def set_bots(self, count: str, strategy: str) -> str:
        """Give so many seats of the table to bots; an empty strategy is the game's first."""
        number = count.strip()
        if not (number.isascii() and number.isdigit()):
            return f"The number of bots is {plain(number) or 'empty'}: it must be a whole number, e.g. 1."
        chosen = strategy.strip().removeprefix(BOT)
        return await self.client.set_bots(min(int(number), MOST_SEATS), f"{BOT}{chosen}" if chosen else "")

    def press(self, key: str) -> bool:
        """Give a key to the game, and return whether it means anything there."""
        return self._player is not None and self._player.person.press(key)

    # --- what is shown ---

    def table_view(self) -> TableView | None:
        """Return the table where the user is, or None if it is at none."""
        lobby = self.client.lobby
        table = lobby.table
        if table is None:
            return None
        view = self._played(table, self._player) if self._player is not None else self._watched(table)
        lines = []
        for speaker, text in self.client.lobby.talk:
            lines.append(Text.assemble((f"{speaker}: ", "bold"), text) if speaker else Text(text, "dim"))
        return TableView(
            heading(table),
            harmless(view.board),
            harmless(view.side),
            harmless(view.status),
            Text("\n").join(lines),
            [*view.keys, *(() if view.takes_letters else keys.at_table(lobby))],
            view.takes_letters,
            view.ticking,
        )

    def _played(self, table: Table, player: LocalPlayer) -> GameView:
        """Return the table as the person sees it; until the first game begins, as everybody does."""
        view = player.person.view()
        return _with_watchers(view, table) if view.board else self._watched(table)._replace(status=view.status)

    def _watched(self, table: Table) -> GameView:
        frontend, spectator = frontend_of(table.game), self._spectator
        seated = self.client.lobby.seat is not None and table.status != TableStatus.TABLE_STATUS_RUNNING
        status = "You have a seat." if seated else "You watch."
        if spectator is None or spectator.state is None:
            return GameView(waiting(table), listed(table), status)
        if frontend is not None:
            return _with_watchers(frontend.view_of(spectator.state, spectator.names), table)
        return GameView(spectator.board(), listed(table), status)

    def trouble(self) -> str:
        """Return what is wrong with the connection; empty if nothing is."""
        connection = self.client.connection
        return connection.sentence if connection.state is ConnectionState.AWAY else ""


def _with_watchers(view: GameView, table: Table) -> GameView:
    watchers = Text("\n".join(f"  {plain(name)} watches" for name in table.watchers)).markup
    return view._replace(side=f"{view.side}\n\n{watchers}") if watchers else view


def listed(table: Table) -> str:
    """Return who is at a table, in rich's markup."""
    return Text("\n".join(places(table))).markup


def waiting(table: Table) -> str:
    """Return what stands in place of a board, in rich's markup."""
    if table.status == TableStatus.TABLE_STATUS_RUNNING:
        return "The first board is on its way."
    return Text(missing(table)).markup


def _number(text: str, what: str) -> int:
    """Return a number that was typed, 0 for an empty text. Raises UsageError for any other text."""
    if not text.strip():
        return 0
    if not NUMBER.fullmatch(text.strip()):
        raise UsageError(f"{plain(text.strip())!r} is not a number of {what}: give e.g. 3")
    return int(text)

"""Links from the texts that say how players are reached."""

from __future__ import annotations

import asyncio
import re
import shlex
from dataclasses import dataclass

from fairplay.games.game import Game
from fairplay.player.handlers import describe
from fairplay.server.errors import Refusal
from fairplay.server.links.bot import BotLink
from fairplay.server.links.dial_in import NAME, Hub, dial_in_link
from fairplay.server.links.dial_out import dial_out_link
from fairplay.server.links.link import Clock, DeadLink, Link, disconnected
from fairplay.server.links.process import process_link
from fairplay.v1.game_pb2 import Player

FORMS = "grpc://HOST:PORT, dial-in:NAME, exec:COMMAND or bot:STRATEGY"
TARGET = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:/]+):(\d{1,5})")
START_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Spec:
    """How a player is reached: the kind ("grpc", "dial-in", "exec" or "bot") and the text after the colon."""

    kind: str
    value: str


def parse_link(text: str) -> Spec:
    """Read a link. Raises ValueError, with a sentence that says what a link looks like, if the text is not one."""
    kind, colon, value = text.partition(":")
    if not colon or not value or kind not in ("grpc", "dial-in", "exec", "bot"):
        raise ValueError(f"{text!r} is not a way to reach a player: give {FORMS}")
    if kind == "grpc":
        value = value.removeprefix("//")
        match = TARGET.fullmatch(value)
        if match is None or not 0 < int(match[2]) < 65_536:
            raise ValueError(f"{text!r} is not an address: give grpc://HOST:PORT")
    if kind == "exec":
        _check_command(value)
    if kind == "dial-in" and not NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not a name to dial in with: 1 to 64 letters, digits, '-', '_' or '.'")
    return Spec(kind, value)


def _check_command(command: str) -> None:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} cannot be read: {str(error).lower()}") from None
    if not words:
        raise ValueError("exec: needs a command: give exec:COMMAND")


class Links:
    """The links for games and tournaments of this server."""

    def __init__(self, hub: Hub, clock: Clock, *, allow_exec: bool, start_limit_s: float = START_LIMIT_S) -> None:
        self._hub = hub
        self._clock = clock
        self._allow_exec = allow_exec
        self._start_limit_s = start_limit_s
        self.address = ""
        self._opening: set[asyncio.Task[Link]] = set()
        self._given_up = False

    def check(self, player: Player, game: Game, field: str) -> None:
        """Check that a player's link can be used here. Raises Refusal, which names `field`, if it cannot."""
        try:
            spec = parse_link(player.link)
            if spec.kind == "bot":
                game.player(spec.value)
        except ValueError as error:
            raise Refusal("INVALID_LINK", str(error), f"{field}.link") from None
        if spec.kind == "exec" and not self._allow_exec:
            message = "this server does not start programs for others: have the player serve or dial in, "
            raise Refusal("EXEC_NOT_ALLOWED", message + "or start the server with --allow-exec", f"{field}.link")

    def identify(self, player: Player, game: Game) -> Player:
        """Return who a checked player is: its name, and its description where the server knows it."""
        spec = parse_link(player.link)
        description = None
        if spec.kind == "bot":
            description = describe(game.player(spec.value))
        elif spec.kind == "dial-in":
            description = self._hub.description(spec.value)
        return Player(name=player.name, description=description)

    def gone(self, why: str) -> Link:
        """Return the link to a player that has left: every call fails at once."""
        return DeadLink(self._clock, disconnected(why))

    def give_up(self) -> None:
        """Wait for no player any more: the server shuts down."""
        self._given_up = True
        for opening in self._opening:
            opening.cancel()

    async def open(self, player: Player, game: Game) -> Link:
        """Return the link to a checked player. If the player cannot be reached in time, all calls of the link fail."""
        opening = asyncio.ensure_future(self._open(player, game))
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            return await opening
        except asyncio.CancelledError:
            if not self._given_up:
                raise
            return DeadLink(self._clock, disconnected("the server shuts down"))

    async def _open(self, player: Player, game: Game) -> Link:
        spec = parse_link(player.link)
        if spec.kind == "grpc":
            return await dial_out_link(self._clock, spec.value, self._start_limit_s)
        if spec.kind == "dial-in":
            return await dial_in_link(self._hub, self._clock, spec.value, self._start_limit_s)
        if spec.kind == "bot":
            return BotLink(self._clock, game.player(spec.value))
        try:
            return await process_link(
                self._hub, self._clock, player.name, spec.value, self.address, self._start_limit_s
            )
        except (OSError, ValueError) as error:
            return DeadLink(self._clock, disconnected(f"the command cannot be started: {error}"))

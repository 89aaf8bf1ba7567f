"""How the players of seats are reached: which links a user may give, and whether those who dial in are there."""

from __future__ import annotations

from fairplay.server.links.dial_in import Hub
from fairplay.server.links.opening import Links
from fairplay.server.links.spec import parse_link
from fairplay.server.lobby.table import Table
from fairplay.server.lobby.text import bot_name
from fairplay.server.lobby.users import User
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player


class SeatLinks:
    """Checks the links of seats."""

    def __init__(self, links: Links, hub: Hub) -> None:
        self._links = links
        self._hub = hub

    def check(self, user: User, table: Table, link: str, *, by_visitor: bool = False) -> None:
        """Raise Refusal if a user may not have this link, or its player is not there."""
        self._check_link(user.name, table, link)
        if by_visitor:
            self._links.check_visitor(link, "link")
        spec = parse_link(link)
        if spec.kind == "dial-in":
            self._check_here(spec.value)
            if spec.value != user.name and not self._hub.holds(spec.value, user.token):
                message = f"{spec.value} has not dialled in with your token: only who has dialled in with it may play"
                raise Refusal("WRONG_TOKEN", message, "link")

    def check_bot(self, table: Table, link: str) -> str:
        """Return the link of bots, by default of the game's first strategy. Raises Refusal if it is not one."""
        link = link or f"bot:{next(iter(table.game.strategies))}"
        if not link.startswith("bot:"):
            message = f"{link[:80]!r} is not the link of a bot: give bot:STRATEGY"
            raise Refusal("INVALID_LINK", message, "link")
        self._check_link(bot_name(1), table, link)
        return link

    def _check_link(self, name: str, table: Table, link: str) -> None:
        try:
            self._links.check(Player(name=name, link=link), table.game, "")
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.message, "link") from None

    def check_all_here(self, table: Table) -> None:
        """Raise Refusal if a player of a table that dials in is not there."""
        for spec in (parse_link(seat.link) for seat in table.seats):
            if spec.kind == "dial-in":
                self._check_here(spec.value)

    def _check_here(self, name: str) -> None:
        if not self._hub.here(name):
            message = f"no player has dialled in under the name {name}: have it dial in first, or give its address"
            raise Refusal("NOT_DIALLED_IN", message)

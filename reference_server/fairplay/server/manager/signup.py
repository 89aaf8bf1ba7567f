"""The sign-up of a tournament: who may enter, and the periods in which it stays open (fish.md section 8)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.game import find
from fairplay.server.game.plans import CheckLink, seconds
from fairplay.server.links.dial_in import Hub, same
from fairplay.server.links.spec import NAME, parse_link
from fairplay.server.manager import states
from fairplay.server.manager.names import NamePattern
from fairplay.server.net.errors import Refusal
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import SignUpPolicy, Tournament


class Timer(Protocol):
    """Handle of a scheduled callback."""

    def cancel(self) -> None:
        """Cancel the callback."""


Later = Callable[[float, Callable[[], None]], Timer]
"""Call a function after some seconds, as an event loop's call_later does."""


class SignUp:
    """The sign-up of one tournament: who may enter and who may leave, by the tokens of those who signed up here."""

    def __init__(self, message: Tournament, hub: Hub, check_link: CheckLink) -> None:
        self._message = message
        self._hub = hub
        self._check_link = check_link
        self._game = find(message.plan.game)
        self._pattern = NamePattern(message.plan.sign_up.name_pattern)
        self._tokens: dict[str, str] = {}
        self._examined = {
            each.player.name: each.player.link for each in message.examinations if each.status == states.EXAMINING
        }
        self._links = {player.name: player.link for player in states.in_order_of_sign_up(message)}
        self._named = frozenset(player.name for player in message.plan.entrants)
        self._pinned: dict[str, str] = {}
        for name, link in self._links.items():
            self._pin(name, link)

    @property
    def full(self) -> bool:
        """Return whether no further player may enter."""
        return len(self._message.entrants) >= self._message.plan.sign_up.max_entrant_count

    def repeats(self, player: Player, token: str) -> bool:
        """Return whether this very player has entered already."""
        return self._links.get(player.name) == player.link and self._shows(player.name, token)

    def is_examined(self, player: Player, token: str) -> bool:
        """Return whether this very player is being examined."""
        return self._examined.get(player.name) == player.link and self._shows(player.name, token)

    def _shows(self, name: str, token: str) -> bool:
        return same(self._tokens.get(name, token), token)

    def number(self, name: str) -> int:
        """Return the number of an entrant in the order of sign-up, from 1."""
        return 1 + [*self._links].index(name)

    def examine(self, player: Player, token: str) -> None:
        """Keep the name of a player that is going to be examined, and its token."""
        self._examined[player.name] = player.link
        self._tokens[player.name] = token

    def refuse(self, name: str) -> None:
        """Forget a player that has been examined, and is not let in."""
        del self._examined[name]
        self._tokens.pop(name, None)

    def enter(self, player: Player, token: str) -> None:
        """Add a player that has been checked, and keep its token; one that has been examined has shown its own."""
        self._message.entrants.append(player)
        self._links[player.name] = player.link
        if self._examined.pop(player.name, None) is None:
            self._tokens[player.name] = token
        self._pin(player.name, player.link)

    def check(self, player: Player, token: str) -> None:
        """Check that a player may enter. Raises Refusal if it may not."""
        if not NAME.fullmatch(player.name) or not self._pattern.matches(player.name):
            allowed = self._message.plan.sign_up.name_pattern
            message = f"{player.name!r} is not a name for this tournament: names must match {allowed}"
            raise Refusal("NAME_INVALID", message, "player.name")
        wanted = player.name.lower()
        other = next((name for name in (*self._links, *self._examined) if name.lower() == wanted), None)
        if other is not None:
            message = f"the name {other} is taken in this tournament: choose another one"
            raise Refusal("NAME_TAKEN", message, "player.name")
        self._check_link(player, self._game, "player")
        self._check_dialled_in(player, token)

    def entered(self, name: str) -> bool:
        """Return whether a player of this name is in."""
        return name in self._links

    def leave(self, name: str) -> None:
        """Remove an entrant and forget its token."""
        del self._message.entrants[self.number(name) - 1]
        del self._links[name]
        self._tokens.pop(name, None)
        self._unpin(name)

    def release(self) -> None:
        """Let the names under which entrants dial in be forgotten again: the tournament is over."""
        for name in [*self._pinned]:
            self._unpin(name)

    def _pin(self, entrant: str, link: str) -> None:
        name = _dial_in_name(link)
        if name is not None:
            self._pinned[entrant] = name
            self._hub.pin(name)

    def _unpin(self, entrant: str) -> None:
        name = self._pinned.pop(entrant, None)
        if name is not None:
            self._hub.unpin(name)

    def _check_dialled_in(self, player: Player, token: str) -> None:
        name = _dial_in_name(player.link)
        if name is None:
            return
        if not self._hub.here(name):
            message = f"{name} has not dialled in: have the player dial in first, then sign it up"
            raise Refusal("INVALID_LINK", message, "player.link")
        if not self._hub.belongs(name, player.account) and not self._hub.holds(name, token):
            raise Refusal("WRONG_TOKEN", f"the token is not the one with which {name} dialled in", "token")

    def check_leaving(self, name: str, token: str, *, trusted: bool = False) -> None:
        """Check that an entrant may leave again. Raises Refusal if the token is not the one of its sign-up.

        `trusted`: the name is known to be that of the caller, whatever the token.
        """
        if name in self._named:
            message = f"{name} was entered by the creator of the tournament, who alone can leave it out"
            raise Refusal("WRONG_TOKEN", message, "name")
        if trusted:
            return
        if name not in self._tokens:
            self._check_dialled_in_again(name, token)
        elif not same(self._tokens[name], token):
            raise Refusal("WRONG_TOKEN", f"the token is not the one with which {name} signed up", "token")

    def _check_dialled_in_again(self, entrant: str, token: str) -> None:
        # The server was started again since. Tokens are in no record, but a player that dials in shows its own.
        name = _dial_in_name(self._links.get(entrant) or self._examined[entrant])
        if name is None or not self._hub.holds(name, token):
            message = f"the server was started again since {entrant} signed up and does not know its token any more"
            if name is not None:
                message += f", unless {name} dials in with it"
            raise Refusal("WRONG_TOKEN", message, "token")

    def check_enough(self) -> None:
        """Check that enough players have entered. Raises Refusal if too few have.

        A tournament that nobody signed up for needs no more players than a game does.
        """
        entered = len(self._message.entrants)
        least = self._message.plan.sign_up.min_entrant_count
        if entered == len(self._named):
            least = min(least, self._game.seats.start)
        if entered < least:
            message = f"the tournament needs {least} entrants to start and has {entered}: {least - entered} are missing"
            raise Refusal("TOO_FEW_ENTRANTS", message)


def _dial_in_name(link: str) -> str | None:
    spec = parse_link(link)
    return spec.value if spec.kind == "dial-in" else None


class Periods:
    """The waiting periods of a sign-up, one after the other. `end_time`: when the current one ends, if there is one."""

    def __init__(self, policy: SignUpPolicy, later: Later, ended: Callable[[bool], None]) -> None:
        self._policy = policy
        self._later = later
        self._ended = ended
        self._timer: Timer | None = None
        self._left = policy.period_count
        self.end_time: Timestamp | None = None

    @property
    def bounded(self) -> bool:
        """Return whether there are periods; otherwise the sign-up stays open until a request closes it."""
        return seconds(self._policy.waiting_period) > 0

    def begin(self) -> None:
        """Begin the next period. When it is over, `ended` is called with whether it was the last one."""
        if self.bounded:
            self._left -= 1
            self._timer = self._later(seconds(self._policy.waiting_period), self._over)
            end_ns = time.time_ns() + self._policy.waiting_period.ToNanoseconds()
            self.end_time = Timestamp()
            self.end_time.FromNanoseconds(end_ns)

    def _over(self) -> None:
        self._timer = self.end_time = None
        self._ended(self._left == 0)

    def stop(self) -> None:
        """End the current period without calling `ended`."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = self.end_time = None

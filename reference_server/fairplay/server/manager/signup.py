"""The time in which a tournament takes players: sign-ups, withdrawals, examinations, periods (fish.md section 8)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.game import find
from fairplay.games.kit.names import describe_names
from fairplay.server.examining.suite import Finding
from fairplay.server.game.plans import seconds
from fairplay.server.links.dial_in import cut, same
from fairplay.server.links.spec import NAME, parse_link
from fairplay.server.manager import admission, states
from fairplay.server.manager.driver import Services
from fairplay.server.manager.plan import NamePattern, check_format
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import RecordsError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.record_pb2 import TournamentChange
from fairplay.v1.tournament_pb2 import Examination, SignUpPolicy, Tournament

log = logging.getLogger("fairplay.manager")


class Timer(Protocol):
    """Handle of a scheduled callback."""

    def cancel(self) -> None:
        """Cancel the callback."""


Later = Callable[[float, Callable[[], None]], Timer]
"""Call a function after some seconds, as an event loop's call_later does."""


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


class SignUp:
    """The sign-up of one tournament: it lets players in and out again, and has them examined.

    Players are known by the tokens of those who signed up here. `change` records a change, and `tell` tells the
    watchers; `start` closes the sign-up and starts the tournament, and `abandon` ends it for a reason.
    """

    def __init__(
        self,
        message: Tournament,
        services: Services,
        later: Later,
        change: Callable[[TournamentChange], None],
        tell: Callable[[WatchTournamentResponse], None],
        start: Callable[[], None],
        abandon: Callable[[str], None],
    ) -> None:
        self.periods = Periods(message.plan.sign_up, later, self._period_ended)
        self._message = message
        self._policy = message.plan.sign_up
        self._services = services
        self._change = change
        self._tell = tell
        self._start = start
        self._abandon = abandon
        self._game = find(message.plan.game)
        self._pattern = NamePattern(self._policy.name_pattern)
        self._tokens: dict[str, str] = {}
        self._examined = {
            each.player.name: each.player.link for each in message.examinations if each.status == states.EXAMINING
        }
        self._examining: dict[str, asyncio.Task[None]] = {}
        self._links = {player.name: player.link for player in states.in_order_of_sign_up(message)}
        self._named = frozenset(player.name for player in message.plan.entrants)
        self._pinned: dict[str, str] = {}
        for name, link in self._links.items():
            self._pin(name, link)
        self._overdue: bool | None = None
        """Whether it was the last period that is over, where that waits for examinations."""

    def begin(self) -> None:
        """Open the sign-up; if all entrants are there already, its first period is over at once."""
        self.identify_all()
        if self._full and (self.periods.bounded or states.signed_up(self._message)):
            self._start()
        else:
            self.periods.begin()

    def check_start(self) -> None:
        """Raise Refusal if too few have entered to start, or those who have cannot play in the format."""
        self.check_enough()
        check_format(self._message.plan, self._message.entrants)

    def check_enough(self) -> None:
        """Check that enough players have entered. Raises Refusal if too few have.

        A tournament that nobody signed up for needs no more players than a game does.
        """
        entered, least = len(self._message.entrants), self._policy.min_entrant_count
        if entered == len(self._named):
            least = min(least, self._game.seats.start)
        if entered < least:
            message = f"the tournament needs {least} entrants to start and has {entered}: {least - entered} are missing"
            raise Refusal("TOO_FEW_ENTRANTS", message, given=entered, limit=least)

    def identify_all(self) -> None:
        """Add the descriptions of the entrants that have none yet: one may have dialled in since it was named."""
        for player in self._message.entrants:
            self._identify(player)

    def _identify(self, player: Player) -> None:
        if not player.HasField("description"):
            player.MergeFrom(self._services.links.identify(player, self._game))

    # --- the end ---

    def close(self) -> None:
        """Take nobody any more, and examine nobody."""
        self.periods.stop()
        for task in self._examining.values():
            task.cancel()

    async def suspend(self) -> None:
        """Leave the sign-up where it is, and wait for the end of what was examined."""
        self.close()
        await asyncio.gather(*self._examining.values(), return_exceptions=True)

    def release(self) -> None:
        """Let the names under which entrants dial in be forgotten again: the tournament is over."""
        for name in [*self._pinned]:
            self._unpin(name)

    def _period_ended(self, last: bool) -> None:
        if self._examining:
            self._overdue = last
            return
        entered, needed = len(self._message.entrants), self._policy.min_entrant_count
        try:
            if entered >= needed:
                self._start()
            elif last:
                self._abandon(f"too few entered: {entered}, where at least {needed} are needed")
            else:
                self.periods.begin()
        except RecordsError as error:
            self._stuck(error)

    def _end_overdue_period(self) -> None:
        """End the period that has waited for examinations, if one has and they are over."""
        if self._overdue is not None and not self._examining and self._message.status == states.SIGN_UP:
            last, self._overdue = self._overdue, None
            self._period_ended(last)

    def _stuck(self, error: RecordsError) -> None:
        log.error("the sign-up of tournament %s cannot go on: %s", self._message.tournament_id, error)

    # --- in ---

    def sign_up(self, player: Player, token: str, secret: str) -> int:
        """Enter a player, and return its number; the last one that may enter closes the sign-up.

        `secret` is the player's own, with which it is called; a repeat does not change it.
        Raises Refusal if it may not enter.
        """
        if self._repeats(player, token):
            return 1 + [*self._links].index(player.name)
        self._check(player, token)
        self._identify(player)
        self._keep_secret(player, secret)
        number = len(self._message.entrants) + 1
        self._enter(player, token)
        return number

    def _enter(self, player: Player, token: str) -> None:
        """Enter a player that has been checked, and start if it is the last one that may enter.

        One that has been examined has shown its token before.
        """
        self._change(TournamentChange(signed_up=player))
        self._message.entrants.append(player)
        self._links[player.name] = player.link
        if self._examined.pop(player.name, None) is None:
            self._tokens[player.name] = token
        self._pin(player.name, player.link)
        states.drop_examination(self._message, player.name)
        self._tell(WatchTournamentResponse(signed_up=player))
        if self._full:
            self._start()

    @property
    def _full(self) -> bool:
        return len(self._message.entrants) >= self._policy.max_entrant_count

    def _repeats(self, player: Player, token: str) -> bool:
        """Return whether this very player has entered already."""
        return self._links.get(player.name) == player.link and self._shows(player.name, token)

    def _shows(self, name: str, token: str) -> bool:
        return same(self._tokens.get(name, token), token)

    def _keep_secret(self, player: Player, secret: str) -> None:
        self._services.links.secrets.keep(self._message.tournament_id, {player.name: secret} if secret else {})

    def _check(self, player: Player, token: str) -> None:
        """Check that a player may enter. Raises Refusal if it may not."""
        self._check_open()
        if self._full:
            most = self._policy.max_entrant_count
            raise Refusal(
                "SIGN_UP_CLOSED", "the tournament is full: nobody else may enter", "tournament_id", limit=most
            )
        if self._overdue is not None:
            message = "the period of the sign-up is over: the tournament waits only for examinations that have begun"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")
        if not NAME.fullmatch(player.name) or not self._pattern.matches(player.name):
            allowed = self._policy.name_pattern
            message = f"{player.name!r} is not a name for this tournament: give {describe_names(allowed)}"
            raise Refusal("NAME_INVALID", message, "player.name", given=player.name, allowed=allowed)
        wanted = player.name.lower()
        other = next((name for name in (*self._links, *self._examined) if name.lower() == wanted), None)
        if other is not None:
            message = f"the name {other} is taken in this tournament: choose another one"
            raise Refusal("NAME_TAKEN", message, "player.name", given=player.name)
        self._services.links.check(player, self._game, "player")
        self._check_dialled_in(player, token)

    def _check_open(self) -> None:
        if self._message.status != states.SIGN_UP:
            message = "the sign-up is closed: the tournament has started or is over"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")

    def _check_dialled_in(self, player: Player, token: str) -> None:
        name = _dial_in_name(player.link)
        if name is None:
            return
        hub = self._services.hub
        if not hub.here(name):
            message = f"{name} has not dialled in: have the player dial in first, then sign it up"
            raise Refusal("INVALID_LINK", message, "player.link", given=name)
        if not hub.belongs(name, player.account) and not hub.holds(name, token):
            message = f"the token is not the one with which {name} dialled in: start it again with this one"
            raise Refusal("WRONG_TOKEN", message, "token")

    def _pin(self, entrant: str, link: str) -> None:
        name = _dial_in_name(link)
        if name is not None:
            self._pinned[entrant] = name
            self._services.hub.pin(name)

    def _unpin(self, entrant: str) -> None:
        name = self._pinned.pop(entrant, None)
        if name is not None:
            self._services.hub.unpin(name)

    # --- certificates and examinations ---

    async def check_certificate(self, player: Player, token: str, certificate: bytes, secret: str) -> Player:
        """Check the certificate of a player, where the tournament asks for one, and that it is about this player.

        Return what is known by that: the player's description of itself, and the certificate; nothing where none is
        asked for. Raises Refusal if the certificate does not serve, or the player may not enter for another reason.
        """
        if not self._policy.HasField("certificate") or self._repeats(player, token):
            return Player()
        if self._examines and player.link.startswith("bot:"):
            return Player()
        self._check(player, token)
        plan = self._message.plan
        certified = admission.check_certificate(certificate, plan, admission.utc_now())
        description = await admission.describe(player, plan, self._services.links, secret)
        admission.check_player(certified, description)
        return Player(description=cut(description), certificate=admission.shown(certified, certificate))

    @property
    def _examines(self) -> bool:
        return self._policy.certificate.HasField("examination")

    def examine(self, player: Player, token: str, certificate: bytes, secret: str) -> Examination | None:
        """Begin to examine a player, where the tournament asks for that, and return where its examination stands.

        None: it need not be examined. Raises Refusal if it may not enter, or cannot be examined.
        """
        if self._examined.get(player.name) == player.link and self._shows(player.name, token):
            return states.examining(player)
        if not self._examines or self._repeats(player, token):
            return None
        self._check(player, token)
        if not self._needs_examination(player, certificate):
            return None
        self._services.examiner.turns.check_room(player.account)
        self._keep_secret(player, secret)
        self._change(TournamentChange(examination=states.examining(player)))
        self._examined[player.name] = player.link
        self._tokens[player.name] = token
        self._tell(WatchTournamentResponse(examination=states.examining(player)))
        return self._begin_examination(player, secret)

    def _needs_examination(self, player: Player, certificate: bytes) -> bool:
        """Return whether a player with a valid link has to be examined."""
        trusted = certificate and self._policy.certificate.signer_keys
        return parse_link(player.link).kind != "bot" and not trusted

    def examine_again(self) -> None:
        """Examine those again who were being examined when the server ended."""
        if self._message.status == states.SIGN_UP:
            for each in [each for each in self._message.examinations if each.status == states.EXAMINING]:
                secret = self._services.links.secrets.of(self._message.tournament_id, each.player.name)
                self._begin_examination(each.player, secret)

    def _begin_examination(self, player: Player, secret: str) -> Examination:
        examination = states.examining(player)
        states.put_examination(self._message, examination)
        examined = Player()
        examined.CopyFrom(player)
        self._examining[player.name] = asyncio.create_task(self._examine(examined, secret))
        return examination

    async def _examine(self, player: Player, secret: str) -> None:
        """Examine a player, and let it in if it has passed."""
        finding = await self._services.examiner.examine(player, self._message.plan, secret)
        del self._examining[player.name]
        try:
            self._decide(player, finding)
            self._end_overdue_period()
        except RecordsError as error:
            self._stuck(error)

    def _decide(self, player: Player, finding: Finding) -> None:
        if finding.reason:
            refused = states.refused(player, finding.case_id, finding.reason)
            self._change(TournamentChange(examination=refused))
            states.put_examination(self._message, refused)
            self._forget(player.name)
            self._tell(WatchTournamentResponse(examination=refused))
        else:
            player.description.CopyFrom(finding.description)
            player.certificate.CopyFrom(admission.examined(admission.utc_now(), self._policy.certificate.profile))
            self._enter(player, "")

    def _forget(self, name: str) -> None:
        """Forget a player that was examined or has entered, and is out again."""
        if self._examined.pop(name, None) is None:
            del self._message.entrants[[*self._links].index(name)]
            del self._links[name]
            self._unpin(name)
        self._tokens.pop(name, None)
        self._services.links.secrets.forget(self._message.tournament_id, name)

    # --- out ---

    def withdraw(self, name: str, token: str, *, trusted: bool = False) -> None:
        """Take a player out again; `trusted`: whatever the token. Raises Refusal if it may not leave."""
        self._check_open()
        examined = states.is_examined(self._message, name)
        if not examined and name not in self._links:
            return
        self._check_leaving(name, token, trusted=trusted)
        self._change(TournamentChange(withdrawn=name))
        if examined:
            states.drop_examination(self._message, name)
            if (task := self._examining.pop(name, None)) is not None:
                task.cancel()
        self._forget(name)
        self._tell(WatchTournamentResponse(withdrawn=name))
        self._end_overdue_period()

    def _check_leaving(self, name: str, token: str, *, trusted: bool) -> None:
        """Raise Refusal if the token is not the one of the sign-up of an entrant, or its name is not to be left out."""
        if name in self._named:
            message = f"{name} was entered by the creator of the tournament, who alone can leave it out"
            raise Refusal("WRONG_TOKEN", message, "name", given=name)
        if trusted:
            return
        if name not in self._tokens:
            self._check_dialled_in_again(name, token)
        elif not same(self._tokens[name], token):
            raise Refusal("WRONG_TOKEN", f"the token is not the one with which {name} signed up", "token")

    def _check_dialled_in_again(self, entrant: str, token: str) -> None:
        # The server was started again since. Tokens are in no record, but a player that dials in shows its own.
        name = _dial_in_name(self._links.get(entrant) or self._examined[entrant])
        if name is None or not self._services.hub.holds(name, token):
            message = f"the server was started again since {entrant} signed up and does not know its token any more"
            if name is not None:
                message += f", unless {name} dials in with it"
            raise Refusal("WRONG_TOKEN", message, "token")


def _dial_in_name(link: str) -> str | None:
    spec = parse_link(link)
    return spec.value if spec.kind == "dial-in" else None

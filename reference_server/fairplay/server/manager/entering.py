"""The time in which a tournament takes players: sign-ups, withdrawals and examinations, until it starts."""

from __future__ import annotations

import logging
from collections.abc import Callable

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.games.game import find
from fairplay.server.links.dial_in import cut
from fairplay.server.manager import admission, states
from fairplay.server.manager.driver import Services
from fairplay.server.manager.examinations import Examinations
from fairplay.server.manager.plan import check_format
from fairplay.server.manager.signup import Later, Periods, SignUp
from fairplay.server.manager.suite import Finding
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import RecordsError
from fairplay.v1.game_pb2 import Player
from fairplay.v1.manager_pb2 import WatchTournamentResponse
from fairplay.v1.record_pb2 import TournamentChange
from fairplay.v1.tournament_pb2 import Examination
from fairplay.v1.tournament_pb2 import Tournament as TournamentMessage

log = logging.getLogger("fairplay.manager")


class Entering:
    """The part of a tournament that lets players in and out again.

    `change` records a change, and `tell` tells the watchers; `start` closes the sign-up and starts the tournament, and
    `abandon` ends it for a reason.
    """

    def __init__(
        self,
        message: TournamentMessage,
        services: Services,
        later: Later,
        change: Callable[[TournamentChange], None],
        tell: Callable[[WatchTournamentResponse], None],
        start: Callable[[], None],
        abandon: Callable[[str], None],
    ) -> None:
        self.message = message
        self._services = services
        self._change = change
        self._tell = tell
        self._start = start
        self._abandon = abandon
        self._game = find(message.plan.game)
        self._sign_up = SignUp(message, services.hub, services.links.check)
        self._periods = Periods(message.plan.sign_up, later, self._period_ended)
        self._examinations = Examinations(message, services.examiner, self._decide)
        self._overdue: bool | None = None
        """Whether it was the last period that is over, where that waits for examinations."""

    def begin(self) -> None:
        """Open the sign-up; if all entrants are there already, its first period is over at once."""
        self.identify_all()
        if self._sign_up.full and (self._periods.bounded or states.signed_up(self.message)):
            self._start()
        else:
            self._periods.begin()

    async def check_certificate(self, player: Player, token: str, certificate: bytes, secret: str) -> Player:
        """Check the certificate of a player, where the tournament asks for one, and that it is about this player.

        Return what is known by that: the player's description of itself, and the certificate; nothing where none is
        asked for. Raises Refusal if the certificate does not serve, or the player may not enter for another reason.
        """
        plan = self.message.plan
        if not plan.sign_up.HasField("certificate") or self._sign_up.repeats(player, token):
            return Player()
        if self._examinations.asked and player.link.startswith("bot:"):
            return Player()
        self._check_room()
        self._sign_up.check(player, token)
        certified = admission.check_certificate(certificate, plan, admission.utc_now())
        description = await admission.describe(player, plan, self._services.links, secret)
        admission.check_player(certified, description)
        return Player(description=cut(description), certificate=admission.shown(certified, certificate))

    def examine(self, player: Player, token: str, certificate: bytes, secret: str) -> Examination | None:
        """Begin to examine a player, where the tournament asks for that, and return where its examination stands.

        None: it need not be examined. Raises Refusal if it may not enter, or cannot be examined.
        """
        if self._sign_up.is_examined(player, token):
            return states.examining(player)
        if not self._examinations.asked or self._sign_up.repeats(player, token):
            return None
        self._check_room()
        self._sign_up.check(player, token)
        if not self._examinations.needed(player, certificate):
            return None
        self._examinations.check_room(player)
        self._services.links.secrets.keep(self.message.tournament_id, {player.name: secret} if secret else {})
        self._change(TournamentChange(examination=states.examining(player)))
        self._sign_up.examine(player, token)
        self._tell(WatchTournamentResponse(examination=states.examining(player)))
        return self._examinations.begin(player, secret)

    def examine_again(self) -> None:
        """Examine those again who were being examined when the server ended."""
        if self.message.status == states.SIGN_UP:
            for each in [each for each in self.message.examinations if each.status == states.EXAMINING]:
                secret = self._services.links.secrets.of(self.message.tournament_id, each.player.name)
                self._examinations.begin(each.player, secret)

    def _decide(self, player: Player, finding: Finding) -> None:
        """Let in a player that has passed its examination, and refuse another one."""
        try:
            if finding.reason:
                self._refuse(states.refused(player, finding.case_id, finding.reason))
            else:
                player.description.CopyFrom(finding.description)
                player.certificate.CopyFrom(admission.examined(admission.utc_now()))
                self._enter(player, "")
            self._end_overdue_period()
        except RecordsError as error:
            log.error("the sign-up of tournament %s cannot go on: %s", self.message.tournament_id, error)

    def _end_overdue_period(self) -> None:
        """End the period of the sign-up that has waited for examinations, if it has and they are over."""
        if self._overdue is not None and not self._examinations.running and self.message.status == states.SIGN_UP:
            last, self._overdue = self._overdue, None
            self._period_ended(last)

    def _refuse(self, examination: Examination) -> None:
        name = examination.player.name
        self._change(TournamentChange(examination=examination))
        states.put_examination(self.message, examination)
        self._sign_up.refuse(name)
        self._services.links.secrets.forget(self.message.tournament_id, name)
        self._tell(WatchTournamentResponse(examination=examination))

    def sign_up(self, player: Player, token: str, secret: str) -> int:
        """Enter a player, and return its number; the last one that may enter closes the sign-up.

        `secret` is the player's own, with which it is called; a repeat does not change it.
        Raises Refusal if it may not enter.
        """
        if self._sign_up.repeats(player, token):
            return self._sign_up.number(player.name)
        self._check_room()
        self._sign_up.check(player, token)
        self._identify(player)
        self._services.links.secrets.keep(self.message.tournament_id, {player.name: secret} if secret else {})
        number = len(self.message.entrants) + 1
        self._enter(player, token)
        return number

    def _enter(self, player: Player, token: str) -> None:
        """Enter a player that has been checked, and start if it is the last one that may enter."""
        self._change(TournamentChange(signed_up=player))
        self._sign_up.enter(player, token)
        states.drop_examination(self.message, player.name)
        self._tell(WatchTournamentResponse(signed_up=player))
        if self._sign_up.full:
            self._start()

    @property
    def period_end_time(self) -> Timestamp | None:
        """Return when the current period of the sign-up ends; None if there is no such time."""
        return self._periods.end_time

    def _identify(self, player: Player) -> None:
        """Add a player's description, if it has none yet and the server knows one."""
        if not player.HasField("description"):
            player.MergeFrom(self._services.links.identify(player, self._game))

    def identify_all(self) -> None:
        """Add the descriptions of the entrants that have none yet: one may have dialled in since it was named."""
        for player in self.message.entrants:
            self._identify(player)

    def withdraw(self, name: str, token: str, *, trusted: bool = False) -> None:
        """Take a player out again; `trusted`: whatever the token. Raises Refusal if it may not leave."""
        self._check_open()
        examined = states.is_examined(self.message, name)
        if not examined and not self._sign_up.entered(name):
            return
        self._sign_up.check_leaving(name, token, trusted=trusted)
        self._change(TournamentChange(withdrawn=name))
        if examined:
            self._sign_up.refuse(name)
            self._examinations.end(name)
        else:
            self._sign_up.leave(name)
        self._services.links.secrets.forget(self.message.tournament_id, name)
        self._tell(WatchTournamentResponse(withdrawn=name))
        self._end_overdue_period()

    def check_start(self) -> None:
        """Raise Refusal if too few have entered to start, or those who have cannot play in the format."""
        self._sign_up.check_enough()
        check_format(self.message.plan, self.message.entrants)

    def close(self) -> None:
        """Take nobody any more, and examine nobody."""
        self._periods.stop()
        self._examinations.end_all()

    async def suspend(self) -> None:
        """Leave the sign-up where it is."""
        self._periods.stop()
        await self._examinations.close()

    def release(self) -> None:
        """Let the names under which entrants dial in be forgotten again: the tournament is over."""
        self._sign_up.release()

    def _check_room(self) -> None:
        self._check_open()
        if self._sign_up.full:
            raise Refusal("SIGN_UP_CLOSED", "the tournament is full: nobody else may enter", "tournament_id")
        if self._overdue is not None:
            message = "the period of the sign-up is over: the tournament waits only for examinations that have begun"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")

    def _check_open(self) -> None:
        if self.message.status != states.SIGN_UP:
            message = "the sign-up is closed: the tournament has started or is over"
            raise Refusal("SIGN_UP_CLOSED", message, "tournament_id")

    def _period_ended(self, last: bool) -> None:
        if self._examinations.running:
            self._overdue = last
            return
        entered, needed = len(self.message.entrants), self.message.plan.sign_up.min_entrant_count
        try:
            if entered >= needed:
                self._start()
            elif last:
                self._abandon(f"too few entered: {entered}, where at least {needed} are needed")
            else:
                self._periods.begin()
        except RecordsError as error:
            log.error("the sign-up of tournament %s cannot go on: %s", self.message.tournament_id, error)

"""What the referee keeps beside the state: who is asked, who has passed, who was told what, and the game's own time.

That time goes on by what answers have taken, as the arrivals say, so that a game that is played again from its record
has the same one. It begins with 0, and is behind the clock by what notifications to all take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairplay.games.steps import Arrival, Call, CallKind, Method, Race, build_methods
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.rules import Phase, State, Status
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

SERVICE = "fairplay.webset.v1.WebsetPlayerService"
METHODS = build_methods(
    SERVICE,
    {
        "Deal": (webset_player_pb2.DealRequest, webset_player_pb2.DealResponse),
        "Act": (webset_player_pb2.ActRequest, webset_player_pb2.ActResponse),
        "PickCards": (webset_player_pb2.PickCardsRequest, webset_player_pb2.PickCardsResponse),
        "Report": (webset_player_pb2.ReportRequest, webset_player_pb2.ReportResponse),
        "GameOver": (webset_player_pb2.GameOverRequest, webset_player_pb2.GameOverResponse),
    },
)
DEAL, ACT, PICK_CARDS, REPORT, GAME_OVER = METHODS.values()

_S, _MS = 1_000_000_000, 1_000_000  # nanoseconds: sums of them are exact


class Desk:
    """The referee's desk in one game."""

    def __init__(self, game_id: str, state: State) -> None:
        self.game_id = game_id
        self.state = state
        self._open: dict[int, Call] = {}
        self._silent: set[int] = set()
        self._idle_count = 0
        self._public = (state, codec.public_message(state))
        self._asked_about = _moment(state)
        self._now_ns = self._changed_ns = 0
        self._made_ns: dict[int, int] = {}
        self._locked_until_ns: dict[int, int] = {}
        self._refusals: Counter[int] = Counter()
        self._log: list[webset_player_pb2.Event] = []
        self._told = [0] * len(state.players)
        self._results: dict[int, tuple[Status, str | None]] = {}

    # --- what becomes of acts ---

    @property
    def window_s(self) -> float:
        """The time that a caller has for its cards."""
        return self.state.settings.window_ms / 1000

    def take(self, state: State) -> None:
        """The state is now this one."""
        before, self.state = self.state, state
        if state.table != before.table:
            self._changed_ns = self._now_ns
        if _moment(state) != _moment(before):
            self._silent.clear()
            self._refusals.clear()
            self._idle_count = 0

    def passes(self, seat: int) -> None:
        """A player does nothing, unless that was said of a table that is not there any more."""
        if self._asked_about == _moment(self.state):
            self._silent.add(seat)

    def result(self, seat: int, status: Status, rule: str | None = None) -> None:
        """What a player is to be told of what it has done."""
        self._results[seat] = (status, rule)

    def refused(self, seat: int, status: Status, rule: str | None) -> None:
        """An act was refused; one that is refused again and again counts as doing nothing."""
        self.result(seat, status, rule)
        self._refusals[seat] += 1
        if self._refusals[seat] >= self.state.settings.idle_rounds:
            self._silent.add(seat)

    def lock_out(self, seat: int) -> None:
        """A call was wrong or has expired: what the player does next counts later."""
        self._locked_until_ns[seat] = self._now_ns + self.state.settings.lockout_ms * _MS

    def note(self, kind: webset_player_pb2.EventKind.ValueType, seat: int | None, cards: Sequence[int] = ()) -> None:
        """Something has happened that led to the present state."""
        event = webset_player_pb2.Event(revision=self.state.revision, kind=kind, cards=cards)
        if seat is not None:
            event.seat = seat
        self._log.append(event)

    def nobody_acts(self) -> None:
        """Everybody has done nothing. Once too often, and the game ends as it stands; else all are asked again."""
        self._idle_count += 1
        self._silent.clear()
        if self._idle_count >= self.state.settings.idle_rounds:
            self.state = rules.stop(self.state)

    # --- what is asked ---

    def race(self) -> Race | None:
        """All calls that are to be open now; None where nobody has anything to answer.

        Where acts are held, nobody is asked before the reports are in: all shall have the same time.
        """
        hold_s = self._hold_s()
        if hold_s and self._open and not self._acts_are_open():
            hold_s = 0.0
        elif self.state.phase is not Phase.OVER:
            self._ask_everybody()
        return Race(tuple(self._open.values()), hold_s, self._handicaps_s()) if self._open else None

    def _acts_are_open(self) -> bool:
        return any(call.method is ACT for call in self._open.values())

    def _ask_everybody(self) -> None:
        self._asked_about = _moment(self.state)
        for seat in rules.playing(self.state):
            if seat not in self._open:
                self._ask(seat)

    def _ask(self, seat: int) -> None:
        """What a player is to answer next, if anything."""
        state = self.state
        if state.phase is Phase.CALLED and state.caller == seat:
            self._put(self.pick_cards(seat))
        elif state.phase is not Phase.CALLED and seat not in self._silent and (words := rules.possible(state, seat)):
            self._put(
                self._call(seat, ACT, CallKind.DECISION, actions=codec.actions(words), idle_count=self._idle_count)
            )
        elif seat in self._results or self._told[seat] < len(self._log):
            self._put(self._call(seat, REPORT, CallKind.NOTIFICATION))

    def _put(self, call: Call) -> None:
        self._open[call.seat] = call
        self._made_ns[call.seat] = self._now_ns

    def pick_cards(self, seat: int) -> Call:
        """The question for three cards."""
        in_rounds = self.state.settings.rounds != "off"
        call = self._call(seat, PICK_CARDS, CallKind.DECISION, may_skip=in_rounds, idle_count=self._idle_count)
        return call._replace(limit_s=self.window_s)

    def deal(self, seat: int, settings: webset_pb2.Settings) -> Call:
        """What a player is told at the beginning."""
        request = webset_player_pb2.DealRequest(game_id=self.game_id, seat=seat, state=self._seen(), settings=settings)
        return Call(seat, DEAL, request, CallKind.NOTIFICATION)

    def game_over(self, seat: int, ranks: Sequence[int]) -> Call:
        """What a player is told at the end."""
        return self._call(seat, GAME_OVER, CallKind.NOTIFICATION, ranks=ranks, won=ranks[seat] == 1)

    def _call(self, seat: int, method: Method, clock: CallKind, **fields: Any) -> Call:
        status, rule = self._results.pop(seat, (None, None))
        events, self._told[seat] = self._log[self._told[seat] :], len(self._log)
        request = method.request(
            game_id=self.game_id,
            seat=seat,
            state=self._seen(),
            status=codec.status(status),
            rule_id=rule or "",
            events=events,
            **fields,
        )
        return Call(seat, method, request, clock)

    def _seen(self) -> webset_pb2.State:
        """What everybody may see, made once for a state."""
        if self._public[0] is not self.state:
            self._public = (self.state, codec.public_message(self.state))
        return self._public[1]

    # --- time ---

    def _hold_s(self) -> float:
        """What is left of the time after a change of the table in which nobody's act counts before another's."""
        if self.state.phase is not Phase.OPEN:
            return 0.0
        until_ns = self._changed_ns + self.state.settings.min_reaction_ms * _MS
        return max(0, until_ns - self._now_ns) / _S

    def _handicaps_s(self) -> Mapping[int, float]:
        """How much later acts count than they come: the handicap, and what is left of a lockout."""
        acting = [seat for seat, call in self._open.items() if call.method is ACT]
        later = {seat: self._handicap_s(seat) for seat in acting}
        return {seat: handicap_s for seat, handicap_s in later.items() if handicap_s}

    def _handicap_s(self, seat: int) -> float:
        own = self.state.settings.handicaps_ms
        left_ns = max(0, self._locked_until_ns.get(seat, 0) - self._now_ns)
        return (left_ns + (own[seat] * _MS if seat < len(own) else 0)) / _S

    def arrived(self, race: Race, arrivals: Sequence[Arrival]) -> list[Call]:
        """The calls that were answered, which are not open any more; time has gone on until they counted."""
        held_until_ns = self._now_ns + _ns(race.hold_s)
        for seat, _, elapsed_s in arrivals:
            came_ns = max(held_until_ns, self._made_ns[seat] + _ns(elapsed_s))
            self._now_ns = max(self._now_ns, came_ns + _ns(race.handicap_s.get(seat, 0.0)))
        return [self._open.pop(arrival.seat) for arrival in arrivals]

    def drop_stale(self) -> None:
        """Questions about a table that is not there any more are cancelled."""
        if self._asked_about != _moment(self.state):
            self._open = {seat: call for seat, call in self._open.items() if call.method is not ACT}


def _ns(seconds: float) -> int:
    return round(seconds * _S)


def _moment(state: State) -> tuple[object, ...]:
    """What players are asked about. A vote, and a player that leaves, do not change it."""
    return state.phase, state.table, state.call_count, state.displayed

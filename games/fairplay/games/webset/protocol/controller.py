"""What goes on in a game of Webset beside its state: open calls, news that players have still to be told, and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fairplay.games.kit.wire import Heads, write_field
from fairplay.games.steps import Arrival, Call, CallKind, Joined, Method, Race, Show
from fairplay.games.webset import rules
from fairplay.games.webset.protocol.codec import (
    ACT,
    DEAL,
    GAME_OVER,
    PICK_CARDS,
    REPORT,
    Shown,
    build_actions,
    build_public,
    build_settings,
    build_status,
)
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import Cards
from fairplay.games.webset.rules.settings import Settings
from fairplay.games.webset.rules.state import Phase, State, Status, playing
from fairplay.webset.v1.webset_pb2 import EVENT_KIND_PLAYER_JOINED, Event, EventKind
from fairplay.webset.v1.webset_player_pb2 import DealRequest

_STATE = write_field(DealRequest, "state")
"""The field of what everybody may see, in all requests."""
MAX_SELECTIONS = 20
"""How often a caller may say in one call which cards it has picked so far."""


class Controller:
    """Holds the state of one game, and makes the calls that follow from it."""

    def __init__(self, game_id: str, state: State) -> None:
        self.state = state
        self.news = News(len(state.players))
        self.time = GameTime(state.settings)
        self._heads = Heads(DealRequest, game_id)
        self._settings = DealRequest(settings=build_settings(state.settings)).SerializeToString()
        self._open: dict[int, Call] = {}
        self._newcomers: set[int] = set()
        """Those who have joined, and are not told Deal yet."""
        self._passed: set[int] = set()
        self._refusals: Counter[int] = Counter()
        self._idle_count = 0
        self._selection_count = 0
        self._asked_about: tuple[object, ...] = ()
        """What the open questions to act were asked about."""
        self._shown: State | None = None
        self._shown_data = b""

    # --- what happens ---

    def set_state(self, state: State) -> None:
        """Go on to another state. Where players may do something else than before, passes and refusals are over."""
        before, self.state = self.state, state
        if state.table != before.table:
            self.time.record_change()
        if state.call_count != before.call_count:
            self._selection_count = 0
        if _asked_about(state) != _asked_about(before):
            self._passed.clear()
            self._refusals.clear()
            self._idle_count = 0

    def add_player(self) -> None:
        """Let a player join, behind all others. The others are told so, the player itself is not."""
        seat = len(self.state.players)
        self._newcomers.add(seat)
        self.set_state(rules.join(self.state))
        self.add_event(EVENT_KIND_PLAYER_JOINED, seat)
        self.news.add_player()

    def add_event(self, kind: EventKind.ValueType, seat: int | None, cards: Sequence[int] = ()) -> None:
        """Add an event that led to the present state, which every player is to be told."""
        event = Event(revision=self.state.revision, kind=kind, cards=cards)
        if seat is not None:
            event.seat = seat
        self.news.events.append(event)

    def record_pass(self, seat: int) -> None:
        """Record that a player does nothing, unless it was asked about a table that has changed since."""
        if self._asked_about == _asked_about(self.state):
            self._passed.add(seat)

    def record_refusal(self, seat: int, status: Status, rule: str | None) -> None:
        """Record that an act was refused. A player that is refused `idle_rounds` times counts as doing nothing."""
        self.news.results[seat] = status, rule
        self._refusals[seat] += 1
        if self._refusals[seat] >= self.state.settings.idle_rounds:
            self._passed.add(seat)

    def record_idle_round(self) -> None:
        """Record that all players do nothing: they are asked again, or the game ends as it stands."""
        self._idle_count += 1
        self._passed.clear()
        if self._idle_count >= self.state.settings.idle_rounds:
            self.state = rules.stop(self.state)

    def select(self, seat: int, cards: Cards) -> bool:
        """Go on with the cards that the caller has picked so far; return whether they are no take to be judged."""
        selected = takes.select(self.state, seat, cards)
        if selected is None or self._selection_count >= MAX_SELECTIONS:
            return False
        self._selection_count += 1
        self.set_state(selected)
        return True

    def build_show(self) -> Show:
        """Return the step that publishes the present state, with the events that led to it."""
        return Show(Shown(self.state, self.news.take_unshown()))

    # --- races ---

    def build_race(self) -> Race | None:
        """Return the race between all calls that are to be open now, or None if nobody has anything to answer.

        Where acts are held, nobody is asked before all reports are answered: all players shall have the same time.
        """
        hold_s = self.time.hold_s() if self.state.phase is Phase.OPEN else 0.0
        if hold_s and self._open:
            hold_s = 0.0
        else:
            self._open_calls()
        if not self._open:
            return None
        acting = [seat for seat, call in self._open.items() if call.method is ACT]
        delays = {seat: delay_s for seat in acting if (delay_s := self.time.delay_s(seat))}
        return Race(tuple(self._open.values()), hold_s, delays, rules.next_seat(self.state))

    def _open_calls(self) -> None:
        self._asked_about = _asked_about(self.state)
        for seat in playing(self.state):
            if seat not in self._open and (call := self._build_next_call(seat)) is not None:
                self._open[seat] = call
                self.time.record_call(seat)

    def _build_next_call(self, seat: int) -> Call | None:
        state = self.state
        if seat in self._newcomers:
            self._newcomers.remove(seat)
            return self.build_deal(seat)
        if state.phase is Phase.OVER:
            return None
        if state.caller == seat:
            return self.build_pick_cards(seat)
        if seat not in self._passed and (words := rules.possible(state, seat)):
            actions = build_actions(words)
            return self._build_call(seat, ACT, CallKind.DECISION, actions=actions, idle_count=self._idle_count)
        return self._build_call(seat, REPORT, CallKind.NOTIFICATION) if self.news.waits_for(seat) else None

    def close_answered(self, race: Race, arrivals: Sequence[Arrival]) -> list[tuple[Call, Arrival]]:
        """Close the calls of a race that were answered, and return them with the arrivals, in their order.

        Who joins was not called.
        """
        self.time.advance(race, arrivals)
        replies = [arrival for arrival in arrivals if not isinstance(arrival.answer, Joined)]
        for arrival in replies:
            self.news.deliver(arrival.seat)
        return [(self._open.pop(arrival.seat), arrival) for arrival in replies]

    def cancel_stale(self) -> None:
        """Cancel the questions about a table that has changed since they were asked."""
        if self._asked_about != _asked_about(self.state):
            self._open = {seat: call for seat, call in self._open.items() if call.method is not ACT}

    # --- calls ---

    def build_deal(self, seat: int) -> Call:
        """Return the call that tells a player that the game begins, or goes on where it joins."""
        return Call(seat, DEAL, self._heads[seat] + self._public_data() + self._settings, CallKind.NOTIFICATION)

    def build_pick_cards(self, seat: int) -> Call:
        """Return the call that asks a player for three cards within the window, or what is left of it.

        In a puzzle it asks for all sets, within the limit for decisions.
        """
        settings = self.state.settings
        in_rounds, in_puzzle = settings.rounds != "off", settings.rounds == "puzzle"
        call = self._build_call(
            seat,
            PICK_CARDS,
            CallKind.DECISION,
            may_skip=in_rounds,
            idle_count=self._idle_count,
            one_by_one=settings.selection == "single" and not in_rounds,
            all_sets=in_puzzle,
        )
        if not in_puzzle:
            window_s = settings.window_ms / 1000
            call.limit_s = window_s if in_rounds else self.time.window_left_s(self.state.call_count)
        return call

    def build_game_over(self, seat: int) -> Call:
        """Return the call that tells a player that the game is over."""
        ranks = rules.ranks(self.state)
        return self._build_call(seat, GAME_OVER, CallKind.NOTIFICATION, ranks=ranks, won=ranks[seat] == 1)

    def _build_call(self, seat: int, method: Method, kind: CallKind, **fields: Any) -> Call:
        rest = method.request(**self.news.load(seat), **fields)
        return Call(seat, method, self._heads[seat] + self._public_data() + rest.SerializeToString(), kind)

    def _public_data(self) -> bytes:
        """Return what everybody may see, serialised: once for each state."""
        if self._shown is not self.state:
            self._shown, self._shown_data = self.state, _STATE(build_public(self.state).SerializeToString())
        return self._shown_data


def _asked_about(state: State) -> tuple[object, ...]:
    """Return what decides about the acts that are possible. Votes, and players that leave, do not change it."""
    return state.phase, state.table, state.call_count, state.displayed


class News:
    """What players have still to be told: the events of the game, and the statuses of their own acts.

    News is delivered when the call that carried it is answered: what rode in a cancelled call comes again in the next.
    """

    def __init__(self, seat_count: int) -> None:
        self.events: list[Event] = []
        self.results: dict[int, tuple[Status, str | None]] = {}
        """What became of the last act of a player, which that player alone is to be told: status and rule."""
        self._delivered = [0] * seat_count
        """How many of the events each seat has been told in calls that it answered."""
        self._carried = self._delivered.copy()
        """How many it has been told if it answers its last call, too."""
        self._shown = 0
        """How many of the events spectators were shown."""

    def add_player(self) -> None:
        """Add a player behind the others, which is told nothing of what has happened so far."""
        self._delivered.append(len(self.events))
        self._carried.append(len(self.events))

    def take_unshown(self) -> Sequence[Event]:
        """Return the events that spectators were not shown yet; from now on they were."""
        unshown = self.events[self._shown :]
        self._shown = len(self.events)
        return unshown

    def waits_for(self, seat: int) -> bool:
        """Return whether there is anything that a player has not been told."""
        return seat in self.results or self._delivered[seat] < len(self.events)

    def load(self, seat: int) -> Mapping[str, Any]:
        """Return the fields of the next call to a player that tell it news."""
        self._carried[seat] = len(self.events)
        status, rule = self.results.get(seat, (None, None))
        return {"status": build_status(status), "rule_id": rule or "", "events": self.events[self._delivered[seat] :]}

    def deliver(self, seat: int) -> None:
        """Record that a player has answered its last call."""
        self._delivered[seat] = self._carried[seat]
        self.results.pop(seat, None)


_S, _MS = 1_000_000_000, 1_000_000  # nanoseconds: sums of them are exact


class GameTime:
    """The time of one game, from 0: when the table has changed, and when acts count.

    It goes on by what answers have taken, as the arrivals say, so that a game that is replayed from its record has the
    same time. It is behind real time by what notifications to all players take.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._now_ns = self._changed_ns = 0
        self._called_ns: dict[int, int] = {}
        self._locked_until_ns: dict[int, int] = {}
        self._windows_ns: dict[int, int] = {}
        """When the window of each call ends."""

    def record_change(self) -> None:
        """Record that the table has changed now."""
        self._changed_ns = self._now_ns

    def record_call(self, seat: int) -> None:
        """Record that a player is called now."""
        self._called_ns[seat] = self._now_ns

    def lock_out(self, seat: int) -> None:
        """Begin the lockout of a player whose call was wrong or has expired: its next act counts later."""
        self._locked_until_ns[seat] = self._now_ns + self._settings.lockout_ms * _MS

    def window_left_s(self, call_count: int) -> float:
        """Return what is left of the window of a call, which begins when this is asked first."""
        end_ns = self._windows_ns.setdefault(call_count, self._now_ns + self._settings.window_ms * _MS)
        return max(end_ns - self._now_ns, _MS) / _S

    def hold_s(self) -> float:
        """Return what is left of the time after a change of the table in which acts are held."""
        until_ns = self._changed_ns + self._settings.min_reaction_ms * _MS
        return max(0, until_ns - self._now_ns) / _S

    def delay_s(self, seat: int) -> float:
        """Return how much later an act of a player counts: its handicap, and what is left of its lockout."""
        handicaps = self._settings.handicaps_ms
        left_ns = max(0, self._locked_until_ns.get(seat, self._now_ns) - self._now_ns)
        return (left_ns + (handicaps[seat] * _MS if seat < len(handicaps) else 0)) / _S

    def advance(self, race: Race, arrivals: Sequence[Arrival]) -> None:
        """Go on to the moment at which these arrivals count."""
        began_ns = self._now_ns
        held_until_ns = began_ns + round(race.hold_s * _S)
        for seat, _, elapsed_s in arrivals:
            since_ns = self._called_ns.get(seat, began_ns)  # who joins was not called
            came_ns = max(held_until_ns, since_ns + round(elapsed_s * _S))
            self._now_ns = max(self._now_ns, came_ns + round(race.handicap_s.get(seat, 0.0) * _S))

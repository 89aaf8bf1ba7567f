"""What the tests of Webset share: states from decks, acts in short, and conversations driven by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairplay.games.game import Start
from fairplay.games.steps import Arrival, Call, CallAll, Eliminate, Outcome, Race, Show
from fairplay.games.webset import rules
from fairplay.games.webset.game import GAME
from fairplay.games.webset.protocol import codec, conversation
from fairplay.games.webset.rules import invariants
from fairplay.games.webset.rules.cards import EMPTY, Cards, format_card, parse_card
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import Act, Phase, State, Status, Take, Word, on_table
from fairplay.player.handlers import snake_case
from fairplay.webset.v1 import webset_pb2
from fairplay.webset.v1.webset_player_pb2 import ActResponse, PickCardsResponse

UNSHUFFLED = tuple(range(81))
CALL, MORE, SHOW, END_SHOW = Word.CALL, Word.MORE, Word.SHOW, Word.END_SHOW
WORDS = tuple(Word)
PROFILES = ("contest", "seed", "published")


# Rules


def parse_cards(text: str) -> Cards:
    """Return the cards of a text, with spaces between."""
    return tuple(map(parse_card, text.split()))


def format_cards(cards: Iterable[int]) -> str:
    """Return cards as the rules write them, with spaces between."""
    return " ".join(map(format_card, cards))


def fresh(seats: int = 2, deck: Sequence[int] = UNSHUFFLED, **given: Any) -> State:
    """Return a game with this deck; the unshuffled one gives the table of vector S3."""
    return rules.dealt(settings_of(**{"min_players": 1, **given}), tuple(deck), seats, draw_state=1)


def done(state: State, *given: tuple[int, Word | str]) -> State:
    """Return the state after acts that must be carried out; a text is a take of these cards."""
    for seat, action in given:
        state, status, _ = rules.carry_out(state, act(seat, action))
        assert status in (None, Status.GOT_SET), status
    return state


def act(seat: int, action: Word | str) -> Act:
    return Act(seat, Take(parse_cards(action)) if isinstance(action, str) else action)


def taken(state: State, cards: str, seat: int = 0) -> State:
    return done(state, (seat, CALL), (seat, cards))


def refused(state: State, seat: int, action: Word | str) -> tuple[Status | None, str | None]:
    """Return the status and the rule of an act that must not change anything."""
    after, status, rule = rules.carry_out(state, act(seat, action))
    assert after == state
    return status, rule


def columns(state: State) -> list[str]:
    """Return the table, a text for each column."""
    cells = ["" if card == EMPTY else format_card(card) for card in state.table]
    return [" ".join(cells[at : at + 3]).strip() for at in range(0, len(cells), 3)]


def lying(state: State) -> str:
    return format_cards(sorted(on_table(state)))


CAP = "0001 0002 0100 0102 0211 0220 1011 1020 1110 1111 1120 1122 1210 1222 2010 2022 2100 2101 2201 2202"
"""Twenty cards without a set: there are no twenty-one."""


def without_sets(count: int) -> tuple[int, ...]:
    """Return so many cards without a set."""
    return parse_cards(CAP)[:count]


def deck_with(first: Sequence[int]) -> tuple[int, ...]:
    """Return the whole deck, these cards first."""
    return (*first, *[card for card in UNSHUFFLED if card not in first])


# Conversations


def answered(word: Word | None) -> ActResponse:
    return codec.build_act(word)


def cards(text: str) -> PickCardsResponse:
    return PickCardsResponse(cards=parse_cards(text))


NOTHING = answered(None)


class Play:
    """A conversation driven by hand. Notifications are answered at once, but by those who are `slow`."""

    def __init__(self, state: State, slow: Sequence[int] = ()) -> None:
        self.slow = set(slow)
        self.shown: list[codec.Shown] = []
        self.states: list[State] = []
        self.out: list[Eliminate] = []
        self.sent: list[Call] = []
        self.outcome: Outcome | None = None
        self.race: Race | None = None
        self.round: CallAll | None = None
        self._conversation = conversation.play(Start("g", state.settings, (), state, True))
        self._go_on(None)

    def arrive(self, *arrivals: tuple[int, Any] | tuple[int, Any, float]) -> None:
        """Let answers arrive together, in the order in which they count: seat, answer and elapsed time, if any."""
        assert self.race is not None
        calls = {call.seat: call for call in self.race.calls}
        assert all(arrival[0] in calls or arrival[0] == self.race.next_seat for arrival in arrivals)
        self._go_on([Arrival(arrival[0], arrival[1], arrival[2] if len(arrival) > 2 else 0.0) for arrival in arrivals])

    def all_arrive(self, answer: Any) -> None:
        """Let the same answer arrive from all who are asked to act, one after the other."""
        for seat in sorted(self.asked("Act")):
            self.arrive((seat, answer))

    def answer_round(self, answers: Mapping[int, Any]) -> None:
        """Give the answers of a round, in the order of arrival."""
        assert self.round is not None
        assert set(answers) == {call.seat for call in self.round.calls}
        self._go_on(dict(answers))

    def set_by(self, seat: int, cards_text: str) -> None:
        """Let a player call and pick these cards."""
        self.arrive((seat, answered(CALL)))
        self.arrive((seat, cards(cards_text)))

    @property
    def state(self) -> State:
        return self.states[-1]

    def asked(self, method: str) -> dict[int, Any]:
        """Return the open requests, by seat."""
        calls = self.race.calls if self.race else self.round.calls if self.round else ()
        return {call.seat: call.request for call in calls if call.method.name == method}

    def last(self, method: str, seat: int) -> Any:
        """Return the latest request of this kind to a player."""
        return [call for call in self.sent if call.method.name == method and call.seat == seat][-1].request

    def ranking(self) -> list[list[tuple[int, int]]]:
        assert self.outcome is not None
        return [list(group) for group in self.outcome.ranking]

    def _go_on(self, sent: Any) -> None:
        self.race = self.round = None
        while self.outcome is None:
            try:
                step = self._conversation.send(sent)
            except StopIteration as stop:
                self.outcome = stop.value
                return
            sent = self._take(step)
            if sent is Play:
                return

    def _take(self, step: Any) -> Any:
        """Return the answer to a step, or this class if the test has to give it."""
        if isinstance(step, Show):
            assert invariants.invariant(step.state.state) is None
            self.shown.append(step.state)
            self.states.append(step.state.state)
            return None
        if isinstance(step, Eliminate):
            self.out.append(step)
            return None
        self.sent += [call for call in step.calls if not any(call is other for other in self.sent)]
        if isinstance(step, CallAll):
            if step.calls[0].method.name == "PickCards":
                self.round = step
                return Play
            return {call.seat: call.method.response() for call in step.calls}
        self.race = step
        reports = [call for call in step.calls if call.method.name == "Report" and call.seat not in self.slow]
        return [Arrival(call.seat, call.method.response(), 0.0) for call in reports] or Play


def events(request: Any) -> list[tuple[str, int | None]]:
    """Return what a request tells of what has happened, by its kinds and seats."""
    kinds = webset_pb2.EventKind
    return [
        (kinds.Name(event.kind).removeprefix("EVENT_KIND_"), event.seat if event.HasField("seat") else None)
        for event in request.events
    ]


def sound(*specs: str) -> Callable[[Call], Any]:
    """Return answers of reference players, for `drive`; the last one plays in all other seats."""
    players = [GAME.player(spec) for spec in specs or ("first",)]

    def answer(call: Call) -> Any:
        player = players[min(call.seat, len(players) - 1)]
        reply = getattr(player, snake_case(call.method.name))(call.request)
        return call.method.response() if reply is None else reply

    return answer


def phases(play: Play) -> list[Phase]:
    return [state.phase for state in play.states]


def message(**given: Any) -> webset_pb2.Settings:
    """Return settings as a message; times are in milliseconds."""
    return codec.build_settings(settings_of(**{"min_players": 1, **given}))

"""Webset: the service of players, and what lies between rules and messages.

Cards, empty slots and seats have the same numbers on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from google.protobuf.duration_pb2 import Duration

from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.kit.messages import fill, read_draw_state, remember_settings
from fairplay.games.kit.messages import given as settings_given
from fairplay.games.steps import build_methods
from fairplay.games.webset import rules
from fairplay.games.webset.rules import invariants
from fairplay.games.webset.rules.cards import EMPTY, Cards
from fairplay.games.webset.rules.settings import Settings, settings_of, settings_problem
from fairplay.games.webset.rules.state import Phase, Player, Standing, State, Status, Word, settle, solutions
from fairplay.games.webset.rules.takes import MOST_NAMED
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

# Settings. Times are Durations in messages, and whole milliseconds in the rules

_TIMES = ("window", "lockout", "min_reaction")


@remember_settings
def read_settings(message: webset_pb2.Settings) -> Settings:
    """Return the settings of a message. Raises ValueError, with one sentence, if a value is not allowed."""
    given: dict[str, Any] = settings_given(message)
    times = [field.name for field, _ in message.ListFields() if field.name in _TIMES]
    given |= {f"{name}_ms": _ms(name, getattr(message, name)) for name in times}
    if message.handicaps:
        given["handicaps_ms"] = tuple(
            _ms(f"handicaps[{seat}]", handicap) for seat, handicap in enumerate(message.handicaps)
        )
    found = settings_of(**given)
    if problem := settings_problem(found):
        raise ValueError(problem[1].replace("_ms[", "[").replace("_ms is ", " in milliseconds is "))
    return found


def _ms(name: str, duration: Duration) -> int:
    whole, rest = divmod(duration.ToNanoseconds(), 1_000_000)
    if rest:
        raise ValueError(f"{name} is {duration.ToJsonString()}: it must be whole milliseconds.")
    return whole


def build_settings(settings: Settings) -> webset_pb2.Settings:
    """Return settings as a message in which every field is set that has a value."""
    message = fill(webset_pb2.Settings(), settings)
    for name in _TIMES:
        getattr(message, name).FromMilliseconds(getattr(settings, f"{name}_ms"))
    for handicap in settings.handicaps_ms:
        message.handicaps.add().FromMilliseconds(handicap)
    return message


# States

_PHASES = {phase: webset_pb2.Phase.Value(f"PHASE_{phase.name}") for phase in Phase}
_PHASE_OF = {webset_pb2.PHASE_UNSPECIFIED: Phase.OPEN, **{number: phase for phase, number in _PHASES.items()}}
_STANDINGS = {
    Standing.IN: webset_pb2.STANDING_PLAYING,
    Standing.OUT: webset_pb2.STANDING_ELIMINATED,
    Standing.FAILED: webset_pb2.STANDING_FAILED,
}
_STANDING_OF = {webset_pb2.STANDING_UNSPECIFIED: Standing.IN, **{n: one for one, n in _STANDINGS.items()}}


class Shown(NamedTuple):
    """A state as it is shown, and what led to it, the earliest first."""

    state: State
    events: Sequence[webset_pb2.Event] = ()


def build_public(state: State, events: Sequence[webset_pb2.Event] = ()) -> webset_pb2.State:
    """Return what everybody, players too, may see of a state: no deck, and nothing from which lots are drawn.

    `events` are what led to it; players are told them beside the state.
    """
    slot_count = max((slot + 1 for slot, card in enumerate(state.table) if card != EMPTY), default=0)
    message = webset_pb2.State(
        revision=state.revision,
        slots=state.table[:slot_count],
        deck_left=len(state.deck),
        phase=_PHASES[state.phase],
        call_count=state.call_count,
        players=[
            webset_pb2.Player(
                points=player.points,
                cards=player.cards,
                penalty_count=player.penalties,
                expiry_count=player.expiries,
                standing=_STANDINGS[player.standing],
                locked=player.locked,
                voted=seat in state.votes,
            )
            for seat, player in enumerate(state.players)
        ],
        displayed=state.displayed,
        discarded=state.discarded,
        act_count=state.act_count,
        last_events=events,
        picked=state.picked,
    )
    if state.caller is not None:
        message.caller = state.caller
    if state.phase is Phase.SHOWING:
        message.solutions.extend(chain.from_iterable(solutions(state)))
    elif state.phase is Phase.OVER:
        message.ranks.extend(rules.ranks(state))
    return message


def build_state(state: State, events: Sequence[webset_pb2.Event] = ()) -> webset_pb2.State:
    """Return all of a state, hidden things included."""
    message = build_public(state, events)
    message.deck.extend(state.deck)
    message.draw_state = state.draw_state.to_bytes(8, "big")
    return message


def resume(message: webset_pb2.State, settings: Settings, rng: Random) -> State:
    """Return the state that a game is to go on from. Raises ValueError, with one sentence, if no game has it."""
    state = _state(message, settings, tuple(message.deck), rng)
    if problem := invariants.cards_problem(state):
        raise ValueError(problem)
    if not message.phase:
        state = settle(state)
    if problem := invariants.invariant(state):
        raise ValueError(problem)
    return state


def read_view(message: webset_pb2.State, settings: Settings) -> State:
    """Return the state that everybody may see. Its deck holds empty cards in place of the hidden ones."""
    return _state(message, settings, (EMPTY,) * message.deck_left, Random(0))


def _state(message: webset_pb2.State, settings: Settings, deck: Cards, rng: Random) -> State:
    missing = settings.max_table - len(message.slots)
    if missing < 0:
        raise ValueError(f"slots has {len(message.slots)} entries: the table has {settings.max_table} slots.")
    if message.phase not in _PHASE_OF:
        raise ValueError(f"phase has the unknown value {message.phase}.")
    called = message.HasField("caller")
    return State(
        settings=settings,
        table=(*message.slots, *[EMPTY] * missing),
        deck=deck,
        phase=_PHASE_OF[message.phase],
        caller=message.caller if called else None,
        call_count=message.call_count or int(called),
        displayed=message.displayed,
        votes=tuple([seat for seat, player in enumerate(message.players) if player.voted]),
        players=tuple([_player(seat, player) for seat, player in enumerate(message.players)]),
        discarded=tuple(message.discarded),
        act_count=message.act_count,
        draw_state=read_draw_state(message.draw_state, rng),
        revision=message.revision,
        picked=tuple(message.picked),
    )


def _player(seat: int, message: webset_pb2.Player) -> Player:
    if message.standing not in _STANDING_OF:
        raise ValueError(f"players[{seat}].standing has the unknown value {message.standing}.")
    return Player(
        points=message.points,
        cards=tuple(message.cards),
        penalties=message.penalty_count,
        expiries=message.expiry_count,
        standing=_STANDING_OF[message.standing],
        locked=message.locked,
    )


# Acts; None stands for doing nothing

_ACTIONS = {
    None: webset_player_pb2.ACTION_NOTHING,
    Word.CALL: webset_player_pb2.ACTION_CALL_SET,
    Word.MORE: webset_player_pb2.ACTION_MORE_CARDS,
    Word.SHOW: webset_player_pb2.ACTION_SHOW_SOLUTIONS,
    Word.END_SHOW: webset_player_pb2.ACTION_END_SOLUTIONS,
}
_WORD_OF = {number: word for word, number in _ACTIONS.items()}


def build_act(word: Word | None) -> webset_player_pb2.ActResponse:
    """Return the reply to Act that does this."""
    return webset_player_pb2.ActResponse(action=_ACTIONS[word])


def read_act(reply: webset_player_pb2.ActResponse) -> Word | None:
    """Return what a reply to Act does. Raises MalformedReplyError if it says nothing that is known."""
    if reply.action not in _WORD_OF:
        raise MalformedReplyError(
            "webset.act.required", f"the unknown value {reply.action}" if reply.action else "no action"
        )
    return _WORD_OF[reply.action]


def build_actions(words: Iterable[Word]) -> list[webset_player_pb2.Action.ValueType]:
    """Return the actions that may be tried; doing nothing is always one of them."""
    return [webset_player_pb2.ACTION_NOTHING, *[_ACTIONS[word] for word in words]]


def read_words(actions: Iterable[int]) -> tuple[Word, ...]:
    """Return the words among actions; unknown ones are left out, and so is doing nothing."""
    found = [_WORD_OF.get(number) for number in actions]  # type: ignore[call-overload]  # values are ints
    return tuple([word for word in found if word is not None])


_SHOWN_CARDS = 4


def read_cards(reply: webset_player_pb2.PickCardsResponse) -> Cards:
    """Return the cards that a reply names. Of more than three, the first four show that they are too many."""
    return tuple(reply.cards[:_SHOWN_CARDS])


def read_sets(reply: webset_player_pb2.PickCardsResponse) -> Cards:
    """Return the cards that a reply names in a puzzle, three for each set, as many as are looked at."""
    return tuple(reply.cards[: 3 * MOST_NAMED])


# Statuses

_STATUSES = {status: webset_player_pb2.Status.Value(f"STATUS_{status.name}") for status in Status}


def build_status(status: Status | None) -> webset_player_pb2.Status.ValueType:
    """Return the number of a status, for None that of STATUS_UNSPECIFIED."""
    return webset_player_pb2.STATUS_UNSPECIFIED if status is None else _STATUSES[status]


_REFUSALS = (
    webset_player_pb2.STATUS_NOT_NOW,
    webset_player_pb2.STATUS_NO_SETS,
    webset_player_pb2.STATUS_NO_MORE_CARDS,
)


def is_refused(request: webset_player_pb2.ActRequest) -> bool:
    """Return whether the player's last act was refused and nothing has happened since."""
    return request.status in _REFUSALS and not request.events

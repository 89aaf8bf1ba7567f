"""Webset in words, as plain text: places, players and events as pictures show them, and what a person is told."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from fairplay.games.kit.lettering import short_name
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

LETTERS = ("qwertyuio", "asdfghjkl", "zxcvbnm,.")
"""The keys of the slots: the three rows of letters of a keyboard are the three rows of the table."""
ROWS = len(LETTERS)
_BASE = 12  # slots that are drawn in any case


# Places


def letter(slot: int) -> str:
    """Return the key of a slot; empty where the keyboard ends."""
    column, row = divmod(slot, ROWS)
    return LETTERS[row][column] if column < len(LETTERS[row]) else ""


def slot_part(slot: int) -> str:
    """Return the id of a slot in pictures."""
    return f"slot-{slot}"


def displayed(state: webset_pb2.State) -> Sequence[int]:
    """Return the cards of the solution that is displayed."""
    if state.phase != webset_pb2.PHASE_SHOWING:
        return ()
    return state.solutions[3 * state.displayed : 3 * state.displayed + 3]


def list_slots(state: webset_pb2.State) -> list[int | None]:
    """Return the slots that are drawn, in whole columns; None for an empty one."""
    count = max(_BASE, ceil(len(state.slots) / ROWS) * ROWS)
    cards = [card if card < CARDS else None for card in state.slots]
    return [*cards, *[None] * (count - len(cards))]


def slot_at(state: webset_pb2.State, key: str) -> int | None:
    """Return the slot that has this key, or None if no card lies there."""
    return next((slot for slot, card in enumerate(state.slots) if card < CARDS and letter(slot) == key), None)


def caller(state: webset_pb2.State) -> int | None:
    """Return the seat whose call is open, or None."""
    return state.caller if state.phase == webset_pb2.PHASE_CALLED else None


def count_sets(card_count: int) -> str:
    """Return how many sets so many cards are, e.g. "1 set"."""
    return f"{card_count // 3} set{'' if card_count == 3 else 's'}"


# Players and events as pictures show them

NAME_LIMIT = 20  # cells of a terminal; longer names are cut
_LINE = 76  # cells of a terminal
_GONE = {webset_pb2.STANDING_ELIMINATED: "eliminated", webset_pb2.STANDING_FAILED: "failed at the end"}


class Seat(NamedTuple):
    """A player as it is drawn."""

    name: str
    points: int
    set_count: int
    status: str
    marked: bool
    last: Sequence[int]
    """The cards of its last set."""


def list_seats(state: webset_pb2.State, players: Sequence[str]) -> list[Seat]:
    """Return the players as they are drawn."""
    return [
        Seat(
            _name(seat, players),
            player.points,
            len(player.cards) // 3,
            _status(state, seat, player, won := list(state.ranks[seat : seat + 1]) == [1]),
            won or (caller(state) == seat),
            player.cards[-3:],
        )
        for seat, player in enumerate(state.players)
    ]


def _status(state: webset_pb2.State, seat: int, player: webset_pb2.Player, won: bool) -> str:
    if player.standing in _GONE:
        return _GONE[player.standing]
    if caller(state) == seat:
        return "has called"
    late, wrong = player.expiry_count, player.penalty_count - player.expiry_count
    remarks = (
        "winner" if won else "",
        "locked out" if player.locked else "",
        "asks for more" if player.voted else "",
        " and ".join(f"{count} {word}" for count, word in ((wrong, "wrong"), (late, "late")) if count),
    )
    return ", ".join(filter(None, remarks))


def _name(seat: int, players: Sequence[str]) -> str:
    """Return the name of the player in a seat, without what XML or a terminal cannot show."""
    name = players[seat] if seat < len(players) else ""
    return short_name(name, NAME_LIMIT) or f"player {seat + 1}"


def phase_words(state: webset_pb2.State, seats: Sequence[Seat]) -> str:
    """Return what a game waits for."""
    if state.phase == webset_pb2.PHASE_CALLED and state.caller < len(seats):
        return f"{seats[state.caller].name} calls SET"
    if state.phase == webset_pb2.PHASE_SHOWING:
        return f"solution {state.displayed + 1} of {len(state.solutions) // 3}"
    return "game over" if state.phase == webset_pb2.PHASE_OVER else "open"


_DONE = {
    webset_pb2.EVENT_KIND_CALLED: "called",
    webset_pb2.EVENT_KIND_GOT_SET: "got a set",
    webset_pb2.EVENT_KIND_BAD_SET: "picked no set",
    webset_pb2.EVENT_KIND_CALL_EXPIRED: "was too late",
    webset_pb2.EVENT_KIND_VOTED: "asked for more cards",
    webset_pb2.EVENT_KIND_CARDS_DEALT: "had more cards dealt",
    webset_pb2.EVENT_KIND_SOLUTIONS_SHOWN: "had the solutions shown",
    webset_pb2.EVENT_KIND_SOLUTIONS_ENDED: "ended the showing",
    webset_pb2.EVENT_KIND_PLAYER_LEFT: "was eliminated",
    webset_pb2.EVENT_KIND_PICKED: "picks cards",
    webset_pb2.EVENT_KIND_SOLVED: "named sets",
    webset_pb2.EVENT_KIND_PLAYER_JOINED: "joined",
}


def happened(state: webset_pb2.State, players: Sequence[str]) -> str:
    """Return what led to a state, in words and cut to a line of a terminal; empty if it is not known."""
    parts = [
        f"{_name(event.seat, players) if event.HasField('seat') else 'everybody'} {_DONE[event.kind]}"
        for event in state.last_events
        if event.kind in _DONE
    ]
    return short_name(", ".join(parts), _LINE)


# What a person is told

NAME_CELLS = 13


class Scene(NamedTuple):
    """What a person sees: the state, its own seat, the names by seat, and the cards that it has picked."""

    state: webset_pb2.State
    seat: int
    names: Sequence[str]
    picked: Sequence[int] = ()


def name_of(scene: Scene, seat: int) -> str:
    """Return the name of the player in a seat."""
    return scene.names[seat] if seat < len(scene.names) else f"player {seat + 1}"


def picked(scene: Scene) -> Sequence[int]:
    """Return the cards that the caller has picked so far: this person's own, or as everybody sees those of another."""
    own = scene.picked or caller(scene.state) in (None, scene.seat)
    return scene.picked if own else scene.state.picked


def going_on(scene: Scene) -> str:
    """Return what goes on, as plain text; empty while the table is open."""
    state = scene.state
    if caller(state) is not None:
        return f"{short_name(name_of(scene, state.caller), NAME_CELLS)} calls ---S-E-T---"
    if state.phase == webset_pb2.PHASE_SHOWING:
        return f"Solution {state.displayed + 1} of {len(state.solutions) // 3}; nobody scores it."
    return "The game is over." if state.phase == webset_pb2.PHASE_OVER else ""


def end_line(scene: Scene, ranks: Sequence[int]) -> str:
    """Return how the game has ended for this person, as plain text."""
    rank = ranks[scene.seat] if scene.seat < len(ranks) else 0
    if not rank:
        return "The game is over. You are not ranked."
    shared = ", shared" if list(ranks).count(rank) > 1 else ""
    return f"GameOver: you have won{shared}!" if rank == 1 else f"GameOver: you are number {rank}{shared}."


_HAPPENED = {
    webset_pb2.EVENT_KIND_CALLED: "{} calls ---S-E-T---.",
    webset_pb2.EVENT_KIND_GOT_SET: "{} GotSet: {}.",
    webset_pb2.EVENT_KIND_BAD_SET: "{} BadSet: those were no set.",
    webset_pb2.EVENT_KIND_CALL_EXPIRED: "{} CallExpired: no cards in time.",
    webset_pb2.EVENT_KIND_VOTED: "{} asks for more cards.",
    webset_pb2.EVENT_KIND_CARDS_DEALT: "Three more cards are dealt.",
    webset_pb2.EVENT_KIND_SOLUTIONS_SHOWN: "{} has the solutions shown.",
    webset_pb2.EVENT_KIND_SOLUTIONS_ENDED: "{} ends the showing: those cards are gone.",
    webset_pb2.EVENT_KIND_SOLVED: "{0} has found {2}.",
}


def event_line(event: webset_pb2.Event, scene: Scene) -> str:
    """Return an event as one line. Empty for unknown kinds, and for players who join or are lost: the table says so."""
    form = _HAPPENED.get(event.kind, "")
    who = short_name(name_of(scene, event.seat), NAME_CELLS) if event.HasField("seat") else "Everybody"
    cards = ", ".join(card_name(card) for card in event.cards if card < CARDS)
    return form.format(who, cards, count_sets(len(event.cards)))


# Why something that a person wants is not possible, in plain text

_LOCKED = "your last call was wrong or late: you may call again when the table has changed"
_SHOWING = "solutions are shown: end the showing first"
_ASKED = "you have asked for more cards already: others must ask, too"

STATUSES = {
    webset_player_pb2.STATUS_ALREADY_CALLED: "AlreadyCalled: somebody else was first",
    webset_player_pb2.STATUS_NO_CALL: "NoCall: you have no open call",
    webset_player_pb2.STATUS_INTERNAL_ERROR: "InternalError: the referee has failed; it costs you nothing",
    webset_player_pb2.STATUS_NOT_NOW: "NotNow: that is not possible at the moment",
    webset_player_pb2.STATUS_NO_SETS: "NoSets: there are no solutions to show",
    webset_player_pb2.STATUS_NO_MORE_CARDS: "NoMoreCards: the deck is empty or the table is full",
}
"""What a person is told of its own act, except what an event tells as well."""
_WHY = {
    "webset.call.open": _SHOWING,
    "webset.call.lockout": _LOCKED,
    "webset.more.open": "somebody has called, or solutions are shown: wait for the end of that",
    "webset.more.auto": "here the referee deals more cards by itself when there is no set",
    "webset.more.no-set": "there is a set on the table; more cards come only when there is none",
    "webset.more.once": _ASKED,
    "webset.show.open": "somebody has called: wait until the call is over",
    "webset.end.showing": "no solutions are shown",
}
"""Why an act was refused with NotNow, by the id of the rule."""


def own_act_line(status: int, rule_id: str) -> str:
    """Return what a person is told of its own act; empty where an event tells it as well."""
    line = STATUSES.get(status, "")  # type: ignore[call-overload]  # values are ints
    if status != webset_player_pb2.STATUS_NOT_NOW or rule_id not in RULES:
        return str(line)
    return f"NotNow: {_WHY.get(rule_id) or RULES[rule_id]}"


def why_not(part: str, scene: Scene) -> str:
    """Return why an action cannot be tried now, as far as that can be seen."""
    calls = caller(scene.state)
    if calls is not None:
        return f"{short_name(name_of(scene, calls), NAME_CELLS)} has called: wait until the call is over."
    reason = _why_not(part, scene)
    return f"{reason[:1].upper()}{reason[1:]}."


def _why_not(part: str, scene: Scene) -> str:
    state = scene.state
    if state.phase == webset_pb2.PHASE_OVER:
        return "the game is over"
    if state.phase == webset_pb2.PHASE_SHOWING and part in ("call-set", "more-cards"):
        return _SHOWING
    own = state.players[scene.seat] if scene.seat < len(state.players) else webset_pb2.Player()
    if part == "call-set" and own.locked:
        return _LOCKED
    if part == "more-cards":
        return _why_no_more(state, own)
    return {"show-solutions": "solutions are not shown at this table", "end-solutions": "no solutions are shown"}.get(
        part, "that is not possible at the moment"
    )


def _why_no_more(state: webset_pb2.State, own: webset_pb2.Player) -> str:
    if own.voted:
        return _ASKED
    if not state.deck_left:
        return "the deck is empty"
    return "the table is full, or the referee deals more cards by itself when there is no set"

"""Webset as a person sees it in a terminal: texts in rich's console markup, made from messages.

Each card has the key of its place. What is said to the person below the table and in news is plain text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from fairplay.games.frontends import Offer
from fairplay.games.kit.lettering import literally, name_column, short_name
from fairplay.games.webset.rules import RULES
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.games.webset.views.picture import card_text, displayed, letter, table_lines
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

NAME_CELLS = 13
BAR_CELLS = 20

_MUTED, _MARK = "#7a8a7e", "bold #d97706"
_LEGEND = (
    f"[{_MUTED}]● ◆ ▰ solid   ○ ◇ ▱ open   ◍ ◈ ▨ striped\n[/]"
    f"[{_MUTED}]A set: number, colour, symbol and shading are each all\nalike or all different.[/]"
)
_GONE = {webset_pb2.STANDING_ELIMINATED: "out", webset_pb2.STANDING_FAILED: "failed"}

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


class Scene(NamedTuple):
    """What a person sees: the state, its own seat, the names by seat, and the cards that it has picked."""

    state: webset_pb2.State
    seat: int
    names: Sequence[str]
    picked: Sequence[int] = ()


def slot_at(state: webset_pb2.State, key: str) -> int | None:
    """Return the slot that has this key, or None if no card lies there."""
    return next((slot for slot, card in enumerate(state.slots) if card < CARDS and letter(slot) == key), None)


# The board


def draw(scene: Scene) -> str:
    """Return the table: each card in a box with its key, picked cards and a displayed solution marked."""
    marked = {*picked(scene), *displayed(scene.state)}
    return "\n".join([*table_lines(scene.state, letter, marked), "", _LEGEND])


def picked(scene: Scene) -> Sequence[int]:
    """Return the cards that the caller has picked so far: this person's own, or as everybody sees those of another."""
    own = scene.picked or caller(scene.state) in (None, scene.seat)
    return scene.picked if own else scene.state.picked


# Beside it


def describe(scene: Scene) -> str:
    """Return the players with their points, whose call it is, and the size of the deck; 22 cells wide."""
    state = scene.state
    lines = [line for seat in range(len(state.players)) for line in _player(scene, seat)]
    return "\n".join([*lines, "", f"[{_MUTED}]{state.deck_left} cards in the deck[/]"])


def _player(scene: Scene, seat: int) -> Iterator[str]:
    player, calls = scene.state.players[seat], caller(scene.state) == seat
    mark = f"[{_MARK}]▸[/]" if calls else " "
    name = name_column(short_name(name_of(scene, seat), NAME_CELLS), NAME_CELLS)
    style = "bold" if seat == scene.seat else "default"
    yield f"{mark} [{style}]{name}{player.points:>4}[/]"
    if said := ", ".join(_remarks(player)):
        yield f"[{_MUTED}]  {said}[/]"


def _remarks(player: webset_pb2.Player) -> Iterator[str]:
    if player.standing in _GONE:
        yield _GONE[player.standing]
    if player.cards:
        yield count_sets(len(player.cards))
    if wrong := player.penalty_count - player.expiry_count:
        yield f"{wrong} wrong"
    if player.expiry_count:
        yield f"{player.expiry_count} late"
    if player.locked:
        yield "locked"
    if player.voted:
        yield "more?"


def name_of(scene: Scene, seat: int) -> str:
    """Return the name of the player in a seat."""
    return scene.names[seat] if seat < len(scene.names) else f"player {seat + 1}"


def caller(state: webset_pb2.State) -> int | None:
    """Return the seat whose call is open, or None."""
    return state.caller if state.phase == webset_pb2.PHASE_CALLED else None


# The line below


def status_line(offer: Offer, picked: Sequence[int], window_s: float) -> str:
    """Return the line below the table: what a person may do or waits for, what time is left, and the picked cards."""
    if offer.left_s is None:
        return literally(offer.prompt)
    chosen = "  ".join(map(card_text, picked))
    cells = max(0, min(BAR_CELLS, ceil(offer.left_s / window_s * BAR_CELLS)))
    bar = f"[{_MARK}]{'█' * cells}[/][{_MUTED}]{'░' * (BAR_CELLS - cells)}[/]"
    return f"[{_MARK}]{literally(offer.prompt)}[/]  {bar} {max(0.0, offer.left_s):.1f} s  {chosen}".rstrip()


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


# What has happened, in plain text


def event_line(event: webset_pb2.Event, scene: Scene) -> str:
    """Return an event as one line. Empty for unknown kinds, and for players who join or are lost: the table says so."""
    form = _HAPPENED.get(event.kind, "")
    who = short_name(name_of(scene, event.seat), NAME_CELLS) if event.HasField("seat") else "Everybody"
    cards = ", ".join(card_name(card) for card in event.cards if card < CARDS)
    return form.format(who, cards, count_sets(len(event.cards)))


def count_sets(card_count: int) -> str:
    """Return how many sets so many cards are, e.g. "1 set"."""
    return f"{card_count // 3} set{'' if card_count == 3 else 's'}"


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

"""Webset as a person sees it in a terminal: texts in rich's console markup, made from messages.

Each card has the key of its place: the three rows of letters of a keyboard are the three rows of the table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import ceil
from typing import NamedTuple

from fairplay.games.kit.lettering import literally, name_column, short_name
from fairplay.games.webset.rules.cards import CARDS, card_name
from fairplay.games.webset.views.drawing import card_lines, card_text, slot_lines
from fairplay.webset.v1 import webset_pb2, webset_player_pb2

LETTERS = ("qwertyuio", "asdfghjkl", "zxcvbnm,.")
ROWS = len(LETTERS)
BASE_COLUMNS = 4
NAME_CELLS = 13
BAR_CELLS = 20

_MUTED, _MARK, _GOOD = "#7a8a7e", "bold #d97706", "bold #18a318"
_LEGEND = (
    f"[{_MUTED}]● ◆ ▰ solid   ○ ◇ ▱ open   ◍ ◈ ▨ striped\n[/]"
    f"[{_MUTED}]A set: number, colour, symbol and shading are each all\nalike or all different.[/]"
)
_GONE = {webset_pb2.STANDING_ELIMINATED: "out", webset_pb2.STANDING_FAILED: "failed"}

STATUSES = {
    webset_player_pb2.STATUS_ALREADY_CALLED: "AlreadyCalled: somebody else was first",
    webset_player_pb2.STATUS_NO_CALL: "NoCall: you have no open call",
    webset_player_pb2.STATUS_INTERNAL_ERROR: "InternalError: the referee has failed; it costs you nothing",
    webset_player_pb2.STATUS_NOT_NOW: "NotNow: that is not possible at the moment",
    webset_player_pb2.STATUS_NO_SETS: "NoSets: there are no solutions to show",
    webset_player_pb2.STATUS_NO_MORE_CARDS: "NoMoreCards: the deck is empty or the table is full",
}
"""What a person is told of its own act; what an event says too is left out."""

_HAPPENED = {
    webset_player_pb2.EVENT_KIND_CALLED: "{} calls ---S-E-T---.",
    webset_player_pb2.EVENT_KIND_GOT_SET: "{} GotSet: {}.",
    webset_player_pb2.EVENT_KIND_BAD_SET: "{} BadSet: those were no set.",
    webset_player_pb2.EVENT_KIND_CALL_EXPIRED: "{} CallExpired: no cards in time.",
    webset_player_pb2.EVENT_KIND_VOTED: "{} asks for more cards.",
    webset_player_pb2.EVENT_KIND_CARDS_DEALT: "Three more cards are dealt.",
    webset_player_pb2.EVENT_KIND_SOLUTIONS_SHOWN: "{} has the solutions shown.",
    webset_player_pb2.EVENT_KIND_SOLUTIONS_ENDED: "{} ends the showing: those cards are gone.",
}


class Seen(NamedTuple):
    """What a person has before it: the state, its own seat, who sits where, and what it has picked."""

    state: webset_pb2.State
    seat: int
    names: Sequence[str]
    picked: Collection[int] = ()


# Places and letters


def letter(slot: int) -> str:
    """The key of a slot; empty where the keyboard ends."""
    column, row = divmod(slot, ROWS)
    return LETTERS[row][column] if column < len(LETTERS[row]) else ""


def card_at(state: webset_pb2.State, key: str) -> int | None:
    """The card whose place has this key; None: there is none."""
    return next((card for slot, card in enumerate(state.slots) if card < CARDS and letter(slot) == key), None)


# The board


def drawn(seen: Seen) -> str:
    """The table: each card in a box with its key, those picked and a displayed solution marked."""
    state, marked = seen.state, {*seen.picked, *displayed(seen.state)}
    columns = max(BASE_COLUMNS, ceil(len(state.slots) / ROWS))
    cards = [*state.slots, *[CARDS] * (columns * ROWS - len(state.slots))]
    lines: list[str] = []
    for row in range(ROWS):
        boxes = [
            card_lines(card, letter(slot), marked=card in marked) if card < CARDS else slot_lines()
            for slot, card in enumerate(cards)
            if slot % ROWS == row
        ]
        lines += [" ".join(parts) for parts in zip(*boxes, strict=True)]
    return "\n".join([*lines, "", _LEGEND])


def displayed(state: webset_pb2.State) -> Sequence[int]:
    """The cards of the solution that is displayed."""
    if state.phase != webset_pb2.PHASE_SHOWING:
        return ()
    return state.solutions[3 * state.displayed : 3 * state.displayed + 3]


# Beside it


def beside(seen: Seen) -> str:
    """The players with their points, whose call it is, and the deck; 22 cells wide."""
    state = seen.state
    lines = [line for seat in range(len(state.players)) for line in _player(seen, seat)]
    return "\n".join([*lines, "", f"[{_MUTED}]{state.deck_count} cards in the deck[/]"])


def _player(seen: Seen, seat: int) -> Iterator[str]:
    player, calls = seen.state.players[seat], caller(seen.state) == seat
    mark = f"[{_MARK}]▸[/]" if calls else " "
    name = name_column(short_name(name_of(seen, seat), NAME_CELLS), NAME_CELLS)
    style = "bold" if seat == seen.seat else "default"
    yield f"{mark} [{style}]{name}{player.points:>4}[/]"
    if said := ", ".join(_remarks(player)):
        yield f"[{_MUTED}]  {said}[/]"


def _remarks(player: webset_pb2.Player) -> Iterator[str]:
    if player.standing in _GONE:
        yield _GONE[player.standing]
    if player.cards:
        yield f"{len(player.cards) // 3} set{'s' if len(player.cards) > 3 else ''}"
    if wrong := player.penalty_count - player.expiry_count:
        yield f"{wrong} wrong"
    if player.expiry_count:
        yield f"{player.expiry_count} late"
    if player.locked:
        yield "locked"
    if player.voted:
        yield "more?"


def name_of(seen: Seen, seat: int) -> str:
    """Who sits there."""
    return seen.names[seat] if seat < len(seen.names) else f"player {seat + 1}"


def caller(state: webset_pb2.State) -> int | None:
    """Whose call is open."""
    return state.caller if state.phase == webset_pb2.PHASE_CALLED else None


# The line below


def picking(seen: Seen, left_s: float, window_s: float) -> str:
    """That cards are to be picked, how long, and which have been."""
    chosen = "  ".join(map(card_text, seen.picked))
    return f"[{_MARK}]SET! Three cards by their keys[/]  {_countdown(left_s, window_s)}  {chosen}"


def called(seen: Seen, left_s: float, window_s: float) -> str:
    """That somebody else has called."""
    return f"{watched(seen)}  {_countdown(left_s, window_s)}"


def watched(seen: Seen) -> str:
    """What goes on, for somebody who watches."""
    if caller(seen.state) is not None:
        return f"[{_MARK}]{literally(short_name(name_of(seen, seen.state.caller), NAME_CELLS))} calls ---S-E-T---[/]"
    if seen.state.phase == webset_pb2.PHASE_SHOWING:
        return showing(seen.state)
    return "The game is over." if seen.state.phase == webset_pb2.PHASE_OVER else "You watch."


def _countdown(left_s: float, window_s: float) -> str:
    cells = max(0, min(BAR_CELLS, ceil(left_s / window_s * BAR_CELLS)))
    return f"[{_MARK}]{'█' * cells}[/][{_MUTED}]{'░' * (BAR_CELLS - cells)}[/] {max(0.0, left_s):.1f} s"


def showing(state: webset_pb2.State) -> str:
    """Which solution is displayed."""
    return f"Solution {state.displayed + 1} of {len(state.solutions) // 3}; nobody scores it."


def ended(seen: Seen, ranks: Sequence[int]) -> str:
    """How the game has ended for this person."""
    rank = ranks[seen.seat] if seen.seat < len(ranks) else 0
    if not rank:
        return "The game is over. You are not ranked."
    shared = ", shared" if list(ranks).count(rank) > 1 else ""
    return f"[{_GOOD}]GameOver: you have won{shared}![/]" if rank == 1 else f"GameOver: you are number {rank}{shared}."


# What has happened, in plain text


def happened(event: webset_player_pb2.Event, seen: Seen) -> str:
    """An event in one line; empty for what is told by others (a player that is out) or newer than this."""
    form = _HAPPENED.get(event.kind, "")
    who = short_name(name_of(seen, event.seat), NAME_CELLS) if event.HasField("seat") else "Everybody"
    cards = ", ".join(card_name(card) for card in event.cards if card < CARDS)
    return form.format(who, cards)

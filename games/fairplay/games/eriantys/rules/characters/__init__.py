"""Eriantys: the twelve characters of Expert mode (eriantys.md section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from fairplay.games.eriantys.rules.actions import PlayCharacter
from fairplay.games.eriantys.rules.characters.farmer import FARMER
from fairplay.games.eriantys.rules.characters.herald import HERALD
from fairplay.games.eriantys.rules.characters.herbalist import HERBALIST
from fairplay.games.eriantys.rules.characters.jester import JESTER
from fairplay.games.eriantys.rules.characters.lasting import CENTAUR, KNIGHT, POSTMAN
from fairplay.games.eriantys.rules.characters.minstrel import MINSTREL
from fairplay.games.eriantys.rules.characters.monk import MONK
from fairplay.games.eriantys.rules.characters.mushroom_hunter import MUSHROOM_HUNTER
from fairplay.games.eriantys.rules.characters.piece import Choice, Piece, with_card
from fairplay.games.eriantys.rules.characters.princess import PRINCESS
from fairplay.games.eriantys.rules.characters.thief import THIEF
from fairplay.games.eriantys.rules.islands import group_of
from fairplay.games.eriantys.rules.state import COLOR_COUNT, NOBODY, Card, Phase, State, with_at

PIECES: Final[Mapping[int, Piece]] = dict(
    enumerate(
        (
            MONK,
            FARMER,
            HERALD,
            POSTMAN,
            HERBALIST,
            CENTAUR,
            JESTER,
            KNIGHT,
            MUSHROOM_HUNTER,
            MINSTREL,
            PRINCESS,
            THIEF,
        ),
        1,
    )
)
"""The characters by their numbers."""

NAMES: Final[Mapping[int, str]] = {number: piece.name for number, piece in PIECES.items()}
"""Number of a character -> its name."""

_TIMES = frozenset({Phase.STUDENTS, Phase.MOTHER_NATURE, Phase.CLOUD})


def character_cost(card: Card) -> int:
    """Return what a character costs now, in coins."""
    return PIECES[card.character].cost + card.is_used


def playable(state: State) -> Iterator[tuple[Piece, Card]]:
    """Yield the characters that the active seat can pay for and play now, as far as their parameters allow."""
    if state.played or state.phase not in _TIMES:
        return
    coins = state.coins[state.active]
    for card in state.cards:
        piece = PIECES[card.character]
        if piece.cost + card.is_used <= coins and not _late(state, piece):
            yield piece, card


def choices(state: State) -> list[Choice]:
    """Return in short all ways to play each character that can be played now, from left to right."""
    return [choice for piece, card in playable(state) if (choice := piece.choice(state, card))]


def _late(state: State, piece: Piece) -> bool:
    return piece.helps_move_only and state.phase is Phase.CLOUD and state.settings.late_character == "refuse"


def character_violation(state: State, action: PlayCharacter) -> str | None:
    """Return the id of the rule that playing a character breaks, or None."""
    if not state.settings.is_expert:
        return "eriantys.character.expert"
    if state.phase not in _TIMES:
        return "eriantys.action.phase"
    card = next((card for card in state.cards if card.character == action.character), None)
    if card is None:
        return "eriantys.character.in-play"
    if state.played:
        return "eriantys.character.once"
    piece = PIECES[card.character]
    return (
        _access_violation(state, piece, card)
        or _shape_violation(state, piece, action)
        or piece.violation(state, card, action)
    )


def _access_violation(state: State, piece: Piece, card: Card) -> str | None:
    """Return the id of the rule that forbids a character at this time or at its price, or None."""
    if _late(state, piece):
        return "eriantys.character.late"
    return "eriantys.character.coins" if character_cost(card) > state.coins[state.active] else None


def _shape_violation(state: State, piece: Piece, action: PlayCharacter) -> str | None:
    """Return the id of the rule that missing, needless or unknown parameters of a character break, or None."""
    if (action.color is not None) != (piece.colors is not None):
        return "eriantys.character.color"
    if (action.island is not None) != (piece.islands is not None):
        return "eriantys.character.island"
    colors = [color for pair in action.swaps for color in pair]
    colors += [] if action.color is None else [action.color]
    if not all(0 <= color < COLOR_COUNT for color in colors):
        return "eriantys.color.known"
    if action.island is not None and group_of(state, action.island) == NOBODY:
        return "eriantys.island.known"
    too_few = not action.swaps and piece.most_swaps and not state.settings.allow_zero_swaps
    return "eriantys.character.swap-count" if too_few or len(action.swaps) > piece.most_swaps else None


def play_character(state: State, action: PlayCharacter) -> State:
    """Return the state once a character is paid for and has done what it does (section 5.2)."""
    card = next(card for card in state.cards if card.character == action.character)
    seat, price, used = state.active, character_cost(card), card._replace(is_used=True)
    state = with_card(state, used)._replace(
        revision=state.revision + 1,
        coins=with_at(state.coins, seat, state.coins[seat] - price),
        reserve=state.reserve + price - (not card.is_used),
        played=card.character,
    )
    return PIECES[card.character].effect(state, used, action)

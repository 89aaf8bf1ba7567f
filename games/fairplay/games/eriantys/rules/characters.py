"""The twelve characters of Expert mode: what each costs, needs, lists, refuses and does (eriantys.md section 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from typing import Final, Generic, NamedTuple, TypeVar, overload

from fairplay.games.eriantys.rules import board
from fairplay.games.eriantys.rules.state import (
    COLOR_COUNT,
    NO_ENTRY_TILES,
    NOBODY,
    TABLE_SEATS,
    Card,
    Counts,
    Group,
    Phase,
    PlayCharacter,
    Reason,
    State,
    added,
    counted,
    plus,
    taken,
    with_at,
)

_T_co = TypeVar("_T_co", covariant=True)


# Long choices, whose items are made when they are asked for


class Lazy(Sequence[_T_co], Generic[_T_co]):
    """A sequence of a known length, an item of which is made when it is asked for."""

    __slots__ = ("_count", "_make")

    def __init__(self, count: int, make: Callable[[int], _T_co]) -> None:
        """Take a function from an index of 0 to count - 1 to its item."""
        self._count = count
        self._make = make

    def __len__(self) -> int:
        """Return how many items there are."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> _T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_T_co]: ...
    def __getitem__(self, index: int | slice) -> _T_co | Sequence[_T_co]:
        """Return an item, or those of a slice."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._count))]
        return self._make(range(self._count)[index])


@lru_cache(maxsize=4096)
def _multisets(counts: Counts, size: int) -> tuple[tuple[int, ...], ...]:
    """Return all choices of `size` students out of these, each with its colours in order."""
    chosen = combinations_with_replacement(range(COLOR_COUNT), size)
    return tuple([colors for colors in chosen if all(colors.count(color) <= counts[color] for color in colors)])


def _swaps(character: int, left: Counts, right: Counts, sizes: range) -> Sequence[PlayCharacter]:
    """Return all exchanges of so many students of the one multiset for as many of the other."""
    pairs = [(_multisets(left, size), _multisets(right, size)) for size in sizes]

    def item(index: int) -> PlayCharacter:
        for lefts, rights in pairs:
            if index < len(lefts) * len(rights):
                given, got = lefts[index // len(rights)], rights[index % len(rights)]
                return PlayCharacter(character, swaps=tuple(zip(given, got, strict=True)))
            index -= len(lefts) * len(rights)
        raise IndexError(index)

    return Lazy(sum([len(lefts) * len(rights) for lefts, rights in pairs]), item)


def columns(pairs: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, ...]]:
    """Yield the left colours of swaps, and the right ones, each in order."""
    for side in (0, 1):
        yield tuple(sorted(pair[side] for pair in pairs))


# What a character supplies


class Exchange(NamedTuple):
    """Any students of the entrance (`given`) for as many others (`taken`), `fewest` to `most` of them."""

    fewest: int
    most: int
    given: Counts
    taken: Counts
    free: Counts | None = None
    """By how many of each colour the given ones may exceed the taken ones; None: by any number."""


class Choice(NamedTuple):
    """All ways to play a character: each of the colours with each of the islands it needs, or an exchange."""

    character: int
    colors: Sequence[int] = ()
    islands: Sequence[int] = ()
    exchange: Exchange | None = None


class Piece(NamedTuple):
    """One character: what it costs and starts with, and what it needs to know, lists, refuses and does."""

    name: str
    cost: int
    effect: Callable[[State, Card, PlayCharacter], State] = lambda state, _card, _play: state
    """What it does, once paid for; nothing if it is looked up where it counts, during this turn."""
    violation: Callable[[State, Card, PlayCharacter], str | None] = lambda _state, _card, _play: None
    """The rule that its parameters break; they are of the right shape and range."""
    colors: Callable[[State, Card], Sequence[int]] | None = None
    """The colours that will do now, if it needs one; paying and timing are left aside here and below."""
    islands: Callable[[State, Card], Sequence[int]] | None = None
    """The islands that will do now, if it needs one."""
    exchange: Callable[[State, Card], Exchange] | None = None
    """The bounds of the exchange, if it is one."""
    most_swaps: int = 0
    takes_first: bool = False
    """Whether the pairs of an exchange begin with what is taken."""
    students: int = 0
    no_entry: int = 0
    helps_move_only: bool = False
    """It only helps Mother Nature's move: of no use after it."""

    def options(self, state: State, card: Card) -> Sequence[PlayCharacter]:
        """Return all ways to play the character now."""
        if self.exchange is not None:
            bounds = self.exchange(state, card)
            pair = (bounds.taken, bounds.given) if self.takes_first else (bounds.given, bounds.taken)
            found = _swaps(card.character, *pair, range(bounds.fewest, bounds.most + 1))
            if bounds.free is None or min(bounds.free) >= self.most_swaps:
                return found
            return [action for action in found if self.violation(state, card, action) is None]
        colors = (None,) if self.colors is None else self.colors(state, card)
        islands = (None,) if self.islands is None else self.islands(state, card)
        return [_play(card.character, color, island) for color in colors for island in islands]

    def choice(self, state: State, card: Card) -> Choice | None:
        """Return all ways in short, free combinations not multiplied out; None: there is no way."""
        if self.exchange is not None:  # a full table forbids none: a student of its colour may be taken for another
            bounds = self.exchange(state, card)
            return Choice(card.character, exchange=bounds) if bounds.fewest <= bounds.most else None
        colors = () if self.colors is None else tuple(self.colors(state, card))
        islands = () if self.islands is None else tuple(self.islands(state, card))
        if (self.colors is not None and not colors) or (self.islands is not None and not islands):
            return None
        return Choice(card.character, colors, islands)


@cache
def _play(character: int, color: int | None, island: int | None) -> PlayCharacter:
    """Return the action without swaps, made once."""
    return PlayCharacter(character, color, island)


def _any_color(_state: State, _card: Card) -> Sequence[int]:
    return range(COLOR_COUNT)


def _card_colors(_state: State, card: Card) -> Sequence[int]:
    return [color for color in range(COLOR_COUNT) if card.students[color]]


def _any_island(state: State, _card: Card) -> Sequence[int]:
    return board.addresses(state)


def _color_of(action: PlayCharacter) -> int:
    assert action.color is not None  # what has another shape is refused before
    return action.color


def _group_of(state: State, action: PlayCharacter) -> int:
    """Return the index of the group that an action names."""
    assert action.island is not None
    return board.group_of(state, action.island)


def _with_card(state: State, card: Card) -> State:
    """Return the state with a character replaced by its new form."""
    return state._replace(cards=tuple([card if other.character == card.character else other for other in state.cards]))


def _replenished(state: State, card: Card, color: int) -> State:
    """Return the state without a student of a character, and with another drawn onto it if the bag has one (5.4)."""
    had = any(state.bag)
    draw_state, drawn, bag = board.draw(state.draw_state, state.bag, 1, state.settings.draw_model)
    state = _with_card(state, card._replace(students=added(plus(card.students, color, -1), drawn)))
    state = state._replace(draw_state=draw_state, bag=bag)
    return board.last_round(state, Reason.BAG_EMPTY) if had and not any(bag) else state


def _exchange(state: State, others: Counts, most: int) -> Exchange:
    """Return the bounds of an exchange of at most `most` students, as far as settings and numbers of students go."""
    fewest, entrance = 0 if state.settings.allow_zero_swaps else 1, state.entrances[state.active]
    return Exchange(fewest, min(most, sum(entrance), sum(others)), entrance, others)


# 1: a student from the card to an island


def _monk(state: State, card: Card, action: PlayCharacter) -> State:
    color = _color_of(action)
    groups = board.with_student(state, _group_of(state, action), color)
    return _replenished(state._replace(groups=groups), card, color)


def _monk_violation(_state: State, card: Card, action: PlayCharacter) -> str | None:
    return None if card.students[_color_of(action)] else "eriantys.character.card-students"


# 2: takes professors when level with their owners


def _farmer(state: State, _card: Card, _action: PlayCharacter) -> State:
    """Return the state with all colours claimed now; students placed later in the turn are looked at then."""
    for color in range(COLOR_COUNT):
        state = board.with_claim(state, color)
    return state


# 3: resolves an island as if Mother Nature had stopped there


def _herald(state: State, _card: Card, action: PlayCharacter) -> State:
    return board.stop_at(state, _group_of(state, action), respect_no_entry=state.settings.herald_respects_no_entry)


# 5: a no-entry tile on an island


def _takes_tile(state: State, group: Group) -> bool:
    return state.settings.no_entry_stack or not group.no_entry


def _herbalist(state: State, card: Card, action: PlayCharacter) -> State:
    index = _group_of(state, action)
    group = state.groups[index]
    groups = with_at(state.groups, index, group._replace(no_entry=group.no_entry + 1))
    return _with_card(state._replace(groups=groups), card._replace(no_entry=card.no_entry - 1))


def _herbalist_islands(state: State, card: Card) -> Sequence[int]:
    if not card.no_entry:
        return ()
    pairs = zip(board.addresses(state), state.groups, strict=True)
    return [island for island, group in pairs if _takes_tile(state, group)]


def _herbalist_violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    if not card.no_entry:
        return "eriantys.character.no-entry-left"
    return None if _takes_tile(state, state.groups[_group_of(state, action)]) else "eriantys.character.no-entry-one"


# 7: up to three students of the card for as many of the entrance

_JESTER_MOST = 3


def _jester_exchange(state: State, card: Card) -> Exchange:
    return _exchange(state, card.students, _JESTER_MOST)


def _jester_violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    from_card, from_entrance = map(counted, columns(action.swaps))
    if min(taken(card.students, from_card)) < 0:
        return "eriantys.character.card-students"
    if min(taken(state.entrances[state.active], from_entrance)) < 0:
        return "eriantys.character.swap-entrance"
    return None


def _jester(state: State, card: Card, action: PlayCharacter) -> State:
    from_card, from_entrance = map(counted, columns(action.swaps))
    entrance = added(taken(state.entrances[state.active], from_entrance), from_card)
    state = state._replace(entrances=with_at(state.entrances, state.active, entrance))
    return _with_card(state, card._replace(students=added(taken(card.students, from_card), from_entrance)))


# 10: up to two students of the entrance for as many of the dining room

_MINSTREL_MOST = 2


def _minstrel_exchange(state: State, _card: Card) -> Exchange:
    room = state.dining_rooms[state.active]
    return _exchange(state, room, _MINSTREL_MOST)._replace(free=tuple([TABLE_SEATS - count for count in room]))


def _minstrel_violation(state: State, _card: Card, action: PlayCharacter) -> str | None:
    given, got = map(counted, columns(action.swaps))
    left = taken(state.dining_rooms[state.active], got)
    if min(taken(state.entrances[state.active], given)) < 0:
        return "eriantys.character.swap-entrance"
    if min(left) < 0:
        return "eriantys.character.swap-dining-room"
    return "eriantys.character.table-full" if max(added(left, given)) > TABLE_SEATS else None


def _minstrel(state: State, _card: Card, action: PlayCharacter) -> State:
    """Return the state after an exchange: students first, then coins of seats newly taken, then professors (5.4)."""
    seat = state.active
    given, got = map(counted, columns(action.swaps))
    before = state.dining_rooms[seat]
    after = added(taken(before, got), given)
    entrance = added(taken(state.entrances[seat], given), got)
    state = state._replace(
        entrances=with_at(state.entrances, seat, entrance), dining_rooms=with_at(state.dining_rooms, seat, after)
    )
    changed = [color for color, count in enumerate(after) if count != before[color]]
    if state.settings.coins_from_characters:
        for color in changed:
            state = board.with_coins(state, color, before[color], after[color])
    for color in changed:
        if after[color] > before[color]:
            state = board.with_claim(state, color)
        else:
            state = board.with_recheck(state, color) if state.settings.professor_recheck_on_removal else state
            state = board.with_zero_check(state, color)
    return state


# 11: a student from the card to the dining room


def _princess_colors(state: State, card: Card) -> Sequence[int]:
    room = state.dining_rooms[state.active]
    return [color for color in _card_colors(state, card) if room[color] < TABLE_SEATS]


def _princess_violation(state: State, card: Card, action: PlayCharacter) -> str | None:
    color = _color_of(action)
    if not card.students[color]:
        return "eriantys.character.card-students"
    return "eriantys.character.table-full" if state.dining_rooms[state.active][color] >= TABLE_SEATS else None


def _princess(state: State, card: Card, action: PlayCharacter) -> State:
    color = _color_of(action)
    return _replenished(board.seated(state, color, pays=state.settings.coins_from_characters), card, color)


# 12: everybody returns up to three students of a colour to the bag

_STOLEN = 3


def _thief(state: State, _card: Card, action: PlayCharacter) -> State:
    """Return the state after the theft. Professors stay: a removal from everybody keeps the order of the counts."""
    color = _color_of(action)
    removed = [min(_STOLEN, room[color]) for room in state.dining_rooms]
    rooms = [plus(room, color, -count) for room, count in zip(state.dining_rooms, removed, strict=True)]
    state = state._replace(dining_rooms=tuple(rooms), bag=plus(state.bag, color, sum(removed)))
    if any(removed) and not state.settings.bag_end_latched:
        state = state._replace(last_round=Reason.NONE if all(state.hands) else Reason.LAST_ASSISTANT)
    return board.with_zero_check(state, color)


# All of them

PIECES: Final[Mapping[int, Piece]] = {
    1: Piece("monk", 1, _monk, _monk_violation, colors=_card_colors, islands=_any_island, students=4),
    2: Piece("farmer", 2, _farmer),
    3: Piece("herald", 3, _herald, islands=_any_island),
    4: Piece("postman", 1, helps_move_only=True),  # Mother Nature may move up to two steps more
    5: Piece("herbalist", 2, _herbalist, _herbalist_violation, islands=_herbalist_islands, no_entry=NO_ENTRY_TILES),
    6: Piece("centaur", 3, helps_move_only=True),  # towers give no influence
    7: Piece(
        "jester",
        1,
        _jester,
        _jester_violation,
        exchange=_jester_exchange,
        most_swaps=_JESTER_MOST,
        takes_first=True,
        students=6,
    ),
    8: Piece("knight", 2, helps_move_only=True),  # two more influence for the player's side
    9: Piece(
        "mushroom hunter",
        3,
        lambda state, _card, action: state._replace(ignored=_color_of(action)),  # it gives no influence in this turn
        colors=_any_color,
        helps_move_only=True,
    ),
    10: Piece("minstrel", 1, _minstrel, _minstrel_violation, exchange=_minstrel_exchange, most_swaps=_MINSTREL_MOST),
    11: Piece("princess", 2, _princess, _princess_violation, colors=_princess_colors, students=4),
    12: Piece("thief", 3, _thief, colors=_any_color),
}
"""The characters by their numbers."""

NAMES: Final[Mapping[int, str]] = {number: piece.name for number, piece in PIECES.items()}
"""Number of a character -> its name."""

_TIMES = frozenset({Phase.STUDENTS, Phase.MOTHER_NATURE, Phase.CLOUD})


def character_cost(card: Card) -> int:
    """Return what a character costs now, in coins."""
    return PIECES[card.character].cost + card.is_used


def _playable(state: State) -> Iterator[tuple[Piece, Card]]:
    """Yield the characters that the active seat can pay for and play now, as far as their parameters allow."""
    if state.played or state.phase not in _TIMES:
        return
    coins = state.coins[state.active]
    for card in state.cards:
        piece = PIECES[card.character]
        if piece.cost + card.is_used <= coins and not _is_late(state, piece):
            yield piece, card


def character_options(state: State) -> list[Sequence[PlayCharacter]]:
    """Return all ways to play each character that can be paid for now, from left to right; there may be none."""
    return [piece.options(state, card) for piece, card in _playable(state)]


def choices(state: State) -> list[Choice]:
    """Return in short all ways to play each character that can be played now, from left to right."""
    return [choice for piece, card in _playable(state) if (choice := piece.choice(state, card))]


def _is_late(state: State, piece: Piece) -> bool:
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
    broken = _access_violation(state, piece, card) or _shape_violation(state, piece, action)
    return broken or piece.violation(state, card, action)


def _access_violation(state: State, piece: Piece, card: Card) -> str | None:
    """Return the id of the rule that forbids a character at this time or at its price, or None."""
    if _is_late(state, piece):
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
    if action.island is not None and board.group_of(state, action.island) == NOBODY:
        return "eriantys.island.known"
    too_few = not action.swaps and piece.most_swaps and not state.settings.allow_zero_swaps
    return "eriantys.character.swap-count" if too_few or len(action.swaps) > piece.most_swaps else None


def play_character(state: State, action: PlayCharacter) -> State:
    """Return the state once a character is paid for and has done what it does (section 5.2)."""
    card = next(card for card in state.cards if card.character == action.character)
    seat, price, used = state.active, character_cost(card), card._replace(is_used=True)
    state = _with_card(state, used)._replace(
        revision=state.revision + 1,
        coins=with_at(state.coins, seat, state.coins[seat] - price),
        reserve=state.reserve + price - (not card.is_used),
        played=card.character,
    )
    return PIECES[card.character].effect(state, used, action)

"""Eriantys: the set-up of a game (eriantys.md section 2)."""

from __future__ import annotations

from random import Random

from fairplay.games.eriantys.rules.bag import draw, draw_one
from fairplay.games.eriantys.rules.characters import PIECES
from fairplay.games.eriantys.rules.settings import (
    CHARACTER_COUNT,
    CHARACTERS_IN_PLAY,
    MAX_SEATS,
    MIN_SEATS,
    TILE_COUNT,
    Settings,
    settings_problem,
)
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COINS,
    COLOR_COUNT,
    NOBODY,
    NONE,
    STUDENTS_PER_COLOR,
    Card,
    Counts,
    Group,
    Phase,
    Reason,
    Standing,
    State,
    plus,
    size_of,
)
from fairplay.games.kit.draws import draw_below

_ON_ISLANDS = 2  # students of each colour that start on the islands


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a fresh game, in which tower colours are to be chosen next.

    Draws in the order of section 2: Mother Nature's island, islands, first player, entrances seat by seat,
    characters, students on characters. Raises ValueError if the settings are not allowed, or if there are too few
    or too many players.
    """
    if not MIN_SEATS <= seat_count <= MAX_SEATS:
        raise ValueError(f"Eriantys is played by {MIN_SEATS} to {MAX_SEATS} players, not by {seat_count}.")
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    draw_state, mother_nature, groups = _islands(rng.getrandbits(64), settings)
    draw_state, first = _first_seat(draw_state, settings, seat_count)
    bag: Counts = (STUDENTS_PER_COLOR - _ON_ISLANDS,) * COLOR_COUNT
    cards: tuple[Card, ...] = ()
    if settings.setup_draw_order == "characters_first":
        draw_state, cards, bag = _characters(draw_state, settings, bag)
    draw_state, entrances, bag = _entrances(draw_state, settings, seat_count, bag)
    if settings.setup_draw_order == "entrances_first":
        draw_state, cards, bag = _characters(draw_state, settings, bag)
    return _laid_out(settings, draw_state, groups, mother_nature, first, bag, entrances, cards)


def _islands(draw_state: int, settings: Settings) -> tuple[int, int, tuple[Group, ...]]:
    """Return the draw state, Mother Nature's island, and the islands: a student on each but hers and the opposite."""
    mother_nature = settings.mn_island
    if settings.mn_start == "random":
        draw_state, mother_nature = draw_below(draw_state, TILE_COUNT)
    bag: Counts = (_ON_ISLANDS,) * COLOR_COUNT
    students = [NONE] * TILE_COUNT
    for step in range(1, TILE_COUNT):
        if step != TILE_COUNT // 2:
            draw_state, color, bag = draw_one(draw_state, bag, settings.draw_model)
            students[(mother_nature + step) % TILE_COUNT] = plus(NONE, color)
    return draw_state, mother_nature, tuple(Group((tile,), held) for tile, held in enumerate(students))


def _first_seat(draw_state: int, settings: Settings, seat_count: int) -> tuple[int, int]:
    if settings.first_player == "first_seat":
        return draw_state, 0
    return draw_below(draw_state, seat_count)


def _entrances(
    draw_state: int, settings: Settings, seat_count: int, bag: Counts
) -> tuple[int, tuple[Counts, ...], Counts]:
    entrances = []
    for _ in range(seat_count):
        draw_state, drawn, bag = draw(draw_state, bag, size_of(seat_count).entrance, settings.draw_model)
        entrances.append(drawn)
    return draw_state, tuple(entrances), bag


def _characters(draw_state: int, settings: Settings, bag: Counts) -> tuple[int, tuple[Card, ...], Counts]:
    """Return the draw state, the characters in play with the students on them, from left to right, and the bag."""
    if not settings.is_expert:
        return draw_state, (), bag
    draw_state, chosen = _chosen_characters(draw_state, settings)
    cards = []
    for character in chosen:
        piece = PIECES[character]
        draw_state, drawn, bag = draw(draw_state, bag, piece.students, settings.draw_model)
        cards.append(Card(character, False, drawn, piece.no_entry))
    return draw_state, tuple(cards), bag


def _chosen_characters(draw_state: int, settings: Settings) -> tuple[int, tuple[int, ...]]:
    if settings.characters:
        return draw_state, settings.characters
    left, chosen = list(range(1, CHARACTER_COUNT + 1)), []
    for _ in range(CHARACTERS_IN_PLAY):
        draw_state, place = draw_below(draw_state, len(left))
        chosen.append(left.pop(place))
    return draw_state, tuple(chosen)


def sides_of(settings: Settings, seat_count: int) -> tuple[int, ...]:
    """Return by seat its side."""
    if seat_count < MAX_SEATS:
        return tuple(range(seat_count))
    return (0, 1, 0, 1) if settings.team_seating == "alternating" else (0, 0, 1, 1)


def _laid_out(
    settings: Settings,
    draw_state: int,
    groups: tuple[Group, ...],
    mother_nature: int,
    first: int,
    bag: Counts,
    entrances: tuple[Counts, ...],
    cards: tuple[Card, ...],
) -> State:
    """Return the state once everything is drawn, in which the first side is asked for its tower colour."""
    seat_count, sides = len(entrances), sides_of(settings, len(entrances))
    side_count = len(set(sides))
    return State(
        settings=settings,
        sides=sides,
        phase=Phase.TOWERS,
        active=0,
        round=0,
        groups=groups,
        mother_nature=mother_nature,
        bag=bag,
        clouds=(NONE,) * seat_count,
        clouds_closed=False,
        entrances=entrances,
        dining_rooms=(NONE,) * seat_count,
        professors=(NOBODY,) * COLOR_COUNT,
        hands=(tuple(range(1, ASSISTANTS + 1)),) * seat_count,
        assistants=(0,) * seat_count,
        first=first,
        planned=(),
        queue=(),
        to_move=0,
        tower_colors=(NOBODY,) * side_count,
        towers=(size_of(seat_count).towers,) * side_count,
        cards=cards,
        coins=(int(settings.is_expert),) * seat_count,
        reserve=COINS - seat_count if settings.is_expert else 0,
        paid_seats=(0,) * seat_count,
        played=0,
        ignored=NOBODY,
        borrowed=(NOBODY,) * COLOR_COUNT,
        aside=NONE,
        standings=(Standing.IN,) * seat_count,
        last_round=Reason.NONE,
        reason=Reason.NONE,
        draw_state=draw_state,
        revision=0,
    )

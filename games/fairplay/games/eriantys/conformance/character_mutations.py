"""Wrong plays of characters in Eriantys, as `mutations` has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement, product
from typing import Any

from fairplay.eriantys.v1.eriantys_pb2 import Action as ActionMessage
from fairplay.eriantys.v1.eriantys_pb2 import PlayCharacter as PlayCharacterMessage
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.conformance.wrong_moves import (
    ACTION,
    ALL_COLORS,
    TILE_COUNT,
    UNKNOWN_COLOR,
    bare_characters,
    characters,
    possible_exchanges,
    ways_to_play,
    wrong_answer,
)
from fairplay.games.eriantys.rules import Action, PlayCharacter, State
from fairplay.games.eriantys.rules.state import TABLE_SEATS
from fairplay.games.kit.conformance import WHOLE_GAME, collect_mutations, mutation, whole_game

LAST_OF_FOUR = whole_game(3, 4)
MINSTREL = 10


@wrong_answer(ACTION, "eriantys.character.expert", WHOLE_GAME, LAST_OF_FOUR, "eriantys.students.resumed")
def plays_character_in_basic(view: State) -> Iterable[Action]:
    """Plays a character in a Basic game."""
    return bare_characters(view)


@wrong_answer(
    ACTION,
    "eriantys.character.in-play",
    "eriantys.seats.last-of-four",
    "eriantys.character.what-it-needs",
    "eriantys.character.late",
)
def plays_absent_character(view: State) -> Iterable[Action]:
    """Plays a character that is not in play."""
    in_play = [card.character for card in view.cards]
    return (play for number in rules.PIECES if number not in in_play for play in ways_to_play(view, number))


@wrong_answer(ACTION, "eriantys.character.once", "eriantys.character.once-a-turn")
def plays_second_character(view: State) -> Iterable[Action]:
    """Plays a second character in the same turn."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.coins", "eriantys.character.no-coins", "eriantys.character.dearer")
def plays_without_coins(view: State) -> Iterable[Action]:
    """Plays a character that it cannot pay for."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.coins", "eriantys.character.dearer")
def pays_printed_price(view: State) -> Iterable[Action]:
    """Plays a character for its printed price though it costs more by now."""
    coins = view.coins[view.active]
    return (play for play in characters(view) if rules.PIECES[play.character].cost <= coins)


@wrong_answer(ACTION, "eriantys.character.late", "eriantys.character.late")
def plays_helper_too_late(view: State) -> Iterable[Action]:
    """Plays a character for Mother Nature's move after it, where that is forbidden."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.color", "eriantys.character.what-it-needs", "eriantys.character.bag-empty")
def plays_without_color(view: State) -> Iterable[Action]:
    """Leaves out the colour that a character needs."""
    return (replace(play, color=None) for play in characters(view))


@wrong_answer(ACTION, "eriantys.character.color", "eriantys.character.what-it-needs", "eriantys.character.exchanges")
def plays_with_color(view: State) -> Iterable[Action]:
    """Gives a colour to a character that needs none."""
    return (replace(play, color=color, swaps=()) for play in characters(view) for color in ALL_COLORS)


@wrong_answer(ACTION, "eriantys.character.island", "eriantys.character.what-it-needs", "eriantys.character.bag-empty")
def plays_without_island(view: State) -> Iterable[Action]:
    """Leaves out the island that a character needs."""
    return (replace(play, island=None) for play in characters(view))


@wrong_answer(ACTION, "eriantys.character.island", "eriantys.character.what-it-needs", "eriantys.character.exchanges")
def plays_with_island(view: State) -> Iterable[Action]:
    """Gives an island to a character that needs none."""
    return (replace(play, island=0) for play in characters(view))


@wrong_answer(ACTION, "eriantys.color.known", "eriantys.character.what-it-needs", "eriantys.character.exchanges")
def plays_with_unknown_color(view: State) -> Iterable[Action]:
    """Gives a sixth colour to a character."""
    for play in characters(view):
        if play.color is not None:
            yield replace(play, color=UNKNOWN_COLOR)
        yield from (replace(play, swaps=((left, UNKNOWN_COLOR),)) for left, _ in play.swaps)


@wrong_answer(
    ACTION, "eriantys.island.known", "eriantys.character.what-it-needs", "eriantys.character.no-entry-one-each"
)
def plays_with_unknown_island(view: State) -> Iterable[Action]:
    """Gives the island 12 to a character."""
    return (replace(play, island=TILE_COUNT) for play in characters(view) if play.island is not None)


@wrong_answer(
    ACTION, "eriantys.character.card-students", "eriantys.character.bag-empty", "eriantys.character.exchanges"
)
def takes_absent_student(view: State) -> Iterable[Action]:
    """Moves a student away from a character on which it is not."""
    return characters(view)


@mutation(ACTION, "eriantys.character.swap-count", "eriantys.character.exchanges", "eriantys.character.bag-empty")
def gives_more_than_it_takes(*_: Any) -> AskActionResponse:
    """Gives two students for one."""
    uneven = PlayCharacterMessage(character=7, given=[1, 1], taken=[1])  # type: ignore[list-item]
    return AskActionResponse(action=ActionMessage(play_character=uneven))


@wrong_answer(
    ACTION,
    "eriantys.character.swap-count",
    "eriantys.character.exchanges",
    "eriantys.character.nothing-to-exchange",
    "eriantys.character.bag-empty",
)
def exchanges_nothing(view: State) -> Iterable[Action]:
    """Plays jester or minstrel without any exchange."""
    return bare_characters(view)


@wrong_answer(ACTION, "eriantys.character.swap-count", "eriantys.character.exchanges", "eriantys.character.bag-empty")
def exchanges_one_too_many(view: State) -> Iterable[Action]:
    """Exchanges four students with the jester, or three with the minstrel."""
    plays = (play for play in characters(view) if play.swaps)
    return (replace(play, swaps=play.swaps * (rules.PIECES[play.character].most_swaps + 1)) for play in plays)


@wrong_answer(
    ACTION,
    "eriantys.character.swap-entrance",
    "eriantys.character.exchanges",
    "eriantys.character.nothing-to-exchange",
    "eriantys.character.bag-empty",
)
def exchanges_absent_student(view: State) -> Iterable[Action]:
    """Gives a student in an exchange that is not in its entrance."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.swap-entrance", "eriantys.character.exchanges")
def exchanges_in_wrong_direction(view: State) -> Iterable[Action]:
    """Mixes up what is given and what is taken in an exchange."""
    return (replace(play, swaps=tuple([pair[::-1] for pair in play.swaps])) for play in possible_exchanges(view))


@wrong_answer(
    ACTION, "eriantys.character.swap-dining-room", "eriantys.character.exchanges", "eriantys.character.table-full"
)
def exchanges_with_empty_table(view: State) -> Iterable[Action]:
    """Takes a student in an exchange that is not in its dining room."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.swap-dining-room", "eriantys.character.exchanges")
def exchanges_same_student_twice(view: State) -> Iterable[Action]:
    """Takes two students of a colour from its dining room where there is one."""
    return (replace(play, swaps=play.swaps * 2) for play in possible_exchanges(view))


@wrong_answer(ACTION, "eriantys.character.table-full", "eriantys.character.table-full")
def seats_eleventh_with_character(view: State) -> Iterable[Action]:
    """Puts an eleventh student at a table with a character."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.table-full", "eriantys.character.nearly-full")
def seats_two_on_the_last_seat(view: State) -> Iterable[Action]:
    """Gives two students of a colour in an exchange where the table of that colour has one free seat."""
    exchanges = combinations_with_replacement(product(ALL_COLORS, ALL_COLORS), 2)
    return (PlayCharacter(MINSTREL, swaps=swaps) for swaps in exchanges if _seats_twice(view, swaps))


def _seats_twice(view: State, swaps: Sequence[tuple[int, int]]) -> bool:
    """Return whether each student of an exchange could be seated alone, and both have one colour."""
    (one, _), (other, _) = swaps
    return one == other and view.dining_rooms[view.active][one] == TABLE_SEATS - 1


@wrong_answer(ACTION, "eriantys.character.no-entry-left", "eriantys.character.no-entry-used-up")
def gives_fifth_no_entry_tile(view: State) -> Iterable[Action]:
    """Plays the herbalist when all no-entry tiles lie on islands."""
    return characters(view)


@wrong_answer(ACTION, "eriantys.character.no-entry-one", "eriantys.character.no-entry-one-each")
def stacks_no_entry_tiles(view: State) -> Iterable[Action]:
    """Puts a no-entry tile where one lies, and two must not."""
    return characters(view)


MUTATIONS = collect_mutations(globals())

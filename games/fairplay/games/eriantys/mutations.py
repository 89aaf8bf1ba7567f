"""Wrong answers to the referee of Eriantys: each breaks one rule, and is caught by the cases that it names.

A wrong answer is asked for again, and given again: it is misconduct once there are no attempts left. It is one of many
actions that a function yields from what the player sees, where it is the active seat. Of these only those count that
break the rule in question: others are legal, or wrong for another reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations_with_replacement, product
from random import Random
from typing import Any, TypeAlias

from fairplay.eriantys.v1 import eriantys_pb2 as pb
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.conformance import Mutation
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules.board import addresses
from fairplay.games.eriantys.rules.characters import PIECES
from fairplay.games.eriantys.rules.legality import most_steps
from fairplay.games.eriantys.rules.state import (
    COLORS,
    NOBODY,
    TABLE_SEATS,
    TILE_COUNT,
    Action,
    ChooseTowers,
    EndTurn,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Mutate,
    build_mutation,
    choose,
    collect_mutations,
    mutation,
    whole_game,
)

WrongActions: TypeAlias = Callable[[State], Iterable[Action]]

ALL_COLORS = range(len(COLORS))
UNKNOWN_COLOR = len(COLORS)
BLACK = AskTowerColorResponse(color=pb.TOWER_COLOR_BLACK)
WHITE_OF_TWO, LAST_OF_THREE, LAST_OF_FOUR = whole_game(1, 2), whole_game(2, 3), whole_game(3, 4)
POSTMAN, MINSTREL = 4, 10


# Declarations: rules and probes are named without "eriantys.", with which their ids begin


def _full(name: str) -> str:
    return name if name.startswith("rules.") else f"eriantys.{name}"


def wrong_reply(method: str, rule: str, *cases: str) -> Callable[[Mutate], Mutation]:
    """Declare a mutation of the replies to a method: the decorated function returns the wrong reply, or None."""
    return mutation(method, _full(rule), *map(_full, cases))


def wrong_answer(method: str, rule: str, *cases: str) -> Callable[[WrongActions], Mutation]:
    """Declare a mutation of the replies to a method: the decorated function yields actions from a view."""

    def declare(wrong: WrongActions) -> Mutation:
        def mutate(request: Any, reply: Any, rng: Random) -> Any:
            view = codec.read_view(request)
            action = choose((action for action in wrong(view) if rules.violation(view, action) == _full(rule)), rng)
            return None if action is None else answers.build_reply(action)

        return build_mutation(wrong, method, _full(rule), [*map(_full, cases)], mutate)

    return declare


tower_reply, wrong_tower = partial(wrong_reply, "AskTowerColor"), partial(wrong_answer, "AskTowerColor")
assistant_reply, wrong_assistant = partial(wrong_reply, "AskAssistantCard"), partial(wrong_answer, "AskAssistantCard")
action_reply, wrong_action = partial(wrong_reply, "AskAction"), partial(wrong_answer, "AskAction")


# Wrong actions


def used_assistants(view: State) -> Iterator[Action]:
    """Yield the assistants that are not in the hand any more."""
    return (PlayAssistant(value) for value in range(1, 11) if value not in view.hands[view.active])


def students_anywhere(view: State) -> Iterator[Action]:
    """Yield every student to its table, and to the first island."""
    yield from map(ToDiningRoom, ALL_COLORS)
    yield from (ToIsland(color, 0) for color in ALL_COLORS)


def one_step(view: State) -> Iterator[Action]:
    """Yield the shortest move of Mother Nature."""
    yield MoveMotherNature(1)


def steps_beyond(view: State, count: int) -> Iterator[Action]:
    """Yield a move of Mother Nature by `count` steps more than she may go."""
    yield MoveMotherNature(most_steps(view) + count)


def names_tiles(view: State) -> Iterable[Action]:
    """Yield every student to each tile where islands go by the places of their groups."""
    tiles = (ToIsland(color, tile) for color in ALL_COLORS for group in view.groups for tile in group.tiles)
    return tiles if view.settings.island_address == "group" else ()


def clouds(view: State) -> Iterator[Action]:
    """Yield each cloud."""
    return (TakeCloud(cloud) for cloud, _ in enumerate(view.clouds))


def doing(**choice: Any) -> AskActionResponse:
    """Return the reply with an action, e.g. doing(take_cloud=TakeCloud(cloud=1))."""
    return AskActionResponse(action=pb.Action(**choice))


# Characters


def characters(view: State) -> Iterator[PlayCharacter]:
    """Yield the characters in play, each with all that it needs, mostly in several ways."""
    for card in view.cards:
        yield from ways_to_play(view, card.character)


def ways_to_play(view: State, number: int) -> Iterator[PlayCharacter]:
    """Yield a character with all that it needs, in play or not."""
    piece = PIECES[number]
    if piece.most_swaps:
        yield from (PlayCharacter(number, swaps=(pair,)) for pair in product(ALL_COLORS, ALL_COLORS))
        return
    colors = (None,) if piece.colors is None else ALL_COLORS
    islands = (None,) if piece.islands is None else addresses(view)
    yield from (PlayCharacter(number, color, island) for color, island in product(colors, islands))


def bare_characters(view: State) -> Iterator[Action]:
    """Yield every character, in play or not, without what it needs."""
    return (PlayCharacter(number) for number in PIECES)


def possible_exchanges(view: State) -> Iterator[PlayCharacter]:
    """Yield the legal exchanges of one student."""
    return (play for play in characters(view) if play.swaps and rules.violation(view, play) is None)


# Tower colours


@tower_reply("action.required", WHOLE_GAME, LAST_OF_THREE, "towers.last-choice", "towers.race")
def chooses_no_towers(*_: Any) -> AskTowerColorResponse:
    """Leaves out the colour of its towers."""
    return AskTowerColorResponse()


@tower_reply("towers.known", WHOLE_GAME, WHITE_OF_TWO, LAST_OF_THREE, "towers.last-choice", "towers.race")
def chooses_unknown_towers(*_: Any) -> AskTowerColorResponse:
    """Chooses towers of a fourth colour."""
    return AskTowerColorResponse(color=4)  # type: ignore[arg-type]  # no value of the enum


@wrong_tower("towers.known", WHOLE_GAME, WHITE_OF_TWO, "towers.no-grey")
def chooses_grey_among_two(view: State) -> Iterable[Action]:
    """Chooses grey towers where there are two sides."""
    return [ChooseTowers(2)]


@wrong_tower("towers.taken", "towers.last-choice", "towers.no-grey")
def chooses_others_towers(view: State) -> Iterable[Action]:
    """Chooses a colour that somebody else has."""
    return (ChooseTowers(color) for color in view.tower_colors if color != NOBODY)


@tower_reply("towers.taken", "towers.last-choice", "towers.no-grey", "towers.race")
def insists_on_black_towers(*_: Any) -> AskTowerColorResponse:
    """Chooses black towers, also where it is asked again because somebody else was given them."""
    return BLACK


@tower_reply("action.required", "towers.race")
def falls_silent_when_asked_again(request: Any, reply: Any, rng: Random) -> AskTowerColorResponse | None:
    """Wants black towers, and has no answer when it is asked again because somebody else was given them."""
    if not request.first_request:
        return AskTowerColorResponse()
    return BLACK if BLACK.color in request.possible_colors else None


# Assistants


@assistant_reply(
    "action.required", WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.one-left-free", "assistant.only-repeated"
)
def plays_no_assistant(*_: Any) -> AskAssistantCardResponse:
    """Leaves out its assistant."""
    return AskAssistantCardResponse()


@assistant_reply(
    "assistant.range", WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.one-left-free", "assistant.last-card"
)
def plays_eleventh_assistant(*_: Any) -> AskAssistantCardResponse:
    """Plays an assistant with the value 11."""
    return AskAssistantCardResponse(card=11)


@wrong_assistant(
    "assistant.in-hand", WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.last-card", "assistant.only-repeated"
)
def plays_assistant_again(view: State) -> Iterable[Action]:
    """Plays an assistant that it has played before."""
    return used_assistants(view)


@wrong_assistant("assistant.in-hand", "assistant.one-left-free", "assistant.only-repeated", "assistant.last-card")
def plays_place_in_hand(view: State) -> Iterable[Action]:
    """Answers with the place of an assistant in its hand instead of the value."""
    return (PlayAssistant(place) for place, _ in enumerate(view.hands[view.active], 1))


@wrong_assistant("assistant.in-hand", "assistant.only-repeated")
def never_repeats_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that it does not have where all that it has would be repetitions."""
    played = [view.assistants[seat] for seat in view.planned]
    free = (PlayAssistant(value) for value in range(1, 11) if value not in played)
    return free if set(view.hands[view.active]) <= set(played) else ()


@wrong_assistant("assistant.in-hand", "assistant.last-card")
def has_no_last_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that it does not have where one is left."""
    return used_assistants(view) if len(view.hands[view.active]) == 1 else ()


@wrong_assistant("assistant.taken", "assistant.one-left-free", "assistant.partner")
def repeats_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that somebody has played in this round, though it has others."""
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned)


@wrong_assistant("assistant.taken", "assistant.partner")
def repeats_partners_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that its partner has played in this round."""
    side = view.sides[view.active]
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned if view.sides[seat] == side)


# The form of actions


@action_reply(
    "action.required", WHOLE_GAME, DRAWN_STATES, LAST_OF_THREE, LAST_OF_FOUR, "seats.last-of-four", "resume.partner-out"
)
def does_nothing(*_: Any) -> AskActionResponse:
    """Leaves out its action."""
    return AskActionResponse()


@action_reply(
    "action.required", WHOLE_GAME, DRAWN_STATES, "students.resumed", "cloud.only-last", "resume.somebody-away"
)
def does_empty_action(*_: Any) -> AskActionResponse:
    """Answers with an action that is of no kind."""
    return doing()


@action_reply("action.required", WHOLE_GAME, "students.resumed")
def seats_colorless_student(*_: Any) -> AskActionResponse:
    """Moves a student to its table without saying its colour."""
    return doing(to_dining_room=pb.ToDiningRoom())


@action_reply("action.required", WHOLE_GAME, "students.tables-full")
def lands_colorless_student(*_: Any) -> AskActionResponse:
    """Moves a student to an island without saying its colour."""
    return doing(to_island=pb.ToIsland(island=1))


@action_reply("action.required", WHOLE_GAME, "island.by-tile", "island.by-group")
def leaves_out_island(*_: Any) -> AskActionResponse:
    """Moves a student to an island without saying which one."""
    return doing(to_island=pb.ToIsland(color=pb.COLOR_GREEN))


@action_reply("action.required", WHOLE_GAME, "mother-nature.one-step", "mother-nature.once-around")
def moves_mother_nature_nowhere(*_: Any) -> AskActionResponse:
    """Moves Mother Nature by no step at all."""
    return doing(move_mother_nature=pb.MoveMotherNature())


@action_reply("action.required", WHOLE_GAME, "cloud.only-zero")
def leaves_out_cloud_zero(request: Any, *_: Any) -> AskActionResponse | None:
    """Leaves out the number of a cloud where it is 0."""
    return doing(take_cloud=pb.TakeCloud()) if 0 in request.possible_actions.clouds else None


@action_reply("action.required", WHOLE_GAME, "character.what-it-needs", "character.no-coins")
def plays_nameless_character(*_: Any) -> AskActionResponse:
    """Plays a character without saying which one."""
    return doing(play_character=pb.PlayCharacter())


# Each in its time


@wrong_action("action.phase", WHOLE_GAME, LAST_OF_FOUR, "students.tables-full", "students.resumed")
def moves_mother_nature_first(view: State) -> Iterable[Action]:
    """Moves Mother Nature before the students."""
    return one_step(view)


@wrong_action("action.phase", LAST_OF_THREE, "students.fourth-of-three-players")
def moves_three_of_four_students(view: State) -> Iterable[Action]:
    """Moves Mother Nature after three students where there are three players."""
    return one_step(view) if len(view.sides) == 3 and view.to_move == 1 else ()


@wrong_action("action.phase", WHOLE_GAME, LAST_OF_THREE, "mother-nature.one-step", "cloud.only-last")
def moves_student_too_many(view: State) -> Iterable[Action]:
    """Moves one more student where Mother Nature or a cloud is due."""
    return students_anywhere(view)


@wrong_action("action.phase", WHOLE_GAME, DRAWN_STATES, "mother-nature.one-step", "students.resumed")
def takes_cloud_first(view: State) -> Iterable[Action]:
    """Takes a cloud before Mother Nature has moved."""
    return clouds(view)


@wrong_action("action.phase", "cloud.closed")
def takes_closed_cloud(view: State) -> Iterable[Action]:
    """Takes a cloud in a round in which nobody does."""
    return clouds(view) if view.clouds_closed else ()


@wrong_action("action.phase", WHOLE_GAME, DRAWN_STATES, "cloud.half-filled", "character.late")
def ends_turn_early(view: State) -> Iterable[Action]:
    """Ends its turn before it is over."""
    return [EndTurn()]


@wrong_action("action.phase", "turn.explicit-end")
def plays_on_at_the_end(view: State) -> Iterable[Action]:
    """Goes on playing where it only has to end its turn."""
    at_end = view.phase is Phase.END_TURN
    return chain(students_anywhere(view), one_step(view), clouds(view)) if at_end else ()


@wrong_action("action.phase", "turn.explicit-end")
def plays_character_at_the_end(view: State) -> Iterable[Action]:
    """Plays a character where it only has to end its turn."""
    return characters(view) if view.phase is Phase.END_TURN else ()


# Students


@wrong_action("color.known", WHOLE_GAME, DRAWN_STATES, "students.resumed", "character.no-coins")
def moves_unknown_color(view: State) -> Iterable[Action]:
    """Moves a student of a sixth colour."""
    return (ToDiningRoom(UNKNOWN_COLOR), ToIsland(UNKNOWN_COLOR, 0))


@wrong_action(
    "student.entrance", WHOLE_GAME, DRAWN_STATES, "students.resumed", "students.tables-full", "island.by-group"
)
def moves_absent_student(view: State) -> Iterable[Action]:
    """Moves a student of a colour that is not in its entrance."""
    return students_anywhere(view)


@wrong_action("student.table-full", "students.tables-full", "island.by-tile", "island.by-group")
def seats_eleventh_student(view: State) -> Iterable[Action]:
    """Moves a student to a table that is full."""
    return map(ToDiningRoom, ALL_COLORS)


@wrong_action("island.known", WHOLE_GAME, "students.tables-full", "island.by-tile")
def counts_islands_from_one(view: State) -> Iterable[Action]:
    """Moves a student to the island 12."""
    return (ToIsland(color, TILE_COUNT) for color in ALL_COLORS)


@wrong_action("island.known", "island.by-group")
def names_tiles_for_groups(view: State) -> Iterable[Action]:
    """Names an island by its tile where it goes by the place of its group."""
    return names_tiles(view)


@wrong_action("island.known", UNUSUAL_SETTINGS)
def names_tiles_as_expert(view: State) -> Iterable[Action]:
    """Names an island by its tile in an Expert game in which it goes by the place of its group."""
    return names_tiles(view) if view.settings.is_expert else ()


@wrong_action("student.entrance", UNUSUAL_SETTINGS)
def forgets_late_clouds(view: State) -> Iterable[Action]:
    """Moves a student that it does not have where clouds are filled late and there are three players or more."""
    late = view.settings.refill_when == "after_assistants"
    return students_anywhere(view) if late and len(view.sides) > 2 else ()


# Mother Nature and clouds


@wrong_action(
    "mother-nature.steps",
    WHOLE_GAME,
    LAST_OF_THREE,
    "mother-nature.one-step",
    "mother-nature.once-around",
    "resume.partner-out",
)
def goes_one_step_too_far(view: State) -> Iterable[Action]:
    """Moves Mother Nature one step further than she may go."""
    return steps_beyond(view, 1)


@wrong_action("mother-nature.steps", WHOLE_GAME, "mother-nature.one-step", "mother-nature.once-around")
def goes_as_far_as_the_value(view: State) -> Iterable[Action]:
    """Takes the value of its assistant for the steps of Mother Nature."""
    return [MoveMotherNature(view.assistants[view.active])]


@wrong_action("mother-nature.steps", "character.dearer")
def goes_further_without_postman(view: State) -> Iterable[Action]:
    """Moves Mother Nature two steps further because the postman is there, which it has not played."""
    waits = view.played != POSTMAN and any(card.character == POSTMAN for card in view.cards)
    return steps_beyond(view, 2) if waits else ()


@wrong_action("mother-nature.steps", "character.once-a-turn")
def goes_too_far_with_postman(view: State) -> Iterable[Action]:
    """Moves Mother Nature three steps further with the postman."""
    return steps_beyond(view, 1) if view.played == POSTMAN else ()


@wrong_action("cloud.empty", "cloud.only-zero", "cloud.only-last", "cloud.half-filled")
def takes_taken_cloud(view: State) -> Iterable[Action]:
    """Takes a cloud that is empty."""
    return clouds(view)


@wrong_action("cloud.known", WHOLE_GAME, LAST_OF_FOUR, "cloud.only-last", "mother-nature.once-around")
def counts_clouds_from_one(view: State) -> Iterable[Action]:
    """Takes the cloud behind the last one."""
    return [TakeCloud(len(view.clouds))]


# Plays of characters


@wrong_action("character.expert", WHOLE_GAME, LAST_OF_FOUR, "students.resumed")
def plays_character_in_basic(view: State) -> Iterable[Action]:
    """Plays a character in a Basic game."""
    return bare_characters(view)


@wrong_action("character.in-play", "seats.last-of-four", "character.what-it-needs", "character.late")
def plays_absent_character(view: State) -> Iterable[Action]:
    """Plays a character that is not in play."""
    in_play = [card.character for card in view.cards]
    return (play for number in PIECES if number not in in_play for play in ways_to_play(view, number))


@wrong_action("character.once", "character.once-a-turn")
def plays_second_character(view: State) -> Iterable[Action]:
    """Plays a second character in the same turn."""
    return characters(view)


@wrong_action("character.coins", "character.no-coins", "character.dearer")
def plays_without_coins(view: State) -> Iterable[Action]:
    """Plays a character that it cannot pay for."""
    return characters(view)


@wrong_action("character.coins", "character.dearer")
def pays_printed_price(view: State) -> Iterable[Action]:
    """Plays a character for its printed price though it costs more by now."""
    coins = view.coins[view.active]
    return (play for play in characters(view) if PIECES[play.character].cost <= coins)


@wrong_action("character.late", "character.late")
def plays_helper_too_late(view: State) -> Iterable[Action]:
    """Plays a character for Mother Nature's move after it, where that is forbidden."""
    return characters(view)


@wrong_action("character.color", "character.what-it-needs", "character.bag-empty")
def plays_without_color(view: State) -> Iterable[Action]:
    """Leaves out the colour that a character needs."""
    return (replace(play, color=None) for play in characters(view))


@wrong_action("character.color", "character.what-it-needs", "character.exchanges")
def plays_with_color(view: State) -> Iterable[Action]:
    """Gives a colour to a character that needs none."""
    return (replace(play, color=color, swaps=()) for play in characters(view) for color in ALL_COLORS)


@wrong_action("character.island", "character.what-it-needs", "character.bag-empty")
def plays_without_island(view: State) -> Iterable[Action]:
    """Leaves out the island that a character needs."""
    return (replace(play, island=None) for play in characters(view))


@wrong_action("character.island", "character.what-it-needs", "character.exchanges")
def plays_with_island(view: State) -> Iterable[Action]:
    """Gives an island to a character that needs none."""
    return (replace(play, island=0) for play in characters(view))


@wrong_action("color.known", "character.what-it-needs", "character.exchanges")
def plays_with_unknown_color(view: State) -> Iterable[Action]:
    """Gives a sixth colour to a character."""
    for play in characters(view):
        if play.color is not None:
            yield replace(play, color=UNKNOWN_COLOR)
        yield from (replace(play, swaps=((left, UNKNOWN_COLOR),)) for left, _ in play.swaps)


@wrong_action("island.known", "character.what-it-needs", "character.no-entry-one-each")
def plays_with_unknown_island(view: State) -> Iterable[Action]:
    """Gives the island 12 to a character."""
    return (replace(play, island=TILE_COUNT) for play in characters(view) if play.island is not None)


@wrong_action("character.card-students", "character.bag-empty", "character.exchanges")
def takes_absent_student(view: State) -> Iterable[Action]:
    """Moves a student away from a character on which it is not."""
    return characters(view)


@action_reply("character.swap-count", "character.exchanges", "character.bag-empty")
def gives_more_than_it_takes(*_: Any) -> AskActionResponse:
    """Gives two students for one."""
    uneven = pb.PlayCharacter(character=7, given=[1, 1], taken=[1])  # type: ignore[list-item]
    return doing(play_character=uneven)


@wrong_action("character.swap-count", "character.exchanges", "character.nothing-to-exchange", "character.bag-empty")
def exchanges_nothing(view: State) -> Iterable[Action]:
    """Plays jester or minstrel without any exchange."""
    return bare_characters(view)


@wrong_action("character.swap-count", "character.exchanges", "character.bag-empty")
def exchanges_one_too_many(view: State) -> Iterable[Action]:
    """Exchanges four students with the jester, or three with the minstrel."""
    plays = (play for play in characters(view) if play.swaps)
    return (replace(play, swaps=play.swaps * (PIECES[play.character].most_swaps + 1)) for play in plays)


@wrong_action("character.swap-entrance", "character.exchanges", "character.nothing-to-exchange", "character.bag-empty")
def exchanges_absent_student(view: State) -> Iterable[Action]:
    """Gives a student in an exchange that is not in its entrance."""
    return characters(view)


@wrong_action("character.swap-entrance", "character.exchanges")
def exchanges_in_wrong_direction(view: State) -> Iterable[Action]:
    """Mixes up what is given and what is taken in an exchange."""
    return (replace(play, swaps=tuple([pair[::-1] for pair in play.swaps])) for play in possible_exchanges(view))


@wrong_action("character.swap-dining-room", "character.exchanges", "character.table-full")
def exchanges_with_empty_table(view: State) -> Iterable[Action]:
    """Takes a student in an exchange that is not in its dining room."""
    return characters(view)


@wrong_action("character.swap-dining-room", "character.exchanges")
def exchanges_same_student_twice(view: State) -> Iterable[Action]:
    """Takes two students of a colour from its dining room where there is one."""
    return (replace(play, swaps=play.swaps * 2) for play in possible_exchanges(view))


@wrong_action("character.table-full", "character.table-full")
def seats_eleventh_with_character(view: State) -> Iterable[Action]:
    """Puts an eleventh student at a table with a character."""
    return characters(view)


@wrong_action("character.table-full", "character.nearly-full")
def seats_two_on_the_last_seat(view: State) -> Iterable[Action]:
    """Gives two students of a colour in an exchange where the table of that colour has one free seat."""
    exchanges = combinations_with_replacement(product(ALL_COLORS, ALL_COLORS), 2)
    return (PlayCharacter(MINSTREL, swaps=swaps) for swaps in exchanges if _seats_twice(view, swaps))


def _seats_twice(view: State, swaps: Sequence[tuple[int, int]]) -> bool:
    """Return whether each student of an exchange could be seated alone, and both have one colour."""
    (one, _), (other, _) = swaps
    return one == other and view.dining_rooms[view.active][one] == TABLE_SEATS - 1


@wrong_action("character.no-entry-left", "character.no-entry-used-up")
def gives_fifth_no_entry_tile(view: State) -> Iterable[Action]:
    """Plays the herbalist when all no-entry tiles lie on islands."""
    return characters(view)


@wrong_action("character.no-entry-one", "character.no-entry-one-each")
def stacks_no_entry_tiles(view: State) -> Iterable[Action]:
    """Puts a no-entry tile where one lies, and two must not."""
    return characters(view)


MUTATIONS = collect_mutations(globals())

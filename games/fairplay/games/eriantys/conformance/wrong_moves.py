"""What players of Eriantys get wrong: the special situations in which they slip, and what they answer then.

Wrong actions come from what the player sees, where it is the active seat. Many of them may be right as it happens, or
wrong for another reason: whoever uses them keeps those that break the rule in question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

from fairplay.eriantys.v1.eriantys_player_pb2 import (
    AskActionRequest,
    AskAssistantCardRequest,
    AskTowerColorRequest,
)
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules import (
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

Wrong: TypeAlias = Callable[[State], Iterator[Action]]

ALL_COLORS = range(len(rules.COLORS))
TILES = range(12)
POSTMAN = 4


def seen(request: Any) -> State:
    """What the player is given, with itself as the one to decide."""
    if isinstance(request, AskTowerColorRequest):
        return codec.view(request.state, request.settings, request.seat, ())
    return codec.view(request.state, request.settings, request.state.active_seat, request.hand)


# Special situations


def asked_again(request: AskTowerColorRequest) -> bool:
    """The colour chosen before was not to be had."""
    return not request.is_first_request


def nothing_unplayed(request: AskAssistantCardRequest) -> bool:
    """All assistants of the hand have values that were played in this round."""
    played = [request.state.assistants[seat] for seat in request.state.planned_seats]
    return set(request.hand) <= set(played)


def last_assistant(request: AskAssistantCardRequest) -> bool:
    """One assistant is left."""
    return len(request.hand) == 1


def before_fourth_student(request: AskActionRequest) -> bool:
    """Of three players this one has moved three students."""
    return len(request.state.sides) == 3 and request.state.students_to_move == 1


def postman_unused(request: AskActionRequest) -> bool:
    """The postman is in play, but not in this turn."""
    return POSTMAN in request.state.characters and request.state.played_character != POSTMAN


def postman_played(request: AskActionRequest) -> bool:
    """The player has played the postman in this turn."""
    return request.state.played_character == POSTMAN


def clouds_closed(request: AskActionRequest) -> bool:
    """Nobody takes a cloud in this round."""
    return request.state.clouds_closed


def cloud_zero_left(request: AskActionRequest) -> bool:
    """The cloud 0 can be taken."""
    return 0 in request.possible_actions.clouds


def end_due(request: AskActionRequest) -> bool:
    """All that is left to do is to end the turn."""
    return seen(request).phase is Phase.END_TURN


def islands_by_group(request: AskActionRequest) -> bool:
    """Islands are named by the places of their groups."""
    return seen(request).settings.island_address == "group"


# Wrong answers in the set-up and in planning


def grey_towers(state: State) -> Iterator[Action]:
    """The towers of the third of three players."""
    yield ChooseTowers(2)


def others_towers(state: State) -> Iterator[Action]:
    """Those that another side has."""
    return (ChooseTowers(color) for color in state.tower_colors if color != rules.NOBODY)


def used_assistants(state: State) -> Iterator[Action]:
    """Those that are not in the hand any more."""
    return (PlayAssistant(value) for value in range(1, 11) if value not in state.hands[state.active])


def unplayed_assistants(state: State) -> Iterator[Action]:
    """Those that nobody has played in this round, in the hand or not."""
    played = [state.assistants[seat] for seat in state.planned]
    return (PlayAssistant(value) for value in range(1, 11) if value not in played)


def places_in_hand(state: State) -> Iterator[Action]:
    """The place of an assistant in the hand, counted from 1."""
    return (PlayAssistant(place) for place, _ in enumerate(state.hands[state.active], 1))


def repeated_assistants(state: State) -> Iterator[Action]:
    """Those that somebody has played in this round."""
    return (PlayAssistant(state.assistants[seat]) for seat in state.planned)


def partners_assistant(state: State) -> Iterator[Action]:
    """That of the partner."""
    side = state.sides[state.active]
    return (PlayAssistant(state.assistants[seat]) for seat in state.planned if state.sides[seat] == side)


# Wrong actions


def students_anywhere(state: State) -> Iterator[Action]:
    """Any student to its table, or to the first island."""
    yield from map(ToDiningRoom, ALL_COLORS)
    yield from (ToIsland(color, 0) for color in ALL_COLORS)


def students_to_tables(state: State) -> Iterator[Action]:
    """Any student to its table."""
    return map(ToDiningRoom, ALL_COLORS)


def steps_beyond(count: int) -> Wrong:
    """So many steps more than Mother Nature may go."""
    return lambda state: iter([MoveMotherNature(rules.most_steps(state) + count)])


def value_as_steps(state: State) -> Iterator[Action]:
    """As many steps as the assistant has value."""
    yield MoveMotherNature(state.assistants[state.active])


def one_step(state: State) -> Iterator[Action]:
    """The least that Mother Nature can do."""
    yield MoveMotherNature(1)


def clouds(state: State) -> Iterator[Action]:
    """Any cloud."""
    return (TakeCloud(cloud) for cloud, _ in enumerate(state.clouds))


def cloud_beyond(state: State) -> Iterator[Action]:
    """The cloud behind the last one: counted from 1."""
    yield TakeCloud(len(state.clouds))


def end_of_turn(state: State) -> Iterator[Action]:
    """The end of the turn."""
    yield EndTurn()


def whatever_else(state: State) -> Iterator[Action]:
    """Something for each phase but the end of a turn."""
    yield from students_anywhere(state)
    yield from one_step(state)
    yield from clouds(state)


def unknown_colors(state: State) -> Iterator[Action]:
    """A colour that there is not."""
    beyond = len(rules.COLORS)
    yield from (ToDiningRoom(beyond), ToIsland(beyond, 0))


def islands_from_one(state: State) -> Iterator[Action]:
    """Islands counted from 1: the last one is one too many."""
    return (ToIsland(color, len(TILES)) for color in ALL_COLORS)


def tiles_of_groups(state: State) -> Iterator[Action]:
    """The tiles of groups, whatever the settings say."""
    return (ToIsland(color, tile) for color, group in product(ALL_COLORS, state.groups) for tile in group.tiles)


# Wrong characters


def characters(state: State) -> Iterator[PlayCharacter]:
    """Each character in play, with all that it needs, mostly in several ways."""
    for card in state.cards:
        yield from _ways(state, card.character)


def _ways(state: State, number: int) -> Iterator[PlayCharacter]:
    piece = rules.PIECES[number]
    if piece.most_swaps:
        yield from (PlayCharacter(number, swaps=(pair,)) for pair in product(ALL_COLORS, ALL_COLORS))
        return
    colors = (None,) if piece.colors is None else ALL_COLORS
    islands = (None,) if piece.islands is None else rules.addresses(state)
    yield from (PlayCharacter(number, color, island) for color, island in product(colors, islands))


def absent_characters(state: State) -> Iterator[Action]:
    """Characters that are not in play."""
    in_play = [card.character for card in state.cards]
    for number in rules.PIECES:
        if number not in in_play:
            yield from _ways(state, number)


def any_character(state: State) -> Iterator[Action]:
    """A character, in play or not."""
    return (PlayCharacter(number) for number in rules.PIECES)


def at_printed_price(state: State) -> Iterator[Action]:
    """Characters for which the coins would do, had nobody played them before."""
    purse = state.coins[state.active]
    return (play for play in characters(state) if rules.PIECES[play.character].cost <= purse)


def without_color(state: State) -> Iterator[Action]:
    """Characters without the colour that they need."""
    return (PlayCharacter(play.character, None, play.island, play.swaps) for play in characters(state))


def without_island(state: State) -> Iterator[Action]:
    """Characters without the island that they need."""
    return (PlayCharacter(play.character, play.color, None, play.swaps) for play in characters(state))


def with_color(state: State) -> Iterator[Action]:
    """Characters with a colour that they do not need."""
    plays = characters(state)
    return (PlayCharacter(play.character, color, play.island) for play in plays for color in ALL_COLORS)


def with_island(state: State) -> Iterator[Action]:
    """Characters with an island that they do not need."""
    return (PlayCharacter(play.character, play.color, 0, play.swaps) for play in characters(state))


def with_unknown_color(state: State) -> Iterator[Action]:
    """Characters with a colour that there is not."""
    beyond = len(rules.COLORS)
    for play in characters(state):
        if play.color is not None:
            yield PlayCharacter(play.character, beyond, play.island)
        yield from (PlayCharacter(play.character, swaps=((left, beyond),)) for left, _ in play.swaps)


def with_unknown_island(state: State) -> Iterator[Action]:
    """Characters with an island counted from 1."""
    plays = characters(state)
    return (PlayCharacter(play.character, play.color, len(TILES)) for play in plays if play.island is not None)


def doubled_exchange(state: State) -> Iterator[Action]:
    """Possible exchanges of one student, made twice."""
    for play in characters(state):
        if play.swaps and rules.violation(state, play) is None:
            yield PlayCharacter(play.character, swaps=play.swaps * 2)


def one_exchange_too_many(state: State) -> Iterator[Action]:
    """One exchange more than jester and minstrel make, students or no students."""
    return (
        PlayCharacter(play.character, swaps=play.swaps * (rules.PIECES[play.character].most_swaps + 1))
        for play in characters(state)
        if play.swaps
    )


def wrong_way_round(state: State) -> Iterator[Action]:
    """Possible exchanges, with what is given and what is taken mixed up."""
    for play in characters(state):
        if play.swaps and rules.violation(state, play) is None:
            yield PlayCharacter(play.character, swaps=tuple([(right, left) for left, right in play.swaps]))

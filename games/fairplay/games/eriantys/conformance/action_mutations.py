"""Wrong actions of players of Eriantys, as `mutations` has them, but for characters."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse
from fairplay.games.eriantys.conformance.wrong_moves import (
    ACTION,
    ALL_COLORS,
    TILE_COUNT,
    UNKNOWN_COLOR,
    characters,
    clouds,
    one_step,
    seen,
    steps_beyond,
    students_anywhere,
    wrong_answer,
)
from fairplay.games.eriantys.rules import (
    Action,
    EndTurn,
    MoveMotherNature,
    Phase,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    collect_mutations,
    mutation,
    whole_game,
)

LAST_OF_THREE, LAST_OF_FOUR = whole_game(2, 3), whole_game(3, 4)
POSTMAN = 4


def action_reply(**choice: Any) -> AskActionResponse:
    """Return the reply with an action, e.g. action_reply(take_cloud=TakeCloud(cloud=1))."""
    return AskActionResponse(action=eriantys_pb2.Action(**choice))


def before_fourth_student(request: Any) -> bool:
    """Return whether one of three players has moved three students."""
    return len(request.state.sides) == 3 and request.state.students_to_move == 1


def postman_unused(request: Any) -> bool:
    """Return whether the postman is in play, but has not been played in this turn."""
    return POSTMAN in request.state.characters and request.state.played_character != POSTMAN


def groups_of_experts(request: Any) -> bool:
    """Return whether islands go by their groups in an Expert game."""
    settings = seen(request).settings
    return settings.island_address == "group" and settings.is_expert


def late_clouds_of_three(request: Any) -> bool:
    """Return whether clouds are filled after the assistants in a game of three players or more."""
    view = seen(request)
    return view.settings.refill_when == "after_assistants" and len(view.sides) > 2


def end_due(request: Any) -> bool:
    """Return whether all that is left to do is to end the turn."""
    return seen(request).phase is Phase.END_TURN


# Form


@mutation(
    ACTION,
    "eriantys.action.required",
    WHOLE_GAME,
    DRAWN_STATES,
    LAST_OF_THREE,
    LAST_OF_FOUR,
    "eriantys.seats.last-of-four",
    "eriantys.resume.partner-out",
)
def does_nothing(*_: Any) -> AskActionResponse:
    """Leaves out its action."""
    return AskActionResponse()


@mutation(
    ACTION,
    "eriantys.action.required",
    WHOLE_GAME,
    DRAWN_STATES,
    "eriantys.students.resumed",
    "eriantys.cloud.only-last",
    "eriantys.resume.somebody-away",
)
def does_empty_action(*_: Any) -> AskActionResponse:
    """Answers with an action that is of no kind."""
    return action_reply()


@mutation(ACTION, "eriantys.action.required", WHOLE_GAME, "eriantys.students.resumed")
def seats_colorless_student(*_: Any) -> AskActionResponse:
    """Moves a student to its table without saying its colour."""
    return action_reply(to_dining_room=eriantys_pb2.ToDiningRoom())


@mutation(ACTION, "eriantys.action.required", WHOLE_GAME, "eriantys.students.tables-full")
def lands_colorless_student(*_: Any) -> AskActionResponse:
    """Moves a student to an island without saying its colour."""
    return action_reply(to_island=eriantys_pb2.ToIsland(island=1))


@mutation(ACTION, "eriantys.action.required", WHOLE_GAME, "eriantys.island.by-tile", "eriantys.island.by-group")
def leaves_out_island(*_: Any) -> AskActionResponse:
    """Moves a student to an island without saying which one."""
    return action_reply(to_island=eriantys_pb2.ToIsland(color=eriantys_pb2.COLOR_GREEN))


@mutation(
    ACTION,
    "eriantys.action.required",
    WHOLE_GAME,
    "eriantys.mother-nature.one-step",
    "eriantys.mother-nature.once-around",
)
def moves_mother_nature_nowhere(*_: Any) -> AskActionResponse:
    """Moves Mother Nature by no step at all."""
    return action_reply(move_mother_nature=eriantys_pb2.MoveMotherNature())


@mutation(
    ACTION,
    "eriantys.action.required",
    WHOLE_GAME,
    "eriantys.cloud.only-zero",
    only=lambda request: 0 in request.possible_actions.clouds,
)
def leaves_out_cloud_zero(*_: Any) -> AskActionResponse:
    """Leaves out the number of a cloud where it is 0."""
    return action_reply(take_cloud=eriantys_pb2.TakeCloud())


@mutation(
    ACTION, "eriantys.action.required", WHOLE_GAME, "eriantys.character.what-it-needs", "eriantys.character.no-coins"
)
def plays_nameless_character(*_: Any) -> AskActionResponse:
    """Plays a character without saying which one."""
    return action_reply(play_character=eriantys_pb2.PlayCharacter())


# Each in its time


@wrong_answer(
    ACTION,
    "eriantys.action.phase",
    WHOLE_GAME,
    LAST_OF_FOUR,
    "eriantys.students.tables-full",
    "eriantys.students.resumed",
)
def moves_mother_nature_first(view: State) -> Iterable[Action]:
    """Moves Mother Nature before the students."""
    return one_step(view)


@wrong_answer(
    ACTION,
    "eriantys.action.phase",
    LAST_OF_THREE,
    "eriantys.students.fourth-of-three-players",
    only=before_fourth_student,
)
def moves_three_of_four_students(view: State) -> Iterable[Action]:
    """Moves Mother Nature after three students where there are three players."""
    return one_step(view)


@wrong_answer(
    ACTION,
    "eriantys.action.phase",
    WHOLE_GAME,
    LAST_OF_THREE,
    "eriantys.mother-nature.one-step",
    "eriantys.cloud.only-last",
)
def moves_student_too_many(view: State) -> Iterable[Action]:
    """Moves one more student where Mother Nature or a cloud is due."""
    return students_anywhere(view)


@wrong_answer(
    ACTION,
    "eriantys.action.phase",
    WHOLE_GAME,
    DRAWN_STATES,
    "eriantys.mother-nature.one-step",
    "eriantys.students.resumed",
)
def takes_cloud_first(view: State) -> Iterable[Action]:
    """Takes a cloud before Mother Nature has moved."""
    return clouds(view)


@wrong_answer(
    ACTION, "eriantys.action.phase", "eriantys.cloud.closed", only=lambda request: request.state.clouds_closed
)
def takes_closed_cloud(view: State) -> Iterable[Action]:
    """Takes a cloud in a round in which nobody does."""
    return clouds(view)


@wrong_answer(
    ACTION, "eriantys.action.phase", WHOLE_GAME, DRAWN_STATES, "eriantys.cloud.half-filled", "eriantys.character.late"
)
def ends_turn_early(view: State) -> Iterable[Action]:
    """Ends its turn before it is over."""
    return [EndTurn()]


@wrong_answer(ACTION, "eriantys.action.phase", "eriantys.turn.explicit-end", only=end_due)
def plays_on_at_the_end(view: State) -> Iterable[Action]:
    """Goes on playing where it only has to end its turn."""
    return chain(students_anywhere(view), one_step(view), clouds(view))


@wrong_answer(ACTION, "eriantys.action.phase", "eriantys.turn.explicit-end", only=end_due)
def plays_character_at_the_end(view: State) -> Iterable[Action]:
    """Plays a character where it only has to end its turn."""
    return characters(view)


# Students


@wrong_answer(
    ACTION, "eriantys.color.known", WHOLE_GAME, DRAWN_STATES, "eriantys.students.resumed", "eriantys.character.no-coins"
)
def moves_unknown_color(view: State) -> Iterable[Action]:
    """Moves a student of a sixth colour."""
    return (ToDiningRoom(UNKNOWN_COLOR), ToIsland(UNKNOWN_COLOR, 0))


@wrong_answer(
    ACTION,
    "eriantys.student.entrance",
    WHOLE_GAME,
    DRAWN_STATES,
    "eriantys.students.resumed",
    "eriantys.students.tables-full",
    "eriantys.island.by-group",
)
def moves_absent_student(view: State) -> Iterable[Action]:
    """Moves a student of a colour that is not in its entrance."""
    return students_anywhere(view)


@wrong_answer(
    ACTION,
    "eriantys.student.table-full",
    "eriantys.students.tables-full",
    "eriantys.island.by-tile",
    "eriantys.island.by-group",
)
def seats_eleventh_student(view: State) -> Iterable[Action]:
    """Moves a student to a table that is full."""
    return map(ToDiningRoom, ALL_COLORS)


@wrong_answer(ACTION, "eriantys.island.known", WHOLE_GAME, "eriantys.students.tables-full", "eriantys.island.by-tile")
def counts_islands_from_one(view: State) -> Iterable[Action]:
    """Moves a student to the island 12."""
    return (ToIsland(color, TILE_COUNT) for color in ALL_COLORS)


@wrong_answer(
    ACTION,
    "eriantys.island.known",
    "eriantys.island.by-group",
    only=lambda request: seen(request).settings.island_address == "group",
)
def names_tiles_for_groups(view: State) -> Iterable[Action]:
    """Names an island by its tile where it goes by the place of its group."""
    return (ToIsland(color, tile) for color in ALL_COLORS for group in view.groups for tile in group.tiles)


@wrong_answer(ACTION, "eriantys.island.known", UNUSUAL_SETTINGS, only=groups_of_experts)
def names_tiles_as_expert(view: State) -> Iterable[Action]:
    """Names an island by its tile in an Expert game in which it goes by the place of its group."""
    return (ToIsland(color, tile) for color in ALL_COLORS for group in view.groups for tile in group.tiles)


@wrong_answer(ACTION, "eriantys.student.entrance", UNUSUAL_SETTINGS, only=late_clouds_of_three)
def forgets_late_clouds(view: State) -> Iterable[Action]:
    """Moves a student that it does not have where clouds are filled late and there are three players or more."""
    return students_anywhere(view)


# Mother Nature and clouds


@wrong_answer(
    ACTION,
    "eriantys.mother-nature.steps",
    WHOLE_GAME,
    LAST_OF_THREE,
    "eriantys.mother-nature.one-step",
    "eriantys.mother-nature.once-around",
    "eriantys.resume.partner-out",
)
def goes_one_step_too_far(view: State) -> Iterable[Action]:
    """Moves Mother Nature one step further than she may go."""
    return steps_beyond(view, 1)


@wrong_answer(
    ACTION,
    "eriantys.mother-nature.steps",
    WHOLE_GAME,
    "eriantys.mother-nature.one-step",
    "eriantys.mother-nature.once-around",
)
def goes_as_far_as_the_value(view: State) -> Iterable[Action]:
    """Takes the value of its assistant for the steps of Mother Nature."""
    return [MoveMotherNature(view.assistants[view.active])]


@wrong_answer(ACTION, "eriantys.mother-nature.steps", "eriantys.character.dearer", only=postman_unused)
def goes_further_without_postman(view: State) -> Iterable[Action]:
    """Moves Mother Nature two steps further because the postman is there, which it has not played."""
    return steps_beyond(view, 2)


@wrong_answer(
    ACTION,
    "eriantys.mother-nature.steps",
    "eriantys.character.once-a-turn",
    only=lambda request: request.state.played_character == POSTMAN,
)
def goes_too_far_with_postman(view: State) -> Iterable[Action]:
    """Moves Mother Nature three steps further with the postman."""
    return steps_beyond(view, 1)


@wrong_answer(
    ACTION, "eriantys.cloud.empty", "eriantys.cloud.only-zero", "eriantys.cloud.only-last", "eriantys.cloud.half-filled"
)
def takes_taken_cloud(view: State) -> Iterable[Action]:
    """Takes a cloud that is empty."""
    return clouds(view)


@wrong_answer(
    ACTION,
    "eriantys.cloud.known",
    WHOLE_GAME,
    LAST_OF_FOUR,
    "eriantys.cloud.only-last",
    "eriantys.mother-nature.once-around",
)
def counts_clouds_from_one(view: State) -> Iterable[Action]:
    """Takes the cloud behind the last one."""
    return [TakeCloud(len(view.clouds))]


MUTATIONS = collect_mutations(globals())

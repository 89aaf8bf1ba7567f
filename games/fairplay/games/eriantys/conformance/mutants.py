"""Wrong answers to the referee of Eriantys: each breaks one rule, and is caught by the cases that it names.

A wrong answer is asked for again, and given again: it is misconduct once there are no attempts left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_pb2 import (
    Action,
    MoveMotherNature,
    PlayCharacter,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.conformance import Mutation
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.conformance import wrong_moves as slips
from fairplay.games.eriantys.protocol import answers
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, choose, only_if, whole_game

Cases: TypeAlias = tuple[str, ...]
Room: TypeAlias = Callable[[Any], bool]

TOWER, CARD, ACTION = "AskTowerColor", "AskAssistantCard", "AskAction"
BLACK = AskTowerColorResponse(color=eriantys_pb2.TOWER_COLOR_BLACK)
WHITE_OF_TWO, LAST_OF_THREE, LAST_OF_FOUR = whole_game(1, 2), whole_game(2, 3), whole_game(3, 4)


def _plays(
    name: str, sentence: str, method: str, rule: str, cases: Cases, wrong: slips.Wrong, only: Room | None = None
) -> Mutation:
    """Does one of these things, of which those count that break the rule."""

    def spoil(request: Any, reply: Any, luck: Random) -> Any:
        view = slips.seen(request)
        action = choose((action for action in wrong(view) if rules.violation(view, action) == rule), luck)
        return None if action is None else answers.reply_message(action)

    return Mutation(name, sentence, method, rule, cases, only_if(only, spoil))


def _chooses(
    name: str, sentence: str, rule: str, cases: Cases, wrong: slips.Wrong, only: Room | None = None
) -> Mutation:
    """As `_plays`, of tower colours."""
    return _plays(name, sentence, TOWER, rule, cases, wrong, only)


def _plans(name: str, sentence: str, rule: str, cases: Cases, wrong: slips.Wrong, only: Room | None = None) -> Mutation:
    """As `_plays`, of assistants."""
    return _plays(name, sentence, CARD, rule, cases, wrong, only)


def _acts(name: str, sentence: str, rule: str, cases: Cases, wrong: slips.Wrong, only: Room | None = None) -> Mutation:
    """As `_plays`, of actions."""
    return _plays(name, sentence, ACTION, rule, cases, wrong, only)


def _says(name: str, sentence: str, rule: str, cases: Cases, reply: Any, only: Room | None = None) -> Mutation:
    """Gives the same reply to every question that it answers."""
    method = {AskTowerColorResponse: TOWER, AskAssistantCardResponse: CARD, AskActionResponse: ACTION}[type(reply)]
    return Mutation(name, sentence, method, rule, cases, only_if(only, lambda *_: reply))


def _done(**choice: Any) -> AskActionResponse:
    return AskActionResponse(action=Action(**choice))


def _exchange(character: int, given: Sequence[int], taken: Sequence[int]) -> AskActionResponse:
    """Any numbers of colours."""
    return _done(play_character=PlayCharacter(character=character, given=given, taken=taken))  # type: ignore[arg-type]


def _falls_silent(request: Any, reply: Any, luck: Random) -> AskTowerColorResponse | None:
    """Black at first, where it is free, and nothing at all later."""
    if slips.asked_again(request):
        return AskTowerColorResponse()
    return BLACK if BLACK.color in request.possible_colors else None


FAULTS: tuple[Mutation, ...] = (
    # Tower colours
    _says(
        "chooses-no-towers",
        "Leaves out the colour of its towers.",
        "eriantys.action.required",
        (WHOLE_GAME, DRAWN_STATES, LAST_OF_THREE, "eriantys.towers.last-choice", "eriantys.towers.race"),
        AskTowerColorResponse(),
    ),
    _says(
        "chooses-unknown-towers",
        "Chooses towers of a fourth colour.",
        "eriantys.towers.known",
        (WHOLE_GAME, DRAWN_STATES, WHITE_OF_TWO, LAST_OF_THREE, "eriantys.towers.last-choice", "eriantys.towers.race"),
        AskTowerColorResponse(color=4),  # type: ignore[arg-type]  # no value of the enum
    ),
    _chooses(
        "chooses-grey-among-two",
        "Chooses grey towers where there are two sides.",
        "eriantys.towers.known",
        (WHOLE_GAME, WHITE_OF_TWO, "eriantys.towers.no-grey"),
        slips.grey_towers,
    ),
    _chooses(
        "chooses-others-towers",
        "Chooses a colour that somebody else has.",
        "eriantys.towers.taken",
        ("eriantys.towers.last-choice", "eriantys.towers.no-grey"),
        slips.others_towers,
    ),
    _says(
        "insists-on-black-towers",
        "Chooses black towers, also where it is asked again because somebody else was given them.",
        "eriantys.towers.taken",
        ("eriantys.towers.last-choice", "eriantys.towers.no-grey", "eriantys.towers.race"),
        BLACK,
    ),
    Mutation(
        "falls-silent-when-asked-again",
        "Wants black towers, and has no answer when it is asked again because somebody else was given them.",
        TOWER,
        "eriantys.action.required",
        ("eriantys.towers.race",),
        _falls_silent,
    ),
    # Assistants
    _says(
        "plays-no-assistant",
        "Leaves out its assistant.",
        "eriantys.action.required",
        (
            WHOLE_GAME,
            DRAWN_STATES,
            LAST_OF_FOUR,
            "eriantys.assistant.one-left-free",
            "eriantys.assistant.only-repeated",
        ),
        AskAssistantCardResponse(),
    ),
    _says(
        "plays-eleventh-assistant",
        "Plays an assistant with the value 11.",
        "eriantys.assistant.range",
        (WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "eriantys.assistant.one-left-free", "eriantys.assistant.last-card"),
        AskAssistantCardResponse(card=11),
    ),
    _plans(
        "plays-assistant-again",
        "Plays an assistant that it has played before.",
        "eriantys.assistant.in-hand",
        (WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "eriantys.assistant.last-card", "eriantys.assistant.only-repeated"),
        slips.used_assistants,
    ),
    _plans(
        "plays-place-in-hand",
        "Answers with the place of an assistant in its hand instead of the value.",
        "eriantys.assistant.in-hand",
        ("eriantys.assistant.one-left-free", "eriantys.assistant.only-repeated", "eriantys.assistant.last-card"),
        slips.places_in_hand,
    ),
    _plans(
        "never-repeats-assistant",
        "Plays an assistant that it does not have where all that it has would be repetitions.",
        "eriantys.assistant.in-hand",
        ("eriantys.assistant.only-repeated",),
        slips.unplayed_assistants,
        slips.nothing_unplayed,
    ),
    _plans(
        "has-no-last-assistant",
        "Plays an assistant that it does not have where one is left.",
        "eriantys.assistant.in-hand",
        ("eriantys.assistant.last-card",),
        slips.used_assistants,
        slips.last_assistant,
    ),
    _plans(
        "repeats-assistant",
        "Plays an assistant that somebody has played in this round, though it has others.",
        "eriantys.assistant.taken",
        ("eriantys.assistant.one-left-free", "eriantys.assistant.partner"),
        slips.repeated_assistants,
    ),
    _plans(
        "repeats-partners-assistant",
        "Plays an assistant that its partner has played in this round.",
        "eriantys.assistant.taken",
        ("eriantys.assistant.partner",),
        slips.partners_assistant,
    ),
    # Actions: form
    _says(
        "does-nothing",
        "Leaves out its action.",
        "eriantys.action.required",
        (
            WHOLE_GAME,
            DRAWN_STATES,
            LAST_OF_THREE,
            LAST_OF_FOUR,
            "eriantys.seats.last-of-four",
            "eriantys.resume.partner-out",
        ),
        AskActionResponse(),
    ),
    _says(
        "does-empty-action",
        "Answers with an action that is of no kind.",
        "eriantys.action.required",
        (
            WHOLE_GAME,
            DRAWN_STATES,
            "eriantys.students.resumed",
            "eriantys.cloud.only-last",
            "eriantys.resume.somebody-away",
        ),
        _done(),
    ),
    _says(
        "seats-colorless-student",
        "Moves a student to its table without saying its colour.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.students.resumed"),
        _done(to_dining_room=ToDiningRoom()),
    ),
    _says(
        "lands-colorless-student",
        "Moves a student to an island without saying its colour.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.students.tables-full"),
        _done(to_island=ToIsland(island=1)),
    ),
    _says(
        "leaves-out-island",
        "Moves a student to an island without saying which one.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.island.by-tile", "eriantys.island.by-group"),
        _done(to_island=ToIsland(color=eriantys_pb2.COLOR_GREEN)),
    ),
    _says(
        "moves-mother-nature-nowhere",
        "Moves Mother Nature by no step at all.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.mother-nature.one-step", "eriantys.mother-nature.once-around"),
        _done(move_mother_nature=MoveMotherNature()),
    ),
    _says(
        "leaves-out-cloud-zero",
        "Leaves out the number of a cloud where it is 0.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.cloud.only-zero"),
        _done(take_cloud=TakeCloud()),
        slips.cloud_zero_left,
    ),
    _says(
        "plays-nameless-character",
        "Plays a character without saying which one.",
        "eriantys.action.required",
        (WHOLE_GAME, "eriantys.character.what-it-needs", "eriantys.character.no-coins"),
        _done(play_character=PlayCharacter()),
    ),
    # Actions: each in its time
    _acts(
        "moves-mother-nature-first",
        "Moves Mother Nature before the students.",
        "eriantys.action.phase",
        (WHOLE_GAME, LAST_OF_FOUR, "eriantys.students.tables-full", "eriantys.students.resumed"),
        slips.one_step,
    ),
    _acts(
        "moves-three-of-four-students",
        "Moves Mother Nature after three students where there are three players.",
        "eriantys.action.phase",
        (LAST_OF_THREE, "eriantys.students.fourth-of-three-players"),
        slips.one_step,
        slips.before_fourth_student,
    ),
    _acts(
        "moves-student-too-many",
        "Moves one more student where Mother Nature or a cloud is due.",
        "eriantys.action.phase",
        (WHOLE_GAME, LAST_OF_THREE, "eriantys.mother-nature.one-step", "eriantys.cloud.only-last"),
        slips.students_anywhere,
    ),
    _acts(
        "takes-cloud-first",
        "Takes a cloud before Mother Nature has moved.",
        "eriantys.action.phase",
        (WHOLE_GAME, DRAWN_STATES, "eriantys.mother-nature.one-step", "eriantys.students.resumed"),
        slips.clouds,
    ),
    _acts(
        "takes-closed-cloud",
        "Takes a cloud in a round in which nobody does.",
        "eriantys.action.phase",
        ("eriantys.cloud.closed",),
        slips.clouds,
        slips.clouds_closed,
    ),
    _acts(
        "ends-turn-early",
        "Ends its turn before it is over.",
        "eriantys.action.phase",
        (WHOLE_GAME, DRAWN_STATES, "eriantys.cloud.half-filled", "eriantys.character.late"),
        slips.end_of_turn,
    ),
    _acts(
        "plays-on-at-the-end",
        "Goes on playing where it only has to end its turn.",
        "eriantys.action.phase",
        ("eriantys.turn.explicit-end",),
        slips.whatever_else,
        slips.end_due,
    ),
    _acts(
        "plays-character-at-the-end",
        "Plays a character where it only has to end its turn.",
        "eriantys.action.phase",
        ("eriantys.turn.explicit-end",),
        slips.characters,
        slips.end_due,
    ),
    # Actions: students
    _acts(
        "moves-unknown-color",
        "Moves a student of a sixth colour.",
        "eriantys.color.known",
        (WHOLE_GAME, DRAWN_STATES, "eriantys.students.resumed", "eriantys.character.no-coins"),
        slips.unknown_colors,
    ),
    _acts(
        "moves-absent-student",
        "Moves a student of a colour that is not in its entrance.",
        "eriantys.student.entrance",
        (
            WHOLE_GAME,
            DRAWN_STATES,
            "eriantys.students.resumed",
            "eriantys.students.tables-full",
            "eriantys.island.by-group",
        ),
        slips.students_anywhere,
    ),
    _acts(
        "seats-eleventh-student",
        "Moves a student to a table that is full.",
        "eriantys.student.table-full",
        ("eriantys.students.tables-full", "eriantys.island.by-tile", "eriantys.island.by-group"),
        slips.students_to_tables,
    ),
    _acts(
        "counts-islands-from-one",
        "Moves a student to the island 12.",
        "eriantys.island.known",
        (WHOLE_GAME, "eriantys.students.tables-full", "eriantys.island.by-tile"),
        slips.islands_from_one,
    ),
    _acts(
        "names-tiles-for-groups",
        "Names an island by its tile where it goes by the place of its group.",
        "eriantys.island.known",
        ("eriantys.island.by-group",),
        slips.tiles_of_groups,
        slips.islands_by_group,
    ),
    # Actions: Mother Nature and clouds
    _acts(
        "goes-one-step-too-far",
        "Moves Mother Nature one step further than she may go.",
        "eriantys.mother-nature.steps",
        (
            WHOLE_GAME,
            LAST_OF_THREE,
            "eriantys.mother-nature.one-step",
            "eriantys.mother-nature.once-around",
            "eriantys.resume.partner-out",
        ),
        slips.steps_beyond(1),
    ),
    _acts(
        "goes-as-far-as-the-value",
        "Takes the value of its assistant for the steps of Mother Nature.",
        "eriantys.mother-nature.steps",
        (WHOLE_GAME, "eriantys.mother-nature.one-step", "eriantys.mother-nature.once-around"),
        slips.value_as_steps,
    ),
    _acts(
        "goes-further-without-postman",
        "Moves Mother Nature two steps further because the postman is there, which it has not played.",
        "eriantys.mother-nature.steps",
        ("eriantys.character.dearer",),
        slips.steps_beyond(2),
        slips.postman_unused,
    ),
    _acts(
        "goes-too-far-with-postman",
        "Moves Mother Nature three steps further with the postman.",
        "eriantys.mother-nature.steps",
        ("eriantys.character.once-a-turn",),
        slips.steps_beyond(1),
        slips.postman_played,
    ),
    _acts(
        "takes-taken-cloud",
        "Takes a cloud that is empty.",
        "eriantys.cloud.empty",
        ("eriantys.cloud.only-zero", "eriantys.cloud.only-last", "eriantys.cloud.half-filled"),
        slips.clouds,
    ),
    _acts(
        "counts-clouds-from-one",
        "Takes the cloud behind the last one.",
        "eriantys.cloud.known",
        (WHOLE_GAME, LAST_OF_FOUR, "eriantys.cloud.only-last", "eriantys.mother-nature.once-around"),
        slips.cloud_beyond,
    ),
    # Actions: characters
    _acts(
        "plays-character-in-basic",
        "Plays a character in a Basic game.",
        "eriantys.character.expert",
        (WHOLE_GAME, LAST_OF_FOUR, "eriantys.students.resumed"),
        slips.any_character,
    ),
    _acts(
        "plays-absent-character",
        "Plays a character that is not in play.",
        "eriantys.character.in-play",
        ("eriantys.seats.last-of-four", "eriantys.character.what-it-needs", "eriantys.character.late"),
        slips.absent_characters,
    ),
    _acts(
        "plays-second-character",
        "Plays a second character in the same turn.",
        "eriantys.character.once",
        ("eriantys.character.once-a-turn",),
        slips.characters,
    ),
    _acts(
        "plays-without-coins",
        "Plays a character that it cannot pay for.",
        "eriantys.character.coins",
        ("eriantys.character.no-coins", "eriantys.character.dearer"),
        slips.characters,
    ),
    _acts(
        "pays-printed-price",
        "Plays a character for its printed price though it costs more by now.",
        "eriantys.character.coins",
        ("eriantys.character.dearer",),
        slips.at_printed_price,
    ),
    _acts(
        "plays-helper-too-late",
        "Plays a character for Mother Nature's move after it, where that is forbidden.",
        "eriantys.character.late",
        ("eriantys.character.late",),
        slips.characters,
    ),
    _acts(
        "plays-without-color",
        "Leaves out the colour that a character needs.",
        "eriantys.character.color",
        ("eriantys.character.what-it-needs", "eriantys.character.bag-empty"),
        slips.without_color,
    ),
    _acts(
        "plays-with-color",
        "Gives a colour to a character that needs none.",
        "eriantys.character.color",
        ("eriantys.character.what-it-needs", "eriantys.character.exchanges"),
        slips.with_color,
    ),
    _acts(
        "plays-without-island",
        "Leaves out the island that a character needs.",
        "eriantys.character.island",
        ("eriantys.character.what-it-needs", "eriantys.character.bag-empty"),
        slips.without_island,
    ),
    _acts(
        "plays-with-island",
        "Gives an island to a character that needs none.",
        "eriantys.character.island",
        ("eriantys.character.what-it-needs", "eriantys.character.exchanges"),
        slips.with_island,
    ),
    _acts(
        "plays-with-unknown-color",
        "Gives a sixth colour to a character.",
        "eriantys.color.known",
        ("eriantys.character.what-it-needs", "eriantys.character.exchanges"),
        slips.with_unknown_color,
    ),
    _acts(
        "plays-with-unknown-island",
        "Gives the island 12 to a character.",
        "eriantys.island.known",
        ("eriantys.character.what-it-needs", "eriantys.character.no-entry-one-each"),
        slips.with_unknown_island,
    ),
    _acts(
        "takes-absent-student",
        "Moves a student away from a character on which it is not.",
        "eriantys.character.card-students",
        ("eriantys.character.bag-empty", "eriantys.character.exchanges"),
        slips.characters,
    ),
    _says(
        "gives-more-than-it-takes",
        "Gives two students for one.",
        "eriantys.character.swap-count",
        ("eriantys.character.exchanges", "eriantys.character.bag-empty"),
        _exchange(7, [1, 1], [1]),
    ),
    _acts(
        "exchanges-nothing",
        "Plays jester or minstrel without any exchange.",
        "eriantys.character.swap-count",
        ("eriantys.character.exchanges", "eriantys.character.nothing-to-exchange", "eriantys.character.bag-empty"),
        slips.any_character,
    ),
    _acts(
        "exchanges-one-too-many",
        "Exchanges four students with the jester, or three with the minstrel.",
        "eriantys.character.swap-count",
        ("eriantys.character.exchanges", "eriantys.character.bag-empty"),
        slips.one_exchange_too_many,
    ),
    _acts(
        "exchanges-absent-student",
        "Gives a student in an exchange that is not in its entrance.",
        "eriantys.character.swap-entrance",
        ("eriantys.character.exchanges", "eriantys.character.nothing-to-exchange", "eriantys.character.bag-empty"),
        slips.characters,
    ),
    _acts(
        "exchanges-in-wrong-direction",
        "Mixes up what is given and what is taken in an exchange.",
        "eriantys.character.swap-entrance",
        ("eriantys.character.exchanges",),
        slips.wrong_way_round,
    ),
    _acts(
        "exchanges-with-empty-table",
        "Takes a student in an exchange that is not in its dining room.",
        "eriantys.character.swap-dining-room",
        ("eriantys.character.exchanges", "eriantys.character.table-full"),
        slips.characters,
    ),
    _acts(
        "exchanges-same-student-twice",
        "Takes two students of a colour from its dining room where there is one.",
        "eriantys.character.swap-dining-room",
        ("eriantys.character.exchanges",),
        slips.doubled_exchange,
    ),
    _acts(
        "seats-eleventh-with-character",
        "Puts an eleventh student at a table with a character.",
        "eriantys.character.table-full",
        ("eriantys.character.table-full",),
        slips.characters,
    ),
    _acts(
        "gives-fifth-no-entry-tile",
        "Plays the herbalist when all no-entry tiles lie on islands.",
        "eriantys.character.no-entry-left",
        ("eriantys.character.no-entry-used-up",),
        slips.characters,
    ),
    _acts(
        "stacks-no-entry-tiles",
        "Puts a no-entry tile where one lies, and two must not.",
        "eriantys.character.no-entry-one",
        ("eriantys.character.no-entry-one-each",),
        slips.characters,
    ),
)

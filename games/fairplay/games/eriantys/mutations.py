"""Wrong answers to the referee of Eriantys: each breaks one rule, and is caught by the cases that it names.

A wrong answer is asked for again, and given again: it is misconduct once there are no attempts left.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, combinations_with_replacement, product
from random import Random
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2 as pb
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.conformance import Failing
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
    GAME_TIED,
    UNKNOWN_VALUES,
    UNUSUAL_SETTINGS,
    WHOLE_GAME,
    Breaking,
    Mutate,
    Wrong,
    build_mutations,
    replying,
    where,
    whole_game,
)

ALL_COLORS = range(len(COLORS))
UNKNOWN_COLOR = len(COLORS)
BLACK = AskTowerColorResponse(color=pb.TOWER_COLOR_BLACK)
WHITE_OF_TWO, LAST_OF_THREE, LAST_OF_FOUR = whole_game(1, 2), whole_game(2, 3), whole_game(3, 4)
POSTMAN, MINSTREL, THIEF = 4, 10, 12
STOLEN = 3
SHOWN_SETTINGS = (
    "farmer-counts",
    "herald-ignores-no-entry",
    "minstrel-keeps-professors",
    "princess-earns-nothing",
    "professor-released",
    "short-bag-ends-the-game",
    "short-bag-is-shared",
    "thief-fills-the-bag",
)


# Declarations


def breaking(method: str) -> Breaking[State, Action]:
    """Return what makes wrong actions of those found in what the player sees, where it is the active seat."""
    return Breaking(
        "eriantys", method, lambda request, reply: codec.read_view(request), rules.violation, answers.build_reply
    )


def doing(**choice: Any) -> Mutate:
    """Return what answers with an action, e.g. doing(take_cloud=TakeCloud(cloud=1))."""
    return replying(AskActionResponse(action=pb.Action(**choice)))


tower_reply, towers = partial(Wrong, "AskTowerColor"), breaking("AskTowerColor")
assistant_reply, assistant = partial(Wrong, "AskAssistantCard"), breaking("AskAssistantCard")
action_reply, action = partial(Wrong, "AskAction"), breaking("AskAction")


# Replies


def silent_when_asked_again(request: Any, reply: Any, rng: Random) -> AskTowerColorResponse | None:
    """Return black towers at first, and nothing when asked again because somebody else was given them."""
    if not request.first_request:
        return AskTowerColorResponse()
    return BLACK if BLACK.color in request.possible_colors else None


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


def free_assistants(view: State) -> Iterator[Action]:
    """Yield the assistants that nobody has played in this round, where all of the hand would be repetitions."""
    played = [view.assistants[seat] for seat in view.planned]
    is_due = set(view.hands[view.active]) <= set(played)
    return (PlayAssistant(value) for value in range(1, 11) if is_due and value not in played)


def played_assistants(view: State) -> Iterator[Action]:
    """Yield the assistants that somebody has played in this round."""
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned)


def partners_assistants(view: State) -> Iterator[Action]:
    """Yield the assistants that partners have played in this round."""
    side = view.sides[view.active]
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned if view.sides[seat] == side)


def is_at_end(view: State) -> bool:
    """Return whether all that is left of a turn is to end it."""
    return view.phase is Phase.END_TURN


def moves_students(view: State) -> bool:
    """Return whether students are to be moved."""
    return view.phase is Phase.STUDENTS


def fills_clouds_late(view: State) -> bool:
    """Return whether clouds are filled late and there are three players or more."""
    return view.settings.refill_when == "after_assistants" and len(view.sides) > 2


def needs_postman(view: State) -> bool:
    """Return whether the postman is in play, and was not played in this turn."""
    return view.played != POSTMAN and any(card.character == POSTMAN for card in view.cards)


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


def absent_characters(view: State) -> Iterator[Action]:
    """Yield the characters that are not in play, each with all that it needs."""
    in_play = [card.character for card in view.cards]
    return (play for number in PIECES if number not in in_play for play in ways_to_play(view, number))


def changed(view: State, **change: Any) -> Iterator[Action]:
    """Yield the characters in play, each with a change."""
    return (replace(play, **change) for play in characters(view))


def with_unknown_color(view: State) -> Iterator[Action]:
    """Yield the characters in play with a sixth colour in the place of one."""
    for play in characters(view):
        if play.color is not None:
            yield replace(play, color=UNKNOWN_COLOR)
        yield from (replace(play, swaps=((left, UNKNOWN_COLOR),)) for left, _ in play.swaps)


def reversed_exchanges(view: State) -> Iterator[Action]:
    """Yield the legal exchanges of one student with what is given and what is taken in each other's place."""
    return (replace(play, swaps=tuple([pair[::-1] for pair in play.swaps])) for play in possible_exchanges(view))


def exchanges_too_long(view: State) -> Iterator[Action]:
    """Yield the exchanges of more students than jester and minstrel allow."""
    plays = (play for play in characters(view) if play.swaps)
    return (replace(play, swaps=play.swaps * (PIECES[play.character].most_swaps + 1)) for play in plays)


def two_on_the_last_seat(view: State) -> Iterator[Action]:
    """Yield the exchanges that give two students of a colour where the table of that colour has one free seat."""
    room = view.dining_rooms[view.active]
    for swaps in combinations_with_replacement(product(ALL_COLORS, ALL_COLORS), 2):
        (one, _), (other, _) = swaps
        if one == other and room[one] == TABLE_SEATS - 1:
            yield PlayCharacter(MINSTREL, swaps=swaps)


WRONG_ANSWERS = {
    # Tower colours
    "chooses-no-towers: Leaves out the colour of its towers.": tower_reply(
        "action.required",
        replying(AskTowerColorResponse()),
        [WHOLE_GAME, LAST_OF_THREE, "towers.last-choice", "towers.race"],
    ),
    "chooses-unknown-towers: Chooses towers of a fourth colour.": tower_reply(
        "towers.known",
        replying(AskTowerColorResponse(color=4)),  # type: ignore[arg-type]  # no value of the enum
        [WHOLE_GAME, WHITE_OF_TWO, LAST_OF_THREE, "towers.last-choice", "towers.race"],
    ),
    "chooses-grey-among-two: Chooses grey towers where there are two sides.": towers(
        "towers.known", lambda view: [ChooseTowers(2)], [WHOLE_GAME, WHITE_OF_TWO, "towers.no-grey"]
    ),
    "chooses-others-towers: Chooses a colour that somebody else has.": towers(
        "towers.taken",
        lambda view: (ChooseTowers(color) for color in view.tower_colors if color != NOBODY),
        ["towers.last-choice", "towers.no-grey"],
    ),
    "insists-on-black-towers: Chooses black towers, also where it is asked again because somebody else was given "
    "them.": tower_reply("towers.taken", replying(BLACK), ["towers.last-choice", "towers.no-grey", "towers.race"]),
    "falls-silent-when-asked-again: Wants black towers, and has no answer when it is asked again because somebody else "
    "was given them.": tower_reply("action.required", silent_when_asked_again, ["towers.race"]),
    # Assistants
    "plays-no-assistant: Leaves out its assistant.": assistant_reply(
        "action.required",
        replying(AskAssistantCardResponse()),
        [WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.one-left-free", "character.professors-lent", "turn.freed"],
    ),
    "plays-eleventh-assistant: Plays an assistant with the value 11.": assistant_reply(
        "assistant.range",
        replying(AskAssistantCardResponse(card=11)),
        [WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.one-left-free", "assistant.last-card"],
    ),
    "plays-assistant-again: Plays an assistant that it has played before.": assistant(
        "assistant.in-hand",
        used_assistants,
        [WHOLE_GAME, DRAWN_STATES, LAST_OF_FOUR, "assistant.last-card", "assistant.only-repeated"],
    ),
    "plays-place-in-hand: Answers with the place of an assistant in its hand instead of the value.": assistant(
        "assistant.in-hand",
        lambda view: (PlayAssistant(place) for place, _ in enumerate(view.hands[view.active], 1)),
        ["assistant.one-left-free", "assistant.only-repeated", "assistant.last-card"],
    ),
    "never-repeats-assistant: Plays an assistant that it does not have where all that it has would be repetitions.": (
        assistant("assistant.in-hand", free_assistants, ["assistant.only-repeated"])
    ),
    "has-no-last-assistant: Plays an assistant that it does not have where one is left.": assistant(
        "assistant.in-hand",
        where(lambda view: len(view.hands[view.active]) == 1, used_assistants),
        ["assistant.last-card"],
    ),
    "repeats-assistant: Plays an assistant that somebody has played in this round, though it has others.": assistant(
        "assistant.taken", played_assistants, ["assistant.one-left-free", "assistant.partner"]
    ),
    "takes-old-assistants-for-played: Plays one that somebody has played where those that have not played yet played "
    "all others of its hand in the round before.": assistant(
        "assistant.taken",
        where(lambda view: {*view.hands[view.active]} <= {*view.assistants}, played_assistants),
        ["assistant.one-left-free"],
    ),
    "repeats-partners-assistant: Plays an assistant that its partner has played in this round.": assistant(
        "assistant.taken", partners_assistants, ["assistant.partner"]
    ),
    # The form of actions
    "does-nothing: Leaves out its action.": action_reply(
        "action.required",
        replying(AskActionResponse()),
        [
            *(WHOLE_GAME, DRAWN_STATES, LAST_OF_THREE, LAST_OF_FOUR, "seats.last-of-four", "resume.partner-out"),
            *(f"settings.{name}" for name in SHOWN_SETTINGS),
        ],
    ),
    "does-empty-action: Answers with an action that is of no kind.": action_reply(
        "action.required",
        doing(),
        [WHOLE_GAME, DRAWN_STATES, "students.resumed", "cloud.only-last", "resume.somebody-away"],
    ),
    "seats-colorless-student: Moves a student to its table without saying its colour.": action_reply(
        "action.required", doing(to_dining_room=pb.ToDiningRoom()), [WHOLE_GAME, "students.resumed"]
    ),
    "lands-colorless-student: Moves a student to an island without saying its colour.": action_reply(
        "action.required", doing(to_island=pb.ToIsland(island=1)), [WHOLE_GAME, "students.tables-full"]
    ),
    "leaves-out-island: Moves a student to an island without saying which one.": action_reply(
        "action.required",
        doing(to_island=pb.ToIsland(color=pb.COLOR_GREEN)),
        [WHOLE_GAME, "island.by-tile", "island.by-group"],
    ),
    "moves-mother-nature-nowhere: Moves Mother Nature by no step at all.": action_reply(
        "action.required",
        doing(move_mother_nature=pb.MoveMotherNature()),
        [WHOLE_GAME, "mother-nature.one-step", "mother-nature.once-around"],
    ),
    "leaves-out-cloud-zero: Leaves out the number of a cloud where it is 0.": action_reply(
        "action.required",
        doing(take_cloud=pb.TakeCloud()),
        [WHOLE_GAME, "cloud.only-zero"],
        only=lambda request: 0 in request.possible_actions.clouds,
    ),
    "plays-nameless-character: Plays a character without saying which one.": action_reply(
        "action.required",
        doing(play_character=pb.PlayCharacter()),
        [WHOLE_GAME, "character.what-it-needs", "character.no-coins"],
    ),
    # Each in its time
    "moves-mother-nature-first: Moves Mother Nature before the students.": action(
        "action.phase", one_step, [WHOLE_GAME, LAST_OF_FOUR, "students.tables-full", "students.resumed"]
    ),
    "moves-three-of-four-students: Moves Mother Nature after three students where there are three players.": action(
        "action.phase",
        where(lambda view: len(view.sides) == 3 and view.to_move == 1, one_step),
        [LAST_OF_THREE, "students.fourth-of-three-players"],
    ),
    "moves-student-too-many: Moves one more student where Mother Nature or a cloud is due.": action(
        "action.phase", students_anywhere, [WHOLE_GAME, LAST_OF_THREE, "mother-nature.one-step", "cloud.only-last"]
    ),
    "takes-cloud-first: Takes a cloud before Mother Nature has moved.": action(
        "action.phase", clouds, [WHOLE_GAME, DRAWN_STATES, "mother-nature.one-step", "students.resumed"]
    ),
    "takes-closed-cloud: Takes a cloud in a round in which nobody does.": action(
        "action.phase", where(lambda view: view.clouds_closed, clouds), ["cloud.closed"]
    ),
    "ends-turn-early: Ends its turn before it is over.": action(
        "action.phase", lambda view: [EndTurn()], [WHOLE_GAME, DRAWN_STATES, "cloud.half-filled", "character.late"]
    ),
    "plays-on-at-the-end: Goes on playing where it only has to end its turn.": action(
        "action.phase",
        where(is_at_end, lambda view: chain(students_anywhere(view), one_step(view), clouds(view))),
        ["turn.explicit-end"],
    ),
    "plays-character-at-the-end: Plays a character where it only has to end its turn.": action(
        "action.phase", where(is_at_end, characters), ["turn.explicit-end"]
    ),
    # Students
    "moves-unknown-color: Moves a student of a sixth colour.": action(
        "color.known",
        lambda view: [ToDiningRoom(UNKNOWN_COLOR), ToIsland(UNKNOWN_COLOR, 0)],
        [WHOLE_GAME, DRAWN_STATES, "students.resumed", "character.no-coins"],
    ),
    "moves-absent-student: Moves a student of a colour that is not in its entrance.": action(
        "student.entrance",
        students_anywhere,
        [WHOLE_GAME, DRAWN_STATES, "students.resumed", "students.tables-full", "island.by-group"],
    ),
    "seats-eleventh-student: Moves a student to a table that is full.": action(
        "student.table-full",
        lambda view: map(ToDiningRoom, ALL_COLORS),
        ["students.tables-full", "island.by-tile", "island.by-group"],
    ),
    "counts-islands-from-one: Moves a student to the island 12.": action(
        "island.known",
        lambda view: (ToIsland(color, TILE_COUNT) for color in ALL_COLORS),
        [WHOLE_GAME, "students.tables-full", "island.by-tile"],
    ),
    "names-tiles-for-groups: Names an island by its tile where it goes by the place of its group.": action(
        "island.known", names_tiles, ["island.by-group"]
    ),
    "names-tiles-as-expert: Names an island by its tile in an Expert game in which it goes by the place of its "
    "group.": action(
        "island.known",
        where(lambda view: view.settings.is_expert, names_tiles),
        [UNUSUAL_SETTINGS, "island.by-group-with-characters"],
    ),
    "forgets-late-clouds: Moves a student that it does not have where clouds are filled late and there are three "
    "players or more.": action("student.entrance", where(fills_clouds_late, students_anywhere), [UNUSUAL_SETTINGS]),
    # Mother Nature and clouds
    "goes-one-step-too-far: Moves Mother Nature one step further than she may go.": action(
        "mother-nature.steps",
        lambda view: steps_beyond(view, 1),
        [WHOLE_GAME, LAST_OF_THREE, "mother-nature.one-step", "mother-nature.once-around", "resume.partner-out"],
    ),
    "goes-as-far-as-the-value: Takes the value of its assistant for the steps of Mother Nature.": action(
        "mother-nature.steps",
        lambda view: [MoveMotherNature(view.assistants[view.active])],
        [WHOLE_GAME, "mother-nature.one-step", "mother-nature.once-around"],
    ),
    "goes-further-without-postman: Moves Mother Nature two steps further because the postman is there, which it has "
    "not played.": action(
        "mother-nature.steps", where(needs_postman, lambda view: steps_beyond(view, 2)), ["character.dearer"]
    ),
    "goes-too-far-with-postman: Moves Mother Nature three steps further with the postman.": action(
        "mother-nature.steps",
        where(lambda view: view.played == POSTMAN, lambda view: steps_beyond(view, 1)),
        ["character.once-a-turn"],
    ),
    "takes-taken-cloud: Takes a cloud that is empty.": action(
        "cloud.empty", clouds, ["cloud.only-zero", "cloud.only-last", "cloud.half-filled"]
    ),
    "counts-clouds-from-one: Takes the cloud behind the last one.": action(
        "cloud.known",
        lambda view: [TakeCloud(len(view.clouds))],
        [WHOLE_GAME, LAST_OF_FOUR, "cloud.only-last", "mother-nature.once-around"],
    ),
    # Plays of characters
    "plays-character-in-basic: Plays a character in a Basic game.": action(
        "character.expert", bare_characters, [WHOLE_GAME, LAST_OF_FOUR, "students.resumed"]
    ),
    "plays-absent-character: Plays a character that is not in play.": action(
        "character.in-play", absent_characters, ["seats.last-of-four", "character.what-it-needs", "character.late"]
    ),
    "plays-second-character: Plays a second character in the same turn.": action(
        "character.once", characters, ["character.once-a-turn"]
    ),
    "plays-without-coins: Plays a character that it cannot pay for.": action(
        "character.coins", characters, ["character.no-coins", "character.dearer"]
    ),
    "pays-printed-price: Plays a character for its printed price though it costs more by now.": action(
        "character.coins",
        lambda view: (play for play in characters(view) if PIECES[play.character].cost <= view.coins[view.active]),
        ["character.dearer"],
    ),
    "plays-helper-too-late: Plays a character for Mother Nature's move after it, where that is forbidden.": action(
        "character.late", characters, ["character.late"]
    ),
    "plays-without-color: Leaves out the colour that a character needs.": action(
        "character.color", lambda view: changed(view, color=None), ["character.what-it-needs", "character.bag-empty"]
    ),
    "plays-with-color: Gives a colour to a character that needs none.": action(
        "character.color",
        lambda view: (replace(play, color=color, swaps=()) for play in characters(view) for color in ALL_COLORS),
        ["character.what-it-needs", "character.exchanges"],
    ),
    "plays-without-island: Leaves out the island that a character needs.": action(
        "character.island", lambda view: changed(view, island=None), ["character.what-it-needs", "character.bag-empty"]
    ),
    "plays-with-island: Gives an island to a character that needs none.": action(
        "character.island", lambda view: changed(view, island=0), ["character.what-it-needs", "character.exchanges"]
    ),
    "plays-with-unknown-color: Gives a sixth colour to a character.": action(
        "color.known", with_unknown_color, ["character.what-it-needs", "character.exchanges"]
    ),
    "plays-characters-on-tiles: Names an island by its tile for a character where it goes by the place of its group.": (
        action(
            "island.known",
            where(
                lambda view: view.settings.island_address == "group",
                lambda view: (
                    replace(play, island=tile)
                    for play in characters(view)
                    if play.island is not None
                    for tile in range(len(view.groups), TILE_COUNT)
                ),
            ),
            ["island.by-group-with-characters"],
        )
    ),
    "plays-with-unknown-island: Gives the island 12 to a character.": action(
        "island.known",
        lambda view: (replace(play, island=TILE_COUNT) for play in characters(view) if play.island is not None),
        ["character.what-it-needs", "character.no-entry-one-each"],
    ),
    "takes-absent-student: Moves a student away from a character on which it is not.": action(
        "character.card-students", characters, ["character.bag-empty", "character.exchanges"]
    ),
    "gives-more-than-it-takes: Gives two students for one.": action_reply(
        "character.swap-count",
        doing(play_character=pb.PlayCharacter(character=7, given=[1, 1], taken=[1])),  # type: ignore[list-item]
        ["character.exchanges", "character.bag-empty"],
    ),
    "exchanges-nothing: Plays jester or minstrel without any exchange.": action(
        "character.swap-count",
        bare_characters,
        ["character.exchanges", "character.nothing-to-exchange", "character.bag-empty"],
    ),
    "exchanges-one-too-many: Exchanges four students with the jester, or three with the minstrel.": action(
        "character.swap-count", exchanges_too_long, ["character.exchanges", "character.bag-empty"]
    ),
    "exchanges-absent-student: Gives a student in an exchange that is not in its entrance.": action(
        "character.swap-entrance",
        characters,
        ["character.exchanges", "character.nothing-to-exchange", "character.bag-empty"],
    ),
    "exchanges-in-wrong-direction: Mixes up what is given and what is taken in an exchange.": action(
        "character.swap-entrance", reversed_exchanges, ["character.exchanges"]
    ),
    "exchanges-with-empty-table: Takes a student in an exchange that is not in its dining room.": action(
        "character.swap-dining-room", characters, ["character.exchanges", "character.table-full"]
    ),
    "exchanges-same-student-twice: Takes two students of a colour from its dining room where there is one.": action(
        "character.swap-dining-room",
        lambda view: (replace(play, swaps=play.swaps * 2) for play in possible_exchanges(view)),
        ["character.exchanges"],
    ),
    "seats-eleventh-with-character: Puts an eleventh student at a table with a character.": action(
        "character.table-full", characters, ["character.table-full"]
    ),
    "seats-two-on-the-last-seat: Gives two students of a colour in an exchange where the table of that colour has one "
    "free seat.": action("character.table-full", two_on_the_last_seat, ["character.nearly-full"]),
    "gives-fifth-no-entry-tile: Plays the herbalist when all no-entry tiles lie on islands.": action(
        "character.no-entry-left", characters, ["character.no-entry-used-up", "character.no-entry-used-up-early"]
    ),
    "gives-fifth-no-entry-tile-early: Plays the herbalist before Mother Nature moves, as soon as it can pay for her, "
    "also when all no-entry tiles lie on islands.": action(
        "character.no-entry-left", where(moves_students, characters), ["character.no-entry-used-up-early"]
    ),
    "takes-from-empty-characters: Takes a student from a character that has none, before Mother Nature moves.": action(
        "character.card-students", where(moves_students, characters), ["character.students-used-up"]
    ),
    "does-nothing-while-professors-are-borrowed: Leaves out its action while a professor is to go back to somebody.": (
        action_reply(
            "action.required",
            replying(AskActionResponse()),
            ["character.professors-borrowed"],
            only=lambda request: any(owner >= 0 for owner in request.state.borrowed_professors),
        )
    ),
    "stacks-no-entry-tiles: Puts a no-entry tile where one lies, and two must not.": action(
        "character.no-entry-one", characters, ["character.no-entry-one-each"]
    ),
}

MUTATIONS = build_mutations("eriantys", WRONG_ANSWERS)


def has_refilled_the_bag(request: Any) -> bool:
    """Return whether the thief has put students into an empty bag, and this round is not the last one."""
    state = getattr(request, "state", pb.State())
    stolen = state.played_character == THIEF and 0 < state.bag_count <= STOLEN * len(state.sides)
    return stolen and not state.last_round_reason


def has_too_few_students(request: Any) -> bool:
    """Return whether somebody owns a professor of whose colour somebody else has more students."""
    state = getattr(request, "state", pb.State())
    rooms = [
        state.dining_students[start : start + len(COLORS)]
        for start in range(0, len(state.dining_students), len(COLORS))
    ]
    owned = [(owner, [room[color] for room in rooms]) for color, owner in enumerate(state.professors) if owner >= 0]
    return any(counts[owner] < max(counts) for owner, counts in owned)


FEW_GROUPS, MANY_WINNERS = 3, 3


def ends_with_few_groups(request: Any) -> bool:
    """Return whether so few groups of islands are left that no game goes on."""
    sizes = getattr(request, "state", pb.State()).group_sizes
    return 0 < len(sizes) <= FEW_GROUPS


def has_many_winners(request: Any) -> bool:
    """Return whether more have won than a team has players."""
    return len(getattr(request, "winner_seats", ())) >= MANY_WINNERS


def shows_a_character(request: Any) -> bool:
    """Return whether a board shows that a character was played in this turn."""
    return request.DESCRIPTOR.name == "UpdateGameBoardRequest" and bool(request.state.played_character)


def has_played_a_character(request: Any) -> bool:
    """Return whether the player is asked for an action after it has played a character in the same turn."""
    return request.DESCRIPTOR.name == "AskActionRequest" and bool(request.state.played_character)


def ignores_a_color(request: Any) -> bool:
    """Return whether a board shows a colour that gives no influence."""
    return request.DESCRIPTOR.name == "UpdateGameBoardRequest" and bool(request.state.ignored_color)


def has_ignored_pink(request: Any) -> bool:
    """Return whether the player is asked for an action while pink gives no influence."""
    return request.DESCRIPTOR.name == "AskActionRequest" and bool(request.state.ignored_color == pb.COLOR_PINK)


def has_no_cloud(request: Any) -> bool:
    """Return whether Mother Nature is to move, and all clouds are empty, in a round in which clouds are taken."""
    state = getattr(request, "state", pb.State())
    moves = request.DESCRIPTOR.name == "AskActionRequest" and state.phase == pb.PHASE_MOTHER_NATURE
    return moves and not state.clouds_closed and not any(state.cloud_students)


REFUSED = {"assistant": "AskAssistantCardRequest", "action": "AskActionRequest"}
"""What players are asked for again where their answer was refused, and the message that says why."""


def is_refused(message: str, known: Container[str] = ()) -> Callable[[Any], bool]:
    """Return what says of a request whether an answer to it was refused, because of none of some known rules."""
    return lambda request: (
        request.DESCRIPTOR.name == message and request.HasField("refusal") and request.refusal.rule_id not in known
    )


FAILING = (
    *(
        Failing(
            f"fails-as-its-{asked}-is-refused",
            f"Raises an exception where its {asked} was refused.",
            (f"eriantys.resume.own-refused-{asked}",),
            is_refused(message),
        )
        for asked, message in REFUSED.items()
    ),
    *(
        Failing(
            f"looks-up-why-its-{asked}-was-refused",
            f"Raises an exception where its {asked} was refused because of a rule that it does not know.",
            (UNKNOWN_VALUES,),
            is_refused(message, rules.RULES),
        )
        for asked, message in REFUSED.items()
    ),
    Failing(
        "fails-as-a-character-is-played",
        "Raises an exception where a board shows that a character was played in this turn.",
        tuple(f"eriantys.watch.{piece.name.replace(' ', '-')}" for piece in PIECES.values()),
        shows_a_character,
    ),
    Failing(
        "fails-after-its-own-character",
        "Raises an exception where it is asked on after it has played a character.",
        tuple(f"eriantys.character.played-{piece.name.replace(' ', '-')}" for piece in PIECES.values()),
        has_played_a_character,
    ),
    Failing(
        "fails-as-a-color-counts-for-nobody",
        "Raises an exception where a board shows a colour that gives no influence.",
        ("eriantys.watch.mushroom-hunter",),
        ignores_a_color,
    ),
    Failing(
        "fails-as-pink-counts-for-nobody",
        "Raises an exception where it is asked for an action while pink gives no influence.",
        ("exceptions.drawn-states",),
        has_ignored_pink,
    ),
    Failing(
        "fails-without-a-cloud-to-look-at",
        "Raises an exception where Mother Nature is to move and all clouds are empty, unless nobody takes one.",
        ("eriantys.cloud.none-filled",),
        has_no_cloud,
    ),
    Failing(
        "fails-at-few-groups",
        "Raises an exception where three groups of islands are left, or two.",
        ("eriantys.watch.three-groups", "eriantys.watch.two-groups"),
        ends_with_few_groups,
    ),
    Failing(
        "fails-at-many-winners",
        "Raises an exception where three or more have won.",
        (GAME_TIED,),
        has_many_winners,
    ),
    Failing(
        "fails-as-the-game-goes-on",
        "Raises an exception where students return to an empty bag, and the round is not the last one any more.",
        ("eriantys.settings.thief-fills-the-bag",),
        has_refilled_the_bag,
    ),
    Failing(
        "fails-as-a-professor-stays",
        "Raises an exception where somebody owns a professor of whose colour somebody else has more students.",
        ("eriantys.settings.minstrel-keeps-professors",),
        has_too_few_students,
    ),
)

"""The probes of Eriantys: situations that players get wrong, and whatever else the suite needs of the game.

If a game goes on from a state, `max_attempts` is 1: the first impossible answer is misconduct, so the player cannot
find a possible one by trying. Whole games have the usual three attempts.

The states are scenes, written down in few words. Students are the initials of their colours, "GGRYPB". Islands are
words, clockwise, one for each group: the letter of the side whose towers stand there ("a" for side 0), how many tiles
it has if more than one, its students, an "x" for each no-entry tile, and "!" where Mother Nature stands; a dot is an
empty island. "G! aR . b3PPx" are six tiles.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message

from fairplay.eriantys.v1 import eriantys_pb2, eriantys_settings_pb2
from fairplay.games.conformance import (
    ANYTHING,
    STANDARD,
    STANDARD_SENTENCE,
    Circumstance,
    Conformance,
    FirstCall,
    Infraction,
    Level,
    Outcomes,
    Pieces,
    Profile,
    RareGame,
    Situation,
)
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.features import FEATURES
from fairplay.games.eriantys.mutations import FAILING, MUTATIONS
from fairplay.games.eriantys.players import STRATEGIES, strategy
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules.board import HERBALIST
from fairplay.games.eriantys.rules.characters import PIECES
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COINS,
    COLORS,
    NO_ENTRY_TILES,
    NOBODY,
    TILE_COUNT,
    Card,
    ChooseTowers,
    Counts,
    Group,
    Phase,
    Reason,
    Settings,
    Standing,
    State,
    added,
    size_of,
    taken,
    unseen,
    view_of,
    with_at,
)
from fairplay.games.kit.conformance import Check, MakeSituation, begin_game, build_probes, leaving
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.steps import FAILURES, Call

# Scenes

PLAYING_CHARACTERS = "random:characters=1"
"""Reference players that play a character whenever they can."""
INITIALS = "".join([color[0].upper() for color in COLORS])
ISLANDS = "G! aR . bP B a2RY . P bB . G"
LETTERS = "abc"

_AS_USUAL: Mapping[int, Any] = MappingProxyType({})
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_ENTRANCE = "GGRRYPBYP"
_ROOM = "GRYPB"
_ON_CHARACTER = "GRYPBG"
_GROUP = re.compile(r"(?P<side>[abc]?)(?P<size>\d*)(?P<students>[GRYPB]*)(?P<blocked>x*)(?P<mother>!?)")


def students(text: str) -> Counts:
    """Return the counts of a text such as "GGR"."""
    return tuple([text.count(initial) for initial in INITIALS])


def scene(
    rng: Random,
    settings: Settings = Settings(),  # noqa: B008 - a constant
    seat_count: int = 2,
    *,
    phase: Phase = Phase.MOTHER_NATURE,
    active: int = 0,
    islands: str = ISLANDS,
    first_tile: int = 0,
    entrances: Sequence[str] = (),
    rooms: Sequence[str] = (),
    clouds: Sequence[str] | None = None,
    assistants: Sequence[int] = (),
    hands: Mapping[int, Sequence[int]] = _AS_USUAL,
    first: int = 0,
    round_number: int = 4,
    characters: Mapping[int, str] = _AS_USUAL,
    used: Sequence[int] = (),
    coins: int = 0,
    **changes: Any,
) -> State:
    """Return a state that fulfils the invariants; by seat, as far as texts are given.

    What is left out follows from the rest, or is ordinary: hands, towers, professors, the bag, and whose turn comes
    before and after that of `active`. `coins` are those of the active seat. `characters` are the students on them,
    and `used` those that somebody has played before. `changes` are fields of the state, and come last.
    """
    start = rules.initial(settings, seat_count, rng)
    size = size_of(seat_count)
    held = _entrances(entrances, seat_count, active, size.entrance - (size.cloud if phase > Phase.STUDENTS else 0))
    seated = tuple([students(rooms[seat] if seat < len(rooms) else _ROOM) for seat in range(seat_count)])
    groups, mother_nature = _groups(islands, first_tile)
    usual_clouds = [(INITIALS * 2)[seat : seat + size.cloud] for seat in range(seat_count)]
    built = [group.tower for group in groups for _ in group.tiles]
    values = tuple(assistants) or tuple([2 * seat + 1 for seat in range(seat_count)])
    planned, queue = _order(phase, active, first, values)
    state = start._replace(
        phase=phase,
        active=active,
        round=round_number,
        groups=groups,
        mother_nature=mother_nature,
        clouds=tuple(map(students, usual_clouds if clouds is None else clouds)),
        entrances=held,
        dining_rooms=seated,
        professors=_professors(seated),
        hands=tuple([_hand(seat, values, hands, round_number - (seat not in planned)) for seat in range(seat_count)]),
        assistants=values,
        first=first,
        planned=planned,
        queue=queue,
        to_move=min(size.cloud, sum(held[active])) if phase is Phase.STUDENTS else 0,
        tower_colors=tuple(range(len(start.towers))),
        towers=tuple([left - built.count(side) for side, left in enumerate(start.towers)]),
        cards=tuple([_card(card, characters, used, groups) for card in start.cards]),
        revision=40,
    )
    if settings.is_expert:
        purses = tuple([coins if seat == active else 1 for seat in range(seat_count)])
        state = state._replace(coins=purses, reserve=COINS - sum(purses) - len(used))
    state = state._replace(**changes)
    return state._replace(bag=unseen(state))


def bag_left(state: State, count: int) -> State:
    """Return a state with so many students left in the bag, the first ones; the others are with Mother Nature."""
    here, left = state.groups[state.mother_nature], students("".join(map(operator.mul, INITIALS, state.bag))[:count])
    full = here._replace(students=added(here.students, taken(state.bag, left)))
    return state._replace(groups=with_at(state.groups, state.mother_nature, full), bag=left)


def bag_emptied(state: State) -> State:
    """Return a state without students in the bag, as by `bag_left`: this round is the last one."""
    return bag_left(state, 0)._replace(last_round=Reason.BAG_EMPTY)


# The parts


def _groups(text: str, tile: int) -> tuple[tuple[Group, ...], int]:
    """Return the groups, the first of which begins with a tile, and the place of Mother Nature's."""
    groups, mother_nature = [], 0
    for place, word in enumerate(text.split()):
        found = _GROUP.fullmatch(word.replace(".", ""))
        assert found, word
        size = int(found["size"] or 1)
        side = LETTERS.index(found["side"]) if found["side"] else NOBODY
        tiles = tuple([(tile + step) % TILE_COUNT for step in range(size)])
        groups.append(Group(tiles, students(found["students"]), side, len(found["blocked"])))
        mother_nature = place if found["mother"] else mother_nature
        tile += size
    return tuple(groups), mother_nature


def _entrances(texts: Sequence[str], seat_count: int, active: int, size: int) -> tuple[Counts, ...]:
    """Return the given entrances; the others are full, but that of the active seat has `size` students."""
    full = size_of(seat_count).entrance
    usual = [_ENTRANCE[: size if seat == active else full] for seat in range(seat_count)]
    return tuple([students(texts[seat] if seat < len(texts) else usual[seat]) for seat in range(seat_count)])


def _professors(rooms: Sequence[Counts]) -> tuple[int, ...]:
    """Return by colour the first of the seats that have the most of its students."""
    columns = list(zip(*rooms, strict=True))
    return tuple([column.index(max(column)) if max(column) else NOBODY for column in columns])


def _hand(seat: int, values: Sequence[int], hands: Mapping[int, Sequence[int]], played: int) -> tuple[int, ...]:
    """Return the given hand, or the highest assistants that are left once `played` of them have been played."""
    if seat in hands:
        return tuple(hands[seat])
    left = [value for value in range(1, ASSISTANTS + 1) if value != values[seat]]
    return tuple(left[max(0, played - 1) :])


def _card(card: Card, characters: Mapping[int, str], used: Sequence[int], groups: Sequence[Group]) -> Card:
    number = card.character
    usual = _ON_CHARACTER[: sum(card.students)]
    blocked = sum([group.no_entry for group in groups])
    left = NO_ENTRY_TILES - blocked if number == HERBALIST else 0
    return Card(number, number in used, students(characters.get(number, usual)), left)


def _order(phase: Phase, active: int, first: int, values: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the seats that have planned, and those that come after the active one."""
    count = len(values)
    planning = tuple([(first + step) % count for step in range(count)])
    if phase is Phase.TOWERS:
        return (), ()
    if phase is Phase.ASSISTANT:
        place = planning.index(active)
        return planning[:place], planning[place + 1 :]
    acting = sorted(planning, key=lambda seat: values[seat])
    return planning, tuple(acting[acting.index(active) + 1 :])


# Situations

TOWERS = ("action.required", "towers.known", "towers.taken")
PLANNING = ("action.required", "assistant.in-hand", "assistant.range", "assistant.taken")
STUDENTS = ("action.phase", "action.required", "color.known", "island.known", "student.entrance", "student.table-full")
CLOUDS = ("action.required", "cloud.empty", "cloud.known")
ONCE = Settings(max_attempts=1)
CHARACTERS = (
    "character.card-students",
    "character.coins",
    "character.color",
    "character.in-play",
    "character.island",
    "character.swap-count",
)
WHOLE_TURN = ("action.phase", *STUDENTS, "mother-nature.steps", *CLOUDS)


def _expert(*characters: int, **others: Any) -> Settings:
    """Return the settings of an Expert game with these characters."""
    return Settings(mode="expert", characters=characters, max_attempts=1, **others)


def _scene(
    settings: Settings = ONCE, seat_count: int = 2, turn_count: int = 1, seat: int = 0, **given: Any
) -> MakeSituation:
    """Return a game that goes on from a scene; the player under test is to act, unless `active` says otherwise."""
    return lambda rng: _situation(scene(rng, settings, seat_count, **{"active": seat, **given}), seat, turn_count)


def _situation(state: State, seat: int, turn_count: int) -> Situation:
    settings = codec.build_short_settings(state.settings)
    return Situation(settings, len(state.sides), seat, codec.build_state(state), turn_count)


def _refused(method: str, phase: Phase) -> MakeSituation:
    """Return a game whose player comes in with a question that is asked again, as the answer before was impossible."""
    made = _scene(Settings(), phase=phase)
    return lambda rng: made(rng)._replace(first_call=FirstCall(method, 2, is_refused_before=True))


def _choosing(seat: int, *colors: int) -> MakeSituation:
    """Return a game in which the sides have these tower colours; the seat is the first one to choose."""

    def situation(rng: Random) -> Situation:
        state = rules.initial(ONCE, 4 if len(colors) == 2 else 3, rng)
        return _situation(state._replace(tower_colors=colors, active=seat), seat, 1)

    return situation


def _race(rng: Random) -> Situation:
    """Return a beginning in which the reference players before the player under test all want black towers."""
    while True:
        state = rules.initial(ONCE, 3, rng)
        if all(_chosen(spec, state, seat) == 0 for spec in STRATEGIES for seat in (0, 1)):
            return _situation(state, 2, 3)


def _chosen(spec: str, state: State, seat: int) -> int:
    """Return the tower colour that a strategy chooses first."""
    action = strategy(spec)(view_of(state, seat))
    assert isinstance(action, ChooseTowers)
    return action.color


def _closed_clouds(rng: Random) -> Situation:
    """Return the last round of three players, whose clouds the bag could not fill: nobody takes one."""
    state = scene(rng, ONCE, 3, phase=Phase.STUDENTS, round_number=8, clouds=["GRYP", "GRBB", "Y"], clouds_closed=True)
    return _situation(bag_emptied(state), 0, 0)


def _half_filled_clouds(rng: Random) -> Situation:
    """Return a turn in which the clouds hold what the bag still had, one of them nothing; the player acts second."""
    settings = replace(ONCE, short_refill="partial")
    clouds = ["", "GRB", ""]
    state = scene(rng, settings, 3, phase=Phase.CLOUD, active=1, assistants=(1, 3, 5), round_number=8, clouds=clouds)
    return _situation(bag_emptied(state), 1, 1)


def _emptied_clouds(rng: Random) -> Situation:
    """Return the last turn of a round before which the bag had students for the clouds of the others alone."""
    settings = replace(ONCE, short_refill="partial")
    state = scene(rng, settings, phase=Phase.STUDENTS, active=1, assistants=(1, 3), round_number=8, clouds=["", ""])
    return _situation(bag_emptied(state), 1, 0)


def _bag_empty(rng: Random) -> Situation:
    """Return a turn with characters whose students cannot be replaced: one has none, the others have one colour."""
    held = {1: "RR", 7: "GGG", 11: ""}
    state = scene(rng, _expert(1, 7, 11), coins=5, characters=held, entrances=["BBBB"])
    return _situation(bag_emptied(state), 0, 1)


def _by_group_with_characters(rng: Random) -> Situation:
    """Return a turn of a player that can pay for characters, some of which are played on one of five groups."""
    settings, room = _expert(3, 5, 4, island_address="group"), "".join(rng.sample(INITIALS, 3))
    given: Mapping[str, Any] = {"islands": FIVE_GROUPS, "first_tile": 10, "coins": rng.randint(6, 12), "rooms": [room]}
    return _situation(scene(rng, settings, phase=Phase.STUDENTS, **given), 0, 5)


def _students_used_up(rng: Random) -> Situation:
    """Return a turn with characters without students, as the bag is empty, one student of which is still to move."""
    held = {1: "", 7: "", 11: ""}
    given: Mapping[str, Any] = {"phase": Phase.STUDENTS, "to_move": 1, "entrances": ["BBBBB"]}
    return _situation(bag_emptied(scene(rng, _expert(1, 7, 11), coins=5, characters=held, **given)), 0, 0)


def _rival_plays(
    *characters: int,
    coins: int,
    given: Mapping[str, Any] = _NOTHING,
    turn_count: int = 8,
    **settings: Any,
) -> MakeSituation:
    """Return the turn of a rival that begins with the first of these characters: it can pay for no other one."""

    def situation(rng: Random) -> Situation:
        held: Mapping[str, Any] = {"phase": Phase.STUDENTS, "active": 1, "used": characters[1:], "coins": coins}
        state = scene(rng, _expert(*characters, **settings), **{**held, **given})
        return _situation(state, 0, turn_count)._replace(rivals=PLAYING_CHARACTERS)

    return situation


def _dear_ones(number: int) -> Sequence[int]:
    """Return a character and two others, which cost as much or more."""
    return (number, *[other for other, piece in PIECES.items() if piece.cost == 3 and other != number][:2])


def _watched(number: int) -> MakeSituation:
    """Return the turn of a rival that begins with a character: all the others cost more than it has."""
    return _rival_plays(*_dear_ones(number), coins=PIECES[number].cost, turn_count=1)


def _at_work(number: int) -> MakeSituation:
    """Return a turn in which the player has played a character, and is to move Mother Nature as far as she can go."""
    settings, ignored = _expert(*_dear_ones(number)), 2 if number == MUSHROOM_HUNTER else NOBODY
    return _scene(settings, coins=9, used=(number,), played=number, ignored=ignored, assistants=(10, 9), turn_count=2)


def _thief_fills_the_bag(rng: Random) -> Situation:
    """Return the end of a round after which the bag cannot fill the clouds; a rival fills it again in its next turn.

    The round that was to be the last one, without clouds, is followed by one with clouds, and by the last one.
    """
    given: Mapping[str, Any] = {"round_number": 7, "hands": {0: (2, 4, 5), 1: (8, 9, 10)}, "clouds": ["", "GRY"]}
    spent: Mapping[str, Any] = {"phase": Phase.CLOUD, "active": 1, "used": (6, 9), "played": 6, "coins": 3}
    state = scene(rng, _expert(12, 6, 9, bag_end_latched=False), rooms=[TRIPLES, TRIPLES], **given, **spent)
    return _situation(bag_left(state, 4), 0, 0)._replace(rivals=PLAYING_CHARACTERS)


def _last_move(islands: str, **given: Any) -> MakeSituation:
    """Return the last turn of a rival, in which Mother Nature goes one step, and so few groups are left."""
    return _scene(islands=islands, active=1, rooms=["G"], assistants=(3, 1), turn_count=0, **given)


def _nearly_empty_bag(rng: Random, **settings: Any) -> Situation:
    """Return the end of a round after which the bag cannot fill all clouds, and the thief may return some students."""
    state = scene(rng, _expert(12, 10, 9, **settings), phase=Phase.CLOUD, coins=9, clouds=["", "GRY"])
    here, left = state.groups[state.mother_nature], students("GRYP")
    full = here._replace(students=tuple(map(operator.sub, added(here.students, state.bag), left)))
    state = state._replace(groups=with_at(state.groups, state.mother_nature, full), bag=left)
    return _situation(state, 0, 12)._replace(rivals="random")


def _nearly_full(rng: Random) -> Situation:
    """Return a turn in which the minstrel is all that can be paid for, and two tables have a free seat or none."""
    one, other, third, *_ = rng.sample(INITIALS, len(INITIALS))
    room = one * rng.randint(9, 10) + other * rng.randint(9, 10) + third * rng.randint(1, 3)
    phase = rng.choice([Phase.STUDENTS, Phase.MOTHER_NATURE])
    entrance = one * 2 + other * 2 + (one + other + third if phase is Phase.STUDENTS else "")
    state = scene(rng, _expert(3, 9, 10), phase=phase, coins=1, rooms=[room], entrances=[entrance])
    return _situation(state, 0, 5)


MUSHROOM_HUNTER = 9
ADJACENT = Settings(mode="expert", team_seating="adjacent", max_attempts=1)
BY_GROUP = replace(ONCE, island_address="group")
ELIMINATING = replace(ONCE, on_disconnect="eliminate")
END_SAID = _expert(4, 8, 12, explicit_end_turn=True)
FIVE_GROUPS = "a3GR! b3BBP a4RY . bG"
FOUR_GROUPS = "a3GR b4BBPP! a4RY bG"
WRAPPED = "a3GR . bP! a2R . P . B bG"
FULL_TABLES = ("GGGGGGGGGGRRRRRRRRRRY", "YP")
GREEN_AND_RED = ("GGGGRRR",)
ALL_NO_ENTRY = "Gx! aRx . bP B a2RYx . P bBx . G"
SOME_NO_ENTRY = "Gx! aR . bP B a2RYx . P bB . Gx"
BORROWED = _expert(2, 4, 9, farmer_after_turn="revert")
FOUR_BARRED = "a3Gx! b3Rx a3Bx b3Px"
PAIRS, TRIPLES = INITIALS * 2, INITIALS * 3
FARMED: Mapping[str, Any] = {"coins": 1, "used": [2], "played": 2, "phase": Phase.STUDENTS}
OUT_AND_IN = (Standing.IN, Standing.IN, Standing.OUT, Standing.IN)
AWAY_AND_IN = (Standing.IN, Standing.AWAY, Standing.IN)


CHECKS = {
    "towers.last-choice: Two of three players have their colours: one is left, whichever the player likes best.": Check(
        TOWERS, _choosing(1, 1, NOBODY, 0)
    ),
    "towers.no-grey: "
    "Four players are two teams, with black and white towers: there is no grey, and one colour is left.": Check(
        TOWERS, _choosing(1, 0, NOBODY)
    ),
    "towers.race: All are asked at once, and another one gets the colour: "
    "the player is asked again, and must choose another.": Check(TOWERS, _race),
    "assistant.one-left-free: "
    "Two have played assistants of the hand: only its third one can be played, the last one of who comes next.": Check(
        PLANNING,
        _scene(ONCE, 4, phase=Phase.ASSISTANT, first=2, round_number=8, assistants=(7, 9, 3, 4), hands={0: (3, 4, 9)}),
    ),
    "assistant.only-repeated: "
    "All others have played what is left in the hand: then, and only then, a value may be repeated.": Check(
        PLANNING,
        _scene(
            ONCE,
            4,
            seat=3,
            phase=Phase.ASSISTANT,
            round_number=8,
            assistants=(3, 5, 7, 9),
            hands={0: (9, 10), 1: (1, 2), 2: (2, 4), 3: (3, 5, 7)},
        ),
    ),
    "assistant.last-card: The last assistant is played: the last round is announced, "
    "finished with clouds and all, and the game ends.": Check(
        [*PLANNING, *WHOLE_TURN],
        _scene(phase=Phase.ASSISTANT, round_number=10, assistants=(8, 4), hands={0: (6,), 1: (5,)}, turn_count=0),
    ),
    "assistant.partner: With four players the value of one's partner cannot be repeated either.": Check(
        PLANNING,
        _scene(ONCE, 4, phase=Phase.ASSISTANT, first=2, assistants=(7, 8, 3, 4), hands={0: (1, 2, 3, 4, 5, 6, 9)}),
    ),
    "students.tables-full: The tables of all colours in the entrance are full: islands are what is left.": Check(
        STUDENTS, _scene(phase=Phase.STUDENTS, rooms=FULL_TABLES, entrances=GREEN_AND_RED, turn_count=3)
    ),
    "students.fourth-of-three-players: "
    "Three players move four students each: after three of them Mother Nature is not due yet.": Check(
        STUDENTS, _scene(ONCE, 3, phase=Phase.STUDENTS, to_move=1, entrances=["GRYPBG"], turn_count=2)
    ),
    "students.resumed: "
    "A game may go on in the middle of a turn: one student is still to be moved, and all are of one colour.": Check(
        WHOLE_TURN, _scene(phase=Phase.STUDENTS, to_move=1, entrances=["BBBBB"], turn_count=3)
    ),
    "mother-nature.one-step: The assistants 1 and 2 let Mother Nature go one step: half the value, rounded up.": Check(
        ["mother-nature.steps", "action.phase", "action.required"], _scene(assistants=(2, 3))
    ),
    "mother-nature.once-around: "
    "A group is one step: with four of them five steps lead round the circle, and there is no sixth.": Check(
        ["mother-nature.steps", *CLOUDS], _scene(islands=FOUR_GROUPS, assistants=(10, 9), turn_count=2)
    ),
    "cloud.only-zero: Cloud 0 is left: a reply that leaves out a zero names no cloud.": Check(
        CLOUDS, _scene(ONCE, 3, seat=2, phase=Phase.CLOUD, clouds=["GRYP", "", ""])
    ),
    "cloud.only-last: The others have taken all clouds but the last one.": Check(
        CLOUDS, _scene(ONCE, 4, seat=3, phase=Phase.CLOUD, clouds=["", "", "", "GRY"])
    ),
    "cloud.closed: "
    "The bag could not fill the clouds: in this last round nobody takes one, though there are students on them.": Check(
        WHOLE_TURN, _closed_clouds
    ),
    "cloud.half-filled: "
    "The settings may let players take what the bag still held: some clouds are empty from the beginning.": Check(
        CLOUDS, _half_filled_clouds
    ),
    "cloud.none-filled: "
    "The others have taken what the bag still held: the clouds are empty before Mother Nature moves.": Check(
        WHOLE_TURN, _emptied_clouds
    ),
    "island.by-tile: Islands keep their numbers when they grow together, "
    "also over the end of the circle: there is no island 12.": Check(
        STUDENTS,
        _scene(islands=WRAPPED, first_tile=10, phase=Phase.STUDENTS, rooms=FULL_TABLES, entrances=GREEN_AND_RED),
    ),
    "island.by-group: "
    "The settings may name islands by the place of their group: five are left, and no number above 4.": Check(
        STUDENTS,
        _scene(BY_GROUP, islands=FIVE_GROUPS, phase=Phase.STUDENTS, rooms=FULL_TABLES, entrances=GREEN_AND_RED),
    ),
    "island.by-group-with-characters: "
    "The settings may name islands by the place of their group, also those on which characters are played.": Check(
        ["character.island", "island.known"],
        _by_group_with_characters,
        draws=6,
    ),
    "character.no-coins: A player without coins can play no character, not even one that costs a single coin.": Check(
        ["character.coins", "student.entrance"], _scene(_expert(1, 4, 7), phase=Phase.STUDENTS, turn_count=4)
    ),
    "character.dearer: A character costs one coin more than is printed on it once anybody has played it.": Check(
        ["character.coins", "mother-nature.steps"], _scene(_expert(4, 5, 10), coins=1, used=(4, 10))
    ),
    "character.once-a-turn: "
    "The player has played the postman, and may go two steps more; a second character it may not play.": Check(
        ["character.once", "mother-nature.steps"],
        _scene(_expert(4, 8, 12), coins=9, used=(4,), played=4, assistants=(1, 3)),
    ),
    "character.what-it-needs: "
    "One character needs a colour, another one an island, a third one nothing: no more and no less is given.": Check(
        [*CHARACTERS, "color.known", "island.known"],
        _scene(_expert(2, 3, 9), coins=9, phase=Phase.STUDENTS, turn_count=4),
    ),
    "character.bag-empty: "
    "Students of characters are not replaced any more: only those can leave that lie there, or none.": Check(
        [*CHARACTERS, "character.swap-entrance"], _bag_empty
    ),
    "character.exchanges: "
    "Jester and minstrel exchange up to three students and up to two, as many for as many, and at least one.": Check(
        [*CHARACTERS, "character.swap-dining-room", "character.swap-entrance", "color.known"],
        _scene(_expert(1, 7, 10), coins=3, characters={7: "GGGGGG"}, entrances=["RRYY"], rooms=["GPPB", "GRYPB"]),
    ),
    "character.nothing-to-exchange: "
    "The entrance is empty, as it is after rounds without clouds: jester and minstrel have nothing to exchange.": Check(
        ["character.swap-count", "character.swap-entrance"], _scene(_expert(7, 8, 10), coins=5, entrances=[""])
    ),
    "character.table-full: "
    "Neither the princess nor the minstrel can seat an eleventh student, unless one of the same colour leaves.": Check(
        ["character.table-full", "character.swap-dining-room"],
        _scene(_expert(2, 10, 11), coins=5, characters={11: "GGRR"}, entrances=["GRRG"], rooms=FULL_TABLES),
    ),
    "character.nearly-full: "
    "Two tables have one free seat or none: what the minstrel exchanges must fit there, all of it together.": Check(
        ["character.table-full", "character.swap-dining-room", "character.swap-entrance"], _nearly_full, draws=8
    ),
    "character.no-entry-used-up: All four no-entry tiles lie on islands: the herbalist has none to give.": Check(
        ["character.no-entry-left", "character.island"], _scene(_expert(3, 5, 6), coins=9, islands=ALL_NO_ENTRY)
    ),
    "character.no-entry-used-up-early: No no-entry tile is left for the herbalist, who is all that can be paid for, "
    "in any phase of the turn.": Check(
        ["character.no-entry-left", *WHOLE_TURN],
        _scene(_expert(3, 5, 6), coins=2, islands=ALL_NO_ENTRY, phase=Phase.STUDENTS, turn_count=5),
    ),
    "character.students-used-up: The characters have no students, and the bag has none for them: "
    "whoever can pay for one can still not play it, in any phase of the turn.": Check(
        ["character.card-students", "character.swap-count", *WHOLE_TURN], _students_used_up
    ),
    "character.professors-borrowed: "
    "The settings may let professors that the farmer has taken go back after the turn: until then they are borrowed.": (
        Check(WHOLE_TURN, _scene(BORROWED, turn_count=8, borrowed=(1, *[NOBODY] * 4), **FARMED))
    ),
    "character.professors-lent: "
    "Somebody else plays the farmer: the player sees its professor borrowed, and gets it back after that turn.": Check(
        WHOLE_TURN,
        _scene(
            BORROWED,
            active=1,
            professors=(1, 0, 0, 0, 0),
            borrowed=(0, *[NOBODY] * 4),
            turn_count=4,
            **FARMED,
        ),
    ),
    "character.no-entry-one-each: "
    "The settings may allow an island one no-entry tile only: three have theirs, one of which has grown.": Check(
        ["character.no-entry-one", "island.known", *WHOLE_TURN],
        _scene(
            _expert(3, 5, 6, no_entry_stack=False), phase=Phase.STUDENTS, coins=2, islands=SOME_NO_ENTRY, turn_count=0
        ),
    ),
    "character.late: The settings may forbid characters that help Mother Nature once she has moved.": Check(
        ["character.late", *CLOUDS], _scene(_expert(4, 6, 9, late_character="refuse"), coins=9, phase=Phase.CLOUD)
    ),
    "settings.princess-earns-nothing: The settings may let students that a character seats earn no coins.": Check(
        WHOLE_TURN, _rival_plays(11, 6, 9, coins=2, given={"rooms": [PAIRS, PAIRS]}, coins_from_characters=False)
    ),
    "settings.minstrel-keeps-professors: "
    "The settings may leave a professor with a player from whose table the minstrel takes students.": Check(
        WHOLE_TURN,
        _rival_plays(
            *(10, 2, 8),
            coins=1,
            given={"rooms": ["GGG", "GGG"], "professors": (1, *[NOBODY] * 4), "entrances": [_ENTRANCE[:7], "RRYYPPB"]},
            professor_recheck_on_removal=False,
        ),
    ),
    "settings.professor-released: The settings may free a professor of whose colour nobody has a student any more.": (
        Check(WHOLE_TURN, _rival_plays(12, 6, 9, coins=3, professor_zero_owner="release"))
    ),
    "settings.farmer-counts: The settings may let the farmer count for influence alone.": Check(
        WHOLE_TURN, _rival_plays(2, 6, 9, coins=2, farmer_after_turn="influence_only")
    ),
    "settings.herald-ignores-no-entry: The settings may let the herald pass over no-entry tiles.": Check(
        WHOLE_TURN,
        _rival_plays(3, 5, 9, coins=3, given={"islands": FOUR_BARRED}, herald_respects_no_entry=False),
    ),
    "settings.thief-fills-the-bag: "
    "The settings may let further rounds follow the last one where students return to the bag.": Check(
        WHOLE_TURN,
        _thief_fills_the_bag,
    ),
    "settings.short-bag-ends-the-game: The settings may end the game when the bag cannot fill the clouds.": Check(
        WHOLE_TURN, partial(_nearly_empty_bag, short_refill="end_now")
    ),
    "settings.short-bag-is-shared: The settings may let players take what the bag still had.": Check(
        WHOLE_TURN, partial(_nearly_empty_bag, short_refill="partial")
    ),
    "turn.explicit-end: "
    "The settings may want the end of a turn said: it is all that can be done then, coins or no coins.": Check(
        ["action.phase"], _scene(END_SAID, coins=9, phase=Phase.END_TURN)
    ),
    **{
        f"watch.{piece.name.replace(' ', '-')}: "
        f"A rival plays the {piece.name}: boards show it, and what it changes, until that turn is over.": Check(
            WHOLE_TURN, _watched(number)
        )
        for number, piece in PIECES.items()
    },
    **{
        f"character.played-{piece.name.replace(' ', '-')}: "
        f"The player has played the {piece.name} in this turn, which is at work until the turn is over.": Check(
            ["character.once", "mother-nature.steps", *CLOUDS], _at_work(number)
        )
        for number, piece in PIECES.items()
    },
    "watch.three-groups: A rival's turn ends the game: islands grow together, and three groups are left.": Check(
        WHOLE_TURN, _last_move("a3! GGG b7 .")
    ),
    "watch.two-groups: "
    "A rival's turn ends the last round early: three of four groups grow together, and two are left.": Check(
        WHOLE_TURN, _last_move("a3! GGG a3 b5", round_number=ASSISTANTS, last_round=Reason.LAST_ASSISTANT)
    ),
    "seats.last-of-four: "
    "Four players, drawn characters, partners side by side: the last seat plays some rounds.": Check(
        ["character.expert", "character.in-play", *WHOLE_TURN, *CHARACTERS],
        begin_game(3, 4, codec.build_short_settings(ADJACENT), 18),
    ),
    "resume.partner-out: "
    "One's partner is eliminated, its students are out of the game: the player goes on for its team alone.": Check(
        WHOLE_TURN,
        _scene(
            ONCE,
            4,
            phase=Phase.STUDENTS,
            standings=OUT_AND_IN,
            planned=(0, 1, 3),
            queue=(1, 3),
            entrances=["GGRRYPB", "GGRRYPB", "", "GGRRYPB"],
            rooms=["GRYPB", "GRYPB", "", "GRYPB"],
            clouds=["GRY", "RYP", "YPB", "PBG"],
            aside=students("GRRYYPPPBB"),
            turn_count=6,
        ),
    ),
    "turn.freed: A rival is eliminated while assistants are played: the turns of the others come sooner.": Check(
        [*PLANNING, *WHOLE_TURN],
        leaving(_scene(ELIMINATING, 3, phase=Phase.ASSISTANT, assistants=(9, 2, 5), turn_count=7), 1),
    ),
    "resume.own-refused-assistant: "
    "The player was started anew after an assistant that was refused: it is asked once more, and told why.": (
        Check(PLANNING, _refused("AskAssistantCard", Phase.ASSISTANT))
    ),
    "resume.own-refused-action: "
    "The player was started anew after an action that was refused: it is asked once more, and told why.": (
        Check(STUDENTS, _refused("AskAction", Phase.STUDENTS))
    ),
    "resume.somebody-away: "
    "Turns of a player that was lost may be skipped, and it may return: the others' turns come sooner.": Check(
        WHOLE_TURN,
        _scene(
            replace(ONCE, on_disconnect="skip_turns"),
            3,
            phase=Phase.STUDENTS,
            standings=AWAY_AND_IN,
            planned=(0, 2),
            queue=(2,),
            turn_count=14,
        ),
    ),
}

PROBES = build_probes("eriantys", CHECKS)


# Games in which the best are level at the end, whatever the player under test does

TESTED = 0


def _level_ending(rng: Random, settings: Settings, *level: str, rooms: Sequence[str], cloud: str) -> Situation:
    """Return the last decision of a game in which some sides are level: the last rival takes the last cloud."""
    count, towers = len(rooms), [word for side in level for word in (f"{side}R", ".")]
    state = scene(
        rng,
        settings,
        count,
        phase=Phase.CLOUD,
        active=count - 1,
        islands=" ".join(["G!", *towers, *["B"] * (TILE_COUNT - 1 - len(towers))]),
        rooms=rooms,
        clouds=[""] * (count - 1) + [cloud],
        round_number=8,
    )
    state = bag_emptied(state)
    return Situation(codec.build_short_settings(settings), count, TESTED, codec.build_state(state), turn_count=0)


def nobody_wins(rng: Random) -> Situation:
    """Return the end of a game of two that are level."""
    return _level_ending(rng, Settings(), "a", "b", rooms=("GG", "RR"), cloud="GRY")


def both_win(rng: Random) -> Situation:
    """Return the end of a game of two that are level, under settings that let level sides win."""
    return _level_ending(rng, Settings(draw_result="tied"), "a", "b", rooms=("GG", "RR"), cloud="GRY")


def both_others_win(rng: Random) -> Situation:
    """Return the end of a game of three that the player has lost, under settings that let level sides win."""
    return _level_ending(rng, Settings(draw_result="tied"), "b", "c", rooms=("", "GG", "RR"), cloud="GRYB")


def all_three_win(rng: Random) -> Situation:
    """Return the end of a game of three that are level, under settings that let level sides win."""
    return _level_ending(rng, Settings(draw_result="tied"), "a", "b", "c", rooms=("GG", "RR", "YY"), cloud="GRYB")


def both_teams_win(rng: Random) -> Situation:
    """Return the end of a game of two teams that are level, under settings that let level sides win."""
    return _level_ending(rng, Settings(draw_result="tied"), "a", "b", rooms=("GG", "RR", "", ""), cloud="GRY")


# Wrong answers after which the player is asked again


def find_infraction(settings: eriantys_settings_pb2.Settings, call: Call, answer: Any) -> Infraction | None:
    """Return the infraction that an answer is, unless that was the player's last attempt, or None."""
    if not call.method.name.startswith("Ask") or isinstance(answer, FAILURES):
        return None
    verdict = answers.judge(codec.read_view(call.request), answer)
    return Infraction(verdict.rule_id, verdict.given, Level.MUST) if isinstance(verdict, MalformedReplyError) else None


def list_legal_replies(settings: eriantys_settings_pb2.Settings, call: Call) -> Sequence[Message] | None:
    """Return the answers to a question that would be legal, or None if the call asks nothing."""
    return answers.legal_replies(codec.read_view(call.request)) if call.method.name.startswith("Ask") else None


# All that the suite needs

# Rare games: Mother Nature has one step to take, to a group that is decided by one tower or student; then all is over

ONE_STEP: Mapping[str, Any] = {"phase": Phase.MOTHER_NATURE, "round_number": 8}
KNIGHT = {"settings": _expert(4, 8, 12), "used": [8], "played": 8}
CENTAUR = {"settings": _expert(6, 8, 12), "used": [6], "played": 6}
MINSTREL = {"settings": _expert(10, 3, 9), "phase": Phase.STUDENTS, "active": 1, "coins": 1}
THIEF = {
    "settings": _expert(12, 3, 9, bag_end_latched=False),
    "phase": Phase.STUDENTS,
    "active": 1,
    "coins": 3,
    "used": (3, 9),
}
FARMER = {
    "settings": _expert(2, 3, 9, farmer_after_turn="revert", on_disconnect="eliminate"),
    "seat_count": 3,
    "phase": Phase.STUDENTS,
    "active": 2,
    "coins": 2,
}
OUT_OF_THREE = (Standing.IN, Standing.OUT, Standing.IN)
TABLES_NEAR_COINS = (0, 2, 2, 3, 3)
TABLES_NEAR_LATER_COINS = (0, 2, 3, 5, 8)
USUAL = ("max_attempts", 1)
PAYING = (("coins_from_characters", False), ("coin_seat_once", True))
ODD_SETTINGS: Mapping[int, Sequence[tuple[str, Any]]] = {
    1: (("island_address", "group"),),
    2: (("farmer_after_turn", "revert"), ("farmer_after_turn", "influence_only")),
    3: (("herald_respects_no_entry", False),),
    5: (("no_entry_stack", False), ("island_address", "group")),
    7: (("allow_zero_swaps", True),),
    10: (
        *PAYING,
        ("professor_recheck_on_removal", False),
        ("professor_zero_owner", "release"),
        ("allow_zero_swaps", True),
    ),
    11: PAYING,
    12: (("professor_zero_owner", "release"), ("bag_end_latched", False)),
}
"""Character -> settings that matter for it, each with a value that is not the default."""
EACH_COIN_SEAT = (1 << 15) - 1
"""Of a player that has had a coin for each coin seat."""
DRAW_ON = (1, 11)
"""The characters onto which students are drawn from the bag."""
RARE_GAMES: Mapping[str, Mapping[str, Any]] = {
    "a Knight outdoes a tower": {**KNIGHT, "islands": "! b . B . P . B . G Y ."},
    "a Knight does not outdo two towers": {**KNIGHT, "islands": "! b2 . B . P . B . G Y"},
    "towers count for nobody in the turn of a Centaur": {**CENTAUR, "islands": "! b2G . B . P . B . G Y"},
    "towers count for nobody in the turn of a Centaur, not for its player either": {
        **CENTAUR,
        "islands": "! a2G . B . P . B . G Y",
        "rooms": ("", _ROOM),
    },
    "Mother Nature stops on one of two no-entry tiles, and the other one stays": {
        "settings": _expert(5, 8, 9),
        "islands": "! GGxx . B . P . B . G Y .",
    },
    "a turn without a cloud is said to be over": {
        "settings": replace(ONCE, explicit_end_turn=True),
        "clouds": ("GRY", "P"),
        "clouds_closed": True,
    },
    "who is away is not told that the round is the last one": {
        "settings": replace(ONCE, on_disconnect="skip_turns"),
        "seat_count": 3,
        "standings": AWAY_AND_IN,
        "planned": (0, 2),
        "queue": (2,),
    },
    "an assistant is played again, by who has no other, and acts after the one that planned first": {
        "seat_count": 3,
        "phase": Phase.ASSISTANT,
        "first": 1,
        "active": 0,
        "assistants": (1, 5, 7),
        "hands": {0: (5, 7)},
        "round_number": 9,
    },
    "who has played a character, and nothing else, has begun its turn": {
        "settings": _expert(8, 3, 9, on_disconnect="skip_turns"),
        "phase": Phase.STUDENTS,
        "active": 1,
        "coins": 2,
        "leaver": (1, "AskAction", 2),
    },
    "the Minstrel has fewer students than others, and keeps the professor": {
        **MINSTREL,
        "settings": _expert(10, 3, 9, professor_recheck_on_removal=False),
        "rooms": ("GG", "GG"),
        "entrances": ("GGRRYPB", "RRRRRRR"),
        "professors": (1, *[NOBODY] * 4),
    },
    "who is level counts as the owner in the turn of a Farmer, and has no professor": {
        **FARMER,
        "settings": _expert(2, 3, 9, farmer_after_turn="influence_only"),
        "phase": Phase.MOTHER_NATURE,
        "islands": "! GG GG GG GG . . B . Y R .",
        "rooms": ("GG", "", "GG"),
        "used": (2,),
        "played": 2,
    },
    "the last student of a table is exchanged, and nobody keeps the professor": {
        **MINSTREL,
        "settings": _expert(10, 3, 9, professor_zero_owner="release"),
        "rooms": ("", "G"),
        "entrances": ("GGRRYPB", "RRRYYPP"),
    },
    "students are exchanged for others of their colour, and earn no coin": {
        **MINSTREL,
        "rooms": ("", "GGG"),
        "entrances": ("GGRRYPB", "GGGGGGG"),
    },
    "who has fewer students than a cloud moves all of them": {
        "phase": Phase.ASSISTANT,
        "entrances": ("GR", "GGRRYPB"),
    },
    "who has no students moves Mother Nature at once": {"phase": Phase.ASSISTANT, "entrances": ("", "GGRRYPB")},
    "four students do not outdo four towers": {"islands": "! b4GGGG . P B . R . G"},
    "five students outdo four towers, which all return": {"islands": "! b4GGGGG . P B . R . G"},
    "three of four groups grow together, and two are left": {"islands": "a3! GGG a3 b5"},
    "two of four groups grow together, and three are left": {"islands": "a3! GGG b7 ."},
    "two groups with a no-entry tile each grow together, where islands hold one at most": {
        "settings": _expert(5, 8, 9, no_entry_stack=False),
        "islands": "ax! GGG ax P . B . R . G . .",
    },
    "the Thief fills the bag again, and takes back that the round is the last one": {
        **THIEF,
        "rooms": ("GGRRYYPPBB", "GRYPB"),
    },
    "the Thief finds nothing, and the round is still the last one": {**THIEF, "rooms": ("", "")},
    "somebody else leaves in the turn of a Farmer, which goes on": {
        **FARMER,
        "rooms": ("GGRR", "R", "GG"),
        "leaver": (1, "UpdateGameBoard", 3),
    },
    "the former owner leaves in the turn of a Farmer": {
        **FARMER,
        "rooms": ("GG", "R", "GG"),
        "leaver": (0, "UpdateGameBoard", 3),
    },
    "a Farmer leaves in its turn, and the professor returns to one of two that are level": {
        **FARMER,
        "rooms": ("GG", "GGR", "GG"),
        "leaver": (2, "AskAction", 2),
    },
    "a Farmer that has more students than the former owner by the end of its turn keeps the professor": {
        **FARMED,
        "settings": BORROWED,
        "active": 1,
        "rooms": ("GGR", "GGR"),
        "entrances": ("GGRRYPB", "GGGGGGG"),
        "professors": (1, 0, *[NOBODY] * 3),
        "borrowed": (0, *[NOBODY] * 4),
        "strategies": ["first"],
    },
    "a coin seat that has paid at one table pays at the others": {
        "settings": _expert(8, 3, 9, coin_seat_once=True),
        "phase": Phase.STUDENTS,
        "active": 1,
        "rooms": ("", "GGRRYYPPBB"),
        "entrances": ("GGRRYPB", "GRYPBGR"),
        "paid_seats": (0, 1),
        "strategies": ["first"],
    },
    "a side has fewer towers left than it needs": {"islands": "a6 ! b4GGGGG ."},
    "professors part sides with as many towers, also where level sides win": {
        "settings": replace(ONCE, draw_result="tied"),
        "islands": "! . a . b . B . G Y . .",
        "rooms": ("G", "RRBB"),
    },
    "the towers of a side that is out count for nobody": {
        "seat_count": 3,
        "islands": "! b2G . B . P . B . G Y",
        "standings": OUT_OF_THREE,
        "planned": (0, 2),
        "queue": (2,),
    },
}


def _rare(given: Mapping[str, Any]) -> Callable[[Random], RareGame]:
    settings, seat_count = given.get("settings", ONCE), given.get("seat_count", 2)
    beside = ("settings", "seat_count", "strategies", "leaver")
    changes = {name: value for name, value in given.items() if name not in beside}

    def game(rng: Random) -> RareGame:
        state = scene(rng, settings, seat_count, **{**ONE_STEP, **changes})
        strategies = given.get("strategies", [PLAYING_CHARACTERS])
        return RareGame(_situation(bag_emptied(state), 0, 0), strategies, given.get("leaver"))

    return game


def _character_game(number: int, draw: int) -> Callable[[Random], RareGame]:
    """Return the last turn of an Expert game, in which the player has the coins for one character, and plays it.

    Tables lack a student to a coin seat or to that of a rival, or are just there: what students earn and take counts.
    There are coins enough, one or none. Where students are drawn one is left in the bag of every other game, which goes
    on unless it is drawn.
    """

    def game(rng: Random) -> RareGame:
        cost = PIECES[number].cost
        dearer = [other for other, piece in PIECES.items() if other != number and piece.cost >= min(3, cost + 1)]
        others = rng.sample(dearer, 2)
        odd = (USUAL, *ODD_SETTINGS.get(number, ()))
        name, value = odd[draw % len(odd)]
        count = rng.choice((2, 2, 2, 3))
        near = [*[TABLES_NEAR_COINS] * (count - 1), TABLES_NEAR_LATER_COINS]
        sizes = [[rng.choice(each) for _ in INITIALS] for each in near]
        goes_on = number in DRAW_ON and draw % 2 > 0
        phase = Phase.MOTHER_NATURE if PIECES[number].helps_move_only else Phase.STUDENTS
        full, moved = size_of(count).entrance, size_of(count).cloud if phase > Phase.STUDENTS else 0
        few = rng.sample(INITIALS, 2)  # so that what is given and taken is often of one colour
        state = scene(
            rng,
            replace(_expert(number, *others), **{name: value}),
            count,
            phase=phase,
            active=count - 1,
            entrances=[*[_ENTRANCE[:full]] * (count - 1), "".join(rng.choices(few, k=full - moved))],
            rooms=["".join(map(operator.mul, INITIALS, each)) for each in sizes],
            round_number=ASSISTANTS - goes_on,
            used=others,
            coins=cost,
            last_round=Reason.NONE if goes_on else Reason.LAST_ASSISTANT,
            paid_seats=(*[0] * (count - 1), EACH_COIN_SEAT if name == "coin_seat_once" else 0),
        )
        if name != "coin_seat_once":
            state = _with_reserve(state, rng.choice((state.reserve, 1, 0)))
        if goes_on:
            state = bag_left(state, 1)
        return RareGame(_situation(state, 0, 0), [f"random:seed={rng.getrandbits(20)},characters=1"])

    return game


def _with_reserve(state: State, count: int) -> State:
    """Return a state with so many coins in the reserve; the first seat has the others."""
    given = state.reserve - count
    return state._replace(coins=with_at(state.coins, 0, state.coins[0] + given), reserve=count)


CHARACTER_GAMES = {
    f"{PIECES[number].name} is played, {draw}": _character_game(number, draw)
    for number in PIECES
    for draw in range(4 + 2 * PIECES[number].most_swaps)
}


EXPERT_GAMES = [
    eriantys_settings_pb2.Settings(mode=eriantys_settings_pb2.MODE_EXPERT, characters=characters)
    for characters in ((1, 2, 3), (4, 5, 6), (9, 8, 7), (12, 10, 11))
]
"""The other mode, with each character in play once."""

CONFORMANCE = Conformance(
    features=FEATURES,
    strategies=("greedy",),
    rare_games={**{what: _rare(given) for what, given in RARE_GAMES.items()}, **CHARACTER_GAMES},
    pieces=Pieces(
        counts=(
            ("bag_students", "dining_students", "group_students"),
            ("coins", "reserve_count"),
            ("group_no_entry_counts", "character_no_entry_counts"),
        ),
        choices=("ignored_color",),
    ),
    probes=PROBES,
    mutations=MUTATIONS,
    failing=FAILING,
    package="fairplay.games.eriantys",
    needless_enums=("Reason",),
    outcomes=(
        Outcomes("ShowLastRound", ["reason"], [eriantys_pb2.REASON_BAG_EMPTY, eriantys_pb2.REASON_LAST_ASSISTANT]),
        Outcomes("ShowEndGame", ["reason", "state.end_reason"], eriantys_pb2.Reason.values()[1:]),
        Outcomes("ShowDisconnection", ["standing"], [eriantys_pb2.STANDING_AWAY, eriantys_pb2.STANDING_ELIMINATED]),
    ),
    settings_readers={
        "refill_when": (Circumstance.LOSS,),
        "short_refill": (Circumstance.LOSS,),
        "team_seating": (Circumstance.LOSS, Circumstance.RESUMED),
        "coin_seat_once": (Circumstance.RESUMED,),
        "explicit_end_turn": (Circumstance.LOSS, Circumstance.RESUMED),
        "first_player": (Circumstance.LOSS,),
        "on_disconnect": (Circumstance.LOSS, Circumstance.ALONE, Circumstance.RESUMED),
        "interrupted_turn": (
            *("AskAction", Circumstance.LOSS, Circumstance.LOST_AGAIN, Circumstance.ALONE, Circumstance.RESUMED),
        ),
    },
    settings_values={  # each character is in play somewhere
        "characters": ((1, 2, 3), (4, 5, 6), (9, 8, 7), (12, 10, 11), (5, 7, 10)),
        "mn_island": (1, 11),
        "max_attempts": (1, 100),
    },
    tied_endings=(nobody_wins, both_win, both_others_win, all_three_win, both_teams_win),
    modes=EXPERT_GAMES,
    leaving_settings=(
        eriantys_settings_pb2.Settings(
            mode=eriantys_settings_pb2.MODE_EXPERT, on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_ELIMINATE
        ),
        eriantys_settings_pb2.Settings(on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_SKIP_TURNS),
        eriantys_settings_pb2.Settings(
            mode=eriantys_settings_pb2.MODE_EXPERT,
            on_disconnect=eriantys_settings_pb2.ON_DISCONNECT_SKIP_TURNS,
            interrupted_turn=eriantys_settings_pb2.INTERRUPTED_TURN_LEAVE,
        ),
    ),
    find_infraction=find_infraction,
    list_legal_replies=list_legal_replies,
    profiles={
        STANDARD: Profile(
            STANDARD_SENTENCE,
            {"mode": [eriantys_settings_pb2.MODE_EXPERT], "characters": ANYTHING, "max_attempts": [1]},
        )
    },
)

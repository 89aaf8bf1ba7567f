"""The rules of Eriantys, pure (eriantys.md sections 1 to 6, and the settings of section 8 that concern a game).

A game is driven by `turn`, `legal`, `violation` and `apply`; everything that nobody decides (refills, the order of
turns, the ends of turns and rounds) happens within `apply`. Tower colours may also be asked for at the same time:
`choosers` of the state, `choice_violation` of its legality, `choose` of its turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType

from fairplay.games.eriantys.rules.board import draw, draw_one, live_sides, over, with_professors_returned, with_recheck
from fairplay.games.eriantys.rules.characters import PIECES, Lazy, character_options, character_violation
from fairplay.games.eriantys.rules.legality import CHECKS, due_actions
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    CHARACTER_COUNT,
    CHARACTERS_IN_PLAY,
    COINS,
    COLOR_COUNT,
    MAX_SEATS,
    MIN_SEATS,
    NOBODY,
    NONE,
    STUDENTS_PER_COLOR,
    TILE_COUNT,
    Action,
    Card,
    Counts,
    EndTurn,
    Group,
    MoveMotherNature,
    Phase,
    PlayCharacter,
    Reason,
    Settings,
    Standing,
    State,
    TakeCloud,
    ToIsland,
    added,
    choosers,
    free_tower_colors,
    members,
    plus,
    settings_problem,
    sides_of,
    size_of,
    with_at,
)
from fairplay.games.eriantys.rules.turns import EFFECTS, after_choice, end_turn, next_planner
from fairplay.games.kit.draws import draw_below

RULES: Mapping[str, str] = MappingProxyType(
    {
        "eriantys.action.game-over": "Nothing can be played once the game is over.",
        "eriantys.action.phase": "An action must be of a kind that is legal now: tower colour, assistant, students, "
        "Mother Nature, cloud, each in its time; a character between the first student and the cloud.",
        "eriantys.action.required": "An answer must hold what was asked for, with all that belongs to it.",
        "eriantys.assistant.in-hand": "Only an assistant that is still in the hand can be played.",
        "eriantys.assistant.range": "An assistant has a value of 1 to 10.",
        "eriantys.assistant.taken": "An assistant with a value that somebody has played in this round can be played "
        "only by a player whose whole hand has such values.",
        "eriantys.character.coins": "A character costs its price, and one coin more once it has been used.",
        "eriantys.character.expert": "Characters can be played in Expert mode only.",
        "eriantys.character.in-play": "Only one of the three characters in play can be played.",
        "eriantys.character.island": "Characters 1, 3 and 5 need an island; the others take none.",
        "eriantys.character.color": "Characters 1, 9, 11 and 12 need a colour; the others take none.",
        "eriantys.character.card-students": "A student that leaves a character must be on it.",
        "eriantys.character.late": "Under these settings characters 4, 6, 8 and 9 cannot be played once Mother Nature "
        "has moved.",
        "eriantys.character.no-entry-left": "Character 5 can be played only while a no-entry tile is on it.",
        "eriantys.character.no-entry-one": "Under these settings an island holds one no-entry tile at most.",
        "eriantys.character.once": "A player can play one character in a turn.",
        "eriantys.character.swap-count": "Character 7 exchanges one to three students and character 10 one or two "
        "(or none, where the settings allow it); the others exchange none.",
        "eriantys.character.swap-dining-room": "A student that leaves the dining room in an exchange must be there.",
        "eriantys.character.swap-entrance": "A student that leaves the entrance in an exchange must be there.",
        "eriantys.character.table-full": "A character cannot put an eleventh student at a table.",
        "eriantys.cloud.empty": "A cloud that has been taken cannot be taken again.",
        "eriantys.cloud.known": "There are as many clouds as players, numbered from 0.",
        "eriantys.color.known": "A colour is green, red, yellow, pink or blue.",
        "eriantys.island.known": "An island is named by a tile, 0 to 11 (or by the index of its group, where the "
        "settings say so).",
        "eriantys.mother-nature.steps": "Mother Nature moves at least one step and at most as many as the assistant "
        "allows, two more with character 4.",
        "eriantys.student.entrance": "Only a student that is in the entrance can be moved.",
        "eriantys.student.table-full": "A table has ten seats.",
        "eriantys.towers.known": "A tower colour is black, white or, with three players, grey.",
        "eriantys.towers.taken": "A tower colour that another player or team has cannot be chosen.",
    }
)
"""The sentence of each rule that an answer can break, by its id."""

_ACTION_PHASES = frozenset({Phase.STUDENTS, Phase.MOTHER_NATURE, Phase.CLOUD, Phase.END_TURN})
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
    first = 0
    if settings.first_player == "random":
        draw_state, first = draw_below(draw_state, seat_count)
    bag: Counts = (STUDENTS_PER_COLOR - _ON_ISLANDS,) * COLOR_COUNT
    cards: tuple[Card, ...] = ()
    if settings.setup_draw_order == "characters_first":
        draw_state, cards, bag = _characters(draw_state, settings, bag)
    draw_state, entrances, bag = _entrances(draw_state, settings, seat_count, bag)
    if settings.setup_draw_order == "entrances_first":
        draw_state, cards, bag = _characters(draw_state, settings, bag)
    sides = sides_of(settings, seat_count)
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
    chosen, left = list(settings.characters), list(range(1, CHARACTER_COUNT + 1))
    while len(chosen) < CHARACTERS_IN_PLAY:
        draw_state, place = draw_below(draw_state, len(left))
        chosen.append(left.pop(place))
    cards = []
    for character in chosen:
        piece = PIECES[character]
        draw_state, drawn, bag = draw(draw_state, bag, piece.students, settings.draw_model)
        cards.append(Card(character, False, drawn, piece.no_entry))
    return draw_state, tuple(cards), bag


# The course of a game


def turn(state: State) -> int | None:
    """Return the seat to decide next; None: the game is over."""
    return None if state.phase is Phase.OVER else state.active


def legal(state: State) -> Sequence[Action]:
    """Return all legal actions of the seat to decide, none when the game is over.

    Every group of islands is named once, by its first tile (or its index), and every exchange of students comes
    once. Items of long choices are made when they are asked for. What is left out means the same as something
    listed: an island by another of its tiles, an exchange in another order.
    """
    due = due_actions(state)
    if state.played:
        return due
    parts = [options for options in character_options(state) if options]
    return _chained([due, *parts]) if parts else due


def _chained(parts: Sequence[Sequence[Action]]) -> Sequence[Action]:
    """Return several choices as one."""

    def item(index: int) -> Action:
        for part in parts:
            if index < len(part):
                return part[index]
            index -= len(part)
        raise IndexError(index)

    return Lazy(sum([len(part) for part in parts]), item)


def violation(state: State, action: Action) -> str | None:
    """Return the id of the first rule that an action of the seat to decide breaks; None: it is legal. Never raises."""
    if state.phase is Phase.OVER:
        return "eriantys.action.game-over"
    if isinstance(action, PlayCharacter):
        return character_violation(state, action)
    phase, check = CHECKS[type(action)]
    return check(state, action) if phase is state.phase else "eriantys.action.phase"


def apply(state: State, action: Action) -> State:
    """Return the state after a legal action of the seat to decide, which is not checked, and what follows from it."""
    return EFFECTS[type(action)](state, action)


# Players that are eliminated, lost or come back (section 8, `on_disconnect`)


def eliminate(state: State, seat: int) -> State:
    """Return the state without a player; the same one if it is out already.

    Its students are set aside, its coins return to the reserve, and its professors go to whoever alone has the most
    students of their colour, or to nobody. Towers stay on the islands, without influence once their whole side is
    out. Its turn ends at once. The game is over when one side is left. When the game is over already, the player
    only leaves the ranking.
    """
    if state.standings[seat] in (Standing.OUT, Standing.FAILED):
        return state
    state = state._replace(revision=state.revision + 1)
    if state.phase is Phase.OVER:
        return _standing(state, seat, Standing.FAILED)
    state = _standing(_without_goods(state, seat), seat, Standing.OUT)
    if len(live_sides(state)) <= 1:
        return over(state, Reason.LAST_SIDE)
    return _gone_on(state, seat)


def _standing(state: State, seat: int, standing: Standing) -> State:
    return state._replace(standings=with_at(state.standings, seat, standing))


def _without_goods(state: State, seat: int) -> State:
    if state.active == seat:
        state = with_professors_returned(state)
    owned = [color for color, owner in enumerate(state.professors) if owner == seat]
    state = state._replace(
        aside=added(state.aside, added(state.entrances[seat], state.dining_rooms[seat])),
        entrances=with_at(state.entrances, seat, NONE),
        dining_rooms=with_at(state.dining_rooms, seat, NONE),
        professors=tuple([NOBODY if owner == seat else owner for owner in state.professors]),
        borrowed=tuple([NOBODY if lender == seat else lender for lender in state.borrowed]),
        reserve=state.reserve + state.coins[seat],
        coins=with_at(state.coins, seat, 0),
    )
    for color in owned:
        state = with_recheck(state, color)
    return state


def _gone_on(state: State, seat: int) -> State:
    """Return the state in which the next one is to decide, if it was the turn of a seat that has left."""
    if not any(standing is Standing.IN for standing in state.standings):
        return over(state, Reason.DISCONNECTED)
    if state.phase is Phase.TOWERS:
        return after_choice(state)
    if state.active != seat:
        return state
    return next_planner(state) if state.phase is Phase.ASSISTANT else end_turn(state)


def disconnect(state: State, seat: int) -> State:
    """Return the state once a player is lost, as `on_disconnect` says; the same one if it is not in the game.

    end_game: the player is out and the game over. eliminate: as `eliminate`. skip_turns: the player is away, a turn
    that it has begun is finished in a fixed way or broken off (`interrupted_turn`), its later ones are skipped, and
    the game is over if everybody is away.
    """
    if state.standings[seat] is not Standing.IN or state.phase is Phase.OVER:
        return state
    if state.settings.on_disconnect == "eliminate":
        return eliminate(state, seat)
    if state.settings.on_disconnect == "end_game":
        lost = _standing(state._replace(revision=state.revision + 1), seat, Standing.OUT)
        return over(lost, Reason.DISCONNECTED)
    return _skipped(state, seat)


def _skipped(state: State, seat: int) -> State:
    if seat in choosers(state):
        colors = with_at(state.tower_colors, state.sides[seat], free_tower_colors(state)[0])
        state = state._replace(tower_colors=colors)
    if state.settings.interrupted_turn == "finish" and state.active == seat and is_turn_begun(state):
        state = _finished(state)
    away = _standing(state._replace(revision=state.revision + 1), seat, Standing.AWAY)
    return away if away.phase is Phase.OVER else _gone_on(away, seat)


def is_turn_begun(state: State) -> bool:
    """Return whether the active seat is in the action phase and has done something in its turn."""
    if state.phase is not Phase.STUDENTS:
        return state.phase in _ACTION_PHASES
    return bool(state.played) or state.to_move < size_of(len(state.sides)).cloud


def _finished(state: State) -> State:
    """Return the state at the end of the active seat's turn, which is not always followed by another's turn."""
    seat, begun = state.active, state.round
    while state.active == seat and state.round == begun:
        state = apply(state, default_action(state))
    return state


def reconnect(state: State, seat: int) -> State:
    """Return the state once a player that was away is back; the same one if it was not away."""
    if state.standings[seat] is not Standing.AWAY:
        return state
    return _standing(state._replace(revision=state.revision + 1), seat, Standing.IN)


def default_action(state: State) -> Action:
    """Return what is done for a player that is lost in its turn: students to an island, one step, the first cloud."""
    if state.phase is Phase.STUDENTS:
        return ToIsland(next(color for color, count in enumerate(state.entrances[state.active]) if count), 0)
    if state.phase is Phase.MOTHER_NATURE:
        return MoveMotherNature(1)
    if state.phase is Phase.CLOUD:
        return TakeCloud(next(at for at, cloud in enumerate(state.clouds) if any(cloud)))
    return EndTurn()


# Results (section 4.5)


def scores(state: State) -> tuple[int, ...]:
    """Return by seat the towers that its side has on islands, without those that it lacked for a last group."""
    built = [size_of(len(state.sides)).towers - left for left in state.towers]
    return tuple([built[side] for side in state.sides])


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the seats that are still in the game in groups, best first: by towers on islands, then by professors.

    A side that has placed its last tower is first by that alone. Partners are in one group, level sides too.
    """
    groups = (tuple(seat for side in tied for seat in _ranked(state, side)) for tied in _by_merit(state))
    return tuple(tuple(sorted(group)) for group in groups if group)


def winners(state: State) -> tuple[int, ...]:
    """Return the seats that have won; none while the game goes on.

    Nobody has won where the best sides are level (unless `draw_result` is "tied"), and where the settings end the
    game because a player was lost. Nobody moves up for a winner that is eliminated when the game is over.
    """
    if state.phase is not Phase.OVER or state.reason is Reason.DISCONNECTED or not (order := _by_merit(state)):
        return ()
    if len(order[0]) > 1 and state.settings.draw_result == "none":
        return ()
    return tuple(sorted(seat for side in order[0] for seat in _ranked(state, side)))


def _by_merit(state: State) -> list[list[int]]:
    """Return the live sides in groups of those that are level, best first."""
    owners = [state.sides[owner] for owner in state.professors if owner != NOBODY]
    merit = {side: (-state.towers[side], owners.count(side)) for side in live_sides(state)}
    return [[side for side in merit if merit[side] == value] for value in sorted(set(merit.values()), reverse=True)]


def _ranked(state: State, side: int) -> list[int]:
    return [seat for seat in members(state, side) if state.standings[seat] in (Standing.IN, Standing.AWAY)]

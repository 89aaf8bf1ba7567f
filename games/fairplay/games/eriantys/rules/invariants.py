"""The set-up of a game of Eriantys (eriantys.md section 2), and what every state fulfils (section 6.4)."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.games.eriantys.rules.board import COIN_SEATS, FEWEST_GROUPS, HERBALIST, live_sides
from fairplay.games.eriantys.rules.characters import PIECES
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    CHARACTERS_IN_PLAY,
    COINS,
    COLOR_COUNT,
    COLORS,
    MAX_SEATS,
    MIN_SEATS,
    NO_ENTRY_TILES,
    NOBODY,
    STUDENTS_PER_COLOR,
    TABLE_SEATS,
    TILE_COUNT,
    Phase,
    Reason,
    Standing,
    State,
    choosers,
    settings_problem,
    sides_of,
    size_of,
    unseen,
)
from fairplay.games.kit.settings import MAX_REVISION

# What every state fulfils, so that states from outside can be refused (section 6.4)


def invariant(state: State) -> str | None:
    """Return one sentence that says why no game can have led to a state, or None."""
    if problem := settings_problem(state.settings):
        return problem[1]
    for broken in (
        _shape_problem,
        _cards_problem,
        _counts_problem,
        _places_problem,
        _islands_problem,
        _groups_problem,
        _towers_problem,
        _professors_problem,
        _coins_problem,
        _no_entry_problem,
        _hands_problem,
        _phase_problem,
    ):
        if sentence := broken(state):
            return sentence
    return None


def _shape_problem(state: State) -> str | None:
    count = len(state.sides)
    if not MIN_SEATS <= count <= MAX_SEATS:
        return f"Eriantys is played by {MIN_SEATS} to {MAX_SEATS} players, not by {count}."
    if state.sides != sides_of(state.settings, count):
        return "The seats must be on sides as the settings say."
    by_seat: tuple[Sequence[object], ...] = (
        state.clouds,
        state.entrances,
        state.dining_rooms,
        state.hands,
        state.assistants,
        state.coins,
        state.paid_seats,
        state.standings,
    )
    if any(len(values) != count for values in by_seat):
        return f"What is counted for each of {count} players, clouds among it, must be there {count} times."
    side_count = len(set(state.sides))
    if len(state.towers) != side_count or len(state.tower_colors) != side_count:
        return f"There are {side_count} sides with towers of one colour each."
    if len(state.professors) != COLOR_COUNT or len(state.borrowed) != COLOR_COUNT:
        return "There is one professor of each colour."
    return None


def _cards_problem(state: State) -> str | None:
    if len(state.cards) != (CHARACTERS_IN_PLAY if state.settings.is_expert else 0):
        return "Three characters are in play in Expert mode, and none in Basic mode."
    numbers = [card.character for card in state.cards]
    if any(number not in PIECES for number in numbers) or len(set(numbers)) < len(numbers):
        return "The characters in play must be different ones of 1 to 12."
    return None


def _counts_problem(state: State) -> str | None:
    """Check invariant 1."""
    held = [state.bag, *state.clouds, *state.entrances, *state.dining_rooms, state.aside]
    held += [group.students for group in state.groups] + [card.students for card in state.cards]
    if any(len(counts) != COLOR_COUNT or min(counts) < 0 for counts in held):
        return "Students are five counts, none of them negative."
    for color, (inside, left) in enumerate(zip(state.bag, unseen(state), strict=True)):
        if inside != left:
            total = STUDENTS_PER_COLOR - left + inside
            return f"There are {total} {COLORS[color]} students: there must be {STUDENTS_PER_COLOR}."
    return None


def _places_problem(state: State) -> str | None:
    """Check the limits of tables, clouds, entrances and characters."""
    size = size_of(len(state.sides))
    if any(sum(cloud) > size.cloud for cloud in state.clouds):
        return f"A cloud holds at most {size.cloud} students."
    if any(sum(entrance) > size.entrance for entrance in state.entrances):
        return f"An entrance holds at most {size.entrance} students."
    if any(max(room) > TABLE_SEATS for room in state.dining_rooms):
        return f"A table has {TABLE_SEATS} seats."
    if any(sum(card.students) > PIECES[card.character].students for card in state.cards):
        return "A character holds at most the students that it starts with."
    return None


def _islands_problem(state: State) -> str | None:
    """Check invariant 3, the tiles."""
    groups = state.groups
    tiles = [tile for group in groups for tile in group.tiles]
    if not groups or any(not group.tiles for group in groups) or 0 not in groups[0].tiles:
        return "Every group must hold tiles, and the first one tile 0."
    if tiles != [(tiles[0] + step) % TILE_COUNT for step in range(TILE_COUNT)]:
        return "The groups must hold the tiles 0 to 11, each of them once, clockwise."
    if not 0 <= state.mother_nature < len(groups):
        return "Mother Nature must stand on one of the groups."
    return None


def _groups_problem(state: State) -> str | None:
    """Check invariant 3, the towers."""
    groups = state.groups
    if any(not NOBODY <= group.tower < len(state.towers) for group in groups):
        return "The towers of a group must be those of one side."
    if any(group.tower == NOBODY and len(group.tiles) > 1 for group in groups):
        return "A group of several islands must have towers."
    before = (*groups[-1:], *groups[:-1])
    pairs = zip(before, groups, strict=True)
    if any(left.tower == right.tower != NOBODY for left, right in pairs):
        return "Neighbouring groups cannot have the same towers."
    return None


def _towers_problem(state: State) -> str | None:
    """Check invariant 2; a last group may be larger than the towers that were left for it (4.3)."""
    total = size_of(len(state.sides)).towers
    for side, left in enumerate(state.towers):
        built = sum(len(group.tiles) for group in state.groups if group.tower == side)
        surplus = left + built - total
        explained = state.reason is Reason.LAST_TOWER and not left
        if left < 0 or surplus < 0 or (surplus and not explained):
            return f"A side has {total} towers, not {left} and {built} on islands."
    colors = [color for color in state.tower_colors if color != NOBODY]
    if len(set(colors)) < len(colors) or not set(colors) <= set(range(len(state.towers))):
        return "The sides must have different tower colours; grey is for three players only."
    return None


def _professors_problem(state: State) -> str | None:
    """Check invariant 4; a shared maximum and settings without a recheck may leave an owner with fewer students."""
    if any(not NOBODY <= seat < len(state.sides) for seat in (*state.professors, *state.borrowed)):
        return "A professor is owned by a player or by nobody."
    for color, owner in enumerate(state.professors):
        counts = [room[color] for room in state.dining_rooms]
        best = max(counts)
        first = counts.index(best)
        if owner != first and counts.count(best) == 1 and state.settings.professor_recheck_on_removal:
            return f"The {COLORS[color]} professor must be with the player that has the most of its students."
    return None


def _coins_problem(state: State) -> str | None:
    """Check invariant 6, the coins."""
    if min((state.reserve, *state.coins, *state.paid_seats)) < 0:
        return "Nobody can owe coins."
    if max(state.paid_seats) >= 1 << len(COIN_SEATS) * COLOR_COUNT:
        return "There are three coin seats at each table."
    total = state.reserve + sum(state.coins) + sum(card.is_used for card in state.cards)
    expected = COINS if state.settings.is_expert else 0
    return None if total == expected else f"There are {total} coins: there must be {expected}."


def _no_entry_problem(state: State) -> str | None:
    """Check invariant 6, the no-entry tiles."""
    on_islands, on_cards = [group.no_entry for group in state.groups], [card.no_entry for card in state.cards]
    if min((*on_islands, *on_cards)) < 0:
        return "No-entry tiles cannot be fewer than none."
    in_play = any(card.character == HERBALIST for card in state.cards)
    if sum(on_islands) + sum(on_cards) != (NO_ENTRY_TILES if in_play else 0):
        return f"There must be {NO_ENTRY_TILES} no-entry tiles where character 5 is in play, and none elsewhere."
    if max(on_islands) > 1 and not state.settings.no_entry_stack:
        return "A group holds one no-entry tile at most."
    if any(card.no_entry for card in state.cards if card.character != HERBALIST):
        return "No-entry tiles lie on character 5 only."
    return None


def _hands_problem(state: State) -> str | None:
    """Check invariant 7, as far as it holds for players whose turns were skipped."""
    deck = set(range(1, ASSISTANTS + 1))
    if not 0 <= state.round <= ASSISTANTS * len(state.sides) or not 0 <= state.revision <= MAX_REVISION:
        most = ASSISTANTS * len(state.sides)
        return f"There are at most {most} rounds, and the revision is 0 to {MAX_REVISION:,}."
    if not all(state.hands) and not state.last_round and state.phase is not Phase.OVER:
        return "The round in which somebody has played the last assistant is the last one."
    for seat, hand in enumerate(state.hands):
        if list(hand) != sorted(set(hand) & deck):
            return "A hand holds different assistants of 1 to 10, in ascending order."
        if state.assistants[seat] in hand or state.assistants[seat] not in {0, *deck}:
            return "The assistant that was played last cannot be in the hand."
        played = state.round - (state.phase is Phase.ASSISTANT and seat not in state.planned)
        if ASSISTANTS - len(hand) > max(0, played):
            return f"Nobody can have played {ASSISTANTS - len(hand)} assistants by round {state.round}."
    return None


def _phase_problem(state: State) -> str | None:
    seats = range(len(state.sides))
    if not {*state.planned, *state.queue, state.first} <= set(seats):
        return "Those that plan and act must be players of the game."
    if len(set(state.planned)) < len(state.planned) or len(set(state.queue)) < len(state.queue):
        return "Nobody plans or acts twice in a round."
    if state.phase is Phase.OVER:
        return None if state.reason and state.active == NOBODY else "A game that is over has a reason and no turn."
    if state.reason or state.active not in seats or state.standings[state.active] is not Standing.IN:
        return "A game that goes on has a player that is to decide."
    if len(state.groups) <= FEWEST_GROUPS or not all(state.towers):
        return "The game is over once three groups are left or a side has placed its last tower."
    return _turn_problem(state)


def _turn_problem(state: State) -> str | None:
    seat = state.active
    lacks_towers = any(state.tower_colors[side] == NOBODY for side in live_sides(state))
    if (state.phase is Phase.TOWERS) != (state.round == 0) or (state.round > 0 and lacks_towers):
        return "Tower colours are chosen before the first round."
    if seat in state.queue:
        return "Who is to decide cannot come after itself."
    if state.phase in (Phase.TOWERS, Phase.ASSISTANT) and (state.played, state.ignored, *state.borrowed) != _NO_TURN:
        return "The character of a turn is forgotten when the turn is over."
    if state.phase is Phase.TOWERS:
        return None if seat in choosers(state) else "Only a side without a tower colour can choose one."
    return _planning_problem(state) if state.phase is Phase.ASSISTANT else _action_problem(state, seat)


_NO_TURN = (0, NOBODY, *(NOBODY,) * COLOR_COUNT)


def _planning_problem(state: State) -> str | None:
    coming = [state.active, *state.queue]
    if set(coming) & set(state.planned):
        return "Nobody plans twice in a round."
    if not all(state.hands[seat] for seat in coming if state.standings[seat] is Standing.IN):
        return "Who plans must have an assistant to play."
    return None


def _action_problem(state: State, seat: int) -> str | None:
    if any(each not in state.planned or not state.assistants[each] for each in (seat, *state.queue)):
        return "Only who has played an assistant in this round can act in it."
    size, held = size_of(len(state.sides)), sum(state.entrances[seat])
    most = min(size.cloud, held)
    if not (1 <= state.to_move <= most if state.phase is Phase.STUDENTS else state.to_move == 0):
        return f"Students to move must be 1 to {most} while students are moved, and none later."
    if state.phase is not Phase.END_TURN and held - state.to_move + size.cloud > size.entrance:
        return "The entrance must have room for a cloud when the students have moved."
    if state.phase is Phase.CLOUD and (state.clouds_closed or not any(any(cloud) for cloud in state.clouds)):
        return "A cloud can be chosen only where there is one."
    if state.played not in {0, *(card.character for card in state.cards)} or not NOBODY <= state.ignored < COLOR_COUNT:
        return "The character of this turn must be one that is in play."
    return None

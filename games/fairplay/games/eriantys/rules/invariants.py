"""The set-up of a game of Eriantys (eriantys.md section 2), and what every state fulfils (section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from fairplay.games.eriantys.rules.board import COIN_SEATS, FEWEST_GROUPS, HERBALIST, live_sides
from fairplay.games.eriantys.rules.characters import PIECES
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    CHARACTERS_IN_PLAY,
    COINS,
    COLOR_COUNT,
    COLORS,
    NO_ENTRY_TILES,
    NOBODY,
    STUDENTS_PER_COLOR,
    TABLE_SEATS,
    Phase,
    Reason,
    Standing,
    State,
    choosers,
    sides_of,
    size_of,
    unseen,
)
from fairplay.games.kit.settings import MAX_REVISION

_NO_TURN = (0, NOBODY, *(NOBODY,) * COLOR_COUNT)


def invariant(state: State) -> str | None:
    """Return one sentence that says why no game can have led to a state, or None.

    The state is one that its message can hold: lists are as long as they must be, seats and colours are those of the
    game, and no count is negative.
    """
    checks = (_sides, _cards, _students, _islands, _towers, _professors, _coins, _no_entry, _hands, _phase)
    return next((problem for check in checks for problem in check(state)), None)


def _sides(state: State) -> Iterator[str]:
    if state.sides != sides_of(state.settings, len(state.sides)):
        yield "The seats must be on sides as the settings say."
    side_count = len(set(state.sides))
    if len(state.towers) != side_count or len(state.tower_colors) != side_count:
        yield f"There are {side_count} sides with towers of one colour each."


def _cards(state: State) -> Iterator[str]:
    if len(state.cards) != (CHARACTERS_IN_PLAY if state.settings.is_expert else 0):
        yield "Three characters are in play in Expert mode, and none in Basic mode."
    if len({card.character for card in state.cards}) < len(state.cards):
        yield "The characters in play must be different ones of 1 to 12."


def _students(state: State) -> Iterator[str]:
    """Check invariant 1, and the limits of clouds, entrances, tables and characters."""
    for color, (inside, left) in enumerate(zip(state.bag, unseen(state), strict=True)):
        if inside != left:
            total = STUDENTS_PER_COLOR - left + inside
            yield f"There are {total} {COLORS[color]} students: there must be {STUDENTS_PER_COLOR}."
    size = size_of(len(state.sides))
    if any(sum(cloud) > size.cloud for cloud in state.clouds):
        yield f"A cloud holds at most {size.cloud} students."
    if any(sum(entrance) > size.entrance for entrance in state.entrances):
        yield f"An entrance holds at most {size.entrance} students."
    if any(max(room) > TABLE_SEATS for room in state.dining_rooms):
        yield f"A table has {TABLE_SEATS} seats."
    if any(sum(card.students) > PIECES[card.character].students for card in state.cards):
        yield "A character holds at most the students that it starts with."


def _islands(state: State) -> Iterator[str]:
    """Check invariant 3."""
    groups = state.groups
    if 0 not in groups[0].tiles:
        yield "Every group must hold tiles, and the first one tile 0."
    if state.mother_nature >= len(groups):
        yield "Mother Nature must stand on one of the groups."
    if any(group.tower == NOBODY and len(group.tiles) > 1 for group in groups):
        yield "A group of several islands must have towers."
    if any(left.tower == right.tower != NOBODY for left, right in pairwise((groups[-1], *groups))):
        yield "Neighbouring groups cannot have the same towers."


def _towers(state: State) -> Iterator[str]:
    """Check invariant 2; a last group may be larger than the towers that were left for it (4.3)."""
    total = size_of(len(state.sides)).towers
    for side, left in enumerate(state.towers):
        built = sum(len(group.tiles) for group in state.groups if group.tower == side)
        surplus = left + built - total
        explained = state.reason is Reason.LAST_TOWER and not left
        if surplus < 0 or (surplus and not explained):
            yield f"A side has {total} towers, not {left} and {built} on islands."
    colors = [color for color in state.tower_colors if color != NOBODY]
    if len(set(colors)) < len(colors) or not set(colors) <= set(range(len(state.towers))):
        yield "The sides must have different tower colours; grey is for three players only."


def _professors(state: State) -> Iterator[str]:
    """Check invariant 4: a shared maximum and settings without a recheck may leave an owner with fewer students.

    So may an elimination: it moves the professors of who leaves, and not one that two shared the most students of.
    """
    if not state.settings.professor_recheck_on_removal or Standing.OUT in state.standings:
        return
    for color, owner in enumerate(state.professors):
        counts = [room[color] for room in state.dining_rooms]
        best = max(counts)
        first = counts.index(best)
        if owner != first and counts.count(best) == 1:
            yield f"The {COLORS[color]} professor must be with the player that has the most of its students."


def _coins(state: State) -> Iterator[str]:
    """Check invariant 6, the coins."""
    if max(state.paid_seats) >= 1 << len(COIN_SEATS) * COLOR_COUNT:
        yield "There are three coin seats at each table."
    total = state.reserve + sum(state.coins) + sum(card.is_used for card in state.cards)
    expected = COINS if state.settings.is_expert else 0
    if total != expected:
        yield f"There are {total} coins: there must be {expected}."


def _no_entry(state: State) -> Iterator[str]:
    """Check invariant 6, the no-entry tiles."""
    on_islands, on_cards = [group.no_entry for group in state.groups], [card.no_entry for card in state.cards]
    in_play = any(card.character == HERBALIST for card in state.cards)
    if sum(on_islands) + sum(on_cards) != (NO_ENTRY_TILES if in_play else 0):
        yield f"There must be {NO_ENTRY_TILES} no-entry tiles where character 5 is in play, and none elsewhere."
    if max(on_islands) > 1 and not state.settings.no_entry_stack:
        yield "A group holds one no-entry tile at most."
    if any(card.no_entry for card in state.cards if card.character != HERBALIST):
        yield "No-entry tiles lie on character 5 only."


def _hands(state: State) -> Iterator[str]:
    """Check invariant 7, as far as it holds for players whose turns were skipped."""
    deck, most = set(range(1, ASSISTANTS + 1)), ASSISTANTS * len(state.sides)
    if state.round > most or state.revision > MAX_REVISION:
        yield f"There are at most {most} rounds, and the revision is 0 to {MAX_REVISION:,}."
    if not all(state.hands) and not state.last_round and state.phase is not Phase.OVER:
        yield "The round in which somebody has played the last assistant is the last one."
    for seat, hand in enumerate(state.hands):
        if list(hand) != sorted(set(hand) & deck):
            yield "A hand holds different assistants of 1 to 10, in ascending order."
        if state.assistants[seat] in hand or state.assistants[seat] not in {0, *deck}:
            yield "The assistant that was played last cannot be in the hand."
        played = state.round - (state.phase is Phase.ASSISTANT and seat not in state.planned)
        if ASSISTANTS - len(hand) > max(0, played):
            yield f"Nobody can have played {ASSISTANTS - len(hand)} assistants by round {state.round}."


def _phase(state: State) -> Iterator[str]:
    if len(set(state.planned)) < len(state.planned) or len(set(state.queue)) < len(state.queue):
        yield "Nobody plans or acts twice in a round."
    if state.phase is Phase.OVER:
        if not state.reason:
            yield "A game that is over has a reason and no turn."
        return
    if state.reason or state.standings[state.active] is not Standing.IN:
        yield "A game that goes on has a player that is to decide."
    if len(state.groups) <= FEWEST_GROUPS or not all(state.towers):
        yield "The game is over once three groups are left or a side has placed its last tower."
    lacks_towers = any(state.tower_colors[side] == NOBODY for side in live_sides(state))
    if (state.phase is Phase.TOWERS) != (state.round == 0) or (state.round > 0 and lacks_towers):
        yield "Tower colours are chosen before the first round."
    if state.active in state.queue:
        yield "Who is to decide cannot come after itself."
    yield from _turn(state) if state.phase > Phase.ASSISTANT else _planning(state)


def _planning(state: State) -> Iterator[str]:
    """Check what holds before turns begin: while tower colours are chosen and assistants are played."""
    if (state.played, state.ignored, *state.borrowed) != _NO_TURN:
        yield "The character of a turn is forgotten when the turn is over."
    if state.phase is Phase.TOWERS:
        if state.active not in choosers(state):
            yield "Only a side without a tower colour can choose one."
        return
    coming = [state.active, *state.queue]
    if set(coming) & set(state.planned):
        yield "Nobody plans twice in a round."
    if not all(state.hands[seat] for seat in coming if state.standings[seat] is Standing.IN):
        yield "Who plans must have an assistant to play."


def _turn(state: State) -> Iterator[str]:
    if any(seat not in state.planned or not state.assistants[seat] for seat in (state.active, *state.queue)):
        yield "Only who has played an assistant in this round can act in it."
    size, held = size_of(len(state.sides)), sum(state.entrances[state.active])
    most = min(size.cloud, held)
    if not (1 <= state.to_move <= most if state.phase is Phase.STUDENTS else state.to_move == 0):
        yield f"Students to move must be 1 to {most} while students are moved, and none later."
    if state.phase is not Phase.END_TURN and held - state.to_move + size.cloud > size.entrance:
        yield "The entrance must have room for a cloud when the students have moved."
    if state.phase is Phase.CLOUD and (state.clouds_closed or not any(any(cloud) for cloud in state.clouds)):
        yield "A cloud can be chosen only where there is one."
    if state.played not in {0, *(card.character for card in state.cards)}:
        yield "The character of this turn must be one that is in play."

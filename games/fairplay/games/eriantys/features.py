"""Features of decisions in Eriantys: on both sides of the borders of its rules. The player is the active seat."""

from __future__ import annotations

from functools import partial

from fairplay.games.conformance import Features
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules.board import influences, stop_at
from fairplay.games.eriantys.rules.characters import NAMES, choices
from fairplay.games.eriantys.rules.legality import most_steps, playable_assistants
from fairplay.games.eriantys.rules.state import NO_ENTRY_TILES, NOBODY, TILE_COUNT, Phase, State

TABLE_SIZE, COIN_EVERY = 10, 3
HERBALIST = 5


def own_table(state: State) -> tuple[int, ...]:
    """Return the students in the dining room of the player, by colour."""
    return state.dining_rooms[state.active]


def rivals_coins(state: State) -> list[int]:
    """Return the coins of the others."""
    return [coins for seat, coins in enumerate(state.coins) if seat != state.active]


def repeated(state: State) -> set[int]:
    """Return the assistants of the hand that others have played in this round, where the player is to play one."""
    played = {state.assistants[seat] for seat in state.planned}
    return played & set(state.hands[state.active]) if state.phase is Phase.ASSISTANT else set()


def clouds_left(state: State) -> int:
    """Return how many clouds can be taken, where the player is to take one; else 0."""
    return sum(any(cloud) for cloud in state.clouds) if state.phase is Phase.CLOUD else 0


def tied_tables(state: State) -> bool:
    """Return whether two players have as many students of a colour, and nobody has more."""
    tables = [sorted(counts, reverse=True) for counts in zip(*state.dining_rooms, strict=True)]
    return any(most == second > 0 for most, second, *_ in tables)


def single_entrance(state: State) -> bool:
    """Return whether all students in the entrance of the player are of one colour, where it is to move some."""
    return state.phase is Phase.STUDENTS and sum(count > 0 for count in state.entrances[state.active]) == 1


def barred_nearby(state: State) -> bool:
    """Return whether a no-entry tile lies on the group of Mother Nature or next to it, and another can be put."""
    nearby = (state.groups[(state.mother_nature + step) % len(state.groups)] for step in (-1, 0, 1))
    return any(group.no_entry for group in nearby) and any(each.character == HERBALIST for each in choices(state))


def stops(state: State) -> list[int]:
    """Return the indices of the groups at which Mother Nature can stop, where she is to move."""
    steps = range(1, most_steps(state) + 1) if state.phase is Phase.MOTHER_NATURE else ()
    return [(state.mother_nature + step) % len(state.groups) for step in steps]


def conquered(state: State) -> list[tuple[int, State]]:
    """Return the groups of those that get other towers where Mother Nature can stop, and the states after that."""
    after = [(index, stop_at(state, index)) for index in stops(state)]
    return [(index, each) for index, each in after if each.towers != state.towers]


def conquers(state: State, *, own: bool) -> bool:
    """Return whether Mother Nature can stop where the side of the player gets towers, or else another one."""
    side = state.sides[state.active]
    return any((after.towers[side] < state.towers[side]) == own for _, after in conquered(state))


def merges(state: State, count: int) -> bool:
    """Return whether Mother Nature can stop where so many groups grow together."""
    return any(len(state.groups) - len(after.groups) == count - 1 for _, after in conquered(state))


def passes_first_group(state: State) -> bool:
    """Return whether Mother Nature can go from the last group to the first one."""
    return any(index < state.mother_nature for index in stops(state))


def stays_on_largest(state: State) -> bool:
    """Return whether Mother Nature can go round once to the group where she stands, which is as large as any."""
    sizes = [len(group.tiles) for group in state.groups]
    return state.mother_nature in stops(state) and sizes[state.mother_nature] == max(sizes)


def levels_at_a_stop(state: State) -> bool:
    """Return whether Mother Nature can stop where the best sides have the same influence, more than none."""
    found = [sorted(influences(state, state.groups[index]), reverse=True) for index in stops(state)]
    return any(best == second > 0 for best, second, *_ in found)


def lead_of_owner(state: State) -> set[int]:
    """Return by how many students others lead that own professors of the entrance's colours, where some are moved."""
    if state.phase is not Phase.STUDENTS:
        return set()
    entrance, owned = state.entrances[state.active], list(enumerate(state.professors))
    others = [(color, seat) for color, seat in owned if entrance[color] and seat not in (NOBODY, state.active)]
    return {state.dining_rooms[seat][color] - own_table(state)[color] for color, seat in others}


def level_sides(state: State) -> bool:
    """Return whether the best sides have as many towers left and as many professors."""
    professors = [sum(state.sides[seat] == side for seat in state.professors if seat >= 0) for side in set(state.sides)]
    merits = sorted(zip((-left for left in state.towers), professors, strict=True), reverse=True)
    return merits[0] == merits[1]


def offers(character: int, state: State) -> bool:
    """Return whether a character can be played."""
    return any(each.character == character for each in choices(state))


def is_in_play(character: int, state: State) -> bool:
    """Return whether a character is in play."""
    return any(card.character == character for card in state.cards)


def is_played(character: int, state: State) -> bool:
    """Return whether the player has played a character in this turn."""
    return state.played == character


FEATURES = Features(
    codec.read_view,
    {
        "some-repeated: Another player has played an assistant that is in the hand.": lambda state: (
            bool(repeated(state)) and len(repeated(state)) < len(state.hands[state.active])
        ),
        "all-repeated: Others have played all assistants of the hand in this round.": lambda state: (
            bool(repeated(state)) and repeated(state) == set(playable_assistants(state))
        ),
        "few-assistants: The hand has three assistants or fewer.": lambda state: (
            state.phase is Phase.ASSISTANT and len(state.hands[state.active]) <= 3
        ),
        "first-to-plan: Nobody has played an assistant in this round.": lambda state: (
            state.phase is Phase.ASSISTANT and not state.planned
        ),
        "one-color-left: All students in the entrance are of one colour.": single_entrance,
        "last-student: One student is to be moved.": lambda state: state.phase is Phase.STUDENTS and state.to_move == 1,
        "full-table: The player has ten students of a colour.": lambda state: TABLE_SIZE in own_table(state),
        "table-but-one: The player has nine students of a colour.": lambda state: TABLE_SIZE - 1 in own_table(state),
        "next-earns-a-coin: In Expert mode the next student of a colour earns a coin.": lambda state: (
            bool(state.cards) and any(count % COIN_EVERY == COIN_EVERY - 1 for count in own_table(state))
        ),
        "no-coins-left: In Expert mode the reserve is empty.": lambda state: bool(state.cards) and not state.reserve,
        "no-coins: In Expert mode the player has no coins.": lambda state: (
            bool(state.cards) and not state.coins[state.active]
        ),
        "rich: The player has six coins or more.": lambda state: state.coins[state.active] >= 6,
        "rich-rival: Another player has six coins or more.": lambda state: max(rivals_coins(state), default=0) >= 6,
        "tied-tables: Two players have as many students of a colour, and nobody has more.": tied_tables,
        "takes-a-professor: One more student at a table takes a professor from another player.": lambda state: (
            0 in lead_of_owner(state)
        ),
        "draws-level: One more student at a table is as many as those of the professor's owner, and not enough.": (
            lambda state: 1 in lead_of_owner(state)
        ),
        "builds: Mother Nature can stop where the side of the player gets towers.": lambda state: conquers(
            state, own=True
        ),
        "loses: Mother Nature can stop where another side gets towers.": lambda state: conquers(state, own=False),
        "merges-two: Mother Nature can stop where two groups grow together.": lambda state: merges(state, 2),
        "merges-three: Mother Nature can stop where three groups grow together.": lambda state: merges(state, 3),
        "takes-towers: Mother Nature can stop where towers are replaced by those of another side.": lambda state: any(
            state.groups[index].tower != NOBODY for index, _ in conquered(state)
        ),
        "ends-now: Mother Nature can stop where the game ends.": lambda state: any(
            after.phase is Phase.OVER for _, after in conquered(state)
        ),
        "passes-first-group: Mother Nature can go from the last group to the first one.": passes_first_group,
        "goes-around: Mother Nature can stop where she stands.": lambda state: state.mother_nature in stops(state),
        "stays-on-largest: Mother Nature can stop where she stands, and no group is larger.": stays_on_largest,
        "level-at-a-stop: Mother Nature can stop where the best sides have the same influence, more than none.": (
            levels_at_a_stop
        ),
        "barred-stop: Mother Nature can stop where a no-entry tile lies.": lambda state: any(
            state.groups[index].no_entry for index in stops(state)
        ),
        "one-cloud-left: One cloud is left to be taken.": lambda state: clouds_left(state) == 1,
        "cloud-taken: Some clouds are taken, and two or more are left.": lambda state: (
            1 < clouds_left(state) < len(state.clouds)
        ),
        "clouds-closed: Nobody takes a cloud in this round.": lambda state: state.clouds_closed,
        "few-in-bag: The bag has fewer students than the next clouds take.": lambda state: (
            0 < sum(state.bag) < 3 * len(state.clouds)
        ),
        "bag-empty: The bag is empty.": lambda state: not any(state.bag),
        "few-groups: Eight groups of islands are left, or fewer.": lambda state: len(state.groups) <= 8,
        "large-group: A group has four islands or more.": lambda state: (
            max(len(each.tiles) for each in state.groups) > 3
        ),
        "crowded-island: A group has eight students or more.": lambda state: (
            max(sum(each.students) for each in state.groups) >= 8
        ),
        "last-tower: A side has one tower left.": lambda state: state.phase is not Phase.TOWERS and 1 in state.towers,
        "last-round: This round is the last one.": lambda state: bool(state.last_round),
        "last-in-line: Nobody comes after the player in this phase.": lambda state: (
            state.phase is not Phase.TOWERS and not state.queue
        ),
        "level-sides: The best sides have as many towers left and as many professors.": level_sides,
        "names-merged-islands: A character can be played on an island, and some islands have grown together.": (
            lambda state: any(each.islands for each in choices(state)) and len(state.groups) < TILE_COUNT
        ),
        "barred: A no-entry tile lies on a group.": lambda state: any(group.no_entry for group in state.groups),
        "barred-nearby: Another no-entry tile can be put, and one lies on the group of Mother Nature or next to it.": (
            barred_nearby
        ),
        "barred-twice: Two no-entry tiles or more lie on a group.": lambda state: any(
            group.no_entry > 1 for group in state.groups
        ),
        "barred-merged: A no-entry tile lies where islands have grown together.": lambda state: any(
            group.no_entry and len(group.tiles) > 1 for group in state.groups
        ),
        "all-tiles-lie: All no-entry tiles lie on groups.": lambda state: (
            sum(group.no_entry for group in state.groups) == NO_ENTRY_TILES
        ),
        "exchanges: A character can be played that exchanges students.": lambda state: any(
            each.exchange for each in choices(state)
        ),
        "dearer: A character can be played that was played before.": lambda state: any(
            card.is_used for card in state.cards for each in choices(state) if each.character == card.character
        ),
        **{
            f"{what}-{name.replace(' ', '-')}: The {name} {how}.": partial(holds, number)
            for number, name in NAMES.items()
            for what, how, holds in (
                ("in-play", "is in play", is_in_play),
                ("offers", "can be played", offers),
                ("played", "was played in this turn by the player", is_played),
            )
        },
    },
)

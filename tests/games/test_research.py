"""Every game in numbers: each legal answer can be taken, no other one can, and observations hide what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import comb
from random import Random
from typing import Any, NamedTuple

import pytest
from google.protobuf import json_format
from google.protobuf.message import Message

from fairplay.games.game import find
from fairplay.games.q import research as q_research
from fairplay.games.q import rules as q
from fairplay.games.q.rules.board import Board, Placement
from fairplay.games.q.rules.state import Extension
from fairplay.games.research import Encoding, find_research, first_numbers
from fairplay.games.webset import rules
from fairplay.games.webset.rules.cards import is_set
from fairplay.games.webset.rules.state import State, on_table, solutions

MOST_STEPS = {"bazaar": 6, "eriantys": 8, "fish": 1, "q": 3}
"""The most steps that the answers have which rules list."""
LISTED_WHOLE = {"eriantys", "fish"}
"""Games whose rules list all answers, each once; of others the longer ones are not listed."""


class Setting(NamedTuple):
    game: str
    players: int
    settings: Mapping[str, Any]


SETTINGS = (
    Setting("bazaar", 2, {"cardsTotal": 12, "equations": 4}),
    Setting("eriantys", 2, {"mode": "MODE_EXPERT", "characters": [1, 10, 3]}),
    Setting("fish", 3, {"randomFish": True, "holes": 5}),
    Setting("q", 2, {"copiesPerKind": 1}),
)
OTHERS = (
    Setting("eriantys", 3, {"mode": "MODE_EXPERT", "characters": [7, 9, 5], "islandAddress": "ISLAND_ADDRESS_GROUP"}),
    Setting("eriantys", 4, {"mode": "MODE_EXPERT", "characters": [10, 11, 12], "allowZeroSwaps": True}),
    Setting("bazaar", 4, {"exchangePrice": "EXCHANGE_PRICE_NONE", "equations": 3, "turnCap": 60}),
    Setting("q", 3, {"copiesPerKind": 1, "handSize": 8, "fitRule": "FIT_RULE_QWIRKLE"}),
)
CASES = [*SETTINGS, *(pytest.param(other, marks=pytest.mark.slow) for other in OTHERS)]


def message_of(setting: Setting) -> Message:
    return json_format.ParseDict(dict(setting.settings), find(setting.game).settings_type())


def encode(setting: Setting) -> Encoding:
    return find_research(setting.game).encode(message_of(setting), setting.players)


def positions(encoding: Encoding, seed: int) -> Iterator[Any]:
    """Yield the positions of a random game, the last one too. Passing and the like, of low numbers, are rare in it."""
    rng = Random(seed)
    position = encoding.initial(rng)
    yield position
    while encoding.turn(position) is not None:
        legal = encoding.legal(position)
        position = encoding.apply(position, max(rng.choices(legal, k=4)))
        yield position


def ends_of_turn(encoding: Encoding, position: Any, most_steps: int) -> Iterator[Any]:
    """Yield the states that a turn can lead to in so many steps."""
    for action in encoding.legal(position):
        after = encoding.apply(position, action)
        if not after.steps:
            yield after.state
        elif most_steps > 1:
            yield from ends_of_turn(encoding, after, most_steps - 1)


@pytest.mark.parametrize("setting", CASES)
def test_all_that_the_rules_list_can_be_taken(setting: Setting) -> None:
    encoding = encode(setting)
    starts = [position for position in positions(encoding, 1) if not position.steps]
    rng = Random(1)
    for position in rng.sample(starts, min(12, len(starts))):
        state = position.state
        reached = set(map(str, ends_of_turn(encoding, position, MOST_STEPS[setting.game])))
        listed = [encoding.rules.apply(state, action) for action in encoding.rules.legal(state)]
        if setting.game == "q":  # who is to be told of new tiles is nothing to an environment
            listed = [encoding.rules.delivered(after) for after in listed]
        expected = {str(after) for after in listed}
        assert expected == reached if setting.game in LISTED_WHOLE else expected <= reached


@pytest.mark.parametrize("setting", CASES)
def test_what_is_taken_leads_to_states_that_can_be(setting: Setting) -> None:
    game, settings, encoding = find(setting.game), message_of(setting), encode(setting)
    shown = [encoding.shown(position) for position in positions(encoding, 2)]
    assert len(shown) > 4
    assert {game.check_state(settings, game.full_state(state)) for state in shown} == {setting.players}


@pytest.mark.parametrize("setting", [*SETTINGS, Setting("webset", 3, {"aspects": 3, "actCap": 30})])
def test_observations_fit_their_parts_and_tell_nobody_of_steps_of_others(setting: Setting) -> None:
    encoding = encode(setting)
    bounds = [(part.low, part.high) for part in encoding.parts for _ in range(part.size)]
    action_count = first_numbers(encoding.kinds)[-1]
    for before, after in pairwise(positions(encoding, 3)):
        seat = encoding.turn(before)
        assert seat is not None
        assert all(0 <= action < action_count for action in encoding.legal(before))
        for other in range(setting.players):
            seen = encoding.observe(after, other)
            assert len(seen) == len(bounds)
            assert all(low <= number <= high for number, (low, high) in zip(seen, bounds, strict=True))
            if other != seat and after.state is before.state and encoding.turn(after) == seat:
                assert seen == encoding.observe(before, other)


def test_in_q_no_tile_goes_beyond_reach() -> None:
    encoding = encode(Setting("q", 2, {"copiesPerKind": 1}))
    position = encoding.initial(Random(1))
    column = Board({(row, 0): 0 for row in range(q_research.REACH + 1)})
    position = position._replace(state=position.state._replace(board=column, hands=((0,), (0,))))
    [tile] = [action for action in encoding.legal(position) if encoding.apply(position, action).steps]
    after_tile = encoding.apply(position, tile)
    ends = ends_of_turn(encoding, after_tile, 2)
    rows = {row for after in ends for row, _ in after.board.tiles.keys() - column.tiles.keys()}
    assert rows == {*range(-1, q_research.REACH + 1)}
    below = Extension((Placement(q_research.REACH + 1, 0, 0),))
    assert q.violation(position.state, below) is None


# --- Webset: in rounds ---


def take(encoding: Encoding, position: Any, cards: tuple[int, ...]) -> Any:
    """Pick cards one by one."""
    for card in cards:
        [action] = [
            action for action in encoding.legal(position) if action and position.state.table[action - 1] == card
        ]
        position = encoding.apply(position, action)
    return position


def wrong_take(state: State) -> tuple[int, ...]:
    """Return three cards of the table that are no set."""
    cards = on_table(state)
    return next(cards[at : at + 3] for at in range(9) if not is_set(*cards[at : at + 3]))


def test_a_round_of_webset_counts_one_of_the_takes_when_all_have_chosen() -> None:
    encoding = encode(Setting("webset", 2, {}))
    position = encoding.initial(Random(5))
    right = solutions(position.state)[0]
    wrong = wrong_take(position.state)
    after = take(encoding, position, right)
    assert (after.state, encoding.turn(after)) == (position.state, 1)
    after = take(encoding, after, wrong)
    assert rules.scores(after.state) == (1, -1)
    assert encoding.turn(after) == 0


def test_webset_is_over_when_nobody_has_done_anything_for_as_many_rounds_as_the_settings_say() -> None:
    encoding = encode(Setting("webset", 2, {"idleRounds": 2}))
    position = encoding.initial(Random(5))
    for _ in range(4):
        assert encoding.turn(position) is not None
        position = encoding.apply(position, 0)
    assert encoding.turn(position) is None


def test_who_is_locked_out_is_not_asked_in_a_round_of_webset() -> None:
    encoding = encode(Setting("webset", 2, {"lockedUntilChange": True}))
    position = encoding.initial(Random(5))
    position = encoding.apply(take(encoding, position, wrong_take(position.state)), 0)
    assert (rules.scores(position.state), encoding.turn(position)) == ((-1, 0), 1)
    assert encoding.turn(encoding.apply(position, 0)) == 1


def test_a_puzzle_is_solved_by_naming_all_sets_and_nothing_is_named_twice() -> None:
    encoding = encode(Setting("webset", 2, {"rounds": "ROUNDS_PUZZLE"}))
    position = encoding.initial(Random(5))
    found = solutions(position.state)
    for triple in found:
        position = take(encoding, position, triple)
    one, two, three = found[0]
    position = take(encoding, position, (one, two))
    offered = {position.state.table[action - 1] for action in encoding.legal(position)}
    assert three not in offered
    position = take(encoding, position, (min(offered),))
    position = encoding.apply(encoding.apply(position, 0), 0)
    assert encoding.turn(position) is None
    assert rules.scores(position.state) == (len(found) - 1, 0)


def test_in_a_puzzle_all_takes_can_be_named_and_then_only_done_is_left() -> None:
    encoding = encode(Setting("webset", 2, {"rounds": "ROUNDS_PUZZLE", "aspects": 3}))
    position = encoding.initial(Random(5))
    count = len(on_table(position.state))
    steps = 0
    while (actions := encoding.legal(position)) != [0]:
        position = encoding.apply(position, actions[-1])
        steps += 1
    assert steps == 3 * comb(count, 3)


# --- what serves every game ---


def test_what_offers_nothing_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="'chess' offers nothing to research; these games do: bazaar, eriantys, fish"):
        find_research("chess")

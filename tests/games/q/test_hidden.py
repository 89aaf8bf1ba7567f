"""What is hidden in the Q game stays with the referee: hands, the order of the pile, and tiles that were lost.

Every byte that goes to a player or to spectators is looked at: it is the same whatever the hidden tiles are.
"""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fairplay.games.q import rules
from fairplay.games.q.game import GAME
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import SHAPES
from fairplay.games.q.rules.state import PASS, REPLACE, Extension, Settings, State, remaining
from fairplay.games.steps import Call, Eliminate
from fairplay.v1.misconduct_pb2 import CallError, RuleBreak
from tests.games.playing import Played
from tests.games.q.playing import (
    HEADS,
    extension,
    failing,
    randomly_played,
    reply,
    resumed,
    scripted,
    table,
)

SMALL = Settings(copies_per_kind=3, hand_size=5)
seeds = st.integers(0, 2**32)


# The same bytes whatever is hidden


def otherwise(state: State, seat: int | None, rng: Random) -> State:
    """The state with all that is hidden from a seat (from everybody: None) dealt anew, hands of other sizes too."""
    others = [other for other in remaining(state) if other != seat]
    pool = [kind for other in others for kind in state.hands[other]] + list(state.pile) + list(state.lost)
    rng.shuffle(pool)
    pile, lost = pool[: len(state.pile)], pool[len(state.pile) : len(state.pile) + len(state.lost)]
    rest = pool[len(pile) + len(lost) :]
    cuts = sorted(rng.randrange(len(rest) + 1) for _ in others[1:])
    hands = list(state.hands)
    for other, start, end in zip(others, [0, *cuts], [*cuts, len(rest)], strict=False):
        hands[other] = tuple(rest[start:end])
    return state._replace(hands=tuple(hands), pile=tuple(pile), lost=tuple(lost))


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 4), seeds, st.integers(0, 40), st.data())
def test_no_byte_for_a_player_depends_on_what_is_hidden_from_it(
    count: int, seed: int, steps: int, data: st.DataObject
) -> None:
    state = randomly_played(SMALL, count, steps, Random(seed)).state._replace(delivery=None)
    if not remaining(state):
        return
    seat = data.draw(st.sampled_from(remaining(state)))
    other = otherwise(state, seat, Random(data.draw(seeds)))
    for request in (codec.turn_request, codec.setup_request):
        one, two = (request(HEADS, each, seat, codec.Laid(each.board)) for each in (state, other))
        assert one == two


@settings(max_examples=80, deadline=None)
@given(st.integers(2, 4), seeds, st.integers(0, 40), seeds)
def test_no_byte_for_spectators_depends_on_what_is_hidden(count: int, seed: int, steps: int, other_seed: int) -> None:
    shown = randomly_played(SMALL, count, steps, Random(seed))
    other = shown._replace(state=otherwise(shown.state, None, Random(other_seed)))
    assert GAME.public_state(shown).SerializeToString() == GAME.public_state(other).SerializeToString()


def said_to(played: Played, seat: int) -> list[bytes]:
    """All bytes that a player was sent, in order."""
    return [call.request.SerializeToString() for call in played.calls if call.seat == seat]


def seen(played: Played) -> list[bytes]:
    """All bytes that spectators were sent of states, in order, and in words why players were eliminated."""
    found = []
    for step in played.steps:
        if isinstance(step, Eliminate):
            cause: Any = step.cause
            found.append(cause.explanation.encode() if isinstance(cause, RuleBreak) else cause.SerializeToString())
        elif not isinstance(step, Call):
            found.append(GAME.public_state(step.state).SerializeToString())
    return found


@settings(max_examples=40, deadline=None)
@given(seeds, seeds)
def test_a_whole_game_in_which_nothing_is_revealed_is_the_same_to_everybody_who_may_not_see(
    seed: int, other_seed: int
) -> None:
    """Seat 0 passes, seat 1 breaks a rule, seat 2 replaces its tiles and fails to take the new ones."""
    state = rules.initial(SMALL, 3, Random(seed))
    other = otherwise(state, 0, Random(other_seed))
    other = other._replace(hands=tuple(each[:5] for each in _of_five(other, state)))
    games = []
    for each in (state, other):
        answer = scripted(PASS, Extension(()), REPLACE)
        games.append(resumed(each, failing(2, "NewTiles", CallError(), others=answer)))
    one, two = games
    assert [step.seat for step in one.out] == [1, 2] == [step.seat for step in two.out]
    assert said_to(one, 0) == said_to(two, 0)
    assert seen(one) == seen(two)


def _of_five(other: State, state: State) -> list[tuple[int, ...]]:
    """Hands of the sizes that they had: the number of tiles that are drawn is seen by everybody."""
    held = [kind for hand in other.hands[1:] for kind in hand]
    return [state.hands[0], tuple(held[:5]), tuple(held[5:])]


def test_why_a_player_is_out_is_told_without_its_tiles() -> None:
    hands = "purple diamond, purple clover", "blue clover"
    broken = [
        extension((0, 1, "purple diamond")),  # does not fit
        extension((0, 1, "orange diamond")),  # is not its own
        extension((5, 5, "purple diamond"), (9, 9, "purple clover")),  # not one line
        extension((0, 0, "purple clover")),  # not free
    ]
    for action in broken:
        played = resumed(table(*hands), failing(0, "TakeTurn", reply(action)))
        cause = played.out[0].cause
        assert isinstance(cause, RuleBreak)
        for word in (*SHAPES[1:], "purple", "orange", "TILE"):
            assert word not in cause.explanation.partition("Given: ")[2]

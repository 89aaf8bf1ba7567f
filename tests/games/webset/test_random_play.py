"""Games played at random under every profile: what must hold in every state, whoever does whatever."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairplay.games.webset import rules
from fairplay.games.webset.rules import RULES, invariants, takes
from fairplay.games.webset.rules.cards import EMPTY, is_set
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import Act, Action, Phase, State, Status, Take, Word, playing, solutions
from tests.games.webset.tables import PROFILES, WORDS

ACTIONS = st.one_of(
    st.sampled_from(WORDS),
    st.lists(st.integers(-1, 82), max_size=4).map(lambda cards: Take(tuple(cards))),
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "aspects": st.just(3),
        "penalty_bad": st.integers(0, 3),
        "score_floor": st.sampled_from([None, 0, -2]),
        "locked_until_change": st.booleans(),
        "more_rule": st.sampled_from(["auto", "if_no_set", "all_agree", "majority", "anyone"]),
        "refill_rule": st.sampled_from(["to_12", "seed_base"]),
        "end_rule": st.sampled_from(["play_on", "seed_immediate"]),
        "show_enabled": st.booleans(),
        "rounds": st.sampled_from(["off", "off", "off", "earliest", "lot", "puzzle"]),
        "act_cap": st.sampled_from([10, 40, 10_000]),
    },
)


@st.composite
def games(draw: st.DrawFn) -> tuple[State, Random]:
    """Draw a fresh game of any profile, with some settings changed."""
    chosen = settings_of(profile=draw(st.sampled_from(PROFILES)), **{**draw(CHANGES), "min_players": 1})
    rng = Random(draw(st.integers(0, 2**32)))
    return rules.initial(chosen, draw(st.integers(1, 5)), rng), rng


def stepped(state: State, rng: Random) -> State:
    """Take a step of any kind, mostly one that is carried out, and mostly not a showing."""
    if state.phase is Phase.CALLED and rng.random() < 0.1:
        return rules.expired(state, state.call_count).state
    if rng.random() < 0.01:
        return rules.eliminate(state, rng.randrange(len(state.players)))
    if rng.random() < 0.2:
        cards = rng.sample(range(-1, 82), rng.randrange(5))
        action: Any = rng.choice([*WORDS, Take(tuple(cards))])
        return rules.apply(state, Act(rng.randrange(len(state.players)), action))
    listed = [each for each in rules.legal(state) if each.action is not Word.SHOW] or rules.legal(state)
    return rules.apply(state, rng.choice(listed))


LOCKED_OUT_IN_ROUNDS = rules.apply(
    rules.initial(settings_of(profile="contest", rounds="earliest", locked_until_change=True), 2, Random(1)),
    Act(0, Take((0, 0, 0))),
)


@settings(max_examples=120, deadline=None)
@given(games())
def test_in_every_state_all_cards_are_accounted_for_and_every_invariant_holds(game: tuple[State, Random]) -> None:
    state, rng = game
    for _ in range(150):
        assert invariants.invariant(state) is None
        assert (rules.turn(state) is None) == (state.phase is Phase.OVER) == (rules.due(state) == ())
        if rules.turn(state) is None:
            break
        before, state = state, stepped(state, rng)
        assert state.revision == before.revision + (state != before)
        assert len(state.deck) <= len(before.deck)


@settings(max_examples=60, deadline=None)
@given(games(), st.integers(0, 30))
def test_games_come_to_an_end(game: tuple[State, Random], seed: int) -> None:
    state, rng = game
    for _ in range(25_000):
        if rules.turn(state) is None:
            break
        found = rules.legal(state)
        takes = [each for each in found if isinstance(each.action, Take)]
        state = rules.apply(state, rng.choice(takes or found))
    assert rules.turn(state) is None
    ranked = sorted(seat for group in rules.ranking(state) for seat in group)
    assert ranked == playing(state)


@example(
    (rules.initial(settings_of(rounds="puzzle", min_players=1), 1, Random(1)), Random(1)), 0, 0, Take((0, 0, 0, 0))
)
@settings(max_examples=80, deadline=None)
@given(games(), st.integers(0, 60), st.integers(-1, 5), ACTIONS)
def test_an_act_either_changes_something_or_names_a_rule(
    game: tuple[State, Random], steps: int, seat: int, action: Any
) -> None:
    state, rng = game
    for _ in range(steps):
        if rules.turn(state) is not None:
            state = stepped(state, rng)
    after, status, rule = rules.carry_out(state, Act(seat, action))
    assert rules.violation(state, Act(seat, action)) == rule
    assert rule is None or rule in RULES
    if status in (None, Status.GOT_SET):
        assert rule is None
        assert after.revision == state.revision + 1
    elif status is Status.BAD_SET:
        assert rule is not None
        puzzle = state.settings.rounds == "puzzle"  # in which each three of the cards is a set of its own
        count = len(takes.judge_named(state, action.cards).broken) if puzzle else 1
        assert after.players[seat].penalties == state.players[seat].penalties + count
    else:
        assert rule is not None
        assert after == state


@example((LOCKED_OUT_IN_ROUNDS, Random(1)), 0)
@settings(max_examples=60, deadline=None)
@given(games(), st.integers(0, 60))
def test_what_is_listed_is_carried_out_and_what_is_not_is_refused(game: tuple[State, Random], steps: int) -> None:
    state, rng = game
    for _ in range(steps):
        if rules.turn(state) is not None:
            state = stepped(state, rng)
    listed = set(rules.legal(state))
    actions: list[Action] = [*WORDS, *map(Take, solutions(state))]
    for act in (Act(seat, action) for seat in range(len(state.players)) for action in actions):
        assert (act in listed) == (rules.violation(state, act) is None)


@settings(max_examples=40, deadline=None)
@given(games(), st.randoms(use_true_random=False))
def test_rounds_of_any_answers_keep_every_invariant(game: tuple[State, Random], draw_state: Random) -> None:
    state, _ = game
    state = state._replace(settings=settings_of(rounds="lot", min_players=1, more_rule="auto"))
    if invariants.invariant(state):
        return
    for _ in range(40):
        if rules.turn(state) is None:
            break
        answers = []
        for seat in draw_state.sample(takes.round_seats(state), len(takes.round_seats(state))):
            found = solutions(state)
            wrong = tuple(draw_state.sample([card for card in state.table if card != EMPTY], 3))
            answers.append((seat, draw_state.choice([(), wrong, draw_state.choice(found)])))
        after, verdicts = takes.play_round(state, answers)
        assert invariants.invariant(after) is None
        assert list(verdicts) == [seat for seat, cards in answers if cards]
        won = [seat for seat, verdict in verdicts.items() if verdict.status is Status.GOT_SET]
        assert len(won) == any(cards in solutions(state) or _is_set(cards) for _, cards in answers)
        state = after


def _is_set(cards: tuple[int, ...]) -> bool:
    return len(cards) == 3 and is_set(*cards)

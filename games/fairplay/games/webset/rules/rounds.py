"""Rounds: all players submit a take or a pass for the same table, and one take counts (section 6, "Fairness")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.kit.draws import draw_below
from fairplay.games.webset.rules.acts import penalise, take_set
from fairplay.games.webset.rules.dealing import can_deal, deal_more, settle
from fairplay.games.webset.rules.state import Phase, Standing, Status, solutions
from fairplay.games.webset.rules.takes import take_violation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairplay.games.webset.rules.cards import Cards
    from fairplay.games.webset.rules.state import State


class Verdict(NamedTuple):
    """The status of a take, and the rule because of which it did not succeed."""

    status: Status
    rule: str | None = None


class Round(NamedTuple):
    """The state after a round, and a verdict for each seat that has not passed, in the order of arrival."""

    state: State
    verdicts: Mapping[int, Verdict]


def play_round(state: State, answers: Sequence[tuple[int, Cards]]) -> Round:
    """Play a round with these answers, in the order of arrival; no cards are a pass.

    A wrong take costs what a wrong call costs. Of the sets the first counts, or one drawn by lot. If all pass, they ask
    for more cards; if none are dealt either, the state stays as it is.
    """
    takes = [(seat, cards) for seat, cards in answers if cards and _may(state, seat)]
    if not takes:
        return Round(_passed(state, answers), {})
    rules = {seat: take_violation(state, cards) for seat, cards in takes}
    right = [(seat, cards) for seat, cards in takes if rules[seat] is None]
    after = state
    for seat in (seat for seat, _ in takes if rules[seat] is not None):
        after = penalise(after, seat)
    winner = None
    if right:
        after, place = _draw(after, len(right))
        winner, cards = right[place]
        after = take_set(after, winner, cards)
    verdicts = {seat: _verdict(rules[seat], seat == winner) for seat, _ in takes}
    return Round(_finish(state, after), verdicts)


def _may(state: State, seat: int) -> bool:
    player = state.players[seat]
    return state.phase is Phase.OPEN and player.standing is Standing.IN and not player.locked


def _verdict(rule: str | None, won: bool) -> Verdict:
    if rule:
        return Verdict(Status.BAD_SET, rule)
    return Verdict(Status.GOT_SET) if won else Verdict(Status.ALREADY_CALLED, "webset.take.outrun")


def _passed(state: State, answers: Sequence[tuple[int, Cards]]) -> State:
    """Deal more cards, as all have passed, unless the more rule does not allow it."""
    if state.phase is not Phase.OPEN or not answers or not can_deal(state):
        return state
    rule = state.settings.more_rule
    if rule == "auto" or (rule == "if_no_set" and solutions(state)):
        return state
    return _finish(state, deal_more(state))


def _finish(before: State, after: State) -> State:
    after = settle(after._replace(act_count=before.act_count + 1))
    return after._replace(revision=before.revision + 1)


def _draw(state: State, count: int) -> tuple[State, int]:
    """Return which of so many takes counts: the first, or one drawn by lot."""
    if state.settings.rounds != "lot" or count == 1:
        return state, 0
    draw_state, place = draw_below(state.draw_state, count)
    return state._replace(draw_state=draw_state), place

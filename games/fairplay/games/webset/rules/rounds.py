"""Rounds: everybody submits a take or a pass for the same table, and one take counts (section 6, "Fairness")."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.webset.rules.referee import penalised, take_violation, taken
from fairplay.games.webset.rules.state import Phase, Standing, Status, solutions
from fairplay.games.webset.rules.table import can_deal, dealt_more, settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fairplay.games.webset.rules.cards import Cards
    from fairplay.games.webset.rules.state import State


class Verdict(NamedTuple):
    """What a player is told of its take, and why it did not succeed."""

    status: Status
    rule: str | None = None


class Round(NamedTuple):
    """The state after a round, and a verdict for each seat that has not passed, in the order of arrival."""

    state: State
    verdicts: Mapping[int, Verdict]


def play_round(state: State, answers: Sequence[tuple[int, Cards]]) -> Round:
    """A round between the players who have answered, in the order of arrival; no cards are a pass.

    Wrong takes cost what wrong calls cost. Of those that are sets the first counts, or one drawn by lot. Where nobody
    takes, that is asking for more cards; where none are dealt either, the state stays as it is.
    """
    takes = [(seat, cards) for seat, cards in answers if cards and _may(state, seat)]
    if not takes:
        return Round(_passed(state, answers), {})
    rules = {seat: take_violation(state, cards) for seat, cards in takes}
    right = [(seat, cards) for seat, cards in takes if rules[seat] is None]
    after = state
    for seat in (seat for seat, _ in takes if rules[seat] is not None):
        after = penalised(after, seat)
    winner = None
    if right:
        after, place = _drawn(after, len(right))
        winner, cards = right[place]
        after = taken(after, winner, cards)
    verdicts = {seat: _verdict(rules[seat], seat == winner) for seat, _ in takes}
    return Round(_done(state, after), verdicts)


def _may(state: State, seat: int) -> bool:
    player = state.players[seat]
    return state.phase is Phase.OPEN and player.standing is Standing.IN and not player.locked


def _verdict(rule: str | None, won: bool) -> Verdict:
    if rule:
        return Verdict(Status.BAD_SET, rule)
    return Verdict(Status.GOT_SET) if won else Verdict(Status.ALREADY_CALLED, "webset.take.outrun")


def _passed(state: State, answers: Sequence[tuple[int, Cards]]) -> State:
    """Everybody has passed: more cards are dealt, unless that is the referee's own affair or there is a set."""
    if state.phase is not Phase.OPEN or not answers or not can_deal(state):
        return state
    rule = state.settings.more_rule
    if rule == "auto" or (rule == "if_no_set" and solutions(state)):
        return state
    return _done(state, dealt_more(state))


def _done(before: State, after: State) -> State:
    after = settled(after._replace(act_count=before.act_count + 1))
    return after._replace(revision=before.revision + 1)


def _drawn(state: State, count: int) -> tuple[State, int]:
    """Which of so many takes counts: the first, or one drawn by lot."""
    if state.settings.rounds != "lot" or count == 1:
        return state, 0
    draw_state, bits = _random_bits(state.draw_state)
    return state._replace(draw_state=draw_state), bits * count >> 64


def _random_bits(draw_state: int) -> tuple[int, int]:
    """The next hidden bits, and 64 random ones (splitmix64): a replay draws the same lots again."""
    mask = 0xFFFF_FFFF_FFFF_FFFF
    draw_state = draw_state + 0x9E37_79B9_7F4A_7C15 & mask
    bits = (draw_state ^ draw_state >> 30) * 0xBF58_476D_1CE4_E5B9 & mask
    bits = (bits ^ bits >> 27) * 0x94D0_49BB_1331_11EB & mask
    return draw_state, bits ^ bits >> 31

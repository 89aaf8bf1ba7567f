"""What becomes of the cards that players pick: after a call, in rounds, and in a puzzle (section 6, "Fairness")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairplay.games.kit.draws import draw_below
from fairplay.games.webset.rules.cards import Cards, Triple, deck_of, is_set
from fairplay.games.webset.rules.state import (
    DEAL,
    Phase,
    Standing,
    State,
    Status,
    can_deal,
    count_act,
    deal_more,
    end,
    end_lockouts,
    on_table,
    playing,
    refill,
    solutions,
    with_player,
)

MOST_NAMED = 2925
"""How many sets of an answer to a puzzle are looked at: all threes of the 27 cards of the largest table."""


def take_violation(state: State, cards: Cards) -> str | None:
    """Return the rule because of which cards are no set on the table, or None if they are one."""
    if len(cards) != DEAL:
        return "webset.take.three"
    if not all(card in deck_of(state.settings.aspects) for card in cards):
        return "webset.take.card-range"
    if len(set(cards)) < DEAL:
        return "webset.take.distinct"
    if not all(card in state.table for card in cards):
        return "webset.take.on-table"
    return None if is_set(*cards) else "webset.take.set"


def take_set(state: State, seat: int, cards: Cards) -> State:
    """Give a player its set and a point, and refill the table as the settings say."""
    player = state.players[seat]
    state = with_player(state, seat, player._replace(points=player.points + 1, cards=(*player.cards, *cards)))
    state, refilled = refill(state, cards, len(cards))
    state = end_lockouts(state)
    return state if refilled or state.settings.end_rule == "play_on" else end(state)


def penalise(state: State, seat: int, *, expired: bool = False) -> State:
    """Make a player pay for a wrong or expired call, and lock it out if the settings say so."""
    settings, player = state.settings, state.players[seat]
    after = player._replace(
        points=_pay(state, player.points, settings.penalty_expired if expired else settings.penalty_bad),
        penalties=player.penalties + 1,
        expiries=player.expiries + expired,
        locked=settings.locked_until_change,
    )
    return unlock_all_locked(with_player(state, seat, after))


def _pay(state: State, points: int, price: int) -> int:
    """Return what is left of points after a price is paid, which takes nobody below the floor."""
    floor = state.settings.score_floor
    return points - price if floor is None else max(points - price, floor)


def unlock_all_locked(state: State) -> State:
    """End the lockout of all players if all are locked out."""
    if all(state.players[seat].locked for seat in playing(state)):
        return state._replace(players=tuple([player._replace(locked=False) for player in state.players]))
    return state


def select(state: State, seat: int, cards: Cards) -> State | None:
    """Return the state in which the caller has picked these cards so far; None where they are a take to be judged.

    A selection has fewer than three cards, different ones of the table, and not those that are picked already.
    """
    if state.settings.selection != "single" or state.caller != seat or len(cards) >= DEAL:
        return None
    if sorted(cards) == sorted(state.picked) or len(set(cards)) < len(cards):
        return None
    if not all(card in on_table(state) for card in cards):
        return None
    return state._replace(picked=cards, revision=state.revision + 1)


# Rounds: all players submit a take or a pass for the same table, and one take counts


class Verdict(NamedTuple):
    """The status of a take, and the rule because of which it did not succeed."""

    status: Status
    rule: str | None = None


class Round(NamedTuple):
    """The state after a round, and a verdict for each seat that has not passed, in the order of arrival."""

    state: State
    verdicts: Mapping[int, Verdict]


def round_seats(state: State) -> list[int]:
    """Return the seats that are asked in a round: in the game, and not locked out."""
    return [seat for seat in playing(state) if not state.players[seat].locked]


def play_round(state: State, answers: Sequence[tuple[int, Cards]]) -> Round:
    """Play a round with these answers, in the order of arrival; no cards are a pass.

    A wrong take costs what a wrong call costs. Of the sets the first counts, or one drawn by lot. If all pass, they ask
    for more cards; if none are dealt either, the state stays as it is.
    """
    asked = round_seats(state) if state.phase is Phase.OPEN else ()
    takes = [(seat, cards) for seat, cards in answers if cards and seat in asked]
    if not takes:
        return Round(_deal_as_all_pass(state) if answers else state, {})
    verdicts: dict[int, Verdict] = {}
    right, after = [], state
    for seat, cards in takes:
        if rule := take_violation(state, cards):
            after = penalise(after, seat)
            verdicts[seat] = Verdict(Status.BAD_SET, rule)
        else:
            right.append((seat, cards))
            verdicts[seat] = Verdict(Status.ALREADY_CALLED, "webset.take.outrun")
    if right:
        place = 0
        if state.settings.rounds == "lot" and len(right) > 1:
            draw_state, place = draw_below(after.draw_state, len(right))
            after = after._replace(draw_state=draw_state)
        winner, cards = right[place]
        after = take_set(after, winner, cards)
        verdicts[winner] = Verdict(Status.GOT_SET)
    return Round(count_act(after), verdicts)


def _deal_as_all_pass(state: State) -> State:
    """Deal more cards, as all have passed, unless the more rule does not allow it."""
    rule = state.settings.more_rule
    if state.phase is not Phase.OPEN or not can_deal(state) or rule == "auto":
        return state
    return state if rule == "if_no_set" and solutions(state) else count_act(deal_more(state))


# The puzzle: everybody names all sets of one table, and the right ones count, less the wrong ones


class Solved(NamedTuple):
    """The right ones of the sets that a player names, and for each of the others the rule that it breaks."""

    found: Sequence[Triple]
    broken: Sequence[str]

    @property
    def status(self) -> Status | None:
        """Return what the player is told; None if it has named nothing."""
        if self.broken:
            return Status.BAD_SET
        return Status.GOT_SET if self.found else None

    @property
    def rule(self) -> str | None:
        """Return the rule that the first wrong one breaks; None if all are right."""
        return next(iter(self.broken), None)

    @property
    def cards(self) -> Cards:
        """Return the cards of the right ones, three for each."""
        return tuple([card for triple in self.found for card in triple])


def judge_named(state: State, cards: Cards) -> Solved:
    """Return which of the sets that cards name, three for each, are right."""
    found: list[Triple] = []
    broken = []
    for place in range(0, min(len(cards), MOST_NAMED * DEAL), DEAL):
        named = tuple(sorted(cards[place : place + DEAL]))
        if rule := take_violation(state, named):
            broken.append(rule)
        elif named in found:
            broken.append("webset.take.once")
        else:
            found.append((named[0], named[1], named[2]))
    return Solved(found, broken)


def solve(state: State, answers: Sequence[tuple[int, Cards]]) -> State:
    """Return the end of a puzzle: what each of these players has named counts, and nothing of others."""
    after = state
    for seat, cards in answers:
        player = after.players[seat]
        if state.phase is Phase.OPEN and player.standing is Standing.IN:
            solved = judge_named(after, cards)
            wrong = len(solved.broken)
            changed = player._replace(
                points=_pay(state, player.points + len(solved.found), wrong * state.settings.penalty_bad),
                cards=(*player.cards, *solved.cards),
                penalties=player.penalties + wrong,
            )
            after = with_player(after, seat, changed)
    return end(after._replace(act_count=state.act_count + 1, revision=state.revision + 1))

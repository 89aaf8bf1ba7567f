"""Acts: what each does in each phase (the table of section 6, and what section 5 adds to it)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.webset.rules.dealing import DEAL, can_deal, deal_more, end, end_lockouts, refill, settle, without
from fairplay.games.webset.rules.puzzle import judge_named, solve
from fairplay.games.webset.rules.state import (
    Act,
    Phase,
    Standing,
    State,
    Status,
    Take,
    Word,
    on_table,
    playing,
    solutions,
    with_player,
    without_call,
)
from fairplay.games.webset.rules.takes import pay, take_violation

if TYPE_CHECKING:
    from fairplay.games.webset.rules.cards import Cards


class Result(NamedTuple):
    """The state after an act, the status for its player, and the rule because of which it was refused or wrong.

    A call, a vote, a deal or a showing that was carried out has neither status nor rule; a set has no rule.
    """

    state: State
    status: Status | None = None
    rule: str | None = None


def carry_out(state: State, act: Act) -> Result:
    """Return what an act does; one that is refused leaves the state as it is."""
    seat, action = act
    if rule := _barred(state, seat):
        return Result(state, Status.NO_CALL if isinstance(action, Take) else Status.NOT_NOW, rule)
    if isinstance(action, Take):
        return _take(state, seat, action.cards)
    if state.settings.rounds != "off":
        return Result(state, Status.NOT_NOW, "webset.act.rounds")
    return _WORDS[action](state, seat)


def _barred(state: State, seat: int) -> str | None:
    """Return the rule because of which a player can do nothing at all, or None."""
    if seat not in range(len(state.players)) or state.players[seat].standing is not Standing.IN:
        return "webset.act.playing"
    return "webset.act.game-over" if state.phase is Phase.OVER else None


def _finish(state: State, status: Status | None = None, rule: str | None = None) -> Result:
    """Count an act that was carried out, and deal or end the game where that is due."""
    after = settle(state._replace(act_count=state.act_count + 1))
    return Result(after._replace(revision=state.revision + 1), status, rule)


# Call


def _call(state: State, seat: int) -> Result:
    if state.phase is Phase.CALLED:
        return Result(state, Status.ALREADY_CALLED, "webset.call.first")
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.call.open")
    if state.players[seat].locked:
        return Result(state, Status.NOT_NOW, "webset.call.lockout")
    call_count, revision = state.call_count + 1, state.revision + 1
    return Result(state._replace(phase=Phase.CALLED, caller=seat, call_count=call_count, revision=revision))


# Take


def _take(state: State, seat: int, cards: Cards) -> Result:
    if state.settings.rounds != "off" and state.players[seat].locked:
        return Result(state, Status.NOT_NOW, "webset.call.lockout")
    if state.settings.rounds == "puzzle":
        solved = judge_named(state, cards)
        return Result(solve(state, [(seat, cards)]), solved.status, solved.rule)
    if state.settings.rounds == "off" and state.caller != seat:
        return Result(state, Status.NO_CALL, "webset.take.caller")
    state = without_call(state)
    if rule := take_violation(state, cards):
        return _finish(penalise(state, seat), Status.BAD_SET, rule)
    return _finish(take_set(state, seat, cards), Status.GOT_SET)


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


def take_set(state: State, seat: int, cards: Cards) -> State:
    """Give a player its set and a point, and refill the table as the settings say."""
    player = state.players[seat]
    state = with_player(state, seat, player._replace(points=player.points + 1, cards=(*player.cards, *cards)))
    state, refilled = refill(without(state, cards), len(cards))
    state = end_lockouts(state)
    return state if refilled or state.settings.end_rule == "play_on" else end(state)


def penalise(state: State, seat: int, *, expired: bool = False) -> State:
    """Make a player pay for a wrong or expired call, and lock it out if the settings say so."""
    settings, player = state.settings, state.players[seat]
    price = settings.penalty_expired if expired else settings.penalty_bad
    after = player._replace(
        points=pay(player.points, price, settings.score_floor),
        penalties=player.penalties + 1,
        expiries=player.expiries + expired,
        locked=settings.locked_until_change,
    )
    return unlock_all_locked(with_player(state, seat, after))


def unlock_all_locked(state: State) -> State:
    """End the lockout of all players if all are locked out."""
    if all(state.players[seat].locked for seat in playing(state)):
        players = tuple([player._replace(locked=False) for player in state.players])
        return state._replace(players=players)
    return state


def expired(state: State, call_id: int) -> Result:
    """Return what the end of a call's time does; it is nothing if another call is open, or none."""
    if state.caller is None or call_id != state.call_count:
        return Result(state)
    after = without_call(penalise(state, state.caller, expired=True))
    return _finish(after, Status.CALL_EXPIRED, "webset.take.window")


# More


def _more(state: State, seat: int) -> Result:
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.more.open")
    if not can_deal(state):
        return Result(state, Status.NO_MORE_CARDS, "webset.more.cards")
    match state.settings.more_rule:
        case "auto":
            return Result(state, Status.NOT_NOW, "webset.more.auto")
        case "if_no_set" if solutions(state):
            return Result(state, Status.NOT_NOW, "webset.more.no-set")
        case "all_agree" | "majority":
            return _vote(state, seat)
    return _finish(deal_more(state))


def _vote(state: State, seat: int) -> Result:
    if seat in state.votes:
        return Result(state, Status.NOT_NOW, "webset.more.once")
    return _finish(count_votes(state._replace(votes=tuple(sorted((*state.votes, seat))))))


def count_votes(state: State) -> State:
    """Deal three more cards if enough of those in the game have asked for them."""
    if state.phase is not Phase.OPEN or not state.votes or not can_deal(state):
        return state
    votes, voters = len(state.votes), len(playing(state))
    enough = votes == voters if state.settings.more_rule == "all_agree" else 2 * votes > voters
    return deal_more(state) if enough else state


# Show


def _show(state: State, seat: int) -> Result:
    if state.phase is Phase.SHOWING:
        return _finish(state._replace(displayed=(state.displayed + 1) % len(solutions(state))))
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.show.open")
    if not state.settings.show_enabled:
        return Result(state, Status.NO_SETS, "webset.show.enabled")
    if not solutions(state):
        return Result(state, Status.NO_SETS, "webset.show.sets")
    return _finish(state._replace(phase=Phase.SHOWING))


def _end_show(state: State, seat: int) -> Result:
    """Discard the cards of each solution that are still there and refill the table, one solution after the other."""
    if state.phase is not Phase.SHOWING:
        return Result(state, Status.NOT_NOW, "webset.end.showing")
    after = state._replace(phase=Phase.OPEN, displayed=0)
    for triple in solutions(state):
        there = tuple([card for card in triple if card in after.table])
        after = after._replace(discarded=(*after.discarded, *there))
        after, refilled = refill(without(after, there), after.settings.table)
        if not refilled and after.settings.end_rule == "seed_immediate":
            after = end(after)
            break
    return _finish(end_lockouts(after))


_WORDS = {Word.CALL: _call, Word.MORE: _more, Word.SHOW: _show, Word.END_SHOW: _end_show}

"""What becomes of each act in each phase: the table of section 6, and of section 5 what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fairplay.games.webset.rules.cards import CARDS, is_set
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
)
from fairplay.games.webset.rules.table import can_deal, changed, dealt_more, ended, refilled, settled, without

if TYPE_CHECKING:
    from fairplay.games.webset.rules.cards import Cards
    from fairplay.games.webset.rules.state import Player


class Result(NamedTuple):
    """The state after an act, what its player is told, and the rule because of which it was refused or wrong.

    A call, a vote, a deal or a showing that was carried out has neither status nor rule; a set has no rule.
    """

    state: State
    status: Status | None = None
    rule: str | None = None


def carry_out(state: State, act: Act) -> Result:
    """What becomes of an act. Total: one that is refused leaves the state as it is."""
    seat, action = act
    if rule := _barred(state, seat):
        return Result(state, Status.NO_CALL if isinstance(action, Take) else Status.NOT_NOW, rule)
    if isinstance(action, Take):
        return _take(state, seat, action.cards)
    if state.settings.rounds != "off":
        return Result(state, Status.NOT_NOW, "webset.act.rounds")
    return _WORDS[action](state, seat)


def _barred(state: State, seat: int) -> str | None:
    """Why a player can do nothing at all."""
    if seat not in range(len(state.players)) or state.players[seat].standing is not Standing.IN:
        return "webset.act.playing"
    return "webset.act.game-over" if state.phase is Phase.OVER else None


def _done(state: State, status: Status | None = None, rule: str | None = None) -> Result:
    """An act was carried out; the dealer does what there is to do."""
    after = settled(state._replace(act_count=state.act_count + 1))
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
    if state.settings.rounds == "off" and (state.phase is not Phase.CALLED or state.caller != seat):
        return Result(state, Status.NO_CALL, "webset.take.caller")
    state = state._replace(phase=Phase.OPEN, caller=None)
    if rule := take_violation(state, cards):
        return _done(penalised(state, seat), Status.BAD_SET, rule)
    return _done(taken(state, seat, cards), Status.GOT_SET)


def take_violation(state: State, cards: Cards) -> str | None:
    """Why these are no set on the table; None where they are one."""
    if len(cards) != 3:
        return "webset.take.three"
    if not all(0 <= card < min(CARDS, 3**state.settings.aspects) for card in cards):
        return "webset.take.card-range"
    if len(set(cards)) < 3:
        return "webset.take.distinct"
    if not all(card in state.table for card in cards):
        return "webset.take.on-table"
    return None if is_set(*cards) else "webset.take.set"


def taken(state: State, seat: int, cards: Cards) -> State:
    """A player gets its set and a point; the table is refilled as the settings say."""
    player = state.players[seat]
    state = with_player(state, seat, player._replace(points=player.points + 1, cards=(*player.cards, *cards)))
    state, refilled_at_all = refilled(without(state, cards), len(cards))
    state = changed(state)
    return state if refilled_at_all or state.settings.end_rule == "play_on" else ended(state)


def penalised(state: State, seat: int, *, expired: bool = False) -> State:
    """A player pays for a wrong or expired call, and may be locked out."""
    settings, player = state.settings, state.players[seat]
    price = settings.penalty_expired if expired else settings.penalty_bad
    after = player._replace(
        points=_less(player, price, settings.score_floor),
        penalties=player.penalties + 1,
        expiries=player.expiries + expired,
        locked=settings.locked_until_change,
    )
    return unlocked(with_player(state, seat, after))


def _less(player: Player, price: int, floor: int | None) -> int:
    points = player.points - price
    return points if floor is None else max(points, floor)


def unlocked(state: State) -> State:
    """Where everybody is locked out nobody is."""
    if all(state.players[seat].locked for seat in playing(state)):
        players = tuple([player._replace(locked=False) for player in state.players])
        return state._replace(players=players)
    return state


def expired(state: State, call_id: int) -> Result:
    """The time of a call is over. That of a call that is not open any more means nothing."""
    if state.phase is not Phase.CALLED or state.caller is None or call_id != state.call_count:
        return Result(state)
    after = penalised(state, state.caller, expired=True)._replace(phase=Phase.OPEN, caller=None)
    return _done(after, Status.CALL_EXPIRED, "webset.take.window")


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
    return _done(dealt_more(state))


def _vote(state: State, seat: int) -> Result:
    if seat in state.votes:
        return Result(state, Status.NOT_NOW, "webset.more.once")
    return _done(counted(state._replace(votes=tuple(sorted((*state.votes, seat))))))


def counted(state: State) -> State:
    """Deals three more where enough of those in the game have asked for them."""
    if state.phase is not Phase.OPEN or not state.votes or not can_deal(state):
        return state
    votes, voters = len(state.votes), len(playing(state))
    enough = votes == voters if state.settings.more_rule == "all_agree" else 2 * votes > voters
    return dealt_more(state) if enough else state


# Show


def _show(state: State, seat: int) -> Result:
    if state.phase is Phase.SHOWING:
        return _done(state._replace(displayed=(state.displayed + 1) % len(solutions(state))))
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.show.open")
    if not state.settings.show_enabled:
        return Result(state, Status.NO_SETS, "webset.show.enabled")
    if not solutions(state):
        return Result(state, Status.NO_SETS, "webset.show.sets")
    return _done(state._replace(phase=Phase.SHOWING))


def _end_show(state: State, seat: int) -> Result:
    """Each solution's cards that are still there go, and the table is refilled, one solution after the other."""
    if state.phase is not Phase.SHOWING:
        return Result(state, Status.NOT_NOW, "webset.end.showing")
    after = state._replace(phase=Phase.OPEN, displayed=0)
    for triple in solutions(state):
        there = tuple([card for card in triple if card in after.table])
        after = after._replace(discarded=(*after.discarded, *there))
        after, refilled_at_all = refilled(without(after, there), after.settings.table)
        if not refilled_at_all and after.settings.end_rule == "seed_immediate":
            after = ended(after)
            break
    return _done(changed(after))


_WORDS = {Word.CALL: _call, Word.MORE: _more, Word.SHOW: _show, Word.END_SHOW: _end_show}


# Leaving


def eliminate(state: State, seat: int) -> State:
    """Takes a player out; what it has earned stays visible. During its call that is a call that expires, too.

    Once the game is over this is a player that failed when it was told the result. For a player that is already out
    nothing changes.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    revision = state.revision + 1
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return with_player(state, seat, failed)._replace(revision=revision)
    if state.caller == seat:
        state = penalised(state, seat, expired=True)._replace(phase=Phase.OPEN, caller=None)
    state = with_player(state, seat, state.players[seat]._replace(standing=Standing.OUT, locked=False))
    state = state._replace(votes=tuple([other for other in state.votes if other != seat]))
    return settled(counted(unlocked(state)))._replace(revision=revision)


def stop(state: State) -> State:
    """Ends the game as it stands; one that is over stays as it is."""
    return state if state.phase is Phase.OVER else ended(state)._replace(revision=state.revision + 1)


# What may be done


def possible(state: State, seat: int) -> tuple[Word, ...]:
    """What a player may try in this phase under these settings, also where it is not known to succeed.

    It does not say whether there is a set on the table.
    """
    settings, player = state.settings, state.players[seat]
    if player.standing is not Standing.IN or settings.rounds != "off":
        return ()
    if state.phase is Phase.SHOWING:
        return (Word.SHOW, Word.END_SHOW)
    if state.phase is not Phase.OPEN:
        return ()
    more = settings.more_rule != "auto" and can_deal(state) and seat not in state.votes
    found = ((Word.CALL, not player.locked), (Word.MORE, more), (Word.SHOW, settings.show_enabled))
    return tuple([word for word, there in found if there])


def legal(state: State) -> list[Act]:
    """Every act that would be carried out now, and of the takes all sets; in CALLED at least one take, wrong or not."""
    if state.phase is Phase.OVER:
        return []
    if state.phase is Phase.CALLED:
        assert state.caller is not None
        return _takes(state, [state.caller])
    if state.settings.rounds != "off":
        return _takes(state, round_seats(state))
    from_all = [(seat, word) for seat in playing(state) for word in possible(state, seat)]
    return [act for act in (Act(*each) for each in from_all) if carry_out(state, act).status is None]


def _takes(state: State, seats: list[int]) -> list[Act]:
    found = solutions(state) or (on_table(state)[:3],)
    return [Act(seat, Take(triple)) for seat in seats for triple in found]


def round_seats(state: State) -> list[int]:
    """The seats that are asked in a round: in the game, and not locked out."""
    return [seat for seat in playing(state) if not state.players[seat].locked]

"""The rules of Webset, pure (webset.md sections 1 to 6).

Nobody's turn comes: while the table is open any player may act, and the first act counts. `carry_out` returns what an
act does in any phase: the state after it, the status for its player, and the rule because of which it was refused or
wrong. `expired` does the same for a call whose time is over. The files beside this one have what it is made of:
`cards`, `settings`, the `state` and its dealing, what becomes of `takes`, and the `invariants`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from fairplay.games.webset.rules.cards import EMPTY, Cards, deck_of
from fairplay.games.webset.rules.settings import MAX_SEATS, Settings, settings_problem
from fairplay.games.webset.rules.state import (
    Act,
    Phase,
    Player,
    Standing,
    State,
    Status,
    Take,
    Word,
    can_deal,
    count_act,
    deal_more,
    end,
    end_lockouts,
    lay,
    on_table,
    playing,
    refill,
    settle,
    solutions,
    with_player,
    without_call,
)
from fairplay.games.webset.rules.takes import (
    judge_named,
    penalise,
    round_seats,
    solve,
    take_set,
    take_violation,
    unlock_all_locked,
)

RULES: Mapping[str, str] = MappingProxyType(
    {
        "webset.act.required": (
            "The answer to act is one of nothing, call set, more cards, show solutions and end solutions."
        ),
        "webset.act.playing": "Only players that are in the game can do anything.",
        "webset.act.game-over": "Nothing can be done once the game is over.",
        "webset.act.rounds": "In rounds players pick cards or pass, and do nothing else.",
        "webset.call.first": "While a call is open nobody can call, not even the same player again.",
        "webset.call.open": "A set can be called while the table is open, not while solutions are shown.",
        "webset.call.lockout": "A player that is locked out cannot call until the table changes.",
        "webset.take.caller": "Only the player that has called can pick cards, and only until its time is over.",
        "webset.take.window": "A call must be followed by three cards within the window; at its very end is too late.",
        "webset.take.three": "A player picks exactly three cards, in a puzzle exactly three for each set.",
        "webset.take.card-range": "A card is a number from 0 to 80; with three aspects from 0 to 26.",
        "webset.take.distinct": "The three cards are different ones.",
        "webset.take.on-table": "All three cards lie on the table.",
        "webset.take.set": "In each aspect the three cards are all alike or all different.",
        "webset.take.outrun": "In rounds only one of those that have found a set gets it.",
        "webset.take.once": "In a puzzle each set is named once.",
        "webset.more.open": "More cards can be asked for while the table is open, not during a call or a showing.",
        "webset.more.cards": "More cards can be dealt only while the deck has some and the table has room.",
        "webset.more.auto": "Where the referee deals by itself, nobody asks for more cards.",
        "webset.more.no-set": "Under the rule if_no_set more cards are dealt only while there is no set on the table.",
        "webset.more.once": "A player asks for more cards once; it is counted until the table changes.",
        "webset.show.open": "Solutions can be shown while the table is open, not during a call.",
        "webset.show.enabled": "Solutions can be shown only where the settings say so.",
        "webset.show.sets": "Solutions can be shown only if there is a set on the table.",
        "webset.end.showing": "The showing can be ended only while solutions are shown.",
    }
)
"""Rule id -> one sentence. Only the first costs a player its place in the game."""

# The beginning: the deck is shuffled, and the table dealt


def initial(settings: Settings, seat_count: int, rng: Random) -> State:
    """Return a game with a shuffled deck. Raises ValueError for settings or a number of players that cannot be."""
    if problem := settings_problem(settings):
        raise ValueError(problem[1])
    deck = shuffled(deck_of(settings.aspects), rng)
    return dealt(settings, deck, seat_count, rng.getrandbits(64))


def shuffled(cards: Sequence[int], rng: Random) -> Cards:
    """Return the cards in an order, of which each is as likely as another (Fisher and Yates)."""
    deck = list(cards)
    for last in range(len(deck) - 1, 0, -1):
        other = rng.randrange(last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return tuple(deck)


def dealt(settings: Settings, deck: Cards, seat_count: int, draw_state: int = 0) -> State:
    """Return a game with this deck, the next card first. Raises ValueError for an impossible number of players."""
    if not settings.min_players <= seat_count <= MAX_SEATS:
        raise ValueError(f"A game has {settings.min_players} to {MAX_SEATS} players, not {seat_count}.")
    state = State(
        settings=settings,
        table=(EMPTY,) * settings.max_table,
        deck=deck,
        phase=Phase.OPEN,
        caller=None,
        call_count=0,
        displayed=0,
        votes=(),
        players=(Player(),) * seat_count,
        discarded=(),
        act_count=0,
        draw_state=draw_state,
        revision=0,
    )
    return settle(lay(state, settings.table, settings.table)[0])


# Acts


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
    refusal = Status.NO_CALL if isinstance(action, Take) else Status.NOT_NOW
    if seat not in playing(state):
        return Result(state, refusal, "webset.act.playing")
    if state.phase is Phase.OVER:
        return Result(state, refusal, "webset.act.game-over")
    if isinstance(action, Take):
        return _take(state, seat, action.cards)
    if state.settings.rounds != "off":
        return Result(state, refusal, "webset.act.rounds")
    return _WORDS[action](state, seat)


def _call(state: State, seat: int) -> Result:
    if state.phase is Phase.CALLED:
        return Result(state, Status.ALREADY_CALLED, "webset.call.first")
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.call.open")
    if state.players[seat].locked:
        return Result(state, Status.NOT_NOW, "webset.call.lockout")
    call_count, revision = state.call_count + 1, state.revision + 1
    return Result(state._replace(phase=Phase.CALLED, caller=seat, call_count=call_count, revision=revision))


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
        return Result(count_act(penalise(state, seat)), Status.BAD_SET, rule)
    return Result(count_act(take_set(state, seat, cards)), Status.GOT_SET)


def expired(state: State, call_id: int) -> Result:
    """Return what the end of a call's time does; it is nothing if another call is open, or none."""
    if state.caller is None or call_id != state.call_count:
        return Result(state)
    after = without_call(penalise(state, state.caller, expired=True))
    return Result(count_act(after), Status.CALL_EXPIRED, "webset.take.window")


def _more(state: State, seat: int) -> Result:
    rule, refusal = state.settings.more_rule, None
    if state.phase is not Phase.OPEN:
        refusal = "webset.more.open"
    elif not can_deal(state):
        return Result(state, Status.NO_MORE_CARDS, "webset.more.cards")
    elif rule == "auto":
        refusal = "webset.more.auto"
    elif rule == "if_no_set" and solutions(state):
        refusal = "webset.more.no-set"
    elif seat in state.votes:
        refusal = "webset.more.once"
    if refusal:
        return Result(state, Status.NOT_NOW, refusal)
    if rule in ("all_agree", "majority"):
        return Result(count_act(_count_votes(state._replace(votes=tuple(sorted((*state.votes, seat)))))))
    return Result(count_act(deal_more(state)))


def _count_votes(state: State) -> State:
    """Deal three more cards if enough of those in the game have asked for them."""
    if state.phase is not Phase.OPEN or not state.votes or not can_deal(state):
        return state
    votes, voters = len(state.votes), len(playing(state))
    enough = votes == voters if state.settings.more_rule == "all_agree" else 2 * votes > voters
    return deal_more(state) if enough else state


def _show(state: State, seat: int) -> Result:
    if state.phase is Phase.SHOWING:
        return Result(count_act(state._replace(displayed=(state.displayed + 1) % len(solutions(state)))))
    if state.phase is not Phase.OPEN:
        return Result(state, Status.NOT_NOW, "webset.show.open")
    if not state.settings.show_enabled:
        return Result(state, Status.NO_SETS, "webset.show.enabled")
    if not solutions(state):
        return Result(state, Status.NO_SETS, "webset.show.sets")
    return Result(count_act(state._replace(phase=Phase.SHOWING)))


def _end_show(state: State, seat: int) -> Result:
    """Discard the cards of each solution that are still there and refill the table, one solution after the other."""
    if state.phase is not Phase.SHOWING:
        return Result(state, Status.NOT_NOW, "webset.end.showing")
    after = state._replace(phase=Phase.OPEN, displayed=0)
    for triple in solutions(state):
        there = tuple([card for card in triple if card in after.table])
        after, refilled = refill(after._replace(discarded=(*after.discarded, *there)), there, after.settings.table)
        if not refilled and after.settings.end_rule == "seed_immediate":
            after = end(after)
            break
    return Result(count_act(end_lockouts(after)))


_WORDS = {Word.CALL: _call, Word.MORE: _more, Word.SHOW: _show, Word.END_SHOW: _end_show}


# Which acts are possible, and whose are awaited


def turn(state: State) -> int | None:
    """Return the first seat whose act is awaited, or that of the caller; None if the game is over. See `due`."""
    if state.phase is Phase.OVER:
        return None
    return playing(state)[0] if state.caller is None else state.caller


def due(state: State) -> tuple[int, ...]:
    """Return the seats whose acts are awaited: the caller, or all that can do anything; none if the game is over."""
    if state.phase is Phase.OVER:
        return ()
    if state.caller is not None:
        return (state.caller,)
    if state.settings.rounds != "off":
        return tuple(round_seats(state))
    return tuple([seat for seat in playing(state) if possible(state, seat)])


def possible(state: State, seat: int) -> tuple[Word, ...]:
    """Return what a player may try in this phase under these settings, whether or not there is a set."""
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
    """Return all acts that would be carried out, of the takes all sets; in CALLED at least one take, wrong or not.

    In a puzzle these are all sets at once, and each alone.
    """
    if state.phase is Phase.OVER:
        return []
    if state.caller is None and state.settings.rounds == "off":
        acts = [Act(seat, word) for seat in playing(state) for word in possible(state, seat)]
        return [act for act in acts if carry_out(state, act).status is None]
    found: Iterable[Cards] = solutions(state) or (on_table(state)[:3],)
    if state.settings.rounds == "puzzle":
        found = (tuple([card for triple in solutions(state) for card in triple]), *solutions(state))
    return [Act(seat, Take(cards)) for seat in due(state) for cards in found]


def violation(state: State, action: Act) -> str | None:
    """Return the rule because of which an act is refused, or is a wrong take; None if it succeeds."""
    return carry_out(state, action).rule


def apply(state: State, action: Act) -> State:
    """Return the state after an act. A refused act changes nothing, a wrong take costs its player points."""
    return carry_out(state, action).state


# Players that join and leave, and games that end as they stand (section 5, rows 11 and 18)


def next_seat(state: State) -> int | None:
    """Return the seat of a player who would join now; None if nobody can."""
    settings = state.settings
    room = settings.late_join and settings.rounds == "off" and len(state.players) < MAX_SEATS
    return len(state.players) if room and state.phase is not Phase.OVER else None


def join(state: State) -> State:
    """Give a player with no points the seat behind all others; what the others have asked for stays."""
    return state._replace(players=(*state.players, Player()), revision=state.revision + 1)


def eliminate(state: State, seat: int) -> State:
    """Eliminate a player; what it has earned stays visible. Its open call expires.

    Once the game is over, the player has failed when it was told the result. A player that is out stays so.
    """
    if state.players[seat].standing is not Standing.IN:
        return state
    revision = state.revision + 1
    if state.phase is Phase.OVER:
        failed = state.players[seat]._replace(standing=Standing.FAILED)
        return with_player(state, seat, failed)._replace(revision=revision)
    if state.caller == seat:
        state = without_call(penalise(state, seat, expired=True))
    state = with_player(state, seat, state.players[seat]._replace(standing=Standing.OUT, locked=False))
    state = state._replace(votes=tuple([other for other in state.votes if other != seat]))
    return settle(_count_votes(unlock_all_locked(state)))._replace(revision=revision)


def stop(state: State) -> State:
    """End the game as it stands; one that is over stays as it is."""
    return state if state.phase is Phase.OVER else end(state)._replace(revision=state.revision + 1)


# Who has won (section 5, row 13)


def scores(state: State) -> tuple[int, ...]:
    """Return the points by seat, also of players that were eliminated."""
    return tuple(player.points for player in state.players)


def ranking(state: State) -> tuple[tuple[int, ...], ...]:
    """Return the seats that are left, best first: by points, then sets, then fewer penalties that have a price.

    Seats that are equal in all three share a group. The first group are the winners; it is empty, and stays first, if
    all of them failed when they were told the result.
    """

    def worth(seat: int) -> tuple[int, int, int]:
        player, settings = state.players[seat], state.settings
        wrong = (player.penalties - player.expiries) * bool(settings.penalty_bad)
        return player.points, player.sets, -(wrong + player.expiries * bool(settings.penalty_expired))

    stood = [seat for seat, player in enumerate(state.players) if player.standing is not Standing.OUT]
    groups = [tuple(group) for _, group in groupby(sorted(stood, key=worth, reverse=True), key=worth)]
    left = [tuple(seat for seat in group if state.players[seat].standing is Standing.IN) for group in groups]
    return tuple(group for place, group in enumerate(left) if group or place == 0)


def ranks(state: State) -> tuple[int, ...]:
    """Return the rank of each seat, shared as in 1, 1, 3; 0 for one that is not ranked."""
    found = [0] * len(state.players)
    better = 0
    for group in ranking(state):
        for seat in group:
            found[seat] = better + 1
        better += len(group)
    return tuple(found)

"""Webset: the sequence of calls (webset.md sections 4 to 6).

Deal goes to all. Then all are asked to Act at once, and the first act counts: a call is followed by PickCards to the
caller and Report to the others, anything else that changes what may be done by Act to all again. Where cards are picked
one by one, PickCards and Report come again for each. GameOver goes to all. In rounds PickCards goes to all at once,
again and again; in a puzzle once. Who joins a race that goes on is told Deal, and is asked as the others from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias

from fairplay.games.game import Start
from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.steps import FAILURES, Arrival, Call, CallAll, Cause, Conversation, Eliminate, Step, rank
from fairplay.games.webset import rules
from fairplay.games.webset.protocol.codec import ACT, PICK_CARDS, build_act, read_act, read_cards, read_sets
from fairplay.games.webset.protocol.controller import Controller
from fairplay.games.webset.rules import takes
from fairplay.games.webset.rules.cards import Cards
from fairplay.games.webset.rules.state import Act, Phase, Status, Take, Word, playing
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.webset.v1 import webset_pb2 as pb

Part: TypeAlias = Generator[Step, Any, None]


def play(start: Start) -> Conversation:
    """Play a game from a state to its end. If a call is open in that state, its window begins anew."""
    game = Controller(start.game_id, start.state)
    yield game.build_show()
    yield from _notify(game, [game.build_deal(seat) for seat in playing(game.state)])
    play_on = {"off": _play_race, "puzzle": _play_puzzle}.get(game.state.settings.rounds, _play_round)
    while game.state.phase is not Phase.OVER:
        yield from play_on(game)
    while (yield from _run_race(game)):  # for reports that are still open, before their players are called again
        continue
    yield from _notify(game, [game.build_game_over(seat) for seat in playing(game.state)])
    return rank(rules.ranking(game.state), rules.scores(game.state))


def _notify(game: Controller, calls: Sequence[Call]) -> Part:
    """Notify several players at once, and eliminate those that fail, in the order of their seats."""
    if not calls:
        return
    answers = yield CallAll(calls)
    for seat in sorted(answers):
        if isinstance(answers[seat], FAILURES):
            yield from _eliminate(game, seat, answers[seat])


def _eliminate(game: Controller, seat: int, cause: Cause) -> Part:
    yield Eliminate(seat, cause)
    before = game.state
    game.set_state(rules.eliminate(before, seat))
    if before.caller == seat:
        game.add_event(pb.EVENT_KIND_CALL_EXPIRED, seat)
    game.add_event(pb.EVENT_KIND_PLAYER_LEFT, seat)
    if game.state.table != before.table:  # all that are left had asked for more cards
        game.add_event(pb.EVENT_KIND_CARDS_DEALT, None)
    yield game.build_show()


def _end_idle_round(game: Controller) -> Part:
    game.record_idle_round()
    if game.state.phase is Phase.OVER:
        yield game.build_show()


# Races: the first act counts


def _play_race(game: Controller) -> Part:
    """Ask all players that are not asked yet, until one of them answers."""
    if not (yield from _run_race(game)):
        yield from _end_idle_round(game)


def _run_race(game: Controller) -> Generator[Step, Any, bool]:
    """Wait for the next answer to an open call. Return whether there was a call to wait for."""
    race = game.build_race()
    if race is None:
        return False
    arrivals = yield race
    replies = game.close_answered(race, arrivals)
    if len(replies) < len(arrivals):  # somebody joins, before what has come in the same moment, which may end the game
        game.add_player()
        yield game.build_show()
    for call, arrival in replies:
        yield from _handle(game, call, arrival)
    game.cancel_stale()
    return True


def _handle(game: Controller, call: Call, arrival: Arrival) -> Part:
    seat, answer, elapsed_s = arrival
    if call.method is PICK_CARDS:
        assert call.limit_s is not None  # the window, in races
        late = elapsed_s >= call.limit_s
        yield from _handle_cards(game, seat, Overrun() if late and not isinstance(answer, CallError) else answer)
    elif isinstance(answer, FAILURES):
        yield from _eliminate(game, seat, answer)
    elif call.method is ACT:
        yield from _handle_act(game, seat, answer)


def _handle_act(game: Controller, seat: int, reply: Any) -> Part:
    before = game.state
    try:
        word = read_act(reply)
    except MalformedReplyError as malformed:
        legal = [build_act(each) for each in (None, *rules.possible(before, seat))]
        yield from _eliminate(game, seat, build_rule_break(rules.RULES, malformed.rule_id, malformed.given, legal))
        return
    if word is None:
        game.record_pass(seat)
        return
    after, status, rule = rules.carry_out(before, Act(seat, word))
    if status is not None:
        game.record_refusal(seat, status, rule)
        return
    voted = word is Word.MORE and after.table == before.table
    game.set_state(after)
    game.add_event(pb.EVENT_KIND_VOTED if voted else _ACT_EVENTS[word], seat)
    yield game.build_show()


_ACT_EVENTS = {
    Word.CALL: pb.EVENT_KIND_CALLED,
    Word.MORE: pb.EVENT_KIND_CARDS_DEALT,
    Word.SHOW: pb.EVENT_KIND_SOLUTIONS_SHOWN,
    Word.END_SHOW: pb.EVENT_KIND_SOLUTIONS_ENDED,
}


def _handle_cards(game: Controller, seat: int, answer: Any) -> Part:
    """End a call by cards, by none in time, which is no misconduct, or by a lost player (section 5, row 18)."""
    if isinstance(answer, CallError):
        yield from _eliminate(game, seat, answer)
        return
    cards = () if isinstance(answer, Overrun) else read_cards(answer)
    if isinstance(answer, Overrun):
        after, status, rule = rules.expired(game.state, game.state.call_count)
    elif game.select(seat, cards):
        game.add_event(pb.EVENT_KIND_PICKED, seat, cards)
        yield game.build_show()
        return
    else:
        after, status, rule = rules.carry_out(game.state, Act(seat, Take(cards)))
    assert status is not None
    game.set_state(after)
    _add_take(game, seat, cards, status, rule)
    if status is not Status.GOT_SET:
        game.time.lock_out(seat)
    yield game.build_show()


def _add_take(game: Controller, seat: int, cards: Cards, status: Status, rule: str | None) -> None:
    """Add the news of a take: its player is told the status, and everybody what happened, if anything did."""
    game.news.results[seat] = status, rule
    if status in _TAKE_EVENTS:
        game.add_event(_TAKE_EVENTS[status], seat, cards if status is Status.GOT_SET else ())


_TAKE_EVENTS = {
    Status.GOT_SET: pb.EVENT_KIND_GOT_SET,
    Status.BAD_SET: pb.EVENT_KIND_BAD_SET,
    Status.CALL_EXPIRED: pb.EVENT_KIND_CALL_EXPIRED,
}


# Rounds and the puzzle: all players are asked at once


def _pick_at_once(
    game: Controller, seats: Sequence[int], read: Callable[[Any], Cards]
) -> Generator[Step, Any, dict[int, Cards]]:
    """Ask players for cards of the same table, and return those of each in the order of arrival.

    No reply in time is none. Who is lost is eliminated, and not in the answer.
    """
    answers = yield CallAll([game.build_pick_cards(seat) for seat in seats])
    picked: dict[int, Cards] = {}
    for seat, answer in answers.items():
        game.news.deliver(seat)
        if isinstance(answer, CallError):
            yield from _eliminate(game, seat, answer)
        else:
            picked[seat] = () if isinstance(answer, Overrun) else read(answer)
    return picked


def _play_round(game: Controller) -> Part:
    """Ask all players for cards; no cards are a pass."""
    picked = yield from _pick_at_once(game, takes.round_seats(game.state), read_cards)
    before = game.state
    after, verdicts = takes.play_round(before, list(picked.items()))
    if after is before:
        yield from _end_idle_round(game)
        return
    game.set_state(after)
    for seat, (status, rule) in verdicts.items():
        _add_take(game, seat, picked[seat], status, rule)
    if not verdicts:
        game.add_event(pb.EVENT_KIND_CARDS_DEALT, None)
    yield game.build_show()


def _play_puzzle(game: Controller) -> Part:
    """Ask all players once for all sets of the table, and tell each whether all is right, and everybody what is."""
    before = game.state
    named = yield from _pick_at_once(game, playing(before), read_sets)
    if not named:  # all are lost, and the game is over
        return
    game.set_state(takes.solve(game.state, list(named.items())))
    for seat, cards in named.items():
        solved = takes.judge_named(before, cards)
        if solved.status is not None:
            game.news.results[seat] = solved.status, solved.rule
        game.add_event(pb.EVENT_KIND_SOLVED, seat, solved.cards)
    yield game.build_show()

"""Webset: the sequence of calls (webset.md sections 4 to 6).

Deal goes to all. Then all are asked to Act at once, and the first act counts: a call is followed by PickCards to the
caller and Report to the others, anything else that changes what may be done by Act to all again. Where cards are picked
one by one, PickCards and Report come again for each. GameOver goes to all. In rounds PickCards goes to all at once,
again and again; in a puzzle once. Who joins a race that goes on is told Deal, and is asked as the others from then on.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeAlias

from fairplay.games.kit.judging import MalformedReplyError, build_rule_break
from fairplay.games.steps import (
    FAILURES,
    Arrival,
    Call,
    CallAll,
    Cause,
    Conversation,
    Eliminate,
    Outcome,
    Race,
    Step,
)
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.protocol.controller import Controller
from fairplay.games.webset.protocol.methods import ACT, PICK_CARDS
from fairplay.games.webset.rules import RULES, takes
from fairplay.games.webset.rules.cards import Cards
from fairplay.games.webset.rules.state import Act, Phase, State, Status, Take, Word, playing
from fairplay.games.webset.rules.takes import Solved, Verdict
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.webset.v1 import webset_pb2

CALLED = webset_pb2.EVENT_KIND_CALLED
GOT_SET = webset_pb2.EVENT_KIND_GOT_SET
BAD_SET = webset_pb2.EVENT_KIND_BAD_SET
CALL_EXPIRED = webset_pb2.EVENT_KIND_CALL_EXPIRED
VOTED = webset_pb2.EVENT_KIND_VOTED
CARDS_DEALT = webset_pb2.EVENT_KIND_CARDS_DEALT
SOLUTIONS_SHOWN = webset_pb2.EVENT_KIND_SOLUTIONS_SHOWN
SOLUTIONS_ENDED = webset_pb2.EVENT_KIND_SOLUTIONS_ENDED
PLAYER_LEFT = webset_pb2.EVENT_KIND_PLAYER_LEFT
PICKED = webset_pb2.EVENT_KIND_PICKED
SOLVED = webset_pb2.EVENT_KIND_SOLVED

Part: TypeAlias = Generator[Step, Any, None]
EventKind: TypeAlias = webset_pb2.EventKind.ValueType


def play(game_id: str, state: State) -> Conversation:
    """Play a game from a state to its end. If a call is open in that state, its window begins anew."""
    controller = Controller(game_id, state)
    yield controller.build_show()
    yield from _deal(controller)
    play_step = {"off": _play_race, "puzzle": _play_puzzle}.get(state.settings.rounds, _play_round)
    while controller.state.phase is not Phase.OVER:
        yield from play_step(controller)
    yield from _await_reports(controller)
    yield from _announce_result(controller)
    scores = rules.scores(controller.state)
    return Outcome([[(seat, scores[seat]) for seat in group] for group in rules.ranking(controller.state)])


def _deal(controller: Controller) -> Part:
    yield from _notify(controller, [controller.build_deal(seat) for seat in playing(controller.state)])


def _notify(controller: Controller, calls: Sequence[Call]) -> Part:
    """Notify several players at once, and eliminate those that fail, in the order of their seats."""
    if not calls:
        return
    answers = yield CallAll(calls)
    for seat in sorted(answers):
        if isinstance(answers[seat], FAILURES):
            yield from _eliminate(controller, seat, answers[seat])


def _eliminate(controller: Controller, seat: int, cause: Cause) -> Part:
    yield Eliminate(seat, cause)
    before = controller.state
    controller.set_state(rules.eliminate(before, seat))
    if before.caller == seat:
        controller.add_event(CALL_EXPIRED, seat)
    controller.add_event(PLAYER_LEFT, seat)
    if controller.state.table != before.table:  # all that are left had asked for more cards
        controller.add_event(CARDS_DEALT, None)
    yield controller.build_show()


# Races: the first act counts


def _play_race(controller: Controller) -> Part:
    """Ask all players that are not asked yet, until one of them answers."""
    if not (yield from _run_race(controller)):
        yield from _end_idle_round(controller)


def _run_race(controller: Controller) -> Generator[Step, Any, bool]:
    """Wait for the next answer to an open call. Return whether there was a call to wait for."""
    race = controller.build_race()
    if race is not None:
        yield from _await_answers(controller, race)
    return race is not None


def _await_answers(controller: Controller, race: Race) -> Part:
    arrivals = yield race
    replies = controller.close_answered(race, arrivals)
    if len(replies) < len(arrivals):  # before what has come in the same moment, which may end the game
        yield from _let_in(controller)
    for call, arrival in replies:
        yield from _handle(controller, call, arrival)
    controller.cancel_stale()


def _let_in(controller: Controller) -> Part:
    """Let a player join, to whom Deal is due (section 5, row 11)."""
    controller.add_player()
    yield controller.build_show()


def _end_idle_round(controller: Controller) -> Part:
    controller.record_idle_round()
    if controller.state.phase is Phase.OVER:
        yield controller.build_show()


def _handle(controller: Controller, call: Call, arrival: Arrival) -> Part:
    seat, answer, elapsed_s = arrival
    if call.method is PICK_CARDS:
        assert call.limit_s is not None  # the window, in races
        late = elapsed_s >= call.limit_s
        yield from _handle_cards(controller, seat, Overrun() if late and not isinstance(answer, CallError) else answer)
    elif isinstance(answer, FAILURES):
        yield from _eliminate(controller, seat, answer)
    elif call.method is ACT:
        yield from _handle_act(controller, seat, answer)


def _handle_act(controller: Controller, seat: int, reply: Any) -> Part:
    before = controller.state
    try:
        word = codec.parse_act(reply)
    except MalformedReplyError as malformed:
        legal = [codec.act_message(each) for each in (None, *rules.possible(before, seat))]
        cause = build_rule_break(RULES, malformed.rule_id, malformed.given, legal)
        yield from _eliminate(controller, seat, cause)
        return
    if word is None:
        controller.record_pass(seat)
        return
    after, status, rule = rules.carry_out(before, Act(seat, word))
    if status is not None:
        controller.record_refusal(seat, status, rule)
        return
    controller.set_state(after)
    controller.add_event(_event_kind(word, before, after), seat)
    yield controller.build_show()


def _event_kind(word: Word, before: State, after: State) -> EventKind:
    if word is Word.MORE:
        return VOTED if after.table == before.table else CARDS_DEALT
    return {Word.CALL: CALLED, Word.SHOW: SOLUTIONS_SHOWN, Word.END_SHOW: SOLUTIONS_ENDED}[word]


def _handle_cards(controller: Controller, seat: int, answer: Any) -> Part:
    """End a call by cards, by none in time, which is no misconduct, or by a lost player (section 5, row 18)."""
    if isinstance(answer, CallError):
        yield from _eliminate(controller, seat, answer)
        return
    cards: Cards = ()
    if isinstance(answer, Overrun):
        after, status, rule = rules.expired(controller.state, controller.state.call_count)
    else:
        cards = codec.parse_cards(answer)
        if controller.select(seat, cards):
            controller.add_event(PICKED, seat, cards)
            yield controller.build_show()
            return
        after, status, rule = rules.carry_out(controller.state, Act(seat, Take(cards)))
    assert status is not None
    controller.set_state(after)
    _add_take(controller, seat, cards, status, rule)
    if status is not Status.GOT_SET:
        controller.time.lock_out(seat)
    yield controller.build_show()


def _add_take(controller: Controller, seat: int, cards: Cards, status: Status, rule: str | None) -> None:
    """Add the news of a take: its player is told the status, and everybody what happened, if anything did."""
    controller.news.add_result(seat, status, rule)
    if status in _TAKE_EVENTS:
        controller.add_event(_TAKE_EVENTS[status], seat, cards if status is Status.GOT_SET else ())


_TAKE_EVENTS = {Status.GOT_SET: GOT_SET, Status.BAD_SET: BAD_SET, Status.CALL_EXPIRED: CALL_EXPIRED}


# Rounds


def _play_round(controller: Controller) -> Part:
    """Ask all players for cards of the same table; no reply in time is a pass."""
    answers = yield CallAll([controller.build_pick_cards(seat) for seat in takes.round_seats(controller.state)])
    picked: dict[int, Cards] = {}
    for seat, answer in answers.items():  # in the order of arrival
        controller.news.deliver(seat)
        if isinstance(answer, CallError):
            yield from _eliminate(controller, seat, answer)
        else:
            picked[seat] = () if isinstance(answer, Overrun) else codec.parse_cards(answer)
    before = controller.state
    after, verdicts = takes.play_round(before, list(picked.items()))
    if after is before:
        yield from _end_idle_round(controller)
        return
    controller.set_state(after)
    _add_round(controller, picked, verdicts)
    yield controller.build_show()


def _add_round(controller: Controller, picked: Mapping[int, Cards], verdicts: Mapping[int, Verdict]) -> None:
    for seat, (status, rule) in verdicts.items():
        _add_take(controller, seat, picked[seat], status, rule)
    if not verdicts:
        controller.add_event(CARDS_DEALT, None)


# The puzzle


def _play_puzzle(controller: Controller) -> Part:
    """Ask all players once for all sets of the table; no reply in time names none."""
    before = controller.state
    answers = yield CallAll([controller.build_pick_cards(seat) for seat in playing(before)])
    named: dict[int, Cards] = {}
    for seat, answer in answers.items():  # in the order of arrival
        controller.news.deliver(seat)
        if isinstance(answer, CallError):
            yield from _eliminate(controller, seat, answer)
        else:
            named[seat] = () if isinstance(answer, Overrun) else codec.parse_sets(answer)
    if not named:  # all are lost, and the game is over
        return
    controller.set_state(takes.solve(controller.state, list(named.items())))
    for seat, cards in named.items():
        _add_solved(controller, seat, takes.judge_named(before, cards))
    yield controller.build_show()


def _add_solved(controller: Controller, seat: int, solved: Solved) -> None:
    """Add the news of what a player has named: to itself whether all is right, and to everybody what is."""
    if solved.status is not None:
        controller.news.add_result(seat, solved.status, solved.rule)
    controller.add_event(SOLVED, seat, solved.cards)


# The end


def _await_reports(controller: Controller) -> Part:
    """Wait for the reports that are still open, before their players are called again."""
    while (yield from _run_race(controller)):
        continue


def _announce_result(controller: Controller) -> Part:
    """Announce the result to all at once; nobody moves up for a player that fails."""
    ranks = rules.ranks(controller.state)
    seats = playing(controller.state)
    yield from _notify(controller, [controller.build_game_over(seat, ranks) for seat in seats])

"""Webset: the sequence diagram (webset.md sections 4 to 6).

deal to all; then act is asked of all at once, and the first act counts: after a call pick-cards to the caller and
report to the others, after anything else that changes what may be done act to all again; game-over to all. In rounds
pick-cards to all at once, again and again.
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
    Show,
    Step,
)
from fairplay.games.webset import rules
from fairplay.games.webset.protocol import codec
from fairplay.games.webset.protocol.desk import ACT, METHODS, PICK_CARDS, SERVICE, Desk
from fairplay.games.webset.rules import Act, Phase, State, Status, Take, Word
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.webset.v1 import webset_player_pb2

__all__ = ["ACT", "METHODS", "SERVICE", "play"]

CALLED = webset_player_pb2.EVENT_KIND_CALLED
GOT_SET = webset_player_pb2.EVENT_KIND_GOT_SET
BAD_SET = webset_player_pb2.EVENT_KIND_BAD_SET
CALL_EXPIRED = webset_player_pb2.EVENT_KIND_CALL_EXPIRED
VOTED = webset_player_pb2.EVENT_KIND_VOTED
CARDS_DEALT = webset_player_pb2.EVENT_KIND_CARDS_DEALT
SOLUTIONS_SHOWN = webset_player_pb2.EVENT_KIND_SOLUTIONS_SHOWN
SOLUTIONS_ENDED = webset_player_pb2.EVENT_KIND_SOLUTIONS_ENDED
PLAYER_LEFT = webset_player_pb2.EVENT_KIND_PLAYER_LEFT

Part: TypeAlias = Generator[Step, Any, None]
EventKind: TypeAlias = webset_player_pb2.EventKind.ValueType


def play(game_id: str, state: State) -> Conversation:
    """A game from a state to its end; the window of a call that is open in it begins anew."""
    desk = Desk(game_id, state)
    yield Show(state)
    yield from _deal(desk)
    turn = _play_race if state.settings.rounds == "off" else _play_round
    while desk.state.phase is not Phase.OVER:
        yield from turn(desk)
    yield from _hear_the_last(desk)
    yield from _tell_the_result(desk)
    scores = rules.scores(desk.state)
    return Outcome([[(seat, scores[seat]) for seat in group] for group in rules.ranking(desk.state)])


def _deal(desk: Desk) -> Part:
    settings = codec.settings_message(desk.state.settings)
    yield from _tell(desk, [desk.deal(seat, settings) for seat in rules.playing(desk.state)])


def _tell(desk: Desk, calls: Sequence[Call]) -> Part:
    """Notifications to several at once; who fails is out, in the order of the seats."""
    if not calls:
        return
    answers = yield CallAll(calls)
    for seat in sorted(answers):
        if isinstance(answers[seat], FAILURES):
            yield from _eliminate(desk, seat, answers[seat])


def _eliminate(desk: Desk, seat: int, cause: Cause) -> Part:
    yield Eliminate(seat, cause)
    before = desk.state
    desk.take(rules.eliminate(before, seat))
    if before.caller == seat:
        desk.note(CALL_EXPIRED, seat)
    desk.note(PLAYER_LEFT, seat)
    if desk.state.table != before.table:  # all that are left had asked for more cards
        desk.note(CARDS_DEALT, None)
    yield Show(desk.state)


# The first act counts


def _play_race(desk: Desk) -> Part:
    """Everybody is asked who is not asked yet, until somebody answers."""
    race = desk.race()
    if race is None:
        yield from _nobody_acts(desk)
        return
    arrivals = yield race
    for call, arrival in zip(desk.arrived(race, arrivals), arrivals, strict=True):
        yield from _hear(desk, call, arrival)
    desk.drop_stale()


def _nobody_acts(desk: Desk) -> Part:
    desk.nobody_acts()
    if desk.state.phase is Phase.OVER:
        yield Show(desk.state)


def _hear(desk: Desk, call: Call, arrival: Arrival) -> Part:
    """What becomes of an answer."""
    seat, answer, elapsed_s = arrival
    if call.method is PICK_CARDS:
        yield from _hear_cards(desk, seat, answer, in_time=elapsed_s < desk.window_s)
    elif isinstance(answer, FAILURES):
        yield from _eliminate(desk, seat, answer)
    elif call.method is ACT:
        yield from _hear_act(desk, seat, answer)


def _hear_act(desk: Desk, seat: int, reply: Any) -> Part:
    try:
        word = codec.acted(reply)
    except MalformedReplyError as malformed:
        legal = [codec.act_message(each) for each in (None, *rules.possible(desk.state, seat))]
        yield from _eliminate(desk, seat, build_rule_break(rules.RULES, malformed.rule_id, malformed.given, legal))
        return
    if word is None:
        desk.passes(seat)
        return
    before = desk.state
    after, status, rule = rules.carry_out(before, Act(seat, word))
    if status is not None:
        desk.refused(seat, status, rule)
        return
    desk.take(after)
    desk.note(_kind(word, before, after), seat)
    yield Show(after)


def _kind(word: Word, before: State, after: State) -> EventKind:
    """What has happened by an act that was carried out."""
    if word is Word.MORE:
        return VOTED if after.table == before.table else CARDS_DEALT
    return {Word.CALL: CALLED, Word.SHOW: SOLUTIONS_SHOWN, Word.END_SHOW: SOLUTIONS_ENDED}[word]


def _hear_cards(desk: Desk, seat: int, answer: Any, *, in_time: bool) -> Part:
    """The end of a call: cards, or none in time, which is no misconduct, or a player that was lost (section 5, 18)."""
    if isinstance(answer, CallError):
        yield from _eliminate(desk, seat, answer)
        return
    cards: rules.Cards = ()
    if isinstance(answer, Overrun) or not in_time:
        after, status, rule = rules.expired(desk.state, desk.state.call_count)
    else:
        cards = codec.picked(answer)
        after, status, rule = rules.carry_out(desk.state, Act(seat, Take(cards)))
    assert status is not None
    desk.take(after)
    desk.result(seat, status, rule)
    desk.note(_TAKEN[status], seat, cards if status is Status.GOT_SET else ())
    if status is not Status.GOT_SET:
        desk.lock_out(seat)
    yield Show(after)


_TAKEN = {Status.GOT_SET: GOT_SET, Status.BAD_SET: BAD_SET, Status.CALL_EXPIRED: CALL_EXPIRED}


# Rounds


def _play_round(desk: Desk) -> Part:
    """Everybody is asked for cards for the same table; no reply in time is a pass."""
    answers = yield CallAll([desk.pick_cards(seat) for seat in rules.round_seats(desk.state)])
    takes: list[tuple[int, rules.Cards]] = []
    for seat, answer in answers.items():  # in the order of arrival
        if isinstance(answer, CallError):
            yield from _eliminate(desk, seat, answer)
        else:
            takes.append((seat, () if isinstance(answer, Overrun) else codec.picked(answer)))
    before = desk.state
    after, verdicts = rules.play_round(before, takes)
    if after is before:
        yield from _nobody_acts(desk)
        return
    desk.take(after)
    _note_round(desk, dict(takes), verdicts)
    yield Show(after)


def _note_round(desk: Desk, takes: Mapping[int, rules.Cards], verdicts: Mapping[int, rules.Verdict]) -> None:
    for seat, (status, rule) in verdicts.items():
        desk.result(seat, status, rule)
        if status is not Status.ALREADY_CALLED:
            desk.note(_TAKEN[status], seat, takes[seat] if status is Status.GOT_SET else ())
    if not verdicts:
        desk.note(CARDS_DEALT, None)


# The end


def _hear_the_last(desk: Desk) -> Part:
    """Reports that are still open are answered before the player is called again."""
    while (race := desk.race()) is not None:
        arrivals = yield race
        for call, arrival in zip(desk.arrived(race, arrivals), arrivals, strict=True):
            yield from _hear(desk, call, arrival)


def _tell_the_result(desk: Desk) -> Part:
    """To all at once; nobody moves up for one that fails."""
    ranks = rules.ranks(desk.state)
    yield from _tell(desk, [desk.game_over(seat, ranks) for seat in rules.playing(desk.state)])

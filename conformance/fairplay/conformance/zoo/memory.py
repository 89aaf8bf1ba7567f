"""Mutants that confuse games, forget them, or need those before, at the same time or after a restart."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from fairplay.conformance import case_ids
from fairplay.conformance.games.endings import tells_the_end
from fairplay.conformance.zoo.methods import TOO_LATE_AT_FIRST
from fairplay.conformance.zoo.mutants import (
    DIES,
    HANGS,
    RAISES,
    REPEATS_THE_LAST_GAME,
    REPEATS_THE_OTHER_GAME,
    Mutant,
    ProgramBehaviour,
    raises_if_one_begins,
    repeats,
)
from fairplay.conformance.zoo.player import GameMemory, ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import (
    after_early_end,
    after_gaps,
    after_repetition,
    after_silence,
    after_unfinished,
    asked_again,
    asked_in_another_game,
    back_in_time,
    beside_one_decision,
    between_games,
    in_game,
    in_later_games,
    in_usual_game,
    never,
    right_after_silence,
    told_again,
    when_old,
)
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import snake_case

BACK_TO_BACK = (case_ids.BACK_TO_BACK,)
ONE_AFTER_ANOTHER = (
    *case_ids.FROM_THE_MIDDLE,
    *case_ids.UNUSUAL_GAMES,
    *case_ids.UNUSUAL_CALLS,
    case_ids.UNUSUAL_IDS,
    case_ids.CALLS_AT_ONCE,
    case_ids.SLOW_RIVALS,
    case_ids.BACK_TO_BACK,
    case_ids.ENDS_BESIDE,
)
"""Cases that play many games, too, as the probes of each game do."""
BY_CHANCE = (case_ids.NO_EXCEPTION, case_ids.ALIVE, case_ids.EVERY_ANSWER)
"""Cases that fail, too, where a game does not come again as it was, so that nobody can say what a failure is due to."""


def of_past_games(game: Game) -> list[Mutant]:
    """Return the mutants that fail after other games, or beside one."""
    related = (*ONE_AFTER_ANOTHER, *BY_CHANCE, game.name)
    after_others = (replace(each, related=(*each.related, *related)) for each in AFTER_OTHERS)
    notifications = [method for method in game.methods if not method.asks]
    # Nothing comes before the first one of a game.
    return [*after_others, *BESIDE_ANOTHER, *(TOLD_LATE if len(notifications) > 1 else ())]


AFTER_OTHERS = (
    Mutant(
        "raises-in-second-game",
        "Raises an exception in its second game.",
        BACK_TO_BACK,
        in_game(2),
        RAISES,
    ),
    Mutant(
        "raises-in-third-game",
        "Raises an exception in its third game.",
        BACK_TO_BACK,
        in_game(3),
        RAISES,
        ("memory", "endings", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-in-third-usual-game",
        "Raises an exception in its third game, if the ids of all three are as servers make them for tournaments.",
        BACK_TO_BACK,
        in_usual_game(3),
        RAISES,
        ("memory", "endings", "identity", case_ids.UNDER_LOAD),
    ),
    Mutant("hangs-in-second-game", "Never answers in its second game.", BACK_TO_BACK, in_game(2), HANGS),
    Mutant(
        "dies-in-second-game",
        "Ends without a word in its second game.",
        BACK_TO_BACK,
        in_game(2),
        DIES,
    ),
    Mutant(
        "remembers-the-last-game",
        "In all games but the first, gives the longest answer again that it gave in the one before.",
        BACK_TO_BACK,
        in_later_games,
        REPEATS_THE_LAST_GAME,
        ("memory", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-in-a-known-state",
        "Raises an exception where it is asked about a state that it was asked about in another game.",
        BACK_TO_BACK,
        asked_in_another_game,
        RAISES,
        ("memory", "endings", "identity", case_ids.UNUSUAL_IDS, case_ids.UNDER_LOAD),
    ),
    Mutant(
        "raises-after-early-end",
        "Raises an exception in a game where the one before was over after two decisions, or fewer.",
        (case_ids.EARLY_END,),
        after_early_end(2),
        RAISES,
        ("memory", case_ids.UNDER_LOAD),
    ),
    Mutant(
        "fills-up-with-games",
        "Raises an exception in every game after ten others were left with one decision, or none.",
        (case_ids.NEVER_ENDED,),
        after_unfinished(10),
        RAISES,
        (case_ids.CANCELLED, case_ids.SAME_SEAT, case_ids.MANY_AT_ONCE),
    ),
    Mutant(
        "holds-a-lock-after-its-first-decision",
        "Never answers the first decision of a game while another one has had one decision, and no second one yet.",
        (case_ids.NEVER_ENDED,),
        beside_one_decision,
        HANGS,
        ("*",),
    ),
)
LONG_S, PATIENCE_S = 3.0, 9.0
CALLS_A_STREAM = 20
TOLD_LATE = tuple(
    Mutant(
        name,
        f"Raises an exception in a call that asks for nothing, {seconds:g} s after the last one in its game.",
        (case_id,),
        right_after_silence(seconds, decides=False),
        RAISES,
        ("*",),
    )
    for name, case_id, seconds in (
        ("raises-when-told-late", case_ids.SLOW_RIVALS, 0.8),
        ("raises-when-told-after-long", case_ids.LONG_SILENCE, LONG_S),
    )
)
BESIDE_ANOTHER = (
    Mutant(
        "mixes-up-games",
        "Where it is in two games at once, gives in one of them the longest answer that it has given in the other.",
        (case_ids.AT_ONCE,),
        between_games(1),
        REPEATS_THE_OTHER_GAME,
        ("memory", *case_ids.SIDE_BY_SIDE),
    ),
    Mutant(
        "raises-in-two-games",
        "Raises an exception where it is asked about another game in between.",
        (case_ids.AT_ONCE,),
        between_games(1),
        RAISES,
        # In these it may be in another method when that happens, which is another fault.
        (
            case_ids.ENDS_BESIDE,
            case_ids.MANY_AT_ONCE,
            case_ids.SAME_SEAT,
            case_ids.SIMILAR_IDS,
            case_ids.OTHER_SETTINGS,
            *case_ids.SIDE_BY_SIDE,
        ),
    ),
    Mutant(
        "is-slow-under-load",
        "Is too late where it is asked about four other games in between.",
        (case_ids.UNDER_LOAD,),
        between_games(4),
        TOO_LATE_AT_FIRST,
        case_ids.SIDE_BY_SIDE,
    ),
    Mutant(
        "forgets-after-a-while",
        "Raises an exception in a game after it has heard nothing of it for some time.",
        (case_ids.SLOW_RIVALS,),
        after_silence(0.8),
        RAISES,
        ("*",),
    ),
    Mutant(
        "forgets-after-long",
        f"Raises an exception in a game after it has heard nothing of it for {LONG_S:g} s.",
        (case_ids.LONG_SILENCE,),
        after_silence(LONG_S),
        RAISES,
        ("*",),
    ),
    Mutant(
        "raises-when-asked-after-long",
        f"Raises an exception in a decision before which it has heard nothing of the game for {LONG_S:g} s.",
        (case_ids.LONG_SILENCE,),
        right_after_silence(LONG_S, decides=True),
        RAISES,
        ("*",),
    ),
    Mutant(
        "raises-when-it-is-old",
        f"Raises an exception in every decision {LONG_S:g} s after its first call.",
        (case_ids.LONG_SILENCE,),
        when_old(LONG_S),
        RAISES,
        ("*",),
    ),
    Mutant(
        "ends-after-a-long-silence",
        f"Ends without a word when no call has come for {PATIENCE_S:g} s.",
        (case_ids.LONG_SILENCE,),
        never,
        RAISES,
        ("*",),
        program=ProgramBehaviour(patience_s=PATIENCE_S),
    ),
    Mutant(
        "dials-in-anew-after-a-silence",
        f"Ends its stream when no call has come for {PATIENCE_S:g} s, and dials in again at once.",
        (case_ids.LONG_SILENCE,),
        never,
        RAISES,
        program=ProgramBehaviour(silence_s=PATIENCE_S),
    ),
    Mutant(
        "dials-in-anew-now-and-then",
        f"Ends its stream when it has answered {CALLS_A_STREAM} calls, and dials in again at once.",
        (case_ids.ALIVE,),
        never,
        RAISES,
        ("*",),
        program=ProgramBehaviour(calls_a_stream=CALLS_A_STREAM),
    ),
    Mutant(
        "raises-after-some-seconds",
        f"Raises an exception in every decision {PATIENCE_S:g} s after its first call.",
        (case_ids.LONG_SILENCE,),
        when_old(PATIENCE_S),
        RAISES,
        ("*",),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "raises-in-slow-games",
        "Raises an exception in a decision of a game after calls of which each has come some time after the last one.",
        (case_ids.SLOW_RIVALS,),
        after_gaps(4, 0.12),
        RAISES,
        ("*",),
    ),
    Mutant(
        "raises-in-long-slow-games",
        "Raises an exception in a decision of a game after eight calls of which each has come a while after the last.",
        (case_ids.SLOW_RIVALS,),
        after_gaps(8, 0.12),
        RAISES,
        ("*",),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "forgets-in-the-middle",
        "Raises an exception in a decision, from its sixth in a game on, after it has heard nothing of it for a while.",
        (case_ids.SLOW_RIVALS,),
        right_after_silence(0.8, decides=True, first=6),
        RAISES,
        ("*",),
    ),
    Mutant(
        "raises-when-asked-again",
        "Raises an exception in all decisions after one for which it was asked twice.",
        (case_ids.CANCELLED,),
        after_repetition,
        RAISES,
        (case_ids.FRESH_PROCESS,),
    ),
    Mutant(
        "answers-each-question-once",
        "Raises an exception where it is asked for the same decision again.",
        (case_ids.FRESH_PROCESS,),
        asked_again,
        RAISES,
    ),
)


Key: TypeAlias = Callable[[str], object]
"""Returns under what a player keeps a game, by the id of the game."""
Find: TypeAlias = Callable[[ReceivedCall], GameMemory | None]
"""Returns the other game that a player takes for the one that it is asked about, or None."""

AT_ONCE = (case_ids.AT_ONCE, *case_ids.SIDE_BY_SIDE, case_ids.MANY_AT_ONCE, case_ids.ENDS_BESIDE)
"""Cases in which ids may be alike in such a way by chance."""
BESIDE_IN_TURN = (case_ids.SIMILAR_IDS, case_ids.OTHER_SETTINGS)
"""Cases in which the player may have the same seat in games at the same time."""
MEANWHILE_S, EARLY = 0.05, 6
"""Seconds, and up to which decision of a game, from the second on, they are taken: games may begin with the first."""
MIDDLE = 2
"""A player that has been asked for so many decisions is in the middle of a game."""


def of_games_at_once(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that confuse games, or forget them."""
    yield from _of_ids()
    if "seat" in game.turn.request.DESCRIPTOR.fields_by_name:
        sentence = "Answers in a game as in another one at the same time in which it has the same seat."
        trigger, effect = _finds(_in_same_seat), repeats(_in_same_seat)
        yield Mutant("mixes-up-seats", sentence, (case_ids.SAME_SEAT,), trigger, effect, (*AT_ONCE, *BESIDE_IN_TURN))
    sentence = "Raises an exception in a game if it was asked about ten others in between."
    yield Mutant(
        "keeps-ten-games", sentence, (case_ids.MANY_AT_ONCE,), between_games(10), RAISES, case_ids.SIDE_BY_SIDE
    )
    sentence = "Raises an exception in a game if it was asked about thirty others in between."
    yield Mutant(
        "keeps-thirty-games", sentence, (case_ids.MANY_AT_ONCE,), between_games(30), RAISES, case_ids.SIDE_BY_SIDE
    )
    sentence = (
        f"Takes {MEANWHILE_S:g} s for a decision, and raises an exception if another game begins meanwhile, early on."
    )
    yield Mutant(
        "walks-over-its-games",
        sentence,
        (case_ids.ENDS_BESIDE,),
        lambda call: 1 < call.decision <= EARLY,
        raises_if_one_begins(MEANWHILE_S),
        case_ids.SIDE_BY_SIDE,
    )
    sentence, cases = "Raises an exception in the middle of a game if another one has begun.", (case_ids.ENDS_BESIDE,)
    related = (case_ids.OTHER_SETTINGS, case_ids.UNUSUAL_IDS, *case_ids.SIDE_BY_SIDE)
    yield Mutant("forgets-games-when-one-begins", sentence, cases, after_a_beginning, RAISES, related)
    ends = {method.name for method in game.methods if tells_the_end(method)}
    if ends:
        sentence = "Raises an exception in the middle of a game if one that has begun since is over."
        yield Mutant("forgets-games-when-one-ends", sentence, cases, after_an_end(ends), RAISES, related)


def _of_ids() -> Iterator[Mutant]:
    names: dict[str, tuple[str, Key]] = {
        "ignores-the-case-of-ids": ("differ in nothing but case", str.lower),
        "reads-sixteen-characters-of-ids": ("begin with the same 16 characters", lambda text: text[:16]),
        "reads-the-end-of-ids": ("end with the same 16 characters", lambda text: text[-16:]),
        "reads-ids-from-the-last-slash": ("are the same from the last / on", lambda text: text.rpartition("/")[2]),
        "reads-ids-up-to-the-dot": ("are the same up to the first dot", lambda text: text.partition(".")[0]),
        "reads-the-numbers-in-ids": ("have the same numbers", lambda text: [*map(int, re.findall("[0-9]+", text))]),
        "reads-letters-and-digits-of-ids": ("have the same letters and digits", lambda text: re.sub(r"\W|_", "", text)),
        "keeps-hashes-of-ids": ("have the same 32-bit hash, as in Java", java_hash),
    }
    for name, (words, key) in names.items():
        sentence = f"Answers in a game as in another one at the same time if their ids {words}."
        find = with_like_id(key)
        yield Mutant(name, sentence, (case_ids.SIMILAR_IDS,), _finds(find), repeats(find), AT_ONCE)


def java_hash(text: str) -> int:
    """Return the hash of a text in Java."""
    return reduce(lambda total, letter: (31 * total + ord(letter)) % 2**32, text, 0)


def with_like_id(key: Key) -> Find:
    """Return a function that returns the game of the same key that was called since the last call in a game."""

    def find(call: ReceivedCall) -> GameMemory | None:
        games = call.memory.games
        own = next(game_id for game_id, each in games.items() if each is call.game)
        alike = (each for game_id, each in games.items() if each is not call.game and key(game_id) == key(own))
        last = max(alike, key=lambda each: each.last_tick, default=None)
        return last if last is not None and last.last_tick > call.game.first_tick else None

    return find


def _in_same_seat(call: ReceivedCall) -> GameMemory | None:
    """Return the game with the same seat that was called since the last call in this one."""
    seat = call.game.notes["seat"] = getattr(call.request, "seat", call.game.notes.get("seat"))
    others = (each for each in call.memory.games.values() if each is not call.game and each.number)
    alike = (each for each in others if each.notes.get("seat") == seat)
    last = max(alike, key=lambda each: each.last_tick, default=None)
    return last if last is not None and call.other_game_count and last.last_tick > call.game.first_tick else None


def _finds(find: Find) -> Trigger:
    """Trigger in decisions in which a player takes another game for the one that it is asked about."""
    return lambda call: call.decision > 1 and find(call) is not None


def after_a_beginning(call: ReceivedCall) -> bool:
    """Trigger in the middle of a game if another one has begun since."""
    return call.decision > 0 and any(True for _ in _begun_since(call))


def after_an_end(ends: set[str]) -> Trigger:
    """Trigger in the middle of a game if another one has begun since, and was said to be over."""

    def trigger(call: ReceivedCall) -> bool:
        call.game.notes["over"] = call.method.name in ends
        return call.decision > 0 and any(each.notes.get("over") for each in _begun_since(call))

    return trigger


def _begun_since(call: ReceivedCall) -> Iterator[GameMemory]:
    """Yield the games that have begun since the middle of this one; none before."""
    if call.decision == MIDDLE:
        call.game.notes["middle"] = call.memory.tick
    middle = call.game.notes.get("middle", call.memory.tick)
    return (each for each in call.memory.games.values() if each.number and each.first_tick > middle)


CASES = (case_ids.FRESH_PROCESS,)
LEAVING = (
    case_ids.ONLY_RIVAL,
    case_ids.ONE_BY_ONE,
    case_ids.RIVALS_AT_ONCE,
    case_ids.NEIGHBOUR,
    case_ids.IN_ANY_PHASE,
    case_ids.SETTINGS_IN_PHASES,
    case_ids.VOID,
)
"""Cases that play on from states in which players are told something before they are asked, and the one of telling."""


def of_introductions(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that need the notification with which a game begins."""
    introduction = find_introduction(game)
    name, later = introduction.name, game.methods[game.methods.index(introduction) + 1 :]
    decisions = {method.name for method in later if method.asks}
    notifications = {method.name for method in later} - decisions
    new, joined = _unintroduced(name, decisions), (game.name,)  # probes into which the player comes later
    sentence = f"Raises an exception in every decision of a game whose {name} it has not heard."
    yield Mutant(f"needs-{_called(introduction)}", sentence, CASES, new, RAISES, joined)
    sentence = f"Raises an exception in every decision before the first {name} that it hears in any game."

    def before_any(call: ReceivedCall) -> bool:
        return call.method.name in decisions and not call.memory.call_counts[name]

    yield Mutant(f"needs-some-{_called(introduction)}", sentence, CASES, before_any, RAISES, joined)
    sentence = f"Answers as in the game before in the decisions of a game whose {name} it has not heard."
    yield Mutant("plays-on-with-the-last-game", sentence, CASES, new, REPEATS_THE_LAST_GAME, joined)
    sentence = f"Raises an exception in the decisions of a game whose {name} it has not heard, but for seat 0."
    yield Mutant("takes-seat-0-for-granted", sentence, CASES, _in_other_seat(new), RAISES, joined)
    sentence, again = "Raises an exception when it is told the same again.", (case_ids.FRESH_PROCESS,)
    yield Mutant("raises-when-told-again", sentence, again, told_again, RAISES, (case_ids.VOID, case_ids.UNUSUAL_IDS))
    sentence = "Raises an exception in decisions about a state that is older than one with the same id of the game."
    yield Mutant("refuses-ids-of-old-games", sentence, (case_ids.UNUSUAL_IDS,), back_in_time, RAISES)
    if notifications:
        sentence = f"Raises an exception when it is told something of a game whose {name} it has not heard."
        yield Mutant(
            "ends-games-it-knows-only", sentence, CASES, _unintroduced(name, notifications), RAISES, (*LEAVING, *joined)
        )


def find_introduction(game: Game) -> Method:
    """Return the method of the first notification of a game."""
    return next(method for method in game.methods if not method.asks)


def _called(method: Method) -> str:
    return snake_case(method.name).replace("_", "-")


def _unintroduced(introduction: str, methods: Collection[str]) -> Trigger:
    """Trigger in calls of some methods if another one has not been called in this game."""
    return lambda call: call.method.name in methods and not call.game.call_counts[introduction]


def _in_other_seat(trigger: Trigger) -> Trigger:
    """Trigger as another trigger does if the request names another seat than 0."""

    def in_other_seat(call: ReceivedCall) -> bool:
        return trigger(call) and bool(call.request.seat)

    return in_other_seat

"""Mutants that fail in one method or decision, in the description of themselves, or at the end of a game."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

from fairplay.conformance import case_ids
from fairplay.conformance.games.endings import Ending, tells_the_end
from fairplay.conformance.zoo.mutants import (
    DIES,
    HANGS,
    IS_UNREADABLE,
    RAISES,
    SAYS_NOTHING,
    SAYS_SOMETHING_ELSE,
    SAYS_TOO_MUCH,
    Mutant,
    describes,
    late,
)
from fairplay.conformance.zoo.player import ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import (
    after_end,
    at_ending,
    at_repeated_ending,
    from_decision,
    having,
    in_decision,
    in_method,
    never,
    second_call,
    with_fields,
    with_the_next_field,
    with_unknown_fields,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.player.handlers import PROTOCOL_REVISION, snake_case
from fairplay.v1.player_pb2 import GameService, PlayerDescription

Patterns: TypeAlias = tuple[str, ...]


def of_methods(game: Game) -> Iterator[Mutant]:
    """Yield the mutants of every method, then those of the method in which a player decides what to do in its turn."""
    # For methods that an ordinary game does not come to.
    slow = (case_ids.SLOW_RIVALS, case_ids.LONG_SILENCE)
    anywhere = ("rules", game.name, *case_ids.FROM_THE_MIDDLE, *case_ids.ENDS_OF_GAMES, *slow)
    for method in game.methods:
        yield from _of_decision(method, anywhere) if method.asks else _of_notification(method, anywhere)
        name, called, here = method.name, _called(method), in_method(method.name)
        yield Mutant(f"dies-in-{called}", f"Ends without a word in {name}.", (case_ids.ALIVE,), here, DIES, anywhere)
        sentence = f"Answers {name} with bytes that are no message."
        yield Mutant(f"is-unreadable-in-{called}", sentence, (case_ids.READABLE,), here, IS_UNREADABLE, anywhere)
        lacks = (snake_case(name),)
        yield Mutant(
            f"lacks-{called}", f"Has no method {name}.", (case_ids.EVERY_METHOD,), never, RAISES, anywhere, lacks=lacks
        )
    yield from _of_turn(game)


def _called(method: Method) -> str:
    return snake_case(method.name).replace("_", "-")


def _of_decision(method: Method, anywhere: Patterns) -> Iterator[Mutant]:
    name, called, again = method.name, _called(method), second_call(method.name)
    sentence = f"Raises an exception in {name}."
    yield Mutant(f"raises-in-{called}", sentence, (case_ids.NO_EXCEPTION,), in_method(name), RAISES, anywhere)
    sentence = f"Never answers {name} when it is called for the second time in a game."
    yield Mutant(f"hangs-in-{called}", sentence, (case_ids.EVERY_ANSWER,), again, HANGS, anywhere)


def _of_notification(method: Method, anywhere: Patterns) -> Iterator[Mutant]:
    name, called, here = method.name, _called(method), in_method(method.name)
    yield Mutant(f"raises-in-{called}", f"Raises an exception in {name}.", (case_ids.VOID,), here, RAISES, anywhere)
    yield Mutant(f"hangs-in-{called}", f"Never returns from {name}.", (case_ids.EVERY_ANSWER,), here, HANGS, anywhere)


def _of_turn(game: Game) -> Iterator[Mutant]:
    name, here, broken = game.turn.name, in_method(game.turn.name), ("rules", game.name, *case_ids.ENDS_OF_GAMES)
    sentence = f"Answers {name} with more than a mebibyte."
    yield Mutant("says-too-much", sentence, (case_ids.READABLE,), here, SAYS_TOO_MUCH)
    sentence, cases = f"Answers {name} with an empty message.", (case_ids.WHOLE_GAMES,)
    yield Mutant("says-nothing", sentence, cases, here, SAYS_NOTHING, broken)
    sentence = f"Answers {name} with a message of another type, which has no field of the right one."
    yield Mutant("says-something-else", sentence, cases, here, SAYS_SOMETHING_ELSE, broken)


ORDINALS = {1: "first", 3: "third", 6: "sixth"}
JUST_TOO_LATE = late(lambda environment: environment.decision_s)
TOO_LATE_AT_FIRST = late(lambda environment: environment.first_decision_s)
MOST_OF_ITS_TIME = 0.75
CLOSE = late(lambda environment: environment.decision_s, MOST_OF_ITS_TIME)
CLOSE_AT_FIRST = late(lambda environment: environment.first_decision_s, MOST_OF_ITS_TIME)


def of_decisions(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in one decision of a game, or in several."""
    # Who comes into a game in the middle counts from there: its first decision may be one of another method.
    anywhere = ("rules", game.name, *case_ids.FROM_THE_MIDDLE, *case_ids.ENDS_OF_GAMES)
    for number, ordinal in ORDINALS.items():
        sentence = f"Raises an exception in its {ordinal} decision of a game."
        cases = (case_ids.NO_EXCEPTION,)
        yield Mutant(f"raises-in-{ordinal}-decision", sentence, cases, in_decision(number), RAISES, anywhere)
    sentence, cases = "Never answers when it is asked for its first decision of a game.", (case_ids.FIRST_ANSWER,)
    yield Mutant("hangs-in-first-decision", sentence, cases, in_decision(1), HANGS, anywhere)
    sentence, cases = "Never answers when it is asked for its third decision of a game.", (case_ids.EVERY_ANSWER,)
    yield Mutant("hangs-in-third-decision", sentence, cases, in_decision(3), HANGS, (*anywhere, case_ids.FIRST_ANSWER))
    sentence, cases = "Ends without a word in its sixth decision of a game.", (case_ids.ALIVE,)
    yield Mutant("dies-in-sixth-decision", sentence, cases, in_decision(6), DIES, anywhere)
    sentence, cases = "Is just too late with its first decision of a game, and no other.", (case_ids.FIRST_ANSWER,)
    yield Mutant("is-late-at-first", sentence, cases, in_decision(1), TOO_LATE_AT_FIRST, anywhere)
    sentence, cases = "Is just too late with every decision of a game but the first.", (case_ids.EVERY_ANSWER,)
    related = (*anywhere, case_ids.FIRST_ANSWER)
    yield Mutant("is-just-too-late", sentence, cases, from_decision(2), JUST_TOO_LATE, related)
    sentence, cases = "Takes three quarters of its limit for its third decision of a game.", (case_ids.HEADROOM,)
    yield Mutant("takes-most-of-its-time", sentence, cases, in_decision(3), CLOSE, ("*",))
    sentence = "Takes three quarters of its limit for its first decision of a game."
    yield Mutant("takes-most-of-its-time-at-first", sentence, cases, in_decision(1), CLOSE_AT_FIRST, ("*",))


def _wrong(name: str, sentence: str, change: Callable[[PlayerDescription], object]) -> Mutant:
    return Mutant(name, sentence, (case_ids.DESCRIBES,), in_method("Describe"), describes(change))


def put(**values: object) -> Callable[[PlayerDescription], object]:
    """Return a function that changes fields of a description."""

    def change(said: PlayerDescription) -> None:
        for name, value in values.items():
            said.ClearField(name)  # type: ignore[arg-type]  # names of fields
            said.MergeFrom(PlayerDescription(**{name: value}))  # type: ignore[arg-type]

    return change


def _of_many_games(said: PlayerDescription) -> None:
    said.services.extend(GameService(name=f"game{number}.v1.PlayerService") for number in range(64))


def _from_the_future(said: PlayerDescription) -> None:
    said.services[0].revision = PROTOCOL_REVISION + 1


OF_DESCRIBE = (
    Mutant(
        "raises-in-describe", "Raises an exception in Describe.", (case_ids.DESCRIBES,), in_method("Describe"), RAISES
    ),
    Mutant("hangs-in-describe", "Never answers Describe.", (case_ids.DESCRIBES,), in_method("Describe"), HANGS),
    Mutant(
        "is-unreadable-in-describe",
        "Answers Describe with bytes that are no message.",
        (case_ids.DESCRIBES,),
        in_method("Describe"),
        IS_UNREADABLE,
    ),
    _wrong("describes-nothing", "Says nothing about itself.", PlayerDescription.Clear),
    _wrong("has-no-name", "Has no display name.", put(display_name="")),
    _wrong("has-a-long-name", "Has a display name of 81 characters.", put(display_name="n" * 81)),
    _wrong("has-a-long-version", "Has a software version of 81 characters.", put(software_version="1" * 81)),
    _wrong("offers-nothing", "Names no service of a game.", put(services=[])),
    _wrong(
        "offers-another-game",
        "Names only the service of another game.",
        put(services=[GameService(name="chess.v1.PlayerService")]),
    ),
    _wrong("offers-a-service-twice", "Names a service twice.", lambda said: said.services.append(said.services[0])),
    _wrong("offers-too-much", "Names more than 64 services.", _of_many_games),
    _wrong(
        "comes-from-the-future",
        "Names a revision of a service that is not there yet.",
        _from_the_future,
    ),
    Mutant(
        "changes-its-name",
        "Calls itself something else when it is asked again.",
        (case_ids.DESCRIBES,),
        second_call("Describe"),
        describes(put(display_name="somebody else")),
        (case_ids.DESCRIBED_WHILE_ASKED,),
    ),
    Mutant(
        "raises-on-unknown-fields",
        "Raises an exception where a request has fields that it does not know.",
        (case_ids.UNKNOWN_FIELDS,),
        with_unknown_fields,
        RAISES,
        (case_ids.LARGE_REQUESTS,),
    ),
    Mutant(
        "raises-on-the-next-field",
        "Raises an exception where a message of a request has a field with the next number after its own.",
        (case_ids.UNKNOWN_FIELDS,),
        with_the_next_field,
        RAISES,
    ),
    *(
        Mutant(
            f"wants-{snake_case(name)}-as-it-knows-it",
            f"Raises an exception where a request of {name} has fields that it does not know.",
            (case_ids.UNKNOWN_FIELDS,),
            lambda call, name=name: call.method.name == name and with_unknown_fields(call),  # type: ignore[misc]
            RAISES,
            (case_ids.LARGE_REQUESTS,),
        )
        for name in ("Describe", "Start", "End")
    ),
)


TOURNAMENT = (case_ids.TOURNAMENT,)
WIN_AND_LOSE = (case_ids.WIN_AND_LOSE,)
BACK_TO_BACK = (case_ids.BACK_TO_BACK,)


def of_endings(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail in Start, in End, or when the game tells its players that it is over."""
    cancelled = (case_ids.CANCELLED, case_ids.UNKNOWN_FIELDS)  # which call these methods, too
    for name, lower in (("Start", "start"), ("End", "end")):
        here = in_method(name)
        yield Mutant(f"raises-in-{lower}", f"Raises an exception in {name}.", TOURNAMENT, here, RAISES)
        yield Mutant(f"hangs-in-{lower}", f"Never returns from {name}.", TOURNAMENT, here, HANGS, cancelled)
        yield Mutant(f"dies-in-{lower}", f"Ends without a word in {name}.", TOURNAMENT, here, DIES, cancelled)
        sentence = f"Answers {name} with bytes that are no message."
        yield Mutant(f"is-unreadable-in-{lower}", sentence, TOURNAMENT, here, IS_UNREADABLE)
    sentence, lost = "when it is told that it has not won the tournament.", with_fields("End", won=False)
    yield Mutant("raises-when-it-has-lost", f"Raises an exception {sentence}", WIN_AND_LOSE, lost, RAISES)
    yield Mutant("dies-of-shame", f"Ends without a word {sentence}", WIN_AND_LOSE, lost, DIES, cancelled)
    sentence = "Raises an exception when a second tournament starts."
    yield Mutant("raises-in-second-tournament", sentence, WIN_AND_LOSE, second_call("Start"), RAISES)
    for name, what, symptom in (("raises", "Raises an exception in", RAISES), ("hangs", "Does not return from", HANGS)):
        sentence = f"{what} End when it has played more than five games since Start."
        yield Mutant(f"{name}-after-many-games", sentence, TOURNAMENT, _ends_after_many, symptom)
    for name, sentence, unusual in (
        ("raises-in-end-without-start", "in End of a tournament of which it has heard no Start", _ends_unknown),
        ("raises-in-two-tournaments", "when a tournament starts in the middle of another", _starts_beside),
        ("raises-at-a-second-start", "when Start of a tournament comes a second time", _comes_again("Start")),
        ("raises-at-a-second-end", "when End of a tournament comes a second time", _comes_again("End")),
        ("raises-at-a-long-tournament-id", "where the id of a tournament has more than 60 characters", _has_long_id),
        ("raises-at-a-dashed-tournament-id", "where the id of a tournament begins with a dash", _has_dashed_id),
    ):
        yield Mutant(name, f"Raises an exception {sentence}.", (case_ids.UNUSUAL_TOURNAMENTS,), unusual, RAISES)
    if any(map(tells_the_end, game.methods)):
        yield from _of_game_ends(game)


def _comes_again(name: str) -> Trigger:
    """Return a trigger in calls of a method with an id of a tournament that an earlier one had."""

    def trigger(call: ReceivedCall) -> bool:
        if call.method.name != name:
            return False
        key = f"{name} of {call.request.tournament_id}"
        is_known = key in call.memory.notes
        call.memory.notes[key] = call.memory.tick
        return is_known

    return trigger


def _ends_unknown(call: ReceivedCall) -> bool:
    return call.method.name == "End" and call.memory.tournament_id != call.request.tournament_id


def _ends_after_many(call: ReceivedCall) -> bool:
    """Trigger in End if more than five games have begun since Start."""
    if call.method.name == "Start":
        call.memory.notes["started at"] = call.memory.tick
    begun = [each for each in call.memory.games.values() if each.number]
    since = call.memory.notes.get("started at", math.inf)
    return call.method.name == "End" and sum(each.first_tick > since for each in begun) > 5


def _starts_beside(call: ReceivedCall) -> bool:
    counts = call.memory.call_counts
    return call.method.name == "Start" and counts["Start"] > counts["End"] + 1


def _has_long_id(call: ReceivedCall) -> bool:
    return len(getattr(call.request, "tournament_id", "")) > 60


def _has_dashed_id(call: ReceivedCall) -> bool:
    return getattr(call.request, "tournament_id", "").startswith("-")


def _of_game_ends(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail when they hear how a game has ended, or after it."""
    related = ("contract", "rules", "exceptions", "endings", "memory", "time", "identity", game.name)
    for effect, verb, sentence, owner in (
        (RAISES, "raises", "Raises an exception", case_ids.VOID),
        (HANGS, "hangs", "Never returns", case_ids.EVERY_ANSWER),
        (DIES, "dies", "Ends without a word", case_ids.ALIVE),
    ):
        lost, description = at_ending(Ending.LOST), f"{sentence} when it is told that it has lost a game."
        yield Mutant(f"{verb}-when-it-loses-a-game", description, (case_ids.GAME_LOST,), lost, effect, related, owner)
    sentence, won = "Raises an exception when it is told that it has won a game.", at_ending(Ending.WON)
    yield Mutant("raises-when-it-wins-a-game", sentence, (case_ids.GAME_WON,), won, RAISES, related, case_ids.VOID)
    again, sentence = at_repeated_ending(Ending.LOST), "Raises an exception when it is told again that it has lost."
    yield Mutant("raises-when-it-loses-again", sentence, BACK_TO_BACK, again, RAISES, related)
    sentence, after = "Raises an exception in every game after one that it has lost.", after_end(Ending.LOST)
    yield Mutant("raises-after-a-lost-game", sentence, BACK_TO_BACK, after, RAISES, related)
    if find_conformance(game.name).tied_endings:
        sentence, tied = "Raises an exception when a game ends in a tie.", at_ending(Ending.TIED)
        yield Mutant("raises-at-a-tie", sentence, (case_ids.GAME_TIED,), tied, RAISES, related, case_ids.VOID)
    if len(find_conformance(game.name).tied_endings) > 1:
        sentence = "Raises an exception when it has won, and somebody of another side, too."
        yield Mutant("raises-at-a-shared-win", sentence, (case_ids.GAME_TIED,), _won_by_sides(own=True), RAISES)
        sentence = "Raises an exception when rivals of two sides have won."
        yield Mutant("raises-where-rivals-are-level", sentence, (case_ids.GAME_TIED,), _won_by_sides(own=False), RAISES)


def _won_by_sides(*, own: bool) -> Trigger:
    """Trigger when several sides have won, among them that of the player, or not."""

    def trigger(call: ReceivedCall) -> bool:
        winners = list(getattr(call.request, "winner_seats", ()))
        sides = {part.sides[seat] for part in having(call.request, "sides") for seat in winners}
        return len(sides) > 1 and (call.request.seat in winners) == own

    return trigger

"""Mutants that fail when others have left the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import DIES, HANGS, RAISES
from fairplay.conformance.zoo.eliminations import (
    count_players,
    goes_on_alone,
    signs,
    with_fewer_players,
    with_players_left,
)
from fairplay.conformance.zoo.list_sizes import first_decisions
from fairplay.conformance.zoo.mutant_player import ReceivedCall, Trigger
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.games.game import Game

IsMet: TypeAlias = Callable[[int, int], bool]
THIRD = 2
"""The seat of the third player."""


def of_departures(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail when they notice that others have left, as far as a game lets them notice it."""
    owners = (case_ids.NO_EXCEPTION, case_ids.VOID, case_ids.EVERY_ANSWER, case_ids.FIRST_ANSWER, case_ids.ALIVE)
    related = (*owners, "rules", "endings", game.name, *case_ids.POSITIONS)
    crowded = len(game.seats) > 1

    def if_left(is_met: IsMet) -> Trigger:
        return with_players_left(game.name, is_met)

    if any(signs(game.name)):
        sentence, fewer = "Raises an exception when it hears that a player has failed.", with_fewer_players(game.name)
        cases = (case_ids.RIVAL_LEAVES, *([case_ids.NEIGHBOUR] if crowded else []))
        yield Mutant("raises-when-others-fail", sentence, cases, fewer, RAISES, related)
    if not _says_who_is_left(game):
        return
    if crowded:
        sentence, two = "Raises an exception when two others have left, or more.", if_left(_two_have_left)
        cases = (case_ids.ONE_BY_ONE, case_ids.RIVALS_AT_ONCE)
        yield Mutant("raises-when-two-have-left", sentence, cases, two, RAISES, related)
        last = _deciding(if_left(_one_has_left), _is_seat_of(game.seats.stop - 1, -1))
        sentence = "Raises an exception in decisions when one of a full table has left, in the last seat."
        yield Mutant("raises-in-last-seat-when-one-has-left", sentence, (case_ids.NEIGHBOUR,), last, RAISES, related)
    if goes_on_alone(game.name):
        yield from _of_the_last_one(game, if_left(_is_alone), if_left(_was_left_by_its_only_rival), related)


def _of_the_last_one(game: Game, alone: Trigger, left_by_one: Trigger, related: tuple[str, ...]) -> Iterator[Mutant]:
    cases = (case_ids.ONLY_RIVAL, *([case_ids.ONE_BY_ONE, case_ids.RIVALS_AT_ONCE] if len(game.seats) > 1 else []))
    for effect, verb in ((RAISES, "raises"), (HANGS, "hangs")):
        sentence = {"raises": "Raises an exception", "hangs": "Never answers"}[verb]
        yield Mutant(f"{verb}-when-alone", f"{sentence} when it is the last one left.", cases, alone, effect, related)
    last, sentence = (
        _deciding(alone, _is_last),
        "Raises an exception in decisions as the last one left, in the last seat.",
    )
    yield Mutant("raises-when-alone-in-last-seat", sentence, cases[:2], last, RAISES, related)
    if len(game.seats) > 1:
        third = _deciding(alone, _is_seat_of(game.seats.stop - 1, THIRD))
        sentence = "Raises an exception in decisions when all others of a full table have left, in the third seat."
        yield Mutant("raises-when-alone-in-third-seat", sentence, cases[1:2], third, RAISES, related)
    sentence, only = "Ends without a word when its only rival has left.", (case_ids.ONLY_RIVAL,)
    yield Mutant("dies-when-its-only-rival-leaves", sentence, only, left_by_one, DIES, related)


def _deciding(trigger: Trigger, sits: IsMet) -> Trigger:
    """Trigger in decisions in which another trigger does, and `sits(players at the beginning, seat)` holds."""

    def seated(call: ReceivedCall) -> bool:
        return trigger(call) and call.decision > 0 and sits(call.game.notes["most players"], call.request.seat)

    return seated


def _is_last(most: int, seat: int) -> bool:
    return seat >= most - 1  # others may have left before the first call that says how many there are


def _is_seat_of(count: int, number: int) -> IsMet:
    """Return whether a player has a seat of so many, counted from the end if it is negative."""
    return lambda most, seat: most == count and seat == number % count


def _one_has_left(most: int, left: int) -> bool:
    return most - left == 1


def _two_have_left(most: int, left: int) -> bool:
    return most - left >= 2


def _is_alone(most: int, left: int) -> bool:
    return left == 1


def _was_left_by_its_only_rival(most: int, left: int) -> bool:
    return most == 2 and left == 1


def _says_who_is_left(game: Game) -> bool:
    usual = game.full_settings(game.settings_type())
    requests = first_decisions(game, usual, game.seats.start)
    return any(count_players(game.name, request) is not None for request in requests)

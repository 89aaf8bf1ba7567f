"""Cases about whole games, games resumed in the middle, and rivals that leave: how many, when and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import cycle, product
from random import Random
from typing import NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance.blame.faults import same
from fairplay.conformance.blame.judge import judge, untested
from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import Source, position
from fairplay.conformance.games.rivals import Departure, Fault, Rivals, rival_names
from fairplay.conformance.games.trial import Scenario, Trial, seat_names
from fairplay.games.conformance import Level, Situation, find_conformance
from fairplay.games.game import Game, find
from fairplay.games.machine import drive
from fairplay.games.steps import Call, CallKind, Failure
from fairplay.player.handlers import reply_of


def _whole_game(seat: int, count: int) -> Case:
    def body(context: Context) -> None:
        judge(context, context.whole_game(seat, count))

    return Case(
        f"rules.whole-game.seat-{seat}-of-{count}",
        Level.MUST,
        ("FAIL-1",),
        f"A player may be given any seat, here the seat {seat} (counted from 0) of {count}.",
        body,
    )


def _resumed(count: int) -> Case:
    def body(context: Context) -> None:
        seed, strategy = context.rng("resumed", count).getrandbits(32), rival_names(context.game)[-1]
        place = position(context.game, Source(context.settings, count, seed, strategy), share=0.5)
        judge(context, context.play(Scenario(f"resumed-{count}", place.situation(MOST_DECISIONS), seed)))

    return Case(
        f"rules.resumed-game.of-{count}",
        Level.MUST,
        ("CALL-14",),
        "A game goes on after a crash of the server with players that saw nothing of what was before.",
        body,
    )


@case("rules.rival-leaves", "FAIL-14")
def rival_leaves(context: Context) -> None:
    """From one turn to the next there is a player less, and what was known of it may be gone."""
    judge(context, context.game_with_leaver())


MORE_DECISIONS = 24
"""A game goes on for so many decisions after the last departure: alone a player may go on much longer."""
MOST_DECISIONS = 40
"""Longer games count as so long: nobody leaves later, and a resumed one is left."""
Pace: TypeAlias = Callable[[int, int], list[int]]
"""(rivals, decisions of the player under test in a whole game) -> after how many of its decisions each rival leaves."""


class _Plan(NamedTuple):
    seat: int
    """Of the player under test."""
    player_count: int
    departures: tuple[Departure, ...]
    more_decisions: int = MORE_DECISIONS
    settings: Message | None = None
    """None: the default settings and those that change what follows, in turn."""


def _early(rivals: int, decisions: int) -> list[int]:
    return list(range(rivals))


def _spread(rivals: int, decisions: int) -> list[int]:
    return [decisions * (number + 1) // (rivals + 1) for number in range(rivals)]


def _late(rivals: int, decisions: int) -> list[int]:
    return [max(0, decisions - rivals + number) for number in range(rivals)]


PACES: Sequence[Pace] = (_early, _spread, _late)


@case("rules.only-rival-leaves", "FAIL-14")
def only_rival_leaves(context: Context) -> None:
    """A game of two may lose one of them before its first decision, or at any time after it."""
    _play_all(context, "only-rival-leaves", _plans_for_two(context))


def _plans_for_two(context: Context) -> Iterator[_Plan]:
    faults, asking = _faults(context.rng("only-rival")), _asking_alone(context)
    for seat in range(2):
        settings = asking[-seat] if asking else None
        yield _Plan(seat, 2, (Departure(1 - seat, 0, in_decision=False),), settings=settings)
        yield from (_alone(context, seat, 2, each) for each in asking)
    for index, share in enumerate((0.0, 0.0, 0.1, 0.5, 0.8, 0.95)):
        seat = index % 2
        yield _Plan(seat, 2, (Departure(1 - seat, int(share * _length(context, seat, 2)), fault=next(faults)),))


@case("rules.rivals-leave-one-by-one", "FAIL-14")
def rivals_leave_one_by_one(context: Context) -> None:
    """Player after player may leave, in any order and at any time, until one is left."""
    _play_all(context, "rivals-leave-one-by-one", _plans_one_by_one(context))


def _plans_one_by_one(context: Context) -> Iterator[_Plan]:
    rng, faults = context.rng("one-by-one"), _faults(context.rng("one-by-one", "faults"))
    crowds = _crowds(context.game)
    for index, count in enumerate(crowds):
        for pace in PACES if len(crowds) < len(PACES) else [PACES[index % len(PACES)]]:
            seat, rivals = _seated(rng, count)
            turns = pace(len(rivals), _length(context, seat, count))
            leaving = zip(rivals, turns, strict=True)
            yield _Plan(seat, count, tuple(Departure(rival, after, fault=next(faults)) for rival, after in leaving))
    last_ones = [(count - 1, count) for count in crowds[:-1]]
    seatings = [*last_ones, *((seat, crowds[-1]) for seat in range(crowds[-1]))]
    for seat, count in seatings:
        yield from (_alone(context, seat, count, each) for each in _asking_alone(context))


def _alone(context: Context, seat: int, count: int, settings: Message) -> _Plan:
    """Return a game in which all rivals leave early, and the player under test is asked again when it is alone."""
    rivals = [other for other in range(count) if other != seat]
    context.rng("alone", seat, count).shuffle(rivals)
    departures = tuple(Departure(rival, after) for after, rival in enumerate(rivals))
    return _Plan(seat, count, departures, MORE_DECISIONS // 3, settings)


@case("rules.rivals-leave-at-once", "FAIL-14")
def rivals_leave_at_once(context: Context) -> None:
    """Between two decisions of a player several others may leave: at the beginning, or in the middle of the game."""
    _play_all(context, "rivals-leave-at-once", _plans_at_once(context))


def _plans_at_once(context: Context) -> Iterator[_Plan]:
    rng, faults = context.rng("at-once"), _faults(context.rng("at-once", "faults"))
    crowds = _crowds(context.game)
    for count in sorted({crowds[0], crowds[-1]}):
        for in_decision in (False, True):
            seat, rivals = _seated(rng, count)
            after = _length(context, seat, count) // 2 if in_decision else 0
            yield _Plan(seat, count, tuple(Departure(rival, after, in_decision, next(faults)) for rival in rivals[:2]))
    for _ in _tried_settings(context):  # under each of them all rivals leave at once
        seat, rivals = _seated(rng, count := rng.choice(crowds))
        after = _length(context, seat, count) // 2
        yield _Plan(seat, count, tuple(Departure(rival, after) for rival in rivals))


@case("rules.neighbour-leaves", "FAIL-14")
def neighbour_leaves(context: Context) -> None:
    """The player before it, or after it, in turn order is the one whose loss changes when a player is asked."""
    _play_all(context, "neighbour-leaves", _plans_of_neighbours(context))


def _plans_of_neighbours(context: Context) -> Iterator[_Plan]:
    rng, faults = context.rng("neighbours"), _faults(context.rng("neighbours", "faults"))
    for count in _crowds(context.game):
        for seat, side in product((0, count - 1, rng.randrange(count)), (1, -1)):
            departure = Departure((seat + side) % count, rng.randrange(4), fault=next(faults))
            yield _Plan(seat, count, (departure,), MORE_DECISIONS // 4)


def _length(context: Context, seat: int, count: int) -> int:
    """Return how many decisions the player under test has in a whole game, or many."""
    return min(MOST_DECISIONS, context.whole_game(seat, count).decision_count)


def _crowds(game: Game) -> range:
    """Return the numbers of players of which several can leave."""
    return range(max(3, game.seats.start), game.seats.stop)


def _seated(rng: Random, count: int) -> tuple[int, list[int]]:
    """Return a seat for the player under test, and the others in any order."""
    seats = list(range(count))
    rng.shuffle(seats)
    return seats[0], seats[1:]


def _faults(rng: Random) -> Iterator[Fault]:
    """Yield ways to fail, each as often as the others."""
    found = list(Fault)
    rng.shuffle(found)
    return cycle(found)


def _play_all(context: Context, name: str, plans: Iterator[_Plan]) -> None:
    """Play games as planned, under all settings that matter in turn, and judge each."""
    for found in context.play_each(_scenarios(context, name, plans)):
        _judge(context, found)


def _scenarios(context: Context, name: str, plans: Iterator[_Plan]) -> Iterator[Scenario]:
    for index, (plan, settings) in enumerate(zip(plans, cycle(_tried_settings(context)), strict=False)):
        turn_count = max(departure.after for departure in plan.departures) + plan.more_decisions
        scenario = context.scenario(plan.seat, plan.player_count, turn_count)
        situation = scenario.situation._replace(settings=plan.settings or settings)
        yield scenario._replace(name=f"{name}-{index}", situation=situation, departures=plan.departures)


def _judge(context: Context, found: Trial) -> None:
    """Judge a game of which rivals left: what goes wrong as well if they stay belongs to another case."""
    if found.misconduct is not None and found.scenario.situation.settings == context.settings:
        stayed = context.same_whole_game(found)
        if same(stayed, found):
            raise untested(context, "it fails in a game that nobody leaves, too", stayed)
    judge(context, found)


class _CalledError(Exception):
    """Raised if a player is called that is alone."""


@cache
def _goes_on_alone(name: str) -> bool:
    """Return whether a player whose only rival has failed is called again, under some settings."""
    return any(_is_called_alone(find(name), each) for each in _all_settings(name))


def _asking_alone(context: Context) -> Sequence[Message]:
    """Return the settings under which a player whose only rival has failed is asked for decisions."""
    is_asked = partial(_is_called_alone, context.game, decisions_only=True)
    return context.once("settings that ask alone", lambda: list(filter(is_asked, _tried_settings(context))))


def _tried_settings(context: Context) -> Sequence[Message]:
    """Return those of `_all_settings` that the profile has."""
    return [each for each in _all_settings(context.game.name) if context.scope.allows(each)]


def _all_settings(name: str) -> Sequence[Message]:
    """Return the default settings, and those that change what follows when players leave."""
    game = find(name)
    return [*map(game.full_settings, (game.settings_type(), *find_conformance(name).leaving_settings))]


def _is_called_alone(game: Game, settings: Message, *, decisions_only: bool = False) -> bool:
    situation = Situation(settings, player_count=2, seat=0)
    rivals = Rivals(game, situation, 0, [Departure(1)])
    player, is_alone = game.player(next(iter(game.strategies))), False

    def answer(call: Call) -> Message | Failure:
        nonlocal is_alone
        if call.seat == 0 and is_alone and not (decisions_only and call.kind is CallKind.NOTIFICATION):
            raise _CalledError
        is_alone = is_alone or rivals.fails(call, 0)
        return rivals.answer(call, 0) if call.seat else reply_of(player, call)

    try:
        drive(game.play("alone", settings, seat_names(situation), Random(0), None), answer)
    except _CalledError:
        return True
    return False


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module: each seat and number of players, games from the middle, rivals that leave.

    The last ones are tried as far as games can have so many players, and go on when they leave.
    """
    whole = [_whole_game(seat, count) for count in game.seats for seat in range(count)]
    resumed = [_resumed(count) for count in sorted({game.seats.start, game.seats.stop - 1})]
    two = [only_rival_leaves] if 2 in game.seats and _goes_on_alone(game.name) else []
    several = [rivals_leave_one_by_one, rivals_leave_at_once, neighbour_leaves] if _crowds(game) else []
    return [*whole, rival_leaves, *resumed, *two, *several]

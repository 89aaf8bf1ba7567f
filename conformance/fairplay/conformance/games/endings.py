"""Games shortly before their end, which the player under test wins, loses or ties whatever it answers."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import cycle
from random import Random
from typing import Any

from google.protobuf.message import Message

from fairplay.conformance.games.positions import Position, Source, position
from fairplay.conformance.games.rivals import Rivals, rival_names
from fairplay.conformance.games.trial import Scenario, seat_names
from fairplay.games.conformance import Situation
from fairplay.games.game import Game
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, CallKind, Method, calls_in
from fairplay.games.transcript import game_rng


def tells_the_end(method: Method) -> bool:
    """Return whether a method of a game tells a player that the game is over, and whether the player has won."""
    fields = set(method.request.DESCRIPTOR.fields_by_name)
    return "game_id" in fields and not {"won", "winner_seats"}.isdisjoint(fields)


SEEDS = 12
"""The games of reference players whose ends are looked at, for each number of players and strategy."""

RIVALS = 3
"""With so many different rivals each seat is tried."""


class Ending(StrEnum):
    """What a player is told about the end of a game."""

    WON = "won"
    LOST = "lost"
    TIED = "tied"


def parse_ending(request: Message) -> Ending | None:
    """Return what a request tells its player about the end of a game; None: it does not tell the end."""
    values: Any = request
    fields = set(request.DESCRIPTOR.fields_by_name)
    if "winner_seats" in fields:
        winners = list(values.winner_seats)
        return (Ending.WON if values.seat in winners else Ending.LOST) if winners else Ending.TIED
    if not {"game_id", "won"} <= fields:
        return None
    shared = "ranks" in fields and list(values.ranks).count(1) > 1
    return (Ending.TIED if shared else Ending.WON) if values.won else Ending.LOST


def find_endings(game: Game, settings: Message, wanted: Ending, rng: Random) -> Iterator[Scenario]:
    """Yield games with this end, in which the player under test is only told what happens; each has another seed.

    They go on from the last decision of games between reference players, which is a rival's.
    """
    for number, (count, seed, strategy) in enumerate(list_sources(game, rng)):
        last = position(game, Source(settings, count, seed, strategy), share=1.0)
        for seat in _others(last, rng) * RIVALS:
            situation = Situation(last.settings, last.player_count, seat, last.state, turn_count=0)
            scenario = Scenario(f"{wanted}-{number}", situation, rng.getrandbits(32), rivals_wait=False)
            if _foresee(game, scenario) is wanted:
                yield scenario
                break


def list_sources(game: Game, rng: Random) -> Iterator[tuple[int, int, str]]:
    """Yield (number of players, seed, strategy) of games, in turns from few players to many."""
    seeds = list(range(SEEDS))
    rng.shuffle(seeds)
    strategies = cycle(rival_names(game)[::-1])
    for seed in seeds:
        for count in game.seats:
            yield count, seed, next(strategies)


def _others(last: Position, rng: Random) -> list[int]:
    seats = [seat for seat in range(last.player_count) if seat != last.seat]
    rng.shuffle(seats)
    return seats


def _foresee(game: Game, scenario: Scenario) -> Ending | None:
    """Return what the player under test will be told at the end, or None if that may depend on its answers."""
    situation, endings = scenario.situation, list[Ending]()
    rivals = Rivals(game, situation, scenario.seed, scenario.departures)

    def answer(call: Call) -> Any:
        if call.seat != situation.seat:
            return rivals.answer(call, 0)
        if (ending := parse_ending(call.request)) is not None:
            endings.append(ending)
        return call.method.response()

    names, rng = seat_names(situation), game_rng(scenario.seed)
    machine = GameMachine(game.play("foreseen", situation.settings, names, rng, situation.state))
    for step in machine.play(answer):
        if any(call.seat == situation.seat and call.kind is not CallKind.NOTIFICATION for call in calls_in(step)):
            return None  # it has a decision to make, on which the end may depend
    return endings[-1] if endings else None

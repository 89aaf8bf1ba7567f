"""The ordinary games of a run, and games as text, for the option --history: GAME,GAME+GAME,…; + between games at the
same time.

A game from the beginning is seat-SEAT-of-COUNT, with :DECISIONS if it is not played to its end; any other one is
written as data, which says nothing to people.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from fairplay.conformance.games.guises import USUAL_GUISE, Guise, draw_guise
from fairplay.conformance.games.rivals import Departure, Fault, LastDecider, Phase
from fairplay.conformance.games.trial import Entry, Scenario
from fairplay.games.conformance import FirstCall, Level, Situation
from fairplay.games.game import Game


class OrdinaryGames(NamedTuple):
    """The ordinary games of a run."""

    game: Game
    seed: int

    def rng(self, *words: object) -> Random:
        """Return a random generator that depends on the seed and these words alone."""
        return Random("/".join(map(str, (self.seed, self.game.name, *words))))

    def scenario(self, seat: int, count: int, turn_count: int = 0) -> Scenario:
        """Return a game with the player under test in a seat, to its end or for so many of its decisions."""
        settings = self.game.full_settings(self.game.settings_type())
        situation = Situation(settings, count, seat, turn_count=turn_count)
        return Scenario(f"seat-{seat}-of-{count}", situation, self.rng(seat, count).getrandbits(32))

    def in_guise(self, scenario: Scenario) -> Scenario:
        """Return a scenario with its guise, which follows from the rest: in the most ordinary game the usual one."""
        if scenario.guise is not None:
            return scenario
        if scenario.name == self.scenario(0, self.game.seats.start).name:
            return scenario._replace(guise=USUAL_GUISE)
        rng = Random(f"{scenario.seed}/{scenario.name}/{scenario.situation.turn_count}/guise")
        return scenario._replace(guise=draw_guise(self.game, rng))


AFTER, BESIDE = ",", "+"
PLAIN = re.compile(r"seat-(\d{1,3})-of-(\d{1,3})(?::(\d{1,6}))?")
DATA = "data:"
MAX_CHARS = 60_000
"""What a command line takes easily."""


def write_games(games: OrdinaryGames, history: Sequence[Entry], max_chars: int = MAX_CHARS) -> str:
    """Return the games of a history as text; empty if there is more in it than games and single calls, or too much."""
    history = [entry for entry in history if not entry.is_single_call]
    if not all(entry.scenarios for entry in history):
        return ""
    written = [[_write_scenario(games, each) for each in entry.scenarios] for entry in history]
    text = AFTER.join(BESIDE.join(group) for group in written)
    return text if len(text) <= max_chars else ""


def read_games(games: OrdinaryGames, text: str) -> list[list[Scenario]]:
    """Return the games that a text says, those at the same time together. Raises ValueError if it says none."""
    return [[_read_scenario(games, each) for each in group.split(BESIDE)] for group in text.split(AFTER)]


def _write_scenario(games: OrdinaryGames, scenario: Scenario) -> str:
    situation = scenario.situation
    plain = games.scenario(situation.seat, situation.player_count, situation.turn_count)
    if games.in_guise(scenario) == games.in_guise(plain):
        length = f":{situation.turn_count}" if situation.turn_count else ""
        return f"seat-{situation.seat}-of-{situation.player_count}{length}"
    return DATA + _packed(scenario)


def _read_scenario(games: OrdinaryGames, text: str) -> Scenario:
    if text.startswith(DATA):
        return _unpacked(games.game, text.removeprefix(DATA))
    found = PLAIN.fullmatch(text)
    if found is None:
        raise ValueError(f"--history: {text!r} is no game; write seat-0-of-2, or seat-0-of-2:3 for three decisions")
    seat, count, turn_count = map(int, found.groups("0"))
    if count not in games.game.seats or seat >= count:
        raise ValueError(f"--history: there is no seat {seat} of {count} in {games.game.title}")
    return games.scenario(seat, count, turn_count)


def _packed(scenario: Scenario) -> str:
    situation = scenario.situation
    state = None if situation.state is None else situation.state.SerializeToString(deterministic=True).hex()
    settings = situation.settings.SerializeToString(deterministic=True).hex()
    rivals = situation.rivals, situation.rivals_late_in
    place = [settings, situation.player_count, situation.seat, state, situation.turn_count, *rivals]
    departures = [list(each) for each in scenario.departures]
    special = [departures, scenario.rivals_wait, scenario.joins, scenario.newcomers]
    special += [scenario.may_take_s, scenario.asked_again, scenario.guise]
    content = [scenario.name, place, scenario.seed, scenario.level, *special]
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(content).encode(), 9)).decode()


def _unpacked(game: Game, text: str) -> Scenario:
    try:
        content = json.loads(zlib.decompressobj().decompress(base64.urlsafe_b64decode(text), 1 << 22))
        name, (settings, player_count, seat, state, turn_count, rivals, late_in), seed, level, *special = content
        departures, rivals_wait, joins, newcomers, may_take_s, asked_again, guise = special
        situation = Situation(
            game.settings_type.FromString(bytes.fromhex(settings)),
            int(player_count),
            int(seat),
            None if state is None else game.state_type.FromString(bytes.fromhex(state)),
            int(turn_count),
            str(rivals),
            rivals_late_in=str(late_in),
        )
        left = tuple(
            Departure(seat, after, in_decision, Fault(fault), _read_phase(phase))
            for seat, after, in_decision, fault, phase in departures
        )
        special = (
            left,
            bool(rivals_wait),
            _read_first_call(joins),
            tuple(map(int, newcomers)),
            float(may_take_s),
            int(asked_again),
            None if guise is None else Guise(*map(int, guise)).checked,
        )
        return Scenario(str(name), situation, int(seed), Level(level), *special)
    except (binascii.Error, zlib.error, DecodeError, TypeError, ValueError):
        raise ValueError(f"--history: {DATA}{text[:20]}… is no game: it is damaged") from None


def _read_first_call(content: Sequence[Any] | None) -> FirstCall | None:
    if content is None:
        return None
    method, number, is_refused_before = content
    return FirstCall(str(method), int(number), bool(is_refused_before))


def _read_phase(content: Sequence[Any] | None) -> Phase | None:
    if content is None:
        return None
    method, beside, decider, *flags = content
    is_waiting, is_told, decides = map(bool, flags)
    return Phase(str(method), str(beside), LastDecider(decider), is_waiting, is_told, decides)

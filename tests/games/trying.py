"""What the tests of every game's probes and mutations share: players in this process, and how they fare."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from random import Random

import pytest

from fairplay.conformance.variations import vary
from fairplay.games.conformance import Level, Mutation, Probe, Situation, find_conformance
from fairplay.games.game import Game, find
from fairplay.games.kit.conformance import (
    DRAWN_STATES,
    UNUSUAL_SETTINGS,
    Answer,
    mutate_answers,
    play_situation,
    whole_game,
)
from fairplay.games.steps import CallKind, Show, answer_step, calls_in
from fairplay.player.handlers import Handlers
from fairplay.v1.misconduct_pb2 import RuleBreak

SEEDS = range(3)
RIVALS = ("first", "random")


@cache
def sound(game: str, strategy: str = "first") -> Answer:
    """A reference player in every seat, called with bytes as in a real game."""
    handlers = Handlers(find(game).player(strategy))
    return lambda call: call.method.response.FromString(
        handlers.call_now(call.method.path, call.request.SerializeToString())
    )


# Probes


def each_probe(game: Game) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("probe", find_conformance(game.name).probes, ids=lambda probe: probe.id)


def each_strategy(game: Game) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("strategy", list(game.strategies))


def check_declaration(game: Game, probe: Probe) -> None:
    assert re.fullmatch(rf"{game.name}\.[a-z0-9-]+\.[a-z0-9-]+", probe.id)
    assert probe.rules
    assert set(probe.rules) <= set(game.rules)
    assert re.fullmatch(r"[A-Z0-9][^.]*\.", probe.why), "one sentence"


def check_situation(game: Game, probe: Probe) -> None:
    for seed in SEEDS:
        situation = probe.situation(Random(seed))
        assert situation == probe.situation(Random(seed)), "the same seed gives the same situation"
        assert situation.player_count in game.seats
        assert situation.seat in range(situation.player_count)
        settings = game.full_settings(situation.settings)
        if situation.state is not None:
            assert game.check_state(settings, situation.state) == situation.player_count


def check_is_passed(game: Game, probe: Probe, strategy: str) -> None:
    """By the strategy, against each of those that the suite takes for the others."""
    for rival in RIVALS:
        for seed in SEEDS:
            situation = probe.situation(Random(seed))
            players = sound(game.name, strategy), sound(game.name, situation.rivals or rival)
            trial = play_situation(game, situation, *players, Random(seed), probe.level)
            assert trial.cause is None
            assert trial.decisions, "the player under test is asked"
            assert not situation.turn_count or trial.decisions <= situation.turn_count


# Mutations


def each_mutation(game: Game) -> pytest.MarkDecorator:
    mutations = find_conformance(game.name).mutations
    return pytest.mark.parametrize("mutation", mutations, ids=lambda mutation: mutation.name)


def check_mutation(game: Game, mutation: Mutation) -> None:
    assert mutation.method in {method.name for method in game.methods}
    assert mutation.rule in {"", *game.rules}
    assert mutation.cases
    assert len(set(mutation.cases)) == len(mutation.cases)
    whole_games = {whole_game(seat, count) for count in game.seats for seat in range(count)}
    probes = {probe.id for probe in find_conformance(game.name).probes}
    assert set(mutation.cases) <= {DRAWN_STATES, UNUSUAL_SETTINGS, *whole_games, *probes}


def check_is_caught(game: Game, mutation: Mutation) -> None:
    """By every case that it names, with every seed; of the drawn states and the unusual games by one of them."""
    for case in mutation.cases:
        if case in MANY:
            assert is_expected(broken_in_some(game, mutation, case), mutation), case
            continue
        for seed in SEEDS:
            assert is_expected(broken_in(game, mutation, case, seed), mutation), case


def broken_in(game: Game, mutation: Mutation, case: str, seed: int) -> str | None:
    """The id of the rule that a mutant breaks first in the situations of a probe, or in a whole game."""
    level = level_of(game, case)
    rules = (broken_by(game, mutation, situation, seed, level) for situation in named(game, case, seed))
    return next(filter(None, rules), None)


def broken_in_some(game: Game, mutation: Mutation, case: str) -> str | None:
    """The id of the rule that a mutant breaks first in the situations of a case that has many."""
    rules = (broken_by(game, mutation, situation, 1) for situation in MANY[case](game.name))
    return next(filter(None, rules), None)


def is_expected(rule: str | None, mutation: Mutation) -> bool:
    """Whether a mutant breaks this rule: the one that it names, or any if the mutation is an infraction."""
    return rule == mutation.rule if mutation.rule else rule is not None


def level_of(game: Game, case: str) -> Level:
    """What the case means for a certificate: infractions of this level count in it."""
    return next((probe.level for probe in find_conformance(game.name).probes if probe.id == case), Level.MUST)


def named(game: Game, case: str, seed: int) -> list[Situation]:
    """The situations of a probe, or the beginning of a whole game."""
    if whole := re.fullmatch(r"rules\.whole-game\.seat-(\d)-of-(\d)", case):
        seat, count = map(int, whole.groups())
        return [Situation(game.settings_type(), count, seat, None, 0)]
    probe = next(probe for probe in find_conformance(game.name).probes if probe.id == case)
    return [probe.situation(Random(f"{seed}/{draw}")) for draw in range(probe.draws)]


def check_breaks_nothing_else(game: Game, mutation: Mutation) -> None:
    """Whatever the probe: the reply is sound, or breaks the one rule."""
    broken = {
        probe.id: broken_by(game, mutation, probe.situation(Random(1)), 1, Level.MAY)
        for probe in find_conformance(game.name).probes
    }
    rules = {rule for rule in broken.values() if rule is not None}
    assert rules <= {mutation.rule} or (not mutation.rule and len(rules) == 1), broken


def broken_by(game: Game, mutation: Mutation, situation: Situation, seed: int, level: Level = Level.MUST) -> str | None:
    """The id of the rule that a mutant breaks in a situation, by misconduct or infraction; None if it breaks none."""
    mutant = mutate_answers(sound(game.name), mutation, Random(seed))
    others = sound(game.name, situation.rivals or "first")
    cause = play_situation(game, situation, mutant, others, Random(seed), level).cause
    assert cause is None or isinstance(cause, RuleBreak)
    return None if cause is None else cause.rule_id


@cache
def drawn_states(game: str) -> list[Situation]:
    """Every state of some random games in which somebody decides, with the first and with that player under test."""
    return [situation for seed in SEEDS for situation in _decisions(find(game), seed)]


def _decisions(game: Game, seed: int) -> list[Situation]:
    settings, count = game.settings_type(), game.seats[seed % len(game.seats)]
    conversation = game.play("drawn", settings, list("abcdefgh"[:count]), Random(seed), None)
    found: list[Situation] = []
    step, shown = next(conversation), None
    with suppress(StopIteration):
        while True:
            if isinstance(step, Show):
                shown = step.state
            deciders = {call.seat for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION}
            if deciders:
                state = game.full_state(shown)
                found += [Situation(settings, count, seat, state, 1) for seat in sorted({0, *deciders})]
            step = conversation.send(answer_step(step, sound(game.name, "random")))
    return found


@cache
def unusual_games(game: str) -> list[Situation]:
    """The beginnings of games under unusual settings, from the first and the last seat."""
    return [
        Situation(each.settings, each.player_count, seat, None, 16)
        for each in vary(find(game), Random(0))
        for seat in (0, each.player_count - 1)
    ]


MANY = {DRAWN_STATES: drawn_states, UNUSUAL_SETTINGS: unusual_games}

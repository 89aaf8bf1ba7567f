"""Cases about settings away from their defaults, and about numbers that no short game reaches.

Of the settings few games are played, in which each pair of values is found, and long ones.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from statistics import median

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import judge, untested
from fairplay.conformance.case import Case, case
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.positions import SHARE, Position, Source, position, with_revision, with_scores
from fairplay.conformance.games.rivals import rival_names
from fairplay.conformance.games.trial import Exchange, Scenario, Trial
from fairplay.conformance.games.variations import Variation
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import MisconductKind

DECISIONS = 16
"""The player decides so often in each game with unusual settings."""
FEW_DECISIONS, AMPLE_S = 4, 60.0
"""After so many seconds it decides so often only: a player may be slow, and there are many games."""
UNUSUAL_GAMES = 2
"""Of each number of players that only some settings allow so many games are played."""
MOST_FAILURES = 3
"""After so many games that failed no more are played: each may take all the time that calls have."""


@case("rules.unusual-settings", "FAIL-1")
def keeps_the_rules(context: Context) -> None:
    """An organiser may choose settings that the author never tried: sizes, numbers, variants of rules."""
    _judge_games(context, MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION)


@case("exceptions.unusual-settings", "FAIL-2")
def never_raises(context: Context) -> None:
    """A player that raises is out of the game, whatever the settings were."""
    _judge_games(context, MisconductKind.MISCONDUCT_KIND_EXCEPTION)


@case("time.unusual-settings", "TIME-5")
def answers_in_time(context: Context) -> None:
    """Some settings make a game larger, and answers slower."""
    _judge_games(context, MisconductKind.MISCONDUCT_KIND_TIMEOUT)


def _judge_games(context: Context, kind: MisconductKind.ValueType) -> None:
    """Judge the games for one kind of misconduct, as far as the usual settings do not show the same."""
    ended_early: tuple[Trial, str] | None = None
    for found in _unusual_games(context):
        if found.misconduct is None:
            continue
        if is_usual(context, found):
            ended_early = found, ""
        elif found.misconduct.kind == kind:
            judge(context, found)
        else:
            ended_early = found, CASES[found.misconduct.kind].id
    if ended_early is not None:
        raise untested(context, "games ended before all was seen", *ended_early)


def judge_elsewhere(context: Context, found: Trial) -> None:
    """Judge a trial with unusual settings for a case about something else, like `blame.judge.judge`.

    A failed call that games under unusual settings show as well belongs to the cases about these.
    """
    if found.misconduct is not None and not faults.breaks_rule(found):
        for each in _unusual_games(context):
            if faults.signature(each) == faults.signature(found) and not is_usual(context, each):
                owner = CASES[found.misconduct.kind].id
                raise untested(context, "games under unusual settings fail in the same way", each, owner)
    judge(context, found)


def is_usual(context: Context, found: Trial) -> bool:
    """Return whether a game under the usual settings ends with the same failed call."""
    here = faults.signature(found)
    if faults.breaks_rule(found):
        return False
    return any(faults.signature(each) == here for each in context.whole_games())


def _unusual_games(context: Context) -> Sequence[Trial]:
    return context.once("unusual settings", partial(_play_games, context))


def _play_games(context: Context) -> list[Trial]:
    """Return games under unusual settings, until a few of them have failed.

    Raises NotApplicable if the profile has the usual settings alone.
    """
    if not context.variations:
        raise context.scope.outside()
    trials: list[Trial] = []
    failure_count = 0
    for found in context.play_each(_scenarios(context)):
        trials.append(found)
        failure_count += found.misconduct is not None
        if failure_count == MOST_FAILURES:
            break
    return trials


def _scenarios(context: Context) -> Iterator[Scenario]:
    began = time.monotonic()
    for each in context.variations:
        is_slow = context.is_slow or time.monotonic() - began > AMPLE_S
        scenario = context.varied(each, each.name, FEW_DECISIONS if is_slow else DECISIONS)
        late_in = context.rng(each.name, "late").choice(("", "", find_conformance(context.game.name).late_in))
        yield scenario._replace(situation=scenario.situation._replace(rivals_late_in=late_in))
    yield from _modes(context)
    yield from _unusual_counts(context)


def _modes(context: Context) -> Iterator[Scenario]:
    """Yield a game to its end in each mode that the game has beside its usual one."""
    game = context.game
    modes = [*find_conformance(game.name).modes]
    context.rng("modes").shuffle(modes)
    for number, (mode, count) in enumerate(zip(modes, cycle(game.seats), strict=False)):
        played = Variation(f"mode-{number}", game.full_settings(mode), count)
        yield context.varied(played, played.name, FEW_DECISIONS if context.is_slow else 0)


def _unusual_counts(context: Context) -> Iterator[Scenario]:
    """Yield games of the fewest and the most players, where only some settings allow so many, to the end.

    One player alone has nobody to compare itself with.
    """
    game, counts = context.game, Counter[int]()
    for each in context.variations:
        seats = game.seats_with(each.settings)
        for count in sorted({seats.start, seats.stop - 1}.difference(game.seats)):
            counts[count] += 1
            if counts[count] <= UNUSUAL_GAMES:
                name = f"players-{count}-{counts[count]}"
                situation = Situation(each.settings, count, count - 1, None, FEW_DECISIONS if context.is_slow else 0)
                yield Scenario(name, situation, context.rng(name).getrandbits(32))


CASES: Mapping[MisconductKind.ValueType, Case] = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: keeps_the_rules,
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: never_raises,
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: answers_in_time,
}


@case(case_ids.LONG_GAME, "FAIL-1")
def long_game(context: Context) -> None:
    """What grows in the course of a game, or runs out, does so in long games only."""
    games = long_games(context)
    if not games:
        raise context.scope.outside()
    for found in games:
        judge_elsewhere(context, found)


def long_games(context: Context) -> Sequence[Trial]:
    """Return games in which the player has many decisions, each played alone and once.

    Empty where all games have so many, or the profile has none of them.
    """
    return context.once("long games", partial(_play_long_games, context))


def _play_long_games(context: Context) -> list[Trial]:
    trials = list[Trial]()
    long = filter(context.scope.holds, find_conformance(context.game.name).long_games)
    for number, situation in enumerate(long):
        name = f"long-game-{number + 1}"
        scenario = Scenario(name, situation, context.rng(name).getrandbits(32))
        found, may_take_s = context.play(scenario), PATIENCE_SHARE * context.player.budget.left_s
        if found.is_cut and not context.is_slow and _may_exceed_a_limit(found, may_take_s):
            found = context.play(scenario._replace(may_take_s=may_take_s))
        trials.append(found)
    return trials


QUARTER, EIGHTH = 4, 8
SLOWER, SLOW_SHARE = 4, 1 / 16
"""Who takes so many times as long for the last decisions and more than this share of a limit slows down."""
PATIENCE_SHARE = 0.5
"""A game in which a player slows down may take so much of what is left of the budget: does it exceed a limit?"""


def slowed_down(found: Trial) -> str:
    """Return how a player got slower in the course of a game, in words; empty if it did not, or hardly.

    For each method, the usual time of the first decisions is compared with that of the last ones.
    """
    for times, limit_s, method in _times_of_methods(found):
        first, last = median(times[: len(times) // QUARTER]), median(times[-(len(times) // EIGHTH) :])
        if last > max(SLOWER * first, SLOW_SHARE * limit_s):
            return (
                f"{method} took {1000 * first:,.1f} ms at the beginning of a game of {len(times)} calls of it, and "
                f"{1000 * last:,.1f} ms at its end"
            )
    return ""


def _may_exceed_a_limit(found: Trial, may_take_s: float) -> bool:
    """Return whether a player that gets slower as it did last would be too late before the game has taken so long."""
    for times, limit_s, _ in _times_of_methods(found):
        size = len(times) // EIGHTH
        before, last = median(times[-2 * size : -size]), median(times[-size:])
        more = (last - before) / size
        if more > 0 and sum(times) + (limit_s - last) / more * (last + limit_s) / 2 < may_take_s:
            return bool(slowed_down(found))
    return False


def _times_of_methods(found: Trial) -> Iterator[tuple[Sequence[float], float, str]]:
    """Yield the times of the decisions, their limit and their method, for each method that was called often."""
    asked: dict[str, list[Exchange]] = {}
    for each in found.exchanges:
        if each.kind is not CallKind.NOTIFICATION:
            asked.setdefault(each.method.name, []).append(each)
    for method, calls in asked.items():
        if len(calls) >= QUARTER * EIGHTH:
            yield [each.elapsed_s for each in calls], calls[-1].limit_s, method


LARGE = (2**31, 2**32, 2**52, 2**53 - 1 - 2**20)
"""Beyond what 32 bits hold, with and without a sign, and 52; a number of JavaScript holds them all."""
LARGE_DECISIONS = 3


@case("rules.large-numbers", "FAIL-1")
def large_numbers(context: Context) -> None:
    """Revisions have 64 bits and scores 32: a player that keeps fewer raises, or takes an old state for a new one."""
    for found in context.play_each(_large_scenarios(context)):
        judge(context, found)


def _large_scenarios(context: Context) -> Iterator[Scenario]:
    for revision in LARGE:
        found, seed = _position(context, revision)
        yield Scenario(f"revision-{revision}", with_revision(found, revision).situation(LARGE_DECISIONS), seed)
    found, seed = _position(context, "scores")
    rich = with_scores(context.game, found, context.scope)
    if rich is not None:
        yield Scenario("large-scores", rich.situation(LARGE_DECISIONS), seed)


def _position(context: Context, word: object) -> tuple[Position, int]:
    """Return a position in the middle of a game, and the seed of that game."""
    rng, strategy = context.rng("large-numbers", word), rival_names(context.game)[-1]
    source = Source(context.settings, context.game.seats.start, rng.getrandbits(32), strategy)
    return position(context.game, source, SHARE), source.seed


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module.

    A game that is long under its default settings needs no other long game; the states of some have no revision.
    """
    long = [long_game] if find_conformance(game.name).long_games else []
    large = [large_numbers] if "revision" in game.state_type.DESCRIPTOR.fields_by_name else []
    return [*CASES.values(), *long, *large]

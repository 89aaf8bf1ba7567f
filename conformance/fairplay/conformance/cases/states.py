"""Cases about states drawn by their features; of those that fail a simple one is shown."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, cycle, islice, zip_longest
from typing import NamedTuple

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import Control, judge, judge_condition, untested, where
from fairplay.conformance.case import Case, NotApplicable, NotTested, case
from fairplay.conformance.cases.settings import is_usual, judge_elsewhere
from fairplay.conformance.games import positions
from fairplay.conformance.games.beforehand import found_beforehand, prepare
from fairplay.conformance.games.candidates import STEPS, Candidate, find_candidates, find_made_states
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.coverage import Draw, Known, measure_coverage
from fairplay.conformance.games.features import Feature, own_features
from fairplay.conformance.games.frames import GIVEN_UP_SHARE, SLOW_SHARE, ask_telling
from fairplay.conformance.games.positions import Source, find_position
from fairplay.conformance.games.rivals import Departure, Fault, all_rival_names
from fairplay.conformance.games.trial import Manner, Outgoing, Scenario, Trial
from fairplay.conformance.player.player import Answered, Connection
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import CallKind
from fairplay.v1.misconduct_pb2 import MisconductKind

GAMES = 12
"""From so many games under the usual settings states are drawn, or from one for each number of players and strategy."""
LEAVING = 4
"""A player leaves one of so many games under unusual settings."""
CHANGES = 2
"""For each state to be drawn so many are changed, to reach features that games do not."""
DECISIONS = 3
"""The player decides so often from each state."""
MAX_DECISIONS = 80
"""Games under unusual settings are followed so far: there are many of them."""
SIMPLIFY_LIMIT_S = 10.0
FEW_STATES, AMPLE_S = 40, 60.0
"""After so many seconds so many states are enough: a player may be slow."""
STATES_SHARE = 1 / 16

LEFT, FEW_PLAYERS = 2, 2
"""A rival leaves so many of the games that go on from a state with a feature, of more players than the second number.
"""
HURRIED, HURRIED_S = 24, 0.5
"""So many of the states are asked once more in a hurry, with a limit of so many seconds."""


class Results(NamedTuple):
    """The trials from drawn states."""

    trials: Sequence[tuple[Candidate, Trial]]
    stopped: NotTested | None
    """Why no more were played, if the player is not asked any more."""
    left: Sequence[Trial]
    """Those of games from some of the states that a rival has left."""


class Drawn(NamedTuple):
    """The states that are drawn, in this order, and what those had among which they were."""

    states: Sequence[Candidate]
    known: Known


def _draw_states(context: Context) -> Drawn:
    """Draw different states, half of them of games under the usual settings."""
    own, halves = own_features(context.game), [[*_candidates(context, usual=usual)] for usual in (True, False)]
    orders = [Draw(each, own).draw(context.rng("drawn states", number)) for number, each in enumerate(halves)]
    mixed, every = filter(None, chain.from_iterable(zip_longest(*orders))), [*chain(*halves)]
    known = Known({feature for each in every for feature in each.features}, Draw(every, own).pair_count())
    return Drawn([*islice(mixed, context.examples)], known)


@case(case_ids.DRAWN_STATES, "FAIL-1", prepare=prepare(_draw_states))
def keeps_the_rules(context: Context) -> None:
    """What a player gets wrong shows in positions that its author never thought of."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION)
    _judge_hurried(context)


@case("exceptions.drawn-states", "FAIL-2")
def never_raises(context: Context) -> None:
    """A player that raises is out of the game, whatever the position was."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_EXCEPTION)


@case("time.drawn-states", "TIME-5")
def answers_in_time(context: Context) -> None:
    """Some positions take longer than others."""
    _judge_states(context, MisconductKind.MISCONDUCT_KIND_TIMEOUT)


def _judge_states(context: Context, kind: MisconductKind.ValueType) -> None:
    """Judge the simplest state in which the player misbehaves in this way.

    Raises NotTested if it misbehaves in other ways only: what would have come after that was not seen.
    """
    results = _states_of(context)
    ended_early: Trial | None = None
    for drawn, found in results.trials:
        if found.misconduct is None:
            continue
        if found.misconduct.kind == kind:
            simple = _simplify(context, drawn, found)
            if simple.scenario.situation.settings == context.settings:
                judge(context, simple)
            judge_elsewhere(context, simple)
        ended_early = found
    for found in results.left:
        if found.misconduct is not None and found.misconduct.kind == kind:
            stayed = found.scenario._replace(name=f"{found.scenario.name}-stay", departures=())
            with where("Where a rival leaves"):
                judge_condition(context, found, (_owner(context, found), partial(context.alone, stayed)))
    if results.stopped is not None:
        raise results.stopped
    if ended_early is not None:
        raise untested(context, "games from drawn states ended early", ended_early, _owner(context, ended_early))


def _judge_hurried(context: Context) -> None:
    """Judge the first drawn states once more, in which the player is told of a short limit, and the usual one holds.

    By the rules alone, and only what it has answered soon: who gives up in time may say so.
    """
    if context.ordinary.mean_decision_s >= SLOW_SHARE * HURRIED_S:
        return

    async def ask(reached: Connection, due: Outgoing) -> Answered:
        if due.call.kind is CallKind.NOTIFICATION or due.call.limit_s is not None:
            return await reached.ask(due.call.method, due.request, due.limit_s)
        return await ask_telling(context, reached, due, HURRIED_S, f"{round(1000 * HURRIED_S)}m")

    with context.shared() as connection:
        if connection.hello is None and connection.served is None:
            return
        for _, calm in _states_of(context).trials[:HURRIED]:
            found = context.play(calm.scenario, connection, Manner(ask=ask))
            if faults.breaks_rule(found) and found.exchanges[-1].elapsed_s < GIVEN_UP_SHARE * HURRIED_S:
                with where(f"With a limit of {HURRIED_S:g} s"):
                    judge_condition(context, found)


def _states_of(context: Context) -> Results:
    return context.once("drawn states", partial(_play_states, context))


def _owner(context: Context, found: Trial) -> str:
    """Return the id of the case to see for the misconduct from a drawn state."""
    assert found.misconduct is not None
    if is_usual(context, found):
        return faults.owning_case(found)
    return CASES[found.misconduct.kind].id


def alone(context: Context, found: Trial) -> Control:
    """Return the control of a game with circumstances: the same game without them, and the case that owns it."""
    assert found.misconduct is not None
    situation = found.scenario.situation
    owner = "" if situation.state is None else CASES[found.misconduct.kind].id
    owner = owner if situation.settings == context.settings else case_ids.UNUSUAL_SETTINGS
    return owner, partial(context.alone, found.scenario)


def _play_states(context: Context) -> Results:
    context.player.budget.check()  # what there is to draw from takes seconds to find, without a call
    drawn = found_beforehand(context, _draw_states) or _draw_states(context)
    own = own_features(context.game)
    asked: list[Candidate] = []
    trials: list[Trial] = []
    left: list[Trial] = []
    stopped: NotTested | None = None
    try:
        trials.extend(context.play_each(_scenarios(context, drawn.states, asked), STATES_SHARE))
        left.extend(context.play_each(_leaving(context, asked[: len(trials)], own), STATES_SHARE))
    except NotTested as error:
        stopped = error
    del asked[len(trials) :]
    context.coverage = measure_coverage(asked, drawn.known, own, trials)
    return Results([*zip(asked, trials, strict=True)], stopped, left)


def _leaving(context: Context, asked: Iterable[Candidate], own: Mapping[Feature, str]) -> Iterator[Scenario]:
    """Yield games of several rivals that one of them leaves soon, from states that have each feature of the game."""
    rng, wanted = context.rng("leaving states"), Counter(dict.fromkeys(own, LEFT))
    states = [each for each in asked if each.position.player_count > FEW_PLAYERS]

    def count_news(drawn: Candidate) -> int:
        return sum(wanted[each] > 0 for each in drawn.features)

    while states and count_news(drawn := max(states, key=count_news)):
        states.remove(drawn)
        wanted.subtract(drawn.features)
        situation = drawn.position.situation(DECISIONS)
        rivals = [seat for seat in range(situation.player_count) if seat != situation.seat]
        leaves = Departure(rng.choice(rivals), after=1, fault=rng.choice((Fault.DISCONNECTION, Fault.ERROR_STATUS)))
        yield Scenario(f"left-{drawn.name}", situation, sources(context)[drawn.source].seed, departures=(leaves,))


def _candidates(context: Context, *, usual: bool) -> Iterator[Candidate]:
    """Yield the states to draw from, those of games under the usual settings or the others."""
    every, usual_count = sources(context), len(sources(context)) - len(context.variations)
    first = 0 if usual else usual_count
    chosen = every[:usual_count] if usual else every[usual_count:]
    rng, attempts = context.rng("candidates", usual), CHANGES * context.examples
    for each in find_candidates(context.game, chosen, context.scope, context.examples, attempts, rng):
        yield each._replace(source=first + each.source)
    for number, made in enumerate(find_made_states(context.game, context.scope)):
        if (made.position.settings == context.settings) == usual:
            yield made._replace(source=first + number % len(chosen))


def _scenarios(context: Context, drawn: Iterable[Candidate], asked: list[Candidate]) -> Iterator[Scenario]:
    """Yield the games from drawn states, and add these to a list; fewer if they take long."""
    began = time.monotonic()
    for number, each in enumerate(drawn):
        if number >= FEW_STATES and (context.is_slow or time.monotonic() - began > AMPLE_S):
            return
        asked.append(each)
        seed = sources(context)[each.source].seed
        yield Scenario(f"drawn-{each.name}", each.position.situation(DECISIONS), seed)


def _simplify(context: Context, drawn: Candidate, found: Trial) -> Trial:
    """Return the trial from a simpler state in which the player misbehaves in the same way, or the one that was found.

    Simpler are states of games under the usual settings, of fewer players, and earlier ones.
    """
    usual_count = len(sources(context)) - len(context.variations)
    steps = (0, 1, 2, 4, 8, 16, 32)
    others = ((source, step) for source in range(min(drawn.source, usual_count)) for step in steps)
    earlier = ((drawn.source, step) for step in range(drawn.step + (drawn.number > 0)))
    give_up = time.monotonic() + SIMPLIFY_LIMIT_S
    try:
        for simpler in context.play_each(_simple_scenarios(context, chain(others, earlier))):
            if faults.signature(simpler) == faults.signature(found):
                return simpler
            if time.monotonic() > give_up:
                break
    except (NotApplicable, NotTested):  # there may be no simpler one in the profile
        return found
    return found


def _simple_scenarios(context: Context, places: Iterable[tuple[int, int]]) -> Iterator[Scenario]:
    """Yield games from steps of the games from which states are drawn; one without any state is passed over."""
    for number, step in places:
        source = sources(context)[number]
        place = find_position(context.game, source, step / STEPS)
        if place is not None:
            yield Scenario(f"drawn-{number}-{step}", place.situation(DECISIONS), source.seed)


def sources(context: Context) -> Sequence[Source]:
    """Return the games from which states are drawn, those under the usual settings first."""
    return context.once("sources of states", partial(_make_sources, context))


def _make_sources(context: Context) -> Sequence[Source]:
    counts = context.game.seats
    names = [*all_rival_names(context.game), *find_conformance(context.game.name).strategies]
    seated = [(count, name) for count in counts for name in names]
    usual = [(context.settings, *each, positions.MAX_DECISIONS, 0) for each in seated]
    modes = filter(context.scope.allows, map(context.game.full_settings, find_conformance(context.game.name).modes))
    usual += [(mode, *each, positions.MAX_DECISIONS, 0) for mode, each in zip(cycle(modes), seated, strict=False)]
    several = usual * max(1, GAMES // len(usual))
    left = [
        (context.settings, count, names[-1], positions.MAX_DECISIONS, leaver_count)
        for count in counts
        for leaver_count in {1, count - 1}
    ]
    unusual = [
        (each.settings, each.player_count, names[index % len(names)], MAX_DECISIONS, int(index % LEAVING == 0))
        for index, each in enumerate(context.variations)
    ]
    return [
        Source(settings, count, context.rng("drawn", index).getrandbits(32), name, most, leaver_count)
        for index, (settings, count, name, most, leaver_count) in enumerate([*several, *left, *unusual])
    ]


CASES: Mapping[MisconductKind.ValueType, Case] = {
    MisconductKind.MISCONDUCT_KIND_RULE_VIOLATION: keeps_the_rules,
    MisconductKind.MISCONDUCT_KIND_EXCEPTION: never_raises,
    MisconductKind.MISCONDUCT_KIND_TIMEOUT: answers_in_time,
}


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return tuple(CASES.values())

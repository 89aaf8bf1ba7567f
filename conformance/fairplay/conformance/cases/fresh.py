"""Cases about games in which a side was started anew, and games with different settings in one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from fairplay.conformance import case_ids
from fairplay.conformance.blame import faults
from fairplay.conformance.blame.judge import judge, judge_condition, where
from fairplay.conformance.case import Case, Failure, case
from fairplay.conformance.cases.states import alone, sources
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.endings import tells_the_end
from fairplay.conformance.games.phases import foresee
from fairplay.conformance.games.positions import find_position
from fairplay.conformance.games.trial import Manner, Outgoing, Scenario, Trial
from fairplay.conformance.games.variations import unusual_part
from fairplay.conformance.player.player import Answered, Connection
from fairplay.games.conformance import FirstCall, find_conformance
from fairplay.games.game import Game

FRESH_DECISIONS = 4
JOINED_AT = 3
"""The player comes into the middle of a game with the turn of this number."""
NUMBERS = (1, 2, 5)
"""The player comes in with calls that have these numbers among those of their method."""
ASKED_AGAIN = (1, 3)
"""The numbers of decisions that are asked for twice."""


@case(
    "memory.fresh-process",
    "CALL-13",
    "RESUME-9",
)
def fresh_process(context: Context) -> None:
    """After a restart of either side a player must go on with what the request says, for the first time or again."""
    played: list[Scenario] = []
    with context.player.separate() as connection:
        scenario = context.scenario(*context.seatings[-1], FRESH_DECISIONS)
        with where("Where each call comes twice"):
            judge_condition(context, context.play(scenario, connection, Manner(ask=_ask_twice)))
    with context.player.fresh() as connection:
        scenarios = (*_joined(context), *_asked_again(context), *_joined_elsewhere(context))
        for scenario, found in zip(scenarios, context.play_on(connection, scenarios), strict=True):
            from_the_beginning = scenario._replace(joins=None, asked_again=0)
            played.append(from_the_beginning)
            is_usual = scenario.situation.settings == context.settings
            owner = "" if is_usual else case_ids.UNUSUAL_SETTINGS
            anew = owner, partial(context.alone, from_the_beginning)
            try:
                with where("After a restart of either side in the middle of a game"):
                    judge_condition(context, found, anew, (case_ids.BACK_TO_BACK, context.sequence))
            except Failure:
                plain = _one_after_another(context, played)
                if faults.same(plain, found):
                    judge(context, plain)
                raise


async def _ask_twice(connection: Connection, due: Outgoing) -> Answered:
    """Make a call, and once it is answered the same again, as a server that was started anew and lost the answer."""
    first = await connection.ask(due.call.method, due.request, due.limit_s)
    if not isinstance(first[0], bytes):
        return first
    return await connection.ask(due.call.method, due.request, due.limit_s)


def _one_after_another(context: Context, scenarios: Sequence[Scenario]) -> Trial:
    """Return the last of these games on a fresh connection, or the first in which the player misbehaves."""
    with context.player.fresh() as connection:
        for scenario in scenarios:
            found = context.play(scenario, connection)
            if found.misconduct is not None:
                break
    return found


def _joined(context: Context) -> Iterator[Scenario]:
    """Yield games that the player comes into: first with a turn, then with each method, in different seats."""
    seatings = context.seatings[::-1]
    last_calls = [method.name for method in context.game.methods if tells_the_end(method)]
    for index, joins in enumerate(_joinings(context)):
        seat, count = seatings[index % len(seatings)]
        begun = context.scenario(seat, count, FRESH_DECISIONS)
        # Shortly before the end of a game is early enough for the methods that tell how it has ended.
        scenario = context.ending(count) if joins.method in last_calls else begun
        name = f"{scenario.name}-from-{joins.method}-{joins.number}"
        seed, late_in = context.rng(name).getrandbits(32), find_conformance(context.game.name).late_in
        is_late = index % 2 and joins.method not in last_calls  # who is late to the end plays a very long game
        situation = scenario.situation._replace(rivals_late_in=late_in if is_late else "")
        yield scenario._replace(name=name, situation=situation, seed=seed, joins=joins)


def _asked_again(context: Context) -> Iterator[Scenario]:
    """Yield games in which a decision is asked for twice: the server was started anew, and lost the first answer."""
    for number, (seat, count) in zip(ASKED_AGAIN, (context.seatings[0], context.seatings[-1]), strict=True):
        scenario = context.scenario(seat, count, FRESH_DECISIONS)
        yield scenario._replace(name=f"{scenario.name}-asked-again-{number}", asked_again=number)


def _joined_elsewhere(context: Context) -> Iterator[Scenario]:
    """Yield games under other settings that the player comes into with a turn: each value of a setting is in one."""
    seen = set[tuple[str, str]]()
    for each in context.variations:
        values = {(field.name, str(value)) for field, value in unusual_part(context.game, each.settings).ListFields()}
        if values - seen:
            seen |= values
            scenario = context.varied(each, f"joined-{each.name}", FRESH_DECISIONS)
            yield scenario._replace(joins=FirstCall(context.game.turn.name, JOINED_AT))


def _joinings(context: Context) -> Iterator[FirstCall]:
    """Yield calls with which the player comes in: of each method the first, and later ones where there are some."""
    yield FirstCall(context.game.turn.name, JOINED_AT)
    counts = Counter(exchange.method.name for exchange in context.ordinary.exchanges)
    for number in NUMBERS:
        for method in context.game.methods:
            if number == 1 or counts[method.name] >= number:
                yield FirstCall(method.name, number)


GAMES, CHOICES = 6, 18
"""Under so many different settings games are played: of so many drawn ones those in which most is decided."""
DECISIONS, FEW_DECISIONS = 24, 2
"""The player decides so often in each game; the second number is for players that are slow."""
DECISIONS_BESIDE = 16
"""Beside others it decides so often at most."""
LATE, LATE_DECISIONS, LATER_BY = 9, 8, 3
"""So many games, in which the player decides so often, go on from late states, every third of them under the usual
settings; each begins so many calls after the one before.
"""


@case(
    "memory.other-settings",
    "CALL-16",
    "CALL-11",
)
def other_settings(context: Context) -> None:
    """What was learnt of sizes, players and rules in one game does not hold in the next, or in one beside it."""
    scenarios = _mixture(context)
    with context.player.separate() as connection:
        for found in context.play_on(connection, scenarios):
            _judge(context, found)
        for found in context.play_in_turn([_shortened(each, DECISIONS_BESIDE) for each in scenarios], connection):
            _judge(context, found)
        for found in context.play_abreast(_late(context), connection, LATER_BY):
            _judge(context, found)


def _shortened(scenario: Scenario, turn_count: int) -> Scenario:
    situation = scenario.situation
    return scenario._replace(situation=situation._replace(turn_count=min(turn_count, situation.turn_count)))


def _late(context: Context) -> list[Scenario]:
    """Return games under different settings that go on from late states: many a setting matters there alone."""
    rng, turn_count = context.rng("late mixture"), FEW_DECISIONS if context.is_slow else LATE_DECISIONS
    unusual = [each for each in sources(context) if each.settings != context.settings and not each.leaver_count]
    usual = [each for each in sources(context) if each.settings == context.settings and not each.leaver_count]
    games = list[Scenario]()
    for number in range(LATE):
        source = rng.choice(unusual if number % 3 and unusual else usual)
        place = find_position(context.game, source, rng.uniform(0.5, 1.0))
        if place is not None and context.scope.holds(place.situation(turn_count)):
            games.append(Scenario(f"late-mixture-{number}", place.situation(turn_count), source.seed))
    return games


def _mixture(context: Context) -> list[Scenario]:
    """Return an ordinary game, and some under different settings, the longest one last; none is played to its end.

    In a game that is over after a turn or two there is nothing to be taken for another game's.
    """
    rng, turn_count = context.rng("mixture"), FEW_DECISIONS if context.is_slow else DECISIONS
    drawn = rng.sample(context.variations, min(CHOICES, len(context.variations)))
    games = [context.varied(each, f"mixture-{each.name}", turn_count) for each in drawn]
    games.sort(key=lambda each: foresee(context.game, each).decision_count)
    return [context.first_scenario(turn_count), *games[-GAMES:]]


def _judge(context: Context, found: Trial) -> None:
    if found.misconduct is None:
        return
    judge_condition(
        context,
        found,
        alone(context, found),
        (case_ids.BACK_TO_BACK, context.sequence),
        (case_ids.AT_ONCE, context.pair),
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (fresh_process, other_settings)

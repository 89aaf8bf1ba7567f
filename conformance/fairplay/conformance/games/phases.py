"""Phases of a game, found by machine in games of reference players, and games that come to them.

Nothing here knows a game: its phases are those of the calls that its conversation makes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from google.protobuf.message import Message

from fairplay.conformance.games.positions import Source, resume
from fairplay.conformance.games.rivals import LastDecider, Phase, PhaseTracker, Rivals, all_rival_names, rival_names
from fairplay.conformance.games.trial import Scenario, seat_names
from fairplay.games.conformance import Circumstance
from fairplay.games.game import Game
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Arrival, Call, CallKind, Joined, Race, answer_step, calls_in
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import reply_of


class Occurrence(NamedTuple):
    """A call of a game between reference players in which a rival can leave."""

    phase: Phase
    tested: int
    """The seat of the player under test."""
    leaver: int
    start: int
    """The number of decisions after which a game begins that comes to it; 0: the game begins afresh."""
    goes_on: bool
    """Whether the player under test is called again in the game, so that it may be told of it."""


@dataclass(slots=True)
class Trace:
    """A game between reference players of a strategy, and the phases that it has."""

    settings: Message
    player_count: int
    strategy: str
    states: list[Any] = field(default_factory=list)
    """The states before decisions, as the game shows them."""
    deciders: list[Sequence[int]] = field(default_factory=list)
    """The seats that are asked for each of these decisions."""
    occurrences: Sequence[Occurrence] = ()
    """One for each phase, seat of the player under test and seat of the rival."""
    winners: Sequence[int] = ()
    """The seats of the winners, if the game was followed to its end."""

    def last_decision(self, seat: int, before: int) -> int:
        """Return the index of the last decision of a seat up to another one, which is returned if there is none."""
        asked = enumerate(self.deciders[: before + 1])
        return max((index for index, seats in asked if seat in seats), default=before)


def trace(game: Game, settings: Message, count: int, rng: Random, most_decisions: int) -> Trace:
    """Play a game between reference players that answer at once, for so many decisions, and return its phases."""
    strategy = rng.choice(all_rival_names(game))
    players = [game.player(strategy) for _ in range(count)]
    names = [f"rival-{seat}" for seat in range(count)]
    machine = GameMachine(game.play("trace", settings, names, game_rng(rng.getrandbits(32)), None))
    found, trackers = Trace(settings, count, strategy), [PhaseTracker(seat) for seat in range(count)]
    seen, starts = Counter[tuple[Phase, int, int]](), dict[tuple[Phase, int, int], tuple[int, int]]()
    calls = defaultdict[int, list[tuple[int, str]]](list)
    for number, step in enumerate(machine.play(lambda call: reply_of(players[call.seat], call))):
        for call in calls_in(step):
            calls[call.seat].append((number, call.method.name))
        for tested, tracker in enumerate(trackers):
            for leaver, phase in tracker.enter(step).items():
                seen[phase, tested, leaver] += 1
                if not rng.randrange(seen[phase, tested, leaver]):  # of many calls in one phase any one is kept
                    start = _start(found, phase, tested, leaver, sees_all=rng.random() < 0.5)
                    starts[phase, tested, leaver] = start, number
        asked = [call.seat for call in calls_in(step) if call.kind is not CallKind.NOTIFICATION]
        if asked:
            found.deciders.append(asked)
            found.states.append(machine.shown and machine.shown.state)
        if len(found.states) >= most_decisions:
            break
    machine.close()
    found.occurrences = [
        Occurrence(phase, tested, leaver, start, _goes_on(calls[tested], phase, number))
        for (phase, tested, leaver), (start, number) in starts.items()
    ]
    ranking = machine.outcome.ranking if machine.outcome is not None else ()
    found.winners = [seat for group in ranking[:1] for seat, _ in group]
    return found


def _goes_on(calls: Sequence[tuple[int, str]], phase: Phase, number: int) -> bool:
    """Return whether a player is called after a step, and told more than what another one is told in that step."""
    return [name for step, name in calls if step > number] not in ([], [phase.method])


def has_races(game: Game) -> bool:
    """Return whether the players of a game decide in races, in which the first answer counts."""
    settings, player = game.full_settings(game.settings_type()), game.player(rival_names(game)[0])
    names = [f"rival-{seat}" for seat in range(game.seats.start)]
    machine = GameMachine(game.play("races", settings, names, game_rng(0), None))
    deciding = (
        isinstance(step, Race)
        for step in machine.play(lambda call: reply_of(player, call))
        if any(call.kind is not CallKind.NOTIFICATION for call in calls_in(step))
    )
    found = next(deciding, False)
    machine.close()
    return found


def _start(found: Trace, phase: Phase, tested: int, leaver: int, *, sees_all: bool) -> int:
    """Return after how many decisions a game begins that comes to a call of a phase.

    It begins with the decision before. `sees_all`: with the last one of the player under test, which sees the game
    with all its players then.
    """
    last = max(0, len(found.states) - 1)
    if phase.is_waiting:
        return found.last_decision(leaver, last)
    return found.last_decision(tested, last) if sees_all else last


class Beginning(NamedTuple):
    """Where a game goes on from."""

    state: Message | None
    """None: it begins afresh."""
    shift: int = 0
    """What is added to a seat of the traced game: a state may name the seats from the one to decide."""


def find_beginning(game: Game, found: Trace, start: int) -> Beginning:
    """Return the state after so many decisions of a trace, or the last one before that a game can go on from."""
    source = Source(found.settings, found.player_count, seed=0, strategy=rival_names(game)[0])
    for index in range(start, 0, -1):
        try:
            state = game.full_state(found.states[index])
        except ValueError:
            continue
        position = resume(game, source, state)
        if position is not None:
            decider, *others = found.deciders[index]
            return Beginning(state, 0 if others else position.seat - decider)
    return Beginning(None)


class Foreseen(NamedTuple):
    """What happens in a game."""

    left: Sequence[int]
    """The seats of the rivals that leave before another call to the player under test, in this order."""
    circumstances: Collection[Circumstance]
    most_lost: int
    """How many rivals leave at most between two decisions of the player under test."""
    decision_count: int
    """How often the player under test decides."""
    loses_after_others: bool
    """Whether a rival leaves after a turn of another one, since a later turn of the player than its first."""


def foresee(game: Game, scenario: Scenario) -> Foreseen:
    """Return what happens in a game in which a reference player is the player under test."""
    situation, decision_count, found = scenario.situation, 0, set[Circumstance]()
    player, rivals = game.player(rival_names(game)[0]), Rivals(game, situation, scenario.seed, scenario.departures)
    tracker, newcomers, count = PhaseTracker(situation.seat), [*scenario.newcomers], situation.player_count
    lost_before: int | None = None
    left: Sequence[int] = ()
    most_lost, turn_count, has_other_decided, loses_after_others = 0, 0, False, False

    def answer_as_rival(call: Call) -> Any:
        nonlocal has_other_decided, loses_after_others
        failed = len(rivals.failed)
        answered = rivals.answer(call, decision_count)
        if len(rivals.failed) > failed:
            loses_after_others = loses_after_others or (has_other_decided and turn_count > 1)
        elif call.method.name == game.turn.name:
            has_other_decided = True
        return answered

    def answer(call: Call) -> Any:
        nonlocal decision_count, lost_before, most_lost, turn_count, has_other_decided
        if call.seat != situation.seat:
            return answer_as_rival(call)
        if call.kind is not CallKind.NOTIFICATION:
            turn_count, has_other_decided = turn_count + (call.method.name == game.turn.name), False
            decision_count, lost = decision_count + 1, len(rivals.failed)
            most_lost = max(most_lost, lost - (lost if lost_before is None else lost_before))
            lost_before = lost
        return reply_of(player, call)

    names, rng = seat_names(situation), game_rng(scenario.seed)
    machine = GameMachine(game.play("foreseen", situation.settings, names, rng, situation.state))
    machine.begin()
    while (step := machine.step) is not None and (not calls_in(step) or decision_count < situation.turn_count):
        rivals.enter(step)
        if any(
            phase.is_waiting and phase.last_decider is not LastDecider.TESTED for phase in tracker.enter(step).values()
        ):
            found.add(Circumstance.WAITING)
        if any(call.seat == situation.seat for call in calls_in(step)):
            left = [*rivals.failed]
            found.update([Circumstance.LOST_AGAIN] if rivals.is_lost_again else ())
            found.update([Circumstance.ALONE] if len(left) == count - 1 else ())
        answers = answer_step(step, answer)
        if newcomers and isinstance(step, Race) and step.next_seat is not None and decision_count >= newcomers[0]:
            answers, count = [Arrival(step.next_seat, Joined(), 0.0), *answers], count + 1
            newcomers.pop(0)
            found.add(Circumstance.JOIN)
        machine.answer(answers)
    machine.close()
    if machine.outcome is not None:
        is_tied = any(len(group) > 1 for group in machine.outcome.ranking[:1])
        found |= {Circumstance.END, *([Circumstance.TIE] if is_tied else [])}
    if rivals.failed:
        found.add(Circumstance.LOSS)
    if situation.state is not None:
        found.add(Circumstance.RESUMED)
    return Foreseen(left, found, most_lost, decision_count, loses_after_others)

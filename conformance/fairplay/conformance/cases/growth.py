"""Cases about what a player holds, and writes, while it plays one game after another: left early, won or lost."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, cycle, islice, takewhile
from operator import attrgetter
from statistics import fmean
from typing import Any, NamedTuple

import psutil

from fairplay.conformance import case_ids
from fairplay.conformance.blame.faults import evidence_of
from fairplay.conformance.blame.judge import judge_after_others, untested
from fairplay.conformance.case import Case, Failure, NotApplicable, case, failure
from fairplay.conformance.cases.memory import cancel_halfway
from fairplay.conformance.cases.settings import long_games
from fairplay.conformance.games.context import Context
from fairplay.conformance.games.endings import Ending, find_endings, tells_the_end
from fairplay.conformance.games.trend import SLOW_S
from fairplay.conformance.games.trial import Entry, Scenario, Trial
from fairplay.conformance.player.breaker import Breaker
from fairplay.conformance.player.player import Connection
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game
from fairplay.games.kit.player_service import START
from fairplay.server.manager.plan import game_id_of
from fairplay.v1.player_pb2 import StartRequest

DECISIONS, FEW_DECISIONS = 6, 2
"""The player decides so often in each game; the second number is for players that are slow."""
GAMES = 25
"""How many games a round has, all at the same time."""
ENDS = 4
"""So many different ends of games are played again and again."""
ROUNDS = 3
MAX_ROUNDS = 21
"""A player that seems to hoard memory plays on: some collect garbage late. 20 rounds are 500 games."""
MIB = 2**20
MAX_MEMORY_BYTES = 1024 * MIB
"""What 500 games may add."""
MAX_ROUND_BYTES = MAX_MEMORY_BYTES // (MAX_ROUNDS - 1)
"""A player of which the rounds add less on average is not on its way beyond that."""
GROWING_ROUNDS = 10
"""So many rounds must add something, each of them, before anything is said: a heap grows before it is cleared."""
FAR_TOO_MUCH_BYTES = 4 * MAX_MEMORY_BYTES
"""A player that has grown by so much is not asked to play on: others need the machine."""
TREND, TREND_SHARE = 2, 0.5
"""A player that takes so many times as long as in the first round slows down, and plays on if it then comes to a limit
within this share of the budget."""
MAX_COUNT = 20
MAX_OUTPUT_BYTES = MIB
SETTLE_S, LAST_SETTLE_S = 2.0, 20.0
"""How long after a round may still be there what ends by itself, e.g. threads that forget a game in a moment. After
the last round it is longer: programs that a player has started and ended take long to go on a busy machine."""
PAUSE_S = 0.1


class ProcessSize(NamedTuple):
    """What a process holds."""

    memory_bytes: int
    threads: int
    files: int


class Holding(NamedTuple):
    """What the processes of a player hold, and what they have written so far."""

    processes: Mapping[int, ProcessSize]
    output_bytes: int

    def total(self, of_process: Callable[[ProcessSize], int]) -> int:
        """Return what all processes hold together."""
        return sum(map(of_process, self.processes.values()))

    @property
    def memory_bytes(self) -> int:
        """Return the memory of all processes."""
        return self.total(attrgetter("memory_bytes"))


@dataclass(slots=True)
class Growth:
    """What a player holds after each round of games of one kind."""

    kind: str
    """Which games they are, for people."""
    output_before: int
    """How many bytes the player had written before these games, e.g. while it came up."""
    began: Holding
    """What the player held before all games."""
    holdings: list[Holding] = field(default_factory=list)
    failed: Trial | None = None
    """The game in which the player misbehaved, after which no other was played; None: it did in none."""
    ended: Holding | None = None
    """What it held when it had misbehaved."""
    paces: list[float] = field(default_factory=list)
    """The mean of its times for a decision in each round of all games, in seconds, until it misbehaved."""
    rounds: Sequence[float] = ()
    """The means of the rounds of this kind of games alone."""
    new_s: float | None = None
    """The mean of a new process in these games, asked when this one had taken longer and longer; None: it had not."""

    def added(self, count: Callable[[Holding, Holding], int]) -> list[int]:
        """Return what each round but the first, in which a player warms up, has added."""
        return [count(before, after) for before, after in zip(self.holdings, self.holdings[1:], strict=False)]

    @property
    def is_late_at_last(self) -> bool:
        """Return whether the player was too late once it had become slow: who hangs all at once is something else."""
        if self.failed is None or not self.failed.is_late or len(self.paces) < ROUNDS:
            return False
        return self.paces[-2] >= max(TREND * self.paces[0], SLOW_S)

    @property
    def slows_down(self) -> bool:
        """Return whether the player takes longer by now than it took at first, and than a new process takes now."""
        return self.new_s is not None and self.paces[-1] > max(TREND * self.paces[0], TREND * self.new_s, SLOW_S)


def growth_of(context: Context) -> Sequence[Growth]:
    """Return how a player grows in many games of each kind. Raises NotApplicable if it cannot be measured."""
    return context.once("growth", lambda: list(_grow(context)))


def _grow(context: Context) -> Iterator[Growth]:
    """Yield how a player on a fresh connection grows in games of each kind, until it misbehaves."""
    breaker = None if context.player.breaker.has_given_up else Breaker(stops=False)
    with context.player.fresh(breaker) as connection:
        measure = _measure_of(context, connection)
        began, paces = measure(), list[float]()
        for kind, play in _kinds(context).items():
            own = _Paces(context)
            found = Growth(kind, measure().output_bytes, began, paces=paces, rounds=own.paces)
            while found.failed is None and (len(found.holdings) < ROUNDS or _may_hoard(found) or own.lead_to_a_limit):
                began_s, connection.excuses_late = time.monotonic(), not own.rise
                trials = play(connection)
                found.failed = next((each for each in trials if each.misconduct is not None), None)
                own.add(_pace(trials), began_s)
                found.paces.append(own.paces[-1])
                if found.failed is not None:
                    found.ended = _held_at_the_end(measure)
                else:
                    found.holdings.append(_settled(measure, found.holdings))
            if found.is_late_at_last if found.failed is not None else own.rise:
                _compare(context, found, play, connection)
            yield found
            if found.failed is not None:
                return


def _pace(trials: Sequence[Trial]) -> float:
    return fmean(each.mean_decision_s for each in trials)


def _compare(
    context: Context, found: Growth, play: Callable[[Connection], Sequence[Trial]], connection: Connection
) -> None:
    """Ask a new process for a round as well, and this one for another: other work on the machine slows down both."""
    with context.player.fresh(Breaker(stops=False)) as new:
        found.new_s = _pace(play(new))
    if found.failed is None:
        trials = play(connection)
        found.failed = next((each for each in trials if each.misconduct is not None), None)
        found.paces[-1] = min(found.paces[-1], _pace(trials))


class _Paces:
    """How long a player takes for an answer in rounds of games of one kind."""

    def __init__(self, context: Context) -> None:
        self._limit_s = context.limits.decision_s
        self._may_take_s = TREND_SHARE * context.player.budget.total_s
        self._taken_s = 0.0
        self.paces: list[float] = []

    def add(self, pace_s: float, began_s: float) -> None:
        """Add the mean of a round that began at this time."""
        self.paces.append(pace_s)
        self._taken_s = time.monotonic() - began_s

    @property
    def rise(self) -> bool:
        """Return whether each round took longer than the one before, and the last one far longer than the first."""
        if len(self.paces) < ROUNDS or self.paces != sorted(self.paces):
            return False
        return self.paces[-1] >= max(TREND * self.paces[0], SLOW_S)

    @property
    def lead_to_a_limit(self) -> bool:
        """Return whether a player that gets slower as before is too late after some rounds more, for which time is."""
        count = len(self.paces)
        if count >= MAX_ROUNDS or not self.rise:
            return False
        left = rounds_left(self.paces, self._limit_s)
        mean_s = self._taken_s * (1 + self._limit_s / self.paces[-1]) / 2
        return left < MAX_ROUNDS - count and left * mean_s < self._may_take_s


def rounds_left(paces: Sequence[float], limit_s: float) -> float:
    """Return after how many rounds more a player is too late that gets slower as it did from the first to the last."""
    first, last = paces[0], paces[-1]
    return (limit_s - last) * (len(paces) - 1) / (last - first)


def _kinds(context: Context) -> Mapping[str, Callable[[Connection], Sequence[Trial]]]:
    """Return what plays a round, by the kind of its games: a player may do something else when it is told of an end."""
    rounds = {"games": context.beginnings(GAMES, FEW_DECISIONS if context.is_slow else DECISIONS)}
    if any(map(tells_the_end, context.game.methods)):
        for ending in (Ending.WON, Ending.LOST):
            ends = list(islice(find_endings(context.game, context.settings, ending, context.rng("growth")), ENDS))
            rounds[f"games that it has {ending}"] = list(islice(cycle(ends), GAMES))
    else:
        rounds["games to their end"] = list(islice(cycle(map(context.ending, context.game.seats)), GAMES))
    kinds = {kind: partial(context.play_together, scenarios) for kind, scenarios in rounds.items()}
    return {
        **kinds,
        "games of one tournament": _in_tournament(context, context.beginnings(GAMES, 1)),
        "games with a decision that was cancelled": partial(_cancel, context),
    }


def _in_tournament(context: Context, scenarios: Sequence[Scenario]) -> Callable[[Connection], Sequence[Trial]]:
    """Return what plays a round of games of a tournament that goes on: a player may keep much until its End."""
    tournament_id, numbers = context.new_tournament_id(), count(1)

    def play(connection: Connection) -> Sequence[Trial]:
        number = next(numbers)
        if number == 1:
            context.ask(START, StartRequest(tournament_id=tournament_id), connection)
        ids = [game_id_of(tournament_id, number, each) for each, _ in enumerate(scenarios, 1)]
        return context.play_in_turn(scenarios, connection, ids=ids)

    return play


def _cancel(context: Context, connection: Connection) -> Sequence[Trial]:
    """Ask for a decision in as many games as a round has, and cancel it when the player has it; then play a game."""
    opening, count = context.ordinary.opening, context.scope.at_once(GAMES)

    def cancel(reached: Connection) -> Sequence[Trial]:
        for _ in range(0, GAMES if opening else 0, count):
            context.player.loop.run(cancel_halfway(reached, opening, [context.new_id() for _ in range(count)]))
        return ()

    context.record(connection, Entry(cancel, f"{GAMES} decisions that were cancelled"))
    return [context.play(context.first_scenario(1), connection)]


def _held_at_the_end(measure: Callable[[], Holding]) -> Holding | None:
    """Return what a player holds that has misbehaved; None if it is gone."""
    try:
        return measure()
    except psutil.Error:
        return None


def _settled(measure: Callable[[], Holding], before: Sequence[Holding]) -> Holding:
    """Return what is held after a round: as soon as it is not too much, or when it has had its time to end."""
    kept_so_far = all(map(_too_much, before, before[1:]))
    settle_s = LAST_SETTLE_S if len(before) == ROUNDS - 1 and kept_so_far else SETTLE_S
    give_up, held = time.monotonic() + settle_s, measure()
    while before and _too_much(before[-1], held) and time.monotonic() < give_up:
        time.sleep(PAUSE_S)
        held = measure()
    return held


def _too_much(before: Holding, after: Holding) -> bool:
    kept = (_added(of_process, before, after) for of_process in (attrgetter("threads"), attrgetter("files")))
    return max(*kept, _processes(before, after)) >= MAX_COUNT


def keeps_growing(found: Growth) -> bool:
    """Return whether a player has grown in round after round, more than any that clears its memory now and then."""
    in_a_row = list(takewhile(lambda more: more > 0, found.added(_memory)))
    return len(in_a_row) >= GROWING_ROUNDS or sum(in_a_row) > FAR_TOO_MUCH_BYTES


def _hoards(found: Growth) -> bool:
    """Return whether a player has grown beyond the limit, round after round."""
    return keeps_growing(found) and _grows(found) and sum(found.added(_memory)) > MAX_MEMORY_BYTES


def _may_hoard(found: Growth) -> bool:
    """Return whether a player is below the limit, and may be beyond it after more games."""
    return _grows(found) and not _hoards(found) and len(found.holdings) < MAX_ROUNDS


def _grows(found: Growth) -> bool:
    """Return whether rounds have added more than they may, on average: an allocator takes more now and less then."""
    added = found.added(_memory)
    return sum(added) > MAX_ROUND_BYTES * len(added)


def can_be_measured(context: Context) -> bool:
    """Return whether the processes of the player are known, so that `growth_of` tells something."""
    return context.player.transport.kind in ("exec", "bot")


def _measure_of(context: Context, connection: Connection) -> Callable[[], Holding]:
    """Return a function that measures what the player holds. Raises NotApplicable if it cannot."""
    process = connection.process
    if process is not None:
        guard = psutil.Process(process.guard_id)
        return lambda: Holding(_sizes(guard.children(recursive=True)), process.output_bytes)
    if context.player.transport.kind == "bot":
        return lambda: Holding(_sizes([psutil.Process()]), 0)
    raise NotApplicable("what a player holds is known only where the player was started here")


def _sizes(processes: Sequence[Any]) -> Mapping[int, ProcessSize]:
    """Return what each process holds; those that are gone are left out."""
    found: dict[int, ProcessSize] = {}
    for process in processes:
        try:
            with process.oneshot():
                files = int(process.num_fds() if psutil.POSIX else process.num_handles())
                found[process.pid] = ProcessSize(process.memory_info().rss, process.num_threads(), files)
        except psutil.Error:
            continue
    return found


# --- the cases ---


@case(case_ids.GROWING_MEMORY, "PROG-11", "CALL-12")
def memory(context: Context) -> None:
    """A tournament may have thousands of games."""
    for found in growth_of(context):  # who hoards may be ended for it, which would say less
        if context.player.transport.kind == "exec" and _hoards(found):
            raise grown(found)
    for found in growth_of(context):
        judge_failed(context, found)
    _only_started(context)


def judge_failed(context: Context, found: Growth) -> None:
    """Judge the game in which a player misbehaved, if there is one. Raises Failure, which names growth before that."""
    if found.failed is None:
        return
    try:
        if found.slows_down:  # all these rounds would take long once more
            raise Failure(evidence_of(context.game, found.failed))
        judge_after_others(context, found.failed)
    except Failure as failed:
        raise Failure(failed.evidence.with_sentence(f"{_leak(found)}{failed.evidence.sentence}")) from None


def _leak(found: Growth) -> str:
    """Return what grew until a player misbehaved, as the beginning of a sentence; empty if nothing did."""
    after = [found.began, *found.holdings][-1]
    if found.ended is not None and found.ended.memory_bytes:
        after = found.ended
    more, said = _memory(found.began, after), list[str]()
    count = GAMES * len(found.paces)
    if more > MAX_ROUND_BYTES * len(found.paces):
        said.append(f"held {more / MIB:,.0f} MiB more")
    if found.slows_down:
        first, last = found.paces[0], found.paces[-1]
        said.append(f"took {1000 * last:,.1f} ms for a decision instead of {1000 * first:,.1f} ms")
    if not said:
        return ""
    return f"The player keeps something of each game: after {count} games it {' and '.join(said)}; then "


def slower(context: Context, found: Growth) -> Failure | None:
    """Return the failure of a player that takes longer the more games it has had; None if it does not."""
    first, last, limit_s = found.rounds[0], found.paces[-1], context.limits.decision_s
    if found.failed is not None or not found.slows_down or found.new_s is None or last <= first:
        return None
    count = len(found.rounds)
    games = GAMES * (count + rounds_left((*found.rounds[:-1], last), limit_s))
    table = "\n".join(
        f"after {GAMES * number} {found.kind}: {1000 * each:,.1f} ms on average"
        for number, each in enumerate(found.rounds, 1)
    )
    return failure(
        f"The player takes longer the more games it has had: {1000 * last:,.1f} ms for a decision after {GAMES * count}"
        f" {found.kind} in place of {1000 * first:,.1f} ms, where a new process takes {1000 * found.new_s:,.1f} ms. If"
        f" it goes on like this, it is later than {limit_s:g} s after some {round(games, -2):,.0f}.",
        ("Times of decisions", table),
    )


def grown(found: Growth) -> Failure:
    """Return the failure of a player that has grown."""
    count, more = GAMES * (len(found.holdings) - 1), sum(found.added(_memory)) / MIB
    return failure(
        f"{count} {found.kind} more made the player {more:,.0f} MiB larger.", ("Memory", _table(found, _mib))
    )


@case("growth.threads", "PROG-8")
def threads(context: Context) -> None:
    """A program can have some thousand threads, and then none more."""
    _judge_kept(context, "threads", attrgetter("threads"))


@case("growth.files", "PROG-9")
def files(context: Context) -> None:
    """A program can have about a thousand files open, and then cannot even be connected to."""
    _judge_kept(context, "open files", attrgetter("files"))


@case("growth.processes", "PROG-10")
def processes(context: Context) -> None:
    """Processes that nobody needs take the time of the machine on which others play."""
    _judge_count(context, "processes", lambda holding: len(holding.processes), _processes)


@case("growth.output", "PROG-7")
def output(context: Context) -> None:
    """Whoever runs a player keeps what it writes, or at least reads it."""
    for found in _sound(context):
        game_count = GAMES * len(found.holdings)
        a_game = (found.holdings[-1].output_bytes - found.output_before) // game_count
        if a_game > MAX_OUTPUT_BYTES:
            raise failure(
                f"The player wrote {a_game / MIB:.2f} MiB a game to its standard output and error, and"
                f" {MAX_OUTPUT_BYTES // MIB} MiB a game is allowed (the mean of {game_count} {found.kind})."
            )
    alone = () if context.is_slow else context.whole_games()  # several games of a slow player are played at once
    for trial in (*alone, *long_games(context), *_widest_games(context)):
        if trial.output_bytes > MAX_OUTPUT_BYTES:
            raise failure(
                f"The player wrote {trial.output_bytes / MIB:.2f} MiB to its standard output and error in a game of"
                f" {trial.decision_count} decisions, and {MAX_OUTPUT_BYTES // MIB} MiB a game is allowed, also in the"
                " longest ones."
            )
    outrun_bytes = context.outrun_game().output_bytes if context.ordinary.has_races else 0
    if outrun_bytes > MAX_OUTPUT_BYTES:
        raise failure(
            f"The player wrote {outrun_bytes / MIB:.2f} MiB to its standard output and error in a game in which others"
            f" were quicker again and again, and {MAX_OUTPUT_BYTES // MIB} MiB a game is allowed."
        )


def _widest_games(context: Context) -> Iterator[Trial]:
    widest = find_conformance(context.game.name).widest
    if widest is not None and context.scope.holds(widest):
        yield context.play(Scenario("widest", widest, context.rng("widest").getrandbits(32)))


def check_slow_output(slow: Sequence[Trial], silence_s: float) -> None:
    """Raise Failure if more was written than in so many games is allowed, which were played at once and took long."""
    written = max((trial.output_bytes for trial in slow), default=0)  # of all of them
    if written > len(slow) * MAX_OUTPUT_BYTES:
        raise failure(
            f"The player wrote {written / MIB:.2f} MiB to its standard output and error in {len(slow)} games in which"
            f" nothing came for {silence_s:g} s or more, and {MAX_OUTPUT_BYTES // MIB} MiB a game is allowed, also in"
            " slow ones."
        )


def _judge_kept(context: Context, what: str, of_process: Callable[[ProcessSize], int]) -> None:
    """Judge something that processes hold: how much more those that were there before, and all of them together.

    A process that is used later than it was started holds more then, while another one ends.
    """

    def more(before: Holding, after: Holding) -> int:
        return min(_added(of_process, before, after), after.total(of_process) - before.total(of_process))

    _judge_count(context, what, lambda holding: holding.total(of_process), more)


def _added(of_process: Callable[[ProcessSize], int], before: Holding, after: Holding) -> int:
    """Return how much more the processes hold that were there before."""
    kept = before.processes.keys() & after.processes.keys()
    return sum(of_process(after.processes[pid]) - of_process(before.processes[pid]) for pid in kept)


def _judge_count(
    context: Context, what: str, count: Callable[[Holding], int], more: Callable[[Holding, Holding], int]
) -> None:
    for found in _sound(context):
        added = found.added(more)
        if min(added) >= MAX_COUNT:
            table = _table(found, lambda holding: str(count(holding)))
            raise failure(
                f"Each {GAMES} {found.kind} made the player keep {min(added)} {what} or more.",
                (what.capitalize(), table),
            )


def _sound(context: Context) -> Sequence[Growth]:
    """Return the growth of a player that has played all games. Raises NotTested if it misbehaved in one."""
    growths = growth_of(context)
    for found in growths:
        if found.failed is not None:
            raise untested(context, "not all games could be played", found.failed, case_ids.GROWING_MEMORY)
    _only_started(context)
    return growths


def _only_started(context: Context) -> None:
    if context.player.transport.kind != "exec":
        raise NotApplicable("what a player holds is known only where the player was started here")


def _memory(before: Holding, after: Holding) -> int:
    return _added(attrgetter("memory_bytes"), before, after)


def _mib(holding: Holding) -> str:
    return f"{holding.memory_bytes / MIB:,.1f} MiB"


def _processes(before: Holding, after: Holding) -> int:
    return len(after.processes) - len(before.processes)


def _table(found: Growth, show: Callable[[Holding], str]) -> str:
    """Return what the player held after each round."""
    return "\n".join(
        f"after {GAMES * number} {found.kind}: {show(each)}" for number, each in enumerate(found.holdings, 1)
    )


def cases(game: Game) -> Sequence[Case]:
    """Return the cases of this module."""
    return (memory, threads, files, processes, output)

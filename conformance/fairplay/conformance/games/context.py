"""What cases work with: the player under test, and games to try it in. `blame.judge` judges them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from operator import attrgetter
from random import Random
from typing import Any, TypeAlias, TypeVar

from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.blame.faults import Signature, due_to_circumstances, evidence_of, same, signature
from fairplay.conformance.case import NotTested
from fairplay.conformance.games.coverage import Coverage
from fairplay.conformance.games.guises import PARTS, USUAL_GUISE, Guise, Ids
from fairplay.conformance.games.positions import Source, position
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.races import Abreast, Rotation
from fairplay.conformance.games.rivals import Departure, rival_names
from fairplay.conformance.games.scenarios import OrdinaryGames
from fairplay.conformance.games.trend import Trend
from fairplay.conformance.games.trial import USUAL, CallLimits, Entry, Manner, Scenario, Trial, play_trial
from fairplay.conformance.games.variations import Variation, vary
from fairplay.conformance.player.breaker import Breaker, Budget
from fairplay.conformance.player.farewells import Farewells
from fairplay.conformance.player.loop import LoopThread, side_by_side
from fairplay.conformance.player.machine import is_busy, wait_until_quiet
from fairplay.conformance.player.names import new_tournament_id
from fairplay.conformance.player.player import Answered, Connection, PlayerUnderTest
from fairplay.conformance.player.transports import Transport
from fairplay.games.conformance import Situation, find_conformance
from fairplay.games.game import Game
from fairplay.games.steps import Method
from fairplay.server.links.link import NO_EXTRA, Metadata
from fairplay.server.manager.plan import game_id_of
from fairplay.v1.misconduct_pb2 import Overrun
from fairplay.v1.player_pb2 import PlayerDescription

AT_ONCE = 8
"""Games at the same time. Any player must keep its limits in so many: see the case time.under-load."""
BESIDE_OTHERS = 24
"""Decisions in games that may show what is left of other games: the first few may have only one legal answer."""
MAX_EXCUSED = 3
"""So many times late answers on a busy machine are not held against a player that is in time when it is asked again.

Those do not count where the machine stayed busy, so that it was measured how long the player waited for it.
"""
QUIET_LIMITS, QUIET_SHARE = 4, 1 / 40
"""So many limits of a decision, and at most this share of the budget, it is waited until the machine is quiet before.
"""
HEAD_START_SHARE, HEAD_START_S = 0.5, 0.05
"""In the game in which rivals are quicker they give the player this share of its usual time, and so many seconds at
most. A slow one gets none: it might think on about each question that is over.
"""
CASE_SHARE = 1 / 60
"""A slow player plays the games of a case until they have taken this share of the budget: others have theirs, too."""
LEAVES_AFTER = 2
"""In the game that a rival leaves, it leaves after so many decisions of the player under test."""
Kept = TypeVar("Kept")
Seating: TypeAlias = tuple[int, int]
"""A seat, and the number of players."""


def _is_any_late(trials: Sequence[Trial]) -> bool:
    return any(each.is_late for each in trials)


class Context:
    """Everything that a case needs. Whole games are played once, and several cases look at them."""

    def __init__(
        self,
        game: Game,
        player: PlayerUnderTest,
        seed: int,
        limits: CallLimits,
        examples: int,
        history: Sequence[Sequence[Scenario]] = (),
        profile: str = "",
    ) -> None:
        self.game = game
        self.scope = Scope(game, profile)
        self.player = player
        self.seed = seed
        self.limits = limits
        self.examples = examples
        """How many states are drawn for each case that draws them."""
        self.history = history
        """The games that `sequence` plays, those at the same time together; empty: its own."""
        self.ordinary_games = OrdinaryGames(game, seed)
        self._ids = Ids(game.name)
        self._usual_misconduct = set[Signature]()
        """The kinds of misconduct that show in the usual guise as well."""
        self._blamed = set[Guise]()
        """The guises because of which something went wrong: other games have none of their values."""
        self.settings: Message = game.full_settings(game.settings_type())
        self.trials: list[Trial] = []
        self.coverage: Coverage | None = None
        """What the drawn states cover; None: none were drawn yet."""
        self.is_slow = False
        """Whether a whole game was left early, or the player takes long for each decision."""
        self._whole: dict[Seating, Trial] = {}
        self._ends: dict[int, Trial] = {}
        """Number of players -> a game from a late state on, where a whole game was left early."""
        self._without_past: dict[Seating, Trial] = {}
        self._kept: dict[str, Any] = {}
        self.at_end = ExitStack()
        """What is closed at the end."""
        self._histories: dict[Connection, list[Entry]] = {}
        self._excused_count = 0
        self._trends: dict[Connection, Trend] = {}
        self._has_told_slow = False
        self._has_slowed_down = False
        """Whether the player takes longer by now for what it did quickly at first."""
        self._quiet_left_s = min(QUIET_LIMITS * limits.decision_s, QUIET_SHARE * player.budget.total_s)
        self._life: list[Entry] = []
        """What the process of a player that is never new has been asked, on all connections."""

    @property
    def description(self) -> PlayerDescription:
        """Return what the player says about itself; empty if it has not been asked yet."""
        return self.player.description

    def rng(self, *words: object) -> Random:
        """Return a random generator that depends on the seed and these words alone."""
        return self.ordinary_games.rng(*words)

    def take_coverage(self) -> Coverage | None:
        """Return what the drawn states cover, once; None if none were drawn since."""
        found, self.coverage = self.coverage, None
        return found

    def take_urgent(self) -> Sequence[str]:
        """Return the ids of the cases to judge next, once: what is seen in passing tells that they may fail.

        Of a slow player those come first that show most defects for the time that they take.
        """
        found, self._has_slowed_down = self._has_slowed_down, False
        if self.is_slow and not self._has_told_slow:
            self._has_told_slow = True
            probes = (each.id for each in find_conformance(self.game.name).probes)
            return (*probes, *case_ids.TELLING)
        return (case_ids.GROWING_MEMORY, case_ids.SLOWS_DOWN) if found else ()

    def once(self, name: str, make: Callable[[], Kept]) -> Kept:
        """Return what several cases look at: made when it is first asked for under this name, and kept."""
        if name not in self._kept:
            self._kept[name] = make()
        kept: Kept = self._kept[name]
        return kept

    def kept(self, name: str) -> Any:
        """Return what `once` has made under this name; None if nothing yet."""
        return self._kept.get(name)

    @property
    def variations(self) -> Sequence[Variation]:
        """Return the settings away from their defaults under which the player is tried."""
        return self.once("variations", lambda: vary(self.game, self.rng("variations"), self.scope))

    # --- games ---

    @property
    def seatings(self) -> Sequence[tuple[int, int]]:
        """Return every (seat, number of players), from the most ordinary on."""
        return [(seat, count) for count in self.game.seats for seat in range(count)]

    def scenario(self, seat: int, count: int, turn_count: int = 0) -> Scenario:
        """Return a game with the player under test in a seat, to its end or for so many of its decisions."""
        return self.ordinary_games.scenario(seat, count, turn_count)

    def first_scenario(self, turn_count: int = 0) -> Scenario:
        """Return the most ordinary game, to its end or for so many decisions of the player under test."""
        return self.scenario(*self.seatings[0], turn_count)

    def beginnings(self, number: int, turn_count: int) -> list[Scenario]:
        """Return the beginnings of so many games, in different seats as far as there are different ones."""
        seatings = self.seatings
        return [self.scenario(*seatings[index % len(seatings)], turn_count) for index in range(number)]

    def varied(self, variation: Variation, name: str, turn_count: int) -> Scenario:
        """Return a game of this name under unusual settings, with the player under test in a drawn seat."""
        rng, count = self.rng(name), variation.player_count
        situation = Situation(variation.settings, count, rng.randrange(count), None, turn_count)
        return Scenario(name, situation, rng.getrandbits(32))

    def play(
        self,
        scenario: Scenario,
        connection: Connection | None = None,
        manner: Manner = USUAL,
    ) -> Trial:
        """Play a game with the player under test on a connection, by default the shared one."""
        if connection is None:
            with self.shared() as shared:
                return self.play(scenario, shared, manner)
        [found] = self.play_together([scenario], connection, manner)
        return found

    def play_as(self, scenario: Scenario, connection: Connection, *ids: str) -> list[Trial]:
        """Play a game under each of these ids, at the same time.

        Raises NotApplicable if it is outside the profile, as all that plays games.
        """
        self.scope.check([scenario.situation])

        async def play(reached: Connection) -> list[Trial]:
            return await side_by_side(play_trial(self.game, reached, scenario, self.limits, each) for each in ids)

        text = f"{scenario.text} with the id {', '.join(ids)}"
        return self.record(connection, Entry(lambda reached: self.player.loop.run(play(reached)), text))

    def play_together(
        self,
        scenarios: Sequence[Scenario],
        connection: Connection,
        manner: Manner = USUAL,
    ) -> list[Trial]:
        """Play games at the same time, as many as the profile asks of a player, and then the next ones.

        One that fails because of its guise alone is played in the usual one: see `Trial.wrong_in_guise`. On some
        connections nothing is unusual, as most tournaments are from their first game to their last.
        """
        if connection.is_usual:
            scenarios = [each._replace(guise=each.guise or USUAL_GUISE) for each in scenarios]
        return [self._out_of_guise(each) for each in self.record(connection, self.games(scenarios, manner))]

    def _out_of_guise(self, found: Trial) -> Trial:
        """Return a trial, or the same game in the usual guise if misconduct shows in the unusual one only."""
        kind, guise = signature(found), found.scenario.guise or USUAL_GUISE
        if kind is None or guise == USUAL_GUISE or kind in self._usual_misconduct:
            return found
        usual = self._in_another_guise(found, USUAL_GUISE)
        if usual is None or same(usual, found):
            self._usual_misconduct.add(kind)
            return found
        if not self._needs_guise(found, guise):
            return found
        shows = (each for each in guise.unusual if self._shows_in_guise(found, each[1]))
        part, alone = next(shows, ("start", guise))
        self._blamed.add(alone)
        evidence = evidence_of(self.game, found)
        evidence = evidence.with_sentence(f"Where {alone}: {evidence.sentence}")
        usual.wrong_in_guise = NotTested(f"it fails where {alone}", evidence, PARTS[part].case_id)
        return usual

    def _in_guise(self, scenario: Scenario) -> Scenario:
        """Return a scenario with its guise, but for what is known to make the player fail."""
        drawn = self.ordinary_games.in_guise(scenario)
        if scenario.guise is not None or drawn.guise is None:
            return drawn
        blamed = [part for part, alone in drawn.guise.unusual if alone in self._blamed]
        return drawn._replace(guise=drawn.guise._replace(**dict.fromkeys(blamed, 0)))

    def _needs_guise(self, found: Trial, guise: Guise) -> bool:
        """Return whether misconduct that does not show in the usual guise shows again in another one."""
        with_it, without = (partial(self._shows_in_guise, found, each) for each in (guise, USUAL_GUISE))
        return with_it() if found.is_late else due_to_circumstances(with_it, without)

    def _shows_in_guise(self, found: Trial, guise: Guise) -> bool:
        again = self._in_another_guise(found, guise)
        return again is not None and same(again, found)

    def _in_another_guise(self, found: Trial, guise: Guise) -> Trial | None:
        """Return the same game alone on a fresh connection; None if the player is not asked any more."""
        try:
            if not self.player.transport.cheap:
                self.player.renew()
            with self.shared() as connection:
                [again] = self.record(connection, self.games([found.scenario._replace(guise=guise)]))
        except NotTested:
            return None
        return again

    def play_in_turn(
        self,
        scenarios: Sequence[Scenario],
        connection: Connection,
        shares: Sequence[int] = (),
        ids: Sequence[str] = (),
    ) -> list[Trial]:
        """Play games at the same time, with their calls in a fixed order; as many together as in `play_together`.

        By default each game makes one call when it is its turn, or of a slow player all of them make one at the same
        moment; and the ids are new ones with different ends.
        """

        def rotate(numbers: Sequence[int]) -> Rotation | Abreast:
            if self.is_slow and not shares:
                return Abreast(len(numbers), 0)
            return Rotation([shares[number] if shares else 1 for number in numbers])

        return self._play_in_order(scenarios, connection, rotate, ", by turns ", ids)

    def play_abreast(
        self, scenarios: Sequence[Scenario], connection: Connection, later_by: int, manners: Sequence[Manner] = ()
    ) -> list[Trial]:
        """Play games that call at the same moments, of which each begins so many calls after the one before.

        By default each is played in the usual manner.
        """

        def align(numbers: Sequence[int]) -> Abreast:
            return Abreast(len(numbers), later_by)

        between = ", with its calls at the same moments "
        return self._play_in_order(scenarios, connection, align, between, manners=manners)

    def _play_in_order(
        self,
        scenarios: Sequence[Scenario],
        connection: Connection,
        order: Callable[[Sequence[int]], Rotation | Abreast],
        between: str,
        ids: Sequence[str] = (),
        manners: Sequence[Manner] = (),
    ) -> list[Trial]:
        async def play_some(reached: Connection, numbers: Sequence[int]) -> list[Trial]:
            turns = order(numbers)

            async def play(place: int, number: int) -> Trial:
                game_id = ids[number] if ids else game_id_of(self.new_tournament_id(), 1, number + 1)
                manner, turn = manners[number] if manners else USUAL, partial(turns.turn, place)
                try:
                    return await play_trial(self.game, reached, scenarios[number], self.limits, game_id, manner, turn)
                finally:
                    turns.leave(place)

            return await side_by_side(play(*each) for each in enumerate(numbers))

        async def play_all(reached: Connection) -> list[Trial]:
            batches = self._batches(range(len(scenarios)))
            return [each for batch in batches for each in await play_some(reached, batch)]

        self.scope.check(each.situation for each in scenarios)
        text = between.join(each.text for each in scenarios)
        return self.record(connection, Entry(lambda reached: self.player.loop.run(play_all(reached)), text))

    def games(self, scenarios: Sequence[Scenario], manner: Manner = USUAL) -> Entry:
        """Return the entry of games at the same time in the history of a player.

        In the usual manner each has a guise, which follows from its scenario where that has none.
        """
        if manner is USUAL:
            scenarios = list(map(self._in_guise, scenarios))

        async def play_all(connection: Connection) -> list[Trial]:
            found = list[Trial]()
            for batch in self._batches(scenarios):
                ids = [self._ids.new_id(each.guise or USUAL_GUISE) for each in batch]
                games = zip(batch, ids, strict=True)
                found += await side_by_side(
                    play_trial(self.game, connection, each, self.limits, game_id, manner) for each, game_id in games
                )
            return found

        self.scope.check(each.situation for each in scenarios)
        text = ", at the same time ".join(each.text for each in scenarios)
        plain = scenarios if manner is USUAL else ()
        return Entry(lambda connection: self.player.loop.run(play_all(connection)), text, plain)

    def _batches(self, games: Sequence[Kept]) -> Iterator[Sequence[Kept]]:
        """Yield games, as many at a time as are played together."""
        number = self.scope.at_once(len(games))
        for start in range(0, len(games), number):
            yield games[start : start + number]

    def record(
        self, connection: Connection, entry: Entry, is_late: Callable[[Sequence[Trial]], bool] = _is_any_late
    ) -> list[Trial]:
        """Ask a player what an entry says, keep it in the history of the connection, and return the trials.

        If something was late, as `is_late` says, on a busy machine, it is asked again after the same past.
        """
        past = tuple(self._histories.setdefault(connection, []))
        seen = connection.described + sum(each.call_count for each in past)
        known = connection.repeatable and connection.call_count <= seen
        before = connection.call_count
        found = list(entry.replay(connection))
        trend = self._trends.setdefault(connection, Trend())
        trend.add(found)
        self._has_slowed_down = self._has_slowed_down or trend.rises
        may_be_excused = known and connection.excuses_late and self._excused_count < MAX_EXCUSED
        if may_be_excused and is_late(found) and is_busy():
            again = self._play_again(entry, past, is_late)
            if again is not None:
                connection.breaker.excuse()
                found = again
        for each in found:
            each.entry, each.past = (entry, past) if known else (None, ())
            each.life = tuple(self._life)
            each.had_past |= any(not one.is_single_call for one in self._life)
        self._remember(entry)
        self._histories[connection].append(entry._replace(call_count=connection.call_count - before))
        self.trials += found
        return found

    def _play_again(
        self, entry: Entry, past: Sequence[Entry], is_late: Callable[[Sequence[Trial]], bool]
    ) -> list[Trial] | None:
        """Return the trials of an entry asked again, after the same past, if all answers come in time then, or None.

        Where the machine stays busy, what the player waits for a processor is not counted.
        """
        self._quiet_left_s -= wait_until_quiet(self._quiet_left_s)
        stays_busy = is_busy()
        try:
            again = list(self.replay([*past, entry], counts_own_time=stays_busy))
        except NotTested:
            return None
        if is_late(again) or any(each.misconduct is not None for each in again):
            return None
        self._excused_count += not stays_busy
        for each in again:
            each.was_late = True
        return again

    def replay(self, history: Sequence[Entry], *, counts_own_time: bool = False) -> Sequence[Trial]:
        """Ask a player on a fresh connection what a history says, and return the trials of its last entry.

        `counts_own_time`: what it waits for a processor is no time of the player.
        """
        with self.player.fresh(breaker=Breaker()) as connection:
            connection.counts_own_time = counts_own_time
            found = [entry.replay(connection) for entry in history][-1]
        self._remember(*history)
        return found

    def _remember(self, *entries: Entry) -> None:
        if not self.player.can_be_new:
            self._life += entries

    def new_id(self) -> str:
        """Return an id that no other game has."""
        return self._ids.new_id(USUAL_GUISE)

    def new_tournament_id(self) -> str:
        """Return an id that no other tournament has."""
        return new_tournament_id(self.game.name)

    @contextmanager
    def shared(self) -> Iterator[Connection]:
        """Yield a connection that may have been used before. It is fresh if that costs nothing."""
        if self.player.transport.cheap:
            with self.player.fresh() as connection:
                yield connection
            return
        if self.player.can_be_new and self._trends.get(self.player.connection(), Trend()).rises:
            self.player.renew()  # each call would take long, and how it slows down is asked elsewhere
        yield self.player.connection()

    @property
    def at_once(self) -> int:
        """Return how many games that can be played one after the other are played at the same time."""
        return self.scope.at_once(AT_ONCE) if self.is_slow else 1

    def play_on(self, connection: Connection, scenarios: Iterable[Scenario]) -> Iterator[Trial]:
        """Yield the trials of games on a connection, each played when it is asked for; a slow player plays several."""
        left = iter(scenarios)
        while batch := list(islice(left, self.at_once)):
            yield from self.play_together(batch, connection)

    def play_each(self, scenarios: Iterable[Scenario], share: float = CASE_SHARE) -> Iterator[Trial]:
        """Yield the trials of games that have nothing to do with each other, each played when it is asked for.

        A slow player plays several of them at the same time. What goes wrong there is not held against it: such a game
        is played again alone. It plays no more of them when they have taken this share of the budget. Games outside the
        profile are left out; raises NotApplicable if all of them are.
        """
        left, budget, taken_s = self.scope.choose(scenarios, attrgetter("situation")), self.player.budget, 0.0
        while batch := list(islice(left, self.at_once)):
            if self.is_slow and taken_s > share * budget.total_s:
                return
            began_s = budget.elapsed_s
            with self.shared() as connection:
                trials = self.play_together(batch, connection)
            taken_s += budget.elapsed_s - began_s
            for scenario, found in zip(batch, trials, strict=True):
                has_failed_beside_others = found.misconduct is not None and len(batch) > 1
                yield self.play(scenario) if has_failed_beside_others else found

    # --- games that several cases look at ---

    def whole_game(self, seat: int, count: int) -> Trial:
        """Return a game to its end, played once.

        A game that takes too much of the budget is left early, and the end of one like it is played from a late state.
        The other games are played at the same time then.
        """
        asked = seat, count
        if asked not in self._whole:
            others = (each for each in self.seatings if each != asked and each not in self._whole)
            batch = [asked, *islice(others, AT_ONCE - 1 if self.is_slow else 0)]
            trials = [*self.play_each(self.scenario(*each) for each in batch)]
            self.is_slow = self.is_slow or any(map(self._takes_long, trials))
            cut = {count for (_, count), found in zip(batch, trials, strict=True) if found.is_cut}
            missing = sorted(cut - self._ends.keys())
            self._ends.update(zip(missing, self.play_each(map(self.ending, missing)), strict=True))
            for seating, found in zip(batch, trials, strict=True):
                self._keep_whole(seating, found)
        return self._whole[asked]

    def _takes_long(self, found: Trial) -> bool:
        times = found.mean_decision_s, found.first_decision_s
        return found.is_cut or (found.misconduct is None and self.player.budget.is_short_for(*times))

    def _keep_whole(self, seating: Seating, found: Trial) -> None:
        _, count = seating
        has_failed_at_the_end = found.is_cut and self._ends[count].misconduct is not None
        self._whole[seating] = self._ends[count] if has_failed_at_the_end else found

    def ending(self, count: int) -> Scenario:
        """Return the end of a game, from a late state on."""
        seed = self.rng("ending", count).getrandbits(32)
        source = Source(self.settings, count, seed, rival_names(self.game)[0], max_decisions=sys.maxsize)
        place = position(self.game, source, share=1.0)
        return Scenario(f"end-of-{count}", place.situation(0), seed)

    @property
    def ordinary(self) -> Trial:
        """Return the most ordinary game: the first seat of the smallest number of players, played first of all."""
        return self.whole_game(*self.seatings[0])

    def game_with_leaver(self) -> Trial:
        """Return a game of the most players to its end, played once, in which one of the rivals is lost."""
        count = self.game.seats.stop - 1
        departures = (Departure(count - 1, after=LEAVES_AFTER),)
        scenario = self.scenario(0, count)._replace(name="rival-leaves", departures=departures)
        return self.once("game with leaver", lambda: self.play(scenario))

    def outrun_game(self) -> Trial:
        """Return a whole game, played once, in which a rival is quicker each time the player has begun to think.

        It is the first answer that counts in such a game: see `Trial.has_races`.
        """
        scenario = self.first_scenario()._replace(name="outrun", rivals_wait=False)
        scenario = scenario._replace(situation=scenario.situation._replace(rivals=rival_names(self.game)[0]))
        head_start_s = 0.0 if self.is_slow else min(HEAD_START_SHARE * self.ordinary.mean_decision_s, HEAD_START_S)

        def play() -> Trial:
            with self.shared() as connection:
                return self.play(scenario, connection, Manner(head_start_s=head_start_s))

        return self.once("outrun game", play)

    def whole_games(self) -> Iterator[Trial]:
        """Yield all whole games, playing each when it is asked for."""
        yield from (self.whole_game(*seating) for seating in self.seatings)
        yield self.game_with_leaver()

    def whole_games_played(self) -> list[Trial]:
        """Return the whole games that have been played so far."""
        return [*self._whole.values(), *filter(None, [self.kept("game with leaver")])]

    def same_whole_game(self, found: Trial) -> Trial:
        """Return the whole game of which a trial is a beginning, if need be played by a player without a past."""
        situation = found.scenario.situation
        seating = situation.seat, situation.player_count
        whole = self.whole_game(*seating)
        if whole.had_past and whole.misconduct is not None:
            self._without_past[seating] = self._without_past.get(seating) or self.alone(whole.scenario)
            return self._without_past[seating]
        return whole

    def sequence(self) -> Trial:
        """Return the last of four games in a row on a fresh connection, or the first of them that fails.

        The last one is the first one over again, under another id: as in tournaments with duplicate deals.
        """
        return self.once("sequence", self._play_sequence)

    def _play_sequence(self) -> Trial:
        beginnings = [each._replace(guise=USUAL_GUISE) for each in self.beginnings(3, BESIDE_OTHERS)]
        history = self.history or [[each] for each in (*beginnings, beginnings[0])]
        with self.player.fresh() as connection:
            for scenarios in history:
                for found in self.play_together(scenarios, connection):
                    if found.misconduct is not None:
                        return found
        return found

    def pair(self) -> Trial:
        """Return one of two games at the same time on a fresh connection: the one that fails, if one does."""
        return self.once("pair", self._play_pair)

    def _play_pair(self) -> Trial:
        with self.player.fresh() as connection:
            both = self.play_together(self.beginnings(2, BESIDE_OTHERS), connection)
        return next((each for each in both if each.misconduct is not None), both[0])

    def alone(self, scenario: Scenario) -> Trial:
        """Play the same game on a fresh connection, which is the shared one from now on.

        Raises NotTested if the player does not answer all its calls any more: it would not be the same game.
        """
        if not self.player.transport.cheap:
            self.player.renew()
        found = self.play(scenario)
        if found.left_out is not None:
            raise found.left_out
        return found

    def try_again(self, *, settled: bool) -> bool:
        """Return whether the last case is to be tried again, on a connection without a past.

        `settled`: it is met, or another attempt would show nothing else.
        """
        return self.player.try_again(settled=settled)

    # --- single calls ---

    def ask(
        self,
        method: Method,
        request: Message | bytes,
        connection: Connection,
        limit_s: float | None = None,
        extra: Metadata = NO_EXTRA,
    ) -> Answered:
        """Make one call."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        asked: list[Answered] = []

        def is_late(_: Sequence[Trial]) -> bool:
            return isinstance(asked[-1][0], Overrun)

        def call(reached: Connection) -> Sequence[Trial]:
            limit = limit_s or self.limits.notification_s
            asked.append(self.player.loop.run(reached.ask(method, data, limit, extra=extra)))
            return ()

        self.record(connection, Entry(call, f"a call of {method.name}", is_single_call=True), is_late)
        return asked[-1]


@contextmanager
def open_context(
    game: Game,
    transport: Transport,
    seed: int,
    limits: CallLimits,
    examples: int,
    history: Sequence[Sequence[Scenario]] = (),
    budget_s: float = math.inf,
    profile: str = "",
) -> Iterator[Context]:
    """Yield a context, and let go of the player at the end, whatever happens.

    Raises OSError, with one sentence, if something on this machine keeps every player from being reached.
    """
    loop = LoopThread()
    farewells = Farewells(Random(f"{seed}/farewells"))
    player = PlayerUnderTest(loop, transport, limits.notification_s, Budget(budget_s), farewells)
    try:
        loop.run(transport.prepare())
        context = Context(game, player, seed, limits, examples, history, profile)
        with context.at_end:
            yield context
    finally:
        try:
            player.close()
        finally:
            loop.close()

"""What cases work with: the tested player, games to try it in, and the way to find out what a failure is due to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import TypeAlias

from google.protobuf.message import Message

from fairplay.conformance import blame
from fairplay.conformance.case import Failure, NotTested
from fairplay.conformance.rehearsal import Limits, Performance, Rehearsal, Twist, rehearse
from fairplay.conformance.subject import Connection, Subject
from fairplay.games.conformance import Situation
from fairplay.games.game import Game
from fairplay.games.steps import Failure as CallFailure
from fairplay.games.steps import Method

BESIDE_OTHERS = 24
"""How many decisions are made in games that are to show traces of others: in the first few there may be no choice."""
Asked: TypeAlias = tuple[bytes | CallFailure, float]
Control: TypeAlias = tuple[str, Callable[[], Rehearsal]]
"""The id of a case, and a game that shows what that case is about."""


class Bench:
    """Everything that a case needs. Whole games are played once and looked at by several cases."""

    def __init__(self, game: Game, subject: Subject, seed: int, limits: Limits, examples: int) -> None:
        self.game = game
        self.subject = subject
        self.seed = seed
        self.limits = limits
        self.examples = examples
        """How many states are drawn, for each case that draws them."""
        self.settings: Message = game.full_settings(game.settings_type())
        self.rehearsals: list[Rehearsal] = []
        self._whole: dict[tuple[int, int], Rehearsal] = {}
        self.drawn: dict[tuple[int, int, int, str], Rehearsal] = {}
        """What was drawn, and how it went: looked at by several cases."""
        self._deserted: Rehearsal | None = None
        self._sequence: Rehearsal | None = None
        self._pair: Rehearsal | None = None
        self._game_count = 0

    def rng(self, *words: object) -> Random:
        """Randomness that follows from the seed and these words."""
        return Random("/".join(map(str, (self.seed, self.game.name, *words))))

    # --- games ---

    @property
    def seatings(self) -> Sequence[tuple[int, int]]:
        """(seat, number of players), from the most ordinary on."""
        return [(seat, count) for count in self.game.seats for seat in range(count)]

    def performance(self, seat: int, count: int, turn_count: int = 0) -> Performance:
        """A game in this seat, to its end or for so many decisions of the tested player."""
        situation = Situation(self.settings, count, seat, turn_count=turn_count)
        return Performance(f"seat-{seat}-of-{count}", situation, self.rng(seat, count).getrandbits(32))

    def beginnings(self, number: int, turn_count: int) -> list[Performance]:
        """The beginnings of so many games, in different seats as far as there are different ones."""
        seatings = self.seatings
        return [self.performance(*seatings[index % len(seatings)], turn_count) for index in range(number)]

    def rehearse(
        self, performance: Performance, connection: Connection | None = None, twist: Twist | None = None
    ) -> Rehearsal:
        """Plays a game with the tested player on the shared connection, or on the one that is given."""
        if connection is not None:
            return self.together([performance], connection, twist)[0]
        with self.shared() as shared:
            return self.together([performance], shared, twist)[0]

    def rehearse_as(self, performance: Performance, connection: Connection, game_id: str) -> Rehearsal:
        """Plays a game under an id of one's own choice."""
        found = self.subject.loop.run(rehearse(self.game, connection, performance, self.limits, game_id))
        self.rehearsals.append(found)
        return found

    def together(
        self, performances: Sequence[Performance], connection: Connection, twist: Twist | None = None
    ) -> list[Rehearsal]:
        """Plays games at the same time."""

        async def all_of_them() -> list[Rehearsal]:
            games = (
                rehearse(self.game, connection, each, self.limits, self.new_id(each.name), twist)
                for each in performances
            )
            return await asyncio.gather(*games)

        found = self.subject.loop.run(all_of_them())
        self.rehearsals += found
        return found

    def new_id(self, name: str) -> str:
        """The id of a game that was never played before."""
        self._game_count += 1
        return f"certify/{name}.{self._game_count}"

    @contextmanager
    def shared(self) -> Iterator[Connection]:
        """A connection that need not be a fresh one; where that costs nothing, it is."""
        if self.subject.door.cheap:
            with self.subject.fresh() as connection:
                yield connection
        else:
            yield self.subject.connection()

    def whole_game(self, seat: int, count: int) -> Rehearsal:
        """A game to its end, played once."""
        if (seat, count) not in self._whole:
            self._whole[seat, count] = self.rehearse(self.performance(seat, count))
        return self._whole[seat, count]

    @property
    def ordinary(self) -> Rehearsal:
        """The most ordinary game: the first seat of the smallest number of players, played first of all."""
        return self.whole_game(*self.seatings[0])

    def deserted_game(self) -> Rehearsal:
        """A game of the most players to its end, played once, which one of the rivals leaves."""
        if self._deserted is None:
            count = self.game.seats.stop - 1
            performance = self.performance(0, count)._replace(name="rival-leaves", leaver=count - 1)
            self._deserted = self.rehearse(performance)
        return self._deserted

    def whole_games(self) -> Iterator[Rehearsal]:
        """All whole games, one after the other."""
        yield from (self.whole_game(*seating) for seating in self.seatings)
        yield self.deserted_game()

    def whole_games_played(self) -> list[Rehearsal]:
        """Those of them that have been played so far."""
        return [*self._whole.values(), *filter(None, [self._deserted])]

    def sequence(self) -> Rehearsal:
        """The last of three games one after the other on a fresh connection, or the first of them that fails."""
        if self._sequence is None:
            with self.subject.fresh() as connection:
                for performance in self.beginnings(3, BESIDE_OTHERS):
                    self._sequence = self.rehearse(performance, connection)
                    if self._sequence.misconduct is not None:
                        break
        assert self._sequence is not None
        return self._sequence

    def pair(self) -> Rehearsal:
        """One of two games at the same time on a fresh connection: the one that fails, if one does."""
        if self._pair is None:
            with self.subject.fresh() as connection:
                both = self.together(self.beginnings(2, BESIDE_OTHERS), connection)
            self._pair = next((each for each in both if each.misconduct is not None), both[0])
        return self._pair

    def alone(self, performance: Performance) -> Rehearsal:
        """The same game on a fresh connection, which is the shared one from now on."""
        if not self.subject.door.cheap:
            self.subject.renew()
        return self.rehearse(performance)

    # --- single calls ---

    def ask(
        self, method: Method, request: Message | bytes, connection: Connection, limit_s: float | None = None
    ) -> Asked:
        """Makes one call."""
        data = request if isinstance(request, bytes) else request.SerializeToString()
        return self.subject.loop.run(connection.ask(method, data, limit_s or self.limits.notification_s))

    # --- whose fault ---

    def judge(self, found: Rehearsal) -> None:
        """For cases about the game itself. Failure: the player misbehaved in a way that is not another case's matter.

        An exception or a timeout that the most ordinary game shows as well belongs to the case that looks at that;
        one that shows only in the company of other games, to the case about games back to back.
        """
        if found.misconduct is None:
            return
        here = blame.signature(found)
        if not blame.breaks_rule(found) and found is not self.ordinary and blame.signature(self.ordinary) == here:
            raise NotTested(f"the game ended early, as any does: see {blame.owner(self.ordinary)}")
        if found is self.ordinary and not blame.breaks_rule(found):
            raise NotTested(f"the game ended early: see {blame.owner(found)}")
        self.confirm(found)

    def judge_owned(self, case_id: str) -> None:
        """For the case that a kind of misconduct belongs to, in whole games.

        NotTested: the player does nothing of the kind, but some game ended before all of it was seen.
        """
        ended_early: Rehearsal | None = None
        for found in self.whole_games():
            if found.misconduct is not None:
                if blame.owner(found) == case_id:
                    self.confirm(found)
                ended_early = ended_early or found
        if ended_early is not None:
            name = ended_early.performance.name
            raise NotTested(f"the game {name} ended before all was seen: see {blame.owner(ended_early)}")

    def confirm(self, found: Rehearsal) -> None:
        """Failure: the player misbehaved. NotTested: only because of games before, and there is a case about that."""
        here = blame.signature(found)
        if not found.had_past:
            raise Failure(blame.evidence(self.game, found))
        try:
            again = self.alone(found.performance)
        except NotTested:
            again = found
        if blame.signature(again) == here:
            raise Failure(blame.evidence(self.game, again))
        shown = blame.evidence(self.game, found)
        if blame.signature(self.sequence()) == here:
            raise NotTested("it fails only after other games: see memory.back-to-back", shown)
        raise Failure(shown.with_sections(("Played again", "The same game on a fresh connection went well.")))

    def judge_condition(self, found: Rehearsal, *controls: Control) -> None:
        """For cases about the circumstances of a game, on a fresh connection.

        Failure: the player misbehaved and does not do the same in a control, which is a game without the
        circumstances, with the id of the case that looks at it ("": the one whose matter the misconduct is).
        """
        if found.misconduct is None:
            return
        here = blame.signature(found)
        alone: Control = ("", lambda: self.same_whole_game(found))
        for case_id, control in (alone, *controls):
            plain = control()
            if blame.signature(plain) == here:
                raise NotTested(f"it fails without that as well: see {case_id or blame.owner(plain)}")
        raise Failure(blame.evidence(self.game, found))

    def same_whole_game(self, found: Rehearsal) -> Rehearsal:
        """The whole game of which this is a beginning."""
        situation = found.performance.situation
        return self.whole_game(situation.seat, situation.player_count)

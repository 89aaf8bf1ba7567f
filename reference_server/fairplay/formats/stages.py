"""The format stages: several formats, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from google.protobuf.message import Message

from fairplay.formats.format import Format, Terms, chosen, full_format
from fairplay.games.kit.knockout import allocate
from fairplay.games.kit.settings import Setting
from fairplay.games.kit.tournament import Order, Schedule
from fairplay.v1.tournament_pb2 import Stages

LEAST, MOST = 2, 10
"""How many stages there may be."""


class _StagesFormat:
    """Each stage but the first is played by the best of the one before."""

    name = "stages"
    title = "stages"
    summary = "Several formats, one after the other: each takes the best of the one before."
    settings = (
        Setting(
            "stages",
            "The formats, in their order, and of each but the last how many of the best play the next one.",
            f"{LEAST} to {MOST} formats; not stages",
            "",
        ),
    )
    failures_allowed = 3
    strikes_withdrawn = False
    ranks = True

    def full_settings(self, settings: Message, sizes: range) -> Stages:
        """Return the settings with the defaults of each stage. Raises ValueError if a value is not allowed."""
        assert isinstance(settings, Stages)
        if not LEAST <= len(settings.stages) <= MOST:
            raise ValueError(f"a tournament has {LEAST} to {MOST} stages, not {len(settings.stages)}")
        full = Stages(unplayed_enter=settings.unplayed_enter)
        for place, stage in enumerate(settings.stages, start=1):
            if stage.format.HasField("stages"):
                raise ValueError(f"stage {place} cannot have stages of its own")
            if place < len(settings.stages) and stage.top_count < 2:
                raise ValueError(f"stage {place}: top_count is {stage.top_count}: at least 2 must play the next stage")
            if place == len(settings.stages) and stage.top_count:
                raise ValueError(
                    f"stage {place}: top_count is {stage.top_count}: it is the last stage, no other follows"
                )
            try:
                full.stages.add(format=full_format(stage.format, sizes), top_count=stage.top_count)
            except ValueError as error:
                raise ValueError(f"stage {place}: {error}") from error
        return full

    def check(self, settings: Message, terms: Terms) -> None:
        """Raise ValueError if the entrants of a stage cannot play in its format."""
        assert isinstance(settings, Stages)
        names = terms.names
        for place, stage in enumerate(settings.stages, start=1):
            format_, own = chosen(stage.format)
            if stage.top_count > len(names):
                raise ValueError(f"stage {place}: top_count is {stage.top_count}; there are {len(names)} entrants")
            try:
                format_.check(own, _terms_of(format_, terms)._replace(names=names))
            except ValueError as error:
                raise ValueError(f"stage {place} ({format_.title}): {error}") from error
            # Nobody knows yet who they will be: a format that needs certain entrants fits the first stage only.
            names = [""] * stage.top_count

    def schedule(self, settings: Message, terms: Terms, entrants: Sequence[int], rng: Random) -> Schedule:
        """Return the schedule of the stages.

        The order of the last stage comes first, then those who got no further than the one before, and so on.
        """
        assert isinstance(settings, Stages)
        left = [*entrants]
        behind: list[int] = []
        course = _Course()
        unplayed_enter = settings.unplayed_enter or not settings.HasField("unplayed_enter")
        for place, stage in enumerate(settings.stages, start=1):
            format_, own = chosen(stage.format)
            seated = left if place == 1 or format_.ranks else spread(left, terms.sizes)
            order = yield from course.play(place, format_.schedule(own, _terms_of(format_, terms), seated, rng))
            best = [each for each in (*order.winners, *order.others) if each not in course.withdrawn]
            if not unplayed_enter:
                best.sort(key=course.unplayed.__contains__)
            if place == len(settings.stages):
                others = [each for each in best if each not in order.winners]
                return Order(order.winners, tuple(others + behind))
            left = [each for each in best[: stage.top_count] if unplayed_enter or each not in course.unplayed]
            behind = best[len(left) :] + behind
        return Order((), ())  # there is no tournament without stages


FORMAT = _StagesFormat()


def _terms_of(format_: Format, terms: Terms) -> Terms:
    """Return what a stage is given: a knock-out has matches of its own length, and no duplicate deals."""
    return terms if format_.ranks else terms._replace(deal_count=0)


class _Course:
    """The games of all stages: deals are numbered through, and whoever is withdrawn stays so."""

    def __init__(self) -> None:
        self.withdrawn: frozenset[int] = frozenset()
        self.unplayed: set[int] = set()
        """Those who have failed in this stage, and finished no game in which they made a decision."""
        self._last_deal = 0

    def play(self, stage: int, rounds: Schedule) -> Schedule:
        """Play the schedule of a stage."""
        before = self._last_deal
        failed, finished = set[int](), set[int]()
        self.unplayed = set()
        try:
            step = next(rounds)
            while True:
                games = tuple(game._replace(deal=game.deal and game.deal + before) for game in step.games)
                self._last_deal = max([self._last_deal, *(game.deal for game in games)])
                results = yield step._replace(games=games, stage=stage)
                self.withdrawn = results.withdrawn
                for game in results.played:
                    failed.update(game.failed)
                    finished.update(game.finishers)
                self.unplayed = failed - finished
                step = rounds.send(results)
        except StopIteration as stop:
            order: Order = stop.value
            return order


def spread(best: Sequence[int], sizes: range) -> list[int]:
    """Return entrants, best first, in an order in which a knock-out lets the best of them meet as late as it can.

    Each game of its first round has one of the best, one of the next, and so on. Where some are left over and need not
    play, they are the best ones.
    """
    tables = allocate(len(best), sizes)
    byes = len(best) - sum(tables)
    ranks = _bracket(len(tables))
    groups: list[list[int]] = [[] for _ in tables]
    waiting = iter(best[byes:])
    forwards = True
    while any(len(group) < size for group, size in zip(groups, tables, strict=True)):
        for table in sorted(range(len(tables)), key=ranks.__getitem__, reverse=not forwards):
            if len(groups[table]) < tables[table]:
                groups[table].append(next(waiting))
        forwards = not forwards
    return [*(entrant for group in groups for entrant in group), *best[:byes]]


def _bracket(count: int) -> list[int]:
    """Return, for each game of a first round, the rank of its best player: the first two are in different halves."""
    ranks = [0]
    while len(ranks) < count:
        ranks = [each for rank in ranks for each in (rank, 2 * len(ranks) - 1 - rank)]
    return [rank for rank in ranks if rank < count]

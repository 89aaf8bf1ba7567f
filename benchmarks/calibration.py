"""`python -m benchmarks.calibration`: how often what is said of entrants and players is true, by simulation.

Prints the tables of docs/ratings.md and docs/compare.md. Everything follows from `--seed`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairplay.standings.rating import MEAN, divide_into_bands
from fairplay.standings.ratings import ELO, rate_entrants
from fairplay.standings.results import Outcome, Results
from fairplay.standings.sprt import Answer, Bounds, SequentialTest, expected_score

ENDLESS = 40_000
"""How many deals an event has whose ratings count as the truth, where the model does not give it."""


@dataclass(frozen=True, slots=True)
class Event:
    """A kind of event: groups of `seats` drawn from `entrants` equally often, each of which plays one deal.

    Strengths are normal with a deviation of `spread` Elo. `luck` is what the cards of a seat are worth in a deal, as a
    deviation in Elo; the games of a deal rotate the seats. `ties`: results that differ by less than so much Elo are
    taken for equal where they fall into the same step of a scale.
    """

    entrants: int
    seats: int
    deals: int
    spread: float = 200.0
    luck: float = 0.0
    ties: float = 0.0

    @property
    def games(self) -> int:
        """Return how many games an event has."""
        return self.deals * self.seats

    def strengths(self, seed: int) -> NDArray[np.float64]:
        """Return strengths in Elo, 0 in the mean."""
        drawn = np.random.default_rng([seed, self.entrants]).normal(0.0, 1.0, self.entrants)
        centered: NDArray[np.float64] = self.spread * (drawn - drawn.mean())
        return centered

    def groups(self, rng: np.random.Generator, deals: int) -> NDArray[np.int64]:
        """Return who plays each deal: everybody equally often, as nearly as the numbers allow."""
        rows: list[NDArray[np.int64]] = []
        per_pass = self.entrants // self.seats
        while len(rows) * per_pass < deals:
            order = rng.permutation(self.entrants)[: per_pass * self.seats]
            rows.append(order.reshape(per_pass, self.seats))
        return np.concatenate(rows)[:deals]

    def play(self, strengths: NDArray[np.float64], rng: np.random.Generator, deals: int) -> Results:
        """Return the results of such an event."""
        groups = self.groups(rng, deals)
        luck = rng.normal(0.0, self.luck, groups.shape)
        results = Results(self.entrants)
        for turn in range(self.seats):
            seated = np.roll(groups, turn, axis=1)
            worth = strengths[seated] + luck + ELO * rng.gumbel(size=groups.shape)
            if self.ties:
                worth = np.floor(worth / self.ties)
            places = 1 + (worth[:, None, :] > worth[:, :, None]).sum(axis=2)
            none = [0] * self.seats
            for deal, (entrants, row) in enumerate(zip(seated.tolist(), places.tolist(), strict=True), start=1):
                results.add(Outcome(entrants, row, none, deal))
        return results


EVENTS = (
    Event(2, 2, 8),
    Event(2, 2, 50),
    Event(2, 2, 400),
    Event(4, 2, 24),
    Event(4, 2, 240),
    Event(8, 2, 56),
    Event(8, 2, 560),
    Event(30, 2, 435),
    Event(30, 2, 2_000),
    Event(4, 3, 24),
    Event(8, 3, 200),
    Event(4, 4, 10),
    Event(4, 4, 100),
    Event(8, 4, 60),
    Event(30, 4, 300),
    Event(8, 5, 40),
    Event(30, 5, 240),
    Event(8, 2, 280, luck=200.0),
    Event(8, 4, 100, luck=200.0),
    Event(30, 4, 300, luck=200.0),
    Event(8, 2, 280, ties=200.0),
    Event(8, 4, 100, luck=200.0, ties=200.0),
)
EQUAL = (
    Event(4, 2, 12, spread=0.0),
    Event(4, 2, 120, spread=0.0),
    Event(4, 4, 10, spread=0.0),
    Event(4, 4, 100, spread=0.0),
    Event(4, 4, 100, spread=0.0, luck=200.0, ties=200.0),
)


@cache
def endless(event: Event, seed: int) -> NDArray[np.float64]:
    """Return the ratings of an event that hardly ends: the truth where luck and ties blur the strengths."""
    results = event.play(event.strengths(seed), np.random.default_rng([seed, 1]), ENDLESS)
    ratings = rate_entrants(results)
    return np.array([each.rating if each else MEAN for each in ratings])


def truth(event: Event, strengths: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return the true ratings of an event."""
    return endless(event, seed) if event.luck or event.ties else MEAN + strengths


def cover(event: Event, count: int, seed: int) -> tuple[float, float]:
    """Return how often an interval holds the truth in `count` events, and half the mean width of the intervals."""
    held, total, margins = 0, 0, 0.0
    for number in range(count):
        blurred = bool(event.luck or event.ties)
        strengths = event.strengths(seed if blurred else seed + 1 + number)
        ratings = rate_entrants(event.play(strengths, np.random.default_rng([seed, 2, number]), event.deals))
        for rating, true in zip(ratings, truth(event, strengths, seed), strict=True):
            if rating is not None:
                held += rating.low <= true <= rating.high
                margins += rating.margin
                total += 1
    return held / total, margins / total


def share_band(event: Event, count: int, seed: int) -> float:
    """Return in which share of `count` events equal entrants are all in one band."""
    shared = 0
    for number in range(count):
        results = event.play(event.strengths(seed), np.random.default_rng([seed, 3, number]), event.deals)
        shared += set(divide_into_bands(rate_entrants(results))) == {1}
    return shared / count


# --- comparisons ---


@dataclass(frozen=True, slots=True)
class Played:
    """How the games of a deal go between two players.

    `ties`: the share of ties. `alike`: the games of a deal all end alike, else each by itself. `seat`: the share of
    deals in which each wins the game from the better seat.
    """

    name: str
    games: int = 2
    ties: float = 0.0
    alike: bool = False
    seat: float = 0.0

    def deal(self, elo: float, rng: np.random.Generator) -> float:
        """Return the mean result of a deal for a player that is better by so much Elo."""
        if rng.random() < self.seat:
            return 0.5
        win = (expected_score(elo) - 0.5) / (1 - self.seat) + 0.5 - self.ties / 2
        drawn = rng.random(1 if self.alike else self.games)
        return float(((drawn < win) + 0.5 * ((drawn >= win) & (drawn < win + self.ties))).mean())


PLAYED = (
    Played("independent"),
    Played("six games a deal", games=6),
    Played("half of them ties", ties=0.4),
    Played("deals decide", alike=True),
    Played("seats decide", seat=0.25),
)


def err(kind: Played, elo: float, elo1: float, count: int, seed: int) -> tuple[float, float]:
    """Return how often `count` comparisons answer wrongly, and after how many deals they end on average.

    A player that is better by `elo` is called better wrongly if that is 0, and not better wrongly if it is `elo1`.
    """
    wrong = Answer.BETTER if elo == 0 else Answer.NOT_BETTER
    errors = deals = 0
    for number in range(count):
        rng = np.random.default_rng([seed, 4, number])
        test = SequentialTest(Bounds(0.0, elo1), kind.games)
        while test.answer is Answer.UNDECIDED:
            test.add(kind.deal(elo, rng))
        errors += test.answer is wrong
        deals += test.deal_count
    return errors / count, deals / count


def _print_comparisons(count: int, seed: int) -> None:
    print("\n| games of a deal | elo1 | equal, called better | deals | better by elo1, called not better | deals |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind in PLAYED:
        for elo1 in (50.0, 150.0):
            null, true = err(kind, 0.0, elo1, count, seed), err(kind, elo1, elo1, count, seed)
            cells = f"{null[0]:.1%} | {null[1]:.0f} | {true[0]:.1%} | {true[1]:.0f}"
            print(f"| {kind.name} | {elo1:g} | {cells} |", flush=True)


def _describe(event: Event) -> str:
    return f"| {event.entrants} | {event.seats} | {event.deals} | {event.games} | {event.luck:g} | {event.ties:g} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("--events", type=int, default=1_000, metavar="N", help="how many events of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    options = parser.parse_args(arguments)
    print("| entrants | seats | deals | games | luck | ties | intervals that hold the truth | mean ± |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|")
    for event in EVENTS:
        held, margin = cover(event, options.events, options.seed)
        print(f"{_describe(event)} {held:.1%} | {margin:.0f} |", flush=True)
    print("\n| entrants | seats | deals | games | luck | ties | events with one band |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    for event in EQUAL:
        print(f"{_describe(event)} {share_band(event, options.events, options.seed):.1%} |", flush=True)
    _print_comparisons(2 * options.events, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

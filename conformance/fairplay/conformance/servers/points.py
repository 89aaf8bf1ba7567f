"""The standings of a tournament that is over, computed anew from its games, in the words of the contract."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import ServerContext
from fairplay.standings.rating import divide_into_bands
from fairplay.standings.ratings import rate_entrants
from fairplay.standings.results import Results, read_outcome
from fairplay.v1.manager_pb2 import GetStandingsRequest
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Standing, Tournament, WithdrawnGames

BY_POINTS = ("round_robin", "swiss")
SKIPPED = RoundGameStatus.ROUND_GAME_STATUS_SKIPPED


class Table:
    """Points and tie-breaks of the entrants.

    `outside` says how often each has failed outside of games, in Start and in all, `idle` who has made no decision in
    which game, by name and id.
    """

    def __init__(
        self,
        shown: Tournament,
        in_start: Collection[str] = (),
        in_end: Collection[str] = (),
        idle: Collection[tuple[str, str]] = (),
    ) -> None:
        self.shown = shown
        self.names = [each.name for each in shown.entrants]
        whole = [game for each in shown.rounds for game in each.games if not game.result.aborted]
        failed = [each.player for round_ in shown.rounds for game in round_.games for each in game.result.misconducts]
        self.failures = Counter([*in_start, *failed, *in_end])
        self.withdrawn = {name for name, count in self.failures.items() if count > shown.plan.failures_allowed}
        struck = self.withdrawn if shown.plan.withdrawn_games == WithdrawnGames.WITHDRAWN_GAMES_STRUCK else set()
        self.games = [game for game in whole if not struck.intersection(game.players)]
        self._won: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self._met: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        self._difference: dict[str, float] = defaultdict(float)
        self._firsts: dict[str, list[int]] = {name: [] for name in self.names}
        """Of each game of an entrant how many shared the first place with it, itself included; 0: it was not first."""
        for game in self.games:
            self._add(game)
        self.points = self._byes(in_start) | dict.fromkeys(struck, Fraction())
        for (name, _), won in self._won.items():
            self.points[name] += won
        finishers = {
            name
            for game in whole
            for name in {*game.players} - {each.player for each in game.result.misconducts}
            if (name, game.game_id) not in idle
        }
        self.unplayed = {name for name in self.failures if name not in finishers}

    def _add(self, game: RoundGame) -> None:
        groups = [[each.name for each in group.players] for group in game.result.ranking if group.players]
        place = {name: number for number, group in enumerate(groups) for name in group}
        scores = {each.name: each.score for group in game.result.ranking for each in group.players}
        lowest, weight = min(scores.values(), default=0), Fraction(1, len(game.players) - 1)
        for one in game.players:
            others = [name for name in game.players if name != one]
            mean = sum(scores.get(name, lowest) for name in others) / len(others)
            self._difference[one] += scores.get(one, lowest) - mean
            self._firsts[one].append(len(groups[0]) if place.get(one) == 0 else 0)
            for other in others:
                mine, theirs = place.get(one, len(groups)), place.get(other, len(groups))
                halves = 2 * (mine < theirs) + (mine == theirs < len(groups))
                self._won[one, other] += weight * halves / 2
                self._met[one, other] += weight

    def tie_breaks(self, name: str) -> Sequence[float | Fraction]:
        """Return the tie-breaks of an entrant but for the lot."""
        equal = [each for each in self.names if self.points[each] == self.points[name]]
        met = {self._met.get(pair, Fraction()) for pair in combinations(equal, 2)}
        direct = sum((self._won.get((name, each), Fraction()) for each in equal), Fraction())
        buchholz = sum((self._met.get((name, each), Fraction()) * self.points[each] for each in self.names), Fraction())
        berger = sum((self._won.get((name, each), Fraction()) * self.points[each] for each in self.names), Fraction())
        wins = Fraction(self._firsts[name].count(1))
        return (direct if len(met) == 1 and min(met) else 0, buchholz, berger, wins, self._difference[name])

    def counts(self, name: str) -> dict[str, int | bool]:
        """Return what the standings count of an entrant."""
        firsts = self._firsts[name]
        return {
            "game_count": len(firsts),
            "win_count": firsts.count(1),
            "tie_count": sum(count > 1 for count in firsts),
            "loss_count": firsts.count(0),
            "failure_count": self.failures[name],
            "withdrawn": name in self.withdrawn,
            "unplayed": name in self.unplayed,
        }

    def ratings(self) -> Mapping[str, Sequence[float]]:
        """Return the rating, its interval and the band of each entrant; nothing of who has none."""
        results = Results(len(self.names))
        for game in self.games:
            outcome = read_outcome([self.names.index(name) for name in game.players], game.result, game.deal)
            assert outcome is not None
            results.add(outcome)
        ratings = rate_entrants(results)
        for name in self.unplayed:
            ratings[self.names.index(name)] = None
        lines = zip(self.names, ratings, divide_into_bands(ratings), strict=True)
        return {
            name: [] if each is None else [*(round(value, 3) for value in (each.rating, each.low, each.high)), band]
            for name, each, band in lines
        }

    def _byes(self, in_start: Collection[str]) -> dict[str, Fraction]:
        """Return the points for games of a Swiss that somebody sat out, or that were skipped.

        In a stage that is not the first one nobody sits out all rounds.
        """
        points, plan, failures = dict.fromkeys(self.names, Fraction()), self.shown.plan, Counter(in_start)
        formats = [each.format for each in plan.format.stages.stages] or [plan.format]
        for round_ in self.shown.rounds:
            gone = {name for name, count in failures.items() if count > plan.failures_allowed}
            failures.update(each.player for game in round_.games for each in game.result.misconducts)
            if not formats[max(round_.stage, 1) - 1].HasField("swiss"):
                continue
            stage = [each for each in self.shown.rounds if each.stage == round_.stage]
            entrants = {name for each in stage for name in players_of(each.games)} if round_.stage > 1 else {*points}
            for name in entrants - gone - {*players_of(round_.games)}:
                points[name] += max(1, plan.deal_count * max(len(game.players) for game in round_.games))
            for game in round_.games:
                left = {name for name in game.players if failures[name] <= plan.failures_allowed}
                for name in left if game.status == SKIPPED else ():
                    points[name] += 1
        return points


def players_of(games: Iterable[RoundGame]) -> Sequence[str]:
    """Return the players of games, whoever is in several of them several times."""
    return [name for game in games for name in game.players]


async def check_standings(context: ServerContext, table: Table, where: str = "") -> None:
    """Check the standings at the end of a tournament; `where` says what is special about it."""
    asked = GetStandingsRequest(tournament_id=table.shown.tournament_id)
    got = (await context.ask("GetStandings", asked)).standings
    lines = {each.name: each for each in got.standings}
    same(f"The names in the standings{where}", sorted(table.names), sorted(lines))
    same(f"The entrant_count of the standings{where}", len(table.names), got.entrant_count)
    same(f"The game_count of the standings{where}", len(table.games), got.game_count)
    same(f"The round_count of the standings{where}", len(table.shown.rounds), got.round_count)
    same(f"Whether the standings{where} are complete", True, got.complete)
    for name in table.names:
        line = lines[name]
        same(f"The points of {name}{where}", round(float(table.points[name]), 6), round(line.points, 6))
        ties = [round(float(each), 6) for each in table.tie_breaks(name)]
        came = [round(each.value, 6) for each in line.tie_breaks if each.name != "lot"]
        same(f"The tie-breaks of {name}{where}", ties, came)
        counts = table.counts(name)
        same(f"What is counted of {name}{where}", counts, {each: getattr(line, each) for each in counts})
    if any(each.HasField("rating") for each in got.standings):
        for name, due in table.ratings().items():
            same(f"The rating of {name}, its interval and its band{where}", due, _rating(lines[name]))
    _check_places(table, got.standings, where)


def _rating(line: Standing) -> list[float]:
    """Return the rating, the interval and the band of a line; nothing if it has no rating."""
    if not line.HasField("rating"):
        return []
    return [*(round(value, 3) for value in (line.rating.value, line.rating.low, line.rating.high)), line.band]


def _check_places(table: Table, lines: Sequence[Standing], where: str) -> None:
    """Check the order: that of the result, behind it who was withdrawn, and last who has not played."""
    result = table.shown.result
    if table.shown.plan.format.WhichOneof("format") in BY_POINTS and result.winners:
        values = {name: (table.points[name], *table.tie_breaks(name)) for name in table.names}
        left = [name for name in table.names if name not in table.withdrawn]
        best = [name for name in left if values[name] == max(values[each] for each in left)]
        same(f"The winners{where}", sorted(best), sorted(result.winners))
        due = sorted((values[name] for name in result.others), reverse=True)
        same(f"The points and tie-breaks of the others{where}", due, [values[name] for name in result.others])
    order = [*result.winners, *result.others]
    late = {name: 2 * (name in table.unplayed) or int(name in table.withdrawn) for name in table.names}
    names = [each.name for each in lines]
    same(f"Who is late in the standings{where}", sorted(late.values()), [late[name] for name in names])
    for lateness in range(3):
        ranked = [name for name in order if late[name] == lateness]
        came = [name for name in names if name in ranked]
        won = sum(name in result.winners for name in ranked)
        same(f"The winners in the standings{where}", sorted(ranked[:won]), sorted(came[:won]))
        same(f"The order of the standings{where}", ranked[won:], came[won:])
        rest = [name for name in names if late[name] == lateness and name not in order]
        keys = [(table.points[name], *table.tie_breaks(name)) for name in rest]
        same(f"The order of who is in no order of the format{where}", sorted(keys, reverse=True), keys)
    first = [name for name in result.winners if not late[name]]
    places = [1 if each.name in first else number for number, each in enumerate(lines, 1)]
    same(f"The places in the standings{where}", places, [each.place for each in lines])

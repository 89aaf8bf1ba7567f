"""From the messages of a tournament, and the records of its games, to what a report shows."""

from __future__ import annotations

import contextlib
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from google.protobuf.message import Message

from fairplay.client.formats import format_text
from fairplay.client.results import band_warning, played_game
from fairplay.client.wording import describe_cause, name_method
from fairplay.formats.format import chosen
from fairplay.games.game import find
from fairplay.server.game.plans import seconds
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import RecordsError
from fairplay.standings.results import Results, read_outcome
from fairplay.terminal.playing.results import STATUSES
from fairplay.terminal.records.games import RecordedGame, read_game
from fairplay.terminal.records.overview import show_time
from fairplay.terminal.records.wording import Wording, kind
from fairplay.terminal.reports.event import CallTimes, Event, Failure, Person
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import Record, RecordedCall
from fairplay.v1.tournament_pb2 import RoundGame, Standings, Tournament, TournamentPlan

PROGRESS_POINTS = 25
"""After so many rounds, at the most, ratings are shown."""
MAX_TIMED_GAMES = 300
"""From so many games, spread over the tournament, the times of calls are taken."""
MAX_SHOWN_FAILURES = 3
"""Of so many failures of an entrant the evidence is looked for."""
MAX_FAILED_GAMES = 300
MAX_EVIDENCE_LINES = 60
MAX_LINE_CHARS = 2_000


def build_event(
    tournament: Tournament,
    standings: Standings,
    games: Sequence[RoundGame],
    people: Mapping[str, Person],
    findings: Findings,
    certified: Mapping[str, bool] | None = None,
) -> Event:
    """Return what a report shows of a tournament: its standings, all of its games, and what its records tell."""
    played = [played_game(game) for game in games if game.HasField("result")]
    title, steps = _progress(tournament, games, standings)
    return Event(
        tournament_id=tournament.tournament_id,
        title=tournament.plan.title,
        game_title=find(tournament.plan.game).title,
        format_title=format_title(tournament.plan),
        facts=list(_facts(tournament, len(played))),
        status=STATUSES[tournament.status],
        reason=tournament.reason,
        winners=list(tournament.result.winners),
        standings=standings.standings,
        games=played,
        failures=[findings.evidence.get((each.name, each.game_id), each) for each in failures(tournament, games)],
        people=people,
        times=findings.times(),
        timed_game_count=findings.timed_game_count,
        progress=steps,
        progress_title=title,
        warning=band_warning(standings.standings),
        certified=certified or {},
    )


def format_title(plan: TournamentPlan) -> str:
    """Return the name of a plan's format for people."""
    if plan.format.HasField("stages"):
        return ", then ".join(format_title(TournamentPlan(format=stage.format)) for stage in plan.format.stages.stages)
    try:
        return chosen(plan.format).format.title
    except ValueError:  # the format of another package, which is not installed here
        return plan.format.custom.name


def _facts(tournament: Tournament, played_count: int) -> Iterable[tuple[str, str]]:
    plan = tournament.plan
    yield "Game", find(plan.game).title
    yield "Format", format_text(plan.format, find(plan.game).seats)
    yield "Entrants", str(len(tournament.entrants))
    yield "Games", str(played_count)
    if plan.deal_count:
        yield "Deals", f"{plan.deal_count} for each group of players, with the seats rotated"
    yield "Failures allowed", f"{plan.failures_allowed}; with one more an entrant is withdrawn"
    limits = {field.name.replace("_", " "): seconds(limit) for field, limit in plan.time_control.ListFields()}
    if limits:
        yield "Limits", ", ".join(f"{name} {limit:g} s" for name, limit in limits.items())
    if plan.HasField("seed"):
        yield "Seed", str(plan.seed)
    yield "Created", show_time(tournament.create_time)
    if tournament.HasField("end_time"):
        yield "Ended", show_time(tournament.end_time)
    yield "Id", tournament.tournament_id


def failures(tournament: Tournament, games: Iterable[RoundGame]) -> Iterable[Failure]:
    """Yield all failures, those in games in their order, then those outside games."""
    for game in games:
        for misconduct in game.result.misconducts:
            yield failure_of(misconduct, game.game_id)
    for each in tournament.result.failures:
        if not each.game_id:
            yield failure_of(each.misconduct, "")


def failure_of(misconduct: Misconduct, game_id: str) -> Failure:
    """Return a failure in words, without evidence."""
    return Failure(
        misconduct.player,
        game_id,
        kind(misconduct),
        name_method(misconduct),
        misconduct.call_number,
        describe_cause(misconduct),
    )


def _progress(
    tournament: Tournament, games: Sequence[RoundGame], standings: Standings
) -> tuple[str, Mapping[str, Sequence[tuple[int, float]]]]:
    """Return the ratings after some rounds, where there are ratings."""
    from fairplay.standings.ratings import rate_entrants  # noqa: PLC0415 - it loads numpy: see rating.py

    if not any(each.HasField("rating") for each in standings.standings):
        return "", {}
    names = {player.name: number for number, player in enumerate(tournament.entrants)}
    shown_names = {each.name for each in standings.standings if each.HasField("rating")}
    struck = [names[each.name] for each in standings.standings if each.withdrawn and not each.game_count]
    last = max((game.round_number for game in games), default=0)
    shown = sorted({1 + round((last - 1) * step / (PROGRESS_POINTS - 1)) for step in range(PROGRESS_POINTS)})
    results, series = Results(len(names)), {name: list[tuple[int, float]]() for name in names}
    rest = deque(sorted((game for game in games if game.HasField("result")), key=lambda game: game.round_number))
    warm: list[float] = []
    for round_number in shown:
        while rest and rest[0].round_number <= round_number:
            game = rest.popleft()
            outcome = read_outcome([names[name] for name in game.players], game.result, game.deal)
            if outcome is not None:
                results.add(outcome)
        ratings = rate_entrants(results, struck=struck, warm=warm)
        warm = [rating.rating if rating is not None else 1500.0 for rating in ratings]
        for name, rating in zip(names, ratings, strict=True):
            if rating is not None and name in shown_names:
                series[name].append((round_number, rating.rating))
    return "Ratings after each round", series


def games_to_read(games: Sequence[RoundGame]) -> list[str]:
    """Return the ids of the games whose records are worth reading: those with failures, and some for the times."""
    counts: Counter[str] = Counter()
    failed: list[str] = []
    for game in games:
        players = [misconduct.player for misconduct in game.result.misconducts]
        if any(counts[player] < MAX_SHOWN_FAILURES for player in players) and len(failed) < MAX_FAILED_GAMES:
            failed.append(game.game_id)
        counts.update(players)
    over = [game.game_id for game in games if game.HasField("result") and not game.result.aborted]
    step = max(1, -(-len(over) // MAX_TIMED_GAMES))
    return list(dict.fromkeys([*failed, *over[::step]]))


# --- what records tell ---


class Findings:
    """Collects what records tell, a record at a time."""

    def __init__(self) -> None:
        self.timed_game_count = 0
        self.evidence: dict[tuple[str, str], Failure] = {}
        """By the name of the entrant and the id of the game."""
        self._seconds: defaultdict[str, defaultdict[str, array[float]]] = defaultdict(lambda: defaultdict(_floats))

    def add(self, record: Record) -> None:
        """Add the record of a game that is over. Raises RecordsError if it cannot be read."""
        game = read_game(record)
        wording = Wording(game.game, game.players)
        numbers, last = {}, dict[int, RecordedCall]()
        self.timed_game_count += 1
        for number, entry in enumerate(parsed(record), start=1):
            if entry.HasField("call"):
                numbers[entry.call.number] = number
                last[entry.call.seat] = entry.call
                name = entry.call.method_name.rpartition("/")[2]
                if entry.call.seat < len(game.players):
                    self._seconds[game.players[entry.call.seat]][name].append(seconds(entry.call.elapsed))
            elif entry.HasField("misconduct"):
                call = last.get(entry.misconduct.seat, RecordedCall())
                self._add_failure(game, wording, entry.misconduct, call, numbers)

    def _add_failure(
        self,
        game: RecordedGame,
        wording: Wording,
        misconduct: Misconduct,
        call: RecordedCall,
        numbers: dict[int, int],
    ) -> None:
        lines = [line[:MAX_LINE_CHARS] for line in wording.evidence(misconduct, call)][:MAX_EVIDENCE_LINES]
        picture = _picture(game, numbers.get(misconduct.call_number, 1) - 1)
        self.evidence[misconduct.player, game.record_id] = replace(
            failure_of(misconduct, game.record_id), evidence=lines, picture=picture
        )

    def times(self) -> dict[str, list[CallTimes]]:
        """Return the times of each entrant, by method; that in which most time was spent comes first."""
        return {
            name: sorted((_times(method, each) for method, each in found.items()), key=lambda times: -times.total_s)
            for name, found in self._seconds.items()
        }


def _floats() -> array[float]:
    return array("f")


def _picture(game: RecordedGame, entry: int) -> str:
    """Return the state after an entry as SVG; "" where none was shown by then."""
    if entry < 1:
        return ""
    state: Message | None = None
    with contextlib.suppress(RecordsError):
        state = game.state(entry)
    return game.svg(state) if state is not None else ""


def _times(method: str, found: Sequence[float]) -> CallTimes:
    ordered = sorted(found)
    p99 = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return CallTimes(method, len(ordered), ordered[len(ordered) // 2], p99, ordered[-1], sum(ordered))

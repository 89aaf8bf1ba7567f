"""A tournament as reports show it, drawn by a seed."""

from __future__ import annotations

from random import Random

from fairplay.client.results import PlayedGame, Seat
from fairplay.terminal.reports.event import CallTimes, Event, Failure, Person
from fairplay.v1.tournament_pb2 import Rating, Standing, TieBreak

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7*7 }}{% raw %}&quot;'\"\u202e\x1b[2J"


def sample(entrant_count: int = 30, round_count: int = 7, seed: int = 1) -> Event:
    """Return a league in which everybody plays one game of two in each round."""
    rng = Random(seed)
    names = [f"player-{number:03}" for number in range(entrant_count)]
    skill = {name: rng.gauss(1500, 150) for name in names}
    points = dict.fromkeys(names, 0.0)
    games: list[PlayedGame] = []
    progress: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
    for round_ in range(1, round_count + 1):
        order = rng.sample(names, len(names))
        for place in range(0, len(order) - 1, 2):
            one, other = order[place : place + 2]
            won = rng.random() < 1 / (1 + 10 ** ((skill[other] - skill[one]) / 400))
            points[one if won else other] += 1
            seats = [Seat(one, 1 if won else 2, rng.randrange(40)), Seat(other, 2 if won else 1, rng.randrange(40))]
            games.append(PlayedGame(f"cup/r{round_}g{place // 2 + 1}", round_, 0, seats, ""))
        for name in names:
            progress[name].append((round_, points[name]))
    ranked = sorted(names, key=lambda name: -points[name])
    standings = [
        Standing(
            place=place,
            band=1 + place // 8,
            name=name,
            points=points[name],
            tie_breaks=[
                TieBreak(name="Buchholz", value=rng.uniform(5, 30)),
                TieBreak(name="wins", value=points[name]),
            ],
            game_count=round_count,
            win_count=int(points[name]),
            loss_count=round_count - int(points[name]),
            rating=Rating(value=skill[name], low=skill[name] - 60, high=skill[name] + 60),
        )
        for place, name in enumerate(ranked, start=1)
    ]
    times = {
        name: [CallTimes("TakeTurn", 99, rng.uniform(0.0005, 0.02), rng.uniform(0.02, 0.4), 0.9, 3.1)] for name in names
    }
    failures = [Failure(ranked[-1], "cup/r2g1", "timeout", "TakeTurn", 17, "took longer than 1 s", ["request: {}"])]
    return Event(
        tournament_id="cup",
        title="Spring cup",
        game_title="Fish",
        format_title="swiss",
        facts=[("Game", "Fish"), ("Format", "swiss, 7 rounds"), ("Entrants", str(entrant_count)), ("Seed", "1")],
        status="finished",
        reason="",
        winners=[ranked[0]],
        standings=standings,
        games=games,
        failures=failures,
        people={name: Person(f"{name.title()} Smith", "Python") for name in names},
        times=times,
        timed_game_count=len(games),
        progress=progress,
        progress_title="Points after each round",
    )

"""Records in PostgreSQL against records in a directory: games of bots by turns, which wait for their records."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.bots import GAME, games_per_s
from benchmarks.figures import POSTGRESQL_REACH, Figure, Pace, Unmeasurable, figure
from fairplay.server.records.place import Place, at, parse_place
from fairplay.server.server import Config
from tests.postgresql import PostgresqlMissingError, running


async def measure(pace: Pace) -> list[Figure]:
    """Return the ratio of the games a second, and those of PostgreSQL. Raises Unmeasurable on a machine without it."""
    ratios, rates = [], []
    try:
        with running() as cluster, tempfile.TemporaryDirectory(prefix="fairplay-bench-") as directory:
            for number in range(pace.repeats):
                plain = await _rate(at(Path(directory) / str(number)), pace)
                rates.append(await _rate(parse_place(cluster.new_database()), pace))
                ratios.append(rates[-1] / plain)
    except PostgresqlMissingError as missing:
        raise Unmeasurable(str(missing)) from None
    return [figure("postgresql", ratios, POSTGRESQL_REACH), figure("postgresql-rate", rates, game=GAME)]


async def _rate(place: Place, pace: Pace) -> float:
    return await games_per_s(Config(records=place), pace.seconds)

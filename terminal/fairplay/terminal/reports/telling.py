"""A tournament as a server or its records tell it, and the files that are made of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fairplay.terminal.playing.results import tournament_json
from fairplay.terminal.reports.build import build_event
from fairplay.terminal.reports.findings import Findings
from fairplay.terminal.reports.outputs import Outputs
from fairplay.v1.tournament_pb2 import RoundGame, RoundGameStatus, Standings, Tournament


class WholeTournament(NamedTuple):
    """A tournament with its standings and all of its games, but for those that were skipped."""

    tournament: Tournament
    games: Sequence[RoundGame]
    standings: Standings


def without_skipped(games: Iterable[RoundGame]) -> list[RoundGame]:
    """Return the games that were played or may be."""
    return [game for game in games if game.status != RoundGameStatus.ROUND_GAME_STATUS_SKIPPED]


def write_outputs(
    outputs: Outputs, whole: WholeTournament, findings: Findings, links: Mapping[str, str], seeds: Mapping[str, int]
) -> list[Path]:
    """Write what is wanted about a tournament, and return the files of the report."""
    event = build_event(whole.tournament, whole.standings, whole.games, outputs.people, findings, outputs.certified)
    return outputs.write(event, tournament_json(whole.tournament, whole.games, whole.standings, links, seeds))

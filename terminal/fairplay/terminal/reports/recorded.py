"""Reports on tournaments made again from their records."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.server.manager import history
from fairplay.server.records.chain import parsed
from fairplay.server.records.errors import Diverged, RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.commands.parameters import Files
from fairplay.terminal.playing.summary import is_league, summarize
from fairplay.terminal.printing import make_console
from fairplay.terminal.records.choosing import choose_tournament
from fairplay.terminal.records.sources import Source, open_source
from fairplay.terminal.reports.findings import Findings, games_to_read
from fairplay.terminal.reports.telling import WholeTournament, without_skipped, write_outputs
from fairplay.terminal.reports.wanted import wanted_outputs
from fairplay.terminal.rosters.roster import Roster
from fairplay.v1.record_pb2 import RecordEntry
from fairplay.v1.tournament_pb2 import RoundGame, Standings


def show_standings(place: Place, wanted: str | None, roster: Roster | None, files: Files) -> None:
    """Show the standings of a tournament, and write the files that are wanted of it.

    Raises UsageError if it is not clear which tournament is meant, and FailedError if its record breaks the rules.
    """
    with open_source(place) as source:
        whole = _rebuild(source, _tournament_id(source, wanted))
        plan = whole.tournament.plan
        names = [player.name for player in whole.tournament.entrants]
        outputs = wanted_outputs(plan.game, names, roster, files)
        outputs.prepare(has_bands=is_league(plan.format))
        console = make_console(errors=outputs.json == "-")
        links = {player.name: player.link for player in whole.tournament.entrants}
        for renderable in summarize(*whole, links):
            console.print(renderable)
        findings = Findings()
        if outputs.reads_records:
            _read(source, games_to_read(whole.games), findings)
        seeds = _seeds(source, whole.games) if outputs.json is not None or outputs.report is not None else {}
        for file in write_outputs(outputs, whole, findings, links, seeds):
            console.print(f"Look closer: {escape(str(file))}", soft_wrap=True)


def _tournament_id(source: Source, wanted: str | None) -> str:
    if wanted is not None:
        return choose_tournament(source, wanted)
    found = [listing.record_id for listing in source.listings(["tournament"])]
    if not found:
        raise FailedError(f"there is no tournament in {source.place}")
    if len(found) > 1:
        raise UsageError(f"say which tournament of {source.place}: {', '.join(found[:10])}")
    return found[0]


def _rebuild(source: Source, tournament_id: str) -> WholeTournament:
    listing = source.find(tournament_id)
    if listing is None:
        raise UsageError(f"there is no tournament {tournament_id} in {source.place}")
    try:
        known = history.read(parsed(source.read(listing)))
    except Diverged as error:
        message = f"the record of {tournament_id} breaks the rules in entry {error.entry}: {error.problem}"
        raise FailedError(message) from None
    if known.course is None:
        return WholeTournament(known.message, [], Standings(entrant_count=len(known.message.entrants)))
    games = without_skipped(known.course.archive.games(0))
    return WholeTournament(known.message, games, asyncio.run(known.course.standings.latest()))


def _read(source: Source, game_ids: Iterable[str], findings: Findings) -> None:
    """Add the records of games to the findings; those that are not there or cannot be read are left out."""
    for game_id in game_ids:
        listing = source.find(game_id)
        if listing is not None:
            with contextlib.suppress(RecordsError):
                findings.add(source.read(listing))


def _seeds(source: Source, games: Iterable[RoundGame]) -> dict[str, int]:
    listings = (source.find(game.game_id) for game in games)
    headers = {each.record_id: RecordEntry.FromString(each.header) for each in listings if each is not None}
    return {record_id: header.game.plan.seed for record_id, header in headers.items()}

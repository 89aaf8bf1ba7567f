"""`fairplay records export --format jsonl|parquet`: games as tables, with a card that explains them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from rich.markup import escape

from fairplay.client.errors import FailedError
from fairplay.client.text import counted
from fairplay.games.game import find
from fairplay.games.kit.files import Output
from fairplay.server import __version__
from fairplay.server.records.database import Listing
from fairplay.server.records.dataset import CALL_COLUMNS, GAME_COLUMNS, LEGAL_COLUMNS, build_rows
from fairplay.server.records.errors import RecordsError
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, make_directory, say
from fairplay.terminal.records.choosing import choose, games_of
from fairplay.terminal.records.sources import Source, open_source
from fairplay.terminal.records.tables import check_format, open_table

CARD = "README.md"
MEANINGS = {
    "game_id": "the id of the game",
    "tournament_id": "the tournament that it belongs to; null: none",
    "game": "which game is played",
    "seed": "from which all of its randomness follows",
    "settings": "of the game, with every default filled in, as protobuf-JSON",
    "time_control": "the limits of calls, as protobuf-JSON",
    "players": "the names, by seat",
    "start_time": "when it began, UTC",
    "end_time": "when it ended, UTC; null: it did not",
    "server_version": "which server was its referee",
    "status": "finished, aborted (stopped through no fault of a player), or unfinished",
    "aborted": "why it was aborted",
    "ranks": "by seat: 1 is the best, equals share a rank; null: eliminated, or no result",
    "scores": "by seat: the points by which the game ranks; null likewise",
    "misconducts": "the eliminations: seat, number of the call, kind, id of the broken rule",
    "call_count": "how many calls were made",
    "final_state": "the last state, as protobuf-JSON, hidden things included",
    "chain_hash": "the last hash of its record: who has the record can tell that this row is of it",
    "number": "the number of the call, from 1, in the order in which calls were made",
    "entry": "the number of the entry of the record that has its outcome",
    "seat": "who was asked",
    "player": "its name",
    "method": "what was asked",
    "kind": "decision, first decision or notification: which limit held",
    "state": "the state in which it was asked, as protobuf-JSON, hidden things included",
    "request": "what the player was told, as protobuf-JSON",
    "reply": "what it answered, as protobuf-JSON; null: it failed",
    "failure": "how the call failed: timeout, or what went wrong; null: it was answered",
    "elapsed_ms": "from sending the call to reading its reply, in milliseconds",
    "legal_replies": "what would have been legal, at most 100 (of Q: placements of one tile); null: no list",
    "legal_reply_count": "how many legal replies there are",
}


def export_dataset(place: Place, wanted: str | None, directory: Path, form: str, *, legal: bool) -> None:
    """Write the games of a source, or those of one record, to `directory` as tables of a format.

    Raises UsageError if the format needs more than is installed, and FailedError after the last game if some could not
    be read.
    """
    check_format(form)
    make_directory(directory)
    call_columns = {**CALL_COLUMNS, **(LEGAL_COLUMNS if legal else {})}
    counts, failed = Counter[str](), 0
    with (
        open_source(place) as source,
        open_table(directory / f"games.{form}", GAME_COLUMNS) as games,
        open_table(directory / f"calls.{form}", call_columns) as calls,
    ):
        for listing in _chosen(source, wanted):
            try:
                rows = build_rows(source.read(listing), find, legal=legal)
            except (RecordsError, ValueError) as error:
                failed += 1
                sys.stderr.write(f"fairplay: {listing.record_id}: {error}\n")
                continue
            games.add([rows.game])
            calls.add(rows.calls)
            counts[listing.game] += 1
            counts["calls"] += len(rows.calls)
    call_count = counts.pop("calls", 0)
    Output(directory / CARD).write(_card(form, counts, call_count, call_columns))
    if failed:
        raise FailedError(f"{failed} of {counted(failed + counts.total(), 'game')} could not be exported")
    summary = f"{counted(counts.total(), 'game')} and {counted(call_count, 'call')} exported to {directory}"
    say(make_console(), escape(summary))


def _chosen(source: Source, wanted: str | None) -> Iterator[Listing]:
    if wanted is None:
        yield from source.listings(["game"])
        return
    listing = choose(source, wanted)
    yield from [listing] if listing.kind == "game" else games_of(source, listing)


def _card(form: str, counts: Counter[str], call_count: int, call_columns: Mapping[str, str]) -> str:
    """Return the dataset card: what the tables hold, how they were made, what to beware of."""
    played = ", ".join(f"{counted(count, 'game')} of {game}" for game, count in sorted(counts.items())) or "no games"
    return "\n".join(
        [
            "# Games under a referee",
            "",
            f"{played}; {counted(call_count, 'call')}. Made on {datetime.now(UTC):%Y-%m-%d} by fairplay {__version__}",
            "from records, each of which was played again by the rules before it became rows.",
            "",
            f"`games.{form}` has a row for each game, `calls.{form}` a row for each call, in the order of the answers;",
            "`game_id` and `seat` join them. Messages are protobuf-JSON of the types in the protos of the game.",
            "",
            "**Beware.** States hold what was hidden from players; what a player knew is in `request`. Times are",
            "those of the machine that played. Names are as their players chose them. How players were reached is",
            "left out.",
            "",
            *_described(f"games.{form}", GAME_COLUMNS),
            *_described(f"calls.{form}", call_columns),
        ]
    )


def _described(title: str, columns: Mapping[str, str]) -> list[str]:
    rows = [f"| {name} | {kind} | {MEANINGS[name]} |" for name, kind in columns.items()]
    return [f"## {title}", "", "| column | type | meaning |", "|---|---|---|", *rows, ""]

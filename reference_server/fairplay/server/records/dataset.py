"""A recorded game as rows of two tables, for research: one row of the game, and one row for each of its calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from fairplay.games.envelopes import unwrap
from fairplay.games.game import Game
from fairplay.games.kit.messages import enum_word
from fairplay.games.steps import FAILURES, Call, CallKind
from fairplay.server.game.rules import Position, list_legal_replies
from fairplay.server.net.errors import Refusal
from fairplay.server.records.chain import parsed
from fairplay.server.records.replay import Called, Came, Ended, Event, Find, Shown, replay
from fairplay.v1.misconduct_pb2 import CallError, CallErrorReason, Misconduct, MisconductKind
from fairplay.v1.record_pb2 import GameHeader, Record
from fairplay.v1.result_pb2 import GameResult
from fairplay.v1.rules_pb2 import ListLegalRepliesResponse

Row: TypeAlias = dict[str, Any]

TEXT, INTEGER, NUMBER, TIME, JSON, TEXTS, INTEGERS = "text", "integer", "number", "time", "json", "texts", "integers"
"""The types of columns. A time is in UTC; JSON is a message as protobuf-JSON, or a list of them."""

GAME_COLUMNS: Mapping[str, str] = {
    "game_id": TEXT,
    "tournament_id": TEXT,
    "game": TEXT,
    "seed": TEXT,
    "settings": JSON,
    "time_control": JSON,
    "players": TEXTS,
    "start_time": TIME,
    "end_time": TIME,
    "server_version": TEXT,
    "status": TEXT,
    "aborted": TEXT,
    "ranks": INTEGERS,
    "scores": INTEGERS,
    "misconducts": JSON,
    "call_count": INTEGER,
    "final_state": JSON,
    "chain_hash": TEXT,
}
CALL_COLUMNS: Mapping[str, str] = {
    "game_id": TEXT,
    "number": INTEGER,
    "entry": INTEGER,
    "seat": INTEGER,
    "player": TEXT,
    "method": TEXT,
    "kind": TEXT,
    "state": JSON,
    "request": JSON,
    "reply": JSON,
    "failure": TEXT,
    "elapsed_ms": NUMBER,
}
LEGAL_COLUMNS: Mapping[str, str] = {"legal_replies": JSON, "legal_reply_count": INTEGER}
"""More columns of calls, which take time: the rules are asked about each decision."""


class GameRows(NamedTuple):
    """The rows of a game: `calls` in the order in which their outcomes counted."""

    game: Row
    calls: list[Row]


def build_rows(record: Record, find: Find, *, legal: bool = False) -> GameRows:
    """Return the rows of a game, by GAME_COLUMNS and CALL_COLUMNS; with `legal` by LEGAL_COLUMNS too.

    How players are reached is left out. Raises RecordsError if the record is not sound, ValueError if the game is not
    installed.
    """
    header = next(parsed(record)).game
    game = find(header.plan.game)
    events = list(replay(record, find))
    newcomers = [event.newcomer.player for event in events if isinstance(event, Came)]
    names = [player.name for player in (*header.plan.players, *newcomers)]
    calls = list(_call_rows(header, game, names, events, legal=legal))
    last = next((event.state for event in reversed(events) if isinstance(event, Shown)), None)
    row = {
        "game_id": header.game_id,
        "tournament_id": header.tournament_id or None,
        "game": header.plan.game,
        "seed": str(header.plan.seed),
        "settings": MessageToDict(settings_of(header, game)),
        "time_control": MessageToDict(header.plan.time_control),
        "players": names,
        "start_time": _time(header.start_time.ToNanoseconds()),
        "server_version": header.server_version,
        **_end_columns(events, len(names)),
        "call_count": len(calls),
        "final_state": MessageToDict(game.full_state(last)) if last is not None else None,
        "chain_hash": record.entries[-1].chain_hash.hex(),
    }
    return GameRows({name: row[name] for name in GAME_COLUMNS}, calls)


def settings_of(header: GameHeader, game: Game) -> Message:
    """Return all settings of a recorded game."""
    return game.full_settings(unwrap(header.plan.settings, game, game.settings_type) or game.settings_type())


# --- the game ---


def _end_columns(events: Sequence[Event], player_count: int) -> Row:
    ended = events[-1] if events and isinstance(events[-1], Ended) else None
    result = ended.result if ended is not None else GameResult()
    ranks: list[int | None] = [None] * player_count
    scores: list[int | None] = [None] * player_count
    better = 0
    for group in result.ranking:
        for player in group.players:
            ranks[player.seat], scores[player.seat] = better + 1, player.score
        better += len(group.players)
    return {
        "status": "unfinished" if ended is None else "aborted" if result.aborted else "finished",
        "aborted": result.aborted or None,
        "end_time": _time(ended.time_ns) if ended is not None else None,
        "ranks": ranks,
        "scores": scores,
        "misconducts": [_misconduct(each) for each in result.misconducts],
    }


def _misconduct(misconduct: Misconduct) -> Row:
    return {
        "seat": misconduct.seat,
        "call": misconduct.call_number,
        "kind": enum_word(MisconductKind, misconduct.kind),
        "rule": misconduct.rule_break.rule_id or None,
    }


def _time(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


# --- its calls ---


def _call_rows(
    header: GameHeader, game: Game, names: Sequence[str], events: Sequence[Event], *, legal: bool
) -> Iterator[Row]:
    settings = settings_of(header, game)
    state: Message | None = None
    shown: Row | None = None  # the state as JSON, which all calls until the next one share
    for event in events:
        if isinstance(event, Shown):
            state = game.full_state(event.state)
            shown = MessageToDict(state)
        elif isinstance(event, Called):
            row = _call_row(header.game_id, names, event, shown)
            if legal:
                row |= _legal_columns(game, settings, state, event.call, len(names))
            yield row


def _call_row(game_id: str, names: Sequence[str], called: Called, state: Row | None) -> Row:
    call, answer = called.call, called.answer
    failed = isinstance(answer, FAILURES)
    row = {
        "game_id": game_id,
        "number": called.number,
        "entry": called.entry,
        "seat": call.seat,
        "player": names[call.seat],
        "method": call.method.name,
        "kind": call.kind.value,
        "state": state,
        "request": MessageToDict(call.request),
        "reply": None if failed else MessageToDict(answer),
        "failure": _failure(answer) if failed else None,
        "elapsed_ms": called.elapsed_s * 1e3,
    }
    return {name: row[name] for name in CALL_COLUMNS}


def _failure(failure: object) -> str:
    return enum_word(CallErrorReason, failure.reason) if isinstance(failure, CallError) else "timeout"


def legal_replies_to(
    game: Game, settings: Message, state: Message | None, call: Call, player_count: int
) -> ListLegalRepliesResponse | None:
    """Return what would be legal in a decision; None where the rules do not list it for what was asked.

    `state` is the whole one that was shown last, None if none was.
    """
    if state is None or call.kind is CallKind.NOTIFICATION:
        return None
    # In a game that begins in the state, players may sit elsewhere.
    for seat in (call.seat, *(other for other in range(player_count) if other != call.seat)):
        try:
            found = list_legal_replies(Position(game, settings, state, seat, game.check_state(settings, state)))
        except (Refusal, ValueError):
            continue
        if found.method_name == call.method.path and found.reply_count:
            return found
    return None


def _legal_columns(game: Game, settings: Message, state: Message | None, call: Call, player_count: int) -> Row:
    found = legal_replies_to(game, settings, state, call, player_count)
    if found is None:
        return dict.fromkeys(LEGAL_COLUMNS)
    return {
        "legal_replies": [_unpacked(call, packed) for packed in found.replies],
        "legal_reply_count": found.reply_count,
    }


def _unpacked(call: Call, packed: Any) -> Row:
    reply = call.method.response()
    packed.Unpack(reply)
    return MessageToDict(reply)

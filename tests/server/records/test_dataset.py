"""The rows of a recorded game, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.fish.v1 import fish_pb2
from fairplay.games.envelopes import wrap
from fairplay.games.game import Game
from fairplay.games.game import find as find_game
from fairplay.games.machine import GameMachine
from fairplay.games.steps import Call, Show
from fairplay.games.transcript import game_rng
from fairplay.player.handlers import reply_of
from fairplay.server.links.link import disconnected
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.dataset import CALL_COLUMNS, GAME_COLUMNS, LEGAL_COLUMNS, build_rows
from fairplay.v1.game_pb2 import GameSettings, GameState, Player, TimeControl
from fairplay.v1.record_pb2 import GameHeader, Record, RecordEntry
from fairplay.v1.referee_pb2 import GamePlan
from tests.server.records.nim import build_nim, drive, find, header, players, recorded
from tests.server.snap import Rounds, Snap

GONE = disconnected("gone")
BEGUN, ENDED = Timestamp(seconds=1_000_000_000), Timestamp(seconds=1_000_000_060, nanos=500_000_000)


def find_three(name: str) -> Game:
    """Return build_nim, with states of three players."""
    return find(name, build_nim(state_seats=3))


def nim(*, faults: Mapping[int, str], fails_at: int = 0, tournament_id: str = "") -> Record:
    """Return the record of a game of build_nim between ann, bob and cy that began and ended at these times."""
    begun = header(3, state=3)
    begun.game.plan.time_control.CopyFrom(TimeControl(decision_limit=Duration(seconds=2)))
    begun.game.start_time.CopyFrom(BEGUN)
    begun.game.tournament_id = tournament_id
    begun.game.server_version = "1.2"
    *entries, last = parsed(recorded(begun, players(faults), build_nim(fails_at)))
    last.result.end_time.CopyFrom(ENDED)
    return chained(entry.SerializeToString() for entry in [*entries, last])


def test_a_game_has_a_row_of_what_was_planned_and_how_it_ended() -> None:
    record = nim(faults={23: "illegal", 100: "exception"}, tournament_id="cup")
    game, calls = build_rows(record, find_three)
    assert list(game) == list(GAME_COLUMNS)
    assert game == {
        "game_id": "g1",
        "tournament_id": "cup",
        "game": "nim",
        "seed": "5",
        "settings": "12",
        "time_control": {"decisionLimit": "2s"},
        "players": ["ann", "bob", "cy"],
        "start_time": datetime(2001, 9, 9, 1, 46, 40, tzinfo=UTC),
        "end_time": datetime(2001, 9, 9, 1, 47, 40, 500_000, tzinfo=UTC),
        "server_version": "1.2",
        "status": "finished",
        "aborted": None,
        "ranks": [None, None, 1],
        "scores": [None, None, 1],
        "misconducts": [
            {"seat": 0, "call": 1, "kind": "exception", "rule": None},
            {"seat": 1, "call": 4, "kind": "rule violation", "rule": "nim.take"},
        ],
        "call_count": len(calls),
        "final_state": "0",
        "chain_hash": record.entries[-1].chain_hash.hex(),
    }


def test_a_call_has_a_row_of_what_was_asked_in_which_state_and_answered() -> None:
    _, calls = build_rows(nim(faults={23: "overrun", 100: "exception"}), find_three)
    assert [list(call) for call in calls] == [list(CALL_COLUMNS)] * 6
    assert calls[1] == {
        "game_id": "g1",
        "number": 2,
        "entry": 3,
        "seat": 1,
        "player": "bob",
        "method": "Colour",
        "kind": "decision",
        "state": "3",
        "request": "g1",
        "reply": "red",
        "failure": None,
        "elapsed_ms": 1_500.0,
    }
    reported = [(call["player"], call["method"], call["state"], call["reply"], call["failure"]) for call in calls]
    assert reported == [
        ("cy", "Colour", "3", "red", None),
        ("bob", "Colour", "3", "red", None),
        ("ann", "Colour", "3", None, "status"),
        ("bob", "Take", "3", None, "timeout"),
        ("cy", "Take", "3", "3", None),
        ("cy", "Over", "0", {}, None),
    ]
    assert calls[-1]["kind"] == "notification"
    assert calls[-1]["elapsed_ms"] == 250.0


def snap(conversation: Rounds, seat_count: int) -> tuple[Record, Snap]:
    game = Snap(conversation)
    plan = GamePlan(game="snap", players=[Player(name=name) for name in "abcd"[:seat_count]])
    return recorded(RecordEntry(game=GameHeader(game_id="g", plan=plan)), lambda _: b"", game.game), game


@cache
def fish(*failing: int) -> Record:
    """Return the record of a short game of Fish between three players, of which these seats fail in their turns."""
    game, names = find_game("fish"), ["a", "b", "c"]
    settings = game.full_settings(fish_pb2.Settings(rows=3, columns=5))
    plan = GamePlan(game="fish", seed=1, players=[Player(name=name) for name in names])
    plan.settings.CopyFrom(wrap(GameSettings, game, settings))
    conversation = game.play("g", settings, names, game_rng(1), None)
    start = _start(game, settings, names)
    entries = [RecordEntry(game=GameHeader(game_id="g", plan=plan, start_state=start)).SerializeToString()]
    player = game.player("first")
    drive(
        GameMachine(conversation, names, entries.append),
        lambda call: GONE if call.seat in failing and is_turn(call) else reply_of(player, call).SerializeToString(),
        entries,
        names,
    )
    return chained(entries)


def is_turn(call: Call) -> bool:
    return call.method.name == "TakeTurn"


def _start(game: Game, settings: Message, names: list[str]) -> GameState:
    shown = next(game.play("g", settings, names, game_rng(1), None))
    assert isinstance(shown, Show)
    state: GameState = wrap(GameState, game, game.full_state(shown.state))
    return state


@pytest.mark.parametrize("legal", [False, True])
def test_legal_replies_are_listed_where_they_are_asked_for(legal: bool) -> None:
    row: dict[str, Any] = build_rows(fish(), find_game, legal=legal).calls[-1]
    assert list(row) == [*CALL_COLUMNS, *(LEGAL_COLUMNS if legal else ())]

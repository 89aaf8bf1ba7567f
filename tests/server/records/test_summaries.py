from __future__ import annotations

from pathlib import Path

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.records.store import Store
from fairplay.server.records.summaries import listed_game
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import GameHeader, RecordEntry
from fairplay.v1.referee_pb2 import Game, GamePlan, GameStatus
from fairplay.v1.result_pb2 import GameResult

PLAN = GamePlan(game="nim", players=[Player(name="ann"), Player(name="bob")])
HEADER = GameHeader(game_id="t/1", plan=PLAN, start_time=Timestamp(seconds=7), tournament_id="t")
OVER = Game(game_id="t/1", status=GameStatus.GAME_STATUS_ABORTED, result=GameResult(aborted="the game was stopped"))


async def test_a_game_is_listed_from_its_header_until_it_is_over_and_then_from_its_summary(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    journal = store.begin("game", "t/1", RecordEntry(game=HEADER).SerializeToString(), game="nim", start_time_ns=7)
    running = Game(
        game_id="t/1",
        plan=PLAN,
        status=GameStatus.GAME_STATUS_RUNNING,
        start_time=Timestamp(seconds=7),
        tournament_id="t",
    )
    [listing], _ = store.list("game", limit=10)
    assert listed_game(listing) == running
    journal.finish(b"the end", OVER.SerializeToString(), 9)
    await store.flush()
    [listing], _ = store.list("game", limit=10)
    assert listed_game(listing) == OVER
    await store.close()

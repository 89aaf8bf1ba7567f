from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.records.store import Store
from fairplay.server.records.summaries import begun_game, ended_game, listed_game
from fairplay.v1.game_pb2 import Player
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.record_pb2 import GameHeader, RecordedJoin, RecordedResult, RecordEntry
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


def test_who_has_joined_is_a_player_of_the_game_with_what_it_says_of_itself() -> None:
    known = Player(name="cy", link="dial-in:cy", description=PlayerDescription(display_name="Cy"), account="cy")
    game = begun_game(HEADER, [known, Player(name="dee", link="bot:first")])
    assert list(game.plan.players)[2:] == [Player(name="cy", link="dial-in:cy"), Player(name="dee", link="bot:first")]
    assert list(game.players) == [
        Player(name="cy", description=PlayerDescription(display_name="Cy")),
        Player(name="dee"),
    ]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (GameResult(aborted="the game was stopped"), GameStatus.GAME_STATUS_ABORTED),
        (GameResult(), GameStatus.GAME_STATUS_FINISHED),
    ],
)
def test_a_game_that_is_over_is_told_from_its_whole_record(result: GameResult, status: GameStatus.ValueType) -> None:
    joined = RecordEntry(joined=RecordedJoin(seat=2, player=Player(name="cy")))
    end = RecordEntry(result=RecordedResult(result=result, end_time=Timestamp(seconds=9)))
    game = ended_game([RecordEntry(game=HEADER), joined, end])
    assert (game.game_id, game.tournament_id, game.start_time) == ("t/1", "t", Timestamp(seconds=7))
    assert [player.name for player in game.plan.players] == ["ann", "bob", "cy"]
    assert (game.status, game.result, game.end_time) == (status, result, Timestamp(seconds=9))

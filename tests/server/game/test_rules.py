"""The rules of a position: how a game ends, and a state from which none goes on."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import Int64Value

from fairplay.fish.v1 import fish_player_pb2
from fairplay.server.game.rules import Position, apply_reply, list_legal_replies, read_position
from fairplay.server.net.errors import Refusal
from fairplay.v1 import rules_pb2 as pb
from fairplay.v1.game_pb2 import GameState
from tests.server.harness import ONE_MOVE
from tests.server.records.nim import NIM


def one_move() -> Position:
    """Return a position in Fish in which red moves once, after which nobody can."""
    return read_position(pb.Position(game="fish", state=GameState(fish=ONE_MOVE)))


def test_the_last_reply_of_a_game_leads_to_its_ranking_and_nobody_is_asked_afterwards() -> None:
    listed = list_legal_replies(one_move())
    assert listed.method_name == "/fairplay.fish.v1.FishPlayerService/TakeTurn"
    asked: Any = unpacked(listed.request, fish_player_pb2.TakeTurnRequest())
    assert (asked.game_id, len(asked.state.players)) == ("", 2)
    assert listed.reply_count == len(listed.replies) > 0
    applied = apply_reply(one_move(), listed.replies[0])
    ranking = [[(player.seat, player.name, player.score) for player in group.players] for group in applied.ranking]
    assert ranking == [[(0, "player0", 3)], [(1, "player1", 0)]]
    over = read_position(pb.Position(game="fish", state=applied.state))
    with pytest.raises(Refusal, match="nobody is asked: the game is over") as refusal:
        list_legal_replies(over)
    assert (refusal.value.reason, refusal.value.field) == ("NOT_ASKED", "position.state")


def test_a_state_from_which_no_game_goes_on_is_refused() -> None:
    with pytest.raises(Refusal, match="not by 9") as refusal:
        Position(NIM, Int64Value(value=12), Int64Value(value=3), seat=0, player_count=9).begin()
    assert (refusal.value.reason, refusal.value.field) == ("INVALID_STATE", "position.state")


def unpacked(packed: AnyMessage, message: Message) -> Message:
    assert packed.Unpack(message)
    return message

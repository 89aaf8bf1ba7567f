"""Positions of strangers: whatever is in a state, the rules answer or refuse it, and never fail."""

from __future__ import annotations

import logging
from random import Random

import grpc
import pytest

from fairplay.games.envelopes import wrap
from fairplay.games.game import find, registered
from fairplay.games.steps import Show
from fairplay.server.server import Config
from fairplay.v1.game_pb2 import GameState
from fairplay.v1.rules_pb2 import ListLegalRepliesRequest, Position
from fairplay.v1.rules_pb2_grpc import RulesServiceStub
from fairplay.webset.v1 import webset_pb2
from tests.server.harness import serving
from tests.server.strange import change

ANSWERS = {grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION}


def first_position(name: str) -> Position:
    """Return the position with which a game of two begins."""
    game = find(name)
    shown = next(game.play("g", game.full_settings(game.settings_type()), ["a", "b"], Random(1), None))
    assert isinstance(shown, Show)
    return Position(game=name, state=wrap(GameState, game, game.full_state(shown.state)))


async def code_of(rules: RulesServiceStub, position: Position) -> grpc.StatusCode:
    try:
        await rules.ListLegalReplies(ListLegalRepliesRequest(position=position))
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize("name", registered())
@pytest.mark.parametrize("count", [30, pytest.param(2_000, marks=pytest.mark.slow)])
async def test_every_position_is_answered_or_refused(name: str, count: int, caplog: pytest.LogCaptureFixture) -> None:
    rng, begun = Random(name), first_position(name)
    async with serving(Config()) as server, grpc.aio.insecure_channel(server.address) as channel:
        rules = RulesServiceStub(channel)
        for _ in range(count):
            position = Position()
            position.CopyFrom(begun)
            for _ in range(rng.randint(1, 3)):
                change(getattr(position.state, name), rng)
            assert await code_of(rules, position) in ANSWERS, position
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("phase", [webset_pb2.PHASE_UNSPECIFIED, webset_pb2.PHASE_OPEN])
async def test_a_card_that_does_not_exist_is_refused(phase: webset_pb2.Phase.ValueType) -> None:
    position = first_position("webset")
    state = position.state.webset
    state.slots[0], state.phase = 200, phase
    async with serving(Config()) as server, grpc.aio.insecure_channel(server.address) as channel:
        assert await code_of(RulesServiceStub(channel), position) is grpc.StatusCode.INVALID_ARGUMENT

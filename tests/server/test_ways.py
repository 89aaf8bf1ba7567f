"""The ways to players that are open unless somebody says otherwise."""

from __future__ import annotations

import pytest

from fairplay.games.game import find
from fairplay.server.errors import Refusal
from fairplay.server.links.dial_in import Hub
from fairplay.server.links.link import Clock
from fairplay.server.server import Config
from fairplay.server.ways import Ways
from fairplay.v1.game_pb2 import Player


async def test_programs_are_started_only_where_that_is_allowed() -> None:
    clock, program = Clock(), Player(name="a", link="exec:true")
    for allowed in (False, True):
        ways = Ways(allow_exec=True) if allowed else Ways()
        programs, links = ways.open(Hub(clock), clock)
        if allowed:
            links.check(program, find("fish"), "player")
        else:
            with pytest.raises(Refusal) as refusal:
                links.check(program, find("fish"), "player")
            assert refusal.value.reason == "EXEC_NOT_ALLOWED"
        await programs.close()


def test_streams_that_players_offer_are_used_by_servers_and_workers_alike() -> None:
    assert Config().player_streams
    assert Ways().player_streams

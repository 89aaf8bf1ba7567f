"""ServerService, and what a welcome says of the services that the server calls."""

from __future__ import annotations

from typing import Any

import grpc

from fairplay.games.game import find, registered
from fairplay.server.links.link import MAX_REPLY_BYTES
from fairplay.server.links.stream import MAX_FRAME_BYTES
from fairplay.server.server import Config
from fairplay.v1 import server_pb2 as pb
from fairplay.v1.server_pb2_grpc import ServerServiceStub
from tests.server.harness import ByHand, serving


async def info(config: Config) -> pb.ServerInfo:
    async with serving(config) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = ServerServiceStub(channel)
        found: pb.ServerInfo = (await stub.GetServerInfo(pb.GetServerInfoRequest())).server
        return found


async def test_a_server_says_what_it_offers() -> None:
    server = await info(Config(allow_exec=True, start_limit_s=2.5))
    assert [game.name for game in server.games] == list(registered())
    assert {"knockout", "round-robin", "swiss"} <= set(server.formats)
    assert server.authentication == pb.Authentication.AUTHENTICATION_NONE
    assert (server.limits.max_message_bytes, server.limits.max_reply_bytes) == (MAX_FRAME_BYTES, MAX_REPLY_BYTES)
    assert server.limits.start_limit.ToMilliseconds() == 2_500
    assert server.limits.starts_programs
    assert not (await info(Config())).limits.starts_programs


async def test_a_server_says_how_much_it_has_to_do() -> None:
    async with serving(Config()) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = ServerServiceStub(channel)
        found: pb.ServerLoad = (await stub.GetServerLoad(pb.GetServerLoadRequest())).load
        assert (found.running_game_count, found.open_tournament_count, found.records_failed) == (0, 0, False)
        assert min(length.ToNanoseconds() for length in (found.uptime, found.cpu_time)) > 0
        async with ByHand(server, "one") as player:
            await player.say_hello()
            later: pb.ServerLoad = (await stub.GetServerLoad(pb.GetServerLoadRequest())).load
        assert later.connected_player_count == 1
        assert later.uptime.ToNanoseconds() > found.uptime.ToNanoseconds()


async def test_a_game_is_described_with_its_settings_rules_and_strategies() -> None:
    for reported in (await info(Config())).games:
        game = find(reported.name)
        assert (reported.title, reported.service) == (game.title, game.service)
        assert range(reported.min_player_count, reported.max_player_count + 1) == game.seats
        assert {rule.rule_id: rule.sentence for rule in reported.rules} == game.rules
        assert {each.name: each.sentence for each in reported.strategies} == {
            name: strategy.sentence for name, strategy in game.strategies.items()
        }
        assert [each.name for each in reported.settings] == [setting.name for setting in game.settings]
        assert reported.time_control.HasField("notification_limit")
    fish = next(game for game in (await info(Config())).games if game.name == "fish")
    assert fish.default_settings.fish.rows == 5
    assert fish.tournament_settings.fish.rows == 6
    assert fish.tournament_settings.fish.max_fish


async def test_a_welcome_names_the_services_that_the_server_calls() -> None:
    async with serving() as server, ByHand(server, "x") as by_hand:
        services = {each.name: each.revision for each in (await by_hand.say_hello()).welcome.services}
    assert services == {"fairplay.v1.PlayerService": 1} | {find(name).service: 1 for name in registered()}

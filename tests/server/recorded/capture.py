"""Captures what a client of today says and hears: `python -m tests.server.recorded.capture`, once for each revision.

It writes the descriptors of the contract (`revision-1.binpb`) and a session (`revision-1.json`): the frames of a
program that dials in and plays a game, and unary calls with their answers. `test_recorded.py` plays them again.
"""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from fairplay.fish.v1 import fish_player_pb2
from fairplay.v1 import (
    connection_pb2,
    lobby_pb2,
    manager_pb2,
    player_pb2,
    record_service_pb2,
    referee_pb2,
    rules_pb2,
    server_pb2,
)
from fairplay.v1.connection_pb2 import DialInRequest
from tests.server.harness import ByHand, plan, serving, sound

FOLDER = Path(__file__).parent
DESCRIPTORS, SESSION = FOLDER / "revision-1.binpb", FOLDER / "revision-1.json"
FILES = (
    connection_pb2,
    fish_player_pb2,
    lobby_pb2,
    manager_pb2,
    player_pb2,
    record_service_pb2,
    referee_pb2,
    rules_pb2,
    server_pb2,
)


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def descriptors() -> FileDescriptorSet:
    """Return the descriptors of the contract, each file after those that it needs."""
    found: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        for dependency in file.dependencies:
            add(dependency)
        found.setdefault(file.name, file)

    for module in FILES:
        add(module.DESCRIPTOR)
    made = FileDescriptorSet()
    for file in found.values():
        file.CopyToProto(made.file.add())
    return made


async def ask(channel: grpc.aio.Channel, path: str, request: Any) -> dict[str, str]:
    answer: bytes = await channel.unary_unary(path)(request.SerializeToString())
    return {"method": path, "request": text(request.SerializeToString()), "response": text(answer)}


async def capture() -> dict[str, Any]:
    sent: list[dict[str, str]] = []
    answer = sound()
    async with serving() as server, ByHand(server, "veteran") as by_hand:
        await by_hand.say_hello()
        hello = text(DialInRequest(hello=by_hand.hello).SerializeToString())

        def reply(call: connection_pb2.Call) -> list[connection_pb2.Reply]:
            made = answer(call)
            frame = text(DialInRequest(replies=[made]).SerializeToString())
            sent.append({"method": call.method_name, "request": text(call.request), "frame": frame})
            return [made]

        async with by_hand.answering(reply), grpc.aio.insecure_channel(server.address) as channel:
            game = plan("dial-in:veteran", "bot:first", seed=7, random_fish=True)
            cup = manager_pb2.CreateTournamentRequest(tournament_id="cup")
            cup.plan.game = "fish"
            simulated = rules_pb2.SimulateGameRequest(game="fish", seed=3, strategies=["first", "first"])
            unary = [
                await ask(channel, path, request)
                for path, request in (
                    ("/fairplay.v1.RefereeService/PlayGame", referee_pb2.PlayGameRequest(game_id="g", plan=game)),
                    ("/fairplay.v1.RefereeService/GetGame", referee_pb2.GetGameRequest(game_id="g")),
                    ("/fairplay.v1.RefereeService/ListGames", referee_pb2.ListGamesRequest(page_size=5, game="fish")),
                    ("/fairplay.v1.RefereeService/StopGame", referee_pb2.StopGameRequest(game_id="g")),
                    ("/fairplay.v1.ServerService/GetServerInfo", server_pb2.GetServerInfoRequest()),
                    ("/fairplay.v1.RulesService/SimulateGame", simulated),
                    ("/fairplay.v1.ManagerService/CreateTournament", cup),
                    (
                        "/fairplay.v1.ManagerService/GetTournament",
                        manager_pb2.GetTournamentRequest(tournament_id="cup"),
                    ),
                    ("/fairplay.v1.ManagerService/ListTournaments", manager_pb2.ListTournamentsRequest()),
                )
            ]
    return {"hello": hello, "calls": sent, "unary": unary}


if __name__ == "__main__":
    DESCRIPTORS.write_bytes(descriptors().SerializeToString(deterministic=True))
    SESSION.write_text(json.dumps(asyncio.run(capture()), indent=1) + "\n", "utf-8")

"""Reflection, as grpcurl, ghz and `buf curl` ask for it."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2 as pb

from fairplay.server.server import SERVICES
from tests.server.harness import serving

V1, V1ALPHA = (f"grpc.reflection.{version}.ServerReflection" for version in ("v1", "v1alpha"))


async def ask(version: str, *requests: pb.ServerReflectionRequest) -> list[Any]:
    """Return what a server answers to requests of one stream of reflection."""
    async with serving() as server, grpc.aio.insecure_channel(server.address) as channel:
        method = channel.stream_stream(
            f"/{version}/ServerReflectionInfo",
            pb.ServerReflectionRequest.SerializeToString,
            pb.ServerReflectionResponse.FromString,
        )
        return [answer async for answer in method(iter(requests))]


@pytest.mark.parametrize("version", [V1, V1ALPHA])
async def test_all_services_are_listed(version: str) -> None:
    (answer,) = await ask(version, pb.ServerReflectionRequest(list_services="*"))
    listed = {service.name for service in answer.list_services_response.service}
    assert listed == {*SERVICES, "grpc.health.v1.Health", V1, V1ALPHA}


@pytest.mark.parametrize("version", [V1, V1ALPHA])
@pytest.mark.parametrize(
    ("symbol", "file"),
    [
        ("fairplay.v1.RefereeService", "fairplay/v1/referee.proto"),
        ("fairplay.v1.RefereeService.PlayGame", "fairplay/v1/referee.proto"),
        ("fairplay.v1.PlayerService.Describe", "fairplay/v1/player.proto"),
        ("fairplay.v1.GamePlan", "fairplay/v1/referee.proto"),
        ("fairplay.v1.GamePlan.seed", "fairplay/v1/referee.proto"),
        ("fairplay.v1.ErrorReason", "fairplay/v1/error_reason.proto"),
        ("fairplay.v1.ErrorReason.ERROR_REASON_NAME_TAKEN", "fairplay/v1/error_reason.proto"),
        ("fairplay.v1.ERROR_REASON_NAME_TAKEN", "fairplay/v1/error_reason.proto"),
        ("google.rpc.ErrorInfo", "google/rpc/error_details.proto"),
        ("grpc.reflection.v1.ServerReflection", "grpc_reflection/v1/reflection.proto"),
    ],
)
async def test_symbols_are_found_with_all_that_their_files_need(version: str, symbol: str, file: str) -> None:
    (answer,) = await ask(version, pb.ServerReflectionRequest(file_containing_symbol=symbol))
    files = map(FileDescriptorProto.FromString, answer.file_descriptor_response.file_descriptor_proto)
    found = {each.name: each for each in files}
    assert file in found
    assert {needed for each in found.values() for needed in each.dependency} <= set(found)


@pytest.mark.parametrize(
    "symbol", ["fairplay.v1.RefereeService.Cheat", "fairplay.v1.ErrorReason.WHIM", "fairplay.v1.GamePlan.x", "x", ""]
)
async def test_what_there_is_not_is_not_found_and_the_stream_goes_on(symbol: str) -> None:
    unknown = pb.ServerReflectionRequest(file_containing_symbol=symbol)
    named = pb.ServerReflectionRequest(file_by_filename="fairplay/v1/error_reason.proto")
    missing, file = await ask(V1, unknown, named)
    assert missing.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]
    assert file.HasField("file_descriptor_response")

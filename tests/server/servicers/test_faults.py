"""A fault of a handler is told to its caller without a word of what it was."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from fairplay.server.net.errors import reason_of
from fairplay.server.servicers.interceptor import ErrorInterceptor


async def fail(request: bytes, context: Any) -> bytes:
    raise RuntimeError("a secret path")


async def test_a_fault_of_the_server_leaks_nothing() -> None:
    server = grpc.aio.server(interceptors=[ErrorInterceptor()])
    methods = {"Fail": grpc.unary_unary_rpc_method_handler(fail)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Broken", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await channel.unary_unary("/test.Broken/Fail")(b"")
    await server.stop(0)
    assert (error.value.code(), reason_of(error.value)) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "secret" not in (error.value.details() or "")

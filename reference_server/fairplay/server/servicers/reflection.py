"""Reflection in both versions, v1 and v1alpha, which are the same on the wire and differ by name alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import grpc
from google.protobuf import text_format
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import Default, DescriptorPool
from grpc_reflection.v1alpha import reflection_pb2 as pb
from grpc_reflection.v1alpha.reflection import SERVICE_NAME, aio

from fairplay.v1 import error_reason_pb2

NAMES = tuple(SERVICE_NAME.replace("v1alpha", version) for version in ("v1", "v1alpha"))
NEEDED_BY_NO_SERVICE = (error_reason_pb2.DESCRIPTOR,)
"""Files that callers ask for all the same, and that are known as soon as they are imported."""


class Symbols:
    """The descriptors of this process as a DescriptorPool gives them, also by the names of methods and enum values.

    It knows the file of reflection v1 besides, for which grpcio has no stubs.
    """

    def __init__(self) -> None:
        v1alpha = FileDescriptorProto()
        pb.DESCRIPTOR.CopyToProto(v1alpha)
        v1 = text_format.MessageToString(v1alpha).replace("v1alpha", "v1")
        own = DescriptorPool()
        own.Add(text_format.Parse(v1, FileDescriptorProto()))
        self._pools = (Default(), own)

    def FindFileByName(self, name: str) -> FileDescriptor:  # noqa: N802
        """Return a file. Raises KeyError if there is none of this name."""
        return self._find("FindFileByName", name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802
        """Return the file that declares a symbol. Raises KeyError if none does."""
        try:
            return self._find("FindFileContainingSymbol", symbol)
        except KeyError:  # protobuf's pools do not know SERVICE.METHOD nor ENUM.VALUE
            parent, _, name = symbol.rpartition(".")
            file = self._find("FindFileContainingSymbol", parent)
            package = f"{file.package}." if file.package else ""
            local = parent.removeprefix(package)
            service, enum = file.services_by_name.get(local), file.enum_types_by_name.get(local)
            if (service and name in service.methods_by_name) or (enum and name in enum.values_by_name):
                return file
            raise

    def _find(self, method: str, name: str) -> FileDescriptor:
        first, second = self._pools
        try:
            found: FileDescriptor = getattr(first, method)(name)
        except KeyError:
            found = getattr(second, method)(name)
        return found

    def __getattr__(self, name: str) -> Any:
        """Look other methods of a pool up in the first one, such as those about extensions."""
        return getattr(self._pools[0], name)


def add_reflection(services: Iterable[str], server: grpc.aio.Server) -> None:
    """Let a server describe services of these names, and itself."""
    servicer = aio.ReflectionServicer((*services, *NAMES), pool=Symbols())
    handler = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        pb.ServerReflectionRequest.FromString,
        pb.ServerReflectionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        [grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": handler}) for name in NAMES]
    )

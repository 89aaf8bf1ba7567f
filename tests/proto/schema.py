"""The descriptors of all files of the contract."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FileDescriptor

ROOT = Path(__file__).resolve().parents[2]
PROTO = ROOT / "proto"
PATHS = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))


@cache
def file(path: str) -> FileDescriptor:
    """Return the descriptor of a file of proto/."""
    module = import_module(path.removesuffix(".proto").replace("/", ".") + "_pb2")
    found: FileDescriptor = module.DESCRIPTOR
    return found


def files() -> list[FileDescriptor]:
    return [file(path) for path in PATHS]


def messages() -> Iterator[Descriptor]:
    """Yield all messages, nested ones too."""
    for each in files():
        for message in each.message_types_by_name.values():
            yield from _with_nested(message)


def _with_nested(message: Descriptor) -> Iterator[Descriptor]:
    yield message
    for nested in message.nested_types:
        yield from _with_nested(nested)


def enums() -> Iterator[EnumDescriptor]:
    for each in files():
        yield from each.enum_types_by_name.values()
    for message in messages():
        yield from message.enum_types

"""The caller of the method that is served now, and the role that each method needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass

from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import MethodOptions

from fairplay.games.kit.messages import enum_word
from fairplay.server.net.limits import METHODS
from fairplay.v1.access_pb2 import Role

NAMES: Mapping[str, Role.ValueType] = {
    "player": Role.ROLE_PLAYER,
    "organiser": Role.ROLE_ORGANISER,
    "operator": Role.ROLE_OPERATOR,
}
"""The roles that an account may have. Whoever reaches the server is a spectator."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the key of an account, empty for nobody whom the server knows, and what it may do."""

    account: str
    role: Role.ValueType
    name: str = ""
    """The name of the account as its owner writes it."""

    @property
    def operator(self) -> bool:
        """Return whether everything may be done."""
        return self.role == Role.ROLE_OPERATOR


SPECTATOR = Caller("", Role.ROLE_SPECTATOR)
SERVER = Caller("", Role.ROLE_OPERATOR)
"""The server itself; and everybody, where it knows no accounts."""

CALLER: ContextVar[Caller] = ContextVar("fairplay_caller", default=SERVER)
"""The caller. Set by the interceptor for as long as a method is served."""


def method_roles(services: Iterable[str]) -> dict[str, Role.ValueType]:
    """Return the role for each method of some services, by its path.

    Raises ValueError if a method says none: such a method must not be served.
    """
    found: dict[str, Role.ValueType] = {}
    pool = descriptor_pool.Default()
    for name in services:
        for method in pool.FindServiceByName(name).methods:
            if not (role := METHODS[method.full_name].role):
                raise ValueError(f"{method.full_name} does not say which role it needs")
            found[f"/{name}/{method.name}"] = Role.Value(f"ROLE_{role}")
    return found


def harmless_methods(paths: Iterable[str]) -> frozenset[str]:
    """Return those of the methods, by their paths, that change nothing."""
    pool = descriptor_pool.Default()
    found = ((path, pool.FindMethodByName(path.removeprefix("/").replace("/", "."))) for path in paths)
    return frozenset(
        path for path, method in found if method.GetOptions().idempotency_level == MethodOptions.NO_SIDE_EFFECTS
    )


def role_name(role: Role.ValueType) -> str:
    """Return a role as people write it, e.g. "organiser"."""
    return enum_word(Role, role)

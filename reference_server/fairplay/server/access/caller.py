"""The caller of the method that is served now."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from fairplay.v1.access_pb2 import Role


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

"""The one place where it is decided who calls, and whether it may; and the log of who did what."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message

from fairplay.player.channels import AUTHORIZATION
from fairplay.server.access.accounts import Accounts
from fairplay.server.access.caller import CALLER, SERVER, SPECTATOR, Caller, harmless_methods, role_name
from fairplay.server.access.quotas import Failures, Quotas, payer
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import caller_host
from fairplay.server.records.errors import RecordsError
from fairplay.server.servicers.interceptor import KINDS, Behaviour
from fairplay.v1.access_pb2 import Role

SUBJECTS = ("tournament_id", "game_id", "name", "table")
"""The fields of requests that say what they are about."""
MAX_CHARS = 128

SCHEME = "bearer "
DENIED = ("ACCOUNT_REQUIRED", "ROLE_REQUIRED", "TOO_MANY_REQUESTS")
"""Outcomes that are noted of methods that change nothing, too."""


class Audit:
    """A log that is appended to. Only its owner may read it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.touch(mode=0o600)
            self._file = path.open("a", encoding="utf-8", buffering=1)
        except OSError as error:
            raise RecordsError(f"the audit log {path} cannot be written: {error.strerror}") from None

    def note(self, caller: Caller, peer: str, method: str, request: Any, outcome: str) -> None:
        """Write who called a method, about what, and how that ended. Raises RecordsError if that is impossible."""
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "account": caller.name,
            "address": peer,
            "method": method,
            **_about(request),
            "outcome": outcome,
        }
        try:
            self._file.write(json.dumps(line) + "\n")
        except OSError as error:
            raise RecordsError(f"the audit log {self._path} cannot be written: {error.strerror}") from None

    def close(self) -> None:
        """Close the log."""
        self._file.close()


def _about(request: Any) -> dict[str, str]:
    """Return what a request is about, cut to what a line should hold."""
    found = {name: str(value)[:MAX_CHARS] for name in SUBJECTS if (value := getattr(request, name, ""))}
    player = getattr(getattr(request, "player", None), "name", "")
    return {**found, **({"player": str(player)[:MAX_CHARS]} if player else {})}


class AccessInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[misc]  # grpcio has no types for it
    """Finds out who calls, and refuses whose role is not that of the method, or who asks for too much.

    `accounts` None: everybody may do everything. `roles` are those of all methods.
    """

    def __init__(
        self,
        accounts: Accounts | None,
        roles: Mapping[str, Role.ValueType],
        quotas: Quotas | None = None,
        audit: Audit | None = None,
    ) -> None:
        self._accounts = accounts
        self._roles = roles
        self._quotas = quotas
        self._audit = audit
        self._harmless = harmless_methods(roles)
        self._failures = Failures()

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> grpc.RpcMethodHandler | None:
        """Wrap the handler of a method of ours; others, such as health, are for everybody."""
        handler = await continuation(handler_call_details)
        role = self._roles.get(handler_call_details.method)
        if handler is None or role is None:
            return handler
        for kind, build in KINDS.items():
            behaviour = getattr(handler, kind)
            if iscoroutinefunction(behaviour):
                wrapped = self._guarded(behaviour, handler_call_details.method, streams=kind != "unary_unary")
                if self._audit is not None:
                    wrapped = self._noted(wrapped, handler_call_details.method, self._audit)
                return build(wrapped, handler.request_deserializer, handler.response_serializer)
        raise TypeError(f"{handler_call_details.method} is served in a way that cannot be guarded")

    def _guarded(self, behaviour: Behaviour, method: str, *, streams: bool) -> Behaviour:
        async def guarded(request: Any, context: Any) -> Any:
            caller = await self._identify(context)
            CALLER.set(caller)  # for the task that serves this call, and no other
            _check_role(caller, self._roles[method])
            if self._quotas is None:
                return await behaviour(request, context)
            who = payer(caller.account, caller_host(context))
            self._quotas.take(who, request.ByteSize() if isinstance(request, Message) else 0)
            with self._quotas.stream(who) if streams else nullcontext():
                return await behaviour(request, context)

        return guarded

    def _noted(self, behaviour: Behaviour, method: str, audit: Audit) -> Behaviour:
        """Return the behaviour of a method, which writes how it ended if it changes something or was refused."""
        harmless = method in self._harmless

        async def noted(request: Any, context: Any) -> Any:
            outcome = "FAILED"
            try:
                answer = await behaviour(request, context)
                outcome = "OK"
                return answer
            except Refusal as refusal:
                outcome = refusal.reason
                raise
            except asyncio.CancelledError:
                outcome = "CANCELLED"
                raise
            finally:
                if not harmless or outcome in DENIED:
                    audit.note(CALLER.get(), context.peer(), method, request, outcome)

        return noted

    async def _identify(self, context: Any) -> Caller:
        """Return who calls. Raises Refusal if it shows a token that is not valid."""
        if self._accounts is None:
            return SERVER
        for key, value in context.invocation_metadata() or ():
            if key == AUTHORIZATION:
                caller = self._accounts.find(value[len(SCHEME) :].strip()) if _is_bearer(value) else None
                if caller is None:
                    await self._failures.slow_down(caller_host(context))
                    message = "the token is not valid here: it was revoked, has expired, or is of another server"
                    raise Refusal("ACCOUNT_REQUIRED", message)
                return caller
        names = context.auth_context().get("x509_common_name", ())
        found = self._accounts.find_by_subject(names[0].decode(errors="replace")) if len(names) == 1 else None
        return found or SPECTATOR


def _is_bearer(value: object) -> bool:
    return isinstance(value, str) and value[: len(SCHEME)].lower() == SCHEME


def _check_role(caller: Caller, needed: Role.ValueType) -> None:
    if caller.role >= needed:
        return
    if caller.role == Role.ROLE_SPECTATOR:
        message = f"this needs an account of the role {role_name(needed)}: name its token in FAIRPLAY_TOKEN"
        raise Refusal("ACCOUNT_REQUIRED", message, allowed=role_name(needed))
    message = f"this needs the role {role_name(needed)}, and {caller.name} has the role {role_name(caller.role)}"
    raise Refusal("ROLE_REQUIRED", message, given=role_name(caller.role), allowed=role_name(needed))

"""AccountService: accounts for those who were invited."""

from __future__ import annotations

import asyncio
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from fairplay.server.access.accounts import AccountError, Accounts, NameTakenError
from fairplay.server.access.caller import CALLER, Caller, role_name
from fairplay.server.access.quotas import Failures
from fairplay.server.net.errors import Refusal
from fairplay.server.net.peers import caller_host
from fairplay.server.observing.log import log_account
from fairplay.v1 import account_pb2 as pb
from fairplay.v1.account_pb2_grpc import AccountServiceServicer

TOKEN_LASTS_S = 365 * 86_400


class AccountServicer(AccountServiceServicer):
    """The service for accounts; `accounts` None: a server that knows none."""

    def __init__(self, accounts: Accounts | None) -> None:
        self._accounts = accounts
        self._failures = Failures()

    async def CreateAccount(  # noqa: N802
        self, request: pb.CreateAccountRequest, context: Any
    ) -> pb.CreateAccountResponse:
        """Make an account from an invitation."""
        if self._accounts is None:
            raise Refusal("NO_ACCOUNTS", "this server knows no accounts: everything is open to everybody")
        try:
            made = await asyncio.to_thread(self._accounts.redeem, request.name, request.invitation)
        except NameTakenError as error:
            raise Refusal("NAME_TAKEN", f"{error}: choose another one", "name", given=request.name) from None
        except AccountError as error:
            raise Refusal("NAME_INVALID", str(error), "name", given=request.name) from None
        if made is None:
            await self._failures.slow_down(caller_host(context))
            raise Refusal("INVITATION_INVALID", "the invitation is not valid, or was used up", "invitation")
        log_account(made.name, role_name(made.role))
        token, expires_s = await asyncio.to_thread(self._accounts.new_token, made.name, TOKEN_LASTS_S)
        return pb.CreateAccountResponse(
            account=_message(made), token=token, expire_time=Timestamp(seconds=expires_s) if expires_s else None
        )

    async def GetAccount(self, request: pb.GetAccountRequest, context: Any) -> pb.GetAccountResponse:  # noqa: N802
        """Return who calls."""
        return pb.GetAccountResponse(account=_message(CALLER.get()))


def _message(caller: Caller) -> pb.Account:
    return pb.Account(name=caller.name, role=caller.role)

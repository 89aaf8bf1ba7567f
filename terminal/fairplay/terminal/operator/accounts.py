"""What `fairplay accounts`, `tokens` and `invitations` do. What is secret goes to standard output, and nothing else."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from rich.table import Table

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_server
from fairplay.player.channels import Credentials, open_channel, reach_server
from fairplay.server.access.accounts import AccountError, Accounts
from fairplay.server.access.caller import role_name
from fairplay.server.records.accounts import AccountsDatabase
from fairplay.server.records.place import Place
from fairplay.terminal.printing import make_console, print_json
from fairplay.v1.account_pb2 import CreateAccountRequest, CreateAccountResponse
from fairplay.v1.account_pb2_grpc import AccountServiceStub

DAY_S = 86_400
ANSWER_LIMIT_S = 30.0
INVITATION = "FAIRPLAY_INVITATION"


@contextmanager
def _opened(place: Place) -> Iterator[Accounts]:
    """Yield the accounts of a place. Raises FailedError, with one sentence, if what is asked for cannot be done."""
    database = AccountsDatabase(place)
    try:
        yield Accounts(database)
    except AccountError as error:
        raise FailedError(str(error)) from None
    finally:
        database.close()


def add_account(place: Place, name: str, role: str, subject: str, days: int) -> None:
    """Add an account and print its token."""
    with _opened(place) as accounts:
        accounts.add(name, role, subject)
        _show_token(accounts.new_token(name, days * DAY_S), f"{name} is an account of the role {role}")


def new_token(place: Place, name: str, days: int) -> None:
    """Print a new token."""
    with _opened(place) as accounts:
        _show_token(accounts.new_token(name, days * DAY_S), f"this is a token of {name}")


def change_role(place: Place, name: str, role: str) -> None:
    """Give an account another role."""
    with _opened(place) as accounts:
        accounts.change(name, role)
    _say(f"{name} has the role {role} now")


def remove_account(place: Place, name: str) -> None:
    """Remove an account."""
    with _opened(place) as accounts:
        accounts.remove(name)
    _say(f"{name} was removed, with all of its tokens")


def revoke(place: Place, id_: str) -> None:
    """Revoke a token or an invitation."""
    with _opened(place) as accounts:
        accounts.revoke(id_)
    _say(f"{id_} was revoked")


def invite(place: Place, role: str, count: int, days: int) -> None:
    """Print a new invitation."""
    with _opened(place) as accounts:
        invitation = accounts.invite(role, count, days * DAY_S)
    _say(f"an invitation for {count} of the role {role}, valid for {days} days, shown this once only:")
    sys.stdout.write(f"{invitation}\n")


def show_accounts(place: Place, *, json: bool) -> None:
    """List the accounts."""
    with _opened(place) as accounts:
        rows = [{"name": row.name, "role": row.role, "subject": row.subject} for row in accounts.accounts]
    _show(rows, ("name", "role", "subject"), json=json)


def show_tokens(place: Place, *, json: bool) -> None:
    """List the tokens."""
    with _opened(place) as accounts:
        rows = [{"id": row.id, "account": row.account, "expires": _time(row.expires_s)} for row in accounts.tokens]
    _show(rows, ("id", "account", "expires"), json=json)


def show_invitations(place: Place, *, json: bool) -> None:
    """List the invitations."""
    with _opened(place) as accounts:
        rows = [
            {"id": row.id, "role": row.role, "left": str(row.left_count), "expires": _time(row.expires_s)}
            for row in accounts.invitations
        ]
    _show(rows, ("id", "role", "left", "expires"), json=json)


def create_account(name: str, server: str, ca: Path | None) -> None:
    """Make an account with an invitation, and print its token."""
    address = parse_server(server, "--server")
    invitation = os.environ.get(INVITATION) or sys.stdin.readline()
    if not invitation.strip():
        raise UsageError(f"there is no invitation: give it on standard input, or in {INVITATION}")
    request = CreateAccountRequest(name=name, invitation=invitation.strip())
    reply = asyncio.run(_create(address, Credentials.from_environment(os.environ, ca), request))
    sentence = f"{reply.account.name} is an account of the role {role_name(reply.account.role)}"
    _show_token((reply.token, reply.expire_time.seconds or None), sentence)


async def _create(address: str, credentials: Credentials, request: CreateAccountRequest) -> CreateAccountResponse:
    async with open_channel(address, credentials) as channel:
        await reach_server(channel, address, credentials)
        reply: CreateAccountResponse = await AccountServiceStub(channel).CreateAccount(request, timeout=ANSWER_LIMIT_S)
    return reply


def _show_token(token: tuple[str, int | None], sentence: str) -> None:
    text, expires_s = token
    _say(f"{sentence}; its token, valid until {_time(expires_s)} and shown this once only, goes into FAIRPLAY_TOKEN:")
    sys.stdout.write(f"{text}\n")


def _time(seconds: int | None) -> str:
    return "for ever" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _show(rows: Sequence[Mapping[str, str]], columns: Sequence[str], *, json: bool) -> None:
    if json:
        print_json(rows)
        return
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(row[column] for column in columns))
    make_console().print(table)

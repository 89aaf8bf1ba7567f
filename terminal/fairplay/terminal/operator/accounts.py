"""What `fairplay accounts`, `tokens` and `invitations` do. What is secret goes to standard output, and nothing else."""

from __future__ import annotations

import asyncio
import os
import re
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
from fairplay.terminal.printing import make_console, print_json, timestamp
from fairplay.v1.account_pb2 import CreateAccountRequest, CreateAccountResponse
from fairplay.v1.account_pb2_grpc import AccountServiceStub

DAY_S = 86_400
ANSWER_LIMIT_S = 30.0
WEB = re.compile(r"https?://[A-Za-z0-9._:\[\]-]+(/[A-Za-z0-9._~/-]*)?")
INVITATION = "FAIRPLAY_INVITATION"


@contextmanager
def opened(place: Place) -> Iterator[Accounts]:
    """Yield the accounts of a place. Raises FailedError, with one sentence, if what is asked for cannot be done."""
    database = AccountsDatabase(place)
    try:
        yield Accounts(database)
    except AccountError as error:
        raise FailedError(str(error)) from None
    finally:
        database.close()


def create_account(name: str, server: str, ca: Path | None) -> None:
    """Make an account with an invitation, and print its token."""
    address = parse_server(server, "--server")
    invitation = os.environ.get(INVITATION) or sys.stdin.readline()
    if not invitation.strip():
        raise UsageError(f"there is no invitation: give it on standard input, or in {INVITATION}")
    request = CreateAccountRequest(name=name, invitation=invitation.strip())
    reply = asyncio.run(_create(address, Credentials.from_environment(os.environ, ca), request))
    sentence = f"{reply.account.name} is an account of the role {role_name(reply.account.role)}"
    show_token((reply.token, reply.expire_time.seconds or None), sentence)


async def _create(address: str, credentials: Credentials, request: CreateAccountRequest) -> CreateAccountResponse:
    async with open_channel(address, credentials) as channel:
        await reach_server(channel, address, credentials)
        reply: CreateAccountResponse = await AccountServiceStub(channel).CreateAccount(request, timeout=ANSWER_LIMIT_S)
    return reply


def check_web(url: str) -> None:
    """Raise UsageError if a URL of pages is given and cannot be one."""
    if url and not WEB.fullmatch(url):
        raise UsageError(f"--web {url!r} is no address of pages: give e.g. https://games.example.org")


def invitation_link(url: str, invitation: str) -> str:
    """Return the link to the form of an account. Browsers tell no server what stands behind the '#'."""
    return f"{url.rstrip('/')}/account#{invitation}"


def show_token(token: tuple[str, int | None], sentence: str) -> None:
    """Print a token, of which the sentence says whose it is, and when it expires."""
    text, expires_s = token
    say(
        f"{sentence}; its token, valid until {time_text(expires_s)} and shown this once only, goes into FAIRPLAY_TOKEN:"
    )
    sys.stdout.write(f"{text}\n")


def time_text(seconds: int | None) -> str:
    """Return when something expires, for people; None: never."""
    return "for ever" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def time_json(seconds: int | None) -> str | None:
    """Return when something expires, for programs; None: never."""
    return None if seconds is None else timestamp(datetime.fromtimestamp(seconds, UTC))


def say(sentence: str) -> None:
    """Say something to whoever has typed the command."""
    sys.stderr.write(f"{sentence}\n")


def show(rows: Sequence[Mapping[str, str | int | None]], columns: Sequence[str], *, json: bool) -> None:
    """Print rows as a table, or as JSON; None is what never ends."""
    if json:
        print_json(rows)
        return
    table = Table(*columns, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*("for ever" if row[column] is None else str(row[column]) for column in columns))
    make_console().print(table)

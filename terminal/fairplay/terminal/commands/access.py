"""Commands about who may use a server: accounts, tokens, invitations, tls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.commands.options import argument, command, group, option
from fairplay.terminal.commands.parameters import Authorities, PlainJson, ServerRecords

accounts = group("""Say who may use a server with --accounts.

    Example:

    \b
      fairplay accounts add alice --role player --records records > alice.token""")
tokens = group("""Make and revoke the tokens of accounts.

    Example:

    \b
      fairplay tokens list --records records""")
invitations = group("""Invite people to make accounts of their own.

    Example:

    \b
      fairplay invitations new --count 30 --records records""")

RoleName = Annotated[str, option("ROLE", "player, organiser or operator.")]
Days = Annotated[int, option("N", "How long it is valid.", min=1, max=3_650)]
AccountName = Annotated[str, argument("NAME", "The name of the account.")]


@accounts.command()
@command
def add(
    name: AccountName,
    records: ServerRecords,
    role: RoleName = "player",
    subject: Annotated[str, option("NAME", "The common name of its certificates (--tls-client-ca).")] = "",
    days: Days = 365,
) -> None:
    """Add an account, and print its first token, which is shown this once only.

    Example:

    \b
      fairplay accounts add alice --role player --records records > alice.token
    """
    from fairplay.terminal.operator.accounts import DAY_S, opened, show_token

    with opened(records) as known:
        known.add(name, role, subject)
        show_token(known.new_token(name, days * DAY_S), f"{name} is an account of the role {role}")


@accounts.command("list")
@command
def list_accounts(records: ServerRecords, json: PlainJson = False) -> None:
    """List the accounts with their roles.

    Example:

    \b
      fairplay accounts list --records records
    """
    from fairplay.terminal.operator.accounts import opened, show

    with opened(records) as known:
        rows = [{"name": row.name, "role": row.role, "subject": row.subject} for row in known.accounts]
    show(rows, ("name", "role", "subject"), json=json)


@accounts.command()
@command
def role(
    name: AccountName,
    role: Annotated[str, argument("ROLE", "player, organiser or operator.")],
    records: ServerRecords,
) -> None:
    """Give an account another role.

    Example:

    \b
      fairplay accounts role alice organiser --records records
    """
    from fairplay.terminal.operator.accounts import opened, say

    with opened(records) as known:
        known.change(name, role)
    say(f"{name} has the role {role} now")


@accounts.command()
@command
def remove(name: AccountName, records: ServerRecords) -> None:
    """Remove an account and its tokens. Its name is not given again.

    Example:

    \b
      fairplay accounts remove alice --records records
    """
    from fairplay.terminal.operator.accounts import opened, say

    with opened(records) as known:
        known.remove(name)
    say(f"{name} was removed, with all of its tokens")


@accounts.command()
@command
def create(
    name: AccountName,
    server: Annotated[str, option("HOST:PORT", "The server; grpcs:// over TLS.")],
    ca: Authorities = None,
) -> None:
    """Make an account of your own with an invitation, and print its token.

    The invitation is read from standard input, or from the variable FAIRPLAY_INVITATION: others on this machine see
    the options of commands.

    Example:

    \b
      fairplay accounts create bob --server grpcs://class.example.org:50050 --ca ca.pem < invitation.txt > bob.token
    """
    from fairplay.terminal.operator.accounts import create_account

    create_account(name, server, ca)


@tokens.command("new")
@command
def new_token(name: AccountName, records: ServerRecords, days: Days = 365) -> None:
    """Print a new token of an account, which is shown this once only.

    Example:

    \b
      fairplay tokens new alice --days 30 --records records > alice.token
    """
    from fairplay.terminal.operator.accounts import DAY_S, opened, show_token

    with opened(records) as known:
        show_token(known.new_token(name, days * DAY_S), f"this is a token of {name}")


@tokens.command("list")
@command
def list_tokens(records: ServerRecords, json: PlainJson = False) -> None:
    """List the tokens by their ids, without their secrets.

    Example:

    \b
      fairplay tokens list --records records
    """
    from fairplay.terminal.operator.accounts import opened, show, time_json

    with opened(records) as known:
        rows = [{"id": row.id, "account": row.account, "expires": time_json(row.expires_s)} for row in known.tokens]
    show(rows, ("id", "account", "expires"), json=json)


@tokens.command()
@command
def revoke(
    id_: Annotated[str, argument("ID", "The id of a token or an invitation, e.g. 3f29c0aa.")],
    records: ServerRecords,
) -> None:
    """Revoke a token or an invitation: the next call with it is refused.

    Example:

    \b
      fairplay tokens revoke 3f29c0aa --records records
    """
    from fairplay.terminal.operator.accounts import opened, say

    with opened(records) as known:
        known.revoke(id_)
    say(f"{id_} was revoked")


@invitations.command("new")
@command
def new_invitation(
    records: ServerRecords,
    role: RoleName = "player",
    count: Annotated[int, option("N", "For so many accounts.", min=1, max=100_000)] = 1,
    days: Days = 30,
    web: Annotated[
        str, option("URL", "Where the pages are: print a link there, which leads to the form of an account.")
    ] = "",
) -> None:
    """Print an invitation, which is shown this once only; whoever has it makes an account with it.

    Example:

    \b
      fairplay invitations new --role player --count 30 --records records > invitation.txt
      fairplay invitations new --role organiser --records records --web https://games.example.org
    """
    from fairplay.terminal.operator.accounts import DAY_S, check_web, invitation_link, opened, say

    check_web(web)
    with opened(records) as known:
        invitation = known.invite(role, count, days * DAY_S)
    say(f"an invitation for {count} of the role {role}, valid for {days} days, shown this once only:")
    typer.echo(invitation_link(web, invitation) if web else invitation)


@invitations.command("list")
@command
def list_invitations(records: ServerRecords, json: PlainJson = False) -> None:
    """List the invitations by their ids, without their secrets.

    Example:

    \b
      fairplay invitations list --records records
    """
    from fairplay.terminal.operator.accounts import opened, show, time_json

    with opened(records) as known:
        rows = [
            {"id": row.id, "role": row.role, "left": row.left_count, "expires": time_json(row.expires_s)}
            for row in known.invitations
        ]
    show(rows, ("id", "role", "left", "expires"), json=json)


tls = group(
    """Make certificates for trials and classrooms.

    Example:

    \b
      fairplay tls new tls --host class.example.org"""
)
Directory = Annotated[Path, argument("DIR", "The folder of the authority.")]
CertificateDays = Annotated[int, option("N", "How long the certificate is valid.", min=1, max=3_650)]


@tls.command()
@command
def new(
    directory: Directory,
    host: Annotated[
        list[str] | None,
        option("NAME", "A name or address of the server; repeatable. Default: localhost."),
    ] = None,
    days: CertificateDays = 365,
) -> None:
    """Make an authority and, signed by it, the certificate of a server.

    The folder gets ca.pem, which you give to everybody, and ca-key.pem, server.pem and server-key.pem, which you keep.
    Files that are there already are never overwritten.

    Examples:

    \b
      fairplay tls new tls --host class.example.org --host 192.0.2.7
      fairplay serve --tls tls/server.pem tls/server-key.pem
      FAIRPLAY_CA=tls/ca.pem fairplay game fish --server class.example.org:50050 -p bot:greedy -p bot:random
    """
    from fairplay.terminal.operator.authority import make_authority, make_server

    make_authority(directory, days)
    hosts = host or ["localhost", "127.0.0.1", "::1"]
    make_server(directory, hosts, days)
    typer.echo(f"{directory} holds a certificate for {', '.join(hosts)}; give {directory / 'ca.pem'} to callers")


@tls.command()
@command
def client(
    directory: Directory,
    name: Annotated[str, argument("NAME", "The name in the certificate.")],
    days: CertificateDays = 365,
) -> None:
    """Make the certificate of a caller, NAME.pem and NAME-key.pem, for servers with --tls-client-ca.

    Example:

    \b
      fairplay tls client tls alice
    """
    from fairplay.terminal.operator.authority import make_client

    make_client(directory, name, days)
    typer.echo(f"{directory} holds {name}.pem and {name}-key.pem: {name} names them in FAIRPLAY_CERT and FAIRPLAY_KEY")

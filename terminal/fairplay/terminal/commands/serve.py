"""Commands that show a server or are one: serve, web, lobby."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import Authorities, Programs, RecordsPlace, StartLimit, Tls


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """What a server offers, to whom, and how much of it."""

    listen: Annotated[str, option("HOST:PORT", "Where to listen; port 0: any free one.")] = "127.0.0.1:50050"
    players: Annotated[
        str,
        option(
            "HOST:PORT",
            "Let players dial in there, too: an address that serves nothing else, and more of them at once.",
        ),
    ] = ""
    tls: Tls = None
    tls_client_ca: Annotated[
        Path | None, option("FILE", "Let in only callers with a certificate of these, in PEM.")
    ] = None
    accounts: Annotated[bool, option("", "Know callers by accounts, which are kept beside the records.")] = False
    standby: Annotated[bool, option("", "Wait while another server has the records, then go on where it was.")] = False
    insecure: Annotated[bool, option("", "Let other machines in without TLS and accounts.")] = False
    calls: Annotated[int, option("N", "Calls a second of one account or host (--accounts).", min=1)] = 100
    games_at_once: Annotated[int, option("N", "Running games of one account (--accounts).", min=1)] = 50
    search_depth: Annotated[int, option("N", "How deep bots of accounts may search: bot:minimax:depth=N.", min=1)] = 4
    audit: Annotated[Path | None, option("FILE", "Append who did what to this file, in lines of JSON.")] = None
    dial_networks: Annotated[
        str | None,
        option(
            "NETWORKS",
            "Call players (grpc: links) only here, e.g. 10.0.0.0/8,192.0.2.7/32. Default: anywhere, if only this "
            "machine reaches the server, else nowhere.",
        ),
    ] = None
    ca: Authorities = None
    web: Annotated[
        str | None, option("HOST:PORT", "Show the server in browsers there, as fairplay web does. Not with --tls.")
    ] = None
    records: RecordsPlace = None
    allow_exec: Annotated[bool, option("", "Let callers have this server start programs (exec: links).")] = False
    programs: Programs
    start_limit: StartLimit = "10s"
    concurrency: Annotated[
        int,
        option(
            "N",
            "The most games of a tournament at once; 0: a game for each processor where programs are started, else 64.",
            min=0,
        ),
    ] = 0
    examinations: Annotated[
        int,
        option("N", "How many players are examined at once at sign-up; 0: one for every two processors.", min=0),
    ] = 0
    sign: Annotated[
        Path | None,
        option("KEY", "Sign the certificates of players that are certified here: see fairplay certificate keys."),
    ] = None
    grace: Annotated[str, option("TIME", "How long a user of the lobby may be away before it is lost.")] = "10s"
    heartbeat: Annotated[
        str,
        option(
            "TIME",
            "How long a connection may be silent before it is asked for a sign of life. Without an answer in the same "
            "time, at most 10s, it is over.",
        ),
    ] = "30s"
    max_users: Annotated[int, option("N", "The most users that the lobby takes.", min=1)] = 5_000
    max_tables: Annotated[int, option("N", "The most tables that the lobby takes.", min=1)] = 1_000
    metrics: Annotated[
        str | None, option("HOST:PORT", "Show figures to Prometheus there, under /metrics. Extra metrics.")
    ] = None
    traces: Annotated[
        str | None,
        option(
            "URL", "Send traces of games to a collector of OpenTelemetry, e.g. http://127.0.0.1:4317. Extra traces."
        ),
    ] = None
    trace_share: Annotated[float, option("SHARE", "Trace this share of the games.", min=0, max=1)] = 1.0
    log_format: Annotated[str, option("FORMAT", "The form of the log's lines: text or json.")] = "text"
    requests: Annotated[int, option("N", "Requests a second of a user of the lobby.", min=1)] = 20


@command
def serve(options: ServeOptions) -> None:
    """Run the reference server until Ctrl-C.

    With --records it goes on after a crash where it was.

    Example:

    \b
      fairplay serve --records records/
      fairplay serve --listen 0.0.0.0:50050 --records records/ --accounts --tls tls/server.pem tls/server-key.pem
    """
    from fairplay.terminal.operator.server import run_server

    run_server(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebOptions:
    """Which server is shown, and where."""

    server: Annotated[str, option("HOST:PORT", "The server whose games are shown; grpcs:// over TLS.")] = (
        "127.0.0.1:50050"
    )
    listen: Annotated[str, option("HOST:PORT", "Where to listen; port 0: any free one.")] = "127.0.0.1:8080"
    root_path: Annotated[str, option("PATH", "The path under which a proxy shows the pages.")] = ""
    grace: Annotated[str, option("TIME", "How long a person whose pages are closed keeps its seat.")] = "60s"
    max_visitors: Annotated[int, option("N", "The most people in the lobby from here.", min=1)] = 1_000
    state: Annotated[Path | None, option("DIR", "Where visitors are kept over a new start of the pages.")] = None
    tls: Tls = None
    insecure: Annotated[bool, option("", "Let other machines in without TLS, and without accounts of the server.")] = (
        False
    )
    dial_in_at: Annotated[
        str,
        option("HOST:PORT", "Where programs of visitors dial in, as the pages tell them. Default: --server."),
    ] = ""
    secure_cookies: Annotated[bool, option("", "Send cookies over HTTPS only, where a proxy speaks it.")] = False
    trusted_proxies: Annotated[
        str,
        option(
            "NETWORKS", "Proxies whose X-Forwarded-For, -Proto and -Host are believed, with commas; none: nobody's are."
        ),
    ] = ""
    hosts: Annotated[
        str,
        option(
            "NAMES",
            "The names under which browsers ask for the pages, with commas. Default: any; where only this machine "
            "reaches them, its own.",
        ),
    ] = ""
    ca: Authorities = None


@command
def web(options: WebOptions) -> None:
    """Show games, tables, tournaments and records in browsers, until Ctrl-C.

    A client of a server, of which it needs only the address; FAIRPLAY_TOKEN is the token with which it reads there.

    Example:

    \b
      fairplay web --server 127.0.0.1:50050 --listen 127.0.0.1:8080
    """
    import os

    from fairplay.client.inputs import parse_address, parse_seconds, parse_server
    from fairplay.player.channels import Credentials
    from fairplay.player.exposure import check_exposure
    from fairplay.player.interrupts import run
    from fairplay.player.tls import TlsFiles
    from fairplay.web.app import Options, parse_root_path
    from fairplay.web.middleware import parse_hosts, parse_networks
    from fairplay.web.serving import serve_pages
    from fairplay.web.visitors import usual_directory

    pages = Options(
        server=parse_server(options.server, "--server"),
        credentials=Credentials.from_environment(os.environ, options.ca),
        root_path=parse_root_path(options.root_path),
        grace_s=parse_seconds(options.grace, "--grace"),
        max_visitors=options.max_visitors,
        state=options.state or usual_directory(os.environ),
        secure_cookies=options.secure_cookies,
        dial_in_at=parse_server(options.dial_in_at, "--dial-in-at") if options.dial_in_at else "",
        trusted_proxies=parse_networks(options.trusted_proxies),
        hosts=parse_hosts(options.hosts),
    )
    parse_address(options.listen, "--listen")
    check_exposure(options.listen, {"--tls CERT KEY": options.tls is not None}, insecure=options.insecure)
    files = TlsFiles(*options.tls) if options.tls is not None else None
    run(serve_pages(pages, options.listen, files, insecure=options.insecure))


@command
def lobby(
    server: Annotated[str, option("HOST:PORT", "The server; grpcs:// over TLS.")] = "127.0.0.1:50050",
    ca: Authorities = None,
    name: Annotated[str, option("NAME", "Your name there. Default: asked.")] = "",
) -> None:
    """Meet others at tables: chat, watch games, and play them by hand.

    Full screen; the keys are shown at the bottom, ? shows help, q leaves.

    Example:

    \b
      fairplay lobby --server host:50050 --name alice
    """
    from fairplay.terminal.lobby.app import run_lobby

    run_lobby(server, name, ca)

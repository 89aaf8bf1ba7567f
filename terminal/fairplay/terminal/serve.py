"""`fairplay serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import (
    Authorities,
    ProgramFolders,
    ProgramLimits,
    RecordsPlace,
    SandboxMode,
    StartLimit,
    Tls,
)

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from fairplay.server.records.place import Place
    from fairplay.server.server import Config, Server

LEAST_HEARTBEAT_S = 0.1
STANDBY_S = 0.5
"""How often a server in standby asks whether it may go on."""
MAX_NAMED = 5
"""How many of the interrupted games and tournaments that a server goes on with are named."""
BURST_S = 2
"""A user of the lobby may make the requests of so many seconds at once."""


def serve(
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0: any free one.")
    ] = "127.0.0.1:50050",
    players: Annotated[
        str,
        typer.Option(
            "--players",
            metavar="HOST:PORT",
            help="Let players dial in there, too: an address that serves nothing else, and more of them at once.",
        ),
    ] = "",
    tls: Tls = None,
    tls_client_ca: Annotated[
        Path | None,
        typer.Option(
            "--tls-client-ca", metavar="FILE", help="Let in only callers with a certificate of these, in PEM."
        ),
    ] = None,
    accounts: Annotated[
        bool, typer.Option("--accounts", help="Know callers by accounts, which are kept beside the records.")
    ] = False,
    standby: Annotated[
        bool, typer.Option("--standby", help="Wait while another server has the records, then go on where it was.")
    ] = False,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let other machines in without TLS and accounts.")
    ] = False,
    calls: Annotated[
        int, typer.Option("--calls", metavar="N", min=1, help="Calls a second of one account or host (--accounts).")
    ] = 100,
    games_at_once: Annotated[
        int, typer.Option("--games-at-once", metavar="N", min=1, help="Running games of one account (--accounts).")
    ] = 50,
    search_depth: Annotated[
        int,
        typer.Option(
            "--search-depth", metavar="N", min=1, help="How deep bots of accounts may search: bot:minimax:depth=N."
        ),
    ] = 4,
    audit: Annotated[
        Path | None, typer.Option("--audit", metavar="FILE", help="Append who did what to this file, in lines of JSON.")
    ] = None,
    dial_networks: Annotated[
        str | None,
        typer.Option(
            "--dial-networks",
            metavar="NETWORKS",
            help="Call players (grpc: links) only here, e.g. 10.0.0.0/8,192.0.2.7/32. Default: anywhere, if only this "
            "machine reaches the server, else nowhere.",
        ),
    ] = None,
    ca: Authorities = None,
    web: Annotated[
        str | None,
        typer.Option(
            "--web",
            metavar="HOST:PORT",
            help="Show the server in browsers there, as fairplay web does. Not with --tls.",
        ),
    ] = None,
    records: RecordsPlace = None,
    allow_exec: Annotated[
        bool, typer.Option("--allow-exec", help="Let callers have this server start programs (exec: links).")
    ] = False,
    sandbox: SandboxMode = "auto",
    program_limits: ProgramLimits = "",
    program_folders: ProgramFolders = "",
    start_limit: StartLimit = "10s",
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency",
            metavar="N",
            min=0,
            help="The most games of a tournament at once; 0: a game for each processor where programs are started, "
            "else 64.",
        ),
    ] = 0,
    examinations: Annotated[
        int,
        typer.Option(
            "--examinations",
            metavar="N",
            min=0,
            help="How many players are examined at once at sign-up; 0: one for every two processors.",
        ),
    ] = 0,
    grace: Annotated[
        str, typer.Option("--grace", metavar="TIME", help="How long a user of the lobby may be away before it is lost.")
    ] = "10s",
    heartbeat: Annotated[
        str,
        typer.Option(
            "--heartbeat",
            metavar="TIME",
            help="How long a connection may be silent before it is asked for a sign of life. Without an answer in the "
            "same time, at most 10s, it is over.",
        ),
    ] = "30s",
    max_users: Annotated[
        int, typer.Option("--max-users", metavar="N", min=1, help="The most users that the lobby takes.")
    ] = 5_000,
    max_tables: Annotated[
        int, typer.Option("--max-tables", metavar="N", min=1, help="The most tables that the lobby takes.")
    ] = 1_000,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics", metavar="HOST:PORT", help="Show figures to Prometheus there, under /metrics. Extra metrics."
        ),
    ] = None,
    traces: Annotated[
        str | None,
        typer.Option(
            "--traces",
            metavar="URL",
            help="Send traces of games to a collector of OpenTelemetry, e.g. http://127.0.0.1:4317. Extra traces.",
        ),
    ] = None,
    trace_share: Annotated[
        float, typer.Option("--trace-share", metavar="SHARE", min=0, max=1, help="Trace this share of the games.")
    ] = 1.0,
    log_format: Annotated[
        str, typer.Option("--log-format", metavar="FORMAT", help="The form of the log's lines: text or json.")
    ] = "text",
    requests: Annotated[
        int, typer.Option("--requests", metavar="N", min=1, help="Requests a second of a user of the lobby.")
    ] = 20,
) -> None:
    """Run the reference server until Ctrl-C.

    With --records it goes on after a crash where it was.

    Example:

    \b
      fairplay serve --records records/
      fairplay serve --listen 0.0.0.0:50050 --records records/ --accounts --tls tls/server.pem tls/server-key.pem
    """
    with outcomes():
        import os

        from fairplay.client.inputs import parse_address, parse_seconds
        from fairplay.player.channels import Credentials
        from fairplay.player.exposure import check_exposure
        from fairplay.player.interrupts import run
        from fairplay.player.tls import TlsFiles
        from fairplay.server.access.quotas import QuotaLimits
        from fairplay.server.links.networks import DialNetworks
        from fairplay.server.lobby.users import LobbyLimits
        from fairplay.server.observing.observer import Meter
        from fairplay.server.server import Config
        from fairplay.terminal.logs import start_log
        from fairplay.terminal.programs import parse_program_options

        if tls_client_ca is not None and tls is None:
            raise UsageError("--tls-client-ca needs --tls CERT KEY: certificates are shown over TLS only")
        if standby and records is None:
            raise UsageError("--standby needs --records, which another server has")
        if accounts and records is None:
            raise UsageError("--accounts needs --records, beside which they are kept: see fairplay accounts add")
        if web is not None and tls is not None:
            raise UsageError("--web goes without --tls: run fairplay web --server grpcs://HOST:PORT beside this server")
        pages = parse_address(web, "--web") if web is not None else None
        if pages is not None:
            remedy = {"`fairplay web --tls CERT KEY` in place of --web, which speaks no TLS": False}
            check_exposure(pages, remedy, insecure=insecure)
        if metrics is not None:
            parse_address(metrics, "--metrics")
            needed = {"--tls CERT KEY": tls is not None, "--accounts": accounts}
            check_exposure(metrics, needed, insecure=insecure)
            _check_installed("prometheus_client", "--metrics", "metrics")
        if traces is not None:
            _check_traces(traces)
        try:
            networks = DialNetworks.parse(dial_networks) if dial_networks is not None else None
        except ValueError as error:
            raise UsageError(f"--dial-networks: {error}") from None
        heartbeat_s = parse_seconds(heartbeat, "--heartbeat")
        if heartbeat_s < LEAST_HEARTBEAT_S:
            raise UsageError(f"--heartbeat {heartbeat!r} is too short: {LEAST_HEARTBEAT_S:g}s is the least")
        lobby = LobbyLimits(
            grace_s=parse_seconds(grace, "--grace"),
            requests_per_second=requests,
            burst=BURST_S * requests,
            max_user_count=max_users,
            max_table_count=max_tables,
        )
        config = Config(
            listen=parse_address(listen, "--listen"),
            players=parse_address(players, "--players") if players else "",
            records=records,
            allow_exec=allow_exec,
            start_limit_s=parse_seconds(start_limit, "--start-limit"),
            concurrency=concurrency,
            examinations=examinations,
            programs=parse_program_options(
                sandbox, program_limits, program_folders, ["exec:"] if allow_exec else [], confined=True
            ),
            lobby=lobby,
            tls=TlsFiles(*tls, tls_client_ca) if tls is not None else None,
            accounts=accounts,
            insecure=insecure,
            quotas=QuotaLimits(calls_per_second=calls, game_count=games_at_once, search_depth=search_depth),
            audit=audit,
            dial_networks=networks,
            heartbeat_s=heartbeat_s,
            meter=Meter() if metrics is not None else None,
            credentials=Credentials.from_environment(os.environ, ca),
        )
        start_log(log_format)
        tracing = (traces, trace_share) if traces is not None else None
        run(_serve(config, records, pages, metrics, tracing, standby=standby))


def _check_traces(url: str) -> None:
    """Raise UsageError if traces cannot be sent to this URL."""
    from fairplay.client.inputs import parse_address

    scheme, _, address = url.partition("://")
    if scheme not in ("http", "https"):
        raise UsageError(f"--traces {url!r} is no URL of a collector: give e.g. http://127.0.0.1:4317")
    parse_address(address, "--traces")
    _check_installed("opentelemetry.exporter.otlp.proto.grpc", "--traces", "traces")


def _check_installed(module: str, option: str, extra: str) -> None:
    """Raise UsageError if a module that an option needs is not there, with the extra that brings it."""
    from fairplay.terminal.extras import missing_module

    if (sentence := missing_module(module, option, extra)) is not None:
        raise UsageError(sentence)


async def _serve(
    config: Config,
    records: Place | None,
    pages: str | None,
    metrics: str | None,
    tracing: tuple[str, float] | None,
    *,
    standby: bool,
) -> None:
    """Run a server until this task is cancelled, or the process is terminated."""
    import asyncio
    import signal
    import sys
    from contextlib import AsyncExitStack
    from dataclasses import replace

    from fairplay.server.net.connections import raise_descriptor_limit

    async with AsyncExitStack() as closing:
        if tracing is not None:
            from fairplay.server.observing.tracer import Tracer

            tracer = Tracer(*tracing)
            closing.push_async_callback(asyncio.to_thread, tracer.close)
            config = replace(config, tracer=tracer)
        raise_descriptor_limit()
        server = await _start(config, standby=standby)
        closing.push_async_callback(server.stop)
        terminated = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminated.set)
        dialling = f", players dial in at {server.players_address}" if config.players else ""
        kept = f", records in {records}" if records else ", records are not kept (no --records)"
        over = " over TLS" if config.tls is not None else ""
        if metrics is not None and config.meter is not None:
            from fairplay.player.exposure import is_loopback
            from fairplay.server.observing.exporter import Exporter

            tls = None if is_loopback(metrics) else config.tls
            exporter = Exporter(server, config.meter, metrics, tls)
            closing.callback(exporter.close)
            scheme = "http" if tls is None else "https"
            kept += f", metrics at {scheme}://{exporter.address}/metrics"
        sys.stdout.write(f"fairplay serves on {server.address}{over}{dialling}{kept}; Ctrl-C stops it\n")
        taken_up = [*server.manager.open_ids, *server.referee.running_ids]
        if taken_up:
            sys.stdout.write(f"It goes on with what was interrupted: {_named(taken_up)}\n")
        sys.stdout.flush()
        if pages is None:
            await terminated.wait()
        else:
            await _show(server.address, pages, terminated)


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
    return ", ".join(ids[:MAX_NAMED]) + more


async def _start(config: Config, *, standby: bool) -> Server:
    """Start a server; in `standby` as soon as no other server has its records."""
    import asyncio
    import sys

    from fairplay.server.preload import load
    from fairplay.server.records.errors import StoreInUse
    from fairplay.server.server import Server

    load()
    waits = False
    while True:
        try:
            return await Server.start(config)
        except StoreInUse as busy:
            if not standby:
                raise
            if not waits:
                sys.stdout.write(f"fairplay waits: {str(busy).partition(':')[0]}\n")
                sys.stdout.flush()
        waits = True
        await asyncio.sleep(STANDBY_S)


async def _show(address: str, pages: str, terminated: asyncio.Event) -> None:
    """Have another process show the server in browsers until `terminated` is set. Raises FailedError if it ends.

    It is under guard and in a session of its own: it ends with this process, however that ends, and Ctrl-C is for this
    process alone.
    """
    import asyncio
    import subprocess
    import sys

    from fairplay.sandbox.limits import NO_LIMITS, Spec
    from fairplay.server.links.program import guard_command

    host, _, port = address.rpartition(":")
    near = "127.0.0.1" if host in ("0.0.0.0", "[::]") else host
    command = [sys.executable, "-m", "fairplay.terminal", "web", "--server", f"{near}:{port}", "--listen", pages]
    command += ["--insecure"]  # whether they may be exposed, `serve` has checked
    process = await asyncio.create_subprocess_exec(
        *guard_command(Spec(NO_LIMITS), command), stdin=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None
    ended, asked = asyncio.ensure_future(process.wait()), asyncio.ensure_future(terminated.wait())
    try:
        await asyncio.wait((ended, asked), return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise FailedError("the pages have ended, and the server with them")
    finally:
        asked.cancel()
        process.stdin.close()
        await ended

"""The command `fairplay web`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import Authorities, Tls


def web(
    server: Annotated[
        str, typer.Option("--server", metavar="HOST:PORT", help="The server whose games are shown; grpcs:// over TLS.")
    ] = "127.0.0.1:50050",
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0: any free one.")
    ] = "127.0.0.1:8080",
    root_path: Annotated[
        str, typer.Option("--root-path", metavar="PATH", help="The path under which a proxy shows the pages.")
    ] = "",
    grace: Annotated[
        str, typer.Option("--grace", metavar="TIME", help="How long a person whose pages are closed keeps its seat.")
    ] = "60s",
    max_visitors: Annotated[
        int, typer.Option("--max-visitors", metavar="N", min=1, help="The most people in the lobby from here.")
    ] = 1_000,
    state: Annotated[
        Path | None,
        typer.Option("--state", metavar="DIR", help="Where visitors are kept over a new start of the pages."),
    ] = None,
    tls: Tls = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Let other machines in without TLS, and without accounts of the server.")
    ] = False,
    secure_cookies: Annotated[
        bool, typer.Option("--secure-cookies", help="Send cookies over HTTPS only, where a proxy speaks it.")
    ] = False,
    trusted_proxies: Annotated[
        str,
        typer.Option(
            "--trusted-proxies",
            metavar="NETWORKS",
            help="Proxies whose X-Forwarded-For, -Proto and -Host are believed, with commas; none: nobody's are.",
        ),
    ] = "",
    hosts: Annotated[
        str,
        typer.Option(
            "--hosts",
            metavar="NAMES",
            help="The names under which browsers ask for the pages, with commas. Default: any; where only this machine "
            "reaches them, its own.",
        ),
    ] = "",
    ca: Authorities = None,
) -> None:
    """Show games, tables, tournaments and records in browsers, until Ctrl-C.

    A client of a server, of which it needs only the address; FAIRPLAY_TOKEN is the token with which it reads there.

    Example:

    \b
      fairplay web --server 127.0.0.1:50050 --listen 127.0.0.1:8080
    """
    with outcomes():
        import os

        from fairplay.client.inputs import parse_address, parse_seconds, parse_server
        from fairplay.player.channels import Credentials
        from fairplay.player.exposure import check_exposure
        from fairplay.player.interrupts import run
        from fairplay.player.tls import TlsFiles
        from fairplay.web.app import Options, parse_root_path
        from fairplay.web.proxied import parse_hosts, parse_networks
        from fairplay.web.serving import serve_pages
        from fairplay.web.visitor_files import usual_directory

        options = Options(
            server=parse_server(server, "--server"),
            credentials=Credentials.from_environment(os.environ, ca),
            root_path=parse_root_path(root_path),
            grace_s=parse_seconds(grace, "--grace"),
            max_visitors=max_visitors,
            state=state or usual_directory(os.environ),
            secure_cookies=secure_cookies,
            trusted_proxies=parse_networks(trusted_proxies),
            hosts=parse_hosts(hosts),
        )
        parse_address(listen, "--listen")
        check_exposure(listen, {"--tls CERT KEY": tls is not None}, insecure=insecure)
        files = TlsFiles(*tls) if tls is not None else None
        run(serve_pages(options, listen, files, insecure=insecure))

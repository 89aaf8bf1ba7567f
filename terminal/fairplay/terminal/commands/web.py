"""`fairplay web`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import Authorities, Tls


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
    from fairplay.web.proxied import parse_hosts, parse_networks
    from fairplay.web.serving import serve_pages
    from fairplay.web.visitor_files import usual_directory

    pages = Options(
        server=parse_server(options.server, "--server"),
        credentials=Credentials.from_environment(os.environ, options.ca),
        root_path=parse_root_path(options.root_path),
        grace_s=parse_seconds(options.grace, "--grace"),
        max_visitors=options.max_visitors,
        state=options.state or usual_directory(os.environ),
        secure_cookies=options.secure_cookies,
        trusted_proxies=parse_networks(options.trusted_proxies),
        hosts=parse_hosts(options.hosts),
    )
    parse_address(options.listen, "--listen")
    check_exposure(options.listen, {"--tls CERT KEY": options.tls is not None}, insecure=options.insecure)
    files = TlsFiles(*options.tls) if options.tls is not None else None
    run(serve_pages(pages, options.listen, files, insecure=options.insecure))

"""Try what listens for players with h2spec, the test suite of HTTP/2: `make h2spec`.

h2spec is built from its Go module into `.tools/h2spec`, once. It is no player: what is tried is HTTP/2 as such, over
TCP and over TLS. The exit code is 0 if every test has passed and none was left out.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fairplay.player.tls import TlsFiles
from fairplay.server.server import Config, Server
from fairplay.terminal.authority import make_authority, make_server

MODULE = "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible"
FOLDER = Path(__file__).parent.parent / ".tools" / "h2spec"
LIMIT_S = 120
ANSWER_LIMIT_S = 2
"""How long h2spec waits for each answer."""
SUMMARY = re.compile(r"(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed")


def build() -> Path:
    """Return the program of h2spec, built if it is not there. Raises OSError or CalledProcessError if it cannot be."""
    program = FOLDER / "h2spec"
    if not program.exists():
        environment = {**os.environ, "GOBIN": str(FOLDER), "GOFLAGS": "-mod=mod"}
        subprocess.run(["go", "install", MODULE], env=environment, check=True)
    return program


async def run(program: Path) -> bool:
    """Try a server without TLS and one with it, print what fails, and return whether nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        make_authority(own, 1)
        make_server(own, ["localhost", "127.0.0.1"], 1)
        plain = await try_server(program, Config(only_connections=True))
        tls = TlsFiles(own / "server.pem", own / "server-key.pem")
        return await try_server(program, Config(only_connections=True, tls=tls), "--tls", "--insecure") and plain


async def try_server(program: Path, config: Config, *options: str) -> bool:
    """Try a server of this configuration, and return whether it passes everything."""
    server = await Server.start(config)
    try:
        _, _, port = server.players_address.rpartition(":")
        arguments = ["--host", "127.0.0.1", "--port", port, "--timeout", str(ANSWER_LIMIT_S), *options]
        process = await asyncio.create_subprocess_exec(program, *arguments, stdout=asyncio.subprocess.PIPE)
        async with asyncio.timeout(LIMIT_S):
            said = (await process.communicate())[0].decode()
    finally:
        await server.stop()
    found = SUMMARY.search(said)
    passed = found is not None and found[1] == found[2] != "0"
    print(found[0] if passed and found is not None else said, "over TLS" if config.tls is not None else "over TCP")
    return passed


def main() -> int:
    """Return 0 if every test of h2spec has passed, 1 if one has not, 2 if h2spec cannot be had."""
    if shutil.which("go") is None:
        print("h2spec is built with Go, which this machine does not have: on Debian, apt-get install golang-go")
        return 2
    try:
        program = build()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"h2spec cannot be built: {error}")
        return 2
    return 0 if asyncio.run(run(program)) else 1


if __name__ == "__main__":
    sys.exit(main())

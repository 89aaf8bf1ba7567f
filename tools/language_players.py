"""Players in other languages, those of examples/: what they need, how they are started, and how long a call takes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeAlias

from fairplay.server.records.chain import parsed
from fairplay.server.records.store import Store

ROOT = Path(__file__).resolve().parent.parent
FAIRPLAY = str(Path(sys.executable).with_name("fairplay"))
Variables: TypeAlias = Mapping[str, str]
"""Variables of the environment of a command, beside those of this one."""
NONE: Variables = {}
LIMIT_S = 600.0
"""For each command: the first build fetches and compiles gRPC."""
START_LIMIT = "30s"
"""For a player to come up, on a machine that is busy with something else."""
CALL_LIMIT = "10s"
"""For a call: six programs that have just come up share the machine, and the first call of a JVM is slow."""
LEAST_CALLS = 200
MOST_MS = 10.0
TOURNAMENT = shlex.split("--set rows=8 --set columns=8 --concurrency 1 --seed 1 --json /dev/null")
FORMAT = ("--format", "round-robin cycles=8")
"""With the settings above, games that have enough calls to each of two players."""
LIMITS = ("--start-limit", START_LIMIT, "--limit", "10s")


class Failed(Exception):  # noqa: N818 - names what happened to the player
    """A player or its build does not do what it should; a few lines for people."""


@dataclass(frozen=True, slots=True)
class Language:
    """A folder of examples/, what a machine needs for it, and how its players are started.

    `version_command` prints the version of what it needs, `oldest` is the oldest that will do. `tls` are the options
    with which a player serves over TLS.
    """

    folder: str
    programs: tuple[str, ...]
    version_command: tuple[str, ...]
    oldest: tuple[int, int]
    advice: str
    command: str
    tls: str = "--tls-cert {certificate} --tls-key {key}"

    def player(self, game: str) -> str:
        """Return the command line of its player of a game."""
        return self.command.format(game=game)

    def secure(self, certificate: Path, key: Path) -> str:
        """Return the options with which a player serves over TLS."""
        return self.tls.format(certificate=certificate, key=key)


LANGUAGES = (
    Language(
        "go",
        ("go",),
        ("go", "version"),
        (1, 24),
        "install Go 1.24 or newer, from https://go.dev/dl or as your system's package golang-go",
        "examples/go/bin/{game}",
    ),
    Language(
        "typescript",
        ("node", "npm"),
        ("node", "--version"),
        (20, 0),
        "install Node 20 or newer with npm, from https://nodejs.org or as your system's packages nodejs and npm",
        "node examples/typescript/dist/{game}.js",
    ),
    Language(
        "rust",
        ("cargo", "rustc"),
        ("cargo", "--version"),
        (1, 88),
        "install Rust 1.88 or newer, from https://rustup.rs or as your system's package (Debian: cargo-web)",
        "examples/rust/target/release/{game}",
    ),
    Language(
        "java",
        ("java", "javac", "mvn"),
        ("javac", "--version"),
        (17, 0),
        "install a JDK, 17 or newer, and Maven, as your system's packages default-jdk-headless and maven",
        "java -Xmx64m -jar examples/java/target/players.jar {game}",
    ),
    Language(
        "cpp",
        ("cmake", "c++", "protoc", "grpc_cpp_plugin", "pkg-config"),
        ("pkg-config", "--modversion", "grpc++"),
        (1, 51),
        "install CMake, g++ and gRPC 1.51 or newer, as the packages cmake, g++, libgrpc++-dev, libprotobuf-dev and "
        "protobuf-compiler-grpc",
        "examples/cpp/build/{game}",
    ),
)


KIT = Language(
    "python",
    ("python3",),
    ("python3", "--version"),
    (3, 11),
    "install Python 3.11 or newer",
    f"{shlex.quote(FAIRPLAY)} player {{game}}",
    "--tls {certificate} {key}",
)
"""The players of the kit, which take the same options but for TLS, and are there without a build."""


# --- what the machine has ---


def missing(language: Language, found: str | None) -> str | None:
    """Return one sentence about what is to be installed, or None. `found`: what its version command prints."""
    version = re.search(r"(\d+)(?:\.(\d+))?", found or "")
    if version is None:
        return f"The players in examples/{language.folder} cannot be built: {language.advice}."
    if (int(version[1]), int(version[2] or 0)) < language.oldest:
        return f"Version {version[0]} is too old for the players in examples/{language.folder}: {language.advice}."
    return None


def version_of(language: Language) -> str | None:
    """Return what the version command prints, where all programs are there."""
    if not all(map(shutil.which, language.programs)):
        return None
    return subprocess.run(language.version_command, capture_output=True, text=True, cwd=ROOT, check=False).stdout


# --- processes ---


def environment() -> dict[str, str]:
    """Return variables in which `python` and `fairplay` are those of this environment, and protoc is that of .tools."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    protoc = f"{ROOT / '.tools' / 'bin' / 'python'} -m grpc_tools.protoc"
    return {**os.environ, "PATH": path, "PROTOC": protoc, "COLUMNS": "200"}


def end_of(command: Sequence[str], variables: Variables = NONE) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, and return its code and what it prints. Raises Failed if it does not end in time."""
    try:
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**environment(), **variables},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{shlex.join(command)}\nwas not done after {LIMIT_S:g} s") from None


def execute(command: Sequence[str], variables: Variables = NONE) -> str:
    """Return what a command prints. Raises Failed if it ends with another code than 0, or not in time."""
    done = end_of(command, variables)
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def free_address() -> str:
    """Return an address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def running(command: str, variables: Variables = NONE) -> Iterator[subprocess.Popen[bytes]]:
    """Return a program that ends with the block. Raises Failed if it has ended before."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            shlex.split(command),
            cwd=ROOT,
            env={**environment(), **variables},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
            code = process.poll()
        finally:
            process.kill()
            process.wait()
        if code is not None:
            output.seek(0)
            raise Failed(f"{command}\nended with {code}:\n{output.read()}")


# --- a server among strangers ---


@dataclass(frozen=True, slots=True)
class Guarded:
    """A server over TLS that knows accounts: its options, and the environment of those who call it as `ann`."""

    options: str
    variables: Variables
    certificate: Path
    key: Path
    token: str

    @property
    def trusting(self) -> Variables:
        """Return the environment of those who trust the server, and have no account."""
        return {"FAIRPLAY_CA": self.variables["FAIRPLAY_CA"]}


def guarded(folder: Path) -> Guarded:
    """Make certificates in a folder, and records there with an account that may do everything."""
    execute([FAIRPLAY, "tls", "new", str(folder / "tls"), "--host", "localhost", "--host", "127.0.0.1"])
    certificate, key, records = folder / "tls" / "server.pem", folder / "tls" / "server-key.pem", folder / "records"
    token = execute([FAIRPLAY, "accounts", "add", "ann", "--role", "operator", "--records", str(records)]).strip()
    variables = {"FAIRPLAY_CA": str(folder / "tls" / "ca.pem"), "FAIRPLAY_TOKEN": token}
    return Guarded(f"--records {records} --accounts --tls {certificate} {key}", variables, certificate, key, token)


class CallTimes(NamedTuple):
    """The times of all calls to a player, and how it was reached."""

    way: str
    milliseconds: Sequence[float]


def dialled_in(command: str) -> Iterator[CallTimes]:
    """Yield the times of a player of Fish that dials in at each address of a server. Raises Failed."""
    with tempfile.TemporaryDirectory() as records, ExitStack() as stack:
        listen, players = free_address(), free_address()
        serve = f"serve --listen {listen} --players {players} --records {records} --start-limit {START_LIMIT}"
        stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} {serve}"))
        for option, address in (("listen", listen), ("players", players)):
            stack.enter_context(running(f"{command} --connect {address} --name {option}"))
            _play(f"{option}=dial-in:{option}", "--server", listen)
            yield CallTimes(f"dialled in at --{option}", _times(Path(records), option))


def linked(command: str) -> Iterator[CallTimes]:
    """Yield the times of a player of Fish that serves, and of one that is started in each way. Raises Failed."""
    with ExitStack() as stack:
        address = free_address()
        stack.enter_context(running(f"{command} --listen {address}"))
        yield _linked("serving", f"grpc://{address}")
        for sandbox in ("off", "require") if shutil.which("bwrap") else ("off",):
            for way, options in (("dialling in", ""), ("serving", " --serve")):
                link, inside = f"exec:{command}{options}", f"sandbox {sandbox}"
                yield _linked(f"started, {way}, {inside}", link, "--sandbox", sandbox)


def _linked(way: str, link: str, *options: str) -> CallTimes:
    with tempfile.TemporaryDirectory() as records:
        _play(f"me={link}", "--records", records, *options)
        return CallTimes(way, _times(Path(records), "me"))


def _play(player: str, *options: str) -> None:
    players = ("--player", player, "--player", "bot:first")
    execute([FAIRPLAY, "tournament", "fish", *players, *TOURNAMENT, *FORMAT, *LIMITS, *options])


def _times(records: Path, player: str) -> list[float]:
    """Return the milliseconds of all calls to a player. Raises Failed if they are too few to say anything."""
    found = []
    with Store.read_only(records) as store:
        for listing in store.list("game", limit=1_000)[0]:
            header, *entries = parsed(store.read(listing.record_id))
            seats = [seat for seat, each in enumerate(header.game.players) if each.name == player]
            calls = [entry.call for entry in entries if entry.HasField("call") and entry.call.seat in seats]
            found += [call.elapsed.ToNanoseconds() / 1e6 for call in calls]
    if len(found) < LEAST_CALLS:
        raise Failed(f"{player} was called {len(found)} times only")
    return found


def check_call_times(command: str) -> str:
    """Check that no way to a player has a wait in each call, and return the medians. Raises Failed."""
    medians = {each.way: median(each.milliseconds) for way in (dialled_in, linked) for each in way(command)}
    table = "\n".join(f"  {way}: {ms:.2f} ms" for way, ms in medians.items())
    if max(medians.values()) > MOST_MS:
        raise Failed(f"{command}\nwaits in each call: the medians of one game are\n{table}")
    return table

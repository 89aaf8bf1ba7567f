"""Players in other languages, those of examples/: what a machine needs for them, and how they are started."""

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
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

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


class Failed(Exception):  # noqa: N818 - names what happened to the player
    """A player or its build does not do what it should; a few lines for people."""


@dataclass(frozen=True, slots=True)
class Language:
    """A folder of examples/, what a machine needs for it, and how its players are started.

    `version_command` prints the version of what it needs, `oldest` is the oldest that will do.
    """

    folder: str
    programs: tuple[str, ...]
    version_command: tuple[str, ...]
    oldest: tuple[int, int]
    advice: str
    command: str

    def player(self, game: str) -> str:
        """Return the command line of its player of a game."""
        return self.command.format(game=game)


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
)
"""The players of the kit, which take the same options and are there without a build."""


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
    """`python -m grpc_tools.protoc` is the protoc that makes the stubs of this tree; `fairplay` is this one."""
    path = [str(ROOT / ".tools" / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    return {**os.environ, "PATH": os.pathsep.join(path), "PROTOC": "python -m grpc_tools.protoc", "COLUMNS": "200"}


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

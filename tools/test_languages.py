"""Build the players of examples/ that are not in Python, play with them in every way there is, and certify them.

`make test-languages` runs it in .venv. It fails when a player is blamed for anything.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.docs.pages import run

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

GAMES = {  # the settings, and the other players, of the games that each player plays each way; the n-th has the seed n
    "fish": (
        ((), ("greedy",)),
        (("random_fish=true", "rows=7", "columns=4", "holes=3"), ("minimax", "random")),
        (
            ("random_fish=true", "announce_order=per-player", "action_list=moves-and-skips"),
            ("first", "random", "greedy"),
        ),
    ),
    "q": (
        ((), ("ldasg",)),
        (("fit_rule=qwirkle", "setup_argument=map"), ("best", "dag")),
        (("hand_size=12", "copies_per_kind=3", "undelivered_tiles=return"), ("first", "random", "ldasg")),
    ),
}
AT_ONCE = 2
"""In how many ways a player is tried at the same time: much of each is waiting for programs to start."""
CROWD = 6
"""How many players of a tournament are one program, so that it is in several games at once."""


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


def environment() -> dict[str, str]:
    """`python -m grpc_tools.protoc` is the protoc that makes the stubs of this tree; `fairplay` is this one."""
    path = [str(ROOT / ".tools" / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    return {**os.environ, "PATH": os.pathsep.join(path), "PROTOC": "python -m grpc_tools.protoc", "COLUMNS": "200"}


def execute(command: Sequence[str], variables: Variables = NONE) -> str:
    """Return what a command prints. Raises Failed if it ends with another code than 0, or not in time."""
    try:
        done = subprocess.run(
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
    if done.returncode != 0:
        raise Failed(f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


# --- playing ---


def free_address() -> str:
    """Return an address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def running(command: str, variables: Variables = NONE) -> Iterator[None]:
    """End a program with the block. Raises Failed if it has ended before."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            shlex.split(command),
            cwd=ROOT,
            env={**environment(), **variables},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            yield
            code = process.poll()
        finally:
            process.kill()
            process.wait()
        if code is not None:
            output.seek(0)
            raise Failed(f"{command}\nended with {code}:\n{output.read()}")


@dataclass(frozen=True, slots=True)
class Way:
    """A way to reach a player: what it is called, the link, and options and environment of the command that plays."""

    name: str
    link: str
    options: tuple[str, ...] = ()
    variables: Variables = field(default_factory=dict)


def ways(game: str, command: str, stack: ExitStack) -> Iterator[Way]:
    """Yield each way to reach a player, which is there until the stack is closed."""
    yield Way("started, dialling in", f"exec:{command}")
    yield Way("started, serving", f"exec:{command} --serve")
    address = free_address()
    stack.enter_context(running(f"{command} --listen {address}"))
    yield Way("serving", f"grpc://{address}")
    server = free_address()
    stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} serve --listen {server} --start-limit {START_LIMIT}"))
    stack.enter_context(running(f"{command} --connect {server} --name stranger --token secret"))
    yield Way("dialling in", "dial-in:stranger", ("--server", server))
    yield from guarded_ways(game, command, stack)


def guarded_ways(game: str, command: str, stack: ExitStack) -> Iterator[Way]:
    """Yield the ways to reach a player among strangers: over TLS, with a secret, with the token of an account."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    execute([FAIRPLAY, "tls", "new", str(folder / "tls"), "--host", "localhost", "--host", "127.0.0.1"])
    certificate, key = folder / "tls" / "server.pem", folder / "tls" / "server-key.pem"
    trusting = {"FAIRPLAY_CA": str(folder / "tls" / "ca.pem")}
    address, secret = free_address(), {"FAIRPLAY_SECRET": "correct-horse"}
    stack.enter_context(running(f"{command} --listen {address} --tls-cert {certificate} --tls-key {key}", secret))
    way = Way("serving over TLS, with a secret", f"grpcs://{address}", (), {**trusting, **secret})
    check_guarded(game, command, way)
    yield way
    token = execute([FAIRPLAY, "accounts", "add", "ann", "--role", "operator", "--records", str(folder / "records")])
    account, server = {**trusting, "FAIRPLAY_TOKEN": token.strip()}, free_address()
    options = f"--start-limit {START_LIMIT} --records {folder / 'records'} --accounts --tls {certificate} {key}"
    stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} serve --listen {server} {options}"))
    stack.enter_context(running(f"{command} --connect grpcs://{server} --name ann", account))
    yield Way("dialling in over TLS, with an account", "dial-in:ann", ("--server", server), account)


def check_guarded(game: str, command: str, way: Way) -> None:
    """Check that a player refuses a server without its secret, and a secret that cannot be used. Raises Failed."""
    players = [
        "--player",
        f"me={way.link}",
        "--player",
        f"bot:{GAMES[game][0][1][0]}",
        "--start-limit",
        START_LIMIT,
        "--limit",
        CALL_LIMIT,
    ]
    for secret in ("", "correct-horsf", "correct-horse-"):
        variables = {**way.variables, "FAIRPLAY_SECRET": secret}
        if not secret:
            variables = {name: value for name, value in variables.items() if name != "FAIRPLAY_SECRET"}
        output = execute([FAIRPLAY, "game", game, *players], variables)
        if "show its secret" not in output:
            raise Failed(f"{command}\nanswers calls that show the secret {secret!r}:\n{output}")
    for unusable in ("", "two words", "\N{SNOWMAN}", "x" * 257):
        refused = subprocess.run(
            [*shlex.split(command), "--listen", free_address()],
            cwd=ROOT,
            env={**environment(), "FAIRPLAY_SECRET": unusable},
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if refused.returncode == 0 or "FAIRPLAY_SECRET cannot be used" not in refused.stderr:
            raise Failed(f"{command}\ntakes the secret {unusable!r}: {refused.returncode}, {refused.stderr}")


def misconducts_of(result: dict[str, Any]) -> list[Any]:
    """Return the misconducts of a game or a tournament."""
    return [*result.get("misconducts", ()), *result.get("failures", ())]


def play(command: Sequence[str], way: Way) -> None:
    """Play one game or tournament. Raises Failed if it was not played to its end, or somebody is blamed."""
    limits = ["--start-limit", START_LIMIT, "--limit", CALL_LIMIT]
    output = execute([FAIRPLAY, *command, *limits, *way.options, "--json", "-"], way.variables)
    found = misconducts_of(json.loads(output))
    if found:
        raise Failed(f"{shlex.join(command)}\nblames a player:\n{json.dumps(found, indent=2)}")


def play_all(game: str, way: Way) -> None:
    """Play games of all kinds one by one, then a tournament in which one program is most of the players."""
    for seed, (settings, bots) in enumerate(GAMES[game]):
        players = [f"me={way.link}", *(f"bot:{bot}" for bot in bots)]
        play(["game", game, *of("--player", players), *of("--set", settings), "--seed", str(seed)], way)
    names = [f"me{number}={way.link}" for number in range(CROWD)]
    players = [*names, *(f"bot:{bot}" for bot in GAMES[game][-1][1])]
    play(["tournament", game, *of("--player", players), "--seed", "1"], way)


def of(option: str, values: Sequence[str]) -> list[str]:
    """Return an option, given once for each value."""
    return [word for value in values for word in (option, value)]


# --- the whole ---


def check_page(language: Language, games_only: bool) -> None:
    """Run the commands of the README, which begin with the build. Raises Failed if one does not do as the page says."""
    text = (ROOT / "examples" / language.folder / "README.md").read_text()
    if games_only:
        text = re.sub(r"^\$ fairplay certify .*\n", "", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        code, printed = run(text, Path(folder), environment(), LIMIT_S)
    if code != 0:
        raise Failed(f"examples/{language.folder}/README.md:\n{printed}")


def check(language: Language, games_only: bool) -> None:
    """Everything about one language. Failed: what is wrong."""
    with step(f"{language.folder}: the commands of the README, from protoc on"):
        check_page(language, games_only)
    for game in GAMES:
        with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(try_way, language, game, way) for way in ways(game, language.player(game), stack)]:
                done.result()


def try_way(language: Language, game: str, way: Way) -> None:
    """Play all that is played with a player that is reached in one way. Failed: what is wrong."""
    with step(f"{language.folder}: {game}, {way.name}"):
        play_all(game, way)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Say what is done, and how long it took."""
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


def main(arguments: Sequence[str]) -> int:
    """0: all is well. 1: a player or its build is at fault. 2: the machine lacks something."""
    parser = argparse.ArgumentParser(prog="python -m tools.test_languages", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games-only", action="store_true", help="do not certify")
    names = [language.folder for language in LANGUAGES]
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(names)}; all if none is named")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.languages).difference(names):
        parser.error(f"there are no players in {', '.join(sorted(unknown))}")
    languages = [each for each in LANGUAGES if not chosen.languages or each.folder in chosen.languages]
    lacking = [sentence for language in languages if (sentence := missing(language, version_of(language)))]
    if lacking:
        print("\n".join(lacking), file=sys.stderr)
        return 2
    try:
        for language in languages:
            check(language, chosen.games_only)
    except Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The pages, and how their command lines are run.

A line that begins with "$ " in a fenced block marked `console` is a command; lines behind it that begin with a space
belong to it, any other line is what it prints and is not looked at. The commands of a page run in order in one shell,
in a folder of their own which has `examples` and `proto` as the tree does, with the programs of this environment first
on the PATH.

- A command must end with exit code 0, or with the code that it states itself at its end: `# exit code 1`.
- One that ends with `&` runs until the page is done. The next one waits until it can be connected to.
- Ports 50050 to 50059 stand for any free ones.
- The comment `<!-- run: skip, because REASON -->` in the line before a block keeps its commands from being run.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
COMMAND_PAGES = [ROOT / "README.md", ROOT / "reference_player" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [
    *COMMAND_PAGES,
    ROOT / "proto" / "README.md",
    ROOT / "proto" / "SPECIFICATION.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CODE_OF_CONDUCT.md",
    ROOT / "SECURITY.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CHANGELOG.md",
]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SKIP = re.compile(r"<!-- run: skip, because .+ -->\n\Z")
STATED_CODE = re.compile(r"# exit code (\d+)$")
ADDRESS = re.compile(r"(127\.0\.0\.1|localhost):(\d+)")
FIXED_PORT = re.compile(r"\b5005\d\b")


class Block(NamedTuple):
    """A fenced block: its language, its text, and the number of the line that its text begins with."""

    language: str
    text: str
    line: int
    skipped: bool


class Command(NamedTuple):
    """A command line, the number of its line, and the exit code that it must end with."""

    text: str
    line: int
    code: int

    @property
    def background(self) -> bool:
        return self.text.endswith("&")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> Iterator[Block]:
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start(2)) + 1
        yield Block(found[1], found[2], line, SKIP.search(text, 0, found.start()) is not None)


def commands(text: str) -> list[Command]:
    return [
        command
        for block in blocks(text)
        if block.language == "console" and not block.skipped
        for command in _commands(block)
    ]


def _commands(block: Block) -> Iterator[Command]:
    lines = block.text.splitlines()
    for number, first in enumerate(lines):
        if first.startswith("$ "):
            parts = [first.removeprefix("$ ")]
            for line in lines[number + 1 :]:
                if not line.startswith(" "):
                    break
                parts.append(line)
            text = "\n".join(parts).rstrip()
            stated = STATED_CODE.search(text)
            yield Command(text, block.line + number, int(stated[1]) if stated else 0)


def script(commands: list[Command]) -> str:
    """What a shell is given: it ends with the first command that does not do as its page says."""
    return "\n".join(["trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT", *map(_step, commands)])


def _step(command: Command) -> str:
    shown = f"echo {shlex.quote(f'$ {command.text}')}"
    if command.background:
        return f"{shown}\n{command.text}\n{_waiting(command)}"
    wrong = f"line {command.line}: exit code $code, where the page says {command.code}"
    return f'{shown}\n{command.text}\ncode=$?\nif [ $code != {command.code} ]; then echo "{wrong}"; exit 1; fi'


def _waiting(command: Command) -> str:
    """Waits until what was started can be connected to, or has ended."""
    found = ADDRESS.search(command.text)
    assert found is not None, f"line {command.line}: what runs in the background must name an address"
    connected = f"(exec 3<>/dev/tcp/{found[1]}/{found[2]}) 2>/dev/null"
    ended = f'kill -0 $! 2>/dev/null || {{ echo "line {command.line}: it has ended"; exit 1; }}'
    return f"until {connected}; do {ended}; sleep 0.05; done"


def with_free_ports(text: str) -> str:
    """The text with every fixed port, wherever it stands, replaced by one that is free."""
    with ExitStack() as held:
        free: dict[str, str] = {}
        for port in sorted(set(FIXED_PORT.findall(text))):
            probe = held.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            free[port] = str(probe.getsockname()[1])
    return FIXED_PORT.sub(lambda found: free[found[0]], text)


def run(text: str, folder: Path, environment: dict[str, str], limit_s: float) -> tuple[int, str]:
    """Runs the commands of a page; returns the exit code, 0 where all did as they should, and what was printed."""
    for name in ("examples", "proto"):
        (folder / name).symlink_to(ROOT / name)
    shell = subprocess.Popen(
        ["bash", "-c", script(commands(with_free_ports(text)))],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = shell.communicate(timeout=limit_s)
    except BaseException as error:
        os.killpg(shell.pid, signal.SIGTERM)  # what it waits for, too, and what it has started
        printed, _ = shell.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        return 1, f"{printed}\nnot done after {limit_s:g} s"
    return shell.returncode, printed

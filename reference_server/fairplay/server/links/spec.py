"""The texts that say how players are reached. Commands read them without loading a server."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import lru_cache

from fairplay.server.net.limits import limit_of

NAME = re.compile(rf"(?!\.{{1,2}}$){limit_of('Player.name').pattern}")
"""Names of players and accounts, and ids of tournaments. They become names of files, so "." and ".." are none."""
NAME_ALLOWED = "1 to 64 letters, digits, '-', '_' or '.', not '.' or '..'"
FORMS = "grpc://HOST:PORT, grpcs://HOST:PORT, dial-in:NAME, exec:COMMAND or bot:STRATEGY"
TARGET = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^\s:/]+):(\d{1,5})")


@dataclass(frozen=True, slots=True)
class Spec:
    """How a player is reached: the kind ("grpc", "dial-in", "exec" or "bot") and the text after the colon.

    `secure`: over TLS.
    """

    kind: str
    value: str
    secure: bool = False


@lru_cache(1_024)
def parse_link(text: str) -> Spec:
    """Read a link. Raises ValueError, with a sentence that says what a link looks like, if the text is not one."""
    kind, _, value = text.partition(":")
    secure = kind == "grpcs"
    kind = "grpc" if secure else kind
    if not value or kind not in ("grpc", "dial-in", "exec", "bot"):
        raise ValueError(f"{text!r} is not a way to reach a player: give {FORMS}")
    if kind == "grpc":
        value = value.removeprefix("//")
        match = TARGET.fullmatch(value)
        if match is None or not 0 < int(match[2]) < 65_536:
            raise ValueError(f"{text!r} is not an address: give grpc://HOST:PORT, or grpcs://HOST:PORT for TLS")
    if kind == "exec":
        _check_command(value)
    if kind == "dial-in" and not NAME.fullmatch(value):
        raise ValueError(f"{value!r} is not a name to dial in with: {NAME_ALLOWED}")
    return Spec(kind, value, secure)


def target_of(text: str) -> str:
    """Return the HOST:PORT at which a player serves; "" if the text is no link to one that does."""
    try:
        spec = parse_link(text)
    except ValueError:
        return ""
    return spec.value if spec.kind == "grpc" else ""


def _check_command(command: str) -> None:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command {command!r} cannot be read: {str(error).lower()}") from None
    if not words:
        raise ValueError("exec: needs a command: give exec:COMMAND")

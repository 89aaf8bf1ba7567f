"""A class: the file that says what is played and how programs are started, and where everything else lies."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from fairplay.client.errors import UsageError
from fairplay.client.inputs import find_game
from fairplay.games.kit.files import read_text
from fairplay.terminal.authors.project import EXAMPLES, LINES_COMMANDS, languages
from fairplay.terminal.roster import TimeLimits, check_template, parse_limits, toml_string

SETTINGS = "class.toml"


@dataclass(frozen=True, slots=True)
class Start:
    """How the programs of a language are started: by a file that is handed in, and a template of a command."""

    language: str
    file: str
    """From the folder of the program, e.g. "player.py"."""
    command: str
    """With {path}, which stands for the folder of the program."""


@dataclass(frozen=True, slots=True)
class Class:
    """What a class plays, in which languages, and the folder in which all of it lies."""

    folder: Path
    game: str
    starts: Sequence[Start]
    limits: TimeLimits

    @property
    def programs(self) -> Path:
        """Return the folder of what was handed in."""
        return self.folder / "programs"

    @property
    def certificates(self) -> Path:
        """Return the folder with the table of certificates, and the report of each."""
        return self.folder / "certificates"

    @property
    def roster(self) -> Path:
        """Return the roster of those who are certified."""
        return self.folder / "roster.toml"


def offered_languages(game: str) -> list[str]:
    """Return the languages in which a class can be given a player of a game to begin with."""
    return [*languages(game), *(language for language in LINES_COMMANDS if language != "python")]


def start_of(language: str, game: str) -> Start:
    """Return how the programs of a language are started that began with the project of that language."""
    if language == "python":
        return Start(language, "player.py", "python {path}/player.py")
    if language in EXAMPLES:
        command = EXAMPLES[language].command.replace("@GAME@", game)
        file = next(word for word in command.split() if "/" in word)
        return Start(language, file, command.replace(file, f"{{path}}/{file}"))
    file = LINES_COMMANDS[language].split()[1]
    command = LINES_COMMANDS[language].replace(file, f"{{path}}/{file}")
    return Start(language, file, f"fairplay bridge {game} --lines -- {command}")


def class_text(game: str, starts: Sequence[Start]) -> str:
    """Return the TOML of a class."""
    parts = [
        "# Made by fairplay class new. A program is started by the command of the first file here that is in it.\n"
        "# {path} stands for its folder. A table [limits] is that of the roster.\n"
        f"game = {toml_string(game)}\n"
    ]
    for each in starts:
        values = [("language", each.language), ("file", each.file), ("command", each.command)]
        parts.append("[[program]]\n" + "".join(f"{key} = {toml_string(value)}\n" for key, value in values))
    return "\n".join(parts)


def read_class(folder: Path) -> Class:
    """Return the class in a folder. Raises UsageError if there is none, or something in its file is wrong."""
    file = folder / SETTINGS
    try:
        content = tomllib.loads(read_text(file))
        starts = [_start(table) for table in content["program"]]
        if not starts:
            raise ValueError("it has no [[program]]")
        found = Class(folder, content["game"], starts, parse_limits(content.get("limits", {}), str(file)))
    except OSError as error:
        advice = "fairplay class new makes one; --class says where it is"
        raise UsageError(f"{file} cannot be read: {error.strerror}: {advice}") from None
    except (KeyError, TypeError) as error:
        raise UsageError(f"{file} lacks {str(error)!r}: see what fairplay class new writes") from None
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    find_game(found.game)
    return found


def _start(table: Mapping[str, Any]) -> Start:
    start = Start(table["language"], table["file"], table["command"])
    check_template(start.command)
    path = PurePosixPath(start.file)
    if path.is_absolute() or ".." in path.parts:
        raise ValueError(f"{start.file!r} is no file in the folder of a program")
    return start

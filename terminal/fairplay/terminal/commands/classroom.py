"""Commands for teachers: class new, class collect."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fairplay.terminal.commands.certify import SUITE, CertifyOptions
from fairplay.terminal.commands.options import argument, command, group, option
from fairplay.terminal.commands.parameters import complete_game

app = group(
    """Hand out to a class, and collect what it hands in.

    Example:

    \b
      fairplay class new spring --game q"""
)


@app.command("new")
@command
def new_class(
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    game: Annotated[str, option("GAME", "The game: see fairplay games.", autocompletion=complete_game)],
    languages: Annotated[
        str,
        option(
            "NAMES",
            "The languages of players to begin with, e.g. python,go: python, javascript and sh for every game, "
            "for Fish and Q also go, java, rust, cpp and typescript.",
        ),
    ] = "python",
    package: Annotated[
        Path | None,
        option("FILE", "The wheel of Fairplay for students. Default: the one that is installed here, or it is built."),
    ] = None,
) -> None:
    """Write what the students of a class get, and the file that says how their programs are started.

    DIR/hand-out.zip holds Fairplay, a player to begin with in each language, the rules, and how to certify and hand in.

    Examples:

    \b
      fairplay class new spring --game q
      fairplay class new autumn --game fish --languages python,javascript
    """
    from fairplay.terminal.classroom.handout import HAND_OUT, new_class

    needed = new_class(folder, game, languages, package)
    typer.echo(f"{folder / HAND_OUT} is what students get; it has them run: pip install '{needed}'")
    typer.echo(f"Collect what they hand in: fairplay class collect FOLDER --class {folder}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectOptions:
    """What is collected, for which class, and how it is certified."""

    export: Annotated[
        Path, argument("FOLDER", "A folder with a folder or a zip of each student, as course systems export them.")
    ]
    class_: Annotated[Path, option("DIR", "What fairplay class new made. Default: the current folder.", "--class")] = (
        Path()
    )
    students: Annotated[Path | None, option("FILE", "The names of all students, one a line.")] = None
    all_: Annotated[bool, option("", "List the newest program of who has no certified one, too.", "--all")] = False
    at_once: Annotated[int | None, option("N", "Programs at a time. Default: half the cores.", min=1, max=1024)] = None
    suite: Annotated[Any, SUITE]


@app.command()
@command
def collect(options: CollectOptions) -> int:
    """Collect what a class hands in: unpack it, certify what is new, and list the newest certified program of each.

    Says what is missing, there twice, or of no use. Interrupted, it goes on when it is given again. In DIR,
    certificates/index.html is the table of all, roster.toml those who may play.
    Exit code 1: somebody has no program in the roster.

    Examples:

    \b
      fairplay class collect submissions/ --class course --only contract
      fairplay class collect submissions/ --class course --students names.txt --only contract --all
    """
    from fairplay.terminal.classroom.collect import collect as collect_programs

    judged = CertifyOptions(game="", at_once=options.at_once, suite=options.suite)
    return collect_programs(options.export, options.class_, options.students, judged, all_=options.all_)

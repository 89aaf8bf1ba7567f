"""The commands as entry points, and the extra of the package that each of them needs. Needs no extra itself.

An entry point of the group "fairplay.commands" is a function or a typer.Typer, in a module that loads fast:

    serve = "fairplay.terminal.commands.serve:serve [server]"

The extra in brackets is the one that brings what the command imports when it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec

from fairplay.games.distribution import DISTRIBUTION, lacks_extra

ENTRY_POINTS = "fairplay.commands"
PACKAGE = "fairplay"
OWN_EXTRA = "terminal"
"""What the command line needs to show its help."""


@cache
def commands() -> Mapping[str, EntryPoint]:
    """Return the entry points of the installed commands, by name, not loaded. A name of ours cannot be taken."""
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: (package_of(entry) == DISTRIBUTION, entry.name))
    return {entry.name: entry for entry in found}


def package_of(entry: EntryPoint) -> str:
    """Return the name of the distribution that brings an entry point."""
    return entry.dist.name if entry.dist is not None else ""


def missing_extra(error: ModuleNotFoundError, arguments: Sequence[str]) -> str | None:
    """Return a sentence that names the extra which the command in `arguments` lacks; None if it lacks none.

    The modules of the package itself are always there: a missing one is a mistake in the code.
    """
    if (error.name or PACKAGE).partition(".")[0] == PACKAGE:
        return None
    name = next((argument for argument in arguments if not argument.startswith("-")), "")
    entry = commands().get(name)
    if entry is None:
        return lacks_extra(PACKAGE, OWN_EXTRA)
    return lacks_extra(f"fairplay {name}", entry.extras[0], package_of(entry)) if entry.extras else None


def missing_module(module: str, what: str, extra: str) -> str | None:
    """Return a sentence that names the extra which brings a module, where it is not there; None if it is."""
    try:
        found = find_spec(module)
    except ModuleNotFoundError:  # not even the packages around it are there
        found = None
    return lacks_extra(what, extra) if found is None else None

"""`fairplay formats`."""

from __future__ import annotations

from typing import Annotated

from fairplay.terminal.commands.options import argument, command
from fairplay.terminal.commands.parameters import PlainJson


@command
def formats(
    name: Annotated[str | None, argument("FORMAT", "Only this format.")] = None,
    json: PlainJson = False,
) -> None:
    """Show the formats of tournaments: what they are, and their settings.

    Examples:

    \b
      fairplay formats
      fairplay formats swiss
    """
    from fairplay.terminal.authors.formats import show_formats

    show_formats(name, json)

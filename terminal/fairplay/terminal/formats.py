"""`fairplay formats`."""

from __future__ import annotations

from typing import Annotated

import typer

from fairplay.terminal.outcomes import outcomes
from fairplay.terminal.parameters import PlainJson


def formats(
    name: Annotated[str | None, typer.Argument(metavar="FORMAT", help="Only this format.")] = None,
    json: PlainJson = False,
) -> None:
    """Show the formats of tournaments: what they are, and their settings.

    Examples:

    \b
      fairplay formats
      fairplay formats swiss
    """
    with outcomes():
        from fairplay.terminal.format_catalog import show_formats

        show_formats(name, json)

"""`fairplay protos`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command, option


@command
def protos(
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    stubs: Annotated[
        str | None,
        option(
            "LANGUAGE",
            "Also make stubs in DIR/gen/LANGUAGE: cpp, csharp, dart, go, java, kotlin, python, rust, swift or "
            "typescript.",
        ),
    ] = None,
) -> None:
    """Write the protos into a folder, with all that an author needs who has nothing else of Fairplay.

    Stubs are made with the generators that are installed here; if one is missing, a sentence says what to install.

    Examples:

    \b
      fairplay protos proto
      fairplay protos proto --stubs java
    """
    from fairplay.terminal.authors.protos import check_empty, write_protos
    from fairplay.terminal.authors.stubs import find_generator, write_stubs

    check_empty(folder)
    generator = find_generator(stubs) if stubs is not None else None
    write_protos(folder)
    if generator is not None:
        write_stubs(folder, generator)

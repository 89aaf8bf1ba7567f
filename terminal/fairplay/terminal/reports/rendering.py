"""Templates of pages. Whatever a stranger wrote is escaped, and steers no display."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from fairplay.games.kit.printable import UNPRINTABLE

TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, **values: object) -> str:
    """Return a page: a template of this package with values in it."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_harmless,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _harmless(value: object) -> object:
    """Return what is shown in place of a value: a text without control characters, and nothing for None."""
    if value is None:
        return ""
    return value.translate(UNPRINTABLE) if isinstance(value, str) and not isinstance(value, Markup) else value

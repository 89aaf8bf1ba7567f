"""The distribution that brings Fairplay: the name by which pip knows it, and what to type where an extra is missing."""

from __future__ import annotations

import shlex
import sys

DISTRIBUTION = "fairplay-protocol"
"""The package `fairplay` of the public index is not ours."""


def lacks_extra(what: str, extra: str, distribution: str = DISTRIBUTION) -> str:
    """Return the sentence that says which extra a command or a module needs, and how to install it.

    pip takes the extra from the distribution that is installed here, so this needs no index which has that one.
    """
    return f"{what} needs the extra {extra}: {pip_install(f'{distribution}[{extra}]')}"


def pip_install(requirement: str) -> str:
    """Return the command that installs something where this program runs, whichever pip is first on the PATH."""
    return shlex.join([sys.executable, "-m", "pip", "install", requirement])

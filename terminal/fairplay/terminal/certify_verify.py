"""What `fairplay certificate verify` does."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from fairplay.certificate import Certificate, check
from fairplay.terminal.outcomes import DONE, FAILED, FailedError, UsageError
from fairplay.terminal.printing import say


def verify_certificate(file: Path) -> int:
    """Check a certificate, print what it is worth, and return the exit code. Raises UsageError if it is unreadable."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    try:
        found = check(data)
    except ValueError as error:
        raise FailedError(str(error)) from None
    console = Console(highlight=False)
    say(console, escape(_worth(found)))
    return DONE if found.certified else FAILED


def _worth(found: Certificate) -> str:
    who = f"{found.player or 'a player without a name'}, {found.game}, revision {found.protocol_revision}"
    facts = f"seed {found.seed}, issued {found.issued}"
    if found.certified:
        return f"The certificate is whole: {who} is certified ({facts})."
    why = (
        f"{len(found.unmet)} of the MUST cases are not met, e.g. {found.unmet[0].id}"
        if found.unmet
        else "cases are missing"
    )
    return f"The certificate is whole, but certifies nothing: {who} ({facts}): {why}."

"""What a certificate is worth to whom: `fairplay certificate verify`, and what other commands ask before they go on."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.markup import escape

from fairplay.certificate import MAX_BYTES, Certificate, check
from fairplay.certificate.signing import new_key, public_text, read_key, read_trusted
from fairplay.certificate.terms import profile_sentence
from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.commands.certify import Demands
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, say


@dataclass(frozen=True, slots=True)
class Examined:
    """A certificate that is whole, and what it is worth."""

    certificate: Certificate
    objection: str
    """Why it does not certify what was demanded; empty: it does."""
    signer: str
    """The name under which the key that signed it is trusted; empty if it is not, or nobody was asked for."""

    @property
    def sentence(self) -> str:
        """Return what it is worth."""
        found = self.certificate
        who = f"{found.player or 'a player without a name'}, {found.game}, revision {found.protocol_revision}"
        who += f", profile {found.profile}" if found.profile else ""
        facts = f"seed {found.seed}, issued {found.issued}"
        if not self.objection:
            return f"The certificate is whole: {who} is certified ({facts})."
        return f"The certificate is whole, but certifies nothing: {who} ({facts}): {self.objection}."


def examine(data: bytes, demands: Demands, trusted: Mapping[str, str] | None, program: str = "") -> Examined:
    """Return what a certificate is worth. Raises ValueError, with one sentence, if it is damaged or contradicts itself.

    `trusted`: key -> name of those one of whom must have signed it; None: anybody, or nobody. `program`: the sha256 of
    the program that must be the one that was certified; empty: any.
    """
    found = check(data)
    objection = _objection(found, demands) or _distrust(found, trusted, program)
    return Examined(found, objection, (trusted or {}).get(found.signer, ""))


def read_keys(trusted: Path | None) -> Mapping[str, str] | None:
    """Return the keys of a file, None for none. Raises UsageError if it cannot be read."""
    try:
        return read_trusted(trusted) if trusted is not None else None
    except ValueError as error:
        raise UsageError(str(error)) from None


def examine_file(file: Path, demands: Demands) -> Examined:
    """Return what the certificate in a file is worth.

    Raises UsageError if something cannot be read, FailedError if it is damaged or contradicts itself.
    """
    try:
        data = read_certificate(file)
        program = hashlib.sha256(demands.program.read_bytes()).hexdigest() if demands.program is not None else ""
    except OSError as error:
        raise UsageError(f"{error.filename or file} cannot be read: {error.strerror}") from None
    keys = read_keys(demands.trusted)
    try:
        return examine(data, demands, keys, program)
    except ValueError as error:
        raise FailedError(str(error)) from None


def read_certificate(file: Path) -> bytes:
    """Return the bytes of a file, no more of them than show that it is too long. Raises OSError."""
    with file.open("rb") as opened:
        return opened.read(MAX_BYTES + 1)


def verify_certificate(file: Path, demands: Demands) -> int:
    """Check a certificate, print what it is worth, and return the exit code. Raises what `examine_file` raises."""
    examined, console = examine_file(file, demands), make_console()
    say(console, escape(examined.sentence))
    for fact in _facts(examined):
        say(console, escape(fact))
    return FAILED if examined.objection else DONE


def _objection(found: Certificate, demands: Demands) -> str:
    """Return why a certificate is worth nothing, or ""."""
    if not found.certified:
        few = f"{len(found.unmet)} of the MUST cases are not met, e.g. {found.unmet[0].id}" if found.unmet else ""
        return few or "cases are missing"
    if demands.nonce and found.nonce != demands.nonce:
        return f"it was made with the nonce {found.nonce!r}" if found.nonce else "it was made without a nonce"
    if found.profile not in ("", demands.profile) and not demands.any_profile:
        return f"it is for a profile alone: --profile {found.profile} accepts that"
    if longer := () if demands.any_limits else found.other_limits(longer=True):
        return f"its time limits are longer than the game's ({', '.join(longer)}): --any-limits accepts that"
    return ""


def _distrust(found: Certificate, names: Mapping[str, str] | None, digest: str) -> str:
    """Return why a certificate is not about this program, or not by somebody who is trusted, or ""."""
    if names is not None and not found.signer:
        return "nobody has signed it"
    if names is not None and found.signer not in names:
        return f"the key that signed it, {found.signer}, is not among those that you trust"
    if digest and digest not in {each["sha256"] for each in found.program}:
        return f"it is not about this program, whose sha256 is {digest}"
    return ""


def show_key(file: Path, name: str) -> None:
    """Make a key, unless the file holds one, and print its public part. Raises UsageError if that is impossible."""
    try:
        key = read_key(file) if file.exists() else new_key(file)
    except ValueError as error:
        raise UsageError(str(error)) from None
    sys.stdout.write(f"{public_text(key)} {name}".strip() + "\n")


def _facts(examined: Examined) -> Iterator[str]:
    """Yield what else a reader should know."""
    found = examined.certificate
    if found.signer:
        yield f"Signed by {found.signer}{f', whom you trust as {examined.signer}' if examined.signer else ''}."
    if found.profile:
        yield f"Profile {found.profile}: {profile_sentence(found.game, found.profile)}"
    if other := found.other_limits():
        yield f"Time limits other than the game's: {', '.join(other)}."
    if found.decisions:
        yield f"Decisions judged: {', '.join(f'{count} {name}' for name, count in sorted(found.decisions.items()))}."
    for each in found.program:
        yield f"Program: {each['file']}, sha256 {each['sha256'] or 'unknown: the file could not be read'}."

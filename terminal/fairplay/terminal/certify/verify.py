"""What `fairplay certificate verify` does."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.markup import escape

from fairplay.certificate import Certificate, check
from fairplay.certificate.signing import new_key, public_text, read_key, read_trusted
from fairplay.certificate.terms import profile_sentence
from fairplay.client.errors import FailedError, UsageError
from fairplay.terminal.commands.options import DONE, FAILED
from fairplay.terminal.printing import make_console, say


def verify_certificate(
    file: Path,
    nonce: str = "",
    profile: str = "",
    *,
    any_limits: bool = False,
    trusted: Path | None = None,
    program: Path | None = None,
) -> int:
    """Check a certificate, print what it is worth, and return the exit code. Raises UsageError if it is unreadable.

    `nonce` is the word with which the player was to be certified; empty: any. `profile`: a certificate for this profile
    alone certifies, too; empty: only one for the whole game does. `any_limits`: time limits that are longer than the
    game's certify, too. `trusted`: the file of the keys one of which must have signed it. `program`: the file of the
    program that must be the one that was certified.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    try:
        found = check(data)
    except ValueError as error:
        raise FailedError(str(error)) from None
    try:
        names = read_trusted(trusted) if trusted is not None else None
        digest = hashlib.sha256(program.read_bytes()).hexdigest() if program is not None else ""
    except OSError as error:
        raise UsageError(f"{program} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    console = make_console()
    objection = _objection(found, nonce, profile, any_limits=any_limits) or _distrust(found, names, digest)
    say(console, escape(_worth(found, objection)))
    for fact in _facts(found, names):
        say(console, escape(fact))
    return FAILED if objection else DONE


def _worth(found: Certificate, objection: str) -> str:
    who = f"{found.player or 'a player without a name'}, {found.game}, revision {found.protocol_revision}"
    who += f", profile {found.profile}" if found.profile else ""
    facts = f"seed {found.seed}, issued {found.issued}"
    if not objection:
        return f"The certificate is whole: {who} is certified ({facts})."
    return f"The certificate is whole, but certifies nothing: {who} ({facts}): {objection}."


def _objection(found: Certificate, nonce: str, profile: str, *, any_limits: bool) -> str:
    """Return why a certificate is worth nothing, or ""."""
    if not found.certified:
        few = f"{len(found.unmet)} of the MUST cases are not met, e.g. {found.unmet[0].id}" if found.unmet else ""
        return few or "cases are missing"
    if nonce and found.nonce != nonce:
        return f"it was made with the nonce {found.nonce!r}" if found.nonce else "it was made without a nonce"
    if found.profile not in ("", profile):
        return f"it is for a profile alone: --profile {found.profile} accepts that"
    if longer := () if any_limits else found.other_limits(longer=True):
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


def _facts(found: Certificate, names: Mapping[str, str] | None) -> Iterator[str]:
    """Yield what else a reader should know."""
    if found.signer:
        trusted = f", whom you trust as {names[found.signer]}" if names and found.signer in names else ""
        yield f"Signed by {found.signer}{trusted}."
    if found.profile:
        yield f"Profile {found.profile}: {profile_sentence(found.game, found.profile)}"
    if other := found.other_limits():
        yield f"Time limits other than the game's: {', '.join(other)}."
    if found.decisions:
        yield f"Decisions judged: {', '.join(f'{count} {name}' for name, count in sorted(found.decisions.items()))}."
    for each in found.program:
        yield f"Program: {each['file']}, sha256 {each['sha256'] or 'unknown: the file could not be read'}."

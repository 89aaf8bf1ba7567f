"""What a machine runs out of: nobody's fault, and no verdict. What it stops waits, and goes on later."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from fairplay.player.serving import AddressInUseError
from fairplay.server.net.errors import Refusal
from fairplay.server.records.errors import RecordsUnavailable

RETRY_S = 2.0
"""How long until something that waits for the machine is tried again."""
NUMBERS = {
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.ENOBUFS,
    errno.EAGAIN,
    errno.EIO,
}
STOPPED_BY_MACHINE = ("MACHINE_EXHAUSTED", "RECORDS_UNAVAILABLE")
NO_THREAD = "can't start new thread"


def waiting_for(error: BaseException) -> Refusal | None:
    """Return the refusal for those who ask meanwhile, if the machine or the records cause an error; None otherwise."""
    for each in _causes(error):
        if isinstance(each, Refusal):
            return each if each.is_passing else None
        if isinstance(each, RecordsUnavailable):
            return records_unavailable()
        if lack := _lack(each):
            return exhausted(lack)
    return None


def _lack(error: BaseException) -> str:
    """Return what the machine has too little of, if that is what an error says; empty otherwise."""
    if isinstance(error, MemoryError):
        return os.strerror(errno.ENOMEM)
    if isinstance(error, AddressInUseError) or (isinstance(error, RuntimeError) and NO_THREAD in str(error)):
        return str(error)
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno in NUMBERS else ""


def records_unavailable() -> Refusal:
    """Return the refusal of what needs records that cannot be read or written at the moment."""
    return Refusal("RECORDS_UNAVAILABLE", "the records cannot be read or written; the server's log says more")


def exhausted(lack: str) -> Refusal:
    """Return the refusal of what has to wait for the machine."""
    message = f"the server's machine has run out of something: {lack}; this goes on when there is enough again"
    return Refusal("MACHINE_EXHAUSTED", message, retry_s=RETRY_S)


def check_descriptors() -> None:
    """Raise Refusal if this process can open nothing: then it could not reach a player either."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        if (refusal := waiting_for(error)) is not None:
            raise refusal from None


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)

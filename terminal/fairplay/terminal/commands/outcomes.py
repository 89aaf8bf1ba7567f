"""How commands end: with an exit code, and one clear sentence where something is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from fairplay.client.errors import FailedError, UsageError
from fairplay.games.kit.ending import exit_code
from fairplay.games.kit.printable import harmless_text

DONE, FAILED, USAGE = 0, 1, 2

USAGE_REASONS = (
    "UNKNOWN_GAME",
    "INVALID_SETTINGS",
    "INVALID_PLAYERS",
    "INVALID_FORMAT",
    "FORMAT_DOES_NOT_FIT",
    "INVALID_LINK",
    "INVALID_SECRET",
    "INVALID_STATE",
    "INVALID_TIME_CONTROL",
    "INVALID_ID",
    "INVALID_SIGN_UP",
    "NAME_INVALID",
)


def fail(sentence: str, code: int = FAILED) -> typer.Exit:
    """Print what is wrong to standard error, and return what the command has to raise."""
    sys.stderr.write(f"fairplay: {harmless_text(sentence)}\n")
    return typer.Exit(code)


@contextmanager
def outcomes() -> Iterator[None]:
    """Turn every exception that a person can do something about into a sentence and an exit code."""
    try:
        # Imported here and not above: grpc is slow to load, and help does without it.
        import grpc

        from fairplay.server.net.errors import Refusal, reason_of
        from fairplay.server.records.errors import RecordsError
    except KeyboardInterrupt as interrupt:
        raise _stopped(interrupt) from None
    try:
        yield
    except UsageError as error:
        raise fail(str(error), USAGE) from None
    except Refusal as refusal:
        raise fail(refusal.message, USAGE if refusal.reason in USAGE_REASONS else FAILED) from None
    except grpc.RpcError as error:
        reason = reason_of(error)
        sentence = error.details() or error.code().name
        raise fail(sentence, USAGE if reason in USAGE_REASONS else FAILED) from None
    except (FailedError, RecordsError, OSError) as error:
        raise fail(str(error)) from None
    except KeyboardInterrupt as interrupt:
        raise _stopped(interrupt) from None


def _stopped(interrupt: KeyboardInterrupt) -> typer.Exit:
    return fail("stopped", exit_code(interrupt))

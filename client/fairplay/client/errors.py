"""Errors about which a person can do something, each with one sentence for that person."""

from __future__ import annotations

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
"""The reasons of refusals by a server that whoever typed something can do something about."""


class UsageError(Exception):
    """What was typed makes no sense; the sentence says what to type instead. Exit code 2."""


class FailedError(Exception):
    """What was asked for could not be done; the sentence says why. Exit code 1."""

"""Errors about which a person can do something, each with one sentence for that person."""

from __future__ import annotations


class UsageError(Exception):
    """What was typed makes no sense; the sentence says what to type instead. Exit code 2."""


class FailedError(Exception):
    """What was asked for could not be done; the sentence says why. Exit code 1."""

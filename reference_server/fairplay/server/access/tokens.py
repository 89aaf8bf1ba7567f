"""Tokens, which protect names."""

from __future__ import annotations

import hmac


def same(one: str, other: str) -> bool:
    """Return whether two tokens are the same, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())

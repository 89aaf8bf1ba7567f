"""Tokens: what protects a name."""

from __future__ import annotations

import hmac


def same(one: str, other: str) -> bool:
    """Whether two tokens are the same; how long it takes tells nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())

"""Pages, which all lists of our services share."""

from __future__ import annotations

from fairplay.server.net.errors import Refusal

DEFAULT_PAGE_SIZE = 50
MAX_PAGE_SIZE = 1_000
MAX_CURSOR = 2**63 - 1


def page_size(asked: int) -> int:
    """Return how many rows a page has: what is asked for, within bounds; 0 stands for the default."""
    return min(asked, MAX_PAGE_SIZE) or DEFAULT_PAGE_SIZE


def cursor_of(token: str) -> int | None:
    """Return where a page begins. Raises Refusal if the token is not one of ours."""
    if not token:
        return None
    if not token.isascii() or not token.isdigit() or int(token) > MAX_CURSOR:
        raise Refusal("INVALID_PAGE_TOKEN", "the page token is not one that this method returned", "page_token")
    return int(token)


def token_of(cursor: int | None) -> str:
    """Return the token for the next page; empty if there is none."""
    return "" if cursor is None else str(cursor)

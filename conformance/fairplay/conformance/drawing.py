"""Where hypothesis keeps its files while the suite uses it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis.configuration import set_hypothesis_home_dir


@contextmanager
def elsewhere() -> Iterator[None]:
    """Let hypothesis keep its files in a temporary folder rather than in the current one, and delete them."""
    with tempfile.TemporaryDirectory(prefix="fairplay-") as folder:
        set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            set_hypothesis_home_dir(None)

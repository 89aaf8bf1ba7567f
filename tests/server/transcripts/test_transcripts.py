"""Games with every kind of failure come to what they came to before: see `digests`."""

from __future__ import annotations

import pytest

from tests.server.transcripts.digests import COUNT, GAMES, difference, play
from tests.slow import all_but_first_slow

STEP = 10


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("first", all_but_first_slow(range(0, COUNT, STEP)))
def test_transcripts_are_those_of_before(name: str, first: int) -> None:
    numbers = range(first, first + STEP)
    found = [difference(name, number, entries) for number, entries in zip(numbers, play(name, numbers), strict=True)]
    differing = [each for each in found if each is not None]
    assert not differing, f"{len(differing)} of {STEP} differ; the first of them:\n{differing[0]}"

"""Events with entrants of known strength."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.standings.results import FAILED, Outcome, Results


def played(count: int, *outcomes: Outcome) -> Results:
    """Return the results of these games between `count` entrants."""
    results = Results(count)
    results.extend(outcomes)
    return results


def game(*groups: Sequence[int] | int, failed: Sequence[int] = (), deal: int = 0) -> Outcome:
    """Return a game with these groups of entrants, best first, and then those who failed."""
    entrants: list[int] = []
    places: list[int] = []
    for group in groups:
        members = [group] if isinstance(group, int) else list(group)
        places += [len(entrants) + 1] * len(members)
        entrants += members
    places += [FAILED] * len(failed)
    entrants += failed
    scores = [max(0, 10 - place) for place in places]
    return Outcome(entrants, places, scores, deal)

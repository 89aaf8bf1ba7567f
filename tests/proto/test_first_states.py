"""What is said of a first state that is refused stands in the specification."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fairplay.conformance.servers.cases.unsound import draw_unsound_states
from fairplay.games.game import find

SPECIFICATION = Path(__file__).parents[2] / "proto" / "SPECIFICATION.md"


def reasons(title: str) -> list[re.Pattern[str]]:
    """Return the patterns of the sentences that the specification has of a game, in which … stands for a value."""
    text = SPECIFICATION.read_text("utf-8").partition(f"\n### First states of {title}\n")[2]
    rows = re.findall(r"^\| ([^|]+\.) \| [^|]*\|$", re.split(r"\n##", text)[0], re.MULTILINE)
    return [re.compile(".+".join(map(re.escape, row.split("…")))) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fish", "q", "bazaar", "eriantys", "webset"])
def test_a_first_state_is_refused_for_a_reason_of_the_specification(name: str) -> None:
    known, refused = reasons(find(name).title), draw_unsound_states(name)
    said = {each.problem for each in refused}
    assert len(said) > 10
    assert [each for each in sorted(said) if not any(reason.fullmatch(each) for reason in known)] == []

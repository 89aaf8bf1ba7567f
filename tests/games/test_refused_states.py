"""States that no game can have are refused, each for the reason that is kept for it in `refused_states.txt`.

They are states of real games with one value changed. A line has the game and the field, for a number the smallest step
that is too far, and the sentence, with dots for numbers and colours. `python -m tests.games.test_refused_states` writes
the file anew, which is right only where a change is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message

from fairplay.conformance.servers.cases.unsound import changes
from fairplay.games.game import find
from fairplay.games.steps import Call, Outcome, Show
from fairplay.v1.misconduct_pb2 import CallError
from tests.games.test_seats import GAMES, asked, played

KEPT = Path(__file__).with_name("refused_states.txt")
VARIES = re.compile(
    r"-?\d[\d,]*(?:star)?|\b(?:red|orange|yellow|green|blue|purple|pink)\b|\b(?:star|square|circle|clover|diamond)\b"
    r"|TOWER_COLOR_\w+"
)
"""What differs between sentences of one kind."""
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "fish": [{}],
    "q": [{"copies_per_kind": 1}, {"copies_per_kind": 1, "hand_size": 1}],
    "bazaar": [{}, {"cards_total": 6, "equations": 4}],
    "eriantys": [
        {"characters": [5, 1, 7]},
        {"characters": [5, 4, 10], "no_entry_stack": False},
        {"mode": "MODE_BASIC"},
    ],
    "webset": [
        {"more_rule": "MORE_RULE_ALL_AGREE", "locked_until_change": True, "act_cap": 20},
        {"profile": "PROFILE_SEED"},
        {"selection": "SELECTION_SINGLE"},
        {"rounds": "ROUNDS_PUZZLE"},
    ],
}
"""Settings under which different things can be wrong."""
LOST_IN = 9
"""In which of its calls one of the players is lost."""
SHARES = 7
"""So many states of a game are as far from each other, beside the last one."""


def positions(name: str) -> Iterator[tuple[Message, Message]]:
    """Yield settings and full states of games in which one player is lost: the beginning, the end, and between."""
    game = find(name)
    for chosen in SETTINGS[name]:
        counts, sound = {"calls": 0}, asked(game, "random")

        def answer(call: Call, sound: Any = sound, counts: dict[str, int] = counts) -> Any:
            counts["calls"] += call.seat == 1
            return CallError() if call.seat == 1 and counts["calls"] == LOST_IN else sound(call)

        steps = [step for step in played(name, answer, **chosen) if not isinstance(step, Outcome)]
        states = [step.state for step, _ in steps if isinstance(step, Show)]
        settings = game.full_settings(game.settings_type(**(GAMES[name] | chosen)))
        for state in (*states[:: 1 + len(states) // SHARES], states[-1]):
            yield settings, game.full_state(state)


def refused(name: str) -> list[str]:
    """Return what is refused in the states of a game, and why, a line each."""
    nearest: dict[tuple[str, bool, str], int] = {}
    for settings, state in positions(name):
        for change in changes(state):
            try:
                find(name).check_state(settings, change.message)
            except ValueError as error:
                key = change.field, change.step > 0, VARIES.sub("…", str(error))
                nearest[key] = min(nearest.get(key, abs(change.step)), abs(change.step))
    return sorted(
        f"{name} {field}{f' {step if above else -step:+}' if step else ''}: {sentence}"
        for (field, above, sentence), step in nearest.items()
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_state_that_no_game_can_have_is_refused_for_its_reason(name: str) -> None:
    kept = [line for line in KEPT.read_text("utf-8").splitlines() if line.startswith(f"{name} ")]
    assert refused(name) == kept


if __name__ == "__main__":
    KEPT.write_text("".join(f"{line}\n" for name in GAMES for line in refused(name)), "utf-8")

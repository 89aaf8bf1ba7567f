"""The long run says how each step has ended, and what this machine lacks."""

from __future__ import annotations

import sys

from tools.all_checks import FOLDER, Step, run_step


def test_a_step_passes_fails_or_lacks_something_and_leaves_what_it_printed() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    assert run_step(Step("try", (sys.executable, "-c", "print('done')"))).outcome == "passed"
    assert (FOLDER / "try.log").read_text() == "done\n"
    assert run_step(Step("try", ("false",))).outcome == "FAILED"
    assert run_step(Step("try", ("true",), ("no-such-program",))).outcome == "MISSING no-such-program"

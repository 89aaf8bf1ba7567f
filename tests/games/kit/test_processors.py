"""How many processors this process may use."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SAY = "from fairplay.games.kit.processors import processors; print(processors())"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system gives all processors to all processes")
def test_processors_that_this_process_may_not_use_do_not_count() -> None:
    restricted = f"import os; os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}}); {SAY}"
    assert subprocess.check_output([sys.executable, "-c", restricted], text=True) == "1\n"

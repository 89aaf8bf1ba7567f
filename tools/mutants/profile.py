"""A pytest plugin for runs on mutants: hypothesis tries the same examples each time, and does not shrink what fails."""

from __future__ import annotations

from hypothesis import Phase, settings

settings.register_profile(
    "mutants", deadline=None, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate)
)

"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fairplay", deadline=None)  # machines are busy at times, which is nobody's fault
settings.load_profile("fairplay")

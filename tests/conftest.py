"""What holds for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("fairplay", deadline=None)  # machines are busy at times, which is nobody's fault
settings.load_profile("fairplay")

# The same with bubblewrap and without it: what tests of sandboxes need, they say themselves.
os.environ["FAIRPLAY_SANDBOX"] = "off"

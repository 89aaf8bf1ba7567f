"""What tests of the sandbox share: the sandbox of this machine, or what is missing."""

from __future__ import annotations

import pytest

from fairplay.sandbox.bubblewrap import Sandbox, SandboxMissingError, find_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return find_sandbox()
    except SandboxMissingError as missing:
        pytest.skip(f"not tried, because {missing} (tests/sandbox/test_guard.py tries limits without a sandbox)")

"""Whatever its seed, a walk of people at tables asks for everything, and for each reason is refused once."""

from __future__ import annotations

import itertools

import pytest

from fairplay.conformance.servers.lobby_walk import ASKED_BY_USERS, Walk

REFUSALS = {
    "Enter": {"NAME_TAKEN", "WRONG_TOKEN", "NAME_INVALID"},
    "Rename": {"NAME_TAKEN", "NAME_INVALID", "SEATED"},
    "CreateTable": {"NAME_TAKEN", "NAME_INVALID", "SEATED"},
    "WatchTable": {"TABLE_NOT_FOUND", "SEATED"},
    "JoinTable": {
        "TABLE_NOT_FOUND",
        "NOT_AT_TABLE",
        "TABLE_RUNNING",
        "TABLE_FULL",
        "NOT_DIALLED_IN",
        "SEATED",
        "INVALID_LINK",
        "WRONG_TOKEN",
    },
    "SetBots": {"NOT_AT_TABLE", "NOT_SEATED", "TABLE_RUNNING", "INVALID_LINK"},
    "SetReady": {"NOT_SEATED", "TABLE_RUNNING"},
    "DeleteTable": {"TABLE_NOT_FOUND", "NOT_OWNER", "TABLE_RUNNING"},
    "StartTable": {"NOT_SEATED", "TABLE_RUNNING", "TOO_FEW_SEATS"},
    "Say": {"NOT_AT_TABLE", "TEXT_INVALID"},
}
"""Each method -> reasons for which a request may be refused that has no other fault."""


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_asks_for_everything(seed: int) -> None:
    names = (f"name-{number}" for number in itertools.count())
    walk = Walk(seed, lambda: next(names), range(2, 5), ["bot:first", "bot:random"])
    asked = set()
    for step in walk.steps(120):
        step.person.token = step.person.name
        asked.add((step.method, step.reason))
    due = {(method, reason) for method, reasons in REFUSALS.items() for reason in reasons}
    due |= {(method, "UNKNOWN_USER") for method in ASKED_BY_USERS}
    due |= {(method, "") for method in ("Enter", *ASKED_BY_USERS) if method not in ("Attend", "ListTables")}
    assert due <= asked

"""Records as people check them."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.server.manager.history import check_tournament
from fairplay.server.records.verify import CHECKS, verify
from fairplay.v1.record_pb2 import Record

ALL_CHECKS = {**CHECKS, "tournament": check_tournament}


def check_record(record: Record) -> Sequence[str]:
    """Return what is wrong with a whole record, a sentence each; nothing if it is intact and replays to its end."""
    return [str(finding) for finding in verify(record, finished=True, checks=ALL_CHECKS)]

"""What was sent in an attack, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_GROWTH_MIB = 256.0
MAX_RECORD_BYTES = 128 * 1024
"""The most that a game adds to the records, whatever its players send."""


@dataclass(slots=True)
class Report:
    """What was sent, and what it did to the server."""

    frame_count: int = 0
    call_count: int = 0
    sent_bytes: int = 0
    game_count: int = 0
    failed_game_count: int = 0
    entrant_game_count: int = 0
    """Games of players that dial in and mean harm."""
    stolen_count: int = 0
    """How often somebody else was welcome under the name of the neighbour's player."""
    slowest_check_ms: float = 0.0
    memory_before_mib: float = 0.0
    memory_after_mib: float = 0.0
    record_bytes: int = 0
    log_bytes: int = 0
    statuses: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether the server has stood it: it served, failed nobody's game, kept names apart and did not grow."""
        grown = self.memory_after_mib - self.memory_before_mib
        recorded = self.record_bytes <= MAX_RECORD_BYTES * (self.game_count + self.entrant_game_count)
        harmed = self.failed_game_count or self.stolen_count
        return bool(self.game_count) and not harmed and recorded and grown < MAX_GROWTH_MIB

    def count_status(self, status: str) -> None:
        """Count how a call or a stream ended."""
        self.statuses[status] = self.statuses.get(status, 0) + 1

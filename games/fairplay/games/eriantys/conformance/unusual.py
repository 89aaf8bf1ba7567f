"""The settings of Eriantys that the suite tries away from their defaults: each character is in play somewhere."""

from __future__ import annotations

SETTINGS_VALUES = {
    "characters": ((1, 2, 3), (4, 5, 6), (9, 8, 7), (12, 10, 11), (5, 7, 10)),
    "mn_island": (1, 11),
    "max_attempts": (1, 100),
}

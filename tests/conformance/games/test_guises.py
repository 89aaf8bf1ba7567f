"""What games are dressed in: only what every way to a player carries."""

from __future__ import annotations

from fairplay.conformance import case_ids
from fairplay.conformance.games.guises import each_value


def test_values_of_metadata_are_such_as_http_carries() -> None:
    found = [guise.value("metadata") for guise in each_value(case_ids.METADATA)]
    values = [value for metadata in found for value in metadata.values()]
    assert values
    assert values == [value.strip(" ") for value in values]

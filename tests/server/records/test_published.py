from __future__ import annotations

from collections.abc import Callable

import pytest

from fairplay.server.records.chain import chained, first_broken, parsed
from fairplay.server.records.published import parts, published
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import (
    GameHeader,
    LinkedEntry,
    Record,
    RecordedJoin,
    RecordEntry,
    Resumed,
    TournamentChange,
    TournamentEntrants,
    TournamentHeader,
)
from fairplay.v1.referee_pb2 import GamePlan
from fairplay.v1.tournament_pb2 import Examination, TournamentPlan


def entry_of(size: int) -> LinkedEntry:
    """Return an entry that counts as so many bytes of a part: 16 more than it has."""
    entry = LinkedEntry(entry=b"x" * (size - 16))
    entry.entry = entry.entry[: len(entry.entry) - (entry.ByteSize() + 16 - size)]
    assert entry.ByteSize() + 16 == size
    return entry


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [
        ([500_000, 500_001], [1, 1]),
        ([1_000_001, 1_000, 999_000, 1_000], [1, 2, 1]),
        ([400_000, 700_000, 400_000, 200_000], [1, 1, 2]),
    ],
)
def test_as_many_entries_come_together_as_fit(sizes: list[int], counts: list[int]) -> None:
    record = Record(entries=map(entry_of, sizes))
    found = list(parts(record))
    assert [len(part) for part in found] == counts
    assert [entry for part in found for entry in part] == list(record.entries)


@pytest.mark.parametrize(
    "make",
    [
        lambda ann, bob: RecordEntry(game=GameHeader(game_id="g", plan=GamePlan(players=[ann, bob]))),
        lambda ann, bob: RecordEntry(tournament=TournamentHeader(plan=TournamentPlan(entrants=[ann, bob]))),
        lambda ann, bob: RecordEntry(joined=RecordedJoin(seat=2, player=bob)),
        lambda ann, bob: RecordEntry(change=TournamentChange(signed_up=ann)),
        lambda ann, bob: RecordEntry(change=TournamentChange(started=TournamentEntrants(entrants=[ann, bob]))),
        lambda ann, bob: RecordEntry(change=TournamentChange(examination=Examination(player=ann))),
    ],
)
def test_the_links_of_players_are_left_out_and_nothing_else(make: Callable[[Player, Player], RecordEntry]) -> None:
    kept = make(Player(name="ann", link="grpc://ann:1"), Player(name="bob", link="dial-in:bob"))
    shown = make(Player(name="ann"), Player(name="bob"))
    record = published(chained([kept.SerializeToString()]))
    assert list(parsed(record)) == [shown]
    assert first_broken(record.entries) is None


def test_an_entry_that_names_no_links_stays_as_it_was_written() -> None:
    unusual = RecordEntry(resumed=Resumed(server_version="1")).SerializeToString() * 2  # one message twice is that one
    assert published(chained([unusual])) == chained([unusual])

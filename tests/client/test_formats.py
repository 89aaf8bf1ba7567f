"""Formats as they are typed and shown."""

from __future__ import annotations

import pytest

from fairplay.client.errors import UsageError
from fairplay.client.formats import format_text, parse_format
from fairplay.games.game import find
from fairplay.v1.tournament_pb2 import (
    DoubleElimination,
    Gauntlet,
    Knockout,
    Ladder,
    RoundRobin,
    Stage,
    Stages,
    Swiss,
    TournamentFormat,
)

TYPED = {
    "knockout": TournamentFormat(knockout=Knockout()),
    "double-elimination games=4": TournamentFormat(double_elimination=DoubleElimination(games_per_match=4)),
    "round-robin seats=3 cycles=2": TournamentFormat(round_robin=RoundRobin(seat_count=3, cycle_count=2)),
    "gauntlet challengers=ann+bob meetings=2": TournamentFormat(
        gauntlet=Gauntlet(challengers=["ann", "bob"], meeting_count=2)
    ),
    "ladder precision=40 game-limit=900": TournamentFormat(ladder=Ladder(precision=40, game_limit=900)),
    "swiss rounds=7 top=8, knockout games=4": TournamentFormat(
        stages=Stages(
            stages=[
                Stage(format=TournamentFormat(swiss=Swiss(round_count=7)), top_count=8),
                Stage(format=TournamentFormat(knockout=Knockout(games_per_match=4))),
            ]
        )
    ),
}


def test_a_format_is_read_and_shown_as_it_is_typed() -> None:
    for text, typed in TYPED.items():
        found = parse_format(text)
        assert found == typed
        assert format_text(found, find("fish").seats) == text


def test_the_names_of_fields_serve_too() -> None:
    assert parse_format("swiss round_count=7") == parse_format("swiss rounds=7")
    assert parse_format("knockout end-failure-is-failure=false").knockout.end_failure_is_failure is False


def test_what_is_no_format_is_one_sentence() -> None:
    for text, sentence in [
        ("siwss", "there is no format 'siwss': did you mean swiss?"),
        ("custom", "there is no format 'custom'"),
        ("stages", "there is no format 'stages'"),
        ("", "--format '' has an empty stage"),
        ("swiss,", "--format 'swiss,' has an empty stage"),
        ("swiss rounds", "--format: 'rounds' is no setting: give KEY=VALUE"),
        ("swiss rounds=", "--format: 'rounds=' is no setting"),
        ("swiss rounds=x", "--format: rounds=x is not a whole number"),
        ("swiss rounds=-1", "--format: rounds=-1 is not a whole number"),
        ("swiss rounds=4294967296", "--format: rounds=4294967296 is not a whole number"),
        ("swiss laps=3", "the format swiss has no setting 'laps': it has rounds, seats"),
        ("knockout end-failure-is-failure=1", "--format: end-failure-is-failure=1: end-failure-is-failure is true or"),
        ("swiss top=8", "--format 'swiss top=8': top is for stages"),
        ("swiss, knockout", "--format 'swiss, knockout': say how many of each stage enter the next one"),
        ("swiss top=8, knockout top=2", "--format 'swiss top=8, knockout top=2': nobody goes on from the last stage"),
    ]:
        with pytest.raises(UsageError) as found:
            parse_format(text)
        assert str(found.value).startswith(sentence)

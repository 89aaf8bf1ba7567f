"""An attack of seconds: random requests and HTTP/2 frames, while a neighbour plays."""

from __future__ import annotations

import pytest

from tools.fuzz.__main__ import fuzz


def test_a_server_stands_what_no_sound_caller_sends() -> None:
    report = fuzz(frames=1_000, limit_s=30.0, seed=3)
    assert report.sound, report
    assert report.frame_count >= 1_000
    assert report.problem_bytes < 10_000


@pytest.mark.slow
def test_the_dial_in_side_stands_strangers_and_entrants_and_costs_no_name_and_no_game() -> None:
    report = fuzz(frames=150, limit_s=30.0, seed=3, target="dial-in")
    assert report.sound, report
    assert report.frame_count >= 150
    assert report.entrant_game_count > 0
    assert report.problem_bytes < 10_000


@pytest.mark.slow
def test_the_address_for_players_stands_what_no_sound_caller_sends() -> None:
    report = fuzz(frames=1_000, limit_s=30.0, seed=3, target="players")
    assert report.sound, report
    assert report.frame_count >= 1_000
    assert report.problem_bytes < 10_000


@pytest.mark.slow
def test_a_player_that_serves_stands_what_no_server_sends_and_plays_on() -> None:
    report = fuzz(frames=1_000, limit_s=30.0, seed=3, target="player")
    assert report.sound, report
    assert report.frame_count >= 1_000

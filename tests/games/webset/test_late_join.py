"""Players of Webset who join a race that goes on."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from fairplay.games.game import find
from fairplay.games.steps import Joined
from fairplay.games.webset import rules
from fairplay.games.webset.rules import invariants
from fairplay.games.webset.rules.cards import format_card
from fairplay.games.webset.rules.settings import settings_of
from fairplay.games.webset.rules.state import Act, State, Word, solutions
from fairplay.webset.v1 import webset_pb2, webset_player_pb2
from tests.games.webset.tables import CALL, Play, answered, cards, fresh


def begun(seat_count: int = 2, **chosen: Any) -> State:
    """Return a game whose deck is not shuffled, which players may join."""
    return fresh(seat_count, late_join=True, **chosen)


def test_who_joins_in_the_moment_in_which_the_game_ends_is_told_both() -> None:
    play = Play(begun(1, act_cap=10, more_rule="anyone"))
    while play.state.act_count < 9:
        play.set_by(0, play_next_set(play))
    play.arrive((0, answered(CALL)))
    play.arrive((0, cards(play_next_set(play))), (1, Joined()))
    play.arrive((1, webset_player_pb2.DealResponse()))
    assert [call.method.name for call in play.sent if call.seat == 1] == ["Deal", "GameOver"]
    assert play.ranking() == [[(0, 10)], [(1, 0)]]


def play_next_set(play: Play) -> str:
    return " ".join(format_card(card) for card in solutions(play.state)[0])


@pytest.mark.parametrize(
    ("chosen", "seat_count", "next_seat"),
    [({}, 2, 2), ({}, 8, None), ({"late_join": False}, 2, None), ({"rounds": "lot"}, 2, None)],
)
def test_there_is_room_for_eight_where_the_settings_let_players_join(
    chosen: dict[str, Any], seat_count: int, next_seat: int | None
) -> None:
    settings = settings_of(**{"late_join": True, **chosen})
    state = rules.initial(settings, seat_count, Random(1))
    assert rules.next_seat(state) == next_seat
    assert rules.next_seat(rules.stop(state)) is None


def test_the_votes_of_others_stay_and_those_who_join_have_one_too() -> None:
    state = begun(more_rule="all_agree")
    state = rules.carry_out(state, Act(0, Word.MORE)).state
    joined = rules.join(state)
    assert invariants.invariant(joined) is None
    assert (joined.votes, joined.table, joined.revision) == ((0,), state.table, state.revision + 1)
    joined = rules.carry_out(joined, Act(1, Word.MORE)).state
    assert joined.table == state.table
    assert rules.carry_out(joined, Act(2, Word.MORE)).state.table != state.table


def test_a_table_knows_from_the_settings_whether_players_may_join_late() -> None:
    def late(**chosen: Any) -> bool:
        return find("webset").may_join_late(webset_pb2.Settings(**chosen))

    assert not late()
    assert late(late_join=True)
    assert late(profile=webset_pb2.PROFILE_SEED)
    assert not late(late_join=True, rounds=webset_pb2.ROUNDS_PUZZLE)
    assert not find("fish").may_join_late(find("fish").settings_type())

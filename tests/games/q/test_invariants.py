"""What no game of Q can be like, by the smallest change that breaks it, and what one can just be like."""

from __future__ import annotations

import pytest

from fairplay.games.q import rules
from fairplay.games.q.rules import Settings, State
from fairplay.games.q.rules.board import FARTHEST, Board
from tests.games.q.playing import table, tile, tiles

SOUND = table("red square, blue star", "green star", pile="red clover")
OVER = SOUND._replace(mover=None, top=5, points=(5, 3))
STOPPING = Settings(lone_survivor="stop")


def map_of(*places: tuple[int, int]) -> Board:
    return Board(dict.fromkeys(places, tile("red star")))


@pytest.mark.parametrize(
    "state",
    [
        SOUND,
        OVER,
        table("red star", "", "", ""),
        SOUND._replace(revision=0, points=(0, 0)),
        SOUND._replace(pile=(tile("red star"),) * 29),
        SOUND._replace(pile=(35,)),
        SOUND._replace(board=map_of((FARTHEST, FARTHEST))),
        SOUND._replace(board=map_of((-FARTHEST, -FARTHEST))),
        SOUND._replace(hands=((), (1,)), eliminated=(0,), mover=1),
        OVER._replace(points=(5, 5), finisher=None),
        OVER._replace(hands=((), ()), finisher=0),
        OVER._replace(hands=((), ()), finisher=1),
        OVER._replace(hands=((), ()), eliminated=(0, 1), top=None),
        OVER._replace(hands=((), ()), eliminated=(0, 1), points=(0, 0), top=0),
        SOUND._replace(delivery=rules.Delivery(0, tiles("red square"))),
    ],
)
def test_what_a_game_can_just_be_like_is_sound(state: State) -> None:
    assert rules.invariant(state) is None


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (table("red star", "", "", "", "red star"), "not by 5"),
        (SOUND._replace(points=(0,)), "2 hands and 1 scores"),
        (SOUND._replace(points=(-1, 0)), "The revision is 0 to"),
        (SOUND._replace(revision=-1), "The revision is 0 to"),
        (SOUND._replace(eliminated=(2,)), "Each eliminated seat"),
        (SOUND._replace(eliminated=(-1,)), "Each eliminated seat"),
        (SOUND._replace(hands=((), (1,)), eliminated=(0, 0), mover=1), "Each eliminated seat"),
        (SOUND._replace(pile=(-1,)), "There is no tile -1"),
        (SOUND._replace(lost=(36,)), "There is no tile 36"),
        (SOUND._replace(hands=((36,), ())), "There is no tile 36"),
        (SOUND._replace(pile=(tile("red star"),) * 30), "There are 31 red star tiles of 30"),
        (SOUND._replace(lost=(tile("red star"),) * 30), "There are 31 red star tiles of 30"),
        (SOUND._replace(board=map_of((FARTHEST + 1, 0))), "1000000"),
        (SOUND._replace(board=map_of((0, -FARTHEST - 1))), "1000000"),
        (SOUND._replace(board=map_of((0, 0), (1, 1))), "hang together"),
        (SOUND._replace(mover=-1), "Seat -1"),
        (SOUND._replace(hands=((), (1,)), eliminated=(0,), mover=0), "Seat 0"),
        (SOUND._replace(finisher=0), "Only a game that is over"),
        (SOUND._replace(top=0), "Only a game that is over"),
        (OVER._replace(top=None), "must say its best score"),
        (OVER._replace(top=4), "has 5 points, more than the best score 4"),
        (OVER._replace(hands=((), ()), finisher=2), "has placed all its tiles"),
        (OVER._replace(hands=((), ()), finisher=-1), "has placed all its tiles"),
        (OVER._replace(delivery=rules.Delivery(2, ())), "cannot be delivered"),
        (SOUND._replace(delivery=rules.Delivery(0, tiles("blue star"))), "at the front"),
        (SOUND._replace(settings=STOPPING, hands=((), (1,)), eliminated=(0,), mover=1), "a single player is left"),
    ],
)
def test_what_no_game_can_be_like_is_named(state: State, word: str) -> None:
    assert word in (rules.invariant(state) or "")

"""`fairplay records ask`: a recorded call that is put to a player again."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.terminal.running import Run, done

PLAYER = """
import os, sys
from fairplay.fish.v1.fish_pb2 import Action
from fairplay.fish.v1.fish_player_pb2 import TakeTurnResponse
from fairplay.games.game import find
from fairplay.player import serve

first = find("fish").player("first")


class Player:
    game = "fish"

    def play_as(self, request): ...

    def play_with(self, request): ...

    def setup(self, request):
        print("asked to place")
        return first.setup(request)

    def take_turn(self, request):
        print("asked to move", flush=True)
        match sys.argv[1]:
            case "cheat":
                return TakeTurnResponse(action=Action(source=0, target=0))
            case "raise":
                raise RuntimeError("lost my fish")
            case "die":
                os._exit(3)
        return first.take_turn(request)


serve(Player(), os.environ["FAIRPLAY_LISTEN"])
"""


@pytest.fixture
def kept(fairplay: Run, tmp_path: Path) -> str:
    """The place of a record: of the player first in seat 0, which is called to move in call 13 for the first time."""
    (tmp_path / "player.py").write_text(PLAYER)
    done(fairplay("game", "fish", "-p", "me=bot:first", "-p", "bot:random", "--seed", "1", "--records", "kept"))
    return "kept"


def exec_player(how: str) -> str:
    return f"exec:{sys.executable} player.py {how}"


def test_a_call_is_put_to_a_player_again_with_the_board_and_what_is_legal(fairplay: Run, kept: str) -> None:
    shown = done(fairplay("records", "ask", kept, "fish", "--call", "13", "bot:first"))
    assert "call 13, TakeTurn to 0 me" in shown
    assert "the board before the call" in shown
    assert "the reply in the record is the same" in shown
    assert re.search(r"\nlegal\nlegal replies: \d+.*\n +action \{", shown)


def test_another_reply_is_shown_beside_that_of_the_record(fairplay: Run, kept: str) -> None:
    shown = done(fairplay("records", "ask", kept, "fish", "--call", "13", "bot:random:seed=3"))
    assert "in the record: action {" in shown
    assert "\nlegal\n" in shown


def test_a_reply_that_breaks_a_rule_is_told_with_the_rule_and_what_would_be_legal(fairplay: Run, kept: str) -> None:
    ran = fairplay("records", "ask", kept, "fish", "--call", "13", exec_player("cheat"))
    assert (ran.code, ran.err) == (1, "")
    assert "not legal: rule violation" in ran.out
    assert "rule: fish.move.not-stay" in ran.out
    assert "legal replies: " in ran.out


def test_calls_before_it_are_put_to_the_player_where_that_is_asked(fairplay: Run, kept: str) -> None:
    for first, count in (("13", 0), ("11", 1), ("1", 4)):
        shown = done(fairplay("records", "ask", kept, "fish", "--call", "13", "--from", first, exec_player("honestly")))
        assert shown.count("asked to place") == count
        assert shown.count("asked to move") == 1


def test_a_player_that_fails_is_shown_with_what_it_has_written(fairplay: Run, kept: str) -> None:
    ran = fairplay("records", "ask", kept, "fish", "--call", "13", exec_player("raise"))
    assert ran.code == 1
    assert "the call failed: status 2: RuntimeError: lost my fish" in ran.out
    assert 'raise RuntimeError("lost my fish")' in ran.out
    ran = fairplay("records", "ask", kept, "fish", "--call", "13", exec_player("die"))
    assert ran.code == 1
    assert "the player's process ended with exit code 3" in ran.out
    assert "asked to move" in ran.out
    ran = fairplay("records", "ask", kept, "fish", "--call", "17", "--from", "1", exec_player("raise"))
    assert ran.code == 1
    assert "in call 13 already, before call 17, the player failed: " in ran.err


def test_a_reply_that_only_costs_points_is_not_legal_either(fairplay: Run) -> None:
    done(fairplay("game", "webset", "-p", "bot:first", "-p", "bot:first", "--seed", "1", "--records", "webset"))
    wrong = f"exec:{sys.executable} -m fairplay.conformance.zoo webset acts-unknown"
    done(fairplay("records", "ask", "webset", "webset", "--call", "3", "bot:first"))
    ran = fairplay("records", "ask", "webset", "webset", "--call", "3", wrong)
    assert ran.code == 1
    assert "not legal: rule violation" in ran.out


def test_a_file_with_one_game_needs_no_id(fairplay: Run, kept: str) -> None:
    done(fairplay("records", "export", kept, "fish", "-o", "game.fairplay"))
    assert "\nlegal\n" in done(fairplay("records", "ask", "game.fairplay", "--call", "13", "bot:first"))


def test_what_cannot_be_meant_is_said_in_one_sentence(fairplay: Run, kept: str) -> None:
    bots = ("-p", "bot:first", "-p", "bot:greedy")
    done(fairplay("tournament", "fish", *bots, "--seed", "1", "--records", "cup"))
    for arguments, code, words in [
        ((kept, "fish", "--call", "99", "bot:first"), 2, "there is no call 99: the game has"),
        ((kept, "fish", "--call", "99", "bot:first"), 2, " to me, "),
        ((kept, "fish", "--call", "3", "--from", "4", "bot:first"), 2, "--from 4 comes after --call 3"),
        ((kept, "fish", "--call", "3", "bot:clever"), 2, "There is no strategy 'clever'"),
        ((kept, "fish", "--call", "3", "my-player"), 2, "is not a way to reach a player"),
        ((kept, "q", "--call", "3", "bot:first"), 2, "no game, tournament or table 'q'"),
        (("cup", "fish", "--call", "1", "bot:first"), 2, "/r1g1"),
        ((kept, "fish", "--call", "3", "exec:false"), 1, "the player is not there: the player's process ended"),
        ((kept, "fish", "--call", "3", f"exec:{sys.executable} -m fairplay.terminal player q"), 1, "the player serves"),
    ]:
        ran = fairplay("records", "ask", *arguments)
        assert ran.code == code, ran
        assert words in ran.err

"""Programs that speak lines of JSON: they play, and the first mistakes that people make are each said in a sentence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fairplay.bridge.lines import LinesPlayer, read_answer, to_json
from fairplay.games.game import find
from fairplay.player.handlers import CallFailed
from fairplay.terminal.authors.project import LINES_COMMANDS, write_lines
from tests.bridge.playing import play

GAMES = ("bazaar", "eriantys", "fish", "q", "webset")
STUDENT = """
import json, sys, time
calls = 0
for line in sys.stdin:
    call = json.loads(line)
    calls += 1
    wrong = calls == 3
    answer = json.dumps({"response": {}})
    %s
    print(answer, flush=True)
"""


@asynccontextmanager
async def answering(*command: str, game: str = "fish") -> AsyncIterator[LinesPlayer]:
    """Yield a player in lines of JSON whose program has its output buffered, as is usual."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    player = LinesPlayer(find(game), command, environment)
    try:
        await player.open()
        yield player
    finally:
        await player.close()


def student(mistake: str) -> tuple[str, ...]:
    """Return the command of a program that is sound in its first two calls, Describe and PlayAs, but for a mistake."""
    return (sys.executable, "-c", STUDENT % mistake)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LINES_COMMANDS)
async def test_what_is_written_for_beginners_plays(game: str, language: str, tmp_path: Path) -> None:
    interpreter, program = LINES_COMMANDS[language].split()
    if shutil.which(needed := "jq" if language == "sh" else interpreter) is None:
        pytest.skip(f"needs {needed}")
    write_lines(game, language, tmp_path / "mine")
    async with answering(interpreter, str(tmp_path / "mine" / program), game=game) as player:
        assert (await play(player, "first", limit_s=10.0))[1] == ""
        assert (await play(player, "first", game_id="another", seed=2, limit_s=10.0))[1] == ""


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ("if wrong: print('my turn', flush=True)", "The program wrote my turn in place of an answer. Its output holds"),
        (
            "if wrong: print(answer, end='', flush=True); continue",
            "without a newline behind it: every answer ends with",
        ),
        ("if wrong: print(answer); continue", "only when its input ended: answer each line when it comes, and flush"),
        ("if wrong: continue", "The program had not answered in time; what had come: nothing."),
        (
            'if calls == 4: answer = \'{"response": {"place": "7"}}\'',
            'response.place is "7": a number stands without quotes',
        ),
        ('if calls == 4: answer = \'{"response": {"plaec": 7}}\'', "response.plaec is not known, response has place."),
        (
            'if calls == 4: answer = \'{"response": {"place": 7.5}}\'',
            "response.place is 7.5: it must be a whole number.",
        ),
        ('if calls == 4: answer = \'{"response": {"place": -1}}\'', "response.place is -1: it must not be negative."),
        ("if calls == 4: answer = '{\"response\": 7}'", 'an answer is {"response": {...}} or {"failure"'),
        (
            "if wrong: print({'response': {}}, flush=True); continue",
            "which is no JSON: an answer is one line, and names",
        ),
        ("if wrong: print('{', flush=True)", "The program answered {, which is no JSON: an answer is one line"),
        ("if wrong: 1 / 0", "exit code 1 when it was asked. It wrote: ZeroDivisionError: division by zero"),
        ("if wrong: sys.exit()", "ended with exit code 0 when it was asked: it must read and answer calls until its"),
        ("if wrong: answer = '{\"place\": 7}'", 'an answer is {"response": {...}} or {"failure"'),
        ('if wrong: answer = \'{"failure": {"message": "no idea"}}\'', "no idea"),
        ("if wrong: answer = '[1, 2]'", "The program wrote [1, 2] in place of an answer."),
        ("if wrong: answer = ''", "The program wrote an empty line in place of an answer."),
        ("if wrong: sys.exit('I give up')", "ended with exit code 1 when it was asked. It wrote: I give up"),
        ("if calls == 2: answer += '\\nthinking'", "The program wrote thinking"),
    ],
)
async def test_a_mistake_is_said_in_a_sentence(mistake: str, sentence: str) -> None:
    async with answering(*student(mistake)) as player:
        _, failure = await play(player, "first", limit_s=1.0)
        assert sentence in failure


@pytest.mark.slow
async def test_a_program_that_was_late_is_started_anew_for_the_next_call() -> None:
    async with answering(*student("if wrong: time.sleep(60)")) as player:
        for game_id in ("one", "two"):
            _, failure = await play(player, "first", game_id=game_id, limit_s=1.0)
            assert failure == "The program had not answered in time; what had come: nothing."


async def test_a_command_that_cannot_be_started_is_named() -> None:
    with pytest.raises(CallFailed, match="ended with exit code 127"):
        async with answering("./no-such-command"):
            pass


@pytest.mark.parametrize(
    ("game", "method", "response", "sentence"),
    [
        (
            "webset",
            "Act",
            {"action": "CALL"},
            'response.action is "CALL": it must be one of ACTION_NOTHING, ACTION_CALL',
        ),
        ("webset", "PickCards", {"cards": 7}, "response.cards is 7: it must be a list, [...]"),
        ("webset", "PickCards", {"cards": [1, "2", 3]}, 'response.cards is "2": a number stands without quotes'),
        ("q", "TakeTurn", {"action": "pass"}, 'response.action is "pass": it must be an object, {...}'),
        (
            "eriantys",
            "AskAction",
            {"action": {"take_cloud": {"cloud": True}}},
            "response.action.take_cloud.cloud is true: it must be a whole number",
        ),
    ],
)
def test_what_a_field_cannot_hold_is_said(game: str, method: str, response: Any, sentence: str) -> None:
    found = next(each for each in find(game).methods if each.name == method)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        read_answer({"response": response}, found)


@pytest.mark.slow
def test_a_program_that_does_not_answer_describe_is_explained() -> None:
    bridge = [sys.executable, "-m", "fairplay.terminal", "bridge", "fish", "--lines", "--connect", "127.0.0.1:1"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
    loop = "import sys\nfor line in sys.stdin: "
    with ExitStack() as started:
        said = []
        for program, sentence in [
            ("print('{}')", "wrote {} only when its input ended: answer each line when it comes,"),
            ("print('{}', end='', flush=True)", "answered {} without a newline behind it: every answer ends with one."),
            ("pass", 'has not answered Describe yet: each call has its line, at least {"response": {}}, and'),
        ]:
            command = [*bridge, "--name", "me", "--", sys.executable, "-c", loop + program]
            process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
            said.append((started.enter_context(process), sentence))
        for process, sentence in said:
            assert process.stderr is not None
            assert process.stderr.readline().startswith(f"The program {sentence}")
            process.terminate()


def test_values_that_are_not_known_here_are_unspecified_and_no_choices() -> None:
    game = find("eriantys")
    method = next(each for each in game.methods if each.name == "AskTowerColor")
    request: Any = method.request(possible_colors=[1_009, 2, 1_009])
    request.state.phase = 1_009
    request.state.tower_colors[:] = [1_009, 1]
    value = to_json(game, request)
    assert value["possible_colors"] == ["TOWER_COLOR_WHITE"]
    assert value["state"]["phase"] == "PHASE_UNSPECIFIED"
    assert value["state"]["tower_colors"] == ["TOWER_COLOR_UNSPECIFIED", "TOWER_COLOR_BLACK"]


def test_numbers_of_all_sizes_are_numbers_and_unset_fields_are_zero() -> None:
    game = find("fish")
    turn = game.turn.request()
    turn.state.revision = 2**40  # type: ignore[attr-defined]
    value = to_json(game, turn)
    assert value["state"]["revision"] == 2**40
    assert value["seat"] == 0
    assert read_answer({"response": {"action": {"source": 1, "target": 2}}}, game.turn).action.target == 2  # type: ignore[attr-defined]

"""Programs that speak lines of JSON: they play, and the first mistakes that people make are each said in a sentence."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fairplay.bridge.lines import LinesPlayer, read_answer, to_json
from fairplay.games.game import find
from fairplay.player.handlers import CALL, CallFailed, CallInfo
from fairplay.terminal.authors.project import write_lines
from tests.bridge.playing import play

NODE = """
const moves = state => {
  const {columns, fish, players} = state, taken = players.flatMap(each => each.places)
  const free = cell => fish[cell] > 0 && !taken.includes(cell)
  for (const source of players[0].places) {
    const row = Math.floor(source / columns), column = source % columns, odd = row % 2
    for (const [down, right] of [[-2, 0], [-1, odd], [1, odd], [2, 0], [1, odd - 1], [-1, odd - 1]]) {
      const to = column + right, target = (row + down) * columns + to
      if (to >= 0 && to < columns && free(target)) return {source, target}
    }
  }
}
require("readline").createInterface({input: process.stdin}).on("line", line => {
  const {method, request} = JSON.parse(line), answer = {}
  if (method == "Setup") {
    const taken = request.state.players.flatMap(each => each.places)
    answer.place = request.state.fish.findIndex((fish, cell) => fish > 0 && !taken.includes(cell))
  } else if (method == "TakeTurn") answer.action = moves(request.state)
  console.log(JSON.stringify({response: answer}))
})
"""
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
async def answering(*command: str, game: str = "fish", limit_s: float = 5.0) -> AsyncIterator[LinesPlayer]:
    """Yield a player in lines of JSON whose program has its output buffered, as is usual."""
    CALL.set(lambda: CallInfo(limit_s, {}))
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


@pytest.mark.parametrize("game", ["bazaar", "fish", "q"])
@pytest.mark.parametrize("language", ["py", "sh"])
async def test_what_is_written_for_beginners_plays(game: str, language: str, tmp_path: Path) -> None:
    if language == "sh" and shutil.which("jq") is None:
        pytest.skip("needs jq")
    write_lines(game, tmp_path / "mine")
    interpreter = sys.executable if language == "py" else "sh"
    program = str(tmp_path / "mine" / f"player.{language}")
    async with answering(interpreter, program, game=game, limit_s=10.0) as player:
        assert (await play(player, "first"))[1] == ""
        assert (await play(player, "first", game_id="another"))[1] == ""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
async def test_javascript_needs_no_packages() -> None:
    async with answering("node", "-e", NODE) as player:
        assert (await play(player, "first"))[1] == ""


@pytest.mark.parametrize(
    ("mistake", "sentence"),
    [
        ("if wrong: print('my turn', flush=True)", "The program wrote my turn in place of an answer. Its output holds"),
        ("if wrong: print(answer, end='', flush=True); continue", "without a newline behind it."),
        ("if wrong: print(answer); continue", "only when its input ended: flush the output after each line."),
        ("if wrong: continue", "The program had not answered in time; what had come: nothing."),
        (
            'if calls == 4: answer = \'{"response": {"place": "7"}}\'',
            'response.place is "7": a number stands without quotes',
        ),
        ('if wrong: answer = \'{"response": {"plaec": 7}}\'', 'no field named "plaec"'),
        ("if wrong: answer = '{\"place\": 7}'", 'an answer is {"response": {...}} or {"failure"'),
        ('if wrong: answer = \'{"failure": {"message": "no idea"}}\'', "no idea"),
        ("if wrong: answer = '[1, 2]'", "The program wrote [1, 2] in place of an answer."),
        ("if wrong: answer = ''", "The program wrote an empty line in place of an answer."),
        ("if wrong: sys.exit('I give up')", "ended with exit code 1 when it was asked. It wrote: I give up"),
        ("if calls == 2: answer += '\\nthinking'", "The program wrote thinking"),
    ],
)
async def test_a_mistake_is_said_in_a_sentence(mistake: str, sentence: str) -> None:
    async with answering(*student(mistake), limit_s=1.0) as player:
        _, failure = await play(player, "first")
        assert sentence in failure


async def test_a_program_that_was_late_is_started_anew_for_the_next_call() -> None:
    async with answering(*student("if wrong: time.sleep(60)"), limit_s=1.0) as player:
        for game_id in ("one", "two"):
            _, failure = await play(player, "first", game_id=game_id)
            assert failure == "The program had not answered in time; what had come: nothing."


async def test_a_command_that_cannot_be_started_is_named() -> None:
    with pytest.raises(CallFailed, match="ended with exit code 127"):
        async with answering("./no-such-command"):
            pass


def test_numbers_of_all_sizes_are_numbers_and_unset_fields_are_zero() -> None:
    game = find("fish")
    turn = game.turn.request()
    turn.state.revision = 2**40  # type: ignore[attr-defined]
    value = to_json(turn)
    assert value["state"]["revision"] == 2**40
    assert value["seat"] == 0
    assert read_answer({"response": {"action": {"source": 1, "target": 2}}}, game.turn).action.target == 2  # type: ignore[attr-defined]

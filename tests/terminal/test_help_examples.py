"""The examples that `--help` shows do what they say, in a folder that has what they name."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from fairplay.terminal.commands.app import ORDER, app
from tests.docs.pages import ROOT
from tests.slow import SLOW

NOT_HERE = {"bridge", "compare", "lobby", "player", "serve", "web"}
"""The commands that take minutes, or do not end by themselves: tests of their own run them."""
ELSEWHERE = re.compile(
    r"^fairplay (serve|certify-server [^-])"  # does not end by itself, or asks one that does not
    r"|host:|example\.org:|localhost:|postgresql:"  # names another machine
    r"|java|--jobs|certify .*(--report|--sign)|certificate verify"  # takes minutes, or other tools
    r"|records drop"  # is for what was interrupted
)
"""The examples that are not run here: tests of their commands run them."""
PREPARED = """
cp "$ROOT"/examples/python/my_player.py player.py
printf '#!/bin/sh\\nexec python "%s"/examples/python/my_player.py "$@"\\n' "$ROOT" > my-player && chmod +x my-player
for name in a b c d e f g h; do
    mkdir -p programs/$name; cp player.py programs/$name; cp my-player programs/$name/run
done
fairplay roster programs/ --command 'python {path}/player.py' > roster.toml
fairplay game fish -p bot:greedy -p bot:random --seed 1 --records records/
fairplay records export records/ -o game.fairplay
fairplay tournament fish -p bot:greedy -p bot:random --seed 1 --records cup/
fairplay records list records > game.txt && fairplay records list cup > cup.txt
fairplay accounts add alice --role player --records records
fairplay invitations new --count 1 --records records
fairplay tls new tls --host localhost
fairplay certificate keys key.pem --name me > keys.txt
fairplay certify fish exec:./my-player --only contract.reachable --report out/ --json certificate.json --sign key.pem
mkdir course submissions && python -m zipfile -c "submissions/Ann Lee.zip" player.py && echo "Ann Lee" > names.txt
echo 'game = "fish"' > course/class.toml && cat >> course/class.toml <<'END'
[[program]]
language = "python"
file = "player.py"
command = "python {path}/player.py"
END
mkdir tests && cd tests
echo '[[1, 2], [3, 4]] [0, 0]' > 1-in.json
echo '[[1, 0]]' > 1-out.json
"""
STAND_INS = {
    "records/ fish-3f2a": 'records/ "$GAME"',
    "GAME_ID": '"$GAME"',
    "cup/ fish-3f2a": 'cup/ "$CUP"',
    "records/ --tournament fish-cup": 'cup/ --tournament "$CUP"',
    "3f29c0aa": "$(fairplay tokens list --records records | grep --only-matching --extended-regexp '^[0-9a-f]{8}')",
    "add alice": "add bob",
    "-o roster.toml": "-o other.toml",
    "new tls": "new other",
    "--pause 1s": "--pause 10ms",
}
"""What is named in place of what the prepared folder has under another name, or has already."""
ID = re.compile(r"^fish-[0-9a-f-]+(?= )", re.MULTILINE)
"""The id of the game, or of the tournament, in a list of records."""


def examples(command: Any) -> Iterator[str]:
    """Yield the examples of a command and of those in it."""
    yield from re.findall(r"^ *(fairplay .+)$", command.help or "", re.MULTILINE)
    if isinstance(command, TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            yield from examples(command.get_command(context, name))


def sh(script: str, folder: Path, **variables: str) -> tuple[int, str]:
    """Return the exit code of what somebody types in a folder, and what is printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(
        ["bash", "-euc", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "ROOT": str(ROOT), "COLUMNS": "200", **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has what the examples name, and says the ids of the game and the tournament in it."""
    folder = tmp_path_factory.mktemp("prepared")
    code, printed = sh(PREPARED, folder)
    assert code == 0, printed
    return folder


@SLOW
@pytest.mark.parametrize("command", [name for name in ORDER if name not in NOT_HERE])
def test_examples_do_what_they_say(command: str, prepared: Path, tmp_path: Path) -> None:
    group: Any = typer.main.get_command(app)
    lines = dict.fromkeys(examples(group.get_command(typer.Context(group), command)))
    game, cup = (ID.findall((prepared / f"{name}.txt").read_text())[-1] for name in ("game", "cup"))
    for number, line in enumerate(line for line in lines if not ELSEWHERE.search(line)):
        folder = shutil.copytree(prepared, tmp_path / str(number))
        typed = re.sub("|".join(STAND_INS), lambda found: STAND_INS[found[0]], line)
        code, printed = sh(typed, folder, GAME=game, CUP=cup)
        assert code == 0, f"$ {typed}\n{printed}"

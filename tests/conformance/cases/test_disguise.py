"""Nothing that a started player is told in a run of the suite looks unlike what a tournament tells it."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fairplay.certificate import Verdict
from fairplay.conformance.run.engine import run
from fairplay.conformance.run.options import Options
from fairplay.server.server import Config
from fairplay.v1.game_pb2 import Player
from fairplay.v1.tournament_pb2 import TournamentPlan
from tests.conformance.harness import FAIRPLAY, ROOT
from tests.server.harness import serving

GAME = "eriantys"
"""The game whose requests have the names of the players, too."""
Shapes: TypeAlias = Mapping[str, set[str]]
"""Where a text was found -> what the texts look like."""


def recorder(path: Path) -> str:
    return f"exec:{shlex.join([sys.executable, '-m', 'tests.conformance.recorder', GAME, str(path)])}"


def shape(text: str) -> str:
    """Return a text with its hexadecimal digits, numbers and words as their kinds."""
    text = re.sub(r"\b[0-9a-f]{8,}\b", lambda found: f"<{len(found[0])} hex>", text)
    text = re.sub(r"(?<=r)\d+g\d+", "<n>g<n>", text)
    text = re.sub(r"\d{3,}", "<n>", text)
    return re.sub(r"\b(?!eriantys)[A-Za-z]{3,12}\b", "<word>", text)


def shapes(path: Path) -> Shapes:
    found = defaultdict[str, set[str]](set)
    for line in path.read_text("utf-8").splitlines():
        kind, kept = json.loads(line)
        if kind == "environment":
            names, variables = kept
            found["names of variables"].add(" ".join(names))
            kept = list(variables.items())
        for where, text in kept:
            found[f"{kind} {where}"].add(shape(text))
    return found


async def tournament(link: str) -> None:
    """Play a tournament whose id the server makes."""
    async with serving(Config(allow_exec=True, start_limit_s=20.0)) as server:
        entrants = [Player(name="bruno", link=link), Player(name="carla", link="bot:random")]
        begun = await server.manager.create("", TournamentPlan(game=GAME, seed=3, entrants=entrants))
        await server.manager.start(begun.tournament_id)
        async with asyncio.timeout(60):
            async for _ in server.manager.watch(begun.tournament_id):
                pass


def typed_tournament(link: str) -> None:
    """Play a tournament with the command."""
    words: list[Any] = ["tournament", GAME, "-p", f"bruno={link}", "-p", "carla=bot:random", "--seed", "3"]
    command = [*FAIRPLAY, *words, "--start-limit", "20s", "--json"]
    subprocess.run(command, capture_output=True, timeout=90, check=True, cwd=ROOT)


@pytest.mark.slow
async def test_the_suite_looks_like_a_tournament(tmp_path: Path) -> None:
    real, tried = tmp_path / "real", tmp_path / "tried"
    await tournament(recorder(real))
    await asyncio.to_thread(typed_tournament, recorder(real))
    only = "rules.whole-game.seat-1-of-2,memory.two-games-at-once,endings.tournament,identity.in-tournaments"
    report = await asyncio.to_thread(run, Options(GAME, recorder(tried), only=only, start_limit_s=20.0))
    assert {each.verdict for each in report.judged} == {Verdict.PASS}
    known, found = shapes(real), shapes(tried)
    assert {where: looks - known[where] for where, looks in found.items() if looks - known[where]} == {}

"""Commands that are killed with -9 at many instants, and given again until they finish."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairplay.server.records.place import Place, at
from fairplay.v1.misconduct_pb2 import MisconductKind
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.tournament_pb2 import Tournament, TournamentResult
from tests.robustness import doomed
from tests.robustness.harness import Command, exec_player, listings, run, specs, until, zoo_player
from tests.slow import SLOW

BOTS = ["bot:random", "bot:greedy", "bot:minimax", "bot:first", "bot:random", "bot:minimax:depth=2", "bot:greedy"]
PROCESSES = [
    f"dials={exec_player('-s', 'greedy')}",
    f"serves={exec_player('-s', 'minimax', '--serve')}",
    f"broken={zoo_player('says-nothing')}",
    "bot=bot:random",
    f"dies={zoo_player('dies-in-setup')}",
]


def tournament(directory: Path, players: Sequence[str], records: Place) -> list[str]:
    """Return the command that is given again and again."""
    kept = ["--records", str(records), "--json", str(directory / "result.json")]
    return ["tournament", "fish", *specs(*players), "--seed", "11", "--set", "rows=6", *kept]


def short(game_id: str) -> str:
    """Return what follows the id of the tournament, which differs each time."""
    return game_id.rpartition("/")[2]


def reported(result: TournamentResult) -> dict[str, Any]:
    """Return what counts of a tournament's result: winners, others, and who failed where, how, and by which rule."""
    failed = [(short(failure.game_id), failure.misconduct) for failure in result.failures]
    failures = [
        (where, each.player, MisconductKind.Name(each.kind), each.method_name, each.rule_break.rule_id)
        for where, each in failed
    ]
    return {"winners": list(result.winners), "others": list(result.others), "failures": failures}


def told_in(file: Path) -> dict[str, Any]:
    """Return the same of the result that `--json` wrote."""
    written = json.loads(file.read_text())
    failures = [
        (
            short(each["gameId"]),
            each["player"],
            each["kind"],
            each["methodName"],
            each.get("ruleBreak", {}).get("ruleId", ""),
        )
        for each in written["failures"]
    ]
    winners, others = ([each["name"] for each in written["ranking"] if each["place"] == place] for place in (1, 2))
    return {"winners": winners, "others": others, "failures": failures}


def games(records: Place) -> dict[str, Any]:
    """Return the standings of all games in a store with one tournament, which must be over."""
    found = listings(records)
    assert [listing.kind for listing in found].count("tournament") == 1
    assert all(listing.finished for listing in found)
    played = {short(one.record_id): GameMessage.FromString(one.summary) for one in found if one.kind == "game"}
    assert len(played) == len(found) - 1
    return {
        name: [[(player.name, player.score) for player in group.players] for group in game.result.ranking]
        for name, game in played.items()
    }


def recorded_result(records: Place) -> TournamentResult | None:
    """Return the result of the tournament; None if it is not over."""
    for listing in listings(records):
        if listing.kind == "tournament" and listing.finished:
            return Tournament.FromString(listing.summary).result
    return None


def lives(directory: Path, players: Sequence[str], records: Place, random: Random, most: int) -> int:
    """Give the command until its result is on disk, killed each time after some more entries; return how often.

    Its players must not outlive it.
    """
    count = 0
    while recorded_result(records) is None:
        entries = random.randint(1, most)
        program = [sys.executable, doomed.__file__, str(entries)]
        with Command(directory, *tournament(directory, players, records), program=program) as command:
            ran = command.end()
            until(lambda: not command.left(), "the end of the players of a server that died")
        assert ran.code in (0, -9), ran.err
        count += ran.code != 0
    return count


@SLOW
@pytest.mark.parametrize(
    ("players", "most"),
    [pytest.param(BOTS, 60, id="bots"), pytest.param(PROCESSES, 50, id="processes")],
)
def test_a_tournament_that_is_killed_again_and_again_ends_as_an_undisturbed_one(
    players: list[str], most: int, tmp_path: Path, place: Place
) -> None:
    undisturbed = at(tmp_path / "undisturbed")
    ran = run(tmp_path, *tournament(tmp_path, players, undisturbed))
    assert (ran.code, ran.err) == (0, "")
    expected = told_in(tmp_path / "result.json")
    assert lives(tmp_path, players, place, Random(5), most) > 1
    result = recorded_result(place)
    assert result is not None
    assert reported(result) == expected
    assert games(place) == games(undisturbed)
    verified = run(tmp_path, "records", "verify", str(place))
    assert verified.code == 0, verified.out

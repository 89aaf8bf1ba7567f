"""A server that is not there yet, and one that comes back: callers and players wait for it, and go on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.robustness.harness import Command, entry_count, free_address, listings, run, specs, until

Stop: TypeAlias = Callable[[Command], object]
GUESTS = {"ann": "greedy", "bea": "minimax", "cat": "random"}


def stop(server: Command) -> None:
    """End the server in order, as when its machine is restarted."""
    server.interrupt()
    assert server.end().code == 130


ENDINGS: dict[str, Stop] = {"killed": Command.kill, "stopped": stop}


class Scene:
    """A server on an address of its own that can be started more than once, and players that dial in there."""

    def __init__(self, directory: Path, stack: ExitStack) -> None:
        self.directory = directory
        self.records = directory / "records"
        self.address = free_address()
        self._stack = stack

    def serve(self) -> Command:
        return self.begin("serve", "--listen", self.address, "--records", str(self.records))

    def guest(self, name: str, strategy: str) -> Command:
        options = ["--name", name, "--token", "t", "--pause", "3ms"]
        return self.begin("player", "fish", "-s", strategy, "--connect", self.address, *options)

    def ask(self, what: str, *players: str) -> Command:
        options = ["--server", self.address, "--seed", "3", "--json", str(self.directory / "result.json")]
        return self.begin(what, "fish", *specs(*players), *options)

    def begin(self, *arguments: str) -> Command:
        return self._stack.enter_context(Command(self.directory, *arguments))

    def has(self, count: int) -> bool:
        return entry_count(self.records) >= count

    def result(self, file: str = "result.json") -> dict[str, Any]:
        """Return what counts of the result that `--json` wrote: who won, the standings of all games, who failed."""
        written = json.loads((self.directory / file).read_text())
        games = [game for each in written["rounds"] for game in each["games"]]
        standings = [[(one["name"], one["place"], one["score"]) for one in game["players"]] for game in games]
        return {"ranking": written["ranking"], "standings": standings, "failures": written["failures"]}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        yield Scene(tmp_path, stack)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_tournament_outlives_its_server(scene: Scene, ending: str) -> None:
    guests = [scene.guest(name, strategy) for name, strategy in GUESTS.items()]
    server = scene.serve()
    server.says("serves on")  # here and below: one that is just starting cannot be told to end in order
    client = scene.ask("tournament", *(f"dial-in:{name}" for name in GUESTS), "bot:greedy", "bot:first")
    for goal in (15, 50):
        until(partial(_over_or, client, partial(scene.has, goal)), f"{goal} entries")
        ENDINGS[ending](server)
        server = scene.serve()
        server.says("serves on")
    ran = client.end()
    assert (ran.code, ran.err) == (0, "")
    assert not any(guest.over for guest in guests)
    same = [f"{name}=bot:{strategy}" for name, strategy in GUESTS.items()]
    quiet = ["--seed", "3", "--json", str(scene.directory / "quiet.json")]
    assert run(scene.directory, "tournament", "fish", *specs(*same, "bot:greedy", "bot:first"), *quiet).code == 0
    assert scene.result() == scene.result("quiet.json")
    assert run(scene.directory, "records", "verify", str(scene.records)).code == 0
    assert [listing.kind for listing in listings(scene.records)] == ["tournament", "game", "game", "game"]


def _over_or(command: Command, condition: Callable[[], bool]) -> bool:
    return command.over or condition()


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_player_waits_for_a_server_that_is_not_there_yet_and_for_one_that_comes_back(
    scene: Scene, ending: str
) -> None:
    guest = scene.guest("ann", "greedy")
    until(lambda: len(guest.left()) == 1 and bool(guest.left()[0].cpu_times().user > 0.1), "the player is up")
    for _ in range(2):
        server = scene.serve()
        server.says("serves on")
        ran = scene.ask("game", "dial-in:ann", "bot:first").end()
        assert (ran.code, ran.err) == (0, "")
        assert "✗" not in ran.out
        ENDINGS[ending](server)
    assert not guest.over
    said = guest.err.splitlines()
    assert said
    assert all(" is not there, and is tried again for 600 s: " in line for line in said)


def test_a_game_outlives_its_server(scene: Scene) -> None:
    scene.guest("ann", "greedy")
    server = scene.serve()
    server.says("serves on")
    client = scene.ask("game", "dial-in:ann", "bot:first")
    until(partial(_over_or, client, partial(scene.has, 12)), "a game is played")
    server.kill()
    scene.serve()
    ran = client.end()
    assert (ran.code, ran.err) == (0, "")
    [game] = listings(scene.records)
    assert game.finished
    assert run(scene.directory, "records", "verify", str(scene.records)).code == 0

"""A player as a program that serves or dials in, as it is offered: python -m tests.conformance.program [WAY]"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from fairplay.games.game import find
from fairplay.player.command import reach_from, run_player
from tests.conformance.harness import Method, Wrong, player, raises

ALLOWED_BYTES = 2**20
"""What a player may write a game."""
WRITES = 4
THREAD_S = 6.0
THOUGHT_S, SLEEPY = 0.3, 3
"""How long a player thinks that works, and so many times as long one that sleeps."""


def hangs(sound: Method, request: Any) -> Any:
    threading.Event().wait()


def dies(sound: Method, request: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def dying_later() -> Wrong:
    """Return a method that answers the first two calls of a process, and ends it in the third."""
    calls: list[Any] = []

    def answer(sound: Method, request: Any) -> Any:
        calls.append(request)
        return sound(request) if len(calls) < 3 else dies(sound, request)

    return answer


def loud() -> Wrong:
    """Return a sound method that writes as much as a player may, in several writes in the first turn of each game."""
    games: set[str] = set()

    def answer(sound: Method, request: Any) -> Any:
        if request.game_id not in games:
            games.add(request.game_id)
            for _ in range(WRITES):
                sys.stderr.write("x" * (ALLOWED_BYTES // WRITES))
        return sound(request)

    return answer


def forgetting_late() -> Wrong:
    """Return a sound method that has a thread for each game, which is there for some seconds after it."""
    games: set[str] = set()

    def answer(sound: Method, request: Any) -> Any:
        if request.game_id not in games:
            games.add(request.game_id)
            threading.Thread(target=time.sleep, args=[THREAD_S], daemon=True).start()
        return sound(request)

    return answer


def slowing() -> Wrong:
    """Return a sound method that searches all games so far, and so takes longer with each."""
    games: list[str] = []

    def answer(sound: Method, request: Any) -> Any:
        games.append(request.game_id)
        time.sleep(0.00001 * len(games) ** 2)
        return sound(request)

    return answer


def thinking(think: Callable[[float], object]) -> Wrong:
    """Return a sound method that thinks for so long before it answers."""

    def answer(sound: Method, request: Any) -> Any:
        think(THOUGHT_S)
        return sound(request)

    return answer


def work(seconds: float) -> None:
    """Use a processor for some seconds."""
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass


WAYS: dict[str, Wrong] = {
    "raises": raises,
    "hangs": hangs,
    "dies": dies,
    "dies-later": dying_later(),
    "loud": loud(),
    "forgets-late": forgetting_late(),
    "slows": slowing(),
    "works": thinking(work),
    "sleeps": thinking(lambda seconds: time.sleep(SLEEPY * seconds)),
}


def main(way: str) -> None:
    serves = "FAIRPLAY_CONNECT" not in os.environ
    if way == "raises-through-streams":
        way = "" if serves else "raises"
    made: Any = player(take_turn=WAYS[way]) if way in WAYS else find("fish").player("random")
    made.quick = False
    if way == "differs":
        made.name = "server" if serves else "caller"
    run_player(made, reach_from(os.environ, serves=serves))


if __name__ == "__main__":
    main(*sys.argv[1:2] or [""])

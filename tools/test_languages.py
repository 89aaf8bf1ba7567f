"""Build the players of examples/ that are not in Python, play with them in every way there is, and certify them.

`make test-languages` runs it in .venv. It fails when a player is blamed for anything, waits in each call, or does not
come back after what befalls servers and networks; the last two are tried with players of the kit as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.figures import Pace
from benchmarks.languages import KIT_WAY, rounds
from tests.docs.pages import run
from tools.coming_back import check_endings, check_faults
from tools.language_players import (
    CALL_LIMIT,
    FAIRPLAY,
    KIT,
    LANGUAGES,
    LIMIT_S,
    ROOT,
    START_LIMIT,
    Failed,
    Language,
    Variables,
    check_call_times,
    end_of,
    environment,
    execute,
    free_address,
    guarded,
    missing,
    running,
    version_of,
)

GAMES = {  # the settings, and the other players, of the games that each player plays each way; the n-th has the seed n
    "fish": (
        ((), ("greedy",)),
        (("random_fish=true", "rows=7", "columns=4", "holes=3"), ("minimax", "random")),
        (
            ("random_fish=true", "announce_order=per-player", "action_list=moves-and-skips"),
            ("first", "random", "greedy"),
        ),
    ),
    "q": (
        ((), ("ldasg",)),
        (("fit_rule=qwirkle", "setup_argument=map"), ("best", "dag")),
        (("hand_size=12", "copies_per_kind=3", "undelivered_tiles=return"), ("first", "random", "ldasg")),
    ),
}
AT_ONCE = 2
"""In how many ways a player is tried at the same time: much of each is waiting for programs to start."""
DISTURBED_AT_ONCE = 4
"""How many are disturbed at the same time: each server that is started again needs a processor meanwhile."""
LEAST_SHARE = 0.05
"""Less than this of the calls of the kit's players is a wait in every call: Java, not compiled yet, makes a tenth."""
RATES_PACE = Pace(repeats=1, seconds=8.0)
CROWD = 6
"""How many players of a tournament are one program, so that it is in several games at once."""


# --- playing ---


@dataclass(frozen=True, slots=True)
class Way:
    """A way to reach a player: what it is called, the link, and options and environment of the command that plays."""

    name: str
    link: str
    options: tuple[str, ...] = ()
    variables: Variables = field(default_factory=dict)


def ways(game: str, command: str, stack: ExitStack) -> Iterator[Way]:
    """Yield each way to reach a player, which is there until the stack is closed."""
    yield Way("started, dialling in", f"exec:{command}")
    yield Way("started, serving", f"exec:{command} --serve")
    address = free_address()
    stack.enter_context(running(f"{command} --listen {address}"))
    yield Way("serving", f"grpc://{address}")
    server = free_address()
    stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} serve --listen {server} --start-limit {START_LIMIT}"))
    stack.enter_context(running(f"{command} --connect {server} --name stranger --token secret"))
    yield Way("dialling in", "dial-in:stranger", ("--server", server))
    yield from guarded_ways(game, command, stack)


def guarded_ways(game: str, command: str, stack: ExitStack) -> Iterator[Way]:
    """Yield the ways to reach a player among strangers: over TLS, with a secret, with the token of an account."""
    guard = guarded(Path(stack.enter_context(tempfile.TemporaryDirectory())))
    address, secret = free_address(), {"FAIRPLAY_SECRET": "correct-horse"}
    serving = f"{command} --listen {address} --tls-cert {guard.certificate} --tls-key {guard.key}"
    stack.enter_context(running(serving, secret))
    way = Way("serving over TLS, with a secret", f"grpcs://{address}", (), {**guard.trusting, **secret})
    check_guarded(game, command, way)
    yield way
    server = free_address()
    options = f"--listen {server} --start-limit {START_LIMIT} {guard.options}"
    stack.enter_context(running(f"{shlex.quote(FAIRPLAY)} serve {options}"))
    stack.enter_context(running(f"{command} --connect grpcs://{server} --name ann", guard.variables))
    yield Way("dialling in over TLS, with an account", "dial-in:ann", ("--server", server), guard.variables)


def check_guarded(game: str, command: str, way: Way) -> None:
    """Check that a player refuses a server without its secret, and a secret that cannot be used. Raises Failed."""
    players = [
        "--player",
        f"me={way.link}",
        "--player",
        f"bot:{GAMES[game][0][1][0]}",
        "--start-limit",
        START_LIMIT,
        "--limit",
        CALL_LIMIT,
    ]
    for secret in ("", "correct-horsf", "correct-horse-"):
        variables = {**way.variables, "FAIRPLAY_SECRET": secret}
        if not secret:
            variables = {name: value for name, value in variables.items() if name != "FAIRPLAY_SECRET"}
        output = execute([FAIRPLAY, "game", game, *players], variables)
        if "show its secret" not in output:
            raise Failed(f"{command}\nanswers calls that show the secret {secret!r}:\n{output}")
    for unusable in ("", "two words", "\N{SNOWMAN}", "x" * 257):
        refused = end_of([*shlex.split(command), "--listen", free_address()], {"FAIRPLAY_SECRET": unusable})
        if refused.returncode == 0 or "FAIRPLAY_SECRET cannot be used" not in refused.stderr:
            raise Failed(f"{command}\ntakes the secret {unusable!r}: {refused.returncode}, {refused.stderr}")


def misconducts_of(result: dict[str, Any]) -> list[Any]:
    """Return the misconducts of a game or a tournament."""
    return [*result.get("misconducts", ()), *result.get("failures", ())]


def play(command: Sequence[str], way: Way) -> None:
    """Play one game or tournament. Raises Failed if it was not played to its end, or somebody is blamed."""
    limits = ["--start-limit", START_LIMIT, "--limit", CALL_LIMIT]
    output = execute([FAIRPLAY, *command, *limits, *way.options, "--json", "-"], way.variables)
    found = misconducts_of(json.loads(output))
    if found:
        raise Failed(f"{shlex.join(command)}\nblames a player:\n{json.dumps(found, indent=2)}")


def play_all(game: str, way: Way) -> None:
    """Play games of all kinds one by one, then a tournament in which one program is most of the players."""
    for seed, (settings, bots) in enumerate(GAMES[game]):
        players = [f"me={way.link}", *(f"bot:{bot}" for bot in bots)]
        play(["game", game, *of("--player", players), *of("--set", settings), "--seed", str(seed)], way)
    names = [f"me{number}={way.link}" for number in range(CROWD)]
    players = [*names, *(f"bot:{bot}" for bot in GAMES[game][-1][1])]
    play(["tournament", game, *of("--player", players), "--seed", "1"], way)


def of(option: str, values: Sequence[str]) -> list[str]:
    """Return an option, given once for each value."""
    return [word for value in values for word in (option, value)]


# --- the whole ---


def check_page(language: Language, games_only: bool) -> None:
    """Run the commands of the README, which begin with the build. Raises Failed if one does not do as the page says."""
    text = (ROOT / "examples" / language.folder / "README.md").read_text()
    if games_only:
        text = re.sub(r"^\$ fairplay certify .*\n", "", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        # The folder has links to examples, which programs in a sandbox do not see; check_call_times starts them in one.
        code, printed = run(text, Path(folder), {**environment(), "FAIRPLAY_SANDBOX": "off"}, LIMIT_S)
    if code != 0:
        raise Failed(f"examples/{language.folder}/README.md:\n{printed}")


def check(language: Language, games_only: bool) -> None:
    """Check the players of one language in all ways. Raises Failed."""
    if language is not KIT:
        with step(f"{language.folder}: the commands of the README, from protoc on"):
            check_page(language, games_only)
        for game in GAMES:
            with ExitStack() as stack, ThreadPoolExecutor(AT_ONCE) as pool:
                tried = [(language, game, way) for way in ways(game, language.player(game), stack)]
                for done in [pool.submit(try_way, *each) for each in tried]:
                    done.result()
    if not games_only:
        with step(f"{language.folder}: no wait in each call"):
            print(check_call_times(language.player("fish")))
        with step(f"{language.folder}: keeps up with the kit's players, in one game and in 64"):
            check_rates(language)
        with step(f"{language.folder}: comes back unless it is refused for good"):
            asyncio.run(check_endings(language.player("fish")))


def check_rates(language: Language) -> None:
    """Check that players make LEAST_SHARE of the calls of the kit's players in the same run. Raises Failed."""
    [taken] = asyncio.run(rounds(language, RATES_PACE))
    for load, rate in taken.rates.items():
        kit = taken.rates[load._replace(way=KIT_WAY)]
        if rate < LEAST_SHARE * kit:
            what = f"{load.games} games at once, {load.way}"
            raise Failed(f"{language.folder}: {what}: {rate:.0f} calls/s, where the kit's players make {kit:.0f}")


async def check_all_faults(languages: Sequence[Language]) -> None:
    """Check that players go on in their games, several at once, since most of it is waiting. Raises Failed."""
    turns = asyncio.Semaphore(DISTURBED_AT_ONCE)

    async def checked(language: Language, guard: bool) -> None:
        async with turns:
            await check_faults(language.player("fish"), guard=guard)

    await asyncio.gather(*(checked(language, guard) for language in languages for guard in (False, True)))


def try_way(language: Language, game: str, way: Way) -> None:
    """Play all that is played with a player that is reached in one way. Failed: what is wrong."""
    with step(f"{language.folder}: {game}, {way.name}"):
        play_all(game, way)


@contextmanager
def step(name: str) -> Iterator[None]:
    """Say what is done, and how long it took."""
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)


def main(arguments: Sequence[str]) -> int:
    """0: all is well. 1: a player or its build is at fault. 2: the machine lacks something."""
    parser = argparse.ArgumentParser(prog="python -m tools.test_languages", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games-only", action="store_true", help="do not certify, measure or disturb")
    known = (KIT, *LANGUAGES)
    names = [language.folder for language in known]
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(names)}; all if none is named")
    chosen = parser.parse_args(arguments)
    if unknown := set(chosen.languages).difference(names):
        parser.error(f"there are no players in {', '.join(sorted(unknown))}")
    languages = [each for each in known if not chosen.languages or each.folder in chosen.languages]
    lacking = [sentence for language in languages if (sentence := missing(language, version_of(language)))]
    if lacking:
        print("\n".join(lacking), file=sys.stderr)
        return 2
    try:
        for language in languages:
            check(language, chosen.games_only)
        if not chosen.games_only:
            with step("whatever happens to server and network, players go on in their games"):
                asyncio.run(check_all_faults(languages))
    except Failed as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

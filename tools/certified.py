"""Certify the reference players, the examples that are built, and Nim, and list them: the first rows of a list.

`make certified` runs it in .venv. It writes build/certified/site; the key that signs is made where there is none.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

from fairplay.games.game import registered
from fairplay.terminal.roster import Entrant, TimeLimits, roster_text
from tools.language_players import FAIRPLAY, LANGUAGES, ROOT, Failed, environment, execute

FOLDER = ROOT / "build" / "certified"
NIM = "nim"
EXAMPLES = ("fish", "q")
"""The games of the players in examples/ that are not in Python."""
NAMES = {"go": "Go", "typescript": "TypeScript", "rust": "Rust", "java": "Java", "cpp": "C++"}
LIMITS = TimeLimits(start="30s")


def entrants(game: str) -> Iterator[Entrant]:
    """Yield the reference player of a game, and the examples that play it and are built."""
    yield Entrant(f"{game}-best", "bot:best", language="Python")
    if game == "fish":
        yield Entrant("fish-example", "exec:python examples/python/my_player.py", language="Python")
    for language in LANGUAGES:
        command = language.player(game)
        program = next(word for word in command.split() if word.startswith("examples/"))
        if game in EXAMPLES and (ROOT / program).exists():
            yield Entrant(f"{game}-{language.folder}", f"exec:{command}", language=NAMES[language.folder])


def certify(game: str, variables: Mapping[str, str]) -> int:
    """Certify the players of a game, shown as it goes on, and return the exit code."""
    roster = FOLDER / f"{game}.toml"
    roster.write_text(roster_text(entrants(game), LIMITS, f"Those of this repository that play {game}"), "utf-8")
    command = [FAIRPLAY, "certify", game, "--roster", str(roster), "--level", "must", "--at-once", "1"]
    written = ["--report", str(FOLDER / "reports" / game), "--sign", str(FOLDER / "key.pem")]
    return subprocess.run([*command, *written], cwd=ROOT, env={**environment(), **variables}, check=False).returncode


def main() -> int:
    """Certify and list them, and return the exit code: 0 if all of them are certified."""
    parser = argparse.ArgumentParser(prog="python -m tools.certified", description=__doc__)
    known = ",".join(dict.fromkeys([*registered(), NIM]))
    parser.add_argument("--games", default=known, help=f"some of {known}")
    games = parser.parse_args().games.split(",")
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        here = ["--quiet", "--no-deps", "--no-build-isolation", "--upgrade"]
        execute([sys.executable, "-m", "pip", "install", *here, "--target", str(FOLDER / "packages"), "examples/nim"])
        key = execute([FAIRPLAY, "certificate", "keys", str(FOLDER / "key.pem"), "--name", "make certified"])
    except Failed as error:
        sys.exit(str(error))
    (FOLDER / "keys.txt").write_text(key, "utf-8")
    path = os.pathsep.join(filter(None, [str(FOLDER / "packages"), os.environ.get("PYTHONPATH")]))
    variables = {"PYTHONPATH": path}
    codes = [certify(game, variables) for game in games]
    everybody = [each for game in games for each in entrants(game)]
    (FOLDER / "roster.toml").write_text(roster_text(everybody, LIMITS, "Those of this repository"), "utf-8")
    keys, roster = str(FOLDER / "keys.txt"), str(FOLDER / "roster.toml")
    listed = [FAIRPLAY, "certificate", "list", str(FOLDER / "reports"), "--trusted", keys, "--roster", roster]
    listed += ["--output", str(FOLDER / "site")]
    codes.append(subprocess.run(listed, cwd=ROOT, env={**environment(), **variables}, check=False).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())

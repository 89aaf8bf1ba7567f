"""Attack a server, or a player that serves, with what no sound caller sends, and watch what it costs: `make fuzz`.

A `fairplay serve` or `fairplay player` of its own gets, in turn, random bytes and random valid messages as requests
of every method, and connections of random HTTP/2 frames (`server`, `player`, and `players`, the address for players
alone); or streams of players that dial in, as strangers and as entrants (`dial-in`, at that address). Beside that a
neighbour has small games played, one after the other; where a player is attacked, with that player. At the end what was
attacked must still serve, no game may have failed, and its memory must not have grown beyond a bound, nor its records
beyond what games are worth.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from tools.fuzz.trial import TARGETS, fuzz


def main() -> int:
    """Run the attacks that the options ask for; return 0 if all targets have stood them."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000, help="of all targets together")
    parser.add_argument("--limit", type=float, default=1_800.0, help="seconds, of all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("target", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)}; by default server dial-in")
    options = parser.parse_args()
    targets = options.target or ["server", "dial-in"]
    if unknown := [each for each in targets if each not in TARGETS]:
        parser.error(f"there is no target {unknown[0]}: give {', '.join(TARGETS)}")
    frames, limit_s = options.frames // len(targets), options.limit / len(targets)
    reports = {target: fuzz(frames, limit_s, options.seed, target) for target in targets}
    print(json.dumps({target: asdict(report) for target, report in reports.items()}, indent=2))
    return 0 if all(report.sound for report in reports.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

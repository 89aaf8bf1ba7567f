"""What a run is to do: from the options of either transport, checked before anything is started."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairplay.conformance.case import Case
from fairplay.conformance.cases import cases
from fairplay.conformance.certify import EXAMPLES, LISTEN, limits_of, make_transport
from fairplay.conformance.engine import chosen
from fairplay.conformance.known_failures import read_known_failures
from fairplay.conformance.report import Run
from fairplay.games.conformance import Level
from fairplay.games.game import Game, find
from fairplay.server.errors import Refusal
from fairplay.server.links.opening import START_LIMIT_S, parse_link


@dataclass(frozen=True, slots=True)
class Options:
    """What was typed. CallLimits in seconds; None: the game's own."""

    game: str
    player: str
    level: str = "all"
    only: str = ""
    seed: int = 1
    limit_s: float | None = None
    first_limit_s: float | None = None
    start_limit_s: float = START_LIMIT_S
    listen: str = LISTEN
    known_failures: str = ""
    examples: int = EXAMPLES


LEVELS = {"must": Level.MUST, "should": Level.SHOULD, "all": Level.MAY}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is tried on whom."""

    options: Options
    game: Game
    run: Run
    cases: Sequence[Case]
    known: frozenset[str]

    def repeat(self, case_id: str) -> str:
        """The command that tries one case again, exactly so."""
        options = self.options
        words = ["fairplay", "certify", options.game, options.player, "--only", case_id, "--seed", str(options.seed)]
        if options.limit_s is not None:
            words += ["--limit", f"{options.limit_s:g}s"]
        if options.first_limit_s is not None:
            words += ["--first-limit", f"{options.first_limit_s:g}s"]
        if options.start_limit_s != START_LIMIT_S:
            words += ["--start-limit", f"{options.start_limit_s:g}s"]
        if options.listen != LISTEN:
            words += ["--listen", options.listen]
        return shlex.join(words)


def plan_of(options: Options) -> Plan:
    """The plan. ValueError: the options make no sense; one sentence."""
    game = find(options.game)
    everything = cases(game)
    level = LEVELS.get(options.level)
    if level is None:
        raise ValueError(f"there is no level {options.level!r}: give must, should or all")
    kind = parse_link(options.player).kind
    make_transport(game, options.player, options.listen, options.start_limit_s)
    try:
        limits = limits_of(game, options.limit_s, options.first_limit_s)
    except Refusal as refusal:
        raise ValueError(refusal.message) from None
    ids = [case.id for case in everything]
    known = read_known_failures(Path(options.known_failures), ids) if options.known_failures else frozenset()
    run = Run(game.name, kind, options.seed, limits, level, options.only)
    return Plan(options, game, run, chosen(everything, level, options.only), known)

"""`fairplay compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import Cluster, GameName, JsonFile, Plain, Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which players are compared, and how sure the answer is to be."""

    game: GameName
    new: Annotated[str, argument("NEW", "The player that may be better, [NAME=]LINK.")]
    old: Annotated[str, argument("OLD", "The player that it is compared with, [NAME=]LINK.")]
    with_: Annotated[list[str] | None, option("SPEC", "Another player of every game, [NAME=]LINK; repeatable.")] = None
    roster: Annotated[Path | None, option("FILE", "NEW, OLD and --with may be names of this roster.")] = None
    elo0: Annotated[float, option("N", "Better by so much or less is not better.")] = 0.0
    elo1: Annotated[float, option("N", "Better by so much or more is better.")] = 50.0
    error: Annotated[float, option("P", "How often an answer may be wrong.")] = 0.05
    games: Annotated[int, option("N", "The most games to play.", min=1, max=1_000_000)] = 2_000
    concurrency: Annotated[int, option("N", "Games at once. 0: one for each core.", min=0, max=256)] = 0
    cluster: Cluster
    plain: Plain = False
    setup: Setup
    json: JsonFile = None


@command
def compare(options: CompareOptions) -> int:
    """Find out whether one player is better than another one, with as few games as that takes.

    Both play the same deals from every seat. Exit code 0: NEW is better; 1: it is not; 3: still undecided after the
    most games.

    Examples:

    \b
      fairplay compare fish bot:minimax bot:greedy
      fairplay compare fish "exec:python new.py" "exec:python old.py" --elo1 30 --games 5000
      fairplay compare q exec:./new exec:./old --with bot:best --with bot:dag --json result.json
    """
    from fairplay.terminal.playing.compare import compare_players

    return compare_players(options)

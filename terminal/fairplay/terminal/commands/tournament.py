"""`fairplay tournament`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fairplay.terminal.commands.options import command, option
from fairplay.terminal.commands.parameters import (
    Authorities,
    Cluster,
    Files,
    GameName,
    OptionalPlayers,
    Plain,
    RosterFile,
    ServerAddress,
    Setup,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentOptions:
    """What tournament is played, and by whom."""

    game: GameName
    player: OptionalPlayers = None
    roster: RosterFile = None
    server: ServerAddress = None
    ca: Authorities = None
    format: Annotated[
        str, option("FORMAT", "A format with its settings, e.g. 'swiss rounds=7': see fairplay formats.")
    ] = "knockout"
    deals: Annotated[
        int, option("N", "Each group plays N deals, each with all rotations of seats.", min=0, max=1000)
    ] = 0
    failures_allowed: Annotated[
        int | None, option("N", "With one more a player is withdrawn. Default: the format's.", min=0)
    ] = None
    concurrency: Annotated[int, option("N", "Games at once. Default: as suits.", min=0, max=1000)] = 0
    cluster: Cluster
    title: Annotated[str, option("TEXT", "What people call it.")] = ""
    order: Annotated[str, option("WORD", "dealt: drawn by the seed; given: as named, the youngest first.")] = "dealt"
    examine: Annotated[
        bool, option("", "Have the server run the conformance suite on each player; who fails is out.")
    ] = False
    plain: Plain = False
    setup: Setup
    files: Files


@command
def tournament(options: TournamentOptions) -> int:
    """Run a tournament.

    Each game has settings for tournaments, which fairplay games GAME shows; --set changes some of them.
    With --records a tournament that was interrupted goes on when the same command is given again.
    Exit code 1: it was cancelled, nobody is left at its end, or nobody has finished a game.

    Examples:

    \b
      fairplay tournament fish -p bot:minimax -p bot:greedy -p bot:random -p me=exec:./my-player
      fairplay tournament fish --roster roster.toml --format 'swiss rounds=7' --deals 1 --records cup --report cup.html
      fairplay tournament fish --server host:50050 -p dial-in:alice -p dial-in:bob --json result.json
    """
    from fairplay.terminal.playing.tournament import play_tournament

    return play_tournament(options)

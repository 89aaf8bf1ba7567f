"""Commands that play games, or show what was played: demo, game, tournament, standings, compare; and roster."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fairplay.terminal.commands.options import argument, command, option
from fairplay.terminal.commands.parameters import (
    MAX_SEED,
    Authorities,
    Cluster,
    Files,
    GameName,
    JsonFile,
    OptionalPlayers,
    Plain,
    Players,
    RecordsSource,
    RosterFile,
    SandboxMode,
    ServerAddress,
    Setup,
    complete_game,
)


@command
def demo(
    game: Annotated[str, option("GAME", "The game to show.", autocompletion=complete_game)] = "fish",
    records: Annotated[Path | None, option("DIR", "Keep the records here. Default: a new directory.")] = None,
    seed: Annotated[int, option("N", "The same seed, the same boards.", min=0, max=MAX_SEED - 1)] = 1,
    sandbox: SandboxMode = "auto",
    json: JsonFile = None,
) -> int:
    """Watch a tournament of ten programs, three of them broken.

    Each is a process of its own, and all that is said between them goes over gRPC.

    Example:

    \b
      fairplay demo
    """
    from fairplay.terminal.playing.demo import run_demo

    return run_demo(game, records, seed, sandbox, json)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOptions:
    """What game is played, and by whom."""

    game: GameName
    player: Players
    server: ServerAddress = None
    ca: Authorities = None
    state: Annotated[Path | None, option("FILE", "A state to start from, as protobuf-JSON.")] = None
    setup: Setup
    json: JsonFile = None


@command
def game(options: GameOptions) -> int:
    """Play one game. The players sit in the order in which they are named.

    Exit code 1: the game was aborted, or nobody is left at its end.

    Examples:

    \b
      fairplay game fish --player bot:minimax --player bot:random --seed 1
      fairplay game fish --player me=exec:./my-player --player bot:greedy --set rows=6 --json result.json
    """
    from fairplay.terminal.playing.game import play_game

    return play_game(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Who may enter a tournament beside the players that are named."""

    sign_up: Annotated[
        str, option("ID", "Let players sign up under this id: see fairplay signup. It is on the server of --server.")
    ] = ""
    entrants: Annotated[
        str, option("MIN-MAX", "With --sign-up: how many there must be, and may be; it starts with the most.")
    ] = ""
    closes_after: Annotated[
        str, option("TIME", "With --sign-up: start then, if there are enough. Default: when you say so.")
    ] = ""


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
    open: Open = field(default_factory=Open)
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
      fairplay tournament fish --server host:50050 --sign-up cup --entrants 5-60 --format swiss
    """
    from fairplay.terminal.playing.tournament import play_tournament

    return play_tournament(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignUpOptions:
    """Who enters which tournament, and where."""

    tournament: Annotated[str, argument("TOURNAMENT", "Its id.")]
    player: Annotated[
        str, argument("PLAYER", "[NAME=]LINK: dial-in:NAME, or grpc://HOST:PORT where the server may call players.")
    ]
    server: Annotated[str, option("HOST:PORT", "The server; grpcs:// over TLS.")] = "127.0.0.1:50050"
    ca: Authorities = None
    token: Annotated[
        str, option("SECRET", "On a server without accounts: that with which it dials in, or that of --withdraw.")
    ] = ""
    certificate: Annotated[
        Path | None, option("FILE", "What fairplay certify --json wrote, where the tournament asks for it.")
    ] = None
    patience: Annotated[str, option("TIME", "How long to wait for it to dial in.")] = "30s"
    withdraw: Annotated[bool, option("", "Take the player out again, while the sign-up is open.")] = False


@command
def signup(options: SignUpOptions) -> None:
    """Sign a player up for a tournament on a server.

    One that dials in may do so before or after this command. FAIRPLAY_TOKEN is the token of your account, where the
    server has accounts. Exit code 1: it may not enter; 2: something typed cannot be meant.

    Examples:

    \b
      fairplay signup cup dial-in:alice --server host:50050
      fairplay signup cup alice=grpc://192.0.2.7:50051 --server host:50050
      fairplay signup cup alice --withdraw --server host:50050
    """
    from fairplay.terminal.playing.signup import sign_up

    sign_up(options)


@command
def standings(
    records: RecordsSource,
    tournament: Annotated[
        str | None, argument("TOURNAMENT", "Its id or the beginning of it. Default: the only one.")
    ] = None,
    roster: RosterFile = None,
    *,
    files: Files,
) -> None:
    """Show the standings of a recorded tournament, and make its report, grades and result again.

    Also of one that is still running, as far as it is recorded. Nothing is played, and the records are not changed.

    Examples:

    \b
      fairplay standings cup/
      fairplay standings cup/ fish-3f2a --report cup.html --grades grades.csv --grading 'place=60,failure=-5,least=0'
    """
    from fairplay.terminal.reports.outputs import show_standings
    from fairplay.terminal.roster import read_roster

    show_standings(records, tournament, read_roster(roster) if roster is not None else None, files)


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


@command
def roster(
    folder: Annotated[Path, argument("FOLDER", "A folder with a program in each folder or file.")],
    command: Annotated[
        str,
        option("TEMPLATE", "The command that starts a program: {path} stands for its path, {name} for its name.", "-c"),
    ],
    output: Annotated[Path | None, option("FILE", "A new file. Default: print it.", "-o")] = None,
    start_limit: Annotated[str | None, option("TIME", "Time to come up, for each program.")] = None,
) -> None:
    """Make a roster from a folder of programs, for fairplay tournament and fairplay certify.

    A program whose command names files that are not there is listed all the same, and named.

    Examples:

    \b
      fairplay roster programs/ --command 'python {path}/player.py' -o roster.toml
      fairplay roster programs/ --command 'sh -c "cd {path} && ./run"'
    """
    from fairplay.terminal.roster import make_roster

    make_roster(folder, command, output, start_limit)

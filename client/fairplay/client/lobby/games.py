"""What the installed games offer to people in the lobby."""

from __future__ import annotations

from collections.abc import Iterator

from fairplay.games.frontends import Frontend, Guide, find_frontend
from fairplay.games.game import find, registered
from fairplay.v1.table_pb2 import Table

PROGRAM_LINKS = "grpc://HOST:PORT, dial-in:NAME or bot:STRATEGY"
HELP = """\
In the list of tables: arrow keys choose, Enter goes to a table, n makes one. The right side shows who is here. \
c changes your name.

At a table: j takes a seat, r says that you are ready, or not any more: when all are, the game starts. g starts it at \
once with all who have a seat, b puts bots on the free seats. t (or Tab) talks to everybody at the table and Esc ends \
talking, l leaves the table and its game, d deletes it if it is yours. A table that was made for a number of players \
starts its game by itself when the last seat is taken.

Who was cut off in the middle of a game starts this program again under the same name, within the grace time of the \
server (ten seconds, unless its operator says otherwise): the seat and the open question are still there.

To join without playing yourself give the link of a program: grpc://HOST:PORT for one that serves, dial-in:NAME for \
one that has dialled in, bot:STRATEGY for one of the server's own.

q and Ctrl-C leave the lobby."""


def frontend_of(game: str) -> Frontend | None:
    """Return the front end with which a person can play a game here, or None if there is none."""
    return find_frontend(game) if game in registered() else None


def suggestions(game: str) -> tuple[str, str]:
    """Return settings and a time limit that suit people, for the form of a new table."""
    frontend = find_frontend(game)
    return (frontend.settings, frontend.limit) if frontend is not None else ("", "")


def titles() -> Iterator[tuple[str, str]]:
    """Yield the title and the name of each game."""
    for name in registered():
        yield find(name).title, name


def strategies(table: Table) -> tuple[str, str]:
    """Return a strategy of bots that suits people at a table, and all that are known here; empty if none is."""
    frontend = frontend_of(table.game)
    known = ", ".join(find(table.game).strategies) if table.game in registered() else ""
    return frontend.bot if frontend is not None else "", known


def help_text(table: Table | None) -> str:
    """Return the help for where the user is: at a table, or at none."""
    frontend = frontend_of(table.game) if table is not None else None
    if frontend is None or table is None:
        return HELP
    return "\n\n".join([f"{find(table.game).title}. {frontend.help}", *guide_lines(frontend.guide), HELP])


def guide_lines(guide: Guide | None) -> Iterator[str]:
    """Yield how a game is played, a paragraph each."""
    if guide is not None:
        yield guide.goal
        yield "\n".join(f"- {sentence}" for sentence in guide.turn)
        yield "\n".join(f"- {sentence}" for sentence in guide.scoring)
        if guide.more:
            yield "\n".join(f"{word}: {sentence}" for word, sentence in guide.more.items())

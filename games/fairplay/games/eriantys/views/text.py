"""A state of Eriantys as text for a terminal.

It is made of a state message, full or public, and the names of the players by seat. Hands are shown if the state has
them; of the bag only the number of students is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys.rules.characters import NAMES
from fairplay.games.eriantys.views.words import (
    INITIALS,
    NAME_LIMIT,
    Group,
    Seat,
    course,
    fives,
    groups,
    last_action,
    seats,
)
from fairplay.games.frontends import Choice
from fairplay.games.kit.lettering import literally, name_column
from fairplay.games.kit.person import Marks, choice_lines

_STYLES = {  # each student is an initial on its own colour, so that it is seen on any background
    "G": "bold #ffffff on #1b7340",
    "R": "bold #ffffff on #b3261e",
    "Y": "bold #000000 on #f4c531",
    "P": "bold #000000 on #ee96c2",
    "B": "bold #ffffff on #1d56b0",
}
_TOWERS = {0: "  ", 1: "[#ffffff on #222222]♜[/] ", 2: "[#000000 on #ffffff]♜[/] ", 3: "[#ffffff on #777777]♜[/] "}
_MUTED, _MARK, _MOTHER = "#5f8296", "bold #c77700", "bold #ffffff on #b45309"
_MOST_CHOICES = 6  # lines of them: the islands below them still fit on a small screen
_SIDE_NAME = 14  # cells of a name beside the board


def text(state: eriantys_pb2.State, players: Sequence[str]) -> str:
    """Return a picture in rich's console markup, at most 76 cells wide."""
    words, done = course(state), last_action(state, players)
    lines = [
        f"[default][bold]{words[0].upper()}{words[1:]}[/][/]",
        *([f"[{_MARK}]{literally(done)}[/]"] if done else []),
        "",
        *_islands(groups(state)),
        *_clouds(state),
        *_characters(state),
        "",
    ]
    for seat in seats(state, players):
        lines += _seat(seat)
    return "\n".join(lines)


def board_text(
    state: eriantys_pb2.State, players: Sequence[str], hand: Sequence[int], choices: Sequence[Choice], marks: Marks
) -> str:
    """Return the board for a person in rich's console markup, at most 76 cells wide; `hand` are its own assistants.

    What can be chosen stands first, as the rest is longer than a small screen.
    """
    lines = choice_lines(choices, marks, _MOST_CHOICES)
    if hand:
        lines.append(f"{_label('your hand')}[default]{' '.join(map(str, hand))}[/]")
    return "\n".join([*lines, *([""] if lines else []), text(state, players)])


def side_text(state: eriantys_pb2.State, players: Sequence[str]) -> str:
    """Return the players with what they are about to do in rich's console markup, 22 cells wide."""
    lines = []
    for seat in seats(state, players):
        mark = "▸" if seat.turn else "★" if seat.won else " "
        towers = f"{_TOWERS[seat.tower]}{seat.towers}" if seat.towers else ""
        lines.append(f"[{_MARK}]{mark}[/] [default]{name_column(seat.name, _SIDE_NAME)}[/] {towers}")
        lines += [f"[{_MUTED}]  {seat.status}[/]"] if seat.status else []
    return "\n".join(lines)


def _label(title: str) -> str:
    return f"[{_MUTED}]{title:<11}[/]"


def _chips(counts: Sequence[int]) -> tuple[str, int]:
    """Return students with their numbers, and how many cells that takes."""
    held = [(initial, count) for initial, count in zip(INITIALS, counts, strict=True) if count]
    if not held:
        return "[default]-[/]", 1
    parts = [f"[{_STYLES[initial]}]{initial}[/][default]{count}[/]" for initial, count in held]
    return " ".join(parts), sum(1 + len(str(count)) for _, count in held) + len(held) - 1


def _islands(found: Sequence[Group]) -> Iterator[str]:
    """Yield one group a line, or two if there are many."""
    parts = [_island(group) for group in found]
    half = -(-len(parts) // 2) if len(parts) > 6 else len(parts)
    for row in range(half):
        left, width = parts[row]
        right = parts[row + half][0] if row + half < len(parts) else ""
        padding = " " * (38 - width) if right else ""
        yield f"{left}{padding}{right}"


def _island(group: Group) -> tuple[str, int]:
    tiles = f"{group.tiles[0]}" if len(group.tiles) == 1 else f"{group.tiles[0]}-{group.tiles[-1]}"
    mother = f"[{_MOTHER}]M[/]" if group.mother_nature else " "
    blocked = f" [bold #c2342c]x{group.no_entry}[/]" if group.no_entry else ""
    students, width = _chips(group.students)
    head = f"{mother} [{_MUTED}]{tiles:>5}[/] {_TOWERS[group.tower]}"
    return f"{head}{students}{blocked}", 10 + width + (1 + len(f"x{group.no_entry}") if group.no_entry else 0)


def _clouds(state: eriantys_pb2.State) -> Iterator[str]:
    shown = "   ".join(_chips(counts)[0] for counts in fives(state.cloud_students))
    closed = " [default](closed)[/]" if state.clouds_closed else ""
    yield ""
    yield f"{_label('clouds')}{shown}{closed}"
    yield f"{_label('bag')}[default]{state.bag_count}[/]"


def _characters(state: eriantys_pb2.State) -> Iterator[str]:
    held = fives(state.character_students)
    for place, (number, cost) in enumerate(zip(state.characters, state.character_costs, strict=True)):
        students = f"  {_chips(held[place])[0]}" if any(held[place]) else ""
        tiles = state.character_no_entry_counts[place]
        blocked = f"  [bold #c2342c]x{tiles}[/]" if tiles else ""
        played = f"  [{_MARK}]in this turn[/]" if state.played_character == number else ""
        name = f"{number} {NAMES.get(number, 'character')}"
        yield f"{_label('' if place else 'characters')}[default]{name:<18} costs {cost}[/]{students}{blocked}{played}"
    if state.characters:
        yield f"{_label('reserve')}[default]{state.reserve_count}[/]"


def _seat(seat: Seat) -> Iterator[str]:
    """Yield a player's lines; `default` keeps rich from colouring numbers, and parts of names that look like code."""
    mark = "▸" if seat.turn else "★" if seat.won else " "
    name = name_column(seat.name, NAME_LIMIT)
    towers = f"{_TOWERS[seat.tower]}[default]{seat.towers}[/]" if seat.towers else "[default]   [/]"
    coins = f"  [default]coins {seat.coins}[/]" if seat.coins is not None else ""
    yield f"[{_MARK}]{mark}[/] [default]{name}[/] {towers}{coins}  [default]{seat.status}[/]".rstrip()
    hand = f": {' '.join(map(str, seat.hand))}" if seat.hand else ""
    played = f"{seat.assistant} played, " if seat.assistant else ""
    yield f"  {_label('assistants')}[default]{played}{seat.hand_size} in hand{hand}[/]"
    yield f"  {_label('entrance')}{_chips(seat.entrance)[0]}"
    yield f"  {_label('dining room')} {_tables(seat)}"


def _tables(seat: Seat) -> str:
    """Return the students at each table, with a star if the professor is there."""
    parts = zip(INITIALS, seat.dining, seat.professors, strict=True)
    return " ".join(
        f"[{_STYLES[initial]}]{initial}[/][default]{count:>2}[/][{_MARK}]{'★' if professor else ' '}[/]"
        for initial, count, professor in parts
    )

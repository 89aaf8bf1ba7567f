"""The rules of fish for people who bring their own test data: plain values in, plain values out.

What goes in and comes out is what `json.loads` gives, in the shapes of fish.md section 8:

    board     [[fish, ...], ...]                    0 = hole; short rows end in holes
    position  [row, column]
    state     {"players": [{"color": color, "score": fish, "places": [position, ...]}, ...], "board": board}
    action    [position, position], or false to skip a turn

The players are listed in turn order, the one to act first. A value of another shape is a ValueError that says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from fairplay.games.fish import rules
from fairplay.games.fish.players.strategies import strategy
from fairplay.games.fish.rules import Board, Move, Place, State

Plain: TypeAlias = object


class Game(NamedTuple):
    """A state and the colour of each of its seats, which are numbered in the order of the plain value."""

    state: State
    colors: tuple[str, ...]


# Reading and writing


def read_board(value: Plain) -> Board:
    """The board in a plain value."""
    rows = [_list(row, f"board[{number}]") for number, row in enumerate(_list(value, "board"))]
    fish = [
        [_natural(each, f"board[{row}][{column}]") for column, each in enumerate(tiles)]
        for row, tiles in enumerate(rows)
    ]
    if not any(fish):
        raise ValueError("board has no tiles.")
    return rules.board_of_rows(fish)


def write_board(state: State) -> list[list[int]]:
    """The board as it is now, all rows of the same length."""
    columns, fish = state.board.columns, list(rules.tiles(state))
    return [fish[start : start + columns] for start in range(0, len(fish), columns)]


def read_state(value: Plain, penguins: int | None = None) -> Game:
    """The state in a plain value; the first player becomes seat 0.

    `penguins` is how many each player places in all: as long as one has fewer, penguins are being placed. Without it
    all have been placed. Where the first player cannot act, the turn is the next one's that can.
    """
    fields = _fields(value, "state", ("players", "board"))
    board = read_board(fields["board"])
    players = [
        _fields(player, f"players[{number}]", ("color", "score", "places"))
        for number, player in enumerate(_list(fields["players"], "players"))
    ]
    places = [_places(player["places"], f"players[{seat}].places", board) for seat, player in enumerate(players)]
    _refuse_repeated([cell for own in places for cell in own], "Two penguins stand on the same tile.")
    state = rules.state_of(
        board,
        places,
        scores=[_natural(player["score"], f"players[{seat}].score") for seat, player in enumerate(players)],
        penguins=min(map(len, places), default=0) if penguins is None else penguins,
    )
    return Game(state, _colors([player["color"] for player in players]))


def write_state(game: Game) -> dict[str, Any]:
    """The surviving players of a state, the one to act first, and the board as it is now."""
    state, columns = game.state, game.state.board.columns
    count = len(state.places)
    players = [
        {
            "color": game.colors[seat],
            "score": state.scores[seat],
            "places": [list(divmod(cell, columns)) for cell in state.places[seat]],
        }
        for seat in ((state.seat + step) % count for step in range(count))
        if state.alive[seat]
    ]
    return {"players": players, "board": write_board(state)}


def read_action(value: Plain, board: Board) -> Move | Place | None:
    """The action in [position, position], in a position, or in false; cell -1 stands for all that is off the board."""
    if value is False:
        return None
    parts = _list(value, "action")
    if parts and isinstance(parts[0], list):
        if len(parts) != 2:
            raise ValueError("action is neither [position, position] nor false.")
        return Move(*(_cell(part, f"action[{number}]", board) for number, part in enumerate(parts)))
    return Place(_cell(value, "action", board))


# Questions


def reach(board: Plain, position: Plain) -> list[list[int]]:
    """The positions in reach of a penguin on a board without others, in the order N, NE, SE, S, SW, NW."""
    known = read_board(board)
    cell = _on_board(position, "position", known)
    state = rules.state_of(known, [()], penguins=0)
    return [list(divmod(target, known.columns)) for target in rules.reach(state, cell)]


def legal_moves(state: Plain) -> list[list[list[int]]]:
    """All moves of the first player, penguin by penguin, each in the order of `reach`; [] where it is stuck."""
    current = read_state(state).state
    columns = current.board.columns
    return [
        [list(divmod(cell, columns)), list(divmod(target, columns))]
        for cell in current.places[0]
        for target in rules.reach(current, cell)
    ]


def refusal(state: Plain, action: Plain, penguins: int | None = None) -> str | None:
    """The id of the rule that the first player's action breaks, None where it is legal.

    The actions of a player that has still to place penguins are positions. Only a stuck player may skip.
    """
    current = read_state(state, penguins).state
    taken = read_action(action, current.board)
    if rules.turn(current) == 0 or taken is not None:
        return rules.violation(current._replace(seat=0, over=False), taken)
    return None


def apply(state: Plain, action: Plain, penguins: int | None = None) -> dict[str, Any]:
    """The state after the first player's action, whose turn it is then first. ValueError: the rule that forbids it."""
    if rule := refusal(state, action, penguins):
        raise ValueError(f"{rule}: {rules.RULES[rule]}")
    game = read_state(state, penguins)
    taken = read_action(action, game.state.board)
    return write_state(game if taken is None else Game(rules.apply(game.state, taken), game.colors))


def eliminate(state: Plain, color: str, penguins: int | None = None) -> dict[str, Any]:
    """The state without the player of a colour and its penguins."""
    game = read_state(state, penguins)
    if color not in game.colors:
        raise ValueError(f"No player is {color!r}: the players are {', '.join(game.colors)}.")
    return write_state(Game(rules.eliminate(game.state, game.colors.index(color)), game.colors))


def scores(state: Plain) -> dict[str, int]:
    """The fish collected by each colour."""
    game = read_state(state)
    return dict(zip(game.colors, rules.scores(game.state), strict=True))


def ranking(state: Plain) -> list[list[str]]:
    """The colours, best first, those with the same score in one group."""
    game = read_state(state)
    return [[game.colors[seat] for seat in group] for group in rules.ranking(game.state)]


def answer(state: Plain, spec: str, penguins: int | None = None) -> Plain:
    """What a strategy, e.g. "minimax:depth=2", answers as the first player: a position or an action."""
    current = read_state(state, penguins).state
    columns = current.board.columns
    if rules.turn(current) != 0:
        return False
    if rules.placing(current):
        return list(divmod(strategy(spec).place(current, 0), columns))
    return [list(divmod(cell, columns)) for cell in strategy(spec).move(current, 0)]


# Whole games

METHODS = ("setup", "take-turn")
FAILURES = ("raises", "hangs")
CHEATS = ("off-board", "stay", "skip")


def play(state: Plain, actors: Plain, penguins: int | None = None) -> dict[str, Any]:
    """A whole game from a state, between actors in the order of its players.

    An actor is [strategy], or with a fault: [strategy, "raises" or "hangs", "setup" or "take-turn", n] fails in its
    n-th call of that method; [strategy, "cheats", "off-board", "stay" or "skip"] cheats in each of its turns. The
    result has "ranking" (groups of colors, best first), "scores" of those ranked, and "out" (colors, in the order of
    elimination).
    """
    current, colors = read_state(state, penguins)
    cast = [_actor(actor, number) for number, actor in enumerate(_list(actors, "actors"))]
    if len(cast) != len(colors):
        raise ValueError(f"{len(colors)} players need as many actors, not {len(cast)}.")
    calls = [dict.fromkeys(METHODS, 0) for _ in cast]
    out = []
    while (seat := rules.turn(current)) is not None:
        method = METHODS[0] if rules.placing(current) else METHODS[1]
        calls[seat][method] += 1
        action = _decision(cast[seat], current, seat, method, calls[seat][method])
        if action == "fails" or rules.violation(current, action) is not None:
            out.append(colors[seat])
            current = rules.eliminate(current, seat)
        else:
            current = rules.apply(current, action)
    groups = [[colors[seat] for seat in group] for group in rules.ranking(current)]
    ranked = {colors[seat]: current.scores[seat] for group in rules.ranking(current) for seat in group}
    return {"ranking": groups, "scores": ranked, "out": out}


def _actor(value: Plain, number: int) -> list[Any]:
    actor: list[Any] = _list(value, f"actors[{number}]")
    fault = actor[1:]
    sound = not fault
    fails = len(fault) == 3 and fault[0] in FAILURES and fault[1] in METHODS and isinstance(fault[2], int)
    cheats = len(fault) == 2 and fault[0] == "cheats" and fault[1] in CHEATS
    if not actor or not (sound or fails or cheats):
        raise ValueError(f"actors[{number}] must be a strategy, with or without a fault.")
    return [strategy(str(actor[0])), *fault]


def _decision(actor: list[Any], state: State, seat: int, method: str, count: int) -> Any:
    """The action of an actor, or "fails"."""
    brain, *fault = actor
    if fault and fault[0] in FAILURES and fault[1] == method and count >= fault[2]:
        return "fails"
    if method == METHODS[0]:
        return Place(brain.place(state, seat)) if state.taken.bit_count() < state.board.geometry.size else "fails"
    if fault and fault[0] == "cheats":
        source, size = state.places[seat][0], state.board.geometry.size
        return {"off-board": Move(source, size), "stay": Move(source, source), "skip": None}[fault[1]]
    return brain.move(state, seat)


# Shapes


def _list(value: Plain, where: str) -> list[Plain]:
    if not isinstance(value, list):
        raise ValueError(f"{where} must be an array.")
    return value


def _natural(value: Plain, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{where} must be a natural number.")
    return value


def _fields(value: Plain, where: str, names: Sequence[str]) -> dict[str, Plain]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise ValueError(f"{where} must be an object with {', '.join(names)}.")
    return value


def _colors(values: Sequence[Plain]) -> tuple[str, ...]:
    colors = tuple(color for color in values if isinstance(color, str) and color in rules.COLORS)
    if len(colors) < len(values):
        raise ValueError(f"A player's color must be one of {', '.join(rules.COLORS)}.")
    _refuse_repeated(colors, "Two players have the same color.")
    return colors


def _refuse_repeated(values: Sequence[object], sentence: str) -> None:
    if len(set(values)) < len(values):
        raise ValueError(sentence)


def _places(value: Plain, where: str, board: Board) -> list[int]:
    cells = [_on_board(place, f"{where}[{number}]", board) for number, place in enumerate(_list(value, where))]
    for number, cell in enumerate(cells):
        if not board.fish[cell]:
            raise ValueError(f"{where}[{number}] is a hole.")
    return cells


def _on_board(value: Plain, where: str, board: Board) -> int:
    cell = _cell(value, where, board)
    if cell < 0:
        raise ValueError(f"{where} is not on the board of {board.rows} rows and {board.columns} columns.")
    return cell


def _cell(value: Plain, where: str, board: Board) -> int:
    """The cell of a position, -1 where it is off the board."""
    parts = _list(value, where)
    if len(parts) != 2:
        raise ValueError(f"{where} must be [row, column].")
    row, column = (_natural(part, f"{where}[{number}]") for number, part in enumerate(parts))
    return row * board.columns + column if row < board.rows and column < board.columns else -1

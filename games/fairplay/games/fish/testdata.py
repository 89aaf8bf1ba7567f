"""Test data for Fish: questions about its rules, strategies, games and tournaments, with plain JSON values.

The values have these forms, those of fish.md section 8:

    board      [[fish, ...], ...]                    0 = hole; short rows end in holes
    position   [row, column]
    state      {"players": [{"color": color, "score": fish, "places": [position, ...]}, ...], "board": board}
    action     [position, position], or false to skip a turn; while penguins are placed: a position
    penguins   how many each player places in all, or null if all are placed; may be left out at the end of the input
    strategy   e.g. "minimax:depth=2"
    settings   an object with the settings that differ from the defaults, e.g. {"rows": 4, "board": board}
    actor      [name, strategy], and in what it fails: see `fairplay.games.kit.testdata.Script`. Its methods are
               play-as, play-with, setup, take-turn, in tournaments start and end, too; its cheats off-board, stay, skip

The players of a state are listed in turn order, the one to act first. A value of another form raises a ValueError that
says where.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from fairplay.games.fish import rules
from fairplay.games.fish.mutations import MUTATIONS
from fairplay.games.fish.players import Minimax, player, strategy
from fairplay.games.fish.protocol import METHODS, Shown, color_of, colors, play
from fairplay.games.fish.rules import Settings, State
from fairplay.games.fish.rules.board import Action, Board, Move, Place, board_of_rows
from fairplay.games.game import Start
from fairplay.games.kit import knockout
from fairplay.games.kit import testdata as kit
from fairplay.games.kit.conformance import pick_mutations
from fairplay.games.kit.player_service import END, START
from fairplay.games.kit.testdata import Json, question

SIZES = range(rules.MIN_SEATS, rules.MAX_SEATS + 1)
MAX_SEED = 2**64 - 1
NO_SETTINGS: Json = {}
CHEATS = pick_mutations(MUTATIONS, {"off-board": "moves-one-too-far-off", "stay": "stays", "skip": "skips"})


# How values are read and written


class Table(NamedTuple):
    """A state and the colour of each of its seats, which are numbered in the order of the players."""

    state: State
    colors: tuple[str, ...]


def read_board(value: Json, where: str = "board") -> Board:
    """Return the board with these rows. Raises ValueError if the value has another form."""
    rows = [kit.read_list(row, f"{where}[{number}]") for number, row in enumerate(kit.read_list(value, where))]
    fish = [
        [kit.read_int(each, f"{where}[{row}][{column}]", 0) for column, each in enumerate(tiles)]
        for row, tiles in enumerate(rows)
    ]
    if not any(fish):
        raise ValueError(f"{where} has no tiles.")
    return board_of_rows(fish)


def read_state(value: Json, penguins: Json = None) -> Table:
    """Return the state in a JSON value; its first player becomes seat 0.

    `penguins` is how many each player places in all: as long as one has fewer, penguins are being placed. Without it
    all have been placed. If the first player cannot act, the turn is the next one's that can. Raises ValueError if a
    value has another form.
    """
    fields = kit.read_object(value, "state", ("players", "board"))
    board = read_board(fields["board"])
    listed = enumerate(kit.read_list(fields["players"], "players"))
    players = [kit.read_object(each, f"players[{seat}]", ("color", "score", "places")) for seat, each in listed]
    places = [_read_places(each["places"], f"players[{seat}].places", board) for seat, each in enumerate(players)]
    _check_distinct([cell for own in places for cell in own], "Two penguins stand on the same tile.")
    state = rules.state_of(
        board,
        places,
        scores=[kit.read_int(each["score"], f"players[{seat}].score", 0) for seat, each in enumerate(players)],
        penguins=min(map(len, places), default=0) if penguins is None else kit.read_int(penguins, "penguins", 0),
    )
    colors = [kit.read_text(each["color"], f"players[{seat}].color", rules.COLORS) for seat, each in enumerate(players)]
    _check_distinct(colors, "Two players have the same color.")
    return Table(state, tuple(colors))


def read_action(value: Json, board: Board) -> Action | None:
    """Return the action in [from, to], in a position, or None for false; cell -1 stands for all that is off the board.

    Raises ValueError if the value has another form.
    """
    if value is False:
        return None
    parts = kit.read_list(value, "action", count=2)
    if isinstance(parts[0], list):
        return Move(*(_read_cell(part, f"action[{number}]", board) for number, part in enumerate(parts)))
    return Place(_read_cell(value, "action", board))


def read_position(value: Json, where: str, board: Board) -> int:
    """Return the cell of a position. Raises ValueError if it has another form or is not on the board."""
    cell = _read_cell(value, where, board)
    if cell < 0:
        raise ValueError(f"{where} is not on the board of {board.rows} rows and {board.columns} columns.")
    return cell


def read_chosen(value: Json) -> Settings:
    """Return the settings in a JSON value. Raises ValueError if a name or value is not allowed."""

    def read_rows(value: Json, where: str) -> tuple[tuple[int, ...], ...]:
        board = read_board(value, where)
        return tuple(board.fish[start : start + board.columns] for start in range(0, len(board.fish), board.columns))

    return kit.read_settings(value, Settings, rules.settings_problem, board=read_rows)


def _read_places(value: Json, where: str, board: Board) -> list[int]:
    cells = [
        read_position(place, f"{where}[{number}]", board) for number, place in enumerate(kit.read_list(value, where))
    ]
    for number, cell in enumerate(cells):
        if not board.fish[cell]:
            raise ValueError(f"{where}[{number}] is a hole.")
    return cells


def _read_cell(value: Json, where: str, board: Board) -> int:
    parts = enumerate(kit.read_list(value, where, count=2))
    row, column = (kit.read_int(part, f"{where}[{number}]", 0) for number, part in parts)
    return row * board.columns + column if row < board.rows and column < board.columns else -1


def _check_distinct(values: Sequence[object], sentence: str) -> None:
    if len(set(values)) < len(values):
        raise ValueError(sentence)


def write_board(state: State) -> Json:
    """Return the board as it is now, all rows of the same length."""
    columns, fish = state.board.columns, list(rules.tiles(state))
    return [fish[start : start + columns] for start in range(0, len(fish), columns)]


def write_state(table: Table) -> dict[str, Any]:
    """Return the surviving players of a state, the one to act first, and the board as it is now."""
    state, count = table.state, len(table.state.places)
    players = [
        {
            "color": table.colors[seat],
            "score": state.scores[seat],
            "places": [write_position(cell, state.board) for cell in state.places[seat]],
        }
        for seat in ((state.seat + step) % count for step in range(count))
        if state.alive[seat]
    ]
    return {"players": players, "board": write_board(state)}


def write_position(cell: int, board: Board) -> Json:
    """Return the position of a cell."""
    return list(divmod(cell, board.columns))


def write_action(action: Action, board: Board) -> Json:
    """Return a placement as a position, a move as [from, to]."""
    if isinstance(action, Place):
        return write_position(action.cell, board)
    return [write_position(cell, board) for cell in action]


# Rules


@question
def reach(board: Json, position: Json) -> Json:
    """List the positions in reach of a penguin that is alone on a board, in the order N, NE, SE, S, SW, NW."""
    known = read_board(board)
    cell = read_position(position, "position", known)
    return [write_position(target, known) for target in rules.reach(rules.state_of(known, [()], penguins=0), cell)]


@question
def legal(state: Json, penguins: Json = None) -> Json:
    """List all actions of the first player, in order of positions, or penguin by penguin in the order of `reach`.

    If the first player is stuck, there are none.
    """
    current = read_state(state, penguins).state
    board = current.board
    if rules.turn(current) == 0 and rules.placing(current):
        return [write_action(action, board) for action in rules.legal(current)]
    return [
        [write_position(cell, board), write_position(target, board)]
        for cell in current.places[0]
        for target in rules.reach(current, cell)
    ]


@question
def refusal(state: Json, action: Json, penguins: Json = None) -> str | None:
    """Name the rule that the first player's action breaks; null if it is legal. Only a stuck player may skip."""
    current = read_state(state, penguins).state
    taken = read_action(action, current.board)
    if rules.turn(current) == 0 or taken is not None:
        return rules.violation(current._replace(seat=0, over=False), taken)
    return None


@question
def apply(state: Json, action: Json, penguins: Json = None) -> Json:
    """Give the state after the first player's action, with the next player first; false if the action is illegal."""
    if refusal(state, action, penguins):
        return False
    table = read_state(state, penguins)
    taken = read_action(action, table.state.board)
    return write_state(table if taken is None else table._replace(state=rules.apply(table.state, taken)))


@question
def eliminate(state: Json, color: Json, penguins: Json = None) -> Json:
    """Give the state without the player of a colour and its penguins."""
    table = read_state(state, penguins)
    seat = table.colors.index(kit.read_text(color, "color", table.colors))
    return write_state(table._replace(state=rules.eliminate(table.state, seat)))


@question
def scores(state: Json) -> Json:
    """Give the fish collected by each colour."""
    table = read_state(state)
    return dict(zip(table.colors, rules.scores(table.state), strict=True))


@question
def ranking(state: Json) -> Json:
    """List the colours, best first, those with the same score in one group."""
    table = read_state(state)
    return [[table.colors[seat] for seat in group] for group in rules.ranking(table.state)]


# Strategies


@question
def step(state: Json, spec: Json, penguins: Json = None) -> Json:
    """Give what a strategy answers as the first player: a position or an action."""
    current = read_state(state, penguins).state
    chosen = strategy(kit.read_text(spec, "strategy"))
    if rules.turn(current) != 0:
        return False
    if rules.placing(current):
        return write_position(chosen.place(current, 0), current.board)
    return write_action(chosen.move(current, 0), current.board)


@question
def plan(state: Json, depth: Json) -> Json:
    """Give how many fish minimax is sure of in its next `depth` turns, and all moves until then: [fish, [action, ...]].

    The moves of the others are those that leave it least. A stuck player is sure of none, and plans no move.
    """
    current = read_state(state).state
    sure, line = Minimax(kit.read_int(depth, "depth", 1, 10)).plan(current, 0)
    return [sure, [write_action(move, current.board) for move in line]]


# Games


@question
def start(settings: Json, player_count: Json, seed: Json = 0) -> Json:
    """Give the state in which a fresh game begins, and how many penguins each player places: [state, penguins]."""
    rng = Random(kit.read_int(seed, "seed", 0, MAX_SEED))
    count = kit.read_int(player_count, "player_count", SIZES.start, SIZES.stop - 1)
    state = rules.initial(read_chosen(settings), count, rng)
    return [write_state(Table(state, rules.COLORS[:count])), state.penguins]


@question
def game(state: Json, actors: Json, penguins: Json = None) -> Json:
    """Play a game from a state, between actors in the order of its players: {"ranking", "scores", "eliminated"}.

    The ranking is groups of names, best first; the scores are those of its names; the others were eliminated, in order.
    """
    table = read_state(state, penguins)
    cast = read_actors(actors, len(table.colors))
    names = [actor.script.name for actor in cast]
    start = Shown(table.state, tuple(map(color_of, table.colors)))
    played = kit.play_game(play(Start("test", Settings(), names, start, fresh=False)), cast)
    groups = [[names[seat] for seat in group] for group in rules.ranking(played.state.state)]
    fish = {names[seat]: score for group in played.outcome.ranking for seat, score in group}
    return {"ranking": groups, "scores": fish, "eliminated": [names[seat] for seat in played.eliminated]}


def read_actors(value: Json, count: int | None = None, *, tournament: bool = False) -> list[kit.Actor]:
    """Return the actors in a JSON array, `count` of them if that is given. Raises ValueError if an item is no actor."""
    methods = (START, *METHODS.values(), END) if tournament else METHODS.values()
    scripts = kit.read_scripts(value, "actors", tuple(methods), CHEATS, count=count)
    return [kit.Actor(script, player(script.strategy), CHEATS) for script in scripts]


# Tournaments (section 7)


@question
def allocation(player_count: Json, smallest: Json = SIZES.start, largest: Json = SIZES.stop - 1) -> Json:
    """List the sizes of the games to which so many players are dealt, in order."""
    low = kit.read_int(smallest, "smallest", 1)
    return knockout.allocate(
        kit.read_int(player_count, "player_count", 0), range(low, kit.read_int(largest, "largest", low) + 1)
    )


@question
def tournament(actors: Json, settings: Json = NO_SETTINGS, seed: Json = 0, end_failure_is_failure: Json = True) -> Json:
    """Play a tournament between actors, the youngest first: {"winners", "failed", "rounds"}, all of names.

    A round is a list of games, a game the list of its players. Who fails in end is not a winner, and has failed only
    with `end_failure_is_failure`.
    """
    cast = read_actors(actors, tournament=True)
    chosen, rng = read_chosen(settings), Random(kit.read_int(seed, "seed", 0, MAX_SEED))
    strict = kit.read_flag(end_failure_is_failure, "end_failure_is_failure")
    conversation = knockout.play("test", len(cast), SIZES, strict)

    def play_fresh(players: Sequence[kit.Actor]) -> kit.PlayedGame:
        start = Shown(rules.initial(chosen, len(players), rng), colors(len(players)))
        return kit.play_game(play(Start("test", chosen, [], start, fresh=True)), players)

    return _written(kit.play_tournament(conversation, cast, play_fresh), cast)


@question
def knockouts(names: Json, outcomes: Json) -> Json:
    """Give the course of a tournament whose games end as given: {"winners", "failed", "rounds"}, all of names.

    `outcomes` has for each game, in the order in which they are played, the list of its winners and the list of those
    that failed in it: [[name, ...], [name, ...]].
    """
    actors = read_actors([[name, "first"] for name in kit.read_list(names, "names")], tournament=True)
    conversation = knockout.play("test", len(actors), SIZES)
    return _written(kit.play_tournament(conversation, actors, kit.play_scripted(outcomes)), actors)


def _written(played: kit.PlayedTournament, actors: list[kit.Actor]) -> Json:
    names = [actor.script.name for actor in actors]
    return {
        "winners": [names[entrant] for entrant in played.winners],
        "failed": [names[entrant] for entrant in played.failed],
        "rounds": [[[names[entrant] for entrant in game] for game in games] for games in played.rounds],
    }


TESTDATA = kit.collect_questions(globals())

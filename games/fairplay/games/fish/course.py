"""Fish in the protocol of its course of 2020: a connection lasts for a tournament (fish.md section 8).

    start(true) · playing-as(color) · playing-with([color, ...]) · setup(state) · take-turn(state, [action, ...])
    · end(won)

The values are those of `testdata`; setup is answered by a position, take-turn by an action, everything else by "void".
A skip in the list of actions is false, and also read where it is "skip".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.fish.v1 import fish_pb2
from fairplay.fish.v1 import fish_player_pb2 as pb
from fairplay.games.fish import rules
from fairplay.games.fish.protocol import METHODS, PLAY_AS, PLAY_WITH, SETUP, TAKE_TURN, build_action, color_of, colors
from fairplay.games.fish.rules.board import Board, Move, Place, board_of
from fairplay.games.fish.testdata import read_action, read_state, write_action, write_position
from fairplay.games.kit.course import Config, Face, Request, read_arguments
from fairplay.games.kit.player_service import END, START
from fairplay.games.kit.testdata import Json, read_flag, read_list, read_text
from fairplay.games.steps import Method
from fairplay.v1.player_pb2 import EndRequest, StartRequest

OFF_BOARD = 2**32 - 1
"""A cell number that no board has, in the place of a position that is not on the board."""
PENGUIN_BASE = 6


def _arguments(method: Method, request: Any, name: str) -> list[Json]:
    match method.name:
        case START.name:
            return [True]
        case END.name:
            return [request.won]
        case PLAY_AS.name:
            return _color_names([request.color])
        case PLAY_WITH.name:
            return [_color_names(request.colors)]
        case SETUP.name:
            return [_write_state(request.state)]
    board = board_of(request.state.columns, request.state.fish)
    return [_write_state(request.state), [_write_past(action, board) for action in request.actions]]


def _write_past(action: fish_pb2.Action, board: Board) -> Json:
    return False if action.skip else write_action(Move(action.source, action.target), board)


def _write_state(state: fish_pb2.State) -> Json:
    columns = state.columns
    players = [
        {
            "color": color,
            "score": player.score,
            "places": [list(divmod(cell, columns)) for cell in player.places],
        }
        for color, player in zip(_color_names([each.color for each in state.players]), state.players, strict=True)
    ]
    rows = [list(state.fish[start : start + columns]) for start in range(0, len(state.fish), columns)]
    return {"players": players, "board": rows}


def _color_names(numbers: Sequence[fish_pb2.Color.ValueType]) -> list[str]:
    """Return the names of colours. One that the course has not gets the first that is left."""
    known = dict(zip(colors(rules.MAX_SEATS), rules.COLORS, strict=True))
    left = iter([name for number, name in known.items() if number not in numbers])
    return [known[number] if number in known else next(left) for number in numbers]


def _reply(method: Method, request: Any, value: Json) -> Message:
    board = board_of(request.state.columns, request.state.fish)
    action = read_action(value, board)
    if method.name == SETUP.name:
        if not isinstance(action, Place):
            raise ValueError("the answer to setup is a position, [row, column]")
        return pb.SetupResponse(place=_known(action.cell))
    if isinstance(action, Place):
        raise ValueError("the answer to take-turn is an action, [position, position]")
    known = None if action is None else Move(*map(_known, action))
    return pb.TakeTurnResponse(action=build_action(known))


def _known(cell: int) -> int:
    return cell if cell >= 0 else OFF_BOARD


def _before(method: Method, request: Any) -> Sequence[Request]:
    """Return the announcements that come before a call, with what the call itself says."""
    if method.name in {START.name, END.name, PLAY_AS.name}:
        return ()
    game_id, seat = request.game_id, request.seat
    if method.name == PLAY_WITH.name:  # which says the colours of the others alone
        color = next(each for each in (*colors(rules.MAX_SEATS)[seat:], *colors(seat)) if each not in request.colors)
        return (Request(PLAY_AS, pb.PlayAsRequest(game_id=game_id, seat=seat, color=color)),)
    me, *others = [player.color for player in request.state.players]
    return (
        Request(PLAY_AS, pb.PlayAsRequest(game_id=game_id, seat=seat, color=me)),
        Request(PLAY_WITH, pb.PlayWithRequest(game_id=game_id, seat=seat, colors=others)),
    )


class _Memory:
    """What has been told on a connection: a game begins with playing-as, and its players count from this one."""

    def __init__(self, tournament_id: str) -> None:
        self._tournament_id = tournament_id
        self._game_count = 0
        self._call_count = 0
        self._penguin_count = 0

    @property
    def _game_id(self) -> str:
        return f"{self._tournament_id}.{self._game_count}"

    def request(self, name: str, arguments: Sequence[Json]) -> Request:
        self._call_count += 1
        match name:
            case "start":
                return Request(START, StartRequest(tournament_id=self._tournament_id))
            case "end":
                won = read_flag(read_arguments(name, arguments, "won")[0], "won")
                return Request(END, EndRequest(tournament_id=self._tournament_id, won=won))
            case "playing-as":
                color = _read_color(*read_arguments(name, arguments, "color"))
                self._game_count += 1
                return Request(PLAY_AS, pb.PlayAsRequest(game_id=self._game_id, color=color))
            case "playing-with":
                others = list(map(_read_color, *read_arguments(name, arguments, "[color, ...]")))
                self._penguin_count = PENGUIN_BASE - 1 - len(others)
                return Request(PLAY_WITH, pb.PlayWithRequest(game_id=self._game_id, colors=others))
            case "setup":
                (read,) = read_arguments(name, arguments, "state")
                state = self._read_state(read, self._penguin_count)
                return Request(SETUP, pb.SetupRequest(game_id=self._game_id, state=state))
            case "take-turn":
                read, done = read_arguments(name, arguments, "state", "[action, ...]")
                state = self._read_state(read, 0)
                board = board_of(state.columns, state.fish)
                actions = [build_action(_read_past(each, board)) for each in read_list(done, "actions")]
                return Request(TAKE_TURN, pb.TakeTurnRequest(game_id=self._game_id, state=state, actions=actions))
        raise ValueError(f"there is no method {name!r}: there are {', '.join(NAMES.values())}")

    def _read_state(self, value: Json, penguin_count: int) -> fish_pb2.State:
        """Return the state in which each player places so many penguins in all, or more if one has more."""
        state, names = read_state(value)
        players = [
            fish_pb2.Player(color=color_of(name), score=score, places=places)
            for name, score, places in zip(names, state.scores, state.places, strict=True)
        ]
        return fish_pb2.State(
            revision=self._call_count,
            columns=state.board.columns,
            fish=list(rules.tiles(state)),
            players=players,
            penguin_count=max(penguin_count, *map(len, state.places)),
        )


def _read_color(value: Json) -> fish_pb2.Color.ValueType:
    return color_of(read_text(value, "color", rules.COLORS))


def _read_past(value: Json, board: Board) -> Move | None:
    action = None if value == "skip" else read_action(value, board)
    if isinstance(action, Place) or (action is not None and min(action) < 0):
        raise ValueError("the actions of take-turn are moves on the board, and skips")
    return action


def _answer(method: Method, request: Any, response: Any) -> Json:
    board = board_of(request.state.columns, request.state.fish)
    if method.name == SETUP.name:
        return write_position(response.place, board)
    return _write_past(response.action, board)


def _config(values: Sequence[Json]) -> Config:
    if values:
        raise ValueError("the server of this course reads no input")
    return Config(fish_pb2.Settings())


NAMES = {
    START.name: "start",
    **dict(zip(METHODS, ("playing-as", "playing-with", "setup", "take-turn"), strict=True)),
    END.name: "end",
}
FACE = Face(
    names=NAMES,
    last=END.name,
    is_tournament=True,
    arguments=_arguments,
    reply=_reply,
    greeting=(Request(START, StartRequest()),),
    before=_before,
    remember=_Memory,
    answer=_answer,
    config=_config,
    result=lambda winners, failed: [len(winners), len(failed)],
)

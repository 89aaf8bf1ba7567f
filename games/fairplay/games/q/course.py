"""The Q game in the protocol of its course of 2023: a connection lasts for a game (q.md section 8).

    setup(JPub, [JTile, ...]) · take-turn(JPub) · new-tiles([JTile, ...]) · win(won)

The values are those of `forms`; take-turn is answered by "pass", "replace" or a list of placements, everything else by
"void". Qwirkle's rule of fitting cannot be said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.games.kit.course import Config, Face, Request, read_arguments, read_clients
from fairplay.games.kit.testdata import Json, read_flag, read_int, read_list, read_object
from fairplay.games.q import forms
from fairplay.games.q.protocol import codec
from fairplay.games.q.protocol.conversation import METHODS, NEW_TILES, SETUP, TAKE_TURN, WIN
from fairplay.games.q.rules.state import View
from fairplay.games.steps import Method
from fairplay.q.v1 import q_pb2
from fairplay.q.v1 import q_player_pb2 as pb

TILES = frozenset(q_pb2.Tile.values()) - {q_pb2.TILE_UNSPECIFIED}
MAX_TURN_S = 6
MAX_PERIODS, MAX_WAIT_S, MAX_NAME_S = 10, 30, 10


def _arguments(method: Method, request: Any, name: str) -> list[Json]:
    match method.name:
        case SETUP.name:
            if not request.state.players:  # the map alone, as the course had it until 12 November 2023
                return [forms.write_map(codec.read_board(_sayable(request.state))), _write_tiles(request.tiles)]
            return [_write_state(request.state, name), _write_tiles(request.tiles)]
        case TAKE_TURN.name:
            return [_write_state(request.state, name)]
        case NEW_TILES.name:
            return [_write_tiles(request.tiles)]
    return [request.won]


def _write_state(state: q_pb2.State, name: str) -> Json:
    return forms.write_public(codec.read_view(_sayable(state)), name)


def _sayable(state: q_pb2.State) -> q_pb2.State:
    """Return what the course has words for.

    A tile that it does not know is told as another one on the map, which has no gaps and is never empty; in a hand it
    is left out.
    """
    if state.fit_rule == q_pb2.FIT_RULE_QWIRKLE:
        raise ValueError("the course's protocol has no words for the fit_rule QWIRKLE")
    said = q_pb2.State(
        rows=state.rows,
        columns=state.columns,
        tiles=[tile if tile in TILES else min(TILES) for tile in state.tiles],
        players=state.players,
        pile_left=state.pile_left,
    )
    for player in said.players:
        player.hand[:] = [tile for tile in player.hand if tile in TILES]
    return said


def _write_tiles(numbers: Sequence[q_pb2.Tile.ValueType]) -> Json:
    return list(map(forms.write_tile, codec.read_tiles([number for number in numbers if number in TILES])))


def _reply(method: Method, request: Any, value: Json) -> Message:
    return codec.build_reply(forms.read_request(value))


def _before(method: Method, request: Any) -> Sequence[Request] | None:
    """Return the setup that a turn needs; tiles and results say nothing to who knows no game."""
    if method.name == SETUP.name:
        return ()
    if method.name != TAKE_TURN.name:
        return None
    state = request.state
    told = pb.SetupRequest(game_id=request.game_id, seat=request.seat, state=state, tiles=state.players[0].hand)
    return (Request(SETUP, told),)


class _Memory:
    """What has been told on a connection: the player itself has the seat 0, the others count on."""

    def __init__(self, game_id: str) -> None:
        self._game_id = game_id
        self._call_count = 0

    def request(self, name: str, arguments: Sequence[Json]) -> Request:
        self._call_count += 1
        match name:
            case "setup":
                seen, held = read_arguments(name, arguments, "state", "[tile, ...]")
                tiles = _read_tiles(held)
                return Request(SETUP, pb.SetupRequest(game_id=self._game_id, state=self._read(seen), tiles=tiles))
            case "take-turn":
                state = self._read(*read_arguments(name, arguments, "state"))
                return Request(TAKE_TURN, pb.TakeTurnRequest(game_id=self._game_id, state=state))
            case "new-tiles":
                tiles = _read_tiles(*read_arguments(name, arguments, "[tile, ...]"))
                return Request(NEW_TILES, pb.NewTilesRequest(game_id=self._game_id, tiles=tiles))
            case "win":
                won = read_flag(read_arguments(name, arguments, "won")[0], "won")
                return Request(WIN, pb.WinRequest(game_id=self._game_id, won=won))
        raise ValueError(f"there is no method {name!r}: there are {', '.join(NAMES.values())}")

    def _read(self, value: Json) -> q_pb2.State:
        if isinstance(value, list):  # the map alone
            state = codec.map_message(forms.read_map(value))
        else:
            state = _state_message(forms.read_public(value))
        state.revision = self._call_count
        return state


def _state_message(view: View) -> q_pb2.State:
    state = codec.map_message(view.board)
    state.players.add(score=view.score, hand=codec.tile_numbers(view.hand))
    for seat, score in enumerate(view.others, start=1):
        state.players.add(seat=seat, score=score)
    state.pile_left = view.pile_left
    state.turn = 0
    return state


def _read_tiles(value: Json) -> Sequence[q_pb2.Tile.ValueType]:
    return codec.tile_numbers(map(forms.read_tile, read_list(value, "tiles")))


def _answer(method: Method, request: Any, response: Any) -> Json:
    return forms.write_request(codec.read_reply(response))


def _config(values: Sequence[Json]) -> Config:
    """Read the configuration of the course's server, or its part for the referee alone."""
    if len(values) != 1 or not isinstance(values[0], dict):
        raise ValueError("the input of the server is one object, its configuration")
    server = values[0]
    referee = server.get("ref-spec", server)
    if not isinstance(referee, dict) or "state0" not in referee:
        raise ValueError("the configuration has no state0: the game needs a state to begin in")
    points = read_object(referee.get("config-s", {"qbo": 8, "fbo": 4}), "config-s", ("qbo", "fbo"))
    given = {"q_bonus": points["qbo"], "finish_bonus": points["fbo"]}
    settings = forms.read_chosen(given)
    return Config(
        codec.build_settings(settings),
        codec.build_state(codec.Shown(forms.read_state(referee["state0"], settings))),
        _read_seconds(referee, "per-turn", MAX_TURN_S),
        _read_seconds(server, "wait-for-signup", MAX_NAME_S),
        _read_seconds(server, "server-wait", MAX_WAIT_S),
        _read_seconds(server, "server-tries", MAX_PERIODS),
    )


def _clients(values: Sequence[Json]) -> Sequence[tuple[str, str]]:
    """Read the configuration of the course's clients, or its players alone."""
    return read_clients(*(each.get("players") if isinstance(each, dict) else each for each in values))


def _read_seconds(config: dict[str, Json], key: str, most: int) -> int | None:
    return read_int(config[key], key, 0, most) if key in config else None


NAMES = dict(zip(METHODS, ("setup", "take-turn", "new-tiles", "win"), strict=True))
FACE = Face(
    names=NAMES,
    last=WIN.name,
    arguments=_arguments,
    reply=_reply,
    before=_before,
    remember=_Memory,
    answer=_answer,
    config=_config,
    clients=_clients,
)

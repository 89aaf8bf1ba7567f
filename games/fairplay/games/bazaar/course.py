"""Bazaar in the protocol of its course of 2024: a connection lasts for a game (bazaar.md section 10).

    setup([equation, ...]) · request-pebble-or-trades(turn) · request-cards(turn) · win(won)

The values are those of `forms`; request-pebble-or-trades is answered by false or a list of rules, request-cards by a
list of cards, everything else by "void".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1 import bazaar_player_pb2 as pb
from fairplay.games.bazaar import forms
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.protocol.conversation import METHODS, REQUEST_CARDS, REQUEST_PEBBLE_OR_EXCHANGES, SETUP, WIN
from fairplay.games.bazaar.rules.pieces import EquationTable, unpack
from fairplay.games.bazaar.rules.state import Bonus, Settings
from fairplay.games.kit.course import Config, Face, Request, read_arguments, read_clients
from fairplay.games.kit.testdata import Json, read_flag, read_text
from fairplay.games.steps import Method

POLICIES: Mapping[str, str] = {"purchase-points": "points", "purchase-size": "size"}
BONUSES: Mapping[str, Bonus] = {"RWB": "rwb", "SEY": "sey"}


def _arguments(method: Method, request: Any, name: str) -> list[Json]:
    match method.name:
        case SETUP.name:
            return [forms.write_table(codec.read_table(request.table))]
        case WIN.name:
            return [request.won]
    return [forms.write_turn(codec.read_view(request.turn_state))]


def _reply(method: Method, request: Any, value: Json) -> Message:
    if method.name == REQUEST_CARDS.name:
        return codec.build_purchase(forms.read_purchase(value))
    return codec.build_request(forms.read_request(value))


def _before(method: Method, request: Any) -> Sequence[Request] | None:
    """Return the setup that a turn needs; the result says nothing to who knows no game."""
    if method.name == SETUP.name:
        return ()
    if method.name == WIN.name:
        return None
    told = pb.SetupRequest(game_id=request.game_id, seat=request.seat, table=request.turn_state.table)
    return (Request(SETUP, told),)


class _Memory:
    """What has been told on a connection: the equations are told once."""

    def __init__(self, game_id: str) -> None:
        self._game_id = game_id
        self._call_count = 0
        self._table = EquationTable(())

    def request(self, name: str, arguments: Sequence[Json]) -> Request:
        self._call_count += 1
        match name:
            case "setup":
                self._table = forms.read_table(*read_arguments(name, arguments, "[equation, ...]"))
                table = codec.build_table(self._table)
                return Request(SETUP, pb.SetupRequest(game_id=self._game_id, table=table))
            case "request-pebble-or-trades":
                seen = self._read(*read_arguments(name, arguments, "turn"))
                asked = pb.RequestPebbleOrExchangesRequest(game_id=self._game_id, turn_state=seen)
                return Request(REQUEST_PEBBLE_OR_EXCHANGES, asked)
            case "request-cards":
                seen = self._read(*read_arguments(name, arguments, "turn"))
                return Request(REQUEST_CARDS, pb.RequestCardsRequest(game_id=self._game_id, turn_state=seen))
            case "win":
                won = read_flag(read_arguments(name, arguments, "won")[0], "won")
                return Request(WIN, pb.WinRequest(game_id=self._game_id, won=won))
        raise ValueError(f"there is no method {name!r}: there are {', '.join(NAMES.values())}")

    def _read(self, value: Json) -> bazaar_pb2.TurnState:
        view = forms.read_turn(value)
        return bazaar_pb2.TurnState(
            revision=self._call_count,
            table=codec.build_table(self._table),
            bank=unpack(view.bank),
            visible=map(codec.build_card, view.visible),
            wallet=unpack(view.wallet),
            score=view.score,
            cards=map(codec.build_card, view.cards),
            other_scores=view.scores,
        )


def _answer(method: Method, request: Any, response: Any) -> Json:
    if method.name == REQUEST_CARDS.name:
        return forms.write_purchase(tuple(map(codec.read_card, response.cards)))
    return forms.write_request(codec.read_request(response, len(response.exchanges.steps)))


def _config(values: Sequence[Json]) -> Config:
    """Read the equations, the game and the bonus, which may be missing, or the bonus alone; fresh where missing."""
    if len(values) > 3:
        raise ValueError("the input of the server is equations, a game and a bonus, or a bonus alone")
    *given, bonus = values if len(values) in {1, 3} else [*values, None]
    settings = Settings() if bonus is None else Settings(bonus=BONUSES[read_text(bonus, "bonus", tuple(BONUSES))])
    state = None
    if given:
        state = codec.build_state(forms.read_game(given[1], forms.read_table(given[0]), settings))
    return Config(codec.build_settings(settings), state)


def _clients(values: Sequence[Json]) -> Sequence[tuple[str, str]]:
    """Read the players of the course's clients; they name policies."""
    return [(name, POLICIES.get(policy, policy)) for name, policy in read_clients(*values)]


NAMES = dict(zip(METHODS, ("setup", "request-pebble-or-trades", "request-cards", "win"), strict=True))
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

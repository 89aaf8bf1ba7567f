"""The Q game: full states from outside, refused with the reason if no game can go on from them."""

from __future__ import annotations

from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.q.v1 import q_pb2


def initial_state(message: q_pb2.State, settings: rules.Settings) -> codec.Shown:
    """Return the state that a game is to go on from. Raises ValueError, with what it breaks, if no game can."""
    for check in (_map_problem, _tiles_problem, _players_problem, _number_problem, _hidden_problem, _end_problem):
        if problem := check(message):
            raise ValueError(problem)
    state = _state(message, settings)
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return codec.Shown(state, _turn(message))


def _state(message: q_pb2.State, settings: rules.Settings) -> rules.State:
    board = codec.board(message)
    if not message.fit_rule:
        board = rules.Board(board.tiles, settings.fit_rule == "qwirkle")
    players = message.players
    out = sorted((player.elimination_number, seat) for seat, player in enumerate(players) if player.elimination_number)
    return rules.State(
        settings,
        board,
        tuple(codec.tiles(message.pile)),
        tuple(tuple(codec.tiles(player.hand)) for player in players),
        tuple(player.score for player in players),
        tuple(seat for _, seat in out),
        message.turn if message.HasField("turn") else None,
        message.placed_in_round,
        _delivery(message),
        message.finisher if message.HasField("finisher") else None,
        message.top_score if message.HasField("top_score") else None,
        tuple(codec.tiles(message.lost)),
        message.revision,
    )


def _delivery(message: q_pb2.State) -> rules.Delivery | None:
    for seat, player in enumerate(message.players):
        if player.HasField("undelivered_count"):
            return rules.Delivery(seat, tuple(codec.tiles(player.hand[: player.undelivered_count])))
    return None


def _map_problem(message: q_pb2.State) -> str | None:
    counts = len(message.rows), len(message.columns), len(message.tiles)
    if len(set(counts)) > 1:
        return "rows, columns and tiles have {}, {} and {} entries: they must have one each for every tile.".format(
            *counts
        )
    if len(set(zip(message.rows, message.columns, strict=True))) < len(message.rows):
        return "Two tiles of the map have the same coordinate."
    if message.fit_rule not in q_pb2.FitRule.values():
        return f"fit_rule has the unknown value {message.fit_rule}."
    return None


def _tiles_problem(message: q_pb2.State) -> str | None:
    hands = {f"players[{seat}].hand": player.hand for seat, player in enumerate(message.players)}
    for name, listed in {"tiles": message.tiles, "pile": message.pile, "lost": message.lost, **hands}.items():
        for index, number in enumerate(listed):
            if not 1 <= number <= rules.KINDS:
                return f"{name}[{index}] is {number}: a tile has a number between 1 and {rules.KINDS}."
    return None


def _players_problem(message: q_pb2.State) -> str | None:
    players = message.players
    for index, player in enumerate(players):
        if player.seat != index:
            return f"players[{index}] has the seat {player.seat}: a full state lists all seats in order, from 0."
        if player.undelivered_count > len(player.hand):
            return f"players[{index}] has {len(player.hand)} tiles, fewer than its undelivered_count."
    out = sorted(player.elimination_number for player in players if player.elimination_number)
    if out != list(range(1, len(out) + 1)):
        return "The elimination_numbers of the eliminated players must be 1, 2 and so on."
    if sum(player.HasField("undelivered_count") for player in players) > 1:
        return "At most one player can have an undelivered_count."
    return None


_MOST_POINTS, _MOST_REVISION = 1_000_000_000, 1 << 53  # room for a game to go on within what the fields hold


def _number_problem(message: q_pb2.State) -> str | None:
    points = max([message.top_score, *(player.score for player in message.players)])
    if points > _MOST_POINTS:
        return f"A score is {points}: a game goes on from scores of at most {_MOST_POINTS}."
    if message.revision > _MOST_REVISION:
        return f"revision is {message.revision}: a game goes on from one of at most {_MOST_REVISION}."
    return None


def _hidden_problem(message: q_pb2.State) -> str | None:
    count = message.pile_left
    if count and count != len(message.pile):
        return f"pile_left is {count}, but pile lists {len(message.pile)} tiles: a game goes on from full states only."
    return None


def _end_problem(message: q_pb2.State) -> str | None:
    over = message.HasField("top_score") or all(player.elimination_number for player in message.players)
    if not over and not message.HasField("turn"):
        return "turn is not set: it must name the seat to move, unless the game is over and has a top_score."
    return None


def _turn(message: q_pb2.State) -> codec.Turn | None:
    """Return the last turn of a state message, if it has one that can be read."""
    turn = message.last_turn
    try:
        return codec.Turn(turn.seat, codec.action(turn.action), turn.points) if message.HasField("last_turn") else None
    except MalformedReplyError:
        return None

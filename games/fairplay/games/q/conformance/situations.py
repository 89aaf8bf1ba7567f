"""Special situations of the Q game, in which alone some players go wrong: conditions on a request."""

from __future__ import annotations

from fairplay.games.q.conformance.extensions import singles
from fairplay.games.q.protocol import codec
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import TakeTurnRequest


def pile_too_small(request: TakeTurnRequest) -> bool:
    """Return whether the pile has fewer tiles than the hand."""
    return request.state.pile_left < len(request.state.players[0].hand)


def pile_one_short(request: TakeTurnRequest) -> bool:
    """Return whether the pile has one tile less than the hand."""
    return request.state.pile_left == len(request.state.players[0].hand) - 1


def pile_of_six_too_small(request: TakeTurnRequest) -> bool:
    """Return whether the pile has the usual six tiles of a hand, but the hand has more than the pile."""
    return pile_too_small(request) and request.state.pile_left >= 6


def pile_empty(request: TakeTurnRequest) -> bool:
    """Return whether the pile is empty, but not the hand."""
    return not request.state.pile_left and bool(request.state.players[0].hand)


def no_hand(request: TakeTurnRequest) -> bool:
    """Return whether the hand is empty."""
    return not request.state.players[0].hand


def few_tiles_in_a_crowd(request: TakeTurnRequest) -> bool:
    """Return whether the hands of three or more players are small from the beginning."""
    return len(request.state.players) > 2 and request.state.pile_left > 40 and len(request.state.players[0].hand) < 6


def qwirkle_in_a_crowd(request: TakeTurnRequest) -> bool:
    """Return whether the fit rule is qwirkle and there are four players."""
    return qwirkle(request) and len(request.state.players) > 3


def one_tile(request: TakeTurnRequest) -> bool:
    """Return whether the hand has one tile."""
    return len(request.state.players[0].hand) == 1


def more_than_six(request: TakeTurnRequest) -> bool:
    """Return whether the hand has more than the usual six tiles."""
    return len(request.state.players[0].hand) > 6


def fourth(request: TakeTurnRequest) -> bool:
    """Return whether the player is the fourth."""
    return request.state.players[0].seat == 3


def alone(request: TakeTurnRequest) -> bool:
    """Return whether everybody else is eliminated."""
    return len(request.state.players) == 1


def seats_have_gaps(request: TakeTurnRequest) -> bool:
    """Return whether somebody is eliminated, but not everybody else."""
    seats = sorted(player.seat for player in request.state.players)
    return len(seats) > 1 and seats != list(range(len(seats)))


def nothing_fits(request: TakeTurnRequest) -> bool:
    """Return whether no extension is legal."""
    return not singles(codec.view(request.state))


def can_only_pass(request: TakeTurnRequest) -> bool:
    """Return whether neither an extension nor a replacement is legal."""
    return nothing_fits(request) and pile_too_small(request)


def qwirkle(request: TakeTurnRequest) -> bool:
    """Return whether the fit rule is qwirkle."""
    return request.state.fit_rule == q_pb2.FIT_RULE_QWIRKLE

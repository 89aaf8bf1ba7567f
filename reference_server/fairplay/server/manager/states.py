"""The states of a tournament, and how its message changes from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import TournamentChange, TournamentHeader
from fairplay.v1.tournament_pb2 import (
    AgeOrder,
    Examination,
    ExaminationStatus,
    Tournament,
    TournamentStatus,
)

SIGN_UP = TournamentStatus.TOURNAMENT_STATUS_SIGN_UP
RUNNING = TournamentStatus.TOURNAMENT_STATUS_RUNNING
FINISHED = TournamentStatus.TOURNAMENT_STATUS_FINISHED
CANCELLED = TournamentStatus.TOURNAMENT_STATUS_CANCELLED
EXAMINING = ExaminationStatus.EXAMINATION_STATUS_EXAMINING
REFUSED = ExaminationStatus.EXAMINATION_STATUS_REFUSED
MAX_REFUSED = 100
"""How many refused players a tournament shows."""
TOO_LATE = "the sign-up closed before the examination was over"


def created(header: TournamentHeader) -> Tournament:
    """Return a new tournament, which takes sign-ups."""
    return Tournament(
        tournament_id=header.tournament_id,
        plan=header.plan,
        status=SIGN_UP,
        entrants=header.plan.entrants,
        create_time=header.create_time,
        secret=header.secret,
    )


def signed_up(message: Tournament) -> Sequence[Player]:
    """Return those who signed up, in that order, before the start; those whom the creator named stand before them."""
    return message.entrants[len(message.plan.entrants) :]


def in_order_of_sign_up(message: Tournament) -> Sequence[Player]:
    """Return the entrants in order of sign-up, those whom the creator named first, also after the start."""
    reverse = message.plan.sign_up.age_order == AgeOrder.AGE_ORDER_REVERSE_SIGN_UP
    if message.status == SIGN_UP or not reverse:
        return message.entrants
    named = {player.name for player in message.plan.entrants}
    signed_up = [player for player in message.entrants if player.name not in named]
    return [*message.entrants[len(signed_up) :], *reversed(signed_up)]


def start(message: Tournament, entrants: Sequence[Player]) -> None:
    """Turn the tournament to its games, with these entrants."""
    message.status = RUNNING
    close_examinations(message)
    del message.entrants[:]
    message.entrants.extend(entrants)


def end(message: Tournament, change: TournamentChange) -> None:
    """End the tournament, finished or cancelled, as the change says."""
    message.end_time.CopyFrom(change.time)
    close_examinations(message)
    if change.WhichOneof("change") == "finished":
        message.status = FINISHED
        message.result.CopyFrom(change.finished)
    else:
        message.status = CANCELLED
        message.reason = change.cancelled


# --- examinations ---


def examining(player: Player) -> Examination:
    """Return an examination that has begun."""
    return Examination(player=player, status=EXAMINING)


def refused(player: Player, case_id: str, reason: str) -> Examination:
    """Return an examination that a player has not passed."""
    return Examination(player=player, status=REFUSED, case_id=case_id, reason=reason)


def is_examined(message: Tournament, name: str) -> bool:
    """Return whether the player of this name is being examined."""
    return any(each.player.name == name for each in message.examinations if each.status == EXAMINING)


def put_examination(message: Tournament, examination: Examination) -> None:
    """Set where the examination of a player stands; of those who were refused, the latest are kept."""
    place = _place(message, examination.player.name)
    if place is not None:
        message.examinations[place].CopyFrom(examination)
    else:
        message.examinations.append(examination)
    over = [number for number, each in enumerate(message.examinations) if each.status == REFUSED]
    for number in reversed(over[: max(0, len(over) - MAX_REFUSED)]):
        del message.examinations[number]


def drop_examination(message: Tournament, name: str) -> None:
    """Drop the examination of a player: it has passed it, or has withdrawn."""
    place = _place(message, name)
    if place is not None:
        del message.examinations[place]


def _place(message: Tournament, name: str) -> int | None:
    return next((number for number, each in enumerate(message.examinations) if each.player.name == name), None)


def close_examinations(message: Tournament) -> None:
    """Refuse all who are being examined: the sign-up is closed."""
    for each in message.examinations:
        if each.status == EXAMINING:
            each.CopyFrom(refused(each.player, "", TOO_LATE))

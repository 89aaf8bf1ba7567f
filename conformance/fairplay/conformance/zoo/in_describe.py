"""Mutants that describe themselves wrongly."""

from __future__ import annotations

from collections.abc import Callable

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import HANGS, IS_UNREADABLE, RAISES, describes
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.triggers import in_method, second_call, with_unknown_fields
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.v1.player_pb2 import GameService, PlayerDescription


def _wrong(name: str, sentence: str, change: Callable[[PlayerDescription], object]) -> Mutant:
    return Mutant(name, sentence, (case_ids.DESCRIBES,), in_method("Describe"), describes(change))


def put(**values: object) -> Callable[[PlayerDescription], object]:
    """Return a function that changes fields of a description."""

    def change(said: PlayerDescription) -> None:
        for name, value in values.items():
            said.ClearField(name)  # type: ignore[arg-type]  # names of fields
            said.MergeFrom(PlayerDescription(**{name: value}))  # type: ignore[arg-type]

    return change


def _twice(said: PlayerDescription) -> None:
    said.services.append(said.services[0])


def _of_many_games(said: PlayerDescription) -> None:
    said.services.extend(GameService(name=f"game{number}.v1.PlayerService") for number in range(64))


def _from_the_future(said: PlayerDescription) -> None:
    said.services[0].revision = PROTOCOL_REVISION + 1


MUTANTS = (
    Mutant(
        "raises-in-describe", "Raises an exception in Describe.", (case_ids.DESCRIBES,), in_method("Describe"), RAISES
    ),
    Mutant("hangs-in-describe", "Never answers Describe.", (case_ids.DESCRIBES,), in_method("Describe"), HANGS),
    Mutant(
        "is-unreadable-in-describe",
        "Answers Describe with bytes that are no message.",
        (case_ids.DESCRIBES,),
        in_method("Describe"),
        IS_UNREADABLE,
    ),
    _wrong("describes-nothing", "Says nothing about itself.", PlayerDescription.Clear),
    _wrong("has-no-name", "Has no display name.", put(display_name="")),
    _wrong("has-a-long-name", "Has a display name of 81 characters.", put(display_name="n" * 81)),
    _wrong("has-a-long-version", "Has a software version of 81 characters.", put(software_version="1" * 81)),
    _wrong("offers-nothing", "Names no service of a game.", put(services=[])),
    _wrong(
        "offers-another-game",
        "Names only the service of another game.",
        put(services=[GameService(name="chess.v1.PlayerService")]),
    ),
    _wrong("offers-a-service-twice", "Names a service twice.", _twice),
    _wrong("offers-too-much", "Names more than 64 services.", _of_many_games),
    _wrong(
        "comes-from-the-future",
        "Names a revision of a service that is not there yet.",
        _from_the_future,
    ),
    Mutant(
        "changes-its-name",
        "Calls itself something else when it is asked again.",
        (case_ids.DESCRIBES,),
        second_call("Describe"),
        describes(put(display_name="somebody else")),
    ),
    Mutant(
        "raises-on-unknown-fields",
        "Raises an exception where a request has fields that it does not know.",
        (case_ids.UNKNOWN_FIELDS,),
        with_unknown_fields,
        RAISES,
    ),
)

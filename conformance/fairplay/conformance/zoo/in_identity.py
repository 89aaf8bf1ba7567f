"""Mutants that say different things about themselves, or are sound only while they are examined."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from fairplay.conformance.zoo import case_ids
from fairplay.conformance.zoo.effects import RAISES, describes
from fairplay.conformance.zoo.in_describe import put
from fairplay.conformance.zoo.mutant_player import ReceivedCall
from fairplay.conformance.zoo.mutants import Mutant
from fairplay.conformance.zoo.program_behaviour import ProgramBehaviour, Start
from fairplay.conformance.zoo.triggers import in_method, never
from fairplay.games.game import Game, find, registered
from fairplay.player.handlers import PROTOCOL_REVISION
from fairplay.v1.player_pb2 import GameService, PlayerDescription

NO_EXCEPTION = (case_ids.NO_EXCEPTION,)
DESCRIPTION_STAYS = (case_ids.DESCRIPTION_STAYS,)


def of_identity(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that are sound in some games only, or describe themselves wrongly at times."""
    positions = (*case_ids.POSITIONS, case_ids.UNUSUAL_SETTINGS)
    anywhere = ("rules", game.name, case_ids.FRESH_PROCESS, *positions, *case_ids.ENDS_OF_GAMES)
    yield Mutant(
        "raises-unless-certified",
        'Raises an exception in its first decision of a game, unless the id of the game begins with "certify".',
        NO_EXCEPTION,
        _unless_certified,
        RAISES,
        anywhere,
    )
    yield Mutant(
        "raises-unless-tested",
        'Raises an exception in its first decision of a game, unless it is to dial in as "tested".',
        NO_EXCEPTION,
        _unless_tested,
        RAISES,
        anywhere,
        program=ProgramBehaviour(),
    )
    yield Mutant(
        "raises-in-tournaments",
        "Raises an exception in its first decision of a game of a tournament that was told by Start.",
        (case_ids.IN_TOURNAMENTS,),
        _in_tournament,
        RAISES,
    )
    yield Mutant(
        "changes-its-version",
        "Says another version when it has been in a game.",
        DESCRIPTION_STAYS,
        _described_after_game,
        describes(put(software_version="2")),
    )
    yield Mutant(
        "raises-in-describe-during-games",
        "Raises an exception in Describe when it has been in a game.",
        DESCRIPTION_STAYS,
        _described_after_game,
        RAISES,
    )
    yield Mutant(
        "offers-a-game-it-lacks",
        "Names the service of another game, too, and has none of its methods.",
        (case_ids.OFFERED,),
        in_method("Describe"),
        describes(_offering_another_than(game)),
    )


def _unless_certified(call: ReceivedCall) -> bool:
    return call.decision == 1 and not call.request.game_id.startswith("certify")


def _in_tournament(call: ReceivedCall) -> bool:
    tournament_id = call.memory.tournament_id
    return call.decision == 1 and tournament_id != "" and call.request.game_id.startswith(f"{tournament_id}/")


def _described_after_game(call: ReceivedCall) -> bool:
    return call.method.name == "Describe" and any(each.number for each in call.memory.games.values())


def _offering_another_than(game: Game) -> Callable[[PlayerDescription], object]:
    other = next(find(name) for name in registered() if name != game.name)

    def change(said: PlayerDescription) -> None:
        said.services.append(GameService(name=other.service, revision=PROTOCOL_REVISION))

    return change


def _unless_tested(call: ReceivedCall) -> bool:
    return call.decision == 1 and not os.environ.get("FAIRPLAY_NAME", "").startswith("tested")


def _with_number(said: PlayerDescription) -> None:
    said.software_version = f"build {os.getpid()}"


PROGRAMS = (
    Mutant(
        "has-many-versions",
        "Says another version each time it is started.",
        DESCRIPTION_STAYS,
        in_method("Describe"),
        describes(_with_number),
        (case_ids.BOTH_WAYS, case_ids.HELLO),
        program=ProgramBehaviour(),
    ),
    Mutant(
        "has-another-version-in-its-hello",
        "Says another version when it dials in than in Describe.",
        (case_ids.HELLO,),
        never,
        RAISES,
        program=ProgramBehaviour(hello_version="0.9"),
    ),
    Mutant(
        "returns-when-replaced",
        "Dials in again after another program has taken its name over.",
        (case_ids.REPLACED,),
        never,
        RAISES,
        program=ProgramBehaviour(returns_when_replaced=True),
    ),
    Mutant(
        "stays-after-goodbye",
        "Goes on and does nothing when it is told that it is not needed any more.",
        (case_ids.ENDS,),
        never,
        RAISES,
        program=ProgramBehaviour(stays=True),
    ),
    Mutant(
        "comes-up-alone",
        "Neither serves nor dials in while another process of it runs.",
        (case_ids.REACHED_AGAIN,),
        never,
        RAISES,
        program=ProgramBehaviour(Start.ALONE),
    ),
)

"""Wrong answers to the referee of Eriantys: each breaks one rule, and is caught by the cases that it names.

A wrong answer is asked for again, and given again: it is misconduct once there are no attempts left.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_player_pb2 import AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.conformance import action_mutations, character_mutations
from fairplay.games.eriantys.conformance.wrong_moves import CARD, TOWER, used_assistants, wrong_answer
from fairplay.games.eriantys.rules import Action, ChooseTowers, PlayAssistant, State
from fairplay.games.kit.conformance import DRAWN_STATES, WHOLE_GAME, collect_mutations, mutation, whole_game

BLACK = AskTowerColorResponse(color=eriantys_pb2.TOWER_COLOR_BLACK)
WHITE_OF_TWO, LAST_OF_THREE, LAST_OF_FOUR = whole_game(1, 2), whole_game(2, 3), whole_game(3, 4)


def nothing_unplayed(request: Any) -> bool:
    """Return whether all assistants of the hand have values that were played in this round."""
    return set(request.hand) <= {request.state.assistants[seat] for seat in request.state.planned_seats}


# Tower colours


@mutation(
    TOWER,
    "eriantys.action.required",
    WHOLE_GAME,
    LAST_OF_THREE,
    "eriantys.towers.last-choice",
    "eriantys.towers.race",
)
def chooses_no_towers(*_: Any) -> AskTowerColorResponse:
    """Leaves out the colour of its towers."""
    return AskTowerColorResponse()


@mutation(
    TOWER,
    "eriantys.towers.known",
    WHOLE_GAME,
    WHITE_OF_TWO,
    LAST_OF_THREE,
    "eriantys.towers.last-choice",
    "eriantys.towers.race",
)
def chooses_unknown_towers(*_: Any) -> AskTowerColorResponse:
    """Chooses towers of a fourth colour."""
    return AskTowerColorResponse(color=4)  # type: ignore[arg-type]  # no value of the enum


@wrong_answer(TOWER, "eriantys.towers.known", WHOLE_GAME, WHITE_OF_TWO, "eriantys.towers.no-grey")
def chooses_grey_among_two(view: State) -> Iterable[Action]:
    """Chooses grey towers where there are two sides."""
    return [ChooseTowers(2)]


@wrong_answer(TOWER, "eriantys.towers.taken", "eriantys.towers.last-choice", "eriantys.towers.no-grey")
def chooses_others_towers(view: State) -> Iterable[Action]:
    """Chooses a colour that somebody else has."""
    return (ChooseTowers(color) for color in view.tower_colors if color != rules.NOBODY)


@mutation(
    TOWER, "eriantys.towers.taken", "eriantys.towers.last-choice", "eriantys.towers.no-grey", "eriantys.towers.race"
)
def insists_on_black_towers(*_: Any) -> AskTowerColorResponse:
    """Chooses black towers, also where it is asked again because somebody else was given them."""
    return BLACK


@mutation(TOWER, "eriantys.action.required", "eriantys.towers.race")
def falls_silent_when_asked_again(request: Any, reply: Any, rng: Random) -> AskTowerColorResponse | None:
    """Wants black towers, and has no answer when it is asked again because somebody else was given them."""
    if not request.first_request:
        return AskTowerColorResponse()
    return BLACK if BLACK.color in request.possible_colors else None


# Assistants


@mutation(
    CARD,
    "eriantys.action.required",
    WHOLE_GAME,
    DRAWN_STATES,
    LAST_OF_FOUR,
    "eriantys.assistant.one-left-free",
    "eriantys.assistant.only-repeated",
)
def plays_no_assistant(*_: Any) -> AskAssistantCardResponse:
    """Leaves out its assistant."""
    return AskAssistantCardResponse()


@mutation(
    CARD,
    "eriantys.assistant.range",
    WHOLE_GAME,
    DRAWN_STATES,
    LAST_OF_FOUR,
    "eriantys.assistant.one-left-free",
    "eriantys.assistant.last-card",
)
def plays_eleventh_assistant(*_: Any) -> AskAssistantCardResponse:
    """Plays an assistant with the value 11."""
    return AskAssistantCardResponse(card=11)


@wrong_answer(
    CARD,
    "eriantys.assistant.in-hand",
    WHOLE_GAME,
    DRAWN_STATES,
    LAST_OF_FOUR,
    "eriantys.assistant.last-card",
    "eriantys.assistant.only-repeated",
)
def plays_assistant_again(view: State) -> Iterable[Action]:
    """Plays an assistant that it has played before."""
    return used_assistants(view)


@wrong_answer(
    CARD,
    "eriantys.assistant.in-hand",
    "eriantys.assistant.one-left-free",
    "eriantys.assistant.only-repeated",
    "eriantys.assistant.last-card",
)
def plays_place_in_hand(view: State) -> Iterable[Action]:
    """Answers with the place of an assistant in its hand instead of the value."""
    return (PlayAssistant(place) for place, _ in enumerate(view.hands[view.active], 1))


@wrong_answer(CARD, "eriantys.assistant.in-hand", "eriantys.assistant.only-repeated", only=nothing_unplayed)
def never_repeats_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that it does not have where all that it has would be repetitions."""
    played = [view.assistants[seat] for seat in view.planned]
    return (PlayAssistant(value) for value in range(1, 11) if value not in played)


@wrong_answer(
    CARD, "eriantys.assistant.in-hand", "eriantys.assistant.last-card", only=lambda request: len(request.hand) == 1
)
def has_no_last_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that it does not have where one is left."""
    return used_assistants(view)


@wrong_answer(CARD, "eriantys.assistant.taken", "eriantys.assistant.one-left-free", "eriantys.assistant.partner")
def repeats_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that somebody has played in this round, though it has others."""
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned)


@wrong_answer(CARD, "eriantys.assistant.taken", "eriantys.assistant.partner")
def repeats_partners_assistant(view: State) -> Iterable[Action]:
    """Plays an assistant that its partner has played in this round."""
    side = view.sides[view.active]
    return (PlayAssistant(view.assistants[seat]) for seat in view.planned if view.sides[seat] == side)


MUTATIONS = (*collect_mutations(globals()), *action_mutations.MUTATIONS, *character_mutations.MUTATIONS)

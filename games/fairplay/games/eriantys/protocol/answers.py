"""Eriantys between rules and messages: what can be done, what players answer, and what an answer is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain, takewhile
from typing import Any, TypeAlias

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1.eriantys_pb2 import ActionKind, CharacterOptions, ExchangeOptions, Options
from fairplay.eriantys.v1.eriantys_player_pb2 import AskActionResponse, AskAssistantCardResponse, AskTowerColorResponse
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.rules.board import addresses
from fairplay.games.eriantys.rules.characters import Choice, character_options, choices
from fairplay.games.eriantys.rules.legality import due_actions, most_steps
from fairplay.games.eriantys.rules.state import (
    COLORS,
    TABLE_SEATS,
    TOWER_COLORS,
    Action,
    ChooseTowers,
    EndTurn,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
)
from fairplay.games.kit.judging import MalformedReplyError
from fairplay.games.steps import FAILURES, Failure

Reply: TypeAlias = AskTowerColorResponse | AskAssistantCardResponse | AskActionResponse

_REQUIRED = "eriantys.action.required"
JESTER = 7
_TO_DINING_ROOM, _TO_ISLAND = ActionKind.ACTION_KIND_TO_DINING_ROOM, ActionKind.ACTION_KIND_TO_ISLAND
_PLAY_CHARACTER = ActionKind.ACTION_KIND_PLAY_CHARACTER
_KINDS = {
    Phase.MOTHER_NATURE: (ActionKind.ACTION_KIND_MOVE_MOTHER_NATURE,),
    Phase.CLOUD: (ActionKind.ACTION_KIND_TAKE_CLOUD,),
    Phase.END_TURN: (ActionKind.ACTION_KIND_END_TURN,),
}


# What can be done


def put_options(message: Options, state: State) -> None:
    """Fill an empty message, which may be a part of another, with every action that is legal in the action phase."""
    phase = state.phase
    if phase is Phase.STUDENTS:
        _put_students(message, state)
    else:
        message.kinds.extend(_KINDS[phase])
        if phase is Phase.MOTHER_NATURE:
            message.max_steps = most_steps(state)
        elif phase is Phase.CLOUD:
            message.clouds.extend([at for at, cloud in enumerate(state.clouds) if any(cloud)])
    if ways := choices(state):
        message.kinds.append(_PLAY_CHARACTER)
        message.characters.extend(map(_character, ways))


def _put_students(message: Options, state: State) -> None:
    seat = state.active
    room = state.dining_rooms[seat]
    held = [color for color, count in enumerate(state.entrances[seat]) if count]
    if seated := [color + 1 for color in held if room[color] < TABLE_SEATS]:
        message.kinds.append(_TO_DINING_ROOM)
        message.dining_colors.extend(seated)  # type: ignore[arg-type]  # values of the enum
    message.kinds.append(_TO_ISLAND)
    message.island_colors.extend([color + 1 for color in held])  # type: ignore[misc]
    message.islands.extend(addresses(state))


@lru_cache(maxsize=10_000)
def _character(choice: Choice) -> CharacterOptions:
    """Return the message of a choice. It is shared and must not be changed."""
    if choice.exchange is None:
        return CharacterOptions(
            character=choice.character, colors=_numbers(choice.colors), islands=list(choice.islands)
        )
    fewest, most, given, taken, free = choice.exchange
    bounds = ExchangeOptions(
        min_count=fewest, max_count=most, given_counts=given, taken_counts=taken, free_seats=free or ()
    )
    return CharacterOptions(character=choice.character, exchange=bounds)


def _numbers(colors: Iterable[int]) -> Any:
    """Return the values of the enum of these colours."""
    return [color + 1 for color in colors]


# Answers as messages


def build_reply(action: Action) -> Reply:
    """Return the reply that carries an action."""
    if isinstance(action, ChooseTowers):
        return AskTowerColorResponse(color=action.color + 1)  # type: ignore[arg-type]  # a value of the enum
    if isinstance(action, PlayAssistant):
        return AskAssistantCardResponse(card=action.value)
    reply = AskActionResponse()
    put_action(reply.action, action)
    return reply


def put_last_action(message: eriantys_pb2.LastAction, seat: int, action: Action) -> None:
    """Fill an empty message, which may be a part of another, with what the player of a seat has answered."""
    message.seat = seat
    if isinstance(action, ChooseTowers):
        message.tower_color = action.color + 1  # type: ignore[assignment]  # a value of the enum
    elif isinstance(action, PlayAssistant):
        message.assistant = action.value
    else:
        put_action(message.action, action)


def put_action(message: eriantys_pb2.Action, action: Action) -> None:
    """Fill an empty message, which may be a part of another, with an action of the action phase."""
    match action:
        case ToDiningRoom(color):
            message.to_dining_room.color = color + 1  # type: ignore[assignment]
        case ToIsland(color, island):
            message.to_island.color = color + 1  # type: ignore[assignment]
            message.to_island.island = island
        case MoveMotherNature(steps):
            message.move_mother_nature.steps = steps
        case TakeCloud(cloud):
            message.take_cloud.cloud = cloud
        case EndTurn():
            message.end_turn.SetInParent()
        case PlayCharacter():
            _put_character(message.play_character, action)
        case _:
            raise TypeError(f"{action} is no action of the action phase")


def _put_character(message: eriantys_pb2.PlayCharacter, action: PlayCharacter) -> None:
    message.character = action.character
    if action.color is not None:
        message.color = action.color + 1  # type: ignore[assignment]
    if action.island is not None:
        message.island = action.island
    if action.swaps:
        left, right = zip(*action.swaps, strict=True)
        given, taken = (right, left) if action.character == JESTER else (left, right)
        message.given.extend(_numbers(given))
        message.taken.extend(_numbers(taken))


# Answers as they come


def read_reply(state: State, reply: Any) -> Action:
    """Return the answer to the question that a state asks. Raises MalformedReplyError if it is malformed."""
    if state.phase is Phase.TOWERS:
        return ChooseTowers(_required(reply.color, "no colour") - 1)
    if state.phase is Phase.ASSISTANT:
        return PlayAssistant(_required(reply.card, "no assistant"))
    return read_action(reply.action)


def read_last_action(message: eriantys_pb2.LastAction) -> Action:
    """Return what a player has answered. Raises MalformedReplyError if it is malformed."""
    match message.WhichOneof("choice"):
        case "tower_color":
            return ChooseTowers(_required(message.tower_color, "no colour") - 1)
        case "assistant":
            return PlayAssistant(_required(message.assistant, "no assistant"))
    return read_action(message.action)


def read_action(message: eriantys_pb2.Action) -> Action:
    """Return an action of the action phase. Raises MalformedReplyError if it is malformed."""
    match message.WhichOneof("choice"):
        case "to_dining_room":
            return ToDiningRoom(_required(message.to_dining_room.color, "a student without a colour") - 1)
        case "to_island":
            color = _required(message.to_island.color, "a student without a colour") - 1
            return ToIsland(color, _required_place(message.to_island, "island", "a student without its island"))
        case "move_mother_nature":
            return MoveMotherNature(_required(message.move_mother_nature.steps, "no steps of Mother Nature"))
        case "take_cloud":
            return TakeCloud(_required_place(message.take_cloud, "cloud", "no number of a cloud"))
        case "play_character":
            return _read_character(message.play_character)
        case "end_turn":
            return EndTurn()
    raise MalformedReplyError(_REQUIRED, "no action")


def _required(number: int, without: str) -> int:
    if not number:
        raise MalformedReplyError(_REQUIRED, without)
    return number


def _required_place(message: Any, name: str, without: str) -> int:
    """Return a number that may be 0."""
    if not message.HasField(name):
        raise MalformedReplyError(_REQUIRED, without)
    place: int = getattr(message, name)
    return place


def _read_character(message: eriantys_pb2.PlayCharacter) -> PlayCharacter:
    number = _required(message.character, "no number of a character")
    given, taken = message.given, message.taken
    if len(given) != len(taken):
        raise MalformedReplyError("eriantys.character.swap-count", f"{len(given)} students for {len(taken)}")
    left, right = (taken, given) if number == JESTER else (given, taken)
    return PlayCharacter(
        number,
        message.color - 1 if message.color else None,
        message.island if message.HasField("island") else None,
        tuple([(one - 1, other - 1) for one, other in zip(left, right, strict=True)]),
    )


# What an answer is worth


def judge(state: State, reply: Any) -> Action | MalformedReplyError | Failure:
    """Return the legal action of a reply to the question that a state asks, or what is wrong with it."""
    if isinstance(reply, FAILURES):
        return reply
    try:
        action = read_reply(state, reply)
    except MalformedReplyError as malformed:
        return malformed
    rule_id = rules.violation(state, action)
    return MalformedReplyError(rule_id, describe_action(action)) if rule_id else action


def legal_replies(state: State) -> list[Reply]:
    """Return replies that would be legal now; of exchanges only those of one student, because there are too many."""
    short = [
        takewhile(lambda play: len(play.swaps) <= 1, plays) for plays in character_options(state)
    ]  # they come first
    return [build_reply(one) for one in chain(due_actions(state), *short)]


def describe_action(action: Action) -> str:
    """Return an action in words."""
    match action:
        case ChooseTowers(color):
            text = f"{_name(TOWER_COLORS, color)} towers"
        case PlayAssistant(value):
            text = f"the assistant {value}"
        case ToDiningRoom(color):
            text = f"a {_name(COLORS, color)} student to the dining room"
        case ToIsland(color, island):
            text = f"a {_name(COLORS, color)} student to island {island}"
        case MoveMotherNature(steps):
            text = f"{steps} steps of Mother Nature"
        case TakeCloud(cloud):
            text = f"the cloud {cloud}"
        case PlayCharacter():
            text = _describe_character(action)
        case EndTurn():
            text = "the end of the turn"
    return text


def _describe_character(action: PlayCharacter) -> str:
    parts = [f"the character {action.character}"]
    if action.color is not None:
        parts.append(f"with {_name(COLORS, action.color)}")
    if action.island is not None:
        parts.append(f"with island {action.island}")
    if action.swaps:
        parts.append(f"with {len(action.swaps)} students for as many")
    return " ".join(parts)


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if 0 <= number < len(names) else f"(colour {number + 1})"

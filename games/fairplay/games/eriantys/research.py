"""Eriantys in numbers, for programs that learn.

A character is played in steps: which one, then what it asks for. Students that are exchanged are named in the order of
their colours: those of the character's card (Jester) or of the entrance (Minstrel), "done", then those for which they
go. Every legal action can be taken: those that differ only in the order of exchanges, or in the tile by which a group
of islands is named, are one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairplay.eriantys.v1 import eriantys_settings_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.protocol.conversation import ASK_ACTION, ASK_ASSISTANT_CARD, ASK_TOWER_COLOR
from fairplay.games.eriantys.rules.board import address
from fairplay.games.eriantys.rules.characters import PIECES, character_options
from fairplay.games.eriantys.rules.legality import due_actions
from fairplay.games.eriantys.rules.state import (
    ASSISTANTS,
    COLORS,
    NOBODY,
    STUDENTS_PER_COLOR,
    TABLE_SEATS,
    TILE_COUNT,
    TOWER_COLORS,
    Action,
    ChooseTowers,
    MoveMotherNature,
    Phase,
    PlayAssistant,
    PlayCharacter,
    Reason,
    State,
    TakeCloud,
    ToDiningRoom,
    ToIsland,
    members,
    unseen,
)
from fairplay.games.research import Encoding, Kind, Part, Position, Question, Research, by_player, first_numbers

_COLOR_COUNT = len(COLORS)
_MOST_STEPS = 7
_CARDS_IN_PLAY = 3
_MOST_COINS = 20
_MOST_ROUNDS = 100
_LONGEST = 8
"""The most steps of a character: itself, three colours, done, three colours."""


class EriantysEncoding(Encoding):
    """Eriantys between a certain number of players."""

    def __init__(self, settings: eriantys_settings_pb2.Settings, seat_count: int) -> None:
        super().__init__(rules, codec.read_settings(settings), seat_count)
        self.kinds = (
            Kind("towers", len(TOWER_COLORS), "Choose this tower colour: black, white, grey."),
            Kind("assistant", ASSISTANTS, "Play the assistant of value 1 + N."),
            Kind("to_dining_room", _COLOR_COUNT, "Move a student of this colour to the dining room."),
            Kind(
                "to_island",
                _COLOR_COUNT * TILE_COUNT,
                f"Move a student of colour N // {TILE_COUNT} to island N % {TILE_COUNT}.",
            ),
            Kind("mother_nature", _MOST_STEPS, "Move Mother Nature by 1 + N groups."),
            Kind("cloud", seat_count, "Take the students of this cloud."),
            Kind("end_turn", 1, "End the turn, where the settings want that said."),
            Kind("character", len(PIECES), "Play character 1 + N."),
            Kind("color", _COLOR_COUNT, "For a character: this colour, or a student of this colour."),
            Kind("island", TILE_COUNT, "For a character: this island."),
            Kind("done", 1, "For a character: no more students on this side of the exchange."),
        )
        numbers = first_numbers(self.kinds)
        self._first = {kind.name: number for kind, number in zip(self.kinds, numbers, strict=False)}
        self._action_count = numbers[-1]
        self.parts = _build_parts(seat_count, self._action_count)

    def legal(self, position: Position) -> list[int]:
        """Return the legal actions."""
        state, steps = position
        if steps:
            place = len(steps)
            return sorted({spelled[place] for spelled, _ in self._spellings(state, steps)})
        found = [self._number(action) for action in due_actions(state)]
        options = (ways[0].character for ways in character_options(state) if ways)
        return found + [self._first["character"] + character - 1 for character in options]

    def _spellings(self, state: State, steps: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], PlayCharacter]]:
        """Yield the ways to play a character that begin with these steps, each with all its steps."""
        character = steps[0] - self._first["character"] + 1
        for ways in character_options(state):
            if ways and ways[0].character == character:
                for way in ways:
                    if (spelled := self._spell(way))[: len(steps)] == steps:
                        yield spelled, way

    def _spell(self, action: PlayCharacter) -> tuple[int, ...]:
        """Return the steps of playing a character; none is the beginning of another's."""
        first, found = self._first, [self._first["character"] + action.character - 1]
        if action.color is not None:
            found.append(first["color"] + action.color)
        if action.island is not None:
            found.append(first["island"] + action.island)
        if PIECES[action.character].exchange is not None:
            found += [first["color"] + left for left, _ in action.swaps]
            found.append(first["done"])
            found += [first["color"] + right for _, right in action.swaps]
        return tuple(found)

    def _number(self, action: Action) -> int:
        """Return the number of an action that is taken in one step."""
        name, place = _place(action)
        return self._first[name] + place

    def complete(self, position: Position, action: int) -> Action | None:
        """Return the action of the rules that is complete with this one; None: it goes on."""
        state, steps = position
        if action < self._first["character"]:
            return next(each for each in due_actions(state) if self._number(each) == action)
        steps = (*steps, action)
        spelled, way = next(self._spellings(state, steps))
        return way if spelled == steps else None

    def read(self, request: Any) -> Position:
        """Return the position that a request shows."""
        return Position(codec.read_view(request))

    def observe(self, position: Position, seat: int) -> list[int]:
        """Return what a seat sees: the others' hands are hidden, and their turns that are not complete."""
        state: State = position.state
        acts = seat == rules.turn(state)
        order = self.seats_from(seat)
        cards = [(card.character, int(card.is_used), *card.students, card.no_entry) for card in state.cards]
        own_steps = [1 + step for step in position.steps] if acts else []
        return [
            *_islands(state, order),
            *_padded([count for cloud in state.clouds for count in cloud], self.seat_count * _COLOR_COUNT),
            *(count for other in order for count in state.entrances[other]),
            *(count for other in order for count in state.dining_rooms[other]),
            *(0 if owner == NOBODY else 1 + order.index(owner) for owner in state.professors),
            *(int(value in state.hands[seat]) for value in range(1, ASSISTANTS + 1)),
            *(state.assistants[other] for other in order),
            *(int(other in state.planned) for other in order),
            *(state.towers[state.sides[other]] for other in order),
            *(1 + state.tower_colors[state.sides[other]] for other in order),
            *(int(state.sides[other] == state.sides[seat]) for other in order),
            *_padded([state.coins[other] for other in order] if state.coins else [], self.seat_count),
            state.reserve,
            *unseen(state),
            *_padded([number for card in cards for number in card], _CARDS_IN_PLAY * (3 + _COLOR_COUNT)),
            state.played,
            1 + state.ignored,
            state.to_move,
            int(state.clouds_closed),
            int(state.phase),
            min(state.round, _MOST_ROUNDS),
            int(state.last_round),
            *_padded(own_steps, _LONGEST),
            self.turns_until(position, seat),
        ]

    def shown(self, position: Position) -> codec.Shown:
        """Return the state as the game shows it."""
        return codec.Shown(position.state)


def _place(action: Action) -> tuple[str, int]:
    """Return the kind of an action that is taken in one step, and its place there."""
    found: tuple[str, int] = ("end_turn", 0)
    match action:
        case ChooseTowers(color):
            found = "towers", color
        case PlayAssistant(value):
            found = "assistant", value - 1
        case ToDiningRoom(color):
            found = "to_dining_room", color
        case ToIsland(color, island):
            found = "to_island", TILE_COUNT * color + island
        case MoveMotherNature(steps):
            found = "mother_nature", steps - 1
        case TakeCloud(cloud):
            found = "cloud", cloud
    return found


def _islands(state: State, order: list[int]) -> list[int]:
    """Return a row for each name that an action can give an island; zeros for names that no group has."""
    rows = [[0] * (_COLOR_COUNT + 4) for _ in range(TILE_COUNT)]
    for index, group in enumerate(state.groups):
        owner = 0
        if group.tower != NOBODY:
            owner = 1 + min(order.index(seat) for seat in members(state, group.tower))
        here = int(index == state.mother_nature)
        rows[address(state, index)] = [*group.students, len(group.tiles), owner, group.no_entry, here]
    return [number for row in rows for number in row]


def _padded(numbers: list[int], size: int) -> list[int]:
    return numbers + [0] * (size - len(numbers))


def _build_parts(seat_count: int, action_count: int) -> tuple[Part, ...]:
    student = STUDENTS_PER_COLOR
    return (
        Part(
            "islands",
            (TILE_COUNT, _COLOR_COUNT + 4),
            student,
            "By island as actions name it: students by colour; its tiles; who owns its towers, as with professors; "
            "no-entry tiles; 1 where Mother Nature is.",
        ),
        Part("clouds", (seat_count, _COLOR_COUNT), student, "Students on each cloud, by colour."),
        Part("entrances", (seat_count, _COLOR_COUNT), student, "By player, the observer first: students by colour."),
        Part(
            "dining_rooms",
            (seat_count, _COLOR_COUNT),
            TABLE_SEATS,
            "By player, the observer first: students by colour.",
        ),
        Part(
            "professors",
            (_COLOR_COUNT,),
            seat_count,
            "By colour: who owns it, 1 the observer, 2 the next player, ...; 0: nobody.",
        ),
        Part("hand", (ASSISTANTS,), 1, "By value: 1 if the observer has this assistant."),
        by_player("assistants", seat_count, ASSISTANTS, "the assistant played last; 0: none."),
        by_player("planned", seat_count, 1, "1 if it has played its assistant of this round."),
        by_player("towers", seat_count, 8, "towers that its side has still to build."),
        by_player("tower_colors", seat_count, len(TOWER_COLORS), "1 + its tower colour; 0: none."),
        by_player("partners", seat_count, 1, "1 if it is on the observer's side."),
        by_player("coins", seat_count, _MOST_COINS, "its coins."),
        Part("reserve", (1,), _MOST_COINS, "Coins that nobody has."),
        Part("bag", (_COLOR_COUNT,), student, "Students in the bag, by colour."),
        Part(
            "characters",
            (_CARDS_IN_PLAY, 3 + _COLOR_COUNT),
            student,
            "From left to right: the character, 1 if it was used, students on it by colour, no-entry tiles on it.",
        ),
        Part("played", (1,), len(PIECES), "The character that was played in this turn; 0: none."),
        Part("ignored", (1,), _COLOR_COUNT, "1 + the colour without influence in this turn; 0: none."),
        Part("to_move", (1,), 4, "Students that the player to act has still to move."),
        Part("clouds_closed", (1,), 1, "1 if nobody takes a cloud in this round."),
        Part("phase", (1,), len(Phase) - 1, "0 towers, 1 assistant, 2 students, 3 Mother Nature, 4 cloud, 5 end."),
        Part("round", (1,), _MOST_ROUNDS, "The round, from 1; 0 before the first."),
        Part("last_round", (1,), len(Reason) - 1, "Why this round is the last one; 0: it is not known to be."),
        Part("steps", (_LONGEST,), action_count, "1 + each step that the observer has taken of playing a character."),
        Part("turn", (1,), seat_count, "How many players after the observer the one to act sits; all: nobody."),
    )


_QUESTION = Question(EriantysEncoding.read, answers.build_reply)
RESEARCH = Research(
    rules,
    codec.read_settings,
    EriantysEncoding,
    {ASK_TOWER_COLOR: _QUESTION, ASK_ASSISTANT_CARD: _QUESTION, ASK_ACTION: _QUESTION},
)

"""Eriantys for people: what they may choose in each question, and a player whose answers come from a person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.eriantys.v1 import eriantys_player_pb2 as pb
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.guide import GUIDE
from fairplay.games.eriantys.protocol import answers, codec
from fairplay.games.eriantys.rules.board import address, group_of
from fairplay.games.eriantys.rules.characters import NAMES, character_cost, character_options
from fairplay.games.eriantys.rules.legality import due_actions, most_steps
from fairplay.games.eriantys.rules.state import (
    COLORS,
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
    assistant_steps,
)
from fairplay.games.eriantys.views.svg import svg
from fairplay.games.eriantys.views.text import board_text, side_text
from fairplay.games.eriantys.views.words import DINING_ROOM, Own, last_action
from fairplay.games.frontends import Choice, Frontend, GameView, IllegalChoiceError, TableContext
from fairplay.games.kit.person import NO_MARKS, Marks, Person

Step: TypeAlias = tuple[str, str]
"""A part in pictures, and its words."""

_WORDS = ("towers", "steps", "color", "out", "in", "end")
"""How the parts begin that are no pieces of the game."""
_FIRST_PROMPTS = {
    Phase.TOWERS: "Choose your towers:",
    Phase.ASSISTANT: "Play an assistant:",
    Phase.STUDENTS: "Move a student, {} to go:",
    Phase.MOTHER_NATURE: "Move Mother Nature:",
    Phase.CLOUD: "Take a cloud:",
    Phase.END_TURN: "End your turn:",
}
_STUDENT_FIRST = "Choose a student of your entrance first, then where it goes."
_END_TURN = "end-turn"


class Deciding(NamedTuple):
    """The answer to any question; `view` is what the called player is shown, and `steps` are those so far.

    Exchanges of students by characters have two steps for each pair; all other answers are one path of steps.
    """

    view: State
    steps: tuple[Step, ...] = ()
    exchanger: int = 0
    """The character that exchanges students, if one is chosen."""
    swaps: tuple[tuple[int, int], ...] = ()
    left: int | None = None
    """The colour of the first student of a pair, while the second is missing."""

    @property
    def prompt(self) -> str:
        """Return what to choose next, or what the answer does."""
        words = (", " if self.exchanger else " ").join(words for _, words in self.steps)
        said = f"{words[:1].upper()}{words[1:]}"
        if not self.choices:
            return f"{said}?"
        if self.reply is not None:
            return f"{said}; another one, or send:"
        if self.steps:
            return f"{said}, then:"
        return _FIRST_PROMPTS[self.view.phase].format(self.view.to_move)

    @property
    def choices(self) -> Sequence[Choice]:
        """Return what can be the next step."""
        found = self._next_swaps() if self.exchanger else self._next_steps()
        return [Choice(part, words, 0.0, float(line)) for line, (part, words) in enumerate(dict(found).items())]

    @property
    def words(self) -> Sequence[Choice]:
        """Return what can be chosen or is chosen and is no piece of the game."""
        found = dict([*self.steps, *((choice.part, choice.label) for choice in self.choices)])
        return [Choice(part, words, 0.0, 0.0) for part, words in found.items() if part.split("-")[0] in _WORDS]

    @property
    def chosen(self) -> frozenset[str]:
        """Return the parts that are chosen."""
        return frozenset(_parts(self.steps))

    @property
    def reply(self) -> Message | None:
        """Return the answer, if it is complete."""
        if self.exchanger:
            play = PlayCharacter(self.exchanger, swaps=self.swaps)
            complete = self.left is None and rules.violation(self.view, play) is None
            return answers.build_reply(play) if complete else None
        action = next((action for path, action in self._paths() if _parts(path) == _parts(self.steps)), None)
        return answers.build_reply(action) if action is not None else None

    def choose(self, part: str) -> Deciding:
        """Take one more step, or another first one. Raises IllegalChoiceError if it is not possible now."""
        step = next(((choice.part, choice.label) for choice in self.choices if choice.part == part), None)
        if step is None:
            afresh = Deciding(self.view)
            if not self.steps or all(part != choice.part for choice in afresh.choices):
                raise IllegalChoiceError(self._refusal(part))
            return afresh.choose(part)
        after = self._replace(steps=(*self.steps, step))
        number = _number(part)
        if not self.exchanger:
            exchangers = [each for each in self._exchangers() if f"character-{each}" == part]
            return after._replace(exchanger=exchangers[0]) if exchangers and not self.steps else after
        if self.left is None:
            return after._replace(left=number)
        return after._replace(left=None, swaps=(*self.swaps, (self.left, number)))

    def _next_steps(self) -> Iterator[Step]:
        done = len(self.steps)
        for path, _ in self._paths():
            if len(path) > done and _parts(path[:done]) == _parts(self.steps):
                yield path[done]
        if not done:
            for number in self._exchangers():
                yield f"character-{number}", _character_words(self.view, number)

    def _next_swaps(self) -> Iterator[Step]:
        of, for_ = ("card", "entrance") if self.exchanger == answers.JESTER else ("entrance", "dining room")
        for left, right in _SWAPS:
            play = PlayCharacter(self.exchanger, swaps=(*self.swaps, (left, right)))
            if self.left in (None, left) and rules.violation(self.view, play) is None:
                if self.left is None:
                    yield f"out-{left}", f"{COLORS[left]} of the {of}"
                else:
                    yield f"in-{right}", f"for {COLORS[right]} of the {for_}"

    def _paths(self) -> Iterator[tuple[Sequence[Step], Action]]:
        """Yield the legal answers that exchange no students, each with its steps."""
        single = (options for options in self._character_options() if not options[0].swaps)
        for action in chain(due_actions(self.view), *single):
            yield _path(self.view, action), action

    def _exchangers(self) -> list[int]:
        return [options[0].character for options in self._character_options() if options[0].swaps]

    def _character_options(self) -> list[Sequence[PlayCharacter]]:
        """Return the ways to play each character; none where that is not asked for."""
        if not self.view.cards or self.view.played or self.view.phase in (Phase.TOWERS, Phase.ASSISTANT):
            return []
        return [options for options in character_options(self.view) if options]

    def _refusal(self, part: str) -> str:
        """Return the rule against a step that is not possible now, or another sentence where it breaks none."""
        action = self._attempt(part)
        if action is None:
            return _STUDENT_FIRST if self.view.phase is Phase.STUDENTS else rules.RULES["eriantys.action.phase"]
        broken = rules.violation(self.view, action)
        return rules.RULES[broken] if broken is not None else "This is not possible now."

    def _attempt(self, part: str) -> Action | None:
        """Return what a person wants who chooses a part; None if that is not to be seen."""
        kind, number, first = part.rpartition("-")[0], _number(part), self.steps[0][0] if self.steps else ""
        color = _number(first) if first.startswith("student-") else None
        if kind in _AT_ONCE:
            return _AT_ONCE[kind](number)
        if part == DINING_ROOM and color is not None:
            return ToDiningRoom(color)
        if kind == "island" and color is not None:
            return ToIsland(color, number)
        if kind == "island" and self.view.phase is Phase.MOTHER_NATURE:
            return MoveMotherNature(_steps_to(self.view, number))
        return EndTurn() if part == _END_TURN else None


_AT_ONCE: Mapping[str, Callable[[int], Action]] = {
    "towers": ChooseTowers,
    "assistant": PlayAssistant,
    "student": ToDiningRoom,
    "cloud": TakeCloud,
    "character": PlayCharacter,
}
"""What somebody wants who chooses such a part, which has the number at its end."""
_SWAPS = [(left, right) for left in range(len(COLORS)) for right in range(len(COLORS))]


def _number(part: str) -> int:
    """Return the number at the end of a part, or -1."""
    number = part.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdigit() else -1


def _parts(path: Sequence[Step]) -> tuple[str, ...]:
    return tuple(part for part, _ in path)


def _path(view: State, action: Action) -> Sequence[Step]:
    """Return the steps that lead to an action."""
    path: Sequence[Step]
    match action:
        case ChooseTowers(color):
            path = [(f"towers-{color}", f"{TOWER_COLORS[color]} towers")]
        case PlayAssistant(value):
            steps = assistant_steps(value)
            path = [(f"assistant-{value}", f"assistant {value} (Mother Nature moves up to {steps})")]
        case ToDiningRoom(color):
            path = [_student(color), (DINING_ROOM, "to the dining room")]
        case ToIsland(color, island):
            path = [_student(color), (_island(view, island), f"to island {island}")]
        case MoveMotherNature(steps):
            path = _mother_nature(view, steps)
        case TakeCloud(cloud):
            path = [(f"cloud-{cloud}", f"the students of cloud {cloud}")]
        case PlayCharacter(number, color, island):
            path = [
                (f"character-{number}", _character_words(view, number)),
                *([] if color is None else [(f"color-{color}", f"with {COLORS[color]}")]),
                *([] if island is None else [(_island(view, island), f"with island {island}")]),
            ]
        case EndTurn():
            path = [(_END_TURN, "end the turn")]
    return path


def _mother_nature(view: State, steps: int) -> Sequence[Step]:
    """Return the steps that lead Mother Nature to an island; the second says how far, where there are two ways."""
    index = (view.mother_nature + steps) % len(view.groups)
    words = f"Mother Nature to island {address(view, index)}"
    to = f"island-{view.groups[index].tiles[0]}"
    if most_steps(view) <= len(view.groups):
        return [(to, f"{words}, {steps} on")]
    return [(to, words), (f"steps-{steps}", f"by {steps}")]


def _steps_to(view: State, tile: int) -> int:
    """Return how far Mother Nature would go to the group of a tile; 0 if there is none."""
    index = next((index for index, group in enumerate(view.groups) if tile in group.tiles), None)
    return 0 if index is None else (index - view.mother_nature - 1) % len(view.groups) + 1


def _island(view: State, island: int) -> str:
    """Return the part of an island as an action names it."""
    return f"island-{view.groups[group_of(view, island)].tiles[0]}"


def _student(color: int) -> Step:
    return f"student-{color}", f"a {COLORS[color]} student"


def _character_words(view: State, number: int) -> str:
    card = next(card for card in view.cards if card.character == number)
    cost = character_cost(card)
    return f"character {number}, the {NAMES[number]}, for {cost} coin{'' if cost == 1 else 's'}"


# The person


class EriantysPerson(Person[eriantys_pb2.State]):
    """A person at a table of Eriantys."""

    game = "eriantys"
    state_type = eriantys_pb2.State

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._seat: int | None = None
        self._hand: Sequence[int] = ()

    async def ask_tower_color(self, request: pb.AskTowerColorRequest) -> Message:
        """Return the colour of towers that the person chooses. It is the first call of a game."""
        if request.first_request and (self.state is None or self.state.revision > request.state.revision):
            self.begin()
        return await self._decide(request, ())

    async def start_game(self, request: pb.StartGameRequest) -> None:
        """Show the first board."""
        self._seat, self._hand = request.seat, list(request.hand)
        self.look(request.state)

    async def ask_action(self, request: pb.AskAssistantCardRequest | pb.AskActionRequest) -> Message:
        """Return the assistant that the person plays, or what it does."""
        return await self._decide(request, request.hand)

    ask_assistant_card = ask_action

    async def update_game_board(self, request: pb.UpdateGameBoardRequest) -> None:
        """Show a board."""
        self.look(request.state)

    async def show_last_round(self, request: pb.ShowLastRoundRequest) -> None:
        """Tell that the round is the last one."""
        self.table.report("This is the last round.")

    async def show_end_game(self, request: pb.ShowEndGameRequest) -> None:
        """Show the last board, and tell the result."""
        self.look(request.state)
        self.table.report("You have won." if request.seat in request.winner_seats else "You have not won.")

    async def show_disconnection(self, request: pb.ShowDisconnectionRequest) -> None:
        """Do nothing: the board that follows shows who is gone."""

    async def _decide(self, request: Any, hand: Sequence[int]) -> Message:
        self._seat, self._hand = request.seat, list(hand)
        if request.HasField("refusal"):
            self.table.report(request.refusal.explanation)
        return await self.answer(request, request.state, Deciding(codec.read_view(request)))

    def draw(self, state: eriantys_pb2.State, marks: Marks) -> str:
        """Return the islands, clouds and schools, the person's assistants, and what can be chosen."""
        choices = self.draft.choices if self.draft is not None else ()
        return board_text(state, self.table.names(), self._hand, choices, marks)

    def draw_svg(self, state: eriantys_pb2.State, marks: Marks) -> str:
        """Return the board with the person's assistants and what else can be chosen as one SVG document."""
        words = self.draft.words if isinstance(self.draft, Deciding) else ()
        return svg(state, self.table.names(), Own(self._seat, self._hand, words), marks)

    def describe(self, state: eriantys_pb2.State) -> str:
        """Return the players with what they are about to do."""
        return side_text(state, self.table.names())

    def is_over(self, state: eriantys_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return state.phase == eriantys_pb2.PHASE_OVER

    def news(self, state: eriantys_pb2.State) -> str:
        """Return what a player has done in the step that led to a state."""
        return last_action(state, self.table.names())


FRONTEND = Frontend(
    main_settings={"mode": "Game with characters and coins (expert), or without (basic)"},
    limit="3m",
    bot="greedy",
    help=(
        "Up and down go through what can be chosen, Enter chooses it and at the end sends, Backspace takes a step back."
    ),
    guide=GUIDE,
    view_of=lambda state, names: GameView(
        board_text(state, names, (), (), NO_MARKS), side_text(state, names), "You watch."
    ),
    create_player=EriantysPerson,
)

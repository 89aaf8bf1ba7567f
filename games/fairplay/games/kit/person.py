"""The person's side of games in which a player answers one question after the other.

A game says what can be chosen (`Draft`) and draws it with the marks that it is handed (`Marks`); waiting, undoing,
sending and the time that is left are here, once for all games. Nothing here knows a screen: a terminal chooses with
keys, a page with clicks on parts of the picture.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from google.protobuf.message import Message

from fairplay.games.frontends import Choice, GameView, IllegalChoiceError, Key, Offer, TableContext
from fairplay.games.kit.lettering import literally

ARROWS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
SEND, CHOOSE, UNDO = "s", "enter", "backspace"
_SEATED = "You have a seat. The game begins when somebody starts it."
_WAIT, _LATE, _OVER = "Wait for the others.", "Your time is over.", "The game is over."

State = TypeVar("State", bound=Message)


def check_choice(rule_id: str | None, rules: Mapping[str, str]) -> None:
    """Raise IllegalChoiceError with the sentence of the rule that a choice breaks; None: it breaks none."""
    if rule_id is not None:
        raise IllegalChoiceError(rules[rule_id])


class Draft(Protocol):
    """A reply of which a part is chosen. Drafts never change: a choice makes another one."""

    @property
    def prompt(self) -> str:
        """Return what to choose next, as one sentence; if the reply is complete, what it does."""

    @property
    def choices(self) -> Sequence[Choice]:
        """Return what may be chosen now; nothing if the reply is complete and nothing can be added."""

    @property
    def chosen(self) -> frozenset[str]:
        """Return the parts that are chosen."""

    @property
    def reply(self) -> Message | None:
        """Return the reply to the request, or None as long as it is not complete."""

    def choose(self, part: str, /) -> Draft:
        """Return the draft in which a part is chosen. Raises IllegalChoiceError if it may not be."""


class PlainDraft(NamedTuple):
    """A draft that is nothing but its values."""

    prompt: str
    choose: Callable[[str], Draft]
    choices: Sequence[Choice] = ()
    chosen: frozenset[str] = frozenset()
    reply: Message | None = None


class Marks(NamedTuple):
    """What is marked in a picture, by the ids of its parts."""

    choices: frozenset[str] = frozenset()
    """What may be chosen now."""
    chosen: frozenset[str] = frozenset()
    """What is chosen."""
    cursor: str = ""
    """Where the keys are; empty where there are none."""


NO_MARKS = Marks()


_POINTED = "bold #c77700"


def choice_line(choice: Choice, marks: Marks) -> str:
    """Return a choice as a line of a list, in rich's console markup; an arrow is the cursor."""
    mark = "►" if choice.part == marks.cursor else " "
    return f"[{_POINTED}]{mark}[/] [default]{literally(choice.label)}[/]"


def choice_lines(choices: Sequence[Choice], marks: Marks, most: int) -> list[str]:
    """Return choices as lines, `most` of them around the cursor, with the numbers of those that do not fit."""
    if len(choices) <= most:
        return [choice_line(choice, marks) for choice in choices]
    at = next((place for place, choice in enumerate(choices) if choice.part == marks.cursor), 0)
    room = most - 1
    start = min(max(0, at - room // 2), len(choices) - room)
    above, below = start, len(choices) - start - room
    more = ", ".join(f"{count} more {where}" for count, where in ((above, "above"), (below, "below")) if count)
    return [*(choice_line(choice, marks) for choice in choices[start : start + room]), f"  [default]({more})[/]"]


def bracketed(text: str, part: str, marks: Marks) -> str:
    """Return a piece in rich's console markup, two cells wider: between arrows at the cursor, in brackets if chosen."""
    if part == marks.cursor:
        return f"[{_POINTED}]►[/]{text}[{_POINTED}]◄[/]"
    return rf"\[{text}]" if part in marks.chosen else f" {text} "


def nearest(choices: Iterable[Choice], start: Choice, step_x: int, step_y: int) -> Choice:
    """Return the choice that comes first from `start` in a direction, which is `start` itself if there is none.

    What a choice lies aside of the direction counts four times: along a row of tiles, keys stay in the row.
    """

    def cost(choice: Choice) -> float:
        ahead, aside = _along(start, choice, step_x, step_y)
        return hypot(ahead, 4 * aside)

    beyond = [choice for choice in choices if _along(start, choice, step_x, step_y)[0] > 0]
    return min(beyond, key=cost, default=start)


def _along(start: Choice, choice: Choice, step_x: int, step_y: int) -> tuple[float, float]:
    """Return how far a choice lies in a direction, and how far beside it."""
    right, down = choice.x - start.x, choice.y - start.y
    return right * step_x + down * step_y, right * step_y + down * step_x


def watching(
    draw: Callable[[Any], str], describe: Callable[[Any, Sequence[str]], str]
) -> Callable[[Any, Sequence[str]], GameView]:
    """Return how spectators see states: the board that `draw` returns, and what `describe` says of the players."""
    return lambda state, names: GameView(draw(state), describe(state, names), "You watch.")


class _Question(NamedTuple):
    """A question, when its time limit is over, and the drafts of its reply, the newest last."""

    request: Message
    end_s: float
    drafts: list[Draft]


class Person(ABC, Generic[State]):
    """A person at a table, in one game after the other.

    A game's own class has the methods of its service: those that ask return `await self.answer(request, state, draft)`,
    those that begin a game call `self.begin()`, and those that tell something `self.look(state)`.
    """

    game: str
    state_type: type[State]
    name = "a person"

    def __init__(self, table: TableContext) -> None:
        self.table = table
        self.state: State | None = None
        """The newest state, as this seat sees it, or as spectators do where that one is newer."""
        self._question: _Question | None = None
        self._reply: asyncio.Future[Message] | None = None
        self._reported: set[int] = set()
        """The revisions whose news has been reported."""
        self._asked_revision = -1
        """The revision of the state that the newest question showed; -1 once spectators have seen it."""
        self._last: Choice | None = None
        """Where the cursor is, or was before all was chosen."""

    # --- what a game supplies ---

    @abstractmethod
    def draw(self, state: State, marks: Marks) -> str:
        """Return the board in rich's console markup, with these parts marked."""

    @abstractmethod
    def draw_svg(self, state: State, marks: Marks) -> str:
        """Return all that the person sees as one SVG document, in which each choice is one part, with these marked."""

    @abstractmethod
    def describe(self, state: State) -> str:
        """Return the players and what else stands beside the board, in rich's console markup."""

    def revision(self, state: Any) -> int:
        """Return a number that grows with each state of a game: its field `revision`."""
        revision: int = state.revision
        return revision

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Return whether a state is the end of its game."""

    def news(self, state: State) -> str:
        """Return what has happened in the step that led to a state, as one line of plain text; empty if nothing."""
        return ""

    # --- the game's calls ---

    def begin(self) -> None:
        """Forget the game before."""
        self.state = self._question = None
        self._asked_revision = -1
        self._reported = set()

    def look(self, state: State) -> None:
        """Show a state, and tell what has led to it."""
        self._tell(state)
        self.show(state)

    def _tell(self, state: State) -> None:
        """Report what has led to a state, once for each revision."""
        revision = self.revision(state)
        if revision not in self._reported and (line := self.news(state)):
            self._reported.add(revision)
            self.table.report(line)

    def show(self, state: State) -> None:
        """Show a state."""
        self.state = state
        self.table.on_change()

    async def answer(self, request: Message, state: State, draft: Draft) -> Message:
        """Return the reply that the person sends. A question that comes again after a lost connection goes on."""
        self.ask(request, draft, self.table.limit_s)
        return await self.wait(state)

    def ask(self, request: Message, draft: Draft, limit_s: float) -> float:
        """Set the question that the person is asked, and return how many seconds it has left, of usually `limit_s`.

        A question that was cancelled comes again after a lost connection. It goes on with what was chosen and with its
        time, unless that is over: then the server itself was started again, and asks anew.
        """
        now = self.table.clock()
        asked = self._question
        if asked is None or asked.request != request or asked.end_s <= now:
            limit_s = self.table.call_limit_s() or limit_s
            asked = self._question = _Question(request, now + limit_s, [draft])
        return asked.end_s - now

    async def wait(self, state: State) -> Message:
        """Return the reply that the person sends to the question."""
        self._reply = asyncio.get_running_loop().create_future()
        self._asked_revision = self.revision(state)
        self._place_cursor()
        self.show(state)  # spectators are told what led to it, in order: the question may overtake their states
        try:
            reply = await self._reply
        finally:
            self._reply = None
            self.table.on_change()
        self.settle()
        return reply

    def settle(self) -> None:
        """Forget the question: it is answered."""
        self._question = None

    def update(self, state: Message) -> None:
        """Take what spectators see, and tell what has led to it, also where the own question was faster."""
        if not isinstance(state, self.state_type):
            return
        revision, known = self.revision(state), -1 if self.state is None else self.revision(self.state)
        self._tell(state)
        if revision > known or revision == known == self._asked_revision:
            self._asked_revision = -1
            self.show(state)

    # --- what is seen ---

    @property
    def draft(self) -> Draft | None:
        """Return the draft of the reply to the question that waits, or None if none does."""
        return self._question.drafts[-1] if self._question is not None and self._reply is not None else None

    @property
    def _cursor(self) -> Choice | None:
        return self._last if self.draft is not None and self.draft.choices else None

    @property
    def marks(self) -> Marks:
        """Return what is marked in the picture now."""
        draft = self.draft
        if draft is None:
            return NO_MARKS
        cursor = self._cursor
        parts = frozenset(choice.part for choice in draft.choices)
        return Marks(parts, draft.chosen, cursor.part if cursor is not None else "")

    def view(self) -> GameView:
        """Return what the person sees now."""
        if self.state is None:
            return GameView("", "", _SEATED)
        board, side = self.draw(self.state, self.marks), self.describe(self.state)
        return GameView(board, side, self._status(), self._keys(), ticking=self.draft is not None)

    def svg(self) -> str:
        """Return what the person sees now as one SVG document; empty before the first state."""
        return self.draw_svg(self.state, self.marks) if self.state is not None else ""

    def offer(self) -> Offer:
        """Return what the person may do now."""
        if self.state is None:
            return Offer(_SEATED)
        question, draft = self._question, self.draft
        left_s = question.end_s - self.table.clock() if question is not None else 0.0
        if question is not None and left_s <= 0:
            return Offer(_LATE)
        if question is None or draft is None:
            return Offer(_OVER if self.is_over(self.state) else _WAIT)
        undo, send = len(question.drafts) > 1, draft.reply is not None
        return Offer(draft.prompt, draft.choices, draft.chosen, undo, send, left_s)

    def _status(self) -> str:
        """Return the line under the board: words, in which no name of a stranger stands."""
        offer, cursor = self.offer(), self._cursor
        if offer.left_s is None:
            return offer.prompt
        pointed = f" {literally(cursor.label)}." if cursor is not None else ""
        return f"{literally(offer.prompt)}{pointed} {offer.left_s:.0f} s left."

    def _keys(self) -> list[Key]:
        draft = self.draft
        if draft is None or self._question is None:
            return []
        keys = [Key("arrows", "look"), Key(CHOOSE, "choose")] if draft.choices else []
        keys += [Key(SEND if draft.choices else CHOOSE, "send")] if draft.reply is not None else []
        keys += [Key(UNDO, "undo")] if len(self._question.drafts) > 1 else []
        return keys

    # --- what the person does ---

    def press(self, key: str) -> bool:
        """Take a key, and return whether it means anything now."""
        draft, cursor = self.draft, self._cursor
        if draft is None:
            return False
        if key in ARROWS and cursor is not None:
            self._last = nearest(draft.choices, cursor, *ARROWS[key])
        elif key == CHOOSE and cursor is not None:
            self.choose(cursor.part)
        elif key == UNDO:
            self.undo()
        elif key == SEND or (key == CHOOSE and not draft.choices):
            return self.send()
        else:
            return False
        self.table.on_change()
        return True

    def choose(self, part: str) -> None:
        """Choose a part. Raises IllegalChoiceError, with the rule's sentence, if it may not be chosen."""
        draft, question = self.draft, self._question
        if draft is None or question is None:
            raise IllegalChoiceError(_WAIT)
        question.drafts.append(draft.choose(part))
        self._place_cursor()
        self.table.on_change()

    def undo(self) -> None:
        """Take the last choice back."""
        if self.draft is not None and self._question is not None and len(self._question.drafts) > 1:
            self._question.drafts.pop()
            self._place_cursor()
            self.table.on_change()

    def send(self) -> bool:
        """Send the reply, and return whether it is complete."""
        draft = self.draft
        if draft is None or draft.reply is None or self._reply is None or self._reply.done():
            return False
        self._reply.set_result(draft.reply)
        return True

    def _place_cursor(self) -> None:
        """Put the cursor on the choice that is nearest to where it was; where nothing is to choose it stays."""
        before, choices = self._last, self.draft.choices if self.draft is not None else ()
        if before is not None and choices:
            self._last = min(choices, key=lambda each: hypot(each.x - before.x, each.y - before.y))
        elif choices:
            self._last = choices[0]

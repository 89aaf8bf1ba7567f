"""What is shown above the lobby: forms, questions and help."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Select, Static
from textual.worker import Worker


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form. With choices, as (label, value), it is chosen from a list."""

    id: str
    label: str
    value: str = ""
    hint: str = ""
    choices: Sequence[tuple[str, str]] = ()


Answers = Mapping[str, str]
NAME_FORM = "1 to 20 letters, digits, '-', '_' or '.'"


class Form(ModalScreen[bool]):
    """Asks for a few lines. `send` takes the answers, and returns why they are refused: then the form is asked again.

    `suggest` takes a choice, and returns values of other lines that suit it.
    """

    BINDINGS = [("escape", "dismiss(False)", "cancel")]  # noqa: RUF012 - as Textual has it

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        send: Callable[[Answers], Awaitable[str]],
        suggest: Callable[[str], Answers] | None = None,
        refusal: str = "",
    ) -> None:
        super().__init__()
        self._title = title
        self._fields = fields
        self._send = send
        self._suggestions = suggest
        self._refusal = refusal
        self._sending: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        """Build the lines, and one for the reason of a refusal."""
        with Vertical(classes="box"):
            yield Label(Content(self._title))
            yield Static(Content(self._refusal), classes="refusal", id="refusal")
            for field in self._fields:
                yield Label(Content(field.label))
                if field.choices:
                    yield Select(field.choices, value=field.value, allow_blank=False, compact=True, id=field.id)
                else:
                    yield Input(field.value, placeholder=field.hint, compact=True, id=field.id)
            yield Label("Enter: do it   Tab: next line   Esc: back", classes="hint")

    def answers(self) -> Answers:
        """Return what stands in the lines."""
        chosen = {select.id or "": str(select.value) for select in self.query(Select)}
        return {**chosen, **{line.id or "": line.value for line in self.query(Input)}}

    @on(Select.Changed)
    def _suggest(self, event: Select.Changed) -> None:
        for name, value in self._suggestions(str(event.value)).items() if self._suggestions is not None else ():
            self.query_one(f"#{name}", Input).value = value

    @on(Input.Submitted)
    def _submitted(self) -> None:
        """Send the answers, unless they are on their way: who presses Enter twice wants it once."""
        if self._sending is None or self._sending.is_finished:
            self._sending = self._try()

    @work
    async def _try(self) -> None:
        refusal = await self._send(self.answers())
        if not refusal:
            self.dismiss(True)
        else:
            self.query_one("#refusal", Static).update(Content(refusal))


class Question(ModalScreen[bool]):
    """Asks a question: y means yes, every other key no."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Build the question."""
        with Vertical(classes="box"):
            yield Label(Content(self._text))
            yield Label("y: yes   any other key: no", classes="hint")

    def on_key(self, event: Key) -> None:
        """Answer the question."""
        event.stop()
        self.dismiss(event.key == "y")


class Help(ModalScreen[None]):
    """Shows help until any key is pressed that does not scroll."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Build the text."""
        with VerticalScroll(classes="box"):
            yield Static(Content(self._text))
            yield Label("\nany key: back", classes="hint")

    def on_key(self, event: Key) -> None:
        """Go back, or scroll."""
        if event.key not in SCROLLING:
            event.stop()
            self.dismiss()


SCROLLING: Iterable[str] = frozenset({"up", "down", "pageup", "pagedown", "home", "end"})

"""What tests of conversations share: sound and failing players, and games written down step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fairplay.games.game import Game
from fairplay.games.steps import Call, Conversation, Eliminate, Outcome, Show
from fairplay.player.handlers import snake_case

Answer = Callable[[Call], Any]


def sound_players(game: Game, *specs: str) -> Answer:
    """Answer as reference players do, the last strategy in all seats that have none of their own."""
    players = [game.player(spec) for spec in specs]

    def answer(call: Call) -> Any:
        player = players[min(call.seat, len(players) - 1)]
        reply = getattr(player, snake_case(call.method.name))(call.request)
        return call.method.response() if reply is None else reply

    return answer


def failing_player(
    others: Answer, seat: int, method: str, failure: Any, after: int = 0, times: int = 1_000_000
) -> Answer:
    """Answer as the others do; one player answers `times` calls of a method with `failure`, after `after` of them."""
    calls = 0

    def answer(call: Call) -> Any:
        nonlocal calls
        if (call.seat, call.method.name) == (seat, method):
            calls += 1
            if after < calls <= after + times:
                return failure
        return others(call)

    return answer


class Played(NamedTuple):
    """All steps of a conversation, the answers to its calls in the same places, and its outcome."""

    steps: list[Any]
    answers: list[Any]
    outcome: Outcome

    @property
    def calls(self) -> list[Call]:
        return [step for step in self.steps if isinstance(step, Call)]

    @property
    def asked(self) -> list[tuple[int, str]]:
        """Who was called in what, in order."""
        return [(call.seat, call.method.name) for call in self.calls]

    @property
    def out(self) -> list[Any]:
        return [step for step in self.steps if isinstance(step, Eliminate)]

    @property
    def shown(self) -> list[Any]:
        return [step.state for step in self.steps if isinstance(step, Show)]

    @property
    def states(self) -> list[Any]:
        """The states that were shown, of the rules."""
        return [shown.state for shown in self.shown]

    @property
    def ranking(self) -> list[list[int]]:
        return [[seat for seat, _ in group] for group in self.outcome.ranking]

    @property
    def won(self) -> list[int]:
        return self.ranking[0] if self.ranking else []

    def of(self, method: str) -> list[Call]:
        return [call for call in self.calls if call.method.name == method]

    def requests(self, method: str) -> list[Any]:
        return [call.request for call in self.of(method)]

    @property
    def ends(self) -> list[tuple[int, bool]]:
        """Who was told the end, and whether it has won."""
        return [(call.seat, call.request.won) for call in self.of("Win")]


def play_steps(conversation: Conversation, answer: Answer) -> Played:
    """Drive a conversation with these answers, and write everything down."""
    played = Played([], [], Outcome([]))
    sent: Any = None
    while True:
        try:
            step = conversation.send(sent)
        except StopIteration as stop:
            return played._replace(outcome=stop.value)
        sent = answer(step) if isinstance(step, Call) else None
        played.steps.append(step)
        played.answers.append(sent)

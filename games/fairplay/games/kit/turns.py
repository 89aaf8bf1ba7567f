"""Games in turn order: what follows from rules and messages where a turn is one call, and nothing is hidden.

Such a game has a service with two methods: one tells a player its seat, the other asks for an action. Settings, states
and actions have the same fields in the rules, where they are named tuples, as in the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from google.protobuf.message import Message

from fairplay.games.frontends import Choice
from fairplay.games.game import Game, Start, usual_sign_up
from fairplay.games.kit import messages
from fairplay.games.kit.judging import CAUSES, MalformedReplyError, judge_reply
from fairplay.games.kit.lettering import literally, short_name
from fairplay.games.kit.person import NO_MARKS, Marks
from fairplay.games.kit.players import build_players
from fairplay.games.kit.settings import describe, find_problem
from fairplay.games.kit.strategies import StrategyKind
from fairplay.games.steps import FAILURES, Call, CallAll, CallKind, Conversation, Eliminate, Method, Show, rank
from fairplay.v1.game_pb2 import TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The rules and messages of a game in turn order."""

    rules: Any
    """The module of the rules: SEATS, RULES, Settings, State, initial, turn, legal, violation, apply, eliminate,
    scores, ranking, and find_problem, which returns the sentence that says why no game has a state, or None."""
    settings_type: type[Message]
    state_type: type[Message]
    tell: Method
    """Its request has the fields game_id and seat."""
    ask: Method
    """Its request has the fields game_id, seat and state, its reply those of an action."""
    action: Any
    """The named tuple of an action."""
    malformed: str
    """The id of the rule that a reply breaks in which a field is missing."""
    describe: Callable[[Any], str]
    """Action -> in words, e.g. "2 from heap 0"."""

    def read_settings(self, message: Any) -> Any:
        """Return the settings of a message, defaults filled in. Raises ValueError if a value is not allowed."""
        return messages.read_settings(message, self.rules.Settings, find_problem)

    def build_settings(self, settings: Any) -> Message:
        """Return the message of settings, every field set."""
        return messages.fill(self.settings_type(), settings)

    def read_state(self, message: Any) -> Any:
        """Return the state of a message."""
        lists = {field.name for field in message.DESCRIPTOR.fields if field.is_repeated}
        values = {name: getattr(message, name) for name in self.rules.State._fields}
        return self.rules.State(**{name: tuple(value) if name in lists else value for name, value in values.items()})

    def build_state(self, state: Any) -> Message:
        """Return the message of a state."""
        return self.state_type(**state._asdict())

    def resume(self, message: Any, settings: Any, rng: Random) -> Any:
        """Return the state of a message. Raises ValueError if no game has such a state."""
        state = self.read_state(message)
        if problem := self.rules.find_problem(state):
            raise ValueError(problem)
        return state

    def read_action(self, reply: Any) -> Any:
        """Return the action of a reply. Raises MalformedReplyError if a field is missing."""
        if not all(map(reply.HasField, self.action._fields)):
            raise MalformedReplyError(self.malformed, "an incomplete answer")
        return self.action(*(getattr(reply, name) for name in self.action._fields))

    def build_reply(self, action: Any) -> Any:
        """Return the reply with an action."""
        return self.ask.response(**action._asdict())

    def converse(self, start: Start) -> Conversation:
        """Return the conversation of a game: every player is told its seat, then each is asked in its turn."""
        rules, state = self.rules, start.state
        yield Show(state)
        seats = range(len(start.names))
        told: list[Any] = [self.tell.request(game_id=start.game_id, seat=seat) for seat in seats]
        answers = yield CallAll([Call(call.seat, self.tell, call, CallKind.NOTIFICATION) for call in told])
        for seat, answer in sorted(answers.items()):
            if isinstance(answer, FAILURES):
                yield Eliminate(seat, answer)
                state = rules.eliminate(state, seat)
                yield Show(state)
        while (seat := rules.turn(state)) is not None:
            request = self.ask.request(game_id=start.game_id, seat=seat, state=self.build_state(state))
            verdict = self.judge(state, (yield Call(seat, self.ask, request, CallKind.DECISION)))
            if isinstance(verdict, CAUSES):
                yield Eliminate(seat, verdict)
                state = rules.eliminate(state, seat)
            else:
                state = rules.apply(state, verdict)
            yield Show(state)
        return rank(rules.ranking(state), rules.scores(state))

    def judge(self, state: Any, reply: Any) -> Any:
        """Return the legal action of a reply, or the cause for which its player is eliminated."""
        return judge_reply(
            reply,
            self.rules.RULES,
            self.read_action,
            partial(self.rules.violation, state),
            self.describe,
            lambda: map(self.build_reply, self.rules.legal(state)),
        )

    def answer(self, strategy: Callable[[Any], Any], request: Any) -> Any:
        """Return the reply of a strategy, which is a function: state -> action."""
        return self.build_reply(strategy(self.read_state(request.state)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """How a state of the rules looks."""

    board: Callable[[Any, Marks], str]
    """(state, marks) -> the board in rich's console markup, a few lines."""
    svg: Callable[[Any, Sequence[str], Marks], str]
    """(state, lines about the players, marks) -> all of it as one SVG document, in which each choice is a part."""
    find_choice: Callable[[Any, Any], Choice]
    """(state, legal action) -> the action as a part of the picture, with its words and its place."""


def describe_players(turns: Turns, state: Any, names: Sequence[str]) -> list[str]:
    """Return a line about each player that is left, in turn order, with its name at most 16 cells wide."""
    rules = turns.rules
    turn, scores, best = rules.turn(state), rules.scores(state), rules.ranking(state)[:1]
    lines = []
    for seat in sorted(state.players):
        name = (short_name(names[seat], 16) if seat < len(names) else "") or f"seat {seat}"
        going_on = "to move" if seat == turn else "waits"
        over = "has won" if [seat] == [*best[0]] else "tied" if seat in best[0] else "has lost"
        lines.append(f"{name}: {scores[seat]}, {over if turn is None else going_on}")
    return lines


def build_game(
    turns: Turns,
    looks: Looks,
    *,
    name: str,
    title: str,
    strategies: Mapping[str, StrategyKind[Callable[[Any], Any]]],
    time_control: TimeControl,
    tournament_settings: Message,
) -> Game:
    """Return the description of a game in turn order."""
    methods = turns.tell, turns.ask

    def text(message: Any, names: Sequence[str]) -> str:
        state = turns.read_state(message)
        return "\n".join([looks.board(state, NO_MARKS), *map(literally, describe_players(turns, state, names))])

    def svg(message: Any, names: Sequence[str]) -> str:
        state = turns.read_state(message)
        return looks.svg(state, describe_players(turns, state, names), NO_MARKS)

    return Game(
        name=name,
        title=title,
        service=turns.ask.path.split("/")[1],
        methods=methods,
        turn=turns.ask,
        seats=turns.rules.SEATS,
        rules=turns.rules.RULES,
        strategies=strategies,
        settings=describe(turns.rules.Settings),
        settings_type=turns.settings_type,
        state_type=turns.state_type,
        time_control=time_control,
        sign_up=usual_sign_up(turns.rules.SEATS),
        tournament_settings=tournament_settings,
        read_settings=turns.read_settings,
        build_settings=turns.build_settings,
        begin=turns.rules.initial,
        resume=turns.resume,
        count_seats=lambda state: len(state.players),
        converse=turns.converse,
        full_state=turns.build_state,
        public_state=turns.build_state,
        player=build_players(name, title, methods, strategies, {turns.ask: turns.answer}),
        svg=svg,
        text=text,
    )

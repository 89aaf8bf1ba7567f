"""`fairplay records ask`: a recorded call, put to a player once more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from rich.console import Console
from rich.markup import escape

from fairplay.client.errors import FailedError, UsageError
from fairplay.client.inputs import parse_address
from fairplay.client.wording import counted
from fairplay.conformance.player.player import parse_description
from fairplay.conformance.player.transports import DialInTransport, Transport, make_transport, output_of
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find
from fairplay.games.kit.conformance import cause_of
from fairplay.games.kit.player_service import DESCRIBE
from fairplay.games.steps import FAILURES, Call, Eliminate, Failure
from fairplay.games.transcript import Answer
from fairplay.player.standstill import run
from fairplay.server.links.link import Link, outcome_of
from fairplay.server.records.chain import parsed
from fairplay.server.records.dataset import legal_replies_to, settings_of
from fairplay.server.records.place import Place
from fairplay.server.records.replay import Called, Replayer
from fairplay.terminal.printing import make_console, print_json, say
from fairplay.terminal.records.games import RecordedGame, choose_recorded_game
from fairplay.terminal.records.sources import open_source
from fairplay.terminal.records.wording import Wording, answer, as_json, kind
from fairplay.v1.misconduct_pb2 import CallError, Misconduct, RuleBreak
from fairplay.v1.record_pb2 import RecordedCall, RecordEntry

NO_LIMIT_S = 24 * 3600.0
"""The limit of each call: whoever looks into a player with a debugger needs no more."""
MAX_LEGAL_SHOWN = 20


class Asking(NamedTuple):
    """What is asked: the number of the call, and of the first one that may come before it.

    `listen` is where the player dials in, `start_limit_s` how long it may take to be there.
    """

    call: int
    first: int
    listen: str
    start_limit_s: float


def ask_again(place: Place, wanted: str | None, spec: str, asking: Asking) -> int:
    """Put a call of a recorded game to a player, show what comes of it, and return the exit code: 1 for misconduct."""
    if asking.first > asking.call:
        raise UsageError(f"--from {asking.first} comes after --call {asking.call}")
    parse_address(asking.listen, "--listen")
    with open_source(place) as source:
        game = choose_recorded_game(source, wanted)
    entries = list(parsed(game.record))
    recorded = _find_call(game, entries, asking.call)
    name = game.players[recorded.seat]
    try:
        transport = make_transport(game.game, spec, asking.listen, asking.start_limit_s)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if not isinstance(transport, DialInTransport):
        transport.player_name = name
    before = [
        entry.call
        for entry in entries
        if entry.HasField("call")
        and entry.call.seat == recorded.seat
        and asking.first <= entry.call.number < asking.call
    ]
    console = make_console()
    position = _Position(game, entries, recorded)
    wording = Wording(game.game, game.players)
    title = f"call {recorded.number}, {position.call.method.name} to {wording.who(recorded.seat)}"
    say(console, f"[bold]{escape(game.game.title)}[/], {escape(game.record_id)}: {escape(title)}")
    if (state := position.state) is not None:
        console.print(game.board(state, "the board before the call"))
    say(console, "[bold]request[/]")
    print_json(as_json(position.call.request))
    outcome, output = run(_ask(console, transport, game.game, [*before, recorded]))
    return position.show(console, wording, outcome, output)


def _find_call(game: RecordedGame, entries: list[RecordEntry], wanted: int) -> RecordedCall:
    calls = [entry.call for entry in entries if entry.HasField("call")]
    for call in calls:
        if call.number == wanted:
            return call
    counts = [f"{sum(call.seat == seat for call in calls)} to {name}" for seat, name in enumerate(game.players)]
    raise UsageError(f"there is no call {wanted}: the game has {counted(len(calls), 'call')}, {', '.join(counts)}")


# --- the player ---


async def _ask(
    console: Console, transport: Transport, game: Game, calls: list[RecordedCall]
) -> tuple[bytes | Failure, str]:
    """Put calls to a player, one after the other; return the last outcome and what the player's process has written.

    Raises FailedError if the player cannot be reached, plays other games, or fails in a call before the last.
    """
    async with _reached(console, transport, game) as link:
        *before, _ = calls
        for call in calls:
            outcome = await outcome_of(link, call.method_name, call.request, NO_LIMIT_S)
            if isinstance(outcome, FAILURES) and call in before:
                said = f"in call {call.number} already, before call {calls[-1].number}, the player "
                raise FailedError(_with_output(said + answer(outcome), outcome, output_of(link)))
        return outcome, output_of(link)


@asynccontextmanager
async def _reached(console: Console, transport: Transport, game: Game) -> AsyncIterator[Link]:
    try:
        await transport.prepare()
        if isinstance(transport, DialInTransport):
            address = (await transport.server.server()).address
            say(console, f"waiting until {escape(transport.player_name)} dials {escape(address)}")
        link = await transport.open()
        try:
            await _check_player(link, game)
            yield link
        finally:
            await link.close()
    finally:
        await transport.close()


async def _check_player(link: Link, game: Game) -> None:
    """Raise FailedError if a player is not there, or says that it plays other games only."""
    outcome = await outcome_of(link, DESCRIBE.path, b"", NO_LIMIT_S)
    if isinstance(outcome, CallError) and not outcome.status_code:
        raise FailedError(_with_output(f"the player is not there: {outcome.message}", outcome, output_of(link)))
    described = parse_description(outcome)  # one that cannot be read is no reason not to ask what one came for
    offered = [service.name for service in described.services] if described is not None else []
    if offered and game.service not in offered:
        raise FailedError(f"the player serves {', '.join(offered)}, and a game of {game.name} needs {game.service}")


def _with_output(sentence: str, failure: Failure, output: str) -> str:
    output = output or (failure.output if isinstance(failure, CallError) else "")
    return "\n".join([sentence, *(["the player's output:", output.rstrip()] if output.strip() else [])])


# --- what the rules say ---


class _Position:
    """A recorded game that stands before one of its calls. Raises RecordsError if the record is not sound by then."""

    def __init__(self, game: RecordedGame, entries: list[RecordEntry], recorded: RecordedCall) -> None:
        self._game = game
        self._recorded = recorded
        header, *rest = entries
        self._replayer = Replayer(header, None, find)
        self._rest = iter(rest)
        for entry in self._rest:
            if entry.HasField("call") and entry.call.number == recorded.number:
                break
            self._replayer.feed(entry)
        machine = self._replayer.machine
        asked = machine.open_calls.get(recorded.seat)
        if asked is None:
            raise FailedError(f"the record is damaged: {self._replayer.due()}")
        self.call: Call = asked.call
        self.state = None if machine.shown is None else game.game.full_state(machine.shown.state)

    def show(self, console: Console, wording: Wording, outcome: bytes | Failure, output: str) -> int:
        """Show an outcome and what the rules make of it, and return the exit code."""
        given, misconduct = self._judge(outcome)
        if isinstance(given, FAILURES):
            say(console, f"[bold red]the call[/] {escape(_with_output(answer(given), given, output))}")
            return 1
        say(console, "[bold]reply[/]")
        print_json(as_json(given))
        before = wording.outcome(self._recorded)
        same = self._recorded.HasField("reply") and wording.reply(self._recorded) == given
        say(console, "the reply in the record is the same" if same else escape(f"in the record: {before}"))
        if output.strip():
            say(console, escape(f"the player's output:\n{output.rstrip()}"))
        if misconduct is not None:
            say(console, f"[bold red]not legal[/]: {escape(kind(misconduct))}")
            lines = wording.cause(misconduct)
        else:
            say(console, "[bold green]legal[/]")
            lines = wording.legal(self._legal_replies(), MAX_LEGAL_SHOWN)
        for line in lines:
            say(console, escape(line))
        return 0 if misconduct is None else 1

    def _legal_replies(self) -> RuleBreak:
        settings = settings_of(self._replayer.header, self._game.game)
        found = legal_replies_to(self._game.game, settings, self.state, self.call, len(self._game.players))
        if found is None:
            return RuleBreak()
        return RuleBreak(legal_replies=found.replies, legal_reply_count=found.reply_count)

    def _judge(self, outcome: bytes | Failure) -> tuple[Answer, Misconduct | None]:
        """Return the parsed reply or the failure, and the misconduct that it is."""
        machine, seat = self._replayer.machine, self._recorded.seat
        step, entry = machine.step, RecordEntry(call=self._recorded)
        if isinstance(outcome, bytes):
            entry.call.reply = outcome
        elif isinstance(outcome, CallError):
            entry.call.error.CopyFrom(outcome)
        else:
            entry.call.overrun.CopyFrom(outcome)
        self._replayer.events()
        self._replayer.feed(entry)
        [given] = [event.answer for event in self._replayer.events() if isinstance(event, Called)]
        settings = settings_of(self._replayer.header, self._game.game)
        infraction = find_conformance(self._game.game.name).find_infraction(settings, self.call, given)
        if infraction is not None:
            cause = cause_of(self._game.game, infraction, given)
            return given, machine.transcript.build_misconduct(Eliminate(seat, cause))
        for other in self._rest:  # those who were asked in the same moment have answered as they did
            if machine.step is not step:
                break
            self._replayer.feed(other)
        while isinstance(machine.step, Eliminate):
            misconduct = machine.transcript.build_misconduct(machine.step)
            if misconduct.seat == seat:
                return given, misconduct
            machine.apply_misconduct(misconduct)
        return given, None

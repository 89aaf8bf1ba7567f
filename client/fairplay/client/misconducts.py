"""Why players were eliminated and how games ended, in rich's markup. Strangers' words steer no terminal."""

from __future__ import annotations

from rich.markup import escape

from fairplay.games.kit.printable import UNPRINTABLE, harmless_text
from fairplay.server.game.plans import seconds
from fairplay.v1.misconduct_pb2 import CallErrorReason, Misconduct
from fairplay.v1.result_pb2 import GameResult

MAX_REASON_CHARS = 160
MAX_OUTPUT_LINES = 6


def describe_cause(misconduct: Misconduct) -> str:
    """Return why a player was eliminated, in a few words of plain text."""
    return _cause(misconduct).translate(UNPRINTABLE)


def _cause(misconduct: Misconduct) -> str:
    match misconduct.WhichOneof("cause"):
        case "rule_break":
            return f"broke {misconduct.rule_break.rule_id}: {misconduct.rule_break.explanation}"
        case "overrun":
            return f"took longer than {seconds(misconduct.overrun.limit):g} s"
        case _:
            error = misconduct.call_error
            if error.reason == CallErrorReason.CALL_ERROR_REASON_STATUS:
                return f"raised an exception: {error.message}"
            return error.message


def name_method(misconduct: Misconduct) -> str:
    """Return the name of the method of the last call, e.g. "TakeTurn"."""
    return misconduct.method_name.rpartition("/")[2]


def describe_failure(misconduct: Misconduct) -> str:
    """Return who failed in which call and why, in one line of plain text."""
    why = describe_cause(misconduct)
    why = why if len(why) <= MAX_REASON_CHARS else f"{why[:MAX_REASON_CHARS]}…"
    name = misconduct.player.translate(UNPRINTABLE)
    return f"{name} in {name_method(misconduct)} (call {misconduct.call_number}): {why}"


def describe_first_cause(misconduct: Misconduct) -> str:
    """Return the same with the last line that the player's process wrote, if it wrote anything."""
    last = (line[:MAX_REASON_CHARS] for line in _output_lines(misconduct)[-1:])
    return ": ".join([describe_failure(misconduct), *last])


def draw_failure(misconduct: Misconduct) -> str:
    """Return who failed and why in markup, followed by the end of what the player's process wrote, a line each."""
    name, rest = misconduct.player, describe_failure(misconduct)[len(misconduct.player) :]
    shown = "".join(f"\n      [dim]{escape(line)}[/]" for line in _output_lines(misconduct)[-MAX_OUTPUT_LINES:])
    return f"[red]✗ {escape(name.translate(UNPRINTABLE))}[/]{escape(rest)}{shown}"


def _output_lines(misconduct: Misconduct) -> list[str]:
    return harmless_text(misconduct.call_error.output).strip().splitlines()


def draw_standing(result: GameResult) -> str:
    """Return the ranking of a game in one line of markup."""
    if result.aborted:
        return f"[yellow]aborted: {escape(result.aborted)}[/]"
    groups = [", ".join(f"{escape(one.name)} {one.score}" for one in group.players) for group in result.ranking]
    if not groups:
        return "nobody is left"
    first, *others = groups
    return "  ".join([f"[bold green]{first or 'nobody'}[/]", *others])

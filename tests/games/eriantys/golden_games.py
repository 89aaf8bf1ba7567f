"""Whole games of Eriantys as text: who was asked what, what the answer was, and what everybody was shown.

    python -m tests.games.eriantys.golden_games        writes golden/ anew

The files change only when the rules, the messages, the order of calls or a strategy does: look at what has changed.
A board is written down only in those parts that differ from the board before.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.steps import Call, Eliminate, Show
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from tests.games.eriantys.playing import Answer, Played, Said, card, does, game, sound

GOLDEN = Path(__file__).parent / "golden"
INITIALS = "GRYPB"


def _with_faults() -> Answer:
    """Answer for four players: one is away for a while, two answer impossibly, one fails at the end."""
    healthy, calls = sound("first", "random", "first", "random:seed=5"), Counter[tuple[int, str]]()

    def answer(call: Call) -> Any:
        calls[call.seat, call.method.name] += 1
        match call.seat, call.method.name, calls[call.seat, call.method.name]:
            case 0, "AskAction", 9:
                return Overrun()
            case 2, "AskAssistantCard", 3 | 4:
                return card(11)
            case 3, "AskAction", 13 | 14 | 15:
                return does(end_turn=eriantys_pb2.EndTurn())
            case 1, "ShowEndGame", 1:
                return CallError(message="IndexError: list index out of range")
        return healthy(call)

    return answer


GAMES: Mapping[str, Callable[[], Played]] = {
    "two-basic": lambda: game(sound("greedy", "first"), 2, 2026),
    "three-expert": lambda: game(sound("greedy", "random", "first"), 3, 7, mode="EXPERT"),
    "four-with-faults": lambda: game(_with_faults(), 4, 12, mode="EXPERT", on_disconnect="SKIP_TURNS"),
}


def retold(name: str) -> str:
    """Return a golden game as it is played now."""
    played = GAMES[name]()
    return "\n".join([*_lines(played), f"ranking {[list(group) for group in played.outcome.ranking]}", ""])


def _lines(played: Played) -> Iterator[str]:
    said = iter(played.said)
    upcoming = next(said, None)
    before: dict[str, str] = {}
    for place, step in enumerate(played.steps):
        together: list[Said] = []
        while upcoming is not None and upcoming.step == place:
            together.append(upcoming)
            upcoming = next(said, None)
        if isinstance(step, Eliminate):
            yield f"{step.seat} is out: {_cause(step.cause)}"
        elif not isinstance(step, Show):
            yield from _told(together, before)


def _told(together: Sequence[Said], before: dict[str, str]) -> Iterator[str]:
    """Yield the calls of one step; what is the same for all is written once."""
    if together and hasattr(together[0].call.request, "state"):
        after = parts(together[0].call.request.state)
        changed = [f"{name} {value}" for name, value in after.items() if before.get(name) != value]
        before.update(after)
        if changed:
            yield f"    {' | '.join(changed)}"
    for name in dict.fromkeys(said.call.method.name for said in together):
        named = [said for said in together if said.call.method.name == name]
        calls = [f"{said.call.seat}{summary(said.call.request)}{replied(said.answer)}" for said in named]
        yield f"{name} {', '.join(calls)}"


def parts(state: eriantys_pb2.State) -> dict[str, str]:
    """Return what a board shows, part by part."""
    groups = zip(
        state.group_sizes, fives(state.group_students), state.group_towers, state.group_no_entry_counts, strict=True
    )
    islands = [f"{size}{'.BWG'[tower]}{held}{'x' * blocked}" for size, held, tower, blocked in groups]
    characters = zip(
        state.characters,
        state.character_costs,
        fives(state.character_students),
        state.character_no_entry_counts,
        strict=True,
    )
    return {
        "rev": str(state.revision),
        "round": f"{state.round}{' (the last)' if state.last_round_reason else ''}",
        "phase": eriantys_pb2.Phase.Name(state.phase).removeprefix("PHASE_"),
        "turn": f"{state.active_seat} then {state.next_seats}" if state.HasField("active_seat") else "over",
        "planned": str(state.planned_seats),
        "islands": f"{state.first_tile}: {' '.join(islands)} MN {state.mother_nature_group}",
        "clouds": " ".join(fives(state.cloud_students)) + (" closed" if state.clouds_closed else ""),
        "bag": str(state.bag_count),
        "entrances": " ".join(fives(state.entrance_students)),
        "dining": " ".join(fives(state.dining_students)),
        "professors": str(state.professors),
        "towers": f"{state.tower_colors} {state.towers_left}",
        "assistants": f"{state.assistants} of hands {state.hand_sizes}",
        "characters": " ".join(f"{n}:{cost}{held}{'x' * tiles}" for n, cost, held, tiles in characters),
        "coins": f"{state.coins} + {state.reserve_count}",
        "played": f"{state.played_character} ignored {state.ignored_color}",
        "standings": f"{state.standings} aside {fives(state.aside_students)}",
        "end": f"{state.end_reason} won by {state.winner_seats}",
    }


def fives(counts: Sequence[int]) -> list[str]:
    """Return counts as initials: G2R1 for two green students and a red one."""
    rows = [counts[at : at + 5] for at in range(0, len(counts), 5)]
    return ["".join(f"{one}{count}" for one, count in zip(INITIALS, row, strict=True) if count) or "-" for row in rows]


def summary(request: Any) -> str:
    words = ""
    if getattr(request, "possible_colors", None):
        words += f" of {list(request.possible_colors)}"
    if getattr(request, "possible_cards", None):
        words += f" of {list(request.possible_cards)}"
    if hasattr(request, "possible_actions"):
        words += f" of {one_line(request.possible_actions)}"
    if hasattr(request, "refusal") and request.HasField("refusal"):
        words += f" again as {request.refusal.rule_id}"
    if hasattr(request, "standing"):
        words += f" of {request.lost_seat}: {request.standing}"
    return words


def one_line(message: Any) -> str:
    found = json_format.MessageToDict(message, preserving_proto_field_name=True)
    found["kinds"] = [kind.removeprefix("ACTION_KIND_") for kind in found.get("kinds", [])]
    return str(found).replace("'", "").replace("COLOR_", "")


def replied(answer: Any) -> str:
    if isinstance(answer, CallError | Overrun):
        return " fails"
    found = json_format.MessageToDict(answer, preserving_proto_field_name=True)
    return f" -> {str(found).replace(chr(39), '')}" if found else ""


def _cause(cause: Any) -> str:
    if isinstance(cause, CallError | Overrun):
        return type(cause).__name__
    return f"{cause.explanation} ({cause.legal_reply_count} replies would have been legal)"


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for game_name in sys.argv[1:] or GAMES:
        (GOLDEN / f"{game_name}.txt").write_text(retold(game_name), "utf-8")

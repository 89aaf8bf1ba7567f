"""Full states of Eriantys from outside: a game goes on from them, or they are refused with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from random import Random

from fairplay.eriantys.v1 import eriantys_pb2
from fairplay.games.eriantys import rules
from fairplay.games.eriantys.protocol import codec
from fairplay.games.eriantys.rules import NOBODY, State
from fairplay.games.kit.messages import read_draw_state

_COLORS = len(rules.COLORS)
_MOST_REVISION = 1 << 53  # room for a game to go on within what the field holds


def initial_state(message: eriantys_pb2.State, settings: rules.Settings, rng: Random) -> State:
    """Return the state that a game goes on from. Raises ValueError, with one sentence, if no game can lead to it."""
    for check in (_length_problem, _enum_problem, _number_problem, _seat_problem, _hidden_problem):
        if problem := check(message):
            raise ValueError(problem)
    state = codec.read(message, settings, _hands(message))._replace(
        bag=tuple(message.bag_students),
        draw_state=read_draw_state(message.draw_state, rng),
    )
    if problem := rules.invariant(state):
        raise ValueError(problem)
    return state


def _hands(message: eriantys_pb2.State) -> tuple[tuple[int, ...], ...]:
    ends = [*accumulate(message.hand_sizes, initial=0)]
    return tuple(tuple(message.hands[start:end]) for start, end in pairwise(ends))


def _length_problem(message: eriantys_pb2.State) -> str | None:
    """Check that lists that belong together have the lengths that go together."""
    seats, groups, cards = len(message.sides), len(message.group_sizes), len(message.characters)
    if not rules.MIN_SEATS <= seats <= rules.MAX_SEATS:
        return f"sides lists {seats} seats: {rules.MIN_SEATS} to {rules.MAX_SEATS} players play Eriantys."
    lengths: dict[str, Sequence[int]] = {
        "standings": (seats,),
        "group_students": (_COLORS * groups,),
        "group_towers": (groups,),
        "group_no_entry_counts": (groups,),
        "cloud_students": (_COLORS * seats,),
        "entrance_students": (_COLORS * seats,),
        "dining_students": (_COLORS * seats,),
        "professors": (_COLORS,),
        "aside_students": (0, _COLORS),
        "hand_sizes": (seats,),
        "assistants": (seats,),
        "character_costs": (cards,),
        "character_students": (_COLORS * cards,),
        "character_no_entry_counts": (cards,),
        "coins": (seats,) if cards else (0, seats),
        "borrowed_professors": (0, _COLORS),
        "paid_coin_seats": (0, seats),
        "bag_students": (_COLORS,),
    }
    for name, allowed in lengths.items():
        if (count := len(getattr(message, name))) not in allowed:
            return f"{name} has {count} entries: it must have {' or '.join(map(str, allowed))} here."
    return None


def _enum_problem(message: eriantys_pb2.State) -> str | None:
    if not message.phase:
        return "phase is not set: a state to start from must say what it waits for."
    kinds = {
        "phase": (eriantys_pb2.Phase, [message.phase]),
        "tower_colors": (eriantys_pb2.TowerColor, message.tower_colors),
        "group_towers": (eriantys_pb2.TowerColor, message.group_towers),
        "standings": (eriantys_pb2.Standing, message.standings),
        "ignored_color": (eriantys_pb2.Color, [message.ignored_color]),
        "last_round_reason": (eriantys_pb2.Reason, [message.last_round_reason]),
        "end_reason": (eriantys_pb2.Reason, [message.end_reason]),
    }
    for name, (kind, numbers) in kinds.items():
        for number in numbers:
            if number not in kind.values():
                return f"{name} has the unknown value {number}."
    if strange := set(message.group_towers) - {0, *message.tower_colors}:
        return f"group_towers has the colour {eriantys_pb2.TowerColor.Name(min(strange))}, which no side has."
    return None


def _number_problem(message: eriantys_pb2.State) -> str | None:
    if message.revision > _MOST_REVISION:
        return f"revision is {message.revision}: a game goes on from one of at most {_MOST_REVISION}."
    if (
        message.first_tile >= rules.TILE_COUNT
        or sum(message.group_sizes) != rules.TILE_COUNT
        or not all(message.group_sizes)
    ):
        return "first_tile must be 0 to 11, and the group_sizes must be at least 1 and have the sum 12."
    for number, cost in zip(message.characters, message.character_costs, strict=True):
        if number not in rules.PIECES:
            return f"There is no character {number}: characters are numbered from 1 to {len(rules.PIECES)}."
        if cost - rules.PIECES[number].cost not in (0, 1):
            return f"The character {number} cannot cost {cost}: it costs {rules.PIECES[number].cost}, or one coin more."
    return None


def _seat_problem(message: eriantys_pb2.State) -> str | None:
    seats = range(len(message.sides))
    over = message.phase == eriantys_pb2.PHASE_OVER
    if over == message.HasField("active_seat"):
        return "active_seat must name the seat to decide, and must not be set once the game is over."
    named = {
        "active_seat": [message.active_seat],
        "first_seat": [message.first_seat],
        "planned_seats": message.planned_seats,
        "next_seats": message.next_seats,
        "professors": [seat for seat in message.professors if seat != NOBODY],
        "borrowed_professors": [seat for seat in message.borrowed_professors if seat != NOBODY],
    }
    for name, numbers in named.items():
        if any(seat not in seats for seat in numbers):
            return f"{name} must name seats of the game, which are 0 to {seats[-1]}."
    return None


def _hidden_problem(message: eriantys_pb2.State) -> str | None:
    """Check that all is there that others may not see."""
    if sum(message.bag_students) != message.bag_count:
        return f"bag_count is {message.bag_count}, but bag_students are {sum(message.bag_students)}."
    if sum(message.hand_sizes) != len(message.hands):
        return f"hands lists {len(message.hands)} assistants, but hand_sizes are {sum(message.hand_sizes)} together."
    return None

"""Cases about when acts of a race count: what comes first is not first where the settings delay it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.context import RACE, Played, ServerContext, ordinary, server_case
from fairplay.conformance.servers.players import Received
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    FAILED,
    NAMES,
    Act,
    Asked,
    Manner,
    Scene,
    Script,
    any_of,
    at,
    control,
    hang,
    reply,
    slow,
    sound_script,
    span,
)
from fairplay.games.game import find
from fairplay.server.links.link import BANK_KEY

LATER_S = 2.0
"""So much later the act of a player counts."""
SOON_S = 0.2
"""So long after it the other player acts: before it counts."""
HELD_S = 0.6
"""So long after a change of the table acts are held."""
LATE_S = 0.5
"""A player that is to be second takes so long."""
CLOCK_S = 0.01
"""Times that differ by less are the same."""
BANK_S, HARDLY_S = 4 * AMPLE_S, 0.001
"""A bank, and a limit that everybody needs it for."""
FIRST, SECOND = range(2)
ACT, DEAL, PICK_CARDS = "Act", "Deal", "PickCards"


def _scene(script: Script, strategy: str = "first", **values: Any) -> Scene:
    """Return the scene of two players that race for the sets of a small deck."""
    return replace(ordinary(RACE, script, 2, **{"aspects": 3, **values}), strategies=(strategy,))


async def _race(context: ServerContext, script: Script, **values: Any) -> Played:
    return await context.play(_scene(script, **values))


def _calls(played: Played, method: str) -> Sequence[Received]:
    return [each for each in played.cast.received if each.method == method]


def _check_callers(played: Played, seats: Sequence[int], why: str) -> None:
    """Check who called the first sets."""
    called = [NAMES[each.seat] for each in _calls(played, PICK_CARDS)[: len(seats)]]
    same(f"Who calls the first sets, where {why},", ", ".join(NAMES[seat] for seat in seats), ", ".join(called))


@server_case("order.webset-handicaps", "WEBSET-1", "GAME-10", mostly_waits=True)
async def handicaps(context: ServerContext) -> None:
    """A handicap makes the acts of its player count later than they come, and nobody else's."""
    for slower, faster in ((FIRST, SECOND), (SECOND, FIRST)):
        delays = [span(LATER_S if seat == slower else 0) for seat in range(2)]
        played = await _race(context, at(faster, ACT, slow(SOON_S)), handicaps=delays)
        why = f"{NAMES[slower]} has a handicap of {LATER_S:g} s and acts {SOON_S:g} s before {NAMES[faster]}"
        _check_callers(played, [faster], why)


def _repeats_its_first_act() -> Script:
    """Return the script of the first player that does the same in each act, whether or not that is possible."""
    sound: list[bytes] = []

    def script(asked: Asked) -> Act | None:
        if (asked.seat, asked.method) != (FIRST, ACT):
            return None
        sound.append(asked.sound)
        return reply(sound[0])(asked)

    return script


@server_case("order.webset-lockout", "WEBSET-1", "GAME-10", mostly_waits=True)
async def lockout(context: ServerContext) -> None:
    """After a call that was wrong or has expired the next act of its player counts later, or it cannot call."""
    wrong, late = at(FIRST, PICK_CARDS, reply(b"")), at(FIRST, PICK_CARDS, hang)
    delayed = {"lockout": span(LATER_S)}
    right = f"was right, which delays nothing where a wrong one delays its next act by {LATER_S:g} s"
    ends: Mapping[str, tuple[Script, dict[str, Any]]] = {
        right: (sound_script, delayed),
        f"was wrong, which delays its next act by {LATER_S:g} s": (wrong, delayed),
        f"has expired, which delays its next act by {LATER_S:g} s": (late, {**delayed, "window": span(SOON_S)}),
        "was wrong, after which it cannot call before the table changes": (
            any_of(wrong, _repeats_its_first_act()),
            {"locked_until_change": True, "show_enabled": True},  # it is asked, as it can do something else
        ),
    }
    for how, (script, values) in ends.items():
        second = any_of(at(SECOND, ACT, slow(LATE_S)), at(SECOND, ACT, slow(SOON_S), 2))
        played = await _race(context, any_of(script, second), **values)
        _check_callers(played, [FIRST, FIRST if how is right else SECOND], f"the call of {NAMES[FIRST]} {how}")


def _leave_at_third(asked: Asked) -> Act | None:
    """Fail in the third act."""
    return FAILED(asked) if asked.method == ACT and asked.number > 2 else None


@server_case("order.webset-held", "WEBSET-1", "GAME-10", mostly_waits=True)
async def held(context: ServerContext) -> None:
    """Acts that come too soon after a change of the table are held, so that nobody need be the fastest."""
    played = await _race(context, _leave_at_third, min_reaction=span(HELD_S))
    dealt_at_s = max((each.at_s for each in _calls(played, DEAL)), default=0.0)
    for number, each in enumerate(_calls(played, PICK_CARDS), start=1):
        if each.at_s - dealt_at_s < HELD_S - CLOCK_S:
            raise failure(
                f"Acts are held for {HELD_S:g} s after a change of the table; "
                f"set {number} was called {each.at_s - dealt_at_s:.3f} s after one."
            )
        dealt_at_s = each.at_s


def setting(name: str, value: str, game: str = RACE) -> dict[str, Any]:
    """Return settings of a game of which one has the value of this name."""
    kinds: Any = find(game).settings_type.DESCRIPTOR.fields_by_name[name].enum_type
    return {name: kinds.values_by_name[value].number}


def _singly() -> dict[str, Any]:
    """Return the settings with which cards are picked one by one."""
    return setting("selection", "SELECTION_SINGLE")


def _first_picks(played: Played) -> Sequence[tuple[Received, int]]:
    """Return the first two requests for cards, each with the number of the call of a set that it is about."""
    picks = _calls(played, PICK_CARDS)[:2]
    if len(picks) < 2:
        raise failure("There are sets on the table, and players that call them: PickCards must be called again.")
    asked: Sequence[Any] = [each.asked for each in picks]
    return [(each, request.state.call_count) for each, request in zip(picks, asked, strict=True)]


@server_case("order.webset-window", "TIME-12", "TIME-14", mostly_waits=True)
async def window(context: ServerContext) -> None:
    """All cards of a set are picked within one window, also one by one, and what that takes is nothing to the bank."""
    script = any_of(*(at(seat, PICK_CARDS, slow(LATE_S)) for seat in (FIRST, SECOND)))
    scene = _scene(script, "solver:singly=1", **_singly())
    played = await context.play(replace(scene, control=control(HARDLY_S, bank_s=BANK_S)))
    (first, call), (second, other) = _first_picks(played)
    same("The call for which the second card is picked", call, other)
    most_s = first.limit_s - LATE_S
    if second.limit_s > most_s + CLOCK_S:
        raise failure(
            f"The first card was picked after {LATE_S:g} s: there are at most {most_s:g} s left of the window for the "
            f"others; PickCards has a limit of {second.limit_s:g} s."
        )
    _check_bank(played, first, second)


def _check_bank(played: Played, first: Received, last: Received) -> None:
    """Check that at most what a player took before it picked cards is missing in its bank when it acts again."""
    own = [each for each in played.cast.received if each.seat == first.seat]
    least_s = BANK_S - (first.at_s - min(each.at_s for each in own)) - CLOCK_S
    acts = [each for each in own if each.method == ACT and each.at_s > last.at_s]
    left_s = int(acts[0].metadata.get(BANK_KEY, "0")) / 1000 if acts else BANK_S
    if left_s < least_s:
        raise failure(
            f"Cards were picked within their window, which has no bank: of that of {NAMES[first.seat]} at least "
            f"{least_s:.2f} s must be left when it acts again; Act says {left_s:.2f} s."
        )


def _same_card_twice(asked: Asked) -> Sequence[int]:
    return [asked.request.state.slots[0]] * 2


def _card_elsewhere(asked: Asked) -> Sequence[int]:
    return [next(card for card in itertools.count() if card not in asked.request.state.slots)]


@server_case("order.webset-earliest", "WEBSET-6", "GAME-14", mostly_waits=True)
async def earliest(context: ServerContext) -> None:
    """Where the first set of a round counts it is that of who answers first, wherever it sits."""
    for slower, faster in ((FIRST, SECOND), (SECOND, FIRST)):
        played = await _race(context, at(slower, PICK_CARDS, slow(LATE_S)), **setting("rounds", "ROUNDS_EARLIEST"))
        later = _calls(played, PICK_CARDS)[2:]
        if not later:
            raise failure("There are more sets on the table: PickCards must be called for a second round.")
        title = f"The points after a round in which {NAMES[faster]} has named a set before {NAMES[slower]} did"
        wanted = [int(seat == faster) for seat in (FIRST, SECOND)]
        state: Any = later[0].asked.state
        same(title, wanted, [each.points for each in state.players])


@server_case("order.webset-selection", "WEBSET-5")
async def selection(context: ServerContext) -> None:
    """Where cards are picked one by one, different ones of the table are: others are a wrong take."""
    method = next(each for each in find(RACE).methods if each.name == PICK_CARDS)
    for what, choose in {"the same card twice": _same_card_twice, "a card that is elsewhere": _card_elsewhere}.items():

        def pick(asked: Asked, choose: Callable[[Asked], Sequence[int]] = choose) -> Act:
            return Act(Manner.REPLY, method.response(cards=choose(asked)).SerializeToString())

        script = any_of(*(at(seat, PICK_CARDS, pick) for seat in (FIRST, SECOND)))
        (_, call), (_, other) = _first_picks(await _race(context, script, **_singly()))
        if call == other:
            raise failure(f"Who picks {what} has ended its call by that; it is asked for more cards.")


CASES = (handicaps, lockout, held, window, earliest, selection)

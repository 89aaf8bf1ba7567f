"""Mutants that fail when others have left the game."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import Message

from fairplay.conformance import case_ids
from fairplay.conformance.zoo.mutants import DIES, HANGS, RAISES, SAYS_NOTHING, Mutant
from fairplay.conformance.zoo.player import ReceivedCall, Trigger
from fairplay.conformance.zoo.triggers import (
    Sizes,
    begin_game,
    first_decisions,
    in_resumed_game,
    parts,
    players_of,
    sizes_in,
    sizes_vary,
    with_other_settings,
    with_unusual_size,
)
from fairplay.games.conformance import find_conformance
from fairplay.games.game import Game, find
from fairplay.games.machine import GameMachine, drive
from fairplay.games.steps import Call, CallKind, Eliminate
from fairplay.player.handlers import reply_of
from fairplay.v1.misconduct_pb2 import CallError

PLAYING = 1
"""The value of players that are left, in every enum of standings; 0 means the same."""


class Signs(NamedTuple):
    """What a player sees only in a game in which another one fails."""

    lists: frozenset[str]
    """The paths of lists whose length changes only then."""
    news: frozenset[str]
    """Methods that are called, and enum values that are in requests, only then; empty if there are such lists."""


@cache
def signs(name: str) -> Signs:
    """Return the signs of a game, found in the requests to its first seat."""
    game = find(name)
    (lengths, said), (other_lengths, other_said) = (_observe(game, fails=fails) for fails in (False, True))
    lists = [path for path, seen in lengths.items() if len(seen) == 1 < len(other_lengths.get(path, ()))]
    return Signs(frozenset(lists), frozenset() if lists else frozenset(other_said - said))


def _observe(game: Game, *, fails: bool) -> tuple[dict[str, set[int]], set[str]]:
    """Play a game in which the last player may fail; return the lengths of lists in decisions and what calls say."""
    count, decisions = game.seats.stop - 1, Counter[int]()
    lengths, said = defaultdict[str, set[int]](set), set[str]()
    players = players_of(game, count)

    def answer(call: Call) -> Any:
        decisions[call.seat] += call.kind is not CallKind.NOTIFICATION
        if fails and call.seat == count - 1 and decisions[call.seat] > 1:
            return CallError()
        if call.seat == 0:
            said.update(_said(call.method.name, call.request))
            for path, size in sizes_in(call.request) if call.kind is not CallKind.NOTIFICATION else ():
                lengths[path].add(size)
        return reply_of(players[call.seat], call)

    drive(begin_game(game, game.full_settings(game.settings_type()), count), answer)
    return lengths, said


def _said(method: str, request: Message) -> Iterator[str]:
    """Yield the method, and each enum value in a request and in the messages that it holds."""
    yield method
    for part in parts(request):
        for field, value in part.ListFields():
            if field.enum_type is not None and not field.is_repeated:
                yield f"{method}: {part.DESCRIPTOR.name}.{field.name}={value}"


def with_fewer_players(name: str) -> Trigger:
    """Trigger in calls that show that a player has failed, e.g. by a shorter list than in the first decision."""

    def trigger(call: ReceivedCall) -> bool:
        if not signs(name).news.isdisjoint(_said(call.method.name, call.request)):
            return True
        if not call.decision:
            return False
        sizes = {path: size for path, size in sizes_in(call.request) if path in signs(name).lists}
        at_first: Sizes = call.game.notes.setdefault("players", sizes)
        return any(size < at_first.get(path, 0) for path, size in sizes.items())

    return trigger


# How many are left


class Roster(NamedTuple):
    """The list in requests that shrinks when players fail."""

    path: str
    others_only: bool
    """Whether the called player is not in the list."""


@cache
def roster(name: str) -> Roster | None:
    """Return the list of a game with an entry for each player left, or for each other one; None if there is none."""
    game = find(name)
    count, (lengths, _) = game.seats.stop - 1, _observe(game, fails=False)
    for path in sorted(signs(name).lists):
        if lengths[path] <= {count, count - 1}:
            return Roster(path, others_only=lengths[path] == {count - 1})
    return None


def count_players(name: str, request: Message) -> tuple[int, int] | None:
    """Return how many players a request has in all and how many of them are left, or None if it does not say."""
    for part in parts(request):
        if standings := list(_standings(part)):
            return len(standings), sum(standing <= PLAYING for standing in standings)
    found = roster(name)
    sizes = dict(sizes_in(request)) if found is not None else {}
    if found is None or found.path not in sizes:
        return None
    left = sizes[found.path] + found.others_only
    return left, left


def _standings(part: Any) -> Iterator[int]:
    """Yield the standing of each player from a message that has them by seat."""
    fields = part.DESCRIPTOR.fields_by_name
    if "standings" in fields:
        yield from part.standings
    elif "players" in fields and fields["players"].message_type is not None:
        yield from (player.standing for player in part.players if hasattr(player, "standing"))


def with_players_left(name: str, is_met: Callable[[int, int], bool]) -> Trigger:
    """Trigger in calls after which `is_met(players at the beginning, players left)` holds, as far as requests say."""

    def trigger(call: ReceivedCall) -> bool:
        found = count_players(name, call.request)
        if found is None:
            return False
        most = call.game.notes["most players"] = max(call.game.notes.get("most players", 0), found[0])
        return is_met(most, found[1])

    return trigger


@cache
def goes_on_alone(name: str) -> bool:
    """Return whether the last player of a game is asked for decisions, under some settings."""
    game = find(name)
    others = map(game.full_settings, find_conformance(name).leaving_settings)
    return any(_is_asked_alone(game, each) for each in (game.full_settings(game.settings_type()), *others))


def _is_asked_alone(game: Game, settings: Message) -> bool:
    """Play a game that all but the first player leave; return whether that one is asked for decisions after it."""
    count, alone = game.seats.start, Counter[int]()
    players = players_of(game, count)

    def answer(call: Call) -> Any:
        if call.seat > 0:
            return CallError()
        left = count_players(game.name, call.request)
        alone[call.kind is not CallKind.NOTIFICATION and left is not None and left[1] == 1] += 1
        return reply_of(players[0], call)

    drive(begin_game(game, settings, count), answer)
    return alone[True] > 0


# Which settings forgive


@cache
def forgiving_settings(name: str) -> tuple[Message, ...]:
    """Return settings, without defaults, under which a game goes on with a player whose call has failed."""
    game = find(name)
    return tuple(each for each in find_conformance(name).leaving_settings if _forgives(game, game.full_settings(each)))


def _forgives(game: Game, settings: Message) -> bool:
    """Play a game in which the first decision of the first player fails; return whether nobody is eliminated for it."""
    conversation, players = begin_game(game, settings, game.seats.start), players_of(game, game.seats.start)
    has_failed = False

    def reply(call: Call) -> Any:
        nonlocal has_failed
        if call.seat == 0 and call.kind is not CallKind.NOTIFICATION and not has_failed:
            has_failed = True
            return CallError()
        return reply_of(players[call.seat], call)

    if any(isinstance(step, Eliminate) for step in GameMachine(conversation).play(reply)):
        return False
    return has_failed


IsMet: TypeAlias = Callable[[int, int], bool]
THIRD = 2
"""The seat of the third player."""


def of_departures(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail when they notice that others have left, as far as a game lets them notice it."""
    owners = (case_ids.NO_EXCEPTION, case_ids.VOID, case_ids.EVERY_ANSWER, case_ids.FIRST_ANSWER, case_ids.ALIVE)
    unusual = (case_ids.KNOWN_ENUMS, case_ids.SETTINGS_RAISE, case_ids.LATE)  # games of one player among them
    related = (*owners, *unusual, "rules", "endings", game.name, *case_ids.FROM_THE_MIDDLE)
    crowded = len(game.seats) > 1

    def if_left(is_met: IsMet) -> Trigger:
        return with_players_left(game.name, is_met)

    if any(signs(game.name)):
        sentence, fewer = "Raises an exception when it hears that a player has failed.", with_fewer_players(game.name)
        cases = (case_ids.RIVAL_LEAVES, *([case_ids.NEIGHBOUR] if crowded else []))
        yield Mutant("raises-when-others-fail", sentence, cases, fewer, RAISES, related)
    requests = first_decisions(game, game.full_settings(game.settings_type()), game.seats.start)
    if all(count_players(game.name, request) is None for request in requests):  # it does not say who is left
        return
    if crowded:
        sentence, two = (
            "Raises an exception when two others have left, or more.",
            if_left(lambda most, left: most - left >= 2),
        )
        cases = (case_ids.ONE_BY_ONE, case_ids.RIVALS_AT_ONCE)
        yield Mutant("raises-when-two-have-left", sentence, cases, two, RAISES, related)
        last = _deciding(if_left(lambda most, left: most - left == 1), _is_seat_of(game.seats.stop - 1, -1))
        sentence = "Raises an exception in decisions when one of a full table has left, in the last seat."
        yield Mutant("raises-in-last-seat-when-one-has-left", sentence, (case_ids.NEIGHBOUR,), last, RAISES, related)
    if goes_on_alone(game.name):
        yield from _of_the_last_one(
            game, if_left(lambda most, left: left == 1), if_left(lambda most, left: (most, left) == (2, 1)), related
        )


def _of_the_last_one(game: Game, alone: Trigger, left_by_one: Trigger, related: tuple[str, ...]) -> Iterator[Mutant]:
    cases = (case_ids.ONLY_RIVAL, *([case_ids.ONE_BY_ONE, case_ids.RIVALS_AT_ONCE] if len(game.seats) > 1 else []))
    for effect, verb in ((RAISES, "raises"), (HANGS, "hangs")):
        sentence = {"raises": "Raises an exception", "hangs": "Never answers"}[verb]
        yield Mutant(f"{verb}-when-alone", f"{sentence} when it is the last one left.", cases, alone, effect, related)
    # Others may have left before the first call that says how many there are.
    last = _deciding(alone, lambda most, seat: seat >= most - 1)
    sentence = "Raises an exception in decisions as the last one left, in the last seat."
    yield Mutant("raises-when-alone-in-last-seat", sentence, cases[:2], last, RAISES, related)
    if len(game.seats) > 1:
        third = _deciding(alone, _is_seat_of(game.seats.stop - 1, THIRD))
        sentence = "Raises an exception in decisions when all others of a full table have left, in the third seat."
        yield Mutant("raises-when-alone-in-third-seat", sentence, cases[1:2], third, RAISES, related)
    sentence, only = "Ends without a word when its only rival has left.", (case_ids.ONLY_RIVAL,)
    yield Mutant("dies-when-its-only-rival-leaves", sentence, only, left_by_one, DIES, related)


def _deciding(trigger: Trigger, sits: IsMet) -> Trigger:
    """Trigger in decisions in which another trigger does, and `sits(players at the beginning, seat)` holds."""

    def seated(call: ReceivedCall) -> bool:
        return trigger(call) and call.decision > 0 and sits(call.game.notes["most players"], call.request.seat)

    return seated


def _is_seat_of(count: int, number: int) -> IsMet:
    """Return whether a player has a seat of so many, counted from the end if it is negative."""
    return lambda most, seat: most == count and seat == number % count


# In which phase they leave


def of_phases(game: Game) -> Iterator[Mutant]:
    """Yield the mutants that fail when others leave in some phase, as far as requests say how many are left."""
    requests = first_decisions(game, game.full_settings(game.settings_type()), game.seats.stop - 1)
    if all(count_players(game.name, request) is None for request in requests):
        return
    related = (case_ids.NO_EXCEPTION, "rules", "endings", "exceptions", game.name)
    unusual = with_unusual_size(game.name) if sizes_vary(game.name) else with_other_settings(game)
    resumed, any_phase = in_resumed_game(game), case_ids.IN_ANY_PHASE
    old, new = "a game that went on from a state", "a game under settings that it does not know"
    classes = [
        ("one-has-left-a-resumed-game", f"another one has left {old}", any_phase, _after_losses(game.name, resumed, 1)),
        (
            "one-has-left-an-unusual-game",
            f"another one has left {new}",
            case_ids.SETTINGS_IN_PHASES,
            _after_losses(game.name, unusual, 1),
        ),
    ]
    if len(game.seats) > 1:
        sentence = f"two have left {old} between two of its decisions"
        trigger = _after_losses(game.name, resumed, 2)
        classes.append(("two-have-left-a-resumed-game", sentence, any_phase, trigger))
    if game.late_join is not None:
        sentence, trigger = "there are more players than at first", _after_joining(game.name)
        classes.append(("another-one-joins", sentence, case_ids.SETTINGS_IN_PHASES, trigger))
    if forgiving_settings(game.name):
        trigger = _leaving_again(game.name)
        classes.append(("one-leaves-again", "another one has left that was back", any_phase, trigger))
    for name, sentence, case_id, trigger in classes:
        for verb, does, effect in (
            ("raises", "Raises an exception", RAISES),
            ("says-nothing", "Answers with an empty message", SAYS_NOTHING),
        ):
            yield Mutant(f"{verb}-when-{name}", f"{does} when {sentence}.", (case_id,), trigger, effect, related)


def _after_losses(name: str, begins: Trigger, count: int) -> Trigger:
    """Trigger in decisions between which and the one before so many players have left.

    It does so only in games in which another trigger did before the second decision.
    """

    def trigger(call: ReceivedCall) -> bool:
        notes = call.game.notes
        notes["begins"] = notes.get("begins") or (call.decision <= 1 and begins(call))
        found = count_players(name, call.request) if call.decision else None
        if found is None:
            return False
        before = notes.get("left before", 0)
        notes["left before"] = found[1]
        return bool(notes["begins"]) and before - found[1] >= count

    return trigger


def _leaving_again(name: str) -> Trigger:
    """Trigger in the first decision with fewer players left than before, after one with more left than before."""

    def trigger(call: ReceivedCall) -> bool:
        notes, found = call.game.notes, count_players(name, call.request) if call.decision else None
        if found is None:
            return False
        before, notes["left lately"] = notes.get("left lately", found[1]), found[1]
        notes["was back"] = notes.get("was back") or found[1] > before
        return bool(notes["was back"]) and found[1] < before

    return trigger


def _after_joining(name: str) -> Trigger:
    """Trigger in decisions with more players than the first request of the game had."""

    def trigger(call: ReceivedCall) -> bool:
        found = count_players(name, call.request)
        if found is None:
            return False
        return found[0] > call.game.notes.setdefault("players at first", found[0]) and call.decision > 0

    return trigger

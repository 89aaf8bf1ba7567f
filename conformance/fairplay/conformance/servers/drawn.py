"""Scenes for the rules of a game: situations and settings that referees get wrong, wrong replies, and failing players.

They are the same in every run. Players choose by chance among all that is legal, so that a referee that refuses
something legal meets it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from google.protobuf.message import Message

from fairplay.conformance.games.positions import Position, Source, find_position
from fairplay.conformance.games.profiles import Scope
from fairplay.conformance.games.variations import Variation, fits, vary
from fairplay.conformance.servers.scenes import (
    AMPLE_S,
    GARBAGE,
    NAMES,
    Act,
    Asked,
    Manner,
    Scene,
    Script,
    any_of,
    at,
    control,
    draw_state,
    fail,
    fail_slowly,
    hang,
    mutated,
    reply,
    small,
    sound_script,
    vanish,
)
from fairplay.games.conformance import Mutation, RareGame, Situation, find_conformance
from fairplay.games.game import Game, find
from fairplay.games.steps import CallKind, Method
from fairplay.games.transcript import game_rng

LONGEST = 10
"""After so many questions a player fails, so that games on large boards end."""
MISTAKES = 2
"""So often a player that is tired breaks a rule, where that does not end the game for it, before it fails."""
FEWEST = 3
"""After so many questions a player fails where the beginning of a game is enough."""
SHALLOW = 2
"""Strategies that search look so far ahead."""
ACROSS = 2
"""So many rare situations are played under each of the unusual settings."""
LATE = 0.75
"""After this share of a game it is late in the game."""
LATEST = 0.95
"""After this share of a game it is nearly over."""
WRONG_AT_FIRST, ATTEMPTS = 4, 3
"""So many games have wrong answers at first; a player may give so many to a question, or one less."""
MOST_SEATS = 4
"""Wrong replies are given in games of at most so many."""
TRIES = 4
"""So often is a wrong reply tried in each situation, until there is room for it."""
POSITIONS, CONTINUATIONS = 30, 6
"""So many late positions are gone on from, and so often each."""
MAX_DECISIONS = 120
"""Games are followed so far to find a late position."""
LONG = 39
"""A game of more calls is not played twice."""
VERY_LONG, LONGEST_PLAYED = 80, 200
"""Of games of more calls few are played, and none of still more to its end."""
SHORT = 20
"""A game of fewer calls is over soon."""
STOPPED = 8
"""So many games are stopped."""
ENDED = 4
"""So many last states are gone on from."""
TIMES = control(5 * AMPLE_S, 6 * AMPLE_S, 4 * AMPLE_S)
"""Limits that differ, and that players keep while other games run."""
HURRY = control(1.1, 1.2, 1.3, bank_s=0.4)
"""Limits that can be waited for."""
TIRED = Act(Manner.FAIL, code=13, message="this player is tired")
EMPTY, GONE = "an empty reply", "the end of its connection"
FAILURES = {
    "an error status": fail(13, "scripted failure"),
    "a long reply that cannot be parsed": reply(GARBAGE * 2_000),
    EMPTY: reply(b""),
    GONE: vanish,
}


@dataclass(frozen=True)
class Drawn:
    """A scene, and what is special about it."""

    title: str
    scene: Scene
    parts: bool = False
    """Whether a player ends its connection, and must have one of its own."""
    stop_at: int = 0
    """The game is stopped while the call of this number is open; 0: it is not."""


@cache
def draw_situations(name: str) -> Sequence[Drawn]:
    """Return rare games, and games from the situations that players get wrong, in which everybody keeps the rules.

    Short ones of the latter are played twice.
    """
    game, drawn = find(name), [each for each, begins in _rare_games(name) if not begins]
    for title, situation in situations_of(name).items():
        for number in range(2):
            scene = _scene(game, situation, Random(f"{title}/players/{number}"))
            found = Drawn(f"the situation {title}", scene)
            if number == 0 or not found.scene.is_longer_than(LONG):
                drawn.append(found)
    return drawn


@cache
def draw_rare_beginnings(name: str) -> Sequence[Drawn]:
    """Return rare games that follow from the beginning of a fresh game."""
    return [each for each, begins in _rare_games(name) if begins]


@cache
def _rare_games(name: str) -> Sequence[tuple[Drawn, bool]]:
    """Return rare games, each with whether it is fresh."""
    made = [(what, make(Random(what))) for what, make in find_conformance(name).rare_games.items()]
    return [(_rare(find(name), f"a game in which {what}", rare), rare.situation.state is None) for what, rare in made]


def _rare(game: Game, title: str, rare: RareGame) -> Drawn:
    """Return a rare game, in which calls are failed or answered too late as it says."""
    settings, count, *_ = rare.situation
    method = rare.situation.rivals_late_in
    usually_wrong = [
        mutated(game, each, 0) for each in find_conformance(game.name).mutations if each.name == rare.allowed
    ]

    def script(asked: Asked) -> Act | None:
        call = asked.seat, asked.method, asked.number
        if (asked.seat, asked.method) == (0, method) or call == rare.late:
            return hang(asked)
        return fail(13, "scripted failure")(asked) if call == rare.leaver else None

    full = game.full_settings(settings)
    state = draw_state(game, full, count, 1) if rare.situation.state is None else rare.situation.state
    return Drawn(title, Scene(game, full, state, count, any_of(script, *usually_wrong), TIMES, rare.strategies))


@cache
def draw_settings(name: str) -> Sequence[Drawn]:
    """Return games under settings of which each pair of values is found.

    Every other one begins late, and all but one break rules in it, one after another.
    """
    game, drawn = find(name), []
    strategy = _thoughtful(game)
    for number, (_, settings, count, _) in enumerate(unusual(name)):
        rng = Random(f"{name}/settings/{number}")
        situation = Situation(settings, count, 0)
        source = Source(settings, count, number, strategy, MAX_DECISIONS)
        if number % 2 and (late := find_position(game, source, LATE)) is not None:
            situation = late.situation(0)
        seat, method = rng.randrange(count), game.methods[number // 8 % len(game.methods)]
        failing = [at(seat, method.name, fail(13, "scripted failure"))] if number % 8 == 0 else []
        if number % 2:
            failing = [_break_rules(game, rng, [each for each in range(count) if each != seat], MISTAKES * FEWEST)]
        drawn.append(Drawn(f"unusual settings, number {number}", _scene(game, situation, rng, *failing)))
    return drawn


@cache
def draw_rare_states(name: str) -> Sequence[Drawn]:
    """Return games from situations that players get wrong, under other settings with which their states can be.

    What nothing comes of but in rare states is shown by these. In all but the first of each settings a player breaks a
    rule.
    """
    game, mutations, drawn = find(name), find_conformance(name).mutations, []
    for number, (_, given, *_) in enumerate(unusual(name)):
        rng, settings = Random(f"{name}/rare/{number}"), game.full_settings(given)
        found = [each for each in situations_of(name).values() if each.state is not None]
        situations = [each._replace(settings=settings) for each in found]
        rng.shuffle(situations)
        fitting = (each for each in situations if _can_begin(game, each))
        for again, situation in enumerate(itertools.islice(fitting, ACROSS)):
            seat, mutation = rng.randrange(situation.player_count), rng.choice(mutations)
            wrong = [_later(mutated(game, mutation, seat), 2)] if again else []
            title = f"a rare state under unusual settings, number {number}/{again}"
            drawn.append(Drawn(title, _scene(game, situation, rng, *wrong)))
    return drawn


@cache
def unusual(name: str) -> Sequence[Variation]:
    """Return settings of a game of which each pair of values is found."""
    return vary(find(name), Random(f"{name}/settings"), Scope(find(name)))


def _can_begin(game: Game, situation: Situation) -> bool:
    """Return whether a game can begin with the state of a situation."""
    settings, state, names = situation.settings, situation.state, NAMES[: situation.player_count]
    assert state is not None
    if len(names) not in game.seats_with(settings):
        return False
    try:
        game.play("draw", settings, names, game_rng(1), state).send(None)
        return game.check_state(settings, state) == situation.player_count
    except (ValueError, LookupError, ArithmeticError):
        return False


@cache
def draw_endings(name: str) -> Sequence[Drawn]:
    """Return games from shortly before their ends, which end in many ways, games that end in ties, and ended ones."""
    return [*_endings(name), *_ties(find(name)), *draw_ended(name)]


def draw_beginnings(name: str) -> Sequence[Scene]:
    """Return scenes that begin in rare situations, in those that players get wrong, or late in a game."""
    rare = [each.scene for each, begins in _rare_games(name) if not begins]
    situations = [*situations_of(name).values(), *(late.situation(0) for _, late in _late_positions(name))]
    return [*rare, *(_scene(find(name), each, Random(f"{name}/beginning")) for each in situations)]


@cache
def _late_positions(name: str) -> Sequence[tuple[int, Position]]:
    """Return positions from shortly before the ends of games, with the numbers of the games."""
    game = find(name)
    variations = vary(game, Random(f"{name}/endings"), Scope(game))
    sources = [
        Source(settings, count, number, _thoughtful(game), MAX_DECISIONS)
        for number, (_, settings, count, _) in enumerate(itertools.islice(itertools.cycle(variations), POSITIONS))
    ]
    found = [(number, find_position(game, source, LATEST)) for number, source in enumerate(sources)]
    return [(number, late) for number, late in found if late is not None]


def _endings(name: str) -> Iterator[Drawn]:
    """Yield games from shortly before their ends: who shares which place, who ended it and who left before differ."""
    game, known = find(name), set[object]()
    for (number, late), again in itertools.product(_late_positions(name), range(CONTINUATIONS)):
        situation, rng = late.situation(0), Random(f"{name}/endings/{number}/{again}")
        leaver = rng.randrange(situation.player_count) if again % 3 else None
        leaving = [] if leaver is None else [(_fails_first, _fails_at_the_end)[again % 2](game, leaver)]
        scene = _scene(game, situation, rng, *leaving)
        expected = scene.expected
        groups = [[player.seat for player in group.players] for group in expected.result.ranking]
        last = [call.seat for call in expected.calls if call.kind is not CallKind.NOTIFICATION][-1:]
        place = next((place for place, group in enumerate(groups) if group[:1] and last[0] in group), None)
        gone = tuple(each.seat for each in expected.misconducts[: 1 if leaver is not None else 0])
        ending = tuple(map(len, groups)), place, len(expected.calls) < SHORT, gone, bool(gone) and again % 2
        if ending not in known:
            known.add(ending)
            yield Drawn(f"an ending, number {number}/{again}", scene)


def _ties(game: Game) -> Iterator[Drawn]:
    """Yield games that end in a tie, whatever most of their players do."""
    for number, make in enumerate(find_conformance(game.name).tied_endings):
        rng = Random(f"{game.name}/tie/{number}")
        yield Drawn(f"a tie, number {number}", _scene(game, make(rng), rng))


@cache
def draw_ended(name: str) -> Sequence[Drawn]:
    """Return games that are over before they begin: players are told so, and the ranking follows from the state."""
    game, ended = find(name), []
    for each in itertools.islice(_endings(name), ENDED):
        scene = each.scene
        last = game.full_state(scene.expected.states[-1])
        if _can_begin(game, Situation(scene.settings, scene.player_count, 0, last)):  # Fish forgets who is out
            over = Drawn(f"the last state of {each.title}", replace(scene, state=last, script=sound_script))
            ended += [over] if over.scene.is_longer_than(0) else []
    return ended


@cache
def draw_wrong_replies(name: str) -> Sequence[Drawn]:
    """Return games in which a player breaks a rule, each wrong reply in one, and another player a later one."""
    game, conformance = find(name), find_conformance(name)
    drawn = [
        _wrong_reply(game, mutation, conformance.mutations, number)
        for number, mutation in enumerate(conformance.mutations)
    ]
    return [*drawn, *_wrong_at_first(game)]


def _wrong_at_first(game: Game) -> Iterator[Drawn]:
    """Yield games with as many wrong answers to each question as are forgiven, first by one player and then by all."""
    if not hasattr(game.settings_type(), "max_attempts"):
        return
    for number in range(WRONG_AT_FIRST):
        settings: Any = game.full_settings(game.settings_type(max_attempts=ATTEMPTS - number % 2))
        seats = [number] if number < game.seats.start else range(game.seats.start)
        scripts = [_wrong_until_last(game, seat, number, settings.max_attempts) for seat in seats]
        rng = Random(f"{game.name}/wrong at first/{number}")
        scene = _scene(game, Situation(settings, game.seats.start, 0), rng, *scripts)
        yield Drawn(f"rules broken before each answer, number {number}", scene)


def _wrong_until_last(game: Game, seat: int, number: int, attempts: int) -> Script:
    """Return the script of a player whose answers to a question, but for the last, each break another rule."""
    scripts = [(each.rule, mutated(game, each, seat)) for each in find_conformance(game.name).mutations]
    attempt = 0

    def script(asked: Asked) -> Act | None:
        nonlocal attempt
        if asked.seat != seat or not hasattr(asked.request, "first_request"):
            return None
        attempt = 1 if asked.request.first_request else attempt + 1
        ways = list({rule: act for rule, each in scripts if (act := each(asked)) is not None}.values())
        return ways[(number + asked.number) % len(ways)] if ways and attempt < attempts else None

    return script


def _wrong_reply(game: Game, mutation: Mutation, others: Sequence[Mutation], index: int) -> Drawn:
    """Return the first game that is drawn in which the wrong reply is given, which is that of this index.

    In every other one, where the game asks again after a wrong reply, it does so as often as usual. Of three, one is
    between as few players as can be, and in the others there are more than those, if the reply is found so.
    """
    situations = situations_of(game.name)
    named = [situations[case] for case in mutation.cases if case in situations]
    full = game.full_settings(game.settings_type())
    counts = [each for each in game.seats_with(full) if each <= MOST_SEATS][:3]
    usual = Situation(full, counts[index % len(counts)], 0)
    tried: list[Drawn] = []
    if index % 2 == 0:
        named = [_with_usual_attempts(each, usual.settings) for each in named]
    tries = list(enumerate([*named, usual] * TRIES))
    if usual.player_count > counts[0]:
        tries.insert(0, tries.pop(len(named)))
    for number, situation in tries:
        rng = Random(f"{game.name}/{mutation.name}/{number}")
        seat, other = situation.seat, (situation.seat + 1) % situation.player_count
        again, given = rng.choice(others), list[Asked]()
        scripts = (_noting(given, mutated(game, mutation, seat)), _later(mutated(game, again, other), 2))
        scene = _scene(game, situation, rng, *scripts)
        expected = scene.expected
        title = f"{mutation.name} by seat {seat}, {again.name} by seat {other}"
        tried.append(Drawn(title, scene))
        found = [each.rule_break.rule_id for each in expected.misconducts if each.seat == seat]
        if mutation.rule in found or (given and not mutation.rule):
            return tried[-1]
    return tried[0]


def _noting(given: list[Asked], script: Script) -> Script:
    """Return a script that notes where it says something."""

    def noting(asked: Asked) -> Act | None:
        act = script(asked)
        if act is not None:
            given.append(asked)
        return act

    return noting


def _with_usual_attempts(situation: Situation, usual: Message) -> Situation:
    """Return a situation with the usual number of attempts, where the game has one."""
    settings: Any = type(situation.settings)()
    settings.CopyFrom(situation.settings)
    if hasattr(settings, "max_attempts"):
        settings.max_attempts = getattr(usual, "max_attempts", 0)
    return situation._replace(settings=settings)


@cache
def draw_failures(name: str) -> Sequence[Drawn]:
    """Return games in which players fail in every method, early and late, alone and one after another."""
    game, drawn = find(name), []
    usual = game.settings_type()
    for chosen, settings in enumerate((usual, *find_conformance(name).leaving_settings)):
        full = game.full_settings(settings)
        for index, method in enumerate(game.methods):
            for number in (1, 2, 4) if len(game.methods) < 6 else [(1, 2, 4)[(index + chosen) % 3]]:
                rng = Random(f"{name}/{full}/{method.name}/{number}")
                count = rng.choice([each for each in game.seats if each <= 4 and fits(game, full, each)])
                how, act = _failure(method, index + number, may_part=not hasattr(full, "on_disconnect"))
                seat, later = rng.sample(range(count), 2)
                then = at(later, game.turn.name, fail(2, "scripted failure"), number + rng.randrange(3))
                for at_call in dict.fromkeys((number, 1)):  # what is called once has no later call
                    title = f"seat {seat} answers call {at_call} of {method.name} to it with {how}"
                    scene = _scene(game, Situation(full, count, 0), rng, at(seat, method.name, act, at_call), then)
                    if sum((each.seat, each.method) == (seat, method) for each in scene.expected.calls) >= at_call:
                        break
                drawn.append(Drawn(title, scene, how == GONE))
    full = game.full_settings(usual)
    for method in game.methods:
        rng = Random(f"{name}/{method.name}/hang")
        scene = _scene(game, Situation(full, game.seats.start + 1, 0), rng, at(rng.randrange(2), method.name, hang))
        drawn.insert(0, Drawn(f"a call of {method.name} is not answered", replace(scene, control=HURRY)))
    return [*drawn, *_failing_at_once(game), *_all_failing(game)]


def _failing_at_once(game: Game) -> Iterator[Drawn]:
    """Yield games in which two players fail in calls that are made at once, the one that comes later in turn first."""
    settings = next(iter(find_conformance(game.name).leaving_settings), game.settings_type())
    situation = Situation(game.full_settings(settings), game.seats.start + 1, 0)
    sound = _scene(game, situation, Random(f"{game.name}/at once")).expected
    told = (call.method for call, step in zip(sound.calls, sound.steps, strict=True) if sound.steps.count(step) > 1)
    for method in dict.fromkeys(each for each in told if not each.asks):
        scripts = (at(0, method.name, fail_slowly), at(1, method.name, fail(13, "scripted failure")))
        scene = _scene(game, situation, Random(f"{game.name}/{method.name}/at once"), *scripts)
        yield Drawn(f"{method.name} is failed by two at once, by the one that comes later first", scene)


def _all_failing(game: Game) -> Iterator[Drawn]:
    """Yield games in which all players fail in a method."""
    count = game.seats.start + 1
    for settings in find_conformance(game.name).leaving_settings:
        for method in game.methods:
            rng = Random(f"{game.name}/{settings}/{method.name}/all")
            _, act = _failure(method, 0)
            scripts = _failing_in(method, act, rng.sample(range(count), count), together=True)
            scene = _scene(game, Situation(game.full_settings(settings), count, 0), rng, *scripts)
            yield Drawn(f"all fail in {method.name}", scene)


def _failing_in(
    method: Method, act: Callable[[Asked], Act], seats: Sequence[int], *, together: bool
) -> Sequence[Script]:
    """Return the scripts in which players fail in a method: all in the first call to each, or one after another."""
    return [at(seat, method.name, act, 1 if together else again) for again, seat in enumerate(seats, start=1)]


def _failure(method: Method, number: int, *, may_part: bool = False) -> tuple[str, Callable[[Asked], Act]]:
    """Return a way to fail in a method. Where it asks for nothing an empty reply is right.

    A player `may_part` that is not called again when its connection has ended.
    """
    left_out = {*([] if method.asks else [EMPTY]), *([] if may_part else [GONE])}
    ways = [each for each in FAILURES.items() if each[0] not in left_out]
    return ways[number % len(ways)]


@cache
def draw_leavers(name: str) -> Sequence[Drawn]:
    """Return games in which all, or all but one, fail in a method, at once or one after another.

    Each method is found under each setting.

    Short ones are played once more, by players that think.
    """
    game, drawn = find(name), []
    variations = vary(game, Random(f"{name}/failures"), Scope(game), game.methods)
    for number, (_, settings, count, method) in enumerate(variations):
        if method is None:
            continue
        rng = Random(f"{name}/failures/{number}")
        how, act = _failure(method, number)
        seats = rng.sample(range(count), count - number % 4 % 2)
        scripts = _failing_in(method, act, seats, together=number % 2 == 0)
        title = f"under unusual settings, number {number}, {method.name} is answered with {how} one after another"
        found = Drawn(title, _scene(game, Situation(settings, count, 0), rng, *scripts))
        drawn.append(found)
        if not found.scene.is_longer_than(LONG):
            drawn.append(Drawn(title, replace(found.scene, strategies=[_thoughtful(game)])))
    return drawn


@cache
def draw_late_failures(name: str) -> Sequence[Drawn]:
    """Return games that begin late, in which some or all fail: in each method under each setting, or at the beginning.

    Where a method asks for something they break rules instead.
    """
    game, drawn = find(name), []
    variations = vary(game, Random(f"{name}/late failures"), Scope(game), game.methods)
    for number, (_, settings, count, method) in enumerate(variations):
        rng = Random(f"{name}/late failures/{number}")
        late = find_position(game, Source(settings, count, number, _thoughtful(game), MAX_DECISIONS), rng.random())
        if method is None or late is None:
            continue
        how, act = _failure(method, number)
        seats = rng.sample(range(count), rng.randint(1, count))
        breaking = [_break_rules(game, rng, seats, MISTAKES)] if method.asks else []
        failing = _failing_in(method, act, seats, together=number % 2 == 0)
        told = [_fails_when_told(game, seat) for seat in rng.sample(range(count), max(1, count - 1))]
        title = f"late under unusual settings, number {number}, {{}} is answered with {how} by several"
        situation = late.situation(0)
        drawn += [
            Drawn(title.format(method.name), _scene(game, situation, rng, *breaking, *failing)),
            Drawn(title.format("the first that is told"), _scene(game, situation, rng, *told)),
        ]
    return drawn


@cache
def draw_stopped(name: str) -> Sequence[Drawn]:
    """Return games in which somebody fails, and that are stopped some time after that."""
    rng, drawn = Random(f"{name}/stopped"), list[Drawn]()
    found = [*draw_failures(name), *draw_late_failures(name), *draw_wrong_replies(name), *draw_settings(name)]
    for each in rng.sample(found, len(found)):
        if each.scene.control is not TIMES or each.scene.is_longer_than(VERY_LONG):
            continue
        scene = replace(each.scene)
        steps, told = scene.expected.steps, scene.expected.told
        begun = [number for number in range(2, len(steps) + 1) if steps[number - 1] > steps[number - 2]]
        if after := [number for number in begun if told[number - 1][1]]:
            title = f"{each.title}; the game is stopped later"
            drawn.append(replace(each, title=title, scene=scene, stop_at=rng.choice(after)))
        if len(drawn) == STOPPED:
            break
    return drawn


def without_most_long(scenes: Sequence[Drawn]) -> Sequence[Drawn]:
    """Return scenes, of those that take long to play only each fourth, cut short where they take still longer."""
    number = itertools.count()
    played = [each for each in scenes if not each.scene.is_longer_than(VERY_LONG) or next(number) % 4 == 0]
    return [cut_short(each) if each.scene.is_longer_than(LONGEST_PLAYED) else each for each in played]


def cut_short(drawn: Drawn) -> Drawn:
    """Return a scene in which everybody fails after a few questions: enough for what follows from its beginning."""
    tires = _tires(drawn.scene.game, Random(drawn.title), [FEWEST] * len(NAMES))
    return replace(drawn, scene=replace(drawn.scene, script=any_of(tires, drawn.scene.script)))


@cache
def situations_of(name: str) -> Mapping[str, Situation]:
    """Return the situations that players get wrong, by their names."""
    return {
        f"{probe.id}{f'-{draw}' if draw else ''}": probe.situation(Random(f"{probe.id}/{draw}"))
        for probe in find_conformance(name).probes
        for draw in range(min(probe.draws, 2))
    }


def _scene(game: Game, situation: Situation, rng: Random, *scripts: Script) -> Scene:
    """Return the scene of a situation, in which the players do as any of the scripts says."""
    settings, count = situation.settings, situation.player_count
    state: Message | None = situation.state
    if state is None:
        state = draw_state(game, settings, count, rng.getrandbits(32))
    script = any_of(_fails_late(game, rng), *scripts)
    strategies = [rng.choice((f"random:seed={rng.getrandbits(20)}", _thoughtful(game))) for _ in range(count)]
    return Scene(game, game.full_settings(settings), state, count, script, TIMES, strategies)


def _thoughtful(game: Game) -> str:
    """Return the best strategy that answers at once, else one that searches a little; "random" if there is neither."""
    quick = [name for name, kind in game.strategies.items() if kind.is_quick and name not in ("first", "random")]
    searching = [f"{name}:depth={SHALLOW}" for name, kind in game.strategies.items() if "depth" in kind.keys]
    return next(iter([*quick[-1:], *searching, "random"]))


def _fails_late(game: Game, rng: Random) -> Script:
    """Return the script in which each player fails after about LONGEST questions of one method, in one game of five
    after four times as many.
    """
    longest = rng.choice((LONGEST, LONGEST, LONGEST, LONGEST, 4 * LONGEST))
    return _tires(game, rng, [longest + rng.randrange(3) for _ in NAMES])


def _tires(game: Game, rng: Random, last: Sequence[int]) -> Script:
    """Return the script in which each player, after so many questions of one method, breaks rules, or fails at last."""
    asking, mutations = _asking(game), find_conformance(game.name).mutations
    orders = [rng.sample(mutations, len(mutations)) for _ in NAMES]

    def script(asked: Asked) -> Act | None:
        over = asked.number - last[asked.seat]
        if asked.method not in asking or over <= 0:
            return None
        wrong = (mutated(game, each, asked.seat, asked.number)(asked) for each in orders[asked.seat])
        return (next(filter(None, wrong), None) if over <= MISTAKES else None) or TIRED

    return script


def _break_rules(game: Game, rng: Random, seats: Collection[int], within: int) -> Script:
    """Return the script in which some players break rules, each after fewer than so many questions of one method."""
    return _tires(game, rng, [rng.randrange(within) if seat in seats else MAX_DECISIONS for seat in range(len(NAMES))])


def _asking(game: Game) -> Collection[str]:
    """Return the names of the methods that ask for something."""
    return {method.name for method in game.methods if method.asks}


def _fails_first(game: Game, seat: int) -> Script:
    """Return the script in which a player fails in its first question."""
    asking = _asking(game)
    fails = fail(13, "scripted failure")
    return lambda asked: fails(asked) if asked.seat == seat and asked.method in asking else None


@cache
def _last_method(name: str) -> Method:
    """Return the method that is called last in a game."""
    return small(name, find(name).seats.start).expected.calls[-1].method


def _fails_at_the_end(game: Game, seat: int) -> Script:
    """Return the script in which a player fails in the method that tells the end, where there is one."""
    method = _last_method(game.name)
    return sound_script if method.asks else at(seat, method.name, fail(13, "scripted failure"))


def _fails_when_told(game: Game, seat: int) -> Script:
    """Return the script in which a player fails in the first call that only tells it something."""
    first = next(method for method in game.methods if not method.asks)
    return at(seat, first.name, fail(13, "scripted failure"))


def _later(script: Script, number: int) -> Script:
    """Return a script that begins with the call of this number of each method."""
    return lambda asked: script(asked) if asked.number >= number else None

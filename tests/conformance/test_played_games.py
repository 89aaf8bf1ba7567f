"""Which games each case plays, on which connections, and beside which others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, cycle, islice
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from fairplay.conformance.case import Case
from fairplay.conformance.case_errors import Failure, NotApplicable, NotTested
from fairplay.conformance.cases import (
    beside,
    endings,
    exceptions,
    fresh,
    games,
    growth,
    memory,
    mixture,
    numbers,
    outcomes,
    probes,
    robustness,
    time,
)
from fairplay.conformance.cases import cases as all_cases
from fairplay.conformance.interleaving import TO_THE_END
from fairplay.conformance.joining import Joining
from fairplay.conformance.trial import Scenario
from fairplay.games.conformance import find_conformance
from fairplay.games.game import find
from fairplay.games.kit.player_service import END, START
from fairplay.v1.misconduct_pb2 import CallError, MisconductKind, Overrun
from fairplay.v1.player_pb2 import EndRequest, StartRequest
from tests.conformance.harness import player, raises, trial_of
from tests.conformance.opened import Opened, context_of

FISH = find("fish")


class Played(NamedTuple):
    """Games that a case has had played at the same time, on a connection with this number, from 1."""

    connection: int
    scenarios: Sequence[Scenario]
    shares: Sequence[int] | None = None
    ids: Sequence[str] | None = None

    @property
    def seatings(self) -> list[tuple[int, int, int]]:
        """Return seat, number of players and number of decisions of each game."""
        situations = [each.situation for each in self.scenarios]
        return [(each.seat, each.player_count, each.turn_count) for each in situations]


class Recorder:
    """Keeps which games are played, in a context in which all of them go well."""

    def __init__(self, game: str, slow: bool, served: bool = False) -> None:
        self.played: list[Played] = []
        self._connections: list[Any] = []
        self.sound = trial_of(FISH, player())
        self._game, self._slow, self._served = find(game), slow, served

    def _add(self, connection: Any, scenarios: Sequence[Scenario], *more: Any) -> list[Any]:
        if not any(connection is each for each in self._connections):
            self._connections.append(connection)
        number = 1 + next(place for place, each in enumerate(self._connections) if each is connection)
        self.played.append(Played(number, list(scenarios), *more))
        return [self.sound for _ in scenarios]

    @contextmanager
    def recording(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
        """Yield a context whose games are kept instead of played."""

        def play(scenario: Scenario, connection: Any = None, *_: Any) -> Any:
            return self._add(connection, [scenario])[0]

        def play_as(scenario: Scenario, connection: Any, game_id: str) -> Any:
            return self._add(connection, [scenario], None, [game_id])[0]

        def play_in_turn(_: Any, scenarios: Any, connection: Any, shares: Any = None, ids: Any = None) -> Any:
            return self._add(connection, scenarios, shares, ids)

        for module in (beside, mixture):
            monkeypatch.setattr(module, "play_in_turn", play_in_turn)
        context: Any
        opened = Opened(lambda: self._game.player(self._strategy))
        with context_of(opened.as_served() if self._served else opened.as_started(), self._game) as context:
            monkeypatch.setattr(type(context), "is_slow", self._slow)
            context.play, context.play_as = play, play_as
            context.play_together = lambda scenarios, connection: self._add(connection, scenarios)
            yield context

    @property
    def _strategy(self) -> str:
        return next(iter(self._game.strategies))


def played(case: Case, monkeypatch: pytest.MonkeyPatch, game: str = "fish", slow: bool = False) -> list[Played]:
    recorder = Recorder(game, slow)
    with recorder.recording(monkeypatch) as context:
        monkeypatch.setattr(type(context), "ordinary", property(lambda _: ordinary(game)))
        case.run(context)
    return recorder.played


def ordinary(game: str) -> Any:
    """Return an ordinary game, which some cases look at."""
    return trial_of(find(game), find(game).player("first"))


# Beside each other


@pytest.mark.parametrize(("slow", "count", "turns"), [(False, 32, 12), (True, 16, 2)])
def test_many_games_are_played_at_once(slow: bool, count: int, turns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    [found] = played(beside.many_games_at_once, monkeypatch, slow=slow)
    assert [each[2] for each in found.seatings] == [turns] * count
    assert [each.name for each in found.scenarios] == [f"many-{number}" for number in range(count)]
    assert len({each.seed for each in found.scenarios}) == count


def test_a_game_begins_in_the_middle_of_another_and_ends_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = min(len(ordinary("fish").exchanges) // 2, 24)
    for slow, turns in ((False, 12), (True, 2)):
        two, four = played(beside.one_ends_first, monkeypatch, slow=slow)
        assert two.shares == four.shares == (calls, TO_THE_END)
        assert two.connection == four.connection
        assert two.seatings[0] == four.seatings[0] == (0, 2, calls + turns)
        assert [each.seatings[1][1:] for each in (two, four)] == [(2, 0), (4, 0)]


def test_ids_are_nearly_the_same_and_games_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    alike, mixed = played(beside.similar_ids, monkeypatch)
    for found in (alike, mixed):
        assert found.ids is not None
        assert len(found.ids) == len({*found.ids}) == len(found.scenarios) == 20
        folded = {each.casefold() for each in found.ids}
        assert len(folded) == 17  # some differ in letters alone
        assert sum(each.endswith("0" * 60 + "1") for each in found.ids) == 1
    assert {each[2] for each in alike.seatings} == {24}
    usual = alike.scenarios[0].situation.settings
    assert [each.situation.settings == usual for each in mixed.scenarios] == [True, False] * 10
    others = [each.situation for each in mixed.scenarios[1::2]]
    assert len({each.settings.SerializeToString() for each in others}) > 5
    assert all(0 <= each.seat < each.player_count for each in others)
    assert len({each.seat for each in others}) > 1


def test_games_with_other_settings_come_one_after_the_other_and_then_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for slow, turns in ((False, 24), (True, 2)):
        found = played(mixture.other_settings, monkeypatch, slow=slow)
        assert [len(each.scenarios) for each in found] == [1] * 7 + [7]
        assert len({each.connection for each in found}) == 1
        assert [each.scenarios[0] for each in found[:7]] == found[7].scenarios
        assert [each[2] for each in found[7].seatings] == [turns] * 7
        assert len({each.situation.settings.SerializeToString() for each in found[7].scenarios}) == 7
        assert [each.name.startswith("mixture-settings-") for each in found[7].scenarios] == [False] + [True] * 6


@pytest.mark.parametrize(("received", "remark"), [(0, "every call was answered before it could be cancelled"), (1, "")])
def test_after_cancelled_calls_a_game_in_another_seat_is_played(
    received: int, remark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_cancel", lambda *_: received)
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        said = memory.cancelled_call.run(context) or ""
    assert said.partition(";")[0] == remark
    assert [each.seatings for each in recorder.played] == [[(0, 2, 1)], [(1, 2, 8)]]
    assert len({each.connection for each in recorder.played}) == 1


def test_after_requests_that_are_none_a_game_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder("fish", slow=False)
    asked = Asked(*[CallError(message="no such method", status_code=12)] * 3)
    with recorder.recording(monkeypatch) as context:
        context.ask = asked
        robustness.out_of_contract.run(context)
    assert len(asked.requests) == 3
    assert [each.seatings for each in recorder.played] == [[(0, 2, 6)]]


@pytest.mark.parametrize("answers", [True, False])
def test_a_player_that_has_lost_its_stream_dials_in_again_and_plays(
    answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    hung_up: list[int] = []
    recorder = Recorder("fish", slow=False)

    async def hang_up() -> None:
        hung_up.append(len(recorder.played))

    monkeypatch.setattr(robustness, "_answers_again", lambda *_: answers)
    with recorder.recording(monkeypatch) as context:
        monkeypatch.setattr(context.player.transport, "hang_up", hang_up, raising=False)
        if answers:
            robustness.reconnect.run(context)
        else:
            with pytest.raises(Failure, match="did not dial in again within 10 s after the server had said goodbye"):
                robustness.reconnect.run(context)
    assert hung_up == [1]
    assert [each.seatings for each in recorder.played] == [[(0, 2, 1)], [(0, 2, 6)]][: 1 + answers]


def test_a_player_that_serves_is_called_on_a_new_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder("fish", slow=False, served=True)
    with recorder.recording(monkeypatch) as context:
        robustness.reconnect.run(context)
    assert [each.seatings for each in recorder.played] == [[(0, 2, 1)], [(0, 2, 6)]]
    assert [each.connection for each in recorder.played] == [1, 2]


def test_a_player_in_this_process_has_no_connection_to_lose() -> None:
    with context_of(Opened(player).as_objects()) as context, pytest.raises(NotApplicable, match="no connection"):
        robustness.reconnect.run(context)


# One after the other


def test_games_may_end_early_and_never(monkeypatch: pytest.MonkeyPatch) -> None:
    early = played(memory.early_end, monkeypatch)
    assert [each.seatings for each in early] == [[(1, 2, 1)], [(1, 2, 2)], [(1, 2, 3)], [(0, 2, 8)]]
    assert len({each.connection for each in early}) == 1
    begun, last = played(memory.never_ended, monkeypatch)
    assert len(begun.scenarios) == 12
    assert {each[2] for each in begun.seatings} == {1}
    assert last.seatings == [(0, 2, 8)]
    assert begun.connection == last.connection


def test_ids_of_games_may_be_strange(monkeypatch: pytest.MonkeyPatch) -> None:
    found = played(exceptions.unusual_ids, monkeypatch)
    ids = [each.ids[0] for each in found if each.ids]
    assert ids == ["x", "cup-2/round.1/game_3", "Z" * 128, "0", "-", "..."]
    assert {*(seating for each in found for seating in each.seatings)} == {(0, 2, 4)}


def test_games_are_resumed_in_the_middle_with_the_fewest_and_the_most_players(monkeypatch: pytest.MonkeyPatch) -> None:
    two, four = games.cases(FISH)[-2:]
    assert (two.id, four.id) == ("rules.resumed-game.of-2", "rules.resumed-game.of-4")
    for case, count in ((two, 2), (four, 4)):
        [found] = played(case, monkeypatch)
        [situation] = [each.situation for each in found.scenarios]
        assert (situation.player_count, situation.turn_count) == (count, 0)
        assert situation.state is not None
    assert [each.id for each in games.cases(FISH)[:9]] == [
        f"rules.whole-game.seat-{seat}-of-{count}" for count in (2, 3, 4) for seat in range(count)
    ]
    assert games.cases(FISH)[9].id == "rules.rival-leaves"


def test_numbers_are_larger_than_32_bits_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [scenario for each in played(numbers.large_numbers, monkeypatch) for scenario in each.scenarios]
    assert [each.name for each in found] == [
        *("revision-2147483648", "revision-4294967296", "revision-4503599627370496"),
        "large-scores",
    ]
    states: list[Any] = [each.situation.state for each in found]
    assert [each.revision for each in states[:3]] == [2**31, 2**32, 2**52]
    assert max(each.score for each in states[3].players) > 2**31
    assert {each.situation.turn_count for each in found} == {3}
    assert {each.situation.player_count for each in found} == {2}


def test_a_player_comes_into_games_with_each_of_their_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [each.scenarios[0] for each in played(fresh.fresh_process, monkeypatch)]
    joins = [each.joins for each in found if each.joins]
    assert joins[0] == Joining("TakeTurn", 3)
    assert joins[1:5] == [Joining(method.name, 1) for method in FISH.methods]
    assert {(each.method, each.number) for each in joins[5:]} == {
        *(("Setup", number) for number in (2,)),
        *(("TakeTurn", number) for number in (2, 5)),
    }
    seatings = [(each.situation.seat, each.situation.player_count) for each in found]
    in_turn = cycle((seat, count) for count in (4, 3, 2) for seat in reversed(range(count)))
    assert seatings[: len(joins)] == [*islice(in_turn, len(joins))]
    assert [each.asked_again for each in found[len(joins) :]] == [1, 3]
    assert seatings[len(joins) :] == [(0, 2), (3, 4)]
    assert {each.situation.turn_count for each in found} == {4}
    assert len({each.seed for each in found}) == len(found)


def test_games_that_tell_their_end_are_played_to_it_and_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcomes.cases(FISH) == []
    assert outcomes.cases(find("q")) == [outcomes.game_won, outcomes.game_lost]
    assert outcomes.cases(find("webset")) == [outcomes.game_won, outcomes.game_lost, outcomes.game_tied]
    for case, game, word in (
        (outcomes.game_won, "q", "won"),
        (outcomes.game_lost, "q", "lost"),
        (outcomes.game_tied, "eriantys", "tied"),
    ):
        found = played(case, monkeypatch, game)
        assert [each.scenarios[0].name.partition("-")[0] for each in found] == [word, word, "seat"]
        assert found[-1].seatings == [(0, 2, 3)]
        assert len({each.connection for each in found}) == 1
        assert word != "tied" or not any(each.scenarios[0].rivals_wait for each in found[:2])


def test_a_race_is_lost_by_being_slower_too(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder("webset", slow=False)
    with recorder.recording(monkeypatch) as context:
        monkeypatch.setattr(type(context), "ordinary", ordinary("webset"))
        outcomes.game_lost.run(context)
    assert [each.scenarios[0].name for each in recorder.played][2:3] == ["outrun"]
    assert not recorder.played[2].scenarios[0].rivals_wait
    assert recorder.played[2].seatings == [(0, find("webset").seats.start, 0)]
    assert len(recorder.played) == 4


def test_a_player_is_asked_under_load_in_eight_games(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        context.whole_game = lambda seat, count: recorder.sound
        time.under_load.run(context)
    [found] = recorder.played
    assert [each[2] for each in found.seatings] == [10] * 8


@pytest.mark.parametrize(("first", "rounds"), [("late", 2), ("late and broken", 1), ("", 1)])
def test_a_player_that_is_late_under_load_is_tried_once_more(
    first: str, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, broken = (trial_of(FISH, player(setup=raises)) for _ in range(2))
    assert late.misconduct is not None
    late.misconduct.kind = MisconductKind.MISCONDUCT_KIND_TIMEOUT
    answers = iter([{"late": [late], "late and broken": [late, broken], "": []}[first], []])
    played_count = 0

    def play_at_once(context: Any, beginnings: Any) -> Any:
        nonlocal played_count
        played_count += 1
        return next(answers)

    monkeypatch.setattr(time, "_play_at_once", play_at_once)
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        context.whole_game = lambda seat, count: recorder.sound
        context.judge_condition = lambda *_: None
        time.under_load.run(context)
    assert played_count == rounds


# Tournaments


class Asked:
    """Answers what a player is asked outside games, and keeps it."""

    def __init__(self, *outcomes: Any) -> None:
        self.requests: list[Any] = []
        self._outcomes = iter(outcomes)

    def __call__(self, method: Any, request: Any, connection: Any) -> tuple[Any, float]:
        self.requests.append(request)
        return next(self._outcomes, b""), 0.25


def run_tournament(case: Case, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> list[Played]:
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        context.ask = asked
        case.run(context)
    return recorder.played


def test_two_games_are_played_between_start_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    found = run_tournament(endings.tournament, asked, monkeypatch)
    assert [each.seatings for each in found] == [[(0, 2, 3)], [(1, 2, 3)]]
    start, end = asked.requests
    assert (type(start), type(end)) == (StartRequest, EndRequest)
    assert start.tournament_id == end.tournament_id != ""
    assert end.won


def test_a_player_wins_and_loses_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked()
    found = run_tournament(endings.win_and_lose, asked, monkeypatch)
    assert [each.won for each in asked.requests[1::2]] == [True, False, True, False]
    assert len({each.tournament_id for each in asked.requests}) == 4
    assert len(found) == 8


FAILED = CallError(message="boom")
UNIMPLEMENTED = CallError(status_code=12)


def overrun() -> Overrun:
    made = Overrun()
    made.limit.FromMilliseconds(1_500)
    return made


@pytest.mark.parametrize(
    ("outcomes_", "error", "said", "games_played"),
    [
        ([FAILED], Failure, "Start failed: boom", 0),
        ([b"", FAILED], Failure, "End failed: boom", 2),
        ([b"\xff"], Failure, "The reply to Start is unreadable.", 0),
        ([b"", overrun()], Failure, "End did not return within 1.5 s.", 2),
        ([UNIMPLEMENTED], NotTested, "the player has no method Start: see contract.every-method", 0),
    ],
)
def test_what_goes_wrong_outside_games_is_said(
    outcomes_: list[Any], error: type[Exception], said: str, games_played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        context.ask = Asked(*outcomes_)
        with pytest.raises(error) as caught:
            endings.tournament.run(context)
    assert str(caught.value) == said
    assert len(recorder.played) == games_played


def test_who_cannot_win_is_not_asked_to_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotTested, match="a tournament cannot be played with this player"):
        run_tournament(endings.win_and_lose, Asked(FAILED), monkeypatch)
    with pytest.raises(Failure, match="End failed: boom"):
        run_tournament(endings.win_and_lose, Asked(b"", b"", b"", FAILED), monkeypatch)


def test_the_methods_outside_games_are_start_and_end() -> None:
    assert (START.name, END.name) == ("Start", "End")


# Probes


def test_a_slow_player_plays_the_next_probes_of_a_level_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = probes.cases(FISH)
    all_of_them = find_conformance("fish").probes
    assert [each.id for each in cases] == [each.id for each in all_of_them]
    batches: list[list[str]] = []
    recorder = Recorder("fish", slow=True)
    with recorder.recording(monkeypatch) as context:

        def play_each(scenarios: Any) -> list[Any]:
            batches.append([each.name for each in scenarios])
            return [recorder.sound for _ in batches[-1]]

        context.play_each = play_each
        for case in cases:
            case.run(context)
    assert sorted(each for batch in batches for each in batch) == sorted(each.id for each in all_of_them)
    levels = {each.id: each.level for each in all_of_them}
    assert all(len({levels[each] for each in batch}) == 1 for batch in batches)
    assert max(map(len, batches)) == 8


def test_all_cases_of_a_game_have_ids_of_their_own() -> None:
    for name in ("fish", "q", "webset", "bazaar", "eriantys"):
        ids = [each.id for each in all_cases(find(name))]
        assert len(ids) == len({*ids})
    assert robustness.cases(FISH)[0].id == "robustness.out-of-contract"


# Many games in a row


MIB = 1_048_576


@pytest.mark.parametrize(
    ("mib_a_round", "rounds"),
    [
        ([0] * 99, 3),
        ([60] * 99, 19),  # a gibibyte is passed
        ([52] * 99, 21),
        ([60, 60, 60, 51] + [60] * 99, 5),  # in one round it grew less
    ],
)
def test_games_are_played_until_it_is_clear_whether_a_player_hoards_memory(
    mib_a_round: list[int], rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = accumulate([0, *mib_a_round[: rounds - 1], *[0] * 99])

    def measure() -> growth.Holding:
        return growth.Holding({1: growth.ProcessSize(next(sizes) * MIB, 1, 1)}, 0)

    monkeypatch.setattr(growth, "_measure_of", lambda *_: measure)
    recorder = Recorder("fish", slow=False)
    with recorder.recording(monkeypatch) as context:
        begun, to_their_end = growth.growth_of(context)
        assert growth.growth_of(context) == [begun, to_their_end]  # kept
    assert (begun.kind, len(begun.holdings)) == ("games", rounds)
    assert (to_their_end.kind, len(to_their_end.holdings)) == ("games to their end", 3)
    assert len(recorder.played) == rounds + 3
    assert all(len(each.scenarios) == 25 for each in recorder.played)
    assert {each[2] for each in recorder.played[0].seatings} == {6}
    assert [each[1:] for each in recorder.played[-1].seatings] == [(2 + number % 3, 0) for number in range(25)]


def test_a_player_that_fails_in_one_of_many_games_plays_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "_measure_of", lambda *_: lambda: growth.Holding({}, 0))
    recorder = Recorder("fish", slow=False)
    broken = trial_of(FISH, player(setup=raises))
    rounds = iter([[recorder.sound] * 25, [recorder.sound, broken]])
    with recorder.recording(monkeypatch) as context:
        context.play_together = lambda scenarios, connection: next(rounds)
        [found] = growth.growth_of(context)
    assert found.failed is broken
    assert len(found.holdings) == 1


def test_games_that_tell_their_end_are_won_and_lost_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder("q", slow=False)
    with recorder.recording(monkeypatch) as context:
        kinds = growth._kinds(context)
    assert list(kinds) == ["games", "games that it has won", "games that it has lost"]
    for kind, word in (("games that it has won", "won"), ("games that it has lost", "lost")):
        names = [each.name for each in kinds[kind]]
        assert len(names) == 25 and len(set(names)) == 4
        assert names[:4] == names[4:8]
        assert all(name.startswith(word) for name in names)


@pytest.mark.parametrize(("left", "tries"), [([0], 1), ([20, 20, 19], 3), ([20] * 40, 21)])
def test_what_ends_by_itself_has_two_seconds_to_end(
    left: list[int], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        assert seconds == 0.1
        now[0] += seconds

    monkeypatch.setattr(growth, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    measured: list[int] = []

    def measure() -> growth.Holding:
        measured.append(left[len(measured)])
        return growth.Holding({1: growth.ProcessSize(0, 1 + measured[-1], 1)}, 0)

    before = growth.Holding({1: growth.ProcessSize(0, 1, 1)}, 0)
    found = growth._settled(measure, [before])
    assert len(measured) == pytest.approx(tries, abs=1 if tries > 3 else 0)
    assert found.processes[1].threads == 1 + measured[-1]
    assert growth._settled(lambda: found, []) is found


@pytest.mark.parametrize(("before", "tries"), [([30, 1], 9), ([1, 30], 1)])
def test_a_round_is_measured_until_it_adds_little_to_the_one_before_it(
    before: list[int], tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here each pause takes a quarter of a second, so that the two seconds are over after eight of them."""
    now = [100.0]

    def sleep(_: float) -> None:
        now[0] += 0.25

    def holding(count: int) -> growth.Holding:
        return growth.Holding({1: growth.ProcessSize(0, count, 1)}, 0)

    def measure() -> growth.Holding:
        measured.append(holding(31))
        return measured[-1]

    measured: list[growth.Holding] = []
    monkeypatch.setattr(growth, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    assert growth._settled(measure, [holding(count) for count in before]) is measured[-1]
    assert len(measured) == tries

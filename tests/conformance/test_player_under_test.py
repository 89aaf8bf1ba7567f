"""The player under test: when it is reached anew, which connections are handed on, what is said if it is not there."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from fairplay.conformance.breaker import Breaker
from fairplay.conformance.budget import NO_TIME, Budget
from fairplay.conformance.case_errors import NotTested, failure
from fairplay.conformance.connection import Connection
from fairplay.conformance.objects import Gone
from fairplay.conformance.player_under_test import PlayerUnderTest
from fairplay.conformance.spares import Spares
from fairplay.games.game import find
from fairplay.games.kit.player_service import DESCRIBE, START
from fairplay.games.steps import Failure, Method
from fairplay.server.links.link import Link
from fairplay.v1.misconduct_pb2 import CallError, Overrun
from fairplay.v1.player_pb2 import DescribeRequest
from tests.conformance.harness import player
from tests.conformance.opened import NAME, Opened, under_test
from tests.conformance.test_ahead import turns
from tests.conformance.test_lives import Living


def counting(**wrong: Any) -> tuple[Opened, list[str]]:
    """Return what opens links to players, and a list that grows by each call of Describe or Start."""
    calls: list[str] = []

    def describe(sound: Any, request: Any) -> Any:
        calls.append("Describe")
        return wrong["describe"](sound, request) if "describe" in wrong else sound(request)

    def start(sound: Any, request: Any) -> Any:
        calls.append("Start")
        return wrong["start"](sound, request) if "start" in wrong else sound(request)

    return Opened(lambda: player(describe=describe, start=start)), calls


def ask(tested: PlayerUnderTest, connection: Connection, method: Method = DESCRIBE) -> bytes | Failure:
    outcome, _ = tested.loop.run(connection.ask(method, b"", 5.0))
    return outcome


def dies(sound: Any, request: Any) -> Any:
    raise Gone


def untested(work: Any) -> NotTested:
    with pytest.raises(NotTested) as raised:
        work()
    return raised.value


# Reaching it


def test_a_player_is_reached_and_described_once() -> None:
    opened, calls = counting()
    with under_test(opened.as_served()) as tested:
        assert (tested.reach_count, tested.description.display_name) == (0, "")
        tested.begin()
        tested.begin()
        assert calls == ["Describe"]
        assert tested.description.display_name == "random"
        connection = tested.connection()
        assert tested.connection() is connection
        assert (connection.call_count, connection.described, connection.repeatable) == (1, 1, True)
        assert connection.player_name == NAME
        assert (len(opened.links), tested.reach_count, tested.unreachable) == (1, 1, "")
    assert opened.open_count == 0


@pytest.mark.parametrize("described", [b"\xff\xff", RuntimeError("no")], ids=str)
def test_a_player_that_says_nothing_readable_about_itself_has_an_empty_description(described: Any) -> None:
    def wrong(sound: Any, request: Any) -> Any:
        if isinstance(described, Exception):
            raise described
        return described

    with under_test(counting(describe=wrong)[0].as_served()) as tested:
        tested.begin()
        assert tested.description.ByteSize() == 0
        assert isinstance(tested.described, bytes if isinstance(described, bytes) else CallError)


def test_a_description_has_the_limit_of_a_notification() -> None:
    released = threading.Event()
    opened, _ = counting(describe=lambda sound, request: released.wait(60))
    with under_test(opened.as_served(), limit_s=0.05) as tested:
        tested.begin()
        released.set()
        assert isinstance(tested.described, Overrun)


@pytest.mark.parametrize(("reason", "said"), [("it is asleep", "it is asleep"), ("", "it is not there")])
def test_a_player_that_is_not_there_is_tried_once(reason: str, said: str) -> None:
    opened = Opened(player, lambda _: reason)
    with under_test(opened.as_served()) as tested:
        for work in (tested.connection, tested.open, tested.connection):
            found = untested(work)
            assert found.reason == "the player cannot be reached: see contract.reachable"
            assert found.see == "contract.reachable"
            assert found.evidence is not None
            assert found.evidence.sentence == f"The player cannot be reached: {said}"
        assert (len(opened.links), tested.reach_count, tested.unreachable) == (1, 0, said)
        assert tested.description.ByteSize() == 0


def test_of_a_player_that_is_not_there_no_other_way_is_tried() -> None:
    opened = Opened(player, lambda _: "it is asleep")
    with under_test(opened.as_started()) as tested:
        assert untested(tested.open_ways).see == "contract.reachable"
        with pytest.raises(NotTested, match=r"see contract\.reachable"), tested.serving():
            pytest.fail("nobody serves")
        assert len(opened.links) == 1


def test_a_player_that_cannot_be_reached_again_was_there() -> None:
    opened = Opened(player, lambda number: "it has gone" if number == 3 else None)
    with under_test(opened.as_served()) as tested:
        tested.open()
        assert not tested.connection().lost
        assert tested.reach_count == 2
        for work in (tested.open, tested.connection, tested.open):
            found = untested(work)
            assert found.see == "identity.reached-again"
            assert found.reason.startswith("the player was there, but could not be reached again")
            assert found.evidence is not None
            assert found.evidence.sentence == "The player cannot be reached: it has gone"
        assert (len(opened.links), tested.reach_count) == (3, 2)


def test_a_player_that_is_gone_is_reached_anew_and_its_connection_closed() -> None:
    opened, _ = counting(start=dies)
    with under_test(opened.as_served()) as tested:
        first = tested.connection()
        assert isinstance(ask(tested, first, START), CallError)
        assert first.lost
        second = tested.connection()
        assert second is not first
        assert [link.closed for link in opened.links] == [True, False]
        assert tested.reach_count == 2
        assert tested.connection() is second


def test_a_renewed_player_gets_a_new_connection_when_it_is_needed() -> None:
    opened, _ = counting()
    with under_test(opened.as_served()) as tested:
        tested.renew()
        assert opened.links == []
        tested.connection()
        tested.renew()
        tested.renew()
        assert [link.closed for link in opened.links] == [True]
        tested.connection()
        assert [link.closed for link in opened.links] == [True, False]


def test_without_time_nothing_is_opened() -> None:
    now = [0.0]
    opened, calls = counting()
    with under_test(opened.as_served(), Budget(10.0, lambda: now[0])) as tested:
        now[0] = 10.0
        for work in (tested.connection, tested.open):
            assert untested(work).reason.startswith(NO_TIME)
        assert (opened.links, calls) == ([], [])
        now[0] = 9.0
        connection = tested.connection()
        now[0] = 11.0
        assert untested(tested.connection).reason.startswith(NO_TIME)
        assert untested(lambda: ask(tested, connection)).reason.startswith(NO_TIME)
        assert (len(opened.links), calls) == (1, ["Describe"])


def test_connections_share_what_is_given_up_unless_they_get_their_own() -> None:
    with under_test(counting()[0].as_served()) as tested:
        own = Breaker()
        assert tested.open().breaker is tested.breaker
        assert tested.open(own).breaker is own
        assert tested.loop.run(tested.open_beside()).breaker is not tested.breaker
        with tested.fresh(own) as connection:
            assert connection.breaker is own


def test_a_connection_beside_others_is_lost_where_nobody_is_there() -> None:
    opened = Opened(player, lambda number: "it sleeps" if number == 2 else None)
    with under_test(opened.as_served()) as tested:
        tested.begin()
        assert tested.loop.run(tested.open_beside()).lost
        assert not tested.loop.run(tested.open_beside()).lost
        assert (tested.unreachable, tested.reach_count) == ("", 1)


# Fresh connections


def test_a_fresh_connection_is_closed_at_the_end_whatever_happens() -> None:
    opened, _ = counting()
    with under_test(opened.as_served()) as tested:
        with tested.fresh() as connection:
            assert connection is not tested.connection()
            assert opened.open_count == 2
        assert opened.open_count == 1
        with pytest.raises(KeyError), tested.fresh():
            raise KeyError
        assert opened.open_count == 1
        assert not tested.try_again(settled=False)


def test_a_process_is_handed_on_to_the_next_case_that_takes_one_with_a_past() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.separate() as first:
            assert not tested.try_again(settled=False)
        with tested.separate() as second:
            assert second is first
        with tested.fresh() as third:
            assert third is not first
        assert opened.open_count == 2, "one is handed on already, so the other one is closed"
        with tested.separate() as fourth, tested.separate() as fifth:
            assert fourth is first
            assert fifth is not first
        assert opened.open_count == 2
    assert opened.open_count == 0


def test_a_case_that_failed_with_a_past_is_tried_again_without_it() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.separate() as first:
            pass
        with tested.separate():
            pass
        assert tested.try_again(settled=False)
        assert not tested.try_again(settled=False)
        assert opened.open_count == 1
        with tested.separate() as second:
            assert second is not first
        with tested.separate():
            pass
        assert not tested.try_again(settled=True)
        assert not tested.try_again(settled=False), "that was for the case before"
        with tested.separate() as third:
            assert third is second
        with pytest.raises(KeyError), tested.separate():
            raise KeyError
        assert opened.open_count == 1
        assert tested.try_again(settled=False)


def test_a_case_is_tried_again_that_used_a_process_with_a_past_before_one_without() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.separate() as first:
            pass
        with tested.separate() as second, tested.separate() as third:
            assert second is first
            assert third is not first
        assert tested.try_again(settled=False)


def test_a_connection_on_which_the_player_failed_is_not_handed_on() -> None:
    opened, _ = counting(start=dies)
    with under_test(opened.as_started()) as tested:
        with pytest.raises(Exception, match="It is wrong"), tested.separate():
            raise failure("It is wrong.")
        with pytest.raises(NotTested), tested.separate():
            raise NotTested("it could not be tried")
        assert opened.open_count == 1, "the shared one"
        with tested.separate() as connection:
            ask(tested, connection, START)
        assert opened.open_count == 1, "the shared one"
        with pytest.raises(NotTested), tested.separate() as connection:
            raise NotTested("it is not called any more", given_up=True)
        assert opened.open_count == 2
        with tested.separate() as again:
            assert again is connection
            ask(tested, again, START)
        assert opened.open_count == 1


def test_one_that_is_lost_while_it_waits_is_closed_and_has_no_past_for_the_next_case() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.separate() as first:
            pass
        first.lost = True
        with tested.separate() as second:
            assert second is not first
            assert opened.open_count == 2
        assert not tested.try_again(settled=False)


def test_a_connection_with_a_breaker_of_its_own_is_not_handed_on() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.fresh(Breaker()) as first:
            pass
        assert opened.open_count == 1
        with tested.separate() as second:
            assert second is not first


def test_a_player_that_serves_is_not_handed_on() -> None:
    opened, _ = counting()
    with under_test(opened.as_served()) as tested:
        with tested.separate() as first:
            pass
        assert opened.open_count == 1
        with tested.separate() as second:
            assert second is not first


def test_a_player_of_which_a_method_was_given_up_gets_the_process_that_is_there() -> None:
    opened, _ = counting()
    with under_test(opened.as_started()) as tested:
        with tested.separate() as first:
            pass
        with tested.fresh() as other:
            assert other is not first
        for _ in range(3):
            tested.breaker.record(find("fish").turn, b"", 1.0, Overrun())
        with tested.fresh() as second:
            assert second is first
        assert tested.try_again(settled=False)
        with tested.separate() as third:
            pass
        with tested.fresh(Breaker()) as fourth:
            assert fourth is not third


def test_in_quiet_no_process_is_started_ahead_of_need() -> None:
    links: list[Living] = []

    async def start() -> Link:
        links.append(Living())
        return links[-1]

    transport = Opened(player).as_started()
    transport.spares = Spares(start)
    with under_test(transport) as tested:
        tested.begin()
        with pytest.raises(KeyError), tested.quiet():
            for count in (2, 3):
                with tested.fresh(Breaker()):
                    assert len(links) == count
            raise KeyError
        with tested.fresh(Breaker()):
            tested.loop.run(turns())
            assert len(links) == 4 + 2
    assert all(link.closed for link in links)


# Calls


def test_a_call_that_the_player_does_not_survive_is_recorded_once() -> None:
    opened, _ = counting(start=dies)
    with under_test(opened.as_started()) as tested:
        for _ in range(2):
            with tested.fresh() as connection:
                assert not connection.lost
                for _ in range(3):
                    ask(tested, connection, START)
                    assert connection.lost
        assert not tested.breaker.has_given_up, "the player has died twice, and was called six times"
        with tested.fresh() as connection:
            ask(tested, connection, START)
        assert tested.breaker.has_given_up
        with tested.separate() as connection:
            assert untested(lambda: ask(tested, connection, START)).given_up
            assert connection.call_count == 0
            assert isinstance(ask(tested, connection, DESCRIBE), bytes)
            assert connection.call_count == 1


def test_an_object_has_neither_a_process_nor_a_stream_nor_a_hello() -> None:
    with under_test(counting()[0].as_objects()) as tested:
        connection = tested.connection()
        assert (connection.output, connection.process, connection.hello) == ("", None, None)
        assert tested.loop.run(connection.open_stream()) is None
        with tested.serving() as serving:
            assert serving is None
        with tested.quiet():
            assert tested.connection() is connection
        tested.begin_ways()
        tested.begin_serving()


def test_a_player_that_serves_is_reached_by_a_new_connection_for_its_stream() -> None:
    opened, _ = counting()
    with under_test(opened.as_served()) as tested:
        with tested.serving() as serving:
            assert serving is not None
            assert serving is not tested.connection()
            assert (len(opened.links), serving.repeatable) == (2, True)
        assert opened.open_count == 1


def test_no_request_but_that_to_describe_is_made_when_a_player_is_reached() -> None:
    requests: list[Any] = []

    def describe(sound: Any, request: Any) -> Any:
        requests.append(request)
        return sound(request)

    with under_test(Opened(lambda: player(describe=describe)).as_served()) as tested:
        tested.open()
    assert requests == [DescribeRequest()]

"""The sign-up: who may enter and leave, and the periods that it lasts. No test waits for time to pass."""

from __future__ import annotations

from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairplay.server.manager.manager import MAX_CHECKED_AT_ONCE
from fairplay.server.manager.states import FINISHED, RUNNING
from fairplay.server.net.errors import Refusal
from fairplay.v1.connection_pb2 import DialInResponse, Hello, HostedPlayer
from fairplay.v1.game_pb2 import Player
from fairplay.v1.player_pb2 import PlayerDescription
from fairplay.v1.record_pb2 import RecordEntry, TournamentChange
from fairplay.v1.tournament_pb2 import Tournament, TournamentPlan
from tests.server.manager.harness import Environment, Timers, environment, plan


def player(name: str, link: str = "bot:first") -> Player:
    return Player(name=name, link=link)


def names(tournament: Tournament) -> str:
    return "".join(entrant.name for entrant in tournament.entrants)


def periods(count: int = 2, entrants: str = "", **policy: Any) -> TournamentPlan:
    return plan(entrants, waiting_period=Duration(seconds=30), period_count=count, **policy)


async def sign_up(here: Environment, *signing: str, token: str = "") -> Tournament:
    for name in signing:
        await here.manager.sign_up("t", player(name), token)
    return here.manager.get("t")


async def refused(request: Awaitable[object]) -> str:
    with pytest.raises(Refusal) as caught:
        await request
    assert caught.value.message
    return caught.value.reason


async def dial_in(here: Environment, name: str, token: str, display_name: str = "") -> None:
    async def write(frame: DialInResponse) -> None:
        raise AssertionError("nobody is called here")

    description = PlayerDescription(display_name=display_name)
    hosted = HostedPlayer(name=name, token=token, description=description)
    here.hub.admit(Hello(players=[hosted]), write, lambda: None)


# Entering and leaving


# Starting by hand


async def test_a_tournament_of_its_creators_players_starts_with_as_few_as_a_game_needs() -> None:
    async with environment() as here:
        await here.manager.create("one", plan("a"))
        assert await refused(here.manager.start("one")) == "TOO_FEW_ENTRANTS"
        await here.manager.create("two", plan("ab"))
        assert (await here.manager.start("two")).status == RUNNING
        await here.manager.start("two")
        assert (await here.over("two")).status == FINISHED


# Creating


async def test_a_large_plan_is_created_and_refused_as_a_small_one_is() -> None:
    """It is checked in a thread."""
    many = [f"p{number}" for number in range(MAX_CHECKED_AT_ONCE + 1)]
    async with environment() as here:
        created = await here.manager.create("t", plan(many))
        assert [player.name for player in created.entrants] == many
        assert await here.manager.create("t", plan(many)) == created
        assert await refused(here.manager.create("u", plan([*many, "p0"]))) == "INVALID_PLAYERS"


# Periods


# Restarts


async def test_a_sign_up_goes_on_with_fresh_periods_after_a_restart(tmp_path: Path) -> None:
    async with environment(tmp_path, later=Timers().later) as here:
        await here.manager.create("t", periods(min_entrant_count=3))
        await sign_up(here, "a", "b", token="secret")
        await here.manager.withdraw("t", "a", "secret")
    timers = Timers()
    async with environment(tmp_path, later=timers.later) as here:
        await here.manager.resume_all()
        assert names(here.manager.get("t")) == "b"
        assert len(timers.waiting) == 1
        assert names(await sign_up(here, "b", token="secret")) == "b"
        await sign_up(here, "a", "c")
        timers.ring()
        assert names(here.manager.get("t")) == "cab"
        await here.over("t")
        assert here.findings() == []


async def test_after_a_restart_a_token_is_known_only_of_players_that_dial_in(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        await here.manager.create("t", plan())
        await dial_in(here, "ann.1", "secret")
        await here.manager.sign_up("t", player("ann", "dial-in:ann.1"), "secret")
        await here.manager.sign_up("t", player("bob"), "secret")
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        with pytest.raises(Refusal, match=r"does not know its token any more, unless ann\.1 dials in with it$"):
            await here.manager.withdraw("t", "ann", "secret")
        with pytest.raises(Refusal, match=r"does not know its token any more$"):
            await here.manager.withdraw("t", "bob", "secret")
        await dial_in(here, "ann.1", "secret")
        assert await refused(here.manager.withdraw("t", "ann", "guess")) == "WRONG_TOKEN"
        await here.manager.withdraw("t", "ann", "secret")
        assert names(here.manager.get("t")) == "bob"
        assert await refused(here.manager.withdraw("t", "bob", "secret")) == "WRONG_TOKEN"


async def test_a_full_tournament_starts_after_a_restart_that_came_in_between(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        await here.manager.create("t", plan(max_entrant_count=3))
        await sign_up(here, "a", "b")
    async with environment(tmp_path) as here:
        journal = here.store.reopen("t")
        entry = RecordEntry(change=TournamentChange(signed_up=player("c")))
        journal.append(entry.SerializeToString())
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        assert names(await here.over("t")) == "cba"


async def test_who_signed_up_before_a_restart_leaves_alone(tmp_path: Path) -> None:
    async with environment(tmp_path) as here:
        await here.manager.create("t", plan("x"))
        await dial_in(here, "bob.1", "secret")
        await sign_up(here, "ann")
        await here.manager.sign_up("t", player("bob", "dial-in:bob.1"), "secret")
        await sign_up(here, "cat")
    async with environment(tmp_path) as here:
        await here.manager.resume_all()
        await dial_in(here, "bob.1", "secret")
        await here.manager.withdraw("t", "bob", "secret")
        assert names(here.manager.get("t")) == "xanncat"


async def test_names_of_players_that_dial_in_are_kept_as_long_as_they_are_in() -> None:
    async def write(_: DialInResponse) -> None:
        """Read everything."""

    def free(here: Environment) -> bool:
        try:
            here.hub.admit(Hello(players=[HostedPlayer(name="dee.1")]), write, lambda: None).detach(write)
        except Refusal:
            return False
        return True

    async with environment() as here:
        made = plan("x")
        made.entrants.add(name="dee", link="dial-in:dee.1")
        await here.manager.create("t", made)
        assert [free(here), free(here)] == [True, False], "it has no token, and is kept for whoever came first"
        await here.manager.cancel("t", "rain")
        assert [free(here), free(here)] == [True, True]


async def test_a_server_that_stops_ends_the_periods() -> None:
    timers = Timers()
    async with environment(later=timers.later) as here:
        await here.manager.create("t", periods(entrants="ab"))
        await here.manager.suspend_all()
        assert not timers.waiting
        assert not here.manager.open_ids


# When a period ends


async def test_who_signs_up_is_told_when_the_period_ends() -> None:
    timers = Timers()
    async with environment(later=timers.later) as here:
        before = datetime.now(UTC)
        await here.manager.create("t", periods(max_entrant_count=3, min_entrant_count=3))
        after = datetime.now(UTC)
        first = await here.manager.sign_up("t", player("ann"), "")
        ends = first.period_end_time.ToDatetime(UTC)
        assert before + timedelta(seconds=29.9) <= ends <= after + timedelta(seconds=30)
        timers.ring()
        again = await here.manager.sign_up("t", player("ann"), "")
        assert again.period_end_time.ToDatetime(UTC) >= ends
        await here.manager.sign_up("t", player("bob"), "")
        here.stage.act("cleo", start="hold")
        last = await here.manager.sign_up("t", player("cleo"), "")
        assert last.status == RUNNING
        assert not last.HasField("period_end_time")


# Who entrants are


def described(tournament: Tournament) -> dict[str, str]:
    """Return the display names of the entrants that the server has a description of."""
    return {
        entrant.name: entrant.description.display_name
        for entrant in tournament.entrants
        if entrant.HasField("description")
    }


async def test_entrants_say_who_they_are_as_far_as_the_server_was_told() -> None:
    async with environment() as here:
        made = plan("x", min_entrant_count=2)
        made.entrants.add(name="dee", link="dial-in:dee")
        made.entrants[0].description.display_name = "somebody else"
        await here.manager.create("t", made)
        await dial_in(here, "ann", "secret", "Ann 1.0")
        await here.manager.sign_up("t", player("ann", "dial-in:ann"), "secret")
        claimed = player("bob", "grpc://127.0.0.1:1")
        claimed.description.display_name = "not asked"
        await here.manager.sign_up("t", claimed, "")
        assert described(here.manager.get("t")) == {"x": "first", "ann": "Ann 1.0"}
        await here.manager.withdraw("t", "bob", "")
        await dial_in(here, "dee", "", "Dee 2.0")  # whom the creator named before it had dialled in
        here.stage.act("x", start="hold")
        running = await here.manager.start("t")
        assert described(running) == {"x": "first", "ann": "Ann 1.0", "dee": "Dee 2.0"}
        await here.manager.cancel("t", "rain")
        assert here.findings() == []


async def test_names_differ_in_more_than_capital_letters() -> None:
    async with environment() as here:
        assert await refused(here.manager.create("t", plan(["Zed", "zed"]))) == "INVALID_PLAYERS"
        await here.manager.create("t", plan(["Zed"], min_entrant_count=5))
        assert await refused(sign_up(here, "ZED")) == "NAME_TAKEN"

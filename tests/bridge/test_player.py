"""Programs of a course as players: they play, and what they do wrong is said in one sentence."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest

from fairplay.bridge.player import CoursePlayer
from fairplay.bridge.pool import ProgramError
from fairplay.v1.player_pb2 import EndRequest
from tests.bridge.playing import CLIENT, bridged, play
from tests.slow import all_but_first_slow

GAMES = ["bazaar", "fish", "q"]


@pytest.mark.parametrize("game", GAMES)
async def test_a_program_plays_a_game_to_its_end(game: str) -> None:
    async with bridged(game, "ann") as player:
        assert player.name == "ann"
        outcome, failure = await play(player, "first")
        assert failure == ""
        assert sorted(seat for group in outcome.ranking for seat, _ in group) == [0, 1]


@pytest.mark.parametrize(
    ("game", "fault", "sentence"),
    [
        ("fish", "bare-void", 'The program answered void: a string needs quotes, "void".'),
        ("q", "eager", 'The program sent "void": nobody had asked for it.'),
        ("fish", "closes", "The program ended with exit code 1. It wrote: I close now"),
        ("q", "length", "a list of placements; values are sent without their length."),
        ("bazaar", "wrong-form", "bazaar.purchase.required"),
    ],
)
async def test_what_a_program_does_wrong_is_said(game: str, fault: str, sentence: str) -> None:
    async with bridged(game, "ann", fault) as player:
        _, failure = await play(player, "first")
        assert sentence in failure


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("bare-name", 'The program sent as its name ann: a string needs quotes, "ann".'),
        ("bad-name", '"a b" is no name here'),
        ("leaves", "It had sent no name. It wrote: I have no wish to play"),
    ],
)
async def test_a_program_that_signs_up_wrongly_is_not_waited_for(fault: str, sentence: str) -> None:
    with pytest.raises(ProgramError) as raised:
        async with bridged("q", "ann", fault):
            pass
    assert sentence in str(raised.value)


async def test_a_name_is_held_to_the_pages_unless_any_may_be_used() -> None:
    async with bridged("q", "ann", "digits") as player:
        assert player.name == "ann7"
    with pytest.raises(ProgramError, match="is no name here"):
        async with bridged("fish", "ann", "digits"):
            pass
    async with bridged("fish", "ann", "digits", name_pattern="(?s).*") as player:
        assert player.name == "ann7"


async def test_a_player_of_several_names_has_the_least_of_them() -> None:
    client = f"{sys.executable} {CLIENT} q {{port}}"
    async with bridged(
        "q", command=("sh", "-c", f"{client} zoe & sleep 1; {client} ann"), connections=2, spares=2
    ) as two:
        assert two.name == "ann"


async def test_a_command_that_does_not_dial_or_cannot_be_started_is_named() -> None:
    with pytest.raises(ProgramError, match=r"ended with exit code 3.*had not signed up: .*exit 3"):
        async with bridged("q", command=("sh", "-c", "exit 3; {port}")):
            pass
    with pytest.raises(ProgramError, match=r"ended with exit code 127.*no-such-command"):
        async with bridged("q", command=("./no-such-command", "{port}")):
            pass


async def test_games_of_a_tournament_share_connections() -> None:
    async with bridged("fish", "ann", spares=1) as player:
        games = (play(player, "first", game_id=f"side-by-side-{number}") for number in range(10))
        assert [failure for _, failure in await asyncio.gather(*games)] == [""] * 10


async def test_games_do_not_wait_for_programs_that_are_slow_to_come_up(tmp_path: Path) -> None:
    slow = f"touch {tmp_path}/$$; [ $(ls {tmp_path} | wc -l) -le 2 ] || sleep 100; exec {sys.executable}"
    async with bridged("q", command=("sh", "-c", f"{slow} {CLIENT} q {{port}}"), spares=2) as player:
        for number in range(2):
            async with asyncio.timeout(60):
                assert (await play(player, "first", game_id=f"{number}"))[1] == ""


async def test_the_next_tournament_does_not_wait_for_a_program_that_is_slow_to_come_up(tmp_path: Path) -> None:
    slow = f"touch {tmp_path}/$$; [ $(ls {tmp_path} | wc -l) -le 1 ] || sleep 100; exec {sys.executable}"
    async with bridged("fish", command=("sh", "-c", f"{slow} {CLIENT} fish {{port}}")) as bridge:
        player: Any = bridge
        for number in range(2):
            async with asyncio.timeout(60):
                await player.end(EndRequest(tournament_id=f"before-{number}"))
                assert (await play(player, "first", game_id=f"{number}"))[1] == ""
                await player.end(EndRequest(tournament_id=f"after-{number}", won=True))


class Starting:
    """A player of programs that come up, or answer, only when a decision is asked for."""

    def __init__(self, player: CoursePlayer, starts: Path) -> None:
        self.game = player.game
        self.player = player
        self.starts = starts

    def __getattr__(self, method: str) -> Any:
        if method in {"take_turn", "request_pebble_or_exchanges"}:
            self.starts.touch()
        return getattr(self.player, method)


@pytest.mark.parametrize("game", all_but_first_slow(["bazaar", "q"]))
async def test_a_program_that_comes_up_late_is_told_later_that_the_game_began(game: str, tmp_path: Path) -> None:
    first, starts = tmp_path / "first", tmp_path / "starts"
    waits = f"mkdir {first} || until [ -e {starts} ]; do sleep 0.05; done"
    command = ("sh", "-c", f"{waits}; exec {sys.executable} {CLIENT} {game} {{port}} ann careful")
    async with bridged(game, command=command) as player:
        whole = await play(player, "first")
        assert await play(Starting(player, starts), "first", game_id="another", limit_s=0.5) == whole
        assert whole[1] == ""


@pytest.mark.parametrize("game", all_but_first_slow(["bazaar", "q"]))
async def test_a_program_that_comes_up_within_a_call_that_tells_has_more_than_what_is_left_of_it(
    game: str, tmp_path: Path
) -> None:
    first, called, starts = tmp_path / "first", tmp_path / "called", tmp_path / "starts"
    waits = f"until [ -e {called} ]; do sleep 0.05; done; sleep 0.8"
    client = f"exec {sys.executable} {CLIENT} {game} {{port}} ann"
    async with bridged(game, command=("sh", "-c", f"mkdir {first} && {client}; {waits}; {client} {starts}")) as player:
        assert (await play(player, "first"))[1] == ""
        called.touch()
        async with asyncio.timeout(60):
            outcome = await play(Starting(player, starts), "first", game_id="another", limit_s=2.0)
        assert outcome[1] == ""


async def test_a_connection_that_was_closed_between_two_games_is_not_waited_for(tmp_path: Path) -> None:
    first, ended = tmp_path / "first", tmp_path / "ended"
    once = f"mkdir {first} || exit 7; {sys.executable} {CLIENT} fish {{port}} ann tires; touch {ended}"
    async with bridged("fish", command=("sh", "-c", once)) as player:
        assert (await play(player, "first"))[1] == ""
        async with asyncio.timeout(60):
            while not ended.exists():
                await asyncio.sleep(0.05)
            assert "The program ended with exit code 7." in (await play(player, "first", game_id="another"))[1]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["fish", "q"])
async def test_a_program_that_hangs_costs_its_limit_and_no_answer_comes_late(game: str) -> None:
    async with bridged(game, "ann", "hangs-once") as player:
        for number in range(2):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await play(player, "first", game_id=f"late-{number}")
        assert (await play(player, "first", game_id="another"))[1] == ""


class Losing:
    """A player of programs that loses its connections before each call."""

    def __init__(self, player: CoursePlayer) -> None:
        self.game = player.game
        self.player = player

    def __getattr__(self, method: str) -> Any:
        self.player.close()
        return getattr(self.player, method)


@pytest.mark.parametrize("game", all_but_first_slow(["fish", "bazaar", "q"]))
async def test_a_game_that_goes_on_with_a_new_connection_is_told_what_it_missed(game: str) -> None:
    async with bridged(game, "ann", "careful") as player:
        whole = await play(player, "first")
        assert await play(Losing(player), "first", game_id="another") == whole
        assert whole[1] == ""


def test_a_program_reads_the_file_that_is_given_as_its_input(tmp_path: Path) -> None:
    given = tmp_path / "names"
    given.write_text("eva")

    async def named() -> str:
        command = ("sh", "-c", f'read name; exec {sys.executable} {CLIENT} q {{port}} "$name"')
        async with bridged("q", command=command, stdin=given) as player:
            return player.name

    assert asyncio.run(named()) == "eva"

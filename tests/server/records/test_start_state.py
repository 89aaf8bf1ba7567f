"""The start state in the header of a record: replays begin there and draw nothing, and a changed one is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairplay.fish.v1 import fish_pb2
from fairplay.games.game import find
from fairplay.server.records.chain import chained, parsed
from fairplay.server.records.verify import verify
from fairplay.v1.game_pb2 import Player
from fairplay.v1.record_pb2 import GameHeader, Record, RecordEntry
from fairplay.v1.referee_pb2 import Game as GameMessage
from fairplay.v1.referee_pb2 import GamePlan
from tests.server.harness import ONE_MOVE, ByHand, plan, serving

GAMES = ("fish", "webset")


async def played(made: GamePlan) -> tuple[GameMessage, Record]:
    async with serving() as server:
        game = await server.referee.play(made, "g")
        return game, server.store.read("g")


def with_header(record: Record, change: Callable[[GameHeader], object]) -> Record:
    """Return a record with another header and a chain that fits it, as a forger would make it."""
    entries = list(parsed(record))
    change(entries[0].game)
    return chained(entry.SerializeToString() for entry in entries)


def header(record: Record) -> GameHeader:
    return RecordEntry.FromString(record.entries[0].entry).game


def bots(game: str, seed: int = 3) -> GamePlan:
    settings = find(game).tournament_settings
    made = GamePlan(game=game, seed=seed, players=[Player(name=name, link="bot:random") for name in "ab"])
    getattr(made.settings, game).CopyFrom(settings)
    return made


@pytest.mark.parametrize("game", GAMES)
async def test_a_replay_needs_the_start_state_and_no_seed(game: str) -> None:
    message, record = await played(bots(game))
    assert header(record).start_state.WhichOneof("game") == game
    assert verify(record) == []
    assert verify(with_header(record, lambda head: head.plan.ClearField("seed"))) == []
    assert verify(with_header(record, lambda head: head.ClearField("start_state"))) == [], "as older records are"
    both = lambda head: [head.ClearField("start_state"), head.plan.ClearField("seed")]  # noqa: E731
    assert verify(with_header(record, both))
    assert message.result.ranking


@pytest.mark.parametrize("game", GAMES)
async def test_a_changed_start_state_is_noticed(game: str) -> None:
    _, record = await played(bots(game))
    _, other = await played(bots(game, seed=4))
    state = header(other).start_state
    [finding] = verify(with_header(record, lambda head: head.start_state.CopyFrom(state)))
    assert finding.entry
    _, unchained = parsed(record), Record.FromString(record.SerializeToString())
    unchained.entries[0].entry = b"\n" + unchained.entries[0].entry[1:-1]
    assert verify(unchained)[0].entry == 1


async def test_a_game_from_the_middle_begins_in_the_state_of_its_plan() -> None:
    made = plan("bot:first", "bot:first")
    made.initial_state.fish.CopyFrom(ONE_MOVE)
    _, record = await played(made)
    assert header(record).start_state.fish.players == ONE_MOVE.players
    assert verify(record) == []
    forged = with_header(record, lambda head: head.start_state.fish.fish.__setitem__(8, 5))
    [finding] = verify(forged)
    assert (finding.entry, finding.problem) == (1, "the start state is not that of the plan: it differs in fish")


def survivors_plan(*links: str) -> GamePlan:
    """Return a plan in which the number of penguins follows from the players that are left after the colours."""
    return plan(*links, penguin_count_basis=fish_pb2.PenguinCountBasis.PENGUIN_COUNT_BASIS_SURVIVORS)


async def test_a_drawn_game_goes_on_as_a_fresh_one_in_its_replay() -> None:
    async with serving() as server, ByHand(server, "x") as leaver:
        await leaver.say_hello()
        playing = server.referee.create(survivors_plan("dial-in:x", "bot:first", "bot:first"), "g")
        await leaver.next_call()
        leaver.stream.cancel()
        await playing.over  # type: ignore[union-attr]
        record = server.store.read("g")
    assert verify(record) == []
    setups = [entry.call for entry in parsed(record) if entry.call.method_name.endswith("/Setup")]
    assert len(setups) == 8, "two survivors place four penguins each"
    assert verify(with_header(record, lambda head: head.plan.ClearField("seed"))) == []


async def test_players_are_named_with_what_they_say_of_themselves() -> None:
    async with serving() as server, ByHand(server, "x") as by_hand:
        description = by_hand.hello.players[0].description
        description.display_name = "X" * 90
        description.software_version = "1.2"
        await by_hand.say_hello()
        made = plan("dial-in:x", "bot:first", "grpc://127.0.0.1:1")
        made.players[0].account = "somebody"
        running: Any = server.referee.create(made, "g")
        players = running.message.players
        assert [player.name for player in players] == ["a", "b", "c"]
        assert players[0].description.display_name == "X" * 80
        assert players[0].description.software_version == "1.2"
        assert players[1].description.services[0].name == "fairplay.fish.v1.FishPlayerService"
        assert not players[2].HasField("description")
        assert not any(player.link or player.account for player in players)
        assert header(server.store.read("g")).players == players
        await server.referee.stop("g", "enough")

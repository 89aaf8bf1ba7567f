"""Users of the lobby: how they enter, stay, come back and are lost; and that nobody else has their names."""

from __future__ import annotations

from fairplay.server.server import Server
from fairplay.v1.table_pb2 import Part
from tests.server.harness import ByHand
from tests.server.lobby.harness import Guest, guests, refusal

TAKEN = ("ALREADY_EXISTS", "NAME_TAKEN")
WRONG = ("PERMISSION_DENIED", "WRONG_TOKEN")


async def enter(server: Server, name: str, token: str = "") -> str:
    guest = Guest(server, name, token)
    try:
        return (await guest.enter()).token
    finally:
        await guest.close()


# --- names and dialling in ---


async def test_a_name_that_is_dialled_in_with_a_token_needs_that_token(server: Server) -> None:
    async with ByHand(server, "ann", token="mine") as player:
        await player.say_hello()
        assert await refusal(enter(server, "ann")) == TAKEN
        assert await refusal(enter(server, "ann", "other")) == WRONG
        token = await enter(server, "ann", "mine")
        assert token != "mine"
        assert await enter(server, "ann", "mine") == token


async def test_nobody_else_can_dial_in_under_the_name_of_a_user(server: Server) -> None:
    async with guests(server, "ann") as [ann]:
        for token in ("", "other"):
            async with ByHand(server, "ann", token=token) as stranger:
                assert await refusal(stranger.say_hello()) == TAKEN
        async with ByHand(server, "ann", token=ann.token) as player:
            assert (await player.say_hello()).HasField("welcome")
            async with ByHand(server, "ann", token="other") as stranger:
                assert await refusal(stranger.say_hello()) == TAKEN
        await ann.ask("Leave")
        async with ByHand(server, "ann", token=ann.token) as player:
            assert (await player.say_hello()).HasField("welcome")
        async with ByHand(server, "bob", token="other") as other:
            assert (await other.say_hello()).HasField("welcome")


async def test_a_player_that_dialled_in_first_may_dial_in_again(server: Server) -> None:
    async with ByHand(server, "ann", token="mine") as player:
        await player.say_hello()
        ann = await Guest(server, "ann", "mine").enter()
    async with ByHand(server, "ann", token="mine") as player:
        assert (await player.say_hello()).HasField("welcome")
        async with ByHand(server, "ann", token=ann.token) as newer:  # the lobby's token counts from now on
            await newer.say_hello()
            async with ByHand(server, "ann", token="mine") as older:
                assert await refusal(older.say_hello()) == TAKEN
    await ann.close()


# --- streams ---


async def test_changes_of_one_thing_that_are_due_together_are_told_once(server: Server) -> None:
    async with guests(server, "ann", "bob") as [ann, bob]:
        await bob.ask("CreateTable", name="t", game="fish")
        await ann.sees(lambda known: known.watchers("t") == ["bob"] and known.user("bob").table == "t")
        ann.stream.cancel()
        for _ in range(5):
            await bob.ask("LeaveTable")
            await bob.ask("WatchTable", table="t")
        ann.attend(after=ann.mirror.sequence)
        events = [await ann.event() for _ in range(2)]
        assert sorted(event.WhichOneof("event") or "" for event in events) == ["table", "user"]
        assert ann.mirror.users["bob"].part == Part.PART_WATCHER

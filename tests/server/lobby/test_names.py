"""Users who change their names: who sees it, what stays theirs, and which names they cannot have."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from fairplay.server.server import Server
from tests.server.harness import ByHand
from tests.server.lobby.harness import PATIENT, Guest, guests, lobby

TAKEN = ("ALREADY_EXISTS", "NAME_TAKEN")


async def test_a_name_of_somebody_else_is_refused(server: Server) -> None:
    async with guests(server, "ann", "Bob", "cy") as [ann, bob, cy]:
        with pytest.raises(grpc.aio.AioRpcError, match="bob is in the lobby already: choose another name"):
            await ann.ask("Rename", name="bob")
        await cy.ask("CreateTable", name="t", game="fish")
        await cy.ask("Leave")
        assert await ann.refused("Rename", name="CY") == TAKEN, "cy owns a table"
        async with ByHand(server, "dee", token="secret") as player:
            await player.say_hello()
            assert await ann.refused("Rename", name="dee") == TAKEN, "dee has dialled in with a token"
            assert await bob.refused("Rename", name="dee") == TAKEN


async def test_a_new_name_is_known_after_a_new_start_of_the_server(tmp_path: Path) -> None:
    async with lobby(PATIENT, records=tmp_path) as server, guests(server, "ann") as [ann]:
        await ann.ask("CreateTable", name="t", game="fish")
        await ann.ask("JoinTable", link="bot:first")
        await ann.ask("Rename", name="eve")
    async with lobby(PATIENT, records=tmp_path) as server:
        again = await Guest(server, "eve", ann.token).enter()
        await again.attend().sees(lambda known: known.seats("t") == ["eve"])
        assert again.mirror.table("t").owner == "eve"
        async with guests(server, "ann") as [other]:
            assert other.token != ann.token
        await again.close()

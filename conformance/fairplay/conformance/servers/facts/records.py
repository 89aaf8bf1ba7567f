"""Checks of the entries of a record, in their order."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import Any

from google.protobuf.message import DecodeError

from fairplay.conformance.case import failure
from fairplay.conformance.servers.compare import same
from fairplay.conformance.servers.facts.known import Facts
from fairplay.conformance.servers.facts.parts import check_parts, parts_of
from fairplay.games.evidence import without_evidence
from fairplay.v1.game_pb2 import Player
from fairplay.v1.misconduct_pb2 import Misconduct
from fairplay.v1.record_pb2 import GameHeader, RecordedCall, RecordedResult, RecordEntry
from fairplay.v1.record_service_pb2 import GetRecordResponse
from fairplay.v1.referee_pb2 import Game, GameStatus


class Entries:
    """What a record has been told to have."""

    def __init__(self, facts: Facts, request: Any) -> None:
        self._facts = facts
        self._id = request.record_id
        self._hash = bytes(32)
        self._game = Game()
        self._number = 0
        self._ended = False
        self._calls: dict[int, RecordedCall] = {}
        self._misconducts: list[Misconduct] = []

    def take(self, part: GetRecordResponse) -> None:
        """Take some entries."""
        for linked in part.entries:
            self._number += 1
            self._hash = sha256(self._hash + linked.entry).digest()
            what = f"Entry {self._number} of the record {self._id}"
            if self._hash != linked.chain_hash:
                raise failure(f"{what} does not have the hash of what is before it and of itself.")
            try:
                self._take(RecordEntry.FromString(linked.entry), what)
            except DecodeError:
                raise failure(f"{what} cannot be read.") from None

    def _take(self, entry: RecordEntry, what: str) -> None:
        kind = entry.WhichOneof("entry")
        if self._ended or (self._number == 1) is not (kind in ("game", "tournament")):
            raise failure(f"{what} must not be there: the header is the first one, and the result of a game the last.")
        for each in parts_of(entry):
            if isinstance(each, Player) and (each.link or each.secret):
                raise failure(f"{what} tells how {each.name} is reached, or its secret.")
        match kind:
            case "game":
                self._take_header(entry.game)
            case "call":
                self._take_call(entry.call, what)
            case "misconduct":
                self._take_misconduct(entry.misconduct, what)
            case "joined":
                self._game.players.append(entry.joined.player)
            case "result":
                self._ended = True
                self._take_result(entry.result)
            case "played":
                self._facts.end(entry.played.game_id, entry.played.result, "a record")

    def _take_header(self, header: GameHeader) -> None:
        same(f"The id in the header of the record {self._id}", self._id, header.game_id)
        self._game = Game(
            **{name: getattr(header, name) for name in ("game_id", "plan", "start_time", "tournament_id", "players")}
        )

    def _take_call(self, call: RecordedCall, what: str) -> None:
        if not call.number or call.number in self._calls or call.WhichOneof("outcome") is None:
            raise failure(f"{what} must be a call with a number of its own and an outcome.")
        if not call.method_name.startswith("/") or not call.HasField("elapsed"):
            raise failure(f"{what} must say the full name of the method, and how long the call took.")
        self._calls[call.number] = call

    def _take_misconduct(self, each: Misconduct, what: str) -> None:
        call = self._calls.get(each.call_number, RecordedCall())
        if (call.seat, call.method_name) != (each.seat, each.method_name):
            raise failure(f"{what} must be behind the call {each.call_number}, for which {each.player} was eliminated.")
        self._misconducts.append(without_evidence(each))

    def _take_result(self, recorded: RecordedResult) -> None:
        game, listed = self._game, [*map(without_evidence, recorded.result.misconducts)]
        same(f"The eliminations in the record {self._id}", listed, self._misconducts)
        game.result.CopyFrom(recorded.result)
        game.end_time.CopyFrom(recorded.end_time)
        aborted = bool(recorded.result.aborted)
        game.status = GameStatus.GAME_STATUS_ABORTED if aborted else GameStatus.GAME_STATUS_FINISHED
        del game.plan.players[:]
        game.plan.players.extend(game.players)
        check_parts(self._facts, game, "GetRecord", time.monotonic())

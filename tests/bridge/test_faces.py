"""The faces of games in their courses: what a course can say comes through, there and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message

from fairplay.games.game import Game, find
from fairplay.games.kit.course import Request, read_call, read_name
from fairplay.games.machine import GameMachine
from fairplay.player.handlers import reply_of
from tests.bridge.playing import face_of

GAMES = ["bazaar", "fish", "q"]
LOST = {
    "fish": ["seat", "revision", "game_id"],
    "q": ["seat", "revision", "placed_in_round", "turn", "game_id"],
    "bazaar": ["seat", "revision", "game_id"],
}


def calls_of(game: Game, seats: int, seed: int, strategies: list[str]) -> Iterator[tuple[int, Request, Message]]:
    """Yield the seat, the request and the reply of each call of a game between bots."""
    players = [game.player(strategies[seat % len(strategies)]) for seat in range(seats)]
    names = [f"p{seat}" for seat in range(seats)]
    machine = GameMachine(game.play("g", game.tournament_settings, names, Random(seed), None))
    made = []

    def answer(call: Any) -> Message:
        reply = reply_of(players[call.seat], call)
        made.append((call.seat, Request(call.method, call.request), reply))
        return reply

    for _ in machine.play(answer):
        yield from made
        made.clear()


def plain(message: Any, lost: list[str]) -> Any:
    """Return a message without what is lost, in all that it holds; the tiles of a map in order."""
    kept = type(message)()
    kept.CopyFrom(message)
    for name in lost:
        if name in kept.DESCRIPTOR.fields_by_name:
            kept.ClearField(name)
    for field, value in kept.ListFields():
        if field.message_type is not None:
            parts = value if field.is_repeated else [value]
            for part in parts:
                part.CopyFrom(plain(part, lost))
    if "tiles" in kept.DESCRIPTOR.fields_by_name and "rows" in kept.DESCRIPTOR.fields_by_name:
        laid = sorted(zip(kept.rows, kept.columns, kept.tiles, strict=True))
        for name, values in zip(("rows", "columns", "tiles"), zip(*laid, strict=True), strict=True):
            kept.ClearField(name)
            getattr(kept, name).extend(values)
    return kept


@pytest.mark.parametrize("name", GAMES)
def test_requests_and_answers_of_whole_games_come_through(name: str) -> None:
    game, face = find(name), face_of(name)
    strategies = list(game.strategies)[:2]
    kinds = set()
    for seats in (game.seats.start, game.seats.stop - 1):
        memories = [face.remember("g") for _ in range(seats)]
        for seat, request, reply in calls_of(game, seats, 7, [each.split(":")[0] for each in strategies]):
            call = json.loads(json.dumps(face.write_call(request, "ann")))
            read = memories[seat].request(*read_call(call))
            assert read.method == request.method
            assert plain(read.message, LOST[name]) == plain(request.message, LOST[name])
            answer = json.loads(json.dumps(face.write_answer(request, reply)))
            assert face.read_answer(request, answer) == reply
            kinds.add(request.method.name)
    assert kinds == {method.name for method in game.methods}


@pytest.mark.parametrize("name", GAMES)
def test_a_connection_that_is_new_in_a_game_hears_what_it_missed(name: str) -> None:
    game, face = find(name), face_of(name)
    for seat, request, _ in calls_of(game, game.seats.start, 3, [next(iter(game.strategies)).split(":")[0]]):
        memory, before = face.remember("g"), face.before(*request)
        if before is None:
            continue
        for each in (*face.greeting, *before):
            memory.request(*read_call(face.write_call(each, "ann")))
        read = memory.request(*read_call(face.write_call(request, "ann")))
        assert plain(read.message, LOST[name]) == plain(request.message, LOST[name]), seat


def first_request(name: str, method: str) -> Request:
    game = find(name)
    strategy = next(iter(game.strategies)).split(":")[0]
    return next(each for _, each, _ in calls_of(game, game.seats.start, 1, [strategy]) if each.method.name == method)


@pytest.mark.parametrize(
    ("name", "method", "answer", "sentence"),
    [
        ("fish", "PlayAs", None, 'the answer to playing-as is "void"'),
        ("q", "Setup", 6, 'the answer to setup is "void"; values are sent without their length'),
        ("fish", "Setup", [[0, 0], [1, 0]], "the answer to setup is a position"),
        ("fish", "TakeTurn", [0, 0], "the answer to take-turn is an action"),
        ("fish", "TakeTurn", [[0, 0], [1]], r"action\[1\] has 1 values"),
        ("q", "TakeTurn", "passs", "is not one of pass, replace and a list of placements"),
        ("bazaar", "RequestPebbleOrExchanges", "pebble", "bazaar.request.required"),
        ("bazaar", "RequestCards", False, "bazaar.purchase.required"),
    ],
)
def test_an_answer_of_another_form_is_refused_with_what_is_wrong(
    name: str, method: str, answer: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        face_of(name).read_answer(first_request(name, method), answer)


def test_a_position_off_the_board_becomes_a_cell_that_no_board_has() -> None:
    request = first_request("fish", "Setup")
    reply: Any = face_of("fish").read_answer(request, [0, 7])
    assert reply.place > 625


@pytest.mark.parametrize(
    ("name", "call", "sentence"),
    [
        ("q", ["new-tiles", [{"shape": "star", "color": "red"}]], "the arguments of new-tiles are not nested"),
        ("q", ["setup", {}, []], "the arguments of setup are not nested"),
        ("q", ["win", True], "the arguments of win are not nested"),
        ("bazaar", ["setup", [[["red"], ["blue"]], [["red"], ["white"]]]], "the arguments of setup are not nested"),
        ("fish", ["take-turn", [{}]], "take-turn has 1 argument"),
        ("fish", ["jump", []], "there is no method 'jump'"),
        ("fish", "start", "is no call"),
    ],
)
def test_a_call_of_another_form_is_refused_with_what_is_wrong(name: str, call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        face_of(name).remember("g").request(*read_call(call))


@pytest.mark.parametrize(("name", "sentence"), [(7, "must be a string"), ("a b", "is no name"), ("", "is no name")])
def test_a_name_of_another_form_is_refused(name: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_name(name, find("q").sign_up.name_pattern)


def test_the_skip_of_a_list_is_read_in_both_spellings() -> None:
    request = first_request("fish", "TakeTurn")
    call = face_of("fish").write_call(request, "ann")
    for skip in (False, "skip"):
        call[1][1] = [skip]
        read: Any = face_of("fish").remember("g").request(*read_call(call)).message
        assert [action.skip for action in read.actions] == [True]


def test_what_the_course_has_no_words_for_is_refused() -> None:
    request = first_request("q", "TakeTurn")
    request.message.state.fit_rule = 2
    with pytest.raises(ValueError, match="no words for the fit_rule QWIRKLE"):
        face_of("q").write_call(request, "ann")


def test_values_of_enums_that_a_course_does_not_know_are_not_said() -> None:
    request = first_request("q", "TakeTurn")
    request.message.state.players[0].hand.append(1_009)
    (state,) = face_of("q").write_call(request, "ann")[1]
    assert len(state["players"][0]["tile*"]) == len(request.message.state.players[0].hand) - 1
    asked = first_request("fish", "TakeTurn")
    asked.message.state.players[0].color = 1_009
    colors = [player["color"] for player in face_of("fish").write_call(asked, "ann")[1][0]["players"]]
    assert colors == ["red", "white"]


def test_the_input_of_the_courses_servers_is_read() -> None:
    tile, other = {"color": "red", "shape": "star"}, {"color": "blue", "shape": "star"}
    players = [{"score": 0, "name": name, "tile*": [tile]} for name in ("a", "b")]
    state = {"map": [[0, [0, tile]]], "tile*": [other], "players": players}
    given = {
        "port": 1,
        "server-tries": 2,
        "ref-spec": {"state0": state, "config-s": {"qbo": 6, "fbo": 3}, "per-turn": 4},
    }
    config = face_of("q").config([given])
    settings: Any = config.settings
    assert (settings.q_bonus, settings.finish_bonus, config.limit_s, config.periods) == (6, 3, 4, 2)
    assert find("q").check_state(config.settings, config.state or Message()) == 2
    assert face_of("fish").config([]).state is None
    bonus: Any = face_of("bazaar").config(["SEY"])
    assert bonus.state is None
    assert bonus.settings.bonus == 3
    with pytest.raises(ValueError, match="no state0"):
        face_of("q").config([{}])


def test_tiles_that_the_course_does_not_know_leave_no_hole_in_the_map_and_are_in_no_hand() -> None:
    face, request = face_of("q"), first_request("q", "Setup")
    message = request.message
    message.state.tiles[:], message.tiles[:] = [1_009] * len(message.state.tiles), [1_009, *message.tiles[1:]]
    read = face.remember("g").request(*read_call(face.write_call(request, "ann")))
    assert (list(read.message.state.rows), list(read.message.state.columns)) == ([0], [0])
    assert sorted(read.message.tiles) == sorted(message.tiles[1:])


def test_the_input_of_the_courses_clients_lists_players_that_are_sound() -> None:
    assert face_of("q").clients([{"quiet": True, "players": [["ann", "dag"]]}]) == [("ann", "dag")]
    assert face_of("bazaar").clients([[["ann", "purchase-size"], ["bob", "first"]]]) == [
        ("ann", "size"),
        ("bob", "first"),
    ]
    for values, sentence in (
        ([[["ann", "dag", "a cheat", "not-a-line"]]], "the player ann is to fail or to cheat"),
        ([["ann"]], '"ann" is no player: it must be .name, strategy.'),
        ([{"quiet": True}], "one list of players"),
        ([], "one list of players"),
    ):
        with pytest.raises(ValueError, match=sentence):
            face_of("q").clients(values)

"""Games of the suite have names and ids as those of a real tournament have them."""

from __future__ import annotations

import re
from random import Random

from fairplay.conformance.evidence import Evidence, without_ids
from fairplay.conformance.player.names import draw_names, new_game_id, new_tournament_id
from fairplay.server.game.plans import ID
from fairplay.server.links.spec import NAME


def test_every_seat_has_a_name_of_its_own_with_which_one_may_sign_up() -> None:
    for seat in range(6):
        names = draw_names("Vikoda", seat, 6, Random(seat))
        assert names[seat] == "Vikoda"
        assert len({*names}) == 6
        assert all(re.fullmatch("[a-zA-Z]{1,12}", name) and NAME.fullmatch(name) for name in names)


def test_ids_are_valid_and_never_the_same() -> None:
    ids = [make("fish") for make in (new_tournament_id, new_game_id) for _ in range(50)]
    assert all(ID.fullmatch(each) for each in ids)
    assert len({*ids}) == len(ids)


def test_what_differs_in_ids_only_is_the_same_evidence() -> None:
    digests = {Evidence("it failed", sections=[("Request", f'game_id: "{new_game_id("q")}"')]).digest for _ in range(9)}
    assert len(digests) == 1
    assert Evidence("it failed").digest not in digests


def test_only_ids_are_left_out() -> None:
    text = f'game_id: "{new_game_id("fish")}" {new_tournament_id("q")} seed 12345678 x/r1g1 cafe'
    assert without_ids(text) == 'game_id: "ID" ID seed 12345678 x/r1g1 cafe'

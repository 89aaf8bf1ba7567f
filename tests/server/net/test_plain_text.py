"""Characters of strangers that must not reach a terminal as they are."""

from __future__ import annotations

import pytest

from fairplay.server.links.dial_in import cut
from fairplay.server.net.bounds import check_limits
from fairplay.server.net.errors import Refusal
from fairplay.server.net.text import check_text, is_plain, visible
from fairplay.v1.player_pb2 import GameService, PlayerDescription
from fairplay.v1.referee_pb2 import StopGameRequest

TRICKS = {
    "C0": "\x1b[2J",
    "C1": "\x9b2J",
    "zero width": "a\u200bb",
    "direction": "\u202eabc",
    "tag": "\U000e0041",
}


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_texts_that_play_tricks_are_refused_or_escaped(text: str) -> None:
    assert not is_plain(text)
    assert is_plain(visible(text))
    with pytest.raises(Refusal):
        check_text(f"hello {text}")
    with pytest.raises(Refusal):
        check_limits(StopGameRequest(game_id="g", reason=text))
    kept = cut(PlayerDescription(display_name=text, software_version=text * 80))
    assert is_plain(kept.display_name + kept.software_version)
    assert len(kept.software_version) <= 80


@pytest.mark.parametrize("text", ["Zoë: a naïve ☃", "日本語 עברית"])
def test_what_shows_stays_as_it_is(text: str) -> None:
    assert visible(text) == text
    assert check_text(text) == text


def test_each_unsafe_character_is_escaped_as_python_writes_it() -> None:
    assert visible("a\x1b\x9b\xad\u200b\u2028\uffff\U000e0041ü☃") == (r"a\x1b\x9b\xad\u200b\u2028\uffff\U000e0041ü☃")


def test_descriptions_are_kept_as_long_as_their_fields_say() -> None:
    services = [GameService(name="s" * 128, revision=3)] * 64
    longest = PlayerDescription(display_name="n" * 80, software_version="v" * 80, services=services)
    assert cut(longest) == longest
    longer = PlayerDescription(display_name="n" * 81, software_version="v" * 81, services=services)
    longer.services.add(name="one more")
    assert cut(longer) == longest
    services = [GameService(name="s" * 129, revision=3)]
    assert cut(PlayerDescription(services=services)).services[0] == longest.services[0]


def test_what_is_escaped_is_cut_afterwards() -> None:
    tricks = "\x1b" * 81
    kept = cut(
        PlayerDescription(display_name=tricks, software_version=tricks, services=[GameService(name="\x1b" * 129)])
    )
    lengths = [len(kept.display_name), len(kept.software_version), len(kept.services[0].name)]
    assert lengths == [80, 80, 128]

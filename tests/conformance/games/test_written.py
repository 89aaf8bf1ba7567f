"""Games as text, for the option --history."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import Any

import pytest

from fairplay.conformance.games.positions import Source, position
from fairplay.conformance.games.rivals import Departure, Fault, LastDecider, Phase
from fairplay.conformance.games.scenarios import OrdinaryGames, read_games, write_games
from fairplay.conformance.games.trial import Entry, Scenario
from fairplay.games.conformance import FirstCall, Level
from fairplay.games.game import find

FISH = find("fish")
GAMES = OrdinaryGames(FISH, 1)
PLAIN = GAMES.scenario(1, 3)


def entry(*scenarios: Scenario) -> Entry:
    return Entry(lambda _: (), "games", scenarios)


def written(*scenarios: Scenario) -> str:
    return write_games(GAMES, [entry(*scenarios)])


def late() -> Scenario:
    source = Source(PLAIN.situation.settings, 3, 1, "first")
    return PLAIN._replace(situation=position(FISH, source, 0.5).situation(4))


SPECIAL: list[Scenario] = [
    PLAIN._replace(seed=2),
    PLAIN._replace(name="another"),
    PLAIN._replace(level=Level.MAY),
    PLAIN._replace(departures=(Departure(0, 2, False, Fault.ERROR_STATUS), Departure(2))),
    PLAIN._replace(
        departures=(Departure(2, 1, phase=Phase("Setup", "PlayAs", LastDecider.ANOTHER, True, False, True)),)
    ),
    PLAIN._replace(rivals_wait=False),
    PLAIN._replace(joins=FirstCall("TakeTurn", 2)),
    PLAIN._replace(newcomers=(0, 2)),
    PLAIN._replace(may_take_s=2.5),
    PLAIN._replace(asked_again=3),
    PLAIN._replace(situation=PLAIN.situation._replace(settings=FISH.full_settings(FISH.settings_type(rows=7)))),
    PLAIN._replace(situation=PLAIN.situation._replace(rivals="random", turn_count=2)),
    PLAIN._replace(situation=PLAIN.situation._replace(rivals_late_in="TakeTurn")),
    late(),
]


def test_any_other_game_is_data_that_a_shell_leaves_alone() -> None:
    for scenario in SPECIAL:
        text = written(scenario)
        assert re.fullmatch(r"data:[A-Za-z0-9_=-]+", text)
        [[found]] = read_games(GAMES, text)
        assert found == scenario
        assert isinstance(found.departures, tuple)
        assert isinstance(found.rivals_wait, bool)


def test_a_history_of_60000_characters_is_written() -> None:
    exact = [entry(GAMES.scenario(1, 3, 123))] * 3_750
    assert len(write_games(GAMES, exact)) == 3_750 * 16 - 1
    shorter = [entry(GAMES.scenario(1, 3, 1_234)), *exact[1:]]
    assert len(write_games(GAMES, shorter)) == 60_000
    assert write_games(GAMES, [entry(GAMES.scenario(1, 3, 12_345)), *exact[1:]]) == ""


def test_a_text_that_says_no_game_is_refused() -> None:
    for text, complaint in [
        ("", "'' is no game; write seat-0-of-2, or seat-0-of-2:3 for three decisions"),
        ("seat-0-of-2,", "'' is no game"),
        ("seat-0-of-2:", "is no game"),
        ("seat-2-of-2", "there is no seat 2 of 2 in Fish"),
        ("seat-0-of-1", "there is no seat 0 of 1 in Fish"),
        ("seat-0-of-5", "there is no seat 0 of 5 in Fish"),
        ("data:", "data:… is no game: it is damaged"),
        ("data:AAAA", "data:AAAA… is no game: it is damaged"),
        ("data:ä", "is no game: it is damaged"),
    ]:
        with pytest.raises(ValueError, match=f"^--history: .*{re.escape(complaint)}"):
            read_games(GAMES, text)


def changed(change: Any) -> str:
    """Return the text of a game whose content was changed."""
    data = zlib.decompress(base64.urlsafe_b64decode(written(SPECIAL[0]).removeprefix("data:")))
    content = change(json.loads(data))
    text = content if isinstance(content, str) else json.dumps(content)
    return f"data:{base64.urlsafe_b64encode(zlib.compress(text.encode(), 1)).decode()}"

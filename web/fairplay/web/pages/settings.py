"""The fields of the settings of a game, in the forms of tables and of tournaments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf import json_format

from fairplay.client.lobby.games import frontend_of
from fairplay.games.envelopes import unwrap
from fairplay.games.game import find, registered
from fairplay.v1.game_pb2 import GameSettings
from fairplay.v1.server_pb2 import GameInfo, SettingInfo
from fairplay.web.site import Form

PREFIX = "set-"
"""Of the names of the fields of settings."""
FLAG = ("true", "false")
ONE_OF = re.compile(r"one of (\w+(?:, \w+)*)")
BETWEEN = re.compile(r"(-?\d+) to (-?\d+)")


class Field(NamedTuple):
    """A field of the form for one setting."""

    name: str
    label: str
    help: str
    kind: str
    """ "box" for what is true or false, "list" for one of some choices, else the type of the input."""
    value: str
    default: str
    choices: Sequence[str] = ()
    limits: tuple[str, str] = ("", "")
    """The least and the greatest number."""


def usual_values(game: GameInfo) -> Mapping[str, str]:
    """Return what the settings of a game are where nobody names others, as they are typed."""
    return {setting.name: setting.default_value for setting in game.settings}


def tournament_values(game: GameInfo) -> Mapping[str, str]:
    """Return the same for tournaments; of a game that is not installed here the settings of any game."""
    if game.name not in registered():
        return usual_values(game)
    usual, others = _held(game.name, game.default_settings), _held(game.name, game.tournament_settings)
    return {
        name: value if usual.get(name) == others.get(name) else _typed(name, others[name])
        for name, value in usual_values(game).items()
    }


def _held(game: str, settings: GameSettings) -> Mapping[str, Any]:
    message = unwrap(settings, find(game), find(game).settings_type)
    assert message is not None
    found: Mapping[str, Any] = json_format.MessageToDict(message, preserving_proto_field_name=True)
    return found


def _typed(name: str, value: Any) -> str:
    """Return a value of protobuf-JSON as it is typed; those of enums are named after their setting."""
    return value.removeprefix(f"{name.upper()}_").lower() if isinstance(value, str) else json.dumps(value)


def setting_fields(game: GameInfo, usual: Mapping[str, str], values: Mapping[str, str]) -> Mapping[str, Field]:
    """Return the fields for the settings of a game, which hold what a form has or what is usual, by their names."""
    frontend = frontend_of(game.name)
    labels = frontend.main_settings if frontend is not None else {}
    return {each.name: _field(each, labels.get(each.name, ""), usual[each.name], values) for each in game.settings}


def _field(setting: SettingInfo, label: str, default: str, values: Mapping[str, str]) -> Field:
    label = label or setting.name.replace("_", " ").capitalize()
    value = values.get(f"{PREFIX}{setting.name}", "")
    if setting.allowed == " or ".join(FLAG):
        return Field(setting.name, label, setting.meaning, "box", value or default, default)
    if found := ONE_OF.fullmatch(setting.allowed):
        return Field(setting.name, label, setting.meaning, "list", value or default, default, found[1].split(", "))
    help_text = f"{setting.meaning} Allowed: {setting.allowed}. Empty: {default or 'none'}."
    if found := BETWEEN.fullmatch(setting.allowed):
        return Field(setting.name, label, help_text, "number", value, default, limits=(found[1], found[2]))
    return Field(setting.name, label, help_text, "text", value, default)


def chosen_settings(usual: Mapping[str, str], form: Form) -> Iterator[str]:
    """Yield the settings that are not as usual, as KEY=VALUE: a profile decides on all that are not given."""
    for key, value in form.items():
        name, given = key.removeprefix(PREFIX), value.strip()
        if key.startswith(PREFIX) and given and given != usual.get(name):
            yield f"{name}={given}"

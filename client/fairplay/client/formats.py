"""Formats as they are typed: "swiss rounds=7", or stages, "swiss rounds=7 top=8, knockout games=4"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from fairplay.client.errors import UsageError
from fairplay.formats.format import find, full_format, registered
from fairplay.games.kit.settings import Setting
from fairplay.v1.tournament_pb2 import CustomFormat, Stage, Stages, TournamentFormat

NOT_TYPED = ("custom", "stages")
"""The arms of TournamentFormat that are no names of formats."""
TOP = "top"
MAX_NUMBER = 2**32 - 1


def parse_format(text: str) -> TournamentFormat:
    """Return the format of `--format`. Raises UsageError if there is no such format or setting."""
    parts = [part.split() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"--format {text!r} has an empty stage: give e.g. 'swiss rounds=7 top=8, knockout'")
    if len(parts) == 1:
        found, top = _stage(parts[0])
        if top is not None:
            raise UsageError(f"--format {text!r}: {TOP} is for stages: add the one that its best enter, ', knockout'")
        return found
    stages = [_stage(words) for words in parts]
    for _, top in stages[:-1]:
        if top is None:
            raise UsageError(f"--format {text!r}: say how many of each stage enter the next one, e.g. {TOP}=8")
    if stages[-1][1] is not None:
        raise UsageError(f"--format {text!r}: nobody goes on from the last stage: leave out its {TOP}")
    return TournamentFormat(stages=Stages(stages=[Stage(format=found, top_count=top or 0) for found, top in stages]))


def format_names() -> list[str]:
    """Return the names of all formats, those of other packages included."""
    arms = [name.replace("_", "-") for name in TournamentFormat.DESCRIPTOR.fields_by_name if name not in NOT_TYPED]
    return [*arms, *(name for name in registered() if name not in arms and name not in NOT_TYPED)]


class SettingChoice(NamedTuple):
    """A setting of a format for people, with the name by which it is typed."""

    name: str
    label: str
    meaning: str
    allowed: str
    default: str


class FormatChoice(NamedTuple):
    """A format for people."""

    name: str
    title: str
    summary: str
    settings: Sequence[SettingChoice]


def format_choices() -> Mapping[str, FormatChoice]:
    """Return the formats that can be chosen in a form, by name: all but those that are made of others."""
    found = {name: find(name) for name in format_names() if name in registered()}
    return {
        name: FormatChoice(name, each.title, each.summary, [_setting_choice(setting) for setting in each.settings])
        for name, each in found.items()
    }


def _setting_choice(setting: Setting) -> SettingChoice:
    name = setting_name(setting.name)
    label = setting.name.removesuffix("_count").replace("_", " ").capitalize()
    label = f"{label}s" if setting.name.endswith("_count") else label
    return SettingChoice(name, label, setting.meaning, setting.allowed, setting.default)


def format_text(message: TournamentFormat, sizes: range) -> str:
    """Return a format as it may be typed, for a game of these sizes, without settings that have their defaults."""
    arm = message.WhichOneof("format") or "knockout"
    if arm == "stages":
        return ", ".join(
            f"{format_text(stage.format, sizes)}{f' {TOP}={stage.top_count}' if stage.top_count else ''}"
            for stage in message.stages.stages
        )
    if arm == "custom":
        settings = [f"{setting.name}={setting.value}" for setting in message.custom.settings]
        return " ".join([message.custom.name, *settings])
    plain = TournamentFormat()
    getattr(plain, arm).SetInParent()
    default = getattr(_full(plain, sizes), arm)
    settings = [
        f"{setting_name(field.name)}={_value_text(value)}"
        for field, value in getattr(message, arm).ListFields()
        if value != getattr(default, field.name)
    ]
    return " ".join([arm.replace("_", "-"), *settings])


def _full(message: TournamentFormat, sizes: range) -> TournamentFormat:
    """Return a format with its defaults, or as it is where it is not installed here."""
    try:
        return full_format(message, sizes)
    except ValueError:
        return message


def setting_name(field: str) -> str:
    """Return the short name under which a setting is typed: rounds for round_count, games for games_per_match."""
    if field.endswith("_count"):
        return f"{field.removesuffix('_count')}s"
    return field.partition("_per_")[0].replace("_", "-")


def _stage(words: Sequence[str]) -> tuple[TournamentFormat, int | None]:
    """Return a format, and how many of its best enter the next stage."""
    name, *settings = words
    top = None
    rest = []
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not value:
            raise UsageError(f"--format: {setting!r} is no setting: give KEY=VALUE, e.g. rounds=7")
        if key == TOP:
            top = _number(setting, value)
        else:
            rest.append((key, value))
    found = TournamentFormat()
    arm = name.replace("-", "_")
    if arm in TournamentFormat.DESCRIPTOR.fields_by_name and arm not in NOT_TYPED:
        held = getattr(found, arm)
        held.SetInParent()
        for key, value in rest:
            _set(name, held, key, value)
    elif name in registered() and name not in NOT_TYPED:
        found.custom.CopyFrom(CustomFormat(name=name))
        for key, value in rest:
            found.custom.settings.add(name=key, value=value)
    else:
        close = get_close_matches(name, format_names(), 1)
        hint = f"did you mean {close[0]}?" if close else f"the formats are {', '.join(format_names())}"
        raise UsageError(f"there is no format {name!r}: {hint}")
    return found, top


def _set(format_name: str, held: Message, key: str, value: str) -> None:
    fields = {setting_name(field.name): field for field in held.DESCRIPTOR.fields}
    field = fields.get(key) or held.DESCRIPTOR.fields_by_name.get(key.replace("-", "_"))
    if field is None:
        raise UsageError(f"the format {format_name} has no setting {key!r}: it has {', '.join(fields)}")
    setting = f"{key}={value}"
    if field.type == FieldDescriptor.TYPE_BOOL:
        if value not in ("true", "false"):
            raise UsageError(f"--format: {setting}: {key} is true or false")
        setattr(held, field.name, value == "true")
    elif field.type == FieldDescriptor.TYPE_STRING:
        getattr(held, field.name).extend(value.split("+"))
    else:
        setattr(held, field.name, _number(setting, value))


def _number(setting: str, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,10}", value) or int(value) > MAX_NUMBER:
        raise UsageError(f"--format: {setting} is not a whole number")
    return int(value)


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "+".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)

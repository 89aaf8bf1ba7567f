"""The limits of fields, and the roles and reasons of methods, as the comments of the protos state them.

`make generate` reads the comments and writes limits.json beside the stubs; proto/README.md says what is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import inf

MANY = 2**64


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of a field, with what bounds nothing where limits.json says nothing.

    That of a list holds for each element, but for the number of items. A field that is not set is in its limit.
    """

    required: bool = False
    pattern: str = ""
    min_bytes: int = 0
    max_bytes: int = MANY
    max_characters: int = MANY
    min_items: int = 0
    max_items: int = MANY
    minimum: int = -MANY
    maximum: int = MANY
    minimum_seconds: float = -inf
    maximum_seconds: float = inf
    cut_bytes: int = MANY
    cut_characters: int = MANY
    clamp: int = MANY
    clamp_seconds: float = inf


@dataclass(frozen=True, slots=True)
class Method:
    """The role that a method needs, e.g. "PLAYER"; empty for those of players. And the reasons that it fails with."""

    role: str = ""
    reasons: Sequence[str] = ()


_STATED = json.loads(files("fairplay.v1").joinpath("limits.json").read_text("utf-8"))
LIMITS: Mapping[str, Limit] = {name: Limit(**each) for name, each in _STATED["fields"].items()}
"""The limit of each field that has one, by its full name, e.g. "fairplay.v1.SayRequest.text"."""
METHODS: Mapping[str, Method] = {name: Method(**each) for name, each in _STATED["methods"].items()}
"""What is stated of each method, by its full name, e.g. "fairplay.v1.LobbyService.Say"."""

STATUSES: Mapping[str, str] = _STATED["statuses"]
"""The name of the gRPC status of each reason, e.g. of "NAME_TAKEN"."""


def limit_of(field: str) -> Limit:
    """Return the limit of a field of fairplay.v1, e.g. "SayRequest.text"."""
    return LIMITS[f"fairplay.v1.{field}"]

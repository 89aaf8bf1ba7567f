"""A player that keeps what it could tell a real tournament from the suite by: its environment, and all texts.

python -m tests.conformance.recorder GAME FILE
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from fairplay.games.game import find
from fairplay.games.kit.player_service import PLAYER_METHODS
from fairplay.player.command import run_player
from fairplay.player.handlers import describe, snake_case
from fairplay.v1.player_pb2 import DescribeResponse


def texts(message: Message, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path and value of each text in a message, and in the messages that it holds."""
    for field, value in message.ListFields():
        for each in value if field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from texts(each, f"{path}{field.name}.")
            elif isinstance(each, str):
                yield path + field.name, each


def main(name: str, path: str) -> None:
    made: Any = find(name).player("random")
    made.quick = False
    variables = {key: value for key, value in os.environ.items() if key.startswith("FAIRPLAY")}

    def keep(kind: str, found: object) -> None:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps([kind, found]) + "\n")

    def kept(method: str, sound: Any) -> Any:
        def answer(request: Message) -> Any:
            keep(method, sorted(texts(request)))
            return sound(request)

        return answer

    keep("environment", [sorted(os.environ), variables])
    defaults = {"describe": lambda _: DescribeResponse(description=describe(made))}
    for method in (*PLAYER_METHODS.values(), *find(name).methods):
        python_name = snake_case(method.name)
        sound = getattr(made, python_name, defaults.get(python_name, lambda _: None))
        setattr(made, python_name, kept(method.name, sound))
    run_player(made)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The rules of Eriantys that an answer can break, by their ids."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RULES: Mapping[str, str] = MappingProxyType(
    {
        "eriantys.action.game-over": "Nothing can be played once the game is over.",
        "eriantys.action.phase": "An action must be of a kind that is legal now: tower colour, assistant, students, "
        "Mother Nature, cloud, each in its time; a character between the first student and the cloud.",
        "eriantys.action.required": "An answer must hold what was asked for, with all that belongs to it.",
        "eriantys.assistant.in-hand": "Only an assistant that is still in the hand can be played.",
        "eriantys.assistant.range": "An assistant has a value of 1 to 10.",
        "eriantys.assistant.taken": "An assistant with a value that somebody has played in this round can be played "
        "only by a player whose whole hand has such values.",
        "eriantys.character.coins": "A character costs its price, and one coin more once it has been used.",
        "eriantys.character.expert": "Characters can be played in Expert mode only.",
        "eriantys.character.in-play": "Only one of the three characters in play can be played.",
        "eriantys.character.island": "Characters 1, 3 and 5 need an island; the others take none.",
        "eriantys.character.color": "Characters 1, 9, 11 and 12 need a colour; the others take none.",
        "eriantys.character.card-students": "A student that leaves a character must be on it.",
        "eriantys.character.late": "Under these settings characters 4, 6, 8 and 9 cannot be played once Mother Nature "
        "has moved.",
        "eriantys.character.no-entry-left": "Character 5 can be played only while a no-entry tile is on it.",
        "eriantys.character.no-entry-one": "Under these settings an island holds one no-entry tile at most.",
        "eriantys.character.once": "A player can play one character in a turn.",
        "eriantys.character.swap-count": "Character 7 exchanges one to three students and character 10 one or two "
        "(or none, where the settings allow it); the others exchange none.",
        "eriantys.character.swap-dining-room": "A student that leaves the dining room in an exchange must be there.",
        "eriantys.character.swap-entrance": "A student that leaves the entrance in an exchange must be there.",
        "eriantys.character.table-full": "A character cannot put an eleventh student at a table.",
        "eriantys.cloud.empty": "A cloud that has been taken cannot be taken again.",
        "eriantys.cloud.known": "There are as many clouds as players, numbered from 0.",
        "eriantys.color.known": "A colour is green, red, yellow, pink or blue.",
        "eriantys.island.known": "An island is named by a tile, 0 to 11 (or by the index of its group, where the "
        "settings say so).",
        "eriantys.mother-nature.steps": "Mother Nature moves at least one step and at most as many as the assistant "
        "allows, two more with character 4.",
        "eriantys.student.entrance": "Only a student that is in the entrance can be moved.",
        "eriantys.student.table-full": "A table has ten seats.",
        "eriantys.towers.known": "A tower colour is black, white or, with three players, grey.",
        "eriantys.towers.taken": "A tower colour that another player or team has cannot be chosen.",
    }
)

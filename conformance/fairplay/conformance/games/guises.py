"""Guises: what the calls of a game carry that no rule fixes, such as the id of the game.

Each part of a guise has its usual value in half of the games, and one of many unusual ones in the others. A run has
hundreds of games, and so each of them, and nearly every two together.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from random import Random
from string import ascii_letters, ascii_uppercase, digits
from typing import Any, NamedTuple

from fairplay.conformance import case_ids
from fairplay.conformance.games.encodings import in_pieces, newer, serialized
from fairplay.conformance.player.names import draw_name, draw_names, new_tournament_id
from fairplay.games.game import Game
from fairplay.server.links.link import NO_EXTRA, TRACE_KEY
from fairplay.server.manager.plan import game_id_of
from fairplay.server.net.limits import limit_of

ID_CHARS, TOURNAMENT_CHARS = (
    limit_of(f"{name}_id").max_characters for name in ("PlayGameRequest.game", "CreateTournamentRequest.tournament")
)
NAME_CHARS = limit_of("Player.name").max_characters
ANY = f"{ascii_letters}{digits}_.-"
"""The characters of names, and of ids but for the slash."""
USUAL_CHARS = 32
"""So many characters of an id are drawn where nothing says another length."""
MAX_DIGITS = 4
"""Numbers of rounds and tables have at most so many digits."""
NOT_ALLOWED = {"", ".", ".."}
"""What no id may have between its slashes."""
UNKNOWN_KEY, UNKNOWN_VALUE = "x-request-id", "~ " * 127 + "~~"
TRACE, UNRECORDED_TRACE = (f"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0{flag}" for flag in (1, 0))


class Guise(NamedTuple):
    """Which value of each part a game has: its place among those of `PARTS`; 0: the usual one."""

    start: int = 0
    middle: int = 0
    end: int = 0
    alphabet: int = 0
    length: int = 0
    place: int = 0
    names: int = 0
    metadata: int = 0
    bank: int = 0
    form: int = 0

    def value(self, part: str) -> Any:
        """Return the value of a part."""
        return PARTS[part].values[getattr(self, part)][1]

    @property
    def unusual(self) -> Iterator[tuple[str, Guise]]:
        """Yield the parts that are not usual, each with the guise in which it is the only one."""
        for part in self._fields:
            if at := getattr(self, part):
                yield part, Guise(**{part: at})

    @property
    def checked(self) -> Guise:
        """Return the guise itself. Raises ValueError if a part of it is none of those that there are."""
        for part, at in zip(self._fields, self, strict=True):
            if not 0 <= at < len(PARTS[part].values):
                raise ValueError(f"there is no {part} {at} of a guise")
        return self

    def __str__(self) -> str:
        """Return what is unusual, for people."""
        return " and ".join(PARTS[part].values[getattr(self, part)][0] for part, _ in self.unusual)


USUAL_GUISE = Guise()


class _Part(NamedTuple):
    """A part of guises."""

    case_id: str
    """The case that owns what goes wrong because of it."""
    values: Sequence[tuple[str, Any]]
    """(in words, value), the usual one first."""


def _texts(words: str, *texts: str) -> Sequence[tuple[str, str]]:
    return [("", ""), *((words.format(repr(text)), text) for text in texts)]


def _capitals(count: int, rng: Random) -> list[str]:
    """Return names that differ in capital letters only, as those of a game may."""
    name = draw_name(rng)
    return ["".join(each) for each in islice(product(*zip(name.lower(), name.upper(), strict=True)), count)]


def _longest(count: int, rng: Random) -> list[str]:
    beginning = "".join(rng.choices(ANY, k=NAME_CHARS - 2))
    return [f"{beginning}{at:02}" for at in range(count)]


def _beginnings(count: int, rng: Random) -> list[str]:
    longest = rng.choice(ascii_letters) + "".join(rng.choices(ANY, k=count))
    return [longest[:at] for at in range(1, 1 + count)]


PARTS: Mapping[str, _Part] = {
    "start": _Part(
        case_ids.UNUSUAL_IDS,
        _texts("the id of the game begins with {}", "-", "--", "_", ".", "..", "0", "Z", "-1.", "0x", "1e", "null"),
    ),
    "middle": _Part(
        case_ids.UNUSUAL_IDS,
        _texts("the id of the game has {} in it", "/", ".", "-", "_", "--", "..", "/-/", "/.a/..b/", "-r1g1"),
    ),
    "end": _Part(
        case_ids.UNUSUAL_IDS,
        _texts("the id of the game ends with {}", "-", "_", ".", "..", "Z", "0", ".json", "/-", "/r1g", "/g1r1"),
    ),
    "alphabet": _Part(
        case_ids.UNUSUAL_IDS,
        [
            ("", ""),
            ("the id of the game has digits only", digits),
            ("the id of the game has no small letters", ascii_uppercase),
            ("the id of the game has letters of both sizes, digits and '_', '.' and '-'", ANY),
        ],
    ),
    "length": _Part(
        case_ids.UNUSUAL_IDS,
        [
            ("", 0),
            *(
                (f"the id of the game, or of its tournament, has the length {length}", length)
                for length in (1, 2, 8, TOURNAMENT_CHARS, ID_CHARS - 1, ID_CHARS)
            ),
        ],
    ),
    "place": _Part(
        case_ids.UNUSUAL_IDS,
        [
            ("", True),
            ("the game is not one of a tournament, by its id", False),
        ],
    ),
    "names": _Part(
        case_ids.LONG_NAMES,
        [
            ("", None),
            (f"players have names of {NAME_CHARS} characters", _longest),
            ("players have names of one character", lambda count, rng: rng.sample(ANY.replace(".", ""), count)),
            ("players have names that differ in capital letters only", _capitals),
            ("names of players are beginnings of others", _beginnings),
        ],
    ),
    "metadata": _Part(
        case_ids.METADATA,
        [
            ("", NO_EXTRA),
            ("the metadata of calls names a trace", {TRACE_KEY: TRACE}),
            ("the metadata of calls names a trace that is not recorded", {TRACE_KEY: UNRECORDED_TRACE}),
            ("the metadata of calls has a key that is not known", {UNKNOWN_KEY: UNKNOWN_VALUE}),
            ("the metadata of calls has an empty value", {f"0.{UNKNOWN_KEY}": "", UNKNOWN_KEY[0] * 64: "0"}),
        ],
    ),
    "bank": _Part(
        case_ids.BANK,
        [("", 0.0), *((f"the player has a bank of {bank_s:g} s", bank_s) for bank_s in (0.001, 0.0375))],
    ),
    "form": _Part(
        case_ids.UNKNOWN_FIELDS,
        [
            ("", serialized),
            ("requests have fields that are not known", newer),
            ("requests have fields with the next numbers, that are not known", partial(newer, has_gaps=False)),
            ("fields and lists of requests have another form, as protobuf lets any library write them", in_pieces),
        ],
    ),
}


def draw_guise(game: Game, rng: Random) -> Guise:
    """Return a guise for a game."""
    has_names = any(any(names_in(method.request.DESCRIPTOR)) for method in game.methods)
    drawn = {part: rng.choice((0, rng.randrange(1, len(each.values)))) for part, each in PARTS.items()}
    return Guise(**drawn if has_names else {**drawn, "names": 0})


class Ids:
    """The ids of the games of a run."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._used = set[str]()

    def new_id(self, guise: Guise) -> str:
        """Return the id of a new game. Like those of a real tournament, it follows from no seed."""
        text = _id(guise, self._game)
        while text in self._used or NOT_ALLOWED.intersection(text.split("/")):
            text = _id(guise._replace(length=0), self._game)
        self._used.add(text)
        return text


def tournament_id_in(guise: Guise, game: Game) -> str:
    """Return the id of a tournament with what a guise says of ids of games, as far as such an id may have it."""
    return _id(guise._replace(place=1), game.name).replace("/", ".")[:TOURNAMENT_CHARS]


def names_of(guise: Guise, own: str, seat: int, count: int, rng: Random) -> list[str]:
    """Return the names of the players of a game; by default the player in one seat has the name `own`."""
    return guise.value("names")(count, rng) if guise.names else draw_names(own, seat, count, rng)


def names_in(kind: Any) -> Iterator[str]:
    """Yield the names of the fields of a request that are lists of players' names."""
    return (each.name for each in kind.fields if each.is_repeated and each.name.endswith("_names"))


def each_value(case_id: str) -> Iterator[Guise]:
    """Yield guises in which each unusual value of the parts of a case is found, as few as that takes."""
    parts = {part: len(PARTS[part].values) for part in Guise._fields if PARTS[part].case_id == case_id}
    for at in range(1, max(parts.values())):
        yield Guise(**{part: 1 + (at - 1) % (count - 1) for part, count in parts.items()})


def _id(guise: Guise, game: str) -> str:
    start, middle, end, alphabet, length, is_of_tournament = map(guise.value, Guise._fields[:6])
    is_of_tournament = is_of_tournament and "/" not in f"{middle}{end}" and length <= TOURNAMENT_CHARS
    others = len(start) + len(middle) + len(end)
    count = max(1, length - others) if length else USUAL_CHARS
    drawn = new_tournament_id(game) if not (alphabet or length) else _draw(alphabet or f"{digits}abcdef", count)
    text = f"{start}{drawn[: len(drawn) // 2]}{middle}{drawn[len(drawn) // 2 :]}{end}"
    return game_id_of(text, _number(), _number()) if is_of_tournament else text


def _number() -> int:
    """Return the number of a round or table, mostly a small one."""
    return 1 + secrets.randbelow(10 ** (1 + secrets.randbelow(MAX_DIGITS)))


def _draw(alphabet: str, count: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(count))

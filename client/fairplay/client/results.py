"""Results of tournaments as people read them, and records as they check them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations

from fairplay.server.manager.history import check_tournament
from fairplay.server.records.verify import CHECKS, verify
from fairplay.v1.record_pb2 import Record
from fairplay.v1.tournament_pb2 import RoundGame, Standing

ALL_CHECKS = {**CHECKS, "tournament": check_tournament}


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a game that is over. `place` is None for who failed."""

    name: str
    place: int | None
    score: int | None


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game of the tournament that is over."""

    game_id: str
    round: int
    deal: int
    seats: Sequence[Seat]
    aborted: str
    """Why it counts for nobody; empty: it counts."""

    @property
    def short_id(self) -> str:
        """Return the last part of the id, e.g. "r1g2"."""
        return self.game_id.rpartition("/")[2]


def played_game(game: RoundGame) -> PlayedGame:
    """Return a game that is over. The next place after two who share the first is the third."""
    places: dict[int, int] = {}
    scores: dict[int, int] = {}
    for group in game.result.ranking:
        place = len(places) + 1
        for player in group.players:
            places[player.seat], scores[player.seat] = place, player.score
    seats = [Seat(name, places.get(seat), scores.get(seat)) for seat, name in enumerate(game.players)]
    return PlayedGame(game.game_id, game.round_number, game.deal, seats, game.result.aborted)


@dataclass(slots=True)
class Meeting:
    """How often an entrant met another one in games that count, and what it won from it: 1, 0.5 or 0 of each."""

    won: float = 0.0
    count: int = 0

    @property
    def share(self) -> float:
        """Return what was won of each game, in the mean."""
        return self.won / self.count


def meetings(games: Iterable[PlayedGame]) -> dict[tuple[str, str], Meeting]:
    """Return the meetings of all pairs that have met, in both directions."""
    found: defaultdict[tuple[str, str], Meeting] = defaultdict(Meeting)
    for game in games:
        if game.aborted:
            continue
        for one, other in permutations(game.seats, 2):
            meeting = found[one.name, other.name]
            meeting.count += 1
            meeting.won += _won(one, other)
    return dict(found)


def _won(one: Seat, other: Seat) -> float:
    """Return what one player has won from another one; who failed has won nothing."""
    if one.place is None:
        return 0.0
    if other.place is None or one.place < other.place:
        return 1.0
    return 0.5 if one.place == other.place else 0.0


def band_warning(standings: Sequence[Standing]) -> str:
    """Return a warning, in a sentence, if most entrants share one band, so that games say little; otherwise ""."""
    bands = Counter(each.band for each in standings if each.band)
    rated, largest = bands.total(), max(bands.values(), default=0)
    if rated < 2 or largest * 2 <= rated:
        return ""
    everybody = largest == rated
    whom, who = ("the", "all") if everybody else ("most", f"{largest} of {rated}")
    return (
        f"These games cannot tell {whom} entrants apart: {who} share a band, as the intervals of their ratings "
        "overlap; more rounds or deals make these narrower."
    )


def check_record(record: Record) -> Sequence[str]:
    """Return what is wrong with a whole record, a sentence each; nothing if it is intact and replays to its end."""
    return [str(finding) for finding in verify(record, finished=True, checks=ALL_CHECKS)]

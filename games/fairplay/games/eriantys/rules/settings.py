"""What can be chosen about a game of Eriantys (eriantys.md section 8), and what may not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Mode: TypeAlias = Literal["basic", "expert"]
MotherNatureStart: TypeAlias = Literal["random", "chosen"]
SetupDrawOrder: TypeAlias = Literal["entrances_first", "characters_first"]
DrawModel: TypeAlias = Literal["uniform_student", "uniform_color"]
RefillWhen: TypeAlias = Literal["before_assistants", "after_assistants"]
ShortRefill: TypeAlias = Literal["skip_all", "partial", "end_now"]
TeamSeating: TypeAlias = Literal["alternating", "adjacent"]
FarmerAfterTurn: TypeAlias = Literal["keep", "revert", "influence_only"]
LateCharacter: TypeAlias = Literal["allow", "refuse"]
ZeroOwner: TypeAlias = Literal["keep", "release"]
IslandAddress: TypeAlias = Literal["tile", "group"]
DrawResult: TypeAlias = Literal["none", "tied"]
FirstPlayer: TypeAlias = Literal["random", "first_seat"]
OnDisconnect: TypeAlias = Literal["end_game", "skip_turns", "eliminate"]
InterruptedTurn: TypeAlias = Literal["finish", "leave"]

MIN_SEATS, MAX_SEATS = 2, 4
CHARACTER_COUNT = 12
CHARACTERS_IN_PLAY = 3
TILE_COUNT = 12
MAX_ATTEMPTS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The knobs of section 8 that concern a game."""

    mode: Mode = "basic"
    """Expert adds characters, coins and no-entry tiles."""
    characters: tuple[int, ...] = ()
    """The three characters of an Expert game, from left to right; empty: drawn by chance."""
    mn_start: MotherNatureStart = "random"
    mn_island: int = 0
    """The tile on which Mother Nature starts where that is chosen."""
    setup_draw_order: SetupDrawOrder = "entrances_first"
    """Whether the entrances or the characters with their students are drawn first, after islands and first player."""
    draw_model: DrawModel = "uniform_student"
    """Whether each student in the bag is as likely as any other, or each colour that is left."""
    refill_when: RefillWhen = "before_assistants"
    short_refill: ShortRefill = "skip_all"
    """When the bag cannot fill the clouds: nobody takes a cloud, or clouds with what there is, or the game is over."""
    bag_end_latched: bool = True
    """Whether a round that is the last because of the bag stays it when students return to the bag."""
    team_seating: TeamSeating = "alternating"
    """With four players: partners opposite each other (seats 0 and 2), or beside each other (seats 0 and 1)."""
    farmer_after_turn: FarmerAfterTurn = "keep"
    """Professors that the Farmer takes: kept, given back after the turn, or only counted as owned in it."""
    herald_respects_no_entry: bool = True
    """Whether a no-entry tile stops the Herald and is used up, or is ignored and stays."""
    no_entry_stack: bool = True
    """Whether a group may hold several no-entry tiles."""
    late_character: LateCharacter = "allow"
    """Whether the characters that only help Mother Nature's move (4, 6, 8, 9) may be played after it."""
    allow_zero_swaps: bool = False
    """Whether Jester and Minstrel may be played without any exchange."""
    coins_from_characters: bool = True
    """Whether students that a character puts into a dining room earn coins."""
    coin_seat_once: bool = False
    """Whether a coin seat pays once in a game only."""
    professor_recheck_on_removal: bool = True
    """Whether the Minstrel can lose its player a professor."""
    professor_zero_owner: ZeroOwner = "keep"
    """What happens to a professor when nobody has a student of its colour any more."""
    explicit_end_turn: bool = False
    """Whether a player has to say that its turn is over."""
    island_address: IslandAddress = "tile"
    """How actions name islands: by any tile of a group (0 to 11), or by the group's index (it changes with merges)."""
    draw_result: DrawResult = "none"
    """Who has won when the best are level in towers and professors: nobody, or all of them."""
    first_player: FirstPlayer = "random"
    on_disconnect: OnDisconnect = "end_game"
    interrupted_turn: InterruptedTurn = "finish"
    """What becomes of the turn of a player that is lost in it: finished in a fixed way, or broken off."""
    max_attempts: int = 3
    """How many impossible answers in a row to one question are misconduct; no rule of play depends on it."""

    @property
    def is_expert(self) -> bool:
        """Whether characters and coins are in play."""
        return self.mode == "expert"


_RANGES = {"mn_island": (0, TILE_COUNT - 1), "max_attempts": (1, MAX_ATTEMPTS)}
_CHOICES = {
    "mode": get_args(Mode),
    "mn_start": get_args(MotherNatureStart),
    "setup_draw_order": get_args(SetupDrawOrder),
    "draw_model": get_args(DrawModel),
    "refill_when": get_args(RefillWhen),
    "short_refill": get_args(ShortRefill),
    "team_seating": get_args(TeamSeating),
    "farmer_after_turn": get_args(FarmerAfterTurn),
    "late_character": get_args(LateCharacter),
    "professor_zero_owner": get_args(ZeroOwner),
    "island_address": get_args(IslandAddress),
    "draw_result": get_args(DrawResult),
    "first_player": get_args(FirstPlayer),
    "on_disconnect": get_args(OnDisconnect),
    "interrupted_turn": get_args(InterruptedTurn),
}


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """The first field that is wrong and one sentence saying what is allowed; None where all is well."""
    for name, (low, high) in _RANGES.items():
        if not low <= (value := getattr(settings, name)) <= high:
            return name, f"{name} is {value}: it must be between {low} and {high}."
    for name, allowed in _CHOICES.items():
        if (value := getattr(settings, name)) not in allowed:
            return name, f"{name} is {value!r}: it must be one of {', '.join(allowed)}."
    chosen = settings.characters
    known = all(1 <= character <= CHARACTER_COUNT for character in chosen)
    if chosen and not (known and len(chosen) == len(set(chosen)) == CHARACTERS_IN_PLAY):
        return "characters", (
            f"characters are {', '.join(map(str, chosen))}: they must be {CHARACTERS_IN_PLAY} different ones "
            f"of 1 to {CHARACTER_COUNT}, or none to have them drawn."
        )
    return None

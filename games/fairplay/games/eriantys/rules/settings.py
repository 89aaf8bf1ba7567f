"""What can be chosen about a game of Eriantys (eriantys.md section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairplay.games.kit.settings import choice, find_problem, flag, number, other

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
    """The settings of section 8 that concern a game."""

    mode: Mode = choice("basic", Mode, "Whether the game has characters, coins and no-entry tiles (expert) or not.")
    characters: tuple[int, ...] = other(
        (),
        f"{CHARACTERS_IN_PLAY} different numbers of 1 to {CHARACTER_COUNT}, or none",
        "The characters of an Expert game, from left to right; none: they are drawn by chance.",
    )
    mn_start: MotherNatureStart = choice(
        "random", MotherNatureStart, "Whether Mother Nature starts on any island or on mn_island."
    )
    mn_island: int = number(0, 0, TILE_COUNT - 1, "The tile on which Mother Nature starts where that is chosen.")
    setup_draw_order: SetupDrawOrder = choice(
        "entrances_first",
        SetupDrawOrder,
        "Whether the entrances or the characters with their students are drawn first, after islands and first player.",
    )
    draw_model: DrawModel = choice(
        "uniform_student",
        DrawModel,
        "Whether each student in the bag is as likely as any other, or each colour that is left.",
    )
    refill_when: RefillWhen = choice(
        "before_assistants", RefillWhen, "Whether clouds are filled before or after the assistants are played."
    )
    short_refill: ShortRefill = choice(
        "skip_all",
        ShortRefill,
        "What follows when the bag cannot fill the clouds: nobody takes a cloud, players take what there is, or the "
        "game is over.",
    )
    bag_end_latched: bool = flag(
        True, "Whether a round that is the last because of the bag remains the last when students return to the bag."
    )
    team_seating: TeamSeating = choice(
        "alternating",
        TeamSeating,
        "Whether partners sit opposite each other (seats 0 and 2) or beside each other (seats 0 and 1).",
    )
    farmer_after_turn: FarmerAfterTurn = choice(
        "keep",
        FarmerAfterTurn,
        "Whether professors that the Farmer takes are kept, given back after the turn, or only counted as owned in it.",
    )
    herald_respects_no_entry: bool = flag(
        True, "Whether a no-entry tile stops the Herald and is used up, or is ignored and stays."
    )
    no_entry_stack: bool = flag(True, "Whether a group may hold several no-entry tiles.")
    late_character: LateCharacter = choice(
        "allow",
        LateCharacter,
        "Whether the characters that only help Mother Nature's move (4, 6, 8, 9) may be played after it.",
    )
    allow_zero_swaps: bool = flag(False, "Whether Jester and Minstrel may be played without any exchange.")
    coins_from_characters: bool = flag(True, "Whether students that a character puts into a dining room earn coins.")
    coin_seat_once: bool = flag(False, "Whether a coin seat pays once in a game only.")
    professor_recheck_on_removal: bool = flag(True, "Whether the Minstrel can lose its player a professor.")
    professor_zero_owner: ZeroOwner = choice(
        "keep",
        ZeroOwner,
        "Whether a professor of whose colour nobody has a student any more stays with its owner or is released.",
    )
    explicit_end_turn: bool = flag(False, "Whether a player has to say that its turn is over.")
    island_address: IslandAddress = choice(
        "tile",
        IslandAddress,
        "Whether actions name islands by any tile of a group, or by the group's index, which changes with merges.",
    )
    draw_result: DrawResult = choice(
        "none", DrawResult, "Whether nobody has won when the best are level in towers and professors, or all of them."
    )
    first_player: FirstPlayer = choice(
        "random", FirstPlayer, "Whether any player plans first in the first round, or the first seat."
    )
    on_disconnect: OnDisconnect = choice(
        "end_game",
        OnDisconnect,
        "What follows when a player is lost: the game is over, its turns are skipped until it returns, or it is out.",
    )
    interrupted_turn: InterruptedTurn = choice(
        "finish",
        InterruptedTurn,
        "Whether the turn of a player that is lost in it is finished in a fixed way or broken off.",
    )
    max_attempts: int = number(
        3, 1, MAX_ATTEMPTS, "How many impossible answers in a row to one question are misconduct."
    )

    @property
    def is_expert(self) -> bool:
        """Return whether characters and coins are in play."""
        return self.mode == "expert"


def settings_problem(settings: Settings) -> tuple[str, str] | None:
    """Return the first setting that is not allowed, and a sentence that says what is; None if all are."""
    return find_problem(settings) or _characters_problem(settings.characters)


def _characters_problem(chosen: tuple[int, ...]) -> tuple[str, str] | None:
    known = all(1 <= character <= CHARACTER_COUNT for character in chosen)
    if not chosen or (known and len(chosen) == len(set(chosen)) == CHARACTERS_IN_PLAY):
        return None
    return "characters", (
        f"characters are {', '.join(map(str, chosen))}: they must be {CHARACTERS_IN_PLAY} different ones "
        f"of 1 to {CHARACTER_COUNT}, or none to have them drawn."
    )

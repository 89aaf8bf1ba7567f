"""The Q game for people: what can be chosen in a turn, and the map with the choices marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.games.frontends import Choice, Frontend, IllegalChoiceError, TableContext
from fairplay.games.kit.person import NO_MARKS, Marks, Person, check_choice, watching
from fairplay.games.q import rules
from fairplay.games.q.guide import GUIDE
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import Placement
from fairplay.games.q.rules.state import PASS, REPLACE, Action, Extension, View
from fairplay.games.q.views import svg, text
from fairplay.games.q.views.table import NOTHING_OWN, Own, cell_of, cell_part, hand_part, table, tile_words
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest, TakeTurnResponse, WinRequest

WORDS = {"replace": REPLACE, "pass": PASS}
LABELS = {"replace": "replace all your tiles", "pass": "pass"}
_ONE_KIND = "A turn places tiles, replaces the hand or passes: take the last choice back first."


class Turn(NamedTuple):
    """The reply to TakeTurn as a draft, and what the person sees of its own."""

    prompt: str
    choose: Callable[[str], Turn]
    choices: Sequence[Choice]
    chosen: frozenset[str]
    reply: TakeTurnResponse | None
    own: Own


def turn(view: View, placed: tuple[Placement, ...] = (), used: tuple[int, ...] = (), word: str = "") -> Turn:
    """Return the draft of a turn: tiles of the hand, each followed by the place where it goes; or a word.

    `used` are the places in the hand of the tiles that are placed, and at the end that of the tile that is held, if one
    is. Another tile may be chosen in place of the one that is held.
    """
    board = view.board.put(placed) if placed else view.board
    held = view.hand[used[-1]] if len(used) > len(placed) else None

    def check(action: Action) -> None:
        check_choice(rules.breach(view.board, view.hand, view.pile_left, action), rules.RULES)

    def choose(part: str) -> Turn:
        place = next((place for place in range(len(view.hand)) if part == hand_part(place)), None)
        if word or (part in WORDS and placed):
            raise IllegalChoiceError(_ONE_KIND)
        if part in WORDS:
            check(WORDS[part])
            return turn(view, word=part)
        if place is not None:
            before = used[: len(placed)]
            check_choice("q.extension.own-tiles" if place in before else None, rules.RULES)
            return turn(view, placed, (*before, place))
        if held is None:
            raise IllegalChoiceError("Choose a tile of your hand first, then its place.")
        if (cell := cell_of(part)) is None:
            raise IllegalChoiceError("Choose a free place beside a tile.")
        longer = (*placed, Placement(*cell, held))
        check(Extension(longer))
        return turn(view, longer, used)

    below = max(row for row, _ in board.tiles) + 2.0
    legal = ["replace", "pass"] if view.pile_left >= len(view.hand) else ["pass"]
    words = [Choice(each, LABELS[each], float(number), below + 1.0) for number, each in enumerate(legal)]
    cells = [cell_part((row, column)) for row, column, _ in placed]
    chosen = frozenset([*map(hand_part, used), *cells, *([word] if word else [])])
    free = frozenset(board.spots) if held is not None else frozenset()
    own = Own(view.hand, placed, free, () if used else words)
    if word:
        prompt = "Replace your tiles?" if word == "replace" else "Pass?"
        return Turn(prompt, choose, (), chosen, codec.build_reply(WORDS[word]), own)
    spots = list(rules.open_spots(board, placed))
    if held is not None:
        choices = [
            Choice(cell_part((row, column)), f"{tile_words(held)} to [{row}, {column}]", float(column), float(row))
            for (row, column), kinds in sorted(spots)
            if kinds >> held & 1
        ]
        return Turn("Place it where?", choose, choices, chosen, None, own)
    fitting = reduce(or_, (kinds for _, kinds in spots), 0)
    tiles = [
        Choice(hand_part(place), tile_words(tile), float(place), below)
        for place, tile in enumerate(view.hand)
        if place not in used and fitting >> tile & 1
    ]
    if placed:
        return Turn("Place another tile, or send:", choose, tiles, chosen, codec.build_reply(Extension(placed)), own)
    return Turn("Choose a tile, replace or pass:", choose, [*tiles, *words], chosen, None, own)


class QPerson(Person[q_pb2.State]):
    """A person at a table of the Q game. Spectators see no hands: the person's own is kept from what it is told."""

    game = "q"
    state_type = q_pb2.State

    def __init__(self, table: TableContext) -> None:
        super().__init__(table)
        self._hand: tuple[int, ...] = ()

    async def setup(self, request: SetupRequest) -> None:
        """Begin a game."""
        self.begin()
        self._hand = tuple(codec.read_tiles(request.tiles))
        self.look(self._public(request.state))

    async def take_turn(self, request: TakeTurnRequest) -> Message:
        """Return what the person does in a turn."""
        view = codec.read_view(request.state)
        self._hand = view.hand
        reply = await self.answer(request, self._public(request.state), turn(view))
        assert isinstance(reply, TakeTurnResponse)
        self._hand = _left(self._hand, codec.read_reply(reply))
        return reply

    def _public(self, turn: q_pb2.State) -> q_pb2.State:
        """Return the state of a turn as spectators see it: players by seat, also those who are out, without hands."""
        if self.state is not None and self.state.revision == turn.revision:
            return self.state
        players = {player.seat: player for state in (self.state, turn) if state is not None for player in state.players}
        public = q_pb2.State()
        public.CopyFrom(turn)
        del public.players[:]
        public.players.extend(players[seat] for seat in sorted(players))
        for player in public.players:
            player.ClearField("hand")
        return public

    async def new_tiles(self, request: NewTilesRequest) -> None:
        """Take the tiles that were drawn into the hand."""
        self._hand += tuple(codec.read_tiles(request.tiles))
        self.table.on_change()

    async def win(self, request: WinRequest) -> None:
        """Tell the result."""
        self.table.report("You have won." if request.won else "You have not won.")

    def draw(self, state: q_pb2.State, marks: Marks) -> str:
        """Return the map with the tiles that are about to be placed, the person's hand, and what can be chosen."""
        return text.board_text(state, self._own, marks)

    def draw_svg(self, state: q_pb2.State, marks: Marks) -> str:
        """Return the same and the players as one SVG document."""
        return svg.svg(state, self.table.names(), self._own, marks)

    @property
    def _own(self) -> Own:
        return self.draft.own if isinstance(self.draft, Turn) else Own(self._hand)

    def describe(self, state: q_pb2.State) -> str:
        """Return the players with their points, and the pile."""
        return text.side_text(state, self.table.names())

    def is_over(self, state: q_pb2.State) -> bool:
        """Return whether a state is the end of its game."""
        return not state.HasField("turn")

    def news(self, state: q_pb2.State) -> str:
        """Return what a player has done in the turn that led to a state."""
        return table(state, self.table.names()).last_turn


def _left(hand: Sequence[int], action: Action) -> tuple[int, ...]:
    """Return what is left of a hand after an action, before tiles are drawn."""
    if action is REPLACE:
        return ()
    left = list(hand)
    if isinstance(action, Extension):
        for placement in action.placements:
            left.remove(placement.tile)
    return tuple(left)


FRONTEND = Frontend(
    settings="copies_per_kind=2",
    main_settings={
        "copies_per_kind": "Tiles of each of the 36 kinds",
        "hand_size": "Tiles in a hand",
        "q_bonus": "Points for a Q",
        "finish_bonus": "Points for a hand that is placed whole",
    },
    limit="3m",
    bot="ldasg",
    help="Arrow keys go to what can be chosen, Enter chooses it, Backspace takes a choice back, s sends.",
    guide=GUIDE,
    view_of=watching(lambda state: text.board_text(state, NOTHING_OWN, NO_MARKS), text.side_text),
    create_player=QPerson,
)

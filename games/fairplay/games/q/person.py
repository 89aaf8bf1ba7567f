"""The Q game for people: what can be chosen in a turn, and the map with the choices marked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from google.protobuf.message import Message

from fairplay.games.frontends import Choice, Frontend, GameView, IllegalChoiceError, TableContext
from fairplay.games.kit.person import NO_MARKS, Marks, Person
from fairplay.games.q import rules
from fairplay.games.q.protocol import codec
from fairplay.games.q.rules.board import Board, Placement
from fairplay.games.q.rules.state import PASS, REPLACE, Action, Extension, View
from fairplay.games.q.views import svg, text
from fairplay.games.q.views.table import NOTHING_OWN, Own, cell_of, cell_part, hand_part, table, tile_words
from fairplay.q.v1 import q_pb2
from fairplay.q.v1.q_player_pb2 import NewTilesRequest, SetupRequest, TakeTurnRequest, TakeTurnResponse, WinRequest

WORDS = {"replace": REPLACE, "pass": PASS}
_ONE_KIND = "A turn places tiles, replaces the hand or passes: take the last choice back first."


class Turn(NamedTuple):
    """The reply to TakeTurn: tiles of the hand, each followed by the place where it goes; or a word."""

    view: View
    board: Board
    """The map with the tiles that are placed."""
    placed: tuple[Placement, ...] = ()
    used: tuple[int, ...] = ()
    """The places in the hand of the tiles that are placed, and at the end that of the tile that is held, if one is."""
    word: str = ""

    @property
    def held(self) -> int | None:
        """Return the place in the hand of the tile that is to be placed next, or None."""
        return self.used[-1] if len(self.used) > len(self.placed) else None

    @property
    def prompt(self) -> str:
        """Return what to choose, or what the reply does."""
        if self.word:
            return "Replace your tiles?" if self.word == "replace" else "Pass?"
        if self.held is not None:
            return "Place it where?"
        return "Place another tile, or send:" if self.placed else "Choose a tile, replace or pass:"

    @property
    def choices(self) -> Sequence[Choice]:
        """Return the places where the tile that is held fits, or the tiles that fit somewhere, and the words."""
        if self.word:
            return ()
        if self.held is not None:
            tile = self.view.hand[self.held]
            return [
                Choice(cell_part((row, column)), f"{tile_words(tile)} to [{row}, {column}]", float(column), float(row))
                for (row, column), kinds in sorted(rules.open_spots(self.board, self.placed))
                if kinds >> tile & 1
            ]
        fitting = reduce(or_, (kinds for _, kinds in rules.open_spots(self.board, self.placed)), 0)
        below = max(row for row, _ in self.board.tiles) + 2.0
        tiles = [
            Choice(hand_part(place), tile_words(tile), float(place), below)
            for place, tile in enumerate(self.view.hand)
            if place not in self.used and fitting >> tile & 1
        ]
        return tiles if self.placed else [*tiles, *self.words]

    @property
    def words(self) -> Sequence[Choice]:
        """Return the words that are legal."""
        below = max(row for row, _ in self.board.tiles) + 3.0
        legal = [word for word, action in WORDS.items() if self._breach(action) is None]
        return [Choice(word, word, float(number), below) for number, word in enumerate(legal)]

    def _breach(self, action: Action) -> str | None:
        return rules.breach(self.view.board, self.view.hand, self.view.pile_left, action)

    @property
    def chosen(self) -> frozenset[str]:
        """Return the tiles of the hand that are used, the places where they go, and the word."""
        cells = (cell_part((row, column)) for row, column, _ in self.placed)
        return frozenset([*map(hand_part, self.used), *cells, *([self.word] if self.word else [])])

    @property
    def reply(self) -> TakeTurnResponse | None:
        """Return the reply, if a word is chosen or each tile has a place."""
        if self.word:
            return codec.build_reply(WORDS[self.word])
        if not self.placed or self.held is not None:
            return None
        return codec.build_reply(Extension(self.placed))

    def choose(self, part: str) -> Turn:
        """Choose a tile, also in place of the one that is held, its place, or a word.

        Raises IllegalChoiceError if that is illegal.
        """
        place = next((place for place in range(len(self.view.hand)) if part == hand_part(place)), None)
        if self.word or (part in WORDS and self.placed):
            raise IllegalChoiceError(_ONE_KIND)
        if part in WORDS:
            _check(self._breach(WORDS[part]))
            return Turn(self.view, self.board, word=part)
        if place is not None:
            before = self.used[: len(self.placed)]
            _check("q.extension.own-tiles" if place in before else None)
            return self._replace(used=(*before, place))
        if self.held is None:
            raise IllegalChoiceError("Choose a tile of your hand first, then its place.")
        if (cell := cell_of(part)) is None:
            raise IllegalChoiceError("Choose a free place beside a tile.")
        placement = Placement(*cell, self.view.hand[self.held])
        _check(self._breach(Extension((*self.placed, placement))))
        return self._replace(placed=(*self.placed, placement), board=self.board.put([placement]))


def _check(rule_id: str | None) -> None:
    if rule_id is not None:
        raise IllegalChoiceError(rules.RULES[rule_id])


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
        reply = await self.answer(request, self._public(request.state), Turn(view, view.board))
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
        draft = self.draft
        if not isinstance(draft, Turn):
            return Own(self._hand)
        free = frozenset(draft.board.spots) if draft.held is not None else frozenset()
        return Own(self._hand, draft.placed, free, () if draft.used else draft.words)

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
    limit="3m",
    bot="ldasg",
    help=(
        "Arrow keys go to what can be chosen, Enter chooses it, Backspace takes a choice back, s sends. Choose a tile "
        "of your hand, then its place; more tiles may follow in the same row or column. Each tile fits its neighbours "
        "to the left and right by colour or by shape, and so it does above and below. Or replace all tiles, or pass."
    ),
    view_of=lambda state, names: GameView(
        text.board_text(state, NOTHING_OWN, NO_MARKS), text.side_text(state, names), "You watch."
    ),
    create_player=QPerson,
)

"""Pictures of Bazaar: they show what a state shows and no more, and nothing in a name gets out of hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.games.bazaar import rules
from fairplay.games.bazaar.game import GAME
from fairplay.games.bazaar.protocol import codec
from fairplay.games.bazaar.rules.pieces import (
    INITIALS,
    EquationTable,
    bag_text,
    card_text,
    parse_bag,
    parse_card,
    parse_exchange,
    unpack,
)
from fairplay.games.bazaar.rules.state import Player, Settings, State
from tests.games.drawing import SVG, Drawing, shown_lines

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Flo")


def game(
    *players: Player, equations: str = "", visible: str = "rrrrr", pile: str = "", bonus: str = "none"
) -> bazaar_pb2.State:
    state = rules.resume(
        Settings(bonus=bonus),  # type: ignore[arg-type]
        EquationTable(tuple(map(parse_exchange, equations.split()))),
        bank=parse_bag("rrwy"),
        visible=tuple(map(parse_card, visible.split())),
        pile=tuple(map(parse_card, pile.split())),
        players=players or (Player(), Player()),
    )
    return codec.build_state(state)


@st.composite
def states(draw: st.DrawFn) -> State:
    """Draw a state of a game of any size; in some somebody was eliminated."""
    rng = Random(draw(st.integers(0, 2**32)))
    chosen = Settings(
        visible=draw(st.integers(1, 6)),
        cards_total=draw(st.integers(1, 100)),
        equations=draw(st.integers(0, 10)),
        side_max=draw(st.integers(1, 6)),
        winning_score=1000,
    )
    state = rules.initial(chosen, draw(st.integers(2, 6)), rng)
    for _ in range(draw(st.integers(0, 150))):
        seat = rules.turn(state)
        if seat is None:
            break
        out = rng.random() < 0.02
        state = rules.eliminate(state, seat) if out else rules.apply(state, rng.choice(rules.legal(state)))
    return state


def pebbles(drawing: Drawing, kind: str) -> list[str]:
    """Return the initials of the pebbles in each element of a kind."""
    hrefs = ([use.get("href", "") for use in element.iter(f"{SVG}use")] for element in drawing.of(kind))
    found = ([href.removeprefix("#bazaar-") for href in each] for each in hrefs)
    return ["".join(sorted(name for name in names if name in INITIALS)) for names in found]


def numbers(drawing: Drawing, kind: str) -> list[list[int]]:
    return [[int(text.text or "") for text in element.iter(f"{SVG}text")] for element in drawing.of(kind)]


def drawn(state: bazaar_pb2.State, players: Sequence[str] = NAMES) -> Drawing:
    return Drawing(GAME.svg(state, players))


def lines(state: bazaar_pb2.State, players: Sequence[str] = NAMES) -> list[str]:
    return shown_lines(GAME.text(state, players))


def in_order(text: str) -> str:
    return "".join(sorted(text))


# Both


@given(states())
@settings(max_examples=40, deadline=None)
def test_everything_of_a_full_state_is_drawn_once(state: State) -> None:
    drawing = drawn(codec.build_state(state))
    sides = [in_order(bag_text(each.left) + bag_text(each.right)) for each in state.table.equations]
    assert pebbles(drawing, "equation") == sides
    assert pebbles(drawing, "card") == [in_order(bag_text(card.pebbles)) for card in state.visible]
    bought = [card for player in state.players for card in player.cards]
    small = [in_order(bag_text(card.pebbles)) for card in (*state.pile, *bought)]
    assert pebbles(drawing, "mini") == small
    assert len(drawing.of("face")) == sum(card.face for card in (*state.visible, *state.pile, *bought))
    wallets = [list(unpack(player.wallet)) for player in state.players]
    assert numbers(drawing, "wallet") == wallets
    assert drawing.texts("score") == [str(player.score) for player in state.players]
    assert drawing.texts("name") == list(NAMES[: len(state.players)])


@given(states())
@settings(max_examples=40, deadline=None)
def test_what_a_public_state_hides_is_not_drawn(state: State) -> None:
    public = codec.build_public(state)
    drawing, found = drawn(public), lines(public)
    assert not drawing.of("pile")
    assert numbers(drawing, "wallet") == [[]] * len(state.players)
    assert len(drawing.of("mini")) == sum(len(player.cards) for player in state.players)
    assert not any(line.startswith("pile") or "wallet" in line for line in found)


@given(states())
@settings(max_examples=40, deadline=None)
def test_all_is_drawn_within_its_frame(state: State) -> None:
    for message in (codec.build_state(state), codec.build_public(state)):
        drawn(message).check_frames()


@given(states())
@settings(max_examples=40, deadline=None)
def test_text_shows_everything_in_80_columns(state: State) -> None:
    found = lines(codec.build_state(state))
    assert max(map(cell_len, found)) <= 80
    text = "\n".join(found)
    for equation in state.table.equations:
        assert f"{bag_text(equation.left)} = {bag_text(equation.right)}" in text
    cards = [*state.visible, *state.pile, *(card for player in state.players for card in player.cards)]
    assert text.count("☺") == sum(card.face for card in cards)
    for card in cards:
        assert card_text(card).replace("*", " ☺") in text
    assert sum("wallet" in line for line in found) == len(state.players)


def test_a_state_without_anything_is_drawn() -> None:
    empty = bazaar_pb2.State()
    assert drawn(empty).title == "Bazaar: nobody plays"
    assert lines(empty)


def test_a_state_of_strange_numbers_is_drawn() -> None:
    strange = bazaar_pb2.State(
        bank=[7],
        visible=[bazaar_pb2.Card(pebbles=[400, 400, 1, 1, 1, 9])],
        players=[bazaar_pb2.Player(wallet=[1, 2, 3, 4, 5, 6, 7], standing=9)],  # type: ignore[arg-type]
        phase=9,  # type: ignore[arg-type]
        active_seat=8,
    )
    strange.table.equations.add(left=[400, 400], right=[])
    assert pebbles(drawn(strange), "card") == ["rrrrr"]
    assert max(map(cell_len, lines(strange))) <= 80


# Names

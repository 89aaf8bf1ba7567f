from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.players import best_plan, best_purchase, reachable
from fairplay.games.bazaar.rules.pieces import Card, EquationTable, Exchange, bag_text, pack, parse_bag, points
from fairplay.games.bazaar.rules.state import Settings, TurnView

if TYPE_CHECKING:
    from collections.abc import Iterator


seeded = st.integers(0, 2**32).map(Random)
Metric: TypeAlias = Literal["points", "size"]
METRICS: tuple[Metric, Metric] = ("points", "size")


# --- points and size


def word(text: str) -> tuple[int, str]:
    """Return a key that sorts bags as section 9 does: by size, then as words of sorted initials."""
    return len(text), "".join(sorted(text))


def naive_wallets(
    table: EquationTable, wallet: Counter[str], bank: Counter[str], depth: int
) -> Iterator[tuple[tuple[Exchange, ...], Counter[str]]]:
    """Yield every legal list of exchanges, and what it makes of the wallet."""
    yield (), wallet
    for way in table.exchanges if depth else ():
        left, right = Counter(bag_text(way.left)), Counter(bag_text(way.right))
        if left <= wallet and right <= bank:
            after = naive_wallets(table, wallet - left + right, bank - right + left, depth - 1)
            yield from (((way, *more), end) for more, end in after)


def naive_purchases(wallet: Counter[str], visible: list[Card]) -> Iterator[tuple[int, tuple[Card, ...], Counter[str]]]:
    """Yield every maximal purchase: its points, its cards in order, the wallet left."""
    payable = [card for card in visible if Counter(bag_text(card.pebbles)) <= wallet]
    if not payable:
        yield 0, (), wallet
    for card in payable:
        left, others = wallet - Counter(bag_text(card.pebbles)), list(visible)
        others.remove(card)
        for total, more, end in naive_purchases(left, others):
            yield total + points(left.total(), card.face), (card, *more), end


def naive_plan(
    table: EquationTable, view: TurnView, metric: Metric, depth: int
) -> tuple[tuple[Exchange, ...], tuple[Card, ...]]:
    """Return the plan that section 9 describes, word by word."""

    def purchase_key(purchase: tuple[int, tuple[Card, ...], Counter[str]]) -> Any:
        total, cards, left = purchase
        by_metric = total if metric == "points" else len(cards)
        sequence = [(card.face, word(bag_text(card.pebbles))) for card in cards]
        rest = "".join(left.elements())
        return -by_metric, (-total, -len(rest), word(rest), len(cards), sequence)

    def pair_key(pair: Any) -> Any:
        exchanges, purchase = pair
        by_metric, ties = purchase_key(purchase)
        sequence = [(word(bag_text(left)), word(bag_text(right))) for left, right in exchanges]
        return by_metric, len(exchanges), ties, sequence

    start, bank = Counter(bag_text(view.wallet)), Counter(bag_text(view.bank))
    pairs = (
        (exchanges, min(naive_purchases(wallet, list(view.visible)), key=purchase_key))
        for exchanges, wallet in naive_wallets(table, start, bank, depth)
    )
    exchanges, (_, cards, _) = min(pairs, key=pair_key)
    return exchanges, cards


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[EquationTable, TurnView]:
    """Draw a position with few colours and pebbles, so that there are many ties."""
    rng = draw(seeded)
    colours = draw(st.sampled_from(["rb", "rbg", "rwbgy"]))

    def random_bag(length: int) -> int:
        return parse_bag("".join(rng.choices(colours, k=length)))

    visible = tuple(Card(random_bag(5), rng.random() < 0.5) for _ in range(rng.randint(1, 4)))
    sides = [pair for pair in product(colours, colours) if pair[0] != pair[1]]
    ways = {
        Exchange(parse_bag(left * rng.randint(1, 2)), parse_bag(right * rng.randint(1, 2)))
        for left, right in rng.sample(sides, k=2)
    }
    wallet, bank = random_bag(rng.randint(0, 11)), random_bag(rng.randint(0, 9))
    return EquationTable(tuple(ways)), TurnView(bank, visible, wallet, 0, (), (), 0)


@given(small_tables(), st.sampled_from(METRICS), st.integers(0, 4))
def test_the_search_finds_what_trying_everything_finds(
    position: tuple[EquationTable, TurnView], metric: Metric, depth: int
) -> None:
    table, view = position
    assert best_plan(table, view, metric, depth) == naive_plan(table, view, metric, depth)


@given(small_tables(), st.sampled_from(METRICS))
def test_the_second_answer_is_the_purchase_that_was_planned(
    position: tuple[EquationTable, TurnView], metric: Metric
) -> None:
    table, view = position
    plan = best_plan(table, view, metric)
    gain = sum(way.right - way.left for way in plan.exchanges)
    assert best_purchase(view.wallet + gain, view.visible, metric) == plan.purchase


def test_a_search_can_be_cut_off() -> None:
    state = rules.initial(Settings(pebbles_per_color=400), 2, Random(1))
    rich = pack([200] * 5)
    reach = reachable(state.table, rich, rich, 8, most=500)
    assert 500 <= len(reach.steps) < 500 + len(state.table.exchanges)
    for wallet in reach.levels[-1]:
        ways = reach.exchanges_to(wallet)
        assert rules.request_violation(state.table, rich, rich, ways) is None
        assert rich + sum(way.right - way.left for way in ways) == wallet


# --- all strategies

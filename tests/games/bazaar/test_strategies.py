from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.players.search import best_plan, best_purchase, bundles, offers, reachable
from fairplay.games.bazaar.players.strategies import STRATEGIES, strategy
from fairplay.games.bazaar.rules import PEBBLE, Card, EquationTable, Exchange, Phase, Player, Settings, State, TurnView
from fairplay.games.bazaar.rules.pieces import (
    bag_text,
    card_text,
    exchange_text,
    pack,
    parse_bag,
    parse_card,
    parse_exchange,
    points,
)
from tests.slow import SLOW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fairplay.games.bazaar.players.strategies import Brain, Strategy

seeded = st.integers(0, 2**32).map(Random)
Metric: TypeAlias = Literal["points", "size"]
METRICS: tuple[Metric, Metric] = ("points", "size")


def row(text: str) -> tuple[Card, ...]:
    return tuple(map(parse_card, text.split()))


def parse_table(text: str) -> EquationTable:
    return EquationTable(tuple(map(parse_exchange, text.split())))


def seen(wallet: str = "", visible: str = "", bank: str = "rwbgy") -> TurnView:
    return TurnView(parse_bag(bank), row(visible), parse_bag(wallet), 0, (), (0,), 1)


def brain(spec: str, equations: str = "") -> Brain:
    return strategy(spec)(parse_table(equations))


def texts(answer: Any) -> list[str]:
    return [card_text(one) if isinstance(one, Card) else exchange_text(one) for one in answer]


def played(state: State, *strategies: Strategy) -> list[tuple[int, rules.Action, State]]:
    """Play a game with legal answers only, and return call by call who answered what, and the state after it."""
    brains = [make(state.table) for make in strategies]
    calls = []
    while (seat := rules.turn(state)) is not None:
        view = rules.view(state, seat)
        asked = brains[seat]
        answer: rules.Action = asked.request(view) if state.phase is Phase.REQUEST else asked.cards(view)
        assert rules.violation(state, answer) is None
        state = rules.apply(state, answer)
        calls.append((seat, answer, state))
    return calls


# --- the worked examples


@pytest.mark.parametrize(
    ("wallet", "visible", "spec", "bought"),
    [
        ("rrrbbggg", "rrrbb rrggg", "points", ["rrggg"]),
        ("rrrrrbb", "rrrrr rrrbb", "points", ["rrrrr"]),
        ("rrrrrbbbbb", "rrrrr bbbbb", "points", ["bbbbb", "rrrrr"]),
        ("ggggg", "ggggg ggggg*", "size", ["ggggg*"]),
    ],
    ids=["V10a", "V10b", "V10c", "V10d"],
)
def test_v10_tie_breaks_of_a_purchase(wallet: str, visible: str, spec: str, bought: list[str]) -> None:
    assert texts(brain(spec).cards(seen(wallet, visible))) == bought


@pytest.mark.parametrize(
    ("wallet", "visible", "bought"),
    [
        ("rrrrryyyyywwwgg", "yyyyy* rrrrr", ["rrrrr", "yyyyy*"]),
        ("rrrrryyyyy", "yyyyy* rrrrr", ["rrrrr", "yyyyy*"]),
        ("rrrrrbbbbbyy", "bbbbb* rrrrr", ["rrrrr", "bbbbb*"]),
        ("rrrrrbbbbbyyyyywww", "yyyyy bbbbb* rrrrr*", ["yyyyy", "bbbbb*", "rrrrr*"]),
    ],
    ids=["any order scores the same", "the face is worth most last", "two pebbles left", "three cards"],
)
@pytest.mark.parametrize("spec", ["points", "size"])
def test_of_tied_purchases_plain_cards_come_first(spec: str, wallet: str, visible: str, bought: list[str]) -> None:
    assert texts(brain(spec).cards(seen(wallet, visible))) == bought


def test_v12_points_and_size_play_the_whole_game() -> None:
    state = rules.resume(
        Settings(draw="ordered"),
        parse_table("rb=ggg gw=rry"),
        bank=parse_bag("wbbgyy"),
        visible=row("bbbgg bgrrr* bbgrr gryyy*"),
        pile=row("bgrry bbbrr"),
        players=(Player(parse_bag("bbbbgb")), Player(parse_bag("rrgbry"))),
    )
    calls = played(state, strategy("points"), strategy("size"))
    answers = [(seat, "pebble" if answer is PEBBLE else texts(answer)) for seat, answer, _ in calls]
    assert answers == [
        (0, "pebble"),
        (0, []),
        (1, "pebble"),
        (1, texts(row("bgrrr*"))),
        (0, texts(parse_table("gw=rry rb=ggg").equations)),
        (0, texts(row("bbbgg"))),
        (1, "pebble"),
        (1, []),
        (0, "pebble"),
        (0, texts(row("bgrry"))),
        (1, []),
    ]
    assert rules.scores(calls[-1][-1]) == (6, 3)


# --- points and size


def test_points_and_size_take_a_pebble_when_no_equation_can_be_used() -> None:
    for spec in METRICS:
        assert brain(spec, "r=b").request(seen("gg", "ggggg")) is PEBBLE
        assert brain(spec, "r=b").request(seen("rrrrr", "rrrrr", bank="g")) is PEBBLE


def test_points_and_size_answer_the_empty_list_when_that_is_best() -> None:
    for spec in METRICS:
        assert brain(spec, "r=b").request(seen("rrrrr", "rrrrr yyyyy")) == ()
        assert brain(spec, "r=b").request(seen("g", "rrrrr")) is PEBBLE
        assert brain(spec, "r=b").request(seen("g", "rrrrr", bank="")) == ()


def test_points_and_size_prefer_what_they_are_named_for() -> None:
    view = seen("rrrrrbbbbbw", "rrrrr bbbbb ggggg", bank="ggggggg")
    assert len(brain("size", "w=y").cards(view)) == 2
    view = seen("rrrrrbbbbb", "rrrbb rrrrr* bbbbb", bank="ggggg")
    assert texts(brain("points").cards(view)) == ["bbbbb", "rrrrr*"]


def test_the_depth_limits_the_exchanges() -> None:
    view = seen("rrrr", "bbbbb", bank="bbbbbbbb")
    assert len(cast("Any", brain("points", "r=bb").request(view))) == 3
    assert brain("points:depth=2", "r=bb").request(view) == ()


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


class CountingTable:
    """Counts how often the search asks what can be exchanged."""

    def __init__(self, table: EquationTable) -> None:
        self._table = table
        self.asked: list[int] = []

    def usable(self, wallet: int, bank: int) -> list[Exchange]:
        self.asked.append(wallet)
        return self._table.usable(wallet, bank)


def sequence_count(table: EquationTable, depth: int) -> int:
    return sum(len(table.exchanges) ** length for length in range(1, depth + 1))


def test_the_largest_search_visits_each_wallet_once() -> None:
    state = rules.initial(Settings(pebbles_per_color=400), 2, Random(1))
    assert sequence_count(state.table, 4) == 168_420
    rich = pack([200] * 5)
    counting = CountingTable(state.table)
    reach = reachable(cast("EquationTable", counting), rich, rich)
    wallets = [wallet for level in reach.levels for wallet in level]
    assert len(wallets) == len(set(wallets)) <= 8361
    assert sorted(counting.asked) == sorted(wallet for level in reach.levels[:-1] for wallet in level)
    assert len(counting.asked) <= 1561
    tried = sum(1 for _ in offers(wallets, bundles(state.visible, "points"), "points"))
    assert tried <= 16 * len(wallets)


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


@pytest.mark.parametrize("spec", STRATEGIES)
@given(rng=seeded, seats=st.sampled_from(rules.SEATS))
@effort(max_examples=6, deadline=None)
def test_a_strategy_answers_legally_in_whole_games(spec: str, rng: Random, seats: int) -> None:
    settings = Settings(
        pebbles_per_color=rng.choice([3, 20]),
        visible=rng.choice([1, 4, 6]),
        equations=rng.choice([0, 3, 10]),
        exchange_price=rng.choice(["per_request", "per_equation"]),
        check_end_mid_turn=rng.random() < 0.5,
        max_exchanges=8,
    )
    others = [strategy(rng.choice(["first", "random", "size"])) for _ in range(seats - 1)]
    assert played(rules.initial(settings, seats, rng), strategy(spec), *others)


@pytest.mark.parametrize("spec", STRATEGIES)
def test_a_strategy_answers_the_same_when_asked_again(spec: str) -> None:
    state = rules.initial(Settings(), 2, Random(8))
    first, second = (strategy(spec)(state.table) for _ in range(2))
    for _, _, after in played(state, strategy("size"), strategy("random"))[:12]:
        view = rules.view(after, 0)
        answers = (first.request(view), first.cards(view))
        assert answers == (first.request(view), first.cards(view))
        assert answers == (second.request(TurnView(*view)), second.cards(TurnView(*view)))


def test_random_play_depends_on_its_seed() -> None:
    views = [rules.view(rules.initial(Settings(), 2, Random(seed)), 0) for seed in range(30)]
    drawn = [view._replace(wallet=pack([5] * 5)) for view in views]
    answers = [[brain(f"random:seed={seed}", "r=b w=g").request(view) for view in drawn] for seed in (1, 1, 2)]
    assert answers[0] == answers[1] != answers[2]
    assert len(set(answers[0])) == 6


def test_first_takes_pebbles_and_the_first_card_it_can_pay() -> None:
    first = brain("first", "r=b")
    assert first.request(seen("rrr")) is PEBBLE
    assert first.request(seen("rrr", bank="")) == ()
    assert texts(first.cards(seen("rrrrrbbbbb", "ggggg bbbbb rrrrr"))) == ["bbbbb"]
    assert first.cards(seen("rrrrbbbb", "bbbbb rrrrr")) == ()


def test_best_takes_a_free_pebble_where_points_pays_a_card_for_nothing() -> None:
    view = seen("rr", "bbbbb", bank="ggg")
    assert brain("points", "rr=g").request(view) == ()
    assert brain("best", "rr=g").request(view) is PEBBLE


@SLOW
def test_best_beats_points() -> None:
    best, plain = strategy("best"), strategy("points")
    won = 0
    for seed in range(8):
        for seat, pair in enumerate(((best, plain), (plain, best))):
            end = played(rules.initial(Settings(), 2, Random(seed)), *pair)[-1][-1]
            won += rules.winners(end) == (seat,)
    assert won >= 10


# --- specs


@pytest.mark.parametrize("spec", [*STRATEGIES, "random:seed=7", "points:depth=0", "best:depth=6,width=3,ahead=0"])
def test_a_strategy_is_made_from_its_spec(spec: str) -> None:
    made = brain(spec, "r=b")
    assert made.request(seen("rrrrr", "rrrrr")) in (PEBBLE, (), parse_table("r=b").equations)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("", "first, random, points, size, best"),
        ("greedy", "no strategy 'greedy' for Bazaar"),
        ("first:seed=1", "it has none"),
        ("points:width=3", "no key 'width': its keys are depth"),
        ("points:depth=5", "depth=5 of the strategy points must be a whole number between 0 and 4"),
        ("points:depth", "depth= of"),
        ("random:seed=-1", "seed=-1 of"),
        ("best:width=0", "between 1 and 20"),
        ("best:width=²", "between 1 and 20"),
    ],
)
def test_a_wrong_spec_says_what_is_allowed(spec: str, hint: str) -> None:
    with pytest.raises(ValueError, match="strategy") as problem:
        strategy(spec)
    assert hint in str(problem.value)

"""The values of Bazaar in the JSON forms of its test data (bazaar.md section 10).

Readers take decoded JSON and raise `RuleError` where a rule says what is wrong, else ValueError. They ignore unknown
names in an object.
"""

from __future__ import annotations

from fairplay.games.bazaar import rules
from fairplay.games.bazaar.rules.pieces import (
    CARD_PEBBLES,
    COLOURS,
    MAX_COUNT,
    Bag,
    Card,
    EquationTable,
    Exchange,
    pack,
    size,
    unpack,
)
from fairplay.games.bazaar.rules.state import (
    PEBBLE,
    Player,
    Purchase,
    Request,
    Settings,
    Standing,
    State,
    TurnView,
    invariant,
)
from fairplay.games.kit.testdata import Json, read_int, read_list


class RuleError(ValueError):
    """Raised if a value breaks the rule with the id `rule`; its text is the id and the sentence of the rule."""

    def __init__(self, rule: str) -> None:
        super().__init__(f"{rule}: {rules.RULES[rule]}")
        self.rule = rule


def read_bag(value: Json) -> Bag:
    """Return the bag of `["red", "red", "blue"]`, in any order."""
    if not isinstance(value, list) or any(pebble not in COLOURS for pebble in value):
        raise RuleError("bazaar.pebble.known")
    counts = [value.count(colour) for colour in COLOURS]
    if max(counts) > MAX_COUNT:
        raise RuleError("bazaar.pebble.counts")
    return pack(counts)


def write_bag(bag: Bag) -> Json:
    """Return the pebbles of a bag in canonical order."""
    return [colour for colour, count in zip(COLOURS, unpack(bag), strict=True) for _ in range(count)]


def read_exchange(value: Json) -> Exchange:
    """Return the exchange, or the equation, of `[["red"], ["blue", "blue"]]`."""
    if not isinstance(value, list) or len(value) != 2:
        raise RuleError("bazaar.exchange.sides")
    left, right = map(read_bag, value)
    if not (left and right):
        raise RuleError("bazaar.exchange.sides")
    return Exchange(left, right)


def write_exchange(exchange: Exchange) -> Json:
    """Return the two sides of an exchange, the left one first."""
    return [write_bag(exchange.left), write_bag(exchange.right)]


def read_table(value: Json) -> EquationTable:
    """Return the table of an array of equations."""
    if not isinstance(value, list):
        raise RuleError("bazaar.exchange.sides")
    return EquationTable(tuple(map(read_exchange, value)))


def write_table(table: EquationTable) -> Json:
    """Return the equations in the order of the table."""
    return [write_exchange(equation) for equation in table.equations]


def read_card(value: Json) -> Card:
    """Return the card of `{"pebbles": [five of them], "face?": false}`."""
    fields = value if isinstance(value, dict) else {}
    face, pebbles = fields.get("face?"), read_bag(fields.get("pebbles", []))
    if size(pebbles) != CARD_PEBBLES:
        raise RuleError("bazaar.card.five-pebbles")
    if not isinstance(face, bool):
        raise RuleError("bazaar.card.face")
    return Card(pebbles, face)


def write_card(card: Card) -> Json:
    """Return the form that `read_card` reads."""
    return {"pebbles": write_bag(card.pebbles), "face?": card.face}


def read_purchase(value: Json) -> Purchase:
    """Return the cards of an array: the answer to the second call, and every other list of cards."""
    if not isinstance(value, list):
        raise RuleError("bazaar.purchase.required")
    return tuple(map(read_card, value))


def write_purchase(cards: Purchase) -> Json:
    """Return the form that `read_purchase` reads."""
    return [write_card(card) for card in cards]


def read_request(value: Json) -> Request:
    """Return the answer to the first call: `false` for a pebble, or an array of exchanges."""
    if value is False:
        return PEBBLE
    if not isinstance(value, list):
        raise RuleError("bazaar.request.required")
    return tuple(map(read_exchange, value))


def write_request(request: Request) -> Json:
    """Return the form that `read_request` reads."""
    return False if request is PEBBLE else [write_exchange(exchange) for exchange in request]


def read_turn(value: Json) -> TurnView:
    """Return what the active player is shown, with or without the cards it has bought; of revision 0."""
    own, others = _read_player(_part(value, "active")), read_list(_part(value, "scores"), "scores")
    bank, row = read_bag(_part(value, "bank")), read_purchase(_part(value, "cards"))
    return TurnView(bank, row, own.wallet, own.score, own.cards, tuple(map(_read_score, others)), 0)


def write_turn(view: TurnView) -> Json:
    """Return the form that `read_turn` reads."""
    own = Player(view.wallet, view.score, view.cards)
    bank, row = write_bag(view.bank), write_purchase(view.visible)
    return {"bank": bank, "cards": row, "active": _write_player(own), "scores": list(view.scores)}


def read_game(value: Json, table: EquationTable, settings: Settings) -> State:
    """Return a game in which the first player is about to move. Raises ValueError if no game can lead to it."""
    players = read_list(_part(value, "players"), "players")
    state = rules.resume(
        settings,
        table,
        bank=read_bag(_part(value, "bank")),
        visible=read_purchase(_part(value, "visibles")),
        pile=read_purchase(_part(value, "cards")),
        players=tuple(map(_read_player, players)),
    )
    if problem := invariant(state):
        raise ValueError(problem)
    return state


def write_game(state: State) -> Json:
    """Return the form that `read_game` reads: the survivors in coming turn order, the active one first."""
    order = state.players[state.active :] + state.players[: state.active]
    return {
        "bank": write_bag(state.bank),
        "visibles": write_purchase(state.visible),
        "cards": write_purchase(state.pile),
        "players": [_write_player(player) for player in order if player.standing is Standing.IN],
    }


def _read_player(value: Json) -> Player:
    bought = _part(value, "cards", [])
    return Player(read_bag(_part(value, "wallet")), _read_score(_part(value, "score")), read_purchase(bought))


def _write_player(player: Player) -> Json:
    wallet, cards = write_bag(player.wallet), write_purchase(player.cards)
    return {"wallet": wallet, "score": player.score, "cards": cards}


def _read_score(value: Json) -> int:
    return read_int(value, "score", 0)


def _part(value: Json, key: str, default: Json = None) -> Json:
    """Return one value of an object. Raises ValueError if it is missing and has no default."""
    part: Json = value.get(key, default) if isinstance(value, dict) else None
    if part is None:
        raise ValueError(f"{key} is missing.")
    return part

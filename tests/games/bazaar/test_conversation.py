"""The conversation of Bazaar: who is called, when, with what; players that fail; what nobody is told."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from fairplay.bazaar.v1 import bazaar_pb2
from fairplay.bazaar.v1.bazaar_pb2 import Exchanges
from fairplay.bazaar.v1.bazaar_player_pb2 import RequestPebbleOrExchangesResponse
from fairplay.games.bazaar.game import GAME
from fairplay.games.bazaar.protocol import codec, conversation
from fairplay.games.bazaar.rules.pieces import INITIALS, parse_bag, parse_card, parse_exchange
from fairplay.games.bazaar.rules.state import PEBBLE, Phase, Standing, State
from fairplay.games.game import Start
from fairplay.games.steps import Call, CallKind, Eliminate, Outcome
from fairplay.v1.misconduct_pb2 import Overrun, RuleBreak
from tests.games.playing import Answer, Played, play_steps, sound_players

SETUP, REQUEST, CARDS, WIN = "Setup", "RequestPebbleOrExchanges", "RequestCards", "Win"
ORDERED = bazaar_pb2.Settings(draw=bazaar_pb2.DRAW_ORDERED)


# Players and games


def sound(*strategies: str) -> Answer:
    """Answer as reference players do, the last strategy in all seats that have none of their own."""
    return sound_players(GAME, *(strategies or ("first",)))


def scripted(*turns: tuple[str, str]) -> Answer:
    """Answer as these players act, turn by turn: "pebble" or exchanges, then cards."""
    requests, purchases = iter([turn[0] for turn in turns]), iter([turn[1] for turn in turns])

    def answer(call: Call) -> Any:
        if call.method.name == REQUEST:
            text = next(requests)
            return codec.build_request(PEBBLE if text == "pebble" else tuple(map(parse_exchange, text.split())))
        if call.method.name == CARDS:
            return codec.build_purchase(tuple(map(parse_card, next(purchases).split())))
        return call.method.response()

    return answer


def played(
    answer: Answer,
    seat_count: int = 2,
    settings: bazaar_pb2.Settings = ORDERED,
    state: bazaar_pb2.State | None = None,
    seed: int = 1,
) -> Played:
    seat_count = len(state.players) if state else seat_count
    names = list("abcdef"[:seat_count])
    return play_steps(GAME.play("g", GAME.full_settings(settings), names, Random(seed), state), answer)


def counts(text: str) -> list[int]:
    return [text.count(initial) for initial in INITIALS]


def cards(text: str) -> list[bazaar_pb2.Card]:
    return [bazaar_pb2.Card(pebbles=counts(card), face=card.endswith("*")) for card in text.split()]


def player(text: str) -> bazaar_pb2.Player:
    """Return a player by wallet, score and cards: "rrb", "rrb 12", "- 12 rrbgy* ..."."""
    wallet, score, *bought = [*text.split(), "0"] if " " not in text else text.split()
    return bazaar_pb2.Player(wallet=counts(wallet), score=int(score), cards=cards(" ".join(bought)))


def start(
    *players: str,
    equations: str = "",
    bank: str = "rwbgy",
    visible: str = "rrrrr rrrrr rrrrr rrrrr",
    pile: str = "wwwww wwwww",
) -> bazaar_pb2.State:
    """Return a state to start from, as somebody would write it by hand."""
    sides = [equation.split("=") for equation in equations.split()]
    return bazaar_pb2.State(
        table=bazaar_pb2.EquationTable(
            equations=[bazaar_pb2.Equation(left=counts(left), right=counts(right)) for left, right in sides]
        ),
        bank=counts(bank),
        visible=cards(visible),
        pile=cards(pile),
        players=map(player, players or ("-", "-")),
    )


def groups(outcome: Outcome) -> list[list[int]]:
    return [[seat for seat, _ in group] for group in outcome.ranking]


# The worked examples, through the real conversation


V12 = start(
    "bbbbgb",
    "rrgbry",
    equations="rb=ggg gw=rry",
    bank="wbbgyy",
    visible="bbbgg bgrrr* bbgrr gryyy*",
    pile="bgrry bbbrr",
)
V12_TURNS = [
    ("pebble", ""),
    ("pebble", "bgrrr*"),
    ("gw->rry rb->ggg", "bbbgg"),
    ("pebble", ""),
    ("pebble", "bgrry"),
    ("", ""),
]


def check_v12(game: Played) -> None:
    turns = [call for seat in (0, 1, 0, 1, 0) for call in ((seat, REQUEST), (seat, CARDS))]
    assert game.asked == [(0, SETUP), (1, SETUP), *turns, (1, REQUEST), (0, WIN), (1, WIN)]
    assert [call.request.won for call in game.of(WIN)] == [True, False]
    assert game.outcome.ranking == [[(0, 6)], [(1, 3)]]
    after_request = [call.request.turn_state.wallet for call in game.of(CARDS)]
    assert after_request == [counts(text) for text in ("bbbbbgw", "bbgrrry", "bbbbgggry", "bry", "bgrry")]
    assert [card.pebbles for card in game.of(REQUEST)[2].request.turn_state.visible] == [
        counts(text) for text in ("bbbgg", "bbgrr", "gryyy", "bgrry")
    ]
    last = codec.build_state(game.states[-1])
    assert (len(last.visible), len(last.pile), last.phase) == (0, 0, bazaar_pb2.PHASE_OVER)


def test_v12_a_whole_game_that_ends_in_mid_turn() -> None:
    settings = bazaar_pb2.Settings(draw=bazaar_pb2.DRAW_ORDERED, bonus=bazaar_pb2.BONUS_SEY)
    check_v12(played(scripted(*V12_TURNS), settings=settings, state=V12))


# Elimination


@pytest.mark.parametrize(
    ("failed", "ranking"),
    [([1], [[3], [2], [0]]), ([1, 3], [[], [2], [0]]), ([0, 1, 2, 3], [[]])],
)
def test_nobody_moves_up_for_those_that_fail_when_they_are_told(failed: list[int], ranking: list[list[int]]) -> None:
    def answer(call: Call) -> Any:
        return Overrun() if call.method.name == WIN and call.seat in failed else call.method.response()

    game = played(answer, state=start("- 3", "- 9", "- 5", "- 9", bank="", visible="rrrrr", pile=""))
    assert sorted(step.seat for step in game.out) == failed
    assert [call.seat for call in game.of(WIN)] == [1, 3, 0, 2]
    assert [call.request.won for call in game.of(WIN)] == [True, True, False, False]
    assert groups(game.outcome) == ranking


def asked(left: str, right: str) -> bazaar_pb2.Equation:
    return bazaar_pb2.Equation(left=counts(left), right=counts(right))


def request(*steps: bazaar_pb2.Equation) -> RequestPebbleOrExchangesResponse:
    return RequestPebbleOrExchangesResponse(exchanges=Exchanges(steps=steps))


# What is hidden


def disguised(state: State, seat: int) -> Iterator[State]:
    """Yield states that differ only in what a seat must not know."""
    yield state._replace(draw_state=state.draw_state ^ 0x5555)
    if state.pile:
        yield state._replace(pile=(*state.pile[1:], parse_card("rrrrr*")))
        yield state._replace(pile=state.pile[:1])
    for wallet in ("", "rwbgyrwbgy"):
        yield state._replace(
            players=tuple(
                player
                if other == seat or player.standing is not Standing.IN
                else player._replace(wallet=parse_bag(wallet))
                for other, player in enumerate(state.players)
            )
        )


def test_the_evidence_that_spectators_see_does_not_depend_on_what_is_hidden() -> None:
    """The explanation is shown while the game runs; it tells the reply, and nobody's pebbles or cards."""
    state = played(sound("first")).states[40]
    assert state.phase is Phase.REQUEST
    explanations = []
    for other in (state, *disguised(state, state.active), *disguised(state, 1 - state.active)):
        game = conversation.play(Start("g", other.settings, (), other, fresh=False))
        answer: Any = None
        while not isinstance(step := game.send(answer), Eliminate):
            answer = request(asked("r", "rr")) if isinstance(step, Call) and step.kind is CallKind.DECISION else None
        assert isinstance(step.cause, RuleBreak)
        explanations.append(step.cause.explanation)
    assert len(set(explanations)) == 1 < len(explanations)

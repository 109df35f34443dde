"""What a table answers: its state under the agreed keys, and what became of an order."""

import json

from live_parts import NotedJournal, live_table, rules_with

from controller.game.cards import parse_card
from controller.host.answers import ledger_answer, refused
from controller.host.live_table import LiveTable
from controller.table.inputs import CardRead, CloseBets, Confirm, PlaceBet, StartShoe, Target

SIX = [("player", 1, "2H"), ("banker", 1, "3C"), ("player", 2, "2S"), ("banker", 2, "KD")]
SIX += [("player", 3, "4D"), ("banker", 3, "AC")]


def dealt(cards: int) -> LiveTable:
    table = live_table(rules_with(), NotedJournal())
    table.order(StartShoe(1), "1")
    table.order(PlaceBet(2, 1, "player", 10000), "2")
    table.order(CloseBets(3), "3")
    for target, index, card in SIX[:cards]:
        table.take(CardRead(4, Target(target), index, parse_card(card)))
    return table


def test_the_state_has_the_agreed_keys() -> None:
    state = dealt(0).state_answer("q")
    agreed = {"phase", "shoe", "coup", "player", "banker", "player_total", "banker_total", "next", "held", "links"}
    assert agreed | {"bets", "last", "simulated", "seq", "initial_deal"} <= set(state)
    assert state["initial_deal"] is None
    assert (state["player"], state["player_total"], state["next"]) == ([], None, "player")
    assert state["links"] == {"shoe": "up", "display": "down"}
    assert state["bets"] == [{"seat": 1, "wager": "player", "stake": 10000}]
    assert state["last"] is None
    json.dumps(state)


def test_next_is_whose_card_is_due() -> None:
    due = [dealt(cards).state_answer("q")["next"] for cards in range(7)]
    assert due == ["player", "banker", "player", "banker", "player", "banker", None]


def test_the_last_settled_coup_is_told_from_its_settlement_on() -> None:
    table = dealt(6)
    settled = table.state_answer("q")["last"]
    assert isinstance(settled, dict)
    assert (settled["winner"], settled["returned"], settled["cards_used"]) == ("player", 20000, 6)
    table.order(Confirm(9), "c")
    assert table.state_answer("q")["last"] == settled


def test_a_hold_says_why_and_how_many_reports_wait() -> None:
    table = live_table(rules_with(), NotedJournal())
    table.order(StartShoe(1), "1")
    for target, index, card in SIX[:3]:
        table.take(CardRead(4, Target(target), index, parse_card(card)))
    held = table.state_answer("q")["held"]
    assert isinstance(held, dict)
    assert (held["reason"], held["waiting"]) == ("pre-close-card", 2)


def test_an_order_is_answered_with_where_it_led() -> None:
    table = live_table(rules_with(), NotedJournal())
    answer = table.order(StartShoe(1), "one")
    assert {name: answer[name] for name in ("id", "ok", "phase", "shoe", "coup", "held")} == {
        "id": "one", "ok": True, "phase": "betting", "shoe": 1, "coup": 1, "held": None,
    }  # fmt: skip
    assert answer["seq"] == table.seq
    no = table.order(StartShoe(2), "two")
    assert (no["ok"], no["refused"]) == (False, "not-now")
    assert refused("x", "tilt", "why") == {"id": "x", "ok": False, "refused": "tilt", "text": "why"}


def test_the_ledger() -> None:
    assert ledger_answer("q", dealt(0).state) == {"id": "q", "ok": True, "seats": {}, "total": 0}

"""Words of the control socket as orders of a table, or one line on why they are none."""

import pytest

from controller.game.cards import parse_card
from controller.game.coup import parse_place
from controller.host.orders import PLAIN, QUESTIONS, WITH_FIELDS, BadOrder, order_of
from controller.table.inputs import CloseBets, CollectCommission, EnterCard, PlaceBet, WithdrawBets
from controller.table.table import ORDER_NAMES

AT = 1000


def refusal(do: str, **fields: object) -> tuple[str, str]:
    with pytest.raises(BadOrder) as refused:
        order_of(do, fields, AT)
    assert refused.value.text.isprintable()
    return refused.value.reason, refused.value.text


def test_every_order_of_a_table_has_its_word() -> None:
    assert {*PLAIN, *WITH_FIELDS} == set(ORDER_NAMES.values())
    for word, make in PLAIN.items():
        assert order_of(word, {}, AT) == make(AT)
        assert ORDER_NAMES[type(make(AT))] == word


def test_orders_with_fields() -> None:
    assert order_of("bet", {"seat": 3, "wager": "tie", "stake": 500}, AT) == PlaceBet(AT, 3, "tie", 500)
    assert order_of("withdraw", {"seat": 3}, AT) == WithdrawBets(AT, 3, "")
    assert order_of("withdraw", {"seat": 3, "wager": "tie"}, AT) == WithdrawBets(AT, 3, "tie")
    assert order_of("collect", {"seat": 3}, AT) == CollectCommission(AT, 3)
    fields = {"place": "banker-3", "card": "TH", "reason": "seen"}
    assert order_of("card", fields, AT) == EnterCard(AT, parse_place("banker-3"), parse_card("TH"), "seen")
    assert order_of("close-bets", {}, AT) == CloseBets(AT)


def test_what_is_no_order() -> None:
    reason, text = refusal("shuffle\x1b[2J")
    assert reason == "unknown-order"
    assert "close-bets" in text
    assert all(word in text for word in QUESTIONS)
    assert refusal("confirm", now=True)[0] == "bad-request"
    assert refusal("bet", seat=1, wager="tie", stake=1, tip=2)[0] == "bad-request"


@pytest.mark.parametrize("number", [None, True, "3", 1.5, [3], 2**64, -(2**64)])
def test_numbers_are_whole_and_of_a_size_that_can_be_used(number: object) -> None:
    assert refusal("bet", seat=number, wager="tie", stake=1)[0] == "unknown-seat"
    reason, text = refusal("bet", seat=1, wager="tie", stake=number)
    assert reason == "bad-stake"
    assert text.endswith("is no whole number that can be used: write plain digits, from 1 to 9223372036854775807")
    assert refusal("collect", seat=number)[0] == "unknown-seat"


@pytest.mark.parametrize("text", [None, 7, "", "  ", "a\nb", "a\x00b", "x" * 65, "‮tie"])
def test_texts_are_printable_and_short(text: object) -> None:
    assert refusal("bet", seat=1, wager=text, stake=1)[0] == "unknown-wager"
    if text is not None:
        assert refusal("withdraw", seat=1, wager=text)[0] == "unknown-wager"


@pytest.mark.parametrize("place", ["player-0", "player-4", "Player-1", "player1", "dealer-1", "", None, 7])
def test_places(place: object) -> None:
    assert refusal("card", place=place, card="TH", reason="seen")[0] == "bad-place"


@pytest.mark.parametrize("card", ["10H", "th", "T", "THH", "1H", "T♥", "", None, 7, "٣H"])
def test_cards(card: object) -> None:
    assert refusal("card", place="player-1", card=card, reason="seen")[0] == "bad-card"


def test_a_card_is_entered_with_a_reason() -> None:
    for reason in ("", " ", None, 7, "x" * 201, "a\nb"):
        assert refusal("card", place="player-1", card="TH", reason=reason)[0] == "no-reason"

"""Single deals: one line in, one line out, whatever the line is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.host.config import load_paytable
from controller.lab.deal import LONGEST_LINE, deal_lines

PAYTABLE = load_paytable(Path(__file__).parents[2] / "config" / "paytables" / "commission-5.yaml")
REASONS = {"bad-line", "bad-card", "foreign-card", "shoe-empty", "bad-stake", "unknown-wager", "not-payable"}
CARDS = st.sampled_from([rank + suit for rank in "A23456789TJQK" for suit in "CDHS"])
BETS = st.lists(
    st.fixed_dictionaries(
        {
            "seat": st.integers(1, 99),
            "wager": st.sampled_from([wager.id for wager in PAYTABLE.wagers]),
            "stake": st.integers(1, 10**9),
        }
    ),
    max_size=6,
)


def test_each_line_is_a_shoe_of_its_own_and_empty_ones_are_passed_over() -> None:
    line = json.dumps({"shoe": ["9H"] * 4}).encode()
    answers = list(deal_lines(PAYTABLE, 8, [line, b"\n", b"  \n", line, b"x"]))
    assert [answer.refused for answer in answers] == [False, False, True]
    assert answers[0].text == answers[1].text


def test_lines_are_answered_one_by_one_and_none_is_kept() -> None:
    def lines() -> Iterator[bytes]:
        for number in range(3):
            taken.append(number)
            yield json.dumps({"shoe": ["9H", "2C", "KS", "3D"]}).encode()

    taken: list[int] = []
    dealing = deal_lines(PAYTABLE, 8, lines())
    next(dealing)
    assert taken == [0]


def test_a_line_that_is_too_long_is_refused_unread() -> None:
    (answer,) = deal_lines(PAYTABLE, 8, [b"[" * (LONGEST_LINE + 1)])
    assert "longer than" in json.loads(answer.text)["text"]


@given(st.binary(max_size=200))
def test_any_bytes_are_answered_in_one_line(data: bytes) -> None:
    for answer in deal_lines(PAYTABLE, 8, [data]):
        assert answer.text.isascii()
        assert "\n" not in answer.text
        assert not answer.refused or json.loads(answer.text)["refused"] in REASONS


@settings(max_examples=60, deadline=None)
@given(st.lists(CARDS, min_size=6, max_size=12), BETS)
def test_money_adds_up_to_the_unit(shoe: list[str], bets: list[dict[str, object]]) -> None:
    (answer,) = deal_lines(PAYTABLE, 12, [json.dumps({"shoe": shoe, "bets": bets}).encode()])
    told = json.loads(answer.text)
    if answer.refused:
        assert told["refused"] == "not-payable"
        return
    assert told["player"] + told["banker"] != []
    assert told["cards_used"] == len(told["player"]) + len(told["banker"]) <= 6
    assert told["staked"] == sum(line["stake"] for line in told["lines"])
    assert told["returned"] == sum(line["returned"] for line in told["lines"])
    assert told["house_net"] == told["staked"] - told["returned"]
    for line in told["lines"]:
        returned = {"win": line["stake"] + line["won"], "push": line["stake"], "lose": 0}[line["result"]]
        assert line["returned"] == returned
        assert (line["tier"] is None) == (line["result"] != "win") == (line["odds"] is None)


@settings(max_examples=40, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), st.lists, max_leaves=8))
def test_any_value_in_the_place_of_another_is_refused(value: object) -> None:
    line = {"shoe": ["9H", "2C", "KS", "3D"], "bets": [{"seat": 1, "wager": "player", "stake": 100}]}
    for changed in ({**line, "shoe": value}, {**line, "bets": value}, {**line, "bets": [value]}):
        (answer,) = deal_lines(PAYTABLE, 8, [json.dumps(changed).encode()])
        if changed["bets"] != []:
            assert json.loads(answer.text)["refused"] in REASONS


GOOD = {"shoe": ["9H", "2C", "KS", "3D"], "bets": [{"seat": 1, "wager": "player", "stake": 100}]}


@pytest.mark.parametrize("number", ["1.5", "100.0", "1e2", "-1e400", "9" * 5000])
def test_a_number_that_is_no_amount_is_wrong_where_it_stands(number: str) -> None:
    good = json.dumps(GOOD)
    for written, reason in (('"9H"', "bad-card"), ("100", "bad-stake"), ('"player"', "unknown-wager")):
        (answer,) = deal_lines(PAYTABLE, 8, [good.replace(written, number).encode()])
        assert json.loads(answer.text)["refused"] == reason
    for written in (json.dumps(GOOD["shoe"]), json.dumps(GOOD["bets"]), '"shoe"'):
        (answer,) = deal_lines(PAYTABLE, 8, [good.replace(written, number).encode()])
        assert json.loads(answer.text)["refused"] == "bad-line"


def test_of_several_reasons_the_first_in_the_order_is_told() -> None:
    bad_line: list[object] = [{"seat": 0, "wager": "player", "stake": 100}]
    bad_stake: list[object] = [
        {"seat": 1, "wager": "player", "stake": stake} for stake in (0, -1, 2**63, 1.5, "1", None)
    ]
    unknown: list[object] = [{"seat": 1, "wager": wager, "stake": 100} for wager in ("none", 7, None)]
    shoes: list[list[object]] = [["9H", "XX"], [7], ["9H"] * 9, ["9H"], ["9H", "2C", "KS", "3D"]]
    for shoe, reason in zip(shoes, ("bad-card", "bad-card", "foreign-card", "shoe-empty", None), strict=True):
        for bets, own in ((bad_line, "bad-line"), (bad_stake, "bad-stake"), (unknown, "unknown-wager")):
            for bet in bets:
                (answer,) = deal_lines(PAYTABLE, 8, [json.dumps({"shoe": shoe, "bets": [bet]}).encode()])
                wanted = own if reason is None or own == "bad-line" else reason
                assert json.loads(answer.text)["refused"] == wanted, (shoe, bet)

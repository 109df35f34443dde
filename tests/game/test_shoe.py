"""A shoe: what it may still hold, how many cards it burns, and where its cut card must lie."""

import pytest

from controller.game.cards import DECK, parse_card
from controller.game.shoe import BurnBy, BurnRule, CutCard, ForeignCard, Inventory, ShoeEmpty


def test_a_full_shoe_holds_52_cards_a_deck():
    assert Inventory.full(8).cards_left == 416
    assert Inventory.full(1).cards_left == 52


def test_a_card_out_is_counted_and_the_old_inventory_stays():
    full = Inventory.full(8)
    ten = parse_card("TH")
    less = full.without(ten).without(ten)
    assert (less.cards_left, less.out(ten), less.out(parse_card("TS"))) == (414, 2, 0)
    assert full == Inventory.full(8)


def test_a_ninth_eight_of_spades_is_foreign_to_eight_decks():
    inventory = Inventory.full(8)
    eight = parse_card("8S")
    for _ in range(8):
        inventory = inventory.without(eight)
    with pytest.raises(ForeignCard, match="8S came out 9 times"):
        inventory.without(eight)


def test_an_unseen_card_is_one_less_and_no_card_in_particular():
    inventory = Inventory.full(1).without(None)
    assert inventory.cards_left == 51
    assert all(inventory.out(card) == 0 for card in DECK)


def test_more_cards_than_the_decks_is_an_empty_shoe():
    inventory = Inventory.full(1)
    for _ in range(52):
        inventory = inventory.without(None)
    assert inventory.cards_left == 0
    with pytest.raises(ShoeEmpty, match="52"):
        inventory.without(None)
    with pytest.raises(ShoeEmpty, match="52"):
        inventory.without(parse_card("AS"))


def test_every_card_of_every_deck_may_come_out():
    inventory = Inventory.full(12)
    for card in DECK * 12:
        inventory = inventory.without(card)
    assert inventory.cards_left == 0
    with pytest.raises(ForeignCard):
        inventory.without(DECK[0])


@pytest.mark.parametrize("decks", [0, -1, 256])
def test_no_such_number_of_decks(decks):
    with pytest.raises(AssertionError, match="1 to 255 decks"):
        Inventory.full(decks)


@pytest.mark.parametrize(
    ("first", "due"), [("AS", 1), ("2S", 2), ("9H", 9), ("TC", 10), ("JD", 10), ("QS", 10), ("KH", 10)]
)
def test_the_first_card_says_how_many_burn_cards_follow_it(first, due):
    assert BurnRule(BurnBy.FIRST_CARD).due(8, parse_card(first)) == due


def test_a_house_may_count_an_ace_11_and_a_court_card_0():
    rule = BurnRule(BurnBy.FIRST_CARD, ace=11, court=0)
    assert rule.due(8, parse_card("AS")) == 11
    assert rule.due(8, parse_card("KS")) == rule.due(8, parse_card("TS")) == 0
    assert rule.due(8, parse_card("5S")) == 5


def test_how_many_burn_cards_is_not_known_before_the_first_card():
    assert BurnRule(BurnBy.FIRST_CARD).due(8, None) is None


@pytest.mark.parametrize("first", [None, parse_card("9S")])
@pytest.mark.parametrize(
    ("rule", "due"), [(BurnRule(BurnBy.DECKS), 6), (BurnRule(BurnBy.FIXED, cards=3), 3), (BurnRule(BurnBy.NONE), 0)]
)
def test_the_other_rules_do_not_look_at_the_first_card(rule, due, first):
    assert rule.due(6, first) == due


@pytest.mark.parametrize(
    ("depth", "coups_after", "enough"),
    [
        (6, 0, True),
        (5, 0, False),
        (10, 0, True),
        (11, 1, True),
        (10, 1, False),
        (14, 1, True),
        (17, 2, True),
        (16, 2, False),
    ],
)
def test_the_cards_behind_the_cut_card_must_do_for_the_last_coup(depth, coups_after, enough):
    """Five of the coup it came out in and six of each coup after; six of the one coup it came out first of."""
    assert CutCard(depth, coups_after).enough() is enough

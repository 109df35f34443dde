"""A coup: where each card goes, totals, naturals, pairs and the winner."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.game.cards import DECK, parse_card
from controller.game.coup import PLACES, Coup, Hand, Natural, Pair, Place, Winner, deal_coup, parse_place
from controller.game.shoe import ShoeEmpty


def cards(text):
    return [parse_card(each) for each in text.split()]


def after(text):
    coup = Coup()
    for card in cards(text):
        coup = coup.dealt(card)
    return coup


@pytest.mark.parametrize(
    ("dealt", "place"),
    [
        ("", "player-1"),
        ("2C", "banker-1"),
        ("2C 3C", "player-2"),
        ("2C 3C 4C", "banker-2"),
        ("2C 2D TC TD", "player-3"),
        ("2C 2D TC TD 5H", "banker-3"),
        ("7C 2D TC TD", "banker-3"),
    ],
)
def test_cards_go_player_banker_player_banker_then_players_third_before_bankers(dealt, place):
    assert after(dealt).next_place == parse_place(place)
    assert not after(dealt).complete


@pytest.mark.parametrize(
    "dealt", ["9C 2D TC TD", "7C 7D TC TD", "2C 7D TC TD 5H", "7C 2D TC TD 5H", "2C 2D TC TD 5H 6H"]
)
def test_four_five_or_six_cards_complete_a_coup(dealt):
    assert after(dealt).complete
    with pytest.raises(ValueError, match="complete"):
        after(dealt).dealt(parse_card("AS"))


def test_a_card_dealt_makes_a_new_coup_and_leaves_the_old():
    before = after("2C 3C")
    assert before.dealt(parse_card("4C")) == Coup(tuple(cards("2C 4C")), tuple(cards("3C")))
    assert before == after("2C 3C")


@pytest.mark.parametrize("place", PLACES)
def test_a_place_is_written_and_read_back(place):
    assert parse_place(str(place)) == place


def test_the_six_places():
    assert [str(place) for place in PLACES] == ["player-1", "banker-1", "player-2", "banker-2", "player-3", "banker-3"]
    assert parse_place("banker-3") == Place(Hand.BANKER, 3)


@pytest.mark.parametrize("text", ["", "player", "player-0", "player-4", "Player-1", "player-1 ", "player-１", "burn-1"])
def test_no_other_place(text):
    with pytest.raises(ValueError, match="is no place"):
        parse_place(text)


def test_totals_grow_with_the_cards_and_are_none_while_a_hand_is_empty():
    assert (Coup().player_total, Coup().banker_total) == (None, None)
    assert (after("7C").player_total, after("7C").banker_total) == (7, None)
    assert (after("7C KC 6C").player_total, after("7C KC 6C").banker_total) == (3, 0)


@pytest.mark.parametrize(
    ("dealt", "has_four"), [("2C 3C 4C", False), ("2C 3C 4C 5C", True), ("2C 2D TC TD 5H 6H", True)]
)
def test_has_four_once_both_hands_have_two(dealt, has_four):
    assert after(dealt).has_four is has_four


@pytest.mark.parametrize(
    ("dealt", "natural"),
    [
        ("9C 2D TC TD", Natural.PLAYER),
        ("8C 7D TC TD", Natural.PLAYER),
        ("2C 8D TC TD", Natural.BANKER),
        ("8C 9D TC TD", Natural.BOTH),
        ("7C 7D TC TD", Natural.NONE),
        ("2C 7D TC TD 6H", Natural.NONE),
    ],
)
def test_a_natural_is_8_or_9_with_two_cards(dealt, natural):
    assert after(dealt).natural is natural


@pytest.mark.parametrize(
    ("dealt", "winner"),
    [
        ("9C 8D TC TD", Winner.PLAYER),
        ("8C 9D TC TD", Winner.BANKER),
        ("9C 9D TC TD", Winner.TIE),
        ("2C 7D TC TD 5H", Winner.TIE),
        ("2C 7D TC TD 6H", Winner.PLAYER),
        ("7C 2D TC TD 8H", Winner.PLAYER),
    ],
)
def test_the_higher_total_wins_and_equal_is_a_tie_whatever_the_number_of_cards(dealt, winner):
    assert after(dealt).winner is winner


def test_an_unfinished_coup_has_no_winner():
    with pytest.raises(AssertionError, match="not complete"):
        _ = after("2C 2D TC TD").winner


@pytest.mark.parametrize(
    ("hand", "pair"),
    [("TC TC", Pair.PERFECT), ("TC TD", Pair.MIXED), ("TC JC", Pair.NONE), ("5C 5S", Pair.MIXED), ("AC 2C", Pair.NONE)],
)
def test_a_pair_is_one_rank_and_a_perfect_pair_one_suit_too(hand, pair):
    first, second = hand.split()
    assert after(f"{first} 9D {second} 7H").player_pair is pair
    assert after(f"9D {first} 7H {second}").banker_pair is pair


def test_a_third_card_changes_no_pair():
    coup = after("2C 3D 3C TD 2C 2D")
    assert (coup.player_pair, coup.banker_pair) == (Pair.NONE, Pair.NONE)
    assert after("2C 3D 2D TD 2H 3C").player_pair is Pair.MIXED


def test_third_values_are_none_while_there_is_no_third_card():
    assert (after("7C 2D TC TD 5H").player_third_value, after("7C 2D TC TD 5H").banker_third_value) == (None, 5)
    assert (after("2C 7D TC TD KH").player_third_value, after("2C 7D TC TD KH").banker_third_value) == (0, None)


def test_dealing_takes_exactly_the_cards_it_needs():
    shoe = iter(cards("9C 2D TC TD 5H"))
    assert deal_coup(shoe) == after("9C 2D TC TD")
    assert list(shoe) == cards("5H")


@pytest.mark.parametrize("shoe", ["", "2C", "2C 2D TC", "2C 2D TC TD", "2C 2D TC TD 5H"])
def test_a_shoe_that_runs_out_in_a_coup_is_empty(shoe):
    with pytest.raises(ShoeEmpty, match="ran out"):
        deal_coup(cards(shoe))


@given(st.lists(st.sampled_from(DECK), min_size=6, max_size=6))
def test_dealing_at_once_and_card_by_card_agree(shoe):
    coup = Coup()
    for card in shoe:
        if coup.next_place is None:
            break
        coup = coup.dealt(card)
    assert deal_coup(shoe) == coup
    assert coup.complete
    assert coup.player_draws is (len(coup.player) == 3)
    assert coup.banker_draws is (len(coup.banker) == 3)
    assert pickle.loads(pickle.dumps(coup)) == coup


def test_a_coup_prints_its_hands():
    assert str(after("2C 2D TC")) == "Player 2C TC Banker 2D"
    assert str(Coup()) == "Player - Banker -"

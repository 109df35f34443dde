"""Simulated shoes: a known generator, a fair shuffle, the burn, the cut card and the last coup."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from simulated import HOUSES, by_arrays, by_game

from controller.game.cards import DECK, parse_card
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.lab import simulate_arrays, simulate_shoe
from controller.lab.simulate_shoe import CARD_BY_CODE, CODES, GAMMA, MASK, ShoeRule, coups, mixed, shuffled, usual_shoe

# The generator and the shuffle


def test_the_words_are_those_of_splitmix64():
    """The published test vector for seed 1234567."""
    words = [mixed(1234567 + number * GAMMA & MASK) for number in range(1, 6)]
    assert words == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_every_card_has_a_code_of_its_own():
    assert len(set(CODES)) == 52
    assert [CARD_BY_CODE[code] for code in CODES] == list(DECK)
    assert simulate_arrays.worth(np.array(CODES, np.uint8)).tolist() == [card.value for card in DECK]


@pytest.mark.parametrize("decks", range(1, 13))
def test_a_shuffled_shoe_holds_every_card_of_its_decks(decks):
    assert Counter(shuffled(7, 3, decks)) == dict.fromkeys(DECK, decks)


@pytest.mark.parametrize("decks", [1, 6, 8, 12])
def test_arrays_shuffle_the_same_shoes(decks):
    codes = simulate_arrays.shuffled(2**64 - 1, range(200, 340), decks)[:-8].reshape(140, -1)
    for number in (0, 1, 77, 127, 128, 139):
        assert [CARD_BY_CODE[code] for code in codes[number].tolist()] == shuffled(2**64 - 1, 200 + number, decks)


def shoes_shuffled_twice():
    """Shoes of twelve decks in which two keys agree: three in a thousand."""
    found = []
    for shoe in range(2_000):
        keys = simulate_shoe._keys(simulate_shoe.before_shoe(5, shoe, 0), CODES * 12)
        if len({key >> 6 for key in keys}) < len(keys):
            found.append(shoe)
    return found


def test_a_shoe_with_two_equal_keys_is_shuffled_again_both_ways():
    again = shoes_shuffled_twice()
    assert 2 <= len(again) <= 14
    codes = simulate_arrays.shuffled(5, range(2_000), 12)[:-8].reshape(2_000, -1)
    for shoe in again:
        keys = sorted(simulate_shoe._keys(simulate_shoe.before_shoe(5, shoe, 1), CODES * 12))
        assert [CARD_BY_CODE[key & 63] for key in keys] == shuffled(5, shoe, 12)
        assert [CARD_BY_CODE[code] for code in codes[shoe].tolist()] == shuffled(5, shoe, 12)


def test_the_same_seed_and_shoe_are_the_same_cards_and_any_other_are_not():
    assert shuffled(1, 0, 8) == shuffled(1, 0, 8)
    others = [shuffled(1, 1, 8), shuffled(2, 0, 8), shuffled(0, 0, 8), shuffled(2**64 - 1, 0, 8)]
    assert all(other != shuffled(1, 0, 8) for other in others)


@pytest.mark.parametrize("place", [0, 1, 207, 208, 415])
def test_every_card_is_as_likely_in_every_place(place):
    """Chi-square with 51 degrees of freedom: above 100 in one of 20,000 fair shuffles of a seed."""
    shoes = 20_000
    codes = simulate_arrays.shuffled(11, range(shoes), 8)[:-8].reshape(shoes, -1)
    seen = np.bincount(codes[:, place], minlength=64)[list(CODES)]
    assert ((seen - shoes / 52) ** 2 / (shoes / 52)).sum() < 100


def test_neighbours_are_independent():
    """Same rank side by side: 31 of 415 in eight decks, as for every pair."""
    shoes = 10_000
    ranks = simulate_arrays.shuffled(12, range(shoes), 8)[:-8].reshape(shoes, -1) & 15
    seen = (ranks[:, 1:] == ranks[:, :-1]).mean()
    assert abs(seen - 31 / 415) < 5 * (31 / 415 / shoes / 415) ** 0.5


# The burn, the cut card and the last coup

TEN, ACE = parse_card("TH"), parse_card("AH")
ALL_TENS = [TEN] * 416  # every coup takes six cards: two hands of nothing draw nothing


def tens(rule, first=TEN):
    return len(list(coups([first, *ALL_TENS[1:]], rule)))


NO_BURN = BurnRule(BurnBy.NONE)


def house(burn=NO_BURN, depth=14, after=1):
    return ShoeRule(8, burn, CutCard(depth, after))


def test_the_first_card_and_as_many_as_it_is_worth_are_gone():
    by_first = BurnRule(BurnBy.FIRST_CARD, ace=11, court=10)
    assert house(by_first).burned(ACE) == 12
    assert house(by_first).burned(TEN) == 11
    assert house(by_first).burned(parse_card("4C")) == 5
    assert next(coups([parse_card("2C"), ACE, ACE, *ALL_TENS], house(by_first))).player[0] is TEN


def test_other_burns_turn_no_first_card():
    assert house(BurnRule(BurnBy.DECKS)).burned(TEN) == 8
    assert house(BurnRule(BurnBy.FIXED, cards=3)).burned(TEN) == 3
    assert house().burned(TEN) == 0
    assert next(coups([ACE, *ALL_TENS[1:]], house())).player[0] is ACE


@pytest.mark.parametrize(
    ("depth", "after", "dealt"),
    [
        (14, 0, 68),  # 402 cards before the cut card: it is first of coup 68, and so that is the last
        (15, 0, 67),  # 401: out in coup 67
        (20, 0, 67),  # 396: first of coup 67
        (21, 0, 66),  # 395: out in coup 66, that is the last
        (14, 1, 68),  # first of coup 68: none follows it, whatever the rule
        (15, 1, 68),  # out in coup 67: one more
        (20, 1, 67),
        (21, 1, 67),
        (21, 2, 68),
    ],
)
def test_the_cut_card_ends_the_shoe(depth, after, dealt):
    assert tens(house(depth=depth, after=after)) == dealt


@pytest.mark.parametrize("rule", HOUSES.values(), ids=HOUSES)
def test_the_last_coup_always_finds_its_cards(rule):
    assert rule.cut_card.enough()
    for shoe in range(30):
        cards = shuffled(3, shoe, rule.decks)
        used = sum(len(coup.player) + len(coup.banker) for coup in coups(cards, rule)) + rule.burned(cards[0])
        assert rule.cut_at <= used <= len(cards)


# Both ways deal the same coups


@pytest.mark.parametrize("rule", HOUSES.values(), ids=HOUSES)
def test_game_and_arrays_deal_the_same_coups(rule):
    shoes = range(90, 110)
    assert by_arrays(rule, 2, shoes) == by_game(rule, 2, shoes)


def test_they_agree_wherever_the_cut_card_lies():
    """Also as the first card of a coup."""
    for depth in range(6, 40):
        rule = ShoeRule(1, NO_BURN, CutCard(depth, 0))
        assert by_arrays(rule, 4, range(12)) == by_game(rule, 4, range(12))


def test_every_cell_of_the_tableau_occurs():
    stood, drew, player = set(), set(), set()
    for coup in by_arrays(usual_shoe(8), 1, range(40)):
        if coup.natural.value == "none":
            player.add(coup.player_two)
            cell = (coup.banker_two, coup.player_third_value)
            (stood if coup.player_third_value is None else drew).add(cell)
    assert player == set(range(8))
    assert stood == {(banker, None) for banker in range(8)}
    assert drew == {(banker, third) for banker in range(8) for third in range(10)}


def test_coups_are_dealt_as_they_are_asked_for():
    assert len(list(islice(coups(shuffled(1, 0, 8), usual_shoe(8)), 3))) == 3

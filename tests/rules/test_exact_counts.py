"""Every deal, counted: the whole rule walked through `game` gives the known whole numbers for eight decks.

No sample could show this: Banker's 3 drawing on an 8 moves Banker by 0.009 points only.
"""

from collections import Counter

import pytest

from controller.game.cards import parse_card
from controller.game.coup import Coup

pytestmark = pytest.mark.untraced

ONE_OF_EACH_VALUE = [parse_card(rank + "C") for rank in "TA23456789"]
DECKS = 8
CARDS = DECKS * 52


def walk(coup, counts, weight, visit):
    """Every way of values to complete the coup, with the number of ordered six-card deals that go that way."""
    left = sum(counts)
    if coup.complete:
        for unused in range(left, CARDS - 6, -1):
            weight *= unused
        visit(coup, weight)
        return
    for card in ONE_OF_EACH_VALUE:
        left_of_it = counts[card.value]
        counts[card.value] -= 1
        walk(coup.dealt(card), counts, weight * left_of_it, visit)
        counts[card.value] += 1


def test_all_339_400_deals_by_value_give_the_exact_counts_of_eight_decks():
    ways, courses, cards = Counter(), Counter(), Counter()

    def count(coup, weight):
        ways[coup.winner.value] += weight
        courses[coup.winner.value] += 1
        cards[len(coup.player) + len(coup.banker)] += 1

    walk(Coup(), [16 * DECKS] + [4 * DECKS] * 9, 1, count)

    assert courses.total() == 339_400
    assert set(cards) == {4, 5, 6}
    assert ways == {
        "banker": 2_292_252_566_437_888,
        "player": 2_230_518_282_592_256,
        "tie": 475_627_426_473_216,
    }
    assert ways.total() == 4_998_398_275_503_360 == CARDS * 415 * 414 * 413 * 412 * 411

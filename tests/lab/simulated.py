"""Shoes of many houses, dealt both ways."""

import numpy as np

from controller.game.coup import Coup
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.lab.simulate_arrays import Dealer, DealtCoups, as_coup
from controller.lab.simulate_shoe import ShoeRule, coups, shuffled, usual_shoe

HOUSES = {
    "eight decks, Las Vegas": usual_shoe(8),
    "one deck": usual_shoe(1),
    "six decks, France": ShoeRule(6, BurnRule(BurnBy.FIRST_CARD), CutCard(10, 0)),
    "an ace burns eleven": ShoeRule(2, BurnRule(BurnBy.FIRST_CARD, ace=11, court=0), CutCard(17, 2)),
    "twelve decks, as many burned": ShoeRule(12, BurnRule(BurnBy.DECKS), CutCard(12, 1)),
    "three decks, four burned": ShoeRule(3, BurnRule(BurnBy.FIXED, cards=4), CutCard(16, 1)),
    "nothing burned": ShoeRule(4, BurnRule(BurnBy.NONE), CutCard(60, 9)),
}


def by_game(rule: ShoeRule, seed: int, shoes: range) -> list[Coup]:
    return [coup for shoe in shoes for coup in coups(shuffled(seed, shoe, rule.decks), rule)]


def in_order(dealt: DealtCoups) -> DealtCoups:
    order = np.argsort(dealt.number)
    assert dealt.number[order].tolist() == list(range(len(order)))
    return DealtCoups(*(column[order] for column in dealt))


def by_arrays(rule: ShoeRule, seed: int, shoes: range) -> list[Coup]:
    dealt = in_order(Dealer(rule, seed).deal(shoes))
    return [as_coup(cards, course) for cards, course in zip(dealt.cards, dealt.course.tolist(), strict=True)]

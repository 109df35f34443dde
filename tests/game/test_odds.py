"""Exact odds, counted twice: by the quick way the program takes, and by dealing every deal there is."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from controller.game.cards import DECK, parse_card
from controller.game.coup import Coup, deal_coup
from controller.game.facts import CARD_FACTS, FACTS, INITIAL_FACTS, SINGLE_CARD_FACTS, Facts
from controller.game.odds import Chances, Odds, odds, outcomes
from controller.game.odds_cards import card_ways
from controller.game.odds_values import course_ways, courses
from controller.game.reachable import every_course, reachable, work
from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.game.starts import PARTS, Question
from controller.game.wagers import NEVER, Condition, Tier, Wager

pytestmark = pytest.mark.untraced

EIGHT = Chances.of(8)
BY_VALUE = frozenset(FACTS) - CARD_FACTS


def cards(text):
    return [parse_card(word) for word in text.split()]


def shoe_of(text):
    """A shoe that holds just these cards."""
    counts = Counter(cards(text))
    return Chances({card: counts[card] for card in DECK})


def by_kind(chances, names):
    """Ways by the values of the named facts, in the order of `names`."""
    return {tuple(facts[name] for name in names): ways for facts, ways in chances.by(frozenset(names))}


def wager(wins, pays="1", pushes=NEVER, commission="0"):
    return Wager("it", (Tier(Condition.of(wins), Fraction(pays)),), pushes, Fraction(commission))


# The outcomes: the known whole numbers


def test_the_outcomes_of_eight_decks():
    assert outcomes(EIGHT) == {
        "player": 2_230_518_282_592_256,
        "banker": 2_292_252_566_437_888,
        "tie": 475_627_426_473_216,
    }
    assert EIGHT.total == 4_998_398_275_503_360


@pytest.mark.parametrize("decks", range(1, 13))
def test_the_outcomes_sum_to_all_deals(decks):
    chances = Chances.of(decks)
    cards_in_all = 52 * decks
    assert sum(outcomes(chances).values()) == chances.total
    assert chances.total == (
        cards_in_all * (cards_in_all - 1) * (cards_in_all - 2) * (cards_in_all - 3) * (cards_in_all - 4)
        * (cards_in_all - 5)
    )  # fmt: skip


# By value: the quick count against every sequence of values


def walk(coup, counts, weight, visit):
    """Every way of values to complete the coup, with the number of ordered six-card deals that go that way."""
    if coup.complete:
        left = sum(counts)
        for place in range(6 - len(coup.player) - len(coup.banker)):
            weight *= left - place
        visit(coup, weight)
        return
    for value in range(10):
        left_of_it = counts[value]
        if left_of_it:
            counts[value] -= 1
            walk(coup.dealt(DECK[value - 1 if value else 9]), counts, weight * left_of_it, visit)
            counts[value] += 1


def slow_course_ways(counts):
    found = Counter()

    def visit(coup, weight):
        found[coup.player_two, coup.banker_two, coup.player_third_value, coup.banker_third_value] += weight

    walk(Coup(), list(counts), 1, visit)
    return found


UNEVEN = (17, 3, 0, 8, 1, 2, 6, 1, 4, 5)
SHOES_BY_VALUE = {
    "eight decks": (128, *[32] * 9),
    "one deck": (16, *[4] * 9),
    "uneven": UNEVEN,
    "six cards": (1, 0, 2, 0, 0, 1, 1, 1, 0, 0),
    "seven alike": (7, *[0] * 9),
}


@pytest.mark.parametrize("counts", SHOES_BY_VALUE.values(), ids=SHOES_BY_VALUE)
def test_every_course_has_the_ways_that_dealing_every_sequence_of_values_gives(counts):
    quick = {tuple(course): ways for course, ways in zip(courses(), course_ways(counts), strict=True) if ways}
    assert quick == slow_course_ways(counts)


def test_there_are_3394_courses_and_each_is_the_course_of_a_coup():
    assert len(set(courses())) == len(every_course()) == 3394
    assert all(coup.complete for coup in every_course())
    assert set(courses()) == {
        (coup.player_two, coup.banker_two, coup.player_third_value, coup.banker_third_value) for coup in every_course()
    }


@pytest.mark.parametrize("names", [{"winner", "cards"}, {"player_two", "points"}, {"banker_third"}, BY_VALUE])
def test_the_two_ways_of_counting_agree_on_facts_of_value(names):
    """The count by classes of cards knows nothing of courses."""
    names = sorted(names)
    found = Counter()
    counted = card_ways(EIGHT.left, Question(frozenset(names)))
    for row, ways in counted.ways.items():
        facts = Facts(counted.coup(row))
        assert row == tuple(facts[name] for name in names)
        found[row] += ways
    assert found == by_kind(EIGHT, names)


# By card: the quick count against every deal of a small shoe

SMALL = "7C 7C 7D 9D 9D 9H 4S 4S"  # perfect and mixed pairs, two hands of one pair, nines and sevens
NATURALS = "9C 9D 8S 8S AD KH KH QC"
FULL = "2C 2C 2C 2C 2C 2D 2D 5H"


@pytest.mark.parametrize("shoe", [SMALL, NATURALS, FULL])
def test_every_fact_has_the_ways_that_dealing_every_deal_gives(shoe):
    asked = [
        *([name] for name in FACTS),
        ["player_pair", "banker_pair", "same_pair"],
        ["player_pair", "winner", "cards"],
        ["perfect_pairs", "margin", "both_natural"],
        ["nines_in_four", "nine_suits_in_four", "diamond_nines_in_four"],
        ["player_first_rank", "sevens", "winner"],
        ["banker_second_rank", "player_first_rank", "pairs"],
        ["same_pair", "banker_first_rank", "banker_third"],
        ["nine_suits_in_four", "player_pair", "total"],
    ]
    seen = [Counter() for _ in asked]
    kinds = Counter(tuple(map(parse_card, deal)) for deal in permutations(shoe.split(), 6))
    for deal, ways in kinds.items():
        facts = Facts(deal_coup(deal))
        for names, counter in zip(asked, seen, strict=True):
            counter[tuple([facts[name] for name in names])] += ways
    chances = shoe_of(shoe)
    for names, counter in zip(asked, seen, strict=True):
        assert by_kind(chances, names) == counter, names


def test_perfect_pairs_of_eight_decks_by_their_own_formula():
    """One hand: 416 cards, the same card 7 more times, another suit of its rank 24 more times."""
    pairs = by_kind(EIGHT, ["player_pair"])
    rest = 414 * 413 * 412 * 411
    assert pairs["perfect",] == 416 * 7 * rest
    assert pairs["mixed",] == 416 * 24 * rest
    assert pairs["none",] == 416 * 384 * rest
    assert pairs == by_kind(EIGHT, ["banker_pair"])


def test_four_nines_and_three_of_a_suit_as_printed_elsewhere():
    """Of 1,229,930,520 sets of four cards 35,960 are four nines, 86,016 three suited and another card."""
    nines = by_kind(EIGHT, ["nines_in_four", "nine_suits_in_four"])
    deals_of_a_set = 24 * 412 * 411
    assert sum(ways for (number, _), ways in nines.items() if number == 4) == 35_960 * deals_of_a_set
    assert nines[3, 1] == 86_016 * deals_of_a_set
    assert nines[2, 1] == 8_236_032 * deals_of_a_set


def test_one_deck_has_no_perfect_pair():
    assert set(by_kind(Chances.of(1), ["player_pair"])) == {("none",), ("mixed",)}


def test_cards_that_are_gone_are_not_dealt():
    without_nines = Chances.of(2, [card for card in DECK if card.value == 9] * 2)
    assert by_kind(without_nines, ["nines_in_four"]) == {(0,): without_nines.total}
    assert without_nines.total == 96 * 95 * 94 * 93 * 92 * 91
    assert sum(outcomes(without_nines).values()) == without_nines.total


def test_more_of_a_card_cannot_be_gone_than_there_were():
    with pytest.raises(ForeignCard):
        Chances.of(1, cards("AS AS"))


def test_a_shoe_of_five_cards_deals_no_coup():
    with pytest.raises(ShoeEmpty, match="5 cards are left; a coup needs six"):
        Chances.of(1, DECK[:47])
    assert sum(outcomes(Chances.of(1, DECK[:46])).values()) == 720


@pytest.mark.parametrize("name", sorted(PARTS))
def test_what_each_hand_adds_to_a_fact_makes_the_fact(name):
    parts = PARTS[name]
    for facts in reachable({name, "player_pair", "banker_pair", "nines_in_four", "cards"}):
        player, banker = facts.coup
        made = parts.joined(parts.player(player[:2]), parts.banker(banker[:2]))
        if name == "sevens":
            made += sum(card.value == 7 for card in (*player[2:], *banker[2:]))
        assert facts[name] == made == FACTS[name].of(facts.coup)


def test_ranks_that_a_wager_does_not_tell_apart_count_as_one():
    asked = wager_on(Condition.of({"player_first_rank": 7, "winner": "tie"})).question()
    assert len(set(asked.ranks)) == 2
    assert work(asked) < work(Question(asked.names))


def wager_on(wins):
    return Wager("w", (Tier(wins, Fraction(1)),))


def test_facts_of_single_cards_are_initial_but_for_the_sevens_of_the_whole_coup():
    assert {"sevens"} == SINGLE_CARD_FACTS - INITIAL_FACTS


# Figures


def test_the_figures_of_a_wager_with_tiers():
    """Of ten deals 2 pay 3:1, 1 pays 1:2, 3 push and 4 lose."""
    figures = Odds(tiers=(2, 1), push=3, lose=4, nets=(Fraction(3), Fraction(1, 2)))
    assert (figures.win, figures.total) == (3, 10)
    assert figures.hit == Fraction(3, 10)
    assert figures.house_edge == Fraction(4 * 2 - 6 * 2 - 1, 20) == Fraction(-1, 4)
    assert figures.house_edge_resolved == Fraction(-5, 14)
    assert figures.variance == Fraction(4 + 18, 10) + Fraction(1, 40) - Fraction(1, 16)


def test_a_wager_that_always_pushes_has_no_edge_of_what_was_resolved():
    figures = odds(wager({"winner": "tie", "margin": 1}, pushes=Condition.of({"cards": [4, 5, 6]})), EIGHT)
    assert (figures.win, figures.push, figures.lose) == (0, EIGHT.total, 0)
    assert (figures.house_edge, figures.house_edge_resolved) == (0, None)


def test_commission_is_part_of_the_edge_at_its_exact_rate():
    banker = wager({"winner": "banker"}, pushes=Condition.of({"winner": "tie"}), commission="1/20")
    ways = outcomes(EIGHT)
    edge = odds(banker, EIGHT).house_edge
    assert edge == (ways["player"] - Fraction(19, 20) * ways["banker"]) / EIGHT.total
    assert f"{float(edge):.4%}" == "1.0579%"
    assert f"{float(odds(banker, EIGHT).house_edge_resolved):.2%}" == "1.17%"


def test_an_earlier_tier_takes_the_coups_that_a_later_one_would_win_too():
    both = Wager(
        "both", (Tier(Condition.of({"winner": "tie"}), Fraction(8)), Tier(Condition.of({"margin": 0}), Fraction(9)))
    )
    ways = odds(both, EIGHT)
    assert ways.tiers == (475_627_426_473_216, 0)

"""Wagers: the facts of a coup, conditions, what becomes of a wager, and what can be told of it without a coup."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.game.cards import DECK, parse_card
from controller.game.coup import Coup, deal_coup
from controller.game.facts import CARD_FACTS, SINGLE_CARD_FACTS
from controller.game.reachable import reachable
from controller.game.wagers import (
    FACTS,
    INITIAL_FACTS,
    NEVER,
    Condition,
    Facts,
    Resolution,
    Result,
    Tier,
    Wager,
    idle_tiers,
    impossible,
    odds_text,
    overlap,
    resolve,
)

TIE = Condition.of({"winner": "tie"})
EVEN = Fraction(1)


def coup(text):
    return deal_coup(map(parse_card, text.split()))


def wager(*wins, pushes=NEVER):
    return Wager("it", tuple(Tier(condition, EVEN) for condition in wins), pushes)


PLAYER_NATURAL_9 = "9C 2D TC 2H"
SIX_CARDS = "2C KD 2D 5H 5C 9C"  # Player 4 draws 5: 9; Banker 5 draws 9: 4
BANKER_ALONE_DREW = "6C 5D KC KH 2S"  # Player 6; Banker 5 draws 2: 7
SAME_PAIRS = "7C 7D 7C 7H 5S 9D"  # Player 4 draws 5: 9; Banker 4 draws 9: 3
OTHER_PAIRS = "9C 9D TC TH"


@pytest.mark.parametrize(
    ("dealt", "fact", "value"),
    [
        (PLAYER_NATURAL_9, "winner", "player"),
        (PLAYER_NATURAL_9, "player_natural", True),
        (PLAYER_NATURAL_9, "banker_natural", False),
        (PLAYER_NATURAL_9, "natural", True),
        (PLAYER_NATURAL_9, "both_natural", False),
        (PLAYER_NATURAL_9, "player_third", "none"),
        (PLAYER_NATURAL_9, "banker_third", "none"),
        (PLAYER_NATURAL_9, "cards", 4),
        (SIX_CARDS, "player_two", 4),
        (SIX_CARDS, "banker_two", 5),
        (SIX_CARDS, "player_third", 5),
        (SIX_CARDS, "banker_third", 9),
        (SIX_CARDS, "player_total", 9),
        (SIX_CARDS, "banker_total", 4),
        (SIX_CARDS, "total", 9),
        (SIX_CARDS, "margin", 5),
        (SIX_CARDS, "points", 13),
        (SIX_CARDS, "player_cards", 3),
        (SIX_CARDS, "banker_cards", 3),
        (SIX_CARDS, "cards", 6),
        (SIX_CARDS, "natural", False),
        (SIX_CARDS, "player_pair", "mixed"),
        (SIX_CARDS, "banker_pair", "none"),
        (SIX_CARDS, "pairs", 1),
        (SIX_CARDS, "perfect_pairs", 0),
        (BANKER_ALONE_DREW, "winner", "banker"),
        (BANKER_ALONE_DREW, "total", 7),
        (BANKER_ALONE_DREW, "player_third", "none"),
        (BANKER_ALONE_DREW, "banker_third", 2),
        (BANKER_ALONE_DREW, "cards", 5),
        (SAME_PAIRS, "player_pair", "perfect"),
        (SAME_PAIRS, "banker_pair", "mixed"),
        (SAME_PAIRS, "pairs", 2),
        (SAME_PAIRS, "perfect_pairs", 1),
        (SAME_PAIRS, "same_pair", True),
        (OTHER_PAIRS, "same_pair", False),
        (OTHER_PAIRS, "winner", "tie"),
        (OTHER_PAIRS, "total", 9),
        (OTHER_PAIRS, "points", 18),
        (OTHER_PAIRS, "both_natural", True),
    ],
)
def test_a_fact_of_a_coup(dealt, fact, value):
    assert FACTS[fact].of(coup(dealt)) == value
    assert type(FACTS[fact].of(coup(dealt))) is type(value)


def test_the_words_a_paytable_may_use():
    assert list(FACTS) == [
        *("winner", "player_total", "banker_total", "total", "player_cards", "banker_cards", "cards"),
        *("player_natural", "banker_natural", "natural", "both_natural", "player_two", "banker_two"),
        *("player_third", "banker_third", "margin", "player_pair", "banker_pair", "pairs", "perfect_pairs"),
        *("points", "same_pair"),
        *("player_first_rank", "player_second_rank", "banker_first_rank", "banker_second_rank"),
        *("nines_in_four", "nine_suits_in_four", "diamond_nines_in_four", "sevens_in_four", "sevens"),
    ]


@pytest.mark.parametrize("fact", FACTS)
def test_a_facts_domain_is_exactly_what_coups_can_show(fact):
    assert {facts[fact] for facts in reachable([fact])} == set(FACTS[fact].domain)


WITHOUT_SINGLE_CARDS = {*FACTS} - SINGLE_CARD_FACTS
EVERY_KIND = frozenset(tuple(facts[name] for name in WITHOUT_SINGLE_CARDS) for facts in reachable(WITHOUT_SINGLE_CARDS))


@given(st.lists(st.sampled_from(DECK), min_size=6, max_size=6))
def test_every_coup_is_of_a_kind_that_the_enumeration_knows(shoe):
    dealt = Facts(deal_coup(shoe))
    assert tuple(dealt[name] for name in WITHOUT_SINGLE_CARDS) in EVERY_KIND


@pytest.mark.parametrize("fact", sorted(INITIAL_FACTS))
def test_an_initial_fact_is_settled_with_four_cards(fact):
    for facts in reachable({fact, "cards"}):
        four = Coup(facts.coup.player[:2], facts.coup.banker[:2])
        assert FACTS[fact].of(four) == facts[fact]


def test_initial_facts_are_all_that_third_cards_cannot_change():
    """For every other fact two coups with the same first four cards disagree.

    But one: whether Player draws is decided by then, the third card is only not yet on the table.
    """
    open_facts = set(FACTS) - INITIAL_FACTS - {"player_cards"}
    seen = {}
    for facts in reachable({*FACTS} - CARD_FACTS | {"sevens", "sevens_in_four"}):
        start = (facts["player_two"], facts["banker_two"], facts["sevens_in_four"])
        for name in open_facts:
            seen.setdefault((name, start), set()).add(facts[name])
    assert {name for (name, _), values in seen.items() if len(values) > 1} == open_facts


def test_a_condition_holds_when_any_map_holds_in_all_its_facts():
    condition = Condition.of({"winner": "banker", "banker_total": range(1, 7)}, {"winner": "tie"})
    assert condition.holds(coup(OTHER_PAIRS))
    assert not condition.holds(coup(BANKER_ALONE_DREW))
    assert not condition.holds(coup(PLAYER_NATURAL_9))
    assert condition.names() == {"winner", "banker_total"}


def test_a_condition_without_maps_never_holds():
    assert not NEVER.holds(coup(OTHER_PAIRS))
    assert impossible(NEVER)


def test_an_unknown_fact_is_an_error():
    with pytest.raises(KeyError, match="weather"):
        Condition.of({"weather": "fine"}).holds(coup(OTHER_PAIRS))


def test_the_first_tier_that_holds_wins_then_pushes_else_the_wager_loses():
    player, natural = Condition.of({"winner": "player"}), Condition.of({"player_natural": True})
    both = wager(natural, player, pushes=TIE)
    assert resolve(both, coup(PLAYER_NATURAL_9)) == Resolution(Result.WIN, 1)
    assert resolve(both, coup(SIX_CARDS)) == Resolution(Result.WIN, 2)
    assert resolve(both, coup(BANKER_ALONE_DREW)) == Resolution(Result.LOSE)
    assert resolve(wager(player, pushes=TIE), coup(OTHER_PAIRS)) == Resolution(Result.PUSH)


def test_a_wager_of_initial_facts_resolves_on_four_cards():
    pair = wager(Condition.of({"player_pair": ("mixed", "perfect")}))
    four = Coup((parse_card("2C"), parse_card("2D")), (parse_card("TC"), parse_card("3C")))
    assert resolve(pair, four) == Resolution(Result.WIN, 1)


@pytest.mark.parametrize(
    ("wins", "pushes"),
    [
        ({"winner": "banker"}, {"banker_total": 7, "banker_cards": 3}),
        ({"winner": "banker"}, {"winner": "banker", "banker_total": 7, "banker_cards": 3}),
        ({"winner": ("player", "tie")}, {"winner": ("banker", "tie")}),
        ({"banker_total": 7}, {"winner": "tie"}),
        ({"player_pair": "perfect"}, {"pairs": 2}),
        ({"player_two": 3, "player_third": 8}, {"banker_two": 3, "banker_cards": 2}),
        ({"same_pair": True}, {"both_natural": True}),
    ],
)
def test_an_overlap_is_found_with_a_coup_that_both_wins_and_pushes(wins, pushes):
    wins, pushes = Condition.of(wins), Condition.of(pushes)
    example = overlap(wager(NEVER, wins, pushes=pushes))
    assert example is not None
    assert example.complete
    assert wins.holds(example)
    assert pushes.holds(example)


@pytest.mark.parametrize(
    ("wins", "pushes"),
    [
        ({"winner": "banker"}, {"winner": "tie"}),
        ({"winner": "banker", "banker_total": 7, "banker_cards": 2}, {"banker_total": 7, "banker_cards": 3}),
        ({"margin": (1, 2, 3)}, {"winner": "tie"}),
        ({"player_natural": True}, {"cards": (5, 6)}),
        ({"banker_two": 3, "player_third": 8}, {"banker_cards": 3}),
        ({"player_two": (1, 3, 5, 7, 9)}, {"player_pair": ("mixed", "perfect")}),
        ({"same_pair": True}, {"pairs": (0, 1)}),
        ({"same_pair": True, "player_two": 4}, {"banker_two": (0, 2, 6, 8)}),
        ({"points": 18}, {"natural": False, "cards": 4}),
    ],
)
def test_wins_and_pushes_that_no_coup_can_bring_together_do_not_overlap(wins, pushes):
    assert overlap(wager(Condition.of(wins), pushes=Condition.of(pushes))) is None


@pytest.mark.parametrize(
    ("facts", "never"),
    [
        ({"banker_two": 3, "player_third": 8, "banker_cards": 3}, True),
        ({"banker_two": 3, "player_third": 9, "banker_cards": 3}, False),
        ({"player_natural": True, "player_cards": 3}, True),
        ({"player_two": 5, "player_pair": "mixed"}, True),
        ({"player_two": 4, "player_pair": "mixed"}, False),
        ({"winner": "tie", "margin": 1}, True),
        ({"cards": 5, "player_third": "none", "banker_third": 4}, False),
    ],
)
def test_a_condition_that_no_coup_meets_is_impossible(facts, never):
    assert impossible(Condition.of(facts)) is never


def test_idle_tiers_are_those_no_coup_meets_and_those_that_earlier_ones_shadow():
    six = {"winner": "banker", "banker_total": 6}
    tiers = [six | {"banker_cards": 2}, six, six | {"banker_cards": 3}, {"margin": 1, "winner": "tie"}, {"cards": 4}]
    assert idle_tiers(wager(*map(Condition.of, tiers))) == (3, 4)


@pytest.mark.parametrize(
    ("odds", "text"),
    [(Fraction(8), "8:1"), (Fraction(38, 40), "19:20"), (Fraction(3, 2), "3:2"), (Fraction(54, 100), "27:50")],
)
def test_odds_are_written_to_one_in_lowest_terms(odds, text):
    assert odds_text(odds) == text


def test_a_wager_is_a_value():
    one, other = (wager(Condition.of({"winner": "tie"}, {"cards": (5, 6)})) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one

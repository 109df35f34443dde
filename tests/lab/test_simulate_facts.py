"""Facts and wagers of many coups at once are those of `game`, coup by coup."""

from collections import Counter

import numpy as np
import pytest
from simulated import by_game, in_order

from controller.game.facts import FACTS, Facts
from controller.game.wagers import NEVER, Condition, Result, Tier, Wager, resolve_by
from controller.lab.simulate_arrays import Dealer, DealtCoups
from controller.lab.simulate_facts import ARRAY_FACTS, ArrayFacts, holds, outcomes
from controller.lab.simulate_shoe import usual_shoe

SHOES = range(60)
RULES = (usual_shoe(8), usual_shoe(2))
COUPS = [Facts(coup) for rule in RULES for coup in by_game(rule, 6, SHOES)]


@pytest.fixture(scope="module")
def facts():
    """The same coups in arrays."""
    dealt = [in_order(Dealer(rule, 6).deal(SHOES)) for rule in RULES]
    return ArrayFacts(DealtCoups(*(np.concatenate(columns) for columns in zip(*dealt, strict=True))))


def test_every_fact_has_its_arrays():
    assert set(FACTS) == set(ARRAY_FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_a_fact_is_the_same_for_every_coup(name, facts):
    domain = FACTS[name].domain
    assert [domain[place] for place in facts[name].tolist()] == [coup[name] for coup in COUPS]
    assert facts[name].dtype == np.uint8


@pytest.mark.parametrize("name", FACTS)
def test_nearly_every_value_of_a_fact_was_among_them(name, facts):
    """Rare ones may be missing: four nines, say."""
    rare = 3 if name.endswith("in_four") or name == "sevens" else 0
    assert len(set(facts[name].tolist())) >= len(FACTS[name].domain) - rare


CONDITIONS = {
    "one value": Condition.of({"winner": "tie"}),
    "two facts": Condition.of({"winner": "banker", "banker_total": 6}),
    "a list with a gap": Condition.of({"points": (1, 2, 3, 15, 16, 17)}),
    "values out of order": Condition.of({"player_pair": ("perfect", "mixed")}),
    "either of two": Condition.of({"winner": "tie"}, {"winner": "banker", "banker_total": 7, "banker_cards": 3}),
    "no and none": Condition.of({"natural": False, "player_third": "none"}),
    "anything": Condition.of({"cards": (4, 5, 6)}),
    "nothing": NEVER,
}


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_a_condition_holds_on_the_same_coups(condition, facts):
    assert holds(condition, facts).tolist() == [condition.holds_for(coup) for coup in COUPS]


def test_tiers_pushes_and_losses_are_counted_as_they_are_resolved(facts):
    tiers = [{"winner": "banker", "banker_total": 6}, {"winner": "banker"}, {"winner": "banker", "banker_total": 5}]
    wager = Wager("it", tuple(Tier(Condition.of(each), 1) for each in tiers), Condition.of({"winner": "tie"}))
    seen = Counter(resolve_by(wager, coup) for coup in COUPS)
    by_tier = Counter(resolution.tier for resolution in seen.elements())
    by_result = Counter(resolution.result for resolution in seen.elements())
    expected = (by_tier[1], by_tier[2], 0, by_result[Result.PUSH], by_result[Result.LOSE])
    assert outcomes(wager, facts) == expected
    assert sum(expected) == len(COUPS)


def test_an_unknown_fact_is_an_error(facts):
    with pytest.raises(KeyError, match="weather"):
        holds(Condition.of({"weather": "fine"}), facts)

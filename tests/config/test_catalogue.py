"""The catalogue: every wager of it, exactly, to the last way; and what settlement pays on it is what its odds say.

`tests/vectors/catalogue.json` holds each wager's ways of eight decks, its odds and its commission. The figures below
were published elsewhere, or follow by hand.
"""

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import pytest

from controller.game.cards import DECK, parse_card
from controller.game.coup import Coup, deal_coup
from controller.game.facts import CARD_FACTS
from controller.game.odds import Chances, odds
from controller.game.settlement import Bet, settle
from controller.game.wagers import Collect, odds_text
from controller.host.config import load_paytable
from tests.config.test_shipped import PAYTABLES as SHIPPED

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
PAYTABLES = {name: load_paytable(ROOT / "config/paytables" / f"{name}.yaml") for name in SHIPPED}
KNOWN = json.loads((ROOT / "tests/vectors/catalogue.json").read_text())
EVERY = [(file, wager) for file, paytable in PAYTABLES.items() for wager in paytable.wagers]
CHANCES = {decks: Chances.of(decks) for decks in range(1, 13)}


def edge(file, wager, decks):
    return odds(PAYTABLES[file].by_id[wager], CHANCES[decks]).house_edge


@pytest.mark.parametrize(
    ("file", "wager", "decks", "percent"),
    [
        ("commission-5", "player", 8, "1.2351"),
        ("commission-5", "player", 6, "1.2374"),
        ("commission-5", "banker", 8, "1.0579"),
        ("commission-5", "banker", 6, "1.0558"),
        ("commission-4", "banker", 8, "0.5993"),
        ("commission-4", "banker", 6, "0.5972"),
        ("no-commission", "banker", 8, "1.4581"),
        ("no-commission", "banker", 6, "1.4548"),
        ("ez", "banker", 8, "1.0183"),
        ("ez", "banker", 6, "1.0161"),
        ("commission-5", "tie", 8, "14.3596"),
        ("commission-5", "tie", 6, "14.4382"),
        ("tie-9", "tie", 8, "4.8440"),
        ("tie-9", "tie", 6, "4.9313"),
        ("macau", "player-pair", 8, "10.3614"),
        ("macau", "banker-pair", 8, "10.3614"),
        ("macau", "either-pair", 8, "13.7099"),
        ("macau", "perfect-pair", 8, "8.0470"),
        ("macau", "small", 8, "5.2829"),
        ("macau", "big", 8, "4.3457"),
        ("ez", "dragon-7", 8, "7.6113"),
        ("ez", "panda-8", 8, "10.1876"),
        ("side-wagers", "super-6", 8, "29.9772"),
        ("macau", "lucky-6", 8, "16.6836"),
        ("tiger", "small-tiger", 8, "14.3325"),
        ("tiger", "big-tiger", 8, "15.2533"),
        ("tiger", "tiger-tie", 8, "30.7354"),
        ("dragon-bonus", "player-dragon-bonus", 8, "2.6517"),
        ("dragon-bonus", "banker-dragon-bonus", 8, "9.3731"),
        ("side-wagers", "three-giving-8", 8, "8.6823"),
        ("side-wagers", "four-cards", 6, "5.2687"),
        ("side-wagers", "five-cards", 8, "8.9667"),
        ("side-wagers", "six-cards", 8, "4.6938"),
        ("side-wagers", "golden-frog-9-7", 8, "8.1032"),
        ("side-wagers-cards", "lucky-nines-2", 8, "8.2730"),
    ],
)
def test_the_house_edge_to_the_digits_printed(file, wager, decks, percent):
    exact = edge(file, wager, decks) * 100
    assert f"{round(exact * 10_000) / 10_000:.4f}" == percent


@pytest.mark.parametrize(
    ("margin", "player", "banker"),
    [
        (9, 18_409_431_764_992, 15_390_342_909_952),
        (8, 34_097_645_543_424, 28_305_092_784_128),
        (7, 89_590_261_473_280, 79_517_099_278_336),
        (6, 141_238_897_317_888, 119_200_072_366_080),
        (5, 166_169_165_987_840, 157_275_882_332_160),
        (4, 186_780_352_174_080, 201_147_167_287_296),
    ],
)
def test_the_ways_of_the_dragon_bonus_as_published(margin, player, banker):
    for side, ways in (("player", player), ("banker", banker)):
        found = odds(PAYTABLES["dragon-bonus"].by_id[f"{side}-dragon-bonus"], CHANCES[8])
        assert found.tiers[10 - margin] == ways
        assert found.tiers[0] == 812_685_054_124_032
        assert found.push == 89_325_908_267_520


def test_five_cards_with_banker_drawing_alone_are_the_difference_of_the_two_readings():
    either, player = (
        odds(PAYTABLES["side-wagers"].by_id["super-lucky-7" + reading], CHANCES[8]).tiers
        for reading in ("", "-player-drew")
    )
    assert (either[0], either[2]) == (player[0], player[2])
    assert either[1] > player[1] > 0


@pytest.mark.parametrize(("file", "wager"), EVERY, ids=lambda value: getattr(value, "id", value))
def test_every_wager_is_what_it_was(file, wager):
    """Ways of eight decks of each tier, to push, to lose; what each tier pays, less which commission."""
    found = odds(wager, CHANCES[8])
    assert KNOWN[file][wager.id] == {
        "tiers": [str(ways) for ways in found.tiers],
        "push": str(found.push),
        "lose": str(found.lose),
        "pays": [odds_text(tier.pays) for tier in wager.tiers],
        "commission": str(wager.commission),
        "settles": wager.settles.value,
    }


def test_nothing_left_the_catalogue():
    assert {file: list(wagers) for file, wagers in KNOWN.items()} == {
        file: [wager.id for wager in paytable.wagers] for file, paytable in PAYTABLES.items()
    }


@pytest.mark.parametrize("file", PAYTABLES)
def test_the_ways_of_every_wager_sum_to_all_deals_of_1_to_12_decks(file):
    for wager in PAYTABLES[file].wagers:
        for decks, chances in CHANCES.items():
            assert odds(wager, chances).total == chances.total, (wager.id, decks)


@pytest.mark.parametrize("decks", [6, 8])
def test_no_wager_of_the_catalogue_favours_the_players(decks):
    assert all(odds(wager, CHANCES[decks]).house_edge > 0 for _, wager in EVERY)


# What settlement pays over all deals is what the odds say


def kept(paytable, wager, stake, coup):
    """What the house keeps of one bet, what is owed on a ledger counted as kept."""
    settlement = settle(paytable, [Bet(1, wager.id, stake)], coup)
    return settlement.house_net + (settlement.commission if paytable.collect is Collect.LEDGER else 0)


def walk(coup, counts, weight, visit):
    if coup.complete:
        left = sum(counts)
        for place in range(6 - len(coup.player) - len(coup.banker)):
            weight *= left - place
        visit(coup, weight)
        return
    for value in range(10):
        left_of_it = counts[value]
        counts[value] -= 1
        walk(coup.dealt(DECK[value - 1 if value else 9]), counts, weight * left_of_it, visit)
        counts[value] += 1


def test_all_339_400_deals_by_value_settle_to_the_edge_of_every_wager_by_value():
    """The stake makes every payout and every commission whole multiples of the smallest coin."""
    ways, examples = Counter(), {}

    def visit(coup, weight):
        course = (coup.player_two, coup.banker_two, coup.player_third_value, coup.banker_third_value)
        examples.setdefault(course, coup)
        ways[course] += weight

    walk(Coup(), [128] + [32] * 9, 1, visit)
    assert ways.total() == CHANCES[8].total
    stake, settled = 50_000, []
    for file, paytable in PAYTABLES.items():
        for wager in paytable.wagers:
            terms = (wager, paytable.collect, paytable.rounding)
            if wager.names() & CARD_FACTS or terms in settled:
                continue
            settled.append(terms)
            house = sum(kept(paytable, wager, stake, coup) * ways[course] for course, coup in examples.items())
            assert Fraction(house, stake * ways.total()) == edge(file, wager.id, 8), (file, wager.id)


def test_every_deal_of_a_small_shoe_settles_to_the_edge_of_every_wager_about_cards():
    shoe = ["7C", "7C", "7D", "9D", "9H", "4S", "4S", "KC"]
    deals = Counter(permutations(shoe, 6))
    coups = [(deal_coup(map(parse_card, deal)), ways) for deal, ways in deals.items()]
    left = Counter(map(parse_card, shoe))
    chances = Chances({card: left[card] for card in DECK})
    paytable = PAYTABLES["side-wagers-cards"]
    for wager in (*paytable.wagers, *PAYTABLES["macau"].wagers, *PAYTABLES["tiger"].wagers):
        if wager.names() & CARD_FACTS:
            owner = next(each for each in PAYTABLES.values() if each.by_id.get(wager.id) == wager)
            house = sum(kept(owner, wager, 50_000, coup) * ways for coup, ways in coups)
            assert Fraction(house, 50_000 * deals.total()) == odds(wager, chances).house_edge, wager.id

"""The account of a coup: every key in its place, plain values only."""

import json
from fractions import Fraction

from controller.game.account import account
from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import Bet
from controller.game.wagers import Collect, Condition, Paytable, Rounding, Tier, Wager

TIE = Condition.of({"winner": "tie"})
BANKER = Condition.of({"winner": "banker"})
PAYTABLE = Paytable(
    "three wagers",
    Collect.EACH_WIN,
    Rounding(),
    (
        Wager("tie", (Tier(TIE, Fraction(8)),)),
        Wager("banker", (Tier(BANKER, Fraction(1)),), TIE, Fraction(1, 20)),
        Wager("banker-pair", (Tier(Condition.of({"banker_pair": ("mixed", "perfect")}), Fraction(11)),)),
    ),
)


def test_the_account_of_a_coup_with_bets():
    coup = deal_coup(map(parse_card, ["6C", "2D", "KC", "2H", "3S"]))
    bets = [Bet(5, "banker", 100), Bet(1, "tie", 50)]
    seen = account(PAYTABLE, bets, coup)
    assert json.dumps(seen) == json.dumps(
        {
            "cards_used": 5,
            "player": ["6C", "KC"],
            "banker": ["2D", "2H", "3S"],
            "player_two": 6,
            "banker_two": 4,
            "player_total": 6,
            "banker_total": 7,
            "winner": "banker",
            "natural": "none",
            "player_drew": False,
            "banker_drew": True,
            "margin": 1,
            "player_pair": "none",
            "banker_pair": "mixed",
            "wins": ["banker", "banker-pair"],
            "pushes": [],
            "lines": [
                {
                    "seat": 5,
                    "wager": "banker",
                    "stake": 100,
                    "result": "win",
                    "tier": 1,
                    "odds": "1:1",
                    "commission": 5,
                    "won": 95,
                    "returned": 195,
                },
                {
                    "seat": 1,
                    "wager": "tie",
                    "stake": 50,
                    "result": "lose",
                    "tier": None,
                    "odds": None,
                    "commission": 0,
                    "won": 0,
                    "returned": 0,
                },
            ],
            "staked": 150,
            "returned": 195,
            "commission": 5,
            "house_net": -45,
        }
    )


def test_wins_and_pushes_name_the_paytables_wagers_in_its_order_also_without_bets():
    seen = account(PAYTABLE, [], deal_coup(map(parse_card, ["6C", "6D", "KC", "KH"])))
    assert (seen["wins"], seen["pushes"], seen["lines"]) == (["tie"], ["banker"], [])
    assert (seen["natural"], seen["margin"], seen["house_net"]) == ("none", 0, 0)

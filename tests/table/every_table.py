"""Houses that differ in all that changes the conduct, and a table in every place where a table can stand."""

from one_table import (
    BY_FIRST_CARD,
    FIVE_CARDS,
    SIX_CARDS,
    OneTable,
    bets_closed,
    burning,
    dealt,
    owing_at_the_end,
    shoe_ended,
)
from one_table import betting as betting_open

from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Collect
from controller.table import inputs
from controller.table.rules import CloseBy, EmptyCoup, Reveal

HOUSES = (
    {},
    {"burn": BY_FIRST_CARD, "close_by": CloseBy.FIRST_CARD, "settle_after_s": 0, "collect": Collect.LEDGER},
    {"burn": BurnRule(BurnBy.FIXED, 3), "close_by": CloseBy.TIMER, "settle_after_s": 5, "decks": 1},
    {"empty_coup": EmptyCoup.REFUSE, "reveal": Reveal.DEALER, "cut_card": CutCard(14, 0)},
    {"empty_coup": EmptyCoup.REFUSE, "close_by": CloseBy.FIRST_CARD, "burn": BurnRule(BurnBy.DECKS), "decks": 4},
    {"settle_after_s": 0, "cut_card": CutCard(17, 2), "bar_both_sides": True, "differential": 100},
)

RESTING_TABLES = {
    "no-shoe": OneTable,
    "burning": burning,
    "betting": betting_open,
    "betting, first card closes": lambda: betting_open(close_by=CloseBy.FIRST_CARD),
    "bets-closed": bets_closed,
    "bets-closed, a card kept": lambda: bets_closed().overdraws("9H"),
    "dealing": lambda: dealt("2C 3D"),
    "player-rule": lambda: dealt("2C 3D TC TD"),
    "banker-rule": lambda: dealt("6C 5D TC TD"),
    "settling": lambda: dealt(SIX_CARDS),
    "shoe-ended": shoe_ended,
    "shoe-ended, a seat owes": owing_at_the_end,
}


def held(table):
    return table().happens(inputs.DiskFailed, "no space left")


EVERY_TABLE = (
    RESTING_TABLES
    | {f"held at {name}": (lambda table=table: held(table)) for name, table in RESTING_TABLES.items()}
    | {
        "held, card unreadable": lambda: dealt("2C 3D").errs(1),
        "held, line unreadable": lambda: dealt("2C 3D").happens(inputs.LineUnreadable, 20),
        "held, reports wait": lambda: dealt("2C 3D").loses_reports().draws("P2 TC", "B2 5C").cut_card(),
        "held, card too early": lambda: betting_open().draws("P1 4C"),
        "held, card before confirm": lambda: dealt(FIVE_CARDS).draws("P1 4C", "B1 5C"),
        "held, no shoe known": lambda: OneTable(burn=BY_FIRST_CARD).draws("first 1 3C", "burn 1 ??"),
        "tilt": lambda: dealt("2C").happens(inputs.RecordBroken, "row 7"),
    }
)

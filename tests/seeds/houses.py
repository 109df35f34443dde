"""The houses that the seeds deal at: they differ in all that changes the conduct, and are read from YAML as any."""

from functools import lru_cache

from controller.game.shoe import BurnBy
from controller.host.config import DisplayDevice, ShoeDevice, TableFile, load_table_texts
from controller.host.config_file import source
from controller.table.rules import HouseRules
from drivers.shoes.simulated_cards import BurnRule

SHOE_PORT, PANEL_PORT = "shoe", "panel"

PAYTABLE = """format: punto-paytable 1
name: Seeds
commission: {collect: COLLECT}
rounding: {of: payout, mode: down, to: 25}
wagers:
  player: {wins: {winner: player}, pushes: {winner: tie}, pays: "1:1"}
  banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: "1:1", commission: 5%}
  tie: {wins: {winner: tie}, pays: "8:1"}
  player-pair: {wins: {player_pair: [mixed, perfect]}, pays: "11:1", settles: initial-deal}
  lucky-6:
    tiers:
      - {wins: {winner: banker, banker_total: 6, banker_cards: 2}, pays: "12:1"}
      - {wins: {winner: banker, banker_total: 6, banker_cards: 3}, pays: "20:1"}
"""

TABLE = """format: punto-table 1
id: seeds
name: Seeds
seats: [1, 2, 3, 5]
currency: {code: THB, decimals: 2}
paytable: paytable.yaml
limits:
  player: {min: 10000, max: 5000000, multiple: 10000}
  banker: {min: 10000, max: 5000000, multiple: 10000}
  differential: 60000
simulation: true
"""

BUTTON = "betting: {close: button}\nreveal: at-once\nsettle: {confirm: button}\n"
SHOE = "driver: angel-eye, port: /dev/shoe, copies: 3, quiet_s: 30"
PANEL = "display: {driver: panel, port: /dev/panel}\n"

HOUSES = (
    ("each-win", BUTTON + "shoe: {decks: 8, burn: {by: first-card}, cut_card: {depth: 14, coups_after: 1}, SHOE}\n"),
    (
        "ledger",
        "betting: {close: first-card}\nsettle: {confirm: auto, after_s: 0}\n"
        "shoe: {decks: 2, burn: {by: first-card}, cut_card: {depth: 20, coups_after: 1}, SHOE}\n",
    ),
    (
        "each-win",
        "betting: {close: timer, seconds: 8}\nsettle: {confirm: auto, after_s: 5}\n"
        "shoe: {decks: 1, burn: {by: fixed, cards: 3}, cut_card: {depth: 17, coups_after: 0}, SHOE}\n",
    ),
    (
        "each-win",
        "betting: {close: button, empty_coup: refuse}\nreveal: dealer\n"
        "shoe: {decks: 4, burn: {by: none}, cut_card: {depth: 14, coups_after: 0}, SHOE}\n",
    ),
    (
        "ledger",
        "betting: {close: first-card, empty_coup: refuse}\nreveal: complete-hands\n"
        "shoe: {decks: 4, burn: {by: decks}, cut_card: {depth: 20, coups_after: 1}, SHOE}\n",
    ),
    ("each-win", BUTTON + "shoe: {decks: 6, burn: {by: first-card}, cut_card: {depth: 30, coups_after: 2}, SHOE}\n"),
    ("each-win", BUTTON + "shoe: {decks: 2, burn: {by: none}, cut_card: {depth: 14, coups_after: 1}, SHOE}\n"),
)


@lru_cache(maxsize=len(HOUSES))
def house(number: int) -> TableFile:
    """One of the houses, with its devices at the ports of the world."""
    collect, rest = HOUSES[number]
    table = TABLE + rest.replace("SHOE", SHOE) + PANEL
    paytable = PAYTABLE.replace("COLLECT", collect)
    rules = load_table_texts(table, paytable)
    shoe = ShoeDevice("angel-eye", SHOE_PORT, 4800, 3, rules.quiet_s)
    display = DisplayDevice("panel", PANEL_PORT, 115200)
    return TableFile(rules, shoe, display, (source("table", table), source("paytable", paytable)), ())


def device_burn(rules: HouseRules) -> BurnRule:
    """The burn as the device of this house is set to."""
    match rules.burn.by:
        case BurnBy.FIRST_CARD:
            return BurnRule("first-card", ace=rules.burn.ace, court=rules.burn.court)
        case BurnBy.NONE:
            return BurnRule("none")
        case BurnBy.FIXED | BurnBy.DECKS:
            return BurnRule("fixed", rules.burn.due(rules.decks, None) or 0)

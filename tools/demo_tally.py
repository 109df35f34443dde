"""What the shoe of the demonstration came to so far, and how that is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controller.table.rules import HouseRules


@dataclass(slots=True)
class Tally:
    """How far it is. Money in minor units."""

    cards: int = 0
    coups: int = 0
    player: int = 0
    banker: int = 0
    tie: int = 0
    holds: int = 0
    staked: int = 0
    house_net: int = 0
    remark: str = ""


def summary(tally: Tally, cards_in_shoe: int, rules: HouseRules) -> list[str]:
    """What the shoe came to, in lines."""
    coups = _counted(tally.coups, "coup")
    return [
        f"shoe ended: {coups}: Player {tally.player}, Banker {tally.banker}, tie {tally.tie}",
        f"{tally.cards} of {cards_in_shoe} cards, burn included; {_counted(tally.holds, 'hold')}",
        f"staked {_money(tally.staked, rules)}, house result {_money(tally.house_net, rules)}",
    ]


def _money(amount: int, rules: HouseRules) -> str:
    """Minor units as people write them: -1,250.00 THB."""
    return f"{_amount(amount, rules)} {rules.currency}"


def _amount(amount: int, rules: HouseRules) -> str:
    whole, part = divmod(abs(amount), 10**rules.decimals)
    fraction = f".{part:0{rules.decimals}d}" if rules.decimals else ""
    return f"{'-' if amount < 0 else ''}{whole:,}{fraction}"


def coup_line(number: int, last: Mapping[str, Any], rules: HouseRules) -> str:
    """A settled coup (as `state` has it) in a line of 80 characters."""
    hands = "  ".join(
        f"{side.capitalize()} {' '.join(last[side]):8} {last[f'{side}_total']}" for side in ("player", "banker")
    )
    natural = " natural" if last["natural"] != "none" else ""
    return f"coup {number:3}  {hands}  {last['winner'] + natural:14}  house {_amount(last['house_net'], rules)}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

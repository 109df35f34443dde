"""What a configuration says, in a few lines for a person who checks it."""

from typing import Protocol

from controller.game.shoe import BurnBy
from controller.game.wagers import Collect, Paytable, Rounding, RoundMode, Settles, Wager, odds_text
from controller.table.rules import CloseBy, HouseRules


class _Device(Protocol):
    @property
    def driver(self) -> str: ...
    @property
    def port(self) -> str | None: ...
    @property
    def baud(self) -> int: ...


def table_lines(rules: HouseRules, shoe: _Device, display: _Device) -> list[str]:
    """A table: its seats, conduct, devices and limits."""
    real = "SIMULATED: the devices are not real" if rules.simulation else "real devices"
    seats = " ".join(map(str, rules.seats))
    close = f"timer, {rules.betting_s} s" if rules.close_by is CloseBy.TIMER else rules.close_by.value
    settle = "button" if rules.settle_after_s is None else f"by itself after {rules.settle_after_s} s"
    return [
        f"table {rules.table}: {rules.name}; {real}; screen in {rules.language}",
        f"  seats {seats}; {rules.currency} with {rules.decimals} decimals",
        f"  bets close: {close}; coup without bets: {rules.empty_coup.value}; cards shown: {rules.reveal.value}; "
        f"settled: {settle}",
        f"  shoe: {rules.decks} decks; burn {_burn_text(rules)}; cut card {rules.cut_card.depth} from the end, "
        f"then {rules.cut_card.coups_after} more; {_device_text(shoe)}",
        f"  display: {_device_text(display)}",
        *_limit_lines(rules),
    ]


def _burn_text(rules: HouseRules) -> str:
    burn = rules.burn
    match burn.by:
        case BurnBy.FIRST_CARD:
            return f"by the first card (ace {burn.ace}, court {burn.court})"
        case BurnBy.DECKS:
            return f"{rules.decks} cards"
        case BurnBy.FIXED:
            return f"{burn.cards} cards"
        case BurnBy.NONE:
            return "none"


def _device_text(device: _Device) -> str:
    return device.driver if device.port is None else f"{device.driver} at {device.port}, {device.baud} baud"


def _limit_lines(rules: HouseRules) -> list[str]:
    lines = [
        f"  limit {wager}: {_money(rules, limit.minimum)} to {_money(rules, limit.maximum)}"
        + (f", multiples of {_money(rules, limit.multiple)}" if limit.multiple > 1 else "")
        for wager, limit in rules.limits
    ]
    if rules.differential is not None:
        lines.append(f"  limit between all Player and all Banker stakes: {_money(rules, rules.differential)}")
    if rules.bar_both_sides:
        lines.append("  a seat may not bet on both Player and Banker")
    return lines


def _money(rules: HouseRules, amount: int) -> str:
    """Minor units as a person writes them: 10000 with 2 decimals is 100.00."""
    if not rules.decimals:
        return f"{amount:,}"
    major, minor = divmod(amount, 10**rules.decimals)
    return f"{major:,}.{minor:0{rules.decimals}}"


def paytable_lines(paytable: Paytable) -> list[str]:
    """A paytable: how money is rounded, and each wager with its odds."""
    collect = "on a ledger" if paytable.collect is Collect.LEDGER else "at each win"
    return [
        f"paytable {paytable.name}: commission {collect}; {_rounding_text(paytable.rounding)}",
        *(f"  {wager.id}: {_wager_text(wager)}" for wager in paytable.wagers),
    ]


def _rounding_text(rounding: Rounding) -> str:
    if rounding.mode is RoundMode.EXACT:
        return f"{rounding.of.value} exact in units of {rounding.to}"
    return f"{rounding.of.value} rounded {rounding.mode.value} to {rounding.to}"


def _wager_text(wager: Wager) -> str:
    percent = wager.commission * 100
    figure = str(percent.numerator) if percent.denominator == 1 else f"{percent.numerator}/{percent.denominator}"
    parts = [
        " / ".join(odds_text(tier.pays) for tier in wager.tiers),
        f"less {figure} % commission" if wager.commission else "",
        "may push" if wager.pushes.any_of else "",
        _rounding_text(wager.rounding) if wager.rounding else "",
        "settles after four cards" if wager.settles is Settles.INITIAL_DEAL else "",
    ]
    return ", ".join(part for part in parts if part)

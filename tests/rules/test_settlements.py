"""Settlements from a record: a paytable, a shoe and bets in, every line of money out, or the refusal."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from controller.game.account import account
from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.game.settlement import Bet, NotPayable
from controller.game.wagers import FACTS, AllOf, Collect, Condition, Paytable, Rounding, RoundMode, RoundOf, Tier, Wager

VECTORS = Path(__file__).parent.parent / "vectors" / "settlements.jsonl"
SETTLEMENTS = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]


def read_paytable(text):
    """Just enough of a reader for the recorded paytables; every scalar comes as text."""
    raw = yaml.load(text, yaml.BaseLoader)
    collect = Collect(raw.get("commission", {}).get("collect", "each-win"))
    wagers = tuple(read_wager(name, wager) for name, wager in raw["wagers"].items())
    return Paytable(raw["name"], collect, read_rounding(raw["rounding"]), wagers)


def read_rounding(raw):
    return Rounding(RoundOf(raw["of"]), RoundMode(raw["mode"]), int(raw["to"]))


def read_wager(name, raw):
    tiers = tuple(Tier(read_condition(tier["wins"]), read_odds(tier["pays"])) for tier in raw.get("tiers", [raw]))
    commission = Fraction(int(raw.get("commission", "0%").removesuffix("%")), 100)
    rounding = read_rounding(raw["rounding"]) if "rounding" in raw else None
    return Wager(name, tiers, read_condition(raw.get("pushes", [])), commission, rounding)


def read_odds(text):
    numerator, denominator = text.split(":")
    return Fraction(int(numerator), int(denominator))


def read_condition(raw):
    maps = [raw] if isinstance(raw, dict) else raw
    return Condition(tuple(AllOf(tuple((name, read_values(name, each[name])) for name in each)) for each in maps))


def read_values(name, raw):
    domain = {str(value).lower(): value for value in FACTS[name].domain}
    values = set()
    for text in raw if isinstance(raw, list) else [raw]:
        first, _, last = text.partition("-")
        values |= {domain[text]} if not last else set(range(int(first), int(last) + 1))
    return frozenset(values)


def test_the_record_is_whole():
    assert len(SETTLEMENTS) == 50


@pytest.mark.parametrize("recorded", [pytest.param(each, id=f"{each['id']}: {each['note']}") for each in SETTLEMENTS])
def test_a_recorded_settlement_pays_as_recorded(recorded):
    paytable = read_paytable(recorded["paytable"])
    coup = deal_coup(map(parse_card, recorded["deal"]["shoe"]))
    bets = [Bet(**bet) for bet in recorded["deal"]["bets"]]

    if "refused" in recorded:
        assert recorded["refused"] == "not-payable"
        with pytest.raises(NotPayable):
            account(paytable, bets, coup)
        return
    seen, expected = account(paytable, bets, coup), dict(recorded["expect"])
    for line, expected_line in zip(seen["lines"], expected.pop("lines"), strict=True):
        assert {key: line[key] for key in expected_line} == expected_line
    assert {key: seen[key] for key in expected} == expected

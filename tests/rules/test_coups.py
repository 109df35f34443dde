"""Coups from a record: cards in, the hands and the outcome out."""

import json
from pathlib import Path

import pytest

from controller.game.account import account
from controller.game.cards import parse_card
from controller.game.coup import deal_coup
from controller.game.wagers import Collect, Paytable, Rounding

VECTORS = Path(__file__).parent.parent / "vectors" / "coups.jsonl"
COUPS = [json.loads(line) for line in VECTORS.read_text(encoding="utf-8").splitlines()]
NO_WAGERS = Paytable("none", Collect.EACH_WIN, Rounding(), ())


def test_the_record_is_whole():
    assert len(COUPS) == 110


@pytest.mark.parametrize("recorded", [pytest.param(coup, id=coup["id"]) for coup in COUPS])
def test_a_recorded_coup_is_dealt_and_judged_as_recorded(recorded):
    shoe = iter([parse_card(text) for text in recorded["shoe"]])
    expected = dict(recorded["expect"])
    next_card = expected.pop("next_card")

    seen = account(NO_WAGERS, [], deal_coup(shoe))

    assert {key: seen[key] for key in expected} == expected
    left = next(shoe, None)
    assert (None if left is None else str(left)) == next_card

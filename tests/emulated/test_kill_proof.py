"""Killed at every named step and at any moment: nothing lost, nothing doubled, the same table, the panel shows it."""

from pathlib import Path

import pytest

from tests.emulated.kill_model import Model
from tests.emulated.kill_rounds import Broken, Round, Tally
from tests.emulated.kill_steps import STEPS

pytestmark = pytest.mark.untraced


def rounds(folder: Path, kills: int, seed: int) -> Tally:
    tally = Tally()
    while tally.kills < kills:
        place = folder / str(tally.kills)
        place.mkdir()
        Round(place, seed + tally.kills, tally).run(min(50, kills - tally.kills))
    return tally


def test_fifteen_kills(tmp_path: Path) -> None:
    """Faults 43 and 44."""
    tally = rounds(tmp_path, 15, seed=43)
    assert set(STEPS) <= set(tally.places)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1000, 2000, 3000, 4000])
def test_two_hundred_kills(tmp_path: Path, seed: int) -> None:
    """Faults 43 and 44."""
    rounds(tmp_path, 50, seed)


def test_the_proof_sees_a_table_that_is_not_as_it_was(tmp_path: Path) -> None:
    """A proof that cannot fail would prove nothing."""
    one = Round(tmp_path, 7, Tally())
    one.model = Model(one.model.deck, began=True)
    with pytest.raises(Broken, match="by its wires it is"):
        one.run(0)


def test_the_proof_sees_a_wrong_card(tmp_path: Path) -> None:
    one = Round(tmp_path, 7, Tally())
    one.model.deck = one.model.deck[::-1]
    with pytest.raises(Broken, match="the deck has"):
        one.run(0)

"""Fault 88: whole shoes in simulated time with all that can go wrong at once, drawn from a seed."""

import pytest

from tests.seeds.world import run_seed

pytestmark = pytest.mark.untraced

DEFAULT, LONG = 30, 300


@pytest.mark.parametrize("seed", range(1, DEFAULT + 1))
def test_what_must_hold_holds(seed: int) -> None:
    assert run_seed(seed).broken == ""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(DEFAULT + 1, LONG + 1))
def test_what_must_hold_holds_in_many_worlds(seed: int) -> None:
    assert run_seed(seed).broken == ""


def test_the_same_seed_is_the_same_to_the_byte() -> None:
    first: list[str] = []
    again: list[str] = []
    tallies = [run_seed(4, first.append), run_seed(4, again.append)]
    assert first == again
    assert tallies[0] == tallies[1]
    assert tallies[0].kills > 0


def test_the_worlds_are_bad_enough() -> None:
    """Among a few seeds every part of the world did something."""
    tallies = [run_seed(seed) for seed in range(1, 6)]
    assert sum(tally.kills for tally in tallies) > 3
    assert sum(tally.holds for tally in tallies) > 10
    assert sum(tally.coups for tally in tallies) > 40
    assert "report-lost" in {reason for tally in tallies for reason in tally.reasons}

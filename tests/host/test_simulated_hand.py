"""The hand that draws from the simulated shoe puts a new shoe in place once the last one is paid for."""

import pytest
from live_parts import rules_with

from controller.host.simulated_hand import SimulatedHand
from controller.table.machine import BETTING, NO_SHOE, SHOE_ENDED
from controller.table.state import TableState, new_table


def at(phase: object, **changes: object) -> TableState:
    return new_table(rules_with())._replace(**{"phase": phase, "shoe": 1} | changes)  # type: ignore[arg-type]


def reports(hand: SimulatedHand, state: TableState, from_ms: int, until_ms: int) -> list[object]:
    """What the shoe tells while the table stands as it is."""
    told: list[object] = []
    for now_ms in range(from_ms, until_ms, 10):
        hand.act(state, now_ms)
        told += hand.shoe.poll(now_ms)
    return told


@pytest.mark.parametrize("state", [at(NO_SHOE, shoe=0), at(SHOE_ENDED)])
def test_a_new_shoe_is_put_in_place_where_one_is_awaited(state: TableState) -> None:
    hand = SimulatedHand(state.rules, state, 1, 0)
    assert hand.deadline_ms(state, 0) is not None
    assert reports(hand, state, 0, 3_000)


def test_nothing_is_done_while_bets_are_open() -> None:
    state = at(BETTING)
    hand = SimulatedHand(state.rules, state, 1, 0)
    assert hand.deadline_ms(state, 0) is None
    assert not reports(hand, state, 0, 3_000)


def test_the_next_shoe_waits_until_the_commission_of_the_last_one_is_collected() -> None:
    owing = at(SHOE_ENDED, owed=((3, 5),))
    hand = SimulatedHand(owing.rules, owing, 1, 0)
    assert hand.deadline_ms(owing, 0) is None
    assert not reports(hand, owing, 0, 3_000)
    assert reports(hand, owing._replace(owed=()), 3_000, 6_000)

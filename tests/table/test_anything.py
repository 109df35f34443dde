"""Whatever happens, in whatever order: the table never fails, and what must always hold does."""

from random import Random

import pytest
from anything import BUT_TILT, KINDS, evening, good_next, one_of_each
from every_table import EVERY_TABLE, HOUSES
from hypothesis import given, settings
from hypothesis import strategies as st
from one_table import OneTable, dealt

from controller.table import inputs
from controller.table.events import CoupConfirmed, HoldReason, TableHeld
from controller.table.machine import Phase

pytestmark = pytest.mark.untraced


def test_there_is_a_table_to_try_in_every_phase_where_one_can_stand():
    phases = {table().state.phase for table in EVERY_TABLE.values()}
    assert phases == set(Phase) - {Phase.NATURALS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_input_can_come_in_every_phase(kind):
    for table in EVERY_TABLE.values():
        for number in (0, 7, 10, 12, 24, 35):
            one = table()
            one.take(one_of_each(one.state, one.now_ms + 100, number)[kind])


@pytest.mark.parametrize("trouble", [0.02, 0.15, 0.6])
@pytest.mark.parametrize("house", range(len(HOUSES)))
def test_long_random_evenings(house, trouble):
    """Hundreds of inputs in a row; each step is checked, and at the end the whole evening again from its start."""
    for seed in range(3):
        table = evening(OneTable(**HOUSES[house]), Random(f"{house} {trouble} {seed}"), 300, trouble)
        assert table.replayed() == (table.state, table.events)


def test_the_random_evenings_see_every_hold_and_many_coups():
    """So that the test above is known to reach what it is about."""
    tables = [evening(OneTable(**house), Random(seed), 300, 0.15) for house in HOUSES for seed in range(4)]
    held = {event.reason for table in tables for event in table.all_said(TableHeld)}
    assert set(HoldReason) - held <= {HoldReason.SHOE_EMPTY}
    assert sum(len(table.all_said(CoupConfirmed)) for table in tables) > 100


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, len(HOUSES) - 1),
    st.lists(st.tuples(st.sampled_from(BUT_TILT) | st.none(), st.integers(0, 5039), st.sampled_from((0, 50, 3000)))),
)
def test_any_short_evening(house, happenings):
    table = OneTable(**HOUSES[house])
    for kind, number, pause_ms in happenings:
        table.now_ms += pause_ms
        kind = kind or good_next(table.state, number)
        table.take(one_of_each(table.state, table.now_ms, number)[kind])


def test_a_table_in_tilt_does_nothing_more_and_says_so_to_people():
    table = dealt("2C").happens(inputs.RecordBroken, "row 7")
    before = table.state
    for kind, what in one_of_each(before, 0, 3).items():
        table.take(what)
        assert table.state is before
        assert table.refused == ("tilt" if isinstance(what, inputs.Order) else None), kind

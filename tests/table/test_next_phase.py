"""Where every trigger leads from every phase, stated a second time: the rows and this page must say the same.

A row that is gone, leads elsewhere, hangs on another trigger or has another guard differs from it in some state.
"""

from itertools import product

import pytest
from one_table import house

from controller.game.cards import parse_card
from controller.game.coup import Coup
from controller.table.events import HoldReason
from controller.table.machine import (
    BANKER_RULE,
    BETS_CLOSED,
    BETTING,
    BURNING,
    DEALING,
    HELD,
    NATURALS,
    NO_SHOE,
    PLAYER_RULE,
    RESTING,
    SETTLING,
    SHOE_ENDED,
    TILT,
    TRIGGERS,
    Phase,
    next_phase,
)
from controller.table.rules import CloseBy
from controller.table.state import Hold, new_table


def coup(player, banker):
    return Coup(*(tuple(parse_card(text) for text in hand.split()) for hand in (player, banker)))


FIRST_CARDS = [coup("", ""), coup("2C", ""), coup("2C", "3D"), coup("2C TC", "3D")]
NATURAL = [coup("9C TC", "2D TD"), coup("2C TC", "8D TD"), coup("9C TC", "9D TD")]
PLAYER_DRAWS = [coup("2C TC", "3D TD"), coup("5C TC", "7D TD")]
BANKER_DRAWS = [coup("6C TC", "5D TD"), coup("2C TC 7C", "6D TD")]
BOTH_STAND = [coup("6C TC", "6D TD"), coup("2C TC 8C", "3D TD")]
COMPLETE = [coup("6C TC", "5D TD 4S"), coup("2C TC 5H", "3D TD 4S")]


def after_start(state):
    return BETTING if state.burn_due == 0 else BURNING


def after_coup(state):
    return SHOE_ENDED if state.last_coup == state.coup else BETTING


def after_void_of_held(state):
    """A hold of the burn lifts the burn; without a coup there is nothing to be void."""
    if state.hold.at is BURNING:
        return BETTING
    return None if state.hold.at in (NO_SHOE, SHOE_ENDED) else after_coup(state)


def after_first_card(state):
    return DEALING if state.rules.close_by is CloseBy.FIRST_CARD else None


def if_(hands, dest, other=None):
    """One way when the cards are of these, another when they are not."""
    return lambda state: dest if state.hands in hands else other


LEADS = {
    ("start_shoe", NO_SHOE): after_start,
    ("start_shoe", SHOE_ENDED): lambda state: None if state.owed else after_start(state),
    ("burn_done", BURNING): BETTING,
    ("close_bets", BETTING): BETS_CLOSED,
    ("open_bets", BETS_CLOSED): BETTING,
    ("card", BETTING): after_first_card,
    ("card", BETS_CLOSED): DEALING,
    ("card", DEALING): if_(FIRST_CARDS, DEALING, NATURALS),
    ("decide", NATURALS): if_(NATURAL, SETTLING, PLAYER_RULE),
    ("card", PLAYER_RULE): if_(PLAYER_DRAWS, BANKER_RULE),
    ("decide", PLAYER_RULE): if_(PLAYER_DRAWS, None, BANKER_RULE),
    ("card", BANKER_RULE): if_(BANKER_DRAWS, SETTLING),
    ("decide", BANKER_RULE): if_(BANKER_DRAWS, None, SETTLING),
    ("confirm", SETTLING): after_coup,
    ("end_shoe", BETTING): SHOE_ENDED,
    ("end_shoe", BETS_CLOSED): SHOE_ENDED,
    **{("void", phase): after_coup for phase in (BETS_CLOSED, DEALING, PLAYER_RULE, BANKER_RULE, SETTLING)},
    ("void", HELD): after_void_of_held,
    ("resume", HELD): lambda state: state.hold.at,
    **{("hold", phase): HELD for phase in set(Phase) - {NATURALS, HELD, TILT}},
    **{("tilt", phase): TILT for phase in set(Phase) - {NATURALS, TILT}},
}
"""A phase, or how it follows from the state; a pair that is not here leads nowhere."""

CARDS = {
    DEALING: FIRST_CARDS + NATURAL + PLAYER_DRAWS + BANKER_DRAWS[:1] + BOTH_STAND[:1],
    NATURALS: NATURAL + PLAYER_DRAWS + BANKER_DRAWS[:1] + BOTH_STAND[:1],
    PLAYER_RULE: PLAYER_DRAWS + BANKER_DRAWS[:1] + BOTH_STAND[:1],
    BANKER_RULE: BANKER_DRAWS + BOTH_STAND,
    SETTLING: NATURAL + BOTH_STAND + COMPLETE,
}
"""What can lie on the table in a phase; in all others nothing."""


def states(phase):
    """A table in this phase, in every way that a row may ask about."""
    nothing = FIRST_CARDS[:1]
    for close_by, last_coup, burn_due in product((CloseBy.BUTTON, CloseBy.FIRST_CARD), (None, 4, 5), (0, 3, None)):
        empty = new_table(house(close_by=close_by))._replace(coup=4, last_coup=last_coup, burn_due=burn_due)
        if phase is HELD:
            for at in RESTING:
                for hands in CARDS.get(at, nothing):
                    yield empty._replace(phase=HELD, hands=hands, hold=Hold(HoldReason.DISK, at, "", None))
        else:
            for hands, owed in product(CARDS.get(phase, nothing), ((), ((3, 5),))):
                yield empty._replace(phase=phase, hands=hands, owed=owed)


def expected(trigger, state):
    lead = LEADS.get((trigger, state.phase))
    return lead(state) if callable(lead) else lead


@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.value)
def test_every_trigger_leads_where_this_page_says(phase):
    for state in states(phase):
        for trigger in TRIGGERS:
            assert next_phase(state, trigger) is expected(trigger, state), (trigger, state)


def test_this_page_knows_every_trigger_and_no_other():
    assert {trigger for trigger, _ in LEADS} == set(TRIGGERS)

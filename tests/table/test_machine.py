"""The rows of the machine: right by themselves, and followed by nothing but themselves."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations, islice
from random import Random

import pytest
from anything import evening
from every_table import EVERY_TABLE, HOUSES
from one_table import BY_FIRST_CARD, NO_BURN, OneTable, bets_closed, betting, burning, dealt, house

from controller.game.coup import Coup
from controller.game.reachable import reachable
from controller.table import inputs, machine, moment
from controller.table.events import HoldReason
from controller.table.machine import (
    BANKER_RULE,
    BETS_CLOSED,
    BETTING,
    BURNING,
    DEALING,
    GUARDS,
    HELD,
    NATURALS,
    NO_SHOE,
    PLAYER_RULE,
    RESTING,
    SETTLING,
    SHOE_ENDED,
    TILT,
    TRANSITIONS,
    TRIGGERS,
    Phase,
    Row,
    exclusive,
    identity,
    lawful,
    mistakes,
    next_phase,
)
from controller.table.rules import CloseBy
from controller.table.state import Hold, new_table

# The check of the rows finds every kind of mistake


def without(*gone):
    """The rows but those from a phase by a trigger."""
    return [row for row in TRANSITIONS if (row.source, row.trigger) not in gone]


def test_the_rows_have_no_mistake():
    assert mistakes(TRANSITIONS) == []


@pytest.mark.parametrize("where", ["when", "unless"])
def test_an_unknown_guard_is_found(where):
    rows = [*without((BETTING, "close_bets")), Row("close_bets", BETTING, BETS_CLOSED, **{where: ("no_bets",)})]
    (mistake,) = mistakes(rows)
    assert "no guard no_bets" in mistake


@pytest.mark.parametrize(
    "rival",
    [
        Row("close_bets", BETTING, BETS_CLOSED),
        Row("close_bets", BETTING, SHOE_ENDED, when=("last_coup",)),
        Row("confirm", SETTLING, NO_SHOE, when=("last_coup",)),
        Row("decide", NATURALS, BANKER_RULE, unless=("player_draws",)),
        Row("resume", HELD, TILT, when=("held_at_dealing",)),
        Row("void", HELD, SHOE_ENDED, when=("held_at_burning",)),
    ],
)
def test_two_rows_true_at_once_are_found(rival):
    assert any("both can be true" in mistake for mistake in mistakes([*TRANSITIONS, rival]))


@pytest.mark.parametrize(
    ("gone", "phase"),
    [
        ((BURNING, "burn_done"), "burning: never left"),
        ((NATURALS, "decide"), "naturals: never left"),
        ((SETTLING, "confirm"), None),
        ((DEALING, "card"), "naturals: never reached"),
        ((SHOE_ENDED, "start_shoe"), "shoe-ended: never left"),
    ],
)
def test_phases_never_left_or_reached_are_found(gone, phase):
    found = mistakes(without(gone))
    assert phase in found if phase else found == []


def test_a_hold_that_anything_may_cause_is_no_way_on():
    held_only = [row for row in TRANSITIONS if row.source is not SETTLING or row.trigger == "hold"]
    assert "settling: never left" in mistakes(held_only)


def test_a_held_table_goes_only_back_so_that_is_no_way_there():
    rows = [row for row in TRANSITIONS if row.dest is not BURNING or row.source is HELD]
    assert mistakes(rows) == ["burning: never reached"]


def test_tilt_is_the_only_phase_without_a_way_out():
    assert {row.source for row in TRANSITIONS} == set(Phase) - {TILT}


def test_tables_rest_everywhere_but_in_naturals_held_and_tilt():
    assert set(RESTING) == set(Phase) - {NATURALS, HELD, TILT}


# No two rows are true at once: proved by the guards' names above, shown here by every state there is


def partial_coups():
    """Every kind of coup by two-card totals and thirds, and how each looked after each card."""
    coups = {Coup(), *(facts.coup for facts in reachable(("player_two", "banker_two", "player_third")))}
    assert len(coups) == 533
    for coup in tuple(coups):
        coups |= {Coup(coup.player[:p], coup.banker[:b]) for p, b in ((1, 0), (1, 1), (2, 1), (2, 2), (3, 2))}
    return coups


def phases_of(coup):
    """The phases that a table with these cards can be in when a trigger is pulled."""
    if not coup.has_four:
        return (NO_SHOE, BURNING, BETTING, BETS_CLOSED, SHOE_ENDED) if not coup.player else (DEALING,)
    return (DEALING, NATURALS, PLAYER_RULE, BANKER_RULE, SETTLING)


def every_state():
    """Tables in every phase with every kind of cards, held or not, in the last coup or not."""
    for close_by in (CloseBy.BUTTON, CloseBy.FIRST_CARD):
        for last_coup in (None, 1):
            empty = new_table(house(close_by=close_by))._replace(coup=1, last_coup=last_coup)
            for coup in partial_coups():
                for phase in phases_of(coup):
                    for burn_due in (0, 3) if not coup.player else (0,):
                        state = empty._replace(phase=phase, hands=coup, burn_due=burn_due)
                        yield state
                        if phase in RESTING:
                            yield state._replace(phase=HELD, hold=Hold(HoldReason.DISK, phase, "", None))


def test_in_no_state_are_two_rows_true():
    rows_by = {}
    for row in TRANSITIONS:
        rows_by.setdefault(row.source, []).append(row)
    seen = 0
    for state in every_state():
        true = [row.trigger for row in rows_by[state.phase] if holds(row, state)]
        assert len(true) == len(set(true)), (state.phase, state.hands, true)
        seen += 1
    assert seen > 10_000


def holds(row, state):
    guards_hold = all(GUARDS[name](state) for name in row.when)
    return guards_hold and not any(GUARDS[name](state) for name in row.unless)


def test_what_is_called_exclusive_is():
    assert exclusive(Row("a", HELD, TILT, when=("natural",)), Row("a", HELD, TILT, unless=("natural",)))
    assert not exclusive(Row("a", HELD, TILT, when=("natural",)), Row("a", HELD, TILT, when=("natural",)))
    assert not exclusive(Row("a", HELD, TILT, when=("natural",)), Row("a", HELD, TILT, unless=("last_coup",)))


def test_a_deciding_phase_always_has_one_way():
    for state in every_state():
        if state.phase is NATURALS:
            assert next_phase(state, "decide") in (SETTLING, PLAYER_RULE)


# The rows are what is followed, all of them


def test_every_row_is_followed_at_a_table_and_no_other(monkeypatch):
    followed = set()

    def watched(table, trigger):
        dest = next_phase(table, trigger)
        if dest is not None:
            followed.add((trigger, table.phase, dest))
        return dest

    monkeypatch.setattr(moment, "next_phase", watched)
    conduct_everything()
    assert followed == {(row.trigger, row.source, row.dest) for row in TRANSITIONS}


def conduct_everything():
    """Some evenings, and every way out of every place, in the shoe's last coup or not."""
    for number, rules in enumerate(HOUSES):
        evening(OneTable(**rules), Random(number), 300, 0.1)
    for table in EVERY_TABLE.values():
        for last in (False, True):
            for kind in (inputs.VoidCoup, inputs.Resume, inputs.Confirm, inputs.EndShoe, inputs.StartShoe):
                one = table()
                one = one.take(inputs.CutCardOut(0)) if last and one.state.phase in RESTING else one
                one.happens(kind)
            one = table()
            one.state = one.state._replace(last_coup=1 if last else None)
            one.happens(inputs.VoidCoup)
        table().happens(inputs.RecordBroken, "row 7")
    burning(burn=NO_BURN).happens(inputs.EndShoe).restarts(house(identity="rules-2", burn=BY_FIRST_CARD)).shoe_starts()
    bets_closed().happens(inputs.OpenBets)


# What the library would do if it were let


def test_there_is_no_way_past_the_rows():
    """`transitions` by itself adds to_settling() and the like, which jump over the whole game."""
    assert not [name for name in dir(machine._MARKER) if name.startswith("to_")]
    assert set(machine._MACHINE.events) == set(TRIGGERS)


def test_no_state_is_added_by_a_misspelt_name():
    assert set(machine._MACHINE.states) == {phase.value for phase in Phase}


@pytest.mark.parametrize("trigger", ["settle", "to_SETTLING", "", "hold "])
def test_an_unknown_trigger_leads_nowhere(trigger):
    table = dealt("2C")
    assert next_phase(table.state, trigger) is None
    assert not lawful(DEALING, trigger)


def test_a_row_whose_guard_is_false_leads_nowhere_and_is_told_from_one_that_is_not_there():
    state = betting().state
    assert next_phase(state, "card") is None
    assert lawful(BETTING, "card")
    assert not lawful(BETTING, "confirm")


def test_one_tables_steps_do_not_move_another():
    one, other = dealt("2C"), betting()
    assert next_phase(one.state, "card") is DEALING
    assert next_phase(other.state, "close_bets") is BETS_CLOSED
    assert next_phase(one.state, "card") is DEALING
    assert (one.state.phase, other.state.phase) == (DEALING, BETTING)


def test_a_guard_that_fails_is_not_swallowed(monkeypatch):
    """A callback of the library may fail without anyone being told: ours are asked before anything moves."""
    state = betting().state._replace(phase=NATURALS)
    with pytest.raises(IndexError):
        next_phase(state, "decide")
    assert next_phase(dealt("2C 3D TC").state, "hold") is HELD


def test_the_rows_have_no_callbacks_and_the_machine_no_queue():
    assert not machine._MACHINE.has_queue
    for event in machine._MACHINE.events.values():
        for transition in (each for group in event.transitions.values() for each in group):
            assert [*transition.before, *transition.after, *transition.prepare] == []


def test_the_machine_follows_each_row_as_it_is_written():
    for state in islice(every_state(), 0, None, 7):
        if state.hands.has_four and state.phase is not HELD:
            continue
        for trigger in TRIGGERS:
            true = [
                row.dest
                for row in TRANSITIONS
                if (row.trigger, row.source) == (trigger, state.phase) and holds(row, state)
            ]
            assert [next_phase(state, trigger)] == (true or [None])


# The identity


def test_the_identity_is_the_same_in_every_process():
    code = "from controller.table.machine import identity; print(identity())"
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    ]
    assert runs == [identity()] * 2
    assert len(identity()) == 64


def test_the_identity_tells_any_change_of_the_rows(monkeypatch):
    seen = {identity()}
    for number, row in enumerate(TRANSITIONS):
        for changed in ([], [replace(row, trigger="x")], [replace(row, when=("x",))], [replace(row, unless=("x",))]):
            monkeypatch.setattr(machine, "TRANSITIONS", (*TRANSITIONS[:number], *changed, *TRANSITIONS[number + 1 :]))
            seen.add(identity())
    assert len(seen) > 4 * len(TRANSITIONS) - len(TRANSITIONS)
    assert all(one != other for one, other in combinations(sorted(seen), 2))

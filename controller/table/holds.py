"""Holding a table, and what waits while it is held."""

from dataclasses import replace

from controller.table.events import HoldReason, ReportWaits, TableHeld
from controller.table.inputs import Input, LinkState, ShoeReport
from controller.table.machine import BETTING, IN_PLAY, NO_SHOE, SHOE_ENDED
from controller.table.moment import Moment
from controller.table.procedures import PROCEDURES
from controller.table.state import Hold, TableState

LINE_IS_BACK = "the line to the shoe is back: check the cards on the table, then resume; or void"
OPENS_BETS = (NO_SHOE, BETTING, SHOE_ENDED)
"""Where bets are open, or open next: not with a program or a configuration that nobody accepted."""
MOST_WAITING = 1000
"""More reports than any shoe has cards: beyond it the coup can only be void."""


def hold(moment: Moment, reason: HoldReason, what: str, cause: Input | None, code: int | None = None) -> None:
    """Hold the table; `what` says in a few words what happened and where."""
    text = f"{what}: {PROCEDURES[reason].say}"
    at = moment.state.phase
    assert moment.go("hold"), f"a table cannot be held in {at}"
    moment.set(hold=Hold(reason, at, text, cause, code), deadline_ms=None)
    moment.say(TableHeld(reason, text))


def held_for_link(moment: Moment) -> None:
    """A shoe in play needs its line: hold the table when the line is down and nothing else holds it."""
    if moment.state.phase in IN_PLAY and moment.state.shoe_link is LinkState.DOWN:
        hold(moment, HoldReason.SHOE_LINK_LOST, "the line to the shoe is down", None)


def held_for_change(moment: Moment) -> None:
    """A coup in play ends by its own rules; then, or without one, the table is held for what was not accepted."""
    if moment.state.phase in OPENS_BETS and moment.state.changes:
        hold(moment, HoldReason.PROGRAM_CHANGED, changed_text(moment.state), None)


def changed_text(state: TableState) -> str:
    """What is not as it was accepted, in a few words."""
    names = [change.what for change in state.changes]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"{listed} changed since the last accepted start"


def wait(moment: Moment, what: Input) -> None:
    """Something came while the table is held: it waits its turn. Only reports count."""
    held = moment.state.hold
    assert held is not None
    if len(held.waiting) >= MOST_WAITING:
        moment.set(hold=replace(held, overflow=True))
    else:
        moment.set(hold=replace(held, waiting=(*held.waiting, what)))
    moment.say(ReportWaits(type(what).__name__, waiting_reports(moment.state.hold)))


def waiting_reports(held: Hold | None) -> int:
    """How many reports of the shoe wait."""
    return sum(isinstance(what, ShoeReport) for what in held.waiting) if held else 0


def line_is_back(moment: Moment) -> None:
    """The line to the shoe works again: a table held for it stays held, and says what to do now."""
    held = moment.state.hold
    if held is not None and held.reason is HoldReason.SHOE_LINK_LOST and moment.state.shoe_link is LinkState.UP:
        moment.set(hold=replace(held, text=LINE_IS_BACK))

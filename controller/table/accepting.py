"""A program or a configuration that is not the accepted one: what runs is named, somebody answers for it by name."""

from dataclasses import replace

from controller.table import resuming
from controller.table.events import ChangeAccepted, ControllerStarted, HoldReason, ProgramChanged, Refusal
from controller.table.holds import changed_text, line_is_back
from controller.table.inputs import AcceptChange, ProgramStarted
from controller.table.layout import start_clock
from controller.table.machine import NO_SHOE, SHOE_ENDED
from controller.table.moment import Moment
from controller.table.procedures import PROCEDURES


def started(moment: Moment, what: ProgramStarted) -> None:
    """The program is there (again): other rules wait to be accepted and for the next shoe; clocks begin anew."""
    state, running = moment.state, _identities(what)
    accepted = state.accepted or running
    at_once = _is_idle(moment) and accepted == running
    rules = what.rules if at_once else state.rules
    waiting = None if what.rules.identity == rules.identity else what.rules
    moment.set(
        rules=rules,
        next_rules=waiting,
        running=running,
        accepted=accepted,
        shoe_link=what.shoe_link,
        display_link=what.display_link,
        heard_ms=moment.at_ms,
        quiet=False,
    )
    start_clock(moment)
    line_is_back(moment)
    moment.say(ControllerStarted(what.version, rules.identity, waiting.identity if waiting else None))
    if changes := moment.state.changes:
        moment.say(ProgramChanged(changes))
        _say_what_changed_now(moment)


def accept(moment: Moment, order: AcceptChange, conduct: resuming.Conduct) -> None:
    """What runs is the accepted one from now on; a table that was held for it goes on."""
    state, held = moment.state, moment.state.hold
    if not state.changes:
        moment.refuse("accept-change", Refusal.NO_CHANGE, "program and configuration are the accepted ones")
        return
    moment.set(accepted=state.running)
    if _is_idle(moment) and state.next_rules is not None:
        moment.set(rules=state.next_rules, next_rules=None)
    moment.say(ChangeAccepted(order.name, order.reason, state.changes))
    if held is not None and held.reason is HoldReason.PROGRAM_CHANGED and not held.overflow:
        resuming.resume(moment, conduct)


def _identities(what: ProgramStarted) -> tuple[tuple[str, str], ...]:
    return (
        ("version", what.version),
        ("tableau", what.tableau),
        ("transitions", what.transitions),
        ("files", what.files),
        ("configuration", what.rules.identity),
    )


def _is_idle(moment: Moment) -> bool:
    return moment.state.conducted in (NO_SHOE, SHOE_ENDED)


def _say_what_changed_now(moment: Moment) -> None:
    """A table that was held for a change before names what has changed now."""
    held = moment.state.hold
    if held is not None and held.reason is HoldReason.PROGRAM_CHANGED:
        text = f"{changed_text(moment.state)}: {PROCEDURES[held.reason].say}"
        moment.set(hold=replace(held, text=text))

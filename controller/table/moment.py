"""One input at work: the state as it changes and the events as they are said."""

from typing import Any

from controller.table.events import Event, InputRefused, Refusal
from controller.table.machine import next_phase
from controller.table.state import TableState

_PLACES = {name: place for place, name in enumerate(TableState._fields)}


class Moment:
    """The working side of a step; it lives no longer than one input."""

    __slots__ = ("at_ms", "events", "state")

    def __init__(self, state: TableState, at_ms: int) -> None:
        self.state = state
        self.at_ms = at_ms
        self.events: list[Event] = []

    def set(self, **changes: Any) -> None:
        """Change fields of the state (as `_replace` does, three times as fast: a step does it a few times)."""
        values = list(self.state)
        for name, value in changes.items():
            values[_PLACES[name]] = value
        self.state = TableState._make(values)

    def say(self, event: Event) -> None:
        """Record what happened."""
        self.events.append(event)

    def go(self, trigger: str) -> bool:
        """Follow the row of this trigger; False, and nothing changed, when none is true."""
        phase = next_phase(self.state, trigger)
        if phase is None:
            return False
        if phase is not self.state.phase:
            self.set(phase=phase)
        return True

    def refuse(self, order: str, reason: Refusal, text: str) -> None:
        """An order is not carried out."""
        self.say(InputRefused(order, reason, text))

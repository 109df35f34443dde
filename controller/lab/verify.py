"""Reads a journal back: is each row what was written, and does what is recorded follow from what is recorded?"""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.host.config_file import ConfigErrors
from controller.host.journal_format import RecordedConfiguration, RecordedInput
from controller.host.journal_reader import JournalDamaged, JournalReader
from controller.host.lines import RecordUnreadable, loads
from controller.host.record import input_from_plain, state_from_plain, to_plain
from controller.host.recorded_rules import RecordedRules
from controller.table.inputs import ProgramStarted
from controller.table.state import TableState, new_table
from controller.table.table import step


@dataclass(slots=True)
class Verified:
    """How far a journal was read and what is wrong with it: the first difference, empty when there is none."""

    inputs: int = 0
    events: int = 0
    coups: int = 0
    difference: str = ""


class Replay:
    """The recorded inputs fed through today's `step`."""

    def __init__(self) -> None:
        self.texts: dict[str, dict[str, str]] = {}
        self.rules = RecordedRules(self.texts)
        self.state: TableState | None = None

    def configuration(self, row: RecordedConfiguration) -> None:
        """Rules that later rows name by their identity; read once all their texts are there."""
        self.texts.setdefault(row.identity, {})[row.name] = row.text

    def difference(self, row: RecordedInput) -> str:
        """One line when this input does not lead to what is recorded, else empty."""
        what = input_from_plain(loads(row.body), self.rules)
        if self.state is None:
            assert isinstance(what, ProgramStarted), "a journal begins with a start of the program"
            self.state = new_table(what.rules)
        self.state, events = step(self.state, what)
        ours = [to_plain(event, "event") for event in events]
        theirs = [loads(event.body) for event in row.events]
        for number, (our, their) in enumerate(zip(ours, theirs, strict=False), 1):
            if our != their:
                return f"event {number} is {ascii(their)[:300]}, it should be {ascii(our)[:300]}"
        if len(ours) != len(theirs):
            return f"it has {len(theirs)} events, it should have {len(ours)}"
        if row.state is not None and state_from_plain(loads(row.state), self.rules) != self.state:
            return "the state kept with it is not the one that follows"
        return ""


def verify(reader: JournalReader) -> Iterator[Verified]:
    """How far it is, again and again while it reads; the last one is the verdict."""
    found, replay = Verified(), Replay()
    try:
        for row in reader.rows():
            found.difference = found.difference or _trouble(row, replay)
            if isinstance(row, RecordedInput):
                found.inputs += 1
                found.events += len(row.events)
                found.coups += sum(event.kind == "CoupSettled" for event in row.events)
            if found.difference:
                break
            yield found
    except JournalDamaged as damage:
        found.difference = str(damage)
    found.difference = found.difference or next(reader.troubles(), "")
    yield found


def _trouble(row: RecordedConfiguration | RecordedInput, replay: Replay) -> str:
    if row.trouble:
        return row.trouble
    if isinstance(row, RecordedConfiguration):
        replay.configuration(row)
        return ""
    where = f"record {row.seq} ({row.kind}, {row.at_utc})"
    try:
        difference = replay.difference(row)
    except (RecordUnreadable, ConfigErrors, AssertionError) as wrong:
        difference = str(wrong).splitlines()[0] if str(wrong) else "it cannot be read"
    return f"{where}: {difference}" if difference else ""

"""Feeds what was recorded through today's program: does each input lead to the same events, to the byte?"""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.host.config_file import ConfigErrors
from controller.host.journal_format import RecordedConfiguration, RecordedInput, RecordedStray
from controller.host.journal_reader import JournalDamaged, JournalReader
from controller.host.lines import RecordUnreadable, dumps, loads
from controller.host.record import input_from_plain, state_from_plain, to_plain
from controller.host.recorded_rules import RecordedRules
from controller.table.inputs import ProgramStarted
from controller.table.state import TableState, new_table
from controller.table.table import step


@dataclass(slots=True)
class Replayed:
    """How far it is, and where the two part: one line, empty when they do not."""

    inputs: int = 0
    events: int = 0
    difference: str = ""


class Replay:
    """The recorded inputs fed through today's `step`."""

    def __init__(self, texts: dict[str, dict[str, str]]) -> None:
        self.texts = texts
        self.rules = RecordedRules(texts)
        self.state: TableState | None = None

    def difference(self, row: RecordedInput) -> str:
        """One line when this input does not lead to what is recorded, else empty."""
        what = input_from_plain(loads(row.body), self.rules)
        if self.state is None and isinstance(what, ProgramStarted):
            self.state = new_table(what.rules)
        if self.state is None:  # the rows before it are in an archive
            assert row.state is not None, "a journal begins with a start of the program, or with a shoe"
            self.state = state_from_plain(loads(row.state), self.rules)
            return ""
        self.state, events = step(self.state, what)
        ours = [dumps(to_plain(event, "event")) for event in events]
        theirs = [event.body for event in row.events]
        for number, (our, their) in enumerate(zip(ours, theirs, strict=False), 1):
            if our != their:
                return f"event {number} is {ascii(their)[:300]}, it should be {ascii(our)[:300]}"
        if len(ours) != len(theirs):
            return f"it has {len(theirs)} events, it should have {len(ours)}"
        if row.state is not None and row.state != dumps(to_plain(self.state, "state")):
            return "the state kept with it is not the one that follows"
        return ""


def replay(reader: JournalReader) -> Iterator[Replayed]:
    """How far it is, again and again while it reads; the last one is the verdict."""
    found = Replayed()
    try:
        feed = Replay(recorded_texts(reader))
        for row in reader.rows():
            found.difference = _difference(row, feed)
            if isinstance(row, RecordedInput):
                found.inputs += 1
                found.events += len(row.events)
            if found.difference:
                break
            yield found
    except JournalDamaged as damage:
        found.difference = str(damage)
    yield found


def recorded_texts(reader: JournalReader) -> dict[str, dict[str, str]]:
    """The texts of every configuration, by identity, then by name. Raises JournalDamaged."""
    texts: dict[str, dict[str, str]] = {}
    for identity, name, text in reader.select("SELECT identity, name, text FROM configurations ORDER BY number"):
        texts.setdefault(identity, {})[name] = text
    return texts


def _difference(row: RecordedConfiguration | RecordedInput | RecordedStray, feed: Replay) -> str:
    if row.trouble or not isinstance(row, RecordedInput):
        return row.trouble
    try:
        difference = feed.difference(row)
    except (RecordUnreadable, ConfigErrors, AssertionError, KeyError, TypeError, ValueError) as wrong:
        difference = str(wrong).splitlines()[0] if str(wrong) else "it cannot be read"
    return f"record {row.seq} ({row.kind}, {row.at_utc}): {difference}" if difference else ""

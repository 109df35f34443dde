"""Verifies a journal: the chain, and each coup worked out anew from its cards and the paytable as it was recorded."""

from collections.abc import Iterator
from dataclasses import dataclass

from controller.host.config_file import ConfigErrors
from controller.host.journal_format import Recorded, RecordedConfiguration, RecordedInput, RecordedStray
from controller.host.journal_reader import JournalDamaged, JournalReader
from controller.host.lines import RecordUnreadable
from controller.lab.journal_coups import CoupChecker
from controller.lab.journal_replay import recorded_texts


@dataclass(slots=True)
class Verified:
    """How far a journal was read and what is wrong with it: the first difference, empty when there is none."""

    inputs: int = 0
    events: int = 0
    coups: int = 0
    difference: str = ""


def verify(reader: JournalReader) -> Iterator[Verified]:
    """How far it is, again and again while it reads; the last one is the verdict."""
    found = Verified(difference=reader.key_trouble())
    try:
        checker = CoupChecker(recorded_texts(reader))
        for row in reader.rows():
            found.difference = found.difference or _trouble(row, checker)
            if isinstance(row, RecordedStray):
                found.difference = reader.head_trouble() or found.difference
            if isinstance(row, RecordedInput):
                found.inputs += 1
                found.events += len(row.events)
                found.coups = checker.coups
            if found.difference:
                break
            yield found
    except JournalDamaged as damage:
        found.difference = str(damage)
    found.difference = found.difference or next(reader.other_troubles(), "")
    yield found


def _trouble(row: Recorded, checker: CoupChecker) -> str:
    if row.trouble:
        return row.trouble
    if isinstance(row, RecordedConfiguration):
        return checker.configuration(row)
    if not isinstance(row, RecordedInput):
        return ""
    try:
        difference = checker.difference(row)
    except (RecordUnreadable, ConfigErrors, AssertionError, KeyError, TypeError, ValueError) as wrong:
        difference = str(wrong).splitlines()[0] if str(wrong) else "it cannot be read"
    return f"record {row.seq} ({row.kind}, {row.at_utc}): {difference}" if difference else ""

"""A coup as a person tells it: what came and when, byte for byte, what was decided and why, what was paid."""

from collections.abc import Iterator

from controller.host.journal_format import RecordedInput
from controller.host.journal_reader import JournalReader
from controller.host.lines import loads
from controller.lab.journal_words import told


def show(reader: JournalReader, shoe: int | None, coup: int | None) -> Iterator[str]:
    """Lines about one coup, or about every coup of a shoe (None: the last). Nothing when there is no such coup.

    An input that ends one coup and begins the next is told with both. Raises JournalDamaged and RecordUnreadable.
    """
    if shoe is None:
        (shoe,) = next(reader.select("SELECT max(shoe) FROM shoes"))
    first, after = _inputs_of(reader, shoe)
    at: int | None = None
    headed: int | None = -1
    for row in reader.rows(first - 1) if first else ():
        if not isinstance(row, RecordedInput):
            continue
        if after is not None and row.seq >= after:
            return
        before, at = at, next((event.coup for event in reversed(row.events) if event.coup is not None), at)
        if coup is not None and coup not in (before, at):
            continue
        number = coup if coup is not None else before if row.seq != first else at
        if number != headed:
            yield f"shoe {shoe}, coup {number}" if number is not None else f"shoe {shoe}"
            headed = number
        yield from _lines(row)


def _inputs_of(reader: JournalReader, shoe: int | None) -> tuple[int | None, int | None]:
    """The input with which a shoe began, and the one with which the next began; None when there is none."""
    (first,) = next(reader.select("SELECT max(input) FROM shoes WHERE shoe = ?", (shoe,)))
    if first is None:
        return None, None
    (after,) = next(reader.select("SELECT min(input) FROM shoes WHERE input > ?", (first,)))
    return first, after


def _lines(row: RecordedInput) -> Iterator[str]:
    order = f" (order {ascii(row.order_id)[1:-1]})" if row.order_id is not None else ""
    simulated = " [simulated]" if row.simulated else ""
    yield f"  {row.at_utc} record {row.seq}, {row.source}{order}: {told(loads(row.body), 'input')}{simulated}"
    if row.raw:
        yield f"      bytes {row.raw.hex(' ')}"
    for event in row.events:
        for line in told(loads(event.body), "event").split("\n"):
            yield f"      {line}"
    if row.trouble:
        yield f"      ATTENTION: {row.trouble}"

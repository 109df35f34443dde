"""A coup as a person tells it: what came and when, byte for byte, what was decided and why, what was paid."""

from collections.abc import Iterator

from controller.host.journal_format import RecordedInput
from controller.host.journal_reader import JournalReader
from controller.host.lines import RecordUnreadable, loads
from controller.lab.journal_words import told


def show(reader: JournalReader, shoe: int | None, coup: int | None) -> Iterator[str]:
    """Lines about one coup, or about every coup of a shoe (None: the last). Nothing when there is no such coup.

    An input that ends one coup and begins the next is told with both. Raises JournalDamaged.
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
    order = f" (order {_shown(row.order_id)})" if row.order_id is not None else ""
    simulated = " [simulated]" if row.simulated else ""
    what = "; ".join(_told(row.body, "input"))
    yield f"  {_shown(row.at_utc)} record {row.seq}, {_shown(row.source)}{order}: {what}{simulated}"
    if row.raw:
        yield f"      bytes {row.raw.hex(' ')}"
    for event in row.events:
        for line in _told(event.body, "event"):
            yield f"      {line}"
    if row.trouble:
        yield f"      ATTENTION: {row.trouble}"


def _told(body: str, tag: str) -> list[str]:
    """In plain words; a body that was changed until it makes no sense stands as it is."""
    try:
        lines = told(loads(body), tag).split("\n")
    except (RecordUnreadable, KeyError, TypeError, ValueError, AttributeError, StopIteration):
        lines = [f"what cannot be read: {ascii(body)[:200]}"]
    return [_shown(line) for line in lines]


def _shown(text: str) -> str:
    """As it may stand in a line: nothing in it moves the terminal's hand."""
    return text if text.isprintable() else ascii(text)[1:-1]

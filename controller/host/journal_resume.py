"""What a start reads: where the shoe in play, or its coup, began, and every input since, the chain checked."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from controller.host.journal_format import RecordedInput
from controller.host.journal_walk import beginning, link_after, snapshot_seal, walk
from controller.host.lines import RecordUnreadable, loads, shown
from controller.host.record import Rules, input_from_plain, state_from_plain
from controller.table.inputs import Input
from controller.table.state import TableState

Replayed = Iterator[tuple[int, Input, list[dict[str, object]]]]
"""Of each recorded input its seq, itself, and its events as objects. Raises RecordUnreadable."""


class ShoeInPlay:
    """The end of a journal, from its last shoe on. `path` is for what is said."""

    def __init__(self, connection: sqlite3.Connection, key: bytes, path: str) -> None:
        self._connection = connection
        self._key = key
        self._path = path

    def replay(self, rules: Rules) -> tuple[TableState | None, Replayed]:
        """The state when the coup in play began, or the shoe (None before the first), and each input since: seq, input,
        event objects.

        The chain is checked from where the shoe began. Both raise RecordUnreadable, naming the record, when it is not
        what was written.
        """
        begun = beginning(self._connection).seq
        (first,) = self._rows("SELECT coalesce(max(input), 0) FROM shoes")[0]
        records = self._records(max(begun, first - 1))
        if first == 0:
            return None, self._each(records, rules)
        record = next(records)
        state = record.state
        assert state is not None, f"record {record.seq} began no shoe"
        if (kept := self._snapshot(first)) is not None:
            state, last = kept
            while record.seq < last:
                record = next(records)
        with _naming(record.seq):
            return state_from_plain(loads(state), rules), self._each(records, rules)

    def _snapshot(self, first: int) -> tuple[str, int] | None:
        """The last state that was kept since the input `first`, and the input it stands after."""
        rows = self._rows("SELECT input, state, mac FROM snapshots WHERE input >= ? ORDER BY input DESC", (first,))
        if not rows:
            return None
        seq, state, mac = rows[0]
        after = link_after(self._connection, seq)
        if after is None or snapshot_seal(self._key, seq, after.chain, state) != mac:
            raise RecordUnreadable(
                f"journal {shown(self._path)}: the state kept after record {seq} is not what was written"
            )
        return state, seq

    def _each(self, records: Iterator[RecordedInput], rules: Rules) -> Replayed:
        for record in records:
            with _naming(record.seq):
                happened = input_from_plain(loads(record.body), rules)
                events = [plain_object(event.body) for event in record.events]
            yield record.seq, happened, events

    def _records(self, after: int) -> Iterator[RecordedInput]:
        for record in walk(self._connection, self._key, after):
            if record.trouble:
                raise RecordUnreadable(f"journal {shown(self._path)}: {record.trouble}")
            if isinstance(record, RecordedInput):
                yield record

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()


def plain_object(text: str) -> dict[str, object]:
    """The object that a record's JSON is. Raises RecordUnreadable."""
    plain = loads(text)
    if not isinstance(plain, dict):
        raise RecordUnreadable(f"{ascii(text)[:60]} is not an object")
    return plain


@contextmanager
def _naming(seq: int) -> Iterator[None]:
    try:
        yield
    except RecordUnreadable as trouble:
        raise RecordUnreadable(f"record {seq}: {trouble}") from None

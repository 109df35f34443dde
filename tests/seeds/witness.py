"""Looks at what is on the disk after every commit, and follows the rules by itself from that alone."""

import sqlite3
from collections.abc import Callable, Mapping

from controller.host.lines import loads
from controller.host.record import input_from_plain
from controller.table.rules import HouseRules
from controller.table.state import TableState, new_table
from controller.table.table import step
from tests.seeds.happenings import DiskRefused, Happening, Recorded


class Witness:
    """`state` is the table as the disk bears it; every input that reached the disk is told as a happening."""

    def __init__(self, rules: HouseRules, tell: Callable[[Happening], None], is_quiet: Callable[[], bool]) -> None:
        self.state: TableState = new_table(rules)
        self.is_refused = False
        """Whether a write failed and none succeeded since."""
        self.seq = 0
        self._inputs = 0
        self._rules: Mapping[str, HouseRules] = {rules.identity: rules}
        self._tell = tell
        self._is_quiet = is_quiet

    def look(self, connection: sqlite3.Connection) -> None:
        """A commit succeeded: what is new?"""
        rows = connection.execute(
            "SELECT seq, body, raw, order_id, answer FROM inputs WHERE seq > ? ORDER BY seq", (self._inputs,)
        ).fetchall()
        for seq, body, raw, order_id, answer in rows:
            self._inputs = seq
            what = input_from_plain(loads(body), self._rules)
            before = self.state
            self.state, events = step(before, what)
            self.seq += len(events)
            told = None if answer is None else loads(answer)
            assert told is None or isinstance(told, dict)
            self.is_refused = False
            self._tell(
                Recorded(what, bytes(raw), order_id, told, before, self.state, events, self.seq, self._is_quiet())
            )

    def refused(self) -> None:
        """A write failed."""
        self.is_refused = True
        self._tell(DiskRefused())

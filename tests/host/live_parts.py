"""Parts of a live table for tests in simulated time: a journal that notes what is committed, wires in memory."""

import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from controller.host.config import load_table_texts
from controller.host.control import ControlServer
from controller.host.journal import DiskTrouble, Journal
from controller.host.live_table import LiveTable
from controller.host.loop import TableLoop
from controller.table.events import Event
from controller.table.inputs import Input, LinkState, ProgramStarted
from controller.table.rules import HouseRules
from controller.table.state import TableState, new_table
from drivers.contracts import CardDrawn
from drivers.displays.panel import PanelDisplay
from drivers.displays.simulated import SimulatedPanel
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.angel_eye_codec import encode_report
from drivers.shoes.angel_eye_fields import DeviceReport
from drivers.wires import MemoryWire, memory_pair

CONFIG = Path(__file__).parents[2] / "config"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PLACES = (("player", 1), ("banker", 1), ("player", 2), ("banker", 2), ("player", 3), ("banker", 3))


def rules_with(*changes: tuple[str, str]) -> HouseRules:
    """The demonstration table without a burn, changed."""
    text = (CONFIG / "tables" / "demo.yaml").read_text()
    for before, after in (("{by: first-card, ace: 1, court: 10}", "{by: none}"), *changes):
        assert before in text, before
        text = text.replace(before, after)
    return load_table_texts(text, (CONFIG / "paytables" / "commission-5.yaml").read_text())


class Noted(NamedTuple):
    """What `NotedJournal` is to write."""

    after: int
    happened: Input
    events: tuple[Event, ...]
    order_id: str | None
    answer: dict[str, object] | None


class NotedJournal:
    """A journal in memory: what was committed in which order, and a disk that can fail."""

    def __init__(self, note: Callable[[str], None] = lambda _: None) -> None:
        self.inputs: list[Input] = []
        self.events: list[Event] = []
        self.answers: dict[str, dict[str, object]] = {}
        self.fits: int | None = None
        """How many more inputs fit on the disk; None: any number."""
        self.ready: Noted | None = None
        """What stands ready but for its commit."""
        self._note = note

    def record_of(
        self,
        happened: Input,
        raw: bytes,
        events: tuple[Event, ...],
        *,
        at_utc: datetime,
        order_id: str | None = None,
        answer: Mapping[str, object] | None = None,
        state_after: TableState | None = None,
    ) -> "Noted":
        return Noted(len(self.inputs), happened, events, order_id, None if answer is None else dict(answer))

    def is_next(self, record: "Noted") -> bool:
        return record.after == len(self.inputs)

    def write(self, record: "Noted") -> list[int]:
        assert self.is_next(record)
        self.ready = None
        if self.fits == 0:
            raise DiskTrouble("journal j could not be written: no space is left: free some space", final=False)
        self.fits = None if self.fits is None else self.fits - 1
        self.inputs.append(record.happened)
        self.events += record.events
        if record.order_id is not None and record.answer is not None:
            self.answers[record.order_id] = record.answer
        self._note(f"commit {type(record.happened).__name__}")
        return []

    def get_ready(self, record: "Noted") -> None:
        self.ready = record

    def give_up(self) -> None:
        self.ready = None

    def finish(self) -> None:
        """Nothing is to follow here."""

    def last_seq(self) -> int:
        return len(self.events)

    def answer_for(self, order_id: str) -> dict[str, object] | None:
        return self.answers.get(order_id)

    def keep_trace(self, data: bytes) -> None:
        if self.fits == 0:
            raise DiskTrouble("journal j could not be written: no space is left: free some space", final=False)

    def events_after(self, seq: int, limit: int) -> list[dict[str, object]]:
        named = [{"seq": n, "event": type(event).__name__} for n, event in enumerate(self.events, 1)]
        return named[seq : seq + limit]

    def kinds(self) -> list[str]:
        """The events on disk."""
        return [type(event).__name__ for event in self.events]


def live_table(rules: HouseRules, journal: NotedJournal | Journal) -> LiveTable:
    """A table that was started at 0 with its shoe connected."""
    table = LiveTable(journal, new_table(rules), lambda: NOON)  # type: ignore[arg-type]
    table.take(ProgramStarted(0, rules, "1", LinkState.UP, LinkState.DOWN))
    return table


class Bench:
    """A loop between a shoe's wire and a panel in memory, at a time that a test sets."""

    def __init__(self, rules: HouseRules) -> None:
        self.notes: list[str] = []
        self.journal = NotedJournal(self.notes.append)
        self.told: list[Event] = []
        self.now_ms = 0
        shoe_wire, self.shoe_end = memory_pair("shoe")
        panel_wire, panel_end = memory_pair("panel")
        for wire in (shoe_wire, self.shoe_end, panel_wire, panel_end):
            wire.open(0)
        self.shoe_wire: MemoryWire = shoe_wire
        self.panel_wire, self.panel_end = panel_wire, panel_end
        self.panel = SimulatedPanel(panel_end, panel_id="0A0B0C0D")
        display = PanelDisplay(
            panel_wire, table="Test", lang="en", simulated=True, start_id="01020304", first_board=1, baud=115200
        )
        send = panel_wire.send

        def noted(data: bytes, now_ms: int) -> bool:
            if b" COUP " in data:
                self.notes.append(f"board {data.split(b'phase=')[1].split()[0].decode().split('*')[0]}")
            return send(data, now_ms)

        panel_wire.send = noted  # type: ignore[method-assign]
        self._folder = tempfile.TemporaryDirectory(prefix="punto-test-")
        self.control = ControlServer(f"{self._folder.name}/control")
        self.table = live_table(rules, self.journal)
        self.loop = TableLoop(
            self.table,
            self.journal,  # type: ignore[arg-type]
            AngelEyeShoe(shoe_wire),
            display,
            self.control,
            tell=self.told.append,
        )
        self._seq = 0
        self._orders = 0

    def goes_on(self, for_ms: int = 20, step_ms: int = 5) -> None:
        """Time passes, for the table and its panel."""
        for _ in range(0, for_ms, step_ms):
            self.loop.turn(self.now_ms)
            self.panel.poll(self.now_ms)
            self.now_ms += step_ms
        self.loop.turn(self.now_ms)

    def says(self, *reports: DeviceReport) -> None:
        """The shoe says these, three times each, and the table hears them."""
        for report in reports:
            self._seq = self._seq % 9 + 1
            self.shoe_end.send(encode_report(report, self._seq) * 3, self.now_ms)
        self.goes_on()

    def deals(self, *cards: str, after: int = 0) -> None:
        """Cards to the places in dealing order."""
        self.says(*(CardDrawn(*place, card) for place, card in zip(PLACES[after:], cards, strict=False)))

    def orders(self, order: Input) -> dict[str, object]:
        """A dealer's order, as it comes in; its answer."""
        self._orders += 1
        answer = self.table.order(order, f"order-{self._orders}")  # type: ignore[arg-type]
        self.goes_on()
        return answer

    def close(self) -> None:
        self.control.close()
        self._folder.cleanup()

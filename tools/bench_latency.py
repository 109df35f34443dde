"""From the last byte of a card's confirming copy to the first byte of the COUP frame, over two terminals, on disk.

Beside it a bare loop: select, read, one durable commit of the same size, write. Blocks of both in turn, in one process;
for both the bytes come from another one while the loop waits for them.
"""

import os
import selectors
import sqlite3
import statistics
import tempfile
import time
import tty
from datetime import UTC, datetime
from pathlib import Path

from controller.host.control import ControlServer
from controller.host.journal import Journal
from controller.host.live_table import LiveTable
from controller.host.loop import TableLoop, clock_ms
from controller.table.inputs import CardRead
from controller.table.state import new_table
from drivers.contracts import CardDrawn, Wire
from drivers.displays.panel import PanelDisplay
from drivers.displays.simulated import SimulatedPanel
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.angel_eye_codec import encode_report
from drivers.wires import wire_for
from tools.bench_far_shoe import FarShoe
from tools.bench_figures import Figure
from tools.bench_table import Dealer, rules, started, texts
from tools.listening import listen

CARDS = 3_000
BLOCK = 50
LONGEST_S = 5.0


def measure(percent: int) -> list[Figure]:
    """The median of both sides, in microseconds, and the 99th percentile beside it."""
    blocks = max(4, CARDS * percent // 100 // BLOCK)
    with tempfile.TemporaryDirectory() as name:
        ours = _Ours(Path(name))
        ours.cards(BLOCK)
        bare = _Bare(Path(name), ours.bytes_a_card())
        ours.far = bare.far = far = FarShoe()
        ours.cards(BLOCK)
        bare.cards(BLOCK)
        our_times: list[float] = []
        bare_times: list[float] = []
        for _ in range(blocks):
            our_times += ours.cards(BLOCK)
            bare_times += bare.cards(BLOCK)
        far.close()
        ours.close()
        bare.close()
    median, bare_median = statistics.median(our_times), statistics.median(bare_times)
    late, bare_late = (statistics.quantiles(times, n=100)[98] for times in (our_times, bare_times))
    note = f"{len(our_times):,} cards, 99th percentile {late:,.0f} and {bare_late:,.0f} us"
    return [Figure("card latency", median, bare_median, "us", median / bare_median, most=1.5, note=note)]


class _Ours:
    """The program's own loop between two terminals, a device and a panel at their far ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "bench.journal"
        self._shoe_end, self._panel_end = listen(f"pty:{folder}/shoe"), listen(f"pty:{folder}/panel")
        now_ms = clock_ms()
        shoe_wire, panel_wire = wire_for(f"{folder}/shoe", 4800), wire_for(f"{folder}/panel", 115200)
        shoe_wire.open(now_ms)
        panel_wire.open(now_ms)
        self._journal = Journal.open(self._path, "bench", simulation=True)
        self._journal.add_configuration(rules().identity, texts())
        self._table = LiveTable(self._journal, new_table(rules()), lambda: datetime.now(UTC))
        self._table.take(started(now_ms))
        self._coup_out = _CoupOut(panel_wire)
        display = PanelDisplay(
            panel_wire, table="Bench", lang="en", simulated=True, start_id="0000BE9C", first_board=1, baud=115200
        )
        self._control = ControlServer(folder / "bench.control")
        self._loop = TableLoop(
            self._table, self._journal, AngelEyeShoe(shoe_wire), display, self._control, tell=lambda event: None
        )
        self._panel = SimulatedPanel(self._panel_end, panel_id="00000001", baud=115200)
        self._dealer, self._seq = Dealer(seed=1), 0
        self.far: FarShoe | None = None
        self._settle_down()

    def cards(self, count: int) -> list[float]:
        """Microseconds for each of so many cards of coups."""
        times: list[float] = []
        while len(times) < count:
            what = self._dealer.next_input(self._table.state, clock_ms())
            if isinstance(what, CardRead) and what.target.value in ("player", "banker"):
                times.append(self._card(what))
            else:
                self._table.take(what)
            self._settle_down()
        return times

    def _card(self, card: CardRead) -> float:
        self._seq = self._seq % 9 + 1
        frame = encode_report(CardDrawn(card.target.value, card.index, str(card.card)), self._seq)
        self._shoe_end.send(frame, clock_ms())
        self._turn_until_quiet()
        self._coup_out.at = None
        began = time.perf_counter()
        if self.far is None:
            self._shoe_end.send(frame, clock_ms())
        else:
            line = self._shoe_end.fileno()
            assert line is not None, "the shoe's end is not plugged in"
            self.far.send_soon(line, frame)
        while self._coup_out.at is None:
            self._loop.wait(clock_ms())
            self._loop.turn(clock_ms())
            if self._coup_out.at is None:
                self._panel.poll(clock_ms())  # road and notice go first, and wait for their answer
            _within(began)
        if self.far is not None:
            began = self.far.sent_at()
        self._shoe_end.send(frame, clock_ms())
        return (self._coup_out.at - began) * 1e6

    def _turn_until_quiet(self) -> None:
        self._loop.wait(clock_ms())
        self._loop.turn(clock_ms())

    def _settle_down(self) -> None:
        """Frames and answers go to and fro until the panel shows what the table is."""
        began = time.perf_counter()
        while not self._panel_shows_all():
            self._loop.turn(clock_ms())
            self._panel.poll(clock_ms())
            _within(began)

    def _panel_shows_all(self) -> bool:
        shown, state = self._panel.shown, self._table.state
        if shown is None:
            return False
        cards = (",".join(map(str, state.hands.player)), ",".join(map(str, state.hands.banker)))
        return (shown.coup["phase"], shown.coup["p"], shown.coup["b"]) == (state.phase.value, *cards)

    def bytes_a_card(self) -> int:
        """What a card's input and events take as text."""
        with sqlite3.connect(f"file:{self._path}?mode=ro", uri=True) as connection:
            query = """SELECT avg(length(inputs.body) + length(raw) + (SELECT sum(length(body)) FROM events
                WHERE events.input = inputs.seq)) FROM inputs WHERE kind = 'CardRead'"""
            (size,) = connection.execute(query).fetchone()
        connection.close()
        return round(float(size))

    def close(self) -> None:
        self._control.close()
        self._journal.close()
        self._shoe_end.close()
        self._panel_end.close()


class _CoupOut:
    """Notes when the kernel has taken the first COUP frame that a wire was given; `at` is None before."""

    def __init__(self, wire: Wire) -> None:
        self.at: float | None = None
        self._send = wire.send
        setattr(wire, "send", self.send)  # noqa: B010 (a plain assignment to a method is no type)

    def send(self, data: bytes, now_ms: int) -> bool:
        sent = self._send(data, now_ms)
        if self.at is None and b" COUP " in data:
            self.at = time.perf_counter()
        return sent


class _Bare:
    """Select, read, one commit, write: what cannot be left out."""

    def __init__(self, folder: Path, size: int) -> None:
        self._in, self._in_far = _raw_pty()
        self._out, self._out_far = _raw_pty()
        self._body = "x" * size
        self._connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("CREATE TABLE inputs (seq INTEGER PRIMARY KEY, body TEXT)")
        self.far: FarShoe | None = None
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._in, selectors.EVENT_READ)

    def cards(self, count: int) -> list[float]:
        """Microseconds for each."""
        return [self._card() for _ in range(count)]

    def _card(self) -> float:
        assert self.far is not None
        self.far.send_soon(self._in_far, b"\x051D\x81\xb8\x034C")
        self._selector.select()
        os.read(self._in, 4096)
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO inputs (body) VALUES (?)", (self._body,))
        self._connection.execute("COMMIT")
        os.write(self._out, b"$04 COUP " + b"x" * 120)
        out_at = time.perf_counter()
        os.read(self._out_far, 4096)
        return (out_at - self.far.sent_at()) * 1e6

    def close(self) -> None:
        self._selector.close()
        self._connection.close()
        for fileno in (self._in, self._in_far, self._out, self._out_far):
            os.close(fileno)


def _raw_pty() -> tuple[int, int]:
    far, near = os.openpty()
    tty.setraw(near)
    return near, far


def _within(began: float) -> None:
    if time.perf_counter() - began > LONGEST_S:
        raise SystemExit("bench: the table did not answer in time")

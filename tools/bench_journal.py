"""What the journal costs: verifying it, its chain in a commit, and a restart in the middle of a shoe."""

import hashlib
import hmac
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from controller.host.journal import Journal
from controller.host.journal_format import Link, input_columns, link
from controller.host.journal_reader import JournalReader
from controller.host.live_table import LiveTable
from controller.lab.verify import verify
from controller.lab.watching import last
from controller.table.inputs import CardRead
from controller.table.machine import IN_COUP
from controller.table.state import TableState, new_table
from drivers.displays.simulated import SimulatedPanel
from tools.bench_figures import Figure
from tools.bench_start import LONGEST_S
from tools.bench_table import PAYTABLE, TABLE, Dealer, bench_folder, rules, started, texts
from tools.listening import listen

COUPS = 10_000
COMMITS = 2_000
ROUNDS = 7
RESTART_COUP = 40
TABLES = (("events", 1), ("starts", 0), ("shoes", 0), ("cards", 1), ("coups", 1), ("bets", 2))


def measure(percent: int) -> list[Figure]:
    """Verifying beside reading and hashing alone (seconds), a commit beside one without its chain (microseconds)."""
    return [_verifying(max(100, COUPS * percent // 100)), _committing(max(200, COMMITS * percent // 100))]


class _Dealt:
    """A journal that a table deals into, on a clock of its own."""

    def __init__(self, path: Path) -> None:
        self.journal = Journal.open(path, "bench", simulation=True)
        self.journal.add_configuration(rules().identity, texts())
        self.table = LiveTable(self.journal, new_table(rules()), lambda: datetime.now(UTC))
        self.table.take(started(0))
        self._dealer, self._now_ms = Dealer(seed=1), 0

    def until(self, coups: int) -> None:
        """So many more coups."""
        for _ in range(coups):
            before = self.table.state.last
            while self.table.state.last is before:
                self.one()

    def one(self) -> tuple[bool, float]:
        """One input: whether it was a card, and the microseconds it took."""
        self._now_ms += 1
        what = self._dealer.next_input(self.table.state, self._now_ms)
        began = time.perf_counter()
        self.table.take(what, b"x" * 16)
        took = (time.perf_counter() - began) * 1e6
        self.table.news()
        return isinstance(what, CardRead), took

    @property
    def state(self) -> TableState:
        """The table."""
        return self.table.state


def _verifying(coups: int) -> Figure:
    with tempfile.TemporaryDirectory(dir=bench_folder()) as folder:
        path = Path(folder) / "bench.journal"
        dealt = _Dealt(path)
        dealt.until(coups)
        dealt.journal.close()
        size = path.stat().st_size
        ours, bare = [], []
        for _ in range(3):
            bare.append(_seconds(lambda: _hash_all(path)))
            ours.append(_seconds(lambda: _verify(path)))
    note = f"{coups:,} coups, {size // coups:,} bytes each; chain, cards, money, tables, SQLite's own check"
    return Figure("verify", min(ours), min(bare), "s", min(ours) / min(bare), most=3, note=note)


def _seconds(work: Callable[[], None]) -> float:
    """Of the processor: whatever else the machine does does not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _verify(path: Path) -> None:
    with JournalReader(path) as reader:
        verdict = last(verify(reader))
    if verdict.difference:
        raise SystemExit(f"bench: {verdict.difference}")


def _hash_all(path: Path) -> None:
    """Read every row and work out its hash and its HMAC, nothing else."""
    key = bytes.fromhex((path.parent / "keys" / "bench.key").read_text())
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        tables = [_grouped(connection, table, column) for table, column in TABLES]
        value = chain = b""
        waiting = [next(rows, None) for rows in tables]
        for row in connection.execute("SELECT * FROM inputs ORDER BY seq"):
            own: list[list[tuple[object, ...]]] = []
            for number, found in enumerate(waiting):
                if found is not None and found[0] == row[0]:
                    own.append(found[1])
                    waiting[number] = next(tables[number], None)
                else:
                    own.append([])
            text = json.dumps(["input", *row[:6], row[6].hex(), *row[7:11], *own], separators=(",", ":"))
            value = hashlib.sha256(value + text.encode()).digest()
            chain = hmac.digest(key, chain + value, "sha256")


def _grouped(connection: sqlite3.Connection, table: str, column: int) -> Iterator[tuple[int, list[tuple[object, ...]]]]:
    """The rows of a table by their input."""
    at, rows = 0, list[tuple[object, ...]]()
    for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1"):
        if row[column] != at and rows:
            yield at, rows
            rows = []
        at = row[column]
        rows.append(row)
    if rows:
        yield at, rows


def _committing(commits: int) -> Figure:
    """Commits of cards on the disk; what the chain of the same rows takes is measured beside and taken off."""
    with tempfile.TemporaryDirectory() as folder:
        dealt = _Dealt(Path(folder) / "bench.journal")
        times: list[float] = []
        while len(times) < commits:
            is_card, took = dealt.one()
            if is_card:
                times.append(took)
        dealt.journal.close()
        chain = statistics.median(_chain_times(Path(folder) / "bench.journal", commits))
    commit = statistics.median(times)
    note = f"{commits:,} cards on disk; the chain takes {chain:.1f} us"
    return Figure("chain", commit, commit - chain, "us", commit / (commit - chain), most=1.05, note=note)


def _chain_times(path: Path, count: int) -> list[float]:
    times: list[float] = []
    key, before = bytes(32), Link(bytes(32), bytes(32))
    with JournalReader(path) as reader:
        for row in reader.rows():
            if getattr(row, "kind", "") != "CardRead" or len(times) == count:
                continue
            events = [tuple(event) for event in row.events]  # type: ignore[union-attr]
            own = [events, row.starts, row.shoes, row.cards, row.coups, row.bets]  # type: ignore[union-attr]
            began = time.perf_counter()
            link(key, before, input_columns(row, row.raw, own))  # type: ignore[union-attr]
            times.append((time.perf_counter() - began) * 1e6)
    return times


# A restart.


def measure_restart(percent: int) -> list[Figure]:
    """From the start of the program to the panel repainted, beside a bare Python (same imports, same file)."""
    rounds = max(3, ROUNDS * percent // 100)
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "main.yaml").write_text(PAYTABLE)
        display = f"display: {{driver: panel, port: {folder}/panel}}"
        (folder / "table.yaml").write_text(TABLE.replace("display: {driver: none}", display))
        path = folder / "bench.journal"
        cards = _play(path)
        for _ in range(rounds):
            bare.append(_bare_ms(path))
            ours.append(_repainted_ms(folder, path, cards))
    ours_ms, bare_ms = statistics.median(ours), statistics.median(bare)
    note = f"in coup {RESTART_COUP} of an eight-deck shoe, after two cards"
    return [Figure("restart", ours_ms, bare_ms, "ms", ours_ms / bare_ms, most=2, note=note)]


def _play(path: Path) -> str:
    """A journal that ends in the middle of a coup; Player's card."""
    dealt = _Dealt(path)
    dealt.until(RESTART_COUP - 1)
    while dealt.state.phase not in IN_COUP or not dealt.state.hands.banker:
        dealt.one()
    dealt.journal.close()
    return ",".join(map(str, dealt.state.hands.player))


def _bare_ms(path: Path) -> float:
    script = f"import controller.cli, controller.host.startup, sqlite3; c = sqlite3.connect({str(path)!r}); " + (
        "c.execute('SELECT count(*) FROM shoes').fetchone(); c.close()"
    )
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], check=True)
    return (time.perf_counter() - began) * 1000


def _repainted_ms(folder: Path, path: Path, cards: str) -> float:
    shoe, panel_end = listen(f"pty:{folder}/shoe"), listen(f"pty:{folder}/panel")
    panel = SimulatedPanel(panel_end, panel_id="00000001", baud=115200)
    command = [sys.executable, "-m", "controller", "run", f"{folder}/table.yaml", "--shoe-port", f"{folder}/shoe"]
    command += ["--journal", str(path), "--control", f"{folder}/bench.control"]
    began = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""})
    try:
        while panel.shown is None or panel.shown.coup.get("p") != cards:
            panel.poll(time.monotonic_ns() // 1_000_000)
            if time.perf_counter() - began > LONGEST_S or child.poll() is not None:
                raise SystemExit("bench: the panel was never repainted")
            time.sleep(0.0005)
        return (time.perf_counter() - began) * 1000
    finally:
        child.kill()
        child.wait()
        shoe.close()
        panel_end.close()

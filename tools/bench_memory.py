"""Memory over many coups, journal and all: the second half must not need more than the first."""

import resource
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from controller.host.journal import Journal
from controller.host.live_table import LiveTable
from controller.table.state import new_table
from tools.bench_figures import Figure
from tools.bench_table import Dealer, bench_folder, rules, started, texts

COUPS = 10_000
PAGE = resource.getpagesize()


def measure(percent: int) -> list[Figure]:
    """Resident memory (MB) after a tenth of the coups and after all of them."""
    coups = max(500, COUPS * percent // 100)
    with tempfile.TemporaryDirectory(dir=bench_folder()) as folder:
        journal = Journal.open(Path(folder) / "bench.journal", "bench", simulation=True)
        journal.add_configuration(rules().identity, texts())
        table = LiveTable(journal, new_table(rules()), lambda: datetime.now(UTC))
        table.take(started(0))
        dealer, now_ms, settled, early = Dealer(seed=1), 0, 0, 0.0
        while settled < coups:
            now_ms += 1
            before = table.state.last
            table.take(dealer.next_input(table.state, now_ms), b"x" * 16)
            table.news()
            settled += table.state.last is not before
            if settled == coups // 10 and not early:
                early = _resident_mb()
        late, size = _resident_mb(), (Path(folder) / "bench.journal").stat().st_size
        journal.close()
    note = f"over {coups:,} coups; {size // coups:,} journal bytes a coup"
    return [Figure("memory", late, early, "MB", late / early, most=1.05, note=note)]


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * PAGE / 1e6

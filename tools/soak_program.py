"""Deals thousands of coups at full speed over ptys, with the real programs, and watches what they hold."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tools.demo_inbox import DemoFailed, Inbox
from tools.demo_processes import Programs
from tools.demo_shoe import ShoeGone
from tools.demo_stage import PANEL, SHOE, TABLE
from tools.option_parser import OptionParser
from tools.soak_figures import Held, growth, held
from tools.soak_table import SoakTable

LEAST_MEASURED = 20
SAYS_AFTER_S = 15

EXAMPLE = """example:
  tools/soak --coups 10000        the soak that is recorded in tests/RESULTS.md

exit code 0: memory, descriptors and threads of all three programs are flat and the journal verifies; 1: not; 2: it
could not run"""


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    parser = OptionParser(
        prog="tools/soak", description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--coups", type=int, default=10_000, metavar="N", help="how many coups (10000)")
    options = parser.parse_args(arguments)
    if options.coups < LEAST_MEASURED:
        parser.error(f"--coups {options.coups}: at least {LEAST_MEASURED}, else nothing can be seen")
    inbox = Inbox()
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, Programs(inbox) as programs:
        try:
            return _soak(options.coups, SoakTable(Path(folder), programs, inbox), programs)
        except (DemoFailed, ShoeGone) as why:
            print(f"soak failed: {why}", file=sys.stderr)
            return 1


def _soak(coups: int, table: SoakTable, programs: Programs) -> int:
    every = max(1, coups // 100)
    measured: dict[str, list[Held]] = {TABLE: [], SHOE: [], PANEL: []}
    began = said = time.monotonic()
    for coup in table.deal():
        if coup % every == 0:
            for name, those in measured.items():
                those.append(held(programs.process_id(name), coup))
        if time.monotonic() - said > SAYS_AFTER_S:
            said = time.monotonic()
            print(f"{coup} of {coups} coups", file=sys.stderr, flush=True)
        if coup >= coups:
            break
    took_s = time.monotonic() - began
    verdict = table.ended()
    size = table.journal.stat().st_size
    print(f"{coups} coups in {took_s:.0f} s ({coups / took_s:.1f} a second); {verdict}")
    print(f"journal: {size} bytes, {size // coups} a coup (two bets, events and orders included)")
    grew = False
    for name, those in measured.items():
        first, last = those[len(those) // 4], those[-1]
        print(f"{name}: {first} .. {last}")
        for line in growth(those):
            grew = True
            print(f"{name}: {line}")
    print("something grew" if grew else "memory, descriptors and threads are flat")
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

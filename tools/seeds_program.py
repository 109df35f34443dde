"""Deals whole shoes in simulated time, each with troubles drawn from its seed, and checks that what must hold holds."""

import argparse
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

from tests.seeds.world import Tally, run_seed
from tools.option_parser import OptionParser

ROOT = Path(__file__).resolve().parent.parent
SAYS_AFTER_S = 10
LARGEST = 2**31

EXAMPLE = """examples:
  tools/seeds --count 300                       300 shoes, from seed 1
  tools/seeds --seed 4711 --count 1 --verbose   one shoe again, with its story

exit code 0: all held; 1: something did not, with the seed that shows it; 2: it could not run"""


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    options = _options(arguments)
    seeds = range(options.seed, options.seed + options.count)
    if options.verbose:
        return _report([run_seed(seed, print) for seed in seeds], 0)
    began, said, tallies = time.monotonic(), time.monotonic(), []
    for tally in _run(seeds, options.workers):
        tallies.append(tally)
        if tally.broken:
            print(_broken(tally), flush=True)
        if time.monotonic() - said >= SAYS_AFTER_S:
            said = time.monotonic()
            print(f"{len(tallies)} of {len(seeds)} shoes", file=sys.stderr, flush=True)
    return _report(tallies, time.monotonic() - began)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = OptionParser(
        prog="tools/seeds", description=__doc__, epilog=EXAMPLE, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=_whole, default=30, metavar="N", help="how many shoes (30)")
    parser.add_argument("--seed", type=_whole, default=1, metavar="S", help="the first seed (1)")
    parser.add_argument("--workers", type=_whole, default=os.cpu_count() or 1, help="processes (one a core)")
    parser.add_argument("--verbose", action="store_true", help="tell the story of each shoe")
    return parser.parse_args(arguments)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:12]) < LARGEST):
        raise argparse.ArgumentTypeError(f"{ascii(text)[:20]} is no whole number from 1 to {LARGEST - 1}")
    return int(text)


def _run(seeds: range, workers: int) -> Iterator[Tally]:
    """Each shoe in a process of its own kind, a few at a time, in the order of the seeds."""
    with get_context("spawn").Pool(min(workers, len(seeds))) as pool:
        yield from pool.imap(run_seed, seeds)


def _report(tallies: Sequence[Tally], took_s: float) -> int:
    broken = [tally for tally in tallies if tally.broken]
    reasons: Counter[str] = Counter()
    for tally in tallies:
        reasons.update(tally.reasons)
    total = {
        name: sum(getattr(tally, name) for tally in tallies)
        for name in ("cards", "coups", "inputs", "holds", "kills", "starts", "erred")
    }
    pace = f", {len(tallies) * 60 / took_s:.0f} a minute" if took_s else ""
    print(f"{len(tallies)} shoes{pace}: " + ", ".join(f"{name} {number}" for name, number in total.items()))
    print("holds: " + ", ".join(f"{reason} {number}" for reason, number in reasons.most_common()))
    for tally in broken:
        print(_broken(tally))
    print(f"broken: {len(broken)}")
    return 1 if broken else 0


def _broken(tally: Tally) -> str:
    again = f"tools/seeds --seed {tally.seed} --count 1 --verbose"
    return (
        f"seed {tally.seed} at commit {_commit()} broke after {tally.simulated_s} s: {tally.broken}\n  again: {again}"
    )


def _commit() -> str:
    """Of the files that were run; a seed means nothing without it."""
    described = subprocess.run(
        ("git", "describe", "--always", "--dirty"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    return described.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

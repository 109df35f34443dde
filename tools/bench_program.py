"""Measures what the program costs beside the bare work, both sides in one run, as ratios. Called by tools/bench."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tools import bench_conduct, bench_journal, bench_latency, bench_memory, bench_odds, bench_simulate, bench_start
from tools.bench_figures import Figure
from tools.option_parser import OptionParser

MEASURES: dict[str, Callable[[int], list[Figure]]] = {
    "latency": bench_latency.measure,
    "conduct": bench_conduct.measure_conduct,
    "game": bench_conduct.measure_game,
    "odds": bench_odds.measure,
    "start": bench_start.measure,
    "journal": bench_journal.measure,
    "restart": bench_journal.measure_restart,
    "memory": bench_memory.measure,
    "simulate": bench_simulate.measure,
}
"""Each measure takes how many percent of its full size to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure, and how much of it."""

    names: tuple[str, ...]
    percent: int


def main(arguments: Sequence[str]) -> int:
    """Print every figure; 1 when a ratio is not what it must be."""
    options = _options(arguments)
    wrong = 0
    for name in options.names:
        for figure in MEASURES[name](options.percent):
            print(figure.line(), flush=True)
            wrong += not figure.holds()
    return 1 if wrong else 0


def _options(arguments: Sequence[str]) -> Options:
    parser = OptionParser(
        prog="tools/bench", description=__doc__, epilog="example: tools/bench latency conduct --percent 20"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MEASURES)} (default: all)")
    parser.add_argument("--percent", type=int, default=100, help="of the full size (default 100)")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in MEASURES]
    if unknown or not 1 <= options.percent <= 1000:
        parser.error(f"name measures of {', '.join(MEASURES)}, and 1 to 1000 percent")
    return Options(tuple(options.names or MEASURES), options.percent)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

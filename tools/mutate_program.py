"""Changes one thing after another in what decides money, and shows that a test notices each. Called by tools/mutate.

Cells of the tableau, rows of the machine, tiers of the catalogue. Exit codes: 0 each was noticed, refused by the
program itself, or proved to change nothing; 1 some were missed, by name; 2 it could not be tried.
"""

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console

from tools import mutate_catalogue, mutate_rows, mutate_tableau
from tools.mutate_trial import CannotTry, Trial, Verdict, tried
from tools.mutation import Mutation
from tools.option_parser import OptionParser

KINDS: dict[str, Callable[[], Iterator[Mutation]]] = {
    "tableau": mutate_tableau.mutations,
    "row": mutate_rows.mutations,
    "catalogue": mutate_catalogue.mutations,
}


def main(arguments: Sequence[str]) -> int:
    """Try them and print how many of how many were noticed."""
    options = _options(arguments)
    chosen = [each for kind in options.kinds or KINDS for each in _chosen(KINDS[kind](), options)]
    verdicts: Counter[tuple[str, Verdict]] = Counter()
    try:
        for mutation, verdict, proof in _watched(tried(chosen, options.jobs), len(chosen)):
            verdicts[mutation.kind, verdict] += 1
            if verdict is Verdict.MISSED:
                print(f"MISSED {mutation.kind}: {mutation.name}", flush=True)
            elif verdict is Verdict.EQUIVALENT:
                print(f"equivalent {mutation.kind}: {mutation.name}: {proof}", flush=True)
    except CannotTry as why:
        print(f"tools/mutate: {why}", file=sys.stderr)
        return 2
    for line in _summary(verdicts):
        print(line)
    return 1 if any(verdict is Verdict.MISSED for _, verdict in verdicts) else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = OptionParser(
        prog="tools/mutate", description=__doc__, epilog="example: tools/mutate tableau --sample 10 --seed 3"
    )
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="only so many of each kind, any (default: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones (default 1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="J", help="at a time")
    parser.add_argument("--only", metavar="TEXT", help="those whose name holds the text")
    options = parser.parse_args(arguments)
    if set(options.kinds) - set(KINDS):
        parser.error(f"a kind is one of {', '.join(KINDS)}")
    return options


def _chosen(every: Iterable[Mutation], options: argparse.Namespace) -> list[Mutation]:
    named = [each for each in every if options.only is None or options.only in each.name]
    if options.sample is None:
        return named
    return random.Random(options.seed).sample(named, min(options.sample, len(named)))


def _watched(work: Iterator[Trial], of: int) -> Iterator[Trial]:
    """How far it is, on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from work
        return
    with console.status("mutations") as status:
        for number, done in enumerate(work, 1):
            status.update(f"{number} of {of} mutations: {done.mutation.kind}, {done.mutation.name}")
            yield done


def _summary(verdicts: Counter[tuple[str, Verdict]]) -> Iterator[str]:
    for kind in dict.fromkeys(kind for kind, _ in verdicts):
        counts = {verdict: verdicts[kind, verdict] for verdict in Verdict}
        noticed = counts[Verdict.FOUND] + counts[Verdict.REFUSED]
        of = noticed + counts[Verdict.MISSED]
        yield (
            f"{kind}: {noticed} of {of} noticed ({counts[Verdict.FOUND]} by a test, {counts[Verdict.REFUSED]} by the "
            f"program as it loads), {counts[Verdict.EQUIVALENT]} more proved to change nothing"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

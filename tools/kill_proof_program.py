"""Kills `punto run` with -9 between an emulated shoe and panel, at every named step and at any moment, and looks."""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.emulated.kill_rounds import Round, Tally

ROOT = Path(__file__).resolve().parent.parent
KILLS_A_ROUND = 50
SAYS_AFTER_S = 10
LARGEST = 2**31

EXAMPLE = """examples:
  tools/kill_proof --kills 200              two hundred kills, from seed 1
  tools/kill_proof --kills 50 --seed 51     one round again

exit code 0: all held; 1: something did not, with the seed that shows it; 2: it could not run"""


def main(arguments: Sequence[str]) -> int:
    """Returns the exit code."""
    options = _options(arguments)
    began = said = time.monotonic()
    tally = Tally()
    while tally.kills < options.kills:
        seed, wanted = options.seed + tally.kills, min(KILLS_A_ROUND, options.kills - tally.kills)
        with tempfile.TemporaryDirectory(prefix="punto-kills-") as folder:
            try:
                Round(Path(folder), seed, tally).run(wanted)
            except AssertionError as broken:
                print(f"broke after {tally.kills} kills, seed {seed}, commit {_commit()}: {broken}")
                print(f"  again: tools/kill_proof --kills {wanted} --seed {seed}")
                return 1
        if time.monotonic() - said >= SAYS_AFTER_S:
            said = time.monotonic()
            print(f"{tally.kills} of {options.kills} kills", file=sys.stderr, flush=True)
    _report(tally, time.monotonic() - began)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tools/kill_proof",
        description=__doc__,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kills", type=_whole, default=200, metavar="N", help="how many kills (200)")
    parser.add_argument("--seed", type=_whole, default=1, metavar="S", help="where chance begins (1)")
    return parser.parse_args(arguments)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:12]) < LARGEST):
        raise argparse.ArgumentTypeError(f"{ascii(text)[:20]} is no whole number from 1 to {LARGEST - 1}")
    return int(text)


def _report(tally: Tally, took_s: float) -> None:
    print(
        f"{tally.kills} kills in {took_s:.0f} s: {tally.whole} restarts looked at in full,"
        f" {tally.cards} cards, {tally.coups} coups, {tally.missed} cards read and not yet on disk, each found missing"
    )
    for place, times in sorted(tally.places.items()):
        print(f"  {place}: {times}")
    print("lost 0, doubled 0, other states 0, every journal verified")


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

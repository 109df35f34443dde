"""The options of the shoe emulator, and the files that they name."""

import argparse
from collections.abc import Callable
from pathlib import Path

from drivers.escape import escaped
from drivers.shoes.simulated import ORDERS, ShoeSettings
from drivers.shoes.simulated_cards import BurnRule, is_card
from drivers.shoes.simulated_faults import Fault, faults_from
from tools.option_parser import OptionParser

MOST_FILE_BYTES = 1024 * 1024
EXAMPLE = f"""\
example:
  tools/shoe_emulator --listen pty:/tmp/shoe --control /tmp/shoe.control --seed 7
  punto run config/tables/demo.yaml --shoe-port /tmp/shoe
  echo coup | nc -U /tmp/shoe.control

orders, one a line, each answered by ok or error TEXT:
  {ORDERS}, quit
  'shoe' puts in the next shoe; 'power' does too once the cut card or the last card is out and no coup is on.

faults, one JSON object a line, each with the card it happens to, counted from the top, burn included:
  {{"card": 14, "do": "unreadable"}}
  unreadable, overdraw, drop-copies N, damage-copies N, drop-report, swap-next, wrong-target, other-card, power,
  unplug MS, wrong-result
"""


class OptionRefused(Exception):
    """Why it cannot run: one line."""


def parser_of_options() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="shoe_emulator",
        description="An emulated card shoe (Angel Eye II-EX compatible) that deals when told.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--listen", required=True, metavar="WHERE", help="pty:PATH (PATH becomes a symlink to the terminal) | tcp:PORT")
    add("--control", type=Path, metavar="PATH", help="take orders on this unix socket too")
    add("--cards", type=Path, metavar="FILE", help="one card a line (TH), top first, burn included")
    add("--faults", type=Path, metavar="FILE", help="what goes wrong, one JSON object a line (below)")
    add("--copies", type=_whole(1, 9), default=3, metavar="N", help="how often a report is sent (3)")
    add("--copy-gap-ms", type=_whole(0, 10_000), default=50, metavar="MS", help="between two copies (50)")
    add("--decks", type=_whole(1, 12), default=8, metavar="N", help="of a shuffled shoe (8)")
    add("--seed", type=_whole(0, 10**15), default=1, metavar="N", help="of the first shoe; the next has N + 1 (1)")
    add("--burn", default="first-card", metavar="RULE", help="first-card (default) | none | decks | fixed:N")
    add("--ace", type=_whole(1, 99), default=1, metavar="N", help="cards that an ace burns (1)")
    add("--court", type=_whole(1, 99), default=10, metavar="N", help="cards that a ten or court card burns (10)")
    add("--cut-depth", type=_whole(0, 999), default=14, metavar="N", help="cards behind the cut card, 0: none (14)")
    add("--auto", action="store_true", help="deal coup after coup, shoe after shoe, by itself")
    add("--pace-ms", type=_whole(1, 3_600_000), default=1_000, metavar="MS", help="between the cards of --auto (1000)")
    add("--pause-ms", type=_whole(1, 3_600_000), metavar="MS", help="between the coups of --auto (as --pace-ms)")
    add("--coups-after", type=_whole(0, 99), default=1, metavar="N", help="coups of --auto after the cut card's (1)")
    return parser


def _whole(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or len(text) > 18 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{escaped(text, 40)}' is no whole number from {least} to {most}")
        return int(text)

    return number


def settings_from(options: argparse.Namespace) -> ShoeSettings:
    try:
        burn = _burn(options)
    except ValueError as error:
        raise OptionRefused(f"--burn: {error}") from None
    return ShoeSettings(options.decks, options.seed, burn, options.cut_depth, options.copies, options.copy_gap_ms)


def _burn(options: argparse.Namespace) -> BurnRule:
    by, _, count = options.burn.partition(":")
    match by:
        case "first-card" if not count:
            return BurnRule("first-card", ace=options.ace, court=options.court)
        case "none" if not count:
            return BurnRule("none")
        case "decks" if not count:
            return BurnRule("fixed", options.decks)
        case "fixed" if count.isascii() and count.isdigit():
            return BurnRule("fixed", int(count[:9]))
        case _:
            raise ValueError(f"'{escaped(options.burn, 40)}' is no rule; write first-card, none, decks or fixed:N")


def cards_from(path: Path | None) -> list[str] | None:
    if path is None:
        return None
    cards: list[str] = []
    for at, line in enumerate(_lines(path), start=1):
        card = line.strip()
        if card and not is_card(card):
            raise OptionRefused(
                f"{escaped(str(path))}:{at}: '{escaped(card, 40)}' is no card; write AS, TH, QD ..., one a line"
            )
        cards += [card] if card else []
    if not cards:
        raise OptionRefused(f"{escaped(str(path))}: no card in it; write AS, TH, QD ..., one a line, top first")
    return cards


def script_from(path: Path | None) -> list[Fault]:
    if path is None:
        return []
    try:
        return faults_from(_lines(path))
    except ValueError as error:
        raise OptionRefused(f"{escaped(str(path))}: {error}") from None


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise OptionRefused(f"{escaped(str(path))}: {error.strerror}; name a file that can be read") from None
    if len(data) > MOST_FILE_BYTES:
        raise OptionRefused(f"{escaped(str(path))}: more than {MOST_FILE_BYTES} bytes; give a shorter file")
    return data.decode(errors="replace").splitlines()

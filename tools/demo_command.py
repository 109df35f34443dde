"""A whole shoe at a table that is not there. The emulated shoe and panel are programs of their own at the far ends of
two lines, the controller is `punto run` as at any table, and the dealer is this program.
"""

import argparse
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from drivers.escape import escaped
from tools.demo_inbox import DemoFailed, DemoStopped, Inbox, Signalled
from tools.option_parser import OptionParser

CARDS_IN_SHOE = 416
EXAMPLE = """\
examples:
  ./tools/demo                          a whole shoe in well under a minute
  ./tools/demo --pace slow              about as a dealer deals
  ./tools/demo --plain --coups 10       ten coups, a line each
  ./tools/demo --misread 30 --seed 5    the 30th card of another shoe cannot be read
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit codes: 0 the shoe was dealt and its journal verified, 1 it failed, 2 it could not run, 130 on Ctrl-C."""
    options = _parser().parse_args(arguments)
    if options.picture is not None and not _can_write(options.picture):
        return _complain(f"--picture {escaped(str(options.picture))}: name a file in a folder that can be written", 2)
    inbox = Inbox()
    with _signals_to(inbox):
        try:
            from tools.demo_run import run

            return run(options, inbox)
        except DemoStopped as stopped:
            return _complain(f"stopped by {signal.Signals(stopped.number).name}", 128 + stopped.number)
        except DemoFailed as failed:
            return _complain(str(failed), 1)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _complain("nobody reads the output any more", 1)
        except OSError as error:
            where = f"{escaped(str(error.filename))}: " if error.filename else ""
            return _complain(f"{where}{error.strerror or error}; see to the disk and the terminal", 1)


def _can_write(path: Path) -> bool:
    return os.access(path if path.exists() else path.parent, os.W_OK) and not path.is_dir()


def _complain(text: str, code: int) -> int:
    with contextlib.suppress(OSError):
        print(f"demo: {text}", file=sys.stderr, flush=True)
    return code


@contextlib.contextmanager
def _signals_to(inbox: Inbox) -> Iterator[None]:
    """Signals only leave word: whatever is under way ends in good order, and so does every program started."""

    def leave_word(number: int, _frame: FrameType | None) -> None:
        inbox.put(Signalled(number))

    before = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
            continue  # started by nohup
        before[number] = signal.signal(number, leave_word)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="demo",
        description="Deals a whole shoe at a simulated table: emulated shoe and panel, and the real controller.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--coups", type=_whole(1, 200), metavar="N", help="end the shoe after so many coups")
    add("--pace", choices=("fast", "slow"), default="fast", help="slow: about a dealer's pace (fast)")
    add("--seed", type=_whole(0, 10**15), default=8, metavar="N", help="of the cards and the bets (8)")
    add("--misread", type=_whole(0, CARDS_IN_SHOE), metavar="N", help="card N cannot be read, burn included; 0: none")
    add("--wire", choices=("pty", "tcp"), default="pty", help="what the lines are (pty)")
    add("--plain", action="store_true", help="a line a coup, no picture; also when stdout is no terminal")
    add("--picture", type=Path, metavar="FILE.svg", help="save the last full picture")
    return parser


def _whole(least: int, most: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not (text.isascii() and text.isdigit()) or len(text) > 18 or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"'{escaped(text, 40)}' is no whole number from {least} to {most}")
        return int(text)

    return number

"""The shoe emulator: an Angel Eye II-EX compatible shoe on a terminal or a TCP port, dealing when told."""

import argparse
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from drivers.escape import escaped
from drivers.shoes.simulated import ORDERS, ShoeSettings, SimulatedShoe
from drivers.shoes.simulated_cards import BurnRule, is_card
from drivers.shoes.simulated_faults import Fault, faults_from
from tools.listening import FarEnd, ListenRefused, listen
from tools.order_lines import ControlRefused, ControlSocket, StdinOrders
from tools.shoe_auto import AutoDealer

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


class _Refused(Exception):
    """Why it cannot run: one line."""


class _Parser(argparse.ArgumentParser):
    """One line for a wrong option, as for every other mistake."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {escaped(message)}; {self.prog} --help shows an example\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 ended when asked to, 1 the line or its orders failed while running, 2 it could not run."""
    options = _parser().parse_args(argv)
    try:
        settings, cards, faults = _settings(options), _cards(options.cards), _faults(options.faults)
        end = listen(options.listen)
    except (_Refused, ListenRefused) as refused:
        return _complain(refused, 2)
    try:
        return Emulator(end, SimulatedShoe(end, settings, cards, faults), options).run()
    except ControlRefused as refused:
        return _complain(refused, 2)
    except ListenRefused as refused:
        return _complain(refused, 1)
    finally:
        end.close()


class Emulator:
    """One loop over the line, the orders and the time. Raises ControlRefused; ListenRefused when a port is taken."""

    def __init__(self, end: FarEnd, shoe: SimulatedShoe, options: argparse.Namespace) -> None:
        self._end = end
        self._shoe = shoe
        self._is_asked_to_end = False
        self._line_fd: int | None = None
        self._selector = selectors.SelectSelector()  # takes a file on stdin too
        pause_ms = options.pace_ms if options.pause_ms is None else options.pause_ms
        self._auto = AutoDealer(shoe, options.pace_ms, pause_ms, options.coups_after) if options.auto else None
        self._control = (
            ControlSocket(options.control, self._selector, self._answer) if options.control is not None else None
        )
        self._stdin = StdinOrders(self._selector, self._answer)

    def run(self) -> int:
        """Until `quit`, a signal, or the end of stdin when nothing else gives orders."""
        self._end_on_signals()
        try:
            print(f"listening on {self._end.describe()}", flush=True)
            while not self._is_over():
                self._turn()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads the answers any more
        finally:
            signal.set_wakeup_fd(-1)
            if self._control is not None:
                self._control.close()
            self._selector.close()
        return 0

    def _turn(self) -> None:
        now_ms = _now_ms()
        if self._auto is not None:
            self._auto.poll(now_ms)
        self._shoe.poll(now_ms)
        self._watch_line()
        for key, events in self._selector.select(self._wait_s(now_ms)):
            handle: Callable[[int], None] | None = key.data
            if handle is not None and not self._is_asked_to_end:
                handle(events)

    def _is_over(self) -> bool:
        if self._control is not None or self._auto is not None or not self._stdin.is_over:
            return self._is_asked_to_end
        return self._is_asked_to_end or (self._shoe.is_silent() and not self._end.waiting_out())

    def _wait_s(self, now_ms: int) -> float | None:
        times = [self._shoe.deadline_ms(), self._auto.deadline_ms() if self._auto is not None else None]
        due_ms = min((time for time in times if time is not None), default=None)
        return None if due_ms is None else max(due_ms - now_ms, 0) / 1000

    def _watch_line(self) -> None:
        """The descriptor changes with every plugging-in."""
        fd = self._end.fileno()
        if fd == self._line_fd:
            return
        if self._line_fd is not None:
            self._selector.unregister(self._line_fd)
        if fd is not None:
            self._selector.register(fd, selectors.EVENT_READ)
        self._line_fd = fd

    def _answer(self, line: str) -> str:
        if line == "quit":
            self._is_asked_to_end = True
            return "ok"
        return self._shoe.order(line, _now_ms())

    def _end_on_signals(self) -> None:
        waker, woken = socket.socketpair()
        waker.setblocking(False)
        woken.setblocking(False)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        self._wakers = (waker, woken)
        self._selector.register(woken, selectors.EVENT_READ)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked_by_signal)

    def _asked_by_signal(self, _number: int, _frame: object) -> None:
        self._is_asked_to_end = True


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
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


def _settings(options: argparse.Namespace) -> ShoeSettings:
    try:
        burn = _burn(options)
    except ValueError as error:
        raise _Refused(f"--burn: {error}") from None
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


def _cards(path: Path | None) -> list[str] | None:
    if path is None:
        return None
    cards: list[str] = []
    for at, line in enumerate(_lines(path), start=1):
        card = line.strip()
        if card and not is_card(card):
            raise _Refused(
                f"{escaped(str(path))}:{at}: '{escaped(card, 40)}' is no card; write AS, TH, QD ..., one a line"
            )
        cards += [card] if card else []
    if not cards:
        raise _Refused(f"{escaped(str(path))}: no card in it; write AS, TH, QD ..., one a line, top first")
    return cards


def _faults(path: Path | None) -> list[Fault]:
    if path is None:
        return []
    try:
        return faults_from(_lines(path))
    except ValueError as error:
        raise _Refused(f"{escaped(str(path))}: {error}") from None


def _lines(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise _Refused(f"{escaped(str(path))}: {error.strerror}; name a file that can be read") from None
    if len(data) > MOST_FILE_BYTES:
        raise _Refused(f"{escaped(str(path))}: more than {MOST_FILE_BYTES} bytes; give a shorter file")
    return data.decode(errors="replace").splitlines()


def _complain(refused: Exception, code: int) -> int:
    print(f"shoe_emulator: {refused}", file=sys.stderr)
    return code


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


if __name__ == "__main__":
    sys.exit(main())

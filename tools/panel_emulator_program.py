"""The emulated panel as a program: listens, shows boards in the terminal, writes them to a log, takes orders."""

import argparse
import contextlib
import json
import secrets
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import TextIO

from rich.console import Console
from rich.live import Live

from drivers.displays.simulated import Board, SimulatedPanel
from drivers.escape import escaped
from tools.listening import FarEnd, ListenRefused, listen
from tools.option_parser import OptionParser
from tools.order_lines import ControlRefused, ControlSocket, StdinOrders
from tools.panel_picture import render

ORDERS = "key NAME, restart, unplug MS, state, quit"


def main(arguments: list[str]) -> int:
    """Exit codes: 0 stopped when told, 1 it ran and failed, 2 it could not start."""
    options = _parser().parse_args(arguments)
    with contextlib.ExitStack() as closing:
        try:
            log = closing.enter_context(options.log.open("a", encoding="utf-8")) if options.log else None
            far_end = listen(options.listen)
            closing.callback(far_end.close)
            emulator = Emulator(far_end, log, options.baud)
            if options.control:
                closing.callback(ControlSocket(options.control, emulator.selector, emulator.order).close)
        except (ListenRefused, ControlRefused) as refused:
            return _fail(str(refused), 2)
        except OSError as error:
            return _fail(f"{escaped(str(options.log))}: {error.strerror}; choose another file", 2)
        try:
            emulator.run(is_drawing=sys.stdout.isatty() and not options.plain)
        except ListenRefused as refused:
            return _fail(str(refused), 1)
        except OSError as error:
            return _fail(f"{escaped(str(error))}; see to the disk of --log and the terminal", 1)
    return 0


class Emulator:
    """One panel on one far end, and whoever gives it orders."""

    def __init__(self, far_end: FarEnd, log: TextIO | None, baud: int) -> None:
        self.selector = selectors.SelectSelector()  # takes a file on stdin too
        self._far_end, self._log = far_end, log
        self._panel = SimulatedPanel(far_end, panel_id=_draw_id(), baud=baud, model="punto panel emulator")
        self._is_told_to_stop = False
        self._live: Live | None = None
        self._drawn: object = None

    def run(self, is_drawing: bool) -> None:
        """Until told to stop by an order, SIGINT or SIGTERM."""
        with contextlib.ExitStack() as closing:
            closing.enter_context(self._signals())
            StdinOrders(self.selector, self.order)
            print(f"listening on {self._far_end.describe()}", flush=True)
            if is_drawing:
                self._live = closing.enter_context(Live(console=Console(), auto_refresh=False, screen=True))
            while not self._is_told_to_stop:
                self._turn()

    def order(self, text: str) -> str:
        """Carries out one order; the answer is `ok`, `error TEXT`, or for `state` the board as JSON."""
        verb, _, rest = text.partition(" ")
        match verb, rest.strip():
            case "key", name if name:
                return "ok" if self._panel.press(name) else "error no board is shown, or too many keys wait"
            case "restart", "":
                self._panel.restart(_draw_id(), _now_ms())
            case "unplug", milliseconds if milliseconds.isascii() and milliseconds.isdigit() and len(milliseconds) < 8:
                self._far_end.unplug(int(milliseconds), _now_ms())
            case "state", "":
                return "null" if self._panel.shown is None else as_json(self._panel.shown)
            case "quit", "":
                self._is_told_to_stop = True
            case _:
                return f"error unknown order {escaped(text, 60)!r}; there are {ORDERS}"
        return "ok"

    def _turn(self) -> None:
        now_ms = _now_ms()
        for board in self._panel.poll(now_ms):
            if self._log is not None:
                print(as_json(board), file=self._log, flush=True)
        self._draw()
        deadlines = [self._panel.deadline_ms(), self._far_end.deadline_ms()]
        wait_ms = max(0, min(at for at in deadlines if at is not None) - _now_ms())
        for handle, events in self._wait(wait_ms):
            handle(events)

    def _wait(self, wait_ms: int) -> list[tuple[Callable[[int], None], int]]:
        """What became readable. The far end has another descriptor each time it is plugged in."""
        descriptor = self._far_end.fileno()
        if descriptor is not None:
            self.selector.register(descriptor, selectors.EVENT_READ, _nothing)
        ready = self.selector.select(wait_ms / 1000)
        if descriptor is not None:
            self.selector.unregister(descriptor)
        return [(key.data, events) for key, events in ready]

    def _draw(self) -> None:
        picture = (self._panel.shown, self._panel.trouble)
        if self._live is not None and picture != self._drawn:
            self._live.update(render(*picture), refresh=True)
            self._drawn = picture

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """A signal must end the waiting, too: it comes in as a byte on a socket."""
        inbox, outbox = socket.socketpair()
        with inbox, outbox:
            outbox.setblocking(False)
            signal.set_wakeup_fd(outbox.fileno())
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, self._stop)
            self.selector.register(inbox, selectors.EVENT_READ, _nothing)
            try:
                yield
            finally:
                signal.set_wakeup_fd(-1)
                self.selector.unregister(inbox)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._is_told_to_stop = True


def as_json(board: Board) -> str:
    """A board as one line of JSON; the four kinds with the keys and texts of the link."""
    limits = [{"id": row.wager, "min": row.minimum, "max": row.maximum, "odds": row.odds} for row in board.limits]
    kinds = {"limits": limits, "road": dict(board.road), "notice": dict(board.notice), "coup": dict(board.coup)}
    facts = {"table": board.table, "lang": board.lang, "sim": board.sim}
    return json.dumps({"board": board.board, "at_ms": board.at_ms, **kinds, **facts})


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="panel_emulator",
        description="A table display that is not there: speaks the panel link and draws in the terminal.",
        epilog=f"Orders, a line each, on the standard input or --control: {ORDERS}. "
        "Example: tools/panel_emulator --listen pty:/tmp/panel --log boards.jsonl",
    )
    parser.add_argument("--listen", required=True, metavar="pty:PATH|tcp:PORT", help="where the controller finds it")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write each shown board as one JSON line")
    parser.add_argument("--control", type=Path, metavar="PATH", help="take orders on this local socket, too")
    parser.add_argument("--baud", type=_baud, default=115200, help="speed of the line, for its time-outs (115200)")
    parser.add_argument("--plain", action="store_true", help="do not draw")
    return parser


def _baud(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 4_000_000):
        raise argparse.ArgumentTypeError(f"{escaped(text)} is no line speed; 115200, for example")
    return int(text)


def _draw_id() -> str:
    return secrets.token_hex(4).upper()


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _nothing(_events: int) -> None:
    """The panel reads its line in every turn, and a signal has set what it has to."""


def _fail(message: str, code: int) -> int:
    print(f"panel_emulator: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

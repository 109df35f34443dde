"""The shoe emulator: an Angel Eye II-EX compatible shoe on a terminal or a TCP port, dealing when told."""

import argparse
import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence

from drivers.shoes.simulated import SimulatedShoe
from tools.listening import FarEnd, ListenRefused, listen
from tools.order_lines import ControlRefused, ControlSocket, StdinOrders
from tools.shoe_auto import AutoDealer
from tools.shoe_options import OptionRefused, cards_from, parser_of_options, script_from, settings_from


def main(argv: Sequence[str] | None = None) -> int:
    """Exit codes: 0 ended when asked to, 1 the line or its orders failed while running, 2 it could not run."""
    options = parser_of_options().parse_args(argv)
    try:
        settings, cards, faults = settings_from(options), cards_from(options.cards), script_from(options.faults)
        end = listen(options.listen)
    except (OptionRefused, ListenRefused) as refused:
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


def _complain(refused: Exception, code: int) -> int:
    print(f"shoe_emulator: {refused}", file=sys.stderr)
    return code


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


if __name__ == "__main__":
    sys.exit(main())

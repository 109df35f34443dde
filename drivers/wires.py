"""Ports by name: terminals, raw TCP, whatever else pyserial has a URL for, and a cable in memory."""

import queue
import sys
from functools import partial
from typing import Any

import serial
import serial.tools.list_ports

from drivers.contracts import Wire, WireRefused
from drivers.escape import escaped
from drivers.wires_memory import MemoryWire, memory_pair
from drivers.wires_ports import PortFound, held_by, ports_found
from drivers.wires_pump import PortFailed, PumpedChannel
from drivers.wires_refused import refusal
from drivers.wires_socket import SocketChannel
from drivers.wires_stream import StreamWire

if sys.platform == "win32":
    _OPENING_ERRORS: tuple[type[Exception], ...] = (OSError, ValueError, TypeError)
else:
    import termios

    from drivers.wires_tty import TtyChannel

    # pyserial lets termios.error through, which is no OSError (pyserial #297).
    _OPENING_ERRORS = (OSError, ValueError, TypeError, termios.error)

__all__ = ["MemoryWire", "PortFound", "list_ports", "memory_pair", "wire_for"]

MOST_BAUD = 4_000_000
PUMPED_SCHEMES = frozenset({"rfc2217", "loop", "spy", "alt", "hwgrep", "cp2110"})
PUMPED_PATIENCE_MS = 6_000
"""rfc2217:// negotiates: pyserial gives the other side 3 s for that, after 5 s for connecting."""
PUMPED_QUEUE = 64 * 1024
READ_WAIT_S = 0.1
WRITE_WAIT_S = 1.0


def wire_for(url: str, baud: int) -> Wire:
    """The wire to `url`, still to be opened: /dev/..., COM3, socket://host:port, rfc2217://host:port.

    8 data bits, no parity, one stop bit, no flow control. Raises WireRefused when `url` or `baud` can never work.
    """
    name = escaped(url)
    if not url or "\0" in url:
        raise WireRefused(f"{name or '(empty)'}: names no port; correct 'port' (punto ports lists what is there)")
    if isinstance(baud, bool) or not 1 <= baud <= MOST_BAUD:
        raise WireRefused(f"{name}: {baud} is no line speed; correct 'baud' (9600, for example)")
    scheme, mark, rest = url.partition("://")
    if mark and scheme.lower() == "socket":
        return StreamWire(name, partial(SocketChannel, name, *_host_and_port(name, rest)))
    if mark and scheme.lower() not in PUMPED_SCHEMES:
        raise WireRefused(f"{name}: unknown kind of port; write /dev/..., socket://host:port or rfc2217://host:port")
    if sys.platform != "win32" and not mark:
        return StreamWire(name, partial(_terminal, name, url, baud))
    quarter_second_bytes = max(16, baud // 40)
    open_port = partial(_WaitedFor, name, url, baud)
    return StreamWire(name, partial(PumpedChannel, open_port, quarter_second_bytes), PUMPED_PATIENCE_MS)


def list_ports() -> list[PortFound]:
    """The ports that are plugged in, with their stable names and who holds them."""
    return ports_found(_described())


def _described() -> dict[str, str]:
    """What pyserial finds; it stumbles over a device that is just being plugged in or out (pyserial #774, #550)."""
    try:
        return {port.device: _known(port.description) for port in serial.tools.list_ports.comports()}
    except (TypeError, ValueError, OSError):
        return {}


def _known(description: str | None) -> str:
    """pyserial's word for nothing is "n/a"."""
    return "" if description in (None, "n/a") else str(description)


def _host_and_port(name: str, rest: str) -> tuple[str, int]:
    host, _, port = rest.rstrip("/").rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit() and len(port) <= 5) or not 1 <= int(port) <= 65535:
        raise WireRefused(f"{name}: not host and port number; write socket://192.168.1.20:4001")
    return host, int(port)


def _open_keeping_input(port: Any) -> None:
    """pyserial throws away what came in before it opened a port (pyserial #249); not this time."""
    for flush in ("_reset_input_buffer", "reset_input_buffer", "reset_output_buffer"):
        setattr(port, flush, _nothing)
    port.open()


def _nothing() -> None:
    """Instead of a flush."""


class _WaitedFor:
    """A pyserial port for the pump, its zoo of exceptions made one (pyserial #212, #215, #417, #572)."""

    def __init__(self, name: str, url: str, baud: int) -> None:
        # rfc2217:// refuses a write timeout; its socket has one of its own.
        write_wait_s = None if url.lower().startswith("rfc2217:") else WRITE_WAIT_S
        try:
            self._port: Any = serial.serial_for_url(
                url, baud, timeout=READ_WAIT_S, write_timeout=write_wait_s, exclusive=True, do_not_open=True
            )
            _open_keeping_input(self._port)
        except _OPENING_ERRORS as error:
            raise refusal(name, error) from None
        self._queue: queue.Queue[bytes | None] | None = getattr(self._port, "_read_buffer", None)
        if self._queue is not None:
            self._queue.maxsize = PUMPED_QUEUE  # the queue of rfc2217:// has no bound of its own

    def read_one(self) -> bytes:
        try:
            return bytes(self._port.read(1))
        except _OPENING_ERRORS as error:
            raise PortFailed(escaped(str(error))) from None

    def left_over(self) -> bytes:
        """rfc2217:// fails before it hands out what it has."""
        left = bytearray()
        while self._queue is not None and not self._queue.empty():
            left += self._queue.get_nowait() or b""
        return bytes(left)

    def write_some(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except _OPENING_ERRORS as error:
            raise PortFailed(escaped(str(error))) from None

    def close(self) -> None:
        try:
            self._port.close()
        except _OPENING_ERRORS:
            return  # the port was gone before


if sys.platform != "win32":

    def _terminal(name: str, path: str, baud: int) -> TtyChannel:
        port = serial.Serial(None, baud, timeout=0, write_timeout=0, exclusive=True)
        try:
            port.port = path
            _open_keeping_input(port)
            return TtyChannel(port)
        except _OPENING_ERRORS as error:
            port.close()
            raise refusal(name, error, held_by(path)) from None

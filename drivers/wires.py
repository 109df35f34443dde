"""Ports by name: terminals, raw TCP, whatever else pyserial has a URL for, and a cable in memory."""

import sys
from functools import partial

import serial

from drivers.contracts import Wire, WireRefused
from drivers.escape import escaped
from drivers.wires_memory import MemoryWire, memory_pair
from drivers.wires_refused import refusal
from drivers.wires_socket import SocketChannel
from drivers.wires_stream import StreamWire

__all__ = ["MemoryWire", "memory_pair", "wire_for"]

MOST_BAUD = 4_000_000


class _KeepsInput(serial.Serial):
    """pyserial throws away what came in before it opened a port (pyserial #249); this one does not."""

    def _reset_input_buffer(self) -> None:
        pass


def wire_for(url: str, baud: int) -> Wire:
    """The wire to `url`, still to be opened: /dev/..., COM3, socket://host:port, rfc2217://host:port.

    8 data bits, no parity, one stop bit, no flow control. Raises WireRefused when `url` or `baud` can never work.
    """
    name = escaped(url)
    if isinstance(baud, bool) or not 1 <= baud <= MOST_BAUD:
        raise WireRefused(f"{name}: {baud} is no line speed; correct 'baud' (9600, for example)")
    scheme, mark, rest = url.partition("://")
    if not url or "\0" in url:
        raise WireRefused(f"{name}: no port is named; correct 'port' (punto ports lists what is there)")
    if not mark:
        return StreamWire(name, partial(_open_terminal, name, url, baud))
    if scheme.lower() == "socket":
        return StreamWire(name, partial(SocketChannel, name, *_host_and_port(name, rest)))
    raise WireRefused(f"{name}: unknown kind of port; write /dev/..., socket://host:port or rfc2217://host:port")


def _host_and_port(name: str, rest: str) -> tuple[str, int]:
    host, _, port = rest.rstrip("/").rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise WireRefused(f"{name}: not host and port number; write socket://192.168.1.20:4001")
    return host, int(port)


if sys.platform != "win32":
    import termios

    from drivers.wires_tty import TtyChannel

    def _open_terminal(name: str, path: str, baud: int) -> TtyChannel:
        try:
            port = _KeepsInput(path, baud, timeout=0, write_timeout=0, exclusive=True)
        except (OSError, ValueError, termios.error) as error:
            raise refusal(name, error) from None
        try:
            return TtyChannel(port)
        except (OSError, termios.error) as error:
            port.close()
            raise refusal(name, error) from None

"""A TCP line to a serial device server: looked up, connected, read and written without waiting."""

import errno
import queue
import socket
import threading

from drivers.contracts import WireRefused
from drivers.wires_refused import refusal

_PENDING = {errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK, errno.EINVAL}
_KEEPALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 3, "TCP_KEEPCNT": 3}
"""A peer that vanished without a word is missed after about 19 s (seconds, seconds, times)."""

Address = tuple[socket.AddressFamily, tuple[str | int | bytes, ...]]


class SocketChannel:
    """One attempt to connect to `host`, at each of its addresses in turn, and the connection that comes of it."""

    whole_below = 0

    def __init__(self, name: str, host: str, port: int) -> None:
        self._name = name
        self._addresses: list[Address] = []
        self._answers: queue.SimpleQueue[list[Address]] = queue.SimpleQueue()
        self._socket: socket.socket | None = None
        self._connected = False
        self._look_up(host, port)

    def ready(self) -> bool:
        if self._connected:
            return True
        if self._socket is None and not self._begin():
            return False
        return self._connect()

    def read(self, size: int) -> bytes:
        data = self._open_socket().recv(size)
        if not data:
            raise ConnectionResetError(errno.ECONNRESET, "closed by the other side")
        return data

    def write(self, data: bytes) -> int:
        return self._open_socket().send(data)

    def fileno(self) -> int | None:
        return None if self._socket is None else self._socket.fileno()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _open_socket(self) -> socket.socket:
        assert self._socket is not None
        return self._socket

    def _look_up(self, host: str, port: int) -> None:
        """A number is its own address; a name may take seconds to look up, which a thread of its own waits for."""
        try:
            self._answers.put(_addresses(host, port, socket.AI_NUMERICHOST))
        except (socket.gaierror, UnicodeError):
            threading.Thread(target=self._wait_for_name, args=(host, port), daemon=True).start()

    def _wait_for_name(self, host: str, port: int) -> None:
        try:
            self._answers.put(_addresses(host, port))
        except (OSError, UnicodeError):
            self._answers.put([])

    def _begin(self) -> bool:
        """Start with the first address once there is one."""
        try:
            self._addresses = self._answers.get_nowait()
        except queue.Empty:
            return False
        if not self._addresses:
            raise WireRefused(f"{self._name}: no such host; correct 'port' or check the network")
        self._socket = _new_socket(self._addresses[0][0])
        return True

    def _connect(self) -> bool:
        """Asking the kernel again to connect tells how far it is."""
        channel = self._open_socket()
        code = channel.connect_ex(self._addresses[0][1])
        if code in _PENDING:
            return False
        if code in {0, errno.EISCONN} and not _is_talking_to_itself(channel):
            self._connected = True
            return True
        self._next_address(OSError(code or errno.ECONNREFUSED, errno.errorcode.get(code, "refused")))
        return False

    def _next_address(self, error: OSError) -> None:
        self.close()
        del self._addresses[0]
        if not self._addresses:
            raise refusal(self._name, error)
        self._socket = _new_socket(self._addresses[0][0])


def _addresses(host: str, port: int, flags: int = 0) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, address) for family, _, _, _, address in found]


def _new_socket(family: socket.AddressFamily) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _KEEPALIVE.items():
        if hasattr(socket, option):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
    return made


def _is_talking_to_itself(connected: socket.socket) -> bool:
    """Repeated tries at a free local port may meet themselves there: TCP allows a socket to connect to itself."""
    try:
        return bool(connected.getsockname() == connected.getpeername())
    except OSError:
        return False

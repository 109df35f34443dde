"""An emulated device's end of a TCP line, as behind a serial device server: up to four clients get the same bytes."""

import os
import selectors
import socket

from tools.listening_refused import ListenRefused

MOST_CLIENTS = 4
MOST_READ = 64 * 1024
MOST_WAITING_OUT = 64 * 1024
WRITE_POLL_MS = 10
LEAVING_MOST_MS = 500
RETRY_MS = 100


class TcpEnd:
    """A `FarEnd` that the controller opens as socket://127.0.0.1:`port`."""

    def __init__(self, port: int) -> None:
        self.is_up = False
        self._port = port
        self._listener: socket.socket | None = None
        self._clients: dict[socket.socket, bytearray] = {}
        self._early = bytearray()  # sent while nobody was connected
        self._readable = selectors.DefaultSelector()
        self._now_ms = 0
        self._leave_by_ms: int | None = None  # pulled, and what was sent before is still on its way
        self._back_ms: int | None = None
        self._away_ms = 0
        try:
            self._plug_in()
        except OSError as error:
            self._readable.close()
            reason = os.strerror(error.errno or 0)
            raise ListenRefused(f"tcp:{port}: {reason}; choose another port") from None

    def describe(self) -> str:
        """Address and port."""
        return f"tcp:127.0.0.1:{self._port}"

    def poll(self, now_ms: int) -> bytes:
        """What all clients wrote since the last call."""
        self._now_ms = now_ms
        if self._back_ms is not None and now_ms >= self._back_ms:
            self._come_back()
        self._accept()
        got = b"".join([self._serve(client) for client in list(self._clients)])
        if self._leave_by_ms is not None and (now_ms >= self._leave_by_ms or not self.waiting_out()):
            self._leave()
        return got

    def send(self, data: bytes, now_ms: int) -> bool:
        """To every client; with none, it waits for the first. A client that lets 64 KiB pile up is dropped."""
        self._now_ms = now_ms
        if not self.is_up:
            return False
        self._accept()
        if not self._clients:
            if len(self._early) + len(data) > MOST_WAITING_OUT:
                return False
            self._early += data
        for client in list(self._clients):
            self._clients[client] += data
            self._push(client)
        return True

    def waiting_out(self) -> int:
        """What waits for the client that is furthest behind."""
        return max((len(waiting) for waiting in self._clients.values()), default=0)

    def fileno(self) -> int | None:
        """One descriptor for the listener and all clients (Linux, BSD, macOS)."""
        return self._readable.fileno() if self._listener is not None else None

    def deadline_ms(self) -> int | None:
        """The next step of an unplugging, or of writing what waits."""
        if self._back_ms is not None:
            return self._back_ms
        return self._now_ms + WRITE_POLL_MS if self._leave_by_ms is not None or self.waiting_out() else None

    def unplug(self, for_ms: int, now_ms: int) -> None:
        """Close every connection, at once when nothing waits, and refuse new ones for `for_ms`."""
        self._now_ms = now_ms
        self._away_ms = for_ms
        if self.is_up:
            self.is_up = False
            self._leave_by_ms = now_ms + LEAVING_MOST_MS
            if not self.waiting_out():
                self._leave()

    def close(self) -> None:
        """Close every connection and the port."""
        self._pull_out()
        self._leave_by_ms = self._back_ms = None
        self._readable.close()

    def _plug_in(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._listener.setblocking(False)
        self._port = self._listener.getsockname()[1]
        self._readable.register(self._listener, selectors.EVENT_READ)
        self.is_up = True

    def _come_back(self) -> None:
        try:
            self._plug_in()
            self._back_ms = None
        except OSError:
            self._back_ms = self._now_ms + RETRY_MS  # another program has taken the port for now

    def _leave(self) -> None:
        self._leave_by_ms = None
        self._back_ms = self._now_ms + self._away_ms
        self._pull_out()

    def _pull_out(self) -> None:
        for client in list(self._clients):
            self._drop(client)
        if self._listener is not None:
            self._readable.unregister(self._listener)
            self._listener.close()
        self._listener = None
        self._early.clear()
        self.is_up = False

    def _accept(self) -> None:
        while self._listener is not None and self._leave_by_ms is None:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # nobody else for now
            if len(self._clients) == MOST_CLIENTS:
                client.close()
                continue
            client.setblocking(False)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._readable.register(client, selectors.EVENT_READ)
            self._clients[client] = bytearray(self._early)
            self._early.clear()
            self._push(client)

    def _serve(self, client: socket.socket) -> bytes:
        self._push(client)
        got = bytearray()
        while client in self._clients and len(got) < MOST_READ:
            try:
                data = client.recv(MOST_READ - len(got))
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                self._drop(client)
            got += data
        return bytes(got)

    def _push(self, client: socket.socket) -> None:
        waiting = self._clients[client]
        while waiting:
            try:
                del waiting[: client.send(waiting)]
            except BlockingIOError:
                break
            except OSError:
                waiting.clear()  # gone; reading from it tells
        if len(waiting) > MOST_WAITING_OUT:
            self._drop(client)

    def _drop(self, client: socket.socket) -> None:
        self._readable.unregister(client)
        del self._clients[client]
        client.close()

"""The table's local socket: one JSON object a line in, one out. Answers wait in bounded buffers; nothing here waits.

A request is `{"id": TEXT, "do": TEXT, ...}`. `events` is answered here: the client then gets each event as it is
committed. Everything else is the caller's, who answers with `answer`.
"""

import errno
import os
import selectors
import socket
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from controller.host.lines import RecordUnreadable, dumps, loads, shown

LONGEST_PATH = 107
"""Bytes in a socket's path: what sun_path of unix(7) holds beside its closing zero."""
MOST_CLIENTS = 32
LONGEST_LINE = 64 * 1024
MOST_WAITING_OUT = 1024 * 1024
LONGEST_ID = 128
LONGEST_DO = 64

_EVENTS_A_PAGE = 200
_EVENTS_WAITING_OUT = 64 * 1024
_LARGEST_SEQ = 2**63 - 1


class ControlRefused(Exception):
    """A control socket that cannot be made: one line with the path, what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks. `client` names it for the answer; `fields` is all beside `id` and `do`, not yet checked."""

    client: int
    id: str
    do: str
    fields: Mapping[str, object]


@dataclass(slots=True, eq=False)
class _Client:
    """One connection. `owed` counts requests without an answer; `cursor` is the last event told, None: not asked."""

    number: int
    socket: socket.socket
    incoming: bytearray = field(default_factory=bytearray)
    outgoing: bytearray = field(default_factory=bytearray)
    owed: int = 0
    ended: bool = False
    cursor: int | None = None
    behind: bool = False


class ControlServer:
    """The server's side, for a loop of one thread: when `fileno` is readable call `poll`, answer, then `pump`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Make the folder (0700) and the socket (0600); a dead program's socket is replaced. Raises ControlRefused."""
        self.path = os.fspath(path)
        self._listener = _listen(self.path)
        self._inode = os.lstat(self.path).st_ino
        self._clients: dict[int, _Client] = {}
        self._last_number = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, None)

    def fileno(self) -> int:
        """One descriptor that is readable when `poll` has something to do: a request, a client, room to write."""
        return self._selector.fileno()

    def poll(self) -> list[Request]:
        """What clients asked since the last call, in the order of each client. Bad requests were answered already."""
        requests: list[Request] = []
        for key, ready in self._selector.select(0):
            client: _Client | None = key.data
            if client is None:
                self._accept()
                continue
            if ready & selectors.EVENT_READ:
                requests += self._read(client)
            if ready & selectors.EVENT_WRITE and client.number in self._clients:
                self._flush(client)
        return requests

    def answer(self, client: int, answer: Mapping[str, object]) -> None:
        """Answer a request. A client that left is passed over; one that does not read its answers is dropped."""
        found = self._clients.get(client)
        if found is not None:
            found.owed -= 1
            self._put(found, answer)

    def pump(self, events_after: Callable[[int, int], list[dict[str, object]]]) -> None:
        """Give subscribers the events they have not got, as far as they read. Call after each commit and each `poll`.

        `events_after(seq, limit)` gives events with their `seq`, in order.
        """
        for client in list(self._clients.values()):
            if client.cursor is not None and len(client.outgoing) < _EVENTS_WAITING_OUT:
                self._page(client, client.cursor, events_after)

    def close(self) -> None:
        """Drop all clients and remove the socket. Safe to call twice."""
        if self._listener.fileno() < 0:
            return
        for client in list(self._clients.values()):
            self._flush(client)
            self._drop(client)
        self._selector.close()
        self._listener.close()
        try:
            if os.lstat(self.path).st_ino == self._inode:
                os.unlink(self.path)
        except FileNotFoundError:
            pass  # someone cleaned up already

    # Clients come and go.

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # it left before it was served
        connection.setblocking(False)
        self._last_number += 1
        client = _Client(self._last_number, connection)
        self._clients[client.number] = client
        self._selector.register(connection, selectors.EVENT_READ, client)
        if len(self._clients) > MOST_CLIENTS:
            self._refuse(client, None, f"{MOST_CLIENTS} clients are connected already: close one")
            self._drop(client)

    def _drop(self, client: _Client) -> None:
        if self._clients.pop(client.number, None) is not None:
            if client.socket in self._selector.get_map():
                self._selector.unregister(client.socket)
            client.socket.close()

    def _watch(self, client: _Client) -> None:
        """Ask the kernel for what is of use now; drop a client that left and has all its answers."""
        if client.number not in self._clients:
            return
        if client.ended and not client.outgoing and client.owed <= 0:
            self._drop(client)
            return
        wanted = 0 if client.ended else selectors.EVENT_READ
        wanted |= selectors.EVENT_WRITE if client.outgoing or client.behind else 0
        watched = client.socket in self._selector.get_map()
        if wanted and watched:
            self._selector.modify(client.socket, wanted, client)
        elif wanted:
            self._selector.register(client.socket, wanted, client)
        elif watched:
            self._selector.unregister(client.socket)

    # In.

    def _read(self, client: _Client) -> list[Request]:
        try:
            data = client.socket.recv(LONGEST_LINE)
        except BlockingIOError:
            return []
        except OSError:
            self._drop(client)
            return []
        client.incoming += data
        *lines, rest = client.incoming.split(b"\n")
        client.incoming = rest
        requests = []
        for line in lines:
            request = self._request(client, bytes(line))
            if request is not None:
                requests.append(request)
        if len(client.incoming) > LONGEST_LINE:
            self._refuse(client, None, f"a line is longer than {LONGEST_LINE} bytes")
            self._end(client)
        elif not data:
            self._end(client)
        return requests

    def _end(self, client: _Client) -> None:
        """Nothing more is read of this client (a line without its end is not carried out); it gets its answers."""
        client.ended, client.cursor, client.behind = True, None, False
        client.incoming.clear()
        if client.number in self._clients:
            self._watch(client)

    def _request(self, client: _Client, line: bytes) -> Request | None:
        if not line.strip() or client.number not in self._clients:
            return None
        if len(line) > LONGEST_LINE:
            self._refuse(client, None, f"a line is longer than {LONGEST_LINE} bytes")
            self._end(client)
            return None
        try:
            asked = loads(line)
        except RecordUnreadable as trouble:
            self._refuse(client, None, str(trouble))
            return None
        if not isinstance(asked, dict):
            self._refuse(client, None, 'a request is an object: {"id": "...", "do": "..."}')
            return None
        order_id, do = asked.pop("id", None), asked.pop("do", None)
        if not _is_text(order_id, LONGEST_ID):
            self._refuse(client, None, f"id must be a text of 1 to {LONGEST_ID} printable characters")
            return None
        if not _is_text(do, LONGEST_DO):
            self._refuse(client, order_id, f"do must be a text of 1 to {LONGEST_DO} characters")
            return None
        if do == "events":
            self._subscribe(client, order_id, asked)
            return None
        client.owed += 1
        return Request(client.number, order_id, do, asked)

    # Out.

    def _subscribe(self, client: _Client, order_id: str, fields: dict[str, object]) -> None:
        after = fields.pop("after", 0)
        if not isinstance(after, int) or isinstance(after, bool) or not 0 <= after <= _LARGEST_SEQ:
            self._refuse(client, order_id, "after must be the seq of an event: a whole number from 0")
        elif fields:
            self._refuse(client, order_id, f"events takes after alone, not {ascii(next(iter(fields)))[:60]}")
        else:
            client.cursor, client.behind = after, True
            self._put(client, {"id": order_id, "ok": True})

    def _refuse(self, client: _Client, order_id: str | None, text: str) -> None:
        self._put(client, {"id": order_id, "ok": False, "refused": "bad-request", "text": text})

    def _put(self, client: _Client, answer: Mapping[str, object]) -> None:
        client.outgoing += dumps(answer).encode("ascii") + b"\n"
        self._flush(client)
        if len(client.outgoing) > MOST_WAITING_OUT:
            self._drop(client)

    def _page(self, client: _Client, cursor: int, events_after: Callable[[int, int], list[dict[str, object]]]) -> None:
        page = events_after(cursor, _EVENTS_A_PAGE)
        for event in page:
            if len(client.outgoing) >= _EVENTS_WAITING_OUT:
                break
            client.outgoing += dumps(event).encode("ascii") + b"\n"
            seq = event["seq"]
            assert isinstance(seq, int), f"an event without its seq: {event}"
            client.cursor = seq
        # While there may be more, room to write wakes the loop, and `pump` comes again.
        client.behind = len(page) == _EVENTS_A_PAGE or (bool(page) and client.cursor != page[-1]["seq"])
        self._flush(client)

    def _flush(self, client: _Client) -> None:
        while client.outgoing:
            try:
                sent = client.socket.send(client.outgoing[:LONGEST_LINE])
            except BlockingIOError:
                break
            except OSError:
                self._drop(client)
                return
            del client.outgoing[:sent]
        self._watch(client)


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= longest and value.isprintable()


def _listen(path: str) -> socket.socket:
    """A socket that listens at `path`, replacing one that nobody listens at."""
    size = len(os.fsencode(path))
    if size > LONGEST_PATH:
        raise ControlRefused(
            f"control path {shown(path)} has {size} bytes, at most {LONGEST_PATH} work: name a shorter one"
        )
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        _make_folder(Path(path).parent)
        _clear_stale(path)
        listener.setblocking(False)
        listener.bind(path)
        os.chmod(path, 0o600)  # before listen: until then nobody can connect
        listener.listen(MOST_CLIENTS)
    except (OSError, ValueError) as error:
        listener.close()
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ControlRefused(f"control path {shown(path)}: {why}: check the path and its rights") from error
    except ControlRefused:
        listener.close()
        raise
    return listener


def _make_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def _clear_stale(path: str) -> None:
    try:
        kind = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise ControlRefused(f"control path {shown(path)} is there and no socket: remove it or name another path")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        if probe.connect_ex(path) != errno.ECONNREFUSED:
            raise ControlRefused(
                f"control path {shown(path)} is in use by another program: stop it or name another path"
            )
    os.unlink(path)

"""The control socket: who may open it, what a request is, that no client can make the table wait."""

import json
import os
import selectors
import socket
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.host.client import (
    Client,
    PathRefused,
    TableNotThere,
    default_control_path,
    default_journal_path,
)
from controller.host.control import ControlRefused, ControlServer, Request


@pytest.fixture
def path() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own may be too long for a socket
        yield Path(folder) / "run" / "t.control"


@pytest.fixture
def server(path: Path) -> Iterator[ControlServer]:
    with closing(ControlServer(path)) as server:
        yield server


def connect(path: Path) -> socket.socket:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(5)
    client.connect(str(path))
    return client


def say(client: socket.socket, line: object) -> None:
    client.sendall(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")


def heard(server: ControlServer) -> list[Request]:
    """All that clients sent until now; what is sent on a local socket is there at once."""
    requests: list[Request] = []
    for _ in range(200):
        requests += server.poll()
    return requests


def lines(client: socket.socket) -> list[dict[str, object]]:
    """All that waits for the client."""
    data = b""
    client.setblocking(False)
    try:
        while piece := client.recv(65536):
            data += piece
    except BlockingIOError:
        pass
    finally:
        client.settimeout(5)
    return [json.loads(line) for line in data.splitlines()]


def closed(client: socket.socket) -> bool:
    return client.recv(1) == b""


# The socket itself.


def test_only_the_user_may_come_in(server: ControlServer, path: Path) -> None:
    assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.lstat().st_mode) == 0o700


def test_a_live_socket_keeps_a_second_server_out(server: ControlServer, path: Path) -> None:
    with pytest.raises(ControlRefused, match="is in use by another program"):
        ControlServer(path)
    with closing(connect(path)) as client:
        say(client, {"id": "1", "do": "state"})
        assert [request.do for request in heard(server)] == ["state"]


def test_the_socket_of_a_dead_program_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as dead:
        dead.bind(str(path))
    with closing(ControlServer(path)), closing(connect(path)):
        pass
    assert not path.exists()


def test_a_server_that_ends_leaves_the_socket_of_its_successor(path: Path) -> None:
    first = ControlServer(path)
    path.unlink()
    with closing(ControlServer(path)):
        first.close()
        assert path.exists()


@pytest.mark.parametrize("make", [Path.touch, Path.mkdir, lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_socket_is_left_alone(path: Path, make: Callable[[Path], None]) -> None:
    path.parent.mkdir()
    make(path)
    before = path.lstat()
    with pytest.raises(ControlRefused, match="is there and no socket: remove it or name another path"):
        ControlServer(path)
    assert path.lstat() == before


@pytest.mark.parametrize("name", ["x" * 108, "é" * 60, "a\0b"])
def test_a_path_that_no_socket_can_have_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(ControlRefused) as refused:
        ControlServer(f"/tmp/{name}")
    assert str(refused.value).isprintable()


def test_the_longest_path_works() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("x" * (107 - len(folder) - 1))
        with closing(ControlServer(path)), closing(connect(path)):
            pass


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(ControlRefused, match="check the path and its rights"):
        ControlServer(os.path.relpath(tmp_path / "f" / "x.control"))


# Requests and answers.


def test_a_request_is_answered_on_its_own_connection(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as one, closing(connect(path)) as two:
        say(one, {"id": "a", "do": "bet", "seat": 1, "wager": "tie", "stake": 100})
        say(two, {"id": "b", "do": "state"})
        asked = {request.id: request for request in heard(server)}
        assert asked["a"].do == "bet"
        assert asked["a"].fields == {"seat": 1, "wager": "tie", "stake": 100}
        server.answer(asked["b"].client, {"id": "b", "ok": True, "text": "é\n"})
        server.answer(asked["a"].client, {"id": "a", "ok": False, "refused": "not-now"})
        assert lines(one) == [{"id": "a", "ok": False, "refused": "not-now"}]
        assert lines(two) == [{"id": "b", "ok": True, "text": "é\n"}]


def test_requests_may_come_in_pieces_and_several_at_once(server: ControlServer, path: Path) -> None:
    text = b'{"id":"1","do":"a"}\n\r\n{"id":"2","do":"b"}\r\n{"id":"3","do":"c"}\n'
    with closing(connect(path)) as client:
        seen = []
        for byte in text:
            say(client, bytes([byte]))
            seen += [request.do for request in server.poll()]
        seen += [request.do for request in heard(server)]
        say(client, text)
        seen += [request.do for request in heard(server)]
    assert seen == ["a", "b", "c"] * 2


@pytest.mark.parametrize(
    ("line", "order_id"),
    [
        (b"nonsense\n", None),
        (b'"text"\n', None),
        (b"[]\n", None),
        (b'{"id":"1","id":"2","do":"state"}\n', None),
        (b'{"id":"1","do":"bet","stake":NaN}\n', None),
        (b'{"id":"1","do":"bet","stake":Infinity}\n', None),
        (b'{"id":"1","do":"bet","stake":1e999}\n', None),
        (b'{"id":"1","do":"bet","stake":0.5}\n', None),
        (b"[" * 60_000 + b"\n", None),
        (b'{"id":"1","do":"st\xff"}\n', None),
        (b'{"do":"state"}\n', None),
        (b'{"id":1,"do":"state"}\n', None),
        (b'{"id":"","do":"state"}\n', None),
        (b'{"id":"' + b"x" * 129 + b'","do":"state"}\n', None),
        (b'{"id":"a\\u0000","do":"state"}\n', None),
        (b'{"id":"\\ud800","do":"state"}\n', None),
        (b'{"id":"1"}\n', "1"),
        (b'{"id":"1","do":null}\n', "1"),
        (b'{"id":"1","do":""}\n', "1"),
        (b'{"id":"1","do":"' + b"x" * 65 + b'"}\n', "1"),
        (b'{"id":"1","do":"events","after":-1}\n', "1"),
        (b'{"id":"1","do":"events","after":true}\n', "1"),
        (b'{"id":"1","do":"events","after":"0"}\n', "1"),
        (b'{"id":"1","do":"events","since":0}\n', "1"),
    ],
)
def test_a_bad_request_is_answered_and_the_connection_goes_on(
    server: ControlServer, path: Path, line: bytes, order_id: str | None
) -> None:
    with closing(connect(path)) as client:
        say(client, line)
        assert heard(server) == []
        (answer,) = lines(client)
        assert {"id": order_id, "ok": False, "refused": "bad-request"}.items() <= answer.items()
        assert str(answer["text"]).isprintable()
        say(client, {"id": "x" * 128, "do": "y" * 64})
        assert [request.id for request in heard(server)] == ["x" * 128]


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_without_bound_is_answered_and_its_client_closed(server: ControlServer, path: Path, end: bytes) -> None:
    with closing(connect(path)) as client:
        say(client, b"x" * 65_537 + end)
        assert heard(server) == []
        (answer,) = lines(client)
        assert answer["text"] == "a line is longer than 65536 bytes"
        assert closed(client)


def test_a_line_without_its_end_is_not_carried_out(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as client:
        say(client, b'{"id":"1","do":"void"}')
        client.shutdown(socket.SHUT_WR)
        assert heard(server) == []
        assert closed(client)


def test_who_ends_the_questions_still_gets_the_answers(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as client:
        say(client, {"id": "1", "do": "state"})
        client.shutdown(socket.SHUT_WR)
        (request,) = heard(server)
        server.answer(request.client, {"id": "1", "ok": True})
        assert client.recv(100) == b'{"id":"1","ok":true}\n'
        assert closed(client)


def test_a_client_that_left_is_passed_over(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as client:
        say(client, {"id": "1", "do": "state"})
        (request,) = heard(server)
    heard(server)
    server.answer(request.client, {"id": "1", "ok": True})
    server.answer(999, {"id": "1", "ok": True})
    heard(server)


def test_the_thirty_third_client_is_told_and_sent_away(server: ControlServer, path: Path) -> None:
    clients = []
    for _ in range(33):
        clients.append(connect(path))
        server.poll()
    assert lines(clients[-1])[0]["text"] == "32 clients are connected already: close one"
    assert closed(clients[-1])
    clients[0].close()
    heard(server)
    clients.append(connect(path))
    say(clients[-1], {"id": "1", "do": "state"})
    assert len(heard(server)) == 1
    for client in clients:
        client.close()


def test_a_client_that_does_not_read_its_answers_is_dropped_and_nobody_waits(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as slow, closing(connect(path)) as other:
        heard(server)
        assert len(server._clients) == 2
        for number in range(400):
            say(slow, {"id": str(number), "do": "state"})
            for request in server.poll():
                server.answer(request.client, {"id": request.id, "ok": True, "text": "x" * 8000})
            if len(server._clients) == 1:
                break
        assert len(server._clients) == 1
        say(other, {"id": "1", "do": "state"})
        assert [request.id for request in heard(server)] == ["1"]


def test_one_descriptor_tells_the_loop_that_there_is_work(server: ControlServer, path: Path) -> None:
    with selectors.DefaultSelector() as loop, closing(connect(path)) as client:
        loop.register(server.fileno(), selectors.EVENT_READ)
        assert loop.select(5)
        heard(server)
        assert not loop.select(0)
        say(client, {"id": "1", "do": "state"})
        assert loop.select(5)
        assert len(heard(server)) == 1
        assert not loop.select(0)


# Events.


class Journal:
    """Events by number, as a journal gives them."""

    def __init__(self, count: int, size: int = 10) -> None:
        self.count = count
        self.size = size

    def events_after(self, seq: int, limit: int) -> list[dict[str, object]]:
        last = min(self.count, seq + limit)
        return [{"seq": each, "event": "CardBurned", "text": "x" * self.size} for each in range(seq + 1, last + 1)]


def test_a_subscriber_gets_what_was_and_then_what_comes(server: ControlServer, path: Path) -> None:
    journal = Journal(3)
    with closing(connect(path)) as client:
        say(client, {"id": "e", "do": "events", "after": 1})
        assert heard(server) == []
        server.pump(journal.events_after)
        assert lines(client)[0] == {"id": "e", "ok": True}
        journal.count = 5
        server.pump(journal.events_after)
        server.pump(journal.events_after)
        assert [event["seq"] for event in lines(client)] == [4, 5]
        say(client, {"id": "s", "do": "state"})
        assert [request.do for request in heard(server)] == ["state"]


def test_without_after_all_events_are_told(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as client:
        say(client, {"id": "e", "do": "events"})
        heard(server)
        server.pump(Journal(450).events_after)
        told = lines(client)
        while server.poll() == [] and len(told) < 451:
            server.pump(Journal(450).events_after)
            told += lines(client)
        assert [event.get("seq") for event in told] == [None, *range(1, 451)]


def test_a_slow_subscriber_loses_nothing_holds_nobody_up_and_fills_no_memory(server: ControlServer, path: Path) -> None:
    journal = Journal(2000, size=2000)
    with closing(connect(path)) as client:
        say(client, {"id": "e", "do": "events", "after": 0})
        for _ in range(300):
            server.poll()
            server.pump(journal.events_after)
        (one,) = server._clients.values()
        assert len(one.outgoing) < 70_000
        told = []
        data = b""
        while len(told) < 2001:
            data += client.recv(65536)
            *whole, data = data.split(b"\n")
            told += [json.loads(line).get("seq") for line in whole]
            server.poll()
            server.pump(journal.events_after)
        assert told == [None, *range(1, 2001)]


def test_events_larger_than_the_bound_still_get_through(server: ControlServer, path: Path) -> None:
    with closing(connect(path)) as client:
        say(client, {"id": "e", "do": "events"})
        heard(server)
        received = 0
        while received < 2 * 2_000_000:
            server.poll()
            server.pump(Journal(2, size=2_000_000).events_after)
            received += len(client.recv(1_000_000))


# The client.


def serve(server: ControlServer, answers: Callable[[Request], dict[str, object] | None], journal: Journal) -> None:
    """A table's loop, until a client says quit."""
    with selectors.DefaultSelector() as loop:
        loop.register(server.fileno(), selectors.EVENT_READ)
        while True:
            loop.select(5)
            for request in server.poll():
                if request.do == "quit":
                    server.close()
                    return
                answer = answers(request)
                if answer is not None:
                    server.answer(request.client, {"id": request.id} | answer)
            server.pump(journal.events_after)


@pytest.fixture
def table(server: ControlServer, path: Path) -> Iterator[list[Request]]:
    """A table that takes every order and has three events; the requests it got."""
    got: list[Request] = []

    def answer(request: Request) -> dict[str, object] | None:
        got.append(request)
        return None if request.do == "silence" else {"ok": True, "did": request.do}

    thread = threading.Thread(target=serve, args=(server, answer, Journal(3)))
    thread.start()
    yield got
    with closing(connect(path)) as client:
        say(client, {"id": "q", "do": "quit"})
        thread.join(10)


def test_the_client_asks_and_gets_the_answer(table: list[Request], path: Path) -> None:
    with Client(path) as client:
        assert client.ask("bet", id="7", seat=2) == {"id": "7", "ok": True, "did": "bet"}
        assert client.ask("state")["did"] == "state"
        client.ask("state")
    assert table[0].fields == {"seat": 2}
    assert len({request.id for request in table}) == 3
    assert len({request.client for request in table}) == 1


def test_the_client_reads_events_and_stops_when_it_likes(table: list[Request], path: Path) -> None:
    client = Client(path)
    events = client.events(after=1)
    assert [next(events)["seq"], next(events)["seq"]] == [2, 3]
    events.close()
    with pytest.raises(TimeoutError):
        next(client.events(after=3, wait_s=0.05))
    with pytest.raises(ValueError, match="after must be the seq of an event"):
        next(client.events(after=-1))


def test_no_answer_in_time_is_told(table: list[Request], path: Path) -> None:
    with Client(path, timeout_s=0.1) as client, pytest.raises(TableNotThere, match=r"did not answer in 0\.1 s"):
        client.ask("silence")


def test_the_client_connects_again_with_the_same_id_after_a_restart(path: Path) -> None:
    got: list[str] = []

    def answer(request: Request) -> dict[str, object]:
        got.append(request.id)
        return {"ok": True}

    with Client(path) as client:
        for _ in range(2):
            server = ControlServer(path)
            thread = threading.Thread(target=serve, args=(server, answer, Journal(0)))
            thread.start()
            assert client.ask("state", id="same")["ok"] is True
            with closing(connect(path)) as other:
                say(other, {"id": "q", "do": "quit"})
                thread.join(10)
        with pytest.raises(TableNotThere):
            client.ask("state")
    assert got == ["same", "same"]


@pytest.mark.parametrize("name", ["missing", "x" * 120, "a\0b"])
def test_no_table_there_is_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(TableNotThere, match="no table at ") as gone:
        Client(f"{tmp_path}/{name}").ask("state")
    assert str(gone.value).isprintable()


def test_what_is_no_table_is_told(path: Path) -> None:
    path.parent.mkdir()
    with closing(socket.socket(socket.AF_UNIX)) as other:
        other.bind(str(path))
        other.listen()
        client = Client(path)

        def answer() -> None:
            connection, _ = other.accept()
            connection.sendall(b"220 mail ready\n")
            connection.recv(1000)
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(TableNotThere, match="is no table: no JSON"):
            client.ask("state")
        thread.join(5)


# Default paths.


def test_paths_follow_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/var/state")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert str(default_journal_path("bac-07")) == "/var/state/punto/bac-07.journal"
    assert str(default_control_path("bac-07")) == "/run/user/7/punto/bac-07.control"


@pytest.mark.parametrize("value", [None, "", "relative/path"])
def test_without_a_sound_environment_the_users_own_folders_are_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str | None
) -> None:
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOME", "/home/dealer")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = tmp_path / f"punto-{os.geteuid()}"
    assert str(default_journal_path("t")) == "/home/dealer/.local/state/punto/t.journal"
    for _ in range(2):
        assert default_control_path("t") == own / "t.control"
    assert stat.S_IMODE(own.stat().st_mode) == 0o700


def _link(folder: Path) -> None:
    folder.symlink_to("/")


def _open_to_all(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)


def _anothers(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)


@pytest.mark.parametrize("trap", [Path.touch, _link, _open_to_all, _anothers])
def test_a_trap_in_the_temporary_folder_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trap: Callable[[Path], None]
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    try:
        trap(tmp_path / f"punto-{os.geteuid()}")
    except PermissionError:
        pytest.skip("only root may give a folder away")
    with pytest.raises(PathRefused, match=r"set XDG_RUNTIME_DIR"):
        default_control_path("t")


@pytest.mark.parametrize("table", ["", "..", "a/b", "a\n", "é", ".hidden", "x" * 65])
def test_an_id_cannot_lead_out_of_the_folder(table: str) -> None:
    with pytest.raises(PathRefused, match="is no id of a table"):
        default_journal_path(table)

"""The far end of a line: what an emulated device can rely on."""

import os
import select
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drivers.wires import wire_for
from tools.listening import FarEnd, ListenRefused, listen

KIB_64 = 64 * 1024


def clock_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """A condition with a bound, instead of a sleep."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.001)


def came(end: FarEnd, data: bytes) -> bool:
    got = bytearray()
    until(lambda: (got.extend(end.poll(clock_ms())), len(got) >= len(data))[1])
    return got == data


def test_a_pty_stands_behind_a_link_for_as_long_as_it_is_open(tmp_path: Path) -> None:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    assert end.describe() == str(tmp_path / "shoe")
    assert os.readlink(tmp_path / "shoe").startswith("/dev/pts/")
    end.close()
    end.close()
    assert os.listdir(tmp_path) == []


def test_bytes_for_a_pty_that_nobody_has_open_wait_within_bounds_and_none_is_lost(tmp_path: Path) -> None:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    sent = bytearray()
    while end.send(piece := len(sent).to_bytes(4, "big") * 250, clock_ms()):
        sent += piece
    assert end.waiting_out() <= KIB_64
    wire = wire_for(end.describe(), 4800)
    wire.open(clock_ms())
    got = bytearray()
    until(lambda: (end.poll(clock_ms()), got.extend(wire.poll(clock_ms())), len(got) >= len(sent))[2])
    assert got == sent
    assert end.deadline_ms() is None
    wire.close()
    end.close()


def test_a_link_that_a_killed_emulator_left_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "shoe").symlink_to("/dev/pts/99999")
    listen(f"pty:{tmp_path / 'shoe'}").close()


def test_a_second_emulator_on_the_same_path_is_refused(tmp_path: Path) -> None:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    with pytest.raises(ListenRefused, match="another emulator listens there; choose another path"):
        listen(f"pty:{tmp_path / 'shoe'}")
    end.close()


def test_what_is_not_a_left_over_link_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for name in ("file", "link"):
        with pytest.raises(ListenRefused, match="something else is there; choose another path"):
            listen(f"pty:{tmp_path / name}")
    assert (tmp_path / "link").read_text() == "precious"


@pytest.mark.parametrize("where", ["", "pty:", "tcp:", "tcp:x", "tcp:70000", "com:3"])
def test_a_place_that_is_none_is_refused_in_one_line(where: str) -> None:
    with pytest.raises(ListenRefused, match=r"cannot listen there; write pty:PATH or tcp:PORT$"):
        listen(where)


def test_a_folder_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ListenRefused, match="No such file or directory; choose another path"):
        listen(f"pty:{tmp_path / 'none' / 'shoe'}")


def test_an_unplugged_pty_waits_for_its_reader_then_is_gone_and_comes_back_as_another(tmp_path: Path) -> None:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    end.send(b"last", 0)
    with open(tmp_path / "shoe", "rb", buffering=0) as slow_reader:
        assert select.select([slow_reader], [], [], 5)[0]
    end.unplug(100, 1_000)
    assert not end.send(b"more", 1_000)
    end.poll(1_499)
    assert (tmp_path / "shoe").is_symlink()  # nobody has read it yet
    end.poll(1_500)
    assert not (tmp_path / "shoe").is_symlink()
    assert end.fileno() is None
    assert end.deadline_ms() == 1_600
    end.poll(1_599)
    assert not end.is_up
    end.poll(1_600)
    assert end.is_up
    assert (tmp_path / "shoe").is_symlink()
    end.close()


def test_an_unplugged_pty_with_nothing_unread_goes_after_20_ms(tmp_path: Path) -> None:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    end.unplug(100, 0)
    assert end.deadline_ms() == 5
    end.poll(19)
    assert end.fileno() is not None
    end.poll(20)
    assert end.fileno() is None
    end.close()


def test_every_tcp_client_gets_the_devices_bytes_and_a_fifth_is_turned_away() -> None:
    end = listen("tcp:0")
    host, port = end.describe().removeprefix("tcp:").split(":")
    assert host == "127.0.0.1"
    assert end.send(b"early ", clock_ms())
    clients = []
    for _ in range(5):
        clients.append(socket.create_connection((host, int(port)), timeout=5))
        end.poll(clock_ms())
    assert end.send(b"card", clock_ms())
    assert clients[0].recv(10, socket.MSG_WAITALL) == b"early card"
    assert [client.recv(100) for client in clients[1:]] == [b"card", b"card", b"card", b""]
    clients[2].sendall(b"command")
    descriptor = end.fileno()
    assert descriptor is not None
    assert select.select([descriptor], [], [], 5)[0]
    assert came(end, b"command")
    end.close()
    for client in clients:
        client.close()


def test_a_tcp_client_that_does_not_read_is_dropped_and_holds_up_nobody() -> None:
    end = listen("tcp:0")
    port = int(end.describe().rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)):
        until(lambda: end.poll(clock_ms()) == b"" and end.send(b"x" * 8_000, clock_ms()) and end.waiting_out() > 0)
        until(lambda: end.send(b"x" * 8_000, clock_ms()) and end.waiting_out() == 0)
    end.close()


def test_an_unplugged_tcp_port_refuses_and_then_is_there_again() -> None:
    end = listen("tcp:0")
    address = ("127.0.0.1", int(end.describe().rpartition(":")[2]))
    with socket.create_connection(address, timeout=5) as client:
        end.send(b"last", 0)
        end.unplug(100, 0)
        assert client.recv(100) == b"last"
        assert client.recv(100) == b""
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address)
    assert not end.send(b"x", 1)
    end.poll(99)
    assert not end.is_up
    end.poll(100)
    assert end.is_up
    socket.create_connection(address).close()
    end.close()
    assert end.fileno() is None


def test_a_tcp_port_in_use_is_refused() -> None:
    end = listen("tcp:0")
    with pytest.raises(ListenRefused, match="Address already in use; choose another port"):
        listen(f"tcp:{end.describe().rpartition(':')[2]}")
    end.close()

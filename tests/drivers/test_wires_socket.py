"""TCP lines to serial device servers, over the loopback."""

import contextlib
import os
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from drivers.contracts import Wire, WireRefused
from drivers.wires import wire_for
from drivers.wires_socket import SocketChannel, _is_talking_to_itself
from drivers.wires_stream import StreamWire

EVERY_BYTE = bytes(range(256))


def clock_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """A condition with a bound, instead of a sleep."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.0005)


def read_until_down(wire: Wire) -> bytes:
    got = bytearray()

    def is_down() -> bool:
        got.extend(wire.poll(clock_ms()))
        return not wire.is_up

    until(is_down)
    return bytes(got)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)
        yield listener


def connected(server: socket.socket) -> tuple[Wire, socket.socket]:
    wire = wire_for(f"socket://127.0.0.1:{server.getsockname()[1]}", 4800)
    wire.open(clock_ms())
    peer, _ = server.accept()
    return wire, peer


def unplug_right_after_the_last_byte(server: socket.socket, times: int) -> None:
    for time_no in range(times):
        wire, peer = connected(server)
        card = b"\x051D\x91\x8a\x03%02X" % (time_no % 256)
        if time_no % 2:
            peer.sendall(card)
            peer.close()
            assert read_until_down(wire) == card
        else:
            peer.sendall(card[:4])
            early = wire.poll(clock_ms())
            wire.send(b"unread by the peer", clock_ms())
            peer.sendall(card[4:])
            peer.close()
            assert early + read_until_down(wire) == card
        wire.close()


def test_bytes_before_an_unplug_are_kept(server: socket.socket) -> None:  # fault 3, pyserial #86, #341
    unplug_right_after_the_last_byte(server, 200)


@pytest.mark.long
def test_bytes_before_an_unplug_are_kept_a_thousand_times(server: socket.socket) -> None:  # fault 3
    unplug_right_after_the_last_byte(server, 1_000)


def test_bytes_before_a_reset_are_kept(server: socket.socket) -> None:  # fault 3: the device server lost its power
    for _ in range(50):
        wire, peer = connected(server)
        peer.sendall(b"the last card")
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        assert read_until_down(wire) == b"the last card"
        wire.close()


def test_every_byte_passes_unchanged_both_ways(server: socket.socket) -> None:  # fault 33
    wire, peer = connected(server)
    assert wire.send(EVERY_BYTE, clock_ms())
    assert peer.recv(1_000) == EVERY_BYTE
    peer.sendall(EVERY_BYTE)
    got = bytearray()
    until(lambda: (got.extend(wire.poll(clock_ms())), len(got) == 256)[1])
    assert got == EVERY_BYTE
    wire.close()
    peer.close()


def test_bytes_go_out_at_once_and_a_vanished_peer_is_missed(server: socket.socket) -> None:  # pysml #7
    wire, peer = connected(server)
    descriptor = wire.fileno()
    assert descriptor is not None
    with socket.socket(fileno=os.dup(descriptor)) as same:
        assert same.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0
        assert same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) != 0
        assert same.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10
    wire.close()
    peer.close()


def test_a_lost_connection_is_made_again(server: socket.socket) -> None:  # fault 1
    wire, peer = connected(server)
    peer.close()
    read_until_down(wire)
    assert wire.trouble == f"{wire.name}: closed by the other side; check the cable"
    until(lambda: wire.poll(clock_ms()) == b"" and wire.is_up)
    again, _ = server.accept()
    assert wire.send(b"here", clock_ms())
    assert again.recv(10) == b"here"
    wire.close()
    again.close()


def test_a_server_that_is_off_is_tried_until_it_is_on(server: socket.socket) -> None:  # fault 36
    wire, peer = connected(server)
    port = server.getsockname()[1]
    server.close()
    peer.close()
    read_until_down(wire)
    until(lambda: wire.poll(clock_ms()) == b"" and "connection refused" in wire.trouble)
    with socket.create_server(("127.0.0.1", port)):
        until(lambda: wire.poll(clock_ms()) == b"" and wire.is_up)
    wire.close()


def test_a_peer_that_does_not_read_makes_nobody_wait_and_nothing_is_sent_twice(server: socket.socket) -> None:
    """Faults 37 and 38, pyserial #163, #582."""
    wire, peer = connected(server)
    sent = bytearray()
    while wire.send(piece := len(sent).to_bytes(4, "big") * 2_000, clock_ms()):
        sent += piece
    assert 50_000 < wire.waiting_out() <= 64 * 1024
    got = bytearray()
    while len(got) < len(sent):
        wire.poll(clock_ms())
        got += peer.recv(64 * 1024)
    assert got == sent
    wire.close()
    peer.close()


def test_a_peer_that_hangs_up_in_mid_write_is_no_exception(server: socket.socket) -> None:  # fault 37
    wire, peer = connected(server)
    while wire.send(b"x" * 8_000, clock_ms()):
        pass
    peer.close()
    read_until_down(wire)
    assert wire.waiting_out() == 0
    wire.close()


def test_ten_megabytes_leave_the_memory_as_it_was(server: socket.socket) -> None:  # fault 19
    wire, peer = connected(server)
    peer.setblocking(False)
    piece = EVERY_BYTE * 256
    sent = came = 0
    tracemalloc.start()
    while came < 10 * 1024 * 1024:
        with contextlib.suppress(BlockingIOError):
            sent += peer.send(piece) if sent < 10 * 1024 * 1024 else 0
        got = wire.poll(clock_ms())
        assert len(got) <= 64 * 1024
        came += len(got)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1024 * 1024
    wire.close()
    peer.close()


def silent_server() -> tuple[list[socket.socket], int]:
    """A port where nobody answers any more: its queue of unaccepted connections is full."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    sockets = [listener]
    for _ in range(4):
        filling = socket.socket()
        filling.setblocking(False)
        filling.connect_ex(listener.getsockname())
        sockets.append(filling)
    return sockets, listener.getsockname()[1]


def test_a_server_that_does_not_answer_is_waited_for_at_start_only(monkeypatch: pytest.MonkeyPatch) -> None:
    sockets, port = silent_server()
    wire = StreamWire("shoe", lambda: SocketChannel("shoe", "127.0.0.1", port), patience_ms=30)
    with pytest.raises(WireRefused, match=r"^shoe: no answer within 0.03 s; check the address"):
        wire.open(0)
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("waited"))
    wire.keep_trying(0)
    for now_ms in range(0, 5_020, 20):
        assert wire.poll(now_ms) == b""
        assert not wire.is_up
        assert wire.deadline_ms() == now_ms + 20
    wire.poll(5_020)
    assert wire.trouble == "shoe: no answer within 5 s; check the address and that the other side is on"
    assert wire.deadline_ms() == 5_120
    wire.close()
    for each in sockets:
        each.close()


def test_a_slow_look_up_of_a_name_makes_nobody_wait(server: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    may_answer = threading.Event()
    look_up = socket.getaddrinfo

    def slow_getaddrinfo(host: str, *args: Any, flags: int = 0, **kwargs: Any) -> Any:
        if flags & socket.AI_NUMERICHOST:
            return look_up(host, *args, flags=flags, **kwargs)
        may_answer.wait(5)
        return look_up("127.0.0.1", *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", slow_getaddrinfo)
    wire = wire_for(f"socket://moxa.casino.example:{server.getsockname()[1]}", 4800)
    wire.keep_trying(clock_ms())
    assert wire.poll(clock_ms()) == b""
    assert not wire.is_up
    may_answer.set()
    until(lambda: wire.poll(clock_ms()) == b"" and wire.is_up)
    wire.close()


def test_every_address_of_a_name_is_tried(server: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    port = server.getsockname()[1]
    kind = (socket.SOCK_STREAM, 6, "")
    both = [(socket.AF_INET, *kind, ("127.0.0.2", 1)), (socket.AF_INET, *kind, ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: list(both))
    wire = wire_for("socket://moxa:1", 4800)
    wire.open(clock_ms())
    assert wire.is_up
    wire.close()


def test_a_connection_of_a_port_with_itself_is_not_taken_for_a_device() -> None:
    with socket.socket() as alone:
        alone.bind(("127.0.0.1", 0))
        alone.connect(alone.getsockname())
        assert _is_talking_to_itself(alone)


def test_a_healthy_connection_does_not_talk_to_itself(server: socket.socket) -> None:
    with socket.create_connection(server.getsockname()) as healthy:
        assert not _is_talking_to_itself(healthy)

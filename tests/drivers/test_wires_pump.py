"""Ports that can only be waited for: rfc2217:// against pyserial's own server, loop://, and a scripted port."""

import queue
import socket
import threading
import time
from collections.abc import Callable

import pytest
import serial
import serial.rfc2217

from drivers.contracts import Wire, WireRefused
from drivers.wires import wire_for
from drivers.wires_pump import PortFailed, PumpedChannel
from drivers.wires_stream import StreamWire

EVERY_BYTE = bytes(range(256))

# pyserial 3.5 starts its threads by names that Python has given up since.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def clock_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """A condition with a bound, instead of a sleep."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.001)


def read_until(wire: Wire, size: int) -> bytes:
    got = bytearray()

    def enough() -> bool:
        got.extend(wire.poll(clock_ms()))
        return len(got) >= size

    until(enough)
    return bytes(got)


class ScriptedPort:
    """Gives what is put in `incoming`; PortFailed when an exception is put there."""

    def __init__(self) -> None:
        self.incoming: queue.Queue[bytes | PortFailed] = queue.Queue()
        self.written = bytearray()
        self.left = b""
        self.reads = True
        self.closed_by = ""

    def read_one(self) -> bytes:
        try:
            item = self.incoming.get(timeout=0.01)
        except queue.Empty:
            return b""
        if isinstance(item, PortFailed):
            raise item
        return item

    def left_over(self) -> bytes:
        return self.left

    def write_some(self, data: bytes) -> None:
        until(lambda: self.reads)
        self.written += data

    def close(self) -> None:
        self.closed_by = threading.current_thread().name


def opened(port: ScriptedPort) -> Wire:
    wire = StreamWire("COM3", lambda: PumpedChannel(lambda: port, 16))
    wire.open(clock_ms())
    return wire


def test_bytes_before_a_failure_are_kept() -> None:  # fault 3, pyserial #86, #331
    port = ScriptedPort()
    wire = opened(port)
    for byte in b"the last ":
        port.incoming.put(bytes([byte]))
    port.left = b"card"
    port.incoming.put(PortFailed("ClearCommError failed"))
    assert read_until(wire, 13) == b"the last card"
    until(lambda: wire.poll(clock_ms()) == b"" and not wire.is_up)
    assert wire.trouble == "COM3: ClearCommError failed; check the cable"
    wire.close()


def test_the_port_is_closed_by_the_thread_that_reads_it() -> None:  # pyserial #328, #707, #713
    port = ScriptedPort()
    opened(port).close()
    until(lambda: port.closed_by == "wire pump")


def test_a_port_that_takes_nothing_makes_nobody_wait() -> None:  # fault 38
    port = ScriptedPort()
    port.reads = False
    wire = opened(port)
    sent = bytearray()
    while wire.send(piece := len(sent).to_bytes(4, "big") * 500, clock_ms()):
        sent += piece
    port.reads = True
    until(lambda: wire.poll(clock_ms()) == b"" and len(port.written) == len(sent))
    assert port.written == sent
    wire.close()


def test_a_port_that_does_not_open_is_refused() -> None:
    def refuse() -> ScriptedPort:
        raise WireRefused("COM3: no such port")

    with pytest.raises(WireRefused, match="COM3: no such port"):
        StreamWire("COM3", lambda: PumpedChannel(refuse, 16)).open(clock_ms())


def test_any_other_url_of_pyserial_is_a_wire_too() -> None:
    wire = wire_for("loop://", 115_200)
    wire.open(clock_ms())
    assert wire.fileno() is not None
    assert wire.send(EVERY_BYTE, clock_ms())
    assert read_until(wire, 256) == EVERY_BYTE
    wire.close()


class Rfc2217Server:
    """pyserial's own port manager on a connection; a loop:// port gives it the modem lines it asks for."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"rfc2217://127.0.0.1:{self.listener.getsockname()[1]}"
        self.got = bytearray()
        self.ready = threading.Event()
        self.device = serial.serial_for_url("loop://", 9600)
        threading.Thread(target=self._serve, daemon=True).start()

    def write(self, data: bytes) -> None:
        self.connection.sendall(data)

    def send(self, data: bytes) -> None:
        self.connection.sendall(b"".join(self.manager.escape(data)))

    def unplug(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def close(self) -> None:
        self.listener.close()
        self.device.close()

    def _serve(self) -> None:
        self.connection, _ = self.listener.accept()
        self.manager = serial.rfc2217.PortManager(self.device, self)
        self.ready.set()
        while data := self._receive():
            self.got += b"".join(self.manager.filter(data))

    def _receive(self) -> bytes:
        try:
            return self.connection.recv(1024)
        except OSError:
            return b""


def test_rfc2217_passes_every_byte_and_keeps_those_before_an_unplug() -> None:  # faults 3 and 33, pyserial #305
    server = Rfc2217Server()
    wire = wire_for(server.url, 4800)
    wire.open(clock_ms())
    assert wire.send(EVERY_BYTE, clock_ms())
    until(lambda: server.got == EVERY_BYTE)
    server.send(EVERY_BYTE)
    assert read_until(wire, 256) == EVERY_BYTE
    server.send(EVERY_BYTE * 16)
    server.unplug()
    assert read_until(wire, 4096) == EVERY_BYTE * 16
    until(lambda: wire.poll(clock_ms()) == b"" and not wire.is_up)
    assert "\n" not in wire.trouble
    wire.close()
    server.close()


@pytest.mark.long
def test_a_server_that_does_not_speak_rfc2217_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        wire = wire_for(f"rfc2217://127.0.0.1:{listener.getsockname()[1]}", 4800)
        with pytest.raises(WireRefused, match="Remote does not seem to support RFC2217"):
            wire.open(clock_ms())

"""Serial terminals, through real ptys: what pyserial would lose, block on or raise, and what a wire does instead."""

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
import tracemalloc
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.contracts import Wire, WireRefused
from drivers.wires import wire_for
from drivers.wires_tty import claim, is_pseudo_terminal, release
from tools.listening import FarEnd, listen

TIOCGEXCL = 0x80045440
EVERY_BYTE = bytes(range(256))


def clock_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def until(condition: Callable[[], bool], within_s: float = 5.0) -> None:
    """A condition with a bound, instead of a sleep."""
    end = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < end, "did not come true in time"
        time.sleep(0.001)


def read_until(line: Wire | FarEnd, size: int) -> bytes:
    got = bytearray()

    def enough() -> bool:
        got.extend(line.poll(clock_ms()))
        return len(got) >= size

    until(enough)
    return bytes(got)


@pytest.fixture
def far(tmp_path: Path) -> Iterator[FarEnd]:
    end = listen(f"pty:{tmp_path / 'shoe'}")
    yield end
    end.close()


@pytest.fixture
def near(far: FarEnd) -> Iterator[Wire]:
    wire = wire_for(far.describe(), 4800)
    yield wire
    wire.close()


@pytest.fixture
def bare_pty() -> Iterator[tuple[int, str]]:
    """A pty that can be hung up at once: master and path, no second descriptor of the slave."""
    master, slave = os.openpty()
    tty.setraw(slave)
    path = os.ttyname(slave)
    opened = wire_for(path, 4800)
    opened.open(0)
    os.close(slave)
    opened.close()
    yield master, path
    try:
        os.close(master)
    except OSError:
        return  # the test has hung it up


def test_what_came_in_before_the_port_was_opened_is_read(near: Wire, far: FarEnd) -> None:  # pyserial #249
    far.send(b"early card", clock_ms())
    near.open(clock_ms())
    assert read_until(near, 10) == b"early card"


def test_what_came_in_between_close_and_open_is_read(near: Wire, far: FarEnd) -> None:  # pyserial #249, #410
    near.open(clock_ms())
    near.close()
    far.send(b"in between", clock_ms())
    near.open(clock_ms())
    assert read_until(near, 10) == b"in between"


def test_a_device_does_not_hear_itself_while_nobody_has_the_port_open(far: FarEnd) -> None:
    far.send(b"BEFORE\r\n", clock_ms())
    wire = wire_for(far.describe(), 4800)
    wire.open(clock_ms())
    assert read_until(wire, 8) == b"BEFORE\r\n"
    assert far.poll(clock_ms()) == b""
    wire.close()


def test_every_byte_passes_unchanged_both_ways(near: Wire, far: FarEnd) -> None:  # fault 33, fabgl #316
    near.open(clock_ms())
    for _ in range(3):
        assert far.send(EVERY_BYTE + b"\x13\x11\x00\xff\x03\x04\r\n", clock_ms())
        assert near.send(EVERY_BYTE + b"\x13\x11\x00\xff\x03\x04\r\n", clock_ms())
        assert read_until(near, 264) == EVERY_BYTE + b"\x13\x11\x00\xff\x03\x04\r\n"
        assert read_until(far, 264) == EVERY_BYTE + b"\x13\x11\x00\xff\x03\x04\r\n"


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_dripping_bytes_come_as_they_are_and_nothing_waits_for_more(near: Wire, far: FarEnd, chunk: int) -> None:
    """Fault 16, pyserial #487: no read has a length or an end to wait for."""
    near.open(clock_ms())
    got = b""
    for start in range(0, 256, chunk):
        far.send(EVERY_BYTE[start : start + chunk], clock_ms())
        got += near.poll(clock_ms())
    assert got + read_until(near, 256 - len(got)) == EVERY_BYTE


def test_the_line_is_8n1_without_flow_control_and_closing_does_not_drop_dtr() -> None:  # pyserial #124, fabgl #316
    master, slave = os.openpty()
    wire = wire_for(os.ttyname(slave), 4800)
    wire.open(0)
    input_flags, output_flags, control, local, _, speed, _ = termios.tcgetattr(slave)
    assert speed == termios.B4800
    assert control & termios.CSIZE == termios.CS8
    assert not control & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS | termios.HUPCL)
    assert not input_flags & (termios.IXON | termios.IXOFF | termios.ICRNL | termios.ISTRIP)
    assert not output_flags & termios.OPOST
    assert not local & (termios.ECHO | termios.ICANON | termios.ISIG)
    wire.close()
    os.close(master)
    os.close(slave)


def test_bytes_before_an_unplug_are_kept_and_the_port_is_found_again(near: Wire, far: FarEnd) -> None:
    """Faults 1 and 3, pyserial #86, #341, radiolog #41."""
    near.open(clock_ms())
    far.send(b"the last card", clock_ms())
    far.unplug(30, clock_ms())
    got = bytearray()

    def is_down() -> bool:
        far.poll(clock_ms())
        got.extend(near.poll(clock_ms()))
        return not near.is_up

    until(is_down)
    assert got == b"the last card"
    assert near.trouble.startswith(near.name)
    assert near.fileno() is None

    def is_back() -> bool:
        far.poll(clock_ms())
        near.poll(clock_ms())
        return near.is_up and far.is_up

    until(is_back)
    far.send(b"next", clock_ms())
    assert read_until(near, 4) == b"next"


def test_a_hang_up_is_a_line_of_text_and_never_an_exception(bare_pty: tuple[int, str]) -> None:
    """Fault 37, pyserial #297, #417, #212, #215, #572: OSError, termios.error, SerialException and TypeError."""
    master, path = bare_pty
    wire = wire_for(path, 4800)
    wire.open(0)
    while wire.send(b"x" * 1_000, 0):
        pass  # in mid-write
    os.close(master)
    wire.send(b"x", 1)
    assert wire.poll(2) == b""
    assert not wire.is_up
    assert wire.trouble.startswith(f"{path}: ")
    assert "\n" not in wire.trouble
    assert not wire.send(b"x", 3)
    assert wire.waiting_out() == 0
    wire.close()


def test_a_reader_that_stops_makes_nobody_wait_and_nothing_is_sent_twice(near: Wire, far: FarEnd) -> None:
    """Faults 37 and 38, pyserial #163, #71, #582, pymodbus #3018."""
    near.open(clock_ms())
    sent = bytearray()
    while near.send(piece := len(sent).to_bytes(4, "big") * 250, clock_ms()):
        sent += piece
    assert 64_000 < near.waiting_out() <= 64 * 1024
    assert near.deadline_ms() is not None
    got = bytearray()

    def all_came() -> bool:
        got.extend(far.poll(clock_ms()))
        near.poll(clock_ms())
        return len(got) >= len(sent)

    until(all_came)
    assert got == sent
    assert near.waiting_out() == 0
    assert near.deadline_ms() is None


def test_ten_megabytes_leave_the_memory_as_it_was(near: Wire, far: FarEnd) -> None:  # fault 19
    near.open(clock_ms())
    piece = EVERY_BYTE * 16
    came = 0
    tracemalloc.start()
    for _ in range(10 * 1024 * 1024 // len(piece)):
        while not far.send(piece, clock_ms()):
            came += len(near.poll(clock_ms()))
    while came < 10 * 1024 * 1024:
        far.poll(clock_ms())
        got = near.poll(clock_ms())
        assert len(got) <= 64 * 1024
        came += len(got)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert came == 10 * 1024 * 1024
    assert most < 1024 * 1024


def test_a_second_opening_is_refused_and_told_who_has_it(near: Wire, far: FarEnd) -> None:  # fault 35, pyserial #378
    near.open(clock_ms())
    second = wire_for(far.describe(), 4800)
    with pytest.raises(WireRefused, match=rf": busy \(another program has it: .*\(pid {os.getpid()}\)\); stop that"):
        second.open(clock_ms())
    far.send(b"undivided", clock_ms())
    assert read_until(near, 9) == b"undivided"
    near.close()
    second.open(clock_ms())
    second.close()


def test_other_programs_are_kept_out_by_the_kernel_too() -> None:  # fault 35, ardupilot PR #31662
    master, slave = os.openpty()
    for step, is_claimed in ((claim, 1), (release, 0)):
        step(slave)
        assert int.from_bytes(fcntl.ioctl(slave, TIOCGEXCL, bytes(4)), sys.byteorder) == is_claimed
    os.close(master)
    release(slave)  # of a port that is gone: nothing to do
    os.close(slave)


def test_a_pty_is_not_claimed_because_the_claim_would_outlive_a_killed_holder(bare_pty: tuple[int, str]) -> None:
    master, path = bare_pty
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time; from drivers.wires import wire_for; wire = wire_for(sys.argv[1], 4800); wire.open(0);"
            "print('open', flush=True); time.sleep(60)",
            path,
        ],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"open\n"
    with pytest.raises(WireRefused, match=rf"\(pid {holder.pid}\)"):
        wire_for(path, 4800).open(0)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    wire = wire_for(path, 4800)
    wire.open(0)
    with open(path, "rb", buffering=0) as slave:
        assert is_pseudo_terminal(slave.fileno())
        assert int.from_bytes(fcntl.ioctl(slave, TIOCGEXCL, bytes(4)), sys.byteorder) == 0
    wire.close()
    assert master


def test_a_link_that_points_to_another_terminal_now_is_followed(tmp_path: Path) -> None:  # fault 5, Klipper #299
    first, second = (listen(f"pty:{tmp_path / name}") for name in ("one", "two"))
    link = tmp_path / "usb-FTDI_shoe"
    link.symlink_to(os.readlink(tmp_path / "one"))
    wire = wire_for(str(link), 4800)
    wire.open(clock_ms())
    link.unlink()
    first.close()
    until(lambda: wire.poll(clock_ms()) == b"" and not wire.is_up)
    until(lambda: wire.poll(clock_ms()) == b"" and "no such port" in wire.trouble)
    link.symlink_to(os.readlink(tmp_path / "two"))
    second.send(b"from the other", clock_ms())
    assert read_until(wire, 14) == b"from the other"
    wire.close()
    second.close()


def test_a_missing_port_can_be_waited_for(tmp_path: Path) -> None:  # fault 36
    wire = wire_for(str(tmp_path / "shoe"), 4800)
    with pytest.raises(WireRefused):
        wire.open(0)
    wire.keep_trying(0)
    assert wire.poll(0) == b""
    assert wire.deadline_ms() == 100
    far = listen(f"pty:{tmp_path / 'shoe'}")
    wire.poll(99)
    assert not wire.is_up
    wire.poll(100)
    assert wire.is_up
    wire.close()
    far.close()


def test_the_descriptors_are_given_back(tmp_path: Path) -> None:  # fault 53
    far = listen(f"pty:{tmp_path / 'shoe'}")
    wire = wire_for(str(tmp_path / "shoe"), 4800)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        wire.open(0)
        with pytest.raises(WireRefused):
            wire_for(str(tmp_path / "shoe"), 4800).open(0)
        wire.close()
    assert len(os.listdir("/proc/self/fd")) == before
    far.close()

"""What `punto ports` lists, and what a person reads when a port cannot be opened."""

import errno
import os
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from drivers import wires
from drivers.contracts import WireRefused
from drivers.wires import PortFound, list_ports, wire_for
from drivers.wires_ports import held_by, ports_found
from drivers.wires_refused import refusal

NOBODY = 65534


def test_ports_are_listed_with_stable_name_and_holder(tmp_path: Path) -> None:
    device = tmp_path / "ttyUSB0"
    device.touch()
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    (by_id / "usb-FTDI_shoe").symlink_to(device)
    process = tmp_path / "proc" / "812"
    (process / "fd").mkdir(parents=True)
    (process / "fd" / "3").symlink_to(device)
    (process / "comm").write_text("screen\n")
    found = ports_found({str(device): "FT232R\x1b[2J"}, by_id, tmp_path / "proc")
    assert found == [
        PortFound(str(device), str(by_id / "usb-FTDI_shoe"), r"FT232R\x1b[2J", "screen (pid 812)"),
    ]


def test_who_holds_a_port_is_read_from_the_system() -> None:
    master, slave = os.openpty()
    try:
        assert f"(pid {os.getpid()})" in held_by(os.ttyname(slave))
    finally:
        os.close(master)
        os.close(slave)


def test_nothing_is_listed_where_nothing_may_be_read(tmp_path: Path) -> None:
    found = ports_found({"/dev/ttyS0": "built in"}, tmp_path / "none", tmp_path / "none")
    assert PortFound("/dev/ttyS0", "", "built in", "") in found
    assert held_by("/dev/ttyUSB0", tmp_path / "none") == ""


def test_a_device_that_misbehaves_does_not_spoil_the_list(monkeypatch: pytest.MonkeyPatch) -> None:  # pyserial #774
    def comports() -> list[object]:
        raise TypeError("expected str, bytes or os.PathLike object, not NoneType")

    monkeypatch.setattr(wires.serial.tools.list_ports, "comports", comports)
    assert all(port.description == "" for port in list_ports())


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(errno.ENOENT, "No such file"), "no such port; plug the cable in or correct 'port'"),
        (OSError(errno.ENXIO, "No such device"), "no such port; plug the cable in or correct 'port'"),
        (OSError(errno.EACCES, "denied"), "permission denied: add the user to group dialout"),
        (OSError(errno.EBUSY, "busy"), "busy (another program has it: screen (pid 812)); stop that program"),
        (OSError(errno.EWOULDBLOCK, "locked"), "busy (another program has it: screen (pid 812)); stop that program"),
        (serial.SerialException(errno.EACCES, "could not open port"), "permission denied: add the user to group"),
        (termios.error(errno.ENOTTY, "Inappropriate ioctl"), "not a serial port; correct 'port'"),
        (OSError(errno.EIO, "Input/output error"), "cannot be opened: Input/output error; check the port and"),
        (ValueError("odd\nspeed"), r"cannot be opened: odd\x0aspeed; check the port and the cable"),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "connection refused; check address and port number"),
    ],
)
def test_every_refusal_is_one_line_that_says_what_to_do(error: Exception, text: str) -> None:  # fault 36
    said = str(refusal("/dev/ttyUSB0", error, "screen (pid 812)"))
    assert said.startswith(f"/dev/ttyUSB0: {text}")
    assert "\n" not in said


def test_the_errno_is_found_where_pyserial_hid_it() -> None:
    hidden = PermissionError(errno.EACCES, "Permission denied")
    shown = serial.SerialException(f"Could not open port: {hidden}")
    shown.__context__ = hidden
    assert "group dialout" in str(refusal("COM3", shown))


@pytest.mark.parametrize(
    ("url", "baud", "text"),
    [
        ("", 9600, "(empty): names no port; correct 'port' (punto ports lists what is there)"),
        ("/dev/tty\0", 9600, r"/dev/tty\x00: names no port; correct 'port' (punto ports lists what is there)"),
        ("/dev/x", 0, "/dev/x: 0 is no line speed; correct 'baud' (9600, for example)"),
        ("/dev/x", -9600, "/dev/x: -9600 is no line speed; correct 'baud' (9600, for example)"),
        ("/dev/x", 10**9, "/dev/x: 1000000000 is no line speed; correct 'baud' (9600, for example)"),
        ("usb://x", 9600, "usb://x: unknown kind of port; write /dev/..., socket://host:port or rfc2217://host:port"),
        ("socket://host", 9600, "socket://host: not host and port number; write socket://192.168.1.20:4001"),
        ("socket://host:0", 9600, "socket://host:0: not host and port number; write socket://192.168.1.20:4001"),
        ("socket://host:٨", 9600, r"socket://host:\u{668}: not host and port number; write socket://192.168.1.20:4001"),
        ("socket://host:99999", 1, "socket://host:99999: not host and port number; write socket://192.168.1.20:4001"),
    ],
)
def test_what_can_never_work_is_refused_before_anything_is_opened(url: str, baud: int, text: str) -> None:  # fault 36
    with pytest.raises(WireRefused) as refused:
        wire_for(url, baud)
    assert str(refused.value) == text


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("/dev/no-such-shoe", "no such port; plug the cable in or correct 'port' (punto ports lists what is there)"),
        ("/dev/null", "not a serial port; correct 'port' (punto ports lists what is there)"),
        ("/", "not a serial port; correct 'port' (punto ports lists what is there)"),
        (
            "rfc2217://127.0.0.1:1",
            "connection refused; check address and port number, and that the device server is on",
        ),
        ("socket://127.0.0.1:1", "connection refused; check address and port number, and that the device server is on"),
        ("socket://[::1]:1", "connection refused; check address and port number, and that the device server is on"),
        ("socket://no-such-host.invalid:1", "no such host; correct 'port' or check the network"),
    ],
)
def test_a_port_that_is_not_there_is_refused_at_start(url: str, text: str) -> None:  # fault 36
    wire = wire_for(url, 9600)
    with pytest.raises(WireRefused) as refused:
        wire.open(0)
    assert str(refused.value) == wire.trouble == f"{url}: {text}"
    assert not wire.is_up


@pytest.fixture
def forbidden_port() -> Iterator[str]:
    """A terminal that nobody may open, and no root to whom nothing is forbidden."""
    far, near = os.openpty()
    os.chmod(os.ttyname(near), 0)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield os.ttyname(near)
    finally:
        if root:
            os.seteuid(0)
        os.close(far)
        os.close(near)


def test_a_port_that_is_forbidden_is_refused_at_start(forbidden_port: str) -> None:  # fault 36
    with pytest.raises(WireRefused, match="permission denied: add the user to group dialout"):
        wire_for(forbidden_port, 9600).open(0)

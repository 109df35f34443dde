"""The panel emulator as a program: over a pty, with a log, orders, and signals."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from drivers.contracts import DisplayReport, KeyPressed, Wire
from drivers.displays.panel import CoupPicture, LimitRow, Notice, PanelDisplay, PanelPicture, RoadPicture
from drivers.wires import wire_for

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20
PICTURE = PanelPicture(
    (LimitRow("tie", "100", "5000", "8:1"),),
    RoadPicture(3, "B6"),
    Notice("info", "สวัสดี"),
    CoupPicture("dealing", 3, 4, player=("TS", "4C"), player_total=4),
)


class Emulator:
    """The program, started and ready."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tools.panel_emulator_program", *arguments],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
        assert ready, "the emulator says nothing"
        return self.process.stdout.readline().rstrip("\n")

    def order(self, text: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        return self.line()

    def ends(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, errors


class Controller:
    """The writer on a real port, turned by hand until something is seen."""

    def __init__(self, url: str, first_board: int = 1) -> None:
        self.wire: Wire = wire_for(url, 115200)
        self.wire.open(now_ms())
        self.display = PanelDisplay(
            self.wire,
            table="Mini 7",
            lang="th",
            simulated=True,
            start_id=f"{os.getpid():04X}{first_board:04X}"[-8:].rjust(8, "0"),
            first_board=first_board,
            baud=115200,
        )
        self.reports: list[DisplayReport] = []
        self.display.show(PICTURE, now_ms())

    def until(self, is_seen: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not is_seen():
            assert time.monotonic() < end, "not seen in time"
            self.reports += self.display.poll(now_ms())
            descriptor = self.wire.fileno()
            select.select([] if descriptor is None else [descriptor], [], [], 0.01)


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def boards(log: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def has_logged(place: Path, count: int) -> Callable[[], bool]:
    return lambda: len(boards(place / "log")) == count


@pytest.fixture
def started(tmp_path: Path) -> Iterator[tuple[Emulator, Path]]:
    emulator = Emulator(
        "--listen", f"pty:{tmp_path}/panel", "--log", f"{tmp_path}/log", "--control", f"{tmp_path}/control"
    )
    assert emulator.line() == f"listening on {tmp_path}/panel"
    yield emulator, tmp_path
    emulator.process.kill()
    emulator.process.communicate()


def test_boards_are_logged_and_the_controller_may_come_and_go(started: tuple[Emulator, Path]) -> None:
    emulator, place = started
    assert emulator.order("state") == "null"
    for times, first_board in ((1, 1), (2, 1000)):
        controller = Controller(f"{place}/panel", first_board)
        controller.until(has_logged(place, times))
        controller.wire.close()
    assert [board["board"] for board in boards(place / "log")] == [1, 1000]
    board = boards(place / "log")[-1]
    assert (board["table"], board["lang"], board["sim"]) == ("Mini 7", "th", True)
    assert board["limits"] == [{"id": "tie", "min": "100", "max": "5000", "odds": "8:1"}]
    assert board["road"] == {"shoe": "3", "n": "1", "codes": "B6"}
    assert board["notice"] == {"level": "info", "text": "สวัสดี"}
    assert board["coup"] == {
        "shoe": "3",
        "coup": "4",
        "phase": "dealing",
        "p": "TS,4C",
        "b": "",
        "pt": "4",
        "next": "none",
    }


def test_orders(started: tuple[Emulator, Path]) -> None:
    emulator, place = started
    assert emulator.order("key close").startswith("error no board")
    assert emulator.order("jump").startswith("error unknown order 'jump'; there are key NAME")
    controller = Controller(f"{place}/panel")
    controller.until(has_logged(place, 1))
    assert json.loads(emulator.order("state"))["board"] == 1
    assert emulator.order("key close") == "ok"
    controller.until(lambda: KeyPressed("close", 1, current=True) in controller.reports)
    assert emulator.order("restart") == "ok"
    controller.until(has_logged(place, 2))
    assert emulator.order("unplug 50") == "ok"
    controller.until(has_logged(place, 3))
    assert emulator.order("quit") == "ok"
    assert emulator.ends() == (0, "")
    assert not (place / "panel").is_symlink()
    assert not (place / "control").exists()
    controller.wire.close()


def test_orders_on_the_control_socket(started: tuple[Emulator, Path]) -> None:
    emulator, place = started
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(place / "control"))
        caller.sendall(b"sta")
        caller.sendall(b"te\nrestart\nnonsense\n")
        with caller.makefile() as answers:
            assert [answers.readline()[:5].strip() for _ in range(3)] == ["null", "ok", "error"]
            caller.sendall(b"quit\n")
            assert answers.readline() == "ok\n"
    assert emulator.ends() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(started: tuple[Emulator, Path], number: signal.Signals) -> None:
    emulator, place = started
    emulator.process.send_signal(number)
    assert emulator.ends() == (0, "")
    assert not (place / "panel").is_symlink()


def test_the_end_of_the_standard_input_is_no_order(started: tuple[Emulator, Path]) -> None:
    emulator, place = started
    assert emulator.process.stdin is not None
    emulator.process.stdin.close()
    emulator.process.stdin = None
    controller = Controller(f"{place}/panel")
    controller.until(has_logged(place, 1))
    controller.wire.close()
    assert emulator.process.poll() is None


def test_it_listens_on_tcp_too() -> None:
    emulator = Emulator("--listen", "tcp:0")
    ready = emulator.line()
    assert ready.startswith("listening on tcp:127.0.0.1:")
    controller = Controller(f"socket://127.0.0.1:{ready.rpartition(':')[2]}")
    controller.until(lambda: controller.display.shown_board == 1 and controller.display.is_up())
    controller.wire.close()
    emulator.order("quit")
    assert emulator.ends() == (0, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--listen", "nowhere"], "cannot listen there"),
        (["--listen", "pty:/nonexistent/panel"], "choose another path"),
        (["--listen", "tcp:0", "--log", "/nonexistent/log"], "choose another file"),
        (["--listen", "tcp:0", "--control", "/nonexistent/control"], "choose another path"),
        (["--listen", "tcp:0", "--baud", "0"], "0 is no line speed"),
    ],
)
def test_what_cannot_be_had_is_one_line_and_exit_code_2(arguments: list[str], says: str) -> None:
    code, errors = Emulator(*arguments).ends()
    assert code == 2
    assert says in errors.splitlines()[-1]
    assert "Traceback" not in errors


def test_help_shows_an_example() -> None:
    emulator = Emulator("--help")
    output, _ = emulator.process.communicate(timeout=PATIENCE_S)
    assert emulator.process.returncode == 0
    assert "Example: tools/panel_emulator --listen" in " ".join(output.split())

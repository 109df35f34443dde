"""The shoe emulator as a program: orders in, a coup out of a terminal or a TCP port, read by the real driver."""

import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from drivers.contracts import CardDrawn, CutCard, LinkDown, LinkUp, OwnResult, Report, ReportLost, ShoeStart
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.wires import wire_for

ROOT = Path(__file__).parents[2]
SIX_CARDS = ["2H", "3C", "2S", "KD", "4D", "AC"]
PATIENCE_S = 20
COMMAND = [sys.executable, "-m", "tools.shoe_emulator_program"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

Start = Callable[..., "Emulated"]


class Emulated:
    """One running emulator and where it listens."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        self.place = self.line().removeprefix("listening on ")

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().rstrip("\n")

    def order(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.line()

    def ended(self) -> tuple[int, str]:
        """Exit code and everything on stderr."""
        assert self.process.stderr is not None
        return self.process.wait(PATIENCE_S), self.process.stderr.read()

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@pytest.fixture
def start() -> Iterator[Start]:
    running: list[Emulated] = []

    def begin(*options: str) -> Emulated:
        running.append(Emulated(*options))
        return running[-1]

    yield begin
    for one in running:
        one.stop()


@pytest.fixture
def cards(tmp_path: Path) -> str:
    path = tmp_path / "cards"
    path.write_text("\n".join(SIX_CARDS) + "\n")
    return str(path)


class Listener:
    """The controller's side: the real driver on a real port."""

    def __init__(self, url: str) -> None:
        self.shoe = AngelEyeShoe(wire_for(url, 4800))
        self.shoe.wire.open(now_ms())

    def hears(self, enough: Callable[[list[Report]], bool]) -> list[Report]:
        """Reports until there are enough; waits on the port, not on the clock."""
        reports: list[Report] = []
        give_up_ms = now_ms() + PATIENCE_S * 1_000
        while not enough(reports):
            assert now_ms() < give_up_ms, reports
            with selectors.DefaultSelector() as selector:
                fileno = self.shoe.wire.fileno()
                if fileno is not None:
                    selector.register(fileno, selectors.EVENT_READ)
                selector.select(0.05)
            reports += [heard.report for heard in self.shoe.poll(now_ms())]
        return reports

    def close(self) -> None:
        self.shoe.wire.close()


@pytest.fixture
def hear() -> Iterator[Callable[[str], Listener]]:
    open_now: list[Listener] = []

    def begin(url: str) -> Listener:
        open_now.append(Listener(url))
        return open_now[-1]

    yield begin
    for one in open_now:
        one.close()


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def has(kind: type, count: int = 1) -> Callable[[list[Report]], bool]:
    return lambda reports: sum(isinstance(report, kind) for report in reports) >= count


def url_of(place: str) -> str:
    return place.replace("tcp:", "socket://") if place.startswith("tcp:") else place


@pytest.fixture(params=["pty", "tcp"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"pty:{tmp_path / 'shoe'}" if request.param == "pty" else "tcp:0"


def test_a_coup_is_ordered_on_stdin_and_read_by_the_driver(
    start: Start, hear: Callable[[str], Listener], where: str, cards: str
) -> None:
    emulated = start("--listen", where, "--cards", cards, "--burn", "none", "--copy-gap-ms", "2")
    table = hear(url_of(emulated.place))
    assert emulated.order("coup") == "ok"
    reports = table.hears(has(OwnResult))
    assert [report.card for report in reports if isinstance(report, CardDrawn)] == SIX_CARDS
    assert reports[-1] == OwnResult("player", "player")
    assert emulated.order("coup") == "error the shoe is empty; 'shoe' puts in the next one"
    assert emulated.order("quit") == "ok"
    assert emulated.ended() == (0, "")


def test_the_controller_may_go_and_come_back(
    start: Start, hear: Callable[[str], Listener], where: str, cards: str
) -> None:
    emulated = start("--listen", where, "--cards", cards, "--burn", "none", "--copy-gap-ms", "2")
    first = hear(url_of(emulated.place))
    assert emulated.order("draw") == "ok"
    assert first.hears(has(CardDrawn)) == [CardDrawn("player", 1, "2H")]
    first.close()
    second = hear(url_of(emulated.place))
    assert emulated.order("draw") == "ok"
    assert CardDrawn("banker", 1, "3C") in second.hears(lambda reports: CardDrawn("banker", 1, "3C") in reports)


def test_fault_1_unplugged_by_order_it_comes_back_by_itself(
    start: Start, hear: Callable[[str], Listener], where: str, cards: str
) -> None:
    emulated = start("--listen", where, "--cards", cards, "--burn", "none", "--copy-gap-ms", "2")
    table = hear(url_of(emulated.place))
    assert emulated.order("draw") == "ok"
    table.hears(has(CardDrawn))
    assert emulated.order("unplug 100") == "ok"
    assert isinstance(table.hears(has(LinkDown))[-1], LinkDown)
    assert isinstance(table.hears(has(LinkUp))[-1], LinkUp)
    assert emulated.order("draw") == "ok"
    assert table.hears(has(CardDrawn)) == [CardDrawn("banker", 1, "3C")]


def test_faults_2_and_3_the_cable_is_out_right_after_the_last_byte_and_the_card_is_kept(
    start: Start, hear: Callable[[str], Listener], where: str, cards: str, tmp_path: Path
) -> None:
    faults = tmp_path / "faults"
    faults.write_text('{"card": 2, "do": "unplug 100"}\n')
    emulated = start(
        "--listen", where, "--cards", cards, "--faults", str(faults), "--burn", "none", "--copy-gap-ms", "2"
    )
    table = hear(url_of(emulated.place))
    assert emulated.order("draw 2") == "ok"
    *drawn, down, up = table.hears(has(LinkUp))
    assert drawn == [CardDrawn("player", 1, "2H"), CardDrawn("banker", 1, "3C")]
    assert (type(down), type(up)) == (LinkDown, LinkUp)


def asked(path: Path, data: bytes) -> bytes:
    """Send to the control socket, and read until it has answered everything and we have hung up."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE_S)
        client.connect(str(path))
        client.sendall(data)
        answers = b""
        while answers.count(b"\n") < data.count(b"\n"):
            answers += client.recv(4_096)
        return answers


def test_orders_come_by_a_control_socket_too_and_the_end_of_stdin_ends_nothing(
    start: Start, hear: Callable[[str], Listener], tmp_path: Path, cards: str
) -> None:
    control = tmp_path / "control"
    emulated = start("--listen", "tcp:0", "--control", str(control), "--cards", cards, "--burn", "none")
    assert emulated.process.stdin is not None
    emulated.process.stdin.close()
    assert control.stat().st_mode & 0o777 == 0o600
    assert asked(control, b"draw\ndeal\n").startswith(b"ok\nerror unknown order 'deal'")
    assert asked(control, b"\xff\x00\x1b[2J\n").isascii()
    assert asked(control, b"x" * 1_000_000 + b"\ndraw\n").endswith(b"\nok\n")
    table = hear(url_of(emulated.place))
    assert table.hears(has(CardDrawn, 2)) == [CardDrawn("player", 1, "2H"), CardDrawn("banker", 1, "3C")]
    assert asked(control, b"quit\n") == b"ok\n"
    assert emulated.ended() == (0, "")
    assert not control.exists()


def test_a_second_emulator_does_not_take_over_the_control_socket_but_a_dead_one_leaves_it(
    start: Start, tmp_path: Path
) -> None:
    control = tmp_path / "control"
    first = start("--listen", "tcp:0", "--control", str(control))
    second = start("--listen", "tcp:0", "--control", str(control))
    assert second.ended()[0] == 2
    first.process.kill()
    first.ended()
    third = start("--listen", "tcp:0", "--control", str(control))
    assert asked(control, b"power\n") == b"ok\n"
    third.process.terminate()
    assert third.ended() == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_quietly(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    link = tmp_path / "shoe"
    emulated = start("--listen", f"pty:{link}")
    assert link.is_symlink()
    emulated.process.send_signal(number)
    assert emulated.ended() == (0, "")
    assert not link.is_symlink()


def test_it_deals_by_itself_shoe_after_shoe(start: Start, hear: Callable[[str], Listener], where: str) -> None:
    emulated = start(
        *("--listen", where, "--auto", "--pace-ms", "1", "--copy-gap-ms", "0", "--decks", "1", "--seed", "3")
    )
    table = hear(url_of(emulated.place))
    reports = table.hears(has(ShoeStart, 4))
    assert not any(isinstance(report, ReportLost) for report in reports)
    starts = [at for at, report in enumerate(reports) if isinstance(report, ShoeStart)]
    for begin, end in pairwise(starts):
        shoe = reports[begin + 1 : end]
        assert isinstance(shoe[0], CardDrawn)
        assert shoe[0].target == "first"
        assert sum(isinstance(report, CutCard) for report in shoe) == 1
        after_cut = shoe[shoe.index(CutCard()) :]
        before_cut = shoe[shoe.index(CutCard()) - 1]
        assert sum(isinstance(report, OwnResult) for report in after_cut) == (
            1 if isinstance(before_cut, OwnResult) else 2
        )


def test_it_does_nothing_while_there_is_nothing_to_do(start: Start, tmp_path: Path) -> None:
    """No busy waiting: the processor time of an idle emulator does not grow with orders that are far apart."""
    emulated = start("--listen", f"pty:{tmp_path / 'shoe'}")
    before = Path(f"/proc/{emulated.process.pid}/stat").read_text().split()[13:15]
    with pytest.raises(subprocess.TimeoutExpired):
        emulated.process.wait(0.5)
    after = Path(f"/proc/{emulated.process.pid}/stat").read_text().split()[13:15]
    assert sum(map(int, after)) - sum(map(int, before)) <= 2  # of about 50 ticks in half a second


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "--listen"),
        (["--listen", "usb:1"], "write pty:PATH or tcp:PORT"),
        (["--listen", "tcp:0", "--copy-gap-ms", "-1"], "--copy-gap-ms"),
        (["--listen", "tcp:0", "--decks", "٨"], "--decks"),
        (["--listen", "tcp:0", "--burn", "some"], "--burn: 'some' is no rule"),
        (["--listen", "tcp:0", "--burn", "fixed:11"], "--burn: a burn of 11 cards"),
        (["--listen", "tcp:0", "--cards", "/nowhere"], "/nowhere: No such file"),
        (["--listen", "tcp:0", "--cards", "/dev/zero"], "more than 1048576 bytes"),
        (["--listen", "tcp:0", "--cards", "/dev/null"], "no card in it"),
        (["--listen", "tcp:0", "--faults", "/nowhere"], "/nowhere: No such file"),
        (["--listen", "tcp:0", "--control", "/nowhere/control"], "/nowhere/control: No such file"),
        (["--listen", "tcp:0", "--bogus"], "--bogus"),
        (["--listen", "tcp:0", "--bogus\x1b[2J\n"], "--bogus"),
    ],
)
def test_what_cannot_run_says_so_in_one_line(options: list[str], says: str) -> None:
    ran = subprocess.run(
        [*COMMAND, *options], capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE_S, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert says in ran.stderr
    assert ran.stderr.rstrip("\n").isprintable()


@pytest.mark.parametrize(
    ("option", "text", "says"),
    [
        ("--cards", "AS\n10H\n", ":2: '10H' is no card"),
        ("--cards", "AS\n\x1b[2J\n", ":2: '\\x1b[2J' is no card"),
        ("--faults", '{"card": 1, "do": "power"}\n{"card": 2}\n', ": line 2: "),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, option: str, text: str, says: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    ran = subprocess.run(
        [*COMMAND, "--listen", "tcp:0", option, str(path)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert f"{path}{says}" in ran.stderr


def test_help_shows_an_example() -> None:
    ran = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert "tools/shoe_emulator --listen pty:/tmp/shoe" in ran.stdout

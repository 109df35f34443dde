"""The demonstration as somebody runs it: a shoe from power to a verified journal, and nothing left behind."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import tempfile
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parents[2]
DEMO = str(ROOT / "tools" / "demo")
PATIENCE_S = 60
COUP = re.compile(r"coup +[0-9]+  Player [0-9A-Z ]+ [0-9]  Banker [0-9A-Z ]+ [0-9]  (player|banker|tie)")


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A temporary folder of its own, in which nothing is left, and by which its programs are known."""
    folder = tmp_path / "t"
    folder.mkdir()
    yield {**os.environ, "TMPDIR": str(folder), "TERM": "xterm-256color"}
    assert list(folder.iterdir()) == []
    assert programs_in(folder) == {}


def programs_in(folder: Path) -> dict[str, int]:
    """The programs that run with this temporary folder: command line and process id."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found[(process / "cmdline").read_text().replace("\0", " ")] = int(process.name)
        except OSError:
            continue  # gone meanwhile
    return found


def demo(environment: dict[str, str], *options: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DEMO, *options], capture_output=True, text=True, env=environment, cwd=cwd, timeout=PATIENCE_S, check=False
    )


class Running:
    """A demonstration under way, up to the line of its first coup."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [DEMO, "--plain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        assert any(line.startswith("coup   1 ") for line in self.process.stdout)

    def ended(self) -> tuple[int, str]:
        """Exit code and stderr."""
        _, stderr = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, stderr


@pytest.mark.parametrize("wire", ["pty", "tcp"])
def test_three_coups_a_line_each_and_a_verified_journal(environment: dict[str, str], wire: str, tmp_path: Path) -> None:
    ran = demo(environment, "--plain", "--coups", "3", "--wire", wire, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("SIMULATION: emulated shoe and panel")
    assert [bool(COUP.match(line)) for line in lines].count(True) == 3
    assert all(len(line) <= 80 for line in lines)
    assert ran.stdout.count("by eye, the shoe's error cleared, resumed") == 1  # one card, without being asked
    assert "shoe ended: 3 coups:" in ran.stdout
    assert re.search(r"^journal verified: .* 3 coups$", ran.stdout, re.MULTILINE)
    assert lines[-1].startswith("took ")


@pytest.mark.parametrize("length", [72, 73])
def test_a_deep_temporary_folder(length: int) -> None:
    """A local socket's path has at most 107 bytes: what does not fit there is put into /tmp."""
    with tempfile.TemporaryDirectory(prefix="punto-test-", dir="/tmp") as parent:
        folder = Path(parent) / ("t" * (length - len(parent) - 1))
        folder.mkdir()
        ran = demo({**os.environ, "TMPDIR": str(folder)}, "--plain", "--coups", "1", "--misread", "0")
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("card", "says", "holds"),
    [
        (15, "entered 7S for banker-2 by eye", "1 hold"),
        (9, "of the burn, nothing to enter", "1 hold"),
        (1, "of the burn, nothing to enter", "3 holds"),
    ],
    ids=["last-of-a-coup", "burn", "first-card"],
)
def test_a_card_that_cannot_be_read(environment: dict[str, str], card: int, says: str, holds: str) -> None:
    """The first card of this shoe is a king: ten are burned, and the first coup is cards 12 to 15."""
    ran = demo(environment, "--plain", "--coups", "1", "--seed", "7", "--misread", str(card))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"card {card}: {says}, the shoe's error cleared, resumed" in ran.stdout.splitlines()
    assert "coup   1  Player TH 6C    6  Banker KC 7S    7  banker" in ran.stdout
    assert f"\n15 of 416 cards, burn included; {holds}\n" in ran.stdout


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_the_middle_ends_everything(environment: dict[str, str], number: signal.Signals, code: int) -> None:
    running = Running(environment)
    assert len(programs_in(Path(environment["TMPDIR"]))) == 4
    running.process.send_signal(number)
    assert running.ended() == (code, f"demo: stopped by {number.name}\n")


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("shoe_emulator", "the emulated shoe"),
        ("controller run", "punto run"),
    ],
)
def test_a_program_that_dies_ends_everything(environment: dict[str, str], program: str, name: str) -> None:
    running = Running(environment)
    (victim,) = (pid for line, pid in programs_in(Path(environment["TMPDIR"])).items() if program in line)
    os.kill(victim, signal.SIGKILL)
    code, stderr = running.ended()
    assert (code, stderr.count("\n")) == (1, 1)
    assert stderr.startswith(f"demo: {name} was ended by signal 9")


def test_nobody_reads_on(environment: dict[str, str]) -> None:
    running = Running(environment)
    assert running.process.stdout is not None
    running.process.stdout.close()
    running.process.stdout = None
    assert running.ended() == (1, "demo: nobody reads the output any more\n")


def test_on_a_terminal_the_panel_is_seen_and_the_terminal_given_back(
    environment: dict[str, str], tmp_path: Path
) -> None:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(slave)
    picture = tmp_path / "picture of a run.svg"
    process = subprocess.Popen(
        [DEMO, "--coups", "1", "--misread", "0", "--picture", str(picture)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "LC_ALL": "C.UTF-8"},
    )
    seen = b""
    while b"took " not in seen:
        seen += os.read(master, 64 * 1024)
    assert process.wait(PATIENCE_S) == 0
    assert termios.tcgetattr(slave) == before
    os.close(slave)
    os.close(master)
    entered, left = seen.index(b"\x1b[?1049h"), seen.index(b"\x1b[?1049l")
    drawn = seen[entered:left].decode()
    for words in ("SIMULATION", "Player", "Bead plate (1)", "on the wires", "shoe    < ", "display > COUP "):
        assert words in drawn
    assert seen.rindex(b"\x1b[?25h") > seen.rindex(b"\x1b[?25l")
    assert "Bead plate" in picture.read_text(encoding="utf-8").replace("&#160;", " ")


def test_a_terminal_that_cannot_draw_gets_lines(environment: dict[str, str]) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [DEMO, "--coups", "1", "--misread", "0"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "TERM": "dumb"},
    )
    seen = b""
    while b"took " not in seen:
        seen += os.read(master, 64 * 1024)
    assert process.wait(PATIENCE_S) == 0
    os.close(slave)
    os.close(master)
    assert b"\x1b" not in seen
    assert b"coup   1  Player" in seen


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--bogus"], "--bogus"),
        (["table"], "table"),
        (["--coups", "0"], "'0' is no whole number from 1 to 200"),
        (["--misread", "417"], "'417' is no whole number from 0 to 416"),
        (["--seed", "x\x1b[2J"], "--seed"),
        (["--wire", "usb"], "--wire"),
        (["--picture", "/nowhere/x.svg"], "/nowhere/x.svg"),
    ],
)
def test_what_cannot_run_says_so_in_one_line(environment: dict[str, str], options: list[str], says: str) -> None:
    ran = demo(environment, *options)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert says in ran.stderr
    assert ran.stderr.rstrip("\n").isprintable()

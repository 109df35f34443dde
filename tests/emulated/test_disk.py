"""A disk that fills, or fails: the table is held, nothing is shown that is not on disk, and nothing is lost after."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from controller.host import self_check
from controller.host.client import Client
from controller.host.journal import Journal
from controller.host.journal_file import PAGE
from controller.host.self_check import LEAST_FREE
from drivers.contracts import CardDrawn
from tests.emulated.program import punto, until
from tests.emulated.rig import FOUR_CARDS, ROOT, SIX_CARDS, Begin, Rig
from tests.emulated.spoiling import (
    FULL,
    a_log_that_takes_nothing,
    disk_that_fills,
    every_journal_is_large,
    forget_a_guard,
)

pytestmark = pytest.mark.untraced


@pytest.fixture
def full(tmp_path: Path) -> Path:
    return tmp_path / "full"


@pytest.fixture
def rig(begin: Begin, full: Path) -> Rig:
    rig = begin()
    rig.launch(before=disk_that_fills, environment={FULL: str(full)})
    rig.ready()
    rig.begins_shoe()
    return rig


def holds_for_the_disk(rig: Rig) -> None:
    until(lambda: (rig.state()["held"] or {}).get("reason") == "disk")


def test_cards_that_cannot_be_written_wait_and_are_dealt_after_the_resume(rig: Rig, full: Path) -> None:
    """Fault 54."""
    rig.does("close-bets")
    rig.shoe.draws(1)
    rig.panel.shows(phase="dealing", p="2H")
    full.touch()
    rig.shoe.draws(2)
    holds_for_the_disk(rig)
    rig.panel.shows_notice("hold", "One moment, please")
    until(lambda: rig.state()["held"]["waiting"] == 2)
    assert rig.panel.shows(phase="held").coup["p"] == "2H"
    assert rig.state()["player"] == ["2H"]
    assert rig.refuses("void") == "held"
    assert rig.refuses("resume") == "not-yet"
    full.unlink()
    rig.does("resume")
    assert rig.state()["player"] == ["2H", "2S"]
    assert [event for (event,) in rig.rows("SELECT kind FROM events ORDER BY seq DESC LIMIT 3")][-1] == "TableResumed"
    rig.shoe.does("coup")
    rig.sees("CoupSettled", coup=1)
    rig.does("confirm")
    assert rig.recorded("CardDealt") == 6
    assert rig.stop().code == 0
    rig.verifies()


def test_an_order_that_cannot_be_written_was_not_carried_out(rig: Rig, full: Path) -> None:
    full.touch()
    assert rig.refuses("bet", seat=1, wager="player", stake=10000) == "disk"
    assert rig.state()["held"]["reason"] == "disk"
    assert rig.refuses("close-bets") == "held"
    full.unlink()
    rig.does("resume")
    state = rig.state()
    assert (state["phase"], state["bets"]) == ("betting", [])
    rig.bets(1, "player", 10000)


@pytest.mark.parametrize("fits", range(5))
def test_a_disk_that_fills_again_while_what_waited_is_written(rig: Rig, full: Path, fits: int) -> None:
    """Fault 54: at every record."""
    rig.does("close-bets")
    full.touch()
    rig.shoe.draws(4)
    until(lambda: (rig.state()["held"] or {}).get("waiting") == 4)
    full.write_text(str(fits))
    assert rig.refuses("resume") == "not-yet"
    full.unlink()
    until(lambda: rig.ask("resume")["ok"] or rig.state()["held"] is None)
    until(lambda: rig.state()["held"] is None or rig.ask("resume")["ok"])
    assert rig.state()["player"] == ["2H", "2S"]
    assert rig.recorded("CardDealt") == 4
    assert rig.stop().code == 0
    rig.verifies()


def test_asked_to_end_with_a_full_disk_it_ends_with_what_is_on_disk(rig: Rig, full: Path) -> None:
    rig.deals(1)
    full.touch()
    rig.shoe.draws(2)
    until(lambda: (rig.state()["held"] or {}).get("waiting") == 2)
    assert rig.stop().code == 0
    full.unlink()
    rig.launch()
    assert rig.ready() == "dealing"
    rig.shoe.draws()
    assert "number 4 came, 2 was due" in rig.held("report-lost")
    rig.verifies()


def test_a_start_on_a_full_disk_is_held_until_there_is_space(rig: Rig, full: Path) -> None:
    rig.deals(1)
    assert rig.stop().code == 0
    full.touch()
    rig.launch(before=disk_that_fills, environment={FULL: str(full)})
    assert rig.ready() == "held"
    assert rig.state()["held"]["reason"] == "disk"
    assert rig.refuses("resume") == "not-yet"
    full.unlink()
    rig.does("resume")
    assert rig.state()["phase"] == "dealing"
    assert rig.state()["player"] == ["2H"]
    assert rig.stop().code == 0
    rig.verifies()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 KiB, which only root can make."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "none", folder], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("no right to mount a disk")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_real_disk_that_is_full(begin: Begin, small_disk: Path) -> None:
    """Fault 54, with the kernel's own ENOSPC."""
    rig = begin(FOUR_CARDS * 6)
    rig.journal = small_disk / "journal"
    rig.start()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            os.write(file.fileno(), b"x" * 4096)
    for _ in range(400):
        answer = rig.ask("open-bets")
        if answer["refused"] != "not-now":
            break
    assert answer["refused"] in ("disk", "held")
    holds_for_the_disk(rig)
    rig.panel.shows(phase="held")
    for number, card in enumerate(SIX_CARDS[:2]):
        rig.shoe.says(CardDrawn(("player", "banker")[number], 1, card))
    until(lambda: rig.state()["held"]["waiting"] == 2)
    assert rig.refuses("resume") == "not-yet"
    filler.unlink()
    rig.does("resume")
    assert rig.held("pre-close-card")
    rig.does("resume")
    state = rig.state()
    assert (state["player"], state["banker"]) == (["2H"], ["3C"])
    assert state["bets"] == [{"seat": 1, "wager": "player", "stake": 10000}]
    assert rig.stop().code == 0
    rig.verifies()


def test_a_disk_without_room_for_an_index_is_not_called_a_damaged_journal(begin: Begin, small_disk: Path) -> None:
    """SQLite says "disk I/O error" then; the journal is whole, and no copy is to take its place."""
    rig = begin()
    rig.journal = small_disk / "journal"
    rig.start()
    assert rig.stop().code == 0
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            os.write(file.fileno(), b"x" * 4096)
    rig.launch()
    for ended in (rig.program.wait(), punto(rig.folder, "journal", "verify", rig.journal)):
        assert ended.code == 2
        assert "no space is left beside it" in ended.complaint
        assert "restore" not in ended.complaint
    filler.unlink()
    rig.launch()
    rig.ready()
    rig.verifies()


def test_a_log_that_takes_no_more_lines_stops_no_table(begin: Begin) -> None:
    """Fault 54: what is told on stderr may go to the very disk that is full."""
    rig = begin()
    rig.launch(before=a_log_that_takes_nothing)
    until(rig.control.exists)
    rig.connects()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    rig.shoe.says(CardDrawn("player", 1, "2H"))
    assert rig.held("pre-close-card")
    assert rig.stop().code == 0
    rig.verifies()


def test_a_fault_of_our_own_stops_the_dealing_and_keeps_the_record(begin: Begin) -> None:
    """Fault 45: one line, exit code 1, and a restart has the journal's state."""
    rig = begin()
    rig.launch(before=forget_a_guard)
    rig.ready()
    with pytest.raises(Exception, match=r"closed the connection|went away"):
        rig.ask("start-shoe")
    ended = rig.program.wait()
    assert ended.code == 1
    (said,) = [line for line in ended.err.splitlines() if line.startswith("punto stopped: ")]
    assert "AssertionError a place that holds" in said
    rig.launch()
    assert rig.ready() == "no-shoe"
    rig.verifies()


# A slow disk, a failing one, and what is looked at before a start.

STRACE = shutil.which("strace")


class Traced:
    """The program under strace, which spoils its calls to the disk. It dies with the test."""

    def __init__(self, rig: Rig, inject: str, at: Path | None) -> None:
        self._rig = rig
        command = [str(STRACE), "-f", "-qq", "-o", str(rig.folder / "strace"), "-e", f"inject={inject}"]
        command += [] if at is None else ["-P", str(at)]
        command += [sys.executable, "-m", "controller", *map(str, rig.words())]
        self._err = rig.folder / "traced.err"
        with self._err.open("wb") as err:
            self._process = subprocess.Popen(command, stderr=err, stdout=err, cwd=ROOT)
        until(lambda: b"ready " in self.said or self._process.poll() is not None, 60)
        if b"ready " not in self.said and b"ptrace" in self.said:
            pytest.skip("strace may not trace here")
        assert b"ready " in self.said, self.said
        rig._client = Client(rig.control, 60)

    @property
    def said(self) -> bytes:
        return self._err.read_bytes()

    def ends(self) -> None:
        """Its own end, by its own hand: the tracer follows."""
        self._rig._hang_up()
        if self._process.poll() is None:
            child = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
            os.kill(int(child[0]), signal.SIGTERM)
            self._process.wait(60)


Trace = Callable[..., Traced]
"""Start a table whose calls are spoiled; `at` only those to this file."""


@pytest.fixture
def traced(begin: Begin) -> Iterator[Trace]:
    if STRACE is None:
        pytest.skip("strace makes the disk fail")
    running: list[Traced] = []

    def start(rig: Rig, inject: str, at: Path | None = None) -> Traced:
        running.append(Traced(rig, inject, at))
        return running[-1]

    yield start
    for each in running:
        each.ends()


def test_a_failed_fsync_stops_all_writing_until_a_new_start(begin: Begin, traced: Trace) -> None:
    """Fault 56: after a failed fsync the kernel may call the next one good although data is lost."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    assert rig.stop().code == 0
    program = traced(rig, "fsync,fdatasync:error=EIO:when=30+")
    drawn = 0
    while rig.state()["held"] is None and drawn < 4:
        rig.shoe.draws(1)
        drawn += 1
        until(lambda: rig.state()["held"] or rig.recorded("CardDealt") == drawn)  # noqa: B023 (called at once)
        for _ in range(10):
            rig.ask("confirm")
    state = rig.state()
    assert state["held"]["reason"] == "disk"
    assert "start again" in state["held"]["text"]
    rig.panel.shows_notice("hold", "One moment, please")
    for _ in range(3):
        assert rig.refuses("resume") == "not-yet"
    written = rig.rows("SELECT count(*) FROM inputs")
    rig.shoe.draws(1)
    until(lambda: rig.state()["held"]["waiting"] > state["held"]["waiting"])
    assert rig.rows("SELECT count(*) FROM inputs") == written
    program.ends()
    rig.launch()
    rig.ready()
    assert len(rig.state()["player"] + rig.state()["banker"]) <= drawn
    rig.verifies()


def test_a_slow_disk_slows_the_dealing_and_is_said_once(begin: Begin, traced: Trace) -> None:
    """Fault 60: dealing goes on, one line warns, no time-out follows from it."""
    rig = begin().start()
    rig.begins_shoe()
    rig.does("close-bets")
    assert rig.stop().code == 0
    program = traced(rig, "fdatasync:delay_enter=1100000:when=3..5", at=rig.journal.with_name("journal-wal"))
    rig.shoe.draws(2)
    rig.cards_out(2)
    state = rig.state()
    assert (state["player"], state["banker"], state["held"]) == (["2H"], ["3C"], None)
    assert program.said.count(b"check the disk") == 1
    rig.panel.shows(phase="dealing", p="2H", b="3C")
    until(lambda: rig.state()["links"] == {"shoe": "up", "display": "up"}, 30)
    assert rig.recorded("TableHeld") == 0
    assert rig.rows("SELECT count(*) FROM events WHERE kind = 'LinkWentDown'")[0][0] <= 1
    program.ends()
    rig.verifies()


@pytest.mark.parametrize("error", ["EROFS", "EDQUOT", "EIO"])
def test_a_disk_that_takes_nothing_for_a_while_is_resumed_by_order(begin: Begin, traced: Trace, error: str) -> None:
    """Fault 59, as the kernel says it once a disk was remounted: no write was reported as done that was not."""
    rig = begin().start()
    rig.begins_shoe()
    assert rig.stop().code == 0
    program = traced(rig, f"pwrite64:error={error}:when=20..32", at=rig.journal.with_name("journal-wal"))
    for number in range(60):
        if rig.state()["held"]:
            break
        rig.ask("bet", seat=1 + number % 7, wager="player", stake=10000)
    assert rig.state()["held"]["reason"] == "disk"
    rig.panel.shows(phase="held")
    bets, last = rig.state()["bets"], rig.state()["seq"]
    assert rig.refuses("resume") == "not-yet"
    assert rig.state()["seq"] == last
    until(lambda: rig.ask("resume")["ok"])
    assert (rig.state()["phase"], rig.state()["bets"]) == ("betting", bets)
    rig.bets(1, "banker", 10000)
    program.ends()
    rig.launch()
    rig.ready()
    assert len(rig.state()["bets"]) == len(bets) + 1
    rig.verifies()


def test_a_failed_fsync_of_the_file_that_the_log_goes_into_stops_all_writing(begin: Begin, traced: Trace) -> None:
    """Fault 56: SQLite by itself would say nothing of it and try again. What was told of before stands in the log."""
    rig = begin().start()
    rig.begins_shoe()
    assert rig.stop().code == 0
    program = traced(rig, "fdatasync,fsync:error=EIO", at=rig.journal)
    for _ in range(400):
        if rig.state()["held"]:
            break
        rig.ask("open-bets")
    state = rig.state()
    assert state["held"]["reason"] == "disk"
    assert "start again" in state["held"]["text"]
    assert rig.refuses("resume") == "not-yet"
    program.ends()
    rig.launch()
    rig.ready()
    assert rig.state()["seq"] >= state["seq"]
    rig.verifies()


def test_a_nearly_full_disk_is_said_and_one_without_room_holds(begin: Begin, small_disk: Path) -> None:
    rig = begin()
    rig.journal = small_disk / "journal"
    rig.start()
    assert "KiB are left on its disk: free some space" in rig.program.err
    rig.begins_shoe()
    assert rig.stop().code == 0
    filler = small_disk / "filler"
    room = os.statvfs(small_disk)
    filler.write_bytes(b"x" * (room.f_bavail * room.f_frsize - LEAST_FREE + 4096))
    rig.launch()
    assert rig.ready() == "held"
    assert rig.state()["held"]["reason"] == "disk"
    filler.unlink()
    rig.does("resume")
    assert rig.state()["phase"] == "betting"
    rig.verifies()


def damage(rig: Rig, table: str) -> bytes:
    """The first page of a table is overwritten; the whole file as it then is."""
    ((page,),) = rig.rows(f"SELECT rootpage FROM sqlite_schema WHERE name = '{table}'")
    content = bytearray(rig.journal.read_bytes())
    content[PAGE * (page - 1) : PAGE * page] = b"\xff" * PAGE
    rig.journal.write_bytes(content)
    return bytes(content)


@pytest.mark.parametrize("table", ["inputs", "events", "cards", "configurations", "trace"])
def test_a_damaged_page_is_tilt_and_nothing_is_written(begin: Begin, table: str) -> None:
    rig = begin().start()
    rig.begins_shoe()
    rig.deals(2)
    assert rig.stop().code == 0
    content = damage(rig, table)
    rig.launch()
    assert rig.ready() == "tilt"
    (said,) = [line for line in rig.program.err.splitlines() if line.startswith("tilt: ")]
    assert f"punto journal verify {rig.journal} says more" in said
    rig.panel.shows_notice("tilt", "Table closed")
    assert rig.refuses("start-shoe") == "tilt"
    rig.stop()
    assert rig.journal.read_bytes() == content


def test_a_journal_that_cannot_even_say_whose_it_is_is_refused(begin: Begin) -> None:
    rig = begin().start()
    assert rig.stop().code == 0
    content = damage(rig, "about")
    rig.launch()
    ended = rig.program.wait()
    assert ended.code == 2
    assert "malformed" in ended.complaint
    assert f"punto journal verify {rig.journal} says more" in ended.complaint
    assert rig.journal.read_bytes() == content


def test_a_write_that_was_cut_off_is_left_out_and_said(begin: Begin) -> None:
    """Fault 57: a frame of the write-ahead log without its end."""
    rig = begin().start()
    rig.begins_shoe()
    rig.bets(1, "player", 10000)
    rig.kill()
    log = rig.journal.with_name("journal-wal")
    whole = log.read_bytes()
    page = int.from_bytes(whole[8:12], "big")
    frame = bytearray(24 + page)
    frame[:4], frame[8:16] = (1).to_bytes(4, "big"), whole[16:24]
    log.write_bytes(whole + bytes(frame[:1000]))
    rig.launch()
    assert rig.ready() == "betting"
    assert "the last write was cut off, its 1000 bytes are left out" in rig.program.err
    assert rig.state()["bets"] == [{"seat": 1, "wager": "player", "stake": 10000}]
    rig.verifies()


def test_a_log_whose_frames_are_all_whole_is_not_called_torn(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    for _ in range(3):
        rig.restart()
        rig.bets(1, "player", 10000)
    assert "cut off" not in "".join(program.err for program in rig.programs)


def test_of_a_large_journal_what_a_start_did_not_look_at_is_said(begin: Begin) -> None:
    rig = begin().start()
    rig.begins_shoe()
    assert rig.stop().code == 0
    assert "looked at" not in rig.program.err
    rig.launch(before=every_journal_is_large)
    assert rig.ready() == "betting"
    (said,) = [line for line in rig.program.err.splitlines() if "looked at" in line]
    assert "looked at were 7 of its 12 tables and the records since the last shoe began" in said
    assert said.endswith(f"punto journal verify {rig.journal} looks at all of it")


@pytest.mark.parametrize("table", self_check.ALWAYS_CHECKED)
def test_the_small_tables_of_a_large_journal_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setattr(self_check, "WHOLE_CHECK_BYTES", 0)
    said: list[str] = []
    Journal.open(tmp_path / "j", "demo", simulation=True).close()
    with closing(sqlite3.connect(tmp_path / "j")) as looking:
        assert self_check.structure_trouble(looking, "j", said.append) == ""
        assert len(said) == 1
        (page,) = looking.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    content = bytearray((tmp_path / "j").read_bytes())
    content[PAGE * (page - 1) : PAGE * page] = b"\xff" * PAGE
    (tmp_path / "j").write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "j")) as looking:
        assert "is damaged" in self_check.structure_trouble(looking, "j", said.append)
    assert len(said) == 1

"""The journal: what it keeps, what it refuses, and that kills, full disks and edits neither lose nor forge a record."""

import hashlib
import hmac
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from recorded_values import AT, DEALT, DREW, FRAME, HOUSE_RULES, RULES, append, append_card

from controller.host.journal import DiskTrouble, Journal, JournalBusy, JournalRefused
from controller.host.journal_format import Anchor, RecordedConfiguration, RecordedInput, parse_anchor
from controller.host.journal_reader import JournalReader
from controller.host.record import RecordUnreadable, to_plain
from controller.table.events import (
    BetsOpened,
    BurnCompleted,
    ControllerStarted,
    CutCardSeen,
    ShoeBegun,
    ShoeResultAgreed,
)
from controller.table.inputs import Confirm, CutCardOut, LinkState, ProgramStarted, ReportMissed, ShoeResult, StartShoe
from controller.table.state import new_table

STARTED = ProgramStarted(1, HOUSE_RULES, "0.1.0", LinkState.UP, LinkState.NONE)
SECOND_SHOE = new_table(HOUSE_RULES)._replace(shoe=2, road=("P", "B"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bac-07.journal"


def opened(path: Path, table: str = "bac-07", simulation: bool = True) -> Journal:
    return Journal.open(path, table, simulation)


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(opened(path)) as journal:
        yield journal


def begin_shoe(journal: Journal, number: int, **options: object) -> None:
    state = SECOND_SHOE._replace(shoe=number)
    append(
        journal,
        StartShoe(5),
        b"",
        [ShoeBegun(number, 8, HOUSE_RULES.identity, None), BurnCompleted(0), BetsOpened(number, 1)],
        at_utc=AT,
        state_after=state,
        **options,  # type: ignore[arg-type]
    )


def troubles(path: Path) -> list[str]:
    with JournalReader(path) as reader:
        return list(reader.troubles())


# What it keeps.


def test_an_input_and_its_events_are_there_after_a_new_start(path: Path) -> None:
    journal = opened(path)
    assert append_card(journal) == [1]
    assert append(journal, CutCardOut(9), FRAME * 2, [CutCardSeen(1), DEALT], at_utc=AT) == [2, 3]
    journal.close()
    with closing(opened(path)) as again:
        assert again.last_seq() == 3
        assert append_card(again) == [4]
        assert [event["seq"] for event in again.events_after(1, 2)] == [2, 3]
        assert again.events_after(4, 10) == []


def test_events_are_told_with_number_time_and_kind(journal: Journal) -> None:
    append_card(journal)
    (told,) = journal.events_after(0, 10)
    assert told == {"seq": 1, "at": "2026-03-01T12:00:00.250Z", "simulated": True} | to_plain(DEALT, "event")
    assert list(told)[:3] == ["seq", "at", "event"]


def test_the_journal_of_a_real_table_says_so_in_every_row(path: Path) -> None:
    with closing(opened(path, simulation=False)) as journal:
        append_card(journal)
        assert journal.events_after(0, 1)[0]["simulated"] is False


def test_folders_and_file_belong_to_one_user(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "t.journal"
    with closing(opened(path)) as journal:
        append_card(journal)
        for file in (*path.parent.glob("t.*"), *path.parent.glob("keys/*")):
            assert file.stat().st_mode & 0o777 == 0o600, file
    assert path.parent.joinpath("keys").stat().st_mode & 0o777 == 0o700
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert path.parent.parent.stat().st_mode & 0o777 == 0o700


def test_a_path_with_odd_characters_is_a_path_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "a ?mode=memory#%41 é.journal"
    with closing(opened(path)) as journal:
        append_card(journal)
    assert path.exists()
    assert troubles(path) == []


def test_configurations_are_kept_once_each_and_in_order(journal: Journal, path: Path) -> None:
    journal.add_configuration("aa", {"table.yaml": "one", "paytable.yaml": "two"})
    append_card(journal)
    journal.add_configuration("bb", {"table.yaml": "three"})
    journal.add_configuration("aa", {"table.yaml": "one", "paytable.yaml": "two"})
    assert journal.configurations() == {
        "aa": {"table.yaml": "one", "paytable.yaml": "two"},
        "bb": {"table.yaml": "three"},
    }
    with JournalReader(path) as reader:
        kinds = [type(row) for row in reader.rows()]
    assert kinds == [RecordedConfiguration, RecordedConfiguration, RecordedInput, RecordedConfiguration]


def test_a_new_start_goes_on_after_a_configuration_that_no_input_followed(path: Path) -> None:
    with closing(opened(path)) as journal:
        append_card(journal)
        journal.add_configuration("bb", {"table.yaml": "three"})
    with closing(opened(path)) as journal:
        assert journal.trouble == ""
        append_card(journal)
    assert troubles(path) == []


def test_starts_are_counted_and_listed(journal: Journal, path: Path) -> None:
    assert journal.starts() == 0
    for _ in range(2):
        append(journal, STARTED, b"", [ControllerStarted("0.1.0", HOUSE_RULES.identity, None)], at_utc=AT)
        append_card(journal)
    assert journal.starts() == 2
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT number, input, version FROM starts").fetchall() == [
            (1, 1, "0.1.0"),
            (2, 3, "0.1.0"),
        ]


def test_every_event_says_its_shoe_and_coup(journal: Journal, path: Path) -> None:
    append(journal, CutCardOut(1), b"", [CutCardSeen(1)], at_utc=AT)
    begin_shoe(journal, 2)
    append(journal, Confirm(2), b"", [CutCardSeen(1), BetsOpened(2, 2), CutCardSeen(0)], at_utc=AT)
    with closing(sqlite3.connect(path)) as plain:
        places = plain.execute("SELECT kind, shoe, coup FROM events ORDER BY seq").fetchall()
    assert places == [
        ("CutCardSeen", None, None),
        ("ShoeBegun", 2, None),
        ("BurnCompleted", 2, None),
        ("BetsOpened", 2, 1),
        ("CutCardSeen", 2, 1),
        ("BetsOpened", 2, 2),
        ("CutCardSeen", 2, 2),
    ]


# Orders that are asked again.


def test_an_order_gets_its_recorded_answer_over_restarts_and_until_the_next_shoe(path: Path) -> None:
    with closing(opened(path)) as journal:
        append_card(journal, order_id="a-1", answer={"ok": True, "seq": 1})
        append_card(journal, order_id="a-1", answer={"ok": False})
        append_card(journal, order_id="a-2")
    with closing(opened(path)) as journal:
        assert journal.answer_for("a-1") == {"ok": True, "seq": 1}
        assert journal.answer_for("a-2") is None
        assert journal.answer_for("a-3") is None
        begin_shoe(journal, 2, order_id="s", answer={"ok": True})
        assert journal.answer_for("a-1") is None
        assert journal.answer_for("s") == {"ok": True}


# The last report of the shoe.


def test_the_last_confirmed_report_is_one_copy_of_it(journal: Journal) -> None:
    assert journal.last_confirmed() is None
    append_card(journal)
    append(journal, Confirm(2), b"", [], at_utc=AT)
    append(journal, ReportMissed(3, 1, 4), b"noise", [], at_utc=AT)
    assert journal.last_confirmed() == FRAME


def test_a_report_that_one_copy_confirmed_is_that_copy(journal: Journal) -> None:
    append(journal, CutCardOut(9), FRAME, [], at_utc=AT)
    assert journal.last_confirmed() == FRAME


# Replay.


def test_a_replay_without_a_shoe_begins_at_the_first_record(journal: Journal) -> None:
    append(journal, STARTED, b"", [], at_utc=AT)
    append_card(journal)
    state, records = journal.replay_from_last_shoe(RULES)
    assert state is None
    assert list(records) == [(1, STARTED, []), (2, DREW, [to_plain(DEALT, "event")])]


def test_a_replay_begins_with_the_state_of_the_last_shoe(path: Path) -> None:
    with closing(opened(path)) as journal:
        begin_shoe(journal, 1)
        append_card(journal)
        journal.add_configuration("aa", {"table.yaml": "one"})
        begin_shoe(journal, 2)
        append(journal, Confirm(6), b"", [], at_utc=AT)
    with closing(opened(path)) as journal:
        state, records = journal.replay_from_last_shoe(RULES)
        assert state == SECOND_SHOE
        assert list(records) == [(4, Confirm(6), [])]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE inputs SET body = replace(body, '\"TH\"', '\"9H\"') WHERE seq = 2",
        "UPDATE events SET body = replace(body, '\"TH\"', '\"9H\"') WHERE input = 2",
        "UPDATE shoes SET state = replace(state, '\"P\"', '\"B\"')",
    ],
)
def test_a_replay_does_not_go_over_a_record_that_was_changed(path: Path, change: str) -> None:
    with closing(opened(path)) as journal:
        begin_shoe(journal, 2)
        append_card(journal)
    with closing(sqlite3.connect(path)) as plain:
        plain.execute(change)
        plain.commit()
    with (
        closing(opened(path)) as journal,
        pytest.raises(RecordUnreadable, match=r"record [12] is not what was written"),
    ):
        list(journal.replay_from_last_shoe(RULES)[1])


def test_a_replay_without_the_rules_at_hand_says_which_are_missing(journal: Journal) -> None:
    append(journal, STARTED, b"", [], at_utc=AT)
    with pytest.raises(RecordUnreadable, match=r"record 1: ProgramStarted\.rules: no house rules with the identity"):
        list(journal.replay_from_last_shoe({})[1])


# The trace.


def test_stray_bytes_go_into_a_ring_of_one_mebibyte(journal: Journal, path: Path) -> None:
    for number in range(80):
        journal.keep_trace(bytes([number]) * 20_000)
    journal.keep_trace(b"few")
    append_card(journal)
    journal.keep_trace(b"last" * 600)
    append_card(journal)
    with closing(sqlite3.connect(path)) as plain:
        total, newest = plain.execute("SELECT sum(length(data)), max(number) FROM trace").fetchone()
        (data,) = plain.execute("SELECT data FROM trace WHERE number = ?", (newest,)).fetchone()
    assert 1024 * 1024 - 20_000 <= total <= 1024 * 1024
    assert data == b"few" + b"last" * 600
    assert troubles(path) == []


def test_stray_bytes_that_wait_are_written_at_the_end(path: Path) -> None:
    with closing(opened(path)) as journal:
        journal.keep_trace(b"few")
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT data FROM trace").fetchall() == [(b"few",)]


# One writer (fault 49), and only a journal of this table.


def test_a_second_writer_is_kept_out_and_a_reader_is_not(journal: Journal, path: Path) -> None:
    append_card(journal)
    with pytest.raises(JournalBusy, match="in use by another punto"):
        opened(path)
    link = path.with_name("link.journal")
    link.symlink_to(path)
    with pytest.raises(JournalBusy):
        opened(link)
    assert troubles(path) == []
    append_card(journal)


def test_the_lock_goes_with_the_writer(path: Path) -> None:
    for _ in range(3):
        opened(path).close()


def _plain_text(path: Path) -> None:
    path.write_bytes(b"once upon a time " * 40)


def _empty(path: Path) -> None:
    path.touch()


def _folder(path: Path) -> None:
    path.mkdir()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE a (b)")


def _other_table(path: Path) -> None:
    opened(path, table="bac-08").close()


def _real_table(path: Path) -> None:
    opened(path, simulation=False).close()


def _newer(path: Path) -> None:
    opened(path).close()
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA user_version = 3")


def _cut_off(path: Path) -> None:
    with closing(opened(path)) as journal:
        append_card(journal)
    os.truncate(path, 6000)


@pytest.mark.parametrize(
    ("make", "trouble"),
    [
        (_plain_text, "is no journal: name another file"),
        (_empty, "is no journal: name another file"),
        (_folder, "is a folder: name a file"),
        (_pipe, "is a device, socket or pipe: name a file"),
        (_other_database, "is a database of another program"),
        (_other_table, "is of table 'bac-08', not 'bac-07'"),
        (_real_table, "is of simulation 'false', not 'true'"),
        (_newer, "has format 3, this program reads 2: update punto"),
        (_cut_off, "cannot be opened: database disk image is malformed"),
    ],
)
def test_what_is_no_journal_of_this_table_is_refused_and_left_alone(path: Path, make, trouble: str) -> None:  # type: ignore[no-untyped-def]
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(JournalRefused) as refused:
        opened(path)
    assert trouble in str(refused.value)
    assert "\n" not in str(refused.value)
    assert before is None or path.read_bytes() == before
    with suppress(JournalBusy), pytest.raises(JournalRefused):
        opened(path)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(JournalRefused, match=r"Not a directory|File exists"):
        opened(tmp_path / "file" / "t.journal")


def test_a_journal_that_went_away_without_its_log_is_not_begun_anew_over_it(path: Path) -> None:
    journal = opened(path)
    append_card(journal)
    log = path.with_name(path.name + "-wal").read_bytes()
    journal.close()
    path.unlink()
    path.with_name(path.name + "-wal").write_bytes(log)
    with pytest.raises(JournalRefused, match="-wal with its last records is there"):
        opened(path)


def test_a_start_that_was_killed_while_it_made_the_file_is_no_trouble(path: Path) -> None:
    path.with_name(path.name + ".new").write_bytes(b"half")
    with closing(opened(path)) as journal:
        append_card(journal)
    assert sorted(each.name for each in path.parent.iterdir()) == [path.name, "keys"]


def test_commits_are_on_disk_before_they_count(journal: Journal) -> None:
    one = journal._connection.execute
    assert one("PRAGMA journal_mode").fetchone() == ("wal",)
    assert one("PRAGMA synchronous").fetchone() == (2,)


# Kills (fault 43).


def test_a_kill_loses_nothing_that_was_acknowledged_and_doubles_nothing(path: Path) -> None:
    acknowledged = 0
    for kill in range(10):
        writer = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("journal_writer.py")), str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        assert writer.stdout is not None
        for _ in range(5 + 7 * kill):
            acknowledged = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().splitlines(keepends=True)
        whole = [line for line in rest if line.endswith(b"\n")]
        acknowledged = int(whole[-1]) if whole else acknowledged
        writer.stdout.close()
        writer.wait()
        with closing(opened(path)) as journal:
            assert journal.trouble == ""
            assert acknowledged <= journal.last_seq() <= acknowledged + 1
            seqs = [event["seq"] for event in journal.events_after(0, 1_000_000)]
            assert seqs == list(range(1, journal.last_seq() + 1))
            acknowledged = journal.last_seq()
        assert troubles(path) == []


def test_a_log_cut_at_any_byte_keeps_its_longest_whole_part_and_says_what_is_missing(path: Path) -> None:
    """Fault 57: as after a power cut."""
    journal = opened(path)
    for _ in range(3):
        append_card(journal)
    log = path.with_name(path.name + "-wal")
    files = {each.name: each.read_bytes() for each in (path, log)}
    journal.close()
    kept = []
    for size in (*range(0, len(files[log.name]), 997), len(files[log.name])):
        folder = path.parent / f"cut-{size}"
        shutil.copytree(path.parent / "keys", folder / "keys")
        for name, data in files.items():
            (folder / name).write_bytes(data[:size] if name == log.name else data)
        with closing(opened(folder / path.name)) as cut:
            kept.append(cut.last_seq())
            lost = f"ends at record {cut.last_seq()}, but 3 were written: {3 - cut.last_seq()} are missing"
            assert lost in cut.trouble if cut.last_seq() < 3 else cut.trouble == ""
        assert len(troubles(folder / path.name)) == (cut.last_seq() < 3)
        shutil.rmtree(folder)
    assert all(a <= b for a, b in pairwise(kept))
    assert set(kept) == {0, 1, 2, 3}


# Disk trouble (faults 54, 55, 56, 59).


def refuse_writing(journal: Journal, pragma: str) -> None:
    journal._connection.execute(f"PRAGMA {pragma}").fetchall()


def append_until_full(journal: Journal) -> None:
    for _ in range(10_000):
        append_card(journal)


def test_a_full_disk_is_told_and_once_there_is_space_the_record_goes_on(journal: Journal, path: Path) -> None:
    append_card(journal)
    (pages,) = journal._connection.execute("PRAGMA page_count").fetchone()
    refuse_writing(journal, f"max_page_count = {pages}")
    with pytest.raises(DiskTrouble, match=r"no space is left \(database or disk is full\): free some space") as trouble:
        append_until_full(journal)
    assert not trouble.value.final
    last = journal.last_seq()
    refuse_writing(journal, "max_page_count = 1000000")
    assert append_card(journal) == [last + 1]
    assert troubles(path) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    disk = tmp_path / "small"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)]
    if os.geteuid() != 0 or shutil.which("mount") is None or subprocess.run(mount, check=False).returncode != 0:
        pytest.skip("a small file system can only be mounted by root")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_file_system_loses_no_record_and_fuses_none(small_disk: Path) -> None:
    with closing(opened(small_disk / "t.journal")) as journal:
        append_card(journal)
        with pytest.raises(DiskTrouble) as trouble:
            append_until_full(journal)
        assert not trouble.value.final
        last = journal.last_seq()
        subprocess.run(["mount", "-o", "remount,size=4m", small_disk], check=True)
        assert append_card(journal) == [last + 1]
    assert troubles(small_disk / "t.journal") == []


def test_a_journal_on_a_medium_that_cannot_be_written_is_read_but_not_begun(small_disk: Path) -> None:
    """Fault 59."""
    with closing(opened(small_disk / "t.journal")) as journal:
        append_card(journal)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert troubles(small_disk / "t.journal") == []
    for name in ("t.journal", "new.journal"):
        with pytest.raises(JournalRefused, match=r"Read-only file system|may not be written"):
            opened(small_disk / name)


def test_a_disk_that_turned_read_only_is_told(journal: Journal, path: Path) -> None:
    append_card(journal)
    refuse_writing(journal, "query_only = ON")
    with pytest.raises(DiskTrouble, match="it may not be written") as trouble:
        append_card(journal)
    assert not trouble.value.final
    refuse_writing(journal, "query_only = OFF")
    assert append_card(journal) == [2]
    assert troubles(path) == []


def test_another_program_that_holds_the_file_is_told(journal: Journal, path: Path) -> None:
    refuse_writing(journal, "busy_timeout = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DiskTrouble, match="another program keeps it locked") as trouble:
            append_card(journal)
    assert not trouble.value.final
    assert append_card(journal) == [1]


FAILING_ONCE = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync,fdatasync:error=EIO:when=9")


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the disk fail")
def test_a_disk_that_failed_once_is_not_written_to_again(path: Path) -> None:
    """Fault 56: after a failed fsync the kernel may call the next one good although data is lost."""
    opened(path).close()
    script = """
import sys
from recorded_values import append_card
from controller.host.journal import DiskTrouble, Journal
journal = Journal.open(sys.argv[1], "bac-07", True)
for _ in range(20):
    try:
        append_card(journal)
        print("ok")
    except DiskTrouble as trouble:
        print("final" if trouble.final else "passing", trouble)
"""
    run = subprocess.run(
        [*FAILING_ONCE, sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])},
    )
    if "ptrace" in run.stderr or "Operation not permitted" in run.stderr:
        pytest.skip("strace may not trace here")
    lines = run.stdout.splitlines()
    good = lines.index(next(line for line in lines if line != "ok"))
    assert 0 < good < 20
    assert all(line.startswith("final") and "the disk failed" in line for line in lines[good:])
    assert troubles(path) == []


# Edits (faults 61, 62, 65).


@pytest.fixture
def finished(path: Path) -> Path:
    with closing(opened(path)) as journal:
        journal.add_configuration("aa", {"table.yaml": "one", "paytable.yaml": "two"})
        append_card(journal, order_id="x", answer={"ok": True})
        begin_shoe(journal, 2)
        for _ in range(4):
            append_card(journal)
    assert troubles(path) == []
    return path


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("UPDATE inputs SET at_utc = '2026-03-01T12:00:00.251Z' WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET at_ms = 1001 WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET kind = 'CardSeen' WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET body = body || ' ' WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET raw = x'00' WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET order_id = 'y' WHERE seq = 1", "record 1"),
        ("UPDATE inputs SET answer = NULL WHERE seq = 1", "record 1"),
        ("UPDATE inputs SET simulated = 0 WHERE seq = 3", "record 3"),
        ("UPDATE inputs SET chain = zeroblob(32) WHERE seq = 3", "record 3 was not written with this table's key"),
        ("UPDATE inputs SET seq = 99 WHERE seq = 6", "records 6 to 98 are missing"),
        ("UPDATE inputs SET body = CAST(x'ff' AS TEXT) WHERE seq = 3", "record 3"),
        ("DELETE FROM inputs WHERE seq = 4", "record 4 is missing"),
        ("DELETE FROM events WHERE seq = 3", "record 2"),
        ("UPDATE events SET body = replace(body, 'TH', '9H') WHERE input = 4", "record 4"),
        ("UPDATE events SET kind = 'X' WHERE input = 4", "record 4"),
        ("UPDATE events SET shoe = 9 WHERE input = 4", "record 4"),
        ("UPDATE events SET coup = NULL WHERE input = 4", "record 4"),
        ("UPDATE events SET simulated = 0 WHERE input = 4", "record 4"),
        ("UPDATE events SET input = 5 WHERE input = 4", "record 4"),
        ("INSERT INTO events SELECT 99, 4, kind, body, shoe, coup, simulated FROM events WHERE input = 4", "1 events"),
        ("UPDATE inputs SET source = 'panel' WHERE seq = 1", "record 1"),
        ("UPDATE inputs SET last_event = 3 WHERE seq = 1", "record 1"),
        ("UPDATE inputs SET hash = zeroblob(32) WHERE seq = 3", "record 3"),
        ("UPDATE cards SET card = '9H' WHERE input = 3", "record 3"),
        ("UPDATE cards SET simulated = 0 WHERE input = 3", "record 3"),
        ("DELETE FROM cards WHERE input = 3", "record 3"),
        ("INSERT INTO cards SELECT 99, 77, shoe, coup, place, card, 0, 1 FROM cards WHERE input = 3", "1 cards"),
        ("INSERT INTO coups SELECT 9, 3, 1, 1, 'tie', '', '', 0, 0, 'none', '', '', 1, 1, 0, 0, 1", "record 3"),
        ("INSERT INTO bets VALUES (9, 1, 3, 1, 1, 1, 'tie', 5, 'win', 1, '8:1', 0, 40, 45, 1)", "record 3"),
        ("UPDATE snapshots SET state = state || ' '", "the state kept after record 2"),
        ("UPDATE snapshots SET input = 3", "the state kept after record 3"),
        ("UPDATE beginnings SET seq = 1", "the beginning"),
        ("UPDATE beginnings SET kept = 'x'", "the beginning"),
        ("DELETE FROM beginnings", "the beginning"),
        ("INSERT INTO events SELECT 99, 77, kind, body, shoe, coup, simulated FROM events WHERE input = 4", "1 events"),
        ("UPDATE shoes SET state = state || ' '", "record 2"),
        ("UPDATE shoes SET shoe = 3", "record 2"),
        ("DELETE FROM shoes", "record 2"),
        ("INSERT INTO shoes VALUES (3, 3, 8, '', '{}', 1)", "record 3"),
        ("INSERT INTO shoes VALUES (33, 3, 8, '', '{}', 1)", "1 shoes belong to no record"),
        ("UPDATE configurations SET text = 'One' WHERE number = 1", "configuration 1"),
        ("UPDATE configurations SET name = 'x' WHERE number = 2", "configuration 2"),
        ("UPDATE configurations SET identity = 'ab' WHERE number = 2", "configuration 2"),
        ("DELETE FROM configurations WHERE number = 2", "record 1"),
        ("UPDATE about SET value = 'bac-08' WHERE key = 'table'", "what it says of itself"),
        ("UPDATE configurations SET sha256 = 'ab' WHERE number = 2", "configuration 2"),
        (
            "DELETE FROM inputs WHERE seq > 4; DELETE FROM events WHERE input > 4",
            "ends at record 4, but 6 were written",
        ),
    ],
)
def test_a_change_is_found_and_named(finished: Path, change: str, named: str) -> None:
    with closing(sqlite3.connect(finished)) as plain:
        plain.executescript(change)
    found = troubles(finished)
    assert found
    assert named in found[0]


def test_a_changed_record_does_not_hide_the_good_ones_after_it(finished: Path) -> None:
    with closing(sqlite3.connect(finished)) as plain:
        plain.executescript("UPDATE inputs SET body = CAST(x'7bff7d' AS TEXT) WHERE seq = 3")
    with JournalReader(finished) as reader:
        rows = [(row.seq, bool(row.trouble)) for row in reader.rows() if isinstance(row, RecordedInput)]
    assert rows == [(1, False), (2, False), (3, True), (4, False), (5, False), (6, False)]


def test_two_records_that_changed_places_are_found(finished: Path) -> None:
    with closing(sqlite3.connect(finished)) as plain:
        plain.executescript(
            "UPDATE inputs SET seq = 50 WHERE seq = 4; UPDATE inputs SET seq = 4 WHERE seq = 5;"
            "UPDATE inputs SET seq = 5 WHERE seq = 50;"
        )
    assert troubles(finished)


def test_an_older_whole_copy_is_found(path: Path) -> None:
    with closing(opened(path)) as journal:
        append_card(journal)
    copy = path.read_bytes()
    with closing(opened(path)) as journal:
        append_card(journal)
    path.write_bytes(copy)
    assert troubles(path) == [
        f"journal {path} ends at record 1, but 2 were written: 1 are missing: find the whole journal"
    ]
    with closing(opened(path)) as journal:
        assert journal.trouble == troubles(path)[0]


def test_an_anchor_kept_elsewhere_finds_a_journal_that_was_written_anew(path: Path, tmp_path: Path) -> None:
    with closing(opened(path)) as journal:
        append_card(journal)
        anchor = journal.anchor()
        append_card(journal)
    assert parse_anchor(str(anchor)) == anchor
    with JournalReader(path) as reader:
        assert reader.anchor_trouble(anchor) == ""
        assert reader.anchor().seq == 2
    forged = tmp_path / "forged.journal"
    with closing(opened(forged)) as journal:
        append(journal, CutCardOut(9), FRAME * 2, [], at_utc=AT)
    with JournalReader(forged) as reader:
        assert "record 1 is not the one that was written" in reader.anchor_trouble(anchor)
        assert "ends at record 1, but 5 were written" in reader.anchor_trouble(Anchor(5, b"x" * 32))


@pytest.mark.parametrize("text", ["", "1", "1 abc", "-1 " + "0" * 64, "1 " + "0" * 63 + "G", "١ " + "0" * 64])
def test_what_is_no_anchor_is_not_taken_for_one(text: str) -> None:
    assert parse_anchor(text) is None


def test_a_file_with_flipped_bits_is_never_read_as_good(finished: Path) -> None:
    """Every bit of every row's text is covered; a flip elsewhere changes nothing that is read."""
    data = finished.read_bytes()
    place = data.index(b'{"input":"CardRead"')
    for offset in range(0, 90, 3):
        flipped = bytearray(data)
        flipped[place + offset] ^= 1 << offset % 8
        finished.write_bytes(flipped)
        assert troubles(finished), offset


# Readers.


def test_a_reader_needs_a_journal_and_makes_none(path: Path) -> None:
    with pytest.raises(JournalRefused, match=f"there is no journal {path}: check the path"):
        JournalReader(path)
    assert list(path.parent.iterdir()) == []


def test_a_reader_sees_one_moment_while_the_table_goes_on(journal: Journal, path: Path) -> None:
    append_card(journal)
    with JournalReader(path) as reader:
        append_card(journal)
        assert [row.seq for row in reader.rows() if isinstance(row, RecordedInput)] == [1]
        assert list(reader.troubles()) == []
    with JournalReader(path) as reader:
        assert reader.anchor() == journal.anchor()
        key = (path.parent / "keys" / "bac-07.key").read_text().strip()
        check = hashlib.sha256(b"punto journal key" + bytes.fromhex(key)).hexdigest()[:32]
        assert reader.about() == {"format": "2", "table": "bac-07", "simulation": "true", "key": check}
        assert [row.seq for row in reader.rows(after=1)] == [2]


def test_a_reader_gives_the_bytes_and_bodies_as_written(finished: Path) -> None:
    with JournalReader(finished) as reader:
        first = next(row for row in reader.rows() if isinstance(row, RecordedInput))
    assert (first.seq, first.at_ms, first.kind, first.raw, first.order_id) == (1, 1000, "CardRead", FRAME * 2, "x")
    assert first.body == '{"input":"CardRead","at_ms":1000,"target":"player","index":1,"card":"TH"}'
    assert [event.kind for event in first.events] == ["CardDealt"]


def test_a_reader_cannot_write(finished: Path) -> None:
    with JournalReader(finished) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader._connection.execute("DELETE FROM inputs")


def test_a_socket_is_no_journal(tmp_path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(str(tmp_path / "s"))
        with pytest.raises(JournalRefused, match="device, socket or pipe"):
            JournalReader(tmp_path / "s")


# The page about the format.


def test_the_questions_in_the_page_about_the_format_can_be_asked(finished: Path) -> None:
    page = (Path(__file__).parents[2] / "controller" / "host" / "journal.md").read_text(encoding="utf-8")
    questions = [line.strip() for line in page.split("## Questions in SQL")[1].split("## ")[0].splitlines()]
    asked = [text for text in " ".join(q for q in questions if not q.startswith("--")).split(";") if text.strip()]
    with closing(sqlite3.connect(finished)) as plain:
        rows = [plain.execute(question).fetchall() for question in asked]
    assert len(rows) == 8
    assert rows[2] == []


def test_the_page_about_the_format_names_every_table_and_column(finished: Path) -> None:
    page = (Path(__file__).parents[2] / "controller" / "host" / "journal.md").read_text(encoding="utf-8")
    with closing(sqlite3.connect(finished)) as plain:
        tables = plain.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall()
        for (table,) in tables:
            (row,) = [line for line in page.splitlines() if line.startswith(f"| `{table}`")]
            for (column,) in plain.execute("SELECT name FROM pragma_table_info(?)", (table,)):
                assert f"`{column}`" in row, (table, column)


def test_the_chain_can_be_worked_out_from_the_page_alone(finished: Path) -> None:
    key = bytes.fromhex((finished.parent / "keys" / "bac-07.key").read_text())

    def link(before: tuple[bytes, bytes], row: list[object]) -> tuple[bytes, bytes]:
        value = hashlib.sha256(before[0] + json.dumps(row, separators=(",", ":")).encode()).digest()
        return value, hmac.new(key, before[1] + value, "sha256").digest()

    tables = ("events", "starts", "shoes", "cards", "coups", "bets")
    with closing(sqlite3.connect(finished)) as plain:
        about = plain.execute("SELECT key, value FROM about ORDER BY key").fetchall()
        chain = link((b"", b""), ["about", *map(list, about)])
        files = plain.execute("SELECT * FROM configurations ORDER BY number").fetchall()
        for *columns, value, stored in plain.execute("SELECT * FROM inputs ORDER BY seq").fetchall():
            for *file, _, _ in (file for file in files if file[5] == columns[0]):
                chain = link(chain, ["configuration", *file])
            columns[6] = columns[6].hex()
            own = [plain.execute(f"SELECT * FROM {each} WHERE input = ?", columns[:1]).fetchall() for each in tables]
            chain = link(chain, ["input", *columns, *own])
            assert chain == (value, stored), columns[0]


def test_a_result_that_comes_late_does_not_move_the_table_back(path: Path) -> None:
    """The shoe's own result names the coup before; after a restart the next card is of the coup that is open."""
    with closing(opened(path)) as journal:
        begin_shoe(journal, 2)
        append(journal, Confirm(7), b"", [BetsOpened(2, 2)], at_utc=AT)
        append(journal, ShoeResult(8, "tie", "none"), FRAME * 2, [ShoeResultAgreed(2, 1)], at_utc=AT)
    with closing(opened(path)) as again:
        append_card(again)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT shoe, coup FROM cards").fetchall() == [(2, 2)]

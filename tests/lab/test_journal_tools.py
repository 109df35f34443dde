"""`punto journal`: verify, show, export, replay, copy, anchor, archive, as a laboratory uses them."""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.cli import main
from controller.host.journal import Journal
from controller.host.journal_file import connect_to_write
from controller.host.journal_reader import JournalReader
from controller.lab.journal_archive import archive
from controller.lab.journal_export import _cell
from tests.lab.recorded_table import RecordedTable

ROOT = Path(__file__).parents[2]
MARCH, JUNE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC), datetime(2026, 6, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "demo.journal"


def begun_in_june(path: Path, at: datetime) -> RecordedTable:
    """A shoe of two coups and a void one then; the next one's bets are open in June."""
    table = RecordedTable(path, at)
    table.begins()
    table.coup()
    table.void()
    table.coup()
    table.ends()
    table.at = JUNE
    table.begins()
    return table


@pytest.fixture
def two_shoes(path: Path) -> Path:
    """A shoe of two coups and a void one in March, one of a coup in June."""
    table = begun_in_june(path, MARCH)
    table.coup()
    table.close()
    return path


def said(capsys: pytest.CaptureFixture[str], code: int, *words: object) -> list[str]:
    """What `punto journal` prints, its exit code as wanted."""
    assert main(["journal", *map(str, words)]) == code
    out, err = capsys.readouterr()
    return (out + err).splitlines()


# verify, anchor, replay


def test_a_whole_journal_is_verified_and_replayed(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, 0, "verify", two_shoes)[0].startswith("journal verified: ")
    assert said(capsys, 0, "replay", two_shoes)[0].startswith("replay gives the same events: ")


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "FILE"],
        ["show", "FILE"],
        ["export", "FILE", "--bets", "csv"],
        ["replay", "FILE"],
        ["anchor", "FILE"],
        ["copy", "FILE", "COPY"],
        ["archive", "FILE", "--days", "36500"],
    ],
)
def test_whoever_reads_a_journal_leaves_its_folder_as_it_was(two_shoes: Path, words: list[str]) -> None:
    def folder() -> dict[str, tuple[bytes, int]]:
        files = [each for each in two_shoes.parent.rglob("*") if each.is_file() and each.name != "copy"]
        return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in files}

    before = folder()
    places = {"FILE": str(two_shoes), "COPY": str(two_shoes.with_name("copy"))}
    assert main(["journal", *(places.get(word, word) for word in words)]) == 0
    assert folder() == before


def test_a_log_with_records_stays_beside_its_journal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a table that was killed: whoever reads it changes nothing."""
    table = RecordedTable(path)
    killed = path.with_name("killed")
    killed.mkdir()
    for each in (path, path.with_name(f"{path.name}-wal")):
        shutil.copy(each, killed)
    shutil.copytree(path.parent / "keys", killed / "keys")
    table.close()
    log = killed / f"{path.name}-wal"
    before = log.read_bytes()
    assert said(capsys, 0, "verify", killed / path.name)[0].startswith("journal verified: 1 records")
    assert log.read_bytes() == before != b""


def test_a_log_with_records_where_nothing_may_be_written_is_said(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk of a table PC that was killed, mounted to be looked at: SQLite alone says "unable to open"."""
    table = RecordedTable(path)
    looked_at = path.with_name("looked at")
    looked_at.mkdir()
    for each in (path, path.with_name(f"{path.name}-wal")):
        shutil.copy(each, looked_at)
    table.close()
    monkeypatch.setattr(os, "access", lambda where, _: Path(where) != looked_at)
    (told,) = said(capsys, 2, "verify", looked_at / path.name)
    assert "copy both, with the folder keys, to where it may" in told


def test_a_running_table_keeps_its_log(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also while it is empty, just after the start."""
    with closing(Journal.open(path, "demo", simulation=True)):
        child = [sys.executable, "-m", "controller", "journal", "verify", str(path)]
        log = path.with_name(f"{path.name}-wal")
        assert log.stat().st_size == 0
        assert subprocess.run(child, cwd=ROOT, check=False, capture_output=True).returncode == 0
        assert log.exists()


def test_without_its_key_it_is_not_called_verified(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = two_shoes.parent / "keys" / "demo.key"
    key.rename(two_shoes.parent / "k")
    first, second = said(capsys, 0, "verify", two_shoes)
    assert first.startswith("journal verified but for its key: ")
    assert "could have worked them out anew" in second
    assert said(capsys, 0, "verify", two_shoes, "--key", two_shoes.parent / "k")[0].startswith("journal verified: ")
    assert "is missing" in said(capsys, 2, "verify", two_shoes, "--key", key)[0]


def test_a_key_that_others_may_read_is_refused(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = two_shoes.parent / "keys" / "demo.key"
    key.chmod(0o640)
    assert "may be read by others: chmod 600" in said(capsys, 2, "verify", two_shoes)[0]


def test_an_anchor_kept_elsewhere_finds_what_the_chain_cannot(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = RecordedTable(path)
    table.begins()
    table.close()
    (anchor,) = said(capsys, 0, "anchor", path)
    number, chain, at = anchor.split(" ")
    assert (number, len(chain), at) == ("4", 64, "2026-03-01T12:00:00.000Z")
    assert said(capsys, 0, "verify", path, "--anchor", anchor)[0].startswith("journal verified")
    (path.parent / "anchor.txt").write_text(anchor + "\n")
    for file in (path, path.parent / "keys" / f"{path.name}.head"):
        file.unlink()
    RecordedTable(path).close()  # made anew, with the right key
    assert said(capsys, 0, "verify", path)[0].startswith("journal verified")
    (line,) = said(capsys, 1, "verify", path, "--anchor", f"@{path.parent / 'anchor.txt'}")
    assert "ends at record 1, but 4 were written: 3 are missing" in line
    assert "is no anchor" in said(capsys, 2, "verify", path, "--anchor", "4")[0]
    assert "No such file" in said(capsys, 2, "verify", path, "--anchor", "@/nowhere")[0]


def test_a_changed_record_is_named(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute("UPDATE bets SET returned = 99 WHERE line = 1 AND coup = 1 AND shoe = 1")
        plain.commit()
    (line,) = said(capsys, 1, "verify", two_shoes)
    assert "record 14 is not what was written" in line
    assert "record 14" in said(capsys, 1, "replay", two_shoes)[0]
    assert any("ATTENTION: record 14" in line for line in said(capsys, 0, "show", two_shoes, "--shoe", "1"))


# show


def test_a_coup_is_told_with_cards_bytes_clauses_and_money(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, 0, "show", two_shoes, "--shoe", "1", "--coup", "1")
    assert lines[0] == "shoe 1, coup 1"
    text = "\n".join(lines)
    for wanted in (
        "2026-03-01T12:00:00.250Z record 8, shoe: the shoe reads 2H for player 1 [simulated]",
        "      bytes 05 1d 81 b8 03 34 43 05 1d 81 b8 03 34 43",
        "control (order order 2): PlaceBet seat 1, wager player, stake 10000",
        "no natural: Player 4, Banker 3 with two cards: the drawing rule decides",
        "Player draws on 4 (rule: Player has 0 1 2 3 4 5, Player: draws)",
        "Banker draws on 3, Player's third counts 4 (rule: Banker has 3: draws on Player's third 0 1 2 3 4 5 6 7 9,"
        " stands on 8)",
        "  seat 1, player, stake 10000: win at 1/1, won 10000, returned 20000",
        "  seat 2, banker, stake 20000: lose, won 0, returned 0",
        "staked 30000, returned 20000, commission 0, the house keeps 10000",
        "CoupConfirmed shoe 1, coup 1",
    ):
        assert wanted in text, wanted


def test_all_coups_of_a_shoe_have_their_headings(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    headings = [line for line in said(capsys, 0, "show", two_shoes, "--shoe", "1") if not line.startswith(" ")]
    assert headings[:4] == ["shoe 1", "shoe 1, coup 1", "shoe 1, coup 2", "shoe 1, coup 3"]
    assert said(capsys, 0, "show", two_shoes)[0] == "shoe 2"


def test_a_coup_that_never_was_is_said(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no shoe 9, coup 3" in said(capsys, 1, "show", two_shoes, "--shoe", "9", "--coup", "3")[0]


NONSENSE = (
    "''",
    "'card'",
    "'{}'",
    "'[]'",
    "'{\"event\":7}'",
    "CAST(x'ff7b' AS TEXT)",
    "char(27) || '[31m' || char(10)",
)


@pytest.mark.parametrize("body", NONSENSE)
@pytest.mark.parametrize("table", ["inputs", "events"])
def test_a_record_that_makes_no_sense_is_shown_as_it_stands(
    two_shoes: Path, table: str, body: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute(f"UPDATE {table} SET body = {body}")
        plain.commit()
    lines = said(capsys, 0, "show", two_shoes, "--shoe", "1")
    assert any("ATTENTION: record 8" in line for line in lines)
    assert all(line.isprintable() for line in lines)
    for verb in ("verify", "replay"):
        (line,) = said(capsys, 1, verb, two_shoes)
        assert line.isprintable()


def test_a_field_that_is_missing_or_of_another_kind_is_shown_as_it_stands(
    two_shoes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        kinds = [kind for (kind,) in plain.execute("SELECT DISTINCT kind FROM events")]
        for kind in kinds:
            (body,) = plain.execute("SELECT body FROM events WHERE kind = ? LIMIT 1", (kind,)).fetchone()
            for field in json.loads(body):
                for other in (None, []):
                    changed = json.loads(body) | {field: other}
                    if other is None:
                        del changed[field]
                    plain.execute("UPDATE events SET body = ? WHERE kind = ?", (json.dumps(changed), kind))
                    plain.commit()
                    lines = said(capsys, 0, "show", two_shoes, "--shoe", "1", "--coup", "1")
                    assert all(line.isprintable() for line in lines)
            plain.execute("UPDATE events SET body = ? WHERE kind = ?", (body, kind))


@pytest.mark.parametrize("number", ["-1", "x", "1.0", "٣", "9" * 19, ""])
def test_no_such_number(two_shoes: Path, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--shoe", "--coup"):
        with pytest.raises(SystemExit) as ended:
            main(["journal", "show", str(two_shoes), f"{option}={number}"])
        assert ended.value.code == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "is no whole number from 0 on" in line


# export


@pytest.mark.parametrize("wager", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "\r=1"])
def test_a_text_that_a_spreadsheet_would_work_out_stands_as_a_text(
    two_shoes: Path, wager: str, capsys: pytest.CaptureFixture[str]
) -> None:
    large = "-99999999999999999999999"  # a number of ours, beyond 64 bits
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute("UPDATE bets SET wager = ?, won = ? WHERE seat = 1", (wager, large))
        plain.commit()
    row = next(csv.DictReader(said(capsys, 0, "export", two_shoes, "--bets", "csv")))
    assert row["won"] == large
    assert row["wager"] in (f"'{wager}", ascii(wager)[1:-1])


def test_an_amount_that_is_none_is_said(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute("UPDATE coups SET staked = 'much', returned = x'00'")
        plain.commit()
    for what, form in (("--shoes", "csv"), ("--shoes", "json"), ("--coups", "json")):
        assert "cannot be exported" in said(capsys, 1, "export", two_shoes, what, form)[-1]


def test_shoes_with_their_totals(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = csv.DictReader(said(capsys, 0, "export", two_shoes, "--shoes", "csv"))
    totals = ("coups", "player", "banker", "tie", "void", "drop", "returned", "hold", "hold_percent", "commission")
    assert [first[each] for each in totals] == ["3", "2", "0", "0", "1", "60000", "40000", "20000", "33.33", "0"]
    assert [second[each] for each in totals] == ["1", "1", "0", "0", "0", "30000", "20000", "10000", "33.33", "0"]


def test_a_loss_of_the_house_is_a_number_in_every_column(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute("UPDATE coups SET returned = 195144, house_net = -135144 WHERE shoe = 1 AND outcome = 'player'")
        plain.commit()
    shoe = next(csv.DictReader(said(capsys, 0, "export", two_shoes, "--shoes", "csv")))
    assert (shoe["hold"], shoe["hold_percent"]) == ("-330288", "-550.48")
    coup = next(csv.DictReader(said(capsys, 0, "export", two_shoes, "--coups", "csv")))
    assert coup["house_net"] == "-135144"


@pytest.mark.parametrize("plain", ["-8.57", "-8", "+8.5", "-0.00", "8", "-" + "9" * 40, ""])
def test_a_plain_number_stands_as_it_is(plain: str) -> None:
    assert _cell(plain) == plain


@pytest.mark.parametrize(
    "worked_out", ["-8.", "-.5", "-8.5.7", "-8,57", "--8", "-8-3", "-٣", "+", "-", "-8\n", "=8", "@8"]
)
def test_what_only_begins_as_a_number_is_a_text(worked_out: str) -> None:
    assert str(_cell(worked_out)).startswith("'")


def test_coups_and_bets(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    coups = json.loads("\n".join(said(capsys, 0, "export", two_shoes, "--coups", "json")))
    assert [(each["shoe"], each["coup"], each["outcome"]) for each in coups] == [
        *((1, 1, "player"), (1, 2, "void"), (1, 3, "player"), (2, 1, "player"))
    ]
    assert (coups[0]["player"], coups[0]["banker"], coups[0]["player_pair"]) == ("2H 2S 4D", "3C KD AC", "mixed")
    bets = json.loads("\n".join(said(capsys, 0, "export", two_shoes, "--bets", "json")))
    assert [(each["seat"], each["result"], each["returned"]) for each in bets[:4]] == [
        *((1, "win", 20000), (2, "lose", 0), (1, "void", 10000), (2, "void", 20000))
    ]


def test_an_empty_export_is_still_a_file(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Journal.open(path, "demo", simulation=True).close()
    assert said(capsys, 0, "export", path, "--coups", "json") == ["[]"]
    assert len(said(capsys, 0, "export", path, "--bets", "csv")) == 1


# copy


def test_a_running_table_is_copied_whole(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = RecordedTable(path)
    table.begins()
    copy = path.parent / "copy"
    said(capsys, 0, "copy", path, copy)
    table.coup()
    table.close()
    key = path.parent / "keys" / "demo.key"
    assert said(capsys, 0, "verify", copy, "--key", key)[0].startswith("journal verified: 4 records")
    assert copy.stat().st_mode & 0o777 == 0o600
    assert "is there already" in said(capsys, 2, "copy", path, copy)[0]
    for nowhere in (path.parent / "none" / "copy", path.parent / ("x" * 300), copy / "copy"):
        assert "cannot be written" in said(capsys, 2, "copy", path, nowhere)[0]


# archive


def test_a_copy_goes_onto_a_stick(
    two_shoes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its file system (FAT) gives no file a second name."""

    def link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    stick = two_shoes.with_name("stick")
    assert said(capsys, 0, "copy", two_shoes, stick)[0].startswith("copied up to record ")
    with JournalReader(stick, two_shoes.parent / "keys" / "demo.key") as copied:
        assert list(copied.troubles()) == []
    assert "is there already" in said(capsys, 2, "copy", two_shoes, stick)[0]
    assert [each.name for each in two_shoes.parent.glob("*.new*")] == []


def test_old_shoes_go_into_a_file_and_both_verify(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with JournalReader(two_shoes) as reader:
        whole, before = reader.anchor(), [row.seq for row in reader.rows() if hasattr(row, "seq")]
    done = archive(two_shoes, None, 90, JUNE + timedelta(days=1))
    assert done.file is not None
    assert done.file.name == f"demo.journal.1-{done.last}"
    for file in (two_shoes, done.file):
        assert said(capsys, 0, "verify", file)[0].startswith("journal verified: ")
    assert said(capsys, 0, "verify", two_shoes, "--anchor", str(whole))[0].startswith("journal verified: ")
    assert said(capsys, 0, "replay", two_shoes)[0].startswith("replay gives the same events")
    with JournalReader(done.file) as old, JournalReader(two_shoes) as new:
        kept = [row.seq for reader in (old, new) for row in reader.rows() if hasattr(row, "seq")]
        assert kept == before
        assert new.beginning().chain == old.anchor().chain
        assert new.beginning().archive == done.file.name
        assert "is in the archive" in new.anchor_trouble(old.anchor().__class__(1, b"x"))
    assert [each.name for each in two_shoes.parent.glob("*.new*")] == []
    assert said(capsys, 0, "archive", two_shoes)[0] == "nothing is older than 90 days"


def test_a_table_goes_on_with_an_archived_journal(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive(two_shoes, None, 90, JUNE + timedelta(days=1))
    with closing(Journal.open(two_shoes, "demo", simulation=True)) as journal:
        assert journal.trouble == ""
        assert journal.starts() == 1
    table = RecordedTable(two_shoes, JUNE)
    table.close()
    assert said(capsys, 0, "verify", two_shoes)[0].startswith("journal verified: ")


def test_whoever_asks_for_an_archived_shoe_hears_where_it_is(
    two_shoes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = archive(two_shoes, None, 90, JUNE + timedelta(days=1))
    assert done.file is not None
    (told,) = said(capsys, 1, "show", two_shoes, "--shoe", "1")
    assert told.endswith(f"has no shoe 1; what was before record {done.last + 1} is in {done.file.name}")
    assert said(capsys, 0, "show", done.file, "--shoe", "1")[0].startswith("shoe 1")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE beginnings SET seq = seq + 1",
        "UPDATE beginnings SET chain = zeroblob(32) WHERE number = 2",
        "DELETE FROM beginnings WHERE number = 2",
        "UPDATE beginnings SET archive = 'elsewhere' WHERE number = 1",
        "DELETE FROM beginnings WHERE number = 1",
        "UPDATE configurations SET text = text || ' ' WHERE number = 1",
        "DELETE FROM configurations WHERE number = 1",
    ],
)
def test_where_an_archived_journal_begins_cannot_be_changed(
    two_shoes: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    archive(two_shoes, None, 90, JUNE + timedelta(days=1))
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute(change)
        plain.commit()
    assert said(capsys, 1, "verify", two_shoes)[0].startswith("journal differs")


def test_a_journal_that_does_not_verify_is_not_archived(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(two_shoes)) as plain:
        plain.execute("UPDATE cards SET card = '9S' WHERE place = 'player-1' AND shoe = 1 AND coup = 1")
        plain.commit()
    size = os.path.getsize(two_shoes)
    assert "nothing was taken out" in said(capsys, 1, "archive", two_shoes, "--days", "0")[0]
    assert os.path.getsize(two_shoes) == size


def test_a_journal_without_an_old_shoe_is_left_as_it_is(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = RecordedTable(path, MARCH)
    table.begins()
    table.close()
    before = path.read_bytes()
    assert said(capsys, 0, "archive", path) == ["nothing is older than 90 days"]
    assert path.read_bytes() == before


def test_the_journal_of_a_running_table_is_not_archived(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = RecordedTable(path)
    assert "is in use by another punto" in said(capsys, 2, "archive", path)[0]
    table.close()


def test_an_archive_that_is_there_is_never_replaced_by_another(
    two_shoes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal that was begun anew in the same place may be archived under the same numbers."""
    late = JUNE + timedelta(days=1)
    done = archive(two_shoes, None, 90, late)
    assert done.file is not None
    records = done.file.read_bytes()
    for left in (two_shoes, two_shoes.parent / "keys" / f"{two_shoes.name}.head"):
        left.unlink()
    table = begun_in_june(two_shoes, MARCH + timedelta(days=1))
    table.close()
    journal = two_shoes.read_bytes()
    assert "is there already and is another one" in said(capsys, 1, "archive", two_shoes, "--days", "1")[0]
    assert (done.file.read_bytes(), two_shoes.read_bytes()) == (records, journal)


def test_an_archive_after_a_kill_is_made_again(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was whole, and its records were still in the journal."""
    before = two_shoes.read_bytes()
    done = archive(two_shoes, None, 90, JUNE + timedelta(days=1))
    two_shoes.write_bytes(before)
    assert archive(two_shoes, None, 90, JUNE + timedelta(days=1)) == done
    assert done.file is not None
    for file in (two_shoes, done.file):
        assert said(capsys, 0, "verify", file)[0].startswith("journal verified: ")


def test_archiving_that_fails_leaves_no_half_archive(
    two_shoes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    before = sorted(each.name for each in two_shoes.parent.iterdir())
    monkeypatch.setattr("controller.lab.journal_archive._cut_after", full)
    assert "disk is full: check the disk" in said(capsys, 2, "archive", two_shoes, "--days", "1")[0]
    assert sorted(each.name for each in two_shoes.parent.iterdir()) == before


def test_a_disk_without_room_to_make_the_journal_smaller_takes_nothing_back(
    two_shoes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The records are in the archive alone by then: it must not be told as if they were still here."""

    def connected(name: str) -> sqlite3.Connection:
        connection = connect_to_write(name)
        connection.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else 0)
        return connection

    monkeypatch.setattr("controller.lab.journal_archive.connect_to_write", connected)
    moved, why = said(capsys, 0, "archive", two_shoes, "--days", "1")
    assert "they are not here any more" in moved
    assert why.startswith("the journal's file has kept its size (")
    archived = next(two_shoes.parent.glob("demo.journal.1-*"))
    for file in (two_shoes, archived):
        assert said(capsys, 0, "verify", file)[0].startswith("journal verified: ")


def test_archiving_needs_the_key(two_shoes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (two_shoes.parent / "keys" / "demo.key").unlink()
    assert "archiving needs it" in said(capsys, 2, "archive", two_shoes)[0]

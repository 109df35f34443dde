"""A record that is likely next stands in an open transaction: nobody reads it before its commit, anything undoes it."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from recorded_values import AT, DEALT, DREW, FRAME, append_card

from controller.host.journal import Journal, NextRecord
from controller.host.journal_reader import JournalReader
from controller.table.events import CutCardSeen
from controller.table.inputs import CutCardOut


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bac-07.journal"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal.open(path, "bac-07", simulation=True)) as journal:
        append_card(journal)
        yield journal


def likely(journal: Journal) -> NextRecord:
    """The next card, all but committed."""
    record = journal.record_of(DREW, FRAME * 2, [DEALT], at_utc=AT)
    journal.get_ready(record)
    return record


def kinds(path: Path) -> list[str]:
    """What another program finds."""
    with closing(sqlite3.connect(path)) as connection:
        return [kind for (kind,) in connection.execute("SELECT kind FROM events ORDER BY seq")]


def is_clean(path: Path) -> bool:
    with JournalReader(path) as reader:
        return list(reader.troubles()) == []


def test_it_is_committed_as_it_was_worked_out(journal: Journal, path: Path) -> None:
    record = likely(journal)
    assert kinds(path) == ["CardDealt"]
    assert journal.write(record) == [2]
    journal.finish()
    assert kinds(path) == ["CardDealt", "CardDealt"]
    assert journal.events_after(1, 5)[0]["seq"] == 2
    assert is_clean(path)


@pytest.mark.parametrize(
    "question",
    [
        lambda journal: journal.events_after(0, 10)[1:],
        lambda journal: journal.answer_for("an order") or [],
        lambda journal: [journal.anchor().seq - 1] * (journal.anchor().seq - 1),
        lambda journal: [each for each in [journal.last_confirmed()] if each != FRAME],
        lambda journal: journal.looking().execute("SELECT seq FROM inputs WHERE seq > 1").fetchall(),
        lambda journal: [journal.starts()] * journal.starts(),
        lambda journal: list(journal.configurations()),
    ],
)
def test_whoever_asks_hears_nothing_of_it(journal: Journal, path: Path, question: Callable[[Journal], object]) -> None:
    record = likely(journal)
    assert question(journal) == []
    assert journal.is_next(record)
    assert journal.write(record) == [2]
    assert is_clean(path)


def test_what_comes_instead_is_written_alone(journal: Journal, path: Path) -> None:
    record = likely(journal)
    other = journal.record_of(CutCardOut(9), FRAME, [CutCardSeen(1)], at_utc=AT)
    assert journal.write(other) == [2]
    assert not journal.is_next(record)
    assert kinds(path) == ["CardDealt", "CutCardSeen"]
    assert is_clean(path)


def test_a_second_guess_takes_the_place_of_the_first(journal: Journal, path: Path) -> None:
    likely(journal)
    other = journal.record_of(CutCardOut(9), FRAME, [CutCardSeen(1)], at_utc=AT)
    journal.get_ready(other)
    journal.write(other)
    assert kinds(path) == ["CardDealt", "CutCardSeen"]
    assert is_clean(path)


def test_files_and_stray_bytes_are_kept_without_it(journal: Journal, path: Path) -> None:
    likely(journal)
    journal.add_configuration("id", {"a.yaml": "a: 1\n"})
    record = likely(journal)
    journal.keep_trace(b"\x05?" * 40_000)
    assert kinds(path) == ["CardDealt"]
    journal.write(record)
    assert kinds(path) == ["CardDealt", "CardDealt"]
    assert is_clean(path)


def test_a_kill_leaves_nothing_of_it(journal: Journal, path: Path, tmp_path: Path) -> None:
    likely(journal)
    killed = tmp_path / "killed"
    shutil.copytree(path.parent, killed, ignore=lambda _, names: [name for name in names if name == "killed"])
    with closing(Journal.open(killed / path.name, "bac-07", simulation=True)) as again:
        assert again.last_seq() == 1
        append_card(again)
    assert is_clean(killed / path.name)


def test_closing_leaves_nothing_of_it(path: Path) -> None:
    journal = Journal.open(path, "bac-07", simulation=True)
    likely(journal)
    journal.close()
    assert kinds(path) == []
    assert is_clean(path)


def test_once_it_is_given_up_no_transaction_stands_open(journal: Journal, path: Path) -> None:
    record = likely(journal)
    journal.give_up()
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    assert journal.write(record) == [2]
    assert is_clean(path)


def test_while_another_holds_the_file_nothing_is_ready_and_the_write_is_as_ever(journal: Journal, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        record = likely(journal)
        other.execute("ROLLBACK")
    assert journal.write(record) == [2]
    assert kinds(path) == ["CardDealt", "CardDealt"]
    assert is_clean(path)

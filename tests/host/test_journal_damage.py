"""Cuts and flips: a damaged journal is recovered to its longest good part or refused, and always said.

What a test rests on is made once: a journal with shoes, coups and bets, at rest, and one whose last records still stand
in the write-ahead log.
"""

import random
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from controller.host.journal import Journal, JournalRefused
from controller.host.journal_format import RecordedInput, input_columns, link
from controller.host.journal_key import read_key
from controller.host.journal_reader import JournalReader
from controller.host.journal_walk import link_after, walk
from tests.lab.recorded_table import RecordedTable

TAIL = 64 * 1024
TABLES = (
    *("about", "beginnings", "configurations", "inputs", "events", "starts", "shoes", "cards", "coups", "bets"),
    "snapshots",
)


def played(path: Path) -> RecordedTable:
    table = RecordedTable(path)
    table.begins()
    table.coup()
    table.void()
    for _ in range(5):
        table.coup()
    return table


@pytest.fixture(scope="module")
def at_rest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rest") / "demo.journal"
    played(path).close()
    return path


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a kill leaves it."""
    path = tmp_path_factory.mktemp("running") / "demo.journal"
    killed = tmp_path_factory.mktemp("killed") / "demo.journal"
    table = played(path)
    for name in ("demo.journal", "demo.journal-wal"):
        shutil.copy(path.with_name(name), killed.with_name(name))
    shutil.copytree(path.parent / "keys", killed.parent / "keys")
    table.close()
    return killed


def copied(source: Path, folder: Path) -> Path:
    """The journal with its key, its head and its log, in a folder of its own."""
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    return folder / source.name


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as plain:
        return {table: plain.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}


def said_by_verify(path: Path, most: int | None = None) -> list[str]:
    try:
        with JournalReader(path) as reader:
            return list(islice(reader.troubles(), most))
    except JournalRefused as refused:
        return [str(refused)]


def said_at_start(path: Path) -> tuple[str, int]:
    """What a start says (empty: nothing), and how many events it goes on with."""
    try:
        with closing(Journal.open(path, "demo", simulation=True)) as journal:
            return journal.trouble, journal.last_seq()
    except JournalRefused as refused:
        return str(refused), -1


def cuts(size: int, every: int, part: int, parts: int) -> list[int]:
    first = max(0, size - TAIL)
    return [*range(first, size, every), *range(max(first, size - 40), size)][part::parts]


def cut_everywhere(source: Path, suffix: str, folder: Path, every: int, part: int = 0, parts: int = 1) -> None:
    path = copied(source, folder)
    cut = path.with_name(path.name + suffix)
    whole, written = cut.read_bytes(), len(content(path)["events"])
    before = path.read_bytes()
    for size in cuts(len(whole), every, part, parts):
        for left in (f"{path}-shm", f"{path}-wal"):
            Path(left).unlink(missing_ok=True)
        path.write_bytes(before)
        cut.write_bytes(whole[:size])
        (found,) = said_by_verify(path, most=1) or [""]
        assert found, (suffix, size)
        assert "\n" not in found
        trouble, events = said_at_start(path)
        assert trouble, (suffix, size)
        assert events <= written
        assert "\n" not in trouble


def test_a_database_cut_at_its_end_is_refused(at_rest: Path, tmp_path: Path) -> None:
    """Fault 57."""
    cut_everywhere(at_rest, "", tmp_path / "cut", every=1009)


def test_a_log_cut_at_its_end_is_recovered_to_its_longest_good_part_and_said(running: Path, tmp_path: Path) -> None:
    cut_everywhere(running, "-wal", tmp_path / "cut", every=1009)


@pytest.mark.parametrize("part", range(8))
@pytest.mark.long
def test_a_database_cut_at_every_byte_of_its_last_64_kib_is_refused(at_rest: Path, tmp_path: Path, part: int) -> None:
    cut_everywhere(at_rest, "", tmp_path / "cut", every=1, part=part, parts=8)


@pytest.mark.parametrize("part", range(8))
@pytest.mark.long
def test_a_log_cut_at_every_byte_of_its_last_64_kib_is_said(running: Path, tmp_path: Path, part: int) -> None:
    cut_everywhere(running, "-wal", tmp_path / "cut", every=1, part=part, parts=8)


def test_a_cut_log_is_left_as_it_is(running: Path, tmp_path: Path) -> None:
    """What could still be saved from it is not written over."""
    path = copied(running, tmp_path / "cut")
    log = path.with_name(path.name + "-wal")
    log.write_bytes(log.read_bytes()[:-5000])
    kept = log.read_bytes(), path.read_bytes()
    trouble, _ = said_at_start(path)
    assert "are missing: find the whole journal" in trouble
    assert (log.read_bytes(), path.read_bytes()) == kept


# Flips.


def leaf_cells(data: bytes, page_size: int) -> Iterator[tuple[int, int]]:
    """Where each cell of a table's leaf pages lies: first byte and the one after the last."""
    for page in range(len(data) // page_size):
        start = page * page_size
        head = start + (100 if page == 0 else 0)
        if data[head] != 13:
            continue
        if not (count := int.from_bytes(data[head + 3 : head + 5], "big")):
            continue
        pointers = data[head + 8 : head + 8 + 2 * count]
        starts = sorted(start + int.from_bytes(pointers[2 * n : 2 * n + 2], "big") for n in range(count))
        yield from zip(starts, [*starts[1:], start + page_size], strict=True)


def flip_all(source: Path, folder: Path, places: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Flip each bit by itself: it is found, or nothing that can be read is another. How many of each."""
    path = copied(source, folder)
    whole, good = path.read_bytes(), content(path)
    found = changed_nothing = 0
    for offset, bit in places:
        flipped = bytearray(whole)
        flipped[offset] ^= 1 << bit
        path.write_bytes(flipped)
        if said_by_verify(path):
            found += 1
        else:
            assert content(path) == good, (offset, bit)
            changed_nothing += 1
    return found, changed_nothing


def row_cells(path: Path) -> list[tuple[int, int]]:
    """The cells that hold an input of a card, an event, a card, a coup, a snapshot."""
    data = path.read_bytes()
    cells = list(leaf_cells(data, 4096))
    marks = (b'{"input":"CardRead"', b'{"event":"PlayerDrew"', b"player-3", b"2H 2S 4D3C KD ACmixed")
    found = []
    for mark in marks[:3]:
        found += [cell for cell in cells if mark in data[cell[0] : cell[1]] and cell[1] - cell[0] < 600][-1:]
    return found


def test_every_bit_of_a_row_is_covered(at_rest: Path, tmp_path: Path) -> None:
    """Fault 61: an input, an event, a card: each byte, one bit; every bit in the long run."""
    places = [(offset, offset % 8) for first, after in row_cells(at_rest) for offset in range(first, after, 3)]
    found, nothing = flip_all(at_rest, tmp_path / "flip", places)
    assert len(places) > 100
    assert nothing <= len(places) // 20  # bytes between two cells that SQLite does not use
    assert found + nothing == len(places)


@pytest.mark.long
def test_every_single_bit_of_some_rows_is_covered(at_rest: Path, tmp_path: Path) -> None:
    places = [(at, bit) for first, after in row_cells(at_rest) for at in range(first, after) for bit in range(8)]
    found, nothing = flip_all(at_rest, tmp_path / "flip", places)
    assert nothing <= len(places) // 20
    assert found + nothing == len(places)


def test_flips_anywhere_in_the_file_are_found_or_change_nothing_that_can_be_read(at_rest: Path, tmp_path: Path) -> None:
    chance = random.Random(43)
    size = at_rest.stat().st_size
    places = [(chance.randrange(size), chance.randrange(8)) for _ in range(150)]
    found, nothing = flip_all(at_rest, tmp_path / "flip", places)
    assert found > 0
    assert nothing > 0


@pytest.mark.long
def test_many_flips_anywhere(at_rest: Path, tmp_path: Path) -> None:
    chance = random.Random(44)
    size = at_rest.stat().st_size
    flip_all(at_rest, tmp_path / "flip", [(chance.randrange(size), chance.randrange(8)) for _ in range(20_000)])


def test_a_flip_in_a_page_that_sqlite_does_not_use_changes_nothing(at_rest: Path, tmp_path: Path) -> None:
    path = copied(at_rest, tmp_path / "flip")
    with closing(sqlite3.connect(path)) as plain:
        plain.executescript("CREATE TABLE gone (a); INSERT INTO gone VALUES (zeroblob(20000)); DROP TABLE gone;")
        (free,) = plain.execute("PRAGMA freelist_count").fetchone()
    assert free >= 5
    good, data = content(path), bytearray(path.read_bytes())
    data[-2000] ^= 1  # the last pages are free ones
    path.write_bytes(data)
    assert said_by_verify(path) == []
    assert content(path) == good
    assert said_at_start(path)[0] == ""


def test_a_flip_anywhere_in_the_log_is_said(running: Path, tmp_path: Path) -> None:
    """Its checksum does not fit any more, so SQLite takes that record and all after it for never written."""
    path = copied(running, tmp_path / "flip")
    log = path.with_name(path.name + "-wal")
    data, before = log.read_bytes(), path.read_bytes()
    with JournalReader(path) as reader:
        written = reader.last_input()
    for offset in range(3, len(data), 9973):
        flipped = bytearray(data)
        flipped[offset] ^= 1 << offset % 8
        path.write_bytes(before)
        path.with_name(path.name + "-shm").unlink(missing_ok=True)
        log.write_bytes(flipped)
        found = said_by_verify(path)
        if not found:  # a frame of a page that a later one replaces
            with JournalReader(path) as reader:
                assert reader.last_input() == written
        else:
            assert said_at_start(path)[0], offset


# Forgers.


def rechain(path: Path) -> None:
    """Give every input the hash that its columns make, as somebody without the key can."""
    with closing(sqlite3.connect(path)) as plain:
        while wrong := next((row for row in walk(plain, None) if row.trouble), None):
            assert isinstance(wrong, RecordedInput), wrong
            before = link_after(plain, wrong.seq - 1)
            assert before is not None
            own = [wrong.events, wrong.starts, wrong.shoes, wrong.cards, wrong.coups, wrong.bets]
            made = link(None, before, input_columns(wrong, wrong.raw, own))
            plain.execute("UPDATE inputs SET hash = ? WHERE seq = ?", (made.hash, wrong.seq))
            plain.commit()


def test_rows_changed_and_chained_anew_without_the_key_are_found(at_rest: Path, tmp_path: Path) -> None:
    path = copied(at_rest, tmp_path / "forged")
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("UPDATE bets SET returned = 990000 WHERE coup = 3 AND seat = 1")
        (seq,) = plain.execute("SELECT input FROM bets WHERE coup = 3 AND seat = 1").fetchone()
        plain.commit()
    rechain(path)
    assert said_by_verify(path)[0] == f"record {seq} was not written with this table's key"
    key = path.parent / "keys" / "demo.key"
    key.unlink()
    assert said_by_verify(path) == []  # without the key nobody can tell: verify says that it is missing


def test_yesterdays_file_in_the_place_of_todays_is_found_with_how_much_is_missing(tmp_path: Path) -> None:
    """Fault 62."""
    path = tmp_path / "demo.journal"
    table = RecordedTable(path)
    table.begins()
    table.close()
    yesterday = path.read_bytes()
    table = RecordedTable(path)
    table.close()
    path.write_bytes(yesterday)
    for said in (said_by_verify(path)[0], said_at_start(path)[0]):
        assert "ends at record 4, but 5 were written: 1 are missing" in said


def test_a_journal_that_is_gone_is_not_begun_anew(at_rest: Path, tmp_path: Path) -> None:
    path = copied(at_rest, tmp_path / "gone")
    path.unlink()
    trouble, _ = said_at_start(path)
    assert "is gone, all " in trouble
    assert not path.exists()
    (path.parent / "keys" / f"{path.name}.head").unlink()
    assert said_at_start(path) == ("", 0)


# The key.


def test_a_key_is_made_once_and_is_its_users_own(tmp_path: Path) -> None:
    path = tmp_path / "demo.journal"
    Journal.open(path, "demo", simulation=True).close()
    key = tmp_path / "keys" / "demo.key"
    assert key.stat().st_mode & 0o777 == 0o600
    first = read_key(key)
    Journal.open(path, "demo", simulation=True).close()
    assert read_key(key) == first
    assert len(first) == 32


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda key: key.unlink(), "is missing: put it back"),
        (lambda key: key.chmod(0o644), "may be read by others: chmod 600"),
        (lambda key: key.write_text("0" * 64), "was not written with the key"),
        (lambda key: key.write_text("secret"), "is no key (64 digits in hex)"),
        (lambda key: (key.unlink(), key.mkdir()), "is no file"),
    ],
)
def test_a_key_that_cannot_be_the_right_one_keeps_the_table_from_starting(
    at_rest: Path,
    tmp_path: Path,
    change,  # type: ignore[no-untyped-def]
    said: str,
) -> None:
    path = copied(at_rest, tmp_path / "key")
    before = path.read_bytes()
    change(path.parent / "keys" / "demo.key")
    trouble, _ = said_at_start(path)
    assert said in trouble
    assert "\n" not in trouble
    assert path.read_bytes() == before


def test_the_key_may_lie_elsewhere_and_the_head_with_it(tmp_path: Path) -> None:
    path, key = tmp_path / "a" / "demo.journal", tmp_path / "b" / "k"
    with closing(Journal.open(path, "demo", simulation=True, key=key)):
        assert (tmp_path / "b" / "demo.journal.head").exists()
    assert not (tmp_path / "a" / "keys").exists()
    with pytest.raises(JournalRefused, match="is missing"):
        Journal.open(path, "demo", simulation=True)


def test_another_key_does_not_let_a_second_writer_in(tmp_path: Path) -> None:
    path, key = tmp_path / "demo.journal", tmp_path / "b" / "k"
    with closing(Journal.open(path, "demo", simulation=True)):
        key.parent.mkdir()
        shutil.copy(tmp_path / "keys" / "demo.key", key)
        with pytest.raises(JournalRefused, match="in use by another punto"):
            Journal.open(path, "demo", simulation=True, key=key)


# A start.


def test_a_start_goes_on_from_the_coup_in_play(at_rest: Path, tmp_path: Path) -> None:
    from tests.lab.recorded_table import demo_file

    path, rules = copied(at_rest, tmp_path / "start"), demo_file().rules
    with closing(Journal.open(path, "demo", simulation=True)) as journal:
        state, records = journal.replay_from_last_shoe({rules.identity: rules})
        assert state is not None
        assert (state.coup, list(records)) == (8, [])


def test_a_start_without_the_kept_state_follows_the_whole_shoe(at_rest: Path, tmp_path: Path) -> None:
    from tests.lab.recorded_table import demo_file

    path, rules = copied(at_rest, tmp_path / "start"), demo_file().rules
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("DELETE FROM snapshots")
        plain.commit()
    with closing(Journal.open(path, "demo", simulation=True)) as journal:
        state, records = journal.replay_from_last_shoe({rules.identity: rules})
        assert state is not None
        assert state.coup <= 1
        assert len(list(records)) > 60

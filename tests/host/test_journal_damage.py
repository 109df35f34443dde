"""Cuts and flips: a damaged journal is recovered to its longest good part or refused, and always said.

What a test rests on is made once: a journal with shoes, coups and bets, at rest, and one whose last records still stand
in the write-ahead log.
"""

import hashlib
import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice, product
from pathlib import Path

import pytest

from controller.host.config_file import ConfigErrors
from controller.host.journal import Journal, JournalRefused
from controller.host.journal_format import RecordedConfiguration, RecordedInput, first_link, input_columns, link
from controller.host.journal_key import read_key
from controller.host.journal_reader import JournalReader
from controller.host.journal_walk import about_of, kept_before, walk
from controller.host.lines import RecordUnreadable
from controller.host.recorded_rules import RecordedRules
from tests.lab.recorded_table import RecordedTable, demo_file

pytestmark = pytest.mark.untraced

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
    table = RecordedTable(path)
    table.begins()
    table.coup()
    for name in ("demo.journal", "demo.journal-wal"):
        shutil.copy(path.with_name(name), killed.with_name(name))
    shutil.copytree(path.parent / "keys", killed.parent / "keys")
    table.close()
    return killed


def copied(source: Path, folder: Path) -> Path:
    """The journal with its key, its head and its log, in a folder of its own."""
    for left in ("-wal", "-shm"):
        (folder / f"{source.name}{left}").unlink(missing_ok=True)
    shutil.copytree(source.parent, folder, dirs_exist_ok=True)
    return folder / source.name


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as plain:
        return {table: plain.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in TABLES}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A row of every table, and some stray bytes of the shoe's line: one coup, 72 KiB."""
    path = tmp_path_factory.mktemp("small") / "demo.journal"
    table = RecordedTable(path)
    table.begins()
    table.coup()
    table.journal.keep_trace(b"\x05\x1d" * 40)
    table.close()
    return path


@pytest.fixture(scope="module")
def dense(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same rows in pages of 512 bytes, of which few bytes are not used."""
    path = copied(small, tmp_path_factory.mktemp("dense"))
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        for statement in (
            "PRAGMA journal_mode = DELETE",
            "PRAGMA page_size = 512",
            "VACUUM",
            "PRAGMA journal_mode = WAL",
        ):
            plain.execute(statement).fetchall()
    assert path.stat().st_size < 32 * 1024
    return path


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
        cut.write_bytes(whole[:size])
        (found,) = said_by_verify(path, most=1) or [""]
        assert found, (suffix, size)
        assert "\n" not in found
        trouble, events = said_at_start(path)
        assert trouble, (suffix, size)
        assert events <= written
        assert "\n" not in trouble
        assert path == cut or path.read_bytes() == before, "a journal that lost its end was written to"


def test_a_database_cut_at_its_end_is_refused(small: Path, tmp_path: Path) -> None:
    """Fault 57."""
    cut_everywhere(small, "", tmp_path / "cut", every=1009)


def test_a_log_cut_at_its_end_is_recovered_to_its_longest_good_part_and_said(running: Path, tmp_path: Path) -> None:
    cut_everywhere(running, "-wal", tmp_path / "cut", every=1009)


@pytest.mark.parametrize("part", range(8))
@pytest.mark.long
def test_a_database_cut_at_every_byte_of_its_last_64_kib_is_refused(small: Path, tmp_path: Path, part: int) -> None:
    cut_everywhere(small, "", tmp_path / "cut", every=1, part=part, parts=8)


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


def flip_all(source: Path, folder: Path, places: Iterable[tuple[int, int]], start_every: int = 0) -> tuple[int, int]:
    """Flip each bit (byte, bit) by itself: it is found, or nothing that can be read is another. How many of each."""
    path = copied(source, folder)
    whole, good = path.read_bytes(), content(path)
    goes_on = as_a_start_sees_it(copied(source, folder / "good"))
    found = changed_nothing = 0
    with path.open("r+b", buffering=0) as file:
        for number, (offset, bit) in enumerate(places):
            os.pwrite(file.fileno(), bytes([whole[offset] ^ 1 << bit]), offset)
            if said_by_verify(path, most=1):
                found += 1
            else:
                assert content(path) == good, (offset, bit)
                changed_nothing += 1
            if start_every and number % start_every == 0:
                seen = as_a_start_sees_it(copied(path, folder.with_name(f"{folder.name}-start")))
                assert seen == goes_on or isinstance(seen, str), (offset, bit)
            os.pwrite(file.fileno(), whole[offset : offset + 1], offset)
    assert said_by_verify(path) == []
    return found, changed_nothing


def as_a_start_sees_it(path: Path) -> object:
    """One line that says why a start does not go on; else the state and the inputs with which it does."""
    rules = demo_file().rules
    try:
        with closing(Journal.open(path, "demo", simulation=True)) as journal:
            if journal.trouble:
                return journal.trouble
            RecordedRules(journal.configurations())[rules.identity]
            state, records = journal.replay_from_last_shoe({rules.identity: rules})
            return journal.anchor(), journal.last_seq(), state, list(records)
    except (JournalRefused, RecordUnreadable, ConfigErrors) as wrong:
        return str(wrong)
    except (sqlite3.Error, AssertionError, KeyError, TypeError, ValueError, OverflowError) as wrong:  # as a start does
        return f"{type(wrong).__name__}: {wrong}"


def every_bit(path: Path, part: int = 0, parts: int = 1, every: int = 1) -> Iterator[tuple[int, int]]:
    return islice(product(range(path.stat().st_size), range(8)), part, None, parts * every)


def test_a_flip_in_any_page_is_found_or_changes_nothing_that_can_be_read(small: Path, tmp_path: Path) -> None:
    """Fault 61: some bits of every page; every bit of them all in the long run."""
    found, nothing = flip_all(small, tmp_path / "flip", every_bit(small, every=1009), start_every=12)
    assert found > 50
    assert nothing > 50  # most of a page of few rows is not used


@pytest.mark.parametrize("part", range(16))
@pytest.mark.long
def test_every_bit_of_every_page_is_covered(dense: Path, tmp_path: Path, part: int) -> None:
    found, nothing = flip_all(dense, tmp_path / "flip", every_bit(dense, part, 16), start_every=400)
    assert found + nothing == dense.stat().st_size * 8 // 16
    assert found > nothing
    print(f"{found} bits found, {nothing} changed nothing")


@pytest.mark.parametrize("part", range(4))
@pytest.mark.long
def test_some_bits_of_every_page_of_the_size_that_is_used(small: Path, tmp_path: Path, part: int) -> None:
    found, nothing = flip_all(small, tmp_path / "flip", every_bit(small, 17 * part, 1, 17 * 4), start_every=400)
    assert found > 1000
    print(f"{found} bits found, {nothing} changed nothing")


def other_values(value: object) -> Iterator[object]:
    """All that a column's value is with one bit of it another, or with none at all."""
    match value:
        case int():
            for bit in range(64):
                turned = (value ^ 1 << bit) & 2**64 - 1
                yield turned - 2**64 if turned >= 2**63 else turned
        case str():
            for other in _flipped(value.encode()):
                yield other.decode("utf-8", "surrogateescape")
        case bytes():
            yield from _flipped(value)
        case _:
            yield from (0, 1, "", "0")
    yield None


def _flipped(value: bytes) -> Iterator[bytes]:
    for at, bit in product(range(len(value)), range(8)):
        yield value[:at] + bytes([value[at] ^ 1 << bit]) + value[at + 1 :]


def columns(plain: sqlite3.Connection, table: str) -> list[str]:
    return [name for (name,) in plain.execute("SELECT name FROM pragma_table_info(?)", (table,))]


def changed_values(path: Path, table: str, part: int, parts: int) -> tuple[int, int]:
    """Give each column of a table's last row each such value: how many were found, how many SQLite does not take."""
    tried = not_taken = 0
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA synchronous = OFF")
        row = f"(SELECT count(*) - 1 FROM {table})"
        key = ", ".join(name for (name,) in plain.execute(f"SELECT name FROM pragma_table_info('{table}') WHERE pk"))
        values = plain.execute(f"SELECT * FROM {table} ORDER BY {key} LIMIT 1 OFFSET {row}").fetchone()
        names = columns(plain, table)
        where = " AND ".join(f"{name} IS ?" for name in names)
        for at, name in enumerate(names):
            for other in islice(other_values(values[at]), (part + at) % parts, None, parts):
                if other is values[at]:  # NULL already
                    continue
                as_stored = other.encode("utf-8", "surrogateescape") if isinstance(other, str) else other
                put = "CAST(? AS TEXT)" if isinstance(other, str) else "?"
                try:
                    plain.execute(f"UPDATE {table} SET {name} = {put} WHERE {where}", (as_stored, *values))
                except sqlite3.IntegrityError:  # no NULL here, another type, or another row with this key
                    not_taken += 1
                    continue
                assert bool(said_by_verify(path, most=1)) is (table != "trace"), (table, name, other)
                tried += 1
                back = f"UPDATE {table} SET {name} = ? WHERE {name} IS {put}"
                for column, value in zip(names, values, strict=True):
                    back += "" if column == name else f" AND {column} IS {_literal(value)}"
                assert plain.execute(back, (values[at], as_stored)).rowcount == 1
    assert said_by_verify(path) == []
    return tried, not_taken


def _literal(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bytes():
            return f"x'{value.hex()}'"
        case str():
            return f"CAST(x'{value.encode().hex()}' AS TEXT)"
        case _:
            return str(value)


@pytest.mark.parametrize("table", [*TABLES, "trace"])
def test_each_column_of_each_table_is_covered(small: Path, tmp_path: Path, table: str) -> None:
    """Every column with some of its bits turned, whole numbers and NULLs too. The trace bears nothing: not chained."""
    path = copied(small, tmp_path / "columns")
    good = content(path)
    tried, _ = changed_values(path, table, 3, 29)
    assert tried > 2
    assert content(path) == good


@pytest.mark.parametrize("table", [*TABLES, "trace"])
@pytest.mark.long
def test_every_bit_of_every_column_of_a_row_of_each_table_is_covered(small: Path, tmp_path: Path, table: str) -> None:
    tried, not_taken = changed_values(copied(small, tmp_path / "columns"), table, 0, 1)
    print(f"{table}: {tried} values, {not_taken} more that the table does not take")


def test_stray_bytes_that_were_changed_keep_no_table_from_going_on(small: Path, tmp_path: Path) -> None:
    good = as_a_start_sees_it(copied(small, tmp_path / "good"))
    path = copied(small, tmp_path / "trace")
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("UPDATE trace SET data = x'00', after_input = 99")
        plain.commit()
    assert as_a_start_sees_it(path) == good
    assert not isinstance(good, str)


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

EDITS = {
    "about": "UPDATE about SET value = 'false' WHERE key = 'simulation'",
    "beginnings": "UPDATE beginnings SET at_utc = '2020-01-01T00:00:00+00:00'",
    "configurations": "UPDATE configurations SET text = replace(text, '8:1', '9:1') WHERE name = 'paytable'",
    "inputs": "UPDATE inputs SET body = replace(body, '10000', '20000') WHERE kind = 'PlaceBet'",
    "events": "UPDATE events SET body = replace(body, '20000', '30000') WHERE kind = 'CoupSettled'",
    "starts": "UPDATE starts SET files = tableau",
    "shoes": "UPDATE shoes SET decks = 6",
    "cards": "UPDATE cards SET card = '9S' WHERE place = 'player-1'",
    "coups": "UPDATE coups SET returned = 0, house_net = staked",
    "bets": "UPDATE bets SET stake = 1000, returned = 2000 WHERE seat = 1",
    "snapshots": "UPDATE snapshots SET state = replace(state, '\"coup\":2', '\"coup\":3')",
}
"""What somebody would rather have written."""
UNSEEN_WITHOUT_THE_KEY = ("beginnings", "snapshots")
"""What only a MAC covers, which cannot be checked, nor made anew, without the key."""


def sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        for statement in statements:
            assert plain.execute(statement).rowcount > 0, statement


def rechain(path: Path) -> None:
    """Give every row the hash that its columns make, as somebody without the key can."""
    with closing(sqlite3.connect(path)) as plain:
        before = first_link(None, about_of(plain))
        plain.execute("UPDATE beginnings SET hash = ?, kept = ?", (before.hash, kept_before(plain, 0)))
        for row in list(walk(plain, None)):
            if isinstance(row, RecordedConfiguration):
                plain.execute("UPDATE configurations SET sha256 = ? WHERE number = ?", (_sha256(row.text), row.number))
                made = link(None, before, ["configuration", *row[:3], _sha256(row.text), *row[4:6]])
                plain.execute("UPDATE configurations SET hash = ? WHERE number = ?", (made.hash, row.number))
            else:
                assert isinstance(row, RecordedInput), row
                own = [row.events, row.starts, row.shoes, row.cards, row.coups, row.bets]
                made = link(None, before, input_columns(row, row.raw, own))
                plain.execute("UPDATE inputs SET hash = ? WHERE seq = ?", (made.hash, row.seq))
            before = made
        plain.commit()


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("table", EDITS)
def test_rows_changed_and_chained_anew_without_the_key_are_found(small: Path, tmp_path: Path, table: str) -> None:
    path = copied(small, tmp_path / "forged")
    head = path.parent / "keys" / f"{path.name}.head"
    sql(path, EDITS[table])
    assert said_by_verify(path, most=1)
    rechain(path)
    (found,) = said_by_verify(path, most=1)
    assert "was not written with this table's key" in found or "is not what was written" in found
    assert isinstance(as_a_start_sees_it(copied(path, tmp_path / "start")), str) or table == "beginnings"
    (path.parent / "keys" / "demo.key").unlink()
    head.unlink()
    assert said_by_verify(path) == []  # without the key nobody can tell: verify says that it is missing


@pytest.mark.parametrize("table", TABLES)
def test_a_row_taken_out_put_in_or_exchanged_with_another_is_found(at_rest: Path, tmp_path: Path, table: str) -> None:
    whole = content(at_rest)[table]
    for way in ("taken out", "put in", "exchanged"):
        path = copied(at_rest, tmp_path / way)
        with closing(sqlite3.connect(path)) as plain:
            names = columns(plain, table)
            keys = {"bets": 2}.get(table, 1)
            first, last = (dict(zip(names, row, strict=True)) for row in (whole[0], whole[-1]))
            where = " AND ".join(f"{name} = :{name}" for name in names[:keys])
            if way == "taken out":
                plain.execute(f"DELETE FROM {table} WHERE {where}", first)
            elif way == "put in":
                new = last | {names[0]: "zz" if table == "about" else last[names[0]] + 1}
                new |= {"name": "zz"} if table == "configurations" else {}
                plain.execute(f"INSERT INTO {table} VALUES ({','.join(':' + name for name in names)})", new)
            elif len(whole) > 1:
                sets = ", ".join(f"{name} = :{name}" for name in names[keys:])
                plain.execute("DROP INDEX IF EXISTS inputs_by_order")
                for one, other in ((first, last), (last, first)):
                    other = {name: one[name] if name in names[:keys] else other[name] for name in names}
                    if table == "configurations":
                        plain.execute("UPDATE configurations SET name = name || '-' WHERE name = :name", other)
                    plain.execute(f"UPDATE {table} SET {sets} WHERE {where}", other)
                plain.execute("CREATE INDEX inputs_by_order ON inputs (order_id, seq) WHERE order_id IS NOT NULL")
            plain.commit()
        if content(path) == content(at_rest):
            assert way == "exchanged"
            assert len(whole) == 1
        elif (table, way) == ("snapshots", "taken out"):
            assert said_by_verify(path) == []  # a start then reads the whole shoe
        else:
            assert said_by_verify(path, most=1), way


def test_a_view_or_trigger_that_tells_or_writes_other_sums_is_found(at_rest: Path, tmp_path: Path) -> None:
    for statements in (
        (
            "DROP VIEW shoe_totals",
            "CREATE VIEW shoe_totals AS SELECT shoe, sum(staked) AS hold FROM coups GROUP BY shoe",
        ),
        ("CREATE TRIGGER more AFTER INSERT ON coups BEGIN UPDATE coups SET returned = 0; END",),
        ("CREATE TABLE coups_2 AS SELECT * FROM coups",),
        ("DROP INDEX inputs_by_order",),
    ):
        path = copied(at_rest, tmp_path / str(len(statements[0])))
        with closing(sqlite3.connect(path)) as plain:
            for statement in statements:
                plain.execute(statement)
            plain.commit()
        assert "is not as a journal has it" in said_by_verify(path)[0]
        before = path.read_bytes()
        assert "is not as a journal has it" in said_at_start(path)[0]
        assert path.read_bytes() == before


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
    path, rules = copied(at_rest, tmp_path / "start"), demo_file().rules
    with closing(Journal.open(path, "demo", simulation=True)) as journal:
        state, records = journal.replay_from_last_shoe({rules.identity: rules})
        assert state is not None
        assert (state.coup, list(records)) == (8, [])


def test_a_start_without_the_kept_state_follows_the_whole_shoe(at_rest: Path, tmp_path: Path) -> None:
    path, rules = copied(at_rest, tmp_path / "start"), demo_file().rules
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("DELETE FROM snapshots")
        plain.commit()
    with closing(Journal.open(path, "demo", simulation=True)) as journal:
        state, records = journal.replay_from_last_shoe({rules.identity: rules})
        assert state is not None
        assert state.coup <= 1
        assert len(list(records)) > 60

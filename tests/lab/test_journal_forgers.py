"""Somebody changes money in a journal, with the key or without, and would rather not be told of."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.cli import main
from controller.host.journal import Journal, JournalRefused
from controller.host.journal_format import RecordedConfiguration, RecordedInput, first_link, input_columns, link
from controller.host.journal_key import read_key
from controller.host.journal_walk import (
    about_of,
    beginning,
    beginning_seal,
    kept_before,
    link_after,
    snapshot_seal,
    walk,
)
from tests.lab.recorded_table import RecordedTable


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "demo.journal"
    table = RecordedTable(path)
    table.begins()
    for _ in range(3):
        table.coup()
    table.close()
    return path


@pytest.fixture
def path(recorded: Path, tmp_path: Path) -> Path:
    shutil.copytree(recorded.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / recorded.name


@pytest.fixture
def punto(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """`punto journal`: its exit code and all that it says."""

    def run(*words: object) -> tuple[int, str]:
        code = main(["journal", *map(str, words)])
        return code, "".join(capsys.readouterr())

    return run


Punto = Callable[..., tuple[int, str]]


def head(path: Path) -> Path:
    return path.parent / "keys" / f"{path.name}.head"


def starts(path: Path) -> str:
    """What a start says against the journal; empty when it goes on."""
    try:
        with closing(Journal.open(path, "demo", simulation=True)) as journal:
            return journal.trouble
    except JournalRefused as refused:
        return str(refused)


def sql(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as plain:
        for statement in statements:
            assert plain.execute(statement).rowcount > 0, statement


def rechain(path: Path, key: bytes | None) -> None:
    """Chain and MACs anew over whatever the rows say now; without the key only what anybody can work out."""
    with closing(sqlite3.connect(path)) as plain:
        before = first_link(key, about_of(plain))
        if key is not None:
            plain.execute("UPDATE beginnings SET chain = ?", (before.chain,))
        plain.execute("UPDATE beginnings SET hash = ?, kept = ?", (before.hash, kept_before(plain, 0)))
        if key is not None:
            mac = beginning_seal(key, about_of(plain), beginning(plain))
            plain.execute("UPDATE beginnings SET mac = ?", (mac,))
        for row in list(walk(plain, None)):
            if isinstance(row, RecordedConfiguration):
                before = link(key, before, ["configuration", *row[:6]])
                place = ("configurations", "number", row.number)
            else:
                assert isinstance(row, RecordedInput), row
                own = [row.events, row.starts, row.shoes, row.cards, row.coups, row.bets]
                before = link(key, before, input_columns(row, row.raw, own))
                place = ("inputs", "seq", row.seq)
            table, column, number = place
            plain.execute(f"UPDATE {table} SET hash = ? WHERE {column} = ?", (before.hash, number))
            if key is not None:
                plain.execute(f"UPDATE {table} SET chain = ? WHERE {column} = ?", (before.chain, number))
        for seq, state in plain.execute("SELECT input, state FROM snapshots").fetchall():
            after = link_after(plain, seq)
            if key is not None and after is not None:
                mac = snapshot_seal(key, seq, after.chain, state)
                plain.execute("UPDATE snapshots SET mac = ? WHERE input = ?", (mac, seq))
        plain.commit()


OF_COUP_2 = "WHERE shoe = 1 AND coup = 2"
MORE_FOR_SEAT_1 = (
    f"UPDATE bets SET won = 90000, returned = 100000 {OF_COUP_2} AND seat = 1",
    f"UPDATE coups SET returned = 100000, house_net = -70000 {OF_COUP_2}",
    'UPDATE events SET body = replace(replace(replace(body, \'"won":10000,"returned":20000\', '
    f'\'"won":90000,"returned":100000\'), \'"returned":20000\', \'"returned":100000\'), '
    f"'\"house_net\":10000', '\"house_net\":-70000') {OF_COUP_2} AND kind = 'CoupSettled'",
)
"""The same lie in every table that tells of the coup's money."""
ANOTHER_CARD = (
    f"UPDATE cards SET card = '3H' {OF_COUP_2} AND place = 'player-1'",
    f"UPDATE events SET body = replace(body, '\"2H\"', '\"3H\"') {OF_COUP_2}",
    f"UPDATE coups SET player = replace(player, '2H', '3H') {OF_COUP_2}",
)
A_BET_MORE = (
    f"UPDATE bets SET stake = 20000, won = 20000, returned = 40000 {OF_COUP_2} AND seat = 1",
    f"UPDATE coups SET staked = 40000, returned = 40000, house_net = 0 {OF_COUP_2}",
    "UPDATE events SET body = replace(replace(replace(body, '\"returned\":20000', '\"returned\":40000'), '30000',"
    f" '40000'), '10000', '20000') {OF_COUP_2} AND kind = 'CoupSettled'",
    f"UPDATE events SET body = replace(body, '10000', '20000') {OF_COUP_2} AND kind = 'BetPlaced'",
)
RULES = ("UPDATE configurations SET text = replace(text, '8:1', '9:1') WHERE name = 'paytable'",)


@pytest.mark.parametrize("lie", [MORE_FOR_SEAT_1, ANOTHER_CARD, A_BET_MORE, RULES])
def test_without_the_key_no_lie_however_consistent_verifies(path: Path, punto: Punto, lie: tuple[str, ...]) -> None:
    sql(path, *lie)
    code, said = punto("verify", path)
    assert code == 1
    rechain(path, None)
    code, said = punto("verify", path)
    assert code == 1
    assert "was not written with this table's key" in said or "is not what was written" in said


@pytest.mark.parametrize(
    ("lie", "told_by"),
    [
        (MORE_FOR_SEAT_1, "the settlement is returned 100000"),
        (ANOTHER_CARD, "the totals are"),
        (RULES, "its text is not the one that its hash names"),
    ],
)
def test_with_the_key_what_does_not_follow_is_still_found(
    path: Path, punto: Punto, lie: tuple[str, ...], told_by: str
) -> None:
    sql(path, *lie)
    rechain(path, read_key(path.parent / "keys" / "demo.key"))
    head(path).unlink()
    code, said = punto("verify", path)
    assert code == 1
    assert told_by in said


def test_with_the_key_the_head_an_anchor_and_the_replay_still_tell(path: Path, punto: Punto) -> None:
    """A stake that was never placed, the same in all that follows from it: only the input says otherwise."""
    _, anchor = punto("anchor", path)
    sql(path, *A_BET_MORE)
    rechain(path, read_key(path.parent / "keys" / "demo.key"))
    code, said = punto("verify", path)
    assert code == 1
    assert "is not the one that was written: find the right journal" in said
    assert "is not the one that was written" in starts(path)
    head(path).unlink()
    assert punto("verify", path, "--anchor", anchor.strip())[0] == 1
    code, said = punto("replay", path)
    assert code == 1
    assert "it should be" in said


def test_rows_before_the_first_record_are_found(path: Path, punto: Punto) -> None:
    """A bet under a number that the chain never reaches would still be in every report."""
    for table, statement in {
        "bets": f"INSERT INTO bets SELECT -event, line, input, shoe, coup, 7, wager, stake, result, tier, odds,"
        f" commission, won, returned, simulated FROM bets {OF_COUP_2}",
        "coups": "INSERT INTO coups SELECT 0, input, 9, coup, outcome, player, banker, player_total, banker_total,"
        " natural, player_pair, banker_pair, staked, returned, commission, house_net, simulated FROM coups LIMIT 1",
        "inputs": "INSERT INTO inputs SELECT 0, at_utc, at_ms, source, kind, body, raw, NULL, NULL, simulated, 0, hash,"
        " chain FROM inputs LIMIT 1",
        "starts": "INSERT INTO starts SELECT -1, 9, version, tableau, transitions, files, rules, yaml, simulated"
        " FROM starts",
    }.items():
        changed = path.with_name(f"{table}.journal")
        shutil.copy(path, changed)
        sql(changed, statement)
        code, said = punto("verify", changed)
        assert code == 1, table
        assert f"{table} stand before the first record" in said


def test_an_older_copy_with_the_head_taken_away_is_said(path: Path, punto: Punto, capsys) -> None:  # type: ignore[no-untyped-def]
    """Nothing here can tell that it is older; so it is said that nothing can."""
    head(path).unlink()
    code, said = punto("verify", path)
    assert code == 0
    assert "without its head" in said
    assert "use an anchor" in said
    assert starts(path) == ""
    assert "without its head" in capsys.readouterr().err
    head(path).write_text("no line\n")
    assert starts(path) == ""
    assert "without its head" in capsys.readouterr().err


def test_an_older_copy_with_its_own_head_is_found_by_an_anchor(path: Path, punto: Punto, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(path.parent, older, ignore=lambda *_: ["older"])
    with closing(Journal.open(path, "demo", simulation=True)) as journal:
        assert journal.trouble == ""
    table = RecordedTable(path)
    table.close()
    _, anchor = punto("anchor", path)
    for file in (path, head(path)):
        shutil.copy(older / file.relative_to(path.parent), file)
    assert punto("verify", path)[0] == 0
    code, said = punto("verify", path, "--anchor", anchor.strip())
    assert code == 1
    assert "1 are missing" in said


def test_the_journal_of_another_table_in_its_place_is_refused(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "other.journal"
    Journal.open(other, "other", simulation=True).close()
    shutil.copy(other, path)
    before = path.read_bytes()
    assert "is of table 'other', not 'demo'" in starts(path)
    again = tmp_path / "again" / "demo.journal"
    Journal.open(again, "demo", simulation=True).close()  # the same name, another key
    shutil.copy(again, path)
    assert "was not written with the key" in starts(path)
    shutil.copy(path.parent / "again" / "keys" / "demo.key", path.parent / "keys" / "demo.key")
    assert "ends at record 0, but " in starts(path)  # and with that key too: the head knows
    assert before != path.read_bytes()


def test_what_another_file_left_beside_the_journal_is_not_taken_for_its_own(path: Path, tmp_path: Path) -> None:
    """SQLite believes the log of another table: then the journal is that table's, and refused, or it is damaged."""
    other = RecordedTable(tmp_path / "other" / "demo.journal")
    other.begins()
    log = (tmp_path / "other" / "demo.journal-wal").read_bytes()
    assert len(log) > 10_000
    before = path.read_bytes()
    path.with_name(f"{path.name}-wal").write_bytes(log)
    assert starts(path) != ""
    assert path.read_bytes() == before
    other.close()


def test_garbage_in_the_logs_index_changes_nothing(path: Path, punto: Punto) -> None:
    path.with_name(f"{path.name}-shm").write_bytes(b"\xa5" * 32768)
    assert punto("verify", path)[0] == 0
    assert starts(path) == ""
    assert punto("verify", path)[0] == 0


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600)])
def test_garbage_in_a_rollback_journal_changes_nothing(path: Path, punto: Punto, garbage: bytes) -> None:
    before = path.read_bytes()
    path.with_name(f"{path.name}-journal").write_bytes(garbage)
    code, said = punto("verify", path)
    assert (code, said.count("\n")) in ((0, 1), (2, 1))
    assert path.read_bytes() == before

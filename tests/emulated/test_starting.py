"""What keeps a table from starting: one line with what, where and what to do, exit code 2, and nothing changed."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulated.program import Program
from tests.emulated.rig import Begin, Rig, write_table
from tests.emulated.spoiling import NOBODY, become_nobody


def refused(rig: Rig, *words: object) -> str:
    """The one line with which a start ends; the words replace those of the rig's command line."""
    options = dict(zip(words[::2], words[1::2], strict=True))
    line = rig.words()
    for name, value in options.items():
        line[line.index(name) + 1] = value
    ended = Program(rig.folder, *line).wait()
    assert ended.code == 2, ended
    assert ended.out == ""
    return ended.complaint


def nothing_new(rig: Rig) -> bool:
    """A refused start leaves neither journal nor head nor key, nor a control socket."""
    left = [
        rig.journal,
        *rig.journal.parent.glob(f"{rig.journal.name}*"),
        *rig.journal.parent.rglob("*.key"),
        rig.control,
    ]
    return not any(each.exists() for each in left)


@pytest.fixture
def rig(begin: Begin) -> Rig:
    return begin()


# Fault 36: ports.


@pytest.mark.parametrize("port", ["--shoe-port", "--display-port"])
def test_a_port_that_is_not_there(rig: Rig, port: str) -> None:
    missing = rig.folder / "no-such-port"
    said = refused(rig, port, missing)
    assert str(missing) in said
    assert not rig.control.exists()
    assert nothing_new(rig)


@pytest.mark.parametrize("port", ["--shoe-port", "--display-port"])
@pytest.mark.parametrize("where", ["socket://127.0.0.1:1", "socket://127.0.0.1:0", "telnet://x", "socket://nowhere"])
def test_an_address_where_nobody_listens(rig: Rig, port: str, where: str) -> None:
    assert where in refused(rig, port, where)
    assert nothing_new(rig)


def test_a_port_that_is_no_port(rig: Rig) -> None:
    file = rig.folder / "file"
    file.write_text("text")
    assert str(file) in refused(rig, "--shoe-port", file)
    assert str(rig.folder) in refused(rig, "--shoe-port", rig.folder)
    assert nothing_new(rig)


def test_a_port_that_another_table_has(begin: Begin) -> None:
    """Faults 35 and 49: two programs never share a shoe."""
    rig = begin().start()
    said = refused(rig, "--journal", rig.folder / "other", "--control", rig.folder / "other.control")
    assert str(rig.folder / "shoe") in said
    assert not (rig.folder / "other").exists()
    assert rig.state()["phase"] == "no-shoe"


def test_the_same_port_for_shoe_and_screen(rig: Rig) -> None:
    """Fault 6, the clumsy way."""
    assert rig.shoe.url in refused(rig, "--display-port", rig.shoe.url)
    assert nothing_new(rig)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder of the user without rights."""
    folder = Path(tempfile.mkdtemp(prefix="punto-test-"))
    folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def test_a_port_that_is_forbidden(rig: Rig, public_folder: Path) -> None:
    shoe, panel = os.path.realpath(rig.shoe.url), os.path.realpath(rig.panel.url)
    os.chmod(shoe, 0o600)
    os.chmod(panel, 0o666)
    line = rig.words()
    for name, value in {
        "--shoe-port": shoe,
        "--display-port": panel,
        "--journal": public_folder / "journal",
        "--control": public_folder / "control",
    }.items():
        line[line.index(name) + 1] = value
    line[1] = write_table(public_folder)
    del line[line.index("--trace") :]
    ended = Program(rig.folder, *line, before=become_nobody).wait()
    assert ended.code == 2
    assert shoe in ended.complaint
    assert {each.name for each in public_folder.iterdir() if each.suffix != ".yaml"} == set()


# Journals.


def test_a_second_table_on_one_journal(begin: Begin) -> None:
    """Fault 49."""
    rig = begin().start()
    rig.begins_shoe()
    before = rig.rows("SELECT count(*) FROM inputs")
    said = refused(rig, "--shoe-port", rig.folder / "nowhere")
    assert "is in use by another punto" in said
    assert rig.rows("SELECT count(*) FROM inputs") == before
    assert rig.state()["phase"] == "betting"


def test_a_journal_that_begins_is_said_and_one_that_goes_on_is_not(begin: Begin) -> None:
    """Fault 62: with its head gone too nothing else tells of a journal that was taken away."""
    rig = begin().start()
    first = f"journal {rig.journal} is new: record 1 begins it"
    assert rig.program.says("is new") == first
    assert rig.program.err.startswith("ready table=")
    assert rig.stop().code == 0
    rig.restart()
    assert "is new" not in rig.program.err
    assert rig.stop().code == 0
    for each in (rig.journal, rig.journal.parent / "keys" / f"{rig.journal.name}.head"):
        each.unlink()
    rig.restart()
    said = rig.program.says("is new")
    assert said.startswith(f"{first}; its key ")
    assert said.endswith(" is older: if this table had a journal here, find that one")


def test_a_journal_that_begins_behind_a_link_is_said(begin: Begin) -> None:
    rig = begin()
    real = rig.folder / "elsewhere"
    rig.journal.symlink_to(real)
    rig.start()
    assert rig.program.says("is new") == f"journal {real} is new: record 1 begins it"


def test_a_text_file_is_no_journal(rig: Rig) -> None:
    rig.journal.write_text("a recipe\n" * 40)
    assert "is no journal: name another file" in refused(rig)
    assert rig.journal.read_text() == "a recipe\n" * 40


def test_an_empty_file_is_no_journal(rig: Rig) -> None:
    rig.journal.touch()
    assert "is no journal" in refused(rig)
    assert rig.journal.read_bytes() == b""


def test_a_folder_is_no_journal(rig: Rig) -> None:
    rig.journal.mkdir()
    assert "is a folder: name a file" in refused(rig)
    assert list(rig.journal.iterdir()) == []


def test_another_programs_database_is_no_journal(rig: Rig) -> None:
    with sqlite3.connect(rig.journal) as other:
        other.execute("CREATE TABLE recipes (name)")
    other.close()
    content = rig.journal.read_bytes()
    assert "is a database of another program" in refused(rig)
    assert rig.journal.read_bytes() == content


def test_another_tables_journal_is_refused(begin: Begin, tmp_path: Path) -> None:
    rig = begin().start()
    assert rig.stop().code == 0
    content = rig.journal.read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    table = write_table(other, changes=[("id: demo", "id: bac-08")])
    line = rig.words()
    line[1] = table
    ended = Program(rig.folder, *line).wait()
    assert ended.code == 2
    assert "is of table 'demo', not 'bac-08'" in ended.complaint
    assert rig.journal.read_bytes() == content


def test_a_real_table_never_writes_into_a_simulations_journal(begin: Begin, tmp_path: Path) -> None:
    rig = begin().start()
    assert rig.stop().code == 0
    real = tmp_path / "real"
    real.mkdir()
    line = rig.words()
    line[1] = write_table(real, changes=[("simulation: true", "simulation: false")])
    ended = Program(rig.folder, *line).wait()
    assert ended.code == 2
    assert "simulation" in ended.complaint


def test_a_journal_in_a_folder_that_may_not_be_written(rig: Rig, public_folder: Path) -> None:
    """Fault 59."""
    locked = public_folder / "locked"
    locked.mkdir(mode=0o555)
    for port in (rig.shoe.url, rig.panel.url):
        os.chmod(os.path.realpath(port), 0o666)
    words = [
        "run",
        write_table(public_folder),
        *("--shoe-port", os.path.realpath(rig.shoe.url)),
        *("--display-port", os.path.realpath(rig.panel.url)),
        *("--journal", locked / "journal", "--control", public_folder / "control"),
    ]
    ended = Program(rig.folder, *words, before=become_nobody).wait()
    assert ended.code == 2
    assert "Permission denied: check the path and its rights" in ended.complaint
    assert list(locked.iterdir()) == []


# Control paths, traces, tables.


def test_a_control_path_that_another_table_has(begin: Begin) -> None:
    rig = begin().start()
    said = refused(rig, "--journal", rig.folder / "other")
    assert "is in use by another program" in said
    assert rig.state()["phase"] == "no-shoe"


def test_a_control_path_where_a_file_is(rig: Rig) -> None:
    rig.control.write_text("mine")
    assert "is there and no socket" in refused(rig)
    assert rig.control.read_text() == "mine"


def test_a_control_path_that_is_too_long(rig: Rig) -> None:
    assert "name a shorter one" in refused(rig, "--control", rig.folder / ("x" * 120))


def test_a_control_socket_that_a_killed_program_left_is_replaced(begin: Begin) -> None:
    rig = begin().start()
    rig.kill()
    assert rig.control.exists()
    rig.launch()
    assert rig.ready() == "no-shoe"


def test_a_trace_that_cannot_be_written(rig: Rig) -> None:
    assert "not a plain file" in refused(rig, "--trace", rig.folder)
    assert nothing_new(rig)


def test_a_trace_that_nobody_would_read(rig: Rig) -> None:
    os.mkfifo(rig.folder / "pipe")
    assert "not a plain file" in refused(rig, "--trace", rig.folder / "pipe")
    assert "not a plain file" in refused(rig, "--trace", os.path.realpath(rig.shoe.url))


def test_a_trace_never_goes_into_what_the_table_lives_by(begin: Begin) -> None:
    rig = begin()
    table, keys = Path(str(rig.words()[1])), rig.journal.parent / "keys"
    assert "lives by this very file" in refused(rig, "--trace", rig.journal)
    assert nothing_new(rig)
    rig.start()
    assert rig.stop().code == 0
    own = [table, rig.journal, *keys.iterdir()]
    assert len(own) == 4, own
    link = rig.folder / "link"
    own_bytes = [each.read_bytes() for each in own]
    for each in (*own, rig.journal.with_name(f"{rig.journal.name}-wal")):
        link.symlink_to(each)
        assert "lives by this very file" in refused(rig, "--trace", each)
        assert "lives by this very file" in refused(rig, "--trace", link)
        link.unlink()
    assert [each.read_bytes() for each in own] == own_bytes


def test_a_trace_never_goes_into_what_lies_beside_a_journal_that_is_named_by_a_link(begin: Begin) -> None:
    rig = begin()
    real = rig.folder / "elsewhere" / "the.journal"
    real.parent.mkdir()
    rig.journal.symlink_to(real)
    rig.start()
    assert rig.stop().code == 0
    own = [real, *(real.parent / "keys").iterdir()]
    assert len(own) == 3, own
    for each in (*own, real.with_name(f"{real.name}-wal")):
        assert "lives by this very file" in refused(rig, "--trace", each)


def test_a_table_file_that_is_not_there(rig: Rig) -> None:
    line = rig.words()
    line[1] = rig.folder / "missing.yaml"
    ended = Program(rig.folder, *line).wait()
    assert ended.code == 2
    assert "missing.yaml" in ended.complaint
    assert not rig.journal.exists()


def test_a_simulated_shoe_at_a_real_table_is_refused(rig: Rig, tmp_path: Path) -> None:
    changes = [
        ("simulation: true", "simulation: false"),
        ("driver: angel-eye\n  port: /dev/punto-demo-shoe\n  baud: 4800\n  copies: 3\n", "driver: simulated\n"),
    ]
    line = ["run", write_table(tmp_path, changes=changes), "--journal", rig.journal, "--control", rig.control]
    ended = Program(rig.folder, *line).wait()
    assert ended.code == 2
    assert "simulat" in ended.err
    assert not rig.journal.exists()

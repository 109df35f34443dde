"""A disk that fills, or fails: the table is held, nothing is shown that is not on disk, and nothing is lost after."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from drivers.contracts import CardDrawn
from tests.emulated.program import until
from tests.emulated.rig import FOUR_CARDS, SIX_CARDS, Begin, Rig
from tests.emulated.spoiling import FULL, disk_that_fills, forget_a_guard


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

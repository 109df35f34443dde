"""The files that are shipped load without mistake or warning, and say what their comments say."""

import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from controller.game.cards import parse_card
from controller.game.coup import Coup
from controller.game.settlement import Bet, settle
from controller.host.config import check, load_paytable, load_table

CONFIG = Path(__file__).parents[2] / "config"
PAYTABLES = (
    *("big-table", "commission-4", "commission-5", "dragon-bonus", "dragon-bonus-2", "ez", "macau", "no-commission"),
    *("side-wagers", "side-wagers-cards", "tie-9", "tiger"),
)
TABLES = ("demo", "example")
FILES = [
    *(CONFIG / "paytables" / f"{name}.yaml" for name in PAYTABLES),
    *(CONFIG / "tables" / f"{name}.yaml" for name in TABLES),
]
"""What is shipped. A house's own files may lie beside it, and are its own matter."""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy whose permissions do not depend on how the files were checked out."""
    for path in FILES:
        copy = tmp_path / path.relative_to(CONFIG.parent)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for path in (tmp_path / "config").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (tmp_path / "config").chmod(0o755)
    return tmp_path / "config"


def test_all_load_clean(copied: Path) -> None:
    mistakes, warnings, summary = check(sorted(copied.glob("*/*.yaml")))
    assert (mistakes, warnings) == ((), ())
    assert len(summary) > 20


def test_every_paytable_that_says_how_to_check_it_in_its_place_is_on_the_list() -> None:
    """As each shipped one does; a house's own need not."""
    told = "# Check it:  punto check config/paytables/"
    assert {path.stem for path in FILES if told in path.read_text("utf-8")} == set(PAYTABLES)
    found = (CONFIG / "paytables").glob("*.yaml")
    assert {path.stem for path in found if f"{told}{path.name}".encode() in path.read_bytes()} == set(PAYTABLES)


def test_the_demo_takes_its_ports_from_the_command_line() -> None:
    table = load_table(CONFIG / "tables/demo.yaml", shoe_port="/dev/pts/8", display_port="/dev/pts/9")
    assert (table.shoe.port, table.display.port) == ("/dev/pts/8", "/dev/pts/9")
    assert table.rules.simulation
    assert not load_table(CONFIG / "tables/example.yaml").rules.simulation


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_other_yaml_tools_read_the_odds_as_text(path: Path) -> None:
    assert not re.search(r"pays: [^\"]", path.read_text().replace("what they pay", ""))
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_every_limit_names_a_wager_that_the_table_pays() -> None:
    for name in TABLES:
        path = CONFIG / "tables" / f"{name}.yaml"
        rules = load_table(path).rules
        assert {wager for wager, _ in rules.limits} <= {wager.id for wager in rules.paytable.wagers}


def coup(player: str, banker: str) -> Coup:
    return Coup(tuple(map(parse_card, player.split())), tuple(map(parse_card, banker.split())))


@pytest.mark.parametrize(
    ("file", "wager", "player", "banker", "won"),
    [
        ("commission-5", "banker", "TH 4S", "5C 3D", 9500),
        ("commission-5", "tie", "TH 8S", "5C 3D", 80000),
        ("commission-5", "lucky-6", "2H 2S 4D", "TC 6D", -10000),
        ("commission-5", "player-dragon-bonus", "4H 5S", "TC 2D", 10000),
        ("commission-5", "player-dragon-bonus", "4H 5S", "TC 9D", 0),
        ("no-commission", "banker", "TH 4S TD", "TC 6D", 5000),
        ("no-commission", "banker", "TH 4S TD", "TC 7D", 10000),
        ("no-commission", "small-tiger", "TH 4S TD", "TC 6D", 220000),
        ("no-commission", "big-tiger", "TH TS 5D", "2C 3D AS", 500000),
    ],
)
def test_a_wager_pays_what_its_layout_says(file: str, wager: str, player: str, banker: str, won: int) -> None:
    paytable = load_paytable(CONFIG / "paytables" / f"{file}.yaml")
    settlement = settle(paytable, [Bet(1, wager, 10000)], coup(player, banker))
    assert settlement.house_net == -won


def test_odds_stay_exact() -> None:
    paytable = load_paytable(CONFIG / "paytables/no-commission.yaml")
    assert [wager.tiers[0].pays for wager in paytable.wagers[:3]] == [1, Fraction(1, 2), 8]

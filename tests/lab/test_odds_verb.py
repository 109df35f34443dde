"""`punto odds`: exact figures of a file, as JSON, as a table, and as a page."""

import json
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from controller.cli import main
from controller.lab.odds_figures import decimal, root_decimal

CONFIG = Path(__file__).parents[2] / "config"
COMMISSION = str(CONFIG / "paytables/commission-5.yaml")
TABLE = str(CONFIG / "tables/demo.yaml")


@pytest.fixture
def run(capsys):
    """Runs `punto odds`; returns the exit code, stdout and stderr."""

    def ran(*arguments):
        code = main(["odds", *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return ran


@pytest.mark.parametrize("columns", ["80", "60"])
def test_a_narrow_terminal_cuts_no_figure_off(run, monkeypatch, columns):
    """What does not fit goes on in the next line: of a column's cells together nothing is missing."""
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    _, out, _ = run(CONFIG / "paytables/side-wagers.yaml")
    assert "\N{HORIZONTAL ELLIPSIS}" not in out
    rows = [row.split("\N{BOX DRAWINGS LIGHT VERTICAL}") for row in out.splitlines()]
    ways = "".join(cells[4].strip() for cells in rows if len(cells) == 7)
    assert "2,230,518,282,592,256475,627,426,473,2162,292,252,566,437,888" in ways
    assert any("super-lucky-7-player-drew" in row[1] for row in rows if len(row) > 1)


def test_the_json_of_eight_decks(run):
    code, out, err = run(COMMISSION, "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["decks"] == 8
    assert told["total"] == "4998398275503360"
    assert told["outcomes"] == {"player": "2230518282592256", "banker": "2292252566437888", "tie": "475627426473216"}
    banker = told["wagers"]["banker"]
    assert banker["tiers"] == [banker["win"]] == ["2292252566437888"]
    assert (banker["push"], banker["lose"]) == ("475627426473216", "2230518282592256")
    assert list(banker) == [
        *("win", "push", "lose", "tiers", "hit", "house_edge", "house_edge_decimal"),
        *("house_edge_resolved", "house_edge_resolved_decimal", "sd"),
    ]
    ways = {key: int(banker[key]) for key in ("win", "push", "lose")}
    total = sum(ways.values())
    edge = (ways["lose"] - Fraction(19, 20) * ways["win"]) / total
    assert Fraction(banker["house_edge"]) == edge
    assert Fraction(banker["house_edge_resolved"]) == edge * total / (ways["win"] + ways["lose"])
    assert Fraction(banker["hit"]) == Fraction(ways["win"], total)
    assert banker["house_edge_decimal"].startswith("0.01057905784")
    assert abs(Fraction(banker["house_edge_decimal"]) - edge) <= Fraction(1, 2 * 10**15)
    assert banker["sd"].startswith("0.92737")


def test_every_wager_of_the_file_in_its_order_or_one(run):
    assert list(json.loads(run(COMMISSION, "--json")[1])["wagers"])[:3] == ["player", "banker", "tie"]
    assert list(json.loads(run(COMMISSION, "--json", "--wager", "lucky-6")[1])["wagers"]) == ["lucky-6"]


def test_a_tables_own_decks_unless_others_are_asked_for(run, tmp_path):
    text = Path(TABLE).read_text().replace("decks: 8", "decks: 6").replace("../paytables", str(CONFIG / "paytables"))
    (tmp_path / "table.yaml").write_text(text)
    assert json.loads(run(tmp_path / "table.yaml", "--json", "--wager", "tie")[1])["decks"] == 6
    assert json.loads(run(tmp_path / "table.yaml", "--json", "--wager", "tie", "--decks", 4)[1])["decks"] == 4


def test_cards_that_are_gone(run):
    told = json.loads(run(COMMISSION, "--json", "--wager", "tie", "--decks", 1, "--without", "AS,KD 2C")[1])
    assert told["without"] == ["AS", "KD", "2C"]
    assert told["total"] == str(49 * 48 * 47 * 46 * 45 * 44)


def test_the_plain_table_labels_both_edges(run):
    code, out, _ = run(COMMISSION, "--wager", "banker")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "Commission 5 %: 8 decks, 4,998,398,275,503,360 ordered deals of six cards"
    assert re.split(r"  +", lines[2].strip()) == [
        *("wager", "hit", "house edge per unit staked", "per unit resolved", "standard deviation"),
    ]
    assert re.split(r"  +", lines[3].strip()) == ["banker", "45.8597 %", "1.0579 %", "1.1692 %", "0.927372"]
    assert "win 1:1 2,292,252,566,437,888 45.859742 %" in re.sub(" +", " ", out)
    assert out.isascii()


def test_what_has_no_odds_is_refused(run, tmp_path):
    (tmp_path / "bad.yaml").write_text("format: punto-paytable 1\nname: Bad\nwagers: {it: {wins: {winner: tie}}}\n")
    for arguments, said in (
        ((COMMISSION, "--wager", "bank"), "--wager: no 'bank'; the paytable has player, banker"),
        ((COMMISSION, "--without", "1S"), "--without: '1S' is no card"),
        *(
            ((COMMISSION, "--without", cards), f"--without: {cards!r} has an empty card: name the cards that are gone")
            for cards in (",", "AS,,KD", ",AS", "AS,", " ", "AS, ,KD")
        ),
        ((COMMISSION, "--without", "AS AS", "--decks", 1), "--without: AS came out 2 times"),
        ((COMMISSION, "--report", tmp_path), "name another file, such as page.html"),
        ((tmp_path / "bad.yaml",), "wagers.it.pays: this key is missing"),
        ((tmp_path / "none.yaml",), "no such file"),
    ):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert said in err
    for decks in ("0", "13", "8.0", "٨"):
        with pytest.raises(SystemExit, match="2"):
            main(["odds", COMMISSION, "--decks", decks])


WRONG = """\
format: punto-paytable 1
name: <b>Free</b> & "easy"
wagers:
  tie: {wins: {winner: tie}, pays: "12:1"}
  player: {wins: {winner: player}, pushes: {winner: tie}, pays: "1:1"}
"""


def test_the_report_is_one_page_with_nothing_from_elsewhere(run, tmp_path):
    (tmp_path / "wrong.yaml").write_text(WRONG)
    page = tmp_path / "page.html"
    assert run(tmp_path / "wrong.yaml", "--report", page)[0] == 0
    text = page.read_text()
    assert "<title>&lt;b&gt;Free&lt;/b&gt; &amp; &quot;easy&quot;: exact odds</title>" in text
    assert "<b>" not in text
    assert not re.search(r"<script|<link|<img|https?:|url\(|@import", text)
    plots = [ElementTree.fromstring(plot) for plot in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    assert [plot.find("title").text for plot in plots] == [
        "House edge of each wager", "Chance of each outcome by total",
    ]  # fmt: skip
    edges, totals = plots
    assert [bar.get("class") for bar in edges.iter("rect")] == ["players", "house"]
    assert [each.text for each in edges.iter("text")] == ["tie", "-23.7028 %", "player", "1.2351 %"]
    bars = [bar for bar in totals.iter("rect") if bar.find("title") is not None]
    assert len(bars) == 30
    assert "tie 9: 1.1033 %" in [bar.find("title").text for bar in bars]
    assert "2,230,518,282,592,256" in text


@pytest.mark.parametrize("name", ["w" * 32, "w"])
def test_the_name_of_a_wager_has_its_place_in_the_plot(run, tmp_path, name):
    """Eight pixels for a letter of twelve: the widest begins inside, and the bars begin behind it."""
    (tmp_path / "long.yaml").write_text(WRONG.replace("tie:", f"{name}:"))
    run(tmp_path / "long.yaml", "--report", tmp_path / "page.html")
    plot = ElementTree.fromstring(re.findall(r"<svg.*?</svg>", (tmp_path / "page.html").read_text(), re.DOTALL)[0])
    ends = next(int(each.get("x")) for each in plot.iter("text") if each.text == name)
    assert ends >= 8 * len(name)
    assert all(float(bar.get("x")) > ends for bar in plot.iter("rect"))


def test_the_bars_are_as_long_as_the_edges(run, tmp_path):
    page = tmp_path / "page.html"
    run(COMMISSION, "--report", page)
    plot = ElementTree.fromstring(re.search(r"<svg.*?</svg>", page.read_text(), re.DOTALL)[0])
    widths = [float(bar.get("width")) for bar in plot.iter("rect")]
    edges = [float(each.text.split()[0]) for each in plot.iter("text") if each.text.endswith(" %")]
    assert len(widths) == len(edges) == 9
    for width, edge in zip(widths, edges, strict=True):
        assert width / max(widths) == pytest.approx(edge / max(edges), abs=1e-3)


@pytest.mark.parametrize(
    ("exact", "text"),
    [
        ("0", "0.000000000000000"),
        ("1/3", "0.333333333333333"),
        ("2/3", "0.666666666666667"),
        ("-2/3", "-0.666666666666667"),
        ("1/30", "0.0333333333333333"),
        ("-1/300", "-0.00333333333333333"),
        ("40/3", "13.333333333333333"),
        ("5/2", "2.500000000000000"),
    ],
)
def test_decimals_have_15_digits(exact, text):
    assert decimal(Fraction(exact)) == text


@pytest.mark.parametrize(
    ("square", "text"),
    [
        ("0", "0.000000000000000"),
        ("1/4", "0.500000000000000"),
        ("2", "1.414213562373095"),
        ("200", "14.142135623730950"),
    ],
)
def test_the_root_is_rounded_to_15_digits(square, text):
    assert root_decimal(Fraction(square)) == text


def test_the_root_is_the_nearest():
    """Half a unit of the last digit either side of it squares to less and to more."""
    for number in range(1, 500):
        root, half = Fraction(root_decimal(Fraction(number, 97))), Fraction(1, 2 * 10**15)
        assert (root - half) ** 2 <= Fraction(number, 97) <= (root + half) ** 2

"""The program's verbs: what they print, their exit codes, and one line on stderr for whatever is wrong."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.emulated.program import Ended, punto

ROOT = Path(__file__).parents[1]
PUNTO = [sys.executable, "-m", "controller"]
COMMISSION = ROOT / "config" / "paytables" / "commission-5.yaml"
VECTORS = ROOT / "tests" / "vectors"
COUPS = [json.loads(line) for line in (VECTORS / "coups.jsonl").read_text().splitlines()]
SETTLEMENTS = [json.loads(line) for line in (VECTORS / "settlements.jsonl").read_text().splitlines()]


def deal(folder: Path, *lines: object, paytable: Path = COMMISSION, decks: int = 8) -> Ended:
    """Deal these lines; what is no text is written as JSON."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return punto(folder, "deal", "--paytable", paytable, "--decks", decks, stdin=text.encode())


def dealt(folder: Path, *lines: object, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in deal(folder, *lines, **options).lines]


# No verb, a wrong one, and where output goes.


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["shuffle"],
        ["run"],
        ["ctl"],
        ["ctl", "--control", "x", "dance"],
        ["ctl", "--control", "x", "bet", "1"],
        ["deal"],
        ["journal", "verify"],
        ["journal", "burn", "x"],
        ["check"],
        ["deal", "--paytable", "x", "--decks", "eight"],
        ["--vers"],
        ["run", "t.yaml", "--shoe-port", ""],
        ["run", "t.yaml", "--journal", ""],
        ["ctl", "--table", "x", "--id", "", "confirm"],
    ],
)
def test_wrong_words_are_one_line_and_exit_code_2(tmp_path: Path, words: list[str]) -> None:
    ended = punto(tmp_path, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.complaint.startswith("punto")
    assert "--help" in ended.complaint


@pytest.mark.parametrize("verb", ["odds", "simulate"])
def test_a_page_never_takes_the_place_of_a_file_that_is_read(tmp_path: Path, verb: str) -> None:
    own = tmp_path / "own"
    own.write_bytes((ROOT / "config/paytables/no-commission.yaml").read_bytes())
    yaml, link = tmp_path / "other.yaml", tmp_path / "link.html"
    link.symlink_to(own)
    before = own.read_bytes()
    words = [verb, str(own), *(["--coups", "10"] if verb == "simulate" else [])]
    for page in (own, link, yaml, tmp_path):
        ended = punto(tmp_path, *words, "--report", str(page))
        assert (ended.code, ended.out) == (2, "")
        assert "name another file" in ended.complaint
    assert own.read_bytes() == before
    assert not yaml.exists()


@pytest.mark.parametrize("verb", ["run", "ctl", "check", "deal", "journal", "ports", "tableau"])
def test_every_verb_has_help_with_an_example(tmp_path: Path, verb: str) -> None:
    ended = punto(tmp_path, verb, "--help")
    assert ended.code == 0
    assert "example: " in ended.out
    assert ended.err == ""


def test_the_version_and_what_decides_money(tmp_path: Path) -> None:
    assert re.fullmatch(r"punto \d+\.\d+\.\d+\n", punto(tmp_path, "--version").out)
    known = json.loads(punto(tmp_path, "--version", "--json").out)
    assert {"version", "tableau", "transitions", "files"} <= set(known)
    assert all(re.fullmatch(r"[0-9a-f]{64}", known[name]) for name in ("tableau", "transitions", "files"))


def test_the_tableau_is_printed_as_it_is_dealt(tmp_path: Path) -> None:
    ended = punto(tmp_path, "tableau")
    assert ended.code == 0
    assert "BANKER" in ended.out.upper()
    assert ended.out.count("\n") >= 10


def test_ports_are_listed(tmp_path: Path) -> None:
    ended = punto(tmp_path, "ports")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out


@pytest.mark.untraced
@pytest.mark.parametrize(
    "words",
    [["tableau"], ["--version"], ["check", "config/tables/demo.yaml"], ["check", "nothing.yaml"], ["ports"], []],
)
@pytest.mark.parametrize("closed", ["stdout", "stderr", "stdin", "all"])
def test_closed_streams_are_no_trouble(words: list[str], closed: str) -> None:
    redirects = {"stdout": ">&-", "stderr": "2>&-", "stdin": "<&-", "all": "<&- >&- 2>&-"}[closed]
    command = f"exec {shlex.join(PUNTO + words)} {redirects}"
    ended = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode in (0, 1, 2)
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "Exception" not in ended.stderr
    assert ended.stderr.count("\n") <= 1


def test_a_full_disk_for_the_output_is_told() -> None:
    ended = subprocess.run(
        ["sh", "-c", f"{shlex.join(PUNTO)} tableau > /dev/full"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "No space left" in ended.stderr


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    line = json.dumps({"shoe": ["TS", "7C", "4C", "8H", "2D"]})
    deals = shlex.join([*PUNTO, "deal", "--paytable", str(COMMISSION)])
    command = f"yes '{line}' | {deals} | head -n 2"
    ended = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert len(ended.stdout.splitlines()) == 2
    assert ended.stderr == ""


# deal


def test_recorded_coups_are_dealt_as_recorded(tmp_path: Path) -> None:
    answers = dealt(tmp_path, *({"shoe": each["shoe"]} for each in COUPS))
    assert len(answers) == len(COUPS)
    for recorded, answer in zip(COUPS, answers, strict=True):
        expected = {name: value for name, value in recorded["expect"].items() if name != "next_card"}
        assert {name: answer[name] for name in expected} == expected, recorded["id"]
        assert answer["lines"] == []


@pytest.mark.untraced
@pytest.mark.parametrize("note", sorted({each["note"] for each in SETTLEMENTS}))
def test_recorded_settlements_are_paid_as_recorded(tmp_path: Path, note: str) -> None:
    for recorded in (each for each in SETTLEMENTS if each["note"] == note):
        paytable = tmp_path / f"{recorded['id']}.yaml"
        paytable.write_text(recorded["paytable"], encoding="utf-8")
        ended = deal(tmp_path, recorded["deal"], paytable=paytable)
        (answer,) = [json.loads(line) for line in ended.lines]
        if "refused" in recorded:
            assert (answer["refused"], ended.code) == (recorded["refused"], 1), recorded["id"]
            continue
        assert ended.code == 0, recorded["id"]
        expected = recorded["expect"]
        for line, wanted in zip(answer["lines"], expected["lines"], strict=True):
            assert {name: line[name] for name in wanted} == wanted, recorded["id"]
        assert {name: answer[name] for name in expected if name != "lines"} == {
            name: value for name, value in expected.items() if name != "lines"
        }


def test_what_a_deal_says_of_a_coup(tmp_path: Path) -> None:
    bets = [{"seat": 7, "wager": "banker", "stake": 10000}, {"seat": 7, "wager": "tie", "stake": 100}]
    (answer,) = dealt(tmp_path, {"shoe": ["TS", "7C", "4C", "8H", "2D", "9D"], "bets": bets})
    assert list(answer) == [
        *("cards_used", "player", "banker", "player_two", "banker_two", "player_total", "banker_total", "winner"),
        *("natural", "player_drew", "banker_drew", "margin", "player_pair", "banker_pair", "wins", "pushes", "lines"),
        *("staked", "returned", "commission", "house_net"),
    ]
    assert answer["lines"][1] == {
        "seat": 7, "wager": "tie", "stake": 100, "result": "lose", "tier": None, "odds": None,
        "commission": 0, "won": 0, "returned": 0,
    }  # fmt: skip
    assert answer["house_net"] == answer["staked"] - answer["returned"]


NATURAL = ["9H", "2C", "KS", "3D"]
REFUSED: list[tuple[object, str]] = [
    ("{", "bad-line"),
    ("[]", "bad-line"),
    ("7", "bad-line"),
    ("{}", "bad-line"),
    ({"shoe": "9H2CKS3D"}, "bad-line"),
    ({"shoe": NATURAL, "more": 1}, "bad-line"),
    ({"shoe": NATURAL, "bets": {}}, "bad-line"),
    ({"shoe": NATURAL, "bets": None}, "bad-line"),
    ({"shoe": NATURAL, "bets": [7]}, "bad-line"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player"}]}, "bad-line"),
    ({"shoe": NATURAL, "bets": [{"seat": 0, "wager": "player", "stake": 100}]}, "bad-line"),
    ({"shoe": NATURAL, "bets": [{"seat": True, "wager": "player", "stake": 100}]}, "bad-line"),
    ('{"shoe": ["9H"], "shoe": ["9H", "2C", "KS", "3D"]}', "bad-line"),
    ('{"shoe": ["9H", "2C", "KS", "3D"], "bets": [{"seat": 1, "wager": "player", "stake": NaN}]}', "bad-line"),
    ("[" * 100_000, "bad-line"),
    ("x" * 2_000_000, "bad-line"),
    ({"shoe": ["10H", "2C", "KS", "3D"]}, "bad-card"),
    ({"shoe": ["9h", "2C", "KS", "3D"]}, "bad-card"),
    ({"shoe": ["9H ", "2C", "KS", "3D"]}, "bad-card"),
    ({"shoe": ["٩H", "2C", "KS", "3D"]}, "bad-card"),
    ({"shoe": [9, "2C", "KS", "3D"]}, "bad-card"),
    ({"shoe": [*NATURAL, "??"]}, "bad-card"),
    ({"shoe": ["9H"] * 9}, "foreign-card"),
    ({"shoe": [*NATURAL, *["AS"] * 9]}, "foreign-card"),
    ({"shoe": []}, "shoe-empty"),
    ({"shoe": ["9H", "2C", "KS"]}, "shoe-empty"),
    ({"shoe": ["2H", "3C", "2S", "KD", "4D"]}, "shoe-empty"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player", "stake": 0}]}, "bad-stake"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player", "stake": 1.5}]}, "bad-stake"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player", "stake": -5}]}, "bad-stake"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player", "stake": "5"}]}, "bad-stake"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "player", "stake": 10**40}]}, "bad-stake"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": "dragon", "stake": 5}]}, "unknown-wager"),
    ({"shoe": NATURAL, "bets": [{"seat": 1, "wager": ["player"], "stake": 5}]}, "unknown-wager"),
]


@pytest.mark.parametrize("reason", sorted({reason for _, reason in REFUSED}))
def test_a_line_that_cannot_be_dealt_is_refused_and_the_next_one_is_dealt(tmp_path: Path, reason: str) -> None:
    for line, _ in (each for each in REFUSED if each[1] == reason):
        ended = deal(tmp_path, line, "", "   ", {"shoe": NATURAL})
        assert ended.code == 1
        refused, answer = (json.loads(each) for each in ended.lines)
        assert refused["refused"] == reason, line
        assert set(refused) == {"refused", "text"}
        assert refused["text"]
        assert refused["text"].isprintable()
        assert answer["natural"] == "player"


def test_a_bet_that_cannot_be_paid_refuses_its_line(tmp_path: Path) -> None:
    paytable = tmp_path / "exact.yaml"
    paytable.write_text(
        "format: punto-paytable 1\nname: exact\nrounding: {of: payout, mode: exact, to: 1}\nwagers:\n"
        "  banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: 1:1, commission: 5%}\n"
    )
    banker_wins = ["2C", "9H", "3D", "KS"]
    odd = {"shoe": banker_wins, "bets": [{"seat": 1, "wager": "banker", "stake": 10}]}
    even = {"shoe": banker_wins, "bets": [{"seat": 1, "wager": "banker", "stake": 100}]}
    refused, paid = dealt(tmp_path, odd, even, paytable=paytable)
    assert refused["refused"] == "not-payable"
    assert paid["lines"][0]["won"] == 95


def test_fewer_decks_hold_fewer_of_a_card(tmp_path: Path) -> None:
    shoe = {"shoe": ["9H", "2C", "9H", "3D"]}
    assert dealt(tmp_path, shoe, decks=1)[0]["refused"] == "foreign-card"
    assert dealt(tmp_path, shoe, decks=2)[0]["player_two"] == 8
    for decks in (0, 13, -1):
        assert deal(tmp_path, shoe, decks=decks).code == 2


def test_a_paytable_that_is_none(tmp_path: Path) -> None:
    for paytable in (tmp_path / "missing.yaml", tmp_path, ROOT / "config" / "tables" / "demo.yaml"):
        ended = deal(tmp_path, {"shoe": NATURAL}, paytable=paytable)
        assert (ended.code, ended.out) == (2, "")
        assert str(paytable) in ended.err


def test_a_line_in_is_answered_at_once(tmp_path: Path) -> None:
    """Another program talks with it, a line at a time, and waits for each answer."""
    with subprocess.Popen(
        [*PUNTO, "deal", "--paytable", COMMISSION], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for recorded in COUPS[:20]:
            process.stdin.write(json.dumps({"shoe": recorded["shoe"]}).encode() + b"\n")
            assert json.loads(process.stdout.readline())["winner"] == recorded["expect"]["winner"]
        process.stdin.close()
        assert process.wait(30) == 0


# check


def checked(folder: Path, text: str | bytes, name: str = "paytable.yaml") -> Ended:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return punto(folder, "check", path)


PAYTABLE = """format: punto-paytable 1
name: test
rounding: {of: payout, mode: exact, to: 1}
wagers:
  player: {wins: {winner: player}, pushes: {winner: tie}, pays: 1:1}
  tie: {wins: {winner: tie}, pays: 8:1}
"""


def test_the_shipped_configuration_is_good(tmp_path: Path) -> None:
    files = sorted((ROOT / "config").glob("*/*.yaml"))
    ended = punto(tmp_path, "check", *files)
    assert ended.code == 0, ended.err
    assert ended.out
    assert checked(tmp_path, PAYTABLE).code == 0


BAD_ODDS = [
    "481",
    "8.1",
    "8-1",
    "1e3",
    "010",
    "yes",
    "no",
    ".nan",
    "-8:1",
    "0",
    "0:1",
    "8:0",
    "'8 : 1'",
    "٨:1",
    "8:1:1",
]


@pytest.mark.parametrize("odds", BAD_ODDS)
def test_odds_in_disguise_are_refused_with_their_line(tmp_path: Path, odds: str) -> None:
    """Fault 66."""
    ended = checked(tmp_path, PAYTABLE.replace("pays: 8:1", f"pays: {odds}"))
    assert (ended.code, ended.out) == (2, "")
    assert "paytable.yaml:6" in ended.err


def test_odds_mean_what_they_say_quoted_or_not(tmp_path: Path) -> None:
    """Fault 66."""
    shoe = {"shoe": ["9H", "9C", "KS", "KD"], "bets": [{"seat": 1, "wager": "tie", "stake": 100}]}
    for odds in ("8:1", '"8:1"', "'8:1'"):
        assert checked(tmp_path, PAYTABLE.replace("8:1", odds)).code == 0
        assert dealt(tmp_path, shoe, paytable=tmp_path / "paytable.yaml")[0]["lines"][0]["won"] == 800


BAD_YAML = {
    "a key twice": PAYTABLE.replace("name: test\n", "name: test\nname: other\n"),
    "a wager twice": PAYTABLE + "  tie: {wins: {winner: tie}, pays: 9:1}\n",
    "an unknown key": PAYTABLE.replace("name: test\n", "name: test\ncolour: red\n"),
    "a misspelt key": PAYTABLE.replace("pushes", "pushs"),
    "a missing key": PAYTABLE.replace("name: test\n", ""),
    "an anchor": PAYTABLE.replace("name: test", "name: &a test"),
    "an alias": PAYTABLE.replace("name: test", "name: &a test\nother: *a"),
    "a merge": PAYTABLE.replace("tie: {", "tie: {<<: {x: 1}, "),
    "a tag": PAYTABLE.replace("name: test", "name: !!str test"),
    "a python tag": PAYTABLE.replace("name: test", "name: !!python/object/apply:os.system [id]"),
    "two documents": PAYTABLE + "---\n" + PAYTABLE,
    "nothing": "",
    "only text": "just text\n",
    "a list": "- 1\n",
    "deep nesting": "a: " + "[" * 10_000,
    "UTF-16": PAYTABLE.encode("utf-16"),
    "a zero byte": PAYTABLE.replace("test", "te\0st"),
    "a tab": PAYTABLE.replace("  tie", "\ttie"),
    "a homoglyph": PAYTABLE.replace("name:", "nаme:"),
    "an escape in a text": PAYTABLE.replace("name: test", 'name: "te\\x1b[31mst"'),
    "invalid UTF-8": PAYTABLE.encode() + b"# \xff\n",
    "a bomb": "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(12)
    ),
}  # fmt: skip


@pytest.mark.untraced
@pytest.mark.parametrize("what", BAD_YAML)
def test_yaml_that_a_paytable_may_not_have(tmp_path: Path, what: str) -> None:
    """Faults 67 to 70."""
    text = BAD_YAML[what]
    ended = checked(tmp_path, text)
    assert (ended.code, ended.out) == (2, "")
    assert "paytable.yaml" in ended.err
    assert all(line.isprintable() for line in ended.err.splitlines())


def test_a_hundred_megabytes_are_not_read(tmp_path: Path) -> None:
    """Fault 69."""
    huge = tmp_path / "huge.yaml"
    with huge.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    ended = punto(tmp_path, "check", huge)
    assert ended.code == 2
    assert "huge.yaml" in ended.complaint


def test_every_mistake_of_every_file_is_told(tmp_path: Path) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text(PAYTABLE.replace("8:1", "481").replace("name: test", "name: test\ncolour: red"))
    second.write_text("just text")
    ended = punto(tmp_path, "check", first, second, tmp_path / "third.yaml", COMMISSION)
    assert ended.code == 2
    assert ended.err.count("first.yaml") >= 2
    assert "second.yaml" in ended.err
    assert "third.yaml" in ended.err


# journal


def test_files_that_are_no_journal(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("no journal\n" * 30)
    for name, said in (("missing", "there is no journal"), ("empty", "is no journal"), ("text", "is no journal")):
        ended = punto(tmp_path, "journal", "verify", tmp_path / name)
        assert (ended.code, ended.out) == (2, "")
        assert said in ended.complaint
    assert "is a folder" in punto(tmp_path, "journal", "verify", tmp_path).complaint


def test_what_stands_before_the_verb_of_ctl_may_stand_after_it(tmp_path: Path) -> None:
    for words in (["--control", "nobody", "--json", "ledger"], ["ledger", "--json", "--control", "nobody"]):
        ended = punto(tmp_path, "ctl", *words)
        assert (ended.code, ended.out) == (2, "")
        assert ended.complaint.startswith("no table at nobody")

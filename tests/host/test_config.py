"""Tables and paytables: what a file may say, and what is said of one that says something else."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Condition, Paytable, Rounding, RoundMode, RoundOf, Settles
from controller.host.config import (
    ConfigErrors,
    check,
    load_paytable,
    load_paytable_text,
    load_table,
    load_table_texts,
)
from controller.table.rules import CloseBy, EmptyCoup, Limit, Reveal

CONFIG = Path(__file__).parents[2] / "config"
VECTORS = Path(__file__).parents[1] / "vectors"

HEAD = "format: punto-paytable 1\nname: x\nwagers:\n"
MAIN = """  player: {wins: {winner: player}, pushes: {winner: tie}, pays: 1:1}
  banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: 1:1, commission: 5%}
  tie: {wins: {winner: tie}, pays: 8:1}
"""
TABLE = """format: punto-table 1
id: bac-07
name: Mini Baccarat 7
language: th
seats: [1, 2, 3, 5]
currency: {code: THB, decimals: 2}
paytable: pays.yaml
limits:
  player: {min: 200, max: 2000, multiple: 100}
  banker: {min: 100, max: 1000, multiple: 100}
  differential: 5000
simulation: false
betting: {close: button}
reveal: at-once
settle: {confirm: button}
shoe:
  decks: 8
  burn: {by: first-card, ace: 1, court: 10}
  cut_card: {depth: 14, coups_after: 1}
  driver: angel-eye
  port: /dev/shoe
  baud: 4800
  copies: 3
  quiet_s: 30
display:
  driver: panel
  port: socket://127.0.0.1:7001
  baud: 115200
"""


def paying(odds: str) -> Paytable:
    return load_paytable_text(f"{HEAD}  tie: {{wins: {{winner: tie}}, pays: {odds}}}\n", "x.yaml")


def mistakes_of_paytable(text: str) -> list[str]:
    with pytest.raises(ConfigErrors) as caught:
        load_paytable_text(text, "x.yaml")
    return caught.value.mistakes


def table_mistakes(*changes: tuple[str, str], paytable: str = HEAD + MAIN) -> list[str]:
    """First lines of what is said of the table with these changes."""
    with pytest.raises(ConfigErrors) as caught:
        load_table_texts(changed(*changes), paytable, ("t.yaml", "p.yaml"))
    return [mistake.split("\n")[0] for mistake in caught.value.mistakes]


def changed(*changes: tuple[str, str]) -> str:
    text = TABLE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def written(folder: Path, table: str = TABLE, paytable: str = HEAD + MAIN) -> Path:
    (folder / "pays.yaml").write_text(paytable)
    (folder / "table.yaml").write_text(table)
    for name in ("pays.yaml", "table.yaml"):
        (folder / name).chmod(0o644)
    return folder / "table.yaml"


# Odds and percentages (fault 66)


@pytest.mark.parametrize(
    ("odds", "to_one"),
    [
        ("8:1", Fraction(8)),
        ('"8:1"', Fraction(8)),
        ("'8:1'", Fraction(8)),
        ("19:20", Fraction(19, 20)),
        ("1:60", Fraction(1, 60)),
        ("2:4", Fraction(1, 2)),
        ("200:1", Fraction(200)),
        ("12 for 1", Fraction(11)),
        ('"3 for 2"', Fraction(1, 2)),
    ],
)
def test_odds_mean_what_they_say_with_or_without_quotes(odds: str, to_one: Fraction) -> None:
    assert paying(odds).wagers[0].tiers[0].pays == to_one


@pytest.mark.parametrize(
    ("odds", "meant"),
    [
        ("481", "8:1"),
        ("8", "8:1"),
        ("8.1", "8:1"),
        ("8-1", "8:1"),
        ("8/1", "8:1"),
        ("8 to 1", "8:1"),
        ('"8 : 1"', "8:1"),
        ("08:01", "8:1"),
        ("0.95:1", "19:20"),
        ("1.5:1", "3:2"),
        ("1e3", "1000:1"),
        ("010", "10:1"),
        ('"8"', "8:1"),
        ("８:１", "8:1"),
        (".nan", ""),
        (".inf", ""),
        ("-8:1", ""),
        ("8:-1", ""),
        ("-8", ""),
        ("0", ""),
        ("0:1", ""),
        ("1:0", ""),
        ("10:00", ""),
        ("1:30.5", "2:61"),
        ("1 for 1", ""),
        ("1 for 2", ""),
        ("012 for 1", ""),
        ("eight", ""),
        ("yes", ""),
        ("true", ""),
        ("٨:١", ""),
        ("5%", ""),
        ("[8:1]", ""),
        ("{a: 1}", ""),
        ("99999999999999999999:1", ""),
    ],
)
def test_other_odds_are_refused_with_the_right_form(odds: str, meant: str) -> None:
    mistake = mistakes_of_paytable(f"{HEAD}  tie: {{wins: {{winner: tie}}, pays: {odds}}}\n")[0].split("\n")[0]
    assert mistake.startswith("x.yaml:4:36: wagers.tie.pays: ")
    assert "8:1 or 19:20, or 12 for 1" in mistake
    assert mistake.partition("; did you mean ")[2] == meant


@pytest.mark.parametrize(("text", "part"), [("5%", Fraction(1, 20)), ('"4.5%"', Fraction(9, 200)), ("0%", Fraction(0))])
def test_a_percentage_is_exact(text: str, part: Fraction) -> None:
    line = f"  banker: {{wins: {{winner: banker}}, pays: 1:1, commission: {text}}}\n"
    assert load_paytable_text(HEAD + line).wagers[0].commission == part


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("5", "5%"),
        ("0.05", "5%"),
        ("5e-2", "5%"),
        ("5 %", "5%"),
        ("05%", "5%"),
        ("100%", ""),
        ("-5%", ""),
        ("'5,5%'", ""),
        ("no", ""),
    ],
)
def test_other_percentages_are_refused_with_the_right_form(text: str, meant: str) -> None:
    line = f"  banker: {{wins: {{winner: banker}}, pays: 1:1, commission: {text}}}\n"
    mistake = mistakes_of_paytable(HEAD + line)[0].split("\n")[0]
    assert "write a percentage below 100 as 5% or 4.5%" in mistake
    assert mistake.partition("; did you mean ")[2] == meant


# Wagers


def test_a_paytable_is_read_whole() -> None:
    paytable = load_paytable_text("""
format: punto-paytable 1
name: ห้าเปอร์เซ็นต์
commission: {collect: ledger}
rounding: {of: commission, mode: nearest, to: 25}
wagers:
  banker: {wins: [{winner: banker, banker_total: [1-6, 8, 9]}, {winner: banker, banker_total: 7, banker_cards: 2}],
           pushes: [{winner: tie}, {winner: banker, banker_total: 7, banker_cards: 3}], pays: "1:1"}
  quik:
    rounding: {of: payout, mode: down, to: 5}
    tiers: [{wins: {points: 0}, pays: 50:1}, {wins: {points: [1-3, 15-17]}, pays: 1:1}]
  giving-8: {wins: {banker_two: 3, player_third: [8, none], natural: false}, pays: 200:1}
  pair: {wins: {pairs: 1-2}, pays: 5:1, settles: initial-deal, accept: [edge]}
""")
    banker, quik, giving, pair = paytable.wagers
    assert (paytable.name, paytable.collect.value) == ("ห้าเปอร์เซ็นต์", "ledger")
    assert paytable.rounding == Rounding(RoundOf.COMMISSION, RoundMode.NEAREST, 25)
    assert banker.tiers[0].wins == Condition.of(
        {"winner": "banker", "banker_total": [1, 2, 3, 4, 5, 6, 8, 9]},
        {"winner": "banker", "banker_total": 7, "banker_cards": 2},
    )
    assert quik.rounding == Rounding(RoundOf.PAYOUT, RoundMode.DOWN, 5)
    assert quik.tiers[1].wins == Condition.of({"points": [1, 2, 3, 15, 16, 17]})
    assert giving.tiers[0].wins == Condition.of({"banker_two": 3, "player_third": [8, "none"], "natural": [False]})
    assert pair.settles is Settles.INITIAL_DEAL


def test_every_recorded_paytable_loads() -> None:
    for line in (VECTORS / "settlements.jsonl").read_text().splitlines():
        assert load_paytable_text(json.loads(line)["paytable"]).wagers


@pytest.mark.parametrize(
    ("wager", "said"),
    [
        ("{wnis: {winner: tie}, pays: 8:1}", "x.yaml:4:9: wagers.tie.wnis: unknown key; did you mean wins"),
        ("{wins: {winner: tie}, pays:8:1}", "wagers.tie.pays:8:1: unknown key; a blank is missing after pays:"),
        ("\n    pays:8:1", "x.yaml:5:5: wagers.tie: a blank is missing after pays: (pays:8:1)"),
        ("{wins: {winner: tie}}", "x.yaml:4:3: wagers.tie.pays: this key is missing"),
        ("{pays: 8:1}", "x.yaml:4:3: wagers.tie.wins: this key is missing"),
        (
            "{wins: {winner: tie}, pays: 8:1, tiers: [{wins: {winner: tie}, pays: 8:1}]}",
            "a wager has 'wins' and 'pays', or 'tiers', not both",
        ),
        ("{tiers: []}", "wagers.tie.tiers: 0 tiers; write at least 1"),
        (f"{{tiers: [{'{wins: {winner: tie}, pays: 8:1}, ' * 33}]}}", "wagers.tie.tiers: 33 tiers; write at most 32"),
        ("{tiers: [{pays: 8:1}]}", "wagers.tie.tiers.1.wins: this key is missing"),
        ("{wins: {}, pays: 8:1}", "wagers.tie.wins: facts are wanted, as {winner: tie}, not an empty map"),
        ("{wins: [], pays: 8:1}", "wagers.tie.wins: a list of 0 maps of facts; write 1 to 50"),
        ("{wins: tie, pays: 8:1}", "wagers.tie.wins: facts are wanted, as {winner: tie}, not tie"),
        ("{wins: {winer: tie}, pays: 8:1}", "wagers.tie.wins.winer: unknown fact; did you mean winner"),
        ("{wins: {winner: no}, pays: 8:1}", "winner: no is not one of player, banker, tie"),
        ("{wins: {winner: bank}, pays: 8:1}", "; did you mean banker"),
        ("{wins: {total: 10}, pays: 8:1}", "total: 10 is not one of 0-9"),
        ("{wins: {total: 4-10}, pays: 8:1}", "total: 4-10 is not one of 0-9"),
        ("{wins: {total: 9-4}, pays: 8:1}", "9-4 runs backwards; did you mean 4-9"),
        ("{wins: {cards: 6-4}, pays: 8:1}", "cards: 6-4 runs backwards; did you mean 4-6"),
        ("{wins: {player_first_rank: 9-2}, pays: 8:1}", "9-2 runs backwards; did you mean 2-9"),
        ("{wins: {total: '6'}, pays: 8:1}", "total: 6 is not one of 0-9"),
        ("{wins: {total: 06}, pays: 8:1}", "total: 06 is not one of 0-9"),
        ("{wins: {total: -1}, pays: 8:1}", "total: -1 is not one of 0-9"),
        ("{wins: {pairs: true}, pays: 8:1}", "pairs: true is not one of 0-2"),
        ("{wins: {natural: 1}, pays: 8:1}", "natural: 1 is not one of true, false"),
        ("{wins: {natural: yes}, pays: 8:1}", "natural: yes is not one of true, false; did you mean true"),
        ("{wins: {natural: 'true'}, pays: 8:1}", "did you mean true, without quotes"),
        ("{wins: {cards: [4, 7]}, pays: 8:1}", "x.yaml:4:27: wagers.tie.wins.cards.2: 7 is not one of 4-6"),
        ("{wins: {cards: []}, pays: 8:1}", "cards: an empty list"),
        ("{wins: {winner: tie}, pays: 8:1, rounding: {of: payout, mode: dwon}}", "dwon is not one of exact, down, up"),
        ("{wins: {winner: tie}, pays: 8:1, rounding: {of: payout, mode: up, to: 0}}", "0 is not from 1 to"),
        ("{wins: {winner: tie}, pays: 8:1, settles: initial-deal}", "winner is not known after four cards"),
        ("8:1", "wagers.tie: 'key: value' lines are wanted, not 8:1"),
    ],
)
def test_a_wager_that_is_refused(wager: str, said: str) -> None:
    mistakes = mistakes_of_paytable(f"{HEAD}  tie: {wager}\n")
    assert len(mistakes) == 1, mistakes
    assert said in mistakes[0]


OF_ANY_KIND = ["null", "[]", "{}", "[a, [b]]", "[{a: 1}]", "{a: [1]}", "true", "1.5", "9" * 30, "x" * 5000, "1:1", "x"]
WAGER = "  tie: {wins: {winner: tie}, pushes: {total: 1}, pays: 8:1, commission: 5%, settles: coup, accept: [a-reason]"
EVERY_WAGER_KEY = f"{WAGER}, rounding: {{of: payout, mode: down, to: 1}}}}\n"


@pytest.mark.parametrize("value", OF_ANY_KIND)
def test_no_kind_of_value_at_any_key_is_more_than_a_mistake(tmp_path: Path, value: str) -> None:
    """Each scalar, list and map of a table and a paytable in turn; what is said is printable and one file's own."""
    whole = {
        "table.yaml": TABLE,
        "pays.yaml": "format: punto-paytable 1\nname: x\ncommission: {collect: ledger}\nwagers:\n" + EVERY_WAGER_KEY,
    }
    for name, text in whole.items():
        for match in re.finditer(
            r"(?<=: )(?:\{.*\}|\[.*\]|[^{}\[\],\n]+)|(?<=: )[^{}\[\],\n]+(?=[,}])|(?<=\[)[^\]]+(?=\])", text
        ):
            path = written(tmp_path, paytable=whole["pays.yaml"])
            (tmp_path / name).write_text(text[: match.start()] + value + text[match.end() :])
            for mistake in check([path, tmp_path / "pays.yaml"]).mistakes:
                assert mistake.startswith(str(tmp_path))


def test_a_coup_that_both_wins_and_pushes_is_refused_with_an_example() -> None:
    line = "  ez: {wins: {winner: banker}, pushes: {banker_total: 7, banker_cards: 3}, pays: 1:1, comission: 5%}\n"
    overlap, misspelt = mistakes_of_paytable(HEAD + line)
    assert "wagers.ez.pushes: a coup that both wins and pushes: Player " in overlap
    assert "wagers.ez.comission: unknown key; did you mean commission" in misspelt


@pytest.mark.parametrize("wager_id", ["Tie", "1tie", "tie_x", "differential", "t" * 33, "тie", "-tie", "''"])
def test_a_wager_id_that_is_refused(wager_id: str) -> None:
    (mistake,) = mistakes_of_paytable(f"{HEAD}  {wager_id}: {{wins: {{winner: tie}}, pays: 8:1}}\n")
    assert "x.yaml:4:3: wagers" in mistake


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ("format: punto-table 1\n", "x.yaml:1:9: format: this is a table, not a paytable"),
        ("format: punto-paytable 2\n", "this version reads punto-paytable 1, not punto-paytable 2"),
        ("name: x\n", "x.yaml:1:1: format: this key is missing; write format: punto-paytable 1"),
        ("fоrmat: punto-paytable 1\n", "x.yaml:1:1: f\\u{43e}rmat: unknown key; did you mean format"),
        ("format: [punto-paytable 1]\n", "x.yaml:1:9: format: this version reads punto-paytable 1, not a list"),
        ("format: {punto-paytable: 1}\n", "x.yaml:1:9: format: this version reads punto-paytable 1, not a map"),
        ("format: punto-paytable 1\nname: x\nwagers: {}\n", "x.yaml:3:9: wagers: 0 wagers; write at least 1"),
        (
            HEAD + "".join(f"  w{n}: {{wins: {{winner: tie}}, pays: 8:1}}\n" for n in range(101)),
            "wagers: 101 wagers; write at most 100",
        ),
        ("format: punto-paytable 1\nname: x\n", "x.yaml:1:1: wagers: this key is missing"),
    ],
)
def test_a_head_that_is_refused(head: str, said: str) -> None:
    (mistake,) = mistakes_of_paytable(head)
    assert said in mistake


def test_a_mistake_is_shown_with_its_line_and_a_caret() -> None:
    text = HEAD + "  tie: {wins: {winner: tie}, pays: 0.95:1}\n"
    assert mistakes_of_paytable(text) == [
        "x.yaml:4:36: wagers.tie.pays: 0.95:1 is not how odds are written; write odds to one as 8:1 or 19:20, "
        "or 12 for 1; did you mean 19:20\n"
        "      tie: {wins: {winner: tie}, pays: 0.95:1}\n"
        "                                       ^"
    ]


def test_the_caret_stands_below_its_character_also_after_escaped_ones() -> None:
    shown = mistakes_of_paytable("format: punto-paytable 1\nname: x\nwagers: {ไทย: 8}\n")[0].split("\n")
    assert shown[1][shown[2].index("^")] == "\\"
    assert shown[1].isascii()


# Tables


def test_a_table_is_read_whole(tmp_path: Path) -> None:
    table = load_table(written(tmp_path))
    rules = table.rules
    assert (rules.table, rules.name, rules.language, rules.seats) == ("bac-07", "Mini Baccarat 7", "th", (1, 2, 3, 5))
    assert (rules.currency, rules.decimals, rules.simulation) == ("THB", 2, False)
    assert rules.limit("player") == Limit(200, 2000, 100)
    assert (rules.limit("tie"), rules.differential, rules.bar_both_sides) == (None, 5000, False)
    assert (rules.close_by, rules.empty_coup, rules.reveal) == (CloseBy.BUTTON, EmptyCoup.DEAL, Reveal.AT_ONCE)
    assert rules.settle_after_s is None
    assert (rules.decks, rules.burn, rules.cut_card) == (8, BurnRule(BurnBy.FIRST_CARD, 0, 1, 10), CutCard(14, 1))
    assert (table.shoe.driver, table.shoe.port, table.shoe.baud, table.shoe.copies) == (
        "angel-eye",
        "/dev/shoe",
        4800,
        3,
    )
    assert (table.display.driver, table.display.port) == ("panel", "socket://127.0.0.1:7001")
    assert [source.text for source in table.sources] == [TABLE, HEAD + MAIN]
    assert table.warnings == ()


def test_optional_keys_may_be_left_out() -> None:
    text = changed(
        ("language: th\n", ""),
        ("simulation: false\nbetting: {close: button}\nreveal: at-once\nsettle: {confirm: button}\n", ""),
        ("  baud: 4800\n  copies: 3\n  quiet_s: 30\n", ""),
        (", ace: 1, court: 10", ""),
    )
    text = text[: text.index("display:")]
    rules = load_table_texts(text, HEAD + MAIN)
    assert (rules.language, rules.simulation, rules.close_by, rules.quiet_s) == ("en", False, CloseBy.BUTTON, 30)
    assert rules.burn == BurnRule(BurnBy.FIRST_CARD)


def test_ports_of_the_command_line_go_first(tmp_path: Path) -> None:
    path = written(tmp_path, changed(("  port: /dev/shoe\n", "")))
    with pytest.raises(ConfigErrors, match=r"shoe\.port: this key is missing; it goes with driver: angel-eye"):
        load_table(path)
    table = load_table(path, shoe_port="/dev/pts/1", display_port="COM3")
    assert (table.shoe.port, table.display.port) == ("/dev/pts/1", "COM3")


def test_a_simulated_shoe_has_no_port(tmp_path: Path) -> None:
    changes = (("driver: angel-eye\n  port: /dev/shoe", "driver: simulated"), ("simulation: false", "simulation: true"))
    path = written(tmp_path, changed(*changes))
    assert load_table(path).shoe.port is None
    with pytest.raises(ConfigErrors, match="driver simulated has no port; take --shoe-port away"):
        load_table(path, shoe_port="/dev/pts/1")


def test_a_port_that_no_driver_opens_is_a_warning(tmp_path: Path) -> None:
    table = load_table(written(tmp_path, changed(("driver: panel", "driver: none"))))
    assert table.display.port is None
    assert [warning.split(": ", 1)[1] for warning in table.warnings] == [
        "display.port: without effect; driver none has no port"
    ]


def test_the_identity_is_that_of_the_bytes_and_the_journal_reads_it_back(tmp_path: Path) -> None:
    table = load_table(written(tmp_path))
    assert load_table_texts(*(source.text for source in table.sources)) == table.rules
    assert load_table(written(tmp_path, TABLE + "#")).rules.identity != table.rules.identity
    assert load_table(written(tmp_path, TABLE, HEAD + MAIN + "#")).rules.identity != table.rules.identity


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: bac-07", "id: ../x", "id: ../x is not allowed"),
        ("id: bac-07", "id: " + "x" * 33, "id: a text of 33 characters; write 1 to 32"),
        ("name: Mini Baccarat 7", "nmae: x", "nmae: unknown key; did you mean name"),
        ("language: th", "language: fr", "language: fr is not one of en, th, zh"),
        ("language: th", "language: no", "language: no is not one of en, th, zh"),
        ("[1, 2, 3, 5]", "[1, 2, 2]", "t.yaml:5:15: seats.3: seat 2 is here twice"),
        ("[1, 2, 3, 5]", "[]", "seats: 0 seats; write 1 to 14"),
        ("[1, 2, 3, 5]", "[0]", "seats.1: 0 is no seat number"),
        ("[1, 2, 3, 5]", "[1, true]", "seats.2: true is no seat number"),
        ("[1, 2, 3, 5]", "5", "seats: a list of seat numbers is wanted, not 5"),
        ("code: THB", "code: baht", "currency.code: a text of 4 characters"),
        ("decimals: 2", "decimals: 02", "currency.decimals: 02 is no whole number; did you mean 2"),
        ("min: 200", "min: 1_000", "did you mean 1000"),
        ("max: 2000, multiple: 100", "max: 1e3", "max: 1e3 is no whole number; did you mean 1000"),
        ("max: 2000, multiple: 100", "max: 2.000", "max: 2.000 is no whole number; write plain digits"),
        ("max: 2000, multiple: 100", "max: 2000.00", "max: 2000.00 is no whole number; did you mean 2000"),
        ("max: 2000, multiple: 100", "max: .inf", "max: .inf is no whole number; write plain digits"),
        ("max: 2000, multiple: 100", "max: '1000'", "did you mean 1000, without quotes"),
        ("max: 2000, multiple: 100", "max: -5", "max: -5 is not from 1 to 9223372036854775807"),
        ("max: 2000, multiple: 100", "max: 9223372036854775808", "is not from 1 to"),
        ("max: 2000, multiple: 100", f"max: {'9' * 40}", "the largest is 9223372036854775807"),
        ("max: 2000, multiple: 100", "max: 99", "limits.player.max: max 99 is below min 200"),
        ("max: 2000, multiple: 100", "max: 250, multiple: 300", "no multiple of 300 lies between"),
        ("  banker: {min", "  bankr: {min", "limits.bankr: the paytable has no such wager; did you mean banker"),
        ("differential: 5000", "diferential: 5000", "no such wager; did you mean differential"),
        ("differential: 5000", "differential: 99", "limits.differential: 99 is below the least stake on player or"),
        ("differential: 5000", "bar_both_sides: yes", "yes is neither true nor false; did you mean true"),
        ("simulation: false", "simulation: no", "simulation: no is neither true nor false; did you mean false"),
        ("simulation: false", "simulation: 'false'", "did you mean false, without quotes"),
        ("{close: button}", "{close: timer}", "betting.seconds: this key is missing; it goes with close: timer"),
        ("{close: button}", "{close: first}", "close: first is not one of button, first-card, timer; did you mean"),
        ("{close: button}", "button", "betting: 'key: value' lines are wanted, not button"),
        ("reveal: at-once", "reveal: at_once", "reveal: at_once is not one of at-once"),
        ("{confirm: button}", "{confirm: auto}", "settle.after_s: this key is missing; it goes with confirm: auto"),
        ("decks: 8", "decks: 010", "shoe.decks: 010 is no whole number; did you mean 10"),
        ("decks: 8", "decks: 0", "shoe.decks: 0 is not from 1 to 12"),
        ("decks: 8", "decks: 13", "shoe.decks: 13 is not from 1 to 12"),
        ("  decks: 8\n", "", "t.yaml:16:1: shoe.decks: this key is missing"),
        ("by: first-card, ace: 1, court: 10", "by: fixed", "burn.cards: this key is missing; it goes with by: fixed"),
        ("depth: 14", "depth: 10", "shoe.cut_card.depth: the last coup may need 11 cards behind the cut card, 10 are"),
        ("depth: 14", "depth: 402", "leave no coup before a cut card 402 from the end"),
        ("driver: angel-eye", "driver: bee-tek", "shoe.driver: bee-tek is not available in this version"),
        ("driver: panel", "driver: vfd", "display.driver: vfd is not available in this version; use panel or none"),
        ("driver: angel-eye", "driver: angel_eye", "angel-eye, simulated; did you mean angel-eye"),
        ("driver: angel-eye", "driver: simulated", "simulated is only for a table that says so"),
        ("copies: 3", "copies: 4", "shoe.copies: 4 is not from 1 to 3"),
        ("baud: 4800", "baud: fast", "shoe.baud: fast is no whole number"),
        ("display:\n", "displays: []\ndisplay:\n", "displays: not available in this version"),
    ],
)  # fmt: skip
def test_a_table_that_is_refused(old: str, new: str, said: str) -> None:
    mistakes = table_mistakes((old, new))
    assert [mistake for mistake in mistakes if said in mistake], mistakes
    assert all(mistake.startswith("t.yaml:") for mistake in mistakes)


@pytest.mark.parametrize("key", ["format", "id", "name", "seats", "currency", "paytable", "limits", "shoe"])
def test_a_missing_key_is_refused(key: str) -> None:
    lines, inside = [], False
    for line in TABLE.splitlines(keepends=True):
        inside = line.startswith(f"{key}:") or (inside and line.startswith(" "))
        lines += [] if inside else [line]
    with pytest.raises(ConfigErrors) as caught:
        load_table_texts("".join(lines), HEAD + MAIN)
    assert f"{key}: this key is missing" in str(caught.value)


def test_every_mistake_of_every_file_is_told_in_one_run() -> None:
    changes = (
        ("language: th", "language: xx"),
        ("depth: 14", "depth: 1"),
        ("  banker: {min: 100", "  bankr: {min: 200000"),
    )
    broken = HEAD + MAIN.replace("8:1", "8.1").replace("winner: player", "winner: punto")
    mistakes = table_mistakes(*changes, paytable=broken)
    assert [mistake.split(": ")[1] for mistake in mistakes] == [
        "language",
        "limits.bankr",
        "limits.bankr.max",
        "shoe.cut_card.depth",
        "wagers.player.wins.winner",
        "wagers.tie.pays",
    ]


# Files (faults 69, 74)


def test_a_paytable_that_is_not_there_is_told_where_it_is_named(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "pays.yaml").unlink()
    with pytest.raises(ConfigErrors) as caught:
        load_table(path)
    assert caught.value.mistakes[0].startswith(f"{path}:7:11: paytable: {tmp_path}/pays.yaml: no such file")


def test_only_a_regular_file_of_bounded_size_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "big", "wb") as big:
        big.truncate(100 * 1024 * 1024)
    for name in (tmp_path / "pipe", tmp_path, Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(ConfigErrors, match="not a regular file"):
            load_paytable(name)
    with pytest.raises(ConfigErrors, match="too large"):
        load_paytable(tmp_path / "big")
    with pytest.raises(ConfigErrors, match="no such file"):
        load_paytable(tmp_path / "\x1b[31m")


def test_a_paytable_that_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, changed(("pays.yaml", "/dev/zero")))
    with pytest.raises(ConfigErrors, match="paytable: /dev/zero: not a regular file"):
        load_table(path)


def test_files_that_others_can_write_are_warned_of(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "pays.yaml").chmod(0o666)
    assert load_table(path).warnings == (f"{tmp_path}/pays.yaml: everybody may write this file; chmod o-w",)
    (tmp_path / "pays.yaml").chmod(0o644)
    (tmp_path / "link.yaml").symlink_to(path)
    assert "a symbolic link" in load_table(tmp_path / "link.yaml").warnings[0]
    tmp_path.chmod(0o777)
    assert "everybody may replace this file" in load_table(path).warnings[0]


def test_procedures_must_be_there_and_be_yaml(tmp_path: Path) -> None:
    path = written(tmp_path, changed(("limits:\n", "procedures: jp.yaml\nlimits:\n")))
    with pytest.raises(ConfigErrors, match=r"procedures: .*no such file"):
        load_table(path)
    (tmp_path / "jp.yaml").write_text("a: 1\na: 2\n")
    with pytest.raises(ConfigErrors, match=r"jp.yaml:2:1: a: this key is here twice"):
        load_table(path)
    (tmp_path / "jp.yaml").write_text("format: punto-procedures 1\n")
    table = load_table(path)
    texts = [source.text for source in table.sources]
    assert load_table_texts(texts[0], texts[1], procedures_text=texts[2]) == table.rules


# Warnings and check


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("copies: 3", "copies: 1", "shoe.copies: a report that is sent once is not confirmed"),
        ("ace: 1, ", "ace: 11, ", "shoe.burn: up to 11 burn cards; this shoe can report 10"),
        (
            "by: first-card, ace: 1, court: 10",
            "by: decks, ace: 1",
            "shoe.burn.ace: without effect; it goes with by: first",
        ),
        (
            "{close: button}",
            "{close: button, seconds: 20}",
            "betting.seconds: without effect; it goes with close: timer",
        ),
        ("max: 2000, multiple: 100", "max: 1050, multiple: 100", "1050 is no multiple of 100"),
        (
            "multiple: 100}\n  diff",
            "multiple: 1}\n  diff",
            "limits.banker.multiple: a stake of 1 at 1:1 cannot be paid",
        ),
    ],
)
def test_what_is_unusual_is_warned_of(tmp_path: Path, old: str, new: str, said: str) -> None:
    warnings = load_table(written(tmp_path, changed((old, new)))).warnings
    assert [warning for warning in warnings if said in warning], warnings


def test_a_stake_that_cannot_be_paid_is_warned_of_unless_the_wager_accepts_it(tmp_path: Path) -> None:
    ones = changed(
        ("multiple: 100}\n  diff", "multiple: 3}\n  diff"), ("max: 1000", "max: 999"), ("min: 100", "min: 99")
    )
    (warning,) = load_table(written(tmp_path, ones)).warnings[-1:]
    assert warning.endswith(
        "limits.banker.multiple: a stake of 3 at 1:1 cannot be paid exactly; "
        "write a multiple of 20, or another rounding in the paytable [not-payable]"
    )
    excused = MAIN.replace("commission: 5%}", "commission: 5%, accept: [not-payable]} # our chips are of 20")
    assert load_table(written(tmp_path, ones, HEAD + excused)).warnings == ()


def test_limits_within_which_nothing_can_be_paid_are_refused() -> None:
    """19:20 pays of multiples of 20 alone; from 30 to 39 there is none."""
    within = ("banker: {min: 100, max: 1000, multiple: 100}", "banker: {min: 30, max: 39}")
    assert table_mistakes(within) == [
        "t.yaml:10:11: limits.banker: no stake from 30 to 39 can be paid exactly; only multiples of 20 can: "
        "write other limits, or another rounding"
    ]


def test_dead_tiers_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(
        HEAD + "  six: {tiers: [{wins: {winner: banker}, pays: 1:1}, {wins: {winner: banker, total: 6}, pays: 2:1}]}\n"
        "  none: {wins: {winner: player, player_total: 0}, pushes: {cards: 4, player_cards: 3}, pays: 2000:1}\n"
    )
    path.chmod(0o644)
    result = check([path])
    assert result.mistakes == ()
    assert [warning.split(": ", 1)[1] for warning in result.warnings] == [
        "wagers.six.tiers.2.wins: never pays: the tiers before it take every coup it would win [never-pays]",
        "wagers.none.wins: never pays: no coup that can be dealt meets it [never-pays]",
        "wagers.none.pays: odds above 1000:1 are unusual [odds-unusual]",
        "wagers.none.pushes: never pushes: no coup that can be dealt meets it [never-pushes]",
    ]


def test_check_tells_what_a_table_says(tmp_path: Path) -> None:
    mistakes, warnings, summary = check([written(tmp_path), tmp_path / "pays.yaml"])
    assert (mistakes, warnings) == ((), ())
    assert "  banker: 1:1, less 5 % commission, may push" in summary
    assert "  limit player: 2.00 to 20.00, multiples of 1.00" in summary
    assert sum(line.startswith("paytable") for line in summary) == 1


def test_check_goes_on_after_a_broken_file(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("format: something 1\n")
    mistakes, _, summary = check([tmp_path / "bad.yaml", tmp_path / "none.yaml", written(tmp_path)])
    assert len(mistakes) == 2
    assert "this version reads punto-table 1 and punto-paytable 1, not something 1" in mistakes[0]
    assert summary


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.integers(0, len(TABLE)), st.integers(0, 40))
def test_a_table_with_any_bytes_in_it_loads_or_is_refused(raw: bytes, at: int, length: int) -> None:
    text = TABLE.encode()
    try:
        load_table_texts(text[:at] + raw + text[at + length :], HEAD + MAIN)
        mistakes = [""]
    except ConfigErrors as errors:
        mistakes = errors.mistakes
    assert mistakes
    assert all(mistake.isascii() and mistake.replace("\n", "").isprintable() for mistake in mistakes)


# Work (fault 69)


@pytest.mark.parametrize(
    "wagers",
    [
        ["nine_suits_in_four: 2-4, player_pair: perfect, winner: player"],
        ["nine_suits_in_four: 2-4, winner: player", "nine_suits_in_four: 2-4, total: 9"],
        ["nine_suits_in_four: 2-4, winner: player", "player_first_rank: 9, winner: banker, banker_pair: mixed"],
        [
            f"player_first_rank: 9, banker_second_rank: A, {fact}"
            for fact in ("total: 9", "player_total: 8", "margin: 1", "banker_total: 3", "points: 9")
        ],
        ["player_pair: mixed, pairs: 1, nine_suits_in_four: 2, banker_first_rank: A, player_first_rank: 3, sevens: 2"],
        [
            f"{fact}: 1, player_first_rank: [A, 3], same_pair: false, diamond_nines_in_four: 1"
            for fact in ("margin", "player_third", "points", "banker_third", "total")
        ],
    ],
)
def test_a_handful_of_wagers_may_ask_for_any_facts_together(wagers: list[str]) -> None:
    lines = [f"  w{number}: {{wins: {{{facts}}}, pays: 1:1}}\n" for number, facts in enumerate(wagers)]
    assert len(load_paytable_text(HEAD + "".join(lines)).wagers) == len(wagers)


def test_a_wager_with_too_many_kinds_of_coups_is_refused_before_they_are_looked_at() -> None:
    """One asks for every rank of two cards, for itself; another like it is more than can be looked through."""
    ranks = ["A", *range(2, 10), "T", "J", "Q", "K"]

    def heavy(fact: str) -> str:
        maps = [f"{{player_first_rank: {rank}, banker_first_rank: {rank}, sevens: 1, {fact}: 1}}" for rank in ranks]
        return f"  {fact}: {{wins: [{', '.join(maps)}], pays: 3:1}}\n"

    assert load_paytable_text(HEAD + heavy("margin"), "h.yaml")
    with pytest.raises(ConfigErrors) as refused:
        load_paytable_text(HEAD + heavy("margin") + heavy("points") + heavy("total"), "h.yaml")
    (said,) = refused.value.mistakes
    assert said.startswith("h.yaml:5:11: wagers.points: too many kinds of coups to look through (banker_first_rank, ")
    assert "write fewer facts of the cards together, or put this wager into another paytable" in said


def test_check_prints_a_hundred_mistakes_and_how_many_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.yaml"
    path.write_text("format: punto-paytable 1\nname: H\nwagers:\n" + "".join(f"  w{n}: x\n" for n in range(150)))
    path.chmod(0o644)
    assert main(["check", str(path)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert sum("many.yaml:" in line for line in said) == 100
    assert said[-1].startswith("punto check: ")
    assert said[-1].endswith(" more; correct these first")

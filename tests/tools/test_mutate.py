"""The mutator: it changes what it says, a test notices, and what nothing notices is told."""

import sys

import pytest

from controller.game.tableau import read_tableau
from controller.host.config import load_paytable_text
from tools import mutate_catalogue, mutate_program, mutate_rows, mutate_tableau, mutate_trial
from tools.mutate_trial import CannotTry, Verdict, tried
from tools.mutation import ROOT, Mutation

pytestmark = pytest.mark.untraced


def test_every_cell_of_the_tableau_is_changed_once_into_another_whole_table():
    rules = set()
    for mutation in mutate_tableau.mutations():
        found = {}
        exec(compile(mutation.text.split("TWO_CARD_TOTALS =")[0], mutation.name, "exec"), found)
        rules.add(read_tableau(found["TABLEAU"]))
    assert len(rules) == 96
    assert read_tableau(mutate_tableau.TABLEAU) not in rules


def test_every_row_is_changed_in_its_end_its_trigger_and_each_guard():
    names = [mutation.name for mutation in mutate_rows.mutations()]
    assert len(names) == len(set(names))
    for row in mutate_rows.TRANSITIONS:
        ours = [name for name in names if name.startswith(f"{mutate_rows._told(row)}: ")]
        assert len(ours) == 5 + 2 * len(row.when + row.unless)


def test_every_tier_of_the_catalogue_is_changed_in_its_odds_and_its_conditions():
    names = [mutation.name for mutation in mutate_catalogue.mutations()]
    assert len(names) == len(set(names))
    for path in (ROOT / "config/paytables").glob("*.yaml"):
        for wager in load_paytable_text(path.read_text(encoding="utf-8")).wagers:
            for number in range(1, len(wager.tiers) + 1):
                tier = f"tier {number} " if len(wager.tiers) > 1 else ""
                ours = [name for name in names if name.startswith(f"{path.stem}, {wager.id}: {tier}")]
                assert sum(f"{tier}pays " in name for name in ours) == 2
                assert sum(f"{tier}wins " in name for name in ours) >= 1


PAYTABLE = """format: punto-paytable 1
name: X
wagers:
  it: {wins: [{winner: banker, banker_total: [1-6, 8, 9]}, {cards: 4-5, winner: tie}], pays: "8:1", commission: 5%}
"""


def test_what_is_changed_of_a_wager():
    told = [change.what for _, change in mutate_catalogue._changes(PAYTABLE)]
    assert told[-3:] == ['pays "9:1"', 'pays "8:2"', "commission 6%"]
    assert "wins [{banker_total: [1-6, 8, 9]}, {cards: 4-5, winner: tie}]" in told
    assert "wins [{winner: banker, banker_total: [1-5, 8, 9]}, {cards: 4-5, winner: tie}]" in told
    assert "wins [{winner: banker, banker_total: [1-6, 9]}, {cards: 4-5, winner: tie}]" in told
    assert "wins [{winner: banker, banker_total: [1-6, 8, 9]}, {cards: 5, winner: tie}]" in told
    assert "wins [{winner: banker, banker_total: [1-6, 8, 9]}]" in told


@pytest.mark.parametrize(
    ("instead", "same"),
    [
        ("[0-6, 8, 9]", True),  # nobody wins with nothing
        ("[1-6, 7, 8, 9]", False),
        ("[1-5, 8, 9]", False),
    ],
)
def test_a_change_is_equivalent_when_no_coup_is_resolved_otherwise(instead, same):
    changed = PAYTABLE.replace("[1-6, 8, 9]", instead)
    assert ("resolved as before" in mutate_catalogue.proof(PAYTABLE, changed, "it")) is same


def test_other_odds_are_never_equivalent():
    assert mutate_catalogue.proof(PAYTABLE, PAYTABLE.replace("8:1", "8:2"), "it") == ""
    assert mutate_catalogue.proof(PAYTABLE, PAYTABLE.replace("5%", "6%"), "it") == ""


def mutation(text, tests=("tests/game/test_cards.py",), proof=str):
    return Mutation("cards", "it", "controller/game/cards.py", text, tests, proof)


CARDS = (ROOT / "controller/game/cards.py").read_text(encoding="utf-8")


def test_each_verdict():
    noticed, refused = CARDS.replace('TEN = "T"', 'TEN = "0"'), CARDS + "\nassert DECK[0] is DECK[1]\n"
    nothing = CARDS + "\nUNUSED = 1\n"
    trials = [
        mutation(noticed),
        mutation(refused),
        mutation(nothing),
        mutation(nothing, proof=lately),
        mutation(noticed),
    ]
    found = [(trial.verdict, trial.proof) for trial in tried(trials, 1)]
    assert found == [
        (Verdict.FOUND, ""),
        (Verdict.REFUSED, ""),
        (Verdict.MISSED, ""),
        (Verdict.EQUIVALENT, "nobody reads it"),
        (Verdict.FOUND, ""),
    ]


def lately():
    return "nobody reads it"


def test_a_test_that_is_not_there_finds_nothing():
    with pytest.raises(CannotTry, match="could not be run"):
        list(tried([mutation(CARDS, ("tests/game/test_cards.py::test_nothing_of_the_kind",))], 1))


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("tableau", "Banker 3 draws on Player's third 8", "tableau: 1 of 1 noticed (1 by a test, 0 by the program"),
        ("row", "confirm in settling to betting when not last_coup: leads to burning", "row: 1 of 1 noticed (1 by a"),
        ("row", "close_bets in betting to bets-closed: gone", "row: 1 of 1 noticed (0 by a test, 1 by the program"),
        ("catalogue", 'ez, dragon-7: pays "41:1"', "catalogue: 1 of 1 noticed (1 by a test, 0 by the program"),
        (
            "catalogue",
            "commission-5, lucky-6: tier 2 wins {winner: banker, banker_total: 6}",
            "each of the 51 kinds of coups that it asks about is resolved as before",
        ),
    ],
    ids=["a cell", "a row", "a row, as the program loads", "a tier", "a tier, equivalent"],
)
def test_one_of_each_kind_is_noticed_or_proved_to_change_nothing(kind, name, told, capsys):
    """The cell that statistics cannot see among them. `tools/mutate` tries every one, and so does the long run."""
    assert mutate_program.main([kind, "--only", name, "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert told in out
    assert out.endswith("proved to change nothing\n")


def test_a_mutation_that_never_ends_is_noticed_by_its_work_not_by_the_clock(monkeypatch):
    monkeypatch.setattr(mutate_trial, "LONGEST_CPU_S", 3)
    (trial,) = tried([mutation(CARDS + "\nwhile True:\n    pass\n")], 1)
    assert trial.verdict is Verdict.FOUND


def test_a_trial_that_only_waits_says_nothing(monkeypatch):
    monkeypatch.setattr(mutate_trial, "LONGEST_S", 1)
    with pytest.raises(CannotTry, match="was ended by signal 14"):
        list(tried([mutation(CARDS + "\nimport signal\nsignal.pause()\n")], 1))


def test_what_was_missed_is_named_and_the_exit_code_is_1(capsys, monkeypatch):
    monkeypatch.setitem(mutate_program.KINDS, "row", lambda: iter([mutation(CARDS)]))
    assert mutate_program.main(["row"]) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "MISSED cards: it"
    assert told[1].startswith("cards: 0 of 1 noticed")


@pytest.mark.long
@pytest.mark.parametrize("kind", mutate_program.KINDS)
def test_all_are_noticed(kind, capsys):
    code = mutate_program.main([kind])
    sys.stderr.write(capsys.readouterr().out)
    assert code == 0

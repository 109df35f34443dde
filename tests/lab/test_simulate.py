"""A simulation: the same whoever deals it and however, held against the exact figures, told in full."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from simulated import by_game

from controller.cli import main
from controller.game.facts import Facts
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Condition, Tier, Wager
from controller.host.config import load_paytable
from controller.lab import simulate_count, simulate_told, simulate_verb, simulate_workers
from controller.lab.odds_figures import decimal
from controller.lab.simulate import Exact, Seen, Simulated, house_edge, simulate
from controller.lab.simulate_count import Game, Tally, tally
from controller.lab.simulate_file import read_game
from controller.lab.simulate_shoe import ShoeRule, usual_shoe
from controller.lab.simulate_verb import exact_figures
from controller.lab.simulate_workers import blocks, cores, useful_jobs

ROOT = Path(__file__).parents[2]
PAYTABLE = ROOT / "config/paytables/commission-5.yaml"
TABLE = ROOT / "config/tables/example.yaml"
WAGERS = load_paytable(PAYTABLE).wagers
EXACT = exact_figures(WAGERS, 8)


def game(in_arrays=True, seed=5, wagers=WAGERS):
    return Game(usual_shoe(8), wagers, seed, in_arrays)


# The same coups, counted


def test_a_tally_counts_what_game_says_of_each_coup():
    tie = Wager("tie", (Tier(Condition.of({"winner": "tie"}), Fraction(8)),), Condition.of({"winner": "banker"}))
    winners = [Facts(coup)["winner"] for coup in by_game(usual_shoe(8), 5, range(3))]
    counted = (winners.count("tie"), winners.count("banker"), winners.count("player"))
    for in_arrays in (True, False):
        assert tally(game(in_arrays, wagers=(tie,)), range(3)) == Tally(len(winners), (counted,))


@pytest.mark.parametrize("most", [1, 79, 80, 81, 333])
def test_the_first_coups_are_the_first_both_ways(most):
    ours = tally(game(), range(5), most)
    assert ours.coups == most
    assert ours == tally(game(in_arrays=False), range(5), most)


def test_a_part_and_the_rest_are_the_whole():
    assert tally(game(), range(9)).plus(tally(game(), range(9, 20))) == tally(game(), range(20))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("in_arrays", [True, False])
def test_a_run_is_the_same_with_and_without_numpy_and_however_many_work(in_arrays, jobs):
    one = simulate(game(), EXACT, 5_000)
    other = simulate(game(in_arrays), EXACT, 5_000, jobs)
    assert other.seen == one.seen


def test_a_run_is_what_its_shoes_are():
    whole = tally(game(), range(100), 5_000)
    edges = [house_edge(wager, counted) for wager, counted in zip(WAGERS, whole.outcomes, strict=True)]
    run = simulate(game(), EXACT, 5_000)
    assert [seen.edge for seen in run.seen] == edges
    assert [seen.wager for seen in run.seen] == [wager.id for wager in WAGERS]
    assert run.running[-1] == (5_000, tuple(edges))


def test_another_seed_is_another_run():
    assert simulate(game(seed=6), EXACT, 500).seen != simulate(game(), EXACT, 500).seen


@pytest.mark.parametrize(("coups", "jobs"), [(1, 1), (1_000, 3), (10**9, 1)])
def test_blocks_hold_every_shoe_once_and_grow(coups, jobs):
    shoes, sizes = 0, []
    for block in blocks(game(), coups, jobs):
        assert block.start == shoes
        shoes, sizes = block.stop, [*sizes, len(block)]
        if len(sizes) > 60:
            break
    assert sizes == sorted(sizes)
    assert sizes[0] == 1
    assert sizes[-1] == (4096 if coups == 10**9 else 1)


def test_points_of_the_running_edge_are_some_hundreds_at_most():
    run = simulate(game(), EXACT, 400_000)
    counts = [point.coups for point in run.running]
    assert counts == sorted(set(counts))
    assert 20 < len(counts) < 400
    assert counts[-1] == 400_000


# What a wager cost


def test_the_house_keeps_the_stakes_lost_less_what_it_paid():
    tiers = (Tier(Condition.of({"winner": "tie"}), Fraction(8)), Tier(Condition.of({"cards": 4}), Fraction(1, 2)))
    assert house_edge(Wager("it", tiers), (1, 2, 3, 4)) == Fraction(4 - 8 - 1, 10)
    assert house_edge(Wager("it", tiers[:1], commission=Fraction(1, 20)), (10, 5, 85)) == Fraction(85 - 76, 100)


def test_what_was_seen_agrees_with_enumeration():
    run = simulate(game(), EXACT, 1_000_000)
    assert run.agrees
    assert max(abs(seen.sigma) for seen in run.seen) < 4
    assert sum(abs(seen.sigma) < 2 for seen in run.seen) >= 7


def seen(edge, exact, variance, coups):
    return Seen("it", coups, Fraction(edge), Exact(Fraction(exact), Fraction(variance)))


def test_five_sigma_is_the_limit_and_still_agrees():
    at_the_limit = seen("1/10", 0, 4, 10_000)
    assert at_the_limit.error == Decimal("0.02")
    assert at_the_limit.sigma == 5
    assert (at_the_limit.low, at_the_limit.high) == (0, Decimal("0.2"))
    assert at_the_limit.agrees
    assert not seen("1001/10000", 0, 4, 10_000).agrees
    assert seen("-1/10", 0, 4, 10_000).agrees
    assert not seen("-1001/10000", 0, 4, 10_000).agrees


def test_a_wager_without_chance_is_right_or_wrong():
    assert seen("1/2", "1/2", 0, 10).agrees
    assert seen("1/2", "1/2", 0, 10).sigma == 0
    assert not seen("1/3", "1/2", 0, 10).agrees
    assert seen("1/3", "1/2", 0, 10).sigma == Decimal("-Infinity")


def test_no_digit_of_a_large_figure_is_lost():
    """Odds of 10^40 to one: every figure has more digits than a decimal context keeps."""
    large = seen(Fraction(10**41, 7), Fraction(10**41 + 1, 7), Fraction(10**82, 9), 10**4)
    told = json.loads(simulate_told.as_json(Simulated(game(), 10**4, (large,), ())))["wagers"]["it"]
    assert told["seen"] == decimal(Fraction(10**41, 7)) == "14285714285714285714285714285714285714285.714285714285714"
    assert told["exact"] == "14285714285714285714285714285714285714285.857142857142857"
    assert large.error == Fraction(10**39 * 10**60 // 3, 10**60)
    assert told["low"] == decimal(Fraction(10**41, 7) - 5 * large.error)
    assert told["low"].startswith("12619047619047619047619047619047619047619.047619")
    assert told["high"].startswith("15952380952380952380952380952380952380952.380952")
    far = seen(Fraction(10**41, 7), 0, 1, 10**4)
    assert f"{far.sigma:.3f}" == "1428571428571428571428571428571428571428571.429"


def test_a_wager_that_pays_more_than_it_says_is_found():
    """Tie at 9:1 where 8:1 was enumerated."""
    wrong = EXACT | {"tie": Exact(EXACT["tie"].edge - Fraction(95156, 1_000_000), EXACT["tie"].variance)}
    run = simulate(game(), wrong, 100_000)
    assert not run.agrees
    assert [line.split(":")[0] for line in simulate_told.wrong(run)] == ["tie"]


# The verb


def test_json_says_what_was_asked_and_seen(capsys):
    assert main(["simulate", str(PAYTABLE), "--coups", "2000", "--seed", "9", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["coups"], told["seed"], told["decks"]) == (2000, 9, 8)
    assert list(told["wagers"]) == [wager.id for wager in WAGERS]
    for wager in told["wagers"].values():
        assert set(wager) == {"seen", "exact", "low", "high", "sigma"}
        seen, exact, low, high = (Decimal(wager[key]) for key in ("seen", "exact", "low", "high"))
        assert low < seen < high
        assert low <= exact <= high
        assert abs((seen - exact) / ((high - low) / 10) - Decimal(wager["sigma"])) < Decimal("0.001")
    assert told["wagers"]["banker"]["exact"].startswith("0.01057905784247")


def test_the_table_and_the_exit_code(capsys):
    assert main(["simulate", str(PAYTABLE), "--coups", "2000", "--seed", "9"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("2,000 coups, 8 decks, seed 9\n")
    assert "1.0579 %" in told.out
    assert all(wager.id in told.out for wager in WAGERS)
    assert told.err == ""


def test_a_narrow_terminal_cuts_nothing_off(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    main(["simulate", str(PAYTABLE.with_name("side-wagers.yaml")), "--coups", "100", "--seed", "1"])
    told = capsys.readouterr().out
    assert "\N{HORIZONTAL ELLIPSIS}" not in told
    assert "player-natural-8" in told


def test_a_wager_too_far_off_is_named_and_the_exit_code_is_1(capsys, monkeypatch):
    real = simulate_verb.exact_figures
    monkeypatch.setattr(
        simulate_verb,
        "exact_figures",
        lambda wagers, decks: real(wagers, decks) | {"banker": Exact(Fraction(1, 2), Fraction(1))},
    )
    assert main(["simulate", str(PAYTABLE), "--coups", "2000", "--seed", "9"]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("banker: ")
    assert "50.0000 % exact" in told.err
    assert "WRONG" in told.out


def test_a_seed_that_nobody_chose_is_told_and_gives_the_same_again(capsys):
    runs = []
    for more in ([], ["--seed"]):
        words = [*more, *(str(runs[0]["seed"]) for _ in more)]
        assert main(["simulate", str(PAYTABLE), "--coups", "300", "--json", *words]) == 0
        runs.append(json.loads(capsys.readouterr().out))
    assert runs[0] == runs[1]


def test_a_table_brings_its_own_shoe(tmp_path, capsys):
    (tmp_path / "paytables").mkdir()
    (tmp_path / "tables").mkdir()
    (tmp_path / "paytables/commission-5.yaml").write_text(PAYTABLE.read_text())
    text = (
        TABLE.read_text().replace("decks: 8 #", "decks: 6 #").replace("by: first-card, ace: 1, court: 10", "by: decks")
    )
    table = tmp_path / "tables/six.yaml"
    table.write_text(text.replace("depth: 14", "depth: 30"))
    paytable, rule = read_game(table, None)
    assert rule == ShoeRule(6, BurnRule(BurnBy.DECKS), CutCard(30, 1))
    assert paytable.wagers == WAGERS
    assert main(["simulate", str(table), "--coups", "3000", "--seed", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["decks"] == 6
    assert told["wagers"]["banker"]["exact"].startswith("0.01055")


def test_a_paytable_is_dealt_from_the_usual_shoe():
    assert read_game(PAYTABLE, None).rule == ShoeRule(8, BurnRule(BurnBy.FIRST_CARD), CutCard(14, 1))
    assert read_game(PAYTABLE, 3).rule == ShoeRule(3, BurnRule(BurnBy.FIRST_CARD), CutCard(14, 1))


def test_a_table_and_decks_contradict(capsys):
    assert main(["simulate", str(TABLE), "--coups", "10", "--decks", "6"]) == 2
    assert "this table deals 8 decks" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["--coups", "0"],
        ["--coups", "-1"],
        ["--coups", "1e6"],
        ["--coups", "1_000"],
        ["--coups", "１２"],
        ["--coups", "10", "--seed", str(2**64)],
        ["--coups", "10", "--jobs", "0"],
        ["--coups", "10", "--decks", "13"],
        [],
    ],
)
def test_wrong_numbers_are_refused_in_one_line(words, capsys):
    with pytest.raises(SystemExit) as left:
        main(["simulate", str(PAYTABLE), *words])
    assert left.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_file_of_neither_kind_is_refused(tmp_path, capsys):
    path = tmp_path / "x.yaml"
    path.write_text("format: punto-menu 1\n")
    assert main(["simulate", str(path), "--coups", "10"]) == 2
    assert "punto-paytable 1" in capsys.readouterr().err


def test_mistakes_of_a_paytable_are_told(tmp_path, capsys):
    path = tmp_path / "x.yaml"
    path.write_text("format: punto-paytable 1\nname: X\nwagers:\n  tie: {wins: {winner: tie}, pays: 481}\n")
    assert main(["simulate", str(path), "--coups", "10"]) == 2
    assert "x.yaml:4" in capsys.readouterr().err


def test_the_report_is_one_page_by_itself(tmp_path, capsys):
    path = tmp_path / "out.html"
    assert main(["simulate", str(PAYTABLE), "--coups", "4000", "--seed", "9", "--report", str(path)]) == 0
    page = path.read_text()
    assert page.count("<svg") == len(WAGERS)
    assert page.count('class="seen"') == page.count('class="exact"') == len(WAGERS)
    assert "Commission 5 %" in page
    assert "1.0579 %" in page
    assert not any(word in page for word in ("http", "src=", "@import", "url(h", "<script"))
    lines = [line for line in page.splitlines() if 'class="seen"' in line]
    assert all(line.count(",") > 10 for line in lines)


def test_a_report_that_cannot_be_written_is_told_before_anything_is_dealt(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(simulate_verb, "simulate", None)
    code = main(["simulate", str(PAYTABLE), "--coups", "4000", "--report", str(tmp_path / "no/out.html")])
    assert code == 2
    assert "no/out.html" in capsys.readouterr().err


WITHOUT_NUMPY = "import sys; sys.modules['numpy'] = None; from controller.cli import main; sys.exit(main(sys.argv[1:]))"


def test_without_numpy_the_figures_are_the_same_and_it_says_why_it_is_slower(capsys):
    words = ["simulate", str(PAYTABLE), "--coups", "1500", "--seed", "3", "--json"]
    assert main(words) == 0
    without = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY, *words], cwd=ROOT, capture_output=True, text=True)
    assert without.returncode == 0
    assert json.loads(without.stdout) == json.loads(capsys.readouterr().out)
    assert without.stderr.count("\n") == 1
    assert "lab" in without.stderr


def test_numpy_is_looked_for_and_not_only_hoped_for(monkeypatch):
    assert simulate_count.why_no_arrays() == ""
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert simulate_count.why_no_arrays() == "without numpy"


@pytest.mark.parametrize(
    ("numpy", "why"),
    [
        (
            "raise ImportError('\\n\\nlibblas.so.3: cannot open\\nsee elsewhere')",
            "ImportError: libblas.so.3: cannot open",
        ),
        ("raise RuntimeError('compiled for another processor')", "RuntimeError: compiled for another processor"),
        ("raise ImportError", "ImportError: no reason given"),
        ("import no_such_part", "ModuleNotFoundError: No module named 'no_such_part'"),
        ("", "ModuleNotFoundError: No module named 'numpy.typing'; 'numpy' is not a package"),
    ],
)
def test_a_numpy_that_cannot_be_imported_is_as_none(tmp_path, numpy, why):
    (tmp_path / "numpy.py").write_text(numpy)
    words = [sys.executable, "-m", "controller", "simulate", str(PAYTABLE), "--coups", "50", "--seed", "3", "--json"]
    around = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    run = subprocess.run(words, cwd=ROOT, env=around, capture_output=True, text=True)
    assert run.stderr == f"numpy cannot be used ({why}): the same coups, slower (the extra `lab` brings it)\n"
    assert run.returncode == 0
    assert json.loads(run.stdout)["coups"] == 50


# Workers


by_two = pytest.mark.skipif(cores() < 2, reason="on one core no two processes are started")


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def started():
    """A long run by two processes, once both are dealing."""
    words = ["simulate", str(PAYTABLE), "--coups", str(10**12), "--seed", "1", "--jobs", "2"]
    run = subprocess.Popen(
        [sys.executable, "-m", "controller", *words], cwd=ROOT, stderr=subprocess.PIPE, start_new_session=True
    )
    until = time.monotonic() + 120
    while len(busy := [child for child in children(run.pid) if _seconds_used(child) > 0.4]) < 2:
        assert time.monotonic() < until
        assert run.poll() is None
        time.sleep(0.05)
    return run, busy


def _seconds_used(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def gone(pids):
    until = time.monotonic() + 60
    while any(_alive(pid) for pid in pids):
        assert time.monotonic() < until
        time.sleep(0.02)
    return True


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_no_more_work_than_there_is_to_do(monkeypatch):
    monkeypatch.setattr(simulate_workers, "cores", lambda: 4)
    assert useful_jobs(1000, 10, 8) == 1
    assert useful_jobs(1000, 161, 8) == 3
    assert useful_jobs(1000, 10**9, 8) == 4
    assert useful_jobs(2, 10**9, 8) == 2
    assert useful_jobs(1, 10**9, 8) == 1


def test_more_processes_than_shoes_are_not_started_and_it_says_so(capsys):
    assert main(["simulate", str(PAYTABLE), "--coups", "10", "--jobs", "1000", "--seed", "3", "--json"]) == 0
    told = capsys.readouterr()
    assert told.err == "--jobs 1000: 1 used, more would not be faster here\n"
    assert main(["simulate", str(PAYTABLE), "--coups", "10", "--seed", "3", "--json"]) == 0
    assert capsys.readouterr().out == told.out


@by_two
def test_ctrl_c_ends_the_workers_and_says_how_far_it_came():
    run, workers = started()
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does, to every process of it
    _, told = run.communicate(timeout=120)
    assert run.returncode == 2
    assert re.fullmatch(rb"punto simulate: interrupted after [1-9][0-9,]* of 1,000,000,000,000 coups\n", told)
    assert gone(workers)


@by_two
def test_workers_end_with_a_killed_parent():
    run, workers = started()
    run.kill()
    run.communicate(timeout=120)
    assert gone(workers)

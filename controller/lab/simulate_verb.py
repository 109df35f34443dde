"""The verb `simulate`: a file's game dealt, told and held against the exact figures."""

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

from controller.game.odds import Chances, odds
from controller.game.wagers import Wager
from controller.lab.simulate import Exact, Simulated, simulate
from controller.lab.simulate_count import Game, why_no_arrays
from controller.lab.simulate_file import read_game
from controller.lab.simulate_report import report
from controller.lab.simulate_told import as_json, print_table, progress, wrong
from controller.lab.simulate_workers import useful_jobs

_SEEDS = 2**32
"""A seed that nobody chose is below this: short enough to be written down."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to deal and how to tell it; no `decks`: the file's or eight; no `seed`: any."""

    file: Path
    coups: int
    seed: int | None
    jobs: int
    decks: int | None
    json: bool
    report: Path | None


class ReportRefused(Exception):
    """A report that cannot be written where it was asked for."""


def carry_out(asked: Asked) -> bool:
    """Deal and tell; whether every wager agrees with its exact figures.

    Raises ConfigErrors and DecksGiven for a file that cannot be dealt, ReportRefused when its page has no place.
    """
    paytable, rule = read_game(asked.file, asked.decks)
    if asked.report is not None:
        _check_writable(asked.report)
    slow = why_no_arrays()
    if slow:
        print(f"{slow}: the same coups, slower (the extra `lab` brings it)", file=sys.stderr)
    jobs = useful_jobs(asked.jobs, asked.coups, rule.decks)
    if jobs < asked.jobs:
        print(f"--jobs {asked.jobs}: {jobs} used, more would not be faster here", file=sys.stderr)
    seed = secrets.randbelow(_SEEDS) if asked.seed is None else asked.seed
    run = _dealt(Game(rule, paytable.wagers, seed, not slow), asked.coups, jobs)
    if asked.report is not None:
        asked.report.write_text(report(run, paytable.name), encoding="utf-8")
    _tell(run, asked.json)
    return run.agrees


def _dealt(game: Game, coups: int, jobs: int) -> Simulated:
    """Deal them all; Ctrl-C ends it, and how far it came is told."""
    done = 0
    try:
        with progress(coups) as told:

            def so_far(dealt: int) -> None:
                nonlocal done
                done = dealt
                told(dealt)

            return simulate(game, exact_figures(game.wagers, game.rule.decks), coups, jobs, so_far)
    except KeyboardInterrupt:
        print(f"punto simulate: interrupted after {done:,} of {coups:,} coups", file=sys.stderr)
        raise


def _check_writable(page: Path) -> None:
    """Rather now than after the coups."""
    try:
        page.open("a").close()
    except OSError as error:
        raise ReportRefused(f"--report {page}: {error.strerror}: name a file that can be written") from None


def exact_figures(wagers: tuple[Wager, ...], decks: int) -> dict[str, Exact]:
    """Every wager by enumeration: for any coup of a shoe, burned cards or not, since nobody saw what is gone."""
    chances = Chances.of(decks)
    found = {wager.id: odds(wager, chances) for wager in wagers}
    return {wager: Exact(each.house_edge, each.variance) for wager, each in found.items()}


def _tell(run: Simulated, json: bool) -> None:
    if json:
        print(as_json(run))
    else:
        print_table(run)
    for line in wrong(run):
        print(line, file=sys.stderr)

"""A simulation as a person reads it, as JSON, and how far it is while it runs."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from controller.game.odds import percent_text
from controller.lab.odds_figures import decimal
from controller.lab.simulate import SIGMAS, Seen, Simulated

_NARROWEST = 160
"""Columns of a table that does not go to a terminal."""


def as_json(run: Simulated) -> str:
    """One object; edges are of the unit staked, as `punto odds` writes them, `sigma` how many off with its sign."""
    wagers = {seen.wager: _plain(seen) for seen in run.seen}
    return json.dumps({"coups": run.coups, "seed": run.game.seed, "decks": run.game.rule.decks, "wagers": wagers})


def _plain(seen: Seen) -> dict[str, str]:
    return {
        "seen": decimal(seen.edge),
        "exact": decimal(seen.exact.edge),
        "low": decimal(seen.low),
        "high": decimal(seen.high),
        "sigma": f"{seen.sigma:.3f}",
    }


def print_table(run: Simulated) -> None:
    """What was seen beside the exact figures, on stdout."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _NARROWEST)
    console.print(headline(run))
    table = Table()
    table.add_column("wager", no_wrap=True)
    for title in ("house edge seen", "exact", f"seen, less and more {SIGMAS} sigma", "sigmas off"):
        table.add_column(title, justify="right", overflow="fold")
    for seen in run.seen:
        span = f"{percent_text(seen.low)} to {percent_text(seen.high)}"
        off = f"{seen.sigma:+.2f}" + ("" if seen.agrees else " WRONG")
        table.add_row(seen.wager, percent_text(seen.edge), percent_text(seen.exact.edge), span, off)
    console.print(table)


def headline(run: Simulated) -> str:
    """What was dealt, in one line."""
    decks = f"{run.game.rule.decks} decks" if run.game.rule.decks > 1 else "one deck"
    return f"{run.coups:,} coups, {decks}, seed {run.game.seed}"


def wrong(run: Simulated) -> Iterator[str]:
    """A line for each wager that is too far off."""
    for seen in run.seen:
        if not seen.agrees:
            yield (
                f"{seen.wager}: {percent_text(seen.edge)} seen, {percent_text(seen.exact.edge)} exact: "
                f"{seen.sigma.copy_abs():.1f} sigma off, more than {SIGMAS}; try another seed, then doubt the program"
            )


@contextmanager
def progress(coups: int) -> Iterator[Callable[[int], None]]:
    """Shows on stderr, while that is a terminal, how many of the coups are dealt."""
    if not sys.stderr.isatty():
        yield lambda dealt: None
        return
    columns = (TextColumn("dealing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("dealing", total=coups)
        yield lambda dealt: bar.update(task, completed=dealt)

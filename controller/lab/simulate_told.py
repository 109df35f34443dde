"""A simulation as a person reads it, as JSON, and how far it is while it runs."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from controller.lab.simulate import SIGMAS, Seen, Simulated, decimal

_NARROWEST = 100
"""Columns of a table that does not go to a terminal."""


def as_json(run: Simulated) -> str:
    """One object; edges are decimals of the unit staked, to 15 digits, `sigma` how many sigmas off with its sign."""
    wagers = {seen.wager: _plain(seen) for seen in run.seen}
    return json.dumps({"coups": run.coups, "seed": run.game.seed, "decks": run.game.rule.decks, "wagers": wagers})


def _plain(seen: Seen) -> dict[str, str]:
    return {
        "seen": _fifteen(decimal(seen.edge)),
        "exact": _fifteen(decimal(seen.exact.edge)),
        "low": _fifteen(seen.low),
        "high": _fifteen(seen.high),
        "sigma": f"{seen.sigma:.3f}",
    }


def _fifteen(number: Decimal) -> str:
    return f"{number:.15f}"


def print_table(run: Simulated) -> None:
    """What was seen beside the exact figures, on stdout."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, _NARROWEST)
    console.print(headline(run))
    table = Table()
    table.add_column("wager")
    for title in ("house edge seen", "exact", f"seen, less and more {SIGMAS} sigma", "sigmas off"):
        table.add_column(title, justify="right")
    for seen in run.seen:
        span = f"{percent(seen.low)} to {percent(seen.high)}"
        off = f"{seen.sigma:+.2f}" + ("" if seen.agrees else " WRONG")
        table.add_row(seen.wager, percent(decimal(seen.edge)), percent(decimal(seen.exact.edge)), span, off)
    console.print(table)


def headline(run: Simulated) -> str:
    """What was dealt, in one line."""
    decks = f"{run.game.rule.decks} decks" if run.game.rule.decks > 1 else "one deck"
    return f"{run.coups:,} coups, {decks}, seed {run.game.seed}"


def percent(edge: Decimal) -> str:
    """Of the unit staked, to a hundredth of a hundredth."""
    return f"{100 * edge:.4f} %"


def wrong(run: Simulated) -> Iterator[str]:
    """A line for each wager that is too far off."""
    for seen in run.seen:
        if not seen.agrees:
            yield (
                f"{seen.wager}: {percent(decimal(seen.edge))} seen, {percent(decimal(seen.exact.edge))} exact: "
                f"{abs(seen.sigma):.1f} sigma off, more than {SIGMAS}; try another seed, then doubt the program"
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

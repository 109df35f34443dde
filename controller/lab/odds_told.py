"""Exact odds as JSON, and as tables: boxed on a terminal, plain columns elsewhere."""

import json
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controller.game.odds import percent_text
from controller.game.wagers import odds_text
from controller.lab.odds_figures import FileOdds, WagerOdds, decimal, root_decimal

_WIDE = 160
"""Columns that plain output may take."""

EDGES_SAY = (
    "The house edge counts every coup (per unit staked) or only those that win or lose (per unit resolved);"
    " commission at its exact rate, before rounding."
)


def as_json(found: FileOdds) -> str:
    """One object; ways are whole numbers as text, fractions "a/b", decimals to 15 digits."""
    told = {
        "decks": found.decks,
        "without": [str(card) for card in found.without],
        "total": str(found.total),
        "outcomes": {outcome: str(ways) for outcome, ways in found.outcomes.items()},
        "wagers": {each.wager.id: _plain(each) for each in found.wagers},
    }
    return json.dumps(told)


def _plain(each: WagerOdds) -> dict[str, object]:
    odds = each.odds
    resolved = odds.house_edge_resolved
    return {
        "win": str(odds.win),
        "push": str(odds.push),
        "lose": str(odds.lose),
        "tiers": [str(ways) for ways in odds.tiers],
        "hit": _fraction(odds.hit),
        "house_edge": _fraction(odds.house_edge),
        "house_edge_decimal": decimal(odds.house_edge),
        "house_edge_resolved": None if resolved is None else _fraction(resolved),
        "house_edge_resolved_decimal": None if resolved is None else decimal(resolved),
        "sd": root_decimal(odds.variance),
    }


def _fraction(exact: Fraction) -> str:
    return f"{exact.numerator}/{exact.denominator}"


def headline(found: FileOdds) -> str:
    """From which shoe, in one line."""
    decks = "1 deck" if found.decks == 1 else f"{found.decks} decks"
    gone = f" without {' '.join(map(str, found.without))}" if found.without else ""
    return f"{found.name}: {decks}{gone}, {found.total:,} ordered deals of six cards"


FIGURE_HEADS = ("wager", "hit", "house edge per unit staked", "per unit resolved", "standard deviation")
WAY_HEADS = ("wager", "result", "pays", "ways", "chance")


def figure_row(each: WagerOdds) -> tuple[str, ...]:
    """A wager's figures, as `FIGURE_HEADS` names them."""
    odds = each.odds
    resolved = odds.house_edge_resolved
    sd = root_decimal(odds.variance)
    return (
        each.wager.id,
        percent_text(odds.hit),
        percent_text(odds.house_edge),
        "-" if resolved is None else percent_text(resolved),
        sd[: sd.index(".") + 7],
    )


def way_rows(each: WagerOdds) -> list[tuple[str, ...]]:
    """A wager's ways, as `WAY_HEADS` names them: a row for each tier, then push and lose."""
    odds, tiers = each.odds, each.wager.tiers
    several = len(tiers) > 1
    rows = [
        (f"win, tier {number}" if several else "win", odds_text(tier.pays), ways)
        for number, (tier, ways) in enumerate(zip(tiers, odds.tiers, strict=True), 1)
    ]
    rows += [("push", "", odds.push)] if each.wager.pushes.any_of else []
    rows.append(("lose", "", odds.lose))
    return [
        (each.wager.id if place == 0 else "", result, pays, f"{ways:,}", percent_text(Fraction(ways, odds.total), 6))
        for place, (result, pays, ways) in enumerate(rows)
    ]


def print_tables(found: FileOdds) -> None:
    """The figures, and below them the ways, on stdout."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDE
    outcomes = ", ".join(
        f"{outcome} {ways:,} ({percent_text(Fraction(ways, found.total))})" for outcome, ways in found.outcomes.items()
    )
    console.print(Text(headline(found)))
    console.print(Text(outcomes))
    figures, ways = _table(console, FIGURE_HEADS, 1), _table(console, WAY_HEADS, 2)
    for each in found.wagers:
        figures.add_row(*map(Text, figure_row(each)))
        for row in way_rows(each):
            ways.add_row(*map(Text, row))
        if console.is_terminal:
            ways.add_section()
    console.print(figures, Text(EDGES_SAY), ways, sep="\n")


def _table(console: Console, heads: tuple[str, ...], words: int) -> Table:
    """A table of which the first columns are words and the others figures."""
    table = Table() if console.is_terminal else Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for place, head in enumerate(heads):
        # In a narrow terminal a figure goes on in the next line: one that is cut off would be another figure.
        table.add_column(head, justify="left" if place < words else "right", no_wrap=place == 0, overflow="fold")
    return table

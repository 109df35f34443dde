"""Coups, shoes and bets of a journal as CSV or JSON, a row at a time."""

import csv
import io
import re
from collections.abc import Iterator
from typing import Any, Literal

from controller.host.journal_reader import JournalDamaged, JournalReader
from controller.host.lines import dumps, shown

What = Literal["coups", "shoes", "bets"]
Row = dict[str, Any]

_COUPS = """SELECT i.at_utc, c.shoe, c.coup, outcome, player, banker, player_total, banker_total, natural, player_pair,
    banker_pair, staked, returned, commission, house_net, c.simulated
    FROM coups c JOIN inputs i ON i.seq = c.input ORDER BY c.event"""
_BETS = """SELECT i.at_utc, b.shoe, b.coup, seat, wager, stake, result, tier, odds, commission, won, returned,
    b.simulated FROM bets b JOIN inputs i ON i.seq = b.input ORDER BY b.event, b.line"""
_SHOES = """SELECT s.input, s.shoe, s.decks, s.rules, i.at_utc, s.simulated,
    lead(s.input, 1, 9223372036854775807) OVER (ORDER BY s.input)
    FROM shoes s JOIN inputs i ON i.seq = s.input ORDER BY s.input"""
_COUPS_OF = """SELECT outcome, staked, returned, commission, house_net FROM coups
    WHERE event > ? AND input < ? AND shoe = ? ORDER BY event"""
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
COLUMNS: dict[What, tuple[str, ...]] = {
    "coups": (
        *("at_utc", "shoe", "coup", "outcome", "player", "banker", "player_total", "banker_total", "natural"),
        *("player_pair", "banker_pair", "staked", "returned", "commission", "house_net", "simulated"),
    ),
    "bets": (
        *("at_utc", "shoe", "coup", "seat", "wager", "stake", "result", "tier", "odds", "commission", "won"),
        *("returned", "simulated"),
    ),
    "shoes": (
        *("shoe", "began_utc", "decks", "rules", "coups", "player", "banker", "tie", "void", "drop", "returned"),
        *("hold", "hold_percent", "commission", "simulated"),
    ),
}
"""The columns of each export, in order. Amounts are whole minor units; `drop` is what was staked on coups that count,
`hold` what the house kept of it, `hold_percent` to two decimals, empty without a stake."""


def export(reader: JournalReader, what: What, form: str) -> Iterator[str]:
    """The lines of the file. Raises JournalDamaged."""
    rows = _shoes(reader) if what == "shoes" else _plain(reader, what)
    lines = _json(rows) if form == "json" else _csv(COLUMNS[what], rows)
    try:
        yield from lines
    except (TypeError, ValueError) as error:  # of an amount that only a damaged file holds
        raise JournalDamaged(f"journal {shown(reader.path)} cannot be exported: {error}: verify it") from error


def _plain(reader: JournalReader, what: What) -> Iterator[Row]:
    for row in reader.select(_COUPS if what == "coups" else _BETS):
        yield dict(zip(COLUMNS[what], row, strict=True)) | {"simulated": bool(row[-1])}


def _shoes(reader: JournalReader) -> Iterator[Row]:
    """Each shoe with its totals: summed here, so that no sum is too large for SQLite."""
    event = 0
    for begun, shoe, decks, rules, at_utc, simulated, after in reader.select(_SHOES):
        (event,) = next(reader.select("SELECT last_event FROM inputs WHERE seq = ?", (begun,)))
        outcomes = dict.fromkeys(("player", "banker", "tie", "void"), 0)
        drop = returned = commission = 0
        for outcome, staked, back, taken, _ in reader.select(_COUPS_OF, (event, after, shoe)):
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            if outcome != "void":
                drop, returned, commission = drop + int(staked), returned + int(back), commission + int(taken)
        yield {
            "shoe": shoe,
            "began_utc": at_utc,
            "decks": decks,
            "rules": rules,
            "coups": sum(outcomes.values()),
            **outcomes,
            "drop": drop,
            "returned": returned,
            "hold": drop - returned,
            "hold_percent": _percent(drop - returned, drop),
            "commission": commission,
            "simulated": bool(simulated),
        }


def _percent(part: int, whole: int) -> str | None:
    """To two decimals, rounded half away from zero; None of nothing."""
    if not whole:
        return None
    hundredths = (2 * abs(part) * 10_000 + whole) // (2 * whole)
    return f"{'-' if part < 0 else ''}{hundredths // 100}.{hundredths % 100:02}"


def _json(rows: Iterator[Row]) -> Iterator[str]:
    """One array, a line a row."""
    before = "["
    for row in rows:
        yield f"{before}{dumps(row)}"
        before = ","
    yield "]" if before == "," else "[]"


def _csv(columns: tuple[str, ...], rows: Iterator[Row]) -> Iterator[str]:
    yield ",".join(columns)
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow([_cell(row[column]) for column in columns])
        yield line.getvalue()


def _cell(value: object) -> object:
    """A text that a spreadsheet would work out or a terminal obey stands as a text. Plain numbers stay as they are."""
    match value:
        case bool():
            return int(value)
        case bytes():
            return value.hex()
        case str() if not value.isprintable():
            return _cell(ascii(value)[1:-1])
        case str() if value.startswith(("=", "+", "-", "@")) and not _NUMBER.fullmatch(value):
            return f"'{value}"
        case _:
            return value

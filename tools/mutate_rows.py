"""Every row of the machine: gone, leading elsewhere, on another trigger, without a guard, with a guard denied."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from controller.table.machine import TRANSITIONS, TRIGGERS, Phase, Row
from tools.mutation import ROOT, Mutation

Word = TypeVar("Word")

FILE = "controller/table/machine.py"
MARK = "\nTRIGGERS = "
TESTS = ("tests/table/test_next_phase.py",)
EQUIVALENT: dict[str, str] = {}
"""Mutations that no table can show, by name, with the reason."""


def mutations() -> Iterator[Mutation]:
    """All of them; many are refused by the check of the rows as the program loads, so that no test even begins."""
    source = (ROOT / FILE).read_text(encoding="utf-8")
    assert source.count(MARK) == 1
    for number, row in enumerate(TRANSITIONS):
        for change, rows in _changes(row):
            name = f"{_told(row)}: {change}"
            line = f"TRANSITIONS = (*TRANSITIONS[:{number}], {_written(rows)}*TRANSITIONS[{number + 1} :])\n"
            text = source.replace(MARK, line + MARK)
            yield Mutation("row", name, FILE, text, TESTS, partial(_reason, name))


def _reason(name: str) -> str:
    return EQUIVALENT.get(name, "")


def _changes(row: Row) -> Iterator[tuple[str, tuple[Row, ...]]]:
    yield "gone", ()
    for dest in _neighbours(tuple(Phase), row.dest):
        yield f"leads to {dest.value}", (replace(row, dest=dest),)
    for trigger in _neighbours(TRIGGERS, row.trigger):
        yield f"on {trigger}", (replace(row, trigger=trigger),)
    for guard in row.when:
        others = tuple(name for name in row.when if name != guard)
        yield f"also without {guard}", (replace(row, when=others),)
        yield f"only without {guard}", (replace(row, when=others, unless=(*row.unless, guard)),)
    for guard in row.unless:
        others = tuple(name for name in row.unless if name != guard)
        yield f"also with {guard}", (replace(row, unless=others),)
        yield f"only with {guard}", (replace(row, unless=others, when=(*row.when, guard)),)


def _neighbours(every: Sequence[Word], one: Word) -> tuple[Word, Word]:
    """The one before and the one after, in a ring."""
    place = every.index(one)
    return every[place - 1], every[(place + 1) % len(every)]


def _told(row: Row) -> str:
    guards = [*row.when, *(f"not {guard}" for guard in row.unless)]
    when = f" when {', '.join(guards)}" if guards else ""
    return f"{row.trigger} in {row.source.value} to {row.dest.value}{when}"


def _written(rows: tuple[Row, ...]) -> str:
    return "".join(
        f"Row({row.trigger!r}, {row.source}, {row.dest}, when={row.when!r}, unless={row.unless!r}), " for row in rows
    )

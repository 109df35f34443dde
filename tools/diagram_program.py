"""The table's machine as a page: a state diagram and a grid of phases and triggers, made from the rows themselves."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from controller.table.machine import HELD, TILT, TRANSITIONS, Phase, Row
from drivers.escape import escaped
from tools.option_parser import OptionParser

PAGE = Path(__file__).parents[1] / "controller" / "table" / "MACHINE.md"
BACK = "where it was"
INTRODUCTION = """# The machine of a table

Made by `tools/diagram` from the rows in `machine.py`: change those, then run it. `tools/diagram --check` tells whether
this page is stale.

Words in brackets are guards: what must hold for the row to be followed. A deciding phase (naturals, player-rule and
banker-rule where nobody draws) moves on in the same input."""
DIAGRAM_NOTE = """From every phase where a table can stand, `hold` leads to held and `resume` back to where it was;
`void` of a held coup leads to the bets of the next one, or ends the shoe after its last. `tilt` leads out of all of
them."""
GRID_NOTE = "A blank says that the trigger moves nothing there: as an order it is refused."


def main(arguments: list[str]) -> int:
    """Exit codes: 0 written, or up to date; 1 the page is stale; 2 it cannot be written."""
    options = _parser().parse_args(arguments)
    text = page(TRANSITIONS)
    if not options.check:
        try:
            options.page.write_text(text, encoding="utf-8")
        except OSError as error:
            print(f"{escaped(str(options.page))}: {error.strerror}; name another page", file=sys.stderr)
            return 2
        return 0
    if options.page.exists() and options.page.read_text(encoding="utf-8") == text:
        return 0
    print(f"{options.page}: not what the rows say; run tools/diagram", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = OptionParser(
        prog="tools/diagram",
        description="Write the state diagram and the phase and trigger grid of the table's machine.",
        epilog="example: tools/diagram --check",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is stale")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write or check")
    return parser


def page(rows: Iterable[Row]) -> str:
    """The whole page, markdown."""
    rows = tuple(rows)
    parts = [
        INTRODUCTION,
        "## The coup and the shoe",
        diagram(rows),
        DIAGRAM_NOTE,
        "## Every row",
        grid(rows),
        GRID_NOTE,
    ]
    return "\n\n".join(parts) + "\n"


def diagram(rows: Iterable[Row]) -> str:
    """A mermaid state diagram of all rows but those from or to held and tilt, which would cross it out."""
    shown = [row for row in rows if not {row.source, row.dest} & {HELD, TILT}]
    names = [f'    state "{phase.value}" as {_id(phase)}' for phase in Phase if phase not in (HELD, TILT)]
    arrows = [f"    {_id(row.source)} --> {_id(row.dest)}: {row.trigger}{_guards(row)}" for row in shown]
    start = f"    [*] --> {_id(Phase.NO_SHOE)}"
    return "\n".join(["```mermaid", "stateDiagram-v2", *names, start, *arrows, "```"])


def grid(rows: Iterable[Row]) -> str:
    """A markdown table: a line a phase, a column a trigger, in each cell where it leads."""
    rows = tuple(rows)
    triggers = list(dict.fromkeys(row.trigger for row in rows))
    lines = [["phase", *triggers], ["---"] * (len(triggers) + 1)]
    for phase in Phase:
        cells = (_cell([row for row in rows if (row.source, row.trigger) == (phase, trigger)]) for trigger in triggers)
        lines.append([f"**{phase.value}**", *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(rows: list[Row]) -> str:
    if len(rows) > 1 and all(row.when == (f"held_at_{row.dest.name.lower()}",) for row in rows):
        return BACK
    return "<br>".join(f"{row.dest.value}{_guards(row)}" for row in rows)


def _guards(row: Row) -> str:
    words = [*row.when, *(f"not {name}" for name in row.unless)]
    return f" [{', '.join(words)}]" if words else ""


def _id(phase: Phase) -> str:
    return phase.name.lower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

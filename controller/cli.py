"""The program `punto`: one verb a line. A verb's room is imported only when it is called.

Exit codes: 0 done; 1 it ran and found or was told something wrong; 2 it could not run.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn

from controller.streams import unfailing_stderr

DONE, WRONG, COULD_NOT = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; returns the exit code."""
    with unfailing_stderr():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.version:
        return _version(options)
    if options.verb is None:
        return _said("punto: name a verb (punto --help lists them)")
    verb: Callable[[argparse.Namespace], int] = options.carry_out
    try:
        code = verb(options)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        _print_no_more()
        return WRONG
    except OSError as error:
        _print_no_more()
        return _said(f"punto {options.verb}: {error}: check where its output goes")
    except KeyboardInterrupt:
        return COULD_NOT


def _print_no_more() -> None:
    """Nobody takes what we print any more; keep Python from saying so once more at its end."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Parser(argparse.ArgumentParser):
    """One line for wrong words on the command line, as for every other mistake."""

    def error(self, message: str) -> NoReturn:
        said = message if message.isprintable() else ascii(message)
        self.exit(COULD_NOT, f"{self.prog}: {said} ({self.prog} --help shows an example)\n")


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(
        prog="punto",
        description="Conducts one Punto Banco table from card shoe to display.",
        epilog="example: punto run config/tables/example.yaml",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version (with --json: and the hashes)")
    parser.add_argument("--json", action="store_true", help="with --version: as one JSON object")
    verbs: Verbs[argparse.ArgumentParser] = parser.add_subparsers(dest="verb", metavar="VERB")
    _add_run(verbs)
    _add_ctl(verbs)
    _add_others(verbs)
    return parser


Verbs = argparse._SubParsersAction


def _verb(
    verbs: "Verbs[argparse.ArgumentParser]", name: str, does: str, example: str, carry_out: Callable[..., int]
) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(
        name, help=does, description=does, epilog=f"example: {example}", allow_abbrev=False
    )
    verb.set_defaults(carry_out=carry_out)
    return verb


def _add_run(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    run = _verb(verbs, "run", "run a table until it is stopped", "punto run config/tables/example.yaml", _run)
    run.add_argument("table", type=Path, metavar="TABLE.yaml")
    run.add_argument("--shoe-port", type=_text, metavar="URL", help="instead of the file's shoe port")
    run.add_argument("--display-port", type=_text, metavar="URL", help="instead of the file's display port")
    run.add_argument("--journal", type=_path, metavar="FILE", help="default: $XDG_STATE_HOME/punto/ID.journal")
    run.add_argument("--control", type=_path, metavar="PATH", help="default: $XDG_RUNTIME_DIR/punto/ID.control")
    run.add_argument("--trace", type=_path, metavar="FILE", help="append every frame on the wires to FILE")


def _add_ctl(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    does = "ask a running table, or order something"
    ctl = _verb(verbs, "ctl", does, "punto ctl --table bac-07 bet 3 banker 10000", _ctl)
    ctl.add_argument("--table", type=_text, metavar="ID", help="the table's id (its default control path)")
    ctl.add_argument("--control", type=_path, metavar="PATH", help="the control path that `ready` named")
    ctl.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    ctl.add_argument("--id", type=_text, help="name the order: the same id again is not carried out again")
    orders = ctl.add_subparsers(dest="order", metavar="VERB", required=True)
    from controller.ctl import add_orders

    add_orders(orders)


def _add_others(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    check = _verb(verbs, "check", "check table and paytable files", "punto check config/tables/*.yaml", _check)
    check.add_argument("files", type=Path, nargs="+", metavar="FILE")
    deal = _verb(
        verbs,
        "deal",
        "deal and settle one JSON line after another from stdin",
        'echo \'{"shoe": ["TS","7C","4C","8H","2D"]}\' | punto deal --paytable config/paytables/commission-5.yaml',
        _deal,
    )
    deal.add_argument("--paytable", type=_path, required=True, metavar="FILE")
    deal.add_argument("--decks", type=_whole(1, 12), default=8, metavar="N", help="1 to 12, default 8")
    _add_odds(verbs)
    _add_simulate(verbs)
    journal = _verb(verbs, "journal", "read a journal back", "punto journal verify bac-07.journal", _journal)
    looks = journal.add_subparsers(dest="look_at", metavar="VERB", required=True)
    from controller.journal_verbs import add_verbs

    add_verbs(looks)
    _verb(verbs, "ports", "list the serial ports and who holds them", "punto ports", _ports)
    _verb(verbs, "tableau", "print the drawing rule as it was parsed", "punto tableau", _tableau)


def _add_odds(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    does = "say exactly what every wager of a paytable or table pays and costs"
    odds = _verb(verbs, "odds", does, "punto odds config/paytables/macau.yaml --wager lucky-6", _odds)
    odds.add_argument("file", type=Path, metavar="FILE", help="a paytable or a table")
    odds.add_argument("--decks", type=_whole(1, 12), metavar="N", help="1 to 12; default: the table's, else 8")
    odds.add_argument("--wager", metavar="ID", help="this one only")
    odds.add_argument("--json", action="store_true", help="print one JSON object, fractions as text")
    odds.add_argument("--without", default="", metavar="CARDS", help="cards that are gone, as AS,KD: for laboratories")
    odds.add_argument("--report", type=_path, metavar="FILE.html", help="write a page with plots")


def _add_simulate(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    does = "deal many coups and hold what every wager cost against the exact figure"
    example = "punto simulate config/paytables/commission-5.yaml --coups 10000000 --jobs 2"
    simulate = _verb(verbs, "simulate", does, example, _simulate)
    simulate.add_argument("file", type=Path, metavar="FILE", help="a paytable, or a table with its shoe")
    simulate.add_argument("--coups", type=_whole(1, 10**15), required=True, metavar="N")
    simulate.add_argument("--seed", type=_whole(0, 2**64 - 1), metavar="S", help="the same coups again; default: any")
    simulate.add_argument("--jobs", type=_whole(1, 1024), default=1, metavar="J", help="processes, default 1")
    simulate.add_argument("--decks", type=_whole(1, 12), metavar="N", help="of a paytable's shoe, 1 to 12, default 8")
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.add_argument("--report", type=_path, metavar="FILE.html", help="write a page with plots")


def _whole(least: int, most: int) -> Callable[[str], int]:
    """Reads a whole number within bounds, in plain digits."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"{ascii(text)[:40]} is no whole number from {least} to {most}")
        return int(text)

    return read


def _text(text: str) -> str:
    """Reads a text that is there: an empty one is a slip (a variable that nobody set), not "the default"."""
    if not text:
        raise argparse.ArgumentTypeError("an empty text names nothing")
    return text


def _path(text: str) -> Path:
    return Path(_text(text))


def _version(options: argparse.Namespace) -> int:
    from controller.identity import identity

    known = identity()
    print(json.dumps(known) if options.json else f"punto {known['version']}")
    return DONE


def _said(text: str) -> int:
    """It could not run: say why."""
    print(text, file=sys.stderr)
    return COULD_NOT


def _run(options: argparse.Namespace) -> int:
    from controller.host.loop import Crashed
    from controller.host.startup import CannotStart, RunOptions, run_table

    try:
        run_table(
            RunOptions(
                options.table,
                options.shoe_port,
                options.display_port,
                options.journal,
                options.control,
                options.trace,
            )
        )
    except CannotStart as why:
        return _said(str(why))
    except Crashed as fault:
        print(str(fault), file=sys.stderr)
        return WRONG
    return DONE


def _ctl(options: argparse.Namespace) -> int:
    from controller.ctl import carry_out

    return carry_out(options)


_MOST_TOLD = 100


def _check(options: argparse.Namespace) -> int:
    from controller.host.config import check

    found = check(options.files)
    told = (*found.mistakes, *found.warnings)
    for text in told[:_MOST_TOLD]:
        print(text, file=sys.stderr)
    if len(told) > _MOST_TOLD:
        print(f"punto check: {len(told) - _MOST_TOLD} more; correct these first", file=sys.stderr)
    if found.mistakes:
        return COULD_NOT
    for line in found.summary:
        print(line)
    return DONE


def _deal(options: argparse.Namespace) -> int:
    from controller.host.config import load_paytable
    from controller.host.config_file import ConfigErrors
    from controller.lab.deal import LONGEST_LINE, deal_lines

    if sys.stdin is None:
        return _said("punto deal: there is no stdin to read lines from")
    try:
        paytable = load_paytable(options.paytable)
    except ConfigErrors as wrong:
        return _said("\n".join(wrong.mistakes))
    flush = not _is_file(sys.stdin)
    any_refused = False
    for dealt in deal_lines(paytable, options.decks, _lines(sys.stdin.buffer, LONGEST_LINE)):
        print(dealt.text, flush=flush)
        any_refused = any_refused or dealt.refused
    return WRONG if any_refused else DONE


def _odds(options: argparse.Namespace) -> int:
    from controller.host.config_file import ConfigErrors
    from controller.lab.odds_figures import Unanswerable, file_odds
    from controller.lab.odds_report import report
    from controller.lab.odds_told import as_json, print_tables

    try:
        found = file_odds(options.file, options.decks, options.wager, options.without)
    except ConfigErrors as wrong:
        return _said("\n".join(wrong.mistakes))
    except Unanswerable as why:
        return _said(f"punto odds: {why}")
    if options.report is not None:
        if refused := _why_no_page(options.report, options.file):
            return _said(f"punto odds: {refused}")
        try:
            options.report.write_text(report(found), encoding="utf-8")
        except OSError as error:
            return _said(f"punto odds: --report {options.report}: {error.strerror}: name a file that can be written")
    if options.json:
        print(as_json(found))
    else:
        print_tables(found)
    return DONE


def _why_no_page(page: Path, asked_of: Path) -> str:
    """Why a page must not be written here, in one line; empty when it may. No YAML file is a page."""
    from controller.host.files_asked_for import why_not_written

    why = "a YAML file" if page.suffix in (".yaml", ".yml") else why_not_written(page, [asked_of])
    return f"--report {str(page)!a}: {why}: name another file, such as page.html" if why else ""


def _simulate(options: argparse.Namespace) -> int:
    from controller.host.config_file import ConfigErrors
    from controller.lab.simulate_file import DecksGiven
    from controller.lab.simulate_verb import Asked, ReportRefused, carry_out

    if options.report is not None and (refused := _why_no_page(options.report, options.file)):
        return _said(f"punto simulate: {refused}")
    asked = {name: getattr(options, name) for name in ("coups", "seed", "jobs", "decks", "json", "report")}
    try:
        return DONE if carry_out(Asked(options.file, **asked)) else WRONG
    except ConfigErrors as errors:
        return _said("\n".join(errors.mistakes))
    except (DecksGiven, ReportRefused) as why:
        return _said(f"punto simulate: {why}")


def _lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of a stream, of one that is too long so much that it shows; the rest of it is passed over."""
    while line := stream.readline(longest + 1):
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(longest + 1)):
            pass
        yield line


def _is_file(stream: object) -> bool:
    import stat

    return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)  # type: ignore[attr-defined]


def _journal(options: argparse.Namespace) -> int:
    from controller.journal_verbs import carry_out

    return carry_out(options)


def _ports(_options: argparse.Namespace) -> int:
    from drivers.wires import list_ports

    ports = list_ports()
    for port in ports:
        holder = f"held by {port.held_by}" if port.held_by else "free"
        print("  ".join(part for part in (port.device, port.by_id, port.description, holder) if part))
    if not ports:
        print("no serial port is plugged in")
    return DONE


def _tableau(_options: argparse.Namespace) -> int:
    from controller.game import tableau

    print(tableau.printed(), end="")
    return DONE

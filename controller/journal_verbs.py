"""`punto journal`: words of the command line to the journal's tools, their findings to lines a person reads."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controller.host.journal_format import Anchor

DONE, WRONG, COULD_NOT = 0, 1, 2

Verbs = argparse._SubParsersAction


def add_verbs(verbs: "Verbs[argparse.ArgumentParser]") -> None:
    """The verbs of `punto journal`."""
    verify = _verb(verbs, "verify", "is each row what was written, does each coup follow from its cards", _verify)
    verify.add_argument(
        "--anchor", metavar="TEXT|@FILE", help="a line that `anchor` printed: was anything changed since"
    )
    show = _verb(verbs, "show", "tell a coup: cards, bytes, decisions, wagers, payouts, orders", _show)
    show.add_argument("--coup", type=_number, metavar="N", help="default: every coup of the shoe")
    show.add_argument("--shoe", type=_number, metavar="N", help="default: the last")
    export = _verb(verbs, "export", "print coups, shoes with their totals, or bets", _export)
    what = export.add_mutually_exclusive_group(required=True)
    for each in ("coups", "shoes", "bets"):
        what.add_argument(f"--{each}", dest=each, choices=["csv", "json"], help=f"the {each} in this form")
    _verb(verbs, "replay", "feed what was recorded through today's program: the same events, to the byte?", _replay)
    copy = _verb(verbs, "copy", "copy a journal, also of a running table", _copy)
    copy.add_argument("target", type=Path, metavar="TO")
    _verb(verbs, "anchor", "print the last record's number, chain and time, to be kept elsewhere", _anchor)
    archive = _verb(verbs, "archive", "take old shoes out into a file of their own", _archive)
    archive.add_argument("--days", type=int, default=90, metavar="N", help="keep so many days (default 90)")


def _verb(
    verbs: "Verbs[argparse.ArgumentParser]", name: str, does: str, carry_out: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(
        name, help=does, description=does, epilog=f"example: {_EXAMPLES[name]}", allow_abbrev=False
    )
    verb.add_argument("file", type=Path, metavar="FILE")
    verb.add_argument("--key", type=Path, metavar="FILE", help="the journal's key (default: keys/ID.key in its folder)")
    verb.set_defaults(look=carry_out)
    return verb


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise argparse.ArgumentTypeError(f"{ascii(text)[:60]} is no whole number from 0 on")
    return int(text)


_EXAMPLES = {
    "verify": "punto journal verify bac-07.journal --anchor @anchor.txt",
    "show": "punto journal show bac-07.journal --shoe 3 --coup 12",
    "export": "punto journal export bac-07.journal --shoes csv",
    "replay": "punto journal replay bac-07.journal",
    "copy": "punto journal copy bac-07.journal /media/stick/bac-07.journal",
    "anchor": "punto journal anchor bac-07.journal",
    "archive": "punto journal archive bac-07.journal --days 90",
}


def carry_out(options: argparse.Namespace) -> int:
    """Do it; returns the exit code."""
    from controller.host.config_file import ConfigErrors
    from controller.host.journal_key import JournalRefused
    from controller.host.journal_reader import JournalDamaged
    from controller.host.lines import RecordUnreadable

    look: Callable[[argparse.Namespace], int] = options.look
    try:
        return look(options)
    except JournalRefused as why:
        return _said(str(why), COULD_NOT)
    except (JournalDamaged, RecordUnreadable, ConfigErrors) as damage:
        return _said(str(damage).splitlines()[0], WRONG)


def _said(text: str, code: int) -> int:
    print(text, file=sys.stderr)
    return code


def _verify(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader
    from controller.host.lines import shown
    from controller.lab.verify import verify
    from controller.lab.watching import last, watched

    anchor = None if options.anchor is None else _anchor_of(options.anchor)
    with JournalReader(options.file, options.key) as reader:
        found = watched(verify(reader), "verifying", lambda found: f"{found.inputs} records, {found.coups} coups")
        verdict = last(found)
        wrong = verdict.difference or ("" if anchor is None else reader.anchor_trouble(anchor))
        keyless, key_path = reader.key is None, shown(str(reader.key_path))
        headless = reader.head_missing() if anchor is None and verdict.inputs else ""
    counts = f"{verdict.inputs} records, {verdict.events} events, {verdict.coups} coups"
    if wrong:
        print(f"journal differs after {counts}: {wrong}")
        return WRONG
    if headless:
        print(headless, file=sys.stderr)
    if keyless:
        print(f"journal verified but for its key: {counts}; {key_path} is not there (--key FILE names it):")
        print("the plain hashes fit, but somebody without the key could have worked them out anew")
        return DONE
    print(f"journal verified: {counts}")
    return DONE


def _anchor_of(text: str) -> "Anchor":
    from controller.host.journal_format import parse_anchor
    from controller.host.journal_key import JournalRefused

    if text.startswith("@"):
        try:
            text = Path(text[1:]).read_bytes()[:1000].decode("ascii", "replace")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise JournalRefused(f"--anchor {ascii(text)[1:-1]}: {why}: name the file that holds the anchor") from error
    anchor = parse_anchor(text)
    if anchor is None:
        raise JournalRefused(f"--anchor {ascii(text)[1:-1][:80]} is no anchor: give the line that `anchor` printed")
    return anchor


def _show(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader
    from controller.host.lines import shown
    from controller.lab.journal_show import show

    any_line = False
    with JournalReader(options.file, options.key) as reader:
        for line in show(reader, options.shoe, options.coup):
            print(line)
            any_line = True
        begun = reader.beginning()
    if any_line:
        return DONE
    wanted = [f"{name} {value}" for name in ("shoe", "coup") if (value := getattr(options, name)) is not None]
    archived = f"; what was before record {begun.seq + 1} is in {shown(begun.archive)}" if begun.archive else ""
    return _said(f"journal {shown(str(options.file))} has no {', '.join(wanted) or 'shoe'}{archived}", WRONG)


def _export(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader
    from controller.lab.journal_export import COLUMNS, export

    what = next(each for each in COLUMNS if getattr(options, each) is not None)
    with JournalReader(options.file, options.key) as reader:
        for line in export(reader, what, getattr(options, what)):
            print(line)
    return DONE


def _replay(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader
    from controller.lab.journal_replay import replay
    from controller.lab.watching import last, watched

    with JournalReader(options.file, options.key) as reader:
        verdict = last(watched(replay(reader), "replaying", lambda found: f"{found.inputs} records"))
    counts = f"{verdict.inputs} records, {verdict.events} events"
    if verdict.difference:
        print(f"replay parts after {counts}: {verdict.difference}")
        return WRONG
    print(f"replay gives the same events: {counts}")
    return DONE


def _copy(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader
    from controller.host.lines import shown
    from controller.lab.journal_copy import copy

    with JournalReader(options.file, options.key) as reader:
        copy(reader, options.target)
        print(f"copied up to record {reader.last_input()}: {shown(str(options.target))}")
    return DONE


def _anchor(options: argparse.Namespace) -> int:
    from controller.host.journal_reader import JournalReader

    with JournalReader(options.file, options.key) as reader:
        print(reader.anchor())
    return DONE


def _archive(options: argparse.Namespace) -> int:
    from controller.host.lines import shown
    from controller.lab.journal_archive import ArchiveRefused, archive

    if not 0 <= options.days <= 36_500:
        return _said("--days: a whole number from 0 to 36500", COULD_NOT)
    try:
        done = archive(options.file, options.key, options.days, datetime.now(UTC))
    except ArchiveRefused as why:
        return _said(str(why), WRONG)
    if done.file is None:
        print(f"nothing is older than {options.days} days")
    else:
        print(
            f"records {done.first} to {done.last} are in {shown(str(done.file))}, verified; they are not here any more"
        )
    if done.still_large:
        print(f"the journal's file has kept its size ({done.still_large}): new records fill it", file=sys.stderr)
    return DONE

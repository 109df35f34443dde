"""The YAML files of a table, read into frozen values: everything in them is known, or nothing is loaded."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Paytable
from controller.host import config_paytable, config_relations, config_table
from controller.host.config_file import ConfigErrors, Finding, Source, read, source
from controller.host.config_shape import format_trouble, shaped
from controller.host.config_summary import paytable_lines, table_lines
from controller.host.config_table import ConfirmBy, DisplayDriver, ShoeDriver, TableMap
from controller.host.yaml_strict import Document, parse
from controller.table.rules import CloseBy, HouseRules, Limit


@dataclass(frozen=True, slots=True)
class ShoeDevice:
    """The shoe: its driver's name, its port (None when simulated), and what the driver needs to know of the unit."""

    driver: str
    port: str | None
    baud: int
    copies: int
    quiet_s: int


@dataclass(frozen=True, slots=True)
class DisplayDevice:
    """The public screen: its driver's name, "none" for a table without one, and its port."""

    driver: str
    port: str | None
    baud: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table as its files say it; `sources` are those files, the table first, then the paytable.

    `journal_key` is the file with the journal's key, None for the one beside the journal.
    """

    rules: HouseRules
    shoe: ShoeDevice
    display: DisplayDevice
    sources: tuple[Source, ...]
    warnings: tuple[str, ...]
    journal_key: Path | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """One file on its way: what it holds, what is wrong with it, and what is unusual."""

    document: Document
    wrong: list[Finding]

    def told(self) -> list[str]:
        ordered = sorted(self.wrong, key=lambda finding: (finding.spot.line, finding.spot.column))
        return [self.document.source.pointed(finding) for finding in ordered]

    def warned(self, findings: Iterable[Finding]) -> list[str]:
        return [self.document.source.told(finding) for finding in findings]


def load_paytable(path: Path) -> Paytable:
    """The paytable of a file. Raises ConfigErrors with every mistake in it."""
    return _paytable(read(path)[0])


def load_paytable_text(text: str | bytes, name: str = "paytable") -> Paytable:
    """The paytable of a text; `name` stands where messages name the file. Raises ConfigErrors."""
    return _paytable(source(name, text))


def _paytable(read_from: Source) -> Paytable:
    document = parse(read_from)
    paytable, findings = config_paytable.paytable(document)
    if paytable is None:
        raise ConfigErrors(_Reading(document, findings).told())
    return paytable


def load_table(path: Path, *, shoe_port: str | None = None, display_port: str | None = None) -> TableFile:
    """A table and the files it names. The ports given here go before those of the file.

    Raises ConfigErrors with every mistake of all the files.
    """
    table_source, warnings = read(path)
    table = _Reading(parse(table_source), [])
    named: dict[str, Source] = {}
    for key in ("paytable", "procedures"):
        for found, more in _named(table, path, key):
            named[key] = found
            warnings += more
    table.wrong.extend(config_relations.ports(table.document, shoe_port, display_port))
    rules, shape, more = _rules(table, named.get("paytable"), named.get("procedures"))
    shoe, display = shape.shoe, shape.display
    shoe_at = None if shoe.driver is ShoeDriver.SIMULATED else shoe_port or shoe.port
    display_at = None if display.driver is DisplayDriver.NONE else display_port or display.port
    return TableFile(
        rules,
        ShoeDevice(shoe.driver.value, shoe_at, shoe.baud, shoe.copies, shoe.quiet_s),
        DisplayDevice(display.driver.value, display_at, display.baud),
        (table_source, *named.values()),
        (*warnings, *more),
        None if shape.journal is None else path.parent / shape.journal.key,
    )


def load_table_texts(
    table_text: str | bytes,
    paytable_text: str | bytes,
    names: tuple[str, str] = ("table", "paytable"),
    procedures_text: str | bytes | None = None,
) -> HouseRules:
    """The rules of texts that were read before, as a journal holds them; no file is opened. Raises ConfigErrors."""
    table = _Reading(parse(source(names[0], table_text)), [])
    procedures = None if procedures_text is None else source("procedures", procedures_text)
    return _rules(table, source(names[1], paytable_text), procedures)[0]


def _named(table: _Reading, path: Path, key: str) -> Iterator[tuple[Source, tuple[str, ...]]]:
    """The file that the table names under `key`, as seen from the table's own, and warnings about it; or nothing."""
    name = table.document.at(key)
    if not isinstance(name, str) or not name:
        return
    try:
        yield read(path.parent / name)
    except ConfigErrors as error:
        table.wrong.append(table.document.finding((key,), error.mistakes[0]))


def _rules(
    table: _Reading, paytable_source: Source | None, procedures_source: Source | None
) -> tuple[HouseRules, TableMap, tuple[str, ...]]:
    """The rules, the table's shape, and warnings. Raises ConfigErrors with what is wrong in any of the files."""
    readings = [table]
    paytable, wagers = None, None
    if paytable_source is not None:
        document = parse(paytable_source)
        paytable, wrong = config_paytable.paytable(document)
        wagers = document.at("wagers")
        readings.append(_Reading(document, wrong))
    if procedures_source is not None:
        document = parse(procedures_source)
        readings.append(_Reading(document, list(document.findings)))
    shape = _table_shape(table, list(wagers) if isinstance(wagers, dict) else None)
    if shape is not None and paytable is not None and not table.wrong:
        table.wrong.extend(config_relations.never_staked(table.document, paytable))
    if shape is None or paytable is None or any(reading.wrong for reading in readings):
        raise ConfigErrors(mistake for reading in readings for mistake in reading.told())
    warnings = [
        *table.warned(config_relations.unusual(table.document, paytable, readings[1].document)),
        *readings[1].warned(config_paytable.unusual(readings[1].document, paytable)),
    ]
    identity = _identity(reading.document.source for reading in readings)
    return _house_rules(shape, paytable, identity), shape, tuple(warnings)


def _table_shape(table: _Reading, wagers: list[str] | None) -> TableMap | None:
    """The table's own file; what is wrong with it is added to the reading."""
    document = table.document
    if document.data is None:
        table.wrong[:] = document.findings
        return None
    if trouble := format_trouble(document, config_table.FORMAT):
        table.wrong[:] = [*document.findings, trouble]
        return None
    shape, wrong = shaped(document, TableMap)
    table.wrong.extend([*document.findings, *wrong, *config_relations.contradictions(document, wagers)])
    return shape


def _identity(sources: Iterable[Source]) -> str:
    """The SHA-256 of all the files' bytes, a NUL (which no file has) between them."""
    return hashlib.sha256(b"\0".join(each.text.encode() for each in sources)).hexdigest()


def _house_rules(shape: TableMap, paytable: Paytable, identity: str) -> HouseRules:
    limits, betting, settle, shoe, burn = shape.limits, shape.betting, shape.settle, shape.shoe, shape.shoe.burn
    return HouseRules(
        identity=identity,
        table=shape.id,
        name=shape.name,
        language=shape.language.value,
        currency=shape.currency.code,
        decimals=shape.currency.decimals,
        seats=shape.seats,
        simulation=shape.simulation,
        paytable=paytable,
        limits=tuple((wager, limit.limit()) for wager, limit in limits.by_wager().items()),
        differential=limits.differential,
        bar_both_sides=limits.bar_both_sides,
        close_by=betting.close,
        betting_s=betting.seconds if betting.close is CloseBy.TIMER and betting.seconds is not None else 0,
        empty_coup=betting.empty_coup,
        reveal=shape.reveal,
        settle_after_s=settle.after_s if settle.confirm is ConfirmBy.AUTO else None,
        decks=shoe.decks,
        burn=BurnRule(burn.by, (burn.cards or 0) if burn.by is BurnBy.FIXED else 0, burn.ace, burn.court),
        cut_card=CutCard(shoe.cut_card.depth, shoe.cut_card.coups_after),
        quiet_s=shoe.quiet_s,
    )


class Checked(NamedTuple):
    """What a check of some files found: mistakes and warnings, each ready to print, and what the sound ones say."""

    mistakes: tuple[str, ...]
    warnings: tuple[str, ...]
    summary: tuple[str, ...]


def check(paths: Iterable[Path]) -> Checked:
    """Read files of any kind, told by their `format`, each table with the files it names. Raises nothing."""
    mistakes: list[str] = []
    warnings: list[str] = []
    summary: list[list[str]] = []
    for path in paths:
        try:
            wrong, warned, blocks = _checked(path)
        except ConfigErrors as errors:
            mistakes += errors.mistakes
        else:
            mistakes += wrong
            warnings += warned
            summary += [block for block in blocks if block not in summary]
    lines = tuple(line for block in summary for line in block)
    return Checked(tuple(dict.fromkeys(mistakes)), tuple(dict.fromkeys(warnings)), lines)


def _checked(path: Path) -> tuple[list[str], tuple[str, ...], list[list[str]]]:
    """What is wrong with the odds of one file that loads, warnings about it, and its summary in blocks."""
    read_from, warnings = read(path)
    document = parse(read_from)
    match document.at("format"):
        case config_table.FORMAT:
            table = load_table(path)
            lines = table_lines(table.rules, table.shoe, table.display)
            rules = table.rules
            wrong, warned = _judged(parse(table.sources[1]), rules.paytable, rules.decks, dict(rules.limits))
            return wrong, (*table.warnings, *warned), [lines, paytable_lines(table.rules.paytable)]
        case config_paytable.FORMAT:
            paytable = _paytable(read_from)
            unusual = _Reading(document, []).warned(config_paytable.unusual(document, paytable))
            wrong, warned = _judged(document, paytable, None, None)
            return wrong, (*warnings, *unusual, *warned), [paytable_lines(paytable)]
        case _:
            found = list(document.findings)
            if (trouble := format_trouble(document, config_table.FORMAT, config_paytable.FORMAT)) is not None:
                found.append(trouble)
            raise ConfigErrors(_Reading(document, found).told())


def _judged(
    document: Document, paytable: Paytable, decks: int | None, limits: dict[str, Limit] | None
) -> tuple[list[str], list[str]]:
    """Mistakes and warnings about what a paytable's exact odds are, from so many decks (None: the usual shoe)."""
    from controller.host import config_odds  # a table that opens does without

    found = config_odds.judged(document, paytable, decks or config_odds.USUAL_DECKS, limits)
    return _Reading(document, found.errors).told(), _Reading(document, []).warned(found.warnings)

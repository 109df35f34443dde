"""The odds of a whole file: which wagers, from which shoe, and exact fractions written as decimals."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from pathlib import Path

from controller.game.cards import BadCard, Card, parse_card
from controller.game.odds import Chances, Odds, odds, outcomes
from controller.game.shoe import ForeignCard, ShoeEmpty
from controller.game.wagers import Paytable, Wager
from controller.host import config_table
from controller.host.config import load_paytable, load_table
from controller.host.config_file import read
from controller.host.yaml_strict import parse

USUAL_DECKS = 8
DIGITS = 15


class Unanswerable(Exception):
    """A question that has no odds: an unknown wager, cards that no such shoe holds."""


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """A wager and its exact odds."""

    wager: Wager
    odds: Odds


@dataclass(frozen=True, slots=True)
class FileOdds:
    """The odds of a file's wagers, in its order. `outcomes` are the ways of player, banker and tie.

    `by_total` are the ways of each outcome with each winning (or tied) total. `without` are cards gone beforehand.
    """

    name: str
    decks: int
    without: tuple[Card, ...]
    total: int
    outcomes: dict[str, int]
    by_total: dict[tuple[str, int], int]
    wagers: tuple[WagerOdds, ...]


def file_odds(path: Path, decks: int | None, wager: str | None, without: str) -> FileOdds:
    """The odds of a paytable's wagers, or of a table's: one of them, or all.

    Without `decks` a table's own count, else eight. `without` lists cards that are gone: "AS,KD". Raises ConfigErrors
    with every mistake of the files, Unanswerable.
    """
    paytable, own_decks = _read(path)
    number = own_decks if decks is None else decks
    gone = _cards(without)
    try:
        chances = Chances.of(number, gone)
    except (ForeignCard, ShoeEmpty) as wrong:
        raise Unanswerable(f"--without: {wrong}") from None
    by_total = {
        (str(facts["winner"]), int(facts["total"])): ways for facts, ways in chances.by(frozenset({"winner", "total"}))
    }
    found = tuple(WagerOdds(each, odds(each, chances)) for each in _asked(paytable, wager))
    return FileOdds(paytable.name, number, gone, chances.total, outcomes(chances), by_total, found)


def _read(path: Path) -> tuple[Paytable, int]:
    if parse(read(path)[0]).at("format") == config_table.FORMAT:
        rules = load_table(path).rules
        return rules.paytable, rules.decks
    return load_paytable(path), USUAL_DECKS


def _cards(text: str) -> tuple[Card, ...]:
    if not text:
        return ()
    if any(not part.strip() for part in text.split(",")):
        raise Unanswerable(f"--without: {ascii(text)[:40]} has an empty card: name the cards that are gone, as AS,KD")
    try:
        return tuple(map(parse_card, text.replace(",", " ").split()))
    except BadCard as wrong:
        raise Unanswerable(f"--without: {wrong}") from None


def _asked(paytable: Paytable, wager: str | None) -> Sequence[Wager]:
    if wager is None:
        return paytable.wagers
    if wager not in paytable.by_id:
        raise Unanswerable(f"--wager: no {ascii(wager)[:40]}; the paytable has {', '.join(paytable.by_id)}")
    return (paytable.by_id[wager],)


# Decimals, made of whole numbers alone


def decimal(exact: Fraction) -> str:
    """To 15 digits: of any figure 15 after the point, of one below a tenth 15 from its first one on; halves to even."""
    places = _places(exact)
    return _pointed(round(exact * 10**places), places)


def root_decimal(square: Fraction) -> str:
    """The root of a number from zero on, to 15 digits as `decimal` gives them."""
    places = DIGITS
    scaled = square * 10 ** (2 * places)
    root = isqrt(scaled.numerator // scaled.denominator)  # the root without its fraction
    return _pointed(root + (scaled > Fraction(2 * root + 1, 2) ** 2), places)


def _places(exact: Fraction) -> int:
    places, size = DIGITS, abs(exact)
    while 0 < size < Fraction(1, 10) and places < 2 * DIGITS:
        size, places = size * 10, places + 1
    return places


def _pointed(scaled: int, places: int) -> str:
    whole, part = divmod(abs(scaled), 10**places)
    return f"{'-' if scaled < 0 else ''}{whole}.{part:0{places}}"

"""What a check makes of a paytable's exact odds: wagers that favour the players, and odds unlike the catalogue's.

Asked by `punto check` alone: a table that opens is not kept waiting for it.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from controller.game.facts import PAIR_FACTS, SINGLE_CARD_FACTS
from controller.game.odds import Chances, Odds, odds, percent_text
from controller.game.settlement import LARGEST_STAKE
from controller.game.wagers import Paytable, Wager, idle_tiers, impossible, odds_text
from controller.host import config_paytable
from controller.host.config_file import START, Finding, read
from controller.host.config_reasons import Reasoned, accepted, reasoned
from controller.host.config_rounding import gained, lost
from controller.host.yaml_strict import Document, Keys, parse
from controller.table.rules import Limit
from drivers.escape import escaped

CATALOGUE = Path(__file__).parents[2] / "config" / "paytables"
USUAL_DECKS = 8
_FAR = 2
"""So many times the most, or a part so small of the least, is far from what the catalogue has."""


class Judged(NamedTuple):
    """What the odds of a paytable give rise to."""

    errors: list[Finding]
    warnings: list[Finding]


def judged(document: Document, paytable: Paytable, decks: int, limits: Mapping[str, Limit] | None) -> Judged:
    """Errors and warnings about the wagers of a paytable, dealt from so many decks.

    `limits` are a table's; a wager that it does not limit takes any stake. None: no table is known, and no stake.
    """
    found = Judged([], [])
    if not _paytables():
        found.warnings.append(Finding(START, "", f"odds were not compared: no catalogue in {escaped(str(CATALOGUE))}"))
    for wager in paytable.wagers:
        excused = accepted(document, wager.id)
        exact = _odds(wager, decks)
        errors = [*_favours(document, wager, exact, decks)]
        warnings = [*_never(document, wager, exact, decks), *_differs(document, wager, decks)]
        if limits is not None and not errors:
            limit = limits.get(wager.id, Limit(1, LARGEST_STAKE))
            for each in gained(document, paytable, wager, exact, limit):
                (warnings if each.reason == "rounding-unknown" else errors).append(each)
        if limits is not None:
            warnings += lost(document, paytable, wager, limits.get(wager.id))
        found.errors.extend(each.finding for each in errors if each.reason not in excused)
        found.warnings.extend(each.finding for each in warnings if each.reason not in excused)
    return found


@cache
def _chances(decks: int) -> Chances:
    return Chances.of(decks)


def _favours(document: Document, wager: Wager, exact: Odds, decks: int) -> Iterator[Reasoned]:
    if exact.house_edge < 0:
        what = f"of each unit staked the players win {percent_text(-exact.house_edge)} ({decks} decks)"
        keys = ("wagers", wager.id) if "tiers" in _map(document, wager) else ("wagers", wager.id, "pays")
        yield reasoned(document, keys, "favours-players", f"{what}; lower what it pays")


def _never(document: Document, wager: Wager, exact: Odds, decks: int) -> Iterator[Reasoned]:
    """What these decks have no cards for and more would have: a perfect pair of one deck, four nines of a suit of 3.

    What no decks have cards for is told of the paytable itself.
    """
    here, why = ("wagers", wager.id), f"no coup from {decks} {'deck' if decks == 1 else 'decks'} meets it"
    idle = idle_tiers(wager)
    for number, ways in enumerate(exact.tiers, 1):
        if not ways and number not in idle:
            at = (*here, "tiers", number - 1) if "tiers" in _map(document, wager) else here
            yield reasoned(document, (*at, "wins"), "never-pays", f"never pays: {why}")
    if wager.pushes.any_of and not exact.push and not impossible(wager.pushes, wager):
        yield reasoned(document, (*here, "pushes"), "never-pushes", f"never pushes: {why}")


def _map(document: Document, wager: Wager) -> dict[str, object]:
    found = document.at("wagers", wager.id)
    return dict(found) if isinstance(found, dict) else {}


# The same wager in the catalogue: one that has the same chances, whatever its name and its words


def _differs(document: Document, wager: Wager, decks: int) -> Iterator[Reasoned]:
    winning, pushing = _chances_of(wager, decks)
    same = [
        each
        for each in _catalogue(_about(wager))
        if len(each.tiers) >= len(winning) and (each.pushes.any_of or not pushing)  # else its odds are not asked for
        if _chances_of(each, decks) == (winning, pushing)
    ]
    if not same:
        return
    tiers = _map(document, wager).get("tiers")
    for place, (number, pays) in enumerate(_live_tiers(wager, decks)):
        known = sorted({_live_tiers(each, decks)[place][1] for each in same})
        if _far(pays, known):
            at: Keys = ("tiers", number - 1, "pays") if isinstance(tiers, list) else ("pays",)
            what = f"{odds_text(pays)}, and the catalogue pays {_listed(map(odds_text, known))} for the same"
            yield reasoned(document, ("wagers", wager.id, *at), "odds-differ", what)
    yield from _commission_differs(document, wager, same, decks)


def _commission_differs(document: Document, wager: Wager, same: list[Wager], decks: int) -> Iterator[Reasoned]:
    """Odds may have the commission in them, 19:20 for 1:1 less 5 %; what counts is what is left of the full odds."""
    known = sorted({each.commission for each in same})
    charged = [each for each in same if each.commission]
    taken, what = wager.commission, f"{percent_text(wager.commission, 2)}, and"
    if charged:
        pays = _live_tiers(wager, decks)[-1][1]
        full = max(_live_tiers(each, decks)[-1][1] for each in charged)
        in_odds = 1 - pays / full
        taken = 1 - pays * (1 - wager.commission) / full
        if wager.commission and not _far(in_odds, sorted(each.commission for each in charged)):
            again = f"{percent_text(wager.commission, 2)} is taken again"
            what = f"{odds_text(pays)} has {percent_text(in_odds, 2)} in it already, and {again};"
            taken = Fraction(1)
        elif in_odds > 0:
            what = f"{percent_text(taken, 2)} less than {odds_text(full)}, and"
    if _far(taken, known):
        rates = _listed(percent_text(each, 2) for each in known)
        at = ("commission",) if wager.commission else ()
        text = f"{what} the catalogue takes {rates} of the same"
        yield reasoned(document, ("wagers", wager.id, *at), "commission-differs", text)


def _far(figure: Fraction, known: list[Fraction]) -> bool:
    return figure > _FAR * known[-1] or _FAR * figure < known[0]


def _listed(words: Iterable[str]) -> str:
    return " or ".join(words)


def _about(wager: Wager) -> tuple[bool, bool]:
    """Whether it is about pairs, and about single cards: wagers that differ in this are not the same."""
    return bool(wager.names() & PAIR_FACTS), bool(wager.names() & SINGLE_CARD_FACTS)


@cache
def _catalogue(about: tuple[bool, bool]) -> tuple[Wager, ...]:
    return tuple(wager for paytable in _paytables() for wager in paytable.wagers if _about(wager) == about)


@cache
def _paytables() -> tuple[Paytable, ...]:
    found = (config_paytable.paytable(parse(read(path)[0]))[0] for path in sorted(CATALOGUE.glob("*.yaml")))
    return tuple(paytable for paytable in found if paytable is not None)


@cache
def _odds(wager: Wager, decks: int) -> Odds:
    return odds(wager, _chances(decks))


def _chances_of(wager: Wager, decks: int) -> tuple[list[int], int]:
    """Ways of each tier that ever pays, from the rarest on, and ways to push."""
    exact = _odds(wager, decks)
    return sorted(ways for ways in exact.tiers if ways), exact.push


def _live_tiers(wager: Wager, decks: int) -> list[tuple[int, Fraction]]:
    """The tiers that ever pay, from the rarest on: the number of each from 1, and its odds."""
    exact = _odds(wager, decks)
    ranked = sorted((ways, number) for number, ways in enumerate(exact.tiers, 1) if ways)
    return [(number, wager.tiers[number - 1].pays) for _, number in ranked]

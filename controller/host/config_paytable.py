"""A paytable file: the wagers of a layout, what they pay, how their money is rounded and commission collected.

    format: punto-paytable 1
    name: Commission 5 %
    commission: {collect: each-win}               # each-win (default) | ledger
    rounding: {of: payout, mode: down, to: 25}    # of: payout | commission; mode: exact | down | up | nearest
    wagers:
      banker: {wins: {winner: banker}, pushes: {winner: tie}, pays: "1:1", commission: 5%}

Odds are exact: 8:1 and 19:20 to one, 12 for 1 with the stake in it. A percentage may have decimals (4.5%) and is exact
too. A wager has `wins` and `pays`, or `tiers` of both, of which the first that holds pays.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Annotated

from pydantic import ConfigDict, Field, JsonValue

from controller.game.facts import ORDER_FACTS
from controller.game.reachable import least_work, work
from controller.game.starts import Question
from controller.game.wagers import (
    INITIAL_FACTS,
    NEVER,
    Collect,
    Condition,
    Paytable,
    Rounding,
    RoundMode,
    RoundOf,
    Settles,
    Tier,
    Wager,
    idle_tiers,
    impossible,
    overlap,
)
from controller.host.config_condition import CONDITION, condition
from controller.host.config_file import Finding
from controller.host.config_reasons import Reasoned, accepted, reasoned, unfounded
from controller.host.config_shape import MISSING, MOST_GUESSES, Map, format_trouble, shaped
from controller.host.config_values import ODDS, PERCENT, Wrong, choice, meant, text, whole
from controller.host.yaml_strict import Document, Keys, Plain

FORMAT = "punto-paytable 1"
MOST_WAGERS = 100
_MOST_TIERS = 32
_MOST_RANKS = 2  # the kinds of coups to look through multiply by 13 with each
_MOST_WORK = 900_000  # starts and courses, of all wagers of a file: `punto check` looks at one in about a microsecond
_UNUSUAL_ODDS = 1000
_UNUSUAL_COMMISSION = Fraction(1, 4)

Name = Annotated[str, text(60)]
Odds = Annotated[Fraction, ODDS]
Percent = Annotated[Fraction, PERCENT]
Facts = Annotated[Condition, CONDITION]
WagerId = Annotated[str, text(32, r"(?!differential$)[a-z][a-z0-9-]{0,31}", "a-z, 0-9 and '-', a letter first")]


class CommissionMap(Map):
    collect: Annotated[Collect, choice(Collect)] = Collect.EACH_WIN


class RoundingMap(Map):
    of: Annotated[RoundOf, choice(RoundOf)]
    mode: Annotated[RoundMode, choice(RoundMode)]
    to: Annotated[int, whole(1)] = 1

    def rounding(self) -> Rounding:
        return Rounding(self.of, self.mode, self.to)


class TierMap(Map):
    wins: Facts
    pays: Odds


_WINS_AND_PAYS_OR_TIERS: dict[str, JsonValue] = {
    "oneOf": [
        {"required": ["wins", "pays"], "not": {"required": ["tiers"]}},
        {"required": ["tiers"], "not": {"anyOf": [{"required": ["wins"]}, {"required": ["pays"]}]}},
    ]
}


class WagerMap(Map):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, json_schema_extra=_WINS_AND_PAYS_OR_TIERS)

    wins: Facts | None = None
    pays: Odds | None = None
    tiers: list[TierMap] | None = Field(None, min_length=1, max_length=_MOST_TIERS)
    pushes: Facts = NEVER
    commission: Percent = Fraction(0)
    rounding: RoundingMap | None = None
    settles: Annotated[Settles, choice(Settles)] = Settles.COUP
    accept: list[Annotated[str, text(32, r"[a-z][a-z0-9-]*", "a reason's id")]] = Field(default_factory=list)

    def wager(self, wager_id: str) -> Wager:
        tiers = tuple(Tier(tier.wins, tier.pays) for tier in self.tiers or ())
        if self.wins is not None and self.pays is not None:
            tiers = (Tier(self.wins, self.pays),)
        rounding = self.rounding.rounding() if self.rounding else None
        return Wager(wager_id, tiers, self.pushes, self.commission, rounding, self.settles)


class PaytableMap(Map):
    format: Annotated[str, Field(json_schema_extra={"const": FORMAT})]
    name: Name
    commission: CommissionMap = CommissionMap()
    rounding: RoundingMap | None = None
    wagers: dict[WagerId, WagerMap] = Field(max_length=MOST_WAGERS, min_length=1)


def paytable(document: Document) -> tuple[Paytable | None, list[Finding]]:
    """The paytable of a document; or None, and all that is wrong with it."""
    found = list(document.findings)
    if document.data is None:
        return None, found
    if trouble := format_trouble(document, FORMAT):
        return None, [*found, trouble]
    shape, wrong = shaped(document, PaytableMap)
    found += wrong + _contradictions(document)
    if shape is None or found:
        return None, found
    wagers = tuple(wager.wager(wager_id) for wager_id, wager in shape.wagers.items())
    rounding = shape.rounding.rounding() if shape.rounding else Rounding()
    return Paytable(shape.name, shape.commission.collect, rounding, wagers), []


def _contradictions(document: Document) -> list[Finding]:
    """Where the keys of a wager, each fine by itself, do not go together; also told when other keys are wrong."""
    wagers = document.at("wagers")
    if not isinstance(wagers, dict):
        return []
    allowance = _Allowance()
    return [
        document.finding(("wagers", wager_id, *keys), text)
        for wager_id, wager in wagers.items()
        if isinstance(wager, dict) and ("wagers", wager_id) not in document.broken
        for keys, text in _contradiction(document, wager_id, wager, allowance)
    ]


class _Allowance:
    """What the wagers of one file may take to look through, counted before anything is looked at."""

    def __init__(self) -> None:
        self._left = _MOST_WORK
        self._asked: set[Question] = set()

    def trouble(self, question: Question) -> str | None:
        """What to say where it is used up; a question that was asked before costs nothing."""
        if question in self._asked:
            return None
        self._asked.add(question)
        if self._left >= least_work(question):
            self._left -= work(question)
        else:
            self._left = -1
        if self._left >= 0:
            return None
        cards = ", ".join(question.cards)
        return f"too many kinds of coups to look through ({cards}); {_ASK_LESS}"

    @property
    def used_up(self) -> bool:
        return self._left < 0


_ASK_LESS = "write fewer facts of the cards together, or put this wager into another paytable"


def _contradiction(
    document: Document, wager_id: str, wager: dict[str, Plain], allowance: _Allowance
) -> Iterator[tuple[Keys, str]]:
    tiers = wager.get("tiers")
    if "tiers" in wager and ("wins" in wager or "pays" in wager):
        yield ("tiers",), "a wager has 'wins' and 'pays', or 'tiers', not both"
    elif "tiers" not in wager:
        near = {meant(key, WagerMap.model_fields).rpartition(" ")[2] for key in islice(wager, MOST_GUESSES)}
        for key in ("wins", "pays"):
            if not (key in wager or key in near or "tiers" in near or ("wagers", wager_id, key) in document.broken):
                yield (key,), MISSING
    wins = (
        [each.get("wins") for each in tiers if isinstance(each, dict)]
        if isinstance(tiers, list)
        else [wager.get("wins")]
    )
    readable = Wager(
        "", tuple(Tier(each, Fraction(1)) for each in map(_readable, wins)), _readable(wager.get("pushes"))
    )
    if len(ranks := sorted(readable.names() & ORDER_FACTS)) > _MOST_RANKS:
        yield (), f"{', '.join(ranks)}: at most {_MOST_RANKS} of these in one wager"
        return
    if allowance.used_up:  # told at the wager that did it
        return
    if too_much := allowance.trouble(readable.question()):
        yield (), too_much
        return
    if example := overlap(readable):
        yield ("pushes",), f"a coup that both wins and pushes: {example}; make 'wins' or 'pushes' narrower"
    late = sorted(readable.names() - INITIAL_FACTS)
    if wager.get("settles") == Settles.INITIAL_DEAL.value and late:
        yield ("settles",), f"{', '.join(late)} is not known after four cards; use {', '.join(sorted(INITIAL_FACTS))}"


def _readable(value: Plain) -> Condition:
    """A condition, or one that never holds when it is wrong (which is told elsewhere)."""
    try:
        return condition(value)
    except Wrong:
        return NEVER


def unusual(document: Document, table: Paytable) -> list[Finding]:
    """What may stand in a paytable and hardly can be meant: warnings."""
    return [finding for wager in table.wagers for finding in _unusual(document, wager)]


def _unusual(document: Document, wager: Wager) -> list[Finding]:
    here = ("wagers", wager.id)
    excused = accepted(document, wager.id)
    found = [each.finding for each in _reasoned(document, wager, here) if each.reason not in excused]
    return [*found, *unfounded(document, wager.id)]


def _reasoned(document: Document, wager: Wager, here: Keys) -> Iterator[Reasoned]:
    idle = set(idle_tiers(wager))
    for number, tier in enumerate(wager.tiers, 1):
        at = (*here, "tiers", number - 1) if document.at(*here, "tiers") else here
        if number in idle:
            never = impossible(tier.wins, wager)
            why = "no coup that can be dealt meets it" if never else "the tiers before it take every coup it would win"
            yield reasoned(document, (*at, "wins"), "never-pays", f"never pays: {why}")
        if tier.pays > _UNUSUAL_ODDS:
            yield reasoned(document, (*at, "pays"), "odds-unusual", f"odds above {_UNUSUAL_ODDS}:1 are unusual")
    if wager.pushes.any_of and impossible(wager.pushes, wager):
        why = "never pushes: no coup that can be dealt meets it"
        yield reasoned(document, (*here, "pushes"), "never-pushes", why)
    if wager.commission > _UNUSUAL_COMMISSION:
        yield reasoned(document, (*here, "commission"), "commission-unusual", "a commission above 25% is unusual")

"""Values that the tests of the record and the journal share."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from controller.game.cards import parse_card
from controller.game.coup import PLACES
from controller.game.shoe import BurnBy, BurnRule, CutCard
from controller.game.wagers import Collect, Paytable, Rounding
from controller.host.journal import Journal
from controller.table.events import CardDealt, Event
from controller.table.inputs import CardRead, Input, Target
from controller.table.rules import CloseBy, EmptyCoup, HouseRules, Reveal

AT = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC)
TEN = parse_card("TH")
DREW = CardRead(1000, Target.PLAYER, 1, TEN)
DEALT = CardDealt(1, 2, PLACES[0], TEN, False, "", 0, None)
FRAME = b"\x051D\x81\xca\x0346"
HOUSE_RULES = HouseRules(
    identity="ab" * 32,
    table="bac-07",
    name="Punto 7",
    language="en",
    currency="EUR",
    decimals=2,
    seats=(1, 2, 3),
    simulation=True,
    paytable=Paytable("none", Collect.EACH_WIN, Rounding(), ()),
    limits=(),
    differential=None,
    bar_both_sides=False,
    close_by=CloseBy.BUTTON,
    betting_s=0,
    empty_coup=EmptyCoup.DEAL,
    reveal=Reveal.AT_ONCE,
    settle_after_s=None,
    decks=8,
    burn=BurnRule(BurnBy.FIRST_CARD),
    cut_card=CutCard(14, 1),
    quiet_s=30,
)
RULES = {HOUSE_RULES.identity: HOUSE_RULES}


def append(journal: Journal, happened: Input, raw: bytes, events: Sequence[Event], **about: Any) -> list[int]:
    """Work out a record, write it, finish it: the seq of each event. `about` as for `record_of`."""
    written = journal.write(journal.record_of(happened, raw, events, **about))
    journal.finish()
    return written


def append_card(journal: Journal, **options: Any) -> list[int]:
    """One card and its event into the journal."""
    return append(journal, DREW, FRAME * 2, [DEALT], at_utc=AT, **options)

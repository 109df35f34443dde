"""Each recorded coup worked out anew: cards by the drawing rule, money by its paytable, rows by its events."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from controller.game.cards import parse_card
from controller.game.coup import Coup, parse_place
from controller.host.journal_format import RecordedConfiguration, RecordedEvent, RecordedInput
from controller.host.journal_tables import Row, Tabulator
from controller.host.lines import loads
from controller.host.record import event_from_plain
from controller.host.recorded_rules import RecordedRules
from controller.lab.journal_money import MoneyChecker
from controller.table.events import (
    BetPlaced,
    BetsOpened,
    BetsWithdrawn,
    CardBurned,
    CardDealt,
    CardSetAside,
    CoupConfirmed,
    CoupSettled,
    CoupVoided,
    Event,
    FirstCardShown,
    InitialDealSettled,
    InitialDealUndone,
    ShoeBegun,
    ShoeEnded,
)

_DECISIONS = frozenset({"NaturalsChecked", "PlayerDrew", "PlayerStood", "BankerDrew", "BankerStood"})
_READ = frozenset(
    kind.__name__
    for kind in (
        *(BetPlaced, BetsOpened, BetsWithdrawn, CardBurned, CardDealt, CardSetAside, CoupConfirmed, CoupSettled),
        *(CoupVoided, FirstCardShown, InitialDealSettled, InitialDealUndone, ShoeBegun, ShoeEnded),
    )
)
"""The events that the cards, the money and the tables follow from."""


class CoupChecker:
    """Follows a journal input by input. `coups` counts the settled coups that were worked out anew."""

    def __init__(self, texts: dict[str, dict[str, str]]) -> None:
        self.coups = 0
        self._rules = RecordedRules(texts)
        self._money = MoneyChecker()
        self._hands = Coup()
        self._tables = Tabulator(0)

    def configuration(self, row: RecordedConfiguration) -> str:
        """One line when a text is not the one that its hash names, else empty."""
        right = hashlib.sha256(row.text.encode("utf-8", "surrogateescape")).hexdigest() == row.sha256
        return "" if right else f"configuration {row.number}: its text is not the one that its hash names"

    def difference(self, row: RecordedInput) -> str:
        """One line when something about this input does not follow, else empty. Raises RecordUnreadable and so on."""
        cards: list[Row] = []
        coups: list[Row] = []
        bets: list[Row] = []
        shoes: list[Row] = []
        self._tables.simulated = row.simulated
        for recorded in row.events:
            if recorded.kind not in _READ:
                if recorded.kind in _DECISIONS and (wrong := self._decision(recorded)):
                    return wrong
                continue
            event = _event(recorded)
            if wrong := self._wrong(event, recorded.body):
                return wrong
            if isinstance(event, ShoeBegun):
                shoes.append((row.seq, event.shoe, event.decks, event.rules))
            if self._tables.belongs(event) != (recorded.shoe, recorded.coup):
                return f"event {recorded.seq} is not of shoe {recorded.shoe}, coup {recorded.coup}"
            if (more := self._tables.rows(recorded.seq, row.seq, event)) is not None:
                cards += more[0]
                coups += more[1]
                bets += more[2]
        kept = [shoe[:4] for shoe in row.shoes]
        if (shoes, cards, coups, bets) == (kept, row.cards, row.coups, row.bets):
            return ""
        for name, ours, theirs in (
            ("shoes", shoes, kept),
            ("cards", cards, row.cards),
            ("coups", coups, row.coups),
            ("bets", bets, row.bets),
        ):
            if ours != theirs:
                return f"its {name} are {_first_apart(theirs, ours)}, they should be {_first_apart(ours, theirs)}"
        return ""

    def _wrong(self, event: object, body: str) -> str:
        match event:
            case ShoeBegun():
                self._money.paytable = self._rules[event.rules].paytable
            case BetsOpened():
                self._hands = Coup()
                self._money.begin()
            case CardDealt():
                return self._card(event)
            case InitialDealSettled():
                return self._money.initial_deal(event, self._hands, self._tables.stakes)
            case InitialDealUndone():
                return self._money.undone(event)
            case CoupSettled():
                self.coups += 1
                return self._money.settled(event, self._hands, self._tables.stakes)
            case CoupVoided() if event.hands != self._hands:
                return f"the void coup holds {event.hands}, dealt was {self._hands}"
            case CoupVoided():
                return self._money.voided()
            case _:
                pass
        return ""

    def _card(self, dealt: CardDealt) -> str:
        place = self._hands.next_place
        if dealt.place != place:
            return f"{dealt.card} went to {dealt.place}, the rule asks for {place or 'no card'}"
        self._hands = self._hands.dealt(dealt.card)
        totals = self._hands.player_total, self._hands.banker_total
        if totals != (dealt.player_total, dealt.banker_total):
            return f"with {dealt.card} the totals are {totals}, recorded are {dealt.player_total, dealt.banker_total}"
        return ""

    def _decision(self, recorded: RecordedEvent) -> str:
        """Naturals and who draws, as the tableau has it."""
        right: dict[str, int | str | None]
        told, hands = loads(recorded.body), self._hands
        assert isinstance(told, dict), f"event {recorded.seq} is no object"
        if not hands.has_four:
            return f"{recorded.kind} came before four cards were out"
        if recorded.kind == "NaturalsChecked":
            right = {"natural": hands.natural.value, "player_two": hands.player_two, "banker_two": hands.banker_two}
        elif recorded.kind.startswith("Player"):
            right = {"event": "PlayerDrew" if hands.player_draws else "PlayerStood", "player_two": hands.player_two}
        else:
            right = {
                "event": "BankerDrew" if hands.banker_draws else "BankerStood",
                "banker_two": hands.banker_two,
                "player_third": hands.player_third_value,
            }
        wrong = {key: value for key, value in right.items() if told.get(key) != value}
        return f"{recorded.kind} says {ascii(told)[:200]}, the rule says {ascii(right)[:200]}" if wrong else ""


def _event(recorded: RecordedEvent) -> Event:
    """The event; the most frequent kinds are made without the general reader."""
    plain: Any = loads(recorded.body)
    make = _QUICK.get(recorded.kind)
    if make is None or type(plain) is not dict or plain.get("event") != recorded.kind:
        return event_from_plain(plain)
    try:
        return make(plain)
    except (KeyError, TypeError, ValueError):
        return event_from_plain(plain)


_QUICK: dict[str, Callable[[dict[str, Any]], Event]] = {
    "CardDealt": lambda plain: CardDealt(
        plain["shoe"],
        plain["coup"],
        parse_place(plain["place"]),
        parse_card(plain["card"]),
        plain["declared"],
        plain["reason"],
        plain["player_total"],
        plain["banker_total"],
    ),
    "BetPlaced": lambda plain: BetPlaced(plain["seat"], plain["wager"], plain["stake"], plain["total"]),
    "BetsOpened": lambda plain: BetsOpened(plain["shoe"], plain["coup"]),
    "CoupConfirmed": lambda plain: CoupConfirmed(plain["shoe"], plain["coup"]),
}


def _first_apart(rows: Sequence[Row], others: Sequence[Row]) -> str:
    return ascii(next((row for row in rows if row not in others), rows))[:200]

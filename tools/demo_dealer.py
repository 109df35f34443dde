"""The dealer of the demonstration: what happened at the table tells him what to do next. He waits on nothing else."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from controller.game.cards import parse_card
from controller.host.client import Client, TableNotThere
from controller.table.rules import HouseRules, Limit
from tools.demo_inbox import DemoFailed, Happened, Inbox
from tools.demo_shoe import UNREADABLE, ShoeGone, ShoeOrders
from tools.demo_tally import Tally, coup_line

MOST_STEPS = 20
"""A stake is the least one and up to so many steps more."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the dealer takes, in seconds: before the bets close, a card, the payment; and a supervisor at a hold."""

    bets_s: float
    card_s: float
    payment_s: float
    hold_s: float


class Dealer:
    """Deals one shoe: `cards` are those in it, top first; `most_coups` None deals to its end.

    `panel_showed(coup)`: whether its result was to be seen; nobody is paid before.
    """

    def __init__(
        self,
        inbox: Inbox,
        table: Client,
        shoe: ShoeOrders,
        rules: HouseRules,
        cards: list[str],
        seed: int,
        most_coups: int | None,
        pace: Pace,
        tally: Tally,
        say: Callable[[str], None],
        panel_showed: Callable[[int], bool],
    ) -> None:
        self._inbox, self._table, self._shoe = inbox, table, shoe
        self._rules, self._cards, self._most_coups, self._pace, self._say = rules, cards, most_coups, pace, say
        self._tally, self._panel_showed = tally, panel_showed
        self._chance = random.Random(seed)
        self._burn_due = 0
        self._first_card_unread = False
        self._is_started = self._is_over = False
        self._is_held = False
        self._card_is_due = False
        self._result_agreed = False

    def deal(self) -> None:
        """From the panel's first sign of life to the end of the shoe. Raises DemoFailed, DemoStopped."""
        while not self._is_over:
            item = self._inbox.take("the table's next event")
            try:
                if isinstance(item, Happened):
                    self._learn(item.event)
                    self._go_on()
            except (TableNotThere, ShoeGone, DemoFailed) as trouble:
                raise self._inbox.why_gone(str(trouble)) from None

    def _learn(self, event: Mapping[str, Any]) -> None:
        """What an event means to a dealer."""
        match event:
            case {"event": "LinkCameUp", "link": "display"} if not self._is_started:
                self._is_started = True
                self._shoe.order("power")
            case {"event": "ShoeBegun"}:
                self._card_is_due = True
            case {"event": "FirstCardShown", "burn": int(due)}:
                self._burn_due = due
                self._card_is_due = due > 0
            case {"event": "CardBurned", "number": int(number)}:
                self._card_is_due = number < self._burn_due or self._first_card_unread
            case {"event": "BetsOpened"} if not self._first_card_unread:
                self._open_coup()
            case {"event": "BetsClosed", "by": by}:
                self._first_card_unread = False
                self._card_is_due = by == "dealer"
            case {"event": "CardDealt", "place": "player-1" | "banker-1" | "player-2"}:
                self._card_is_due = True
            case {"event": "PlayerDrew" | "BankerDrew"}:
                self._card_is_due = True
            case {"event": "ShoeResultAgreed"}:
                self._result_agreed = True
            case {"event": "CoupConfirmed"}:
                self._result_agreed = False
            case {"event": "TableHeld", "reason": str(reason), "text": str(text)}:
                self._is_held = True
                self._end_hold(reason, text)
            case {"event": "TableResumed"}:
                self._is_held = False
            case {"event": "ShoeEnded"}:
                self._is_over = True
            case _:
                pass  # what the others do: bets placed, decisions, reports that change nothing

    def _go_on(self) -> None:
        """The next card, or the payment, when it is time for one."""
        if self._is_held:
            return
        if self._card_is_due:
            self._card_is_due = False
            self._inbox.rest(self._pace.card_s)
            self._shoe.order("draw")
            self._tally.cards += 1
        elif self._result_agreed:
            self._result_agreed = False
            self._pay()

    def _open_coup(self) -> None:
        """Bets of a few seats, then no more bets. After the last coup that was asked for, the end of the shoe."""
        if self._tally.coups == self._most_coups:
            self._order("end-shoe")
            return
        seats = self._rules.seats
        for seat in self._chance.sample(seats, min(self._chance.randint(2, 4), len(seats))):
            wager, limit = self._wager()
            most_steps = min(MOST_STEPS, (limit.maximum - limit.minimum) // limit.multiple)
            stake = limit.minimum + limit.multiple * self._chance.randint(0, most_steps)
            self._order("bet", seat=seat, wager=wager, stake=stake)
        self._inbox.rest(self._pace.bets_s)
        self._order("close-bets")

    def _wager(self) -> tuple[str, Limit]:
        """Most people bet on Player or Banker."""
        weights = [6 if wager in ("player", "banker") else 1 for wager, _ in self._rules.limits]
        return self._chance.choices(self._rules.limits, weights)[0]

    def _pay(self) -> None:
        """The settlement as the table worked it out, then the confirmation."""
        last: Any = self._order("state")["last"]
        tally = self._tally
        tally.coups += 1
        tally.player += last["winner"] == "player"
        tally.banker += last["winner"] == "banker"
        tally.tie += last["winner"] == "tie"
        tally.staked += last["staked"]
        tally.house_net += last["house_net"]
        self._say(coup_line(tally.coups, last, self._rules))
        self._inbox.wait_until(lambda: self._panel_showed(tally.coups), f"the panel to show coup {tally.coups}")
        self._inbox.rest(self._pace.payment_s)
        self._order("confirm")

    def _end_hold(self, reason: str, text: str) -> None:
        """What a supervisor does. Any hold but those that a card which cannot be read brings ends the demonstration."""
        self._tally.holds += 1
        if reason == "unreadable":
            self._remark(f"card {self._tally.cards}: the shoe cannot read it, the table is held")
            self._inbox.rest(self._pace.hold_s)
            self._remark(self._enter_unread())
        elif self._first_card_unread and reason in ("burn-differs", "pre-close-card"):
            self._remark(f"held {reason}, as the first card was not read: resumed")
        else:
            raise DemoFailed(f"the table is held ({reason}): {text}")
        self._order("resume")
        self._inbox.rest(self._pace.hold_s)

    def _enter_unread(self) -> str:
        """The card as one reads it by eye. A card of the burn need not be known."""
        card = self._cards[self._tally.cards - 1]
        place = self._order("state")["due"]
        if place is not None:
            self._order("card", place=place, card=card, reason="the shoe could not read it; read by eye")
        elif self._tally.cards == 1:
            self._first_card_unread = self._card_is_due = True
            self._burn_due = self._rules.burn.due(self._rules.decks, parse_card(card)) or 0
        self._shoe.order(f"clear {UNREADABLE}")
        what = f"entered {card} for {place} by eye" if place is not None else "of the burn, nothing to enter"
        return f"card {self._tally.cards}: {what}, the shoe's error cleared, resumed"

    def _order(self, do: str, **fields: object) -> dict[str, object]:
        answer = self._table.ask(do, None, **fields)
        if answer["ok"] is not True:
            what = " ".join(str(part) for part in (do, *fields.values()))
            raise DemoFailed(f"the table refused '{what}': {answer.get('text')}")
        return answer

    def _remark(self, text: str) -> None:
        self._tally.remark = text
        self._say(text)

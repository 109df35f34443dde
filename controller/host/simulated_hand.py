"""A shoe without a shoe inside the program: the simulated device on a cable in memory, and the hand that draws from it.

Only for a table that says `simulation: true`. The driver that reads it is the real one. A program that starts with a
shoe in play goes on with a shoe that holds what that one may still hold.
"""

import random
from dataclasses import replace
from itertools import zip_longest

from controller.game.cards import DECK, Card
from controller.game.coup import Coup
from controller.game.shoe import BurnBy
from controller.table.machine import BURNING, NO_SHOE, SHOE_ENDED
from controller.table.rules import HouseRules
from controller.table.state import TableState
from drivers.shoes.angel_eye import AngelEyeShoe
from drivers.shoes.simulated import ShoeSettings, SimulatedShoe
from drivers.shoes.simulated_cards import BurnRule
from drivers.shoes.simulated_line import CableEnd
from drivers.wires import memory_pair

PACE_MS = 400
"""From one card to the next: a quick dealer's."""
COPY_GAP_MS = 20
BEFORE_MS = 60_000
"""What lies on the table was drawn so long ago: nothing of it is on the line any more."""


class SimulatedHand:
    """Draws a card whenever the table waits for one, and puts a new shoe in place when the old one is over."""

    def __init__(self, rules: HouseRules, state: TableState, seed: int, now_ms: int) -> None:
        near, far = memory_pair("simulated shoe")
        near.open(now_ms)
        self.shoe = AngelEyeShoe(near)  # whose count of reports begins anew with the program
        self._rules = rules
        self._seed = seed
        self._line = CableEnd(far, now_ms)
        self._device = _resumed(self._line, state, seed, now_ms)
        self._holds = state.shoe
        self._drawn_at: object = None
        self._next_ms = now_ms

    def act(self, state: TableState, now_ms: int) -> None:
        """Do what a dealer's hand would do now."""
        if now_ms >= self._next_ms and self._wants_to_act(state):
            self._next_ms = now_ms + PACE_MS
            if self._needs_new_shoe(state):
                self._put_new_shoe(state, now_ms)
            else:
                self._device.order("draw", now_ms)
                self._drawn_at = _cards_out(state)
        self._device.poll(now_ms)

    def deadline_ms(self, state: TableState, now_ms: int) -> int | None:
        """When `act` has something to do."""
        times = [self._device.deadline_ms(), max(self._next_ms, now_ms + 1) if self._wants_to_act(state) else None]
        return min((time for time in times if time is not None), default=None)

    def _wants_to_act(self, state: TableState) -> bool:
        """A card is drawn once for each place, however long the table takes to hear of it."""
        return (state.card_awaited and _cards_out(state) != self._drawn_at) or self._needs_new_shoe(state)

    def _needs_new_shoe(self, state: TableState) -> bool:
        """The shoe in the device is that of the table, or the next one where the table waits for it.

        The next one waits until the commission of the last one is collected: its own start would begin nothing.
        """
        return self._holds < _wanted(state)

    def _put_new_shoe(self, state: TableState, now_ms: int) -> None:
        self._holds = _wanted(state)
        self._device = SimulatedShoe(self._line, _settings(self._rules, self._seed + self._holds))
        self._device.order("power", now_ms)


def _wanted(state: TableState) -> int:
    """The number of the shoe that the device must hold."""
    return state.shoe + 1 if state.phase in (NO_SHOE, SHOE_ENDED) and not state.owed else state.shoe


def _cards_out(state: TableState) -> object:
    return (state.shoe, state.coup, state.first_card, state.burned, state.hands)


def _settings(rules: HouseRules, seed: int) -> ShoeSettings:
    return ShoeSettings(rules.decks, seed, _burn(rules), rules.cut_card.depth, copy_gap_ms=COPY_GAP_MS)


def _burn(rules: HouseRules) -> BurnRule:
    match rules.burn.by:
        case BurnBy.FIRST_CARD:
            return BurnRule("first-card", ace=rules.burn.ace, court=rules.burn.court)
        case BurnBy.NONE:
            return BurnRule("none")
        case BurnBy.FIXED | BurnBy.DECKS:
            cards = rules.burn.due(rules.decks, None)
            assert cards is not None
            return BurnRule("fixed", cards)


class _Nobody:
    """The end of a line that nobody hears."""

    def poll(self, now_ms: int) -> bytes:
        return b""

    def send(self, data: bytes, now_ms: int) -> bool:
        return False

    def deadline_ms(self) -> int | None:
        return None

    def unplug(self, for_ms: int, now_ms: int) -> None:
        return None


class _Line:
    """A line whose other end is plugged in later."""

    def __init__(self) -> None:
        self.end: CableEnd | _Nobody = _Nobody()

    def poll(self, now_ms: int) -> bytes:
        return self.end.poll(now_ms)

    def send(self, data: bytes, now_ms: int) -> bool:
        return self.end.send(data, now_ms)

    def deadline_ms(self) -> int | None:
        return self.end.deadline_ms()

    def unplug(self, for_ms: int, now_ms: int) -> None:
        self.end.unplug(for_ms, now_ms)


def _as_dealt(hands: Coup) -> tuple[Card, ...]:
    """Player and Banker in turn; a third card of Player comes before one of Banker."""
    player, banker = hands.player, hands.banker
    first_four = [card for pair in zip_longest(player[:2], banker[:2]) for card in pair if card]
    return (*first_four, *player[2:], *banker[2:])


def _resumed(end: CableEnd, state: TableState, seed: int, now_ms: int) -> SimulatedShoe:
    """A device that stands where the table stands: what lies there was drawn, the rest is still in it."""
    settings = _settings(state.rules, seed)
    if state.inventory is None or state.phase in (NO_SHOE, SHOE_ENDED):
        return SimulatedShoe(end, settings)
    is_burning = state.conducted is BURNING
    if not is_burning:
        settings = replace(settings, burn=BurnRule("none"))
    if state.cut_card_out:
        settings = replace(settings, cut_depth=0)
    left = [str(card) for card in DECK for _ in range(state.rules.decks - state.inventory.out(card))]
    random.Random(seed).shuffle(left)
    burned = (state.first_card, *state.burned) if state.first_card_out and state.first_card else state.burned
    out = [str(card) if card else left.pop() for card in (burned if is_burning else _as_dealt(state.hands))]
    line = _Line()
    device = SimulatedShoe(line, settings, [*out, *left])
    for _ in out:
        device.order("draw", now_ms - BEFORE_MS)
    device.poll(now_ms)
    line.end = end
    return device

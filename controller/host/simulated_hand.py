"""A shoe without a shoe inside the program: the simulated device on a cable in memory, and the hand that draws from it.

Only for a table that says `simulation: true`. The driver that reads it is the real one.
"""

from controller.game.shoe import BurnBy
from controller.table.machine import NO_SHOE, SHOE_ENDED
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


class SimulatedHand:
    """Draws a card whenever the table waits for one, and puts a new shoe in place when the old one is over."""

    def __init__(self, rules: HouseRules, last_confirmed: bytes | None, seed: int, now_ms: int) -> None:
        near, far = memory_pair("simulated shoe")
        near.open(now_ms)
        self.shoe = AngelEyeShoe(near, last_confirmed=last_confirmed)
        self._device = SimulatedShoe(CableEnd(far, now_ms), _settings(rules, seed))
        self._next_ms = now_ms

    def act(self, state: TableState, now_ms: int) -> None:
        """Do what a dealer's hand would do now."""
        if now_ms >= self._next_ms:
            if state.phase in (NO_SHOE, SHOE_ENDED):
                self._do("power" if state.cut_card_out or state.phase is NO_SHOE else "shoe", now_ms)
            elif state.card_awaited:
                self._do("draw", now_ms)
        self._device.poll(now_ms)

    def deadline_ms(self, state: TableState, now_ms: int) -> int | None:
        """When `act` has something to do."""
        acts = state.card_awaited or state.phase in (NO_SHOE, SHOE_ENDED)
        times = [self._device.deadline_ms(), max(self._next_ms, now_ms + 1) if acts else None]
        return min((time for time in times if time is not None), default=None)

    def _do(self, order: str, now_ms: int) -> None:
        self._device.order(order, now_ms)
        self._next_ms = now_ms + PACE_MS


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

"""Deals by itself: card after card, coup after coup, shoe after shoe."""

from drivers.shoes.simulated import SimulatedShoe


class AutoDealer:
    """One card every `pace_ms`, the next coup `pause_ms` after the last card of the one before.

    After the cut card it finishes the coup and deals `coups_after` more; when the cut card came before a coup's first
    card, that coup is the last. Then it puts in the next shoe. Waits while the shoe is locked or in error.
    """

    def __init__(self, shoe: SimulatedShoe, pace_ms: int, pause_ms: int, coups_after: int) -> None:
        self._shoe = shoe
        self._pace_ms = pace_ms
        self._pause_ms = pause_ms
        self._coups_after = coups_after
        self._coups_left: int | None = None
        self._has_begun = False
        self._due_ms = 0

    def poll(self, now_ms: int) -> None:
        """Draw when it is time."""
        if now_ms < self._due_ms:
            return
        self._due_ms = now_ms + self._pace_ms
        if not self._has_begun:
            self._has_begun = True
            self._shoe.order("power", now_ms)
        elif self._is_shoe_over():
            self._coups_left = None
            self._shoe.order("shoe", now_ms)
        elif not self._shoe.device.is_stopped():
            self._draw(now_ms)

    def deadline_ms(self) -> int:
        """When the next card is due."""
        return self._due_ms

    def _is_shoe_over(self) -> bool:
        return not self._shoe.device.cards_left() or (self._coups_left == 0 and not self._shoe.device.coup_is_on())

    def _draw(self, now_ms: int) -> None:
        in_coup, in_burn = self._shoe.device.coup_is_on(), not self._shoe.device.burn_is_done()
        if self._shoe.order("draw", now_ms) != "ok":
            return
        if self._shoe.device.cut_card_is_out() and self._coups_left is None:
            self._coups_left = self._coups_after + 1 if in_coup else 1
        if in_burn or self._shoe.device.coup_is_on():
            return
        self._due_ms = now_ms + self._pause_ms
        if self._coups_left:
            self._coups_left -= 1

"""What the simulated shoe does: which card comes out as whose, what it reports, and where it stops.

Every verb acts at once and returns what was in the way, "" when nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from drivers.contracts import (
    CardDrawn,
    CardOutsidePlay,
    CardOverdrawn,
    CutCard,
    DeviceError,
    DeviceErrorCleared,
    LockChanged,
    OwnResult,
    ShoeStart,
    Target,
)
from drivers.shoes.simulated_cards import BurnRule, OwnBurn, OwnCoup, neighbour, shuffled
from drivers.shoes.simulated_faults import Fault, Wrong
from drivers.shoes.simulated_line import Transmitter

CANNOT_READ, OVERDRAW = 1, 2
OTHER_TARGET: dict[Target, Target] = {"player": "banker", "banker": "player", "burn": "player", "first": "burn"}


@dataclass(frozen=True, slots=True)
class ShoeSettings:
    """How a simulated shoe is filled and set up.

    `cut_depth`: cards behind the cut card, 0 without one. `copies` of every report, `copy_gap_ms` apart.
    """

    decks: int = 8
    seed: int = 1
    burn: BurnRule = field(default_factory=BurnRule)
    cut_depth: int = 14
    copies: int = 3
    copy_gap_ms: int = 50


class Device:
    """Shoe after shoe: the cards, the burn, the coup as the device believes it, its error mode and its lock."""

    def __init__(
        self, line: Transmitter, settings: ShoeSettings, cards: Sequence[str] | None, faults: Iterable[Fault]
    ) -> None:
        script = {fault.card: fault for fault in faults}
        self._line = line
        self._settings = settings
        self._overdraws = sorted(card for card, fault in script.items() if fault.do is Wrong.OVERDRAW)
        self._faults = {card: fault for card, fault in script.items() if fault.do is not Wrong.OVERDRAW}
        self._shoes = 0
        self._drawn = 0
        self._error: int | None = None
        self._is_locked = False
        self._cut_is_out = False
        self._result_is_told = True
        self._result_goes_wrong = False
        self._overdrawn: str | None = None
        self._kept: str | None = None
        self._load(cards)

    def coup_is_on(self) -> bool:
        """A coup has begun and is not complete."""
        return self._coup.is_on()

    def burn_is_done(self) -> bool:
        """The next card belongs to a coup."""
        return self._burn.is_done()

    def cut_card_is_out(self) -> bool:
        """The cut card of this shoe came."""
        return self._cut_is_out

    def cards_left(self) -> int:
        """Cards in the shoe."""
        return len(self._cards)

    def is_stopped(self) -> bool:
        """In error mode or locked: a card drawn now is outside play."""
        return self._error is not None or self._is_locked

    def draw_many(self, number: int) -> str:
        """`number` cards, whatever they are."""
        for drawn in range(number):
            trouble = self._draw()
            if trouble:
                return f"{drawn} of {number} drawn: {trouble}" if drawn else trouble
        return ""

    def play_on(self) -> str:
        """The rest of the burn, or of the coup; a new coup when there is neither. Ends early where the shoe stops."""
        if self._error is not None:
            return f"the shoe is in error {self._error}; 'clear {self._error}' ends it"
        if self._is_locked:
            return "the shoe is locked; 'key unlock' unlocks it"
        in_burn = not self._burn.is_done()
        while True:
            trouble = self._draw()
            is_complete = self._burn.is_done() if in_burn else not self._coup.is_on()
            if trouble or is_complete or self.is_stopped():
                return trouble

    def tell_result(self) -> str:
        """The result of the coup that is complete; the forced end of one that is not."""
        if not self._coup.player:
            return "no coup was dealt; 'coup' deals one"
        if self._coup.is_on():
            self._forget_coup()
            self._line.report(OwnResult("forced-end", "none"))
            return ""
        outcome = self._coup.outcome()
        if self._result_goes_wrong:
            self._result_goes_wrong = False
            outcome = "banker" if outcome == "player" else "player"
        self._line.report(OwnResult(outcome, self._coup.pairs()))
        return ""

    def bring_out_cut_card(self) -> str:
        """Once a shoe."""
        if self._cut_is_out:
            return "the cut card is out already"
        self._cut_is_out = True
        self._line.report(CutCard())
        return ""

    def power(self) -> str:
        """Off and on. Between coups, with the cut card or the last card out, the next shoe was put in meanwhile.

        In mid-shoe a restart clears the hands and the error, and burns nothing again.
        """
        if (self._cut_is_out or not self._cards) and not self._coup.is_on():
            self._load(None)
        return self._restart()

    def next_shoe(self) -> str:
        """The next shoe is put in, whatever is on, and the device restarted."""
        self._load(None)
        return self._restart()

    def stop(self, code: int) -> str:
        """Error `code`, with error mode."""
        if self._error is not None:
            return f"the shoe is in error {self._error} already"
        self._error = code
        self._line.report(DeviceError(code, error_mode=True))
        return ""

    def clear(self, code: int) -> str:
        """The error is over; an overdrawn card is kept for the next coup."""
        if self._error != code:
            return f"the shoe is not in error {code}"
        self._error = None
        self._line.report(DeviceErrorCleared(code))
        if self._overdrawn is not None:
            self._kept, self._overdrawn = self._overdrawn, None
            self._line.report(CardOverdrawn("player", 1, self._kept))
        self._end_coup()
        return ""

    def turn_key(self, *, lock: bool) -> str:
        """The physical key."""
        if self._is_locked == lock:
            return f"the key is turned to {'lock' if lock else 'unlock'} already"
        self._is_locked = lock
        self._line.report(LockChanged(lock))
        self._end_coup()
        return ""

    def _load(self, cards: Sequence[str] | None) -> None:
        """A fresh shoe: only this makes the burn begin anew."""
        seed = self._settings.seed + self._shoes
        top_first = shuffled(self._settings.decks, seed) if cards is None else cards
        self._cards = list(reversed(top_first))
        self._shoes += 1
        self._burn = OwnBurn(self._settings.burn)
        self._cut_is_out = False
        self._forget_coup()

    def _forget_coup(self) -> None:
        self._coup = OwnCoup()
        self._result_is_told = True
        self._result_goes_wrong = False
        self._overdrawn = self._kept = None

    def _restart(self) -> str:
        self._forget_coup()
        self._error = None
        self._line.report(ShoeStart())
        return ""

    def _draw(self) -> str:
        """One card, or the one kept of an overdraw, wherever it belongs by now."""
        if self._kept is not None and not self.is_stopped():
            card, self._kept = self._kept, None
            self._begin_coup_when_over()
            self._line.report(CardDrawn(*self._coup.take(card), card))
            return ""
        if not self._cards:
            return "the shoe is empty; 'shoe' puts in the next one"
        card, fault = self._take_out()
        if self.is_stopped():
            self._line.report(CardOutsidePlay("lock" if self._error is None else "error", card), fault)
        else:
            self._lay(card, fault)
        self._go_wrong_after(fault)
        return ""

    def _take_out(self) -> tuple[str, Fault | None]:
        if len(self._cards) == self._settings.cut_depth:
            self.bring_out_cut_card()
        self._drawn += 1
        return self._cards.pop(), self._faults.pop(self._drawn, None)

    def _lay(self, card: str, fault: Fault | None) -> None:
        wrong = fault.do if fault is not None else None
        told = neighbour(card) if wrong is Wrong.OTHER_CARD else card
        target: Target
        if not self._burn.is_done():
            target, index = self._burn.take(told)
        else:
            self._begin_coup_when_over()
            target, index = self._coup.take(told)
        if wrong is Wrong.WRONG_TARGET:
            target, index = OTHER_TARGET[target], min(index, 3)
        if wrong is Wrong.UNREADABLE:
            self.stop(CANNOT_READ)
        else:
            self._line.report(CardDrawn(target, index, told), fault)

    def _begin_coup_when_over(self) -> None:
        if not self._coup.is_on():
            self._coup = OwnCoup()
            self._result_is_told = False

    def _go_wrong_after(self, fault: Fault | None) -> None:
        match fault:
            case Fault(_, Wrong.WRONG_RESULT):
                self._result_goes_wrong = True
            case Fault(_, Wrong.UNPLUG, for_ms):
                self._line.unplug_then(for_ms)
        self._end_coup()
        if fault is not None and fault.do is Wrong.POWER:
            self._restart()

    def _end_coup(self) -> None:
        """A complete coup's result, once; then, when the script says so, a card too many."""
        if self._coup.is_on() or self._result_is_told or self.is_stopped():
            return
        self._result_is_told = True
        self.tell_result()
        if self._overdraws and self._overdraws[0] <= self._drawn + 1 and self._cards:
            del self._overdraws[0]
            self._overdrawn, _ = self._take_out()
            self.stop(OVERDRAW)

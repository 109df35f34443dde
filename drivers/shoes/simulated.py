"""An Angel Eye II-EX compatible shoe without a shoe: deals when told, and misbehaves when told.

It is the device at the far end of a line, with the device's own codec, its own cards and its own drawing rules. The
simulated and the emulated shoe are this one class.
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
from drivers.escape import escaped
from drivers.shoes.simulated_cards import BurnRule, OwnBurn, OwnCoup, neighbour, shuffled
from drivers.shoes.simulated_faults import Fault, Wrong
from drivers.shoes.simulated_line import DeviceEnd, Transmitter

ORDERS = "draw [N], coup, cut, result, power, shoe, error N, clear N, key lock|unlock, unplug MS"
CANNOT_READ, OVERDRAW = 1, 2
MOST_DRAWN = 1_000
MOST_ERROR = 63
MOST_UNPLUGGED_MS = 600_000
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


class SimulatedShoe:
    """The device on `end`. `cards` (top first, burn included) fill the first shoe; the next ones are shuffled.

    A shuffled shoe n uses seed + n - 1. Never waits: `order` acts at once, the copies go out in `poll` as time goes by.
    """

    def __init__(
        self,
        end: DeviceEnd,
        settings: ShoeSettings,
        cards: Sequence[str] | None = None,
        faults: Iterable[Fault] = (),
    ) -> None:
        self._settings = settings
        self._line = Transmitter(end, settings.copies, settings.copy_gap_ms, settings.seed)
        script = {fault.card: fault for fault in faults}
        self._overdraws = sorted(card for card, fault in script.items() if fault.do is Wrong.OVERDRAW)
        self._faults = {card: fault for card, fault in script.items() if fault.do is not Wrong.OVERDRAW}
        self._shoes = 0
        self._drawn = 0
        self._error: int | None = None
        self._is_locked = False
        self._load(list(cards) if cards is not None else None)

    def order(self, line: str, now_ms: int) -> str:
        """Carry out one order (ORDERS); "ok" or "error TEXT", in one line."""
        if self._line.is_behind():
            return "error too many reports wait to be sent; try again in a moment"
        trouble = self._carry_out(line.split(), now_ms)
        return f"error {trouble}" if trouble else "ok"

    def poll(self, now_ms: int) -> None:
        """Send the copies that are due."""
        self._line.poll(now_ms)

    def deadline_ms(self) -> int | None:
        """When `poll` must be called."""
        return self._line.deadline_ms()

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

    def is_silent(self) -> bool:
        """Nothing waits to be sent."""
        return self._line.is_silent()

    def is_stopped(self) -> bool:
        """In error mode or locked: a card drawn now is outside play."""
        return self._error is not None or self._is_locked

    def _carry_out(self, words: list[str], now_ms: int) -> str:
        match words:
            case ["draw"]:
                return self._draw_many(1, now_ms)
            case ["draw", number] if _is_from(number, 1, MOST_DRAWN):
                return self._draw_many(int(number), now_ms)
            case ["coup"]:
                return self._play_on(now_ms)
            case ["cut"]:
                return self._bring_out_cut_card(now_ms)
            case ["result"]:
                return self._tell_result(now_ms)
            case ["power"]:
                if (self._cut_is_out or not self._cards) and not self._coup.is_on():
                    self._load(None)
                return self._restart(now_ms)
            case ["shoe"]:
                self._load(None)
                return self._restart(now_ms)
            case ["error", number] if _is_from(number, 1, MOST_ERROR):
                return self._stop(int(number), now_ms)
            case ["clear", number] if _is_from(number, 1, MOST_ERROR):
                return self._clear(int(number), now_ms)
            case ["key", ("lock" | "unlock") as turned]:
                return self._turn_key(turned == "lock", now_ms)
            case ["unplug", number] if _is_from(number, 1, MOST_UNPLUGGED_MS):
                self._line.unplug(int(number), now_ms)
                return ""
            case _:
                return f"unknown order '{escaped(' '.join(words), 60)}'; write {ORDERS}"

    def _load(self, cards: list[str] | None) -> None:
        """A fresh shoe: only this makes the burn begin anew."""
        self._shoes += 1
        top_first = shuffled(self._settings.decks, self._settings.seed + self._shoes - 1) if cards is None else cards
        self._cards = top_first[::-1]
        self._burn = OwnBurn(self._settings.burn)
        self._cut_is_out = False
        self._forget_coup()

    def _forget_coup(self) -> None:
        self._coup = OwnCoup()
        self._result_is_told = True
        self._result_goes_wrong = False
        self._overdrawn: str | None = None
        self._kept: str | None = None

    def _restart(self, now_ms: int) -> str:
        self._forget_coup()
        self._error = None
        self._line.report(ShoeStart(), now_ms)
        return ""

    def _draw_many(self, number: int, now_ms: int) -> str:
        for drawn in range(number):
            trouble = self._draw(now_ms)
            if trouble:
                return f"{drawn} of {number} drawn: {trouble}" if drawn else trouble
        return ""

    def _play_on(self, now_ms: int) -> str:
        """The rest of the burn, or of the coup; a coup when there is none. Stops where the device stops."""
        if self._error is not None:
            return f"the shoe is in error {self._error}; 'clear {self._error}' ends it"
        if self._is_locked:
            return "the shoe is locked; 'key unlock' unlocks it"
        in_burn = not self._burn.is_done()
        while True:
            trouble = self._draw(now_ms)
            complete = self._burn.is_done() if in_burn else not self._coup.is_on()
            if trouble or complete or self.is_stopped():
                return trouble

    def _draw(self, now_ms: int) -> str:
        """One card, or the one kept of an overdraw, wherever it belongs by now."""
        if self._kept is not None and not self.is_stopped():
            card, self._kept = self._kept, None
            self._begin_coup_when_over()
            self._line.report(CardDrawn(*self._coup.take(card), card), now_ms)
            return ""
        if not self._cards:
            return "the shoe is empty; 'shoe' puts in the next one"
        card, fault = self._take_out(now_ms)
        if self.is_stopped():
            self._line.report(CardOutsidePlay("lock" if self._error is None else "error", card), now_ms, fault)
        else:
            self._lay(card, fault, now_ms)
        return self._after(fault, now_ms)

    def _take_out(self, now_ms: int) -> tuple[str, Fault | None]:
        if len(self._cards) == self._settings.cut_depth and not self._cut_is_out:
            self._bring_out_cut_card(now_ms)
        self._drawn += 1
        return self._cards.pop(), self._faults.pop(self._drawn, None)

    def _lay(self, card: str, fault: Fault | None, now_ms: int) -> None:
        wrong = fault.do if fault is not None else None
        told = neighbour(card) if wrong is Wrong.OTHER_CARD else card
        target: Target
        if not self._burn.is_done():
            target, index = self._burn.take(told)
        else:
            self._begin_coup_when_over()
            target, index = self._coup.take(told)
        if wrong is Wrong.WRONG_TARGET:
            target = OTHER_TARGET[target]
            index = min(index, 3)
        if wrong is Wrong.UNREADABLE:
            self._stop(CANNOT_READ, now_ms)
        else:
            self._line.report(CardDrawn(target, index, told), now_ms, fault)

    def _begin_coup_when_over(self) -> None:
        if not self._coup.is_on():
            self._coup = OwnCoup()
            self._result_is_told = False

    def _after(self, fault: Fault | None, now_ms: int) -> str:
        match fault:
            case Fault(_, Wrong.WRONG_RESULT):
                self._result_goes_wrong = True
            case Fault(_, Wrong.UNPLUG, for_ms):
                self._line.unplug_then(for_ms, now_ms)
        self._end_coup(now_ms)
        return self._restart(now_ms) if fault is not None and fault.do is Wrong.POWER else ""

    def _end_coup(self, now_ms: int) -> None:
        """A complete coup's result, once; then, when the script says so, a card too many."""
        if self._coup.is_on() or self._result_is_told or self.is_stopped():
            return
        self._result_is_told = True
        self._tell_result(now_ms)
        if self._overdraws and self._overdraws[0] <= self._drawn + 1 and self._cards:
            del self._overdraws[0]
            self._overdrawn, _ = self._take_out(now_ms)
            self._stop(OVERDRAW, now_ms)

    def _tell_result(self, now_ms: int) -> str:
        """Of a coup that is not complete: its forced end."""
        if not self._coup.player:
            return "no coup was dealt; 'coup' deals one"
        if self._coup.is_on():
            self._forget_coup()
            self._line.report(OwnResult("forced-end", "none"), now_ms)
            return ""
        outcome = self._coup.outcome()
        if self._result_goes_wrong:
            self._result_goes_wrong = False
            outcome = "banker" if outcome == "player" else "player"
        self._line.report(OwnResult(outcome, self._coup.pairs()), now_ms)
        return ""

    def _bring_out_cut_card(self, now_ms: int) -> str:
        if self._cut_is_out:
            return "the cut card is out already"
        self._cut_is_out = True
        self._line.report(CutCard(), now_ms)
        return ""

    def _stop(self, code: int, now_ms: int) -> str:
        if self._error is not None:
            return f"the shoe is in error {self._error} already"
        self._error = code
        self._line.report(DeviceError(code, error_mode=True), now_ms)
        return ""

    def _clear(self, code: int, now_ms: int) -> str:
        if self._error != code:
            return f"the shoe is not in error {code}"
        self._error = None
        self._line.report(DeviceErrorCleared(code), now_ms)
        if self._overdrawn is not None:
            self._kept, self._overdrawn = self._overdrawn, None
            self._line.report(CardOverdrawn("player", 1, self._kept), now_ms)
        self._end_coup(now_ms)
        return ""

    def _turn_key(self, lock: bool, now_ms: int) -> str:
        if self._is_locked == lock:
            return f"the key is turned to {'lock' if lock else 'unlock'} already"
        self._is_locked = lock
        self._line.report(LockChanged(lock), now_ms)
        self._end_coup(now_ms)
        return ""


def _is_from(text: str, least: int, most: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9 and least <= int(text) <= most
